"""Edits of texts: spans, and the texts that replace them."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Edit(NamedTuple):
    """The replacement of a span of text, `text[start:end]`, which may include several lines. path: the path of the
    file, if known.
    """

    start: int
    end: int
    new: str
    path: str = ""


class ConflictError(Exception):
    """Raised for edits that overlap."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits. Edits at one position are applied in order. Raises ConflictError if some overlap."""
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
    """The edits without duplicates, and without those that overlap an earlier one."""
    out: list[Edit] = []
    for edit in sorted(set(edits), key=lambda one: (one.start, -one.end)):
        if not out or edit.start >= out[-1].end:
            out.append(edit)
    return out
