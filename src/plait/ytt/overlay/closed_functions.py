"""Functions of the user whose results depend on their arguments alone, so that earlier results can be used again.

Such a function is closed: it prints nothing, and refers only to closed functions, to plain scalars, and to modules that
are the same in every evaluation. Functions that refer to data values, files, libraries or collections are not closed.
"""

from __future__ import annotations

from plait.tree.identity import identical_scalars
from plait.tree.nodes import SCALARS
from plait.ytt.overlay.matchers import ALL
from plait.ytt.starlark.program import names_of
from plait.ytt.starlark.structs import Module
from plait.ytt.starlark.values import FUNCTION, Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FunctionType

# The modules whose functions depend on their arguments alone. `template` belongs to the template that runs.
MODULES = frozenset((
    "assert", "base64", "ip", "json", "math", "md5", "overlay", "regexp", "sha256", "struct", "toml", "url", "version",
    "yaml",
))  # fmt: skip
# Maximum number of values that are compared for one function.
_MOST = 1_000
_VARIABLE_ARGUMENTS = 0x04 | 0x08


def is_closed(function: object) -> bool:
    """True if the results of a function depend on its arguments alone."""
    return same_function(function, function)


def same_function(one: object, other: object) -> bool:
    """True if two functions are closed, and return the same for the same arguments.

    They may belong to different evaluations; the earlier one need not be callable any more.
    """
    pending = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while pending:
        left, right = pending.pop()
        if type(left) in SCALARS:
            if not identical_scalars(left, right):
                return False
            continue
        if (id(left), id(right)) in seen or left is right is ALL:
            continue
        seen.add((id(left), id(right)))
        parts, others = _parts(left), _parts(right)
        if parts is None or others is None or [*parts] != [*others] or len(seen) > _MOST:
            return False
        if type(left) is not type(right) or getattr(left, "__code__", None) is not getattr(right, "__code__", None):
            return False
        pending += zip(parts.values(), others.values(), strict=True)
    return True


def ignores_index(function: object) -> bool:
    """True if a matcher certainly ignores its first argument, the index."""
    if type(function) is not FUNCTION:
        return False
    code = function.__code__
    if not code.co_argcount or code.co_flags & _VARIABLE_ARGUMENTS:
        return False
    from dis import get_instructions

    index = code.co_varnames[0]
    # Some instructions name two variables.
    return not any(
        index == one.argval or (type(one.argval) is tuple and index in one.argval) for one in get_instructions(code)
    )


def _parts(value: object) -> Mapping[str, object] | None:
    """The values that a function or a module refers to, by name; None if it is not closed, and for other values."""
    if type(value) is FUNCTION:
        return None if "$print" in names_of(value.__code__) else _variables(value)
    if type(value) is Module:
        return value.members
    if type(value) is Builtin:
        module, dot, _ = value.name.partition(".")
        return {value.name: None} if dot and module in MODULES and value.receiver is None and not value.holds else None
    return None


def _variables(function: FunctionType) -> Mapping[str, object] | None:
    """The default values and the variables of a function; None if one has no value yet."""
    found: dict[str, object] = {f"argument {place}": one for place, one in enumerate(function.__defaults__ or ())}
    found |= {f"argument {name}": one for name, one in (function.__kwdefaults__ or {}).items()}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            return None
    return found
