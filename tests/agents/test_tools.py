"""`plait mcp` with the client of the official SDK."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from session import all_of, answers, run, session, text_of

from files import write_files
from plait.cli import main
from plait.integrations.agents.result_pages import MOST, Item, page
from plait.integrations.agents.result_pages import text_of as page_text
from plait.integrations.agents.tools import TOOLS

FILES = {
    "plait.yml": """\
runs:
  app: {render: {files: [config]}}
  production:
    description: what customers see
    base: app
    render: {files: [production.yml], data-values-file: [values.yml]}
""",
    "config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\nname: web\n",
    "config/app.yml": """\
#@ load("@ytt:data", "data")
kind: Deployment
metadata: {name: web}
spec:
  replicas: #@ data.values.replicas
  image: web:1
""",
    "values.yml": "replicas: 3\n",
    "production.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  #@overlay/match missing_ok=True
  memory: 256Mi
""",
    "app.test.yml": "tests:\n  three: {run: production, equals: {'spec.replicas': 3}}\n  two: {run: app, equals: {'spec.replicas': 2}}\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    write_files(top, FILES)
    return top


# A call of each tool, and a text of its answer.
CALLS: dict[str, tuple[dict[str, object], str]] = {
    "runs": ({}, "app\nproduction: what customers see"),
    "render": ({"run": "production", "path": "Deployment/web:spec"}, "memory: 256Mi"),
    "search": ({"run": "production", "text": "DEPLOYMENT 256mi"}, "Deployment/web:spec.memory: 256Mi  (production.yml:6)"),
    "explain": ({"run": "production", "path": "spec.replicas"}, "values.yml:1         data values     3"),
    "why_not": ({"run": "app", "path": "Deployment/web:spec.memory"}, 'no key "memory"'),
    "impact": ({"run": "app", "file": "config/schema.yml", "line": 3}, "Deployment/web:spec.replicas: 1"),
    "set": ({"run": "production", "path": "spec.replicas", "value": 5}, "-replicas: 3\n+replicas: 5"),
    "schema": ({"run": "app"}, "replicas:\n    type: integer"),
    "lint": ({}, "1 finding"),
    "test": ({}, "1 passed, 1 failed\nFAILED app.test.yml::two"),
    "review": ({"base": "HEAD"}, "Deployment/web:spec.replicas: 3 → 4 (1 of 2 runs: production)  (caused by values.yml:1"),
}  # fmt: skip


def test_every_tool_has_a_call() -> None:
    assert CALLS.keys() == TOOLS.keys()


def commit(project: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=project, check=True)


def test_the_client_of_the_sdk_calls_every_tool(project: Path) -> None:
    commit(project)
    calls = [(name, arguments) for name, (arguments, _) in CALLS.items() if name != "review"]
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    found = answers(project, calls)
    assert before == {
        path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts
    }
    (project / "values.yml").write_text("replicas: 4\n", "utf-8")
    found += answers(project, [("review", CALLS["review"][0])])
    for (name, (_, expected)), result in zip(CALLS.items(), found, strict=True):
        assert not result.is_error, text_of(result)
        assert expected in text_of(result), name
        jsonschema.validate(result.structured_content, TOOLS[name].output_schema)
        assert max(len(text_of(result)), len(json.dumps(result.structured_content))) <= MOST


def test_a_patch_can_be_applied(project: Path) -> None:
    commit(project)
    [result] = answers(project, [("set", {"run": "production", "path": "spec.replicas", "value": 5})])
    content: Any = result.structured_content
    apply(project, content["items"])
    assert (project / "values.yml").read_text("utf-8") == "replicas: 5\n"


def apply(project: Path, items: list[dict[str, str]]) -> None:
    """Applies the patch in the items of the tool `set`, as its note says."""
    lines = [("" if one["kind"] == "continued" else "\n") + one["text"] for one in items if one["kind"] in PATCH]
    patch = "".join(lines)[1:] + "\n"
    subprocess.run(["git", "apply", "--unidiff-zero"], input=patch, text=True, cwd=project, check=True)


PATCH = ("patch", "continued")


def test_a_patch_with_a_long_line_is_not_cut(project: Path) -> None:
    (project / "values.yml").write_text(f"replicas: 3\nname: {'a b ' * 2_000}c\n", "utf-8")
    (project / "config" / "more.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.name\n', "utf-8")
    commit(project)
    items: list[dict[str, str]] = []
    offset: int | None = 0
    while offset is not None:
        call: dict[str, object] = {"run": "production", "path": "a", "value": "d e " * 1_000 + "f", "offset": offset}
        [result] = answers(project, [("set", call)])
        assert not result.is_error, text_of(result)
        assert max(len(text_of(result)), len(json.dumps(result.structured_content))) <= MOST
        assert "kind continued" in text_of(result)
        content: Any = result.structured_content
        items += content["items"]
        offset = content["next_offset"]
    apply(project, items)
    assert (project / "values.yml").read_text("utf-8") == f"replicas: 3\nname: {'d e ' * 1_000}f\n"


def test_environments_have_descriptions(project: Path) -> None:
    runs = """\
runs:
  told: {description: of a region, render: {files: ['{region}.yml']}, matrix: {axes: {region: [eu, us]}}}
  plain: {render: {files: ['{a}.yml']}, matrix: {name: 'n{a}-{b}', axes: {a: [1], b: [true]}}}
"""
    (project / "plait.yml").write_text(runs, "utf-8")
    [result] = answers(project, [("runs", {})])
    assert text_of(result).split("\n")[1:] == ["told/eu: of a region", "told/us: of a region", "n1-true: a: 1, b: true"]


def test_a_refused_edit_lists_alternatives_that_are_arguments(project: Path) -> None:
    refused, other, outside = answers(
        project,
        [
            ("set", {"run": "production", "path": "metadata.name", "value": "api"}),
            ("set", {"run": "production", "path": "spec.image", "value": "web:2", "in": "production.yml"}),
            ("set", {"run": "production", "path": "spec.image", "value": "web:2"}),
        ],
    )
    assert not refused.is_error
    assert "+++ b/production.yml" in text_of(other)
    assert "note: " in text_of(outside)
    assert '"app"' in text_of(outside) or "app" in text_of(outside)


def test_a_search_has_whole_words_first(project: Path) -> None:
    write_files(project, {"config/more.yml": "support: 1\nexport: 2\nserver:\n  port: 80\n"})
    [result] = answers(project, [("search", {"run": "production", "text": "port"})])
    content: Any = result.structured_content
    assert [one["path"].rpartition(":")[2] for one in content["items"]] == ["server.port", "support", "export"]


def test_a_search_has_lines_of_a_long_text_with_whole_words_first(project: Path) -> None:
    lines = "".join(f"  logs{number}: x\n" for number in range(4))
    write_files(project, {"config/more.yml": f"log: |\n{lines}  log:\n    level: info\nallowed: true\nnone: ~\n"})
    long, true, null = answers(
        project, [("search", {"run": "production", "text": word}) for word in ("log level", "allowed", "none")]
    )
    assert "log: log: ... level: info ... logs0: x ... and 3 more lines" in text_of(long)
    assert "allowed: true" in text_of(true)
    assert "none: null" in text_of(null)


def test_a_new_file_is_a_setting_of_the_run(project: Path) -> None:
    call = {"run": "production", "path": "spec.image", "value": "web:2", "in": "overlays/image.yml"}
    [result] = answers(project, [("set", call)])
    assert 'note: add overlays/image.yml to the setting "files" of the run production at plait.yml:3' in text_of(result)
    files = FILES["plait.yml"].replace("[production.yml]", "[production.yml, overlays/image.yml]")
    content: Any = result.structured_content
    commit(project)
    apply(project, content["items"])
    (project / "plait.yml").write_text(files, "utf-8")
    [changed] = answers(project, [("render", {"run": "production", "path": "spec.image"})])
    assert "web:2" in text_of(changed)


def test_errors_are_results(project: Path) -> None:
    (project / "config" / "app.yml").write_text("a: #@ undefined_name\n", "utf-8")
    broken, unknown, wrong, missing = answers(
        project,
        [
            ("render", {"run": "app"}),
            ("render", {"run": "ap"}),
            ("render", {"rnu": "app"}),
            ("explain", {"run": "app"}),
        ],
    )
    assert "config/app.yml:1" in text_of(broken)
    assert "app" in text_of(unknown)
    assert "rnu" in text_of(wrong)
    assert "path" in text_of(missing)
    assert all(one.is_error for one in (broken, unknown, wrong, missing))


def test_long_results_continue(project: Path) -> None:
    (project / "config" / "app.yml").write_text("".join(f"key{number}: {'x' * 40}\n" for number in range(500)), "utf-8")
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        [result] = answers(project, [("render", {"run": "app", "offset": offset})])
        content: Any = result.structured_content
        assert max(len(text_of(result)), len(json.dumps(content))) <= MOST
        assert (content["next_offset"] is None) or f"offset={content['next_offset']}" in text_of(result)
        lines += content["items"]
        offset = content["next_offset"]
    assert len(lines) == 500


LONG = "".join(f"line {number:04} of a text\\n" for number in range(600))


def pages(project: Path, tool: str, arguments: dict[str, object]) -> list[str]:
    """The texts of all pages of a result."""
    found: list[str] = []
    offset: int | None = 0
    while offset is not None:
        [result] = answers(project, [(tool, {**arguments, "offset": offset})])
        content: Any = result.structured_content
        assert not result.is_error
        assert max(len(text_of(result)), len(json.dumps(content))) <= MOST
        found.append(text_of(result))
        offset = content["next_offset"]
    return found


def test_the_history_and_the_lines_of_a_long_value_continue(project: Path) -> None:
    (project / "config" / "schema.yml").write_text(f'#@data/values-schema\n---\nreplicas: 1\nname: "{LONG}"\n', "utf-8")
    (project / "config" / "app.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.name\n', "utf-8")
    found = pages(project, "explain", {"run": "app", "path": "a"})
    assert len(found) > 1
    for number in (0, 300, 599):
        assert sum(f"line {number:04} of" in one for one in found) >= 1
    (project / "config" / "app.yml").write_text(f"a: {'b' * 5_000}\n", "utf-8")
    whole = "".join(pages(project, "render", {"run": "app"}))
    assert whole.count("b") >= 5_000
    assert "more characters" not in whole


def test_a_change_far_inside_a_long_text_is_shown(project: Path) -> None:
    (project / "config" / "app.yml").write_text(f'a: "{LONG}"\n', "utf-8")
    commit(project)
    (project / "config" / "app.yml").write_text(f'a: "{LONG.replace("0500", "0x500")}"\n', "utf-8")
    [result] = answers(project, [("review", {"base": "HEAD"})])
    before, after = text_of(result).partition("change: ")[2].split(" → ")
    assert "line 0500 of" in before
    assert "line 0x500 of" in after


def test_an_error_about_data_values_names_the_line_of_the_schema(project: Path) -> None:
    (project / "values.yml").write_text("replicas: many\n", "utf-8")
    [result] = answers(project, [("render", {"run": "production"})])
    assert result.is_error
    assert "config/schema.yml:3" in text_of(result)
    assert "config/schema.yml" in json.dumps(result.structured_content)


@pytest.mark.parametrize("size", [1, 1_000, 100_000])
def test_a_page_is_bounded_whatever_an_item_is(size: int) -> None:
    data = {"text": "x" * size, "list": ["y" * size] * 50}
    found = page([Item(data, "z" * size)] * 3, "s" * size, 0, "n" * size)
    assert max(len(json.dumps({**found, "text": ""})), len(page_text(found))) <= MOST
    assert found["items"]


def test_cancelling_ends_the_evaluation(project: Path) -> None:
    (project / "config" / "app.yml").write_text("#@ for x in range(10000000):\n---\na: #@ x\n#@ end\n", "utf-8")

    async def steps() -> None:
        async with session(project) as client:
            with anyio.move_on_after(2) as scope:
                await client.call_tool("render", {"run": "app"})
            result = await client.call_tool("runs", {})
            assert "production" in all_of(result)
            assert scope.cancelled_caught

    run(steps)


def test_an_endless_evaluation_ends_at_a_limit(project: Path) -> None:
    (project / "config" / "app.yml").write_text("#@ for x in range(100000000):\n#@   y = x\n#@ end\n", "utf-8")
    [result] = answers(project, [("render", {"run": "app"})])
    assert result.is_error
    assert "exceeds the limit" in text_of(result)


def test_resources(project: Path) -> None:
    async def steps() -> None:
        async with session(project) as client:
            listed = {str(one.uri) for one in (await client.list_resources()).resources}
            assert {"plait://runs", "plait://docs", "plait://docs/explain", "plait://docs/reference/limits"} <= listed
            templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
            assert "plait://runs/{run}/documents/{document}" in templates
            for uri, expected in {
                "plait://runs": "production",
                "plait://runs/app/documents": "kind: Deployment",
                "plait://runs/app/documents/Deployment%2Fweb": "image: web:1",
                "plait://docs": "(explain.md)",
                "plait://docs/explain": "# Where a value comes from",
            }.items():
                [content] = (await client.read_resource(uri)).contents
                assert expected in content.model_dump_json(), uri
            for uri in ("plait://docs/../../etc/passwd", "plait://nothing", "file:///etc/passwd"):
                with pytest.raises(Exception, match=r"no page|no resource"):
                    await client.read_resource(uri)

    run(steps)


def test_init_writes_the_file_for_agents_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path)
    assert main(["init", "--agents", place]) == 0
    assert "plait explain" in (tmp_path / "AGENTS.md").read_text("utf-8")
    (tmp_path / "AGENTS.md").write_text("mine\n", "utf-8")
    assert main(["init", "--agents", "--yes", place]) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert (tmp_path / "AGENTS.md").read_text("utf-8") == "mine\n"
    assert main(["init", "--agents", "--force", place]) == 0
    assert "plait explain" in (tmp_path / "AGENTS.md").read_text("utf-8")
