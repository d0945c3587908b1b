"""The universal functions (spec ytt 5, builtins).

They are plain Python functions, so that compiled code calls them at full speed. `table.universal` says how many arguments
each takes; nothing calls one with another number.
"""

from __future__ import annotations

from plait.errors import StarlarkError
from plait.starlark import numbers
from plait.starlark.arguments import check_kind, unpack
from plait.starlark.attributes import attribute, attribute_names, has_attribute, missing
from plait.starlark.budget import SMALL, SOME, check_bits, pay, spend
from plait.starlark.methods import fill
from plait.starlark.operators import as_float, iterable_or_none, number_to_int
from plait.starlark.values import (
    Dict,
    List,
    NoAttribute,
    Set,
    Value,
    compare,
    insert,
    int_text,
    repr_of,
    str_of,
    to_bytes,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_len = len
_SMALLEST, _LARGEST = -(1 << 31), (1 << 31) - 1
_ABSENT = object()
_PLAIN_ORDER = (frozenset((str,)), frozenset((int,)), frozenset((int, float)), frozenset((float,)))


def _source(value: object, name: str) -> Iterable[object]:
    source = iterable_or_none(value)
    if source is None:
        raise StarlarkError(f"{name}: for parameter 1: got {type_of(value)}, want iterable")
    return source


def any_(values: object, /) -> bool:
    return any(_source(values, "any"))


def all_(values: object, /) -> bool:
    return all(_source(values, "all"))


def bool_(x: object = False, /) -> bool:
    return bool(x)


def chr_(code: object, /) -> str:
    if type(code) is not int:
        raise StarlarkError(f"chr: got {type_of(code)}, want int")
    if code < 0:
        raise StarlarkError(f"chr: Unicode code point {code} out of range (<0)")
    if code > 0x10FFFF:
        raise StarlarkError(f"chr: Unicode code point U+{code:X} out of range (>0x10FFFF)")
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


def dict_(*args: object, **kwargs: object) -> Dict:
    if len(args) > 1:
        raise StarlarkError(f"dict: got {len(args)} arguments, want at most 1")
    result = Dict()
    fill(result, args, kwargs, "dict")
    return result


def dir_(x: object, /) -> List:
    return List(attribute_names(x))


def enumerate_(values: object, start: object = 0, /) -> List:
    source = _source(values, "enumerate")
    if type(start) is not int or start > _LARGEST or start < _SMALLEST:
        check_kind(start, "int", "enumerate: for parameter 2")
    result = List(enumerate(source, start))  # type: ignore[arg-type]
    if len(result) > SOME:
        spend(len(result))
    return result


def fail_(*args: object, **kwargs: object) -> None:
    raise StarlarkError("fail: " + _joined("fail", args, kwargs))


def _joined(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    separator = " "
    if kwargs:
        (separator,) = unpack(name, (), kwargs, ["sep:string"], [" "])  # type: ignore[assignment]
    return separator.join(map(str_of, args))


def float_(x: object = 0.0, /) -> float:
    kind = type(x)
    if kind is int:
        return as_float(x)  # type: ignore[arg-type]
    if kind is float:
        return x  # type: ignore[return-value]
    if kind is bool:
        return 1.0 if x else 0.0
    if kind is str:
        text = x.lower()  # type: ignore[attr-defined]
        try:
            if text.strip() != text or "_" in text or not text.isascii():
                raise ValueError
            value = float.fromhex(text) if "0x" in text and "p" in text else float(text)
        except ValueError:
            raise StarlarkError(f"float: strconv.ParseFloat: parsing {repr_of(x)}: invalid syntax") from None
        except OverflowError:
            value = float("inf")
        if value in (float("inf"), float("-inf")) and "inf" not in text:
            raise StarlarkError(f"float: strconv.ParseFloat: parsing {repr_of(x)}: value out of range")
        return value
    raise StarlarkError(f"float got {type_of(x)}, want number or string")


def getattr_(x: object, name: object, default: object = _ABSENT, /) -> object:
    check_kind(name, "string", "getattr: for parameter 2")
    if isinstance(x, Value):
        try:
            return x.attr(name)  # type: ignore[arg-type]
        except NoAttribute as error:
            if default is _ABSENT and error.message is not None:
                raise StarlarkError(f"getattr: {error.message}") from None
        except StarlarkError as error:
            if default is _ABSENT:
                raise StarlarkError(f"getattr: {error}") from None
    elif has_attribute(x, name):  # type: ignore[arg-type]
        return attribute(x, name)  # type: ignore[arg-type]
    if default is not _ABSENT:
        return default
    raise missing(x, name, f"getattr: {type_of(x)} has no .{name} field or method")  # type: ignore[arg-type]


def hasattr_(x: object, name: object, /) -> bool:
    check_kind(name, "string", "hasattr: for parameter 2")
    return has_attribute(x, name)  # type: ignore[arg-type]


def hash_(text: object, /) -> int:
    check_kind(text, "string", "hash: for parameter 1")
    if len(text) > SOME:  # type: ignore[arg-type]
        spend(len(text))  # type: ignore[arg-type]
    result = 0
    for char in text:  # type: ignore[attr-defined]
        # Java's hash, but of code points; a byte that is no text counts as the replacement character.
        code = ord(char)
        result = (31 * result + (0xFFFD if 0xDC80 <= code <= 0xDCFF else code)) & 0xFFFFFFFF
    return result - (1 << 32) if result >= 1 << 31 else result


def int_(*args: object, **kwargs: object) -> int:
    if kwargs or not 1 <= len(args) <= 2:
        args = tuple(unpack("int", args, kwargs, ["x", "base"], [None]))
    x = args[0]
    base = args[1] if len(args) > 1 else None
    kind = type(x)
    if base is None:
        if kind is int:
            return x  # type: ignore[return-value]
        if kind is bool:
            return 1 if x else 0
        if kind is not str:
            try:
                return number_to_int(x)
            except StarlarkError as error:
                raise StarlarkError(f"int: {error}") from None
    elif kind is not str:
        raise StarlarkError("int: can't convert non-string with explicit base")
    radix = 10
    if base is not None:
        if type(base) is not int or (base != 0 and not 2 <= base <= 36):
            raise StarlarkError("int: base must be an integer >= 2 && <= 36")
        radix = base
    text: str = x  # type: ignore[assignment]
    value = _digits(text, radix)
    if value is None:
        raise StarlarkError(f"int: invalid literal with base {radix}: {text}")
    return value


def _digits(text: str, base: int) -> int | None:
    negative = text[:1] == "-"
    body = text[1:] if text[:1] in ("-", "+") else text
    prefix = {"0o": 8, "0x": 16, "0b": 2}.get(body[:2].lower(), 0) if len(body) > 2 else 0
    if prefix:
        body = body[2:]
    elif base == 0 and len(body) > 1 and body[0] == "0":
        return 0 if not body.strip("0") else None
    if prefix and base not in (0, prefix):
        return None
    base = base or prefix or 10
    if not body.isascii() or not body.isalnum():
        return None
    if len(body) > SOME:
        check_bits(len(body) * (base - 1).bit_length())
    try:
        value = numbers.parse(body, base)
    except ValueError:
        return None
    return -value if negative else value


def len_(x: object, /) -> int:
    kind = type(x)
    if kind is List or kind is Dict or kind is tuple or kind is Set:
        return _len(x)  # type: ignore[arg-type]
    if kind is str:
        if x.isascii():  # type: ignore[attr-defined]
            return _len(x)  # type: ignore[arg-type]
        if _len(x) > SMALL:  # type: ignore[arg-type]
            pay(_len(x))  # type: ignore[arg-type]
        return _len(to_bytes(x))  # type: ignore[arg-type]
    if kind is range:
        return _len(x)  # type: ignore[arg-type]
    if isinstance(x, Value):
        size = x.length()
        if size is not None:
            return size
    raise StarlarkError(f"len: value of type {type_of(x)} has no len")


def list_(values: object = (), /) -> List:
    return List(_source(values, "list"))


def max_(*args: object, **kwargs: object) -> object:
    return _extreme("max", ">", args, kwargs)


def min_(*args: object, **kwargs: object) -> object:
    return _extreme("min", "<", args, kwargs)


def max_of(x: object, y: object, z: object = _ABSENT, /, *rest: object) -> object:
    """`max` of at least two values and no key: what compiled code calls when it sees such a call."""
    if not rest and type(x) is type(y) is int:
        larger = max(x, y)
        if type(z) is int:
            return max(larger, z)
        if z is _ABSENT:
            return larger
    return _extreme("max", ">", (x, y) if z is _ABSENT else (x, y, z, *rest), {})


def min_of(x: object, y: object, z: object = _ABSENT, /, *rest: object) -> object:
    """`min` of at least two values and no key."""
    if not rest and type(x) is type(y) is int:
        smaller = min(x, y)
        if type(z) is int:
            return min(smaller, z)
        if z is _ABSENT:
            return smaller
    return _extreme("min", "<", (x, y) if z is _ABSENT else (x, y, z, *rest), {})


def _extreme(name: str, operator: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    if not args:
        raise StarlarkError(f"{name} requires at least one positional argument")
    key = None
    if kwargs:
        (key,) = unpack(name, (), kwargs, ["key:callable"], [None])
    source = iterable_or_none(args[0]) if len(args) == 1 else args
    if source is None:
        raise StarlarkError(f"{name}: {type_of(args[0])} value is not iterable")
    values = list(source)
    if not values:
        raise StarlarkError(f"{name}: argument is an empty sequence")
    if len(values) > SOME:
        spend(len(values))
    if key is None and frozenset(map(type, values)) in _PLAIN_ORDER:
        return min(values) if name == "min" else max(values)  # type: ignore[type-var]
    if len(values) > SOME:
        spend(len(values) * 4)
    best = values[0]
    best_key = best if key is None else key(best)  # type: ignore[operator]
    for value in values[1:]:
        value_key = value if key is None else key(value)  # type: ignore[operator]
        try:
            better = compare(operator, value_key, best_key)
        except StarlarkError as error:
            raise StarlarkError(f"{name}: {error}") from None
        if better:
            best, best_key = value, value_key
    return best


def ord_(text: object, /) -> int:
    if type(text) is not str:
        raise StarlarkError(f"ord: got {type_of(text)}, want string")
    if len(text) != 1:
        raise StarlarkError(f"ord: string encodes {len(text)} Unicode code points, want 1")
    code = ord(text)
    return 0xFFFD if 0xDC80 <= code <= 0xDCFF else code


def range_(start: object, stop: object = _ABSENT, step: object = 1, /) -> range:
    for place, value in enumerate((start, stop, step), 1):
        if type(value) is not int or not _SMALLEST <= value <= _LARGEST:
            if value is _ABSENT:
                continue
            check_kind(value, "int", f"range: for parameter {place}")
    if step == 0:
        raise StarlarkError("range: step argument must not be zero")
    if stop is _ABSENT:
        return range(start)  # type: ignore[call-overload, no-any-return]
    return range(start, stop, step)  # type: ignore[call-overload, no-any-return]


def range_to(stop: object, /) -> range:
    """`range` with one argument."""
    return range(stop) if type(stop) is int and _SMALLEST <= stop <= _LARGEST else range_(stop)


def range_from_to(start: object, stop: object, /) -> range:
    """`range` with two arguments."""
    if type(start) is int and type(stop) is int and _SMALLEST <= start <= _LARGEST and _SMALLEST <= stop <= _LARGEST:
        return range(start, stop)
    return range_(start, stop)


def repr_(x: object, /) -> str:
    return repr_of(x)


def reversed_(values: object, /) -> List:
    result = List(_source(values, "reversed"))
    result.reverse()
    return result


def set_(values: object = (), /) -> Set:
    source = _source(values, "set")
    result = Set()
    for value in source:
        try:
            insert(result, value, None)
        except StarlarkError as error:
            raise StarlarkError(f"set: {error}") from None
    if len(result) > SOME:
        spend(len(result) * 3)
    return result


def str_(x: object, /) -> str:
    if type(x) is int:
        return int_text(x)
    return x if type(x) is str else repr_of(x)


def tuple_(values: object = (), /) -> tuple[object, ...]:
    return tuple(_source(values, "tuple"))


def type_(x: object, /) -> str:
    return type_of(x)


def zip_(*sequences: object, **named: object) -> List:
    if named:
        raise StarlarkError("zip does not accept keyword arguments")
    sources = []
    for place, sequence in enumerate(sequences, 1):
        source = iterable_or_none(sequence)
        if source is None:
            raise StarlarkError(f"zip: argument #{place} is not iterable: {type_of(sequence)}")
        sources.append(source)
    return List(zip(*sources, strict=False))


_A_LINE = 32  # steps


def printing(line: Callable[[str], None]) -> Callable[..., None]:
    """The `print` of one run; `line` gets what is printed."""

    def print_(*args: object, **kwargs: object) -> None:
        text = _joined("print", args, kwargs)
        spend(_A_LINE + (len(text) >> 2))
        line(text)

    return print_


def _drop(_line: str) -> None:
    """Where `print` goes when nobody listens."""


print_ = printing(_drop)
