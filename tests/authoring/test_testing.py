"""`plait test` from Python, its reports read by their readers, several processes, and the schema of test files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from junitparser import JUnitXml
from referencing import Registry, Resource
from tap.parser import Parser

import plait
from files import write_files
from plait.authoring.testing.case_schema import schema
from plait.authoring.testing.collecting import Collector
from plait.authoring.testing.evaluating import Evaluator
from plait.authoring.testing.reports import junit
from plait.authoring.testing.results import CaseResult, ExpectationFailure
from plait.authoring.testing.running import results as results_of
from plait.authoring.testing.running import run_tests
from plait.base import content
from plait.base.errors import PlaitError
from plait.base.fast_paths import FAST
from plait.base.permissions import Permissions

ROOT = Path(__file__).parents[2]


def test_the_published_schema_is_the_present_one(update: str | None) -> None:
    page = ROOT / "docs" / "test.schema.json"
    if update == "write":
        page.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert json.loads(page.read_text("utf-8")) == schema()


FILES = {
    "plait.yml": "runs:\n  app: {render: {files: config}}\ntests:\n  here: {has: spec.replicas}\n",
    "config/app.yml": '#@ load("@ytt:data", "data")\nspec: {replicas: 1}\nname: #@ data.values.name\n',
    "config/schema.yml": "#@data/values-schema\n---\nname: web\n",
    "tests/app.test.yml": """\
tests:
  held: {equals: {spec.replicas: 1}}
  not held: {equals: {spec.replicas: 2}}
  kept: {snapshot: true}
  each: {each: [{name: a}, {name: b}], matches: {name: "^.$"}}
""",
    "tests/lib_test.star": """\
load("@ytt:assert", "assert")
def test_output(output):
  print("printed")
  assert.equals(output[0]["name"], "shop")
end
""",
    "tests/test_python.py": "def test_python(): pass\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_pytest(*words: str) -> subprocess.CompletedProcess[str]:
    # Where the package is installed as a whole, pytest finds the plugin by itself.
    named = [] if entry_points(group="pytest11", name="plait") else ["-p", "plait.authoring.testing.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *named, "-p", "no:cacheprovider", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_pytest_collects_the_same_files(place: Path) -> None:
    (place / "other.test.yml").write_text("of: somebody else\n")
    ran = run_pytest("-v", "-p", "no:xdist")
    assert ran.returncode == 1
    for line in (
        "plait.yml::here PASSED",
        "tests/app.test.yml::held PASSED",
        "tests/app.test.yml::not held FAILED",
        "tests/app.test.yml::kept FAILED",
        "tests/app.test.yml::each[name=a] PASSED",
        "tests/app.test.yml::each[name=b] PASSED",
        "tests/lib_test.star::test_output FAILED",
        "tests/test_python.py::test_python PASSED",
    ):
        assert line in ran.stdout
    assert "equals web:spec.replicas: expected 2, found 1\n  set by config/app.yml:2 (written)" in ran.stdout
    assert "tests/lib_test.star:4: assert.equals: Not equal:" in ran.stdout
    assert "printed" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "other" not in ran.stdout


def test_pytest_shows_no_frames_inside_plait(place: Path) -> None:
    (place / "test_calls.py").write_text(
        "import plait\n"
        "def test_path():\n    plait.run('.', 'app').value('web:spec.replcas')\n"
        "def test_option():\n    plait.render('config', value={})\n"
        "def test_own():\n    assert plait.render('config').value('web:spec.replicas') == 7\n",
        "utf-8",
    )
    ran = run_pytest("-q", "test_calls.py")
    assert ran.stdout.splitlines()[-1].startswith("3 failed")
    for shown in ('did you mean "replicas"?', 'did you mean "values"?', "assert 1 == 7"):
        assert shown in ran.stdout
    for hidden in ("path_resolution", "arguments.py"):
        assert hidden not in ran.stdout


def test_pytest_selects_updates_and_tells_mistakes(place: Path) -> None:
    ran = run_pytest("-q", "--plait-update", "tests/app.test.yml", "-k", "kept or each")
    assert (ran.returncode, ran.stdout.splitlines()[-1].partition(" in ")[0]) == (0, "3 passed, 2 deselected")
    assert (place / "tests" / "app.test.snapshots" / "kept.yml").read_text() == "spec:\n  replicas: 1\nname: web\n"
    (place / "tests" / "app.test.yml").write_text("tests:\n  a: {hass: x}\n")
    ran = run_pytest("-q", "tests")
    assert ran.returncode == 2
    assert 'plait: tests/app.test.yml:2: unknown key "hass" in a test' in ran.stdout
    assert 'did you mean "has"?' in ran.stdout


def test_the_plugin_imports_nothing_where_no_such_files_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\ndef test(): assert not [name for name in sys.modules if name.startswith(('plait.y', 'plait.cli'))]\n"
    )
    monkeypatch.chdir(tmp_path)
    ran = run_pytest("-q")
    assert ran.returncode == 0, ran.stdout


def plait_test(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "plait", "test", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("place")
def test_several_processes_tell_what_one_tells() -> None:
    one, two = plait_test("-v"), plait_test("-v", "-j", "2")
    assert one.returncode == 1
    assert (two.returncode, two.stdout, two.stderr) == (one.returncode, one.stdout, one.stderr)


def test_junit_is_read_by_a_reader_of_junit(place: Path) -> None:
    assert plait_test("--junit", "report.xml").returncode == 1
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(place / "report.xml"))}
    assert {name: (suite.tests, suite.failures) for name, suite in suites.items()} == {
        "plait.yml": (1, 0),
        "tests/app.test.yml": (5, 2),
        "tests/lib_test.star": (1, 1),
    }
    cases = {case.name: case for case in suites["tests/app.test.yml"]}
    assert cases["held"].is_passed
    [failure] = cases["not held"].result
    assert failure.message == "equals web:spec.replicas: expected 2, found 1"
    assert "set by config/app.yml:2 (written)" in failure.text
    [starlark] = suites["tests/lib_test.star"]
    assert starlark.system_out == "printed"


def test_junit_holds_what_xml_has_no_characters_for() -> None:
    text = junit(
        [
            CaseResult(
                "a\x1b.test.yml::\x1b",
                "a\x1b.test.yml",
                1,
                [ExpectationFailure(PlaitError("x", code="unequal-value"), ["\x00 \ufffe <&>"])],
            )
        ]
    )
    [suite] = JUnitXml.fromstring(text.encode())
    [case] = suite
    assert case.name == "\\x1b"
    assert case.result[0].message == "\\x00 \\ufffe <&>"


@pytest.mark.usefixtures("place")
def test_tap_is_read_by_a_reader_of_tap() -> None:
    lines = [*Parser().parse_text(plait_test("--tap").stdout)]
    assert [line.category for line in lines[:2]] == ["version", "plan"]
    tests = [line for line in lines if line.category == "test"]
    assert [test.ok for test in tests] == [True, True, False, False, True, True, False]
    assert tests[2].description == "- tests/app.test.yml::not held"


def test_from_python(place: Path) -> None:
    results = run_tests(["tests/app.test.yml"])
    assert [one.name for one in results if not one.passed] == ["not held", "kept"]
    assert [one.passed for one in run_tests(["tests/app.test.yml::kept"], update=True)] == [True]
    assert (place / "tests" / "app.test.snapshots" / "kept.yml").exists()
    with pytest.raises(plait.PlaitError, match="cannot read"):
        run_tests(["nowhere"])


@pytest.mark.usefixtures("place")
def test_equal_evaluations_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    evaluator = Evaluator(observe=lambda subject, _made: made.append(subject.key))
    Path("many.test.yml").write_text(
        "tests:\n" + "".join(f"  a{number}: {{has: name}}\n" for number in range(9)) + "  b: {set: {name: x}}\n"
    )
    cases = Collector().collect(["many.test.yml"]).cases
    assert all(one.passed for one in results_of(cases, evaluator=evaluator))
    assert len(made) == 2


@pytest.mark.untraced  # a recorded run reads for itself, and so does one without passes for speed
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_files_are_read_once_for_all_cases_that_run_together(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    on_disk = content._on_disk

    def noted(path: str, described: str, permissions: Permissions | None) -> bytes:
        read.append(path)
        return on_disk(path, described, permissions)

    monkeypatch.setattr(content, "_on_disk", noted)
    text = "tests:\n  a: {each: [{name: a}, {name: b}, {name: c}], equals: {spec.replicas: 1}}\n"
    (place / "many.test.yml").write_text(text)
    cases = Collector().collect(["many.test.yml"]).cases
    evaluator = Evaluator()
    assert [one.passed for one in results_of(cases, evaluator=evaluator)] == [True] * 3
    assert read.count(os.path.join("config", "app.yml")) == 1
    # Those that run later see what the files have become.
    app = place / "config" / "app.yml"
    app.write_text(app.read_text().replace("replicas: 1", "replicas: 2"))
    assert [one.passed for one in results_of(cases, evaluator=evaluator)] == [False] * 3


def test_the_schema_takes_test_files_that_are_right_and_no_others(place: Path) -> None:
    resources = [(name, Resource.from_contents(json.loads((ROOT / "docs" / name).read_text()))) for name in SCHEMAS]
    validator = Draft202012Validator({"$ref": "test.schema.json"}, registry=Registry().with_resources(resources))
    validator.validate(yaml.safe_load(FILES["tests/app.test.yml"]))
    for case in (ROOT / "tests" / "cli").glob("test_*.txtar"):
        for name, text in sections_of(case):
            if name.endswith(".test.yml") and name not in UNREADABLE and case.stem != "test_mistakes":
                validator.validate(yaml.safe_load(text))
            elif name.endswith(".test.yml") and name in REFUSED:
                assert not validator.is_valid(yaml.safe_load(text)), name


SCHEMAS = ("test.schema.json", "project.schema.json")
UNREADABLE = {"tests/.hidden/no.test.yml"}
REFUSED = {f"tests/{name}.test.yml" for name in ("key", "top", "none", "list", "type", "setting", "each")}


def sections_of(case: Path) -> Iterator[tuple[str, str]]:
    for part in case.read_text("utf-8").split("\n-- ")[1:]:
        name, _, text = part.partition(" --\n")
        yield name, text
