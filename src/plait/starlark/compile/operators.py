"""Operators, and texts that are put together.

Common cases are done in place, guarded by exact types; what `kinds` knows makes guards go away. Several operators in one
expression share a test (`fused`).
"""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.budget import SMALL
from plait.starlark.compile.emit import LOAD, SMALL_INT, Emitter
from plait.starlark.compile.folding import percent_parts
from plait.starlark.compile.kinds import INTS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.starlark.syntax import Expression

_ARITHMETIC: dict[str, Callable[[], py.operator]] = {
    "+": py.Add,
    "-": py.Sub,
    "*": py.Mult,
    "//": py.FloorDiv,
    "%": py.Mod,
    "&": py.BitAnd,
    "|": py.BitOr,
    "^": py.BitXor,
}
# Operators that may be done together once all operands are known to be ints.
FUSED = frozenset(("+", "-", "*", "//", "%"))
_MANY_BITS = frozenset(1 << bits for bits in range(30, 65))
_SHORT = SMALL // 2  # two such strings together are smaller than anybody looks at
_DEEP = 16  # operators within operators that are done together
_AN_OPERATOR = 6  # names and constants that take as long
_ATOMS = (syntax.Name, syntax.Literal)
_ORDER: dict[str, Callable[[], py.cmpop]] = {"<": py.Lt, "<=": py.LtE, ">": py.Gt, ">=": py.GtE}
_UNARY: dict[str, tuple[str, Callable[[], py.unaryop]]] = {
    "-": ("$neg", py.USub),
    "+": ("$pos", py.UAdd),
    "~": ("$~", py.Invert),
}


class Operators(Emitter):
    """Lowers operators."""

    def unary(self, node: syntax.Unary) -> py.expr:
        x = self.expression(node.x)
        if node.operator == "not":
            return py.UnaryOp(py.Not(), x, **self.at())
        helper, operator = _UNARY[node.operator]
        kind = kind_of(node.x)
        if kind in INTS or (kind == "float" and node.operator != "~"):
            return py.UnaryOp(operator(), x, **self.at())
        if self.hot and self.walrus:
            first, again = self.simple(x)
            test = self.is_type(first, self.load("$T.int"))
            return self.choose(test, py.UnaryOp(operator(), again(), **self.at()), self.call(helper, [again()]))
        return self.call(helper, [x])

    def binary(self, node: syntax.Binary) -> py.expr:
        self.made += _AN_OPERATOR
        operator = node.operator
        if operator in {"and", "or"}:
            return self.logical(node, operator)
        if operator == "%" and type(node.x) is syntax.Literal and type(node.x.value) is str:
            formatted = self.formatted(node.x.value, node.y)
            if formatted is not None:
                return formatted
        if operator in FUSED and self.hot and self.walrus:
            fused = self.fused(node)
            if fused is not None:
                return fused
        x, y = self.expression(node.x), self.expression(node.y)
        left, right = kind_of(node.x), kind_of(node.y)
        if operator in {"==", "!="}:
            if _no_bool(node.x) and _no_bool(node.y) and (is_int(node.x) or is_int(node.y)):
                # Only True and False are equal to ints in Python alone.
                return py.Compare(x, [py.Eq() if operator == "==" else py.NotEq()], [y], **self.at())
            return self.equality(operator, x, left, y, right)
        if operator in _ORDER:
            return self.order(operator, x, left, y, right)
        if operator in {"in", "not in"}:
            return self.membership(operator, x, left, y, right)
        return self.arithmetic(operator, x, left, y, right)

    def logical(self, node: syntax.Binary, operator: str) -> py.expr:
        values: list[py.expr] = []
        # `a or b or c` is one list for Python.
        chain: list[Expression] = []
        left: Expression = node
        while type(left) is syntax.Binary and left.operator == operator:
            chain.append(left.y)
            left = left.x
        values = [self.expression(part) for part in (left, *reversed(chain))]
        return py.BoolOp(py.Or() if operator == "or" else py.And(), values, **self.at())

    def arithmetic(self, operator: str, x: py.expr, left: str, y: py.expr, right: str, helper: str = "") -> py.expr:
        helper = helper or "$" + operator
        make = _ARITHMETIC.get(operator)
        if make is None:
            return self.call(helper, [x, y])
        if operator == "+" and self.hot and self.walrus:
            if _is_short_text(y) and left in {"", "str"}:
                return self.extended(x, left, y, helper, before=False)
            if _is_short_text(x) and right in {"", "str"}:
                return self.extended(y, right, x, helper, before=True)
        by_zero = operator in {"//", "%"}
        if by_zero and not (type(y) is py.Constant and type(y.value) is int and y.value):
            # Python's words for a division by zero are not the reference's.
            if left in INTS and right in INTS and self.hot and self.walrus:
                first_x, again_x = self.simple(x)
                first_y, again_y = self.simple(y)
                fast = py.BinOp(first_x if first_x is x else again_x(), make(), again_y(), **self.at())
                # `(x, y)[1]` in spirit: both are evaluated, in order, before the test.
                if first_x is x:
                    return self.choose(first_y, fast, self.call(helper, [again_x(), again_y()]))
            return self.call(helper, [x, y])
        if left in INTS and right in INTS:
            if operator != "*" or left == "small" or right == "small":
                return self.native(operator, x, y)
            return self.call(helper, [x, y])
        if operator in "+-" and left == right == "float":
            return py.BinOp(x, make(), y, **self.at())
        numbers = ("", "int", "small")
        if not self.hot or not self.walrus or left not in numbers or right not in numbers:
            return self.call(helper, [x, y])
        test, again_x, again_y = self.both_ints(x, left, y, right)
        if operator == "*" and left != "small" and right != "small":
            # One of the factors must be of ordinary size, or else the product might be enormous.
            low, high = self.constant(-SMALL_INT), self.constant(SMALL_INT)
            size = py.Compare(low, [py.Lt(), py.Lt()], [again_x(), high], **self.at())
            test = self.both(test, size)
        return self.choose(test, self.native(operator, again_x(), again_y()), self.call(helper, [again_x(), again_y()]))

    def extended(self, x: py.expr, kind: str, text: py.expr, helper: str, *, before: bool) -> py.expr:
        """`x + text`, or `text + x`, of what is a short string more often than not and a constant."""
        first, again = self.simple(x)
        made = self.made + 1  # what the helper alone counts for
        test: py.expr = py.Compare(
            self.call("$L", [again() if kind == "" else first]), [py.Lt()], [self.constant(_SHORT)], **self.at()
        )
        if kind == "":
            test = self.both(self.is_type(first, self.load("$T.str")), test)
        parts = [text, again()] if before else [again(), text]
        fast = py.BinOp(parts[0], py.Add(), parts[1], **self.at())
        result = self.choose(test, fast, self.call(helper, parts))
        self.made = made
        return result

    def native(self, operator: str, x: py.expr, y: py.expr) -> py.expr:
        """Python's own operator on ints."""
        if operator == "%" and type(y) is py.Constant and y.value in _MANY_BITS:
            # What has more than one of Python's digits takes long to divide by: the last bits are the same.
            return py.BinOp(x, py.BitAnd(), py.Constant(y.value - 1, **self.at()), **self.at())
        return py.BinOp(x, _ARITHMETIC[operator](), y, **self.at())

    def fused(self, node: syntax.Binary, addition: str = "$+") -> py.expr | None:
        """Arithmetic on several unknown values at once: one test that all are ints, then Python's own operators.

        addition: the helper for a `+` on top. None if the expression is nothing of the kind, or if operator by operator
        is as good.
        """
        if type(node.x) is not syntax.Binary and type(node.y) is not syntax.Binary:
            return None
        leaves: list[tuple[Expression, str]] = []
        sized: list[int] = []
        if not _flatten(node, leaves, sized):
            return None
        if all(leaf_kind for _, leaf_kind in leaves):
            return None
        unknown = [place for place, (leaf, kind) in enumerate(leaves) if kind == "" or type(leaf) not in _ATOMS]
        heavy = [place for place in unknown if type(leaves[place][0]) not in _ATOMS]
        if not unknown or len(heavy) > 2:
            return None
        # `type(a) is type(b) is ... is int` always evaluates the first two: those with effects come first.
        order = [*heavy, *(place for place in unknown if place not in heavy)]
        reads: dict[int, Callable[[], py.expr]] = {}
        tests: list[py.expr] = []
        for place in order:
            first, reads[place] = self.simple(self.expression(leaves[place][0]))
            tests.append(first)
        for place, (leaf, _) in enumerate(leaves):
            if place not in reads:
                reads[place] = self.simple(self.expression(leaf))[1]
        test = self.is_type(tests[0], *(self.call("$T", [each]) for each in tests[1:]), self.load("$T.int"))
        if sized:
            sizes = [
                py.Compare(
                    self.constant(-SMALL_INT),
                    [py.Lt(), py.Lt()],
                    [reads[place](), self.constant(SMALL_INT)],
                    **self.at(),
                )
                for place in dict.fromkeys(sized)
            ]
            test = self.both(test, *sizes)
        places = iter(range(len(leaves)))
        fast = self.rebuilt(node, places, reads, native=True)
        places = iter(range(len(leaves)))
        slow = self.rebuilt(node, places, reads, native=False)
        if node.operator == "+" and type(slow) is py.Call:
            slow.func = self.load(addition)
        return self.choose(test, fast, slow)

    def rebuilt(
        self,
        node: Expression,
        places: Iterator[int],
        reads: dict[int, Callable[[], py.expr]],
        *,
        native: bool,
    ) -> py.expr:
        """The expression over its leaves, with Python's operators or with the language's."""
        if type(node) is not syntax.Binary or node.operator not in FUSED:
            return reads[next(places)]()
        x = self.rebuilt(node.x, places, reads, native=native)
        y = self.rebuilt(node.y, places, reads, native=native)
        if native:
            return self.native(node.operator, x, y)
        return self.call("$" + node.operator, [x, y])

    def equality(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        compare: py.cmpop = py.Eq() if operator == "==" else py.NotEq()
        if left == "str" or right == "str" or _distinct(x) or _distinct(y) or (left in INTS and right in INTS):
            return py.Compare(x, [compare], [y], **self.at())
        if not self.hot or not self.walrus:
            return self.call("$" + operator, [x, y])
        first_x, again_x = self.simple(x)
        first_y, again_y = self.simple(y)
        scalar = py.Compare(
            self.call("$T", [first_x]),
            [py.Is(), py.In()],
            [self.call("$T", [first_y]), self.load("$plain")],
            **self.at(),
        )
        fast = py.Compare(again_x(), [compare], [again_y()], **self.at())
        return self.choose(scalar, fast, self.call("$" + operator, [again_x(), again_y()]))

    def both_ints(
        self, x: py.expr, left: str, y: py.expr, right: str
    ) -> tuple[py.expr, Callable[[], py.expr], Callable[[], py.expr]]:
        """Whether both operands are ints, a test that evaluates them in order; and what they are again."""
        first_x, again_x = self.simple(x)
        first_y, again_y = self.simple(y)
        number = self.load("$T.int")
        if right in INTS and first_y is y:
            test = self.is_type(first_x, number)
        elif left in INTS and first_x is x:
            test = self.is_type(first_y, number)
        else:
            test = self.is_type(first_x, self.call("$T", [first_y]), number)
        return test, again_x, again_y

    def order(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        make = _ORDER[operator]
        numbers = ("int", "small", "float")
        if left in numbers and right in numbers:
            return py.Compare(x, [make()], [y], **self.at())
        if not self.hot or not self.walrus or left not in ("", "int", "small") or right not in ("", "int", "small"):
            return self.call("$" + operator, [x, y])
        test, again_x, again_y = self.both_ints(x, left, y, right)
        fast = py.Compare(again_x(), [make()], [again_y()], **self.at())
        return self.choose(test, fast, self.call("$" + operator, [again_x(), again_y()]))

    def membership(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        native: py.cmpop = py.In() if operator == "in" else py.NotIn()
        if left == "str" and right in ("dict", "list", "tuple"):
            return py.Compare(x, [native], [y], **self.at())
        if self.hot and self.walrus and right in ("dict", "list", "tuple") and left == "" and type(y) is py.Name:
            first, again = self.simple(x)
            _, again_y = self.simple(y)
            test = self.is_type(first, self.load("$T.str"))
            fast = py.Compare(again(), [native], [again_y()], **self.at())
            return self.choose(test, fast, self.call("$" + operator, [again(), again_y()]))
        return self.call("$" + operator, [x, y])

    def formatted(self, template: str, y: Expression) -> py.expr | None:
        """`template % y`; None if it is better done by the helper."""
        if type(y) is syntax.TupleDisplay:
            parts = percent_parts(template, len(y.items))
            return None if parts is None else self.text(*parts, y.items)
        parts = percent_parts(template, 1)
        kind = kind_of(y)
        if parts is None or not self.hot or not self.walrus or kind in {"list", "dict", "tuple"}:
            return None
        if kind != "":
            return self.text(*parts, [y])
        # A tuple would be the values, not the value.
        first, again = self.simple(self.expression(y))
        scalar = py.Compare(self.call("$T", [first]), [py.In()], [self.load("$plain")], **self.at())
        made = self.joined(*parts, [(again(), "")])
        return self.choose(scalar, made, self.call("$%", [self.constant(template), again()]))

    def text(self, texts: Sequence[str], verbs: str, nodes: Sequence[Expression]) -> py.expr:
        """A string of texts and values between them; a verb is "s" or "d"."""
        return self.joined(texts, verbs, [(self.expression(node), kind_of(node)) for node in nodes])

    def joined(self, texts: Sequence[str], verbs: str, values: Sequence[tuple[py.expr, str]]) -> py.expr:
        """The same of what was lowered before: expressions and their kinds."""
        parts: list[py.expr] = [self.constant(texts[0])]
        for text, verb, (value, kind) in zip(texts[1:], verbs, values, strict=True):
            shown = value
            if kind != "small" and verb == "d":
                shown = self.call("$%d", [value])
            elif kind not in {"small", "str"}:
                if self.hot and self.walrus:
                    first, again = self.simple(value)
                    shown = self.choose(self.is_type(first, self.load("$T.str")), again(), self.call("$str", [again()]))
                else:
                    shown = self.call("$str", [value])
            parts.append(py.FormattedValue(shown, -1, None, **self.at()))
            if text:
                parts.append(self.constant(text))
        made = py.JoinedStr(parts, **self.at())
        if not self.hot or not self.walrus:
            return self.call("$text", [made])
        first, again = self.simple(made)
        size = py.Compare(self.call("$L", [again()]), [py.Lt()], [self.constant(SMALL)], **self.at())
        ascii_ = py.Call(py.Attribute(first, "isascii", LOAD, **self.at()), [], [], **self.at())
        return self.choose(self.both(ascii_, size), again(), self.call("$text", [again()]))


def _flatten(node: Expression, leaves: list[tuple[Expression, str]], sized: list[int], room: int = _DEEP) -> bool:
    """Collect the operands of arithmetic; `sized` gets those that must be small lest a product be enormous."""
    if type(node) is syntax.Binary and node.operator in FUSED:
        operator = node.operator
        divisor = type(node.y) is syntax.Literal and type(node.y.value) is int and node.y.value != 0
        if operator in {"//", "%"} and not divisor:
            return False
        before = len(leaves)
        if not room or not _flatten(node.x, leaves, sized, room - 1):
            return False
        middle = len(leaves)
        if not _flatten(node.y, leaves, sized, room - 1):
            return False
        if operator == "*":
            small = [place for place in range(before, len(leaves)) if leaves[place][1] == "small"]
            single = [part for part in ((before, middle), (middle, len(leaves))) if part[1] - part[0] == 1]
            if not any(start in small for start, _ in single):
                if not single:
                    return False
                sized.append(single[0][0])
        return True
    kind = kind_of(node)
    if kind not in {"", "int", "small"}:
        return False
    leaves.append((node, kind))
    return True


def _is_short_text(node: py.expr) -> bool:
    """Whether it is a constant that no bytes of another string can make a character with."""
    return type(node) is py.Constant and type(node.value) is str and node.value.isascii() and len(node.value) < _SHORT


def _no_bool(node: Expression) -> bool:
    """Whether the value can be no bool: arithmetic gives none."""
    if type(node) is syntax.Binary:
        return node.operator in _ARITHMETIC or node.operator in {"/", "<<", ">>"}
    return kind_of(node) in {"int", "small", "float", "str", "list", "dict", "tuple"}


def is_int(node: Expression) -> bool:
    return kind_of(node) in INTS


def _distinct(node: py.expr) -> bool:
    """Whether Python compares this constant with anything as the language does: True and 1 are equal only to Python."""
    if type(node) is not py.Constant:
        return False
    value = node.value
    return (
        value is None or (type(value) is int and value not in (0, 1)) or (type(value) is float and value not in (0, 1))
    )
