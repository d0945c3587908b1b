"""Errors about private and secret sources show no text of them, and errors about other sources show all of it."""

from __future__ import annotations

import ast
import pathlib
import pickle
from typing import TYPE_CHECKING

import pytest

import plait
from plait.base.errors import Finding, PlaitError, ReadError, conceal, part_of
from plait.base.source import Position, Quoted, Source, Wording, public, quotation
from plait.cli import main
from plait.cli.layer import LAYER
from plait.cli.patch import PATCH
from plait.cli.render_commands import RENDER
from plait.engine.secret_sources import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from plait.engine.flags import Command

ROOT = pathlib.Path(plait.__file__).parent
TOKEN = "kanarie-97531"
POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a]}\n"
)
SCHEMA = "#@data/values-schema\n---\np: 1\nlist: [1]\n#@schema/nullable\nmap: {k: 1}\n"

# Texts of files of values that cannot be read, or are not what they have to be. Each quotes the token if it can.
TEXTS = {
    "an alias": f"p: *{TOKEN}\n",
    "an alias of itself": f"p: &{TOKEN} [*{TOKEN}]\n",
    "a tag of an integer": f"p: !!int {TOKEN}\n",
    "a tag of a float": f'p: !!float "{TOKEN}"\n',
    "a tag of a boolean": f"p: !!bool it's `{TOKEN}`'s\n",
    "a tag of bytes": f"p: !!binary {TOKEN}\n",
    "a bracket": f"p: [{TOKEN}\n",
    "a quote": f'p: "{TOKEN}\nq: 1\n',
    "a control character": f"p: {TOKEN}\x01\n",
    "a line of a block": f"p: |\n  x\n  {TOKEN}: y\x01\n",
    "a key further in": f"p: {TOKEN}\n    q: 1\n",
    "a key further out": f"  p: {TOKEN}\nq: 1\n",
    "a merge": f"p: {{<<: {TOKEN}}}\n",
    "a key that is a map": f"? {{{TOKEN}: 1}}\n: 1\n",
    "a list": f"- {TOKEN}\n",
    "a text": f"{TOKEN}\n",
    "an indicator": f"p: @{TOKEN}\n",
    "a directive": f"%{TOKEN}\n---\np: 1\n",
    "a tag handle": f"p: !{TOKEN}!x 1\n",
}
# Whole values, as an argument or a variable of the environment gives them.
VALUES = {name: text.removeprefix("p: ").rstrip("\n") for name, text in TEXTS.items() if text.startswith("p: ")}


class Door:
    """One way by which private or secret texts are read. argv: with FILE and TEXT; whole: it reads one value."""

    def __init__(self, argv: str, *, whole: bool = False, env: str = "", broken: bool = True) -> None:
        self.argv = argv.split(" ")
        self.whole = whole
        self.env = env
        self.broken = broken


# By the flag that brings them. None: the flag brings no text that is parsed, for the reason given.
RENDERED = "render -f schema.yml -f t.yml"
DOORS: Mapping[str, Mapping[str, Door | None]] = {
    "render": {
        "data-value": None,  # the user typed it, and messages show it
        "data-value-yaml": None,  # the same
        "data-value-file": Door(f"{RENDERED} --data-value-file list=FILE"),
        "data-values-env": Door(f"{RENDERED} --data-values-env APP", whole=True, env="APP_list"),
        "data-values-env-yaml": Door(f"{RENDERED} --data-values-env-yaml APP", whole=True, env="APP_p"),
        "data-values-env-all": Door(f"{RENDERED} --data-values-env-all", whole=True, env="LIST"),
        "data-values-file": Door(f"{RENDERED} --data-values-file FILE"),
        "secrets": Door(f"{RENDERED} --secrets file:FILE"),
    },
    "patch": {
        "var": Door("patch base.yml -v p=TEXT --path /list/none", whole=True),
        "var-file": Door("patch base.yml --var-file p=FILE --path /filled/none", broken=False),
        "vars-file": Door("patch base.yml -l FILE --path /list/none"),
        "vars-env": Door("patch base.yml --vars-env APP --path /list/none", whole=True, env="APP_p"),
        "vars-store": Door("patch base.yml --vars-store FILE --path /list/none"),
        "secrets": Door("patch base.yml --secrets file:FILE --path /list/none"),
    },
    "layer": {
        "secrets-file": Door("layer policy.yml --secrets-file FILE"),
        "secrets-env": None,  # the text is the value, and is not parsed
    },
}
# The groups of flags by which values come in; a new flag among them needs a door.
GROUPS = {"render": "values", "patch": "var", "layer": "secret"}
NO_VALUES = {
    "data-values-inspect", "data-values-schema-inspect", "dangerous-data-values-disable-validation", "vars-first", "var-errs",
    "var-errs-unused", "cleartext-secrets", "quote-values", "client-secret",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "schema.yml": SCHEMA,
        "t.yml": "a: 1\n",
        "base.yml": "filled: ((p))\nlist: [{name: ((p))}]\n",
        "policy.yml": POLICY,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "command"), [("render", RENDER), ("patch", PATCH), ("layer", LAYER)])
def test_every_flag_that_brings_values_has_a_door(name: str, command: Command[Any]) -> None:
    word = GROUPS[name]
    named = {flag.name for flag in command.flags if word in flag.name or flag.name.startswith("data-value")}
    named |= {flag.name for flag in command.flags if "secret" in flag.name}
    assert named - NO_VALUES == set(DOORS[name])


def cases() -> list[object]:
    return [
        pytest.param(door, text, id=f"{command} {flag}: {name}")
        for command, doors in DOORS.items()
        for flag, door in doors.items()
        if door is not None
        for name, text in (VALUES if door.whole else TEXTS).items()
    ]


@pytest.mark.parametrize(("door", "text"), cases())
def test_no_error_shows_a_token(
    door: Door, text: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "values.yml").write_text(text, "utf-8")
    if door.env:
        monkeypatch.setenv(door.env, text)
    status = main([part.replace("TEXT", text).replace("FILE", "values.yml") for part in door.argv])
    said = capfd.readouterr()
    assert TOKEN not in said.err
    if status:
        assert TOKEN not in said.out
        assert said.err.startswith("plait: ")


def test_quote_values_shows_the_token(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The tests above can fail: with the flag the same messages have the token, and without it their words."""
    shown = 0
    for text in TEXTS.values():
        (here / "values.yml").write_text(text, "utf-8")
        main(["render", "-f", "schema.yml", "--data-values-file", "values.yml", "--quote-values"])
        shown += TOKEN in capfd.readouterr().err
    assert shown >= 12
    (here / "values.yml").write_text(TEXTS["an alias"], "utf-8")
    assert main(["patch", "base.yml", "--vars-store", "values.yml"]) == 1
    assert "values.yml:1: unknown anchor '...' referenced" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["an alias", "a tag of an integer", "a key further in"])
def test_other_files_are_quoted(name: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "t.yml").write_text(TEXTS[name], "utf-8")
    assert main(["render", "-f", "t.yml"]) == 1
    said = capfd.readouterr().err
    assert said.count(TOKEN) == (1 if name == "a key further in" else 2)


def test_a_match_after_variables_quotes_no_values(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is found beside the item that is asked for may be the value of a variable."""
    (here / "ops.yml").write_text("- {type: remove, path: /list/name=x}\n", "utf-8")
    (here / "store.yml").write_text(f"p: {TOKEN}\n", "utf-8")
    for argv in (["--path", "/list/name=x"], ["-o", "ops.yml", "--vars-first"]):
        for source in (["--vars-store", "store.yml"], ["-l", "store.yml"], ["-v", f"p={TOKEN}"]):
            assert main(["patch", "base.yml", *source, *argv]) == 1
            said = capfd.readouterr()
            assert TOKEN not in said.err + said.out
    # Without variables the items that are there are listed, as before.
    (here / "base.yml").write_text("list: [{name: known}]\n", "utf-8")
    assert main(["patch", "base.yml", "--path", "/list/name=x"]) == 1
    assert '"known"' in capfd.readouterr().err


# ---- the types


PRIVATE = Source("v.yml", "a: 1\n").hidden()


def test_a_text_without_known_quotations_is_withheld() -> None:
    error = ReadError(f"bad {TOKEN}", at=Position(PRIVATE, 1), expected=TOKEN, found=TOKEN, hint=TOKEN, document=TOKEN)
    for text in (error.message, error.report(), str(error), repr(error), str(error.args), str(error.document)):
        assert TOKEN not in text
    assert (error.expected, error.found, error.hint) == (None, None, None)
    assert error.report() == "plait: v.yml:1: not valid\n"
    assert error.report(quote_values=True).count(TOKEN) == 5


def test_a_place_that_is_given_later_counts() -> None:
    error = ReadError(TOKEN)
    assert error.message == TOKEN
    error.at = Position(PRIVATE, 1)
    assert TOKEN not in error.report() + str(error) + repr(error)


def test_parts_that_are_known_stay() -> None:
    told = Wording("no anchor '", Quoted(TOKEN), "' in ", public("v.yml"))
    assert told == f"no anchor '{TOKEN}' in v.yml"
    error = ReadError(told, at=Position(PRIVATE, 1), found=quotation(TOKEN))
    assert (error.message, error.found) == ("no anchor '...' in v.yml", None)
    outer = PlaitError(Wording("outer: ", part_of(error, "message")), at=Position(PRIVATE, 1))
    assert outer.message == "outer: no anchor '...' in v.yml"
    # A text that was put together without its parts is one without known quotations.
    assert PlaitError(f"outer: {told}", at=Position(PRIVATE, 1)).message == "not valid"


def test_a_quotation_of_a_private_source_in_an_error_about_another() -> None:
    error = PlaitError(Wording("found ", Quoted(TOKEN, PRIVATE)), at=Position(Source("t.yml", "x\n"), 1))
    assert error.message == "found ..."


@pytest.mark.parametrize("error", [PlaitError(TOKEN), PlaitError("x", findings=[Finding(TOKEN)])])
def test_concealed_errors_and_their_findings(error: PlaitError) -> None:
    assert TOKEN in error.report()
    assert TOKEN not in conceal(error).report()


def test_errors_can_be_sent() -> None:
    error = conceal(ReadError(Wording("no ", Quoted(TOKEN)), at=Position(PRIVATE, 1)))
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.report()) == (ReadError, "no ...", error.report())
    with pytest.raises(ReadError) as found:
        plait.patch("a: 1\n", variables_files={"v.yml": TEXTS["an alias"]}, isolated=True)
    assert TOKEN not in found.value.report() + repr(found.value)


def test_own_words_are_literals() -> None:
    """A part of a Wording that is never withheld is a constant, or is marked as public where it is made."""
    names = {"Wording", "Quoted", "quotation", "public", "part_of"}
    found = 0
    for path in ROOT.rglob("*.py"):
        text = path.read_text("utf-8")
        if "Wording(" not in text or path.name in ("errors.py", "source.py", "worker_messages.py"):
            continue
        tree = ast.parse(text)
        wordings = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.IfExp)
            for target in node.targets
            if isinstance(target, ast.Name)
        } | {
            one.arg
            for one in ast.walk(tree)
            if isinstance(one, ast.arg) and "Wording" in ast.unparse(one.annotation or one)
        }
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "Wording":
                continue
            found += 1
            for one in call.args:
                is_constant = isinstance(one, ast.Constant) and isinstance(one.value, str)
                is_known = isinstance(one, ast.Name) and one.id in wordings | {"reason"}
                is_call = isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
                is_ours = is_call and (one.func.id in names or one.func.id == "_calculated")  # type: ignore[attr-defined]
                assert is_constant or is_known or is_ours, f"{path.name}:{one.lineno}: {ast.unparse(one)}"
    assert found > 10


assert set(KINDS) == {"sops", "file", "dir", "exec"}, "a new kind of secrets needs a text in the tests above"


@pytest.mark.parametrize("text", [TEXTS["an alias"], TEXTS["a tag of an integer"], TEXTS["a bracket"]])
def test_in_the_place_of_bosh_a_store_is_not_quoted_either(
    text: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "store.yml").write_text(text, "utf-8")
    assert main(["interpolate", "base.yml", "--vars-store", "store.yml"], "bosh") == 1
    said = capfd.readouterr()
    assert TOKEN not in said.err + said.out
