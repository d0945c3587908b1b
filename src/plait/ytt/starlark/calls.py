"""The boundary between the host and the language: every error that crosses it becomes a PlaitError with its stack."""

from __future__ import annotations

import sys
from _thread import RLock

from plait.base.errors import PlaitError
from plait.base.limits import DEEPEST
from plait.ytt.starlark.step_budget import CURRENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType
    from typing import TypeAlias

    from plait.ytt.starlark.step_budget import StepBudget

    # The profile function of this thread, called at each call and return. None if it was not changed.
    Profile: TypeAlias = Callable[..., object] | None


# Steps for a call from the host: matchers are called for each pair of an overlay and a document.
_FROM_HOST = 100
# Python 3.11 fails if two threads install one at a time.
_INSTALLING = RLock()


def call(function: object, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> object:
    """Calls a function of the language, or a builtin. Raises StarlarkError with the stack of calls."""
    space = getattr(function, "__globals__", None)
    budget = None if space is None else space.get("$budget")
    former = None if budget is None else enter(budget)
    try:
        if budget is not None:
            budget.charge(_FROM_HOST)
            outside = space.get("$from.outside")  # type: ignore[union-attr] # there is a budget in it
            if outside is not None:
                return outside(function, args, kwargs or {})
        return function(*args, **(kwargs or {}))  # type: ignore[operator] # Python reports values that cannot be called
    except Exception as error:  # noqa: BLE001
        fault = error
    finally:
        leave(former)
    raise leaving(fault) from None


def enter(budget: StepBudget) -> tuple[Token[StepBudget], Profile] | None:
    """Starts charging a budget. Returns the state for `leave`, or None if the budget is already active."""
    if CURRENT.get(None) is budget:
        return None
    # Python's limit also counts the frames of all callers, which are few.
    if sys.getrecursionlimit() < DEEPEST:
        sys.setrecursionlimit(DEEPEST)
    token = CURRENT.set(budget)
    depth = budget.limits.depth
    if depth == DEEPEST:
        return token, None
    before = sys.getprofile() or _nothing
    with _INSTALLING:
        sys.setprofile(_counting(depth))
    return token, before


def leave(former: tuple[Token[StepBudget], Profile] | None) -> None:
    """Restores the budget that was active before `enter`."""
    if former is not None:
        token, before = former
        if before is not None:
            with _INSTALLING:
                sys.setprofile(None if before is _nothing else before)
        token.var.reset(token)


def _nothing(_frame: FrameType, _event: str, _argument: object) -> None:
    """The profile function if no other was set: does nothing."""


def _counting(depth: int) -> Callable[..., object]:
    """A profile function that counts the nested calls of this thread. Python's own limit is shared by all threads."""
    left = depth

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        if event == "call":
            left -= 1
            if left < 0:
                raise RecursionError
        elif event == "return":
            left += 1

    return count


def leaving(fault: Exception) -> Exception:
    """The error to raise when an exception leaves Starlark.

    Its traceback is dropped. This releases the lists of unfinished loops, and an outer boundary adds only its own
    frames to the stack. An internal error keeps its traceback.
    """
    from plait.ytt.starlark.exceptions import drop_frames, translated

    error = translated(fault)
    if isinstance(error, PlaitError):
        drop_frames(fault)
    return error
