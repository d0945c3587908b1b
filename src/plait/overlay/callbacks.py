"""Functions of the user that an overlay calls: matchers, `via`, `when`, `expects`."""

from __future__ import annotations

from plait.starlark import StarlarkError, call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BY = "index, left, right"
VIA = "left, right"


def asked(function: object, arguments: Sequence[object], names: str) -> object:
    """What a function answers. names: what its arguments are called; a function that does not take them hears it."""
    try:
        return call(function, arguments)
    except StarlarkError as error:
        if error.hint is None and not error.trail and "argument" in error.message:
            error.hint = f"it is called with {len(arguments)} arguments: lambda {names}: ..."
        raise
