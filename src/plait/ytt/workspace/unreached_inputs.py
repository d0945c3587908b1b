"""Reports inputs whose programs were never started to the coverage listener (see `plait.base.events`). Imported only if
there is a listener.
"""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.ytt.templates.points import points_of
from plait.ytt.workspace import input_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.base.events import CoverageListener
    from plait.ytt.workspace.input_files import InputFile


def report_unused(listener: CoverageListener, inputs: Iterable[InputFile]) -> None:
    """Reports the points of templates and Starlark files that were not evaluated, such as those of an unused library."""
    for file in inputs:
        if file.type == input_files.DATA or file.is_plain or file.prepared:
            continue
        try:
            points = points_of(file.source, file.type)
        except PlaitError:
            continue  # the file is invalid, and no evaluation needed it
        if points:
            listener.program(file.source, points)
