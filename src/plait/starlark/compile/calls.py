"""Calls, the parameters of functions, and `lambda`.

Methods are called directly where the receiver is known, or after one test of its exact type; some universal functions
and methods are done in place.
"""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.budget import FEW, SMALL
from plait.starlark.compile.emit import A_METHOD, AN_UNKNOWN_METHOD, LOAD, NOT_VARIABLES
from plait.starlark.compile.folding import format_parts, short_text_arguments
from plait.starlark.compile.kinds import kind_of
from plait.starlark.compile.operators import is_int
from plait.starlark.compile.shapes import find
from plait.starlark.compile.subscripts import Subscripts
from plait.starlark.runtime import DIRECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression, Scope

_A_JOIN_OF_A_NAME = 6  # what that counts for beyond any other call


class Calls(Subscripts):
    """Lowers calls, and what functions take."""

    def call_(self, node: syntax.Call) -> py.expr:
        function = node.function
        if type(function) is syntax.Attribute:
            if function.name == "format" and type(function.x) is syntax.Literal and type(function.x.value) is str:
                arguments = node.arguments
                texts = format_parts(function.x.value, len(arguments))
                if texts is not None and not any(argument.star or argument.name for argument in arguments):
                    return self.text(texts, "s" * len(arguments), [argument.value for argument in arguments])
            native = self.native_method(function, node)
            if native is not None:
                return native
            callee, receiver = self.method(function)
            args, keywords = self.arguments(node.arguments)
            if receiver is not None:
                args.insert(0, receiver)
            return self.own(node, py.Call(callee, args, keywords, **self.at()))
        if type(function) is syntax.Name and function.scope is None:
            special = self.universal_call(function.name, node)
            if special is not None:
                return special
        callee = self.expression(function)
        if self.knows(node):
            callee = self.load(f"$f.{function.name}")  # type: ignore[union-attr]
        if type(callee) is py.Constant or type(callee) is py.Tuple:
            # Python would warn of such a call.
            callee = self.call("$same", [callee])
        args, keywords = self.arguments(node.arguments)
        return py.Call(callee, args, keywords, **self.at())

    def native_method(self, method: syntax.Attribute, node: syntax.Call) -> py.expr | None:
        """Methods of strings and dicts that Python can do, given what is known; None for all others."""
        if not self.hot or not self.walrus or any(argument.star or argument.name for argument in node.arguments):
            return None
        kind, at = kind_of(method.x), self.at()
        values = [argument.value for argument in node.arguments]
        if kind in {"", "str"} and all(type(value) is syntax.Literal for value in values):
            own = short_text_arguments(method.name, [value.value for value in values])  # type: ignore[union-attr]
            if own is not None:
                return self.short_text_method(method, node, *own)
        if kind == "dict" and method.name == "setdefault" and type(method.x) is syntax.Name:
            return self.set_default(method.x, values)
        if kind != "str" or len(values) != 1:
            return None
        given = values[0]
        if method.name in {"startswith", "endswith"} and kind_of(given) == "str":
            called = py.Attribute(self.expression(method.x), method.name, LOAD, **at)
            return py.Call(called, [self.expression(given)], [], **at)
        if method.name == "join" and type(method.x) is syntax.Literal and self.holds_texts(given):
            separator = str(method.x.value)
            if len(separator) > FEW:
                return None
            # A few strings: nobody needs to look at the size before.
            first, again = self.simple(self.expression(given))
            between = self.constant(separator)
            weight = self.made + A_METHOD
            name = self.temp()
            joined = py.Call(py.Attribute(between, "join", LOAD, **at), [again()], [], **at)
            made = py.NamedExpr(self.store(name), joined, **at)
            ascii_ = py.Call(py.Attribute(made, "isascii", LOAD, **at), [], [], **at)
            few = py.Compare(self.call("$L", [first]), [py.LtE()], [self.constant(FEW)], **at)
            small = py.Compare(self.call("$L", [self.load(name)]), [py.Lt()], [self.constant(SMALL)], **at)
            slow = self.call("$m.join", [between, again()])
            result = self.choose(self.both(few, ascii_, small), self.load(name), slow)
            self.made = weight if type(given) is syntax.Call else weight + _A_JOIN_OF_A_NAME
            return result
        return None

    def holds_texts(self, node: Expression) -> bool:
        """Whether a list has only strings in it: that of a variable, or what is split on the way."""
        if type(node) is syntax.Name and node.scope is not None and kind_of(node) == "list":
            shape = node.scope.shapes.get(node.name)
            return shape is not None and find(shape).kind == "str"
        return type(node) is syntax.Call and node.bare and self.bare_lists and type(node.function) is syntax.Attribute

    def own(self, node: syntax.Call, made: py.expr) -> py.expr:
        """The list that a call gives; Python's own if only compiled code meets it."""
        if not node.bare or not self.bare_lists:
            return made
        return py.Call(py.Name("$own", LOAD, **self.at()), [made], [], **self.at())

    def short_text_method(
        self, method: syntax.Attribute, node: syntax.Call, shortest: int, given: tuple[str, ...]
    ) -> py.expr:
        """`x.name(...)` of what is a short ASCII string more often than not: Python's own method.

        given: what Python's method is given. shortest: no string so long is short.
        """
        name, kind, at = method.name, kind_of(method.x), self.at()
        first, again = self.simple(self.expression(method.x))
        arguments = [self.expression(argument.value) for argument in node.arguments]
        made = self.made + (A_METHOD if kind == "str" else AN_UNKNOWN_METHOD)
        tests: list[py.expr] = [] if kind == "str" else [self.is_type(first, self.load("$T.str"))]
        text = again() if tests else first
        tests.append(py.Call(py.Attribute(text, "isascii", LOAD, **at), [], [], **at))
        tests.append(py.Compare(self.call("$L", [again()]), [py.Lt()], [self.constant(shortest)], **at))
        own = [self.constant(value) for value in given]
        fast: py.expr = py.Call(py.Attribute(again(), name, LOAD, **at), [*own], [], **at)
        if name == "split" and not (node.bare and self.bare_lists):
            fast = self.call("$List", [fast])
        slow = self.own(node, self.call(("$m." if kind == "str" else "$late.") + name, [again(), *arguments]))
        self.made = made
        return self.choose(self.both(*tests), fast, slow)

    def set_default(self, x: syntax.Name, values: list[Expression]) -> py.expr | None:
        """`x.setdefault(key, value)` of a dict: the value need not be made if there is one."""
        if len(values) != 2 or not _is_fresh(values[1]):
            return None
        table, again_table = self.simple(self.expression(x))
        first, again = self.simple(self.expression(values[0]))
        value = self.expression(values[1])
        made = self.made + A_METHOD
        # First of all x: it may have no value yet.
        bound = py.Compare(table, [py.IsNot()], [self.constant(None)], **self.at())
        there = py.Compare(again(), [py.In()], [again_table()], **self.at())
        test = self.both(bound, self.is_type(first, self.load("$T.str")), there)
        fast = py.Subscript(again_table(), again(), LOAD, **self.at())
        slow = self.call("$m.setdefault", [again_table(), again(), value])
        self.made = made
        return self.choose(test, fast, slow)

    def knows(self, node: syntax.Call) -> bool:
        """Whether a call is one of those that `flow` has followed to a function that is compiled twice."""
        name = node.function
        if self.apart or type(name) is not syntax.Name or name.scope is None or name.scope.parent is not None:
            return False
        function = self.twice.get(name.name)
        return function is not None and function.fits(node)

    def method(self, node: syntax.Attribute) -> tuple[py.expr, py.expr | None]:
        """What to call for `x.name(...)`, and the receiver if it is to be passed."""
        name = node.name
        x = self.expression(node.x)
        wanted = DIRECT.get(name)
        if wanted is None:
            return self.call("$attribute", [x, self.constant(name)]), None
        kind = kind_of(node.x)
        if kind == wanted:
            return self.load("$m." + name), x
        if kind != "" or not self.hot or not self.walrus:
            return self.load("$late." + name), x
        first, again = self.simple(x)
        known = {"str": "$T.str", "list": "$List", "dict": "$Dict"}[wanted]
        test = self.is_type(first, self.load(known))
        return self.choose(test, self.load("$m." + name), self.load("$late." + name)), again()

    def universal_call(self, name: str, node: syntax.Call) -> py.expr | None:
        """Calls of universal functions that can be done better; None for all others."""
        arguments = node.arguments
        if any(argument.star or argument.name for argument in arguments):
            return None
        if name == "len" and len(arguments) == 1:
            kind = kind_of(arguments[0].value)
            value = self.expression(arguments[0].value)
            if kind in {"list", "dict", "tuple"}:
                return self.call("$L", [value])
            if kind == "str" and type(value) is py.Name and self.hot:
                ascii_ = py.Call(py.Attribute(value, "isascii", LOAD, **self.at()), [], [], **self.at())
                return self.choose(ascii_, self.call("$L", [value]), self.call("$len", [value]))
            if kind == "" and self.hot and self.walrus:
                first, again = self.simple(value)
                test = py.Compare(self.call("$T", [first]), [py.In()], [self.load("$sized")], **self.at())
                return self.choose(test, self.call("$L", [again()]), self.call("$len", [again()]))
            return self.call("$len", [value])
        if name == "list" and node.bare and self.bare_lists:
            return self.call("$bare_list", [self.expression(arguments[0].value)])
        if name == "range" and 1 <= len(arguments) <= 3:
            return self.call(f"$range{len(arguments)}", [self.expression(argument.value) for argument in arguments])
        if name in {"min", "max"} and len(arguments) > 1:
            if self.hot and self.walrus and len(arguments) <= 4 and all(is_int(each.value) for each in arguments):
                return self.extreme(name, [self.expression(argument.value) for argument in arguments])
            return self.call(f"${name}_of", [self.expression(argument.value) for argument in arguments])
        return None

    def extreme(self, name: str, values: list[py.expr]) -> py.expr:
        """`min` or `max` of ints: one comparison after the other."""
        best = values[0]
        for value in values[1:]:
            first, again = self.simple(best)
            other, other_again = self.simple(value)
            # Of equal ones the first; all are evaluated in order.
            operator: py.cmpop = py.LtE() if name == "min" else py.GtE()
            test = py.Compare(first, [operator], [other], **self.at())
            best = self.choose(test, again(), other_again())
        return best

    def arguments(self, arguments: list[syntax.Argument]) -> tuple[list[py.expr], list[py.keyword]]:
        args: list[py.expr] = []
        keywords: list[py.keyword] = []
        for argument in arguments:
            value = self.expression(argument.value)
            if argument.star == "*":
                args.append(py.Starred(self.call("$spread", [value]), LOAD, **self.at()))
            elif argument.star == "**":
                keywords.append(py.keyword(None, self.call("$keywords", [value]), **self.at()))
            elif argument.name:
                if argument.name in NOT_VARIABLES:
                    value = py.Dict([self.constant(argument.name)], [value], **self.at())
                    keywords.append(py.keyword(None, value, **self.at()))
                else:
                    keywords.append(py.keyword(argument.name, value, **self.at()))
            else:
                args.append(value)
        return args, keywords

    def parameters(self, parameters: list[syntax.Parameter]) -> py.arguments:
        args: list[py.arg] = []
        defaults: list[py.expr] = []
        named: list[py.arg] = []
        named_defaults: list[py.expr | None] = []
        star: py.arg | None = None
        double: py.arg | None = None
        after_star = False
        for parameter in parameters:
            arg = py.arg(parameter.name, **self.at())
            if parameter.star == "*":
                after_star = True
                if parameter.name:
                    star = arg
            elif parameter.star == "**":
                double = arg
            elif after_star:
                named.append(arg)
                named_defaults.append(None if parameter.default is None else self.expression(parameter.default))
            else:
                args.append(arg)
                if parameter.default is not None:
                    defaults.append(self.expression(parameter.default))
        return py.arguments([], args, star, named, named_defaults, double, defaults)

    def lambda_(self, node: syntax.Lambda) -> py.expr:
        arguments = self.parameters(node.parameters)
        outer = self.hot, self.temps, self.prefix
        # Whether `:=` is allowed is as around it: Python forbids it in all of what a comprehension iterates.
        self.hot = True
        self.temps = 0
        self.prefix = "$"
        body = self.expression(node.body)
        # What a `def` does in statements before its body: (first, second, body)[-1].
        parts: list[py.expr] = []
        for parameter in node.parameters:
            if parameter.star == "**":
                made = self.call("$make_dict", [self.load(parameter.name)])
                if self.walrus:
                    parts.append(py.NamedExpr(self.store(parameter.name), made, **self.at()))
                else:
                    inner = py.arguments([], [py.arg(parameter.name, **self.at())], None, [], [], None, [])
                    body = py.Call(py.Lambda(inner, body, **self.at()), [made], [], **self.at())
        if calls_out(node.scope):
            parts.append(self.call("$begun", []))
        if parts:
            last = self.constant(len(parts))
            body = py.Subscript(py.Tuple([*parts, body], LOAD, **self.at()), last, LOAD, **self.at())
        self.hot, self.temps, self.prefix = outer
        return py.Lambda(arguments, body, **self.at())


def _is_fresh(node: Expression) -> bool:
    """Whether nobody can tell if the value was made: an empty list or dict, a literal."""
    kind = type(node)
    if kind is syntax.ListDisplay:
        return not node.items  # type: ignore[union-attr]
    return kind is syntax.Literal or (kind is syntax.DictDisplay and not node.entries)  # type: ignore[union-attr]


def calls_out(scope: Scope) -> bool:
    """Whether a function may call others than builtins: only such functions count as steps."""
    for call in scope.calls:
        function = call.function
        if type(function) is syntax.Name and function.scope is None:
            continue
        if type(function) is syntax.Attribute and kind_of(function.x) in {"str", "list", "dict"}:
            continue
        return True
    return any(child.is_comprehension and calls_out(child) for child in scope.children)
