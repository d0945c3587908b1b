"""Converts values to text, as `str` and `repr` do (docs/reference/language.md)."""

from __future__ import annotations

from plait.base.errors import LimitError
from plait.ytt.starlark.numbers import digits
from plait.ytt.starlark.step_budget import charge, check_headroom, check_string
from plait.ytt.starlark.values import FUNCTION, Builtin, Value, is_function, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# Maximum number of parts. The text of lists that contain each other repeatedly is unbounded.
_MOST_PARTS = 1 << 21
_FEW_PARTS = 16
_MANY = 1 << 14
_SCALARS = frozenset((str, int, float, bool, type(None)))
_ESCAPES = {7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v", 92: "\\\\", 34: '\\"'}


def str_of(value: object) -> str:
    """The result of `str(value)`."""
    if type(value) is int:
        return int_text(value)
    return value if type(value) is str else repr_of(value)


def repr_of(value: object) -> str:
    """The result of `repr(value)`. Raises LimitError."""
    if type(value) in _SCALARS:
        return _scalar_text(value)
    out: list[str] = []
    _write(value, out, set())
    if len(out) > _FEW_PARTS:
        charge(len(out) * 6)
    return "".join(out)


def _scalar_text(value: object) -> str:
    if type(value) is str:
        return quote(value)
    if type(value) is int:
        return int_text(value)
    return float_text(value) if type(value) is float else str(value)


def quote(string: str) -> str:
    """A string as a literal in double quotes, as `repr` shows it."""
    if len(string) > _MANY:
        charge(len(string) >> 6)
    if string.isprintable() and "\\" not in string and '"' not in string:
        return f'"{string}"'
    if len(string) > _MANY:
        return _quoted_by_parts(string)
    out = ['"']
    for char in string:
        code = ord(char)
        if code in _ESCAPES:
            out.append(_ESCAPES[code])
        elif char.isprintable():
            out.append(char)
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x80:
            out.append(f"\\x{code:02x}")
        elif code < 0x10000:
            out.append(f"\\u{code:04x}")
        else:
            out.append(f"\\U{code:08x}")
    out.append('"')
    return "".join(out)


def _quoted_by_parts(string: str) -> str:
    """As `_quoted`, for a long string: its size is checked first, and it is quoted in parts to save memory."""
    charge(len(string))
    check_string(len(string))
    parts = [quote(string[start : start + _MANY])[1:-1] for start in range(0, len(string), _MANY)]
    return f'"{"".join(parts)}"'


def float_text(value: float) -> str:
    """The text of a float as `str` shows it: six significant digits."""
    return "%g" % value if value - value == 0 else not_finite(value)  # noqa: UP031


def not_finite(value: float) -> str:
    """The text of an infinity or NaN."""
    return "NaN" if value != value else "+Inf" if value > 0 else "-Inf"  # noqa: PLR0124


def int_text(value: int) -> str:
    """The decimal digits, of any number."""
    try:
        return str(value)
    except ValueError:
        return digits(value)


# ---- collections, functions and host values


def _write(value: object, out: list[str], path: set[int]) -> None:
    """Appends the text of a value. path: identities of the enclosing lists and dicts, which may contain themselves."""
    if len(out) > _MOST_PARTS:
        raise LimitError(f"the text of a value would have more than {_MOST_PARTS} parts", code="too-large")
    if type(value) in _SCALARS:
        out.append(_scalar_text(value))
    elif isinstance(value, tuple):
        out.append("(")
        _write_items(value, out, path)
        out.append(",)" if len(value) == 1 else ")")
    elif isinstance(value, list):
        out.append("[")
        if id(value) in path:
            out.append("...")
        else:
            path.add(id(value))
            _write_items(value, out, path)
            path.discard(id(value))
        out.append("]")
    elif isinstance(value, dict) and type_of(value) == "set":
        out.append("set([")
        _write_items(value, out, path)
        out.append("])")
    elif isinstance(value, dict):
        if id(value) in path:
            out.append("{...}")
            return
        path.add(id(value))
        separator = "{"
        for key, item in value.items():
            out.append(separator)
            _write(key, out, path)
            out.append(": ")
            _write(item, out, path)
            separator = ", "
        out.append("{}" if separator == "{" else "}")
        path.discard(id(value))
    else:
        out.append(_other_text(value))


def _write_items(items: Collection[object], out: list[str], path: set[int]) -> None:
    if _SCALARS.issuperset(map(type, items)):
        if len(items) > _FEW_PARTS:
            charge(len(items) * 6)
            check_headroom(len(items) * 64)
        out.append(", ".join(map(_scalar_text, items)))
        return
    charge(len(items) * 8)
    separator = ""
    for item in items:
        if separator:
            out.append(separator)
        _write(item, out, path)
        separator = ", "


def _other_text(value: object) -> str:
    if isinstance(value, Value):
        return value.text()
    if type(value) is range:
        start, stop, step = value.start, value.stop, value.step
        if step != 1:
            return f"range({start}, {stop}, {step})"
        return f"range({start}, {stop})" if start else f"range({stop})"
    if type(value) is Builtin and value.receiver is not None:
        return f"<built-in method {value.name} of {type_of(value.receiver)} value>"
    if type(value) is Builtin:
        return f"<built-in function {value.name}>"
    if type(value) is FUNCTION:
        name = "lambda" if value.__name__ == "<lambda>" else value.__name__
        return f"<function {name}>" if is_function(value) else f"<built-in function {name}>"
    return f"<{type(value).__name__}>"
