"""The files of a reduced input: the inputs, a command line, and a project with the run and a test case."""

from __future__ import annotations

from shlex import join

from plait.authoring.reduce.candidates import moved, path_of_use
from plait.engine import dialect
from plait.engine.flags import words_of
from plait.engine.options import LISTS, SWITCH
from plait.tree.nodes import from_plain
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.reduce.behaviours import Behaviour
    from plait.authoring.reduce.candidates import Candidate
    from plait.engine.options import Use

# The directory of the inputs, which may be an input itself, so nothing else is in it.
INPUTS = "input"
PROJECT = "plait.yml"
NAME = "reduced"
COMMAND = "command.txt"


def command_line(command: str, candidate: Candidate) -> str:
    """The command line of a candidate in the directory of its result."""
    return join(["plait", command, *words_of(dialect(command).of(_moved(candidate)))])


def result_files(command: str, candidate: Candidate, behaviour: Behaviour) -> list[tuple[str, str]]:
    """The paths and texts of a result."""
    found = [
        (f"{INPUTS}/{name}", data.decode("utf-8", "surrogateescape")) for name, data in sorted(candidate.files.items())
    ]
    found.append((COMMAND, command_line(command, candidate) + "\n"))
    expectation = behaviour.expectation()
    project: dict[str, object] = {"runs": {NAME: {command: _settings(_moved(candidate))}}}
    if expectation is not None:
        project["tests"] = {NAME: {"run": NAME, **expectation}}
    found.append((PROJECT, write_value(from_plain(project)) + "\n"))
    return found


def _moved(candidate: Candidate) -> list[Use]:
    return [
        moved(use, INPUTS if path == "." else f"{INPUTS}/{path}") if (path := path_of_use(use)) else use
        for use in candidate.uses
    ]


def _settings(uses: Sequence[Use]) -> Mapping[str, object]:
    """The settings of a run with these uses."""
    found: dict[str, object] = {}
    for use in uses:
        option = use.option
        if not option.setting:
            continue
        if option.kind in LISTS:
            some = found.setdefault(option.setting, [])
            assert isinstance(some, list)
            some.append(use.value)
        else:
            found[option.setting] = bool(use.value) if option.kind == SWITCH else use.value
    return found
