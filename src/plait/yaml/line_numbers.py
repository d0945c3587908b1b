"""Line numbers that the parser does not report, or reports differently.

An array item is on the line of its dash, which events do not contain. A line ends at a line feed, as in an editor; the
parser also counts carriage returns, NEL and the Unicode separators.
"""

from __future__ import annotations

from plait.tree.nodes import COLLECTION_TYPES, Array, DocumentSet, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Node

_UNICODE_BREAKS = "\x85\u2028\u2029"


def dash_before(text: str, index: int) -> int:
    """The index of the last dash before `index`."""
    at = index - 1
    while at > 0 and text[at] in " \t":
        at -= 1
    while at > 0 and text[at] != "-":
        # Skip empty lines and comment lines up to the line with the dash.
        start = text.rfind("\n", 0, at) + 1
        line = text[start:at].partition("#")[0].rstrip(" \t\r")
        if line.lstrip(" \t\r"):
            return start + len(line) - 1
        at = start - 1
    return max(at, 0)


def has_odd_breaks(text: str) -> bool:
    """True if the parser counts more lines in a text than an editor does."""
    return any(mark in text for mark in _UNICODE_BREAKS) or text.count("\r") != text.count("\r\n")


def correct_lines(tree: DocumentSet, text: str, base: int) -> None:
    """Replaces the parser's line numbers by the editor's in a new tree. base: the number of the first line."""
    lines = _line_numbers(text, base)
    seen: set[Node] = {tree}
    pending: list[Node] = [*tree.items]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        node.line = lines[node.line - base]
        if isinstance(node, COLLECTION_TYPES):
            pending.extend(node.items)
            continue
        if type(node) is MapItem and (type(node.key) is Map or type(node.key) is Array):
            pending.append(node.key)
        value = node.value
        if type(value) is Map or type(value) is Array:
            pending.append(value)


def _line_numbers(text: str, base: int) -> list[int]:
    """The editor's line number of each line that the parser counts."""
    lines = [base]
    number = base
    previous = ""
    for character in text:
        if character == "\n":
            number += 1
            if previous == "\r":
                lines[-1] = number
            else:
                lines.append(number)
        elif character == "\r" or character in _UNICODE_BREAKS:
            lines.append(number)
        previous = character
    return lines
