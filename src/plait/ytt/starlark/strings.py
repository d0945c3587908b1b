"""The string type: bytes in UTF-8, and its methods (docs/reference/language.md); `string_formatting` has `%` and
`format`.

Python's str contains code points; Starlark counts bytes. For ASCII both are equal, so every method handles ASCII
directly and uses bytes for the rest.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.arguments import check_kind, iterable, string, wrong_kind
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.step_budget import (
    FEW,
    LONG,
    SMALL,
    SOME,
    charge,
    charge_for,
    check_headroom,
    check_items,
    check_string,
    compared,
)
from plait.ytt.starlark.values import Value, from_bytes, is_int32, joined, to_bytes, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T", str, bytes)

_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_ABSENT = object()
# Python's own functions for parts that may not be strings; they raise TypeError for others.
_join: Callable[..., str] = str.join
_length: Callable[..., int] = str.__len__


def bounds(low: object, high: object, size: int, name: str) -> tuple[int, int]:
    """Start and end of a slice, clipped to 0..size. The start may be greater than the end."""
    return (
        0 if low is None else _bound(low, size, name, "start"),
        size if high is None else _bound(high, size, name, "end"),
    )


def _bound(value: object, size: int, name: str, which: str) -> int:
    if type(value) is not int:
        raise StarlarkError(f"{name}invalid {which} index: got {type_of(value)}, want int", code="wrong-argument-type")
    if value < 0:
        return max(value + size, 0)
    return min(value, size)


# ---- methods: (string, arguments...) -> value


def capitalize(self: str, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return self[:1].title() + self[1:].lower() if len(self[:1].title()) == 1 else self[:1] + self[1:].lower()


def _seen_in_parts(kind: str) -> Callable[[str], Value]:
    def parts(self: str, /) -> Value:
        from plait.ytt.starlark.string_views import Elements

        return Elements(self, kind)

    return parts


codepoint_ords = _seen_in_parts("codepoint_ords")
codepoints = _seen_in_parts("codepoints")
elem_ords = _seen_in_parts("elem_ords")
elems = _seen_in_parts("elems")


def format(self: str, /, *args: object, **kwargs: object) -> str:
    from plait.ytt.starlark.string_formatting import formatted

    return formatted(self, args, kwargs)


def count(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    sub = string(sub, "count: for parameter 1")
    if start is None and end is None:
        return self.count(sub) if self.isascii() or sub else len(self) + 1
    data = to_bytes(self)
    low, high = bounds(start, end, len(data), "count: ")
    part = from_bytes(data[low:high])
    return part.count(sub)


def _locate(self: str, sub: object, start: object, end: object, name: str, last: bool) -> int:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    if type(sub) is not str:
        raise wrong_kind(sub, "string", f"{name}: for parameter 1")
    if self.isascii():
        low, high = bounds(start, end, len(self), f"{name}: ")
        if low > high:
            return 0 + low if sub == "" else -1
        return _last(self, sub, low, high) if last else self.find(sub, low, high)
    data, wanted = to_bytes(self), to_bytes(sub)
    low, high = bounds(start, end, len(data), f"{name}: ")
    if low > high:
        return 0 + low if sub == "" else -1
    return _last(data, wanted, low, high) if last else data.find(wanted, low, high)


def _last(text: T, sub: T, low: int, high: int) -> int:
    """`text.rfind(sub, low, high)` in linear time. Python guarantees that only for `find`."""
    if len(sub) < 2 or high - low <= SMALL:
        return text.rfind(sub, low, high)
    place = text[low:high][::-1].find(sub[::-1])
    return -1 if place < 0 else high - place - len(sub)


def find(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    if len(self) > SMALL:
        charge_for(len(self))
    if start is None and end is None and type(sub) is str and self.isascii():
        return self.find(sub)
    return _locate(self, sub, start, end, "find", last=False)


def rfind(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    return _locate(self, sub, start, end, "rfind", last=True)


def index_of(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    found = _locate(self, sub, start, end, "index", last=False)
    if found < 0:
        raise StarlarkError("index: substring not found", code="value-not-found")
    return found


def rindex(self: str, sub: object, start: object = None, end: object = None, /) -> int:
    found = _locate(self, sub, start, end, "rindex", last=True)
    if found < 0:
        raise StarlarkError("rindex: substring not found", code="value-not-found")
    return found


def isalnum(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self) if self.isascii() else len(self) * 8)
    if self.isascii():
        return self.isalnum()
    return all(c.isalpha() or c.isdecimal() for c in self)


def isalpha(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return self.isalpha()


def isdigit(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return self.isdecimal()


def islower(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return _cased(self) and self == lower(self)


def isupper(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return _cased(self) and self == upper(self)


def _cased(string: str) -> bool:
    if string.isascii():
        return string.lower() != string or string.upper() != string
    for place, c in enumerate(string):
        if c.lower() != c or c.upper() != c:
            if place > SMALL:
                charge(place)
            return True
    charge(len(string) * 2)
    return False


def isspace(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self))
    return self != "" and not self.strip(_SPACES)


def istitle(self: str, /) -> bool:
    if len(self) > SMALL:
        charge_for(len(self))
    return self.istitle()


def join(self: str, items: object, /) -> str:
    if isinstance(items, (list, tuple)):
        parts: Sequence[object] = items
    else:
        parts = list(iterable(items, "join: for parameter 1"))
    try:
        if len(parts) > FEW or len(self) > SMALL:
            charge(len(parts))
            check_string(sum(map(_length, parts)) + len(self) * len(parts))
        result = _join(self, parts)
    except TypeError:
        wrong = next(part for part in parts if type(part) is not str)
        raise StarlarkError(f"join: in list, want string, got {type_of(wrong)}", code="wrong-argument-type") from None
    if len(result) > SMALL:
        check_string(len(result))
    return result if result.isascii() else joined(result)


def lower(self: str, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return _changed(self, str.lower) if not self.isascii() else self.lower()


def upper(self: str, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return _changed(self, str.upper) if not self.isascii() else self.upper()


def _changed(string: str, change: Callable[[str], str]) -> str:
    """Changes the case of each code point separately, as Go does; one whose counterpart has several code points stays."""
    check_headroom(len(string) * 12)
    whole = change(string)
    # No character became longer, and there is no sigma, which Python converts differently at the end of a word.
    if len(whole) == len(string) and "\u03a3" not in string:
        return whole
    if len(string) > SMALL:
        charge(len(string) * 3)
        check_headroom(len(string) * 64)
    return "".join([changed if len(changed := change(c)) == 1 else c for c in string])


def title(self: str, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self))
    if self.isascii():
        return self.title()
    if len(self) > SMALL:
        charge(len(self) * 4)
        check_headroom(len(self) * 64)
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
    wanted = string(chars, f"{name}: for parameter 1")
    if len(wanted) > SOME:
        # Python searches all of these for each character of the text.
        charge(len(wanted))
        return "".join(dict.fromkeys(wanted))
    return wanted


def strip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    if chars is _ABSENT and self.isascii():
        return self.strip(" \t\n\v\f\r")
    return self.strip(_stripping(chars, "strip"))


def lstrip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return self.lstrip(_stripping(chars, "lstrip"))


def rstrip(self: str, chars: object = _ABSENT, /) -> str:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    return self.rstrip(_stripping(chars, "rstrip"))


def partition(self: str, separator: object, /) -> tuple[object, ...]:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    separator = string(separator, "partition: for parameter 1")
    if separator == "":
        raise StarlarkError("partition: empty separator", code="argument-range")
    return self.partition(separator)


def rpartition(self: str, separator: object, /) -> tuple[object, ...]:
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    separator = string(separator, "rpartition: for parameter 1")
    if separator == "":
        raise StarlarkError("rpartition: empty separator", code="argument-range")
    place = _last(self, separator, 0, len(self))
    if place < 0:
        return "", "", self
    return self[:place], separator, self[place + len(separator) :]


def replace(self: str, old: object, new: object, most: object = -1, /) -> str:
    if type(old) is not str or type(new) is not str:
        old, new = string(old, "replace: for parameter 1"), string(new, "replace: for parameter 2")
    if not is_int32(most):
        raise wrong_kind(most, "int", "replace: for parameter 3")
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    if len(self) * len(new) > SMALL:
        size = len(self) + self.count(old) * len(new)
        if size > SMALL:
            check_string(size)
    result = self.replace(old, new, most)
    return result if result.isascii() else joined(result)


def _split_arguments(name: str, text: str, separator: object, most: object) -> tuple[str | None, int]:
    """Charges for `split` or `rsplit`, and checks their arguments. As in ytt, errors about the separator always name
    `split`.
    """
    if len(text) > SMALL:
        charge_for(len(text) // 8)
    if not is_int32(most):
        raise wrong_kind(most, "int", f"{name}: for parameter 2")
    if separator is None or (type(separator) is str and separator):
        if len(text) > _LONG:
            _foresee(text.count(separator) if separator else sum(map(text.count, _SPACES)), most)
        return separator, most
    if separator == "":
        raise StarlarkError("split: empty separator", code="argument-range")
    raise StarlarkError(f"split: got {type_of(separator)} for separator, want string", code="wrong-argument-type")


# A shorter string cannot create a list that must be checked in advance.
_LONG = 1 << 20


def _foresee(cuts: int, maximum: int) -> None:
    """Rejects in advance a list with more items than allowed."""
    cuts = min(cuts, maximum) if maximum >= 0 else cuts
    check_items(cuts + 1, made=0)
    check_headroom(cuts * 64)


def split(self: str, separator: object = None, most: object = -1, /) -> List:
    by, cuts = _split_arguments("split", self, separator, most)
    return _split_spaces(self, cuts, right=False) if by is None else _checked(List(self.split(by, cuts)))


def rsplit(self: str, separator: object = None, most: object = -1, /) -> List:
    by, cuts = _split_arguments("rsplit", self, separator, most)
    if by is None:
        return _split_spaces(self, cuts, right=True)
    if len(by) < 2 or len(self) <= SMALL:
        return _checked(List(self.rsplit(by, cuts)))
    # See `_last`.
    return _checked(List([part[::-1] for part in reversed(self[::-1].split(by[::-1], cuts))]))


def _checked(parts: List) -> List:
    if len(parts) > SMALL:
        charge(len(parts) * 6)
        check_items(len(parts))
    return parts


def _split_spaces(string: str, maximum: int, right: bool) -> List:
    if maximum < 0 and not any(odd in string for odd in "\x1c\x1d\x1e\x1f"):
        # Python's white space is Go's plus these four characters.
        return _checked(List(string.split()))
    return _checked(List(_fields(string, maximum, right)))


def _fields(string: str, maximum: int, right: bool) -> list[str]:
    """The fields between white space, with at most `maximum` cuts. The last field contains the rest."""
    text = string[::-1] if right else string
    out: list[str] = []
    i, size = 0, len(text)
    while True:
        while i < size and text[i] in _SPACES:
            i += 1
        if i == size:
            break
        if len(out) == maximum:
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
        charge_for(len(self) // 8)
        check_items(self.count("\n") + 1)
        check_headroom(self.count("\n") * (128 if keepends else 64))
    parts = self.split("\n")
    if parts[-1] == "":
        parts.pop()
        last = True
    else:
        last = False
    if keepends:
        parts = [part + "\n" for part in parts[:-1]] + [parts[-1] + ("\n" if last else "")]
    return List(parts)


def _affix(self: str, expected: object, start: object, end: object, name: str) -> bool:
    part = self
    if len(self) > SMALL:
        charge_for(len(self) // 8)
    if start is not None or end is not None:
        data = to_bytes(self)
        low, high = bounds(start, end, len(data), f"{name}: ")
        part = from_bytes(data[low : max(low, high)])
    test = part.endswith if name == "endswith" else part.startswith
    if type(expected) is str:
        return test(expected)
    if type(expected) is tuple:
        if len(expected) > SOME:
            charge(len(expected))
        for place, item in enumerate(expected):
            if type(item) is not str:
                raise StarlarkError(
                    f"{name}: want string, got {type_of(item)}, for element {place}", code="wrong-argument-type"
                )
            if len(item) > LONG:
                compared(item)
            if test(item):
                return True
        return False
    raise StarlarkError(f"{name}: got {type_of(expected)}, want string or tuple of string", code="wrong-argument-type")


def startswith(self: str, prefix: object, start: object = None, end: object = None, /) -> bool:
    if type(prefix) is str and start is None and end is None and len(prefix) <= LONG:
        return self.startswith(prefix)
    return _affix(self, prefix, start, end, "startswith")


def endswith(self: str, suffix: object, start: object = None, end: object = None, /) -> bool:
    if type(suffix) is str and start is None and end is None and len(suffix) <= LONG:
        return self.endswith(suffix)
    return _affix(self, suffix, start, end, "endswith")
