"""Failed expectations are diagnostics: each has a code and facts, all formats have them, and each edit makes the test
pass.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import plait
from plait.authoring.analysis.file_facts import File
from plait.authoring.lint.mending import mendings
from plait.authoring.testing.expectations import KINDS
from plait.authoring.testing.results import ExpectationFailure
from plait.authoring.testing.running import run_tests
from plait.base.codes import BY_CODE
from plait.base.suggestions import CONTENT, VALUE
from plait.base.text_edits import edited
from plait.cli import main

_APP = '#@ port = 81\nport: #@ port\nname: "7"\nup: true\n'
_FAIL = '#@ load("@ytt:assert", "assert")\na: #@ assert.fail("no port")\n'
# The expectation, the code, the word at fault, what is expected and found; the edits that make the test pass.
_FAILING: dict[str, tuple[str, str, str, str | None, str | None, int]] = {
    "missing": ("has: prot", "E1001", "prot", None, "port, name, up", 1),
    "missing value": ("equals: {prot: 81}", "E1001", "prot", None, "port, name, up", 1),
    "excluded": ("lacks: port", "E1002", "port", "no value", "81", 0),
    "number": ("equals: {port: 80}", "E1003", "port", "80", "81", 1),
    "number as text": ('equals: {port: "81"}', "E1003", "port", '"81" (string)', "81 (integer)", 1),
    "text": ("equals: {name: '8'}", "E1003", "name", '"8"', '"7"', 1),
    "same value twice": ("equals: {port: 80, name: 80}", "E1003", "port", "80", "81", 1),
    "boolean": ("equals: {up: false}", "E1003", "up", "false", "true", 1),
    "map": ("equals: {port: {a: 1}}", "E1003", "port", "(map of 1)", "81 (integer)", 0),
    "expression": ("matches: {name: x+}", "E1004", "name", "text that matches x+", '"7"', 0),
    "type": ("types: {port: string}", "E1005", "port", "a string", "an integer: 81", 1),
    "documents": ("count: 2", "E1006", "count", "2", "1", 1),
    "values": ("count: {port: 2}", "E1006", "port", "2", "1", 1),
    "success": ("fails: oops", "E1007", "fails", "an error", "1 document", 0),
    "other message": ("fails: oops", "E1008", "fails", 'a message with "oops"', None, 0),
    "other documents": ("same-as: {render: {files: b.yml}}", "E1009", "same-as", "the other run", None, 0),
    "no snapshot": ("snapshot: true", "E1010", "snapshot", None, "no file", 0),
    "snapshot": ("snapshot: true", "E1011", "snapshot", None, None, 1),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(name: str) -> Path:
    """A test with one failing expectation, and its files."""
    expectation, *_ = _FAILING[name]
    Path("a.yml").write_text(_FAIL if name == "other message" else _APP, "utf-8")
    Path("b.yml").write_text("port: 1\n", "utf-8")
    file = Path("a.test.yml")
    file.write_text(f"tests:\n  one:\n    render: {{files: a.yml}}\n    {expectation}\n", "utf-8")
    if name == "snapshot":
        Path("a.test.snapshots").mkdir()
        Path("a.test.snapshots/one.yml").write_text("port: 80\n", "utf-8")
    return file


def _failures() -> list[ExpectationFailure]:
    return [failure for result in run_tests() for failure in result.failures]


def test_each_kind_of_expectation_and_each_code_has_an_example() -> None:
    codes = {code for code in BY_CODE if code.startswith("E10")} - {"E1012"}  # of coverage
    assert {code for _, code, *_ in _FAILING.values()} == codes
    assert {text.partition(":")[0] for text, *_ in _FAILING.values()} == {*KINDS, "snapshot"}


@pytest.mark.parametrize("name", _FAILING)
@pytest.mark.usefixtures("place")
def test_a_failure_has_its_facts(name: str) -> None:
    file = _write(name)
    _, code, word, expected, found, _ = _FAILING[name]
    failure = _failures()[0]
    diagnostic = failure.diagnostic
    assert (failure.code, diagnostic.word) == (code, word)
    assert (failure.file, failure.line) == (str(file), 4)
    assert diagnostic.at is not None
    assert (str(diagnostic.at), word in (diagnostic.at.text or "")) == ("a.test.yml:4", True)
    assert expected in (None, diagnostic.expected)
    assert found in (None, diagnostic.found)
    assert diagnostic.found or diagnostic.expected
    assert failure.lines[0] == diagnostic.message


@pytest.mark.parametrize("name", [name for name, (*_, edits) in _FAILING.items() if edits])
@pytest.mark.usefixtures("place")
def test_an_edit_makes_the_test_pass(name: str) -> None:
    file = _write(name)
    failure = _failures()[0]
    made = [*mendings(File(str(file), file.read_text("utf-8")), failure.diagnostic)]
    assert len(made) == _FAILING[name][-1]
    [mending] = made
    assert mending.safety == "unsafe"
    [edit] = mending.edits
    changed = Path(edit.path)
    changed.write_text(edited(changed.read_text("utf-8"), [edit]), "utf-8")
    assert failure.text not in [one.text for one in _failures()]
    if name != "same value twice":
        assert _failures() == []


@pytest.mark.usefixtures("place")
def test_an_edit_keeps_the_rest_of_the_file() -> None:
    _write("number")
    text = (
        "tests:\n  one:\n    render: {files: a.yml}\n    equals:  # why\n      port: 0x50  # a port\n      name: '7'\n"
    )
    Path("a.test.yml").write_text(text, "utf-8")
    [failure] = _failures()
    [mending] = mendings(File("a.test.yml", text), failure.diagnostic)
    assert edited(text, mending.edits) == text.replace("0x50", "81")


def _messages(argv: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main([*argv, "--message-format", "json"]) == 1
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


@pytest.mark.parametrize("name", _FAILING)
@pytest.mark.usefixtures("place")
def test_each_format_has_the_code(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    _write(name)
    code = _FAILING[name][1]
    message = _messages(["test"], capsys)[0]
    assert (message["code"], message["file"], message["line"]) == (code, "a.test.yml", 4)
    assert len(message.get("suggestions", ())) == _FAILING[name][-1]
    for form in ("github", "sarif"):
        assert main(["test", "--message-format", form]) == 1
        assert code in capsys.readouterr().err
    assert main(["test", "--tap", "--junit", "report.xml"]) == 1
    assert f"\n  code: {code}\n" in capsys.readouterr().out
    failure = ET.parse("report.xml").find(".//failure")
    assert failure is not None
    assert failure.attrib["type"] == code


@pytest.mark.usefixtures("place")
def test_failures_are_the_same_from_other_processes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yml").write_text(_APP, "utf-8")
    tests = [f"  t{number}: {{render: {{files: a.yml}}, equals: {{port: {number}}}}}\n" for number in range(60)]
    Path("a.test.yml").write_text(f"tests:\n{''.join(tests)}", "utf-8")
    here = _messages(["test"], capsys)
    assert [one["code"] for one in here] == ["E1003"] * 60
    assert _messages(["test", "--jobs", "2"], capsys) == here


@pytest.mark.parametrize("name", _FAILING)
@pytest.mark.usefixtures("place")
def test_a_failure_is_the_same_after_it_was_sent(name: str) -> None:
    _write(name)
    failure = _failures()[0]
    sent = pickle.loads(pickle.dumps(failure))
    assert (sent.text, sent.code, sent.file, sent.line) == (failure.text, failure.code, failure.file, failure.line)
    assert list(sent.diagnostic.suggestions) == list(failure.diagnostic.suggestions)
    assert list(map(str, sent.diagnostic.also)) == list(map(str, failure.diagnostic.also))


@pytest.mark.usefixtures("place")
def test_related_positions_are_where_the_value_was_set() -> None:
    _write("number")
    [failure] = plait.test()[0].failures
    assert [(str(one), one.label) for one in failure.diagnostic.also] == [("a.yml:2", "set here (expression)")]
    assert [one.kind for one in failure.diagnostic.suggestions] == [VALUE]


@pytest.mark.usefixtures("place")
def test_a_snapshot_is_related() -> None:
    _write("snapshot")
    [failure] = _failures()
    assert str(failure.diagnostic.also[0]) == "a.test.snapshots/one.yml:1"
    assert [one.kind for one in failure.diagnostic.suggestions] == [CONTENT]


@pytest.mark.usefixtures("place")
def test_secrets_are_in_no_format(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.pw\n', "utf-8")
    Path("s.yml").write_text("#@data/values-schema\n---\npw: ''\n", "utf-8")
    Path("secrets.yml").write_text("pw: hunter2\n", "utf-8")
    Path("a.test.yml").write_text(
        "tests:\n  one:\n    render: {files: [a.yml, s.yml], secrets: file:secrets.yml}\n    equals: {a: x}\n"
        "    snapshot: true\n    types: {a: integer}\n",
        "utf-8",
    )
    for form in ("json", "github", "sarif"):
        assert main(["test", "--message-format", form]) == 1
        printed = capsys.readouterr()
        assert "hunter2" not in printed.out + printed.err
        assert "E1003" in printed.err
