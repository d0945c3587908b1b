"""Template statements, and their lowering to Python's syntax tree. No other module of templates depends on that.

It is imported when a template is compiled. Names of the host begin with "$": `$builder` and `$node.*` for nodes,
`$parts` and `$text.*` for text (see `build`).
"""

from __future__ import annotations

import _ast

from plait.ytt.starlark.program_parts import TemplateStatement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from plait.ytt.starlark.program_parts import ExprSlot, Slot, Slots

    Hole: TypeAlias = "str | list[tuple[str, int]]"


def name(identifier: str) -> _ast.expr:
    return _ast.Name(id=identifier, ctx=_ast.Load())


def constant(value: object) -> _ast.expr:
    return _ast.Constant(value=value, kind=None)  # type: ignore[arg-type]


def call(function: str, *args: _ast.expr) -> _ast.expr:
    return _ast.Call(func=name(function), args=list(args), keywords=[])


def assign(target: str, value: _ast.expr) -> _ast.stmt:
    return _ast.Assign(targets=[_ast.Name(id=target, ctx=_ast.Store())], value=value)


# ---- nodes


# The slots of a statement: expressions of the template, text joined before the statement (a key or a value), or
# annotations, by name and line.
VALUE, KEY_TEXT, TEXT = "value", "key text", "text"


class Fill(TemplateStatement):
    """`$node.fill($builder, site, index, values...)`: adds the items of a chunk. A `def` that contains this statement
    returns nodes.

    holes: the values. site: the number of the collection. index: the index of the chunk.
    """

    __slots__ = ("holes", "index", "site")

    def __init__(self, line: int, slots: Sequence[ExprSlot], holes: Sequence[Hole], site: int, index: int) -> None:
        self.line = line
        self.slots = slots
        self.holes = holes
        self.site = site
        self.index = index

    def lower(self, slots: Slots) -> list[_ast.stmt]:
        values: list[_ast.expr] = []
        place = 0
        for hole in self.holes:
            if type(hole) is list:
                values.append(_annotations(hole, slots[place : place + len(hole)]))
                place += len(hole)
            elif hole is VALUE:
                values.append(_one(slots[place]))
                place += 1
            else:
                values.append(name("$key") if hole is KEY_TEXT else joined_text())
        made = call("$node.fill", name("$builder"), constant(self.site), constant(self.index), *values)
        return [_ast.Expr(value=made)]


class SetValue(TemplateStatement):
    """`$node.set($builder, value)`: sets the value of the node added last, unless `Fill` did."""

    __slots__ = ()

    def __init__(self, value: ExprSlot) -> None:
        self.line = value.line
        self.slots = [value]

    def lower(self, slots: Slots) -> list[_ast.stmt]:
        return [_ast.Expr(value=call("$node.set", name("$builder"), _one(slots[0])))]


def _one(slot: Slot) -> _ast.expr:
    """The expression for an `ExprSlot`."""
    assert not isinstance(slot, tuple)
    return slot


def _annotations(names: list[tuple[str, int]], slots: Slots) -> _ast.expr:
    """`{name: $node.annotation(name, line, args...)}`; the last annotation with a name is used."""
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


class Insert(TemplateStatement):
    """`$text.insert($parts, literals, lines, values...)`: appends literals and the expressions between them.

    starts: the lines of the literals. A `def` that contains this statement, or another text statement, returns text.
    """

    __slots__ = ("lines", "literals")

    def __init__(self, literals: Sequence[str], inserted: Sequence[ExprSlot], starts: Sequence[int]) -> None:
        self.line = inserted[0].line if inserted else 1
        self.slots = inserted
        self.literals = tuple(literals)
        self.lines = (*(expression.line for expression in inserted), *starts)

    def lower(self, slots: Slots) -> list[_ast.stmt]:
        arguments = [name("$parts"), constant(self.literals), constant(self.lines), *map(_one, slots)]
        return [_ast.Expr(value=call("$text.insert", *arguments))]


class BeginText(TemplateStatement):
    """`$parts = $text.begin()`."""

    __slots__ = ()

    def __init__(self, line: int) -> None:
        self.line = line
        self.slots = []

    def lower(self, slots: Slots) -> list[_ast.stmt]:  # noqa: ARG002 - it has none
        return begin_text()


class KeepKey(BeginText):
    """`$key = $text.join($parts)`: stores the text so far for the key of the next item."""

    __slots__ = ()

    def lower(self, slots: Slots) -> list[_ast.stmt]:  # noqa: ARG002 - it has none
        return [assign("$key", joined_text())]


def begin_text() -> list[_ast.stmt]:
    return [assign("$parts", call("$text.begin"))]


def joined_text() -> _ast.expr:
    """An expression for the text so far, to which nothing more is appended."""
    return call("$text.join", name("$parts"))


# ---- functions


class TextHooks:
    """Hooks for text templates.

    A template, and each def that contains text, appends to `$parts`. The def returns the text.
    """

    def enter(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        return begin_text() if hosts or module else []

    def leave(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$text.finish", joined_text()))]
        return [_ast.Return(value=joined_text())] if hosts else []

    def returned(
        self,
        value: _ast.expr | None,
        before: Sequence[TemplateStatement],
        hosts: Sequence[TemplateStatement],  # noqa: ARG002
    ) -> _ast.expr | None:
        return joined_text() if value is None and before else value

    def dropped(self, value: _ast.expr, line: int, unused: str) -> _ast.expr:
        return call("$dropped", value, constant(line), constant(unused))


class YamlHooks(TextHooks):
    """A YAML template builds with `$builder`. A def with nodes returns them; a def with only text returns the text."""

    def enter(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [assign("$builder", call("$node.begin_file"))]
        return [assign("$builder", call("$node.begin"))] if _builds_nodes(hosts) else begin_text()

    def leave(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=call("$node.finish", name("$builder")))]
        return [_ast.Return(value=_result(hosts))]

    def returned(
        self, value: _ast.expr | None, before: Sequence[TemplateStatement], hosts: Sequence[TemplateStatement]
    ) -> _ast.expr | None:
        if value is None and before:
            return _result(hosts)
        # A `return` before the first node returns None, as in a function without nodes.
        begun = name("$builder" if _builds_nodes(hosts) else "$parts")
        return call("$node.leave", begun, value or constant(None))


def _result(hosts: Sequence[TemplateStatement]) -> _ast.expr:
    return call("$node.end", name("$builder")) if _builds_nodes(hosts) else joined_text()


def _builds_nodes(hosts: Sequence[TemplateStatement]) -> bool:
    return any(isinstance(host, Fill) for host in hosts)
