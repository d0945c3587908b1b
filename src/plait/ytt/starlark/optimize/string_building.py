"""Builds strings from formats that are known at compile time.

The formats of `"{}-{}".format(a, b)` and `"%s=%d" % (a, b)` are parsed here, so that compiled code joins the parts
itself. Formats with options are parsed at run time by `string_formatting`, with its errors.
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.step_budget import FEW, SMALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.starlark.optimize.optimizer import Optimizer
    from plait.ytt.starlark.syntax import Expression


def formatted(o: Optimizer, node: syntax.Call) -> py.expr | None:
    """`"...".format(...)`; None if the helper is as fast."""
    function, arguments = node.function, node.arguments
    if not isinstance(function, syntax.Attribute) or function.name != "format":
        return None
    template = function.x
    if not isinstance(template, syntax.Literal) or type(template.value) is not str:
        return None
    if any(argument.star or argument.name for argument in arguments):
        return None
    texts = format_parts(template.value, len(arguments))
    return None if texts is None else _text(o, texts, "s" * len(arguments), [one.value for one in arguments])


def interpolated(o: Optimizer, node: syntax.Binary) -> py.expr | None:
    """`"..." % y`; None if the helper is as fast."""
    template, y = node.x, node.y
    if node.operator != "%" or not isinstance(template, syntax.Literal) or type(template.value) is not str:
        return None
    if isinstance(y, syntax.TupleDisplay):
        parts = percent_parts(template.value, len(y.items))
        return None if parts is None else _text(o, *parts, y.items)
    parts = percent_parts(template.value, 1)
    kind = o.kind(y)
    if parts is None or not o.guards or kind in {"list", "dict", "tuple"}:
        return None
    if kind != "":
        return _text(o, *parts, [y])
    # A tuple would provide several values, not one.
    first, again = o.simple(o.expression(y))
    scalar = o.compare(o.call("$T", [first]), py.In(), o.load("$plain"))
    made = _joined(o, *parts, [(again(), "")])
    return o.choose(scalar, made, o.call("$%", [o.constant(template.value), again()]))


def format_parts(template: str, count: int) -> list[str] | None:
    """The texts between the fields of a template for `format`, or None if it does not have exactly `count` plain fields
    (`{}`).
    """
    texts = template.split("{}")
    if len(texts) != count + 1 or count > FEW or any("{" in text or "}" in text for text in texts):
        return None
    return texts


def percent_parts(template: str, count: int) -> tuple[list[str], str] | None:
    """Splits a `%` template into its literal texts and its verbs.

    Returns None unless there are exactly `count` verbs and each is `s` or `d`.
    """
    first, *rest = template.split("%")
    verbs = "".join([part[:1] for part in rest])
    if len(rest) != count or count > FEW or verbs.strip("sd") or not all(rest):
        return None
    return [first, *(part[1:] for part in rest)], verbs


def _text(o: Optimizer, texts: Sequence[str], verbs: str, nodes: Sequence[Expression]) -> py.expr:
    """A string of texts with values between them. A verb is "s" or "d"."""
    return _joined(o, texts, verbs, [(o.expression(node), o.kind(node)) for node in nodes])


def _joined(o: Optimizer, texts: Sequence[str], verbs: str, values: Sequence[tuple[py.expr, str]]) -> py.expr:
    """As `_text`, for lowered expressions with their types."""
    parts: list[py.expr] = [o.constant(texts[0])]
    for text, verb, (value, kind) in zip(texts[1:], verbs, values, strict=True):
        parts.append(py.FormattedValue(_shown(o, verb, value, kind), -1, None, **o.at()))
        if text:
            parts.append(o.constant(text))
    made = py.JoinedStr(parts, **o.at())
    if not o.guards:
        return o.call("$text", [made])
    first, again = o.simple(made)
    # Only bytes that are not ASCII can combine to new characters; digits are ASCII.
    if not verbs.strip("d") and "".join(texts).isascii():
        test = o.is_smaller(first, SMALL)
    else:
        test = o.both(o.method(first, "isascii"), o.is_smaller(again(), SMALL))
    return o.choose(test, again(), o.call("$text", [again()]))


def _shown(o: Optimizer, verb: str, value: py.expr, kind: str) -> py.expr:
    """The text of a value, by Python's own conversion if it equals Starlark's."""
    if kind == "small" or (kind == "str" and verb == "s"):
        return value
    if verb == "d":
        return o.call("$%d", [value])
    if not o.guards:
        return o.call("$direct.str", [value])
    first, again = o.simple(value)
    return o.choose(o.is_type(first, o.load("$T.str")), again(), o.call("$direct.str", [again()]))
