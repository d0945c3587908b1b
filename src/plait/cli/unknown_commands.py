"""Errors for unknown commands and programs. Loaded only for them."""

from __future__ import annotations

import os

from plait.base.errors import UsageError
from plait.base.similar_names import did_you_mean, listed, near
from plait.cli import COMMANDS, PLAIT, PROGRAM_VARIABLE, PROGRAMS


def unknown_command(name: str) -> UsageError:
    """The error for an unknown command."""
    similar = near(name, [*COMMANDS, "version"])
    hint = _ELSEWHERE.get(name) or (f"did you mean {listed(similar, quote=chr(34))}?" if similar else None)
    if name[:1] == "-":
        hint = f"start with a command: plait render {name} ..."
    if hint is None:
        hint = f"plait render -f {name}" if os.path.lexists(name) else "plait help lists the commands"
    return UsageError(f'unknown command "{name}"', hint=hint, code="unknown-command")


def unknown_program(name: str) -> UsageError:
    """The error for an unknown value of PLAIT_AS."""
    known = [*PROGRAMS, PLAIT]
    return UsageError(
        f'unknown {PROGRAM_VARIABLE} "{name}"',
        expected=", ".join(known),
        hint=did_you_mean(name, known),
        code="unknown-choice",
    )


# Maps names of commands in other programs to the corresponding plait command.
_ELSEWHERE = {
    "apply": "plait render -f config/ | kubectl apply -f -",
    "bosh": "plait patch base.yml -o ops.yml",
    "build": "plait render -f config/",
    "deckhand": "plait layer documents/",
    "eval": "plait render -f config/",
    "fix": "plait lint --fix",
    "format": "plait fmt -w config/",
    "helm": "plait render -f config/",
    "inspect": "plait render -f config/ --data-values-inspect",
    "int": "plait patch base.yml -o ops.yml",
    "interpolate": "plait patch base.yml -o ops.yml",
    "check": "plait render -f config/ fails when something is wrong; for layers plait layer --validate",
    "kustomize": "plait render -f config/",
    "merge": "plait render -f config/ --merge production.yml",
    "list": "plait project",
    "ls": "plait project",
    "pegleg": "plait layer --site site/NAME",
    "runs": "plait project",
    "site": "plait layer --site site/NAME",
    "schema": "plait render -f config/ --data-values-schema-inspect -o json-schema",
    "secrets": "--secrets of render, patch and compose reads secret values: plait render --help",
    "template": "plait render -f config/",
    "validate": "plait render -f config/ fails when something is wrong; for layers plait layer --validate",
    "watch": "--watch of render, patch, layer, run and lint: plait render -f config/ --watch",
    "why": "plait explain render -f config/ PATH, or plait fleet why PATH",
    "ytt": "plait render -f config/",
}
