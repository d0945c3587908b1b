"""A run that uses secrets and says nothing: it needs no marks, which only decide what may be said.

Most runs end with their output and nothing else: no error, no warning, no line of `print`. So a run whose output alone is
asked for is evaluated without records first. If it ends in silence, its output is the result. If it fails, warns, or begins a
program that mentions `print`, all that it made is dropped, and it is evaluated again with marks; only that run says anything.

A program that mentions `print` ends the silence when it begins, not when it prints: if a secret decides whether a line is
printed, the run says so either way, as a run with marks does.
"""

from __future__ import annotations

from plait.additions import OUTPUT_FILE
from plait.content import note_secrets
from plait.errors import PlaitError
from plait.events import current_listener
from plait.secrets.telling import telling
from plait.workspace.session import KEPT, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from plait.context import Context
    from plait.provenance import Origin
    from plait.workspace.job import Job, Result

    Made = TypeVar("Made")


class Spoken(BaseException):
    """Leaves a silent run that may say something. No error: nothing that takes errors on the way may take it."""


class Silence:
    """Takes the place of marks in a run without. is_over: the run has ended, and its output is the result."""

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False

    def speaks(self) -> None:
        """The run may say something. Raises Spoken, unless it is over."""
        if not self.is_over:
            raise Spoken

    def warned(self, text: str, origins: Iterable[Origin] | None) -> str | None:
        """A warning that comes after the run as a person may see it: nothing is known of the origins. Raises Spoken."""
        self.speaks()
        return text if origins is not None and not [*origins] else None


def run_with_secrets(
    job: Job, context: Context | None, session: Session | None, evaluate: Callable[[Session], Result]
) -> Result:
    """The result of a job with secrets: of a silent run, or of one with marks. session: of this run. Raises PlaitError."""
    if session is None:
        if context is not None and can_be_silent(job, context):
            result = silently(context, lambda: evaluate(Session(context)))
            if result is not None:
                return result
        session = Session(context)
    session.context.use_secrets()
    with telling(session.context, all_of_it=job.tells_secrets):
        return evaluate(session)


def can_be_silent(job: Job, context: Context) -> bool:
    """True if a job with secrets may run without marks first: nobody asks for a record, and no input is read twice."""
    options = job.options
    is_recorded = (context.trace, KEPT.get(), context.originals, context.lookups) != (None,) * 4
    names_files = options.output_by is not None or OUTPUT_FILE in options.additions
    reads_again = options.values_schema or options.output_schemas or context.note is not None
    is_heard = options.debug is not None or current_listener() is not None
    return context.gives_output_alone and not (is_recorded or names_files or reads_again or is_heard)


def silently(context: Context, evaluate: Callable[[], Made]) -> Made | None:
    """The result of an evaluation that says nothing; None if it would, and is to be evaluated with marks.

    Warnings that come after a silent run are withheld if they depend on any value, since no origin is recorded.
    """
    note_secrets()
    additions = context.additions
    context.silence = silence = Silence()
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
    else:
        silence.is_over = True
        return made
    finally:
        context.silence = silence if silence.is_over else None


__all__ = ["Silence", "run_with_secrets"]
