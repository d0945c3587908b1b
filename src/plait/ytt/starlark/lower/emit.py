"""Creates small parts of Python's syntax tree, all on the current line.

Helpers that compiled code calls have names starting with "$" (see `runtime`), so that no program can name one.
"""

from __future__ import annotations

import _ast as py

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypedDict

    class AstPosition(TypedDict):
        """The position of a node in Python's tree."""

        lineno: int
        col_offset: int


LOAD, STORE = py.Load(), py.Store()
# Names that Python reserves.
NOT_VARIABLES = frozenset(("None", "True", "False", "__debug__"))


def variable(name: str) -> str:
    """The Python variable for a name: the name itself, unless Python reserves it."""
    return "$" + name + "$" if name in NOT_VARIABLES else name


class Emitter:
    """Creates nodes of Python's tree for the current line."""

    __slots__ = ("line", "prefix", "temps")

    def __init__(self) -> None:
        self.line = 1
        self.temps = 0  # number of internal variables in the current statement
        self.prefix = "$"

    def at(self) -> AstPosition:
        return {"lineno": self.line, "col_offset": 0}

    # ---- expressions

    def load(self, name: str) -> py.expr:
        return py.Name(name, LOAD, lineno=self.line, col_offset=0)

    def store(self, name: str) -> py.Name:
        return py.Name(name, STORE, lineno=self.line, col_offset=0)

    def constant(self, value: object) -> py.Constant:
        return py.Constant(value, lineno=self.line, col_offset=0)  # type: ignore[arg-type] # tuples, which Python takes

    def call(self, name: str, args: list[py.expr]) -> py.expr:
        """`name(*args)`, of a helper."""
        line = self.line
        return py.Call(py.Name(name, LOAD, lineno=line, col_offset=0), args, [], lineno=line, col_offset=0)

    def field(self, x: py.expr, name: str) -> py.expr:
        """`x.name`, with Python's semantics."""
        return py.Attribute(x, name, LOAD, lineno=self.line, col_offset=0)

    def method(self, x: py.expr, name: str, *args: py.expr) -> py.expr:
        """`x.name(*args)`, with Python's semantics."""
        return py.Call(self.field(x, name), list(args), [], lineno=self.line, col_offset=0)

    def subscript(self, x: py.expr, key: py.expr) -> py.expr:
        return py.Subscript(x, key, LOAD, lineno=self.line, col_offset=0)

    def tuple(self, items: Sequence[py.expr]) -> py.expr:
        return py.Tuple(list(items), LOAD, lineno=self.line, col_offset=0)

    def choose(self, test: py.expr, yes: py.expr, no: py.expr) -> py.expr:
        return py.IfExp(test, yes, no, lineno=self.line, col_offset=0)

    def compare(self, x: py.expr, operator: py.cmpop, y: py.expr) -> py.expr:
        return py.Compare(x, [operator], [y], lineno=self.line, col_offset=0)

    def negated(self, x: py.expr) -> py.expr:
        return py.UnaryOp(py.Not(), x, lineno=self.line, col_offset=0)

    # ---- statements

    def set(self, name: str, value: py.expr) -> py.stmt:
        """`name = value`."""
        return py.Assign([self.store(name)], value, lineno=self.line, col_offset=0)

    def set_item(self, x: py.expr, key: py.expr, value: py.expr) -> py.stmt:
        """`x[key] = value`, with Python's semantics."""
        target = py.Subscript(x, key, STORE, lineno=self.line, col_offset=0)
        return py.Assign([target], value, lineno=self.line, col_offset=0)

    def do(self, value: py.expr) -> py.stmt:
        """An expression as a statement."""
        return py.Expr(value, lineno=self.line, col_offset=0)

    def if_else(self, test: py.expr, yes: list[py.stmt], no: list[py.stmt]) -> py.stmt:
        return py.If(test, yes, no, lineno=self.line, col_offset=0)

    # ---- internal variables

    def temp(self) -> str:
        """A new variable for the current statement."""
        self.temps += 1
        return f"{self.prefix}{self.temps}"

    def evaluated(self, value: py.expr, into: list[py.stmt]) -> py.expr:
        """Evaluates an expression now, and returns an expression that reads the value once. Constants and variables are
        returned as they are.
        """
        if isinstance(value, (py.Constant, py.Name)):
            return value
        name = self.temp()
        into.append(self.set(name, value))
        return self.load(name)

    def located(self, nodes: list[py.stmt], line: int) -> list[py.stmt]:
        """Sets the line of template nodes that have none."""
        for node in nodes:
            _locate(node, line)
        return nodes


def _locate(node: py.AST, line: int) -> None:
    """Sets the line of nodes that have none, in a tree created by the host."""
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, py.AST):
            if "lineno" in item._attributes:
                if getattr(item, "lineno", None) is not None:
                    continue
                item.lineno = line  # type: ignore[attr-defined] # every node with that attribute takes it
                item.col_offset = 0  # type: ignore[attr-defined]
            for field in item._fields:
                value = getattr(item, field, None)
                if type(value) is not str:
                    todo.append(value)


__all__ = ["LOAD", "NOT_VARIABLES", "STORE", "AstPosition", "Emitter", "variable"]
