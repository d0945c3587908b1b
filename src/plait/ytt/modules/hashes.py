"""`@ytt:md5` and `@ytt:sha256`: the digest of a string, in hexadecimal (docs/reference/modules.md)."""

from __future__ import annotations

import hashlib

from plait.ytt.modules.members import module_of, only_text, utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module


def md5(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("md5", {"sum": _md5})


def sha256(context: Context) -> Module:  # noqa: ARG001
    return module_of("sha256", {"sum": _sha256})


def _md5(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored

    return hashlib.md5(utf8(only_text(args)), usedforsecurity=False).hexdigest()


def _sha256(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001

    return hashlib.sha256(utf8(only_text(args))).hexdigest()
