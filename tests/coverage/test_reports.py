"""Reports: the table, lcov, Cobertura, pages, counts that are kept and added up; and the commands that make them."""

from __future__ import annotations

import json
import pathlib
import re
from xml.etree import ElementTree as ET

import pytest
from diff_cover.git_path import GitPathTool
from diff_cover.violationsreporters.violations_reporter import LcovCoverageReporter, XmlCoverageReporter

from plait.authoring.coverage.data import Coverage
from plait.base.errors import UsageError
from plait.cli import main

APP = """\
#@ load("@ytt:data", "data")
#@ def name(x):
#@   if x:
#@     return "<b>&"
#@   end
#@   return "x"
#@ end
---
a: #@ name(data.values.x)
"""


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "app.yml").write_text(APP, "utf-8")
    (tmp_path / "config" / "values.yml").write_text("#@data/values\n---\nx: 0\n", "utf-8")
    (tmp_path / "plait.yml").write_text(
        "runs:\n  zero:\n    render: {files: [config]}\n  one:\n    render: {files: [config], set: {x: 1}}\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_table(project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "zero"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "File               Lines  Missed  Branches  Missed    Used  Missing",
        "config/app.yml         7       1         2       1  77.8 %  3 (true), 4",
        "config/values.yml      2       0         0       0   100 %",
        "all                    9       1         2       1  81.8 %",
    ]
    assert main(["coverage"]) == 0
    assert capfd.readouterr().out.splitlines()[1].endswith("100 %")


def test_too_little_is_told(project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "zero", "--fail-under", "90"]) == 1
    assert capfd.readouterr().err == (
        "plait: 9 of 11 lines and branches are covered, 1 less than 90 %\n"
        "  hint:     the column Missing names the lines and branches to cover\n"
    )
    assert main(["coverage", "--fail-under", "100%"]) == 0


@pytest.mark.parametrize(("least", "status"), [((), 0), (("--fail-under", "0"), 0), (("--fail-under", "1"), 1)])
def test_nothing_counted_is_not_everything(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    least: tuple[str, ...],
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.yml").write_text("a: 1\n")
    (tmp_path / "plait.yml").write_text("runs: {web: {render: {files: [plain.yml]}}}\n")
    assert main(["coverage", *least]) == status
    told = capfd.readouterr()
    assert told.out.splitlines()[-1].split() == ["all", "0", "0", "0", "0", "-"]
    assert ("no lines or branches are counted" in told.err) == bool(status)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--fail-under", "101"], '--fail-under takes a percentage, not "101"'),
        (["--report", "pdf:x"], '"pdf:x" is not a report'),
        (["--report", "lcov"], '"lcov" is not a report'),
        (["--append", "config/app.yml"], '"config/app.yml" contains no coverage data of plait'),
        (["--append", "missing.json"], "missing.json: No such file"),
        (["nothing"], 'unknown run "nothing"'),
        (["--report", "lcov:config"], 'cannot write to "config"'),
        (["--report", "html:plait.yml"], 'cannot write to "plait.yml"'),
    ],
)
def test_wrong_usage(words: list[str], expected: str, project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", *words]) != 0
    assert expected in capfd.readouterr().err


@pytest.mark.parametrize(
    "data",
    ["[]", "{}", '{"plait": "coverage", "format": 1, "runs": [], "files": {"a": {"digest": "", "private": []}}}'],
)
def test_data_of_another_kind_are_refused(data: str) -> None:
    with pytest.raises(UsageError, match="contains no coverage data"):
        Coverage.from_json(json.loads(data), "x.json", "")


def test_a_run_that_fails_is_told_and_counts(project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "config" / "b.yml").write_text("#@ x = 1 // 0\n#@ y = 1\n", "utf-8")
    assert main(["coverage", "zero"]) == 1
    done = capfd.readouterr()
    assert "division by zero" in done.err
    assert 'in the run "zero"' in done.err
    assert re.search(r"config/b.yml +2 +1 .* 2\n", done.out)


def test_several_processes_count_what_one_does(project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "config" / "b.yml").write_text('#@ load("@ytt:data", "data")\n#@ x = 1 // data.values.x\n', "utf-8")
    found = []
    for jobs in ("1", "2"):
        assert main(["coverage", "-j", jobs, "--report", "json:counts.json"]) == 1
        found.append((capfd.readouterr(), (project / "counts.json").read_text("utf-8")))
    assert found[0] == found[1]
    assert found[0][0].err.count('in the run "zero"') == 1
    assert main(["coverage", "-j", "0"]) == 2
    assert "invalid --jobs" in capfd.readouterr().err


def test_counts_are_added_up(project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "zero", "--report", "json:zero.json"]) == 0
    assert main(["coverage", "one", "--append", "zero.json", "--report", "json:all.json"]) == 0
    assert capfd.readouterr().out.splitlines()[-1].split() == ["all", "9", "0", "2", "0", "100", "%"]
    kept = json.loads((project / "all.json").read_text("utf-8"))
    assert kept["runs"] == ["zero", "one"]
    assert set(kept["files"]) == {"config/app.yml", "config/values.yml"}
    with (project / "config" / "app.yml").open("a") as file:
        file.write("b: 1\n")
    assert main(["coverage", "--no-runs", "--append", "all.json"]) == 0
    done = capfd.readouterr()
    assert "config/app.yml has changed since it was counted" in done.err
    assert "config/app.yml" not in done.out


def test_lcov(project: pathlib.Path) -> None:
    assert main(["coverage", "zero", "--report", "lcov:out.info"]) == 0
    lines = (project / "out.info").read_text("utf-8").splitlines()
    first = lines[: lines.index("end_of_record") + 1]
    assert first == [
        "TN:", "SF:config/app.yml", "FN:2,name", "FNDA:1,name", "FNF:1", "FNH:1",
        "BRDA:3,4,0,0", "BRDA:3,4,1,1", "BRF:2", "BRH:1",
        "DA:1,1", "DA:2,1", "DA:3,1", "DA:4,0", "DA:6,1", "DA:8,1", "DA:9,1", "LF:7", "LH:6", "end_of_record",
    ]  # fmt: skip


def test_cobertura(project: pathlib.Path) -> None:
    assert main(["coverage", "zero", "--report", "cobertura:out.xml"]) == 0
    root = ET.parse(project / "out.xml").getroot()
    assert root.find("sources/source").text == str(project)  # type: ignore[union-attr]
    lines = {
        line.get("number"): (line.get("hits"), line.get("condition-coverage"))
        for one in root.iter("class")
        if one.get("filename") == "config/app.yml"
        for line in one.iter("line")
    }
    assert lines["3"] == ("1", "50% (1/2)")
    assert lines["4"] == ("0", None)


def test_lcov_and_cobertura_are_read_by_a_reader_of_them(
    project: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["coverage", "zero", "--report", "lcov:out.info", "--report", "cobertura:out.xml"]) == 0
    monkeypatch.setattr(GitPathTool, "_root", str(project))
    monkeypatch.setattr(GitPathTool, "_cwd", str(project))
    lcov = LcovCoverageReporter([LcovCoverageReporter.parse("out.info")])
    cobertura = XmlCoverageReporter([ET.parse("out.xml")])
    for reader in (lcov, cobertura):
        assert {one.line for one in reader.violations("config/app.yml")} == {4}
        assert set(reader.measured_lines("config/app.yml")) == {1, 2, 3, 4, 6, 8, 9}
        assert not reader.violations("config/values.yml")


def test_pages(project: pathlib.Path) -> None:
    assert main(["coverage", "zero", "--report", "html:pages"]) == 0
    index = (project / "pages" / "index.html").read_text("utf-8")
    for page in re.findall(r'href="([^"]+)"', index):
        text = (project / "pages" / page).read_text("utf-8")
        assert not re.search(r"(src|href)=\"(?!index\.html)", text)
        if "config-app" in page:
            assert "return &quot;&lt;b&gt;&amp;&quot;" in text
            assert '<tr id="L4" class="missed"' in text
            assert "never: true" in text


TESTS = """\
tests:
  zero:
    render: {files: config}
    equals: {a: x}
  one:
    render: {files: config, set: {x: 1}}
    matches: {a: "b"}
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_of_tests(jobs: str, project: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "web.test.yml").write_text(TESTS, "utf-8")
    assert main(["test", "--cov", "--fail-under", "100", "-j", jobs, "--cov-report", "json:c.json"]) == 0
    assert "all                    9       0         2       0  100 %" in capfd.readouterr().out
    assert len(json.loads((project / "c.json").read_text("utf-8"))["runs"]) == 2
    assert main(["test", "--cov", "-k", "zero", "--fail-under", "100"]) == 1
    assert main(["test", "-k", "zero", "--fail-under", "100"]) == 2
    assert main(["test", "--cov", "--watch"]) == 2
    capfd.readouterr()
    assert main(["test", "--cov", "--tap"]) == 0
    assert "Branches" not in capfd.readouterr().out
