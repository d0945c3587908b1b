from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.base.errors import UsageError
from plait.ytt.workspace.file_marks import apply_marks, matches
from plait.ytt.workspace.input_files import InputFile, in_memory
from plait.ytt.workspace.library import build_library


def files(*paths: str) -> list[InputFile]:
    return [in_memory(path, "", order) for order, path in enumerate(paths, 1)]


def kinds(*marks: str, paths: tuple[str, ...] = ("a.yml", "l.lib.yml", "t.txt", "s.star", "d.json")) -> dict[str, str]:
    return {
        file.path: file.kind + (" output" if file.for_output else "") + (" library" if file.is_library else "")
        for file in apply_marks(files(*paths), marks)
    }


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a.yml", "a.yml", True),
        ("a.yml", "b/a.yml", False),
        ("*", "a.yml", True),
        ("*", "d/a.yml", False),
        ("*.yml", "a.yml", True),
        ("*.yml", ".yml", False),
        ("d/*", "d/a.yml", True),
        ("d/*", "d/e/a.yml", False),
        ("d/*", "d/", False),
        ("**/*", "a.yml", True),
        ("**/*", "d/e/a.yml", True),
        ("**/*.yml", "a.yml", True),
        ("**/*.yml", "d/e/a.yml", True),
        ("**/*.yml", "d/e/a.txt", False),
        ("d*/**/*", "dir/a.yml", True),
        ("d*/**/*", "dir/e/a.yml", True),
        ("d*/**/*", "d/a.yml", False),
        ("**/*/c*", "x/y/c.yml", True),
        ("**/*/c*", "x/c/d.yml", False),
        ("**/*/c*", "c.yml", False),
        ("*a*.yml", "xa*.yml", True),
        ("*a*.yml", "xay.yml", False),
        ("**", "a/*", False),
        ("a?.yml", "ab.yml", False),
        ("[ab].yml", "a.yml", False),
        ("[ab].yml", "[ab].yml", True),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


@given(st.text("ab*/.", max_size=8), st.text("ab/.", max_size=8))
def test_patterns_do_what_the_expression_does(pattern: str, path: str) -> None:
    """The rule as spec ytt 1.5 tells it, by a regular expression."""
    expression = re.escape(pattern).replace(re.escape("**/*"), ".+", 1).replace(re.escape("*"), "[^/]+", 1)
    assert matches(pattern, path) is (re.fullmatch(expression, path) is not None)


def test_no_marks_change_nothing() -> None:
    assert kinds() == {
        "a.yml": "yaml-template output",
        "l.lib.yml": "yaml-template library",
        "t.txt": "text-template output",
        "s.star": "starlark library",
        "d.json": "data",
    }


@pytest.mark.parametrize(
    ("mark", "path", "kind"),
    [
        ("d.json:type=yaml-template", "d.json", "yaml-template output"),
        ("d.json:type=text-template", "d.json", "text-template output"),
        ("d.json:type=starlark", "d.json", "starlark library"),
        ("a.yml:type=yaml-plain", "a.yml", "yaml-plain output"),
        ("t.txt:type=text-plain", "t.txt", "text-plain output"),
        ("a.yml:type=data", "a.yml", "data"),
        ("a.yml:type=starlark", "a.yml", "starlark library"),
        ("l.lib.yml:type=yaml-template", "l.lib.yml", "yaml-template output library"),
        ("l.lib.yml:for-output=true", "l.lib.yml", "yaml-template output library"),
        ("d.json:for-output=true", "d.json", "data output"),
        ("a.yml:path=a.txt", "a.txt", "text-template output"),
        ("a.yml:path=a.lib.yml", "a.lib.yml", "yaml-template library"),
    ],
)
def test_marks(mark: str, path: str, kind: str) -> None:
    assert kinds(mark)[path] == kind


def test_plain_files_are_not_evaluated() -> None:
    [file] = apply_marks(files("a.yml"), ["a.yml:type=yaml-plain"])
    assert file.is_plain
    assert not file.is_template


def test_exclude_takes_files_out() -> None:
    assert list(kinds("*.yml:exclude=true")) == ["t.txt", "s.star", "d.json"]


def test_marks_match_the_original_path_in_order() -> None:
    left = apply_marks(files("a.yml", "b.yml"), ["a.yml:path=b.yml", "b.yml:exclude=true", "a.yml:path=c.yml"])
    assert [(file.path, file.order) for file in left] == [("c.yml", 1)]
    with pytest.raises(UsageError, match=r"'a\.yml:exclude=true' to match at least one file"):
        apply_marks(files("a.yml"), ["a.yml:path=b.yml", "**/*:exclude=true", "a.yml:exclude=true"])


def test_a_path_may_lead_into_a_library() -> None:
    left = apply_marks(files("x.yml", "main.yml"), ["x.yml:path=_ytt_lib/app/x.yml"])
    root = build_library(left)
    assert [file.path for file in root.find_library("app").files] == ["_ytt_lib/app/x.yml"]
    assert root.list_files() == ["main.yml"]


def test_exclusive_output() -> None:
    marked = kinds("t.txt:exclusive-for-output=true", "l.lib.yml:exclusive-for-output=true")
    assert [path for path, kind in marked.items() if "output" in kind] == ["l.lib.yml", "t.txt"]


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("a.yml", "Expected file mark 'a.yml' to be in format path:key=value"),
        ("a.yml:exclude", "Expected file mark 'a.yml:exclude' key-value portion to be in format key=value"),
        ("a.yml:colour=red", "Unknown key in file mark 'a.yml:colour=red'"),
        ("a.yml:type=yml", "Unknown value in file mark 'a.yml:type=yml'"),
        ("a.yml:exclude=false", "Unknown value in file mark 'a.yml:exclude=false'"),
        ("a.yml:for-output=false", "Unknown value in file mark 'a.yml:for-output=false'"),
        (
            "b.yml:exclude=true",
            "Expected file mark 'b.yml:exclude=true' to match at least one file by path, but did not",
        ),
    ],
)
def test_mistakes(mark: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        apply_marks(files("a.yml"), [mark])
    assert caught.value.message == message


def test_mistakes_get_hints() -> None:
    with pytest.raises(UsageError) as caught:
        apply_marks(files("a.yml"), ["a.yml:exlude=true"])
    assert caught.value.hint == 'did you mean "exclude"?'
    with pytest.raises(UsageError) as caught:
        apply_marks(files("config/app.yml"), ["config/ap.yml:exclude=true"])
    assert caught.value.hint == 'did you mean "config/app.yml"?'
