"""`@ytt:template`: `replace(value)` puts the items of a value in the place of the node it is given to (spec ytt 3.10)."""

from __future__ import annotations

from plait.starlark import Builtin, Module, StarlarkError
from plait.templates import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.context import Context


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return Module("template", {"replace": Builtin("template.replace", _replace)})


def _replace(*args: object, **kwargs: object) -> Replacement:  # noqa: ARG001 - the reference ignores keywords here
    if len(args) != 1:
        raise StarlarkError("template.replace: expected exactly one argument")
    return Replacement(args[0])
