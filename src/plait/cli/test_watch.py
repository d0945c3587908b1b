"""`plait test --watch`: repeats the tests that read a changed file, in one warm process."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from plait.authoring.testing.evaluating import Evaluator
from plait.authoring.testing.last_failed import remember
from plait.authoring.testing.running import results
from plait.authoring.watch.changes import follow
from plait.base.errors import PlaitError
from plait.base.input_view import InputView, use_view
from plait.base.process import idle_collector, stop_timer
from plait.base.similar_names import counted
from plait.cli.colour import in_colour
from plait.cli.messages import complain_of
from plait.cli.streams import write_out
from plait.cli.test_output import TerminalReporter
from plait.cli.watch import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.authoring.testing.cases import Case
    from plait.authoring.testing.functions import FunctionCase


def watch(cases: Callable[[], list[Case | FunctionCase]], *, verbose: bool, update: bool) -> None:
    """Runs tests until the user interrupts. Raises UsageError if files cannot be watched.

    cases: reads the tests. verbose, update: as the flags of `plait test`.
    """
    follow(TestWatcher(cases, verbose=verbose, update=update).work, idle=idle_collector())
    if sys.stdout.isatty():
        write_out("\n")


class TestWatcher:
    """The files that each test read in its last run."""

    def __init__(self, cases: Callable[[], list[Case | FunctionCase]], *, verbose: bool, update: bool) -> None:
        self._cases = cases
        self._is_verbose = verbose
        self._updates = update
        self._evaluator = Evaluator()
        self._reads: dict[str, InputView] = {}

    def work(self, view: InputView, changed: frozenset[str]) -> None:
        """Runs the affected tests and prints the results; mistakes in test files are printed too."""
        start = perf_counter()
        try:
            with use_view(view):
                cases = self._cases()
            cases = [case for case in cases if self._is_due(case, changed)]
            self._run(cases, changed, start)
        except PlaitError as error:
            sys.stdout.flush()
            complain_of(error)
        finally:
            if not changed:
                write_out("watching the files they read; Ctrl-C ends\n")
            stop_timer()
            for one in self._reads.values():
                view.files.update(one.files)
                view.directories.update(one.directories)

    def _is_due(self, case: Case | FunctionCase, changed: frozenset[str]) -> bool:
        known = self._reads.get(case.id)
        if not changed or known is None or os.path.abspath(case.file) in changed:
            return True
        return any(
            path in known.files or path in known.directories or os.path.dirname(path) in known.directories
            for path in changed
        ) or any(os.path.basename(path) in ("plait.yml", "plait.yaml") for path in changed)

    def _run(self, cases: list[Case | FunctionCase], changed: frozenset[str], start: float) -> None:
        if changed:
            write_out(f"{head(changed)}, {counted(len(cases), 'test')}\n", is_harmless=True)
        if not cases:
            write_out("" if changed else "no tests were found\n")
            return
        teller = TerminalReporter(len(cases), verbose=self._is_verbose, colour=in_colour())
        done = []
        running = results(cases, update=self._updates, evaluator=self._evaluator)
        for case in cases:
            self._evaluator.reads = self._reads[case.id] = InputView()
            one = next(running)
            done.append(one)
            teller.result(one)
        teller.end(done, (), perf_counter() - start)
        remember(done)
