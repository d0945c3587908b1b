"""Standard error in the log of a GitHub workflow."""

from __future__ import annotations

import sys

from plait.insight.workflow import without_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO


class WorkflowLog:
    """Standard error in the log of a GitHub workflow. Lines from inputs cannot be workflow commands."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(without_commands(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def guard_workflow() -> None:
    """Removes workflow commands from everything written to standard error, except by `annotate`."""
    sys.stderr = WorkflowLog(sys.stderr)


def annotate(text: str) -> None:
    """Writes GitHub annotations to standard error."""
    log: object = sys.stderr
    (log.stream if isinstance(log, WorkflowLog) else sys.stderr).write(text)
