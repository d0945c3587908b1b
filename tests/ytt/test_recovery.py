"""All faults of a text, each at its line, and the rest of the file still read."""

from __future__ import annotations

import pytest

from plait.base.errors import ReadError
from plait.base.source import Source
from plait.tree.nodes import Map, to_plain
from plait.ytt.starlark.syntax import Def
from plait.ytt.templates.recovery import STARLARK, TEXT, YAML, add_others, recover
from plait.ytt.templates.template_files import read_yaml


def faults(text: str, kind: str = YAML) -> list[tuple[int, str]]:
    found = recover(Source("a", text), kind).faults
    return [(0 if one.at is None else one.at.line, one.message) for one in found]


def test_a_good_file_has_none() -> None:
    found = recover(Source("a.yml", "#@ x = 1\na: #@ x\n"), YAML)
    assert found.faults == []
    assert found.cut == set()
    assert found.file is not None
    assert len(found.statements) > 0


def test_every_fault_of_a_template_is_found() -> None:
    text = """\
#@ load("@ytt:data", "data")
#@ def f(x:
#@   return x
#@ end
#@ y = f(1
---
a: 1
b:
  #@ if x = 3:
  c: 1
  #@ end
# plain
d: "x
e: #@ nope
f: 1 #@ 2
"""
    assert [line for line, _ in faults(text)] == [2, 6, 9, 12, 13, 14, 15]


def test_what_is_around_a_fault_is_still_there() -> None:
    found = recover(Source("a.star", "def f():\n  return 1 +\nend\ndef g():\n  return 2\nend\n"), STARLARK)
    assert [one.at.line for one in found.faults if one.at] == [2]
    assert [statement.name for statement in found.statements if isinstance(statement, Def)] == ["f", "g"]


@pytest.mark.parametrize(
    "opener", ["if x = 1:", "elif 3 4:", "for in y:", "def f(a:", "while ):", "class A:", "try:", "with x:", "else x:"]
)
def test_a_block_stays_a_block(opener: str) -> None:
    """Its end is no fault of its own."""
    before = "#@ if True:\n" if opener.startswith(("el", "exc")) else ""
    assert len(faults(f"{before}#@ {opener}\na: 1\n#@ end\n")) == 1


def test_a_bracket_left_open_is_one_fault() -> None:
    assert [line for line, _ in faults("x = [1,\n  2 3,\n  4]\ny = 1 2\n", STARLARK)] == [2, 4]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb:\n  c: 1\n  half\n  #! said\n  d: 2\n  e: 3\nf: 1\n", 4),
        ("half\n#! said\n\nd: 2\ne: 3\n", 1),
        ("---\nhalf\nd: 2\ne: 3\n---\nz: 1\n", 2),
        ("a:\n- half\n  d: 2\n  e: 3\n", 2),
        ("a:\n- d: 1\n  half\n  e: 3\n", 3),
        ("a:\n  b: 1\n  half\n  # said\n  d: 2\n  # more\n  e: 3\n", 3),
        ("a:\n  half  # said\n  # more\n  d: 2\n  e: 3\n", 2),
    ],
)
def test_a_key_without_its_colon_is_one_fault(text: str, line: int) -> None:
    found = recover(Source("a.yml", text), YAML)
    assert [one.at.line for one in found.faults if one.at is not None] == [line]
    assert found.cut == {line}
    assert "e: 3" in found.text


@pytest.mark.parametrize(
    "broken",
    [
        '  half: "open',
        "  half: 'it''s open",
        "  half: [1, 2",
        "  half: {a: [1], b: 2",
        '  half: {a: "x}',
        '  - "*.open',
    ],
)
def test_a_quote_or_bracket_left_open_is_one_fault(broken: str) -> None:
    """However far below it is that the parser sees it."""
    rest = "".join(f'  - "*.{number}"\n' for number in range(9)) if "-" in broken else '  d: "it"\n  e: [a, {b: c}]\n'
    text = f"a:\n{broken}\n{rest}f:\n- 'x'\n- \"*.y\"\n- [1,\n   2]\n"
    found = recover(Source("a.yml", text), YAML)
    assert [one.at.line for one in found.faults if one.at is not None] == [2]
    assert found.cut == {2}
    with pytest.raises(ReadError) as raised:
        read_yaml(Source("a.yml", text))
    error = add_others(raised.value, Source("a.yml", text), YAML, ignore_unknown_comments=False)
    assert error.findings == []  # it is told of once


def test_what_goes_on_over_lines_is_not_at_fault() -> None:
    text = 'a: [1,\n  2]\nb: "x\n  y"\nc: d: e\n'
    assert [line for line, _ in faults(text)] == [5]


def test_a_value_with_two_colons_is_at_fault_itself() -> None:
    assert faults("a: half\n  d: 2\ne: 3\n")[0][0] == 2
    assert faults("b: c: d\n")[0][0] == 1


def test_names_of_lines_left_out_are_not_undefined() -> None:
    assert [line for line, _ in faults("y = = 1\nz = y\n", STARLARK)] == [1]


def test_a_text_template_has_its_first_fault() -> None:
    assert [line for line, _ in faults("a (@= 1 + @)\nb (@= ) @)\n", TEXT)] == [1]


def test_faults_without_end_are_given_up() -> None:
    assert len(faults("\n".join(f"x{n} = = 1" for n in range(100)), STARLARK)) <= 30


@pytest.mark.parametrize("text", ["", "\n", "#", "#@", "#@\n#@ end", "a: [", "%", "a: 'b\n#@ (", "\t- a"])
def test_no_text_is_too_broken(text: str) -> None:
    for kind in (YAML, STARLARK, TEXT):
        recover(Source("a", text), kind)


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ('"  spec:', "  spec:"),
        ("[  spec:", "  spec:"),
        ("  ]spec:", "  spec:"),
        ("  spec:'", "  spec:"),
        ("   spec:", "  spec:"),
        (" spec:", "  spec:"),
    ],
)
def test_a_stray_character_costs_nothing_but_itself(line: str, mended: str) -> None:
    text = f"a:\n  name: x\n{line}\n    size: 1\n    more: [2]\n  last: y\nb: 2\n"
    found = recover(Source("f.yml", text), YAML)
    assert found.text == text.replace(line, mended)
    assert found.cut == {3}
    assert [fault.at.line for fault in found.faults if fault.at] == [3]


@pytest.mark.parametrize("line", ["  newk", '  newk: "x', "  newk: [x", "  foo: bar: baz", "  @x"])
def test_a_line_that_is_typed_does_not_take_what_is_below(line: str) -> None:
    text = f"a:\n{line}\n    size: 1\nb: 2\n"
    found = recover(Source("f.yml", text), YAML)
    assert found.file is not None
    root = found.file.documents.items[0].value
    assert isinstance(root, Map)
    assert to_plain(root) == {"a": {"size": 1}, "b": 2}
