"""Progress of work that has no context of its own."""

from __future__ import annotations

from contextlib import contextmanager

from plait.cli.streams import watched
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from plait.authoring.project.run import Run

    R = TypeVar("R", bound=Run)


def stepped(context: Context, runs: Iterable[R]) -> Iterator[R]:
    """The runs; each becomes a step of the context."""
    for run in runs:
        context.begin(f"run {run.name}")
        context.done += 1
        yield run


@contextmanager
def working(doing: str, total: int = 0, *, steps: bool = True) -> Iterator[Context]:
    """Shows progress while the body runs, if it has no context of its own. The body counts in `done` of the context.

    doing: a description, such as "checking the runs". total: the number of units, 0 if it is unknown. steps: as in
    `watched`.
    """
    context = Context()
    context.doing, context.total = doing, total
    with watched(context, steps=steps):
        yield context
