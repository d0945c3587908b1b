"""Values of the language: their Python types, and the protocol for values of the host. See docs/reference/language.md.

None, bool, int, float, str, tuple and range are Python's own. A str holds text; Starlark sees its UTF-8 bytes, and
bytes that are not UTF-8 are lone surrogates in it ("surrogateescape"). Lists, dicts and sets are Python's types with a
lock (see `containers`). Functions are Python functions, compiled or built in. Everything else is a `Value`, such as the
structs of `structs`. `value_text` converts values to text, `comparison` compares them.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.source import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FunctionType
    from typing import TypeGuard

    from typing_extensions import TypeIs


class NoAttribute(Exception):
    """Raised by `Value.attr` for an unknown attribute. message: replaces the usual message if it is not None."""

    def __init__(self, name: str = "", message: str | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.message = message


class Value:
    """The base class of host values. A subclass overrides the operations that its values support.

    type_name: the result of `type(x)`. is_changeable: a program can change the value, even if it is frozen.
    """

    __slots__ = ()
    type_name: str = "value"
    is_changeable = False

    def attr(self, name: str) -> object:
        """The attribute. Raises NoAttribute; the runtime then creates the message and searches for a similar name."""
        raise NoAttribute(name)

    def attr_names(self) -> list[str]:
        """The names for `dir(x)` and for suggestions."""
        return []

    def index(self, key: object) -> object:
        """The value of `x[key]`; raises StarlarkError."""
        message = f"unhandled index operation {self.type_name}[{type_of(key)}]"
        raise StarlarkError(message, code="unknown-operation").about(self.type_name, "[")

    def length(self) -> int | None:
        """The result of `len(x)`, or None if it has no length."""
        return None

    def iterate(self) -> Iterator[object] | None:
        """An iterator over the elements, or None if the value is not iterable."""
        return None

    def contains(self, key: object) -> bool:
        """The result of `key in x`. Raises StarlarkError."""
        raise StarlarkError(f"unknown binary op: {type_of(key)} in {self.type_name}", code="unknown-operation")

    def truth(self) -> bool:
        return True

    def same(self, other: object) -> bool:
        """The result of `x == other`. Called only if both have the same type."""
        return self is other

    def text(self) -> str:
        """The result of `str(x)`."""
        return f"<{self.type_name}>"

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        """Keys and values for `**x`, `dict(x)` and `d.update(x)`; None if the value is not a mapping."""
        return None

    def freeze(self) -> None:
        """Makes the value and its contents immutable."""

    def held(self) -> Iterable[object]:
        """Values of programs that the value refers to and may call or change."""
        return ()

    def __bool__(self) -> bool:
        return self.truth()


class Builtin:
    """A function of the host. It is called with positional and keyword arguments, all values of the language.

    name: in messages. receiver: the value of a bound method, or None. holds: values of programs that it may call or
    change.
    """

    __slots__ = ("function", "holds", "name", "receiver")
    type_name = "builtin_function_or_method"

    def __init__(
        self, name: str, function: Callable[..., object], receiver: object = None, holds: tuple[object, ...] = ()
    ) -> None:
        self.name = name
        self.function = function
        self.receiver = receiver
        self.holds = holds

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Builtin({self.name!r})"


def _sample() -> None: ...


FUNCTION: type[FunctionType] = type(_sample)  # type: ignore[assignment] # what `types` has, without importing that

SMALLEST, LARGEST = -(1 << 31), (1 << 31) - 1
# Python's own types; all others have a `type_name`.
_TYPE_NAMES: dict[type, str] = {
    type(None): "NoneType",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    tuple: "tuple",
    range: "range",
    list: "list",  # only in compiled code (see `optimize.escape_analysis`)
}


def is_function(value: object) -> TypeGuard[FunctionType]:
    """True if the value was defined by `def` or `lambda` in Starlark."""
    return type(value) is FUNCTION and "$source" in value.__globals__


def definition_of(value: object) -> Position | None:
    """The position of a function that `is_function` accepts, or that wraps one for a recorded run; else None."""
    value = getattr(value, "function", value)
    return Position(value.__globals__["$source"], value.__code__.co_firstlineno) if is_function(value) else None


def is_callable(value: object) -> TypeIs[Callable[..., object]]:
    return type(value) is FUNCTION or type(value) is Builtin or (isinstance(value, Value) and callable(value))


def is_int32(value: object) -> TypeGuard[int]:
    """True if the value is an int of 32 bits, the range that the functions of starlark-go accept."""
    return type(value) is int and SMALLEST <= value <= LARGEST


def type_of(value: object) -> str:
    """The result of `type(value)`."""
    name = _TYPE_NAMES.get(type(value)) or getattr(value, "type_name", None)
    if type(name) is str:
        return name
    if type(value) is FUNCTION:
        return "function" if "$source" in value.__globals__ else "builtin_function_or_method"
    return f"<{type(value).__name__}>"


def to_bytes(string: str) -> bytes:
    """The UTF-8 bytes that the language sees."""
    return string.encode("utf-8", "surrogateescape")


def from_bytes(data: bytes) -> str:
    """The inverse of `to_bytes`."""
    return data.decode("utf-8", "surrogateescape")


def joined(text: str) -> str:
    """Joins parts of text. Bytes that now form a character become that character."""
    if text.isascii():
        return text
    return from_bytes(to_bytes(text))
