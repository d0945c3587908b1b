"""Evaluations of a run on both sides of a review, and with parts of the change reverted."""

from __future__ import annotations

from itertools import pairwise

from plait.base.errors import PlaitError
from plait.base.input_view import InputView
from plait.engine.incremental import Engine
from plait.engine.results import Rendered
from plait.fleet.plan import tasks_of
from plait.insight.explain import Explainer
from plait.review.values import MOVED, Change, Pair, changes, pairs_of
from plait.tree.nodes import Array, ArrayItem, Document
from plait.tree.provenance import Trace
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.engine.results import Documents
    from plait.fleet.plan import Task
    from plait.review.revisions import Entry, Sides
    from plait.review.units import FileChange, Unit


# The name of the list of output files among the text files; no path ends with a slash.
OUTPUT_FILES = "output files/"


class Outcome:
    """The result of one evaluation: documents, or an error. trace: None for an evaluation without provenance."""

    __slots__ = ("_explainer", "documents", "error", "trace", "view")

    def __init__(
        self, documents: Documents | None, error: PlaitError | None, view: InputView, trace: Trace | None
    ) -> None:
        self.documents = documents
        self.error = error
        self.view = view
        self.trace = trace
        self._explainer: Explainer | None = None

    @property
    def explainer(self) -> Explainer:
        """The histories of an evaluation with provenance."""
        if self._explainer is None:
            assert self.trace is not None
            self._explainer = Explainer(self.trace)
        return self._explainer

    @property
    def items(self) -> Sequence[Document]:
        """The documents, not redacted."""
        return () if self.documents is None else self.documents.nodes.items

    @property
    def texts(self) -> Mapping[str, Document]:
        """The text files as lists of lines."""
        if not isinstance(self.documents, Rendered):
            return {}
        found: dict[str, Document] = {}
        known = {} if self.trace is None else self.trace.texts
        for path in self.documents.texts:
            lines = known.get(path)
            if lines is None:
                text = self.documents.files[path]
                lines = Array([ArrayItem(line, None, 0) for line in text.splitlines()])
            found[path] = Document(lines, None, 0)
        return found

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
        """True if both evaluations print the same."""
        a, b = self.documents, other.documents
        if a is None or b is None:
            return False
        if isinstance(a, Rendered) and isinstance(b, Rendered):
            return a.to_yaml() == b.to_yaml() and a.files == b.files
        return a.to_yaml() == b.to_yaml()


def compared(old: Outcome, new: Outcome) -> tuple[list[Pair], list[Change]]:
    """The documents of two outcomes in pairs, text files last, and the differences."""
    pairs = pairs_of(old.items, new.items)
    numbers = sorted((one.old_number, one.new_number) for one in pairs if one.old is not None and one.new is not None)
    is_in_order = all(a[1] < b[1] for a, b in pairwise(numbers))
    left, right = old.texts, new.texts
    if not (old.uses_secrets or new.uses_secrets):  # names of files are values
        left, right = {**left, **old.paths}, {**right, **new.paths}
    for name in {**left, **right}:
        pairs.append(Pair(("file", name), left.get(name), right.get(name), -1, -1))
    found = changes(pairs)
    if not is_in_order:
        found.append(Change(MOVED, Pair("documents", None, None, -1, -1), ("order",), "", (), ()))
    return pairs, found


# One engine each, because results are reused for what is equal to the previous evaluation.
_BASE, _HEAD, _MIXED = "base", "head", "mixed"


class Evaluator:
    """Evaluates the runs of both sides. files: the changes of the differing files, by path.

    count: the number of evaluations so far.
    """

    def __init__(self, sides: Sides, files: Mapping[str, FileChange]) -> None:
        self.sides = sides
        self.files = files
        self.count = 0
        self._engines = {_BASE: Engine(), _HEAD: Engine(), _MIXED: Engine()}
        self._projects: dict[Entry | None, Project] = {}

    def base(self, task: Task, *, trace: bool) -> Outcome:
        """The outcome on BASE's side."""
        return self._evaluated(_BASE, task, self.sides.base, trace=trace)

    def head(self, task: Task, *, trace: bool) -> Outcome:
        """The outcome on HEAD's side."""
        return self._evaluated(_HEAD, task, self.sides.head, trace=trace)

    def without(self, task: Task, units: Iterable[Unit], *, trace: bool) -> Outcome:
        """The outcome on HEAD's side with some units reverted."""
        by_file: dict[str, list[Unit]] = {}
        for unit in units:
            by_file.setdefault(unit.file, []).append(unit)
        files: dict[str, Entry | None] = dict(self.sides.head)
        for path, some in by_file.items():
            files[path] = self.files[path].without(some)
        return self._evaluated(_MIXED, task, files, trace=trace)

    def _evaluated(self, side: str, task: Task, files: Mapping[str, Entry | None], *, trace: bool) -> Outcome:
        self.count += 1
        view = InputView()
        record = Trace() if trace else None
        if record is not None:
            record.follows_all = True
        try:
            self.sides.show(files)
            made = self._run(task, files).evaluate(
                view=view, limits={}, engine=self._engines[side], trace=record or False, checks=False
            )
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
