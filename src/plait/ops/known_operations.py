"""Operations files and their effects, for evaluations that use the same ones.

A file with the same name and content has the same operations. The same operations change the same document in the same
way; so an evaluation whose first operations are those of the last one applies only the others.
"""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.base.limits import current_budget
from plait.base.recent import Count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from plait.base.errors import Warn, Warning
    from plait.base.source import Source
    from plait.ops.operations import Operation
    from plait.tree.nodes import Value

    T = TypeVar("T")
    Apply = Callable[[Value, Sequence[Operation]], Value]

# Maximum number of files.
_MOST = 1000


class KnownOperations:
    """The files that earlier evaluations read, and the results of the operations in the last ones.

    Several threads may use it, because every entry is replaced as a whole. count: the number of operations.
    """

    __slots__ = ("_last", "_limits", "_read", "count")

    def __init__(self) -> None:
        self._limits: tuple[object, ...] = ()
        self.count = Count()
        self._read: dict[object, object] = {}
        # The operations of the last evaluation, and documents after some of them: before the first, where evaluations
        # differed, and after the last.
        self._last: tuple[Sequence[Operation], list[tuple[int, Value]]] = [], []

    def begin(self) -> None:
        """Begins an evaluation. Drops everything if its limits differ from those of the last one."""
        limits = current_budget().limits
        found = tuple(getattr(limits, name) for name in type(limits).__slots__)
        if found != self._limits or len(self._read) > _MOST:
            self._limits, self._read, self._last = found, {}, ([], [])

    def read(self, source: Source, options: object, warn: Warn, read: Callable[[Warn], T]) -> T:
        """The result of `read` for a text and options. A text with warnings is read each time. Raises its errors."""
        key = source.name, source.shown, source.text, options
        known = self._read
        found: T | None = known.get(key)  # type: ignore[assignment] # the options tell what was read
        if found is None:
            told: list[Warning] = []

            def report(text: Warning) -> None:  # at once, because an error may follow
                told.append(text)
                warn(text)

            found = read(report)
            if not told:
                known[key] = found
        return found

    def patched(self, value: Value, operations: Sequence[Operation], apply: Apply) -> Value:
        """The value after operations, which `apply` applies to a value. Raises its errors."""
        last, documents = self._last
        if not documents or documents[0][1] is not value:
            last, documents = [], [(0, value)]
        same = 0
        for one, other in zip(operations, last, strict=False):
            if one is not other:
                break
            same += 1
        documents = [one for one in documents if one[0] <= same]
        self.count.reused += documents[-1][0]
        self.count.new += len(operations) - documents[-1][0]
        for end in (same, len(operations)):
            start, value = documents[-1]
            if end > start:
                try:
                    documents.append((end, apply(value, operations[start:end])))
                except OpsError:
                    apply(documents[0][1], operations)  # the message is about all operations
                    raise
        self._last = operations, documents
        return documents[-1][1]
