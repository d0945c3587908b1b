"""Formats YAML text and preserves its content: only indentation and spaces at line ends change."""

from __future__ import annotations

import re
from itertools import zip_longest

from plait.authoring.formatting.structure import Block, OddError, Reindentation, plan_of, words
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import equal, walk
from plait.yaml.comments import Comments
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.scanner import scan
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.tree.nodes import DocumentSet

# The YAML parser ends lines at these, editors do not.
_ODD_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class FormattedText:
    """A text and its formatted version. left_alone: the reason why valid YAML was not changed; otherwise empty."""

    __slots__ = ("before", "left_alone", "text")

    def __init__(self, before: str, text: str, left_alone: str = "") -> None:
        self.before = before
        self.text = text
        self.left_alone = left_alone

    @property
    def is_changed(self) -> bool:
        return self.text != self.before


def format_text(text: str, name: str = "text", *, lines: tuple[int, int] | None = None) -> FormattedText:
    """Formats one text. lines: the first and the last line that may change, from 0; by default all.

    Maps and sequences are indented by two spaces; sequences below keys follow the majority in the text. Spaces at the
    ends of lines and blank lines at the end of the text are removed, except within scalars. Comments move with the line
    below them. Everything else stays on the same line; this is verified. If some lines cannot be
    reindented, only spaces inside them and at their ends change.

    Raises ReadError for invalid YAML, LimitError.
    """
    before = _read(text, name)
    if _ODD_BREAKS.search(text):
        return FormattedText(text, text, "it mixes different line breaks")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    if "\ufeff" in text[len(mark) :]:
        # The scanner ignores some of these characters; the reader treats them as text.
        return FormattedText(text, text, "it contains a byte order mark that is not at its start")
    written = text[len(mark) :].split("\n")
    try:
        tree = scan(text[len(mark) :])
        plan = plan_of(tree, written)
    except (OddError, TreeError):
        return FormattedText(text, text, "it contains a construct that fmt does not reindent")
    new = _written(written, plan, before[1])
    for some in [new] if lines is None else _of_lines(written, new, *lines):
        made = mark + "\n".join(some)
        if made == text:
            return FormattedText(text, text)
        if _has_same_content(before, words(tree), made, mark, name):
            return FormattedText(text, made)
    if lines is not None:
        return FormattedText(text, text, "these lines cannot be formatted separately")
    return FormattedText(text, text, "formatting would change its content; this is a bug in plait, please report it")


def _of_lines(old: Sequence[str], new: Sequence[str], first: int, last: int) -> Iterator[list[str]]:
    """The old lines with some of the new lines, whose number and positions are unchanged."""
    both = [*zip_longest(old, new)]
    for keeps_place in (False, True):
        made = []
        for number, (before, after) in enumerate(both):
            line = after if first <= number <= last else before
            if keeps_place and line is not None and before is not None:
                line = before[: len(before) - len(before.lstrip(" "))] + line.lstrip(" ")
            if line is not None:
                made.append(line)
        yield made


def _has_same_content(
    before: tuple[DocumentSet, Comments], written: list[object], output: str, mark: str, name: str
) -> bool:
    """True if the new text has the same content as the old one."""
    try:
        return _same(before, _read(output, name)) and words(scan(output[len(mark) :])) == written
    except (PlaitError, TreeError):
        return False


def _read(text: str, name: str) -> tuple[DocumentSet, Comments]:
    comments = Comments()
    return read(Source(name, text), comments=comments), comments


def _same(before: tuple[DocumentSet, Comments], after: tuple[DocumentSet, Comments]) -> bool:
    """True if both texts have the same documents, and the same comments at the same nodes."""
    if not equal(before[0], after[0]):
        return False
    return all(
        _texts(before[1], one) == _texts(after[1], other)
        for one, other in zip([before[0], *walk(before[0])], [after[0], *walk(after[0])], strict=True)
    )


def _texts(comments: Comments, owner: object) -> list[str]:
    return [re.sub("^@ +", "@ ", comment.text.rstrip()) for comment in comments.of.get(owner, [])]  # type: ignore[call-overload]


def _written(lines: Sequence[str], plan: Reindentation, comments: Comments) -> list[str]:
    """The lines of the new text."""
    code = {
        comment.line - 1: comment.column - 1
        for comment in comments.all
        if comment.text.startswith("@ ") and comment.line - 1 in plan.columns
    }
    # A string in code may span lines, whose trailing spaces are preserved.
    keeps_code = any(mark in comment.text for comment in comments.all for mark in _LONG_TEXTS)
    columns = _of_comments(lines, plan)
    out: list[str] = []
    for number, line in enumerate(lines):
        end = "\r" if line.endswith("\r") else ""
        body = line.removesuffix("\r")
        if number in plan.scalars:
            out.append(_of_block_scalar(body, *plan.scalars[number]) + end)
            continue
        if number in plan.moved:
            body = _moved(body, *plan.moved[number])
        elif number in plan.columns:
            if number in code:
                body = _with_one_space(body, code[number])
            for dash, column in reversed(plan.tight.get(number, ())):
                body = f"{body[: dash + 1]} {body[column:]}"
            body = " " * plan.columns[number] + body.lstrip(" ")
        elif number in columns:
            body = " " * columns[number] + body.lstrip(" \t")
        if not (number in plan.kept or (keeps_code and "#@" in body)):
            body = body.rstrip(" \t")
        out.append(body + end)
    return out if plan.ends_open else _ended(out)


_LONG_TEXTS = ('"""', "'''")


def _with_one_space(line: str, at: int) -> str:
    """A line with code as a value, with one space after its `#@`, and one before it if only a dash precedes it."""
    before = line[:at].rstrip(" ")
    return f"{before if before.endswith('-') else line[: at - 1]} #@ {line[at + 2 :].lstrip(' ')}"


def _of_block_scalar(line: str, old: int, new: int) -> str:
    """A line of a block scalar, moved from one column to another."""
    column = len(line) - len(line.lstrip(" "))
    if column == len(line):
        return " " * (new + column - old) if column > old else ""
    return " " * max(0, new + column - old) + line[column:]


def _moved(line: str, way: int, block: Block | None) -> str:
    """A continuation line, moved. Text to the right of a collection stays to its right."""
    column = len(line) - len(line.lstrip(" "))
    if not way or column == len(line):
        return line
    least = 0 if block is None else block.new + (column > block.old)
    # At the start of a line these could end the document.
    return " " * max(least, column + way, line[column] in "-.%") + line[column:]


def _of_comments(lines: Sequence[str], plan: Reindentation) -> dict[int, int]:
    """The columns of comments on their own lines, from the enclosing collections and the line below."""
    below: dict[int, int] = {}
    after: int | None = None
    for number in range(len(lines) - 1, -1, -1):
        if number in plan.columns:
            after = number
        elif _is_mark(lines[number]) and number not in plan.scalars:
            after = None
        elif after is not None:
            below[number] = after
    found: dict[int, int] = {}
    above: dict[int, int] = {}
    scalar: tuple[int, int] | None = None
    for number, line in enumerate(lines):
        if number in plan.scalars:
            scalar = plan.scalars[number]
        elif number in plan.moved or not line.strip(" \t\r"):
            continue
        elif line.lstrip(" \t").startswith("#"):
            column = len(line) - len(line.lstrip(" "))
            new = _of_comment(column, above, _below(lines, plan, below.get(number)))
            # At the column of the text, the comment would become part of the block scalar.
            found[number] = min(new, max(0, scalar[1] - 1)) if scalar is not None and column < scalar[0] else new
        else:
            above, scalar = plan.around.get(number, {}), None
    return found


def _is_mark(line: str) -> bool:
    return line.startswith(("---", "..."))


def _below(lines: Sequence[str], plan: Reindentation, number: int | None) -> tuple[int, int] | None:
    """The old and the new column of a line, or None."""
    if number is None:
        return None
    return len(lines[number]) - len(lines[number].lstrip(" ")), plan.columns[number]


def _of_comment(column: int, above: Mapping[int, int], below: tuple[int, int] | None) -> int:
    """The new column of a comment: that of the line below or above in the same column, else shifted with the lines to
    its left.
    """
    columns = dict(above)
    if below is not None:
        columns[below[0]] = below[1]
    if column in columns:
        return columns[column]
    left = max((one for one in columns if one < column), default=None)
    right = min((one for one in columns if one > column), default=None)
    new = column if left is None else columns[left] + column - left
    return new if right is None else min(new, columns[right])


def _ended(lines: list[str]) -> list[str]:
    """The lines without trailing blank lines, and with a line feed after the last."""
    while lines and not lines[-1].strip(" \t\r"):
        lines.pop()
    return [*lines, ""] if lines else [""]
