"""A run that uses secrets and says nothing: it needs no marks, which only decide what may be said.

Most runs end with their output and nothing else: no error, no warning, no line of `print`. So a run whose output alone is
asked for is evaluated without records first. If it ends in silence, its output is the result. If it fails, warns, or begins a
program that mentions `print`, all that it made is dropped, and it is evaluated again with marks; only that run says anything.

A program that mentions `print` ends the silence when it begins, not when it prints: if a secret decides whether a line is
printed, the run says so either way, as a run with marks does.
"""

from __future__ import annotations

from plait.content import note_secrets
from plait.context import Spoken
from plait.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from plait.context import Context

    Made = TypeVar("Made")


def silently(context: Context, evaluate: Callable[[], Made]) -> Made | None:
    """The result of an evaluation that says nothing; None if it would, and is to be evaluated with marks.

    Warnings that come after a silent run are withheld if they depend on any input, since no origin is recorded.
    """
    note_secrets()
    additions = context.additions
    context.silent = True
    try:
        made = evaluate()
    except (PlaitError, Spoken):
        # What the second evaluation may take is not diminished by the first.
        if context.budget is not None:
            context.budget.end()
            context.budget = None
        context.additions = additions
        context.doing, context.done, context.total = "", 0, 0
        return None
    finally:
        context.silent = False
    context.unrecorded = True
    return made


__all__ = ["silently"]
