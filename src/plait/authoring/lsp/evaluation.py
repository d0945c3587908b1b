"""Evaluates a run with provenance: its output, its errors, and the input lines that contributed to each value."""

from __future__ import annotations

import os
from threading import Lock

from plait.authoring.analysis.code import ITEM
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.symbols import items_by_keys
from plait.authoring.interactive import INTERACTIVE
from plait.authoring.lsp.value_origins import origin_lines
from plait.base.errors import LimitError, PlaitError
from plait.base.input_view import InputView
from plait.base.limits import Limits, RunBudget, budget_scope, limit_error
from plait.base.process import with_stack_headroom
from plait.insight.explain import Explainer
from plait.insight.history_text import shown
from plait.insight.node_paths import NodePath, all_places
from plait.tree.lookups import Instance, Lookups
from plait.tree.nodes import Array, Map, MapItem, walk
from plait.tree.provenance import Trace
from plait.tree.secrets import HIDDEN, uses_secrets
from plait.ytt.templates.recovery import findings_of
from plait.ytt.workspace.library import PRIVATE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from plait.authoring.project.run import Run
    from plait.base.errors import Finding, Warning
    from plait.engine.incremental import Engine
    from plait.engine.results import Documents
    from plait.insight.item_names import ItemNames
    from plait.tree.nodes import Document, Item
    from plait.tree.provenance import OverlayMatch
    from plait.ytt.json_schema.catalogue import Catalogue
    from plait.ytt.json_schema.check import SchemaViolation
    from plait.ytt.json_schema.subschema import Subschema

# The user may have typed only half of a loop. `memory` is the limit of the server's process, because the memory of one
# thread cannot be measured.
LIMITS = INTERACTIVE
# The name of directories that contain libraries.
_PRIVATE = f"{os.sep}{PRIVATE_NAME}{os.sep}"


class EvaluationStop:
    """Allows one thread to stop an evaluation in another thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._run_budget: RunBudget | None = None
        self.is_asked = False

    def watch(self, run_budget: RunBudget) -> None:
        """Sets the budget to stop."""
        with self._lock:
            self._run_budget = run_budget
            if self.is_asked:
                run_budget.deadline = 0.0

    def ask(self) -> None:
        """Stops the evaluation at its next check of the clock."""
        with self._lock:
            self.is_asked = True
            if self._run_budget is not None:
                self._run_budget.deadline = 0.0


class ResourceSchemaChecks:
    """The results of checking a run's output against the schemas of a project.

    catalogue: the schemas that the project names, or None. of_data: the schemas of a site for the data of its
    documents, by their `schema`. faults: by (absolute path, line). error: the reason why documents are not checked.
    """

    __slots__ = ("catalogue", "error", "faults", "of_data")

    def __init__(self) -> None:
        self.catalogue: Catalogue | None = None
        self.of_data: Mapping[str, Subschema] = {}
        self.faults: list[tuple[str, int, SchemaViolation]] = []
        self.error: PlaitError | None = None

    def problems(self) -> list[tuple[PlaitError, str]]:
        """The problems of the schemas themselves, each with its severity."""
        found = [] if self.error is None else [(self.error, "error")]
        if self.catalogue is not None:
            found += [(error, "error") for error in self.catalogue.problems]
            found += [(error, "warning") for error in self.catalogue.notes]
        return found

    def paths(self) -> Iterable[str]:
        """The files and directories of schemas that were read or tested."""
        return () if self.catalogue is None else self.catalogue.paths()

    def reads(self, path: str) -> bool:
        """True if a file is one of the schemas, or would be if it existed."""
        return self.catalogue is not None and self.catalogue.reads(path)


class Evaluation:
    """The result of a run.

    documents: its output, or None if it failed. error: the reason. view: the files it read. trace, lookups: histories,
    files by `load`, and data values by library, even if the run failed later; empty if it was not traced. warnings:
    even if the run failed. by_line: maps (absolute path, line) to the values that the line set or changed. kinds: the
    results of schema checks.
    """

    __slots__ = (
        "_declarations",
        "_explainer",
        "by_line",
        "documents",
        "error",
        "kinds",
        "lookups",
        "run",
        "trace",
        "view",
        "warnings",
    )

    def __init__(
        self,
        run: Run,
        view: InputView,
        documents: Documents | None,
        error: PlaitError | None,
        trace: Trace,
        lookups: Lookups | None = None,
        warnings: Sequence[Warning] = (),
    ) -> None:
        self.run = run
        self.view = view
        self.documents = documents
        self.error = error
        self.trace = trace
        self.lookups = Lookups() if lookups is None else lookups
        self._declarations: dict[tuple[str, int], list[tuple[Instance, tuple[str, ...]]]] | None = None
        self.warnings = warnings
        self.by_line: dict[tuple[str, int], list[NodePath]] = {}
        self._explainer = Explainer(trace)
        self.kinds = ResourceSchemaChecks()

    def index(self, stop: EvaluationStop | None = None) -> None:
        """Fills `by_line`. This is slow, so it ends early when it is stopped."""
        if self.documents is not None:
            for place in all_places(self._explainer.visible(self.documents.nodes.items), {}):
                if stop is not None and stop.is_asked:
                    return
                for key in origin_lines(self.trace, place.item):
                    self.by_line.setdefault(key, []).append(place)

    def set_by(self, path: str, item: Item) -> list[NodePath]:
        """The values that the lines of an item of a file, and of its descendants, have set."""
        lines = {item.line, *(one.line for one in walk(item.value))}
        return [place for line in sorted(lines) for place in self.by_line.get((path, line), ())]

    def matches(self, path: str, right: Item) -> list[OverlayMatch]:
        """The matches of an overlay document, by its position."""
        found = self.trace.matches.items()
        return [one for item, many in found if item.line == right.line and path_of(item.source) == path for one in many]

    def findings(self) -> list[Finding]:
        """The findings of the error."""
        if self.error is None:
            return []

        return findings_of(self.error)

    def instances(self, path: str) -> list[Instance]:
        """The data values with which a file was evaluated, or that it defines; for any other file those of the root."""
        found = [
            one
            for one in self.lookups.instances
            if any(path_of(source) == path for source in one.sources)
            or any(path_of(document.source) == path for document in (*one.schemas, *one.given))
        ]
        if found or _PRIVATE in path:
            return found
        return [one for one in self.lookups.instances if not one.library][:1]

    def values(self, path: str, keys: Sequence[str]) -> Iterator[tuple[Instance, NodePath]]:
        """A data value as the code of a file sees it, by its keys from the root, once for each library instance."""
        seen: list[Item] = []
        for instance in self.instances(path):
            place = descend(instance.values, keys)
            if place is not None and place.way and not any(one is place.item for one in seen):
                seen.append(place.item)
                yield instance, place

    def value(self, path: str, keys: Sequence[str]) -> NodePath | None:
        """The first result of `values`, or None."""
        return next((place for _, place in self.values(path, keys)), None)

    def items(self, path: str, keys: Sequence[str]) -> Iterator[MapItem]:
        """The data values inside a key path, as the code of a file sees them."""
        for instance in self.instances(path):
            place = descend(instance.values, keys)
            value = None if place is None else place.value
            if type(value) is Map:
                yield from value.items

    def declared_at(self, path: str, line: int) -> list[tuple[Instance, tuple[str, ...]]]:
        """The data values that a line of a file of data values declares or sets."""
        if self._declarations is None:
            self._declarations = {}
            for instance in self.lookups.instances:
                for document in (*instance.schemas, *instance.given):
                    for item, keys in items_by_keys(document.value):
                        where = path_of(item.source)
                        if where is not None:
                            self._declarations.setdefault((where, item.line), []).append((instance, keys))
        return self._declarations.get((path, line), [])

    def hide(self, stores: Container[str]) -> None:
        """Marks values from some files as secret, because another run uses the files as variables stores."""
        if any(path in stores for path in self.view.files):
            self.trace.hide_files(stores)

    def name_of(self, node_path: NodePath) -> str:
        """The name of a value, without secrets."""
        return str(node_path.named(self.names))

    @property
    def names(self) -> ItemNames:
        """The names of documents and items."""
        return self._explainer.names

    def shown(self, item: Item) -> str:
        """The value of an item on one short line; "(secret)" for a secret."""
        if type(item.value) is Map or type(item.value) is Array or not self.is_secret(item):
            return shown(item.value)
        return HIDDEN

    def is_secret(self, item: Item) -> bool:
        """True if a value, or one of its origins, comes from a variables store or an encrypted document."""
        return self._explainer.is_secret(item)


def descend(document: Document, keys: Sequence[str]) -> NodePath | None:
    """The node path below keys of a document; `[]` selects the first item of a list. None if there is none."""
    way: list[Item] = []
    value = document.value
    for key in keys:
        item: Item | None = None
        if type(value) is Map:
            item = value.find(key)
        elif type(value) is Array and key == ITEM and value.items:
            item = value.items[0]
        if item is None:
            return None
        way.append(item)
        value = item.value
    return NodePath(document, 0, tuple(way))


def evaluate(
    run: Run,
    texts: Mapping[str, bytes],
    stop: EvaluationStop,
    engine: Engine | None = None,
    *,
    is_traced: bool = True,
) -> Evaluation:
    """Evaluates a run. Errors are in the result.

    texts: open texts, by absolute path. stop: stops the evaluation. engine: shared by all evaluations. is_traced: with
    provenance and lookups. Without them, results of earlier evaluations are reused.
    """
    view = InputView(texts)
    trace, lookups = Trace(), Lookups()
    warned: list[Warning] = []
    documents = None
    error: PlaitError | None = None
    with budget_scope(Limits(**LIMITS)) as run_budget:
        stop.watch(run_budget)
        try:
            documents = with_stack_headroom(
                lambda: run.evaluate(
                    view=view,
                    trace=is_traced and trace,
                    engine=engine,
                    checks=False,
                    lookups=lookups if is_traced else None,
                    warned=warned,
                ),
                first=False,
            )
        except PlaitError as failed:
            error = failed
            failed.__traceback__ = failed.__context__ = None  # the frames refer to all evaluation state
        except MemoryError as failed:
            failed.__traceback__ = failed.__context__ = None
            error = limit_error("the memory of this run", "memory", LIMITS["memory"])
            trace, lookups = Trace(), Lookups()
    if uses_secrets(view) and not uses_secrets(trace):
        # The run ended before its secrets were known, so no value is shown.
        documents, trace, lookups = None, Trace(), Lookups()
    return Evaluation(run, view, documents, error, trace, lookups, warned)


def is_stopped(evaluation: Evaluation, stop: EvaluationStop) -> bool:
    """True if an evaluation was stopped by its caller, so that its result must be ignored."""
    return stop.is_asked and isinstance(evaluation.error, LimitError)
