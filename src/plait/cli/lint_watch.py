"""`plait lint --watch`: the findings again whenever a file that the runs read changes."""

from __future__ import annotations

import sys

from plait.authoring.watch.changes import follow
from plait.base.errors import PlaitError
from plait.base.input_view import seen
from plait.base.process import goes_on, stop_timer, tidier
from plait.base.similar_names import counted
from plait.cli.messages import complain_of
from plait.cli.streams import write_out
from plait.cli.watch import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.authoring.lint.finding import Finding
    from plait.authoring.lint.subject import Subject
    from plait.base.input_view import View


def watch(
    look: Callable[[View], tuple[Subject, list[Finding]]],
    report: Callable[[Subject, list[Finding]], None],
    *,
    counts: bool,
) -> None:
    """Report findings until the user interrupts. Raises UsageError where files cannot be watched. counts: print their number."""

    def work(view: View, changed: frozenset[str]) -> None:
        try:
            with seen(view):
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
    follow(work, idle=tidier())
