"""Laws of the lossless tree: it has the structure of libyaml's events, and every character of the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.base.text_edits import edited
from plait.yaml.lossless.edits import removal
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.scanner import scan
from plait.yaml.reader import read
from yaml_oracle import events, lost, tree_events

TOKENS = [
    "a",
    "b",
    "- ",
    "? ",
    ": ",
    "a: ",
    "b: ",
    "\n",
    "\n  ",
    "\n    ",
    "\n ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    "&x ",
    "*x",
    "!t ",
    "!!str ",
    '"q"',
    "'s'",
    '"',
    "#c",
    "# c",
    " ",
    "--- ",
    "...",
    "-",
    "?",
    ":",
    "\t",
    "\n- ",
    "\n  - ",
    '"a\n b"',
    "a b",
    "x#y",
    "0",
    "<<: ",
    "\n\n",
    "\r\n",
    "é",
    "''",
    "a:",
    "[a]: ",
    "&y",
    "\n#c\n",
    "\ufeff",
    "\x85",
    "\u2028",
]
TOKENS += ["|\n", ">-\n", "|2\n", ">\n", "|+\n", "\n---\n", "%YAML 1.1\n"]
soup = st.lists(st.sampled_from(TOKENS), max_size=14).map("".join)
CASES = sorted((Path(__file__).parents[1] / "cases").rglob("*.yml"))


def check(text: str) -> None:
    """Compare the tree of a text that libyaml accepts with the events."""
    expected = events(text)
    if expected is None:
        return
    tree = scan(text)
    found = tree_events(tree)
    if not any(event != ("document",) for event in expected):
        expected = [("document",), ("scalar", None, False, "", "")]
    assert found == expected
    assert lost(tree) == ""


@settings(max_examples=1000)
@given(soup)
def test_the_tree_has_the_structure_and_values_of_the_events(text: str) -> None:
    assume("\ufeff" not in text[1:])
    try:
        read(Source("", text))
    except PlaitError:
        return
    check(text)


@given(soup)
def test_every_text_has_a_tree_or_a_tree_error(text: str) -> None:
    try:
        tree_events(scan(text))
    except TreeError:
        pass


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_files_have_the_structure_and_values_of_the_events(path: Path) -> None:
    check(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "unit", ["[", "{", "- ", "? ", "&a ", "a: [", "[a: ", "'", '"', "|\n", "- |\n  x\n", "#\n", "\n "]
)
def test_depth_and_repetition_do_not_exhaust_the_stack(unit: str) -> None:
    try:
        tree_events(scan(unit * 20_000))
    except TreeError:
        pass


PIECES = [
    "a: 1\n",
    "# above\nb: x # behind\n",
    "c:\n  # inner\n  d: |\n    text\n\n  e: 2\n",
    "f:\n- 1\n# two\n- 2\n- g: 1\n  # next\n  h: 2\n",
    "i: [1, 2, {j: 3, k: 4}]\n",
    "l: [\n  1,\n  2 # last\n]\n",
    '"m": "n"\n',
    "o:\n  - - p\n    - q\n  -\n    r: s\n",
    "? t\n: u\n",
    "\n",
    "v: w\n  w\n",
]


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=5, unique=True).map("".join), st.data())
def test_a_removal_removes_one_item_and_nothing_else(text: str, data: st.DataObject) -> None:
    tree = scan(text)
    pairs = [pair for pair in tree.walk() if len(pair[0].items) > 1]
    assume(pairs)
    around, item = data.draw(st.sampled_from(pairs))
    edits = removal(tree, around, item)
    assert edits is not None
    around.items.remove(item)
    assert events(edited(text, edits)) == tree_events(tree)


@pytest.mark.parametrize(
    ("text", "number", "left"),
    [
        ("x: 0\n\n# of a\na: 1 # too\n# of b\nb: 2\n", 1, "x: 0\n\n# of b\nb: 2\n"),
        ("# of the text\na: 1\nb: 2\n", 0, "# of the text\nb: 2\n"),
        ("- a: 1\n  # of b\n  b: 2\n", 1, "# of b\n- b: 2\n"),
        ("a: [1,\n  2]\n", 2, "a: [1]\n"),
        ("a: [\n  1,\n  2,\n]\n", 2, "a: [\n  1,\n]\n"),
        ("\ufeffa: 1\nb: 2\n", 0, "\ufeffb: 2\n"),
        ("x: 0\n#@ if y:\na: 1\n#@ end\n", 1, "x: 0\n#@ if y:\n#@ end\n"),
        ("x: 0\n#@overlay/remove\na: 1\n", 1, "x: 0\n"),
    ],
)
def test_an_item_goes_with_the_comments_that_belong_to_it(text: str, number: int, left: str) -> None:
    tree = scan(text)
    edits = removal(tree, *list(tree.walk())[number])
    assert edits is not None
    assert edited(text, edits) == left
