"""Infers types before a program runs, so that compiled code can omit checks.

A type is the exact type of an expression's value: "int", "small" (an int that fits a machine word), "float", "str",
"bool", "list", "dict", "tuple", "none"; "" if it is unknown, BOTTOM before the analysis. A function cannot assign the
variables of another one, so all values of a variable occur in its own scope: the types of variables are the least ones
that agree with every assignment. `data_flow` finds them, and the elements of lists.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.ytt.starlark.syntax import Expression, Scope, Written

BOTTOM = "?"
INTS = ("int", "small")
_SEQUENCES = ("str", "list", "tuple")
_ROWS = {"str": METHODS[str], "dict": METHODS[Dict], "list": METHODS[List]}
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">=", "in", "not in"))
_BIGGEST = 1 << 62
_ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%"))
# Maximum nesting of expressions that is analysed, because each level is visited by all enclosing ones.
_DEEP = 16


def join(left: str, right: str) -> str:
    """The least type that covers both types."""
    if right in (left, BOTTOM):
        return left
    if left == BOTTOM:
        return right
    return "int" if left in INTS and right in INTS else ""


class TypeInference:
    """The types of a program's values in one analysis.

    variables: the types of variables, by scope and name. results: those of calls of its functions.
    elements: the types of elements of lists. outer: the analysis of the enclosing scopes.
    """

    def __init__(self, outer: TypeInference | None = None) -> None:
        self.outer = outer
        self.variables: dict[Scope, dict[str, str]] = {}
        self.results: dict[syntax.Call, str] = {}
        self.elements: dict[syntax.Index, str] = {}

    def of(self, node: Written, room: int = _DEEP) -> str:
        """The type of an expression with resolved names. room: the maximum depth of the analysis."""
        find = _FINDERS.get(type(node))
        return "" if find is None or not room else find(self, node, room - 1)

    def of_variable(self, scope: Scope, name: str) -> str:
        known = self.variables.get(scope)
        if known is not None:
            return known.get(name, "")
        return "" if self.outer is None else self.outer.of_variable(scope, name)

    def of_name(self, node: syntax.Name, _room: int) -> str:
        if node.scope is not None:
            return self.of_variable(node.scope, node.name)
        return {"True": "bool", "False": "bool", "None": "none"}.get(node.name, "")

    def of_literal(self, node: syntax.Literal, _room: int) -> str:
        value = node.value
        if type(value) is int:
            return "small" if -_BIGGEST < value < _BIGGEST else "int"
        return "str" if type(value) is str else "float" if type(value) is float else ""

    def of_unary(self, node: syntax.Unary, room: int) -> str:
        if node.operator == "not":
            return "bool"
        kind = self.of(node.x, room)
        if kind in INTS:
            return kind
        return kind if kind == BOTTOM or (kind == "float" and node.operator != "~") else ""

    def of_binary(self, node: syntax.Binary, room: int) -> str:
        operator = node.operator
        if operator in _COMPARISONS:
            return "bool"
        left, right = self.of(node.x, room), self.of(node.y, room)
        if operator in ("and", "or"):
            return join(left, right)
        return of_operation(operator, left, right)

    def of_conditional(self, node: syntax.Conditional, room: int) -> str:
        return join(self.of(node.yes, room), self.of(node.no, room))

    def of_call(self, node: syntax.Call, room: int) -> str:
        found = self.results.get(node)
        if found:
            return found
        function = node.function
        if isinstance(function, syntax.Name):
            if function.scope is not None:
                return ""
            if function.name in ("min", "max") and len(node.arguments) > 1:
                kind = BOTTOM
                for argument in node.arguments:
                    if argument.star or argument.name:
                        return ""
                    kind = join(kind, self.of(argument.value, room))
                return kind if kind in INTS or kind == BOTTOM else ""
            row = UNIVERSAL.get(function.name)
            return "" if row is None else row.result
        if isinstance(function, syntax.Attribute):
            kind = self.of(function.x, room)
            if kind == BOTTOM:
                return BOTTOM
            row = _ROWS[kind].get(function.name) if kind in _ROWS else None
            return "" if row is None else row.result
        return ""

    def of_slice(self, node: syntax.Slice, room: int) -> str:
        kind = self.of(node.x, room)
        return kind if kind in _SEQUENCES or kind == BOTTOM else ""

    def of_index(self, node: syntax.Index, room: int) -> str:
        kind = self.of(node.x, room)
        return self.elements.get(node, "") if kind == "list" else kind if kind in ("str", BOTTOM) else ""

    def of_comprehension(self, node: syntax.Comprehension, _room: int) -> str:
        return "list" if node.key is None else "dict"

    def of_list_display(self, _node: Expression, _room: int) -> str:
        return "list"

    def of_dict_display(self, _node: Expression, _room: int) -> str:
        return "dict"

    def of_tuple_display(self, _node: Expression, _room: int) -> str:
        return "tuple"


def of_operation(operator: str, left: str, right: str) -> str:
    """The type of `x operator y`, from the types of both operands."""
    if operator == "%" and left == "str":
        return "str"
    if BOTTOM in (left, right):
        # A sequence keeps its type when anything is added.
        return BOTTOM if left == BOTTOM or left not in _SEQUENCES else left
    if left in INTS and right in INTS:
        if operator == "/":
            return "float"
        if operator == "%" and right == "small":
            return "small"
        return "small" if operator in ("//", "&", ">>") and left == right == "small" else "int"
    if operator == "+" and left in _SEQUENCES:
        return left
    if left == "float" and right in ("float", "int", "small") and operator in _ARITHMETIC:
        return "float"
    if right == "float" and left in INTS and operator in _ARITHMETIC:
        return "float"
    if operator == "*":
        # A sequence can only be multiplied by an int, and keeps its type.
        return left if left in _SEQUENCES else right if right in _SEQUENCES else ""
    return ""


_FINDERS: dict[type, Callable[..., str]] = {
    syntax.Binary: TypeInference.of_binary,
    syntax.Call: TypeInference.of_call,
    syntax.Comprehension: TypeInference.of_comprehension,
    syntax.Conditional: TypeInference.of_conditional,
    syntax.DictDisplay: TypeInference.of_dict_display,
    syntax.Index: TypeInference.of_index,
    syntax.ListDisplay: TypeInference.of_list_display,
    syntax.Literal: TypeInference.of_literal,
    syntax.Name: TypeInference.of_name,
    syntax.Slice: TypeInference.of_slice,
    syntax.TupleDisplay: TypeInference.of_tuple_display,
    syntax.Unary: TypeInference.of_unary,
}
