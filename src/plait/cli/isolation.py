"""`--isolate`: runs the command in a child process, which the parent kills at the limit `seconds`.

The process of a command enforces its own limits (`plait.base.process`), but a timer cannot interrupt a call into C. A
parent process can always kill its child.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from time import monotonic

from plait.base.children.forking import can_fork, forked
from plait.base.errors import LimitError, UsageError
from plait.base.limits import Limits, limit_error
from plait.base.process import own_process, stop_timer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from plait.base.limits import RunBudget

# Additional seconds, so that the child's own timer, whose message is more precise, fires first.
_GRACE = 0.3


def isolated(command: Callable[[], int]) -> int:
    """Runs a command in a child process. Returns its exit status.

    Raises LimitError if the child was killed; UsageError on systems without child processes.
    """
    if not can_fork():
        raise UsageError("--isolate needs a system that can fork a process (Linux, macOS)", code="unsupported-system")
    sys.stdout.flush()
    sys.stderr.flush()
    hears, tells = os.pipe()
    child = forked(lambda: _run(command, hears, tells))
    os.close(tells)
    # Only the child's timer is used.
    stop_timer()
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, _ending(child))
        overdue = _wait(hears)
        if overdue is not None:
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:
        _end(child)
        raise
    finally:
        os.close(hears)
        signal.signal(signal.SIGTERM, before)
    if overdue is not None:
        raise limit_error("this run", "seconds", overdue)
    if status < 0:
        name = signal.Signals(-status).name
        raise LimitError(
            f"the process of this run was ended by {name}",
            hint="it may have exceeded its memory or stack",
            code="process-ended",
        )
    return status


def _run(command: Callable[[], int], hears: int, tells: int) -> int:
    """Runs the command in the child, and sends each time limit that it sets to the parent. Returns the exit status."""
    os.close(hears)

    def told(run: RunBudget) -> None:
        os.write(tells, f"{run.limits.seconds}\n".encode())

    own_process(told)
    status = command()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _wait(hears: int) -> float | None:
    """Waits for the child to end. Returns the limit that it exceeded, or None."""
    seconds: float = Limits().seconds
    deadline = monotonic() + seconds
    while True:
        left = deadline + _GRACE - monotonic()
        if left <= 0:
            return seconds
        if not select.select([hears], [], [], left)[0]:
            return seconds
        told = os.read(hears, 1 << 12)
        if not told:
            return None
        seconds = float(told.split()[-1])
        deadline = monotonic() + seconds


def _ending(child: int) -> Callable[[int, FrameType | None], None]:
    def end(number: int, _frame: FrameType | None) -> None:
        os.kill(child, number)
        _end(child)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    return end


def _end(child: int) -> None:
    """Ends a child. Waits first, because an interrupt reaches both processes, and the child reports it."""
    for _ in range(50):
        try:
            if os.waitpid(child, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return
        select.select([], [], [], 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
