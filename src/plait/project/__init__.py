"""Projects: what is rendered with what, under names, for all tools that need to know it (docs/project.md).

`file` reads a project file, `guessing` does without one, `settings` knows what a run may set, `run` runs it.
"""

from __future__ import annotations

from plait.lazy import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.project.file import Project, find, read
    from plait.project.guessing import guess
    from plait.project.run import Run

__all__ = ["Project", "Run", "find", "guess", "read"]

_HOMES = {"Project": "file", "Run": "run", "find": "file", "guess": "guessing", "read": "file"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
