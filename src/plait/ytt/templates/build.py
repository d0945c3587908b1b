"""Builds nodes: the functions that the program of a YAML template calls (docs/reference/templates.md).

An execution of a template, and each call of a `def` with nodes, has a *builder*. Its statements run in text order, as
far as they are reached, and each names the collection of the template that it adds to (a number, see `node_table`). The
builder stores the open collections, innermost last. A node closes all collections below its own. If its own was never
opened, because the owner is in a skipped block, the node goes to the nearest collection that encloses both it and the
previous node; so blocks across levels work. The first node of a `def` opens the collection that the def returns.

`template.replace` applies to the newest builder, by replacing the node that was added to it last.

When a builder ends, duplicate keys are resolved in all of its maps at once (docs/reference/templates.md).
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.limits import current_budget, limit_error
from plait.base.source import INSTRUCTION, Position
from plait.tree.annotations import Annotation
from plait.tree.nodes import INTEGERS, Array, ArrayItem, Document, DocumentSet, MapItem
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.values import Builtin, Value
from plait.ytt.templates.interpolation import inserter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any, Protocol, TypeAlias

    from plait.base.errors import Warn
    from plait.base.source import Source
    from plait.tree.annotations import Annotations
    from plait.tree.nodes import Item, Items
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.templates.node_table import Entry, ItemPattern, NodeTable
    from plait.ytt.yaml_fragments import YamlFragment

    # Builders and texts that were started and not ended.
    Begun: TypeAlias = "Builder | list[str]"

    class BuildListener(Protocol):
        """Listener of the nodes that a run builds."""

        def added(self, item: Item, pattern: ItemPattern | None) -> Item:
            """Called for a new item. Returns the item to add. pattern: its template; None for a constant."""

        def replaced(self, old: Item, items: Items, value: object) -> Items:
            """Called when `template.replace(value)` replaces an item. Returns the items to add."""

        def settled(self, items: Sequence[MapItem], *, overrides: bool) -> None:
            """Called before repeated keys of a map are resolved. overrides: every item may replace an earlier one."""


_PLAIN = frozenset({str, bool, float, type(None)})


class Noop(Value):
    """The result of `template.replace`. A node with this value remains unchanged."""

    __slots__ = ()
    type_name = "noop"

    def text(self) -> str:
        return "noop"

    def truth(self) -> bool:
        return False


_NOOP = Noop()


def dropper(source: Source, warn: Warn) -> object:
    """The function for unused results of functions of the program, and of calls that change nothing."""

    def drop(value: object, line: int, unused: str) -> None:
        from plait.ytt.templates.unused_results import warn_of_unused

        warn_of_unused(value, unused, Position(source, line), warn)

    return drop


class TemplateExecution:
    """One run of a YAML template.

    implicit_overrides: a repeated key silently replaces the earlier one (`--implicit-map-key-overrides`). warn:
    receives warnings. documents: the result. fragment, convert: the class of fragments and the function that converts
    collections to nodes; None until the first value that is not a scalar, which many templates never have. nested:
    lists that expressions add as array items.
    """

    __slots__ = (
        "begun",
        "convert",
        "documents",
        "fragment",
        "implicit_overrides",
        "listener",
        "most",
        "nested",
        "plan",
        "source",
        "warn",
    )

    def __init__(
        self,
        plan: NodeTable,
        source: Source,
        warn: Warn,
        *,
        implicit_overrides: bool,
        listener: BuildListener | None = None,
    ) -> None:
        self.plan = plan
        self.source = source
        self.warn = warn
        self.implicit_overrides = implicit_overrides
        self.listener = listener
        self.begun: list[Begun] = []
        self.nested: list[Array] = []
        self.most = current_budget().node_limit()
        self.documents = DocumentSet([], source, 1)
        self.fragment: type[YamlFragment] | None = None
        self.convert: Callable[[object, Source, int], tuple[NodeValue, int]] | None = None

    def load_fragments(self) -> None:
        from plait.ytt.yaml_fragments import YamlFragment, counted_nodes

        self.fragment, self.convert = YamlFragment, counted_nodes

    def names(self) -> dict[str, object]:
        """The functions that the program of this run calls, in addition to NAMES."""
        return {
            "$node.begin": self.begin,
            "$node.begin_file": self.begin_file,
            "$node.leave": self.leave,
            "$dropped": dropper(self.source, self.warn),
            "$node.annotation": self.annotation,
            "$node.defer": self.defer,
            "$text.begin": self.begin_text,
            "$text.insert": inserter(self.source),
            "$text.join": self.joined_text,
        }

    def begin(self) -> Builder:
        """A builder for the call of a function."""
        builder = Builder(self, self.plan.sizes())
        self.begun.append(builder)
        return builder

    def begin_file(self) -> Builder:
        """The builder of the file itself, whose document set exists from the start; it only counts new nodes."""
        builder = Builder(self, [0] * len(self.plan.chunks))
        self.begun.append(builder)
        builder.open(0, self.documents.items)
        return builder

    def leave(self, begun: Begun, value: object) -> object:
        """Called when a function returns an explicit value. Its nodes are dropped."""
        self.end(begun)
        if isinstance(begun, Builder) and begun.stack and (built := begun.lists[begun.stack[0]]):
            from plait.ytt.templates.unused_results import warn_of_dropped

            warn_of_dropped(built, value, self.warn)
        return value

    def end(self, begun: Begun) -> None:
        # Builders that failed inside `assert.try_to` were never ended.
        while self.begun and self.begun.pop() is not begun:
            pass

    def begin_text(self) -> list[str]:
        parts: list[str] = []
        self.begun.append(parts)
        return parts

    def joined_text(self, parts: list[str]) -> str:
        self.end(parts)
        return "".join(parts)

    def annotation(self, name: str, line: int, /, *args: object, **kwargs: object) -> Annotation:
        return Annotation(name, args, kwargs, self.source, line)

    def defer(self, ask: Callable[[], object]) -> object:
        """The result of a function, or a deferred value if it is not known yet."""
        from plait.tree.deferred_values import Deferred, UnresolvedValueError

        begun = len(self.begun)
        try:
            return ask()
        except UnresolvedValueError as error:
            del self.begun[begun:]
            return Deferred(lambda: call(ask), error.values)

    def module(self) -> Mapping[str, object]:
        """The names that `load("@ytt:template", ...)` provides to a file."""
        from plait.ytt.starlark.structs import Module

        return {"template": Module("template", {"replace": Builtin("template.replace", self.replace)})}

    def replace(self, *args: object, **_kwargs: object) -> Noop:  # the reference ignores keywords here
        if len(args) != 1:
            raise StarlarkError("template.replace: expected exactly one argument", code="argument-count")
        if not self.begun:
            raise StarlarkError(
                "template.replace: no node of the file that loads it is being built now", code="replace-misused"
            )
        builder = self.begun[-1]
        if type(builder) is not Builder:
            raise StarlarkError(
                "template.replace: unsupported operation", hint="text has no nodes to replace", code="replace-misused"
            )
        builder.replace(args[0])
        return _NOOP

    def value(self, value: object, kind: type[Item], line: int, builder: Builder) -> NodeValue:
        """Converts a computed value to that of an item of this kind. All computed values become nodes here.

        line: the line of the item; 0 if the item was replaced. Raises StarlarkError for a document set and for values
        that YAML cannot represent.
        """
        if value is _NOOP:
            return None
        if type(value) is int and value in INTEGERS:
            return value
        if self.convert is None:
            self.load_fragments()
            assert self.convert is not None
        if kind is Document:
            _check_known(value)
        try:
            nodes, made = self.convert(value, self.source, line)
            builder.count(made)
            if type(nodes) is DocumentSet:
                raise _misplaced().set_as_value(kind)
            if type(nodes) is Array and kind is ArrayItem and nodes.items:
                self.nested.append(nodes)
        except StarlarkError as error:
            if line:
                error.at = error.at or Position(self.source, line)
            raise error.within("", role=INSTRUCTION, reference="set_node") from None
        return nodes


class Builder:
    """The open collections in one execution of a template, or in one call of its functions.

    stack: the numbers of the open collections, outermost first. lists: their items, by number.
    site, items: the collection of the last node, which the next one likely belongs to; site is -1 if it replaces
    another.
    last: the collection of the last node by the text.
    maps: the items of maps that were extended more than once.
    made: the number of nodes so far; shared nodes count each time.
    sizes: the sizes of the plan's chunks.
    """

    __slots__ = ("gone", "items", "last", "lists", "made", "maps", "run", "site", "sizes", "stack")

    def __init__(self, run: TemplateExecution, sizes: list[int]) -> None:
        self.run = run
        self.sizes = sizes
        self.stack: list[int] = []
        self.lists: dict[int, Items] = {}
        self.site = self.last = -1
        self.items: Items = []
        self.made = 0
        self.maps: dict[int, list[MapItem]] = {}
        # A list, and how many items it had when the last of them was replaced.
        self.gone: tuple[Items | None, int] = (None, 0)

    def fill(self, site: int, index: int, /, *values: object) -> None:
        """Adds the items of a chunk to a collection. values: the values of its holes."""
        entries = self.run.plan.chunks[index]
        items = self.items if site == self.site else self.place(site, entries)
        if items and type(items[0]) is MapItem:
            # The keys of one chunk differ; only later nodes can repeat one.
            self.maps[id(items)] = items
        self.made += self.sizes[index]
        self.add(entries, values, items)

    def count(self, made: int) -> None:
        """Counts added nodes. Raises LimitError: a few nested values can have very many."""
        self.made += made
        if self.made > self.run.most:
            raise limit_error("the output of this template", "nodes", self.run.most)

    def add(self, entries: list[Entry], values: tuple[object, ...], items: Items) -> None:
        """Adds the items of entries."""
        run = self.run
        source, listener = run.source, run.listener
        item: Item
        for entry in entries:
            if isinstance(entry, list):
                items += entry if listener is None else [listener.added(item, None) for item in entry]
                continue
            pattern = entry
            hole = pattern.hole
            value: Any
            if hole >= 0:
                value = values[hole]
                if type(value) not in _PLAIN:
                    value = run.value(value, pattern.kind, pattern.line, self)
            elif pattern.inner is None:
                value = pattern.value
            else:
                inner: Items = []
                value = pattern.inner(inner, source, pattern.line)
                if pattern.children is None:
                    self.open(pattern.opens, inner)
                else:
                    self.add(pattern.children, values, inner)
            annotations: Annotations | None = None
            if pattern.annotated >= 0:
                annotations = values[pattern.annotated]  # type: ignore[assignment]
            kind = pattern.kind
            if kind is MapItem:
                key: NodeValue = pattern.key if pattern.keyed < 0 else values[pattern.keyed]  # type: ignore[assignment]
                item = MapItem(key, value, source, pattern.line, annotations)
            elif kind is ArrayItem:
                item = ArrayItem(value, source, pattern.line, annotations)
            else:
                computed = hole >= 0 and value is not None and type(values[hole]) is not run.fragment
                item = Document(value, source, pattern.line, annotations, computed)
            items.append(item if listener is None else listener.added(item, pattern))

    def set(self, value: object, /) -> None:
        """Sets the value of the last node."""
        items = self.items
        if items and not self.is_gone():
            item = items[-1]
            item.value = self.run.value(value, type(item), item.line, self)
            if type(item) is Document:
                item.computed = item.value is not None and type(value) is not self.run.fragment
        else:
            # The expression replaced the node. Its value is ignored, but must be valid.
            self.run.value(value, MapItem, 0, self)

    # ---- collections

    def open(self, site: int, items: Items) -> None:
        """Begins a collection."""
        self.stack.append(site)
        self.lists[site] = self.items = items
        self.site = self.last = site

    def place(self, site: int, entries: list[Entry]) -> Items:
        """Returns the items of a collection that is not the one of the last node, and closes the collections below
        it.
        """
        stack, lists = self.stack, self.lists
        found = lists.get(site)
        if found is None:
            if stack:
                return self.elsewhere(site, entries)
            self.open(site, [])
            return self.items
        while stack[-1] != site:
            del lists[stack.pop()]
        self.site = self.last = site
        self.items = found
        return found

    def elsewhere(self, site: int, entries: list[Entry]) -> Items:
        """The list for a node whose own collection is not open: that of the nearest one that encloses it and the last
        node.
        """
        sites = self.run.plan.sites
        around = set()
        common = self.last
        while common >= 0:
            around.add(common)
            common = sites[common].parent
        common = site
        while common not in around:
            common = sites[common].parent
        if common in self.lists:
            items = self.place(common, entries)
            self.site, self.last = -1, site
            if sites[common].kind is not sites[site].kind:
                raise _misplaced().mixed(sites[common], sites[site])
            if sum(len(entry) if type(entry) is list else 1 for entry in entries) == 1:
                return items
            common = site
        if common < self.stack[0]:
            raise _misplaced().outside(sites[site], sites[self.stack[0]])
        raise _misplaced().ownerless(sites[site], sites[common])

    # ---- replacing

    def is_gone(self) -> bool:
        """True if the node added last was replaced."""
        items, count = self.gone
        return items is self.items and count == len(items)

    def replace(self, value: object) -> None:
        """Replaces the last node by the items of a value."""
        from plait.ytt.templates.replacing import refused, removed

        items, run = self.items, self.run
        if self.is_gone():
            raise refused("the node that was started last has already been replaced")
        if not items:
            found = _misplaced().name_of(run.plan.sites[self.last]) if self.stack else "nothing"
            raise refused(f"expected to replace document value, map item or array item, but found {found}")
        old = items[-1]
        new, made, is_fragment = removed(items, value, run.source, run.warn, overrides=run.implicit_overrides)
        self.count(made)
        items += new if run.listener is None else run.listener.replaced(old, new, value)
        if run.listener is not None and type(old) is MapItem:
            run.listener.settled(items, overrides=run.implicit_overrides or not is_fragment)
        self.gone = items, len(items)

    # ---- ends

    def end(self) -> YamlFragment:
        """Returns the fragment that the function built; empty if it built no nodes."""
        self.run.end(self)
        self.settle_all()
        if self.run.fragment is None:
            self.run.load_fragments()
            assert self.run.fragment is not None
        if not self.stack:
            return self.run.fragment(None)
        root = self.stack[0]
        site = self.run.plan.sites[root]
        return self.run.fragment(site.kind(self.lists[root], self.run.source, site.line), counted=self.made)

    def finish(self) -> None:
        """Called at the end of the template: its nodes are its documents."""
        self.run.end(self)
        self.settle_all()

    def settle_all(self) -> None:
        """Resolves duplicate keys in the built maps, in place, before they are passed on."""
        for items in self.maps.values():
            if self.run.listener is not None:
                self.run.listener.settled(items, overrides=self.run.implicit_overrides)
            if len({item.key for item in items}) != len(items):
                from plait.ytt.templates.repeated import settle

                settle(items, overrides=self.run.implicit_overrides)
        if self.run.nested and self.stack:
            from plait.ytt.templates.nested_lists import warn_of_nested

            warn_of_nested(self.lists[self.stack[0]], self.run.nested, self.run.source, self.run.warn)


def _misplaced() -> ModuleType:
    """The module of errors for misplaced nodes."""
    from plait.ytt.templates import misplaced

    return misplaced


def _check_known(value: object) -> None:
    """Raises UnresolvedValueError for a deferred value of a document, because it decides the type of the document."""
    from plait.tree.deferred_values import UnresolvedValueError, is_deferred

    if is_deferred(value):
        raise UnresolvedValueError(value.values)


# The names that the programs of all templates share.
NAMES: dict[str, object] = {
    "$node.fill": Builder.fill,
    "$node.set": Builder.set,
    "$node.end": Builder.end,
    "$node.finish": Builder.finish,
}

__all__ = ["NAMES", "BuildListener", "TemplateExecution"]
