"""`plait.lint`: the findings about the runs of a project."""

from __future__ import annotations

import os

from plait.api.arguments import checked
from plait.api.isolation import with_error_facts
from plait.authoring.lint.linter import lint as findings
from plait.authoring.project.discovery import project_at
from plait.authoring.project.unknown_names import no_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lint.finding import LintFinding


@with_error_facts
@checked
def lint(
    project: str | os.PathLike[str] = ".",
    runs: Sequence[str] = (),
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    portable: Sequence[str] = (),
) -> list[LintFinding]:
    """The findings about the runs of a project, by file and line, as `plait lint` reports them.

    project: a project file, or a directory; if there is no project file in it or above, the runs are inferred. runs:
    names of runs, or patterns; by default all, and the first environments of each matrix. select: codes, prefixes,
    names or families to report, instead of the default ones. ignore: codes, prefixes, names or families not to report.
    portable: ytt, bosh or deckhand; also reports constructs that these programs reject or interpret differently.

    Raises PlaitError if a run fails, UsageError for an unknown run or code, and for a project without runs.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("base.yml").write_text("debug: yes")
    >>> _ = pathlib.Path("plait.yml").write_text("runs: {app: {patch: {base: base.yml}}}")
    >>> [(one.line, one.code, one.message) for one in plait.lint(".")]
    [(1, 'R401', 'yes is true in YAML 1.1, and the text "yes" in 1.2')]
    """
    found = project_at(project)
    if not found.runs:
        raise no_runs()
    return findings(found, runs, select=select, ignore=ignore, portable_to=portable)
