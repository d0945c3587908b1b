"""Removes unfinished files when a command is terminated while it writes."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations of `signal`
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class _EndedError(BaseException):
    """Raised in the main thread on a SIGTERM. Only `cleanup_on_signal` catches it."""


class cleanup_on_signal:  # noqa: N801 - reads as what it does
    """`with cleanup_on_signal():` around code that writes files: after a SIGTERM, enclosed code removes its temporary
    files.

    The process then ends by the signal, as usual. Does nothing if there is another handler, and outside of the main
    thread.
    """

    __slots__ = ("_is_ours",)

    def __enter__(self) -> None:
        self._is_ours = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        try:
            if self._is_ours:
                signal.signal(signal.SIGTERM, _end)
        except ValueError:  # not on the main thread
            self._is_ours = False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if kind is _EndedError:
                os.kill(os.getpid(), signal.SIGTERM)


def _end(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # until all files are removed
    raise _EndedError


def end_by_pipe() -> None:
    """Ends the process by SIGPIPE, as usual when the reader of a pipe has ended. Returns on systems without SIGPIPE."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)


class interrupted_by_sigterm:  # noqa: N801 - reads as what it does
    """`with interrupted_by_sigterm():` handles a SIGTERM like Ctrl-C. Does nothing if there is another handler."""

    __slots__ = ("_is_ours",)

    def __enter__(self) -> None:
        self._is_ours = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        try:
            if self._is_ours:
                signal.signal(signal.SIGTERM, signal.default_int_handler)
        except ValueError:  # not on the main thread
            self._is_ours = False

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
