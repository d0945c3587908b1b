"""Hints for an error about the whole command line. Loaded only for an error."""

from __future__ import annotations

import os

from plait.cli.messages import reads_flags_late
from plait.cli.project import is_run
from plait.cli.unknown_flags import unknown_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import PlaitError

# The commands that read only files, with what to do with a run.
_EVALUATE = "plait run {name} evaluates it"
_OF_RUNS = {
    **dict.fromkeys(("compose", "fmt", "layer", "patch", "render", "schema"), _EVALUATE),
    "diff": "plait fleet diff A B compares two runs, and plait review BASE two revisions",
    "test": "plait test without a name runs the tests of all runs",
    "trust": "plait trust without a name is about the whole project",
}


def with_late_hint(error: PlaitError, argv: Sequence[str]) -> PlaitError:
    """The error with a hint about an unread flag, or about the name of a run in place of a file."""
    if reads_flags_late(error):
        error = unknown_flag(argv, error)
    if error.code == "file-not-found":
        _relate_run(error, argv)
    return error


def _relate_run(error: PlaitError, argv: Sequence[str]) -> None:
    """Replaces the hint of an error about a missing file if a file on the command line is the name of a run."""
    advice = _OF_RUNS.get(argv[0])
    if advice is None or error.at is not None:
        return
    name = next((word for word in argv[1:] if word and not os.path.lexists(word) and is_run(word)), None)
    if name is not None:
        error.hint = f'"{name}" is a run of the project, and not a file: {advice.format(name=name)}'
