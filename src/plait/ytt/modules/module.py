"""`@ytt:module`: creates modules, named bundles of members (docs/reference/modules.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.modules.members import module_of
from plait.ytt.starlark.structs import Module
from plait.ytt.starlark.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("module", {"make": _make})


def _make(args: Args, kwargs: Kwargs) -> object:
    if len(args) != 1:
        raise StarlarkError(f"got {len(args)} arguments, want 1", code="argument-count")
    name = args[0]
    if type(name) is not str:
        raise StarlarkError(f"for parameter 1: got {type_of(name)}, want string", code="wrong-argument-type")
    return Module(name, kwargs)
