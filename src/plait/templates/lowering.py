"""Host statements as Python's syntax tree: the only module of templates that knows it, imported when one is compiled.

Names of the host begin with "$": `$builder` and `$node.*` for nodes, `$parts` and `$text.*` for text (see construct.py).
"""

from __future__ import annotations

import _ast
import sys

from plait.nodes import ArrayItem, Document, MapItem
from plait.templates.yaml_template import NodeHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from plait.starlark import Host, Slot, Slots
    from plait.templates.yaml_template import Fill, Put

    Names: TypeAlias = "list[tuple[str, int]]"


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
    return [*before, _ast.Expr(value=call(function, *arguments))]


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

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        return begin_text() if hosts or module else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$text.finish", joined_text()))]
        return [_ast.Return(value=joined_text())] if hosts else []

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        return joined_text() if hosts else None


class YamlHooks:
    """A YAML template builds with `$builder`; a def with nodes returns them, one that has only text returns the text."""

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module or any(map(_makes_nodes, hosts)):
            return [assign("$builder", call("$node.begin"))]
        return begin_text() if hosts else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$node.finish", name("$builder")))]
        result = self.bare_return(hosts)
        return [] if result is None else [_ast.Return(value=result)]

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        if any(map(_makes_nodes, hosts)):
            return call("$node.end", name("$builder"))
        return joined_text() if hosts else None


def _makes_nodes(host: Host) -> bool:
    return isinstance(host, NodeHost)
