"""Finds the project file for a command."""

from __future__ import annotations

import os

from plait.authoring.project.file import find
from plait.authoring.project.run import relative_to_cwd
from plait.base.errors import ReadError
from plait.base.path_errors import read_failure
from plait.base.permissions import FILE_NAMES
from plait.base.source import Advice, Flag


def project_file(path: str) -> str:
    """The project file of an argument, or of the working directory. Raises ReadError."""
    if path:
        if not os.path.lexists(path):
            raise read_failure(
                path, subject=f'"{path}"', expected="a project file", hint=Advice(Flag("only", path), " selects a run")
            )
        return path

    found = find(os.curdir)
    if found is None:
        raise ReadError(
            "there is no project file",
            expected=" or ".join(FILE_NAMES),
            hint="plait init creates one",
            code="no-project-file",
        )
    return os.path.join(relative_to_cwd(os.path.dirname(found)), os.path.basename(found))
