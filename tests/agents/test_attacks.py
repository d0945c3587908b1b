"""The attacks on the editor, against every tool: no secret is shown, nothing outside is read, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from test_canary import CANARY, ENCRYPTED, LONELY, PIPELINE, SECRETS, STORE, WRONG_STORE

from files import write_files
from plait.base.errors import PlaitError
from plait.integrations.agents.result_pages import text_of
from plait.integrations.agents.tools import TOOLS, answer
from secret_forms import CANARY as OTHER_CANARY
from secret_forms import PROJECTS, shown

OUTSIDE = "the-secret-of-others"


def answers(directory: Path, asked: Sequence[tuple[str, Mapping[str, object]]]) -> Iterator[tuple[str, bool]]:
    """What an agent sees of each call, and True for an error. The calls are made in this process, as a worker makes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setenv("XDG_STATE_HOME", str(directory.parent / "state"))
        patch.setenv("PLAIT_CACHE_DIR", "")
        patch.setenv("SECRET_OF_name", OUTSIDE)
        for tool, arguments in asked:
            try:
                found = answer(tool, json.loads(json.dumps(arguments))).state()
            except PlaitError as error:
                yield error.report(), True
            else:
                yield text_of(found) + json.dumps(found), False


def calls(files: Mapping[str, str], run: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Calls of every tool that show as much as possible."""
    yield "runs", {}
    for path in ("", "**", "App/web:spec", "name"):
        yield "render", {"run": run, "path": path}
        yield "why_not", {"run": run, "path": path}
    for text in (CANARY, OTHER_CANARY, "password", "e", OUTSIDE):
        yield "search", {"run": run, "text": text}
    for path in ("**", "App/web:spec.plain", "App/web:spec.plian", "password", "jobs[0].name"):
        yield "explain", {"run": run, "path": path, "presence": True}
    for file, text in files.items():
        for line in range(1, min(text.count("\n"), 6) + 1):
            yield "impact", {"run": run, "file": file, "line": line}
    for path in ("App/web:spec.size", "App/web:spec.plain", "name", "user.password", "jobs[0].name"):
        yield "set", {"run": run, "path": path, "value": "7"}
        yield "set", {"run": run, "path": path, "value": "7", "also": True, "add": True}
    yield "schema", {"run": run}
    yield "lint", {}
    yield "test", {}
    yield "review", {"base": "HEAD"}


def test_every_tool_is_attacked() -> None:
    assert {name for name, _ in calls({"a.yml": "a: 1\n"}, "r")} == TOOLS.keys()


@pytest.mark.parametrize(
    ("files", "run"),
    [(STORE, "d"), (WRONG_STORE, "d"), (PIPELINE, "p"), (ENCRYPTED, "a"), (LONELY, "a"), (SECRETS, "r")],
    ids=["variables store", "store without an entry", "pipeline", "encrypted document", "missing path", "secrets"],
)
def test_a_canary_is_in_no_answer(tmp_path: Path, files: Mapping[str, str], run: str) -> None:
    project = tmp_path / "project"
    write_files(project, {**files, "a.test.yml": f"tests: {{t: {{run: {run}, equals: {{'**': x}}}}}}\n"})
    asked = [*calls(files, run)]
    for call, (text, _) in zip(asked, answers(project, asked), strict=True):
        # What was asked may be repeated.
        if CANARY not in str(call):
            assert CANARY not in text, call
    for path, text in files.items():
        assert (project / path).read_text("utf-8") == text


@pytest.mark.parametrize("kind", PROJECTS)
def test_no_form_of_a_secret_is_in_an_answer(tmp_path: Path, kind: str) -> None:
    files, run, _ = PROJECTS[kind]
    project = tmp_path / "project"
    write_files(project, {**files, "plait.yml": f"runs:\n  r:\n    {run}\n"})
    asked = [call for call in calls(files, "r") if OTHER_CANARY not in str(call)]
    for call, (text, _) in zip(asked, answers(project, asked), strict=True):
        assert shown(text) == [], call


def test_a_search_for_a_secret_finds_nothing_new(tmp_path: Path) -> None:
    """A guess is no oracle: a right one is answered as a wrong one."""
    project = tmp_path / "project"
    write_files(project, STORE)
    right, wrong = answers(
        project, [("search", {"run": "d", "text": CANARY}), ("search", {"run": "d", "text": "canary-5b2"})]
    )
    assert right == wrong


def test_a_store_is_not_written(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_files(
        project,
        {
            "plait.yml": "runs: {d: {patch: {base: base.yml, vars-store: store.yml}}}\n",
            "base.yml": "a: ((p))\nvariables: [{name: p, type: password}]\n",
        },
    )
    for text, _ in answers(project, [*calls({}, "d")]):
        assert text
    assert {path.name for path in project.iterdir()} == {"plait.yml", "base.yml"}


# Settings that reach beyond the repository, as in tests/security/test_trust.py.
SETTINGS = {
    "file": "{render: {files: [a.yml], data-values-file: [../outside/values.yml]}}",
    "absolute": "{render: {files: ['OUTSIDE/values.yml']}}",
    "link": "{render: {files: [link.yml]}}",
    "git": "{render: {files: [.git/config]}}",
    "url": "{render: {files: ['http://127.0.0.1:9/v.yml']}}",
    "program": "{render: {files: [a.yml], secrets: ['exec:touch started'], with: [secrets]}}",
    "environment": "{render: {files: [a.yml], data-values-env: [SECRET_OF]}}",
    "store": "{patch: {base: a.yml, vars-store: ../outside/values.yml}}",
    "limit": "{render: {files: [a.yml], limit: [memory=64G]}}",
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_project_reaches_nothing_beyond_its_repository(tmp_path: Path, kind: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    setting = SETTINGS[kind].replace("OUTSIDE", str(outside))
    write_files(outside, {"values.yml": f"name: {OUTSIDE}\n"})
    write_files(
        project,
        {
            ".git/config": f"[user]\nname = {OUTSIDE}\n",
            "a.yml": '#@ load("@ytt:data", "data")\na: #@ data.values\n',
            "plait.yml": f"runs: {{r: {setting}}}\n",
            "a.test.yml": "tests: {t: {run: r, equals: {a: 1}}}\n",
        },
    )
    (project / "link.yml").symlink_to(outside / "values.yml")
    asked = [*calls({"a.yml": "a\n", "../outside/values.yml": "a\n"}, "r")]
    for call, (text, failed) in zip(asked, answers(project, asked), strict=True):
        if OUTSIDE not in str(call):
            assert OUTSIDE not in text, call
        if call[0] in ("render", "explain", "search"):
            assert "no permission" in text or kind == "link", (call, text)
            assert failed
    assert not (project / "started").exists()
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("way", ["..", "/", "OUTSIDE", "link", "link/plait.yml", "../outside/plait.yml"])
def test_no_argument_leads_out_of_the_served_directory(tmp_path: Path, way: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    write_files(
        outside,
        {
            "plait.yml": "runs: {r: {render: {files: [values.yml]}}}\n",
            "values.yml": f"name: {OUTSIDE}\n",
            "a.test.yml": f"tests: {{{OUTSIDE}: {{run: r, equals: {{name: 1}}}}}}\n",
        },
    )
    write_files(project, {"plait.yml": "runs: {r: {render: {files: [a.yml]}}}\n", "a.yml": "name: web\n"})
    (project / "link").symlink_to(outside)
    way = way.replace("OUTSIDE", str(outside))
    asked: list[tuple[str, Mapping[str, object]]] = [
        (name, {**{key: "name" for key in tool.required if key in ("path", "text", "file", "base")}, "project": way})
        for name, tool in TOOLS.items()
        if "project" in tool.arguments
    ]
    asked = [
        (name, {**given, **({"line": 1} if name == "impact" else {}), **({"value": 1} if name == "set" else {})})
        for name, given in asked
    ]
    asked += [
        ("test", {"paths": [way]}),
        ("test", {"paths": [f"{way}::t"]}),
        ("set", {"path": "name", "value": 1, "in": f"{way}/values.yml"}),
    ]
    assert {name for name, _ in asked} == TOOLS.keys()
    for call, (text, failed) in zip(asked, answers(project, asked), strict=True):
        assert failed, call
        assert "no permission" in text, (call, text)
        assert OUTSIDE not in text
