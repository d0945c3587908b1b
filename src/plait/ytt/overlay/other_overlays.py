"""Finds the other overlay because of which an overlay matches nothing: an earlier one that removed or changed what it
would match, or a later one that adds it. Loaded only for an error.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError
from plait.tree.nodes import ArrayItem, Map, MapItem, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.nodes import Document, Item

# Maximum number of later overlays that are tried.
_MOST = 10


def name_cause(
    error: OverlayError, overlays: Sequence[Document], failed: Document, apply: Callable[[list[Document]], object]
) -> None:
    """Names the cause in the error of an overlay that matches nothing: the last of the earlier overlays without which it
    does, or else the first of the later ones after which it does. apply: applies overlays to the documents.
    """

    def fault(before: Sequence[Document]) -> PlaitError | None:
        """The error of the overlay after other overlays, or None."""
        try:
            apply([*before, failed])
        except PlaitError as again:
            return again
        return None

    def matches(count: int) -> bool:
        """True if the overlay matches after the first overlays, which have no errors. count: their number."""
        again = fault(overlays[:count])
        return again is None or again.at != error.at

    index = next(place for place, one in enumerate(overlays) if one is failed)
    if matches(0):
        after, not_after = 0, index  # numbers of overlays
        while not_after - after > 1:
            middle = (after + not_after) // 2
            after, not_after = (middle, not_after) if matches(middle) else (after, middle)
        earlier = _named(overlays[after], error.word)
        does = "removes" if "overlay/remove" in (earlier.annotations or ()) else "changes"
        what = "document" if error.at == failed.position else "item"
        error.also = [earlier.position.labelled("the earlier overlay"), *error.also]
        error.hint = f"{earlier.position} {does} the {what} that this overlay would match: leave out one of the two, or match what is left"
        return
    for later in overlays[index + 1 : index + 1 + _MOST]:
        if fault([*overlays[:index], later]) is None:
            _put_before(error, later, failed)
            return


def _put_before(error: OverlayError, later: Document, failed: Document) -> None:
    """Names a later overlay after which an overlay matches."""
    item = _named(later, error.word)
    does = "makes it match" if item is later else "adds it"
    error.also = [item.position.labelled("the later overlay"), *error.also]
    if later.source is None or failed.source is None:
        return
    first, second = later.source.shown, failed.source.shown
    error.hint = f"{item.position} {does}, but later: "
    if first == second:
        error.hint += "put this overlay after that one"
    else:
        error.hint += f"put {first} before {second} (files of a directory are applied in the order of their names)"


def _named(overlay: Document, name: str) -> Item:
    """The item of an overlay that has a name, as its key or as a value in it; the overlay itself if none has."""
    for item in walk(overlay.value) if name else ():
        if type(item) is MapItem and item.key == name:
            return item
        below = item.value.items if type(item) is ArrayItem and type(item.value) is Map else ()
        if any(one.value == name for one in below):
            return item
    return overlay
