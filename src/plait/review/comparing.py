"""Evaluates the runs of a review, groups those with the same changes, and fills the result."""

from __future__ import annotations

import os

from plait.authoring.project.run_selection import paths_of
from plait.base.equal_errors import key_of
from plait.base.message_text import brief
from plait.base.similar_names import counted
from plait.review.causes import Examination
from plait.review.changed_lines import document_changes
from plait.review.consequences import NAMES, Consequence, consequences
from plait.review.environments import described
from plait.review.evaluating import OUTPUT_FILES, Evaluator, compared
from plait.review.redaction import full_place, shown_change
from plait.review.result import Cause, Failure, FoundConsequence, Lines, OtherLines, ValueChange
from plait.review.revisions import Changed, links_below, roots_of
from plait.review.rules import SEVERITIES
from plait.review.smallest import smallest
from plait.review.units import FileChange
from plait.review.values import (
    MOVED,
    RENAMED,
    Alignment,
    leaf_ways,
    pairs_of,
    shown_name,
)
from plait.tree.nodes import to_plain
from plait.tree.secrets import HIDDEN
from plait.yaml.inline import flow_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plait.authoring.project.run import Run
    from plait.base.errors import PlaitError
    from plait.fleet.plan import Task
    from plait.review.causes import Findings
    from plait.review.cpu_budget import CpuBudget
    from plait.review.evaluating import Outcome
    from plait.review.result import DocumentChange, Review
    from plait.review.revisions import Sides
    from plait.review.rules import Rule
    from plait.review.units import Unit
    from plait.review.values import Change, Pair
    from plait.tree.context import Context
    from plait.tree.nodes import Document

# Groups of runs with the same changes whose causes are verified, the largest ones.
_MOST_GROUPS = 24
# Evaluations to find the lines that make a run fail.
_FAILURE_BUDGET = 12
_EVERY = 1 << 30


class _Group:
    """Runs with the same changes. first: evaluated with provenance if it is the only run."""

    __slots__ = ("names", "outcomes", "task")

    def __init__(self, task: Task, outcomes: tuple[Outcome, Outcome] | None) -> None:
        self.task = task
        self.outcomes = outcomes
        self.names: list[str] = []


class _Files(dict[str, FileChange]):
    """The changes of files by path, compared on demand."""

    def __init__(self, sides: Sides) -> None:
        super().__init__()
        self._sides = sides

    def __missing__(self, path: str) -> FileChange:
        made = self[path] = FileChange(path, self._sides.base.get(path), self._sides.head.get(path))
        return made


class Comparison:
    """Compares the runs of both sides. before, after: the runs of each side."""

    def __init__(
        self,
        sides: Sides,
        result: Review,
        before: Sequence[Task],
        after: Sequence[Task],
        *,
        prove: bool,
        cpu_budget: CpuBudget,
        documents: bool,
        progress: Context | None,
    ) -> None:
        self._sides = sides
        self._result = result
        self._before = {task.name: task for task in before}
        self._after = {task.name: task for task in after}
        self._prove = prove
        self._has_documents = documents
        self._documents: dict[tuple[object, ...], DocumentChange] = {}
        self._progress = progress
        self._files = _Files(sides)
        self._cpu_budget = cpu_budget
        self._evaluator = Evaluator(sides, self._files, cpu_budget)
        self._paths = {os.path.join(sides.top, *path.split("/")): path for path in sides.head}
        self._changed = Changed(self._paths)
        self._changes: dict[tuple[object, ...], ValueChange] = {}
        self._causes: dict[frozenset[Unit], Cause] = {}
        self._of_cause: dict[frozenset[Unit], int] = {}
        self._others: dict[Unit, tuple[int, OtherLines]] = {}
        self._subjects: dict[str, tuple[Rule, dict[tuple[str, str], list[str]]]] = {}
        self._read: set[str] = set()
        self._links = [*links_below(sides.top), *(path for path, name in self._paths.items() if sides.is_link(name))]
        # The differing inputs of the runs; None if any file may be one.
        self._inputs: set[str] | None = set()
        self._differing = len(sides.head)
        if sides.name in sides.head:
            sides.show(sides.head)
        self._project = sides.project() if after else None

    def run(self, tasks: Sequence[Task]) -> None:
        """Evaluates the runs and fills the result."""
        result = self._result
        result.runs = sum(task.name in self._after for task in tasks)
        result.added = [task.name for task in tasks if task.name not in self._before]
        result.removed = [task.name for task in tasks if task.name not in self._after]
        affected = [task for task in tasks if self._may_differ(task)]
        if self._inputs is not None:
            self._sides.narrow(self._paths[path] for path in self._inputs)
        result.evaluated = len(affected)
        groups: dict[tuple[object, ...], _Group] = {}
        traced = len(affected) == 1
        if self._progress is not None:
            self._progress.total = len(affected)
        self._cpu_budget.begin()
        for task in affected:
            if self._progress is not None:
                self._progress.begin(f"run {task.name}")
                self._progress.done += 1
            self._group(task, groups, traced=traced)
        if len(affected) > 1:
            self._cpu_budget.begin()  # the evaluations of both sides take the time that they need
        ordered = sorted(groups.values(), key=lambda group: -len(group.names))
        for number, group in enumerate(ordered):
            self._examine(group, verifies=number < _MOST_GROUPS)
        self._finish(tasks)

    # ---- selection

    def _may_differ(self, task: Task) -> bool:
        """True if the inputs of a run may differ between the sides."""
        old, new = self._before.get(task.name), self._after.get(task.name)
        if new is None or self._project is None:
            return False
        if old is None or old.definition != new.definition:
            self._inputs = None
            return True
        run = new.run(self._project)
        if run.command not in ("render", "patch"):
            self._inputs = None
            return bool(self._paths)  # their files name other files
        found = self._changed.at(roots_of([*paths_of(run), *map(str, _schemas(run))], self._links))
        if self._inputs is not None:
            self._inputs |= found
        return bool(found)

    # ---- evaluation

    def _group(self, task: Task, groups: dict[tuple[object, ...], _Group], *, traced: bool) -> None:
        head = self._evaluator.head(task, trace=traced)
        old = self._before.get(task.name)
        if old is None:
            if head.error is not None:
                self._fail(task, "head", head.error, caused=True)
            return
        is_defined_alike = old.definition == task.definition
        if is_defined_alike and head.error is None and not self._changed.was_read(head.view):
            return
        base = self._evaluator.base(old, trace=traced)
        if self._sides.project_from and base.error is not None and head.error is None:
            self._result.added.append(task.name)  # its inputs are as new as the project file
            return
        if base.uses_secrets or head.uses_secrets:
            self._result.withheld.append(task.name)
        read = frozenset(self._relevant(base, head))
        if head.error is not None or base.error is not None:
            self._failed(task, base, head, read)
            return
        found = compared(base, head)
        key = (*map(_signature, found), base.has_same_output(head), read)
        group = groups.get(key)
        if group is None:
            group = groups[key] = _Group(task, (base, head) if traced else None)
        group.names.append(task.name)

    def _relevant(self, *outcomes: Outcome) -> Iterator[str]:
        """The differing files that evaluations read or listed."""
        read = {path for one in outcomes for path in (*one.view.files, *map(os.path.realpath, one.view.files))}
        for path, name in self._paths.items():
            if path in read or name == self._sides.name:
                yield name

    # ---- one group

    def _examine(self, group: _Group, *, verifies: bool) -> None:
        task = group.task
        if group.outcomes is None:
            base = self._evaluator.base(self._before[task.name], trace=True)
            head = self._evaluator.head(task, trace=True)
        else:
            base, head = group.outcomes
        group.outcomes = None
        if base.error is not None or head.error is not None:
            return
        alignment = Alignment()
        found = compared(base, head, alignment)
        # Files come and go with their documents.
        found = [change for change in found if change.place[0] != ("file", OUTPUT_FILES)] or found
        files = {name: self._files[name] for name in self._relevant(base, head)}
        self._read.update(files)
        findings = None
        if verifies:
            search = Examination(self._evaluator, task, base, head, found, alignment, files, prove=self._prove)
            findings = search.run()
        if not base.has_same_output(head):
            self._result.changed += group.names
            if not found:
                moved = ValueChange(MOVED, "the documents or their text", "", None, None, 1, is_secret=False)
                self._changes.setdefault(moved.key, moved).runs += group.names
        rows: list[ValueChange] = []
        for number, change in enumerate(found):
            row = self._add_change(
                change, base, head, group, () if findings is None else findings.causes.get(number, ())
            )
            if row not in rows:
                rows.append(row)
        if findings is not None:
            self._add_others(findings, group)
        pairs = pairs_of(base.items, head.items)
        self._add_consequences(pairs, group)
        if base.uses_secrets or head.uses_secrets:
            self._add_secrets(base, head, rows, files.values(), group)
        if self._has_documents:
            for one in document_changes(pairs, base, head, rows, task.name):
                self._documents.setdefault(one.key, one).runs += group.names

    def _add_change(
        self, change: Change, base: Outcome, head: Outcome, group: _Group, causes: Iterable[frozenset[Unit]]
    ) -> ValueChange:
        row = shown_change(change, base, head)
        known = self._changes.setdefault(row.key, row)
        known.runs += group.names
        for units in causes:
            cause = self._causes.get(units)
            if cause is None:
                lines = [_lines(unit) for unit in sorted(units, key=lambda unit: (unit.sort_key, unit.number))]
                cause = self._causes[units] = Cause(lines)
            cause.runs.add(group.task.name)
            cause.names.update(group.names)
            if known not in cause.changes:
                cause.changes.append(known)
                cause.values += known.values
        return known

    def _add_others(self, findings: Findings, group: _Group) -> None:
        rows = [(3, one.unit, None, one.is_alone) for one in findings.idle]
        rows += [(2, one.unit, None, one.is_alone) for one in findings.elsewhere]
        shown: list[tuple[int, Unit, PlaitError | None, bool]] = [
            *rows,
            *((1, one, None, True) for one in findings.unknown),
        ]
        shown += [(0, one.unit, one.error, True) for one in findings.needed]
        for rank, unit, error, is_alone in shown:
            known = self._others.get(unit)
            if known is None or rank < known[0]:
                message = "" if error is None else self._sides.text(brief(error))
                known = self._others[unit] = rank, OtherLines(_lines(unit), message, is_alone=is_alone)
            if rank == known[0]:
                known[1].runs += group.names

    def _add_consequences(self, pairs: Sequence[Pair], group: _Group) -> None:
        rows: list[tuple[str, object, object]] = []
        for pair in pairs:
            name = _name_of(pair.new if pair.new is not None else pair.old)
            old, new = _plain(pair.old), _plain(pair.new)
            both = pair.old is not None and pair.new is not None
            if old != new and both and _name_of(pair.old) != _name_of(pair.new):
                rows += [(_name_of(pair.old), old, None), (name, None, new)]
            else:
                rows.append((name, old, new))
        for one in consequences(rows):
            known = self._subjects.setdefault(one.rule.name, (one.rule, {}))[1]
            for subject in one.subjects:
                known.setdefault(subject, []).extend(group.names)

    def _add_secrets(
        self, base: Outcome, head: Outcome, rows: Sequence[ValueChange], files: Iterable[FileChange], group: _Group
    ) -> None:
        units = [unit for file in files for unit in file.units]
        places = [one.place for one in rows if one.is_secret]
        places += self._secrets_of(base, [(unit.file, unit.has_old) for unit in units])
        places += self._secrets_of(head, [(unit.file, unit.has_new) for unit in units])
        places = list(dict.fromkeys(places))
        if places:
            text = f"{counted(len(places), 'secret value')} may have changed"
            subjects = [(place, "") for place in places]
            reason = "lines that they are computed from changed; they are not compared"
            self._note(FoundConsequence("secret-changed", "warning", text, reason, subjects), group.names)

    def _secrets_of(self, outcome: Outcome, changed: Sequence[tuple[str, Callable[[int], bool]]]) -> Iterator[str]:
        """The secret values with changed lines. changed: files with a function that finds their changed lines."""
        if outcome.trace is None:
            return
        explainer = outcome.explainer
        for number, document in enumerate(outcome.items):
            for way in leaf_ways((), document.value, _EVERY):
                if (way[-1].value if way else document.value) != HIDDEN:
                    continue
                place = outcome.place(document, number, way).named(explainer.names)
                for shown, line in explainer.lines(explainer.history(place), structure=True):
                    file = self._sides.path_of(shown)
                    if any(file == name and has_line(line) for name, has_line in changed):
                        yield full_place(place, number)
                        break

    def _note(self, row: FoundConsequence, names: Sequence[str]) -> None:
        for one in self._result.consequences:
            if one.key == row.key:
                one.runs += names
                return
        row.runs += names
        self._result.consequences.append(row)

    def _order_consequences(self) -> None:
        """Adds those of documents, each rule once for all runs in which it applies to the same ones. The most severe come
        first, and those of most runs.
        """
        found = self._result.consequences
        for rule, subjects in self._subjects.values():
            by_runs: dict[tuple[str, ...], list[tuple[str, str]]] = {}
            for subject, names in subjects.items():
                by_runs.setdefault(tuple(names), []).append(subject)
            for runs, some in by_runs.items():
                one = Consequence(rule, some)
                self._note(FoundConsequence(rule.name, rule.severity, one.text, rule.reason, some), runs)
        found.sort(key=lambda one: (SEVERITIES.index(one.severity), NAMES.index(one.name), -len(one.runs)))

    # ---- failures

    def _fail(self, task: Task, side: str, error: PlaitError, *, caused: bool | None) -> Failure:
        row = self._sides.failure(side, error, caused=caused)
        for known in self._result.failures:
            if known.key == row.key:
                known.runs.append(task.name)
                return known
        row.runs.append(task.name)
        self._result.failures.append(row)
        return row

    def _failed(self, task: Task, base: Outcome, head: Outcome, read: frozenset[str]) -> None:
        if head.error is None:
            assert base.error is not None
            self._fail(task, "base", base.error, caused=False)
            self._result.changed.append(task.name)
            return
        if base.error is not None:
            is_same = key_of(base.error) == key_of(head.error)
            self._fail(task, "both", head.error, caused=False if is_same else None)
            return
        count = len(self._result.failures)
        row = self._fail(task, "head", head.error, caused=True)
        self._result.changed.append(task.name)
        if len(self._result.failures) > count:
            units = [unit for name in sorted(read) for unit in self._files[name].units]
            row.causes = [_lines(unit) for unit in self._breaking(task, head.error, units)]

    def _breaking(self, task: Task, error: PlaitError, units: Sequence[Unit]) -> Sequence[Unit]:
        """The fewest units found whose reverting lets a run work, within a budget; empty if there are none."""
        budget = _FAILURE_BUDGET
        named = self._named(error, units)
        for some in [[one] for one in named[:4]] + ([named] if len(named) > 1 else []):
            budget -= 1
            if self._works_without(task, some):
                return some
        rest = [*units]
        if not rest or not self._works_without(task, rest):
            return ()
        rest, _ = smallest(rest, lambda kept: self._works_without(task, kept), budget)
        return rest if len(rest) <= 8 else ()

    def _works_without(self, task: Task, units: Sequence[Unit]) -> bool:
        return self._cpu_budget.allows() and self._evaluator.without(task, units).error is None

    def _named(self, error: PlaitError, units: Sequence[Unit]) -> list[Unit]:
        places = [at for at in (error.at, *error.also, *(step.at for step in error.stack)) if at is not None]
        lines = [(self._sides.path_of(at.source.shown), at.line) for at in places if at.source is not None]
        return [
            unit for unit in units if any(unit.file == file and unit.has_new(line) for file, line in lines if line > 0)
        ]

    # ---- the result

    def _finish(self, tasks: Sequence[Task]) -> None:
        result = self._result
        result.evaluations = self._evaluator.count
        result.is_cut = self._cpu_budget.is_spent
        result.unread = self._differing - len(self._read) if not result.failures else 0
        result.changes = list(self._changes.values())
        self._order_consequences()
        result.causes = sorted(self._causes.values(), key=lambda one: (one.is_vendored, -one.values, one.start))
        for number, cause in enumerate(result.causes):
            for change in cause.changes:
                change.causes.append(number)
        used = {unit for units in self._causes for unit in units}
        lists = (result.needed, result.unknown, result.elsewhere, result.idle)
        for unit, (rank, other) in sorted(self._others.items(), key=lambda pair: pair[0].sort_key):
            if unit not in used:
                lists[rank].append(other)
        every = [task for task in tasks if task.name in self._after]
        result.documents = list(self._documents.values())
        rows: list[ValueChange | FoundConsequence | Failure | DocumentChange] = [
            *result.changes,
            *result.consequences,
            *result.failures,
            *result.documents,
        ]
        # A change in all runs that were compared is described as one in all runs.
        failing = {name for one in result.failures for name in one.runs}
        compared = [task for task in every if task.name not in failing]
        known: dict[tuple[str, ...], str] = {}
        for row in rows:
            names = tuple(row.runs)
            if names and names not in known:
                known[names] = described(names, every if isinstance(row, Failure) else compared)
            row.where = known.get(names, row.where)
        self._find_runs(compared)
        result.axes = {task.name: {axis: one.text for axis, one in task.choices.items()} for task in every}

    def _find_runs(self, every: Sequence[Task]) -> None:
        """Completes the runs of causes: those in which a change has no cause of its own count for each of its causes."""
        causes = self._result.causes
        known = {change: set().union(*(causes[one].names for one in change.causes)) for change in self._result.changes}
        for cause in causes:
            all_names = {name for change in cause.changes for name in change.runs}
            cause.names.update(name for change in cause.changes for name in change.runs if name not in known[change])
            if cause.names != all_names:
                cause.where = described([task.name for task in every if task.name in cause.names], every)


def _lines(unit: Unit) -> Lines:
    return Lines(unit.file, unit.line, unit.place, unit.new_ranges, unit.old_ranges, vendored=unit.change.is_vendored)


def _signature(change: Change) -> tuple[object, ...]:
    before = flow_text(change.before) if change.has_old and change.kind != RENAMED else ""
    after = flow_text(change.after) if change.has_new and change.kind != RENAMED else ""
    return change.kind, change.name, change.place, before, after


def _plain(document: Document | None) -> object:
    return None if document is None else to_plain(document.value)


def _name_of(document: Document | None) -> str:
    return shown_name(document, 0)


def _schemas(run: Run) -> Iterator[str]:
    for one in run.checked_by:
        yield one if isinstance(one, str) else one[1]
