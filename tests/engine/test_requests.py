"""Requests: each option declared once, uses in order with their origins, one evaluation below the command line."""

from __future__ import annotations

import ast
import inspect
import json
import pathlib
import re

import pytest

import plait
from plait.authoring.project.file import read
from plait.authoring.project.project_schema import schema
from plait.cli import main
from plait.cli.commands import commands, node_of
from plait.cli.fleet_answers import ANSWERS
from plait.cli.render_subcommands import FMT, TEMPLATE
from plait.engine import DIALECTS, dialect, keywords_of
from plait.engine.flags import Command
from plait.engine.options import DELIVERY, EVALUATION, MAP, PROCESS, SHARED, SWITCH, VALUE, Option, Use
from plait.engine.patch import Patch
from plait.engine.pipeline import KINDS, options_of
from plait.engine.render import Render
from plait.engine.world import World, evaluate

PACKAGE = pathlib.Path(plait.__file__).parent
# The reader of Makefiles and scripts parses command lines of other programs, and messages show runs as they are typed.
HELP = "engine/helping.py"
READS_OTHERS = {"authoring/project/inference/programs.py", "authoring/project/run_inference.py"}
# A reduced input is shown as the command line that the user types, and given to the program that it is compared with.
SHOWS = {"authoring/reduce/behaviours.py", "authoring/reduce/result_files.py"}


def imports_of(path: pathlib.Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_only_the_command_line_parses_and_builds_command_lines() -> None:
    modules = {path.relative_to(PACKAGE).as_posix(): imports_of(path) for path in PACKAGE.rglob("*.py")}
    below = {name: found for name, found in modules.items() if not name.startswith("cli/")}
    assert {name for name, found in below.items() if "plait.engine.flags" in found} == READS_OTHERS | SHOWS | {HELP}
    assert {name for name, found in below.items() if any(one.startswith("plait.cli") for one in found)} == {
        "__main__.py"
    }


def test_no_command_line_is_searched_for_a_flag() -> None:
    for path in (PACKAGE / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare) and any(isinstance(one, (ast.In, ast.NotIn)) for one in node.ops):
                flag = node.left.value if isinstance(node.left, ast.Constant) else ""
                assert not str(flag).startswith("--"), f"{path}:{node.lineno}"


# Texts with flags that are not plait's, by module: of git and sops, and of pytest; and properties of CSS.
OTHER_PROGRAMS = {
    "integrations/agents/tools.py",
    "base/children/programs.py",
    "base/git_repository.py",
    "authoring/project/inference/shell.py",
    "engine/secret_sources.py",
    "authoring/testing/pytest_plugin.py",
}
CSS = {"engine/notebook.py"}


def test_a_text_names_no_flag_that_is_not_declared() -> None:
    """A flag that gets another name has to get it in messages and help as well."""
    tables = [*commands().values(), node_of("help").command, *(one for one, _ in ANSWERS.values()), FMT, TEMPLATE]
    known = {one.name for table in tables for one in table.flags} | {one.name for one in SHARED.shared}
    flag = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]+)")
    unknown = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        text = path.read_text("utf-8")
        if name in OTHER_PROGRAMS | CSS or not flag.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = flag.findall(node.value)
                unknown += [f"{name}:{node.lineno}: --{one}" for one in named if one not in known]
    assert unknown == []


@pytest.mark.parametrize("flag", ["--watch", "--isolate", "--debug", "--quote-values", "--trust", "--help"])
def test_a_value_that_looks_like_a_switch_is_a_value(
    flag: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {r: {render: {files: [a.yml]}}}\n", "utf-8")
    for place, words in enumerate((["render", "-f", "a.yml"], ["run", "r"])):
        assert main([*words, "--output-files", flag]) == 0
        assert (tmp_path / flag / "a.yml").exists()
        (tmp_path / flag / "a.yml").rename(tmp_path / f"{place}.txt")


@pytest.mark.parametrize("command", DIALECTS)
def test_an_option_has_one_name_of_each_kind(command: str) -> None:
    options = dialect(command).options
    for names in (
        [one.attribute for one in options],
        [one.name for one in options if one.name],
        [one.short for one in options if one.short],
        [one.setting for one in options if one.setting],
    ):
        assert len(names) == len(set(names))
    for one in options:
        assert getattr(dialect(command), one.attribute) is one
        assert one.name or one.setting or one.kind == VALUE
        assert one.part in (EVALUATION, DELIVERY, PROCESS)


@pytest.mark.parametrize("command", DIALECTS)
def test_everything_is_derived_from_the_declaration(command: str) -> None:
    cls = dialect(command)
    flags = {flag.name for flag in Command(cls).flags} - {"help"}
    assert flags == {one.name for one in cls.options if one.name}
    assert set(schema()["$defs"][command]["properties"]) == {one.setting for one in cls.options if one.setting}  # type: ignore[index]
    keywords = inspect.signature(getattr(plait, command)).parameters
    assert set(keywords) == {one.attribute for one in cls.options if one.attribute in keywords_of(cls)}
    for kind, (of, names) in KINDS.items():
        if of == command:
            steps = schema()["$defs"]["step"]["properties"][kind]["properties"]  # type: ignore[index]
            assert set(steps) == {*names, *options_of(kind)}


def test_uses_keep_their_order_and_a_later_use_wins() -> None:
    request = Patch(base="base.yml", sort=False)
    request.use(Patch.var, "a=1")
    request.use(Patch.require_use, value=True)
    request.use(Patch.var, "b=2")
    assert [one.option.attribute for one in request.uses] == ["base", "sort", "var", "require_use", "var"]
    assert (request.var, request.sort, request.require_use, request.arguments) == (
        ["a=1", "b=2"],
        False,
        True,
        ["base.yml"],
    )
    more = request.over([Use(Patch.require_use, value=False)])
    assert (more.require_use, request.require_use) == (False, True)
    assert more.without(Patch.require_use).has(Patch.require_use) is False


def test_a_key_has_what_can_change_a_result() -> None:
    request = Render(inputs=["a.yml"], strict=True)
    request.use(Render.debug, value=True)
    assert request.key == (("inputs", "a.yml"), ("strict", True))


def test_a_request_is_evaluated_without_a_command_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("#@ load('@ytt:data', 'data')\na: #@ data.values.a\n", "utf-8")
    request = Render(inputs=[str(tmp_path / "a.yml")])
    request.use(Render.data_value_yaml, "a=3")
    assert evaluate(request, World()).to_dict() == {"a": 3}


WRONG = [
    ("render", "file-mark", "[a.yml:nonsense=1]"),
    ("render", "output", "xml"),
    ("render", "with", "[nonsense]"),
    ("render", "limit", "[nonsense=1]"),
    ("render", "output-by", "nowhere.yml"),
    ("render", "data-value", "[nonsense]"),
    ("render", "merge-key", "[nonsense]"),
    ("patch", "var", "[nonsense]"),
    ("patch", "path", "nonsense"),
    ("layer", "label", "[nonsense]"),
    ("layer", "output", "xml"),
    ("layer", "repository", "[nonsense]"),
    ("compose", "output", "xml"),
    ("compose", "data-value", "[nonsense]"),
]


@pytest.mark.parametrize(("command", "name", "value"), WRONG, ids=[f"{one[0]} {one[1]}" for one in WRONG])
def test_an_error_in_a_setting_names_its_line(
    command: str,
    name: str,
    value: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "steps.yml").write_text("steps: [{render: {files: [a.yml]}}]\n", "utf-8")
    needed = {
        "render": "files: [a.yml]",
        "patch": "base: a.yml",
        "layer": "files: [a.yml]",
        "compose": "file: steps.yml",
    }
    more = "      site: .\n" if name == "repository" else ""
    text = f"runs:\n  r:\n    {command}:\n      {needed[command]}\n{more}      {name}: {value}\n"
    (tmp_path / "plait.yml").write_text(text, "utf-8")
    assert main(["run", "r"]) != 0
    line = 6 if more else 5
    assert f"plait.yml:{line}" in capsys.readouterr().err


def test_settings_become_uses_with_their_lines(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "plait.yml").write_text(
        "runs:\n  r:\n    render:\n      strict: true\n      files:\n      - a.yml\n      set: {a: 1}\n", "utf-8"
    )
    request = read(str(tmp_path)).run("r").request()
    places = [(one.option.attribute, one.origin and one.origin.line) for one in request.uses]
    assert places == [("strict", 4), ("inputs", 6), ("values", None)]


def test_the_declaration_is_what_the_class_has() -> None:
    declaration: object = Render.strict
    assert isinstance(declaration, Option)
    assert (declaration.kind, declaration.short, declaration.setting) == (SWITCH, "s", "strict")
    assert [one.attribute for one in Render.options if one.kind == MAP] == ["values"]
    assert json.dumps(schema())
