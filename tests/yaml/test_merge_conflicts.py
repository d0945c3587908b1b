"""Conflicts of a merge are reported at their first line, with a fix for each version."""

from __future__ import annotations

from pathlib import Path

import pytest

import plait
from plait.authoring.analysis.file_facts import File
from plait.authoring.lint.mending import mendings
from plait.authoring.project.discovery import project_at
from plait.authoring.testing.functions import functions_of
from plait.base.errors import PlaitError, render
from plait.base.source import Source
from plait.base.text_edits import edited
from plait.ytt.templates.recovery import STARLARK, TEXT, YAML, recover

_CONFLICTS = {
    "a map": ("a: 1\n", "b: 1\nc: 1\n", "b: 2\n", "d: 1\n"),
    "a map in another": ("a:\n  x: 1\n", "  y: 1\n", "  y: 2\n", "  z: 1\n"),
    "an array": ("a:\n", "- 1\n", "- 2\n", "- 3\n"),
    "the start": ("", "a: 1\n", "a: 2\n", "b: 1\n"),
    "the end": ("a: 1\n", "b: 1\n", "b: 2\n", ""),
    "an empty version": ("a: 1\n", "", "b: 2\n", "c: 1\n"),
    "a block scalar": ("a: |\n", "  x\n", "  y\n", "  z\n"),
    "code": ("#@ x = 1\n", "#@ y = 1\n", "#@ y = 2\n", "a: #@ y\n"),
    "a value over two lines": ("a:\n", "  b: c\n     d\n", "  b: e\n", "f: 1\n"),
    "a second document": ("a: 1\n---\n", "b: 1\n", "b: 2\n", ""),
}
_ORIGINAL = "||||||| 1a2b3c4\nb: 0\n"


def _text(case: str, original: str = "") -> str:
    before, ours, theirs, after = _CONFLICTS[case]
    return f"{before}<<<<<<< HEAD\n{ours}{original}=======\n{theirs}>>>>>>> feature\n{after}"


def _error(text: str) -> PlaitError:
    with pytest.raises(PlaitError) as failed:
        plait.render({"a.yml": text})
    return failed.value


@pytest.mark.parametrize("original", ["", _ORIGINAL])
@pytest.mark.parametrize("case", _CONFLICTS)
def test_a_conflict_is_reported_at_its_first_line(case: str, original: str) -> None:
    before, ours, theirs, after = _CONFLICTS[case]
    text = _text(case, original)
    error = _error(text)
    lines = text.split("\n")
    assert error.code == "merge-conflict"
    assert error.at is not None
    assert [error.at.line, *(one.line for one in error.also)] == [
        lines.index(marker) + 1 for marker in ("<<<<<<< HEAD", "=======", ">>>>>>> feature")
    ]
    assert (error.at.column, error.at.end) == (1, 13)
    edits = {one.title: one.edits for one in mendings(File("a.yml", text), error)}
    assert {title: edited(text, made) for title, made in edits.items()} == {
        "Keep the lines of HEAD": before + ours + after,
        "Keep the lines of feature": before + theirs + after,
    }


def test_the_reference_program_has_its_own_text() -> None:
    assert _error("a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> f\n").reference == (
        "yaml: line 3: could not find expected ':'"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n<<<<<<< HEAD\nb: 1\n",
        "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nc: 1\n",
        "a: 1\n<<<<<<<< HEAD\nb: 1\n=======\nc: 1\n>>>>>>> f\n",
        "a: 1\n=======\nb: 1\n>>>>>>> f\n",
        "a: [\n---\nb: 1\n<<<<<<< HEAD\nc: 1\n=======\nc: 2\n>>>>>>> f\n",
    ],
)
def test_other_faults_are_as_before(text: str) -> None:
    assert _error(text).code == "invalid-yaml"


def test_a_text_that_only_quotes_a_conflict_is_valid() -> None:
    text = "a: |\n  <<<<<<< HEAD\n  b\n  =======\n  c\n  >>>>>>> f\n"
    assert plait.render({"a.yml": text}).to_yaml() == text


_CODE = {
    "app.star": ("def f():\n", "  return 1\n", "  return 2\n", "end\n"),
    "args.star": ("x = max(\n", "  1,\n", "  2,\n", ")\n"),
    "after.star": ("x = 1\n", "y = 1\n", "y = 2\n", ""),
    "code.txt": ("(@\n", "x = 1\n", "x = 2\n", "@)\n"),
    "block.txt": ("", "(@ if True: @)\n", "(@ if False: @)\n", "x\n(@ end @)\n"),
    "end.txt": ("(@ if True: @)\nx\n", "(@ end @)\n", "(@ end -@)\n", "y\n"),
    "opening.txt": ("", "(@= 1\n", "(@= 2\n", "@)\n"),
    "closing.txt": ("(@= 1\n", "@)\n", "-@)\n", ""),
}


@pytest.mark.parametrize("name", _CODE)
def test_a_conflict_in_code_is_reported_at_its_first_line(name: str) -> None:
    before, ours, theirs, after = _CODE[name]
    text = f"{before}<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> feature\n{after}"
    with pytest.raises(PlaitError) as failed:
        plait.render({name: text, "a.yml": f'#@ load("{name}", "f")\na: 1\n' if name.endswith("star") else "a: 1\n"})
    error = failed.value
    line = before.count("\n") + 1
    assert (error.code, error.at and error.at.line) == ("merge-conflict", line)
    assert error.reference != error.message
    found = recover(Source(name, text), STARLARK if name.endswith("star") else TEXT).faults
    assert [(one.code, one.at and one.at.line) for one in found] == [("merge-conflict", line)]
    edits = {one.title: one.edits for one in mendings(File(name, text), error)}
    assert {title: edited(text, made) for title, made in edits.items()} == {
        "Keep the lines of HEAD": before + ours + after,
        "Keep the lines of feature": before + theirs + after,
    }


_SIDES = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> f\n"
# Files in which the markers are valid: the text before the conflict, and after it.
_VALID = {
    "a.txt": ("Name: (@= 'c' @)\n", "d\n"),
    "code.txt": ('(@ x = """\n', '""" @)\n'),
    "literal.star": ('x = """\n', '"""\n'),
    "quoted.yml": ('--- "\n', '"\n'),
}


@pytest.mark.parametrize("name", _VALID)
def test_a_conflict_in_a_valid_text_is_a_warning(name: str) -> None:
    before, after = _VALID[name]
    text = f"{before}{_SIDES}{_SIDES}{after}"
    loads = f'#@ load("{name}", "x")\na: #@ x\n' if name.endswith("star") else "a: 1\n"
    first = before.count("\n") + 1
    assert plait.render({name: text, "top.yml": loads}).warnings == [
        f"{name}:{line}: the conflict of a merge is not resolved; keep the lines of one version, and remove the lines "
        "with the markers"
        for line in (first, first + 5)
    ]


def test_text_with_markers_is_a_valid_text_template() -> None:
    text = f"{_SIDES}(@= 'c' @)\n"
    assert plait.render({"a.txt": text}).files["a.txt"].endswith("f\nc\n")
    assert plait.render({"a.txt": text.replace(">>>>>>>", ">>>>>>")}).warnings == []
    with pytest.raises(PlaitError) as failed:
        plait.render({"a.txt": f"{text}(@ if @)\n"})
    assert failed.value.code == "syntax-error"


def test_a_conflict_in_a_file_of_test_functions(tmp_path: Path) -> None:
    text = "def test_a():\n<<<<<<< HEAD\n  x()\n=======\n  y()\n>>>>>>> f\nend\n"
    (tmp_path / "a_test.star").write_text(text, "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {a: {render: {files: [a_test.star]}}}\n", "utf-8")
    with pytest.raises(PlaitError) as failed:
        functions_of(str(tmp_path / "a_test.star"), project_at(tmp_path))
    assert failed.value.code == "merge-conflict"


def test_every_conflict_of_a_file_is_reported_and_so_are_other_faults() -> None:
    text = f"{_text('a map')}{_text('a second document')}d: '\n"
    found = recover(Source("a.yml", text), YAML).faults
    assert [(one.code, one.at and one.at.line) for one in found] == [
        ("merge-conflict", 2),
        ("merge-conflict", 11),
        ("invalid-yaml", 16),
    ]
    assert [one.label for one in found[0].also] == ["the other version", "it ends here"]


def test_a_private_file_shows_no_line() -> None:
    with pytest.raises(PlaitError) as failed:
        plait.render(
            {"a.yml": "a: 1\n"}, values_files={"v.yml": "a: 1\n<<<<<<< HEAD\nb: x1\n=======\nb: x2\n>>>>>>> f\n"}
        )
    report = render(failed.value)
    assert failed.value.code == "merge-conflict"
    assert "x1" not in report
    assert "x2" not in report
