"""Provenance of the nodes that templates build. Imported only if the evaluation is traced.

A node with an expression gets a record of the reads of its expression. A node under a condition or in a loop gets a
record of the conditions for its existence. Constant nodes in such a block are copied, because one node of the template
can then occur at several positions, each with its own history.

`TemplateTracer` listens to an execution (see `build.BuildListener`); it builds nothing itself.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial

from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import COLLECTIONS, SCALARS, Array, Document, DocumentSet, Map, MapItem, walk
from plait.tree.provenance import Change, Contributor, Control
from plait.ytt.data_values import DataStruct
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.instrument.dataflow.marking import program_names
from plait.ytt.starlark.instrument.dataflow.shadows import TracedValue, opened, without
from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.values import NoAttribute
from plait.ytt.templates import directives
from plait.ytt.templates.repeated import MAP_KEY_OVERRIDE
from plait.ytt.templates.template_files import read_yaml
from plait.ytt.templates.traced_text import Texts
from plait.ytt.yaml_fragments import YamlFragment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from plait.base.source import Source
    from plait.tree.nodes import Item, Items
    from plait.tree.nodes import Value as NodeValue
    from plait.tree.provenance import Origin, Trace
    from plait.tree.provenance.marks import Marks
    from plait.ytt.templates.build import Builder
    from plait.ytt.templates.node_table import ItemPattern

    Shadow = tuple[Origin, ...]


def windows_of(trace: Trace) -> DependencyTracker:
    """The dependency tracker of a run."""
    if trace.code is None:
        trace.code = DependencyTracker(_nodes_of, partial(note_parts, trace))
        trace.code.silent.add(TracedStruct)
        trace.code.quick = TracedStruct
    assert isinstance(trace.code, DependencyTracker)
    trace.code.marks = trace.marks
    trace.code.follows_all = trace.follows_all
    trace.code.untraced = trace.untraced
    return trace.code


def _nodes_of(value: object) -> Map | Array | DocumentSet | None:
    """The nodes of a fragment."""
    return value.peek() if type(value) is YamlFragment else None


def record_file(trace: Trace, source: Source) -> None:
    """Records that a program read a whole file."""
    windows_of(trace).read(Contributor("file read", source, 0))


def note_library(trace: Trace, path: str, documents: Iterable[Document]) -> None:
    """Records that documents come from a library evaluation that a program requested."""
    source, line = _caller()
    cause = Contributor(f"library {path}", source, line)
    for document in documents:
        trace.presence[document] = (*trace.presence.get(document, ()), cause)


def note_export(trace: Trace, name: str, value: object) -> None:
    """Records that a program receives the export of another one."""
    windows = windows_of(trace)
    found = windows.exported.get((name, id(value)))
    for origin in () if found is None else found[1]:
        windows.read(origin)


class TemplateTracer:
    """Records the nodes that one execution of a template builds.

    control: the conditions of the current statement, and the origins of its text. reached_by: the conditions only.
    values: the values of its expressions.
    """

    def __init__(self, trace: Trace, source: Source) -> None:
        self.trace = trace
        self.source = source
        self.windows = windows_of(trace)
        self.texts = Texts(self.windows, source)
        self.control: Shadow = ()
        self.reached_by: Shadow = ()
        self.values: tuple[object, ...] = ()
        self.asked: Shadow = ()  # origins of arguments of annotations, in an evaluation with secrets

    def names(self, plain: Mapping[str, Any], line: Callable[[str], None]) -> dict[str, object]:
        """The functions that a traced program calls instead of the plain ones. line: receives each printed line.

        Arguments that are values of expressions have origins.
        """
        programs = program_names(self.windows, self.source, line)
        names: dict[str, object] = {**self.texts.names(plain, self.trace), **programs}
        if "$node.fill" not in plain:
            return names
        quick = self.trace.only_marks
        plain_fill, plain_set, plain_defer = plain["$node.fill"], plain["$node.set"], plain["$node.defer"]

        def fill(builder: Builder, site: int, index: int, /, *values: object) -> None:
            window = self.windows.stack[-1]
            if quick and not (self.windows.fresh or window or window.control or self.texts.joined):
                # The value contains no secret, so there is nothing to record.
                window.arguments = ()
                run, listener = builder.run, builder.run.listener
                run.listener = None
                try:
                    plain_fill(builder, site, index, *values)
                finally:
                    run.listener = listener
                return
            self.windows.fresh = False
            self.reached_by = window.control
            if self.windows.marks is not None:
                self.asked = (*window, *window.given())
            self.control = self.taken(values)
            self.values = values
            plain_fill(
                builder, site, index, *[value.value if type(value) is TracedValue else value for value in values]
            )
            self.windows.stack[-1].clear()

        def set_value(builder: Builder, hole: object, /) -> None:
            control = self.taken(())
            if type(hole) is not TracedValue:
                hole = TracedValue(hole, ())
            plain_set(builder, hole.value)
            self.windows.stack[-1].clear()
            if builder.items and not builder.is_gone():
                self.note_value(builder.items[-1], hole, control)

        def defer(ask: Callable[[], object]) -> object:
            def traced() -> object:
                value, read = self.windows.call(ask)
                for origin in read:
                    self.windows.read(origin)
                return value

            return plain_defer(traced)

        names["$node.defer"] = defer
        names["$node.fill"] = fill
        names["$node.set"] = set_value
        return names

    def taken(self, values: tuple[object, ...]) -> Shadow:
        """The origins of the decision to run a statement, and of the text passed to it."""
        control = self.windows.take()
        joined = self.texts.joined
        if joined:
            for value in values:
                found = joined.get(id(value))
                if found is not None and found[0] is value:
                    del joined[id(value)]
                    control += tuple(origin for origin in found[1] if origin not in control)
        return control

    # ---- events of an execution

    def added(self, item: Item, pattern: ItemPattern | None) -> Item:
        made = self.noted(item, pattern)
        if self.reached_by and any(type(origin) is Control for origin in self.reached_by):
            self.trace.there.add(made)
        return made

    def noted(self, item: Item, pattern: ItemPattern | None) -> Item:
        control = self.control
        if pattern is not None and pattern.keyed >= 0 and control:
            self.trace.keys[item] = control
        if pattern is None:
            return self.copy(item, control) if control else item
        if pattern.annotated >= 0 and self.asked:
            self.trace.asked[item] = self.asked
        hole = self.values[pattern.hole] if pattern.hole >= 0 else None
        if type(hole) is TracedValue:
            self.note_value(item, hole, control)
        elif control:
            self.trace.changes[item] = Change("template", item.source, item.line, because=control)
        return item

    def settled(self, items: Sequence[MapItem], *, overrides: bool) -> None:
        """Records that a secret in a key decides which items exist, and their order, if it may equal the key of another
        item.
        """
        marks = self.trace.marks
        if marks is None or not (overrides or any(MAP_KEY_OVERRIDE in (item.annotations or {}) for item in items)):
            return
        if any(map(marks.has_secret_key, items)):
            self.trace.there.update(items)
            self.windows.shape_here(marks.control("map key", items[0].source, items[0].line))
            marks.shaped.add(self.source)

    def replaced(self, old: Item, items: Items, value: object) -> Items:
        if not items:
            return items
        windows = self.windows
        control = next((window.control for window in reversed(windows.stack) if window.host), ())
        kind = Map if type(items[0]) is MapItem else Array
        made = kind(items)
        origins = self.note_inside(made, value, windows.argument(value))
        source, line = _caller()
        for item in items:
            if origins and type(value) is not YamlFragment and type(item) is MapItem:
                self.trace.keys.setdefault(item, origins)
            note_rest(self.trace, item, "expression", origins)
        if line != old.line:
            # New items have the line of the replaced node, not of the replacing code.
            changes = self.trace.changes
            for item in walk(made):
                if item.line == old.line and item.source is old.source:
                    known = changes.get(item)
                    because = origins if known is None else known.because
                    changes[item] = Change("expression", source, line, because=because)
        marks = self.trace.marks
        if marks is not None and origins and marks.is_secret(*origins):
            # The number of items depends on the secret, even if the items do not.
            origins = (*origins, marks.control("template.replace", source, line, origins))
        because = (*control, *origins, Contributor("template.replace", source, line, structural=True))
        made_anew = [self.copy(item, because) for item in items]
        if any(type(origin) is Control for origin in because):
            self.trace.there.update(made_anew)
        return made_anew

    # ---- records

    def copy(self, item: Item, because: Shadow) -> Item:
        """A copy of the item with its own record."""
        new = item.with_value(item.value)
        self.trace.copied(new, item)
        known = self.trace.changes.get(item)
        if known is None:
            self.trace.record(new, Change("template", item.source, item.line, because=because))
        else:
            self.trace.presence[new] = because
        return new

    def note_value(self, item: Item, hole: TracedValue, control: Shadow) -> None:
        origins = hole.origins
        if not origins and not control and self.trace.only_marks:
            return
        if type(item.value) in COLLECTIONS:
            origins = self.note_inside(item.value, hole.value, origins)
            if type(hole.value) is not YamlFragment:
                note_rest(self.trace, item, "expression", origins)
        else:
            origins = opened(origins)
        origins = self.trace.shape(item, (*control, *origins))
        self.trace.changes[item] = Change("expression", item.source, item.line, because=origins)

    def note_inside(self, made: NodeValue, value: object, origins: Shadow) -> Shadow:
        """Records the nodes in a collection. Returns the remaining origins of the collection itself."""
        if type(value) is YamlFragment:
            # The items of a fragment have their own histories.
            nodes = value.peek()
            return opened(origins if nodes is None else without(origins, {nodes}))
        rest = without(origins, note_parts(self.trace, self.windows, made, value, "expression"))
        return (*opened(rest), *self.windows.changes_of(value))


def note_parts(trace: Trace, windows: DependencyTracker, made: NodeValue, value: object, action: str) -> set[Origin]:
    """Records the nodes that were built from data values and literals. Returns the origins that belong only to them."""
    covered: set[Origin] = set()
    found: Iterable[tuple[Item, Shadow, object]]
    if type(value) is TracedStruct and type(made) is Map:
        found = value.paired(made)
    elif (type(value) in (List, tuple) and type(made) is Array) or (type(value) is Dict and type(made) is Map):
        inner = [part for _, part in value.items()] if type(value) is Dict else list(value)  # type: ignore[call-overload]
        shadows: Sequence[Shadow] | None = windows.parts_of(value)
        array = windows.array_of(value)
        if array is not None and len(array.items) == len(inner):
            covered.add(array)
            shadows = [(origin,) for origin in array.items]
        elif shadows is not None:
            covered.update(origin for shadow in shadows for origin in shadow)
        found = zip(made.items, shadows or [()] * len(inner), inner, strict=False)
    elif isinstance(value, Struct) and type(made) is Map:
        fields = windows.fields_of(value)
        covered.update(origin for shadow in fields.values() for origin in shadow)
        pairs = zip(made.items, value.mapping() or (), strict=False)
        found = [(item, fields.get(name, ()) if type(name) is str else (), part) for item, (name, part) in pairs]
    else:
        return covered
    changes = windows.changes_of(value)
    for item, known, part in found:
        shadow = opened(known)
        nodes = _nodes_of(part)
        if nodes is not None:
            shadow = opened(without(known, {nodes}))
            covered.add(nodes)
        elif type(item.value) in COLLECTIONS:
            below = note_parts(trace, windows, item.value, part, action)
            shadow = (*opened(without(known, below)), *windows.changes_of(part))
            covered |= below
            if shadow:
                # The other origins belong to parts without records, and possibly to keys.
                note_rest(trace, item, action, shadow, keys=type(part) is not TracedStruct)
        shadow = (*shadow, *changes)
        if shadow:
            trace.record(item, Change(action, item.source, item.line, because=trace.shape(item, shadow)))
    return covered


def note_rest(trace: Trace, item: Item, action: str, because: Shadow, *, keys: bool = True) -> None:
    """Records the origins of nodes inside an item that have no other origins. keys: their keys may be computed as well."""
    for inner in walk(item.value):
        # Parts of a fragment have other lines.
        if inner.line == item.line and inner.source is item.source:
            if keys and because and type(inner) is MapItem:
                trace.keys.setdefault(inner, because)
            trace.record(inner, Change(action, item.source, item.line, because=because))


def note_argument(trace: Trace, made: NodeValue, value: object, action: str) -> NodeValue:
    """Records the data passed to a builtin function: the call, and the origins of the data."""
    windows = windows_of(trace)
    shadow = windows.argument(value)
    if not shadow and trace.only_marks and windows.is_argument(value):
        return made
    source, line = _caller()
    if type(made) not in COLLECTIONS or type(value) is YamlFragment:
        return made
    own = [item for item in walk(made) if item.source is None]
    shadow = opened(without(shadow, note_parts(trace, windows, made, value, action)))
    if trace.marks is not None and trace.marks.is_secret(*shadow):
        # It is unknown which keys and items depend on the secret.
        shadow = (*shadow, trace.marks.control(action, source, line, shadow))
        trace.keys.update((item, shadow) for item in own if type(item) is MapItem)
    for item in own:
        known = trace.changes.get(item)
        because = shadow if known is None else (*known.because, *shadow)
        if known is None and type(item.value) in COLLECTIONS:
            because = ()
        trace.changes[item] = Change(action, source, line, because=because)
    return made


def shapes_overlays(marks: Marks, sources: Iterable[Source]) -> bool:
    """True if a secret decides which nodes exist in a template with overlay documents."""
    for source in sources:
        if source in marks.shaped and "#@overlay/match" in source.text:
            comments = read_yaml(source).comments  # a cached template has no comments
            found = {} if comments is None else comments.of
            if any(
                type(node) is Document and "overlay/match" in directives.names(said) for node, said in found.items()
            ):
                return True
    return False


@contextmanager
def applied(trace: Trace, left: YamlFragment, right: object, action: str) -> Iterator[None]:
    """A context for an overlay that changes a fragment in place.

    If the overlay fails, its changes are unknown; so are removed items.
    """
    windows, marks = windows_of(trace), trace.marks
    shadow, decisions = windows.argument(right), windows.decisions
    yield
    if marks is not None and (windows.decisions != decisions or windows.is_shaped_by_secret(right, shadow)):
        control = marks.control(action, *_caller(), shadow)
        windows.mark(left, (control,))
        windows.note_nested()
        windows.shape_here(control)


def _caller() -> tuple[Source | None, int]:
    """The current line of a program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and "$source" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals.get("$source"), frame.f_lineno


class TracedStruct(DataStruct):
    """Data values that record their reads."""

    __slots__ = ("_known", "_notes", "_stack", "_windows", "plain")
    says_itself = True

    def __init__(self, node: Map, windows: DependencyTracker) -> None:
        super().__init__(node)
        self._stack = windows.stack
        self._windows = windows
        self.plain: dict[str, object] = {}  # values that were read, and are not secret
        # Selects the reads that contributed to the results.
        marks = windows.marks
        self._notes = marks.is_secret if marks is not None and marks.trace.only_marks else None
        self._known = {} if marks is None else marks.known

    def part(self, item: MapItem) -> object:
        value = item.value
        if type(value) not in COLLECTIONS:
            if self._notes is None or self._notes(item):
                self._windows.read(item)
            return traced_values(value, self._windows)
        made = self.made.get(id(item))
        if made is None:
            made = self.made[id(item)] = traced_values(value, self._windows)
        if type(value) is Array:
            if self._notes is None or self._notes(item):
                self._windows.read(item)
            if self._notes is None or self._notes(item, value):
                self._windows.read_list(made, value)
        return made

    def attr(self, name: str) -> object:
        item = self.node.find(name)
        if item is None:
            if self._windows.marks is None and self.node.items:
                self._windows.missed = self.node.items[0]
            raise NoAttribute(name)
        value = item.value
        if type(value) not in COLLECTIONS:
            if self._notes is None or (self._known[item] if item in self._known else self._notes(item)):
                self._stack[-1][item] = None
            elif type(value) in SCALARS:
                self.plain[name] = value
            return traced_values(value.known(), self._windows) if is_deferred(value) else value
        return self.part(item)

    def contains(self, key: object) -> bool:
        found = super().contains(key)
        item = self.node.find(key) if type(key) is str else None
        if item is not None and (self._notes is None or self._notes(item)):
            self._windows.read(item)
        return found

    def iterate(self) -> Iterator[object]:
        for item in self.node.items:
            if self._notes is None or self._notes(item):
                self._windows.read(item)
        return super().iterate()

    def paired(self, made: Map) -> list[tuple[Item, Shadow, object]]:
        """The items of a map with the data values they come from, and their values."""
        out: list[tuple[Item, Shadow, object]] = []
        for item, origin in zip(made.items, self.node.items, strict=False):
            inner = self.made.get(id(origin)) if type(origin.value) in COLLECTIONS else origin.value
            out.append((item, (origin,), inner))
        return out


def traced_values(value: NodeValue, windows: DependencyTracker) -> object:
    """The result of `to_struct` for data values, with reads recorded."""
    if type(value) is Map:
        return TracedStruct(value, windows)
    if type(value) is Array:
        made = List([traced_values(item.value, windows) for item in value.items])
        marks = windows.marks
        if marks is None or not marks.trace.only_marks or marks.is_secret(value):
            windows.note_list(made, value)
        return made
    return traced_values(value.known(), windows) if is_deferred(value) else value
