"""Templates that record what their nodes were made of (design 8). Imported only when a run is traced.

Every node with an expression gets a record with what the expression read; a node under a condition or in a loop, what
decided that it is there. Constant nodes that such a block puts in are made anew, for one node of the template can then
stand in several places, each with a history of its own.
"""

from __future__ import annotations

import sys

from plait.fragments import DataStruct, YamlFragment
from plait.nodes import COLLECTIONS, Array, DocumentSet, Map, MapItem, walk
from plait.provenance import Cause, Change
from plait.starlark import Dict, List, NoAttribute, Struct
from plait.starlark.tracing import Hole, Windows, without
from plait.templates.construct import NAMES, Builder, Construction, Replacement
from plait.templates.outcome import Outcome
from plait.templates.traced_text import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plait.context import Context
    from plait.nodes import Document, Item
    from plait.nodes import Value as NodeValue
    from plait.provenance import Origin, Trace
    from plait.source import Source
    from plait.starlark import Load, Program
    from plait.templates.plans import Entry, Pattern, Plan

    Shadow = tuple[Origin, ...]

_SCALARS = frozenset({str, int, float, bool, type(None)})


def windows_of(trace: Trace) -> Windows:
    """The state of the traced programs of a run."""
    if trace.code is None:
        trace.code = Windows(_nodes_of, lambda *given: note_parts(trace, *given))
        trace.code.silent.add(TracedStruct)
    assert isinstance(trace.code, Windows)
    return trace.code


def _nodes_of(value: object) -> Map | Array | DocumentSet | None:
    """The nodes of a fragment, or of one that is to take the place of a node."""
    if type(value) is Replacement:
        value = value.value
    return value.peek() if type(value) is YamlFragment else None


def run(
    program: Program, plan: Plan | None, source: Source, context: Context, load: Load, implicit_overrides: bool
) -> Outcome:
    """What `Template.run` does, with records."""
    assert context.trace is not None
    windows = windows_of(context.trace)
    texts = Texts(windows, source)
    if plan is None:
        parts: list[str] = []
        names: dict[str, Callable[..., object]] = {"$text.finish": parts.append}
        exports = program.run(context, load, {**names, **texts.names(), **windows.names(source)})
        context.trace.texts[""] = texts.lines(context.trace)
        return Outcome(exports, text="".join(parts))
    built = _TracedConstruction(plan, source, context.trace, texts, implicit_overrides=implicit_overrides)
    exports = program.run(context, load, {**built.names(), **texts.names(), **windows.names(source)})
    return Outcome(exports, built.documents)


def note_file(trace: Trace, source: Source) -> None:
    """Say that a program read a file as a whole."""
    windows_of(trace).read(Cause("file read", source, 0))


def note_library(trace: Trace, path: str, documents: Iterable[Document]) -> None:
    """Say of documents that they come of the evaluation of a library that a program asks for."""
    source, line = _caller()
    cause = Cause(f"library {path}", source, line)
    for document in documents:
        trace.presence[document] = (*trace.presence.get(document, ()), cause)


class _TracedConstruction(Construction):
    """Construction whose functions record what they make."""

    def __init__(self, plan: Plan, source: Source, trace: Trace, texts: Texts, *, implicit_overrides: bool) -> None:
        super().__init__(plan, source, implicit_overrides=implicit_overrides)
        self.trace = trace
        self.windows = texts.windows
        self.texts = texts

    def names(self) -> dict[str, object]:
        names = {**NAMES, **self.own_names}
        chunks = self.plan.chunks
        plain_fill: Callable[..., object] = NAMES["$node.fill"]  # type: ignore[assignment]
        windows, note_made = self.windows, self.note_made
        stack, joined, changes = windows.stack, self.texts.joined, self.trace.changes

        def fill(builder: Builder, site: int, index: int, /, *values: object) -> None:
            window = stack[-1]
            control = windows.take() if window or window.arguments else window.control
            items = builder.items(site)
            start = len(items)
            entries = chunks[index]
            if len(values) == 1:
                hole = values[0]
                if type(hole) is not Hole:
                    plain_fill(builder, site, index, hole)
                else:
                    plain_fill(builder, site, index, hole.value)
                    if len(entries) == 1 and type(hole.value) in _SCALARS and entries[0].hole == 0:  # type: ignore[union-attr]
                        # By far the most: one node with one expression.
                        item = items[start]
                        origins = (*control, *hole.origins) if control else hole.origins
                        changes[item] = Change("expression", item.source, item.line, because=origins)
                        return
            else:
                plain_fill(builder, site, index, *[v.value if type(v) is Hole else v for v in values])
            if window:
                window.clear()
            note_made(builder, entries, values, items, start, control)

        def single(name: str) -> Callable[..., None]:
            plain: Callable[..., object] = NAMES[name]  # type: ignore[assignment]

            def put(builder: Builder, site: int, *args: object) -> None:
                window = stack[-1]
                control = windows.take() if window or window.arguments else window.control
                if joined:
                    for arg in args:
                        key = joined.get(id(arg))
                        if key is not None and key[0] is arg:
                            del joined[id(arg)]
                            control += tuple(origin for origin in key[1] if origin not in control)
                hole: Hole | None = None
                for arg in args:
                    if type(arg) is Hole:
                        hole = arg
                        args = tuple([value.value if type(value) is Hole else value for value in args])
                        break
                else:
                    if not control:
                        plain(builder, site, *args)
                        return
                items = builder.items(site)
                start = len(items)
                plain(builder, site, *args)
                if window:
                    window.clear()
                if hole is not None and type(hole.value) is Replacement:
                    self.note_replaced(builder, items, start, len(items), hole, control)
                    return
                for item in items[start:]:
                    if hole is not None:
                        self.note_value(item, hole, control)
                    else:
                        changes[item] = Change("template", item.source, item.line, because=control)

            return put

        names["$node.fill"] = fill
        for name in (
            "$node.map_item",
            "$node.array_item",
            "$node.document",
            "$node.open_map_item",
            "$node.open_array_item",
            "$node.open_document",
        ):
            names[name] = single(name)
        return names

    def note_made(
        self,
        builder: Builder,
        entries: list[Entry],
        values: tuple[object, ...],
        items: list[Item],
        at: int,
        control: Shadow,
        *,
        inner: bool = False,
    ) -> None:
        """Record the items that stand in a list from a place on, made by these entries.

        control: what decided that they are there; it is said of them and, where they hold others, of these (`inner`).
        """
        for number, entry in enumerate(entries):
            if type(entry) is list:
                if control:
                    for place in range(at, at + len(entry)):
                        items[place] = self.copy(items[place], control)
                at += len(entry)
                continue
            pattern: Pattern = entry  # type: ignore[assignment]
            hole = values[pattern.hole] if pattern.hole >= 0 else None
            if type(hole) is Hole and type(hole.value) is Replacement:
                after = _size(entries[number + 1 :], values)
                # In the last entries that are replaced the number of items is what is left.
                count = _replaced_size(hole.value.value) if after is None else len(items) - after - at
                self.note_replaced(builder, items, at, at + count, hole, control)
                at += count
                continue
            item = items[at]
            at += 1
            if type(hole) is Hole:
                self.note_value(item, hole, control)
            else:
                if control:
                    self.trace.changes[item] = Change("template", item.source, item.line, because=control)
                if pattern.children is not None and type(item.value) in COLLECTIONS:
                    below = () if inner else control
                    self.note_made(builder, pattern.children, values, item.value.items, 0, below, inner=True)  # type: ignore[union-attr, arg-type]

    def copy(self, item: Item, because: Shadow) -> Item:
        """The item made anew, with a record of its own."""
        new = item.with_value(item.value)
        self.trace.copied(new, item)
        known = self.trace.changes.get(item)
        if known is None:
            self.trace.record(new, Change("template", item.source, item.line, because=because))
        else:
            self.trace.presence[new] = because
        return new

    def note_replaced(
        self, builder: Builder, items: list[Item], start: int, end: int, hole: Hole, control: Shadow
    ) -> None:
        """Record the items that took the place of a node."""
        value = hole.value.value  # type: ignore[attr-defined]
        end = min(end, len(items))
        kind = Map if items[start:end] and type(items[start]) is MapItem else Array
        origins = self.note_inside(kind(items[start:end]), value, hole.origins)  # type: ignore[arg-type]
        for item in items[start:end]:
            self.note_computed(item, origins)
        because = (*control, *origins)
        for place in range(start, end):
            old = items[place]
            items[place] = new = self.copy(old, because)
            if old in builder.soft:
                builder.soft.add(new)  # type: ignore[arg-type]
            if old in builder.brought:
                builder.brought[new] = builder.brought[old]  # type: ignore[index]

    def note_value(self, item: Item, hole: Hole, control: Shadow) -> None:
        origins = hole.origins
        if type(item.value) in COLLECTIONS:
            origins = self.note_inside(item.value, hole.value, origins)
            if type(hole.value) is not YamlFragment:
                self.note_computed(item, origins)
        if control:
            origins = (*control, *origins)
        self.trace.changes[item] = Change("expression", item.source, item.line, because=origins)

    def note_inside(self, made: NodeValue, value: object, origins: Shadow) -> Shadow:
        """Record what is in a collection; gives what is left of its origins for itself."""
        if type(value) is YamlFragment:
            # What is in a fragment has its own history.
            nodes = value.peek()
            return origins if nodes is None else without(origins, {nodes})
        return without(origins, note_parts(self.trace, self.windows, made, value, "expression"))

    def note_computed(self, item: Item, because: Shadow) -> None:
        """Record what an expression made and nothing else says where it is from."""
        for inner in walk(item.value):
            # What a fragment brought along stands on other lines.
            if inner.line == item.line and inner.source is item.source:
                self.trace.record(inner, Change("expression", item.source, item.line, because=because))


def note_parts(trace: Trace, windows: Windows, made: NodeValue, value: object, action: str) -> set[Origin]:
    """Record the nodes that were made of data values and displays; gives the origins that belong to these alone."""
    covered: set[Origin] = set()
    found: Iterable[tuple[Item, Shadow, object]]
    if type(value) is TracedStruct and type(made) is Map:
        found = value.paired(made)
    elif (type(value) is List and type(made) is Array) or (type(value) is Dict and type(made) is Map):
        inner = [part for _, part in value.items()] if type(value) is Dict else list(value)
        shadows: Sequence[Shadow] | None = windows.parts_of(value)
        array = windows.array_of(value)
        if array is not None and len(array.items) == len(inner):
            covered.add(array)
            shadows = [(origin,) for origin in array.items]
        elif shadows is not None:
            covered.update(origin for shadow in shadows for origin in shadow)
        found = zip(made.items, shadows or [()] * len(inner), inner, strict=False)
    elif isinstance(value, Struct) and type(made) is Map:
        found = [(x, (), y) for x, (_, y) in zip(made.items, value.mapping() or (), strict=False)]
    elif type(value) is tuple and type(made) is Array:
        found = [(x, (), y) for x, y in zip(made.items, value, strict=False)]
    else:
        return covered
    for item, shadow, part in found:
        nodes = _nodes_of(part)
        if nodes is not None:
            shadow = without(shadow, {nodes})
            covered.add(nodes)
        elif type(item.value) in COLLECTIONS:
            below = note_parts(trace, windows, item.value, part, action)
            shadow = without(shadow, below)
            covered |= below
        if shadow:
            trace.record(item, Change(action, item.source, item.line, because=shadow))
    return covered


def note_argument(trace: Trace, made: NodeValue, value: object, action: str) -> NodeValue:
    """Record what a builtin function was given as data: where it was called, and what the data is made of."""
    windows = windows_of(trace)
    shadow = windows.argument(value)
    source, line = _caller()
    if type(made) not in COLLECTIONS or type(value) is YamlFragment:
        return made
    own = [item for item in walk(made) if item.source is None]
    shadow = without(shadow, note_parts(trace, windows, made, value, action))
    for item in own:
        known = trace.changes.get(item)
        because = shadow if known is None else (*known.because, *shadow)
        if known is None and type(item.value) in COLLECTIONS:
            because = ()
        trace.changes[item] = Change(action, source, line, because=because)
    return made


def _caller() -> tuple[Source | None, int]:
    """The line of a program that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and "$source" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals.get("$source"), frame.f_lineno


def _size(entries: list[Entry], values: tuple[object, ...]) -> int | None:
    """How many items the entries make; None if that is not known."""
    count = 0
    for entry in entries:
        if type(entry) is list:
            count += len(entry)
            continue
        hole = values[entry.hole] if entry.hole >= 0 else None  # type: ignore[union-attr]
        if type(hole) is Hole and type(hole.value) is Replacement:
            return None
        count += 1
    return count


def _replaced_size(value: object) -> int:
    if type(value) is YamlFragment:
        nodes = value.peek()
        return 0 if nodes is None else len(nodes.items)
    try:
        return len(value)  # type: ignore[arg-type]
    except TypeError:
        return value.length() or 0 if isinstance(value, Struct) else 0


class TracedStruct(DataStruct):
    """Data values that say which of them are looked at."""

    __slots__ = ("_stack", "_windows")
    says_itself = True

    def __init__(self, node: Map, windows: Windows) -> None:
        super().__init__(node)
        self._stack = windows.stack
        self._windows = windows

    def _part(self, item: MapItem) -> object:
        value = item.value
        if type(value) not in COLLECTIONS:
            self._windows.read(item)
            return value
        made = self._made.get(id(item))
        if made is None:
            made = self._made[id(item)] = traced_values(value, self._windows)
        if type(value) is Array:
            self._windows.read(item)
            self._windows.read_list(made, value)
        return made

    def attr(self, name: str) -> object:
        item = self._node.find(name)
        if item is None:
            raise NoAttribute(name)
        if type(item.value) not in COLLECTIONS:
            self._stack[-1][item] = None
            return item.value
        return self._part(item)

    def contains(self, key: object) -> bool:
        found = super().contains(key)
        item = self._node.find(key) if type(key) is str else None
        if item is not None:
            self._windows.read(item)
        return found

    def iterate(self) -> Iterator[object]:
        for item in self._node.items:
            self._windows.read(item)
        return super().iterate()

    def paired(self, made: Map) -> list[tuple[Item, Shadow, object]]:
        """The items of a map that was made of this: each with the data value it comes from, and its value."""
        out: list[tuple[Item, Shadow, object]] = []
        for item, origin in zip(made.items, self._node.items, strict=False):
            inner = self._made.get(id(origin)) if type(origin.value) in COLLECTIONS else origin.value
            out.append((item, (origin,), inner))
        return out


def traced_values(value: NodeValue, windows: Windows) -> object:
    """What `to_struct` makes of data values, with reads recorded."""
    if type(value) is Map:
        return TracedStruct(value, windows)
    if type(value) is Array:
        made = List([traced_values(item.value, windows) for item in value.items])
        windows.note_list(made, value)
        return made
    return value


__all__ = ["TracedStruct", "run", "traced_values", "windows_of"]
