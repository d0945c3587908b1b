"""`x[key]`, `x[low:high]` and `x.name`, as values. A fast subscript notes what it refers to, for the message about a wrong place."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile.emit import LOAD
from plait.starlark.compile.kinds import INTS, kind_of
from plait.starlark.compile.operators import Operators
from plait.starlark.compile.shapes import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression


class Subscripts(Operators):
    """Lowers what reads a part of a value."""

    def attribute(self, node: syntax.Attribute) -> py.expr:
        x = self.expression(node.x)
        if not self.hot or not self.walrus or kind_of(node.x) != "":
            return self.call("$attribute", [x, self.constant(node.name)])
        first, again = self.simple(x)
        test = py.Compare(self.call("$T", [first]), [py.In()], [self.load("$structs")], **self.at())
        members = py.Attribute(again(), "members", LOAD, **self.at())
        fast = py.Subscript(members, self.constant(node.name), LOAD, **self.at())
        return self.choose(test, fast, self.call("$attribute", [again(), self.constant(node.name)]))

    def index(self, node: syntax.Index) -> py.expr:
        x, key = self.expression(node.x), self.expression(node.key)
        kind, key_kind = kind_of(node.x), kind_of(node.key)
        if not self.hot or not self.walrus:
            return self.call("$index", [x, key])
        if key_kind == "str":
            if kind == "dict":
                return py.Subscript(x, key, LOAD, **self.at())
            first_x, again_x = self.simple(x)
            first_key, again_key = self.simple(key)
            if kind == "" and first_key is key:
                fast = py.Subscript(again_x(), again_key(), LOAD, **self.at())
                test = self.is_type(first_x, self.load("$Dict"))
                return self.choose(test, fast, self.call("$index", [again_x(), again_key()]))
            return self.call("$index", [x, key])
        if key_kind in INTS:
            text = kind == "str" and type(x) is py.Constant and type(x.value) is str and x.value.isascii()
            if kind in {"list", "tuple"} or text:
                return self.place(x, key)
            if kind == "str" and type(x) is py.Name:
                # A character is a byte there.
                ascii_ = py.Call(py.Attribute(x, "isascii", LOAD, **self.at()), [], [], **self.at())
                first_key, again_key = self.simple(key)
                if first_key is key:
                    return self.choose(ascii_, self.place(x, key), self.call("$item", [x, again_key()]))
            if kind == "":
                first_x, again_x = self.simple(x)
                first_key, again_key = self.simple(key)
                test = self.is_type(first_x, self.load("$List"))
                if first_key is key:
                    return self.choose(test, self.place(again_x(), again_key()), self.call("$item", [again_x(), key]))
            return self.call("$item", [x, key])
        if key_kind == "" and type(x) is py.Constant and type(x.value) is str and x.value.isascii():
            first_key, again_key = self.simple(key)
            test = self.is_type(first_key, self.load("$T.int"))
            return self.choose(test, self.place(x, again_key()), self.call("$item", [x, again_key()]))
        if kind == "dict" and type(x) is py.Name and key_kind == "":
            first_key, again_key = self.simple(key)
            _, again_x = self.simple(x)
            fast = py.Subscript(again_x(), again_key(), LOAD, **self.at())
            test = self.is_type(first_key, self.load("$T.str"))
            return self.choose(test, fast, self.call("$index", [again_x(), again_key()]))
        return self.call("$index", [x, key])

    def place(self, x: py.expr, key: py.expr) -> py.expr:
        """`x[key]` of a known sequence and int; what it refers to is noted for the message about a wrong place."""
        first_x, again_x = self.simple(x)
        first_key, again_key = self.simple(key)
        self.sites.append((*site(again_x()), *site(again_key())))
        return py.Subscript(first_x, first_key, LOAD, lineno=self.line, col_offset=len(self.sites))

    def slice(self, node: syntax.Slice) -> py.expr:
        parts = [self.constant(None) if p is None else self.expression(p) for p in (node.low, node.high, node.step)]
        return self.call("$cut", [self.expression(node.x), *parts])

    def unshared(self, node: Expression) -> bool:
        """Whether a list can be neither frozen nor iterated here: all that is done with it is known (see `flow`)."""
        if type(node) is not syntax.Name or node.scope is None or node.scope is not self.scope:
            return False
        shape = node.scope.shapes.get(node.name)
        if shape is None or kind_of(node) != "list":
            return False
        shape = find(shape)
        return not shape.open and not shape.looped

    def unlocked(self, x: py.expr) -> py.expr:
        lock = py.Attribute(x, "lock", LOAD, **self.at())
        return py.UnaryOp(py.Not(), lock, **self.at())


def site(node: py.expr) -> tuple[str | None, object]:
    if type(node) is py.Name:
        return node.id, None
    return None, node.value  # type: ignore[attr-defined]
