"""Attributes: `x.name` is looked up only in a table selected by the exact type of x.

An attribute that no table lists does not exist; attributes of Python objects are never accessed by name.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.structs import STRUCTS, WithMembers, missing
from plait.ytt.starlark.values import Builtin, NoAttribute, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.ytt.starlark.table.row import Row


def attribute(x: object, name: str) -> object:
    """The value of `x.name`. Raises StarlarkError."""
    if type(x) in STRUCTS and isinstance(x, WithMembers):
        return x.members[name]
    if isinstance(x, Value):
        try:
            return x.attr(name)
        except NoAttribute as error:
            raise no_attribute(x, name, error.message) from None
    row = _methods(x).get(name)
    if row is not None:
        return bound(x, row)
    raise no_attribute(x, name)


def _methods(x: object) -> Mapping[str, Row]:
    """The methods of a built-in type, by name."""
    # Loaded with the language's library, which programs that only read attributes of data do not need.
    from plait.ytt.starlark.table.methods import METHODS

    return METHODS.get(type(x), {})


def bound(x: object, row: Row) -> Builtin:
    """A method as a value. A call with a wrong number of arguments fails with Starlark's message."""
    function = row.function

    def method(*args: object, **kwargs: object) -> object:
        row.check(len(args), kwargs)
        return function(x, *args, **kwargs)

    return Builtin(row.name, method, x)


def no_attribute(x: object, name: str, message: str | None = None) -> StarlarkError:
    """The error for `x.name`, for a value of any type. message: replaces the usual one."""
    return missing(x, name, x.attr_names() if isinstance(x, Value) else attribute_names(x), message)


def attribute_names(x: object) -> list[str]:
    """The names for `dir(x)`, sorted."""
    if isinstance(x, Value):
        return sorted(x.attr_names())
    return sorted(_methods(x))


def has_attribute(x: object, name: str) -> bool:
    if isinstance(x, Value):
        try:
            x.attr(name)
        except NoAttribute:
            return False
        except StarlarkError:
            return name in x.attr_names()
        return True
    return name in _methods(x)
