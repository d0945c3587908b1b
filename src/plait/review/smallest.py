"""Searches for a small part of a list that still holds, by leaving out halves, quarters and finally single items."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import TypeVar

    T = TypeVar("T")


def smallest(items: Sequence[T], holds: Callable[[Sequence[T]], bool], budget: int) -> tuple[list[T], int]:
    """The smallest part found, and the number of calls of `holds`, which is at most `budget`. All items hold."""
    rest = [*items]
    used = 0
    steps = reductions(items)
    kept = next(steps, None)
    while kept is not None and used < budget:
        used += 1
        is_held = holds(kept)
        if is_held:
            rest = kept
        try:
            kept = steps.send(is_held)
        except StopIteration:
            break
    return rest, used


def reductions(items: Sequence[T]) -> Generator[list[T], bool, None]:
    """The parts to examine. Is sent whether the last one holds: the last part that did is the smallest one found."""
    rest = [*items]
    size = max(1, len(rest) // 2)
    while len(rest) > 1:
        start = 0
        is_smaller = False
        while start < len(rest) and len(rest) > 1:
            kept = [*rest[:start], *rest[start + size :]]
            if kept and (yield kept):
                rest = kept
                is_smaller = True
            else:
                start += size
        if size == 1 and not is_smaller:
            break
        size = max(1, size // 2)
