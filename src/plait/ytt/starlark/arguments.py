"""Unpacks the arguments of host functions.

A host function is called with `(*args, **kwargs)`. `unpack` returns the values in the order of the parameters, and
raises errors with a uniform message ("index: got 0 arguments, want at least 1").
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.containers import Dict, List, is_iterable, iterable_or_none
from plait.ytt.starlark.value_text import quote
from plait.ytt.starlark.values import is_callable, is_int32, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def unpack(
    name: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    parameters: Sequence[str],
    defaults: Sequence[object] = (),
) -> list[object]:
    """The values of `parameters`, passed by position or by name.

    A parameter is "name" or "name:kind", with the kinds of `check_kind`. `defaults` belong to the last parameters.
    Raises StarlarkError.
    """
    count = len(parameters)
    if len(args) > count:
        raise StarlarkError(f"{name}: got {len(args)} arguments, want at most {count}", code="argument-count")
    values: list[object] = list(args)
    names = [parameter.partition(":")[0] for parameter in parameters]
    first_default = count - len(defaults)
    unset = object()
    values.extend(unset for _ in range(count - len(args)))
    for key, value in kwargs.items():
        if key not in names:
            raise StarlarkError(f"{name}: unexpected keyword argument {quote(key)}", code="unexpected-keyword")
        place = names.index(key)
        if values[place] is not unset:
            raise StarlarkError(
                f"{name}: got multiple values for keyword argument {quote(key)}", code="repeated-argument"
            )
        values[place] = value
    for place, value in enumerate(values):
        if value is unset:
            if place < first_default:
                raise StarlarkError(f"{name}: missing argument for {names[place]}", code="argument-count")
            values[place] = defaults[place - first_default]
        else:
            _, _, kind = parameters[place].partition(":")
            if kind:
                shown = names[place] if place < len(args) else quote(names[place])
                check_kind(value, kind, f"{name}: for parameter {shown}")
    return values


def only_argument(name: str, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """The value of the only parameter, which is positional. Raises StarlarkError."""
    if kwargs:
        raise StarlarkError(f"{name}: unexpected keyword arguments", code="unexpected-keyword")
    if len(args) != 1:
        raise wrong_count(name, len(args), 1, 1)
    return args[0]


def wrong_count(name: str, given: int, minimum: int, maximum: int) -> StarlarkError:
    """The error for a number of arguments outside `minimum` to `maximum`."""
    if given < minimum:
        bound = f"at least {minimum}" if minimum < maximum else str(minimum)
    else:
        bound = f"at most {maximum}" if minimum < maximum else str(maximum)
    return StarlarkError(f"{name}: got {given} arguments, want {bound}", code="argument-count")


def check_kind(value: object, kind: str, prefix: str) -> None:
    """Checks one argument: kind is one of `_KINDS`. Raises StarlarkError."""
    if not _KINDS[kind](value):
        raise wrong_kind(value, kind, prefix)


def wrong_kind(value: object, kind: str, prefix: str) -> StarlarkError:
    """The error for an argument that is not of a kind."""
    if kind == "int" and type(value) is int:
        return StarlarkError(f"{prefix}: {value} out of range", code="argument-range")
    got = type_of(value)
    return StarlarkError(f"{prefix}: got {got}, want {kind}", code="wrong-argument-type").about(got, ")")


def int32(value: object, prefix: str) -> int:
    """An argument checked to be an int. Raises StarlarkError."""
    if not is_int32(value):
        raise wrong_kind(value, "int", prefix)
    return value


def string(value: object, prefix: str) -> str:
    """An argument checked to be a string. Raises StarlarkError."""
    if type(value) is not str:
        raise wrong_kind(value, "string", prefix)
    return value


def iterable(value: object, prefix: str) -> Iterable[object]:
    """The iterable of an argument. Raises StarlarkError if it is not iterable."""
    source = iterable_or_none(value)
    if source is None:
        raise wrong_kind(value, "iterable", prefix)
    return source


_KINDS: Mapping[str, Callable[[object], bool]] = {
    "bool": lambda value: type(value) is bool,
    "callable": is_callable,
    "dict": lambda value: type(value) is Dict,
    "int": is_int32,
    "iterable": is_iterable,
    "list": lambda value: type(value) is List,
    "string": lambda value: type(value) is str,
}
