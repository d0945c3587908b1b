"""The universal functions (docs/reference/language.md).

They are plain Python functions, so that compiled code calls them at full speed. `table.universal` has the number of
arguments of each; they are never called with another number.
"""

from __future__ import annotations

from _operator import length_hint

from plait.base.errors import StarlarkError
from plait.ytt.starlark import numbers
from plait.ytt.starlark.arguments import int32, iterable, string, unpack
from plait.ytt.starlark.attributes import attribute, attribute_names, has_attribute, no_attribute
from plait.ytt.starlark.comparison import compare
from plait.ytt.starlark.containers import Dict, List, Set, insert, iterable_or_none, weigh
from plait.ytt.starlark.methods import fill
from plait.ytt.starlark.numbers import as_float, number_to_int
from plait.ytt.starlark.step_budget import SMALL, SOME, charge, charge_for, check_bits, check_string, foresee
from plait.ytt.starlark.value_text import repr_of, str_of
from plait.ytt.starlark.values import NoAttribute, Value, is_callable, to_bytes, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_len = len
_ABSENT = object()
_PLAIN_ORDER = (frozenset((str,)), frozenset((int,)), frozenset((int, float)), frozenset((float,)))


def any_(values: object, /) -> bool:
    return any(iterable(values, "any: for parameter 1"))


def all_(values: object, /) -> bool:
    return all(iterable(values, "all: for parameter 1"))


def bool_(x: object = False, /) -> bool:
    return bool(x)


def chr_(code: object, /) -> str:
    if type(code) is not int:
        raise StarlarkError(f"chr: got {type_of(code)}, want int", code="wrong-argument-type")
    if code < 0:
        raise StarlarkError(f"chr: Unicode code point {code} out of range (<0)", code="argument-range")
    if code > 0x10FFFF:
        raise StarlarkError(f"chr: Unicode code point U+{code:X} out of range (>0x10FFFF)", code="argument-range")
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


def dict_(*args: object, **kwargs: object) -> Dict:
    if len(args) > 1:
        raise StarlarkError(f"dict: got {len(args)} arguments, want at most 1", code="argument-count")
    result = Dict()
    fill(result, args, kwargs, "dict")
    return result


def dir_(x: object, /) -> List:
    names = attribute_names(x)
    if len(names) > SOME:
        charge(len(names))
    return List(names)


def enumerate_(values: object, start: object = 0, /) -> List:
    source = iterable(values, "enumerate: for parameter 1")
    foresee(source, 100)
    result = List(enumerate(source, int32(start, "enumerate: for parameter 2")))
    if len(result) > SOME:
        charge(len(result))
    return result


def fail_(*args: object, **kwargs: object) -> None:
    text = joined("fail", args, kwargs)
    error = StarlarkError(f"fail: {text}", code="fail-called")
    error.detail = text
    raise error


def joined(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    """The text that `print` and `fail` build from their arguments. name: the name of the function, for messages."""
    (separator,) = unpack(name, (), kwargs, ["sep:string"], [" "]) if kwargs else (" ",)
    texts = list(map(str_of, args))
    size = sum(map(_len, texts)) + _len(str_of(separator)) * _len(texts)
    if size > SMALL:
        check_string(size)
    return str_of(separator).join(texts)


def float_(x: object = 0.0, /) -> float:
    if type(x) is int:
        return as_float(x)
    if type(x) is float:
        return x
    if type(x) is bool:
        return 1.0 if x else 0.0
    if type(x) is str:
        if len(x) > SMALL:
            charge(len(x) >> 3)
        text = x.lower()
        try:
            if text.strip() != text or "_" in text or not text.isascii():
                raise ValueError
            value = float.fromhex(text) if "0x" in text and "p" in text else float(text)
        except ValueError:
            raise StarlarkError(
                f"float: strconv.ParseFloat: parsing {repr_of(x)}: invalid syntax", code="invalid-conversion"
            ) from None
        except OverflowError:
            value = float("inf")
        if value in (float("inf"), float("-inf")) and "inf" not in text:
            raise StarlarkError(
                f"float: strconv.ParseFloat: parsing {repr_of(x)}: value out of range", code="invalid-conversion"
            )
        return value
    raise StarlarkError(f"float got {type_of(x)}, want number or string", code="wrong-argument-type")


def getattr_(x: object, name: object, default: object = _ABSENT, /) -> object:
    name = string(name, "getattr: for parameter 2")
    weigh(name)
    if isinstance(x, Value):
        try:
            return x.attr(name)
        except NoAttribute as error:
            if default is _ABSENT and error.message is not None:
                raise StarlarkError(f"getattr: {error.message}", code="unknown-attribute") from None
        except StarlarkError as error:
            if default is _ABSENT:
                raise StarlarkError(f"getattr: {error}", code=error.code) from None
    elif has_attribute(x, name):
        return attribute(x, name)
    if default is not _ABSENT:
        return default
    raise no_attribute(x, name, f"getattr: {type_of(x)} has no .{name} field or method")


def hasattr_(x: object, name: object, /) -> bool:
    name = string(name, "hasattr: for parameter 2")
    weigh(name)
    return has_attribute(x, name)


def hash_(text: object, /) -> int:
    text = string(text, "hash: for parameter 1")
    if len(text) > SOME:
        charge(len(text))
    result = 0
    for char in text:
        # Java's string hash, computed from code points. A byte that is not UTF-8 counts as the replacement character.
        code = ord(char)
        result = (31 * result + (0xFFFD if 0xDC80 <= code <= 0xDCFF else code)) & 0xFFFFFFFF
    return result - (1 << 32) if result >= 1 << 31 else result


def int_(*args: object, **kwargs: object) -> int:
    if kwargs or not 1 <= len(args) <= 2:
        args = tuple(unpack("int", args, kwargs, ["x", "base"], [None]))
    x = args[0]
    base = args[1] if len(args) > 1 else None
    if type(x) is not str:
        if base is not None:
            raise StarlarkError("int: can't convert non-string with explicit base", code="wrong-argument-type")
        if type(x) is bool:
            return 1 if x else 0
        try:
            return number_to_int(x)
        except StarlarkError as error:
            raise StarlarkError(f"int: {error}", code=error.code) from None
    radix = 10
    if base is not None:
        if type(base) is not int or (base != 0 and not 2 <= base <= 36):
            raise StarlarkError("int: base must be an integer >= 2 && <= 36", code="argument-range")
        radix = base
    value = _digits(x, radix)
    if value is None:
        raise StarlarkError(f"int: invalid literal with base {radix}: {x}", code="invalid-conversion").about(
            "string", ")"
        )
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
    if len(body) > SMALL:
        charge_for(len(body))
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
    if type(x) is str:
        if x.isascii():
            return _len(x)
        if _len(x) > SMALL:
            charge_for(_len(x))
        return _len(to_bytes(x))
    if isinstance(x, (List, Dict, tuple, range)):
        return _len(x)
    if isinstance(x, Value):
        size = x.length()
        if size is not None:
            return size
    is_number = isinstance(x, (int, float)) and type(x) is not bool
    raise StarlarkError(
        f"len: value of type {type_of(x)} has no len",
        expected="a list, tuple, dict, set, range or string",
        hint="pass the value that has items; len(str(x)) is the number of digits of a number" if is_number else None,
        code="not-iterable",
    ).about(type_of(x))


def list_(values: object = (), /) -> List:
    return List(iterable(values, "list: for parameter 1"))


def _extreme(name: str, operator: str, own: Callable[..., object]) -> tuple[Callable[..., object], ...]:
    """`max` or `min`: the general function, and a variant for at least two values and no key, which compiled code
    calls.

    operator: compares two keys. own: Python's function for values of a plain type.
    """

    def of_all(*args: object, **kwargs: object) -> object:
        if not args:
            raise StarlarkError(f"{name} requires at least one positional argument", code="argument-count")
        (key,) = unpack(name, (), kwargs, ["key:callable"], [None]) if kwargs else (None,)
        source = iterable_or_none(args[0]) if len(args) == 1 else args
        if source is None:
            raise StarlarkError(f"{name}: {type_of(args[0])} value is not iterable", code="not-iterable")
        values = list(source)
        if not values:
            raise StarlarkError(f"{name}: argument is an empty sequence", code="empty-sequence")
        if len(values) > SOME:
            charge(len(values))
        if key is None and frozenset(map(type, values)) in _PLAIN_ORDER:
            if type(values[0]) is str:
                # Each value is compared with the best one so far.
                charge(sum(map(_len, values)) >> 10)  # type: ignore[arg-type]
            return own(values)
        if len(values) > SOME:
            charge(len(values) * 4)
        return _best(name, operator, values, key if is_callable(key) else _itself)

    def of_several(x: object, y: object, z: object = _ABSENT, /, *rest: object) -> object:
        if not rest and type(x) is type(y) is int:
            if z is _ABSENT:
                return own(x, y)
            if type(z) is int:
                return own(x, y, z)
        return of_all(x, y) if z is _ABSENT else of_all(x, y, z, *rest)

    return of_all, of_several


def _itself(value: object) -> object:
    return value


def _best(name: str, operator: str, values: list[object], measure: Callable[..., object]) -> object:
    best = values[0]
    best_key = measure(best)
    for value in values[1:]:
        key = measure(value)
        try:
            better = compare(operator, key, best_key)
        except StarlarkError as error:
            raise StarlarkError(f"{name}: {error}", code=error.code) from None
        if better:
            best, best_key = value, key
    return best


max_, max_of = _extreme("max", ">", max)
min_, min_of = _extreme("min", "<", min)


def ord_(text: object, /) -> int:
    if type(text) is not str:
        raise StarlarkError(f"ord: got {type_of(text)}, want string", code="wrong-argument-type")
    if len(text) != 1:
        raise StarlarkError(f"ord: string encodes {len(text)} Unicode code points, want 1", code="argument-range")
    code = ord(text)
    return 0xFFFD if 0xDC80 <= code <= 0xDCFF else code


def repr_(x: object, /) -> str:
    return repr_of(x)


def reversed_(values: object, /) -> List:
    result = List(iterable(values, "reversed: for parameter 1"))
    result.reverse()
    return result


def set_(values: object = (), /) -> Set:
    source = iterable(values, "set: for parameter 1")
    foresee(source, 64)
    result = Set()
    for value in source:
        try:
            insert(result, value, None)
        except StarlarkError as error:
            raise StarlarkError(f"set: {error}", code=error.code) from None
    if len(result) > SOME:
        charge(len(result) * 3)
    return result


def tuple_(values: object = (), /) -> tuple[object, ...]:
    return tuple(iterable(values, "tuple: for parameter 1"))


def type_(x: object, /) -> str:
    return type_of(x)


def zip_(*sequences: object, **named: object) -> List:
    if named:
        raise StarlarkError("zip does not accept keyword arguments", code="unexpected-keyword")
    sources = []
    for place, sequence in enumerate(sequences, 1):
        source = iterable_or_none(sequence)
        if source is None:
            raise StarlarkError(f"zip: argument #{place} is not iterable: {type_of(sequence)}", code="not-iterable")
        sources.append(source)
    if sources:
        foresee(min(sources, key=length_hint), 48 + 40 * len(sources))
    return List(zip(*sources, strict=False))


_A_LINE = 32  # steps


def paid_line(text: str) -> None:
    """Charges for a printed line."""
    charge(_A_LINE + (len(text) >> 2))


def printing(line: Callable[[str], None]) -> Callable[..., None]:
    """The `print` of one run. `line` receives the printed lines."""

    def print_(*args: object, **kwargs: object) -> None:
        text = joined("print", args, kwargs)
        paid_line(text)
        line(text)

    return print_


def _drop(_line: str) -> None:
    """Discards a printed line. Used if there is no listener."""


print_ = printing(_drop)
