"""Prints uncaught errors of plait with their facts, and without the frames inside plait."""

from __future__ import annotations

import os
import sys
from types import TracebackType

from plait.base.errors import PlaitError
from plait.base.report_lines import report_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def show_facts(error: PlaitError) -> None:
    """Adds the facts of an error to Python's traceback: position, source line, hint."""
    if getattr(error, "__notes__", None):
        return
    rest = report_lines(error)[1:]
    place = error.place
    lines = rest if place is None else [f"at {place}", *rest]
    if lines:
        error.add_note("\n".join(lines))
    hide_frames(error)


def hide_frames(error: Exception) -> None:
    """Prints an uncaught error without the frames inside plait."""
    error.__dict__["is_without_frames"] = True
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _uncaught


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints an uncaught exception as Python does, but for errors of plait without the frames inside plait."""
    if isinstance(error, PlaitError) or "is_without_frames" in error.__dict__:
        trace = error.__traceback__ = without_frames(trace)
    sys.__excepthook__(kind, error, trace)


def without_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the innermost frames inside plait; None if there is no other."""
    frames = [*_frames(trace)]
    while frames and frames[-1].tb_frame.f_code.co_filename.startswith(_PACKAGE):
        frames.pop()
    shown: TracebackType | None = None
    for one in reversed(frames):
        shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return shown


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
