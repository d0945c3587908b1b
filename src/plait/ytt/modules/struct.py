"""`@ytt:struct`: values with named members, and functions with bound first arguments (docs/reference/modules.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.modules.members import exactly, member, module_of
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import is_callable, type_of
from plait.ytt.yaml_fragments import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module
    from plait.ytt.starlark.values import Builtin


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of(
        "struct",
        {"bind": _bind, "decode": _decode, "encode": _encode, "make": _make, "make_and_bind": _make_and_bind},
    )


def _make(args: Args, kwargs: Kwargs) -> object:
    if args:
        raise StarlarkError(
            "unexpected positional arguments (structs are made from keyword arguments only)",
            hint="struct.encode(...) creates a struct from a dict, and struct.make(name=value) from its arguments",
            code="argument-count",
        )
    return Struct(kwargs)


def _make_and_bind(args: Args, kwargs: Kwargs) -> object:
    if len(args) != 1:
        raise StarlarkError("expected at exactly one argument", code="argument-count")
    return Struct({name: bound(value, args) if is_callable(value) else value for name, value in kwargs.items()})


def _bind(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
    if len(args) < 2:
        raise StarlarkError("expected at least two arguments", code="argument-count")
    return bound(args[0], args[1:])


def bound(function: object, first: Args) -> Builtin:
    """A function that calls another one with these arguments prepended."""

    def result(args: Args, kwargs: Kwargs) -> object:
        if not is_callable(function):
            kind = type_of(function)
            raise StarlarkError(f"invalid call of non-function ({kind})", code="not-callable").about(kind, "(")
        return call(function, (*first, *args), kwargs)

    made = member("struct.bind_result", result)
    made.holds = (function, *first)
    return made


def _encode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    (value,) = exactly(1, args)
    return _to_struct(plain(value))


def _to_struct(value: object) -> object:
    if type(value) is Dict:
        charge(8 + len(value) * 4)
        members: dict[str, object] = {}
        for key, inner in value.items():
            if type(key) is not str:
                raise StarlarkError(f"expected struct key {repr_of(key)} to be string", code="wrong-argument-type")
            members[key] = _to_struct(inner)
        return Struct(members)
    if type(value) is List:
        charge(8 + len(value) * 4)
        return List([_to_struct(inner) for inner in value])
    return value


def _decode(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    return plain(exactly(1, args)[0])
