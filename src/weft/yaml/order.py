"""The order in which BOSH prints keys (spec ops 14.1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.nodes import MapItem


def sort_items(items: Iterable[MapItem]) -> list[MapItem]:
    """Map items in the order of their keys."""
    return sorted(items, key=lambda item: str(item.key))
