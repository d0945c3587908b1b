"""Searches for a small part of a list that still holds, by leaving out halves, quarters and finally single items."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")


def smallest(items: Sequence[T], holds: Callable[[Sequence[T]], bool], budget: int) -> tuple[list[T], int]:
    """The smallest part found, and the number of calls of `holds`, which is at most `budget`. All items hold."""
    rest = [*items]
    used = 0
    size = max(1, len(rest) // 2)
    while len(rest) > 1 and used < budget:
        start = 0
        is_smaller = False
        while start < len(rest) and used < budget and len(rest) > 1:
            kept = [*rest[:start], *rest[start + size :]]
            if not kept:
                start += size
                continue
            used += 1
            if holds(kept):
                rest = kept
                is_smaller = True
            else:
                start += size
        if size == 1 and not is_smaller:
            break
        size = max(1, size // 2)
    return rest, used
