"""Host statements as Python's syntax tree: the only module of templates that knows it, imported when one is compiled.

Names of the host begin with "$": `$builder` and `$node.*` for nodes, `$parts` and `$text.*` for text (see construct.py).
"""

from __future__ import annotations

import _ast
import sys

from plait.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem
from plait.templates.places import frame_of
from plait.templates.yaml_template import NodeHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from plait.starlark import Host, Part, Slot, Slots
    from plait.templates.places import Frame
    from plait.templates.plans import Entry, Pattern
    from plait.templates.yaml_template import Fill, Put

    Names: TypeAlias = "list[tuple[str, int]]"

_LOAD, _STORE = _ast.Load(), _ast.Store()


def name(identifier: str) -> _ast.expr:
    return _ast.Name(id=identifier, ctx=_ast.Load())


def constant(value: object) -> _ast.expr:
    return _ast.Constant(value=value, kind=None)  # type: ignore[arg-type]


def call(function: str, *args: _ast.expr) -> _ast.expr:
    return _ast.Call(func=name(function), args=list(args), keywords=[])


def assign(target: str, value: _ast.expr) -> _ast.stmt:
    return _ast.Assign(targets=[_ast.Name(id=target, ctx=_ast.Store())], value=value)


def _annotation(name_: str, line: int, slot: Slot) -> _ast.expr:
    assert isinstance(slot, tuple)
    args, keywords = slot
    arguments = [constant(name_), constant(line), *args]
    return _ast.Call(func=name("$node.annotation"), args=arguments, keywords=keywords)


def annotation_dict(names: Names, slots: Slots) -> _ast.expr:
    """`{name: $node.annotation(name, line, args...)}`; of a repeated name the last one stands."""
    return _ast.Dict(
        keys=[constant(known) for known, _ in names],
        values=[_annotation(known, line, slot) for (known, line), slot in zip(names, slots, strict=False)],
    )


def discard(slots: Slots) -> list[_ast.stmt]:
    """Annotations that are evaluated for their errors, and dropped."""
    return [_ast.Expr(value=_annotation("", 0, slots[0]))]


def fill(host: Fill, slots: Slots) -> list[_ast.stmt]:
    """The statements that add a chunk's items."""
    values: list[_ast.expr] = []
    place = 0
    for given in host.names:
        if given is None:
            values.append(slots[place])  # type: ignore[arg-type]
            place += 1
        else:
            values.append(annotation_dict(given, slots[place : place + len(given)]))
            place += len(given)
    if host.direct:
        return _Direct(host).fill(host, values)
    call_ = call("$node.fill", name("$builder"), constant(host.site), constant(host.index), *values)
    return [_ast.Expr(value=call_)]


_FUNCTIONS: dict[type, tuple[str, str]] = {
    MapItem: ("$node.map_item", "$node.open_map_item"),
    ArrayItem: ("$node.array_item", "$node.open_array_item"),
    Document: ("$node.document", "$node.open_document"),
}


def put(host: Put, slots: Slots) -> list[_ast.stmt]:
    """`function($builder, site, [key,] value, line[, annotations])`; of several values the last one stands."""
    names = host.names
    annotations = annotation_dict(names, slots) if names else None
    if host.direct:
        return _Direct(host).open(host, annotations)
    key = None if host.key is None else host.key(sys.modules[__name__])
    inner = constant(host.opens) if host.value is None else host.value(sys.modules[__name__])
    values: list[_ast.expr] = [inner, *slots[len(names) :]]  # type: ignore[list-item]
    arguments = [name("$builder"), constant(host.site)]
    if key is not None:
        arguments.append(key)
    arguments += [values.pop(), constant(host.line)]
    if annotations is not None:
        arguments.append(annotations)
    before: list[_ast.stmt] = [_ast.Expr(value=dropped) for dropped in values[1:]]
    function = _FUNCTIONS[type(host.item)][host.opens >= 0]
    after: list[_ast.stmt] = []
    if host.inner:
        after.append(assign(f"$i{host.opens}", call("$node.list", name("$builder"), constant(host.opens))))
    return [*before, _ast.Expr(value=call(function, *arguments)), *after]


_PLAIN = frozenset({str, bool, float, type(None)})
_LEAST, _GREATEST = -(1 << 63), (1 << 64) - 1
_WORDS = {MapItem: "map item", ArrayItem: "array item"}


class _Direct:
    """What statements that run often add, without a call: `$i3.append(($h1, $stencils[4]))`, a part (see stencils.py).

    Documents, and items with annotations, are made as nodes: `$i0.append($node.Document($i1, $source, 12))`. Values that
    are no plain scalars go through `$node.data`. That a value is to replace its node is found out there too; then the
    statement is done again by `$node.refill`.
    """

    __slots__ = ("items", "line")

    def __init__(self, host: NodeHost) -> None:
        self.line = host.line
        self.items = f"$i{host.site}"

    # Nodes get their line here, so that nobody has to walk them for it.

    def name(self, identifier: str) -> _ast.expr:
        return _ast.Name(identifier, _LOAD, lineno=self.line, col_offset=0)

    def constant(self, value: object) -> _ast.expr:
        return _ast.Constant(value, lineno=self.line, col_offset=0)  # type: ignore[arg-type]

    def call(self, function: str, *args: _ast.expr) -> _ast.expr:
        return _ast.Call(self.name(function), list(args), [], lineno=self.line, col_offset=0)

    def part(self, x: _ast.expr, key: object) -> _ast.expr:
        return _ast.Subscript(x, self.constant(key), _LOAD, lineno=self.line, col_offset=0)

    def member(self, x: _ast.expr, attribute: str) -> _ast.expr:
        return _ast.Attribute(x, attribute, _LOAD, lineno=self.line, col_offset=0)

    def store(self, target: str, value: _ast.expr) -> _ast.stmt:
        variable = _ast.Name(target, _STORE, lineno=self.line, col_offset=0)
        return _ast.Assign([variable], value, lineno=self.line, col_offset=0)

    def done(self, value: _ast.expr) -> _ast.stmt:
        return _ast.Expr(value, lineno=self.line, col_offset=0)

    def append(self, item: _ast.expr) -> _ast.stmt:
        method = self.member(self.name(self.items), "append")
        return self.done(_ast.Call(method, [item], [], lineno=self.line, col_offset=0))

    def extend(self, items: _ast.expr) -> _ast.stmt:
        variable = _ast.Name(self.items, _STORE, lineno=self.line, col_offset=0)
        return _ast.AugAssign(variable, _ast.Add(), items, lineno=self.line, col_offset=0)

    # ---- statements

    def open(self, host: Put, annotations: _ast.expr | None) -> list[_ast.stmt]:
        """The item, and the list of its collection in a variable."""
        made: _ast.expr
        if host.inner == "listed":
            made = self.call("$node.enlist", self.name("$builder"), self.constant(host.opens))
        elif host.inner == "watched":
            made = self.call("$node.watched", self.name("$builder"))
        else:
            made = _ast.List([], _LOAD, lineno=self.line, col_offset=0)
        inner = f"$i{host.opens}"
        if host.is_part():
            return [self.store(inner, made), self.add_part([self.name(inner)], host.index)]
        kind, source, line = _CLASSES[type(host.item.value)], self.name("$source"), self.constant(host.line)
        collection = self.call("$node.of_parts", self.name(kind), self.name(inner), source, line)
        before: list[_ast.stmt] = []
        if annotations is not None:
            before.append(assign("$h0", annotations))
            annotations = self.name("$h0")
        item = host.item
        key = self.constant(item.key) if type(item) is MapItem else None
        made_item = self.item(type(item), key, collection, host.line, annotations)
        return [*before, self.store(inner, made), self.append(made_item)]

    def fill(self, host: Fill, values: Sequence[_ast.expr]) -> list[_ast.stmt]:
        """A chunk's items. All values are evaluated before anything is made of them."""
        before: list[_ast.stmt] = []
        reads: list[_ast.expr] = []
        for place, value in enumerate(values):
            if type(value) is _ast.Constant:
                reads.append(value)
            else:
                before.append(assign(f"$h{place}", value))
                reads.append(self.name(f"$h{place}"))
        made: _ast.stmt
        if host.is_part():
            made = self.add_part(self.values(host.entries, reads), host.index)
        else:
            chunk = self.part(self.name("$node.chunks"), host.index)
            items = self.entries(host.entries, chunk, reads)
            made = self.extend(
                items[0].value if type(items[0]) is _ast.Starred and not items[1:] else self.tuple(items)
            )
        if all(type(read) is _ast.Constant or given is not None for read, given in zip(reads, host.names, strict=True)):
            return [*before, made]
        builder = _ast.BoolOp(
            _ast.Or(), [self.name("$builder"), self.call("$node.begin")], lineno=self.line, col_offset=0
        )
        again = self.call("$node.refill", builder, self.name(self.items), self.constant(host.index), *reads)
        handler = _ast.ExceptHandler(
            self.name("$node.Replaced"), None, [self.store("$builder", again)], lineno=self.line, col_offset=0
        )
        return [*before, _ast.Try([made], [handler], [], [], lineno=self.line, col_offset=0)]

    # ---- parts

    def add_part(self, values: Iterable[_ast.expr], index: int) -> _ast.stmt:
        """The statement that adds values and the stencil of a chunk."""
        return self.append(self.tuple([*values, self.part(self.name("$stencils"), index)]))

    def tuple(self, items: list[_ast.expr]) -> _ast.expr:
        return _ast.Tuple(items, _LOAD, lineno=self.line, col_offset=0)

    def values(self, entries: Sequence[Entry], reads: Sequence[_ast.expr]) -> Iterator[_ast.expr]:
        """What stands in the holes of entries, in the order of the text."""
        for entry in entries:
            if type(entry) is not list:
                if entry.hole >= 0:  # type: ignore[union-attr]
                    yield self.data(reads[entry.hole], entry)  # type: ignore[union-attr, arg-type]
                else:
                    yield from self.values(entry.children, reads)  # type: ignore[union-attr, arg-type]

    # ---- nodes

    def entries(self, entries: Sequence[Entry], place: _ast.expr, reads: Sequence[_ast.expr]) -> list[_ast.expr]:
        """The items of entries, which are to be found at run time at a place; constant ones are a starred list."""
        out: list[_ast.expr] = []
        for number, entry in enumerate(entries):
            here = self.part(place, number)
            if type(entry) is list:
                out.append(_ast.Starred(here, _LOAD, lineno=self.line, col_offset=0))
            else:
                out.append(self.pattern(entry, here, reads))  # type: ignore[arg-type]
        return out

    def pattern(self, entry: Pattern, place: _ast.expr, reads: Sequence[_ast.expr]) -> _ast.expr:
        value: _ast.expr
        if entry.hole >= 0:
            value = self.data(reads[entry.hole], entry)
        elif entry.children is not None:
            children = self.entries(entry.children, self.member(place, "children"), reads)
            items = _ast.List(children, _LOAD, lineno=self.line, col_offset=0)
            value = self.collection(entry.inner, items, entry.line)
        elif type(entry.value) in _PLAIN:
            value = self.constant(entry.value)
        else:
            value = self.member(place, "value")
        key = None
        if entry.kind is MapItem:
            key = self.constant(entry.key) if type(entry.key) is str else self.member(place, "key")
        annotations = reads[entry.annotated] if entry.annotated >= 0 else None
        return self.item(entry.kind, key, value, entry.line, annotations)

    def data(self, value: _ast.expr, entry: Pattern) -> _ast.expr:
        """What a value is as a node's."""
        line = self.line
        word = self.constant(_WORDS[entry.kind])
        if type(value) is _ast.Constant:
            if type(value.value) in _PLAIN or (type(value.value) is int and _LEAST <= value.value <= _GREATEST):
                return value
            return self.call("$node.data", value, self.constant(entry.line), word)
        plain = _ast.Compare(self.call("$T", value), [_ast.In()], [self.name("$node.plain")], lineno=line, col_offset=0)
        other = self.call("$node.data", value, self.constant(entry.line), word)
        return _ast.IfExp(plain, value, other, lineno=line, col_offset=0)

    def collection(self, kind: type | None, items: _ast.expr, line: int) -> _ast.expr:
        return self.call(_CLASSES[kind], items, self.name("$source"), self.constant(line))  # type: ignore[index]

    def item(
        self, kind: type, key: _ast.expr | None, value: _ast.expr, line: int, annotations: _ast.expr | None
    ) -> _ast.expr:
        arguments = [value, self.name("$source"), self.constant(line)]
        if key is not None:
            arguments.insert(0, key)
        if annotations is not None:
            arguments.append(annotations)
        return self.call(_CLASSES[kind], *arguments)


_CLASSES = {
    Map: "$node.Map",
    Array: "$node.Array",
    DocumentSet: "$node.DocumentSet",
    MapItem: "$node.MapItem",
    ArrayItem: "$node.ArrayItem",
    Document: "$node.Document",
}


def insert(literals: Sequence[str], lines: tuple[int, ...], slots: Slots) -> list[_ast.stmt]:
    """`$text.insert($parts, literals, lines, values...)`."""
    arguments = [name("$parts"), constant(tuple(literals)), constant(lines), *slots]
    return [_ast.Expr(value=call("$text.insert", *arguments))]  # type: ignore[arg-type]


def begin_text() -> list[_ast.stmt]:
    """`$parts = []`."""
    return [assign("$parts", _ast.List(elts=[], ctx=_ast.Load()))]


def joined_text() -> _ast.expr:
    """`$text.join($parts)`: the text so far."""
    return call("$text.join", name("$parts"))


class TextHooks:
    """A text template appends to `$parts`; so does each def with text in it, which returns it."""

    def enter(self, hosts: Sequence[Host], parts: Sequence[Part] | None, *, module: bool) -> list[_ast.stmt]:  # noqa: ARG002
        return begin_text() if hosts or module else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$text.finish", joined_text()))]
        return [_ast.Return(value=joined_text())] if hosts else []

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        return joined_text() if hosts else None


class YamlHooks:
    """A YAML template builds with `$builder`; a def with nodes returns them, one that has only text returns the text."""

    def __init__(self) -> None:
        self.frames: list[Frame | None] = []  # of the functions that are being compiled

    def enter(self, hosts: Sequence[Host], parts: Sequence[Part] | None, *, module: bool) -> list[_ast.stmt]:
        frame = None if parts is None else frame_of(parts, module=module)
        self.frames.append(frame)
        if not module and not any(map(_makes_nodes, hosts)):
            return begin_text() if hosts else []
        begun = [assign("$builder", call("$node.begin"))]
        if frame is None:
            return begun
        if not (module or frame.listed or frame.watched):
            begun = [assign("$builder", constant(None))]
        if frame.parts:
            begun.append(assign("$stencils", call("$node.stencils")))
        if frame.root not in frame.lists:
            return begun
        builder, root, items = name("$builder"), constant(frame.root), f"$i{frame.root}"
        if module:
            return [*begun, assign(items, call("$node.list", builder, root))]
        if frame.root in frame.listed:
            return [*begun, assign(items, call("$node.enlist", builder, root))]
        if frame.root in frame.watched:
            return [*begun, assign(items, call("$node.watched", builder))]
        return [*begun, assign(items, _ast.List(elts=[], ctx=_LOAD))]

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        result = None if module else self.bare_return(hosts)
        self.frames.pop()
        if module:
            return [_ast.Expr(value=call("$node.finish", name("$builder")))]
        return [] if result is None else [_ast.Return(value=result)]

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        if any(map(_makes_nodes, hosts)):
            frame = self.frames[-1]
            if frame is None or frame.root not in frame.lists:
                return call("$node.end", name("$builder"))
            return call("$node.done", name("$builder"), constant(frame.root), name(f"$i{frame.root}"))
        return joined_text() if hosts else None


def _makes_nodes(host: Host) -> bool:
    return isinstance(host, NodeHost)
