"""A line ends at a line feed, everywhere: files may contain the other characters where `str.splitlines` splits."""

from __future__ import annotations

import ast
import pathlib
import subprocess

import pytest

import plait
from patience import LONGEST
from plait.base.lines import lines_of, lines_with_breaks
from plait.base.source import Source
from plait.tree.nodes import Map
from plait.yaml.embedded import ini, properties

PACKAGE = pathlib.Path(plait.__file__).parent
# Where the rule is another one: the methods of Starlark, and the texts of a library of Python.
OTHERS = {"ytt/starlark/table/methods.py", "service/deepdiff.py"}
MARKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def test_no_other_rule_splits_lines() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "splitlines" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    }
    assert found == OTHERS


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\n\r\nb\r\n", ["a", "", "b"]),
        ("a\n\n", ["a", ""]), (f"a{MARKS}b\nc", [f"a{MARKS}b", "c"]), ("a\rb\n", ["a\rb"]),
    ],
)  # fmt: skip
def test_lines(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines
    assert "".join(lines_with_breaks(text)) == text
    assert [line.removesuffix("\n").removesuffix("\r") for line in lines_with_breaks(text)] == lines


@pytest.mark.parametrize("mark", MARKS)
def test_embedded_texts_keep_a_value_whole(mark: str) -> None:
    text = f"a=x{mark}y=z\nb=1\n"
    for module, before in ((properties, ""), (ini, "[s]\n")):
        old = module.read(Source("t", before + text))
        section = old.items[0].value if before else old
        assert isinstance(section, Map)
        assert {item.key: item.value for item in section.items} == {"a": f"x{mark}y=z", "b": "1"}
        changed: Map = section.with_values([item.value if item.key == "a" else "2" for item in section.items])
        new = old.with_values([changed]) if before else changed
        assert module.write(before + text, old, new) == before + text.replace("b=1", "b=2")


def test_embedded_texts_may_have_the_oldest_line_breaks() -> None:
    assert [(item.key, item.value) for item in properties.read(Source("t", "a=1\rb=2\r\nc=3\n")).items] == [
        ("a", "1"), ("b", "2"), ("c", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize("mark", "\x85\u2028\u2029")
def test_a_patch_counts_lines_as_git_does(mark: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.yml"
    (tmp_path / "plait.yml").write_text("runs: {one: {render: {files: [a.yml]}}}\n", "utf-8")
    file.write_text(f'a: "one{mark}  two"\nb: 1\n', "utf-8")
    edit = plait.set(".", "b", 2)
    assert edit.to_patch().startswith("--- a/a.yml\n+++ b/a.yml\n@@ -2,1 +2,1 @@\n")
    subprocess.run(["git", "apply", "--unidiff-zero"], input=edit.to_patch().encode(), check=True, timeout=LONGEST)
    assert file.read_text("utf-8") == f'a: "one{mark}  two"\nb: 2\n'


@pytest.mark.parametrize("mark", MARKS)
def test_rows_of_csv_keep_a_cell_whole(mark: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.csv").write_text(f"name,owner\none,x{mark}y\n", "utf-8")
    (tmp_path / "t.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "plait.yml").write_text(
        "runs:\n  m:\n    matrix: {environments: a.csv}\n    render: {files: [t.yml], data-value: ['owner={owner}']}\n",
        "utf-8",
    )
    assert plait.project(str(tmp_path / "plait.yml")).runs == [f"m/one/x{mark}y"]
