"""Arguments: the one helper with which every function of the host takes its arguments apart.

A function of the host gets `(*args, **kwargs)` of values. `unpack` gives them back in the order of the parameters and
words what is wrong ("index: got 0 arguments, want at least 1"), so that a wrong call reads the same everywhere.
"""

from __future__ import annotations

from plait.errors import StarlarkError
from plait.starlark.values import Dict, List, Set, Value, is_callable, quote, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SMALLEST, _LARGEST = -(1 << 31), (1 << 31) - 1


def unpack(
    name: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    parameters: Sequence[str],
    defaults: Sequence[object] = (),
) -> list[object]:
    """The values of `parameters`, given by position or by name.

    A parameter is "name" or "name:kind"; kinds are those of `check_kind`. `defaults` belong to the last parameters.
    Raises StarlarkError.
    """
    count = len(parameters)
    if len(args) > count:
        raise StarlarkError(f"{name}: got {len(args)} arguments, want at most {count}")
    values: list[object] = list(args)
    names = [parameter.partition(":")[0] for parameter in parameters]
    first_default = count - len(defaults)
    unset = object()
    values.extend(unset for _ in range(count - len(args)))
    for key, value in kwargs.items():
        if key not in names:
            raise StarlarkError(f"{name}: unexpected keyword argument {quote(key)}")
        place = names.index(key)
        if values[place] is not unset:
            raise StarlarkError(f"{name}: got multiple values for keyword argument {quote(key)}")
        values[place] = value
    for place, value in enumerate(values):
        if value is unset:
            if place < first_default:
                raise StarlarkError(f"{name}: missing argument for {names[place]}")
            values[place] = defaults[place - first_default]
        else:
            _, _, kind = parameters[place].partition(":")
            if kind:
                shown = names[place] if place < len(args) else quote(names[place])
                check_kind(value, kind, f"{name}: for parameter {shown}")
    return values


def unpack_positional(
    name: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    kinds: Sequence[str],
    defaults: Sequence[object] = (),
) -> list[object]:
    """The values of parameters that are given by position only; `kinds` holds one kind ("" for any) for each.

    Raises StarlarkError.
    """
    if kwargs:
        raise StarlarkError(f"{name}: unexpected keyword arguments")
    most = len(kinds)
    least = most - len(defaults)
    given = len(args)
    if given < least or given > most:
        raise wrong_count(name, given, least, most)
    for place, value in enumerate(args):
        if kinds[place]:
            check_kind(value, kinds[place], f"{name}: for parameter {place + 1}")
    return [*args, *defaults[given - least :]] if given < most else list(args)


def wrong_count(name: str, given: int, least: int, most: int) -> StarlarkError:
    """The error for a number of arguments outside `least` to `most`."""
    if given < least:
        bound = f"at least {least}" if least < most else str(least)
    else:
        bound = f"at most {most}" if least < most else str(most)
    return StarlarkError(f"{name}: got {given} arguments, want {bound}")


def check_kind(value: object, kind: str, prefix: str) -> None:
    """Check one argument: kind is string, bool, int, list, dict, callable or iterable. Raises StarlarkError."""
    if kind == "int":
        if type(value) is int:
            if not _SMALLEST <= value <= _LARGEST:
                raise StarlarkError(f"{prefix}: {value} out of range")
            return
        fits = False
    elif kind == "string":
        fits = type(value) is str
    elif kind == "bool":
        fits = type(value) is bool
    elif kind == "list":
        fits = type(value) is List
    elif kind == "dict":
        fits = type(value) is Dict
    elif kind == "callable":
        fits = is_callable(value)
    else:
        fits = is_iterable(value)
    if not fits:
        raise StarlarkError(f"{prefix}: got {type_of(value)}, want {kind}")


def is_iterable(value: object) -> bool:
    """Whether `for` runs over the value; strings do not iterate."""
    kind = type(value)
    if kind is List or kind is tuple or kind is Dict or kind is range or kind is Set:
        return True
    return isinstance(value, Value) and value.iterate() is not None
