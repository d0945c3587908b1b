"""Assignments, to whatever kind of target."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile.displays import Displays
from plait.starlark.compile.emit import LOAD, STORE, variable
from plait.starlark.compile.kinds import INTS, kind_of
from plait.starlark.compile.operators import FUSED
from plait.starlark.compile.subscripts import site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression


class Assignments(Displays):
    """Lowers assignments."""

    def assign(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        if not node.operator:
            self.assign_to(node.target, self.expression(node.value), into)
            return
        target = node.target
        line = node.line
        if type(target) is syntax.Name:
            value = None
            if node.operator in FUSED and self.hot and self.walrus:
                value = self.fused(syntax.Binary(node.operator, target, node.value, line), "$+=")
            if value is None:
                value = self.augmented(self.name(target), kind_of(target), node)
            into.append(py.Assign([self.store(variable(target.name))], value, **self.at()))
        elif type(target) is syntax.Index:
            self.augmented_index(target, node, into)
        elif type(target) is syntax.Attribute:
            x = self.kept(self.expression(target.x), into)
            old = self.call("$attribute", [x(), self.constant(target.name)])
            value = self.augmented(old, "", node)
            into.append(
                py.Expr(self.call("$set_attribute", [x(), self.constant(target.name), value]), **self.at()),
            )
        self.line = line

    def augmented(self, old: py.expr, kind: str, node: syntax.Assign) -> py.expr:
        """`old operator value`."""
        other = kind_of(node.value)
        if node.operator == "+" and kind not in ("int", "small", "float", "str", "tuple"):
            # Only a list is changed in place.
            if not self.hot or other in ("list", "dict", "tuple") or kind == "list":
                return self.call("$+=", [old, self.expression(node.value)])
            return self.arithmetic("+", old, kind, self.expression(node.value), other, "$+=")
        return self.arithmetic(node.operator, old, kind, self.expression(node.value), other)

    def augmented_index(self, target: syntax.Index, node: syntax.Assign, into: list[py.stmt]) -> None:
        kind = kind_of(target.x)
        x = self.held(self.expression(target.x), into)
        key = self.held(self.expression(target.key), into)
        value = self.augmented(self.call("$index", [x(), key()]), "", node)
        slow: py.stmt = py.Expr(self.call("$set_index", [x(), key(), value]), **self.at())
        if not self.hot or kind != "dict":
            into.append(slow)
            return
        # A dict of the program's own with a string as key: both steps without a call.
        test = self.unlocked(x())
        if kind_of(target.key) != "str":
            test = self.both(self.is_type(key(), self.load("$T.str")), test)
        old = py.Subscript(x(), key(), LOAD, **self.at())
        value = self.augmented(old, "", node)
        fast = py.Assign([py.Subscript(x(), key(), STORE, **self.at())], value, **self.at())
        into.append(py.If(test, [fast], [slow], **self.at()))

    def assign_to(self, target: Expression, value: py.expr, into: list[py.stmt]) -> None:
        """Assign a value to whatever kind of target."""
        at = self.at()
        if type(target) is syntax.Name:
            into.append(py.Assign([self.store(variable(target.name))], value, **at))
        elif type(target) is syntax.Index:
            self.assign_index(target, value, into)
        elif type(target) is syntax.Attribute:
            x = self.expression(target.x)
            into.append(py.Expr(self.call("$set_attribute", [x, self.constant(target.name), value]), **at))
        elif type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
            items = target.items
            if type(value) is py.Tuple and len(value.elts) == len(items):
                unpacked: py.expr = value
            else:
                unpacked = self.unpacked(value, len(items))
            parts: list[py.expr] = []
            later: list[tuple[Expression, str]] = []
            for item in items:
                if type(item) is syntax.Name:
                    parts.append(self.store(variable(item.name)))
                else:
                    name = self.temp()
                    parts.append(self.store(name))
                    later.append((item, name))
            into.append(py.Assign([py.Tuple(parts, STORE, **at)], unpacked, **at))
            for item, name in later:
                self.assign_to(item, self.load(name), into)

    def unpacked(self, value: py.expr, count: int) -> py.expr:
        """The parts of a value, as many as there are variables."""
        if not self.hot or not self.walrus:
            return self.call("$unpack", [value, self.constant(count)])
        first, again = self.simple(value)
        length = py.Compare(self.call("$L", [again()]), [py.Eq()], [self.constant(count)], **self.at())
        test = self.both(self.is_type(first, self.load("$T.tuple")), length)
        return self.choose(test, again(), self.call("$unpack", [again(), self.constant(count)]))

    def assign_index(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        at = self.at()
        kind, key_kind = kind_of(target.x), kind_of(target.key)
        fast_list = kind == "list" and key_kind in INTS and type(target.x) is syntax.Name
        if not self.hot or not (fast_list or (kind == "dict" and key_kind in ("str", "")) or kind == ""):
            if type(value) is not py.Constant and type(value) is not py.Name:
                # The value comes first, as the reference has it.
                name = self.temp()
                into.append(py.Assign([self.store(name)], value, **at))
                value = self.load(name)
            x, key = self.expression(target.x), self.expression(target.key)
            into.append(py.Expr(self.call("$set_index", [x, key, value]), **at))
            return
        if kind == "list" and key_kind in INTS:
            self.store_item(target, value, into)
            return
        held = self.kept(value, into)
        x_ = self.kept(self.expression(target.x), into)
        key_ = self.kept(self.expression(target.key), into)
        tests = [self.unlocked(x_())]
        if key_kind != "str":
            tests.insert(0, self.is_type(key_(), self.load("$T.str")))
        if kind != "dict":
            tests.insert(0, self.is_type(x_(), self.load("$Dict")))
        slow = py.Expr(self.call("$set_index", [x_(), key_(), held()]), **at)
        if kind == "" and key_kind in INTS:
            into.append(slow)
            return
        fast = py.Assign([py.Subscript(x_(), key_(), STORE, **at)], held(), **at)
        into.append(py.If(tests[0] if len(tests) == 1 else self.both(*tests), [fast], [slow], **at))

    def store_item(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        """`x[i] = value` of a list of the program's own and an int."""
        at = self.at()
        held = (lambda: value) if type(value) is py.Constant else self.kept(value, into)
        _, x = self.simple(self.expression(target.x))
        key_value = self.expression(target.key)
        key = self.simple(key_value)[1] if type(key_value) is py.Name else self.kept(key_value, into)
        self.sites.append((*site(x()), *site(key())))
        place = py.Subscript(x(), key(), STORE, lineno=self.line, col_offset=len(self.sites))
        fast = py.Assign([place], held(), **at)
        if self.unshared(target.x):
            into.append(fast)
            return
        slow = py.Expr(self.call("$set_index", [x(), key(), held()]), **at)
        into.append(py.If(self.unlocked(x()), [fast], [slow], **at))
