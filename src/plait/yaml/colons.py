"""Colons at the end of plain scalars in flow collections: `[a:, b]` (spec ytt 2.1).

libyaml refuses such a colon; the parser of ytt and BOSH takes it for text. So the text is read again with another
character in the colon's place, one that the text does not have, and the values get their colons back.
"""

from __future__ import annotations

from plait.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.nodes import DocumentSet

_MESSAGE = "found unexpected ':'"


def colon_index(error: Exception) -> int | None:
    """Where the colon stands that an exception of the parser is about; None if it is about something else."""
    if getattr(error, "problem", None) != _MESSAGE:
        return None
    mark = getattr(error, "problem_mark", None)
    return None if mark is None else int(mark.index)


def stand_in(text: str) -> str:
    """A character for private use that the text does not have; "" if it has them all."""
    present = set(text)
    return next((c for c in map(chr, range(0xE000, 0xF8FF)) if c not in present), "")


def without_colon(text: str, error: Exception, mark: str) -> str | None:
    """The text with the stand-in in the place of the colon that an exception is about; None if it is about none."""
    index = colon_index(error)
    return None if index is None or not mark else f"{text[:index]}{mark}{text[index + 1 :]}"


def restore(tree: DocumentSet, mark: str) -> None:
    """Put colons where the stand-in is; only for a tree that was just read."""
    pending: list[Any] = [tree]
    while pending:
        for item in pending.pop().items:
            if type(item.value) is str:
                item.value = item.value.replace(mark, ":")
            elif type(item.value) is Map or type(item.value) is Array:
                pending.append(item.value)
            key = getattr(item, "key", None)
            if type(key) is str:
                item.key = key.replace(mark, ":")
            elif type(key) is Map or type(key) is Array:
                pending.append(key)
