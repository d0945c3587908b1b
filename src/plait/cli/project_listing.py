"""The lists of `plait project`."""

from __future__ import annotations

import os

from plait.authoring.project.discovery import project_of
from plait.authoring.project.unknown_names import none_found
from plait.base.errors import PlaitError
from plait.base.path_errors import read_failure
from plait.base.similar_names import counted
from plait.cli.messages import complain_of
from plait.cli.progress import working
from plait.cli.runs import described
from plait.cli.streams import write_answer, write_out
from plait.engine.flags import words_of
from plait.tree.nodes import to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.project.file import Project


def list_runs(file: str, start: str, *, as_json: bool) -> int:
    """Lists the runs of a project. Returns the exit status: 1 if there is none. Raises PlaitError.

    file: the project file, or "" to search for it from `start`.
    """
    if not os.path.lexists(start):
        raise read_failure(start, subject=f'"{start}"')
    with working("looking for runs"):
        project = project_of(file, start)
    for run in project.runs.values():
        run.check()
    if as_json:
        write_out(_as_json(project))
    else:
        write_answer(_as_text(project))
    if not project.runs and not project.matrices:
        complain_of(PlaitError("no run was found", hint=none_found(), code="run-not-found"))
        return 1
    return 0


# Maximum number of environments of a matrix that are listed.
_SHOWN = 3


def _as_text(project: Project) -> str:
    is_there = project.runs or project.path
    out = [f"{project.path}:" if project.path else "no project file; inferred:"] if is_there else []
    out += [f"  {line}" for run in project.runs.values() for line in described(run)]
    for matrix in project.matrices.values():
        cells = matrix.cells()
        matrix.run(cells[0]).check()
        out.append(f"  {matrix.name}: {counted(len(cells), 'environment')}")
        out += [f"    {cell.name}" for cell in cells[:_SHOWN]]
        out += ["    ..."] if len(cells) > _SHOWN else []
    out += [f"  note: {note}" for note in project.notes]
    return "".join(f"{line}\n" for line in out)


def _as_json(project: Project) -> str:
    from json import dumps

    runs = [
        {
            "name": run.name,
            "command": run.command,
            "argv": words_of(run.request()),
            "given": None if run.given is None else to_plain(run.given),
            "why": run.why,
            "line": None if run.at is None else run.at.line,
        }
        for run in project.runs.values()
    ]
    found: dict[str, object] = {"file": project.path or None, "runs": runs, "notes": project.notes}
    if project.matrices:
        found["matrices"] = [
            {"name": one.name, "line": one.at.line, "runs": [cell.name for cell in one.cells()]}
            for one in project.matrices.values()
        ]
    return dumps(found, indent=1, ensure_ascii=False) + "\n"
