"""Finds the project of a path: from a project file, or inferred."""

from __future__ import annotations

import os

from plait.authoring import project as package
from plait.authoring.project.file import find, read
from plait.authoring.project.run import relative_to_cwd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project.file import Project


def project_of(path: str, start: str) -> Project:
    """The project of a project file or of a path. Raises PlaitError."""
    if path:
        if not os.path.lexists(path):
            raise package.unknown_names.missing_project(path)
        return read(path)
    found = find(start)
    if found is not None:
        return read(relative_to_cwd(found))
    from plait.authoring.project.run_inference import guess

    return guess(start)


def project_at(path: str | os.PathLike[str]) -> Project:
    """The project of a project file, or of a directory. Raises PlaitError."""
    place = os.fspath(path)
    return project_of("", place) if os.path.isdir(place) else project_of(place, os.curdir)
