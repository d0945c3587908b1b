"""Searches the sets of units that change values only together.

Values with the same candidates are one search, which reverts one set of units after another. One evaluation reverts a
set of many searches, as long as nothing else that a search may revert is among them.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

from plait.review.smallest import reductions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from plait.base.errors import PlaitError
    from plait.review.trial import Trial
    from plait.review.units import Unit

# Evaluations in which the diagnostics of the previous ones name further units.
_MOST_ROUNDS = 6
# Units of a set that may not be the smallest one, and of one without a superfluous unit, or only of candidates.
_MOST_JOINT = 8
_MOST_NEEDED = 40
# Units of a change that are all searched.
_MOST_UNITS = 1 << 10


class JointSearch:
    """The search for the smallest set of units that restores some values.

    numbers: the indexes of the values. scope: the units that it may revert. is_wide: these are all units of the change, because
    the candidates do not restore the values. wanted: the set to revert next, None at the end. units: the smallest set
    so far that restores the values. trial: the evaluation that showed it. reverted: all units that were reverted in it.
    """

    __slots__ = ("_every", "_named", "_steps", "is_wide", "numbers", "reverted", "scope", "trial", "units", "wanted")

    def __init__(
        self,
        numbers: Sequence[int],
        candidates: frozenset[Unit],
        every: frozenset[Unit],
        named: Callable[[PlaitError, Iterable[Unit]], set[Unit]],
    ) -> None:
        self.numbers = numbers
        self.scope = candidates
        self.is_wide = False
        self.units: frozenset[Unit] = frozenset()
        self.trial: Trial | None = None
        self.reverted: frozenset[Unit] = frozenset()
        self._every = every
        self._named = named
        self._steps = self._sets()
        self.wanted: frozenset[Unit] | None = next(self._steps)

    def answer(self, trial: Trial, reverted: frozenset[Unit], restored: Sequence[int]) -> None:
        """Continues after an evaluation without the wanted set. restored: those of the values that are as before."""
        assert self.wanted is not None
        if restored and (self.trial is None or len(restored) == len(self.numbers)):
            self.numbers = restored
            self.units, self.trial, self.reverted = self.wanted, trial, reverted
        self.wanted = self._steps.send(trial)

    @property
    def is_found(self) -> bool:
        """True if the set is small enough to be a cause."""
        is_whole = self.wanted is None or not self.is_wide
        return 0 < len(self.units) <= (_MOST_NEEDED if is_whole else _MOST_JOINT)

    def _sets(self) -> Generator[frozenset[Unit] | None, Trial, None]:
        wanted = self.scope
        for _ in range(_MOST_ROUNDS if wanted else 0):
            trial = yield wanted
            if trial.error is None:
                break
            # Reverting fails: the diagnostic names what belongs to it.
            named = self._named(trial.error, wanted) - wanted
            if not named:
                break
            wanted |= named
            self.scope |= named
        if not self.units and len(self._every) <= _MOST_UNITS:
            self.scope, self.is_wide = self._every, True
            yield self._every  # BASE, which restores everything
        steps = reductions(sorted(self.units, key=lambda unit: (unit.sort_key, unit.number)))
        kept = next(steps, None)
        while kept is not None:
            part = frozenset(kept)
            yield part
            try:
                kept = steps.send(self.units == part)
            except StopIteration:
                break
        yield None


def independent(searches: Iterable[JointSearch]) -> list[JointSearch]:
    """The first of some searches, and those whose wanted sets can be reverted with its own: of the units of each search,
    nothing but its wanted set is reverted.
    """
    found: list[JointSearch] = []
    reverted: set[Unit] = set()
    kept: set[Unit] = set()
    for one in sorted(searches, key=lambda one: one.is_wide):
        wanted = one.wanted or frozenset()
        others = one.scope - wanted
        if wanted.isdisjoint(kept) and others.isdisjoint(reverted):
            found.append(one)
            reverted |= wanted
            kept |= others
    return found


def separating(count: int) -> list[list[int]]:
    """Groups of the numbers below `count`: of any two, each is in a group without the other.

    Each number is in a different half of the groups, so there are few groups for many numbers.
    """
    size = next(size for size in range(1, count + 2) if comb(size, size // 2) >= count)
    if size >= count:
        return [[number] for number in range(count)]
    groups: list[list[int]] = [[] for _ in range(size)]
    for number, places in zip(range(count), combinations(range(size), size // 2), strict=False):
        for place in places:
            groups[place].append(number)
    return groups
