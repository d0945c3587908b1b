"""Suggestions for an unknown flag, by the nearest names and flags of other programs, and for a superfluous argument."""

from __future__ import annotations

from plait.engine.flags import FALSE, TRUE
from plait.engine.options import SWITCH
from plait.spell import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from plait.engine.flags import Command
    from plait.engine.options import Request

# Of helm, kubectl, kustomize, spruce and the like, and names that are half of one.
_MEANT = {
    "data-values": ("data-values-file", "data-value"),
    "filename": ("file",),
    "format": ("output",),
    "inspect": ("data-values-inspect",),
    "input": ("file",),
    "op": ("ops-file",),
    "output-dir": ("output-files",),
    "output-directory": ("output-files",),
    "param": ("var", "data-value"),
    "set": ("data-value", "data-value-yaml", "var"),
    "set-file": ("data-value-file", "var-file"),
    "set-string": ("data-value",),
    "show-only": ("name",),
    "silent": ("quiet",),
    "value": ("data-value",),
    "values": ("data-values-file",),
    "values-file": ("data-values-file",),
    "vars": ("vars-file", "var", "data-value"),
    "verbose": ("debug",),
    "werror": ("warnings",),
}
_MOST = 3


def meant_by(name: str, known: Sequence[str]) -> list[str]:
    """The most likely intended flags of a command, at most three."""
    meant = [other for other in _MEANT.get(name, ()) if other in known]
    return list(dict.fromkeys([*meant, *near(name, known)]))[:_MOST]


def argument_hint(command: Command[Any], found: Request) -> str | None:
    """A hint about an argument that was meant as a switch's value or as an input, or None."""
    first = found.arguments[0]
    if first in TRUE or first in FALSE:
        last = [use.option for use in found.uses if use.option.kind == SWITCH][-1:]
        if last:
            return f"a switch takes its value after an equals sign: --{last[0].name}={first}"
    from os.path import lexists

    if any(flag.short == "f" for flag in command.flags) and (lexists(first) or "." in first or "/" in first):
        return f"an input is given with a flag: -f {first}"
    return f"{command.name} --help shows what there is"
