"""Progress of a fleet: a changing line on a terminal, a line every ten seconds elsewhere, or events."""

from __future__ import annotations

import sys
from json import dumps
from time import monotonic

from plait.base.styles import is_dumb
from plait.cli.streams import complain, guarded, write_out
from plait.fleet.progress import NullReporter
from plait.fleet.run_result import FAILED
from plait.fleet.summary import duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.cli.terminal import Terminal
    from plait.fleet.progress import FleetReporter
    from plait.fleet.run_result import RunResult


class LogReporter(NullReporter):
    """Prints progress to standard error: finished runs, runs per second, and the remaining time."""

    # Seconds before the first line, and between lines.
    _FIRST = _EACH = 10.0

    def __init__(self) -> None:
        self._start = self._last = monotonic()
        self._total = self._up_to_date = self._done = self._failed = 0

    def begin(self, total: int, up_to_date: int) -> None:
        self._start = monotonic()
        self._last = self._start + self._FIRST - self._EACH
        self._total, self._up_to_date = total, up_to_date

    def outcome(self, outcome: RunResult) -> None:
        self._done += 1
        self._failed += outcome.status == FAILED
        self.tick()

    def tick(self) -> None:
        now = monotonic()
        if now - self._last >= self._EACH:
            self._last = now
            self._show(self.line(now - self._start))

    def line(self, seconds: float) -> str:
        """The progress line after a number of seconds."""
        done = self._up_to_date + self._done
        rate = self._done / seconds if seconds > 0 else 0.0
        text = f"plait: {done} of {self._total} runs"
        if self._failed:
            text += f", {self._failed} failed"
        if rate:
            text += f", {rate:.1f}/s, {duration((self._total - done) / rate)} left"
        return text

    def _show(self, line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


class StatusLineReporter(LogReporter):
    """Prints progress on one line, which is removed at the end."""

    _FIRST = 1.0
    _EACH = 0.2

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._terminal = terminal

    def end(self, counts: Mapping[str, int], seconds: float) -> None:  # noqa: ARG002 - of the protocol
        self._terminal.show("")

    def _show(self, line: str) -> None:
        self._terminal.show(line)


class EventReporter(NullReporter):
    """Prints events to standard output: a line of JSON for the start, each run, and the end."""

    def begin(self, total: int, up_to_date: int) -> None:
        self._write({"event": "begin", "runs": total, "up_to_date": up_to_date})

    def outcome(self, outcome: RunResult) -> None:
        event: dict[str, object] = {"event": "run", "run": outcome.name, "status": outcome.status}
        event["seconds"] = round(outcome.seconds, 4)
        if outcome.error:
            event["error"] = outcome.error
        if outcome.warnings:
            event["warnings"] = list(outcome.warnings)
        if found := outcome.diagnostics:
            event["diagnostics"] = [one.data() for one in found]
        self._write(event)

    def end(self, counts: Mapping[str, int], seconds: float) -> None:
        self._write({"event": "end", "counts": dict(counts), "seconds": round(seconds, 3)})

    def _write(self, event: Mapping[str, object]) -> None:
        write_out(dumps(event) + "\n")


class RunReporter(NullReporter):
    """Prints each finished run to standard error."""

    def outcome(self, outcome: RunResult) -> None:
        complain(f"plait: run {outcome.name}: {outcome.status}\n")


def for_people(*, verbose: bool) -> FleetReporter:
    """The reporter that prints progress to standard error. verbose: each run."""
    if verbose:
        return RunReporter()
    terminal = guarded()
    return LogReporter() if terminal is None or is_dumb() else StatusLineReporter(terminal)
