"""Finds the overlay that removed or changed the documents that a later overlay would match. Loaded only for an error."""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.nodes import Document

# Maximum number of earlier overlays that are tried.
_MOST = 50


def name_earlier(
    error: OverlayError, overlays: Sequence[Document], failed: Document, apply: Callable[[list[Document]], object]
) -> None:
    """Names the cause in the error of an overlay that matches no document: the last of the earlier overlays without
    which it matches one. apply: applies overlays to the documents.
    """

    def matches(count: int) -> bool:
        """True if the overlay matches after the first overlays."""
        try:
            apply([*overlays[:count], failed])
        except PlaitError as again:
            return again.at != failed.position
        return True

    index = next(place for place, one in enumerate(overlays) if one is failed)
    for count in range(index - 1, max(index - _MOST, 0) - 1, -1):
        if matches(count):
            earlier = overlays[count]
            done = "removes" if "overlay/remove" in (earlier.annotations or ()) else "changes"
            error.also = [earlier.position.labelled("the earlier overlay"), *error.also]
            error.hint = f"{earlier.position} {done} the document that this overlay would match: leave out one of the two, or match what is left"
            return
