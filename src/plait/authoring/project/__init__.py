"""Projects: named runs with inputs and settings, for all tools (docs/project.md).

`file` reads a project file, `run_inference` infers runs without one, `run` evaluates a run.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project.file import Project, find, read
    from plait.authoring.project.run import Run
    from plait.authoring.project.run_inference import guess

__all__ = ["Project", "Run", "find", "guess", "project_of", "read"]

_HOMES = {"Project": "file", "Run": "run", "find": "file", "guess": "run_inference", "read": "file"}


def project_of(path: str, start: str) -> Project:
    """The project of a path, or the one that a place belongs to. Raises PlaitError."""
    from plait.authoring.project.file import find, read
    from plait.authoring.project.run import from_here

    if path:
        return read(path)
    found = find(start)
    if found is not None:
        return read(from_here(found))
    from plait.authoring.project.run_inference import guess

    return guess(start)


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
