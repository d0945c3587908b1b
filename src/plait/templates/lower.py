"""Statements of the template layer as Python's syntax tree: the only module of templates that knows it.

It is imported when a template is compiled. Names of the host begin with "$": `$builder` and `$node.*` for nodes,
`$parts` and `$text.*` for text (see `build`).
"""

from __future__ import annotations

import _ast

from plait.templates.planner import KEY_TEXT, VALUE, Fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.starlark import Host, Slot, Slots


def name(identifier: str) -> _ast.expr:
    return _ast.Name(id=identifier, ctx=_ast.Load())


def constant(value: object) -> _ast.expr:
    return _ast.Constant(value=value, kind=None)  # type: ignore[arg-type]


def call(function: str, *args: _ast.expr) -> _ast.expr:
    return _ast.Call(func=name(function), args=list(args), keywords=[])


def assign(target: str, value: _ast.expr) -> _ast.stmt:
    return _ast.Assign(targets=[_ast.Name(id=target, ctx=_ast.Store())], value=value)


# ---- nodes


def fill(host: Fill, slots: Slots) -> list[_ast.stmt]:
    """`$node.fill($builder, site, index, values...)`: adds the items of a chunk."""
    values: list[_ast.expr] = []
    place = 0
    for hole in host.holes:
        if type(hole) is list:
            values.append(_annotations(hole, slots[place : place + len(hole)]))
            place += len(hole)
        elif hole is VALUE:
            values.append(slots[place])  # type: ignore[arg-type]
            place += 1
        else:
            values.append(name("$key") if hole is KEY_TEXT else joined_text())
    made = call("$node.fill", name("$builder"), constant(host.site), constant(host.index), *values)
    return [_ast.Expr(value=made)]


def set_value(slots: Slots) -> list[_ast.stmt]:
    """`$node.set($builder, value)`."""
    return [_ast.Expr(value=call("$node.set", name("$builder"), slots[0]))]  # type: ignore[arg-type]


def _annotations(names: list[tuple[str, int]], slots: Slots) -> _ast.expr:
    """`{name: $node.annotation(name, line, args...)}`; of a repeated name the last one stands."""
    return _ast.Dict(
        keys=[constant(known) for known, _ in names],
        values=[_annotation(known, line, slot) for (known, line), slot in zip(names, slots, strict=True)],
    )


def _annotation(known: str, line: int, slot: Slot) -> _ast.expr:
    assert isinstance(slot, tuple)
    args, keywords = slot
    arguments = [constant(known), constant(line), *args]
    return _ast.Call(func=name("$node.annotation"), args=arguments, keywords=keywords)


# ---- text


def insert(literals: Sequence[str], lines: tuple[int, ...], slots: Slots) -> list[_ast.stmt]:
    """`$text.insert($parts, literals, lines, values...)`."""
    arguments = [name("$parts"), constant(tuple(literals)), constant(lines), *slots]
    return [_ast.Expr(value=call("$text.insert", *arguments))]  # type: ignore[arg-type]


def begin_text() -> list[_ast.stmt]:
    return [assign("$parts", call("$text.begin"))]


def joined_text() -> _ast.expr:
    """The text so far; nothing is added to it any more."""
    return call("$text.join", name("$parts"))


def assign_key() -> list[_ast.stmt]:
    """Keep the text so far for the key of the next item."""
    return [assign("$key", joined_text())]


# ---- functions


class TextHooks:
    """A text template appends to `$parts`; so does each def with text in it, which returns it."""

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        return begin_text() if hosts or module else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$text.finish", joined_text()))]
        return [_ast.Return(value=joined_text())] if hosts else []

    def returned(self, value: _ast.expr | None, before: Sequence[Host], hosts: Sequence[Host]) -> _ast.expr | None:  # noqa: ARG002
        return joined_text() if value is None and before else value

    def dropped(self, value: _ast.expr, line: int) -> _ast.expr:  # noqa: ARG002 - text comes from (@= @) alone
        return value


class YamlHooks:
    """A YAML template builds with `$builder`; a def with nodes returns them, one that has only text returns the text."""

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [assign("$builder", call("$node.begin_file"))]
        return [assign("$builder", call("$node.begin"))] if _makes_nodes(hosts) else begin_text()

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$node.finish", name("$builder")))]
        return [_ast.Return(value=_result(hosts))]

    def returned(self, value: _ast.expr | None, before: Sequence[Host], hosts: Sequence[Host]) -> _ast.expr | None:
        if value is None and before:
            return _result(hosts)
        # A `return` above all nodes of a function gives nothing, as one in any other function does.
        begun = name("$builder" if _makes_nodes(hosts) else "$parts")
        return call("$node.leave", begun, value or constant(None))

    def dropped(self, value: _ast.expr, line: int) -> _ast.expr:
        return call("$node.dropped", value, constant(line))


def _result(hosts: Sequence[Host]) -> _ast.expr:
    return call("$node.end", name("$builder")) if _makes_nodes(hosts) else joined_text()


def _makes_nodes(hosts: Sequence[Host]) -> bool:
    return any(isinstance(host, Fill) for host in hosts)
