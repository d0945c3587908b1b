"""Finds the units of change that caused the differences of an output, and verifies them by reverting.

Provenance on both sides gives the candidates of each changed value. Units that are candidates of a common value must
not be reverted together, so this graph is coloured, and one evaluation reverts all units of a colour. A unit is a cause
of a value if the value is as before without the unit. Sets of units are searched for the values that are left, within
a budget. Nothing is a cause, or without effect, that no evaluation has shown.
"""

from __future__ import annotations

from plait.base.errors import LimitError
from plait.insight.node_paths import TextFileLine
from plait.review.evaluating import compared
from plait.review.joint_causes import JointSearch, independent, separating
from plait.review.smallest import smallest
from plait.review.trial import Trial
from plait.review.unit_lines import UnitLines, moved_units
from plait.review.values import ADDED, MOVED, RENAMED, Alignment, leaf_ways
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from plait.base.errors import PlaitError
    from plait.fleet.plan import Task
    from plait.insight.node_paths import NodePath
    from plait.review.evaluating import Evaluator, Outcome
    from plait.review.units import FileChange, Unit
    from plait.review.values import Change
    from plait.tree.nodes import Document, Item

# Evaluations for the joint causes of one run, and for units without a part in any value.
JOINT_BUDGET = 48
_OTHER_BUDGET = 12
# Evaluations for the units that a set needs besides its own.
_NEEDED_BUDGET = 12
# Evaluations for single units and colours of one run.
_SINGLE_BUDGET = 60
# Candidates of a value that are reverted one by one. Of more, the cause is found in fewer evaluations by halving.
_MOST_SINGLE = 6
# Values inside one added or removed collection whose origins are read.
_MOST_LEAVES = 40
# The values that name a document.
_NAMING = ("kind", "schema", "metadata.name", "metadata.namespace")


class Verdict:
    """The role of a unit in the change of the output. error: the error of the evaluation without it, or None.
    is_proven: an evaluation without this unit, or without it and other units of the same class, had the same output.
    """

    __slots__ = ("error", "is_alone", "unit")

    def __init__(self, unit: Unit, error: PlaitError | None = None, *, is_alone: bool = True) -> None:
        self.unit = unit
        self.error = error
        self.is_alone = is_alone


class Findings:
    """The result for one run.

    causes: for each change, the sets of units that each restore it; one unit, or several that do so only together. A
    change without an entry has no verified cause; `candidates` has its units by provenance. needed: units without which
    the run fails. elsewhere: units that only moved the origin of unchanged values. idle: units without effect.
    unknown: the other units.
    """

    def __init__(self) -> None:
        self.causes: dict[int, list[frozenset[Unit]]] = {}
        self.candidates: dict[int, frozenset[Unit]] = {}
        self.needed: list[Verdict] = []
        self.elsewhere: list[Verdict] = []
        self.idle: list[Verdict] = []
        self.unknown: list[Unit] = []


class Examination:
    """The search for the causes in one run. base, head: traced outcomes. found: their differences. alignment: how they
    were compared.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        task: Task,
        base: Outcome,
        head: Outcome,
        found: Sequence[Change],
        alignment: Alignment,
        files: Mapping[str, FileChange],
        *,
        prove: bool = False,
    ) -> None:
        self._evaluator = evaluator
        self._task = task
        self._base = base
        self._head = head
        self._changes = found
        self._differences = [(one.kind, one.place) for one in found]
        self._alignment = alignment
        self._units = [unit for change in files.values() for unit in change.units]
        self._partners = moved_units([unit for unit in self._units if unit.is_whole])
        self._prove = prove
        self._trials: dict[frozenset[Unit], Trial] = {}
        self._sets: list[frozenset[Unit]] = []
        self._unconfirmed: list[JointSearch] = []
        self._new_lines = UnitLines(files.values(), is_new=True)
        self._old_lines = UnitLines(files.values(), is_new=False)
        self.findings = Findings()

    def run(self) -> Findings:
        """Searches and verifies."""
        findings = self.findings
        for number, change in enumerate(self._changes):
            findings.candidates[number] = (
                self._candidates(change) if self._evaluator.cpu_budget.allows() else frozenset()
            )
        self._join_renamed()
        self._try_single()
        self._widen()
        self._try_joint()
        self._classify_others()
        return findings

    # ---- evaluations

    def _trial(self, units: Iterable[Unit]) -> Trial:
        key = self._with_partners(units)
        known = self._trials.get(key)
        if known is None:
            if not self._evaluator.cpu_budget.allows():
                return Trial(None, (), is_same=False, is_skipped=True)
            made = self._evaluator.without(self._task, key)
            if isinstance(made.error, LimitError) and not self._evaluator.cpu_budget.allows():
                return Trial(None, (), is_same=False, is_skipped=True)
            if made.error is not None:
                known = Trial(made.error, (), is_same=False)
            else:
                alignment = Alignment()
                found = compared(self._base, made, alignment, self._alignment)
                places = (*alignment.met, *(one.place for one in found))
                added = [one.place for one in found if one.kind == ADDED]
                # What differs otherwise from BASE is not HEAD's output, and need not be printed to know that.
                is_same = [(one.kind, one.place) for one in found] == self._differences
                known = Trial(None, places, added, is_same=is_same and made.has_same_output(self._head))
            self._trials[key] = known
        return known

    def _with_partners(self, units: Iterable[Unit]) -> frozenset[Unit]:
        """Units with the other files of those that moved."""
        return frozenset(other for unit in units for other in (unit, *self._partners.get(unit, ())))

    # ---- candidates

    def _candidates(self, change: Change, *, is_wide: bool = False) -> frozenset[Unit]:
        """The units that may cause a change. is_wide: if the value is missing, also those of its siblings."""
        found: set[Unit] = set()
        is_one_sided = change.has_new != change.has_old
        if change.new is not None:
            leaves = is_one_sided and (is_wide or change.has_new)
            for line in self._lines(self._head, change.new, change.new_number, change.new_way, change, leaves):
                found |= self._new_lines.at(*line)
        if change.old is not None:
            leaves = is_one_sided and (is_wide or change.has_old)
            for line in self._lines(self._base, change.old, change.old_number, change.old_way, change, leaves):
                found |= self._old_lines.at(*line)
        return frozenset(found)

    def _join_renamed(self) -> None:
        """Gives a renamed document the candidates of its name."""
        every = self.findings.candidates
        named: dict[object, frozenset[Unit]] = {}
        for number, change in enumerate(self._changes):
            if change.path in _NAMING:
                named[change.place[0]] = every[number] | named.get(change.place[0], frozenset())
        for number, change in enumerate(self._changes):
            if change.kind == RENAMED:
                every[number] |= named.get(change.place[0], frozenset())

    def _widen(self) -> None:
        """Adds candidates to the changes without a cause: units that no single value needs can be needed together."""
        findings = self.findings
        for number, change in enumerate(self._changes):
            if number not in findings.causes and self._evaluator.cpu_budget.allows():
                findings.candidates[number] |= self._candidates(change, is_wide=True)

    def _lines(
        self,
        outcome: Outcome,
        document: Document,
        number: int,
        way: tuple[Item, ...],
        change: Change,
        with_leaves: bool,
    ) -> Iterator[tuple[str, int]]:
        """The lines that contribute to a value. with_leaves: and to the values inside it."""
        explainer = outcome.explainer
        path_of = self._evaluator.sides.path_of
        value = way[-1].value if way else document.value
        ways = list(leaf_ways(way, value, _MOST_LEAVES)) if with_leaves else [way]
        if change.kind == MOVED and (type(value) is Map or type(value) is Array):
            items: Sequence[Item] = value.items
            ways += [(*way, item) for item in items[:_MOST_LEAVES]]
        if way not in ways:
            ways.append(way)
        for one in ways:
            if number < 0:
                if not one:
                    continue
                place: NodePath = TextFileLine(str(change.place[0]), outcome.source(one[-1]), 1)
            else:
                place = outcome.place(document, number, one)
            if not one:
                found = {
                    (entry.source.shown, entry.line)
                    for entry in explainer.presence(outcome.source(document))
                    if entry.source is not None
                }
            else:
                found = explainer.lines(explainer.history(place), structure=True)
            for shown, line in found:
                yield path_of(shown), line

    # ---- single units

    def _try_single(self) -> None:
        sets = set(self.findings.candidates.values())
        weights: dict[Unit, int] = {}
        neighbours: dict[Unit, set[Unit]] = {}
        for candidates in self.findings.candidates.values():
            for unit in candidates:
                weights[unit] = weights.get(unit, 0) + 1
        for candidates in sets:
            for unit in candidates:
                near = neighbours.setdefault(unit, set())
                if len(candidates) <= _MOST_SINGLE:
                    near |= candidates
        # Units of few values first: a unit that many values share mostly only decides that they exist.
        order = sorted(weights, key=lambda unit: (weights[unit], unit.sort_key))
        left = _SINGLE_BUDGET
        for colour in _coloured(order, neighbours, alone=self._prove):
            wanted = [one for one in colour if self._prove or self._is_open(one)]
            if wanted and left > 0:
                left -= self._try_colour(wanted, left)

    def _is_open(self, unit: Unit) -> bool:
        """True if a value without a cause has this candidate."""
        causes = self.findings.causes
        return any(
            unit in candidates and number not in causes for number, candidates in self.findings.candidates.items()
        )

    def _try_colour(self, units: Sequence[Unit], budget: int) -> int:
        """Reverts units together, and in halves if that fails. Returns the number of evaluations."""
        trial = self._trial(units)
        if trial.error is not None:
            if len(units) == 1:
                self._need(units[0], trial.error)
                return 1
            half = len(units) // 2
            used = 1
            for part in (units[:half], units[half:]):
                if used < budget:
                    used += self._try_colour(part, budget - used)
            return used
        own = set(units)
        for number, candidates in self.findings.candidates.items():
            mine = candidates & own
            if len(mine) == 1 and trial.restores(self._changes[number]):
                self._cause(number, mine)
        return 1

    def _cause(self, number: int, units: frozenset[Unit]) -> None:
        units = self._with_partners(units)
        known = self.findings.causes.setdefault(number, [])
        if units not in known:
            known.append(units)

    def _need(self, unit: Unit, error: PlaitError) -> None:
        if all(one.unit is not unit for one in self.findings.needed):
            self.findings.needed.append(Verdict(unit, error))

    # ---- sets of units

    def _try_joint(self) -> None:
        """Searches sets of units for values without a cause. One evaluation is a step of all independent searches."""
        groups: dict[frozenset[Unit], list[int]] = {}
        for number, candidates in self.findings.candidates.items():
            if number not in self.findings.causes:
                groups.setdefault(self._with_partners(candidates), []).append(number)
        every = frozenset(self._units)
        order = sorted(groups.items(), key=lambda group: -len(group[1]))
        searches = [JointSearch(numbers, candidates, every, self._named) for candidates, numbers in order]
        left = JOINT_BUDGET
        while left > 0:
            searches = [one for one in searches if self._goes_on(one)]
            batch = independent(searches)
            if not batch:
                break
            left -= self._step(batch[:1] if self._prove else batch, left)
        for one in searches:
            self._conclude(one)
        self._confirm()

    def _goes_on(self, search: JointSearch) -> bool:
        """True if a search has another step, for values without a cause."""
        search.numbers = [number for number in search.numbers if number not in self.findings.causes]
        if search.is_wide and search.trial is None:
            # A set that restored other values may restore these, too.
            for units in self._sets:
                trial = self._trial(units)
                for number in search.numbers:
                    if number not in self.findings.causes and trial.restores(self._changes[number]):
                        self._cause(number, units)
            search.numbers = [number for number in search.numbers if number not in self.findings.causes]
        if search.wanted is None:
            self._conclude(search)
        return search.wanted is not None and bool(search.numbers)

    def _step(self, searches: Sequence[JointSearch], budget: int) -> int:
        """Reverts the sets that searches want, and those of each half if that fails. Returns the number of evaluations."""
        units = self._with_partners(unit for one in searches for unit in one.wanted or ())
        trial = self._trial(units)
        if trial.is_skipped:
            return budget
        used = 1
        if trial.error is not None and len(searches) > 1:
            half = len(searches) // 2
            for part in (searches[:half], searches[half:]):
                if used < budget:
                    used += self._step(part, budget - used)
            return used
        for one in searches:
            one.answer(trial, units, [number for number in one.numbers if trial.restores(self._changes[number])])
        return used

    def _conclude(self, search: JointSearch) -> None:
        """Notes the set that a search found, if it was reverted alone. Otherwise it is confirmed when all are found."""
        if search.trial is None or not search.is_found:
            return
        self._sets.append(search.units)
        if search.reverted == search.units:
            self._note(search, search.units, [search.trial], frozenset())
        else:
            self._unconfirmed.append(search)

    def _confirm(self) -> None:
        """Reverts each set that was reverted with others without each of those, several sets in one evaluation."""
        searches = self._unconfirmed
        proofs: list[tuple[list[Trial], set[Unit]]] = [([], set()) for _ in searches]
        for group in separating(len(searches)):
            units = self._with_partners(unit for one in group for unit in searches[one].units)
            trial = self._trial(units)
            for one in group:
                proofs[one][0].append(trial)
                proofs[one][1].update(units - searches[one].units)
        for search, (trials, others) in zip(searches, proofs, strict=True):
            if all(trial.restores(self._changes[number]) for trial in trials for number in search.numbers):
                self._note(search, search.units, trials, others)
            else:
                units = self._with_needed(search)
                self._note(search, units, [self._trial(units)], frozenset())

    def _note(
        self, search: JointSearch, units: frozenset[Unit], proofs: Sequence[Trial], others: Collection[Unit]
    ) -> None:
        """Notes a set as the cause of the values that are as before in all proofs. others: what else was reverted."""
        for number, candidates in self.findings.candidates.items():
            if number in self.findings.causes:
                continue
            is_asked = number in search.numbers or (bool(candidates & units) and candidates.isdisjoint(others))
            if is_asked and all(trial.restores(self._changes[number]) for trial in proofs):
                self._cause(number, units)

    def _with_needed(self, search: JointSearch) -> frozenset[Unit]:
        """The set of a search, with those that were reverted with it without which it does not restore the values."""
        units = search.units

        def holds(needed: Iterable[Unit]) -> bool:
            trial = self._trial([*units, *needed])
            return all(trial.restores(self._changes[number]) for number in search.numbers)

        if holds(()):
            return units
        others = sorted(search.reverted - units, key=lambda unit: (unit.sort_key, unit.number))
        needed, _ = smallest(others, holds, _NEEDED_BUDGET)
        return units.union(needed)

    def _named(self, error: PlaitError, reverted: Iterable[Unit]) -> set[Unit]:
        """The units at the positions of the diagnostic of an evaluation without some units."""
        found: set[Unit] = set()
        places = [at for at in (error.at, *error.also, *(step.at for step in error.stack)) if at is not None]
        for at in places:
            if at.source is not None:
                file = self._evaluator.sides.path_of(at.source.shown)
                own = [unit for unit in reverted if unit.file == file]
                line = own[0].change.line_without(own, at.line) if own and at.line > 0 else at.line
                if line or not own:
                    found |= self._new_lines.annotated(file, line)
                found |= self._old_lines.annotated(file, at.line)
        return found

    # ---- the other units

    def _classify_others(self) -> None:
        findings = self.findings
        known = {unit for sets in findings.causes.values() for units in sets for unit in units}
        known |= {one.unit for one in findings.needed}
        rest = sorted((unit for unit in self._units if unit not in known), key=lambda unit: unit.sort_key)
        if not rest:
            return
        moved = self._origins_of_unchanged(rest)
        budget = _OTHER_BUDGET
        waiting = [rest]
        while waiting:
            some = waiting.pop()
            if budget <= 0:
                findings.unknown += some
                continue
            budget -= 1
            trial = self._trial(some)
            if trial.is_same:
                self._settle(some, moved, is_alone=len(some) == 1)
            elif len(some) == 1:
                if trial.error is not None:
                    self._need(some[0], trial.error)
                elif not self._restored_by(some[0], trial):
                    findings.unknown += some
            else:
                half = len(some) // 2
                waiting += [some[:half], some[half:]]
        self._prove_alone(budget)

    def _restored_by(self, unit: Unit, trial: Trial) -> bool:
        """Records a unit as a further cause of the values that are as before without it. Returns True if there are any."""
        numbers = [number for number, change in enumerate(self._changes) if trial.restores(change)]
        for number in numbers:
            self._cause(number, frozenset([unit]))
        return bool(numbers)

    def _settle(self, units: Sequence[Unit], moved: set[Unit], *, is_alone: bool) -> None:
        for unit in units:
            into = self.findings.elsewhere if unit in moved else self.findings.idle
            into.append(Verdict(unit, is_alone=is_alone or unit.is_comment))

    def _prove_alone(self, budget: int) -> None:
        """Reverts units alone that were reverted with others, while the budget lasts."""
        for group in (self.findings.idle, self.findings.elsewhere):
            for one in [verdict for verdict in group if not verdict.is_alone]:
                if budget <= 0:
                    return
                budget -= 1
                trial = self._trial([one.unit])
                if trial.error is not None:
                    group.remove(one)
                    self._need(one.unit, trial.error)
                elif trial.is_same:
                    one.is_alone = True

    def _origins_of_unchanged(self, units: Sequence[Unit]) -> set[Unit]:
        """The units with lines that values of either side come from."""
        wanted = {unit for unit in units if not unit.is_comment}
        found: set[Unit] = set()
        for outcome, index in ((self._head, self._new_lines), (self._base, self._old_lines)):
            explainer = outcome.explainer
            path_of = self._evaluator.sides.path_of
            for number, document in enumerate(outcome.items):
                if wanted <= found or not self._evaluator.cpu_budget.allows():
                    return found
                for way in leaf_ways((), document.value, 1 << 30):
                    if way:
                        for shown, line in explainer.lines(
                            explainer.history(outcome.place(document, number, way)), structure=True
                        ):
                            found |= index.at(path_of(shown), line) & wanted
        return found


def _coloured(order: Sequence[Unit], neighbours: Mapping[Unit, set[Unit]], *, alone: bool) -> Iterator[list[Unit]]:
    """The units in groups. No two units of a group are neighbours. alone: each unit is a group."""
    if alone:
        yield from ([unit] for unit in order)
        return
    groups: list[tuple[list[Unit], set[Unit]]] = []
    for unit in order:
        for members, near in groups:
            if unit not in near:
                members.append(unit)
                near |= neighbours[unit]
                break
        else:
            groups.append(([unit], {unit, *neighbours[unit]}))
    yield from (members for members, _ in groups)
