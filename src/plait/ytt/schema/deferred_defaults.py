"""Declarations whose default is computed from other data values (extension `values-refer`).

    host: example.com
    url: #@ "https://" + data.values.host

The type is that of the expression's result when all data values have their defaults. It is inferred only if the value
is set explicitly or the schema is printed. If the result is null, any value is accepted.
"""

from __future__ import annotations

from plait.base.errors import Finding, LimitError, PlaitError, SchemaError
from plait.tree.deferred_values import Deferred, is_deferred
from plait.tree.nodes import Array, walk
from plait.ytt.schema.types import AnyType, Declaration
from plait.ytt.schema.walk import declarations_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.tree.deferred_values import DeferredValues
    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.types import Type


class ComputedDeclaration(Declaration):
    """The declaration of a node with a deferred value.

    computed: the value. infer: returns the type for an example value. root: the declaration of the whole schema.
    """

    __slots__ = ("_inferred", "computed", "infer", "root")

    def __init__(self, found: Declaration, computed: Deferred, infer: Callable[[Value], Type]) -> None:
        self._inferred: Type | None = None
        self.computed = computed
        self.infer = infer
        self.root: Declaration = found
        super().__init__(
            found.type,
            found.default,
            key=found.key,
            validation=found.validation,
            source=found.source,
            line=found.line,
        )

    def _type(self) -> Type:
        if self._inferred is None:
            self._inferred = AnyType(None, self.source, self.line)  # for a value that refers to itself
            try:
                value = self.computed.values.value_among(self.root.default, self.computed)
            except LimitError:
                raise
            except PlaitError:
                return self._inferred
            self._inferred = self.infer(value)
        return self._inferred

    def _placeholder(self, given: Type) -> None:
        """Creates a placeholder. The type is inferred on demand."""

    type = property(_type, _placeholder)


def accepted(node: Item, value: Value) -> Value:
    """The default computed by an expression. Raises SchemaError if it implies no type."""
    if value is None:
        finding = Finding(
            "null value not allowed here",
            at=node.position,
            expected="non-null value",
            found="null value",
            hint="for a default that may be null put #@schema/nullable and #@schema/default above the key",
            code="null-not-allowed",
        )
    elif type(value) is Array:
        finding = Finding(
            "a computed array does not declare the type of its items",
            at=node.position,
            expected="an array with one item, of the desired type",
            found="array",
            hint="put the expression into #@schema/default above the key",
            code="schema-annotation",
        )
    else:
        return value
    raise SchemaError("Invalid schema", findings=[finding], code=finding.code)


def compute_defaults(root: Declaration) -> None:
    """Computes all deferred defaults, to print the schema. Raises PlaitError."""
    declarations = list(_all(root))
    values = next((found for one in declarations for found in _values_in(one.default)), None)
    if values is None:
        return
    defaults = root.default
    for one in declarations:
        one.default = values.value_among(defaults, one.default)


def _all(root: Declaration) -> Iterator[Declaration]:
    pending = [root]
    while pending:
        declaration = pending.pop()
        yield declaration
        pending += declarations_in(declaration.type)


def _values_in(default: Value) -> Iterator[DeferredValues]:
    if is_deferred(default):
        yield default.values
    for item in walk(default):
        if is_deferred(item.value):
            yield item.value.values
