"""`@ytt:math`: functions on floats (docs/reference/modules.md).

Results may differ in the last digit between machines; the first call in a run warns about it. An undefined result is
NaN or infinity, as in IEEE 754, and not an error.
"""

from __future__ import annotations

import math

from plait.base.errors import StarlarkError
from plait.base.errors import warning as warning_of
from plait.ytt.modules.members import exactly, member, no_number, number
from plait.ytt.starlark.structs import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs, Member

WARNING = (
    "a function from the @ytt:math module is used in this invocation; "
    "this module does not guarantee bit-identical results across CPU architectures"
)


def module(context: Context) -> Module:
    functions: dict[str, Member] = {
        "ceil": _integer_function(math.ceil),
        "floor": _integer_function(math.floor),
        "log": _log,
    }
    functions.update({name: _unary(function) for name, function in _UNARY.items()})
    functions.update({name: _binary(function) for name, function in _BINARY.items()})

    def warning(function: Member) -> Member:
        def called(args: Args, kwargs: Kwargs) -> object:
            context.warn(warning_of(WARNING, code="inexact-module"))
            if context.note is not None and not context.noted:
                context.noted = True
                context.note(f"\nWarning: {WARNING}.\n")
            return function(args, kwargs)

        return called

    members = {
        name: member(f"math.{name}", warning(function), message="" if name in _BARE else name)
        for name, function in functions.items()
    }
    return Module("math", {**members, "e": math.e, "pi": math.pi})


# Functions whose messages in ytt do not start with their name.
_BARE = frozenset(("log",))


def _unary(function: Callable[[float], float]) -> Member:
    def called(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001 - keywords are ignored
        (x,) = exactly(1, args)
        try:
            return function(number(x))
        except ValueError:
            return math.nan

    return called


def _binary(function: Callable[[float, float], float]) -> Member:
    def called(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
        x, y = exactly(2, args)
        try:
            return function(number(x), number(y))
        except ValueError:
            return math.nan

    return called


def _integer_function(function: Callable[[float], int]) -> Member:
    def called(args: Args, kwargs: Kwargs) -> object:
        if kwargs:
            raise _unexpected(function.__name__)
        if len(args) != 1:
            told = f"got {len(args)} arguments, want 1"
            raise StarlarkError(told, reference=f"{function.__name__}: {told}", code="argument-count")
        value = args[0]
        if type(value) is int:
            return value
        if type(value) is not float:
            raise no_number(value)
        if value - value != 0:
            raise StarlarkError(
                f"cannot convert float {'NaN' if math.isnan(value) else 'infinity'} to integer",
                code="invalid-conversion",
            )
        return function(value)

    return called


def _unexpected(name: str) -> StarlarkError:
    told = "unexpected keyword arguments"
    return StarlarkError(told, reference=f"{name}: {told}", code="unexpected-keyword")


def _log(args: Args, kwargs: Kwargs) -> object:
    if kwargs:
        raise _unexpected("log")
    if not 1 <= len(args) <= 2:
        told = f"got {len(args)} arguments, want {'at least 1' if not args else 'at most 2'}"
        raise StarlarkError(told, reference=f"log: {told}", code="argument-count")
    x = _natural(number(args[0]))
    if len(args) == 1:
        return x
    base = _natural(number(args[1]))
    if base == 0:
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x)
    return x / base


def _natural(x: float) -> float:
    if x == 0:
        return -math.inf
    return math.log(x) if x > 0 else math.nan


def _round(x: float) -> float:
    """Rounds half away from zero."""
    if x - x != 0:
        return x
    whole = math.trunc(x)
    if abs(x - whole) >= 0.5:
        whole += 1 if x > 0 else -1
    return math.copysign(float(whole), x)


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x == 0:  # to a negative power; an odd power preserves the sign of zero
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


def _overflowing(function: Callable[[float], float]) -> Callable[[float], float]:
    """Wraps a function whose result overflows for large arguments."""

    def called(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.inf

    return called


def _sinh(x: float) -> float:
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


def _gamma(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else _overflowing(math.gamma)(x)


_UNARY: dict[str, Callable[[float], float]] = {
    "acos": math.acos,
    "acosh": math.acosh,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atanh": _atanh,
    "cos": math.cos,
    "cosh": _overflowing(math.cosh),
    "degrees": lambda x: 360 * x / (2 * math.pi),
    "exp": _overflowing(math.exp),
    "fabs": math.fabs,
    "gamma": _gamma,
    "radians": lambda x: 2 * math.pi * x / 360,
    "round": _round,
    "sin": math.sin,
    "sinh": _sinh,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
}

_BINARY: dict[str, Callable[[float, float], float]] = {
    "atan2": math.atan2,
    "copysign": math.copysign,
    "hypot": math.hypot,
    "mod": math.fmod,
    "pow": _pow,
    "remainder": math.remainder,
}
