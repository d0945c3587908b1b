"""A YAML text in one look, with everything that its author wrote: only the places of lines and spaces at their ends change."""

from __future__ import annotations

import re

import yaml

from plait.formatting.structure import OddError, Plan, plan_of
from plait.nodes import equal, walk
from plait.source import Source
from plait.yaml import Comments, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.nodes import DocumentSet

# The parser of YAML takes these for ends of lines, editors do not.
_ODD_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


class Formatted:
    """A text and what became of it. left_alone: why it stays as it is, although it is YAML; empty otherwise."""

    __slots__ = ("before", "left_alone", "text")

    def __init__(self, before: str, text: str, left_alone: str = "") -> None:
        self.before = before
        self.text = text
        self.left_alone = left_alone

    @property
    def is_changed(self) -> bool:
        return self.text != self.before


def format_text(text: str, name: str = "text") -> Formatted:
    """Format one text.

    Maps and sequences are indented by two spaces, sequences below keys as most of them are in the text. Spaces at the ends
    of lines and blank lines at the end of the text go, except within scalars. Comments move with what they stand above.
    Documents, comments, quotes, tags, anchors, styles and the order of everything stay: that is checked.
    Raises ReadError for what is not YAML, LimitError.
    """
    before = _read(text, name)
    if _ODD_BREAKS.search(text):
        return Formatted(text, text, "it has line breaks of more than one kind")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text[len(mark) :].split("\n")
    try:
        plan = plan_of(text[len(mark) :], lines)
    except (OddError, yaml.YAMLError):
        return Formatted(text, text, "it has something whose lines are better left where they are")
    made = mark + "\n".join(_written(lines, plan, before[1]))
    if made == text:
        return Formatted(text, text)
    if not _same(before, _read(made, name)):
        return Formatted(text, text, "formatting would change what it says; this is a bug in plait, please report it")
    return Formatted(text, made)


def _read(text: str, name: str) -> tuple[DocumentSet, Comments]:
    comments = Comments()
    return read(Source(name, text), comments=comments), comments


def _same(before: tuple[DocumentSet, Comments], after: tuple[DocumentSet, Comments]) -> bool:
    """Whether two readings have the same documents, and the same comments at the same nodes."""
    if not equal(before[0], after[0]):
        return False
    return all(
        _texts(before[1], one) == _texts(after[1], other)
        for one, other in zip([before[0], *walk(before[0])], [after[0], *walk(after[0])], strict=True)
    )


def _texts(comments: Comments, owner: object) -> list[str]:
    return [re.sub("^@ +", "@ ", comment.text.rstrip()) for comment in comments.of.get(owner, [])]  # type: ignore[call-overload]


def _written(lines: Sequence[str], plan: Plan, comments: Comments) -> list[str]:
    """The lines of the new text."""
    code = {comment.line - 1: comment.column - 1 for comment in comments.all if comment.text.startswith("@  ")}
    out: list[str] = []
    for number, line in enumerate(lines):
        end = "\r" if line.endswith("\r") else ""
        body = line.removesuffix("\r")
        if number in plan.scalars:
            out.append(_of_block_scalar(body, *plan.scalars[number]) + end)
        elif number in plan.kept:
            out.append(_moved(body, plan.moved[number]) + end)
        elif number in plan.moved:
            out.append(_moved(body, plan.moved[number]).rstrip() + end)
        elif number in plan.columns:
            if number in code:
                at = code[number]
                body = f"{body[:at]}#@ {body[at + 2 :].lstrip(' ')}"
            for _, dash, column in reversed([one for one in plan.tight if one[0] == number]):
                body = f"{body[: dash + 1]} {body[column:]}"
            # A line whose scalar goes on may end in spaces that mean something.
            body = body if number + 1 in plan.kept else body.rstrip()
            out.append(" " * plan.columns[number] + body.lstrip(" ") + end)
        elif body.lstrip(" ").startswith("#"):
            column = len(body) - len(body.lstrip(" "))
            out.append(" " * _of_comment(lines, number, column, plan) + body.strip() + end)
        else:
            out.append(body.rstrip() + end)
    return out if plan.ends_open else _ended(out)


def _of_block_scalar(line: str, old: int, new: int) -> str:
    """A line of a block scalar whose text began at one column and begins at another now."""
    column = len(line) - len(line.lstrip(" "))
    if column == len(line):
        return " " * (new + column - old) if column > old else ""
    return " " * max(0, new + column - old) + line[column:]


def _moved(line: str, way: int) -> str:
    column = len(line) - len(line.lstrip(" "))
    return line if column == len(line) else " " * max(0, column + way) + line[column:]


def _of_comment(lines: Sequence[str], number: int, column: int, plan: Plan) -> int:
    """The column of a comment on a line of its own: that of what it stands above or below, if it stood at its column."""
    after = next((one for one in range(number + 1, len(lines)) if one in plan.columns), None)
    if after is not None and len(lines[after]) - len(lines[after].lstrip(" ")) == column:
        return plan.columns[after]
    before = next((one for one in range(number - 1, -1, -1) if one in plan.columns), None)
    for one in (before, after):
        if one is not None and column in plan.around[one]:
            return plan.around[one][column]
    return column


def _ended(lines: list[str]) -> list[str]:
    """Lines without blank ones at their end, and with a line feed behind the last."""
    while lines and not lines[-1].strip():
        lines.pop()
    return [*lines, ""] if lines else [""]
