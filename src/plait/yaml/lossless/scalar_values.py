"""The values of scalars as text."""

from __future__ import annotations

import re

from plait.yaml.lossless.blocks import block_lines, detected, lines_of
from plait.yaml.lossless.nodes import EMPTY, PLAIN
from plait.yaml.scalars import resolve_plain, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Scalar
    from plait.yaml.lossless.nodes import Node

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_BLANK = re.compile("[ \r\n\x85]*")
# A match begins at the first of several spaces, so that a long run of them is read once.
_FOLD = re.compile("(?<![ \t])[ \t]*+(?:(?:\r\n|[\n\r\x85\u2028\u2029])[ \t]*+)+")
_ESCAPE = re.compile(
    r"""\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|((?:\r\n|[\n\r\x85\u2028\u2029])[ \t]*)|([\s\S]))"""
    r"|((?:(?:(?<![ \t])|(?<=\\[ \t]))[ \t]++)?+(?:(?:\r\n|[\n\r\x85\u2028\u2029])[ \t]*+)++)"
)
_ESCAPED = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}


_GAP = re.compile("(?:[ \t\r\n\x85\u2028\u2029]|#[^\n]*)*")


def skipped(text: str, at: int) -> int:
    """The offset after white space, line breaks and comments."""
    found = _GAP.match(text, at)
    return at if found is None else found.end()


def body_start(text: str, node: Node) -> int:
    """The offset of a node's content, after its properties."""
    return node.start if node.properties is None else min(skipped(text, node.properties.end), node.end)


def written(text: str, node: Node) -> str:
    """The source text of a scalar, without its properties."""
    return text[body_start(text, node) : node.end]


def scalar_text(text: str, node: Node, indent: int = -1) -> str:
    """The value of a scalar as text; "" for an empty node. indent: the indentation of the collection that contains a
    block scalar.
    """
    body = written(text, node)
    style = node.style
    if style is PLAIN:
        return body if _BREAK.search(body) is None else _FOLD.sub(_folded, body)
    if style == "'":
        body = body[1:-1].replace("''", "'")
        return body if _BREAK.search(body) is None else _FOLD.sub(_folded, body)
    if style == '"':
        body = body[1:-1]
        return body if "\\" not in body and _BREAK.search(body) is None else _ESCAPE.sub(_unescaped, body)
    if style in ("|", ">"):
        return _block(text, node, body, indent)
    return ""


def scalar_value(text: str, node: Node, indent: int = -1) -> Scalar:
    """The value of a scalar, as the reader resolves it; None for an empty node. Raises ValueError for an unfit tag."""
    found = scalar_text(text, node, indent)
    tag = node.tag
    if tag is None or tag == "!":
        return resolve_plain(found) if node.style in (PLAIN, EMPTY) and tag is None else found
    if tag.startswith("!!"):
        tag = "tag:yaml.org,2002:" + tag[2:]
    elif tag.startswith("!<"):
        tag = tag[2:-1]
    return resolve_tagged(tag, found)


def alias_name(text: str, node: Node) -> str:
    """The anchor that an alias refers to."""
    return text[text.rindex("*", node.start, node.end) + 1 : node.end]


def _folded(found: re.Match[str]) -> str:
    """The replacement for a line fold: a space for one line break, or all line breaks but the first."""
    breaks: list[str] = _BREAK.findall(found[0])
    if breaks[0] in ("\u2028", "\u2029"):
        return breaks[0] + "".join(map(_normal, breaks[1:]))
    return "".join(map(_normal, breaks[1:])) or " "


def _normal(one: str) -> str:
    return one if one in ("\u2028", "\u2029") else "\n"


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    if found[4] is not None:
        return ""
    if found[5] is not None:
        return _ESCAPED.get(found[5], found[5])
    return _folded(found)


def _block(text: str, node: Node, body: str, indent: int) -> str:
    header = body.partition("\n")[0]
    signs = header.partition("#")[0]
    start = node.end - len(body) + len(header) + 1
    digit = next((one for one in signs if one.isdigit()), "")
    shadow = lines_of(text[start : _BLANK.match(text, node.end).end()])  # type: ignore[union-attr]
    indent = max(indent, 0) + int(digit) if digit else max(indent + 1, 1, detected(shadow, 0))
    found = block_lines(indent).match(shadow)
    end = 0 if found is None else found.end()
    content = [one[indent:] for one in re.split("\r\n|[\n\r\x85]", text[start : start + end])]
    ended = bool(content) and content[-1] == ""
    if ended:
        content.pop()
    trailing = 0
    while content and not content[-1]:
        content.pop()
        trailing += 1
    if signs[:1] == "|":
        value = "\n".join(content)
    else:
        value = _folded_lines(content)
    if not content:
        return "\n" * trailing if "+" in signs else ""
    if "-" in signs:
        return value
    value += "\n" if ended or trailing else ""
    return value + "\n" * trailing if "+" in signs else value


def _folded_lines(lines: list[str]) -> str:
    out: list[str] = []
    breaks = 0
    last_is_text = False
    for line in lines:
        if not line:
            breaks += 1
            continue
        is_text = line[0] not in " \t"
        if out:
            if last_is_text and is_text:
                out.append("\n" * breaks or " ")
            else:
                out.append("\n" * (breaks + 1))
        else:
            out.append("\n" * breaks)
        out.append(line)
        breaks, last_is_text = 0, is_text
    return "".join(out)
