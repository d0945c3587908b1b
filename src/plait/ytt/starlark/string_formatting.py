"""`template.format(...)` and `template % x` (docs/reference/language.md). Imported when a program uses either with a
template that is not a literal.

The user's format is never passed to Python's own `%` or `str.format`.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.similar_names import counted
from plait.base.source import public
from plait.ytt.starlark.containers import Dict, has, lookup
from plait.ytt.starlark.numbers import as_float, number_to_int
from plait.ytt.starlark.step_budget import FEW, SMALL, charge, check_headroom, check_string
from plait.ytt.starlark.value_text import int_text, not_finite, quote, repr_of, str_of
from plait.ytt.starlark.values import Value, joined, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS = 9  # of the number of an argument
# Maps a template to its parts: text, name of the following field, and "s" or "r" ("" if there is no field).
_TEMPLATES: dict[str, list[tuple[str, str, str]]] = {}
_MOST_TEMPLATES = 256


def formatted(template: str, args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    """`template.format(...)`. Supports only `{}`, `{0}`, `{name}`, `!s`, `!r` and `{{`."""
    parts = _TEMPLATES.get(template)
    if parts is None:
        parts = _parsed(template)
        if len(_TEMPLATES) < _MOST_TEMPLATES and len(template) < 1000:
            _TEMPLATES[template] = parts
    out: list[str] = []
    place = 0
    for text, name, conversion in parts:
        out.append(text)
        if conversion == "":
            continue
        if name == "":
            if place < 0:
                raise StarlarkError(
                    "format: cannot switch from manual field specification to automatic field numbering",
                    code="format-string",
                )
            if place >= len(args):
                raise _unfit("format: tuple index out of range", _needed(parts), args)
            value = args[place]
            place += 1
        elif name.isascii() and name.isdigit():
            if place > 0:
                raise StarlarkError(
                    "format: cannot switch from automatic field numbering to manual field specification",
                    code="format-string",
                )
            place = -1
            if len(name) > _DIGITS or int(name) >= len(args):
                raise _unfit("format: tuple index out of range", _needed(parts), args)
            value = args[int(name)]
        elif name in kwargs:
            value = kwargs[name]
        else:
            raise _no_field(name)
        if conversion == "s":
            out.append(str_of(value))
        elif conversion == "r":
            out.append(repr_of(value))
        else:
            raise StarlarkError(conversion, code="format-string")
    return _whole(out)


def _needed(parts: list[tuple[str, str, str]]) -> int:
    """The number of arguments that a template of `format` needs."""
    names = [name for _, name, conversion in parts if conversion]
    numbers = [int(name) + 1 for name in names if name.isascii() and name.isdigit() and len(name) <= _DIGITS]
    return max([names.count(""), *numbers])


def _verbs(template: str) -> int:
    """The number of arguments that a template of `%` needs."""
    return template.replace("%%", "").count("%")


def _unfit(message: str, needed: int, args: tuple[object, ...], hint: str | None = None) -> StarlarkError:
    """The error for a number of arguments that differs from that of the placeholders."""
    return StarlarkError(
        message,
        expected=public(counted(needed, "argument")),
        found=public(counted(len(args), "argument")),
        hint=hint,
        code="format-string",
    )


def _parsed(template: str) -> list[tuple[str, str, str]]:
    """The parts of a template. An unknown conversion becomes an error message, which is raised when the part is
    reached.
    """
    if len(template) > SMALL:
        charge(template.count("{") * 16 + template.count("}") * 4)
        check_headroom(template.count("{") * 256)
    parts: list[tuple[str, str, str]] = []
    start = 0
    while True:
        brace = template.find("{", start)
        literal = template[start:brace] if brace >= 0 else template[start:]
        if "}" in literal:
            literal = _closing_braces(literal)
        if brace < 0:
            parts.append((literal, "", ""))
            return parts
        if template[brace + 1 : brace + 2] == "{":
            parts.append((literal + "{", "", ""))
            start = brace + 2
            continue
        end = template.find("}", brace)
        if end < 0:
            raise StarlarkError("format: unmatched '{' in format", code="format-string")
        field, start = template[brace + 1 : end], end + 1
        name, bang, conversion = field.partition("!")
        name, _, spec = (name, "", "") if bang else field.partition(":")
        if bang:
            conversion, _, spec = conversion.partition(":")
        else:
            conversion = "s"
        if spec:
            conversion = f"format spec features not supported in replacement fields: {spec}"
        elif conversion not in {"s", "r"}:
            conversion = f"format: unknown conversion {quote(conversion)}"
        parts.append((literal, name, conversion))


def _closing_braces(literal: str) -> str:
    # Doubled braces are literal braces.
    if "}" in literal.replace("}}", ""):
        raise StarlarkError("format: single '}' in format", code="format-string")
    return literal.replace("}}", "}")


def _no_field(name: str) -> StarlarkError:
    if "." in name:
        return StarlarkError(
            f"format: attribute syntax x.y is not supported in replacement fields: {name}", code="format-string"
        )
    if "[" in name:
        return StarlarkError(
            f"format: element syntax a[i] is not supported in replacement fields: {name}", code="format-string"
        )
    if "{" in name:
        return StarlarkError("format: nested replacement fields not supported", code="format-string")
    hint = f"{{{name}}} is filled by an argument of this name, .format({name}=...), and {{}} by the next one without a name"
    return StarlarkError(f"format: keyword {name} not found", hint=hint, code="format-string")


def interpolate(template: str, x: object) -> str:
    """`template % x`."""
    if len(template) > SMALL:
        charge(template.count("%") * 8)
        check_headroom(template.count("%") * 64)
    out: list[str] = []
    args: tuple[object, ...] = x if type(x) is tuple else (x,)
    place = i = 0
    while True:
        j = template.find("%", i)
        if j < 0:
            out.append(template[i:])
            break
        out.append(template[i:j])
        j += 1
        verb = template[j : j + 1]
        if verb == "%":
            out.append("%")
            i = j + 1
            continue
        if verb == "(":
            end = template.find(")", j)
            if end < 0:
                raise StarlarkError("incomplete format key", code="format-string")
            value = _keyed(x, template[j + 1 : end])
            j = end + 1
            verb = template[j : j + 1]
        elif place >= len(args):
            hint = None if type(x) is tuple else "put several values in parentheses after the %: (a, b)"
            raise _unfit("not enough arguments for format string", _verbs(template), args, hint)
        else:
            value = args[place]
        if verb == "s" and type(value) is str:
            out.append(value)
        elif verb == "%":
            out.append("%")
        else:
            convert = _CONVERSIONS.get(verb)
            if convert is None:
                raise StarlarkError(
                    f"unknown conversion %{verb}" if verb else "incomplete format", code="format-string"
                )
            out.append(convert(value, verb))
        i = j + 1
        place += 1
    if place < len(args):
        raise _unfit("too many arguments for format string", _verbs(template), args)
    return _whole(out)


def _keyed(x: object, key: str) -> object:
    if type(x) is Dict:
        if has(x, key):
            return lookup(x, key)
    elif isinstance(x, Value) and x.mapping() is not None:
        if x.contains(key):
            return x.index(key)
    else:
        raise StarlarkError("format requires a mapping", code="format-string")
    raise StarlarkError(f"key not found: {key}", code="format-string")


def _as_text(value: object, _verb: str) -> str:
    return str_of(value)


def _as_repr(value: object, _verb: str) -> str:
    return repr_of(value)


def _as_int(value: object, verb: str) -> str:
    try:
        number = number_to_int(value)
    except StarlarkError as error:
        raise StarlarkError(
            f"%{verb} format requires integer: {error}",
            hint=f"%{verb} accepts a number: convert a string with int(...); %s accepts any value",
            code="format-string",
        ) from None
    if verb in {"x", "X", "o"}:
        return ("-" if number < 0 else "") + f"{abs(number):{verb}}"
    return int_text(number)


def as_decimal(value: object) -> str:
    """The text of `%d` for a value."""
    return _as_int(value, "d")


def _as_float(value: object, verb: str) -> str:
    if type(value) is not int and type(value) is not float:
        raise StarlarkError(f"%{verb} format requires float, not {type_of(value)}", code="format-string")
    number = as_float(value)
    if number - number != 0:
        return not_finite(number)
    if verb in "gG":
        return _shortest(number, verb)
    return f"{number:.6{verb}}"


def _shortest(number: float, verb: str) -> str:
    """The fewest digits that represent the float, with an exponent from a million on and below 0.0001."""
    digits, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    mantissa = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(mantissa)
    mantissa = mantissa.rstrip("0") or "0"
    sign = "-" if str(number)[0] == "-" else ""
    if number == 0:
        return f"{sign}0"
    if -4 <= point - 1 < 6:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{mantissa}"
        padded = mantissa.ljust(point, "0")
        return sign + padded[:point] + ("." + padded[point:] if len(padded) > point else "")
    text = mantissa[0] + ("." + mantissa[1:] if len(mantissa) > 1 else "")
    letter = "e" if verb == "g" else "E"
    return f"{sign}{text}{letter}{'-' if point < 1 else '+'}{abs(point - 1):02d}"


def _as_char(value: object, _verb: str) -> str:
    if type(value) is int:
        if not 0 <= value <= 0x10FFFF:
            raise StarlarkError(f"%c format requires a valid Unicode code point, got {value}", code="format-string")
        return "\ufffd" if 0xD800 <= value <= 0xDFFF else chr(value)
    if type(value) is str:
        if len(value) != 1:
            raise StarlarkError("%c format requires a single-character string", code="format-string")
        return value
    raise StarlarkError(
        f"%c format requires int or single-character string, not {type_of(value)}", code="format-string"
    )


_CONVERSIONS: dict[str, Callable[[object, str], str]] = {
    "s": _as_text,
    "r": _as_repr,
    "d": _as_int,
    "i": _as_int,
    "o": _as_int,
    "x": _as_int,
    "X": _as_int,
    "e": _as_float,
    "f": _as_float,
    "g": _as_float,
    "E": _as_float,
    "F": _as_float,
    "G": _as_float,
    "c": _as_char,
}


def _whole(parts: list[str]) -> str:
    """Joins the parts. Raises LimitError in advance if the text would be too long."""
    if len(parts) > 2 * FEW:
        check_string(sum(map(len, parts)))
    result = "".join(parts)
    if len(result) > SMALL:
        check_string(len(result))
    return result if result.isascii() else joined(result)
