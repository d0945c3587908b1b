"""A run evaluated: what it makes, what went wrong, and which lines of its inputs are behind which values."""

from __future__ import annotations

from threading import Lock

from plait.analysis.places import path_of
from plait.errors import LimitError, PlaitError
from plait.limits import Allowance, Limits, limited
from plait.nodes import Map, walk
from plait.tools.paths import Place, all_places
from plait.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.api.results import Documents
    from plait.codecache import CodeCache
    from plait.errors import Finding
    from plait.nodes import Document, Item
    from plait.project.run import Run
    from plait.provenance import Trace

# What an evaluation may take: an editor waits for it, and a template without an end is somebody's half-written loop.
LIMITS = {"seconds": 10, "steps": 50_000_000, "memory": 1 << 30}


class Stop:
    """Lets one thread end what another one evaluates."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._allowance: Allowance | None = None
        self.is_asked = False

    def watch(self, allowance: Allowance) -> None:
        """Say what is to end."""
        with self._lock:
            self._allowance = allowance
            if self.is_asked:
                allowance.deadline = 0.0

    def ask(self) -> None:
        """End it: the next time it looks at the clock, its time is up."""
        with self._lock:
            self.is_asked = True
            if self._allowance is not None:
                self._allowance.deadline = 0.0


class Evaluation:
    """What came of a run.

    documents: what it made; None if it failed. error: why. view: what it has read. values: the final data values of a
    run of templates. by_line: (absolute path, line) of what a value was written or changed by -> the values.
    """

    __slots__ = ("by_line", "documents", "error", "run", "trace", "values", "view")

    def __init__(
        self, run: Run, view: View, documents: Documents | None, error: PlaitError | None, values: Documents | None
    ) -> None:
        self.run = run
        self.view = view
        self.documents = documents
        self.error = error
        self.values = values
        self.trace: Trace | None = None if documents is None else documents.trace
        self.by_line: dict[tuple[str, int], list[Place]] = {}

    def index(self) -> None:
        """Fill `by_line`. That takes a while, so no request has to wait for it."""
        if self.documents is not None and self.trace is not None:
            for place in all_places(self.documents.nodes.items, {}):
                for key in set(_lines(self.trace, place.item)):
                    self.by_line.setdefault(key, []).append(place)

    def set_by(self, path: str, item: Item) -> list[Place]:
        """The values that the lines of an item of a file have set, those of all that is below it."""
        lines = {item.line, *(one.line for one in walk(item.value))}
        return [place for line in sorted(lines) for place in self.by_line.get((path, line), ())]

    def findings(self) -> list[Finding]:
        """What is wrong, each by itself."""
        if self.error is None:
            return []
        from plait.templates.recovery import findings_of

        return findings_of(self.error)

    def value(self, keys: Sequence[str]) -> Place | None:
        """A data value, by its keys from the top."""
        if self.values is None or not self.values.nodes.items:
            return None
        return descend(self.values.nodes.items[0], keys)


def descend(document: Document, keys: Sequence[str]) -> Place | None:
    """What stands under some keys of a document."""
    way: list[Item] = []
    value = document.value
    for key in keys:
        item = value.find(key) if type(value) is Map else None
        if item is None:
            return None
        way.append(item)
        value = item.value
    return Place(document, 0, tuple(way))


def evaluate(run: Run, texts: Mapping[str, bytes], stop: Stop, cache: CodeCache | None = None) -> Evaluation:
    """Evaluate a run with everything recorded; what is wrong with it is in the result.

    texts: what is open in the editor, by absolute path. stop: ends it. cache: compiled code of earlier evaluations.
    """
    view = View(texts)
    documents = values = None
    error: PlaitError | None = None
    with limited(Limits(**LIMITS)) as allowance:
        stop.watch(allowance)
        try:
            documents = run.evaluate(view=view, trace=True, cache=cache)
        except PlaitError as failed:
            error = failed
        if run.command == "render":
            try:
                values = run.evaluate(view=view, trace=True, words=["--data-values-inspect"], cache=cache)
            except PlaitError as failed:
                if stop.is_asked:  # half an evaluation is none; else the run's own error says why
                    error = failed
    return Evaluation(run, view, documents, error, values)


def is_stopped(evaluation: Evaluation, stop: Stop) -> bool:
    """Whether an evaluation was ended by whoever asked for it, so that it says nothing."""
    return stop.is_asked and isinstance(evaluation.error, LimitError)


def _lines(trace: Trace, item: Item) -> Iterator[tuple[str, int]]:
    """The lines where an item was written, and where it was changed."""
    seen: set[Item] = set()
    current: Item | None = item
    while current is not None and current not in seen:
        seen.add(current)
        original = trace.original(current)
        change = trace.changes.get(original)
        source, line = (original.source, original.line) if change is None else (change.source, change.line)
        path = path_of(source)
        if path is not None:
            yield path, line
        current = None if change is None else change.was
