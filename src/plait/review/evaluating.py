"""Evaluations of a run on both sides of a review, and with parts of the change reverted."""

from __future__ import annotations

from itertools import pairwise
from time import process_time

from plait.base.errors import LimitError, PlaitError
from plait.base.input_view import InputView
from plait.base.lines import lines_of
from plait.engine.incremental import Engine
from plait.engine.results import Rendered, text_like
from plait.fleet.plan import tasks_of
from plait.insight.explain import Explainer
from plait.insight.node_paths import NodePath
from plait.insight.redaction import masked, masked_lines
from plait.review.values import MOVED, Alignment, Change, Pair, changes, pairs_of
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, equal
from plait.tree.provenance import Trace
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeVar

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.engine.results import Documents
    from plait.fleet.plan import Task
    from plait.review.cpu_budget import CpuBudget
    from plait.review.revisions import Entry, Sides
    from plait.review.units import FileChange, Unit
    from plait.tree.nodes import Item, Value

    AnyItem = TypeVar("AnyItem", bound="Item")

# The name of the list of output files among the text files; no path ends with a slash.
OUTPUT_FILES = "output files/"


class Outcome:
    """The result of one evaluation: documents, or an error. trace: None for an evaluation without provenance.

    Compared values are redacted, because the author of one side chooses the value that a secret of the other side is
    compared with.
    """

    __slots__ = ("_explainer", "_items", "_sources", "_texts", "documents", "error", "trace", "view")

    def __init__(
        self, documents: Documents | None, error: PlaitError | None, view: InputView, trace: Trace | None
    ) -> None:
        self.documents = documents
        self.error = error
        self.view = view
        self.trace = trace
        self._explainer: Explainer | None = None
        self._items: Sequence[Document] | None = None
        self._texts: dict[str, Document] | None = None
        # The evaluated items of the redacted ones.
        self._sources: dict[Item, Item] = {}

    @property
    def explainer(self) -> Explainer:
        """The histories of the evaluation; empty ones of an evaluation without provenance."""
        if self._explainer is None:
            self._explainer = Explainer(Trace() if self.trace is None else self.trace)
        return self._explainer

    @property
    def items(self) -> Sequence[Document]:
        """The documents, redacted."""
        if self._items is None:
            made = () if self.documents is None else self.documents.nodes.items
            if self.uses_secrets:
                self._items = masked(made, self.trace, view=self.view)
                if self.trace is not None:
                    self._sources |= _pairs(self._items, self.explainer.visible(made))
            else:
                self._items = made
        return self._items

    def source(self, item: AnyItem) -> AnyItem:
        """The evaluated item of a redacted one, for its history."""
        return self._sources.get(item, item)  # type: ignore[return-value]

    def place(self, document: Document, number: int, way: Iterable[Item]) -> NodePath:
        """The evaluated value of a redacted one, for its history."""
        return NodePath(self.source(document), number, tuple(map(self.source, way)))

    @property
    def texts(self) -> Mapping[str, Document]:
        """The text files as lists of lines."""
        if self._texts is None:
            self._texts = {}
            known = {} if self.trace is None else self.explainer.texts
            for path in self.documents.texts if isinstance(self.documents, Rendered) else ():
                self._texts[path] = Document(self._lines(path, known.get(path)), None, 0)
        return self._texts

    def _lines(self, path: str, known: Array | None) -> Array:
        """The lines of a text file, redacted. known: those with provenance, of which a secret decides none."""
        assert isinstance(self.documents, Rendered)
        if known is not None and not self.uses_secrets:
            return known
        text = masked_lines(path, self.documents.files[path], self.trace, view=self.view)
        lines = Array([ArrayItem(line, None, 0) for line in lines_of(text)])
        if known is not None and len(known.items) == len(lines.items):
            self._sources.update(zip(lines.items, known.items, strict=True))
        return lines

    @property
    def uses_secrets(self) -> bool:
        """True if values must be redacted."""
        return uses_secrets(self.view) or uses_secrets(self.trace)

    @property
    def paths(self) -> Mapping[str, Document]:
        """The paths of the output files as the lines of a text."""
        if not isinstance(self.documents, Rendered):
            return {}
        lines = Array([ArrayItem(path, None, 0) for path in sorted(self.documents.paths)])
        return {OUTPUT_FILES: Document(lines, None, 0)}

    def has_same_output(self, other: Outcome) -> bool:
        """True if both evaluations print the same, as far as it is shown."""
        a, b = self.documents, other.documents
        if a is None or b is None:
            return False
        if self.uses_secrets or other.uses_secrets:
            texts = [{name: one.value for name, one in side.texts.items()} for side in (self, other)]
            same = texts[0].keys() == texts[1].keys() and all(equal(texts[0][key], texts[1][key]) for key in texts[0])
            return same and text_like(a, DocumentSet([*self.items])) == text_like(b, DocumentSet([*other.items]))
        if isinstance(a, Rendered) and isinstance(b, Rendered):
            return a.to_yaml() == b.to_yaml() and a.files == b.files
        return a.to_yaml() == b.to_yaml()


def _pairs(shown: Sequence[Document], made: Sequence[Document]) -> dict[Item, Item]:
    """The evaluated items by the redacted ones, which are in the same order."""
    found: dict[Item, Item] = dict(zip(shown, made, strict=True))
    pending: list[tuple[Value, Value]] = [(a.value, b.value) for a, b in zip(shown, made, strict=True)]
    while pending:
        left, right = pending.pop()
        if (type(left) is Map and type(right) is Map) or (type(left) is Array and type(right) is Array):
            mine: Sequence[Item] = left.items
            own: Sequence[Item] = right.items
            for a, b in zip(mine, own, strict=True):
                found[a] = b
                pending.append((a.value, b.value))
    return found


def compared(
    old: Outcome, new: Outcome, alignment: Alignment | None = None, like: Alignment | None = None
) -> list[Change]:
    """The differences of two outcomes, those of text files last. alignment, like: as in `changes`."""
    pairs = pairs_of(old.items, new.items)
    numbers = sorted((one.old_number, one.new_number) for one in pairs if one.old is not None and one.new is not None)
    is_in_order = all(a[1] < b[1] for a, b in pairwise(numbers))
    left, right = old.texts, new.texts
    if not (old.uses_secrets or new.uses_secrets):  # names of files are values
        left, right = {**left, **old.paths}, {**right, **new.paths}
    for name in {**left, **right}:
        pairs.append(Pair(("file", name), left.get(name), right.get(name), -1, -1))
    found = changes(pairs, alignment, like)
    if not is_in_order:
        found.append(Change(MOVED, Pair("documents", None, None, -1, -1), ("order",), "", (), ()))
    return found


# One engine each, because results are reused for what is equal to the previous evaluation.
_BASE, _HEAD, _MIXED = "base", "head", "mixed"


class Evaluator:
    """Evaluates the runs of both sides. files: the changes of the differing files, by path. cpu_budget: for evaluations
    with parts of the change reverted.

    count: the number of evaluations so far.
    """

    def __init__(self, sides: Sides, files: Mapping[str, FileChange], cpu_budget: CpuBudget) -> None:
        self.sides = sides
        self.cpu_budget = cpu_budget
        self.files = files
        self.count = 0
        self._engines = {_BASE: Engine(), _HEAD: Engine(), _MIXED: Engine()}
        self._projects: dict[Entry | None, Project] = {}
        self._with_secrets: set[str] = set()

    def base(self, task: Task, *, trace: bool) -> Outcome:
        """The outcome on BASE's side. It has no provenance if the budget does not allow it."""
        return self._side(_BASE, task, self.sides.base, trace=trace)

    def head(self, task: Task, *, trace: bool) -> Outcome:
        """The outcome on HEAD's side. It has no provenance if the budget does not allow it."""
        return self._side(_HEAD, task, self.sides.head, trace=trace)

    def without(self, task: Task, units: Iterable[Unit]) -> Outcome:
        """The outcome on HEAD's side with some units reverted."""
        by_file: dict[str, list[Unit]] = {}
        for unit in units:
            by_file.setdefault(unit.file, []).append(unit)
        files: dict[str, Entry | None] = dict(self.sides.head)
        for path, some in by_file.items():
            files[path] = self.files[path].without(some)
        there = {path for path, entry in files.items() if entry is not None}
        if any(path[:at] in there for path in there for at, sign in enumerate(path) if sign == "/"):
            error = PlaitError("a file or a link is at the path of a directory", code="not-regular-file")
            return Outcome(None, error, InputView(), None)
        start = process_time()
        with self.cpu_budget.scope():
            made = self._evaluated(_MIXED, task, files, trace=False, limits=None)
        self.cpu_budget.note(start)
        return made

    def _side(self, side: str, task: Task, files: Mapping[str, Entry | None], *, trace: bool) -> Outcome:
        if trace and self.cpu_budget.allows():
            with self.cpu_budget.scope():
                made = self._evaluated(side, task, files, trace=True, limits=None)
            if not isinstance(made.error, LimitError) or self.cpu_budget.allows():
                return made
        # Only provenance is subject to the budget: a side takes the time that it needs.
        return self._evaluated(side, task, files, trace=False, limits={})

    def _evaluated(
        self,
        side: str,
        task: Task,
        files: Mapping[str, Entry | None],
        *,
        trace: bool,
        limits: Mapping[str, float] | None,
    ) -> Outcome:
        self.count += 1
        view = InputView()
        record = Trace() if trace else None
        if record is not None:
            record.follows_all = True
        is_marked = task.name in self._with_secrets
        try:
            self.sides.show(files)
            run, engine = self._run(task, files), self._engines[side]
            made = run.evaluate(view=view, limits=limits, engine=engine, trace=record or is_marked, checks=False)
            if uses_secrets(view) and record is None and not is_marked and not uses_secrets(made.trace):
                # Only marks tell which values may be compared.
                made = run.evaluate(view=view, limits=limits, engine=engine, trace=True, checks=False)
            if uses_secrets(view):
                self._with_secrets.add(task.name)
            return Outcome(made, None, view, made.trace)
        except PlaitError as error:
            return Outcome(None, error, view, record)

    def _run(self, task: Task, files: Mapping[str, Entry | None]) -> Run:
        entry = files.get(self.sides.name)
        project = self._projects.get(entry)
        if project is None:
            project = self._projects[entry] = self.sides.project()
        if self.sides.name in files:  # the project file differs, so the run may, too
            task = next((one for one in tasks_of(project) if one.name == task.name), task)
        return task.run(project)
