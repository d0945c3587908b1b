"""Finds the project file for a command."""

from __future__ import annotations

import os

from plait.authoring.project.file import find
from plait.authoring.project.run import relative_to_cwd
from plait.base.errors import ReadError
from plait.base.path_errors import read_failure
from plait.base.permissions import FILE_NAMES
from plait.base.similar_names import did_you_mean
from plait.base.source import Advice, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def project_file(path: str, subcommands: Iterable[str] = ()) -> str:
    """The project file of an argument, or of the working directory. subcommands: words that were possible, too.

    Raises ReadError.
    """
    if path:
        if not os.path.lexists(path):
            hint = did_you_mean(path, subcommands) or Advice(Flag("only", path), " selects a run")
            raise read_failure(path, subject=f'"{path}"', expected="a project file", hint=hint)
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
