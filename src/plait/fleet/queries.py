"""Queries about all environments of a fleet: the value in each and its origin, differences, and the impact of a line.

The environments are evaluated with provenance, one after the other. Only the results of the query are kept in memory.
"""

from __future__ import annotations

import os
from functools import partial

from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import InputView
from plait.engine.incremental import Engine
from plait.engine.pipeline import file_source
from plait.insight.explain import OVERRIDDEN, Explainer, histories
from plait.insight.history_text import shown
from plait.insight.impact import check_line, impact, same_file
from plait.insight.node_paths import all_places, parse
from plait.tree.context import Context
from plait.tree.provenance import Trace
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.authoring.project.file import Project
    from plait.engine.results import Documents
    from plait.fleet.plan import Task
    from plait.insight.explain import History, HistoryEntry
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import DocumentSet

    # The name of a document, "" if there is none, and the path in it.
    Place: TypeAlias = "tuple[str, str]"

EQUAL, BY_AXIS, ODD, VARIOUS = "equal everywhere", "by an axis", "odd ones out", "various"


class EnvironmentValue:
    """text: the value on one short line.

    key: a string that is equal for equal values. file, line: the position of the origin, or None for a flag.
    """

    __slots__ = ("file", "key", "line", "place", "text")

    def __init__(self, text: str, key: str, place: str, file: str | None, line: int | None) -> None:
        self.text = text
        self.key = key
        self.place = place
        self.file = file
        self.line = line


def place_text(place: Place) -> str:
    """A path of the output as a PATH on the command line."""
    document, path = place
    return f"{document}:{path}" if document and path else document or path


def value_of(history: History) -> EnvironmentValue:
    """The value of a history."""
    entry = deciding(history.entries[-1])
    file, line = (None, None) if entry.source is None else (entry.source.shown, entry.line)
    return EnvironmentValue(shown(history.value), write_value(history.value), entry.place, file, line)


def deciding(entry: HistoryEntry) -> HistoryEntry:
    """The last entry of a value's history with a file or flag."""
    while True:
        below = [one for one in entry.origins if one.state != OVERRIDDEN and one.has_value]
        if not below:
            return entry
        entry = below[-1]


def evaluated(
    project: Project, tasks: Sequence[Task], engine: Engine | None = None, *, follows_all: bool = False
) -> Iterator[tuple[Task, Documents, Trace]]:
    """The results of runs, evaluated one after the other with provenance. engine: shared by all runs. Raises
    PlaitError.

    follows_all: also record pure functions.
    """
    engine = Engine() if engine is None else engine
    for task in tasks:
        trace = Trace()
        trace.follows_all = follows_all
        documents = task.run(project).evaluate(view=InputView(), trace=trace, limits={}, engine=engine)
        assert documents.trace is not None
        yield task, documents, documents.trace


def why(project: Project, tasks: Sequence[Task], path: str) -> Iterator[tuple[Task, Place, EnvironmentValue | None]]:
    """The values at a PATH in each environment: the run, the path, and the value or None.

    Raises UsageError if no environment has one, and the errors of evaluation.
    """
    parse(path)  # an invalid PATH is reported before anything runs
    missing: UsageError | None = None
    is_found = False
    for task, documents, trace in evaluated(project, tasks):
        try:
            found = list(histories(trace, documents.nodes.items, path))
        except UsageError as error:
            missing = error
            yield task, ("", path), None
            continue
        is_found = True
        for history in found:
            yield task, _place(history.place), value_of(history)
    if missing is not None and not is_found:
        raise missing


def _place(path: NodePath) -> Place:
    document, inside = path.parts
    return document or ("" if inside else str(path)), inside


class PathComparison:
    """One path in the output of all environments. kind: how its values differ. axes: the axes that determine them, if
    any.

    groups: the runs with each value, the largest group first; None for runs without the path.
    """

    __slots__ = ("axes", "groups", "kind", "place")

    def __init__(self, place: Place, groups: Mapping[str, tuple[EnvironmentValue | None, list[Task]]]) -> None:
        self.place = place
        self.groups = sorted(groups.values(), key=lambda group: -len(group[1]))
        self.axes: tuple[str, ...] = ()
        self.kind = self._kind()

    def _kind(self) -> str:
        if len(self.groups) == 1:
            return EQUAL
        tasks = [task for _, members in self.groups for task in members]
        names = sorted({axis for task in tasks for axis in task.choices})
        for axes in [*((one,) for one in names), *((one, two) for one in names for two in names if one < two)]:
            # An axis whose values are all distinct explains no more than the name of the environment.
            values = {_on(task, axes) for task in tasks}
            if len(values) < len(tasks) and self._is_by(axes):
                self.axes = axes
                return BY_AXIS
        return ODD if 2 * len(self.groups[0][1]) > len(tasks) else VARIOUS

    def _is_by(self, axes: tuple[str, ...]) -> bool:
        seen: dict[tuple[str, ...], int] = {}
        for number, (_, members) in enumerate(self.groups):
            for task in members:
                if seen.setdefault(_on(task, axes), number) != number:
                    return False
        return True


def _on(task: Task, axes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(task.choices[axis].text if axis in task.choices else "" for axis in axes)


def compared(project: Project, tasks: Sequence[Task]) -> list[PathComparison]:
    """Every path of the output, with its values in the environments. Raises PlaitError."""
    if len(tasks) < 2:
        raise PlaitError("there is nothing to compare", expected="two environments or more", code="nothing-to-do")
    found: dict[tuple[str, str], dict[str, tuple[EnvironmentValue | None, list[Task]]]] = {}
    having: dict[str, dict[str, Task]] = {}
    for task, documents, trace in evaluated(project, tasks):
        explainer = Explainer(trace)
        names = _Names()
        for place in all_places(explainer.visible(documents.nodes.items), explainer.texts):
            history = explainer.history(place)
            value = value_of(history)
            name, path = names.of(history.place)
            found.setdefault((name, path), {}).setdefault(value.key, (value, []))[1].append(task)
            if task.name not in having.setdefault(name, {}):
                having[name][task.name] = task
                if path:
                    whole = found.setdefault((name, ""), {})
                    whole.setdefault("", (EnvironmentValue("is there", "", value.place, value.file, value.line), []))[
                        1
                    ].append(task)
    return list(_rows(found, having, tasks))


def _rows(
    found: Mapping[tuple[str, str], dict[str, tuple[EnvironmentValue | None, list[Task]]]],
    having: Mapping[str, Mapping[str, Task]],
    tasks: Sequence[Task],
) -> Iterator[PathComparison]:
    """A row for each path. A document that some environments lack has one row, without rows for its contents."""
    for (name, path), groups in found.items():
        own = having[name]
        have = {task.name for _, members in groups.values() for task in members}
        if path and len(have) == len(own) < len(tasks) and len(groups) == 1:
            continue  # covered by the difference of the document
        if not path and len(own) == len(tasks) and "" in groups:
            continue
        lacking = [task for task in (own.values() if path else tasks) if task.name not in have]
        if lacking:
            groups["\0"] = None, lacking
        yield PathComparison((name, path), groups)


class _Names:
    """Unique names for the documents and paths of one environment. Further documents with the same name are numbered."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, int], str] = {}
        self._counts: dict[str, int] = {}

    def of(self, node_path: NodePath) -> tuple[str, str]:
        """The name of the document, "" if there is only one, and the path in it."""
        own, path = node_path.parts
        if own is None:
            return (f"document {node_path.number + 1}" if node_path.number else ""), path
        name = self._documents.get((own, node_path.number))
        if name is None:
            count = self._counts[own] = self._counts.get(own, 0) + 1
            name = self._documents[own, node_path.number] = own if count == 1 else f"{own} ({count})"
        return name, path


def reached(project: Project, tasks: Sequence[Task], file: str, line: int) -> Iterator[tuple[Task, list[Place], str]]:
    """The output paths that a line of a file contributes to, in each environment that reads the file.

    Each environment has the reason why there may be more, or "". Raises UsageError if no environment reads the file,
    and for a line beyond the end of the file; PlaitError.
    """
    own = os.path.abspath(project.path)
    read: dict[str, bytes | None] = {own: file_source(project.path).text.encode("utf-8", "surrogateescape")}
    engine = Engine(reads_once=True)
    is_reached = False

    def rerun(task: Task, texts: Mapping[str, bytes]) -> tuple[DocumentSet, Trace | None]:
        made = task.run(project).evaluate(view=InputView(texts), trace=True, limits={}, engine=engine)
        return made.nodes, made.trace

    for task in tasks:
        view = InputView()
        task.run(project).evaluate(view=view, limits={}, engine=engine)
        read |= view.files
        # Evaluating with provenance takes much longer.
        if any(same_file(path, file) for path in (*view.files, own)):
            ((_, documents, trace),) = evaluated(project, [task], engine, follows_all=True)
            found = impact(
                trace, documents.nodes, file, line,
                files={own: read[own], **view.files}, rerun=partial(rerun, task), context=Context(),
            )  # fmt: skip
            places = [_place(place) for place in found.places]
            is_reached = is_reached or bool(places)
            yield task, places, "the run fails if the line is changed" if found.needed else found.unknown
    if not is_reached:
        check_line(read, file, line, "any environment")
