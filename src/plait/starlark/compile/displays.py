"""Names, literals, displays and comprehensions."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile.calls import Calls
from plait.starlark.compile.emit import LOAD, STORE, variable
from plait.starlark.compile.kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression

_CONSTANTS = {"None": None, "True": True, "False": False}


class Displays(Calls):
    """Lowers what makes values."""

    def name(self, node: syntax.Name) -> py.expr:
        if node.scope is None:
            if node.name in _CONSTANTS:
                return self.constant(_CONSTANTS[node.name])
            return self.load("$" + node.name)
        return self.load(variable(node.name))

    def literal(self, node: syntax.Literal) -> py.expr:
        return self.constant(node.value)

    def conditional(self, node: syntax.Conditional) -> py.expr:
        return self.choose(self.expression(node.test), self.expression(node.yes), self.expression(node.no))

    def tuple_display(self, node: syntax.TupleDisplay) -> py.expr:
        return py.Tuple([self.expression(item) for item in node.items], LOAD, **self.at())

    def list_display(self, node: syntax.ListDisplay) -> py.expr:
        items: list[py.expr] = [self.expression(item) for item in node.items]
        if node.bare and self.bare_lists:
            self.made += node.bare - 1
            return py.List(items, LOAD, **self.at())
        if not items:
            return self.call("$List", [])
        return self.call("$List", [py.Tuple(items, LOAD, **self.at())])

    def dict_display(self, node: syntax.DictDisplay) -> py.expr:
        if not node.entries:
            return self.call("$Dict", [])
        keys = [self.expression(key) for key, _ in node.entries]
        values = [self.expression(value) for _, value in node.entries]
        plain = {key.value for key in keys if type(key) is py.Constant and type(key.value) is str}
        if len(plain) == len(keys):
            return self.call("$make_dict", [py.Dict(keys, values, **self.at())])  # type: ignore[arg-type]
        parts = [part for pair in zip(keys, values, strict=True) for part in pair]
        return self.call("$pairs_dict", parts)

    def comprehension(self, node: syntax.Comprehension) -> py.expr:
        outer = self.hot, self.walrus, self.temps, self.prefix
        calls = _calls(node.body) or (node.key is not None and _calls(node.key))
        calls = calls or any(_calls(c) for clause in node.clauses for c in clause.conditions)
        calls = calls or any(_calls(clause.x) for clause in node.clauses[1:])
        generators: list[py.comprehension] = []
        iterated: list[py.expr] = []
        for place, clause in enumerate(node.clauses):
            # Python forbids `:=` in what a comprehension iterates.
            self.walrus = False
            if place:
                self.hot = True
            over_range = range_in_loop(clause.x)
            if over_range is not None:
                iterated.append(self.loop_range(over_range, clause.x))
            else:
                iterated.append(self.call("$hold" if calls else "$each", [self.expression(clause.x)]))
            self.walrus = outer[1]
        self.hot = True
        if self.walrus:
            # `:=` binds in the function around: other names, so that its own variables stay fast.
            self.prefix += "c"
        for clause, x in zip(node.clauses, iterated, strict=True):
            target = self.comprehension_target(clause.target)
            conditions = [self.expression(condition) for condition in clause.conditions]
            if type(clause.target) is not syntax.Name:
                unpacking = self.list_of(self.unpacked_for(clause.target))
                generators.append(py.comprehension(self.store("$part"), x, [], 0))
                generators.append(py.comprehension(target, unpacking, conditions, 0))
            else:
                generators.append(py.comprehension(target, x, conditions, 0))
        if node.key is None:
            made: py.expr = py.ListComp(self.expression(node.body), generators, **self.at())
            if node.bare and self.bare_lists:
                self.made += node.bare - 1
                result = made
            else:
                result = self.call("$List", [made])
        else:
            key, value = self.expression(node.key), self.expression(node.body)
            if kind_of(node.key) == "str":
                made = py.DictComp(key, value, generators, **self.at())
                result = self.call("$make_dict", [made])
            else:
                made = py.ListComp(py.Tuple([key, value], LOAD, **self.at()), generators, **self.at())
                result = self.call("$Dict", [made])
        self.hot, self.walrus, self.temps, self.prefix = outer
        return result

    def comprehension_target(self, target: Expression) -> py.expr:
        if type(target) is syntax.Name:
            return self.store(variable(target.name))
        if type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
            return py.Tuple([self.comprehension_target(item) for item in target.items], STORE, **self.at())
        # An element or field as the variable of a comprehension: nobody does, and nothing is lost.
        return self.store("$unused")

    def unpacked_for(self, target: Expression) -> py.expr:
        count = len(target.items) if type(target) in (syntax.TupleDisplay, syntax.ListDisplay) else 1  # type: ignore[union-attr]
        part = self.load("$part")
        length = py.Compare(self.call("$L", [part]), [py.Eq()], [self.constant(count)], **self.at())
        test = self.both(self.is_type(self.load("$part"), self.load("$T.tuple")), length)
        slow = self.call("$unpack", [self.load("$part"), self.constant(count)])
        return self.choose(test, self.load("$part"), slow)

    def list_of(self, value: py.expr) -> py.expr:
        return py.List([value], LOAD, **self.at())

    def loop_range(self, name: str, x: Expression) -> py.expr:
        """A `range(...)` that a loop goes through."""
        outer, self.line = self.line, x.line
        result = self.call(name, [self.expression(argument.value) for argument in x.arguments])  # type: ignore[union-attr]
        self.line = outer
        return result


def range_in_loop(node: Expression) -> str | None:
    """The name under which a loop calls `range` (see `budget`); None if the expression is no such call."""
    if type(node) is not syntax.Call or type(node.function) is not syntax.Name:
        return None
    if node.function.name != "range" or node.function.scope is not None:
        return None
    if not 1 <= len(node.arguments) <= 3 or any(argument.star or argument.name for argument in node.arguments):
        return None
    return ("$to", "$from_to", "$from_to_by")[len(node.arguments) - 1]


def _calls(node: object) -> bool:
    """Whether evaluating an expression may call a function, which might change what is being iterated."""
    kind = type(node)
    if kind is syntax.Name or kind is syntax.Literal or kind is syntax.Lambda:
        return False
    if kind is syntax.Binary:
        return _calls(node.x) or _calls(node.y)  # type: ignore[attr-defined]
    if kind is syntax.Index:
        return _calls(node.x) or _calls(node.key)  # type: ignore[attr-defined]
    if kind is syntax.Unary or kind is syntax.Attribute:
        return _calls(node.x)  # type: ignore[attr-defined]
    if kind is syntax.TupleDisplay or kind is syntax.ListDisplay:
        return any(_calls(item) for item in node.items)  # type: ignore[attr-defined]
    if kind is syntax.DictDisplay:
        return any(_calls(part) for entry in node.entries for part in entry)  # type: ignore[attr-defined]
    if kind is syntax.Conditional:
        return _calls(node.test) or _calls(node.yes) or _calls(node.no)  # type: ignore[attr-defined]
    if kind is syntax.Call:
        function = node.function  # type: ignore[attr-defined]
        if type(function) is syntax.Name and function.scope is None and function.name in _HARMLESS:
            return any(_calls(argument.value) for argument in node.arguments)  # type: ignore[attr-defined]
    return True


# Universal functions that call nothing and change nothing.
_HARMLESS = frozenset(
    ["bool", "chr", "float", "hash", "int", "len", "ord", "range", "repr", "str", "tuple", "type", "list", "hasattr"]
)
