"""Suggestions for an unknown flag: similar names, and equivalents of other programs' flags."""

from __future__ import annotations

from os.path import lexists

from plait.base.similar_names import listed, near
from plait.engine import DIALECTS
from plait.engine.common import FALSE, TRUE
from plait.engine.options import SWITCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import UsageError
    from plait.engine.options import Request

# Flags of helm, kubectl, kustomize, spruce and similar programs, and parts of names.
_MEANT = {
    "data-value-files": ("data-values-file",),
    "apply": ("write",),
    "data-values": ("data-values-file", "data-value"),
    "filename": ("file",),
    "format": ("output",),
    "in-place": ("write",),
    "inspect": ("data-values-inspect",),
    "input": ("file",),
    "op": ("ops-file",),
    "output-dir": ("output-files",),
    "output-directory": ("output-files",),
    "param": ("var", "data-value"),
    "set": ("data-value-yaml", "data-value", "var"),
    "set-file": ("data-value-file", "var-file"),
    "set-string": ("data-value",),
    "show-only": ("name",),
    "silent": ("quiet",),
    "value": ("data-value",),
    "values": ("data-values-file",),
    "values-file": ("data-values-file",),
    "var-files": ("vars-file",),
    "vars": ("vars-file", "var", "data-value"),
    "verbose": ("debug",),
    "werror": ("warnings",),
    "environment": ("only",),
    "filter": ("only",),
    "run": ("only",),
    "select": ("only",),
    "selector": ("only",),
    "where": ("only",),
    "yes": ("write",),
}
_MOST = 3


def meant_by(name: str, known: Sequence[str]) -> list[str]:
    """The most likely intended flags, at most three."""
    meant = [other for other in _MEANT.get(name, ()) if other in known]
    return list(dict.fromkeys([*meant, *near(name, known)]))[:_MOST]


def argument_hint(command: str, found: Request, *, reads_files: bool) -> str:
    """A hint about a superfluous argument, which was probably intended as the value of a switch, or as an input.

    reads_files: the flag -f names an input.
    """
    first = found.arguments[0]
    if first in TRUE or first in FALSE:
        last = [use.option for use in found.uses if use.option.kind == SWITCH][-1:]
        if last:
            return f"a switch takes its value after an equals sign: --{last[0].name}={first}"

    if reads_files and (lexists(first) or "." in first or "/" in first):
        return f"pass an input with a flag: -f {first}"
    return f"{command} --help lists the flags"


def relate_inputs(error: UsageError, command: str, usage: str, words: Sequence[str]) -> None:
    """Adds the form of a command line to the error about `-f` of a command without that flag. words: before it."""
    error.expected = f"{command} {usage}"
    error.hint = "inputs are given without a flag"
    if words and words[0] in DIALECTS:
        error.hint = RUNS_ONLY.format(command=command)


# The hint for the name of another command, of a command that accepts only runs of the project.
RUNS_ONLY = "{command} evaluates runs of the project file; plait project lists them, and plait init writes the file"


def flags_hint(name: str, known: Sequence[str], meant: Sequence[str] | None = None) -> str | None:
    """The hint for an unknown flag, or None. meant: the intended flags; by default the most likely ones."""
    meant = meant_by(name, known) if meant is None else meant
    if name == "dry-run" and not meant and "write" in known:
        return "nothing is written without --write"
    return f"did you mean {listed([f'--{one}' for one in meant], quote=chr(34))}?" if meant else None
