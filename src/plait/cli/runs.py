"""Prints runs of a project as command lines."""

from __future__ import annotations

from plait.cli.streams import note
from plait.engine.flags import words_of
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run


def described(run: Run) -> list[str]:
    """The name of a run, its command line, its evidence if it is inferred, and its values, as lines."""
    out = [run.name, f"  plait {_typed(run)}"]
    if run.why:
        out.append(f"  because {run.why}")
    if run.given is not None:
        out.append("  with")
        out += [f"    {line}" for line in write_value(run.given).removesuffix("\n").split("\n")]
    return out


# Maximum number of inferred runs that are named.
_NAMED = 3


def announced(project: Project, *chosen: Run) -> Project:
    """The project, after printing inferred runs to standard error, because the user did not name them. chosen: the only
    ones that are used.
    """
    if not project.path and project.runs:
        runs = [*(chosen or project.runs.values())]
        for run in runs[:_NAMED]:
            note(f"plait: no plait.yml; inferred: plait {_typed(run)}\n")
        if len(runs) > _NAMED:
            note(f"plait: no plait.yml; inferred {len(runs) - _NAMED} more runs: plait project lists them\n")
    return project


def _typed(run: Run) -> str:
    from shlex import join

    return join([run.command, *words_of(run.request())])
