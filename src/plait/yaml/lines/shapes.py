"""The shapes of single lines in block style: `key: value`, `- key: value`, `- value`, a comment, a `---`.

Most lines of most files have one of these shapes, and lines repeat, so shapes are cached. A line that could mean
something else in context (a multi-line scalar, an anchor, a tag, an uncommon escape) has no shape; the parser reads its
document. See `document`.
"""

from __future__ import annotations

from plait.yaml.lines.flow import end_of, flow, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from plait.tree.nodes import Scalar
    from plait.yaml.lines.flow import Parsed

    # level, kind, key, value, more; see below.
    Shape: TypeAlias = tuple[int, int, Parsed, Parsed, Parsed]


class NoShapeError(Exception):
    """A line without a shape."""


# The kinds of lines. Items of an array have odd levels, twice their indentation and one more; items of a map even ones.
#   ITEM           `key: scalar`       key, value
#   OPEN           `key:`              key
#   DASH_ITEM      `- key: scalar`     key, value, level of the map
#   ENTRY          `- scalar`          -, value
#   OTHER_ITEM     all other items     key or NO_KEY, value, (level of the map, what the value is, comment, anchor)
#   ALONE          `scalar`, the value of the line above, or its continuation      -, value, what it is
#   BLANK          no text
#   COMMENT        a comment alone     -, -, comment
#   START          `---`               -, -, comment or None
#   UNKNOWN        for the parser
# A comment is (column of its `#`, text); None if there is no comment or anchor. Keys of the first three kinds are
# strings, and neither comments nor anchors are on lines of the first four.
ITEM, OPEN, DASH_ITEM, ENTRY, OTHER_ITEM, ALONE, BLANK, COMMENT, START, UNKNOWN = range(10)
# What a value is: a scalar, still to come, a flow collection (see `flow`), a block with its header, an alias with its
# name, or the first line of a quoted string.
SCALAR, TO_COME, FLOW, BLOCK, ALIAS, QUOTED = range(6)
NO_KEY = object()

_MEMO_SIZE = 20_000
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# Characters of names of anchors.
_NAME = _LETTERS + "_-"
# A key that starts with one of these is plain. A key that exceeds this length is left to the parser.
_KEY_FIRST = frozenset(_LETTERS + "_/.($")
_LONGEST_KEY = 128
# Characters that cannot start a plain scalar (`-`, `:` and `?` only before a space), and those that can.
_INDICATORS = frozenset("&*!%@`,]}")
_PLAIN_FIRST = frozenset(_LETTERS + "/.")
_PLAIN_LAST = frozenset(" :")
_HEADERS = frozenset({"|", "|-", "|+", ">", ">-", ">+"})

_BLANK: Shape = (-2, BLANK, None, None, None)
_UNKNOWN: Shape = (-2, UNKNOWN, None, None, None)


class Shapes(dict[str, "Shape"]):
    """Maps each line to its shape, computed on demand. plain: the types of plain scalars."""

    __slots__ = ("plain",)

    def __init__(self, plain: Mapping[str, Scalar]) -> None:
        super().__init__()
        self.plain = plain

    def __missing__(self, line: str) -> Shape:
        shape = _shape(line, self.plain)
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[line] = shape
        return shape


def is_start(line: str) -> bool:
    """True if a document starts on the line."""
    return line[:3] == "---" and line[3:4] in {"", " ", "\t"}


def plain_text(line: str) -> str | None:
    """The plain scalar at the end of a line, as written, or None."""
    text = line.strip(" ")
    if text[:2] == "- ":
        text = text[2:].lstrip(" ")
    key, rest = _key(text)
    if key is not None:
        text = rest
    found = _value(text, _NOTHING) if text[:1] not in {'"', "'"} else None
    return text if found is not None and found[0] == SCALAR and found[2] is None else None


class _Nothing(dict[str, None]):
    def __missing__(self, _: str) -> None:
        return None


_NOTHING = _Nothing()


def _shape(line: str, plain: Mapping[str, Scalar]) -> Shape:
    if not line.isprintable():
        return _UNKNOWN
    # The most frequent lines first, for speed: a key, and an obviously plain scalar.
    head, _, value = line.partition(": ")
    text = head.lstrip(" ")
    if value and _is_key(text):
        first = value[0]
        key: Parsed = plain[text]
        scalar: Parsed = NO_KEY
        if first in _PLAIN_FIRST and value[-1] not in _PLAIN_LAST and ": " not in value and " #" not in value:
            scalar = plain[value]
        elif first == '"' and value.find('"', 1) == len(value) - 1 and "\\" not in value:
            scalar = value[1:-1]
        if scalar is not NO_KEY and type(key) is str:
            return (2 * (len(head) - len(text)), ITEM, key, scalar, None)
    line_end = len(line.rstrip(" "))
    if not line_end:
        return _BLANK
    text = line[:line_end].lstrip(" ")
    indent = line_end - len(text)
    if text[0] == "#":
        return (-2, COMMENT, None, None, (indent + 1, line[indent + 1 :]))
    if indent == 0 and text[:3] in {"---", "..."}:
        rest = text[3:].lstrip(" ")
        if text[0] == "-" and (not rest or (rest[0] == "#" and len(text) - len(rest) > 3)):
            column = line_end - len(rest) + 1
            return (-2, START, None, None, (column, line[column:]) if rest else None)
        return _UNKNOWN
    level = inner = 2 * indent
    if text[0] == "-" and text[1:2] in {"", " "}:
        text = text[1:].lstrip(" ")
        level += 1
        inner = 2 * (line_end - len(text))
        if text[:2] in {"-", "- "}:
            return _UNKNOWN
    elif text[0] == "%":
        return _UNKNOWN
    key, rest = _key(text)
    if key is None:
        if level == inner:
            found = _value(text, plain)
            if found is None or found[0] not in {SCALAR, FLOW} or found[2] is not None:
                return _UNKNOWN
            return (level, ALONE, NO_KEY, found[1], found[0])
        key, rest = NO_KEY, text
    elif type(key) is tuple:
        (key,) = key
        key = plain[key]
    anchor = None
    if rest[:1] == "&":
        anchor, _, rest = rest[1:].partition(" ")
        rest = rest.lstrip(" ")
        if not anchor or anchor.strip(_NAME) or rest[:1] in {"&", "*"}:
            return _UNKNOWN
    found = _value(rest, plain)
    if found is None:
        return _UNKNOWN
    what, value, at = found
    comment = None
    if at is not None:
        column = line_end - len(rest) + at + 1
        comment = (column, line[column:])
    if key is NO_KEY and comment is None and anchor is None and what == SCALAR:
        return (level, ENTRY, NO_KEY, value, None)
    if type(key) is str and comment is None and anchor is None:
        if what == SCALAR:
            return (level, ITEM, key, value, None) if level == inner else (level, DASH_ITEM, key, value, inner)
        if what == TO_COME and level == inner:
            return (level, OPEN, key, None, None)
    return (level, OTHER_ITEM, key, value, (inner, what, comment, anchor))


def _key(text: str) -> tuple[Parsed, str]:
    """The key at the start of a text, and the text after its colon. A quoted key is a string, a plain one a tuple with
    its text.
    """
    quote = text[:1]
    if quote in {'"', "'"}:
        end = text.find(quote, 1)
        rest = text[end + 1 :]
        if end < 0 or rest[:1] != ":" or rest[1:2] not in {"", " "} or end > _LONGEST_KEY or "\\" in text[:end]:
            return None, text
        return text[1:end], rest[1:].lstrip(" ")
    head, colon, rest = text.partition(": ")
    if not colon:
        if text[-1:] != ":":
            return None, text
        head = text[:-1]
    return ((head,), rest.lstrip(" ")) if _is_key(head) else (None, text)


def _is_key(text: str) -> bool:
    """True if the text before a colon is a plain key."""
    return text[:1] in _KEY_FIRST and text[-1] not in _PLAIN_LAST and " #" not in text and len(text) <= _LONGEST_KEY


def _value(text: str, plain: Mapping[str, Scalar]) -> tuple[int, Parsed, int | None] | None:
    """The type of a value, the value, and the start of the comment after it. None if the parser is needed."""
    first = text[:1]
    if not first:
        return TO_COME, None, None
    if first == "#":
        return TO_COME, None, 0
    if first in {'"', "'"}:
        return _quoted(text, first, plain)
    cut = text.find(" #")
    at = None
    if cut >= 0:
        at = cut + 1
        text = text[:cut].rstrip(" ")
    if first in {"[", "{"}:
        made = flow(text, plain)
        return None if made is None else (FLOW, made, at)
    if first in {"|", ">"}:
        return (BLOCK, text, None) if text in _HEADERS and at is None else None
    if first == "*":
        return (ALIAS, text[1:], at) if len(text) > 1 and not text[1:].strip(_NAME) else None
    if first in _INDICATORS or (first in {"-", ":", "?"} and text[1:2] in {"", " "}) or ": " in text or text[-1] == ":":
        return None
    return SCALAR, plain[text], at


def _quoted(text: str, quote: str, plain: Mapping[str, Scalar]) -> tuple[int, Parsed, int | None] | None:
    if quote == '"':
        end = end_of(text, 1)
    else:
        end = text.find(quote, 1)
        while end >= 0 and text[end + 1 : end + 2] == "'":
            end = text.find("'", end + 2)
    if end < 0:
        return QUOTED, text, None
    value = text[1:end]
    if quote == "'":
        value = value.replace("''", "'")
    elif "\\" in value:
        value = parsed(text[: end + 1], plain)
        if type(value) is not str:
            return None
    rest = text[end + 1 :].lstrip(" ")
    if not rest:
        return SCALAR, value, None
    at = len(text) - len(rest)
    return (SCALAR, value, at) if rest[0] == "#" and at > end + 1 else None
