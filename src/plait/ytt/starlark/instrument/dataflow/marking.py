"""Functions for evaluations with secrets, in addition to `flows`: a cheaper runtime, and `print`."""

from __future__ import annotations

import sys
from types import FunctionType

from plait.base.source import Position
from plait.tree.nodes import walk
from plait.ytt.starlark.builtins import joined, paid_line
from plait.ytt.starlark.instrument.dataflow.flows import ProgramFlows
from plait.ytt.starlark.instrument.dataflow.recorder import DataflowRuntime
from plait.ytt.starlark.instrument.dataflow.shadows import CHANGEABLE, PLAIN, caller
from plait.ytt.starlark.structs import reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.base.source import Source
    from plait.tree.provenance import Origin
    from plait.tree.provenance.marks import Marks
    from plait.ytt.starlark.instrument.dataflow.shadows import Shadow
    from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker


class Marking(ProgramFlows):
    """The runtime of a run without provenance: it records only secrets, so most scopes stay empty."""

    __slots__ = ()

    def secret(self, shadow: Iterable[Origin]) -> bool:
        return bool(shadow) and super().secret(shadow)

    def field(self, value: object, shadow: Shadow, name: str) -> object:
        if not shadow and type(value) is self.quick:
            found = value.plain.get(name, self)  # type: ignore[attr-defined]
            if found is not self:
                return found
        return super().field(value, shadow, name)

    def close(self, depth: int, line: int, *controls: Shadow) -> Shadow:
        if self.stack[depth] or any(controls):
            return super().close(depth, line, *controls)
        del self.stack[depth:]
        return ()

    def add(self, line: int, *controls: Shadow) -> None:
        if any(controls):
            super().add(line, *controls)

    def here(self, line: int) -> Shadow:  # noqa: ARG002
        return ()

    def tested(self, line: int, names: tuple[str, ...]) -> Shadow:
        self.last = None
        if not self.windows.tested:
            return ()
        self.last = control = self.decided(self.windows.tested, line)
        if control is None:
            return ()
        self.mark_named(control, names, sys._getframe(1).f_locals)
        return (control,)

    def hole(self, value: object) -> object:  # type: ignore[override]
        if not self.stack[-1]:
            return value
        self.windows.fresh = True
        return super().hole(value)

    def taken(
        self, caller: Mapping[str, object], names: tuple[str, ...], count: int, star: str, double: str
    ) -> Mapping[str, Shadow]:
        window = self.stack[-1]
        if (window.called or "$source" in caller) and not any(shadow for _, shadow, _ in window.arguments):
            window.direct = window.direct or not window.quiet
            return {}
        return super().taken(caller, names, count, star, double)

    def passed(self, value: object, shadow: Shadow, name: str | None) -> object:
        super().passed(value, shadow, name)
        if self.stack[-1].arguments[-1][1]:
            self.windows.fresh = True
        return value

    def chosen(self, depth: int, value: object, names: tuple[str, ...]) -> object:
        if self.stack[depth]:
            return super().chosen(depth, value, names)
        del self.stack[depth:]
        return value

    def result(self, depth: int, value: object) -> object:
        window = self.stack[depth]
        if not window and not window.arguments and type(value) in PLAIN and window.receiver is None:
            del self.stack[depth:]
            return value
        super().result(depth, value)
        nodes = self.nodes_of(value) if type(value) not in PLAIN else None
        if nodes is not None:
            # Only secret values have a record.
            trace = self.marks.trace
            changes, presence, copies = trace.changes, trace.presence, trace.copies
            if not any(item in changes or item in presence or item in copies for item in walk(nodes)):
                self.stack[-1].pop(nodes, None)
        return value

    def argument(self, depth: int, value: object, name: str | None) -> object:
        if self.stack[depth]:
            self.windows.fresh = True
            return super().argument(depth, value, name)
        del self.stack[depth:]
        self.stack[-1].adds((value, (), name))
        return value


def printer(windows: DependencyTracker, marks: Marks, line: Callable[[str], None]) -> Callable[..., None]:
    """The `print` of a run that uses secrets. A line is withheld if its text, or the decision to print it, depends on a
    secret.
    """

    def print_(*args: object, **kwargs: object) -> None:
        text = joined("print", args, kwargs)
        window = windows.stack[-1]
        if window.reached_by and not marks.shows_all:
            return
        made_of = windows.read_now(len(windows.stack) - 1)
        for value in reachable((*args, *kwargs.values()), _text_parts):
            if type(value) in CHANGEABLE:
                made_of.update(dict.fromkeys(windows.changed_by))
            for table in (windows.mutated, windows.made):
                known = table.get(id(value))
                if known is not None:
                    made_of.update(dict.fromkeys(known[-1]))
        if marks.depends(made_of):
            at = Position(*caller())
            text = f"{at}: line withheld: it depends on a secret"
        paid_line(text)
        line(text)

    return print_


def _text_parts(value: object) -> list[object] | None:
    """The parts of a value that its text shows; None for all. The text of a function has none."""
    return [] if isinstance(value, FunctionType) else None


def program_names(windows: DependencyTracker, source: Source, line: Callable[[str], None]) -> Mapping[str, object]:
    """The functions that the code of one program calls. line: receives each printed line."""
    marks = windows.marks
    if marks is None:
        return DataflowRuntime(windows, source).names()

    found = windows.programs.get(source)
    if found is None:
        kind = Marking if marks.trace.only_marks else ProgramFlows
        names = {**kind(windows, source, marks).names(), "$print": printer(windows, marks, line)}
        found = windows.programs[source] = names
    return found
