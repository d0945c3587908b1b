"""The boundary between the host and the language: everything that leaves it does so as a WeftError with its trail."""

from __future__ import annotations

import sys

from weft.limits import DEEPEST
from weft.starlark.budget import CURRENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Mapping, Sequence
    from types import FrameType

    from weft.starlark.budget import Budget


def call(function: object, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> object:
    """Call a function of the language, or a builtin. Raises StarlarkError with the trail of calls."""
    space = getattr(function, "__globals__", None)
    budget = None if space is None else space.get("$budget")
    former = None if budget is None else enter(budget)
    try:
        if kwargs:
            return function(*args, **kwargs)  # type: ignore[operator]
        return function(*args)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001
        fault = error
    finally:
        leave(former)
    raise leaving(fault) from None


def enter(budget: Budget) -> tuple[Token[Budget], int] | None:
    """Begin to spend from a budget; `leave` takes what this gives. None: that is what is being done already."""
    if CURRENT.get(None) is budget:
        return None
    limit = sys.getrecursionlimit()
    depth = budget.limits.depth
    if depth == DEEPEST:
        # Python's limit counts the frames of all callers as well: they are few.
        if limit < DEEPEST:
            sys.setrecursionlimit(DEEPEST)
        return CURRENT.set(budget), 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    sys.setrecursionlimit(depth)
    return CURRENT.set(budget), limit


def leave(former: tuple[Token[Budget], int] | None) -> None:
    """Back to what was spent from before `enter`."""
    if former is not None:
        token, limit = former
        token.var.reset(token)
        if limit:
            # Not lower: another thread's smaller depth may have been the limit when this began.
            sys.setrecursionlimit(max(limit, DEEPEST))


def leaving(fault: Exception) -> Exception:
    """The error to raise where an exception leaves the language.

    Its traceback is gone, and with it the frames: loops that still held a list let it go, and an outer boundary adds
    only its own frames to the trail. A fault of weft keeps its traceback.
    """
    from weft.errors import WeftError
    from weft.starlark.faults import translated

    error = translated(fault)
    if isinstance(error, WeftError):
        # Errors on the way here keep frames as well.
        link: BaseException | None = fault
        while link is not None:
            link.__traceback__ = None
            before, link.__context__, link.__cause__ = link.__context__, None, None
            link = before
    return error
