"""Reading line by line gives what the parser gives: nodes, lines, comments and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.base.errors import PlaitError
from plait.base.fast_paths import FAST
from plait.base.source import Source
from plait.layering.plain_scalars import plain_values
from plait.tree.nodes import Map, MapItem
from plait.yaml import events
from plait.yaml.comments import Comments
from plait.yaml.libyaml import parser
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

if TYPE_CHECKING:
    from plait.tree.nodes import DocumentSet
    from plait.yaml.libyaml import Parser
    from plait.yaml.libyaml_quirks import PatchedText

by_lines = pytest.mark.skipif(not FAST, reason="the line reader is left out")

VALUES = [
    "", "a", "a b", "1", "yes", "~", "-5", "0x1f", '"q"', "'it''s'", '"a: b"', '"t\\tb"', "[]", "{}", "[a, 'b', -c]",
    "{a: 1, b: [c]}", "[a: b]", "{a: 1, a: 2}", "[a,", "|", "|-", "|+", "|2", "> ", "&x a", "*x", "!!str 1", "- a",
    "a: b", "a:b", "http://x:80", "a #c", "a#c", '"a" # c', '"a"#c', "#c", "[] #c", "[a] #@ c", "---", "\u00e9", "a\tb", "<<",
    "((v))", "a:", "?", "%x", "\"it\\'s\"", '"a\\/b"', "!a,b c", "[!a, b]", "[a:, b]", '["\\/"]', "@x", '"', "x" * 130,
]  # fmt: skip
KEYS = ["a", "b", "c.d/e", "1", "yes", '"q"', "'s'", "<<", "x y", "&k a", "k" * 130, "\u00e9", "((v))", "[a]", "*x"]
BARE = [
    "---",
    "--- ",
    "--- #@ c",
    "---a",
    "--- a",
    "...",
    "%YAML 1.1",
    "%YAML 1.2",
    "",
    "   ",
    "# c",
    "\t",
    "-",
    "- ",
    "- -",
    "\ufeff",
]

# The plain ones come more often, or hardly a document would go line by line.
TAME = ["a", "b", "1", '"q"', "", "[a, b]", "{a: 1}", "a #c", "|", "~", "&x", "*x"]
TAME_LINES = [
    *(f"{key}: {value}" for key in "abcdef" for value in TAME),
    *(f"{key}:{end}" for key in "abcdef" for end in ("", "", " ", "  #c") * 3),
    *(f"- {key}: {value}" for key in "ab" for value in TAME),
    *(f"- {value}" for value in TAME),
    *("-   a:", "- b:", "-", "---", "# c", "") * 3,
]
LINES = [
    *(f"{key}: {value}" for key in KEYS for value in VALUES),
    *(f"- {key}:{end}" for key in KEYS for end in ("", " ", " #c")),
    *(f"{key}:" for key in KEYS),
    *(f"- {value}" for value in VALUES),
    *BARE,
]
lines = st.one_of(*[st.sampled_from(TAME_LINES)] * 4, st.sampled_from(LINES))
texts = st.builds(
    lambda found, end: "\n".join("  " * depth + line for depth, line in found) + end,
    st.lists(st.tuples(st.integers(0, 3), lines), max_size=7),
    st.sampled_from(["", "\n", "\n\n"]),
)


def read_as(text: str, *, with_parser: bool, **options: object) -> object:
    """All that a text reads as, in a form that can be compared."""
    comments = options.pop("comments", None)
    given = Comments() if comments else None
    try:
        tree = read(
            Source("f.yml", text, 3),
            comments=given,
            parser=parser() if with_parser else None,
            **options,  # type: ignore[arg-type]
        )
    except PlaitError as error:
        return str(error), str(error.at), error.found, error.hint
    owned = {} if given is None else given.of
    shown = _shown(tree, owned)
    assert not owned, "comments of nobody"
    once = deduplicate(tree)
    return shown, [] if given is None else [_comment(one) for one in given.all], _shown(once, {}), once is tree


def _shown(value: object, comments: dict) -> object:  # type: ignore[type-arg]
    if not hasattr(value, "items"):
        return type(value).__name__, repr(value)
    if isinstance(value, Map):
        kept = {item.key: item for item in value.items if type(item.key) is str}
        assert all(value.find(key) is item for key, item in kept.items())
    shown: list[object] = [type(value).__name__, value.line, [_comment(one) for one in comments.pop(value, [])]]  # type: ignore[attr-defined]
    for item in value.items:
        shown.append((item.line, [_comment(one) for one in comments.pop(item, [])]))
        if isinstance(item, MapItem):
            shown.append(_shown(item.key, comments))
        shown.append(_shown(item.value, comments))
    return shown


def _comment(comment: object) -> str:
    return repr(comment)


OPTIONS: list[dict[str, object]] = [
    {"comments": True, "merge_lists": False},
    {"keep_mark": False, "first": True, "scalar_keys": True},
    {"keep_mark": False, "plain": plain_values},
]


def check(text: str) -> None:
    for options in OPTIONS:
        assert read_as(text, with_parser=False, **options) == read_as(text, with_parser=True, **options)


@given(texts)
def test_lines_and_the_parser_give_the_same(text: str) -> None:
    check(text)


REGULAR = """\
# above
--- #@ beside
a: 1 # one
b:
- x
- y: 2
  z: "q: #"
-   - not
"""


@pytest.mark.parametrize(
    "text",
    [
        REGULAR,
        "a:\n- b\nc: d\n",
        "- a: 1\n  b:\n  - c\n- d\n",
        "-\n  a: b\n-\n- c\n",
        "a: |\n  x\n\n   y\n\nb: |-\n  z\n---\nc: |+\n  w\n\n",
        "a: |\n  x",
        "a: |\n\n  x\n",
        "a: |\n  x\n y: z\n",
        "a: |\n  \tx\n",
        "a: |\n  x\n  \t\n # c\n",
        "a: b\n  c\n",
        "a:\n  b\n",
        "a: b\n  - c\n",
        "a: 1\na: 2\n---\nb:\n  c: 1\n  c: 2\n",
        "1: a\ntrue: b\n1.0: c\n",
        "a: &x b\n---\nc: d\n---\ne: *x\n",
        "\t# c\n---\na: b\n",
        "# c\n---\n# d\n---\na: [\n# e\n]\n# f\n---\nb: c\n# g\n",
        "a: {b: [c, {d: e}]} # f\n",
        "- [a] # b\n# c\n",
        "  a: b\n c: d\n",
        "x: &a {k: 1}\ny: {<<: *a}\n#@ z\n",
        "a: &a [1, 2]\nb: *a  #@ c\n- d: *a #@ e\n",
        "a: &a [1, 2]\nb: *a  #@ c\nd:\n- *a #@ e\n",
        "a: &x\n  b: [c]\n  d: # e\nf: *x\ng:\n- *x\n- &y z\n- *y\n",
        "a: &x\nb:\n  c: d\ne: *x\n",
        "a: &x\n- &x b\n- *x\nc: *x # d\n",
        "a: &x\n  b: *x\n",
        "a: &x |\n  b\nc: *x\nd: &x [e]\nf: *x\n",
        "a: &x [b]\n---\nc: *x\n",
        "- &x\n  a: b\n  a: c\n- *x\n",
        "- &x a: b\n- *x\n",
        "a: &x b\n---\nc: !t d\n---\ne: &x f\ng: *x\n",
        "a: *x\n",
        "a: >\n  b\n  c\n\n  d\n   e\n  f\n\n\n  g\n\nh: >-\n  i\n",
        "a: b c\n  d\n\n  e: f\n",
        "a: b c\n  - d\n\n\n  e\nf: 1\n  2\n- g\n",
        "- a\n  b\n- c:\n    d e\n    f\n  g: h\n",
        "a: b\n  c\n  # d\n  e\n",
        "a: |\n   b\n  c\n",
        "a: 'b c\n  d''e\n\n  f '\ng: \"h\n  i\"\n",
        "a: 'b\n  c' d\n",
        "a: 'b\nc'\n",
        "a: '\n  '\nb: \"c\\n\n  d\"\n",
        'a: "b\\n\n  c \\\\"\nd: "e\\"\n\n  f\\\n   g" \nh: "\\x41" # i\n',
        'a: "b\\\n  \\tc"\nd: "e\\q\n  f"\n',
        'a: "b\\ \n  c"\n',
        "a: :b\nc: ?d\ne: -f\n",
        "a:\n  'b'\nc:\n  [d] # e\nf: &g\n  h\n",
        "a\n",
        "a b # c\n---\n'd'\n# e\n",
        "--- # a\n# b\n[c, {d: e}]\n# f\n---\n\n{g: h}\n",
        "a\nb\n",
        "a: b\nc\n",
        "a:\n  [b]\n",
        "|\n  a\n",
        "a: b\r\nc: d\n",
        "",
        "# nothing\n",
    ],
)
def test_texts_where_lines_could_mislead(text: str) -> None:
    check(text)


@by_lines
def test_regular_documents_are_not_left_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected() -> object:
        raise AssertionError("the parser was asked")

    monkeypatch.setattr(events, "fastest_parser", unexpected)
    text = REGULAR.replace("-   - not\n", "- |\n  w\n- [a, {b: c}]\n- {}\n")
    tree: DocumentSet = read(Source("f.yml", text), comments=Comments())
    assert tree.items[0].distinct


@by_lines
def test_only_irregular_documents_are_left_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = events.ParsePass.build

    def build(self: events.ParsePass, parser: Parser, adapted: PatchedText | None) -> DocumentSet:
        asked.append(self.text)
        return original(self, parser, adapted)

    monkeypatch.setattr(events.ParsePass, "build", build)
    read(Source("f.yml", "a: b\n---\nc: !t d\n---\ne: f\n"))
    assert asked == ["---\nc: !t d\n"]


@by_lines
def test_a_text_that_is_mostly_irregular_is_read_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = events.ParsePass.build

    def build(self: events.ParsePass, parser: Parser, adapted: PatchedText | None) -> DocumentSet:
        asked.append(self.text)
        return original(self, parser, adapted)

    monkeypatch.setattr(events.ParsePass, "build", build)
    tree = read(Source("f.yml", "---\na: !t b\n" * 1_000))
    assert len(tree.items) == 1_000
    assert len(asked) < 600
