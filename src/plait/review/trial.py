"""The differences that an evaluation without some units of a change has."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.base.errors import PlaitError
    from plait.review.values import Change, Place


class Trial:
    """One evaluation with units reverted. error: it failed. is_same: the output is HEAD's. places: those that differ
    from BASE. added: the places that only HEAD has. is_skipped: there was no time for it.
    """

    __slots__ = ("_added", "_places", "_prefixes", "error", "is_same", "is_skipped")

    def __init__(
        self,
        error: PlaitError | None,
        places: Iterable[Place],
        added: Iterable[Place] = (),
        *,
        is_same: bool,
        is_skipped: bool = False,
    ) -> None:
        self.error = error
        self.is_skipped = is_skipped
        self.is_same = is_same
        self._places = set(places)
        self._added = set(added)
        self._prefixes = {place[:size] for place in self._places for size in range(1, len(place) + 1)}

    def restores(self, change: Change) -> bool:
        """True if a value is as on BASE's side, and nowhere else as on HEAD's."""
        place = change.place
        if self.error is not None or self.is_skipped or place in self._prefixes or change.new_place in self._added:
            return False
        return not any(place[:size] in self._places for size in range(1, len(place)))
