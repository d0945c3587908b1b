"""Data values that are computed from other data values (extension `values-refer`).

    host: example.com
    url: #@ "https://" + data.values.host

Reading a data value before the merge raises UnresolvedValueError. The expression that read it becomes a `Deferred` in
the tree, which overlays treat like a scalar. After the merge it is evaluated on first use, once.
"""

from __future__ import annotations

from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias, TypeGuard

    from plait.base.source import Position

    # A value of the language, or of a node.
    Computed: TypeAlias = Any

    class DeferredValues(Protocol):
        """The data values after the merge."""

        def value_of(self, deferred: Deferred) -> Computed:
            """Computes a deferred value. Raises UnresolvedValueError, and PlaitError if it depends on itself."""

        def value_among(self, values: Computed, value: Computed) -> Computed:
            """A value, with all deferred values in it computed from the given data values. Raises PlaitError."""


def is_deferred(value: object) -> TypeGuard[Deferred]:
    """True if the value of a node is not known yet."""
    return type(value) is Deferred


class UnresolvedValueError(PlaitError):
    """Raised if a data value is read before the merge. values: resolves it later."""

    code = "early-data-values"

    def __init__(self, values: DeferredValues) -> None:
        super().__init__(
            "data.values is not known here: data values and schemas are merged first",
            expected='data.values in an expression that gives a value, such as  url: #@ "https://" + data.values.host',
            hint="keys and annotations cannot depend on data values; a function that a value calls may use data.values",
        )
        self.values = values


class Deferred:
    """A value that is computed after all data values are merged: a Starlark value, or the value of a node.

    compute: returns the value; raises PlaitError. values: caches the result. at: the position of a node. of: the
    deferred value that this one is derived from.
    """

    __slots__ = ("at", "compute", "of", "values")

    def __init__(
        self,
        compute: Callable[[], Computed],
        values: DeferredValues,
        at: Position | None = None,
        of: Deferred | None = None,
    ) -> None:
        self.compute = compute
        self.values = values
        self.at = at
        self.of = of

    def known(self) -> Computed:
        """The value, computed on first use. Raises UnresolvedValueError, and the errors of the computation."""
        return self.values.value_of(self)

    def then(self, change: Callable[[Computed], Computed], at: Position | None = None) -> Deferred:
        """A deferred value derived from this one by a function. at: the position of its node, by default the same."""
        return Deferred(lambda: change(self.known()), self.values, at or self.at, self)
