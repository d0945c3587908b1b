"""Each channel in which a diagnostic reaches a user passes it on as data: code, position with its end, suggestions.

The channels are derived from the commands, the formats of messages and reports, the routes of the service, the tools of
the MCP server and the results of the API; a new one needs an entry.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import plait
from plait.base.codes import BY_CODE, CODES, number_of
from plait.base.errors import Finding, PlaitError
from plait.base.warning_data import warning_from
from plait.cli import COMMANDS, main
from plait.cli.review import FORMS as REVIEW_FORMS
from plait.insight.diagnostic_formats import data_of, message_of, parts_of

# The mistake has a word at fault with both columns, and a suggestion; the warning has a position with both columns.
FILES = {
    "app.yml": "#@ replicas = 1\na: #@ replica\n",
    "warned.yml": 'a: 1\nb: "#@ 1"\n',
    "base.yml": "a: 1\nb: {c: 2}\n",
    "ops.yml": "- type: replace\n  path: /bb/c\n  value: 1\n",
    "layers.yml": "schema: a/b/v1\nmetadata: {schema: metadata/Document/v1, name: x}\ndata: {}\n",
    "pipeline.yml": "steps:\n- render: {files: [app.yml]}\n",
    "twice.yml": "a: 1\na: 2\n",
    "plait.yml": "runs:\n  web: {render: {files: [app.yml]}}\n  warned: {render: {files: [warned.yml]}}\n",
    "a.test.yml": "tests:\n  it works: {run: web, equals: {a: 1}}\n",
}
ERROR, WARNING = ("undefined-name", "app.yml", 2), ("quoted-code", "warned.yml", 2)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def is_whole(one: Mapping[str, Any], about: tuple[str, str, int]) -> bool:
    """True if a diagnostic in JSON has all that is known of it."""
    name, file, line = about
    return (
        (one["name"], one["file"].rpartition("/")[2], one["line"]) == (name, file, line)
        and one["code"] != ""
        and 0 < one["column"] < one["end"]
        and bool(name != ERROR[0] or "hint" in one)
    )


# ---- commands: the line with the mistake, and its name; and a line with a warning

USAGE = "unknown-flag"
WRONG = ["--no-such-flag"]
COMMAND_LINES: dict[str, tuple[list[str], str]] = {
    "render": (["-f", "app.yml"], ERROR[0]),
    "patch": (["base.yml", "-o", "ops.yml"], "path-not-found"),
    "layer": (["layers.yml"], "LayeringPolicyNotFound"),
    "compose": (["pipeline.yml"], ERROR[0]),
    "run": (["web"], ERROR[0]),
    "explain": (["render", "-f", "app.yml", "a"], ERROR[0]),
    "impact": (["render", "-f", "app.yml", "app.yml:1"], ERROR[0]),
    "set": (["run", "web", "a=2"], ERROR[0]),
    "reduce": (WRONG, USAGE),
    "test": ([], "undefined-name"),
    "coverage": ([], ERROR[0]),
    "fleet": (["--only", "web", "-j", "1", "--no-cache"], ERROR[0]),
    "lint": ([], ERROR[0]),
    "fmt": (["app.txt"], "file-not-found"),
    "diff": (["app.txt", "base.yml"], "file-not-found"),
    "project": (["--project", "nosuch.yml"], "file-not-found"),
    "review": (["nosuch"], "git"),
    "log": (WRONG, USAGE),
    "blame": (WRONG, USAGE),
    "krm": ([], "resource-list"),
    "origin": (["run", "nosuch", "report.txt"], "run-not-found"),
    "init": (WRONG, USAGE),
    "schema": (["import", "nosuch.json"], "file-not-found"),
    "ci": (WRONG, USAGE),
    "completion": (WRONG, USAGE),
    "shims": (WRONG, USAGE),
    "trust": (WRONG, USAGE),
    "serve": (WRONG, USAGE),
    "lsp": (WRONG, USAGE),
    "mcp": (WRONG, USAGE),
    "website": (WRONG, USAGE),
}
# Their runs are evaluated in other processes, which do not make edits.
WITHOUT_EDITS = {"coverage", "fleet"}
# Commands that report the warnings of an evaluation.
WARNED: dict[str, list[str]] = {
    "render": ["-f", "warned.yml"],
    "run": ["warned"],
    "fleet": ["--only", "warned", "-j", "1", "--no-cache"],
}


def test_each_command_has_an_entry() -> None:
    assert set(COMMAND_LINES) == set(COMMANDS)


def told(argv: Sequence[str], form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"kind: List\n")))
    main([argv[0], f"--message-format={form}", *argv[1:]])
    return capsys.readouterr().err


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("form", ["json", "github", "sarif"])
@pytest.mark.parametrize("command", COMMAND_LINES)
def test_the_error_of_each_command_is_data(
    command: str, form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, name = COMMAND_LINES[command]
    text = told([command, *words], form, capsys, monkeypatch)
    if form == "json":
        found = [json.loads(line) for line in text.splitlines()]
        [one] = [one for one in found if one["name"] == name][:1]
        if name == ERROR[0]:
            assert is_whole(one, ERROR)
            assert command in WITHOUT_EDITS or one["suggestions"][0]["edits"]
    elif form == "sarif":
        results = json.loads(text)["runs"][0]["results"]
        rules = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
        [row] = [row for row in results if rules[row["ruleIndex"]]["name"] == name][:1]
        if name == ERROR[0]:
            region = row["locations"][0]["physicalLocation"]["region"]
            assert 0 < region["startColumn"] < region["endColumn"]
            assert command in WITHOUT_EDITS or row["fixes"]
    else:
        [line] = [line for line in text.splitlines() if f" {name}" in line][:1]
        assert name != ERROR[0] or ("col=" in line and "endColumn=" in line)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", WARNED)
def test_the_warning_of_a_command_is_data(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [json.loads(line) for line in told([command, *WARNED[command]], "json", capsys, monkeypatch).splitlines()]
    assert [one["level"] for one in found] == ["warning"]
    assert is_whole(found[0], WARNING)
    refused = told([command, "--warnings=error", *WARNED[command]], "json", capsys, monkeypatch)
    if command == "render":
        rows = [json.loads(line) for line in refused.splitlines()]
        assert [is_whole(one, WARNING) for one in rows] == [True]


# ---- other channels: functions that return the diagnostics in a channel as JSON


def _of_error(error: PlaitError) -> list[dict[str, Any]]:
    return [message_of(one).data() for one in parts_of(error)]


def _raised(*, isolated: bool) -> Iterator[dict[str, Any]]:
    with pytest.raises(PlaitError) as failed:
        plait.render({"app.yml": FILES["app.yml"]}, isolated=isolated)
    assert failed.value.suggestions or failed.value.findings[0].suggestions
    yield from _of_error(failed.value)
    made = plait.render({"warned.yml": FILES["warned.yml"]}, isolated=isolated)
    assert made.warnings == [str(one) for one in made.warned]
    yield from (message_of(one.diagnostic).data() for one in made.warned)


def _events(capsys: pytest.CaptureFixture[str]) -> Iterator[dict[str, Any]]:
    main(["fleet", "--events", "json", "-j", "1", "--no-cache"])
    for line in capsys.readouterr().out.splitlines():
        yield from json.loads(line).get("diagnostics", ()) if line.startswith("{") else ()


def _manifest(place: Path) -> Iterator[dict[str, Any]]:
    main(["fleet", "-j", "1", "--no-cache"])
    for line in (place / "out" / "fleet.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        yield from found.get("diagnostics", ())
        yield from (message_of(warning_from(one).diagnostic).data() for one in found.get("warnings", ()))


def _krm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    spec = json.dumps({"templates": {"app.yml": FILES["app.yml"]}})
    text = f"kind: ResourceList\nitems: []\nfunctionConfig: {{spec: {spec}}}\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["krm"]) == 1
    for one in plait.read({"a.yml": capsys.readouterr().out}).to_dict()["results"]:  # type: ignore[union-attr]
        tags: Any = one["tags"]  # type: ignore[index,call-overload]
        numbers = {key: int(tags[key]) for key in ("line", "column", "end")}
        yield {"name": tags["name"], "code": tags["code"], "file": tags["file"], "hint": tags["hint"], **numbers}


def _service() -> Iterator[dict[str, Any]]:
    from plait.service.project_evaluation import evaluate

    for text in ("app.yml", "warned.yml"):
        files = {text: FILES[text], "plait.yml": f"runs:\n  a: {{render: {{files: [{text}]}}}}\n"}
        for name, content in files.items():
            Path(name).write_text(content, "utf-8")
        yield from evaluate({"files": files, "only": None, "limits": {}})["runs"][0]["diagnostics"]


def _playground() -> Iterator[dict[str, Any]]:
    from plait.integrations.playground.evaluation import evaluate

    for name in ("app.yml", "warned.yml"):
        answer = evaluate({"kind": "render", "files": [{"name": name, "text": FILES[name]}]})
        for one in (*answer["errors"], *answer["warnings"]):
            assert one["suggestions"] or one["severity"] == "warning"
            yield {**one, "name": next(known for known in (ERROR[0], WARNING[0]) if number_of(known) == one["code"])}


def _review(place: Path, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True, capture_output=True)

    (place / "app.yml").write_text("a: 1\n", "utf-8")
    git("init", "-q")
    git("add", "app.yml", "plait.yml", "warned.yml")
    git("commit", "-qm", "x")
    (place / "app.yml").write_text(FILES["app.yml"], "utf-8")
    main(["review", "HEAD", "-o", form])
    return capsys.readouterr().out


def _unit_tests(form: str, capsys: pytest.CaptureFixture[str]) -> str:
    main(["test", *form.split()])
    return capsys.readouterr().out


# ---- the editor, the tools of agents and the routes of the service, each from its registry


def _editor(place: Path) -> Iterator[dict[str, Any]]:
    from workshop import workshop

    from plait.authoring.lsp import diagnostics

    with workshop(place, FILES) as made:
        for name in ("app.yml", "warned.yml"):
            made.open(name)
            for one in diagnostics.problems(made.state, made.path(name)):
                span = one.span
                assert one.fixes or one.severity == "warning"
                yield {
                    "name": BY_CODE[one.code].name, "code": one.code, "file": span.path, "line": span.line,
                    "column": span.column, "end": span.end, "hint": one.message,
                }  # fmt: skip


# What makes each tool report the error; a tool without arguments here evaluates nothing.
TOOL_CALLS: dict[str, dict[str, Any] | None] = {
    "runs": None,
    "render": {"run": "web"},
    "search": {"run": "web", "text": "a"},
    "explain": {"run": "web", "path": "a"},
    "why_not": {"run": "web", "path": "b"},
    "impact": {"run": "web", "file": "app.yml", "line": 1},
    "set": {"run": "web", "path": "a", "value": 2},
    "schema": {"run": "web"},
    "lint": {},
    "test": {},
    "review": {"base": "HEAD"},
}


def test_each_tool_of_agents_has_a_call() -> None:
    from plait.integrations.agents.tools import TOOLS

    assert set(TOOL_CALLS) == set(TOOLS)


@pytest.mark.parametrize("tool", [name for name, arguments in TOOL_CALLS.items() if arguments is not None])
def test_a_tool_of_agents_reports_the_error_as_data(tool: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from plait.integrations.agents.tools import answer

    arguments = TOOL_CALLS[tool]
    assert arguments is not None
    if tool == "review":
        _review(place, "json", capsys)  # makes the repository
    try:
        found: Any = answer(tool, arguments).state().get("diagnostics", [])
    except PlaitError as error:
        found = data_of(error)
    assert any(is_whole(one, ERROR) for one in found), found


def test_each_diagnostic_of_the_editor_has_a_registered_code() -> None:
    """The fourth argument is the number of a registered name, or that of a finding."""
    made = 0
    for path in sorted((Path(plait.__file__).parent / "authoring" / "lsp").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "EditorDiagnostic":
                made += 1
                code = node.args[3]
                is_finding = isinstance(code, ast.Attribute) and code.attr == "code"
                assert is_finding or (isinstance(code, ast.Call) and ast.unparse(code.func) == "number_of"), (
                    f"{path}:{node.lineno}"
                )
    assert made > 5


def test_numbers_are_asked_for_by_registered_names() -> None:
    for path in sorted(Path(plait.__file__).parent.rglob("*.py")):
        text = path.read_text("utf-8")
        for name in re.findall(r"\bnumber_of\(\"([^\"]*)\"\)", text):
            assert name in CODES, f"{path}: {name}"


# Requests that a diagnostic can refuse, or whose result has one: path, body, and the name. None for a route that stores,
# lists or compares what is there.
VERSION = "/api/v1.0/revisions/{revision}"
BROKEN = "a: [\n"
ROUTE_CALLS: dict[tuple[str, str], tuple[str, str, str] | None] = {
    ("PUT", "/api/v1.0/buckets/{bucket}/documents"): ("/buckets/other/documents", BROKEN, "invalid-yaml"),
    ("GET", "/api/v1.0/revisions"): None,
    ("DELETE", "/api/v1.0/revisions"): None,
    ("GET", VERSION): None,
    ("GET", f"{VERSION}/documents"): None,
    ("GET", f"{VERSION}/rendered-documents"): ("/revisions/3/rendered-documents", "", "MissingDocumentKey"),
    ("GET", f"{VERSION}/explain"): ("/revisions/3/explain?path=b", "", "MissingDocumentKey"),
    ("GET", f"{VERSION}/diff/{{other}}"): None,
    ("GET", f"{VERSION}/deepdiff/{{other}}"): ("/revisions/2/deepdiff/3", "", "MissingDocumentKey"),
    ("GET", f"{VERSION}/fleet"): ("/revisions/1/fleet", "", ERROR[0]),
    ("GET", f"{VERSION}/fleet/{{other}}"): ("/revisions/0/fleet/1", "", ERROR[0]),
    ("GET", f"{VERSION}/runs/{{run:path}}"): ("/revisions/1/runs/web", "", ERROR[0]),
    ("GET", f"{VERSION}/tags"): None,
    ("DELETE", f"{VERSION}/tags"): None,
    ("GET", f"{VERSION}/tags/{{tag}}"): None,
    ("POST", f"{VERSION}/tags/{{tag}}"): ("/revisions/1/tags/t", BROKEN, "invalid-yaml"),
    ("DELETE", f"{VERSION}/tags/{{tag}}"): None,
    ("GET", f"{VERSION}/validations"): None,
    ("GET", f"{VERSION}/validations/detail"): None,
    ("GET", f"{VERSION}/validations/{{validation}}"): None,
    ("POST", f"{VERSION}/validations/{{validation}}"): ("/revisions/1/validations/v", BROKEN, "invalid-yaml"),
    ("GET", f"{VERSION}/validations/{{validation}}/entries/{{entry}}"): None,
    ("POST", "/api/v1.0/rollback/{revision}"): None,
    ("GET", "/versions"): None,
    ("GET", "/openapi.yaml"): None,
    ("GET", "/api/v1.0/health"): None,
    ("GET", "/health"): None,
    ("GET", "/api/v1.0/ready"): None,
    ("GET", "/api/v1.0/audit"): None,
    ("GET", "/metrics"): None,
}  # fmt: skip


def test_each_route_that_evaluates_names_the_diagnostic(tmp_path: Path) -> None:
    import serving
    from starlette.routing import Route

    from plait.service.app import application

    client = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", keys=serving.keys("one")))
    routes = {
        (method, route.path)
        for route in client.app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert set(ROUTE_CALLS) == routes
    files = [
        {"schema": "plait/File/v1", "metadata": {"schema": "metadata/Control/v1", "name": name}, "data": FILES[name]}
        for name in ("plait.yml", "app.yml", "warned.yml")
    ]
    actions = [{"method": "delete", "path": ".missing"}]
    layers: list[object] = [
        "policy",
        {"name": "a", "layer": "global", "labels": {"k": "v"}, "data": {"x": 1}},
        {"name": "b", "layer": "site", "data": {}, "selector": {"k": "v"}, "actions": actions},
    ]
    for bucket, body in [
        ("project", "\n---\n".join(map(json.dumps, files))),
        ("layers", serving.body_of(layers[:2])),
        ("layers", serving.body_of(layers)),
    ]:
        assert client.ask("PUT", f"/buckets/{bucket}/documents", body).status == 200
    for (method, _), call in ROUTE_CALLS.items():
        if call is not None:
            path, body, name = call
            reply = client.ask(method, path, body)
            assert f"code: {number_of(name)}\n" in reply.text, (path, reply.text)
            assert f"name: {name}\n" in reply.text, (path, reply.text)
    client.close()


# ---- reports of tests: the flags of `plait test` that write results


def test_a_tap_report_has_code_and_message(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _unit_tests("--tap", capsys)
    assert f"  code: {number_of(ERROR[0])}\n" in text
    assert "did you mean replicas?" in text


def test_annotations_of_failed_tests_have_columns(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = next(line for line in _unit_tests("--github", capsys).split("\n") if line.startswith("::error"))
    assert "file=app.yml,line=2,endLine=2,col=7,endColumn=14,title=" in line
    assert number_of(ERROR[0]) in line


def test_a_junit_report_has_code_and_message_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _unit_tests(f"--junit {place}/report.xml", capsys)
    [failure] = ET.parse(place / "report.xml").iter("failure")
    assert failure.attrib == {"message": "app.yml:2: undefined: replica", "type": number_of(ERROR[0])}
    assert (failure.text or "").count("app.yml:2: ") == 1
    assert "did you mean replicas?" in (failure.text or "")


Channel = Callable[[Path, pytest.CaptureFixture[str], pytest.MonkeyPatch], Iterator[dict[str, Any]]]
CHANNELS: dict[str, tuple[Channel, list[tuple[str, str, int]]]] = {
    "an exception, and warned of a result": (lambda *_: _raised(isolated=False), [ERROR, WARNING]),
    "the same of an isolated call": (lambda *_: _raised(isolated=True), [ERROR, WARNING]),
    "events of a fleet": (lambda _, capsys, __: _events(capsys), [ERROR, WARNING]),
    "the manifest of a fleet": (lambda place, *_: _manifest(place), [ERROR, WARNING]),
    "results of a KRM function": (lambda _, *rest: _krm(*rest), [ERROR]),
    "runs of the service": (lambda *_: _service(), [ERROR, WARNING]),
    "answers of the playground": (lambda *_: _playground(), [ERROR, WARNING]),
    "the editor": (lambda place, *_: _editor(place), [ERROR, WARNING]),
    "a review as JSON": (
        lambda place, capsys, _: iter(json.loads(_review(place, "json", capsys))["failures"][0]["diagnostics"]),
        [ERROR],
    ),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_a_channel_passes_data_on(
    name: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, expected = CHANNELS[name]
    found = [*channel(place, capsys, monkeypatch)]
    for about in expected:
        assert any(is_whole(one, about) for one in found), (about, found)


@pytest.mark.parametrize("form", REVIEW_FORMS)
def test_each_format_of_a_review_has_the_diagnostic(form: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _review(place, form, capsys)
    assert "app.yml:2" in text or "app.yml" in text
    if form in ("json", "github", "sarif"):
        assert number_of(ERROR[0]) in text
    if form == "github":
        assert "endColumn=" in text
    if form == "sarif":
        [row] = [row for row in json.loads(text)["runs"][0]["results"] if row["level"] == "error"]
        region = row["locations"][0]["physicalLocation"]["region"]
        assert 0 < region["startColumn"] < region["endColumn"]


def test_every_result_with_warnings_has_them_as_data() -> None:
    """A public class with `warnings` has `warned`."""
    names = [name for name in plait.__all__ if hasattr(getattr(plait, name), "warnings")]
    assert names
    for name in names:
        kind = getattr(plait, name)
        slots = {slot for one in kind.__mro__ for slot in getattr(one, "__slots__", ())}
        assert "warned" in slots, name


def test_findings_of_refused_warnings_are_data() -> None:
    with pytest.raises(PlaitError) as failed:
        plait.render({"warned.yml": FILES["warned.yml"]}, warnings="error")
    [finding] = failed.value.findings
    assert isinstance(finding, Finding)
    assert is_whole(message_of(finding).data(), WARNING)
