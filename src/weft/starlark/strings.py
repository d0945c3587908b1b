"""The string type: bytes in UTF-8, its methods, `%` and `format` (spec ytt 5, string methods).

A str of Python holds text, the language counts bytes. ASCII is both, so every method does ASCII at once and goes
through bytes for the rest. Nothing here reaches Python's own `%` or `str.format` with a user's format.
"""

from __future__ import annotations

from weft.errors import StarlarkError
from weft.starlark.arguments import check_kind
from weft.starlark.budget import FEW, SMALL, check_items, check_string, pay
from weft.starlark.operators import as_float, iterable_or_none, joined
from weft.starlark.values import (
    Dict,
    Elements,
    List,
    Struct,
    Value,
    from_bytes,
    has,
    int_text,
    lookup,
    quote,
    repr_of,
    to_bytes,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_ABSENT = object()


def length(string: str) -> int:
    """Length in bytes."""
    return len(string) if string.isascii() else len(to_bytes(string))


def index(string: str, place: int) -> str:
    """The byte at a place; raises IndexError."""
    return string[place] if string.isascii() else from_bytes(to_bytes(string)[place : place + 1 or None])


def bounds(low: object, high: object, size: int, name: str) -> tuple[int, int]:
    """Start and end as slices understand them, within 0 to size; start may be beyond end."""
    return (
        0 if low is None else _bound(low, size, name, "start"),
        size if high is None else _bound(high, size, name, "end"),
    )


def _bound(value: object, size: int, name: str, which: str) -> int:
    if type(value) is not int:
        raise StarlarkError(f"{name}invalid {which} index: got {type_of(value)}, want int")
    if value < 0:
        return max(value + size, 0)
    return min(value, size)


# ---- methods: (string, arguments...) -> value


def capitalize(self: str, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return self[:1].title() + self[1:].lower() if len(self[:1].title()) == 1 else self[:1] + self[1:].lower()


def codepoint_ords(self: str, /) -> Elements:
    return Elements(self, "codepoint_ords")


def codepoints(self: str, /) -> Elements:
    return Elements(self, "codepoints")


def elem_ords(self: str, /) -> Elements:
    return Elements(self, "elem_ords")


def elems(self: str, /) -> Elements:
    return Elements(self, "elems")


def count(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    if len(self) > SMALL:
        pay(len(self) // 8)
    check_kind(sub, "string", "count: for parameter 1")
    if start is None and end is None:
        return self.count(sub) if self.isascii() or sub else len(self) + 1  # type: ignore[arg-type]
    data = to_bytes(self)
    low, high = bounds(start, end, len(data), "count: ")
    part = from_bytes(data[low:high])
    return part.count(sub)  # type: ignore[arg-type]


def _locate(self: str, sub: object, start: object, end: object, name: str, last: bool) -> int:
    if len(self) > SMALL:
        pay(len(self) // 8)
    check_kind(sub, "string", f"{name}: for parameter 1")
    if self.isascii():
        low, high = bounds(start, end, len(self), f"{name}: ")
        if low > high:
            return 0 + low if sub == "" else -1
        return self.rfind(sub, low, high) if last else self.find(sub, low, high)  # type: ignore[arg-type]
    data, wanted = to_bytes(self), to_bytes(sub)  # type: ignore[arg-type]
    low, high = bounds(start, end, len(data), f"{name}: ")
    if low > high:
        return 0 + low if sub == "" else -1
    return data.rfind(wanted, low, high) if last else data.find(wanted, low, high)


def find(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    if len(self) > SMALL:
        pay(len(self) // 8)
    if start is None and end is None and type(sub) is str and self.isascii():
        return self.find(sub)
    return _locate(self, sub, start, end, "find", last=False)


def rfind(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    return _locate(self, sub, start, end, "rfind", last=True)


def index_of(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    found = _locate(self, sub, start, end, "index", last=False)
    if found < 0:
        raise StarlarkError("index: substring not found")
    return found


def rindex(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    found = _locate(self, sub, start, end, "rindex", last=True)
    if found < 0:
        raise StarlarkError("rindex: substring not found")
    return found


def isalnum(self: str, /) -> bool:
    if self.isascii():
        return self.isalnum()
    return all(c.isalpha() or c.isdecimal() for c in self)


def isalpha(self: str, /) -> bool:
    return self.isalpha()


def isdigit(self: str, /) -> bool:
    return self.isdecimal()


def islower(self: str, /) -> bool:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return _cased(self) and self == lower(self)


def isupper(self: str, /) -> bool:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return _cased(self) and self == upper(self)


def _cased(string: str) -> bool:
    return any(c.lower() != c or c.upper() != c for c in string)


def isspace(self: str, /) -> bool:
    return self != "" and not self.strip(_SPACES)


def istitle(self: str, /) -> bool:
    return self.istitle()


def join(self: str, items: object, /) -> str:
    if type(items) is List or type(items) is tuple:
        parts = items
    else:
        source = iterable_or_none(items)
        if source is None:
            raise StarlarkError(f"join: for parameter 1: got {type_of(items)}, want iterable")
        parts = list(source)  # type: ignore[assignment]
    try:
        if len(parts) > FEW or len(self) > SMALL:
            check_string(sum(map(len, parts)) + len(self) * len(parts))
        result = self.join(parts)  # type: ignore[arg-type]
    except TypeError:
        wrong = next(part for part in parts if type(part) is not str)
        raise StarlarkError(f"join: in list, want string, got {type_of(wrong)}") from None
    if len(result) > SMALL:
        check_string(len(result))
    return result if result.isascii() else joined(result)


def lower(self: str, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return self.lower() if self.isascii() else "".join([c.lower() if len(c.lower()) == 1 else c for c in self])


def upper(self: str, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return self.upper() if self.isascii() else "".join([c.upper() if len(c.upper()) == 1 else c for c in self])


def title(self: str, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    if self.isascii():
        return self.title()
    out: list[str] = []
    cased = False
    for c in self:
        changed = c.lower() if cased else c.title()
        out.append(changed if len(changed) == 1 else c)
        cased = c.lower() != c or c.upper() != c
    return "".join(out)


def _stripping(chars: object, name: str) -> str:
    if chars is _ABSENT or chars == "":
        return _SPACES
    check_kind(chars, "string", f"{name}: for parameter 1")
    return chars  # type: ignore[return-value]


def strip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    if chars is _ABSENT and self.isascii():
        return self.strip(" \t\n\v\f\r")
    return self.strip(_stripping(chars, "strip"))


def lstrip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return self.lstrip(_stripping(chars, "lstrip"))


def rstrip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        pay(len(self) // 8)
    return self.rstrip(_stripping(chars, "rstrip"))


def partition(self: str, separator: object, /) -> tuple[object, ...]:
    if len(self) > SMALL:
        pay(len(self) // 8)
    check_kind(separator, "string", "partition: for parameter 1")
    if separator == "":
        raise StarlarkError("partition: empty separator")
    return self.partition(separator)  # type: ignore[arg-type]


def rpartition(self: str, separator: object, /) -> tuple[object, ...]:
    if len(self) > SMALL:
        pay(len(self) // 8)
    check_kind(separator, "string", "rpartition: for parameter 1")
    if separator == "":
        raise StarlarkError("rpartition: empty separator")
    return self.rpartition(separator)  # type: ignore[arg-type]


def replace(self: str, old: object, new: object, most: object = -1, /) -> str:
    if type(old) is not str or type(new) is not str:
        check_kind(old, "string", "replace: for parameter 1")
        check_kind(new, "string", "replace: for parameter 2")
    if type(most) is not int:
        check_kind(most, "int", "replace: for parameter 3")
    if len(self) * len(new) > SMALL:  # type: ignore[arg-type]
        size = len(self) + self.count(old) * len(new)  # type: ignore[arg-type]
        if size > SMALL:
            check_string(size)
    result = self.replace(old, new, most)  # type: ignore[arg-type]
    return result if result.isascii() else joined(result)


def _check_split(name: str, text: str, separator: object, most: object) -> None:
    """Pay for `split` or `rsplit`, and check its arguments; both call a wrong separator `split`'s, as the reference does."""
    if len(text) > SMALL:
        pay(len(text) // 8)
    if type(most) is not int:
        check_kind(most, "int", f"{name}: for parameter 2")
    if separator is None:
        return
    if type(separator) is not str:
        raise StarlarkError(f"split: got {type_of(separator)} for separator, want string")
    if separator == "":
        raise StarlarkError("split: empty separator")


def split(self: str, separator: object = None, most: object = -1, /) -> List:
    _check_split("split", self, separator, most)
    if separator is None:
        return _split_spaces(self, most, False)  # type: ignore[arg-type]
    return _checked(List(self.split(separator, most)))  # type: ignore[arg-type]


def rsplit(self: str, separator: object = None, most: object = -1, /) -> List:
    _check_split("rsplit", self, separator, most)
    if separator is None:
        return _split_spaces(self, most, True)  # type: ignore[arg-type]
    return _checked(List(self.rsplit(separator, most)))  # type: ignore[arg-type]


def _checked(parts: List) -> List:
    if len(parts) > SMALL:
        check_items(len(parts))
    return parts


def _split_spaces(string: str, most: int, right: bool) -> List:
    if most < 0 and not any(odd in string for odd in "\x1c\x1d\x1e\x1f"):
        # Python's white space is that of the reference and these four.
        return _checked(List(string.split()))
    return _checked(List(_fields(string, most, right)))


def _fields(string: str, most: int, right: bool) -> list[str]:
    """Fields between white space, at most `most` cuts; the last field keeps what follows it."""
    text = string[::-1] if right else string
    out: list[str] = []
    i, size = 0, len(text)
    while True:
        while i < size and text[i] in _SPACES:
            i += 1
        if i == size:
            break
        if len(out) == most:
            out.append(text[i:])
            break
        j = i
        while j < size and text[j] not in _SPACES:
            j += 1
        out.append(text[i:j])
        i = j
    return [part[::-1] for part in reversed(out)] if right else out


def splitlines(self: str, keepends: object = False, /) -> List:
    check_kind(keepends, "bool", "splitlines: for parameter 1")
    if not self:
        return List()
    if len(self) > SMALL:
        check_items(self.count("\n") + 1)
    parts = self.split("\n")
    if parts[-1] == "":
        parts.pop()
        last = True
    else:
        last = False
    if keepends:
        parts = [part + "\n" for part in parts[:-1]] + [parts[-1] + ("\n" if last else "")]
    return List(parts)


def _affix(self: str, wanted: object, start: object, end: object, name: str) -> bool:
    part = self
    if start is not None or end is not None:
        data = to_bytes(self)
        low, high = bounds(start, end, len(data), f"{name}: ")
        part = from_bytes(data[low : max(low, high)])
    test = part.endswith if name == "endswith" else part.startswith
    if type(wanted) is str:
        return test(wanted)
    if type(wanted) is tuple:
        for place, item in enumerate(wanted):
            if type(item) is not str:
                raise StarlarkError(f"{name}: want string, got {type_of(item)}, for element {place}")
            if test(item):
                return True
        return False
    raise StarlarkError(f"{name}: got {type_of(wanted)}, want string or tuple of string")


def startswith(self: str, prefix: object, start: object = None, end: object = None, /) -> bool:
    if type(prefix) is str and start is None and end is None:
        return self.startswith(prefix)
    return _affix(self, prefix, start, end, "startswith")


def endswith(self: str, suffix: object, start: object = None, end: object = None, /) -> bool:
    if type(suffix) is str and start is None and end is None:
        return self.endswith(suffix)
    return _affix(self, suffix, start, end, "endswith")


# ---- format


# Template -> its parts: text, name of the field after it, "s" or "r" ("" where there is no field).
_TEMPLATES: dict[str, list[tuple[str, str, str]]] = {}
_MOST_TEMPLATES = 256


def format(self: str, /, *args: object, **kwargs: object) -> str:
    """`format`: `{}`, `{0}`, `{name}`, `!s`, `!r`, `{{`; nothing else."""
    parts = _TEMPLATES.get(self)
    if parts is None:
        parts = _parsed(self)
        if len(_TEMPLATES) < _MOST_TEMPLATES and len(self) < 1000:
            _TEMPLATES[self] = parts
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
                )
            if place >= len(args):
                raise StarlarkError("format: tuple index out of range")
            value = args[place]
            place += 1
        elif name.isascii() and name.isdigit():
            if place > 0:
                raise StarlarkError(
                    "format: cannot switch from automatic field numbering to manual field specification",
                )
            place = -1
            if len(name) > 9 or int(name) >= len(args):
                raise StarlarkError("format: tuple index out of range")
            value = args[int(name)]
        elif name in kwargs:
            value = kwargs[name]
        else:
            raise _no_field(name)
        if conversion == "s":
            out.append(value if type(value) is str else repr_of(value))
        elif conversion == "r":
            out.append(repr_of(value))
        else:
            raise StarlarkError(conversion)
    if len(out) > 2 * FEW:
        check_string(sum(map(len, out)))
    result = "".join(out)
    if len(result) > SMALL:
        check_string(len(result))
    return result if result.isascii() else joined(result)


def _parsed(template: str) -> list[tuple[str, str, str]]:
    """The parts of a template; an unknown conversion stands as the message to raise when its turn comes."""
    parts: list[tuple[str, str, str]] = []
    rest = template
    while True:
        literal, brace, after = rest.partition("{")
        if "}" in literal:
            literal = _closing_braces(literal)
        if not brace:
            parts.append((literal, "", ""))
            return parts
        if after[:1] == "{":
            parts.append((literal + "{", "", ""))
            rest = after[1:]
            continue
        field, closed, rest = after.partition("}")
        if not closed:
            raise StarlarkError("format: unmatched '{' in format")
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
    out: list[str] = []
    while True:
        before, brace, after = literal.partition("}")
        out.append(before)
        if not brace:
            return "".join(out)
        if after[:1] != "}":
            raise StarlarkError("format: single '}' in format")
        out.append("}")
        literal = after[1:]


def _no_field(name: str) -> StarlarkError:
    if "." in name:
        return StarlarkError(f"format: attribute syntax x.y is not supported in replacement fields: {name}")
    if "[" in name:
        return StarlarkError(f"format: element syntax a[i] is not supported in replacement fields: {name}")
    if "{" in name:
        return StarlarkError("format: nested replacement fields not supported")
    return StarlarkError(f"format: keyword {name} not found")


# ---- %


def interpolate(template: str, x: object) -> str:
    """`template % x`."""
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
                raise StarlarkError("incomplete format key")
            value = _keyed(x, template[j + 1 : end])
            j = end + 1
            verb = template[j : j + 1]
        elif place >= len(args):
            raise StarlarkError("not enough arguments for format string")
        else:
            value = args[place]
        if verb == "s" and type(value) is str:
            out.append(value)
        elif verb == "%":
            out.append("%")
        else:
            convert = _CONVERSIONS.get(verb)
            if convert is None:
                raise StarlarkError(f"unknown conversion %{verb}" if verb else "incomplete format")
            out.append(convert(value, verb))
        i = j + 1
        place += 1
    if place < len(args):
        raise StarlarkError("too many arguments for format string")
    if len(out) > 2 * FEW:
        check_string(sum(map(len, out)))
    result = "".join(out)
    if len(result) > SMALL:
        check_string(len(result))
    return result if result.isascii() else joined(result)


def _keyed(x: object, key: str) -> object:
    if type(x) is Dict:
        if has(x, key):
            return lookup(x, key)
    elif isinstance(x, Struct):
        if key in x.members:
            return x.members[key]
    elif isinstance(x, Value) and x.mapping() is not None:
        if x.contains(key):
            return x.index(key)
    else:
        raise StarlarkError("format requires a mapping")
    raise StarlarkError(f"key not found: {key}")


def _as_text(value: object, _verb: str) -> str:
    return value if type(value) is str else repr_of(value)


def _as_repr(value: object, _verb: str) -> str:
    return repr_of(value)


def number_to_int(value: object) -> int:
    """An int, or a float cut towards zero; raises StarlarkError."""
    if type(value) is int:
        return value
    if type(value) is float:
        if value != value:  # noqa: PLR0124
            raise StarlarkError("cannot convert float NaN to integer")
        if value in (float("inf"), float("-inf")):
            raise StarlarkError("cannot convert float infinity to integer")
        return int(value)
    raise StarlarkError(f"cannot convert {type_of(value)} to int")


def _as_int(value: object, verb: str) -> str:
    try:
        number = number_to_int(value)
    except StarlarkError as error:
        raise StarlarkError(f"%{verb} format requires integer: {error}") from None
    if verb in {"x", "X", "o"}:
        return ("-" if number < 0 else "") + f"{abs(number):{verb}}"
    return int_text(number)


def as_decimal(value: object) -> str:
    """What `%d` makes of a value."""
    return _as_int(value, "d")


def _as_float(value: object, verb: str) -> str:
    if type(value) is not int and type(value) is not float:
        raise StarlarkError(f"%{verb} format requires float, not {type_of(value)}")
    number = as_float(value)
    if number - number != 0:
        return "NaN" if number != number else "+Inf" if number > 0 else "-Inf"  # noqa: PLR0124
    if verb in "gG":
        return _shortest(number, verb)
    return f"{number:.6{verb}}"


def _shortest(number: float, verb: str) -> str:
    """The fewest digits that mean this float; with an exponent from a million on and below 0.0001."""
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
            raise StarlarkError(f"%c format requires a valid Unicode code point, got {value}")
        return "\ufffd" if 0xD800 <= value <= 0xDFFF else chr(value)
    if type(value) is str:
        if len(value) != 1:
            raise StarlarkError("%c format requires a single-character string")
        return value
    raise StarlarkError(f"%c format requires int or single-character string, not {type_of(value)}")


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

# name -> (function, fewest arguments, most arguments); `format` takes any.
METHODS: dict[str, tuple[Callable[..., object], int, int]] = {
    "capitalize": (capitalize, 0, 0),
    "codepoint_ords": (codepoint_ords, 0, 0),
    "codepoints": (codepoints, 0, 0),
    "count": (count, 1, 3),
    "elem_ords": (elem_ords, 0, 0),
    "elems": (elems, 0, 0),
    "endswith": (endswith, 1, 3),
    "find": (find, 1, 3),
    "format": (format, 0, -1),
    "index": (index_of, 1, 3),
    "isalnum": (isalnum, 0, 0),
    "isalpha": (isalpha, 0, 0),
    "isdigit": (isdigit, 0, 0),
    "islower": (islower, 0, 0),
    "isspace": (isspace, 0, 0),
    "istitle": (istitle, 0, 0),
    "isupper": (isupper, 0, 0),
    "join": (join, 1, 1),
    "lower": (lower, 0, 0),
    "lstrip": (lstrip, 0, 1),
    "partition": (partition, 1, 1),
    "replace": (replace, 2, 3),
    "rfind": (rfind, 1, 3),
    "rindex": (rindex, 1, 3),
    "rpartition": (rpartition, 1, 1),
    "rsplit": (rsplit, 0, 2),
    "rstrip": (rstrip, 0, 1),
    "split": (split, 0, 2),
    "splitlines": (splitlines, 0, 1),
    "startswith": (startswith, 1, 3),
    "strip": (strip, 0, 1),
    "title": (title, 0, 0),
    "upper": (upper, 0, 0),
}
