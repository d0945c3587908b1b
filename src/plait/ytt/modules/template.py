"""`@ytt:template` for files without nodes: Starlark and text (docs/reference/templates.md).

A YAML template gets the module from its execution, because `replace` changes its nodes (see
`plait.ytt.templates.build`).
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.structs import Module
from plait.ytt.starlark.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return Module("template", {"replace": Builtin("template.replace", _replace)})


def _replace(*_args: object, **_kwargs: object) -> object:
    raise StarlarkError(
        "template.replace: unsupported operation",
        hint="it replaces nodes of the YAML template that loads it; this file has none",
        code="replace-misused",
    )
