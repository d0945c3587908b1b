"""The command line with every run recorded, as if each were to be explained: `python tests/traced.py render -f config/`.

Nothing but what is recorded may depend on recording. So the suite (`pytest --traced`) and the conformance cases run this way too.
"""

from __future__ import annotations

import plait.cli.sourcemap
from plait.context import Context
from plait.layering.job import Job
from plait.provenance import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.options import Parsed


class Unasked(Trace):
    """A record that nobody asked for."""

    __slots__ = ()


def record_every_run() -> None:
    """Make every Context keep a Trace, also where none is asked for."""
    slot = vars(Context)["trace"]
    check_options = Job._check_options

    def write(context: Context, trace: Trace | None) -> None:
        slot.__set__(context, Unasked() if trace is None else trace)

    def check(job: Job, context: Context) -> None:
        # There are no histories of Deckhand's own way: who asks for one is refused, nobody else is.
        if job.options.like_deckhand and type(context.trace) is Unasked:
            slot.__set__(context, None)
        check_options(job, context)

    setattr(Context, "trace", property(slot.__get__, write))  # noqa: B010 - the type of the slot is another
    setattr(Job, "_check_options", check)  # noqa: B010 - mypy takes no method for another
    # `plait patch` has no Context; commands import this function when they are first run.
    setattr(plait.cli.sourcemap, "trace_of", trace_of)  # noqa: B010


asked_for = plait.cli.sourcemap.trace_of


def trace_of(flags: Parsed) -> Trace:
    """The record that is asked for, or one that is not."""
    return asked_for(flags) or Unasked()


if __name__ == "__main__":
    record_every_run()

    from plait.cli import run

    run()
