"""Coverage points of operations (see `plait.base.events`). Imported only if there is a listener."""

from __future__ import annotations

from plait.base.events import DONE
from plait.ops.operations import Test
from plait.tree.nodes import equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.events import CoverageListener, Point
    from plait.ops.operations import Operation
    from plait.tree.nodes import Value

_CHANGES = "changes something"


class OperationPoints:
    """Reports operations to the coverage listener: their existence, their start, and their changes."""

    def __init__(self, listener: CoverageListener, operations: Sequence[Operation], value: Value) -> None:
        self._listener = listener
        self._value = value
        for operation in operations:
            listener.there(operation.source, _done(operation))
            if not isinstance(operation, Test):
                listener.there(operation.source, _effect(operation))

    def begins(self, operation: Operation) -> None:
        self._listener.went(operation.source, _done(operation), "done")

    def did(self, operation: Operation, after: Value) -> None:
        before, self._value = self._value, after
        if before is not after and not equal(before, after):
            self._listener.went(operation.source, _effect(operation), _CHANGES)


def _done(operation: Operation) -> Point:
    return "operation", (operation.line,), f"{operation.kind} {operation.pointer}", DONE


def _effect(operation: Operation) -> Point:
    return "effect", (operation.line,), f"{operation.kind} {operation.pointer}", (_CHANGES,)
