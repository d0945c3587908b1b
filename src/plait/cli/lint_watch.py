"""`plait lint --watch`: repeats lint whenever a file that the runs read changes."""

from __future__ import annotations

import sys

from plait.authoring.watch.changes import follow
from plait.base.errors import PlaitError
from plait.base.input_view import use_view
from plait.base.process import goes_on, idle_collector, stop_timer
from plait.base.similar_names import counted
from plait.cli.messages import complain_of
from plait.cli.streams import write_out
from plait.cli.watch import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.authoring.lint.finding import LintFinding
    from plait.authoring.lint.subject import LintProject
    from plait.base.input_view import InputView


def watch(
    look: Callable[[InputView], tuple[LintProject, list[LintFinding]]],
    report: Callable[[LintProject, list[LintFinding]], None],
    *,
    counts: bool,
) -> None:
    """Reports findings until the user interrupts. counts: print totals. Raises UsageError if files cannot be watched."""

    def work(view: InputView, changed: frozenset[str]) -> None:
        try:
            with use_view(view):
                subject, found = look(view)
            if counts:
                count = counted(len(found), "finding")
                write_out(f"{head(changed)}, {count}\n" if changed else f"{count}; Ctrl-C ends\n", is_harmless=True)
            report(subject, found)
        except PlaitError as error:
            sys.stdout.flush()
            complain_of(error)
        finally:
            stop_timer()

    goes_on()
    follow(work, idle=idle_collector())
