"""Quiet evaluation of jobs with secrets. It needs no secret marks, which only decide which messages may be shown.

Most evaluations produce only their output: no error, no warning, no `print`. So if only the output is requested, it is
first evaluated without records. If that stays quiet, its output is the result. If it fails, warns, or starts a program
that mentions `print`, its results are dropped, and it is evaluated again with marks; only this second evaluation emits
messages.

A program that mentions `print` counts when it starts, not when it prints. Otherwise a secret that decides if a line is
printed would be revealed.
"""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.base.errors import PlaitError
from plait.base.events import current_listener
from plait.base.extensions import OUTPUT_FILE
from plait.tree.context import Context
from plait.tree.withholding import telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from plait.base.errors import Warning
    from plait.tree.provenance import Origin
    from plait.ytt.workspace.render_job import RenderJob, RenderResult

    Made = TypeVar("Made")


class Spoken(BaseException):
    """Ends a quiet run that may emit a message. Not an error, so that no error handler catches it."""


class Silence:
    """Takes the place of secret marks in a quiet evaluation: it ends the evaluation at the first message.

    is_over: the evaluation has ended, and its output is the result.
    """

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False

    def speaks(self) -> None:
        """Called before a message may be emitted. Raises Spoken, unless the evaluation is over."""
        if not self.is_over:
            raise Spoken

    def warned(self, text: Warning, origins: Iterable[Origin] | None) -> Warning | None:
        """A warning after the run, or None if it must not be shown, because its origins are unknown. Raises Spoken."""
        self.speaks()
        return text if origins is not None and not [*origins] else None


def run_with_secrets(
    job: RenderJob, context: Context | None, evaluate: Callable[[Context], RenderResult]
) -> RenderResult:
    """The result of a job with secrets: of a quiet run, or else of one with marks. Raises PlaitError."""
    if context is None:
        context = Context()
    elif can_be_silent(job, context):
        of_silence = context
        result = silently(context, lambda: evaluate(of_silence))
        if result is not None:
            return result
    context.use_secrets()
    with telling(context, all_of_it=job.tells_secrets):
        return evaluate(context)


def can_be_silent(job: RenderJob, context: Context) -> bool:
    """True if a job with secrets may first run without marks: no record is requested, and no input is consumed by
    reading.
    """
    options = job.options
    is_recorded = (context.trace, context.originals, context.lookups) != (None,) * 3
    names_files = options.output_by is not None or OUTPUT_FILE in options.extensions
    reads_again = options.values_schema or options.output_schemas or context.note is not None
    is_heard = options.debug is not None or current_listener() is not None
    return context.gives_output_alone and not (is_recorded or names_files or reads_again or is_heard)


def silently(context: Context, evaluate: Callable[[], Made]) -> Made | None:
    """The result of a quiet evaluation, or None if it must be repeated with marks.

    Warnings after a quiet run are withheld if they depend on any value, because no origin is recorded.
    """
    note_secrets()
    extensions = context.extensions
    context.silence = silence = Silence()
    try:
        made = evaluate()
    except (PlaitError, Spoken):
        # The first evaluation must not reduce the budget of the second.
        if context.budget is not None:
            context.budget.end()
            context.budget = None
        context.extensions = extensions
        context.doing, context.done, context.total = "", 0, 0
        return None
    else:
        silence.is_over = True
        return made
    finally:
        context.silence = silence if silence.is_over else None
