"""Parses command lines of ytt, bosh and plait to find the files that they name."""

from __future__ import annotations

import shlex

from plait.authoring.project.inference.programs import command_line
from plait.authoring.project.inference.shell import Invocation, ShellWord
from plait.base.errors import UsageError
from plait.engine.options import SWITCH
from plait.integrations.playground.evaluation import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from plait.engine.options import Option
    from plait.integrations.playground.evaluation import Request

    class Commanded(TypedDict):
        """A parsed command line. paths: the paths of the named files, with their roles. left: words that the page does
        not support.
        """

        kind: str
        paths: list[tuple[str, str]]
        left: list[str]


# The command lines that the page reads.
_PROGRAMS = frozenset({"ytt", "bosh int", "bosh interpolate", *(f"plait {kind}" for kind in KINDS)})


def command(request: Request) -> Commanded:
    """The files that a command line of ytt, bosh or plait names. Raises UsageError."""
    try:
        words = shlex.split(request["command"], comments=True)
    except ValueError as error:
        raise UsageError(f"the command line cannot be read: {error}", code="website-request") from None
    if words[:1] == ["$"]:
        words.pop(0)
    line = command_line(Invocation([ShellWord(word, word, 1) for word in words], None, 1, reads_pipe=False), KINDS)
    if line is None or line.program not in _PROGRAMS:
        raise UsageError(
            "the page does not accept this command line",
            expected="ytt ..., bosh int ..., or plait render, patch, layer or compose",
            code="website-request",
        )
    paths: list[tuple[str, str]] = []
    left: list[str] = []
    for use in line.uses():
        option: Option = use.option
        role = _role(line.command, option)
        if role and line.command == "patch" and option.is_argument:
            paths.insert(0, (str(use.value), role))  # the base
        elif role:
            paths.append((str(use.value), role))
        elif option.has_effect:
            left.append(f"--{option.name}" if option.kind == SWITCH else f"--{option.name} {use.value}")
    left += line.omitted
    if not paths:
        raise UsageError(
            "the command line names no files",
            expected="ytt -f config, bosh int base.yml -o ops.yml, plait render -f config",
            code="website-request",
        )
    return {"kind": line.command, "paths": paths, "left": left}


def _role(kind: str, option: Option) -> str:
    """The role of the file in an option; "" if the option has none."""
    if option.is_argument:
        return "input"
    if kind == "render":
        return {"inputs": "input", "values_files": "values"}.get(option.attribute, "")
    if kind == "patch":
        return {"operations": "input", "variables_files": "values"}.get(option.attribute, "")
    return "values" if option.attribute == "values_files" else ""
