"""Progress of a long run on a terminal: one line on standard error, removed when the run ends.

Nothing is shown during the first second, or if standard error is not a terminal that can erase a line (`TERM=dumb`). A
thread reads the run's `Context` regularly; the run itself only sets attributes.
"""

from __future__ import annotations

from _thread import start_new_thread
from contextlib import contextmanager
from time import monotonic, sleep

from plait.cli.colour import is_dumb
from plait.cli.streams import complain
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from plait.authoring.project.run import Run
    from plait.cli.terminal import Terminal

    R = TypeVar("R", bound=Run)

_FIRST = 1.0
_AGAIN = 0.2


class ProgressDisplay:
    """`with ProgressDisplay(context, terminal):` shows the progress of its body."""

    __slots__ = ("_context", "_over", "_terminal")

    def __init__(self, context: Context, terminal: Terminal) -> None:
        self._context = context
        self._over = False
        self._terminal = terminal

    def __enter__(self) -> None:
        if not is_dumb():
            start_new_thread(self._watch, ())

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._terminal.show("")

    def _watch(self) -> None:
        start = monotonic()
        sleep(_FIRST)
        while not self._over:
            self._terminal.show(line(self._context, monotonic() - start))
            if self._over:
                self._terminal.show("")
            sleep(_AGAIN)


class StepLog:
    """Prints each step of an evaluation to standard error. with_time: with the seconds since the first one."""

    __slots__ = ("_start", "_with_time")

    def __init__(self, *, with_time: bool) -> None:
        self._start = monotonic()
        self._with_time = with_time

    def __call__(self, step: object) -> None:
        time = f"{monotonic() - self._start:.3f} s " if self._with_time else ""
        complain(f"plait: {time}{step}\n")


def stepped(context: Context, runs: Iterable[R]) -> Iterator[R]:
    """The runs; each becomes a step of the context."""
    for run in runs:
        context.begin(f"run {run.name}")
        context.done += 1
        yield run


def line(context: Context, seconds: float) -> str:
    """The progress line of an evaluation after a number of seconds."""
    many = f" ({context.done} of {context.total})" if 0 < context.done <= context.total else ""
    return f"plait: {seconds:.0f} s {context.doing or 'reading'}{many}"


@contextmanager
def working(doing: str, total: int = 0, *, steps: bool = True) -> Iterator[Context]:
    """Shows progress while the body runs, if it has no context of its own. The body counts in `done` of the context.

    doing: a description, such as "checking the runs". total: the number of units, 0 if it is unknown. steps: as in
    `watched`.
    """
    from plait.cli.streams import watched

    context = Context()
    context.doing, context.total = doing, total
    with watched(context, steps=steps):
        yield context
