"""`plait.project` and `plait.run`: the runs of a project file."""

from __future__ import annotations

import os

from plait.api.arguments import checked
from plait.api.current_engine import current_reuse
from plait.api.isolation import with_error_facts
from plait.authoring.project.discovery import project_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project import file
    from plait.engine.results import Documents


class Project:
    """A project: its named runs.

    path: the path of the project file; "" if the runs are inferred. runs: their names, those of environments of
    matrices included. descriptions: the description of each in the project file, the axis values of an environment, or
    the evidence for an inferred run; "" for none.
    """

    __slots__ = ("_project", "descriptions", "path", "runs")

    def __init__(self, project: file.Project) -> None:
        self._project = project
        self.path: str = project.path
        self.descriptions: dict[str, str] = {name: run.description or run.why for name, run in project.runs.items()}
        for matrix in project.matrices.values():
            self.descriptions |= {one.name: matrix.description or one.description for one in matrix.cells()}
        self.runs: list[str] = [*self.descriptions]

    def __repr__(self) -> str:
        return f"<Project of {len(self.runs)}: {', '.join(self.runs[:_NAMED])}{', ...' if self.runs[_NAMED:] else ''}>"

    @with_error_facts
    def run(self, name: str = "", *, trace: bool = False) -> Documents:
        """Evaluates a run, as `plait.run` does."""
        return _evaluated(self._project, name, trace=trace)


_NAMED = 6


def _evaluated(project: file.Project, name: str, *, trace: bool) -> Documents:
    return project.run(name).evaluate(trace=trace, engine=current_reuse())


@with_error_facts
@checked
def project(path: str | os.PathLike[str] = ".") -> Project:
    """The project of a project file, or of a directory: that of a plait.yml in it or above, or the runs inferred from
    its files.

    Raises PlaitError for a project file that cannot be read.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("app.yml").write_text("port: 80")
    >>> _ = pathlib.Path("plait.yml").write_text("runs: {app: {render: {files: [app.yml]}}}")
    >>> project = plait.project()
    >>> project.runs
    ['app']
    >>> project.run("app").to_dict()
    {'port': 80}
    """
    return Project(project_at(path))


@with_error_facts
@checked
def run(project: str | os.PathLike[str], name: str = "", *, trace: bool = False) -> Documents:
    """The documents of a run of a project, as `plait run` prints them.

    project: a project file, or a directory.
    name: the name of the run; optional if the project has only one.
    trace: record histories, for `plait.explain`.

    Raises UsageError for an unknown run, and the errors of the run.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("app.yml").write_text("port: 80")
    >>> _ = pathlib.Path("plait.yml").write_text("runs: {app: {render: {files: [app.yml]}}}")
    >>> plait.run(".", "app", trace=True).value("port")
    80
    """
    return _evaluated(project_at(project), name, trace=trace)
