"""Attributes: `x.name` looks in a table chosen by the exact type of x, and nowhere else (design 5).

What a table does not list does not exist: no attribute of a Python object is ever reached by its name.
"""

from __future__ import annotations

from plait.errors import StarlarkError
from plait.starlark.table.methods import METHODS
from plait.starlark.values import STRUCTS, Builtin, Dict, NoAttribute, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.table.row import Row


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
        row = table.get(name)
        if row is not None:
            return bound(x, row)
    raise missing(x, name)


def bound(x: object, row: Row) -> Builtin:
    """A method as a value: called with too few or too many arguments it says so in the language's words."""
    function = row.function

    def method(*args: object, **kwargs: object) -> object:
        row.check(len(args), kwargs)
        return function(x, *args, **kwargs)

    return Builtin(row.name, method, x)


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
