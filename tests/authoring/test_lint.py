"""`plait lint` as a command: what is looked at, forms of its findings, edits of files, mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from files import write_files
from plait.authoring.lint.codes import CODES
from plait.authoring.lint.linter import lint
from plait.authoring.project.file import read
from plait.base.errors import UsageError
from plait.base.fast_paths import FAST
from plait.base.source import Source
from plait.cli import main
from plait.layering import job
from plait.tree.nodes import DocumentSet

FILES = {
    "plait.yml": "runs:\n  one: {render: {files: [config]}}\n  two: {render: {files: [config, more.yml]}}\n",
    "more.yml": "kind: B\n",
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nkind: A\r\non: yes\nmode: 0644\n',
    "config/overlay.yml": (
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"kind": "C"}), expects="0+"\n---\na: 1\n'
    ),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(text: str) -> list[str]:
    return re.findall(r"\b([DOSRPTI]\d{3}) ", text)


def test_the_function_finds_what_the_command_does(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "-o", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    found = lint(read(str(place)))
    assert [one["code"] for one in told] == [one.code for one in found] == ["D107", "R401", "R401", "D101"]
    assert {one["file"] for one in told} == {"config/app.yml", "config/overlay.yml"}


def test_runs_are_chosen_by_name(place: Path) -> None:
    (place / "more.yml").write_text("kind: C\na: 2\n", "utf-8")
    project = read(str(place))
    assert "D101" in [one.code for one in lint(project, ["one"])]
    assert "D101" not in [one.code for one in lint(project)]


_LAYERED = (
    "schema: {0}\nmetadata: {{schema: metadata/{1}/v1, name: {2}, layeringDefinition: {{layer: global}}}}\ndata: {3}\n"
)


@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_sites_share_the_documents_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = _LAYERED.format("deckhand/LayeringPolicy/v1", "Control", "policy", "{layerOrder: [global]}")
    sites = ("a", "b", "c")
    runs = "".join(f"  {one}: {{layer: {{files: [policy.yml, shared.yml, {one}.yml]}}}}\n" for one in sites)
    files = {"plait.yml": f"runs:\n{runs}", "policy.yml": policy}
    for name in ("shared", *sites):
        files[f"{name}.yml"] = _LAYERED.format("x/v1", "Document", name, "{size: 1}")
    write_files(tmp_path, files)
    parsed: list[str] = []

    def counted(source: Source) -> DocumentSet:
        parsed.append(Path(source.name).name)
        return read_documents(source)

    read_documents = job._read
    monkeypatch.setattr(job, "_read", counted)
    lint(read(str(tmp_path)))
    assert sorted(parsed) == ["a.yml", "b.yml", "c.yml", "policy.yml", "shared.yml"]


def test_a_command_line_is_looked_at(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["lint", "--select", "dead", "render", "-f", "config/"]) == 1
    assert codes(capsysbinary.readouterr().out.decode())[:2] == ["D107", "D101"]


def test_nothing_found(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["lint", "--select", "order"]) == 0
    assert capsysbinary.readouterr().out == b""


def test_annotations_are_one_line_each(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["lint", "-o", "github", "--select", "D101"]) == 1
    assert capsysbinary.readouterr().out.decode() == (
        "::warning file=config/overlay.yml,line=3,endLine=3,col=1,endColumn=4,title=D101 dead-overlay::"
        "this overlay document matches nothing in any run%0Aremove it\n"
    )


def test_sarif_has_what_its_readers_need(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["lint", "--sarif", "found.sarif", "-o", "sarif"]) == 1
    assert capsysbinary.readouterr().out == (place / "found.sarif").read_bytes()
    log = json.loads((place / "found.sarif").read_text("utf-8"))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["D101", "D107", "R401"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"warning", "note"}
        assert result["message"]["text"]
        [location] = result["locations"]
        physical = location["physicalLocation"]
        assert (place / physical["artifactLocation"]["uri"]).is_file()
        region = physical["region"]
        assert region["startLine"] >= 1
        assert 1 <= region["startColumn"] < region["endColumn"]
    [fix] = run["results"][0]["fixes"]
    [change] = fix["artifactChanges"]
    [replacement] = change["replacements"]
    assert replacement["deletedRegion"] == {"charOffset": 0, "charLength": 29}


def test_sarif_is_valid(place: Path, request: pytest.FixtureRequest) -> None:
    schema = request.config.getoption("--sarif-schema")
    if schema is None:
        pytest.skip("the schema of SARIF is not at hand: --sarif-schema FILE")
    (place / "config" / "app.yml").write_text(
        '#@ load("@ytt:data", "data")\n#@ def f():\n#@   return 1\n#@ end\n---\na: yes\nb: #@ 1\n', "utf-8"
    )
    for words in ([], ["--portable", "ytt"], ["--select", "order"]):
        main(["lint", "--sarif", "found.sarif", *words])
        log = json.loads((place / "found.sarif").read_text("utf-8"))
        Draft4Validator(json.loads(Path(schema).read_text("utf-8"))).validate(log)


def test_fix_changes_what_it_mends_and_no_other_byte(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    before = (place / "config/app.yml").read_bytes()
    assert main(["lint", "--fix"]) == 1
    told = capsysbinary.readouterr()
    assert told.err == b"plait: 2 findings mended\n"
    assert codes(told.out.decode())[:2] == ["R401", "D101"]
    after = (place / "config/app.yml").read_bytes()
    assert after == before.replace(b'#@ load("@ytt:data", "data")\n', b"").replace(b"yes", b"true")
    assert main(["lint", "--fix"]) == 1
    assert (place / "config/app.yml").read_bytes() == after


def test_fix_does_not_touch_files_that_changed_meanwhile(place: Path) -> None:
    from plait.authoring.lint.fixing import fix
    from plait.authoring.lint.linter import findings_of
    from plait.authoring.lint.subject import LintProject
    from plait.base.errors import ReadError

    project = read(str(place))
    subject = LintProject(project, list(project.runs.values()))
    found = findings_of(subject)
    (place / "config/app.yml").write_text("kind: A\n", "utf-8")
    with pytest.raises(ReadError, match="has changed"):
        fix(subject, found)
    assert (place / "config/app.yml").read_text("utf-8") == "kind: A\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--select", "D9"], 'unknown code "D9"'),
        (["--ignore", "dead-lod"], 'unknown code "dead-lod"'),
        (["--portable", "yt"], 'unknown --portable "yt"'),
        (["-o", "jsn"], 'unknown --output "jsn"'),
        (["three"], 'unknown run "three"'),
        (["one", "render", "-f", "config/"], "name runs, or a command"),
    ],
)
def test_wrong_usage(place: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *argv]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("lint: {selct: D}", 4),
        ("lint:\n  select: [D, X9]", 5),
        ("lint: 3", 4),
        ("lint:\n  paths: [a]", 5),
        ("lint:\n  ignore:\n  - {a: 1}", 6),
    ],
)
def test_wrong_settings_are_told_with_their_line(place: Path, section: str, line: int) -> None:
    path = place / "plait.yml"
    path.write_text(path.read_text("utf-8") + section + "\n", "utf-8")
    with pytest.raises(UsageError) as caught:
        lint(read(str(place)))
    assert caught.value.at is not None
    assert caught.value.at.line == line


def test_a_run_that_fails_is_told_as_such(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "config/app.yml").write_text("a: #@ b\n", "utf-8")
    assert main(["lint"]) == 1
    assert "undefined: b" in capsys.readouterr().err


def test_values_of_values_files_are_not_shown(place: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (place / "plait.yml").write_text("runs: {one: {render: {files: [config], data-values-file: v.yml}}}\n", "utf-8")
    (place / "config/schema.yml").write_text("#@data/values-schema\n---\npin: 0\nother: ''\n", "utf-8")
    (place / "v.yml").write_text("pin: 0123\nother: hunter2\n", "utf-8")
    typed = ["render", "-f", "config/", "--data-values-file", "v.yml"]
    for form in ("text", "json", "sarif", "github"):
        for words in ([], typed):
            assert main(["lint", "-o", form, *words]) == 1
        out = capsysbinary.readouterr().out.decode()
        assert "R401" in out
        assert "0123" not in out
        assert "hunter2" not in out


def test_every_code_has_a_section() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lint.md").read_text("utf-8")
    sections = re.findall(r"^### (\w\d{3}) ([\w-]+)\n\n(.+)", page, flags=re.MULTILINE)
    assert {(code, name) for code, name, _ in sections} <= {(code.code, code.name) for code in CODES.values()}
    assert {code for code, _, _ in sections} >= {code.code for code in CODES.values() if code.severity == "finding"}


def test_a_value_in_quoted_code_is_not_called_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "schema.yml").write_text("#@data/values-schema\n---\na: 1\nb: 2\n", "utf-8")
    (tmp_path / "app.yml").write_text('c: "#@ data.values.a"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["lint", "render", "-f", "."]) == 1
    out = capsys.readouterr().out
    assert "no template uses the data value b" in out
    assert "no template uses the data value a" not in out
    assert "this code is a string because it is in quotes" in out
