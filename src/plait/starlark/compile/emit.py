"""What all parts of the compiler share: its state, and the small pieces of Python's tree.

Names of helpers begin with "$" (`runtime.GLOBALS`). Every node gets the line that is being compiled.
"""

from __future__ import annotations

import _ast as py

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from plait.starlark.compile.shapes import Function
    from plait.starlark.pieces import Host
    from plait.starlark.syntax import Expression, Scope

    class Hooks(Protocol):
        """Statements around the module body and every function that directly contains host statements.

        hosts: the host statements there, in order. `returned` gives what a `return` hands back that has a value of its
        own, or None; before: the host statements above it. `dropped` is for a call whose value nobody takes.
        """

        def enter(self, hosts: Sequence[Host], *, module: bool) -> list[py.stmt]: ...

        def leave(self, hosts: Sequence[Host], *, module: bool) -> list[py.stmt]: ...

        def returned(self, value: py.expr | None, before: Sequence[Host], hosts: Sequence[Host]) -> py.expr | None: ...

        def dropped(self, value: py.expr, line: int) -> py.expr: ...

    Site: TypeAlias = tuple[str | None, object, str | None, object]

LOAD, STORE = py.Load(), py.Store()
NOT_VARIABLES = frozenset(("None", "True", "False", "__debug__"))
# Ints between these need no look at their size before they are multiplied.
SMALL_INT = 1 << 62
# What a call of a method counts for in `made`, however it is done.
A_METHOD = 1
AN_UNKNOWN_METHOD = 5


class Emitter:
    """The state of one compilation; `sites` collects what fast subscripts refer to."""

    __slots__ = (
        "apart",
        "hooks",
        "hosts",
        "hot",
        "line",
        "loops",
        "lowered",
        "made",
        "prefix",
        "scope",
        "sites",
        "temps",
        "twice",
        "walrus",
    )

    # Whether lists that only compiled code meets may be Python's own.
    bare_lists = True

    def __init__(self, hooks: Hooks | None, twice: Mapping[str, Function] | None = None) -> None:
        self.hooks = hooks
        self.twice = twice or {}
        self.apart = False  # code for callers of whom nothing is known
        self.scope: Scope | None = None  # of the function at hand
        self.sites: list[Site] = []
        self.line = 1
        self.hot = False  # code here runs often
        self.walrus = True  # Python allows `:=` here
        self.hosts = 0  # host statements so far
        self.made = 0  # nodes so far, most of them: how much a loop has to do
        self.temps = 0
        self.loops = 0
        self.prefix = "$"
        self.lowered: list[Host] = []  # the host statements of the function at hand, so far

    def expression(self, node: Expression) -> py.expr:
        """Lower an expression, whatever it is (see `Compiler`)."""
        raise NotImplementedError

    def at(self) -> dict[str, Any]:
        return {"lineno": self.line, "col_offset": 0}

    def load(self, name: str) -> py.expr:
        self.made += 1
        return py.Name(name, LOAD, lineno=self.line, col_offset=0)

    def store(self, name: str) -> py.Name:
        return py.Name(name, STORE, lineno=self.line, col_offset=0)

    def constant(self, value: Any) -> py.Constant:
        self.made += 1
        return py.Constant(value, lineno=self.line, col_offset=0)

    def call(self, name: str, args: list[py.expr]) -> py.expr:
        self.made += 1
        line = self.line
        return py.Call(py.Name(name, LOAD, lineno=line, col_offset=0), args, [], lineno=line, col_offset=0)

    def temp(self) -> str:
        self.temps += 1
        return f"{self.prefix}{self.temps}"

    def choose(self, test: py.expr, yes: py.expr, no: py.expr) -> py.expr:
        return py.IfExp(test, yes, no, lineno=self.line, col_offset=0)

    def both(self, *tests: py.expr) -> py.expr:
        return py.BoolOp(py.And(), list(tests), lineno=self.line, col_offset=0)

    def is_type(self, operand: py.expr, *others: py.expr) -> py.expr:
        """`type(operand) is other is ...`."""
        operators: list[py.cmpop] = [py.Is() for _ in others]
        return py.Compare(self.call("$T", [operand]), operators, list(others), lineno=self.line, col_offset=0)

    def simple(self, value: py.expr) -> tuple[py.expr, Callable[[], py.expr]]:
        """An expression twice: the first use evaluates it, the further ones (made by the function) only read it."""
        kind = type(value)
        if kind is py.Name:
            name = value.id  # type: ignore[attr-defined]
            return value, lambda: self.load(name)
        if kind is py.Constant:
            return value, lambda: value
        name = self.temp()
        return py.NamedExpr(self.store(name), value, **self.at()), lambda: self.load(name)

    def located(self, nodes: list[py.stmt], line: int) -> list[py.stmt]:
        """Give a line to host nodes that have none."""
        for node in nodes:
            _locate(node, line)
        return nodes

    def kept(self, value: py.expr, into: list[py.stmt]) -> Callable[[], py.expr]:
        """Evaluate now; the function gives expressions that read the value again."""
        if type(value) is py.Constant:
            return lambda: value
        name = self.temp()
        into.append(py.Assign([self.store(name)], value, **self.at()))
        return lambda: self.load(name)

    def held(self, value: py.expr, into: list[py.stmt]) -> Callable[[], py.expr]:
        """The same for what is used while nothing assigns variables."""
        if type(value) is py.Name:
            name = value.id
            return lambda: self.load(name)
        return self.kept(value, into)


def variable(name: str) -> str:
    """The Python variable of a name: the same, except for those that Python keeps for itself."""
    return "$" + name + "$" if name in NOT_VARIABLES else name


def _locate(node: py.AST, line: int) -> None:
    """Set the line of a tree of the host where it has none."""
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, py.AST):
            if "lineno" in item._attributes:
                if getattr(item, "lineno", None) is not None:
                    continue
                item.lineno = line  # type: ignore[attr-defined]
                item.col_offset = 0  # type: ignore[attr-defined]
            for field in item._fields:
                value = getattr(item, field, None)
                if type(value) is not str:
                    todo.append(value)
