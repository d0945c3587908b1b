"""`plait.set`: edits an output value in the file it comes from."""

from __future__ import annotations

import os

from plait.api.arguments import checked
from plait.api.isolation import with_error_facts
from plait.authoring.edit.public_functions import set_value
from plait.authoring.project.discovery import project_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.edit.setting import Edit


@with_error_facts
@checked
def set(
    project: str | os.PathLike[str], path: str, value: object, *, run: str = "", add: bool = False, write: bool = False
) -> Edit:
    """Changes a value of a run's output by editing the file it comes from, as `plait set` does.

    project: a project file, or a directory.
    path: the PATH of the value, as in `plait.explain`.
    value: plain data.
    run: the name of the run; optional if the project has only one.
    add: the last key of the path may be missing.
    write: write the edited files, all of them or none; by default they are only in the result.

    Raises EditError with the reason if the value cannot be edited, UsageError for a path that matches none or several
    values, and the errors of the run.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("app.yml").write_text("port: 80  # public")
    >>> _ = pathlib.Path("plait.yml").write_text("runs: {app: {render: {files: [app.yml]}}}")
    >>> edit = plait.set(".", "port", 8080, write=True)
    >>> pathlib.Path("app.yml").read_text()
    'port: 8080  # public'
    """
    edit = set_value(project_at(project).run(run), path, value, add=add)
    if write:
        edit.write(also=True)
    return edit
