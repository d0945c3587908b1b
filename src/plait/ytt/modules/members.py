"""Members of modules and their arguments. Errors about calls have the same form in all modules.

A member is a function of `args` and `kwargs` that raises StarlarkError with only the reason; `module_of` prepends the
member's name: `json.encode: expected exactly one argument`.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.similar_names import did_you_mean
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.structs import Counted, Module
from plait.ytt.starlark.values import Builtin, type_of
from plait.ytt.yaml_fragments import starlark_type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Args: TypeAlias = "tuple[object, ...]"
    Kwargs: TypeAlias = "dict[str, object]"
    Member: TypeAlias = Callable[[Args, Kwargs], object]

_A_CALL = 8
_COUNTS = {1: "one argument", 2: "two arguments", 3: "3 arguments"}


def member(name: str, function: Member, slow: bool = False, message: str | None = None) -> Builtin:
    """A function of a module as templates call it. `name` is the prefix of its error messages.

    slow: it processes one character at a time. message: its name in ytt if it differs.
    """
    message = name if message is None else message

    def called(*args: object, **kwargs: object) -> object:
        # They cost more than one step, partly for each character of their arguments.
        size = sum([len(arg) for arg in args if type(arg) is str])
        charge(_A_CALL + (size * 8 if slow else size >> 2))
        try:
            return function(args, kwargs)
        except StarlarkError as error:
            reference = error.reference
            error.message = f"{name}: {error.message}"
            error.reference = f"{message}: {reference}" if message else reference
            raise

    return Builtin(name, called)


def module_of(
    name: str, functions: dict[str, Member], constants: dict[str, object] | None = None, *, slow: bool = False
) -> Module:
    """The module `@ytt:NAME` with these functions. slow: as in `member`."""
    members: dict[str, object] = {key: member(f"{name}.{key}", function, slow) for key, function in functions.items()}
    if constants:
        members.update(constants)
    return Module(name, members)


def exactly(count: int, args: Args) -> Args:
    """The arguments. Raises StarlarkError if their number is not `count`."""
    if len(args) != count:
        raise StarlarkError(f"expected exactly {_COUNTS[count]}", code="argument-count")
    return args


class Parsed(Counted):
    """The result of `parse...` functions: an object with members that has no YAML form by itself."""

    __slots__ = ()

    def __init__(self, members: dict[str, object]) -> None:
        self.members = members

    def attr_names(self) -> list[str]:
        return sorted(self.members)


def answering(name: str, answers: dict[str, object]) -> dict[str, object]:
    """Functions without arguments that return constants."""

    def answer_of(key: str) -> Builtin:
        def answer(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
            if args:
                raise StarlarkError("expected no argument", code="argument-count")
            return answers[key]

        return member(f"{name}.{key}", answer)

    return {key: answer_of(key) for key in answers}


def text(value: object) -> str:
    """The value, which must be a string."""
    if type(value) is not str:
        kind = type_of(value)
        hint = {"int": "str(...) converts it to a string", "float": "str(...) converts it to a string"}.get(kind)
        if kind in ("dict", "list", "struct", "yamlfragment"):
            hint = "json.encode and yaml.encode convert it to a string"
        raise StarlarkError(f"expected a string, but was {kind}", hint=hint, code="wrong-argument-type")
    return value


def only_text(args: Args) -> str:
    """The only argument, which must be a string."""
    return text(exactly(1, args)[0])


def number(value: object) -> float:
    """The value as a float. It must be an int or a float."""
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    raise no_number(value)


def no_number(value: object) -> StarlarkError:
    """The error for a value that is not a number."""
    told = "expected float value, but was"
    return StarlarkError(
        f"{told} {type_of(value)}", reference=f"{told} {starlark_type_name(value)}", code="wrong-argument-type"
    )


def flag(kwargs: Kwargs, name: str, default: bool = False) -> bool:
    """The value of a keyword argument that must be a bool."""
    value = kwargs.get(name, default)
    if type(value) is not bool:
        raise StarlarkError(f"expected a bool, but was {type_of(value)}", code="wrong-argument-type")
    return value


def indentation(kwargs: Kwargs) -> int:
    """The keyword argument `indent`. The maximum is 8, so that a small input cannot create a huge output."""
    value = kwargs.get("indent", 0)
    if type(value) is not int:
        raise StarlarkError(
            f"expected an int, but was {type_of(value)}", reference="expected starlark.Int", code="wrong-argument-type"
        )
    if not 0 <= value <= 8:
        raise StarlarkError("indent value must be between 0 and 8", code="argument-range")
    return value


def known(kwargs: Kwargs, names: Iterable[str]) -> None:
    """Raises an error for unknown keyword arguments."""
    for name in kwargs:
        if name not in names:
            raise StarlarkError(
                f"invalid argument name: {name}", hint=did_you_mean(name, names), code="unexpected-keyword"
            )


def utf8(string: str) -> bytes:
    """The bytes of a string."""
    return string.encode("utf-8", "surrogateescape")


def from_utf8(data: bytes) -> str:
    """Decodes bytes; invalid ones become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")
