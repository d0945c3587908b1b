"""Data values computed from others: `data.values` in data values files and schemas (extension `values-refer`).

All layers are merged first. Values that depend on data values are `Deferred` meanwhile, and computed after the merge:
in their order, or earlier if another value needs them.
"""

from __future__ import annotations

from plait.base.errors import LimitError, TemplateError
from plait.base.limits import current_budget
from plait.tree.deferred_values import Deferred, UnresolvedValueError, is_deferred
from plait.tree.nodes import SCALARS, Array, Map
from plait.tree.provenance import Change
from plait.ytt.data_values import to_struct
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.values import Value
from plait.ytt.templates.tracing import traced_values, windows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.tree.nodes import Document, Item, Items
    from plait.tree.nodes import Value as NodeValue
    from plait.tree.provenance import Origin, Trace
    from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker


class ReferredValues(Struct):
    """`data.values` for the files that define data values. Reading it before the merge raises UnresolvedValueError."""

    __slots__ = ("_computing", "_defaults", "_seen", "_windows")

    def __init__(self, trace: Trace | None) -> None:
        super().__init__({})
        self._windows: DependencyTracker | None = None
        if trace is not None:
            self._windows = windows_of(trace)
        self._seen: _Seen | None = None
        self._defaults: _Seen | None = None
        self._computing: list[Deferred] = []

    def begin(self) -> None:
        """Called before the data values are merged."""
        self._seen = None

    def computed(self, document: Document, trace: Trace | None) -> Document:
        """The merged data values, with all deferred values computed. Raises PlaitError."""
        self._seen = self._seeing(document.value)
        value = self._known(document.value, trace)
        return document if value is document.value else document.with_value(value)

    def _seeing(self, values: NodeValue) -> _Seen:
        if self._windows is None:
            return _Seen(values, to_struct(values))

        return _Seen(values, traced_values(values, self._windows))

    def value_of(self, deferred: Deferred) -> object:
        """Computes a deferred value once. Raises UnresolvedValueError, or ReferenceCycle if it depends on itself."""
        seen = self._seen
        if seen is None:
            raise UnresolvedValueError(self)
        if deferred in seen.known:
            return seen.known[deferred]
        if deferred in self._computing:
            raise _ring(seen.values, self._computing[self._computing.index(deferred) :])
        self._computing.append(deferred)
        try:
            value = seen.known[deferred] = self._compute(seen, deferred)
        except RecursionError:
            raise LimitError("data values refer to each other in too long a chain", at=deferred.at) from None
        finally:
            self._computing.pop()
        return value

    def value_among(self, values: NodeValue, value: NodeValue) -> NodeValue:
        """A value, computed with the defaults of a schema as data values. Raises PlaitError."""
        if self._defaults is None or self._defaults.values is not values:
            self._defaults = self._seeing(values)
        before, self._seen = self._seen, self._defaults
        computing, self._computing = self._computing, []
        try:
            return self._known(value, None)
        finally:
            self._seen, self._computing = before, computing

    def _compute(self, seen: _Seen, deferred: Deferred) -> object:
        if self._windows is None:
            return deferred.compute()
        value, read = self._windows.call(deferred.compute)
        if deferred.of is not None:
            read += seen.read.get(deferred.of, ())
        seen.read[deferred] = read
        return value

    def _known(self, value: NodeValue, trace: Trace | None) -> NodeValue:
        """A value with all deferred values in it computed; the same object if there are none."""
        if is_deferred(value):
            return self._known(value.known(), trace)
        if type(value) is not Map and type(value) is not Array:
            return value
        current_budget().check_time()
        before: Items = value.items
        items: Items | None = None
        for place, item in enumerate(before):
            if type(item.value) not in SCALARS:
                found = self._known(item.value, trace)
                if found is not item.value:
                    if items is None:
                        items = [*before]
                    items[place] = new = item.with_value(found)
                    if trace is not None:
                        self._note(trace, item, new)
        return value if items is None else value.with_items(items)

    def _note(self, trace: Trace, item: Item, new: Item) -> None:
        """Records the origins of a value that replaces a deferred one, or contains one."""
        if not is_deferred(item.value) or self._seen is None:
            trace.copied(new, item)
            return
        change = trace.changes.get(trace.original(item)) or Change("expression", item.source, item.line)
        made_of = dict.fromkeys((*change.because, *self._seen.read.get(item.value, ())))
        trace.changes[new] = Change(change.action, change.source, change.line, was=change.was, because=tuple(made_of))
        if item in trace.presence:
            trace.presence[new] = trace.presence[item]

    # Operations that a template can use.

    def _whole(self) -> Value:
        if self._seen is None:
            raise UnresolvedValueError(self)
        return self._seen.struct

    def attr(self, name: str) -> object:
        return self._whole().attr(name)

    def attr_names(self) -> list[str]:
        return self._whole().attr_names()

    def index(self, key: object) -> object:
        return self._whole().index(key)

    def contains(self, key: object) -> bool:
        return self._whole().contains(key)

    def length(self) -> int | None:
        return self._whole().length()

    def truth(self) -> bool:
        return self._whole().truth()

    def iterate(self) -> Iterator[object]:
        return self._whole().iterate() or iter(())

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        return self._whole().mapping()

    def freeze(self) -> None:
        """Does nothing: data values never change."""


class ReferenceCycle(TemplateError):
    """An error for values that depend on each other. Its stack consists of their positions."""

    code = "values-cycle"
    stack = property(lambda _self: [], lambda _self, _steps: None)


class _Seen:
    """Data values with their deferred parts. struct: for templates. known: the computed values; read: their
    dependencies.
    """

    __slots__ = ("known", "read", "struct", "values")

    def __init__(self, values: NodeValue, struct: object) -> None:
        self.values = values
        self.struct: Value = struct if isinstance(struct, Struct) else Struct({})
        self.known: dict[Deferred, object] = {}
        self.read: dict[Deferred, tuple[Origin, ...]] = {}


def _ring(values: NodeValue, ring: list[Deferred]) -> ReferenceCycle:
    names = {item.value: name for name, item in _items("", values) if is_deferred(item.value)}
    named = [(names[one], one.at) for one in ring if one in names]
    first, *others = [at for _, at in named] or [None]
    way = " -> ".join([name for name, _ in [*named, *named[:1]]])
    return ReferenceCycle(
        f"data values depend on each other in a cycle: {way}",
        at=first,
        also=[at.labelled("a part of the cycle") for at in others if at is not None],
        hint="give one of them a value of its own",
    )


def _items(prefix: str, value: NodeValue) -> Iterator[tuple[str, Item]]:
    """All items in a value, with their names in templates."""
    if type(value) is Map:
        for item in value.items:
            name = f"{prefix}.{item.key}" if prefix else str(item.key)
            yield name, item
            yield from _items(name, item.value)
    elif type(value) is Array:
        for place, one in enumerate(value.items):
            yield f"{prefix}[{place}]", one
            yield from _items(f"{prefix}[{place}]", one.value)
