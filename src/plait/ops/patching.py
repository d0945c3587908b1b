"""Applying operations, one after the other (spec ops 6)."""

from __future__ import annotations

from plait.errors import OpsError
from plait.ops.draft import Draft
from plait.source import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.nodes import Value
    from plait.ops.operations import Operation
    from plait.provenance import Trace


def patch(value: Value, operations: Iterable[Operation], *, trace: Trace | None = None) -> Value:
    """The value after all operations, each applied to the result of the one before.

    The value given is not altered; without operations it is the result. trace: gets what each operation did.
    Raises OpsError naming the operation's file, line and number, the part of the path that failed and what is there instead.
    """
    draft = Draft(value)
    for operation in operations:
        try:
            operation.apply(draft)
        except OpsError as error:
            raise _located(error, operation) from None
        if trace is not None:
            from plait.ops.tracing import record

            value = record(operation, value, draft.result(), trace)
    return draft.result()


def _located(error: OpsError, operation: Operation) -> OpsError:
    number = "" if operation.number is None else f" [{operation.number}]"
    words = "" if operation.words is None else f" ({operation.words})"
    at = Position(operation.source, operation.line) if operation.source is not None else None
    return OpsError(
        f"{operation.kind} operation{number} failed{words}: {error.message}",
        at=at,
        also=error.also,
        expected=error.expected,
        found=error.found,
        hint=error.hint,
        trail=error.trail,
    )
