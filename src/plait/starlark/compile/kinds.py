"""What is known about values before a program runs, so that compiled code can leave out checks.

A kind is the exact type of whatever an expression can give: "int", "small" (an int that fits a machine word), "float",
"str", "bool", "list", "dict", "tuple", "none"; "" when nothing is known, BOTTOM while nothing was found out yet. A
function cannot assign the variables of another, so all values of a variable are seen in its own scope: the kinds of
variables are the least ones that agree with every assignment. `flow` finds them, and what lists hold.
"""

from __future__ import annotations

from plait.starlark import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BOTTOM = "?"
INTS = ("int", "small")
_SEQUENCES = ("str", "list", "tuple")
_BUILTINS = {
    "len": "small",
    "ord": "small",
    "hash": "small",
    "int": "int",
    "float": "float",
    "str": "str",
    "repr": "str",
    "type": "str",
    "chr": "str",
    "bool": "bool",
    "any": "bool",
    "all": "bool",
    "hasattr": "bool",
    "list": "list",
    "sorted": "list",
    "reversed": "list",
    "enumerate": "list",
    "zip": "list",
    "dir": "list",
    "dict": "dict",
    "tuple": "tuple",
}
_STRING_METHODS = {
    "join": "str",
    "format": "str",
    "strip": "str",
    "lstrip": "str",
    "rstrip": "str",
    "lower": "str",
    "upper": "str",
    "title": "str",
    "capitalize": "str",
    "replace": "str",
    "split": "list",
    "rsplit": "list",
    "splitlines": "list",
    "partition": "tuple",
    "rpartition": "tuple",
    "find": "small",
    "rfind": "small",
    "index": "small",
    "rindex": "small",
    "count": "small",
    "startswith": "bool",
    "endswith": "bool",
}
_DICT_METHODS = {"keys": "list", "values": "list", "items": "list"}
_BIGGEST = 1 << 62
# An expression in so many others is looked at by each of them, and never by more: nobody writes deeper ones by hand.
_DEEP = 16


def join(left: str, right: str) -> str:
    if right in (left, BOTTOM):
        return left
    if left == BOTTOM:
        return right
    return "int" if left in INTS and right in INTS else ""


def kind_of(node: object, room: int = _DEEP) -> str:
    """The kind of an expression whose names are resolved. room: how far to look into it."""
    find = _FINDERS.get(type(node))
    return "" if find is None or not room else find(node, room - 1)


def _name(node: syntax.Name, _room: int) -> str:
    scope = node.scope
    if scope is not None:
        return scope.kinds.get(node.name, "")
    return {"True": "bool", "False": "bool", "None": "none"}.get(node.name, "")


def _literal(node: syntax.Literal, _room: int) -> str:
    value = node.value
    if type(value) is str:
        return "str"
    if type(value) is float:
        return "float"
    return "small" if -_BIGGEST < value < _BIGGEST else "int"  # type: ignore[operator]


def _unary(node: syntax.Unary, room: int) -> str:
    if node.operator == "not":
        return "bool"
    kind = kind_of(node.x, room)
    if kind in INTS:
        return kind
    return kind if kind == BOTTOM or (kind == "float" and node.operator != "~") else ""


def _binary(node: syntax.Binary, room: int) -> str:
    operator = node.operator
    if operator in ("==", "!=", "<", ">", "<=", ">=", "in", "not in"):
        return "bool"
    left, right = kind_of(node.x, room), kind_of(node.y, room)
    if operator in ("and", "or"):
        return join(left, right)
    if operator == "%" and left == "str":
        return "str"
    if BOTTOM in (left, right):
        # Whatever the other side turns out to be, a sequence stays what it is when something is added.
        return BOTTOM if left == BOTTOM or left not in _SEQUENCES else left
    if left in INTS and right in INTS:
        if operator == "/":
            return "float"
        if operator == "%" and right == "small":
            return "small"
        return "small" if operator in ("//", "&", ">>") and left == right == "small" else "int"
    if operator == "+" and left in _SEQUENCES:
        return left
    if left == "float" and right in ("float", "int", "small") and operator in ("+", "-", "*", "/", "//", "%"):
        return "float"
    if right == "float" and left in INTS and operator in ("+", "-", "*", "/", "//", "%"):
        return "float"
    if operator == "*":
        # A sequence takes part in a product only with an int, and stays what it is.
        return left if left in _SEQUENCES else right if right in _SEQUENCES else ""
    return ""


def _conditional(node: syntax.Conditional, room: int) -> str:
    return join(kind_of(node.yes, room), kind_of(node.no, room))


def _call(node: syntax.Call, room: int) -> str:
    function = node.function
    if node.kind:
        return node.kind
    if type(function) is syntax.Name:
        if function.scope is not None:
            return ""
        if function.name in ("min", "max") and len(node.arguments) > 1:
            kind = BOTTOM
            for argument in node.arguments:
                if argument.star or argument.name:
                    return ""
                kind = join(kind, kind_of(argument.value, room))
            return kind if kind in INTS or kind == BOTTOM else ""
        return _BUILTINS.get(function.name, "")
    if type(function) is syntax.Attribute:
        kind = kind_of(function.x, room)
        if kind == "str":
            return _STRING_METHODS.get(function.name, "")
        if kind == "dict":
            return _DICT_METHODS.get(function.name, "")
        if kind == BOTTOM:
            return BOTTOM
    return ""


def _slice(node: syntax.Slice, room: int) -> str:
    kind = kind_of(node.x, room)
    return kind if kind in _SEQUENCES or kind == BOTTOM else ""


def _index(node: syntax.Index, room: int) -> str:
    kind = kind_of(node.x, room)
    return node.kind if kind == "list" else kind if kind in ("str", BOTTOM) else ""


def _comprehension(node: syntax.Comprehension, _room: int) -> str:
    return "list" if node.key is None else "dict"


_FINDERS: dict[type, Callable[..., str]] = {
    syntax.Name: _name,
    syntax.Literal: _literal,
    syntax.Unary: _unary,
    syntax.Binary: _binary,
    syntax.Conditional: _conditional,
    syntax.Call: _call,
    syntax.Slice: _slice,
    syntax.Index: _index,
    syntax.Comprehension: _comprehension,
    syntax.ListDisplay: lambda _node, _room: "list",
    syntax.DictDisplay: lambda _node, _room: "dict",
    syntax.TupleDisplay: lambda _node, _room: "tuple",
}
