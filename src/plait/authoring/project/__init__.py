"""Projects: named runs with their inputs and settings, for all tools (docs/project.md).

`file` reads a project file, `guessing` infers runs without one, `settings` declares the settings, `run` evaluates a
run.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project.file import Project, find, read
    from plait.authoring.project.run import Run
    from plait.authoring.project.run_inference import guess

__all__ = ["Project", "Run", "find", "guess", "read"]

_HOMES = {"Project": "file", "Run": "run", "find": "file", "guess": "run_inference", "read": "file"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
