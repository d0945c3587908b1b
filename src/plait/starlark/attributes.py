"""Attributes: `x.name` looks in a table chosen by the exact type of x, and nowhere else (design 5).

What a table does not list does not exist: no attribute of a Python object is ever reached by its name.
"""

from __future__ import annotations

from plait.errors import StarlarkError
from plait.starlark import methods, strings
from plait.starlark.values import STRUCTS, Builtin, Dict, List, NoAttribute, Set, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

METHODS: dict[type, Mapping[str, tuple[Callable[..., object], int, int]]] = {
    str: strings.METHODS,
    List: methods.LIST_METHODS,
    Dict: methods.DICT_METHODS,
    Set: methods.SET_METHODS,
}


def attribute(x: object, name: str) -> object:
    """The value of `x.name`. Raises StarlarkError."""
    if type(x) in STRUCTS:
        return x.members[name]  # type: ignore[attr-defined]
    if isinstance(x, Value):
        try:
            return x.attr(name)
        except NoAttribute as error:
            raise missing(x, name, error.message) from None
    table = METHODS.get(type(x))
    if table is not None:
        entry = table.get(name)
        if entry is not None:
            return bound(x, name, *entry)
    raise missing(x, name)


def bound(x: object, name: str, function: Callable[..., object], least: int, most: int) -> Builtin:
    """A method as a value: called with too few or too many arguments it says so in the language's words."""

    def method(*args: object, **kwargs: object) -> object:
        if most >= 0:
            check_call(name, len(args), kwargs, least, most)
        return function(x, *args, **kwargs)

    return Builtin(name, method, x)


def check_call(name: str, given: int, kwargs: object, least: int, most: int) -> None:
    """Check the shape of a call of something that takes its arguments by position. Raises StarlarkError."""
    from plait.starlark.arguments import wrong_count

    if kwargs:
        raise StarlarkError(f"{name}: unexpected keyword arguments")
    if given < least or (given > most >= 0):
        raise wrong_count(name, given, least, most)


def missing(x: object, name: str, message: str | None = None) -> StarlarkError:
    if message is None:
        message = f"{type_of(x)} has no .{name} field or method"
    from plait.spell import listed, near

    alike = near(name, attribute_names(x))
    if alike:
        message += f" (did you mean {listed([f'.{one}' for one in alike])}?)"
    found = hint = None
    if not alike and isinstance(x, Value):
        names = x.attr_names()
        found = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "") if names else "nothing in it"
        if not names and type_of(x) == "struct":
            hint = (
                "if these are data values: files with #@data/values (no space) above --- give them, and flags; "
                "they are not there yet where they are written"
            )
    elif x is None:
        hint = f"what stands before .{name} is None"
    elif type(x) is Dict and (not alike or name in x.keys()):  # noqa: SIM118 - `in` asks for keys that hash as theirs do
        hint = f'a dict has keys, not fields: ["{name}"]'
    return StarlarkError(message, found=found, hint=hint)


_SHOWN = 12


def attribute_names(x: object) -> list[str]:
    """The names for `dir(x)`, sorted."""
    if isinstance(x, Value):
        return sorted(x.attr_names())
    return sorted(METHODS.get(type(x), ()))


def has_attribute(x: object, name: str) -> bool:
    if isinstance(x, Value):
        try:
            x.attr(name)
        except NoAttribute:
            return False
        except StarlarkError:
            return name in x.attr_names()
        return True
    return name in METHODS.get(type(x), ())
