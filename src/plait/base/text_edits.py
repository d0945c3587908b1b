"""Edits of texts: parts of a text, and the texts in their place."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Edit(NamedTuple):
    """A part of a text, `text[start:end]`, and the text in its place. It may span lines. path: of the file, if that is known."""

    start: int
    end: int
    new: str
    path: str = ""


class ConflictError(Exception):
    """Edits that overlap."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made. Those at one place are made in their order. Raises ConflictError if some overlap."""
    out: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        if edit.start < at:
            raise ConflictError
        out += (text[at : edit.start], edit.new)
        at = edit.end
    out.append(text[at:])
    return "".join(out)


def outermost(edits: Iterable[Edit]) -> list[Edit]:
    """The edits without repetitions, and without those that overlap one before them, such as what lies within it."""
    out: list[Edit] = []
    for edit in sorted(set(edits), key=lambda one: (one.start, -one.end)):
        if not out or edit.start >= out[-1].end:
            out.append(edit)
    return out
