"""The boundary between the host and the language: everything that leaves it does so as a WeftError with its trail."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Python counts frames of compiled functions only, which need no room on the C stack.
DEEPEST = 12_000


def call(function: object, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> object:
    """Call a function of the language, or a builtin. Raises StarlarkError with the trail of calls."""
    if sys.getrecursionlimit() < DEEPEST:
        sys.setrecursionlimit(DEEPEST)
    try:
        if kwargs:
            return function(*args, **kwargs)  # type: ignore[operator]
        return function(*args)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001
        fault = error
    raise leaving(fault) from None


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
