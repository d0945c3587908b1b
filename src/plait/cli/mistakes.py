"""Messages about unknown commands, and about internal errors."""

from __future__ import annotations

import os
import sys

from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.similar_names import did_you_mean
from plait.base.version import __version__
from plait.cli import COMMANDS, PLAIT, PROGRAM_VARIABLE, PROGRAMS
from plait.cli.streams import TYPED


def unknown_command(name: str) -> UsageError:
    """The error for an unknown command."""
    hint = _ELSEWHERE.get(name) or did_you_mean(name, [*COMMANDS, "version"])
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
    "pegleg": "plait layer --site site/NAME",
    "site": "plait layer --site site/NAME",
    "schema": "plait render -f config/ --data-values-schema-inspect -o json-schema",
    "secrets": "--secrets of render, patch and compose reads secret values: plait render --help",
    "template": "plait render -f config/",
    "validate": "plait render -f config/ fails when something is wrong; for layers plait layer --validate",
    "watch": "--watch of render, patch, layer, run and lint: plait render -f config/ --watch",
    "why": "plait explain render -f config/ PATH, or plait fleet why PATH",
    "ytt": "plait render -f config/",
}


def _damaged(error: Exception) -> str:
    """The file of Python's bytecode whose content is the cause of an error, or ""."""
    trace = error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if frame.f_code.co_name == "_compile_bytecode":
            return str(frame.f_locals.get("bytecode_path") or "")
    return ""


def known(error: Exception) -> PlaitError | None:
    """The error to report for an exception of Python, or None if plait itself is at fault."""
    if isinstance(error, RecursionError):
        # Results of templates, overlays and substitutions can be nested more deeply than the inputs.
        return LimitError("the data are nested too deeply", code="too-deep")
    if not isinstance(error, ModuleNotFoundError):
        return None
    from plait.base.extras import missing_extra

    return missing_extra(error)


def tell_internal(error: Exception) -> int:
    """Reports an internal error of plait. Returns the exit status."""
    damaged = _damaged(error)
    if damaged:
        sys.stderr.write(
            f"plait: a compiled file of the installation is damaged: {damaged}\n"
            "  hint:     remove it; Python compiles the module again\n"
        )
        return 1
    sys.stderr.write(
        f"plait: internal error: {type(error).__name__}: {error}\n"
        f"  This is a bug in plait {__version__}, not in your files. Please report it with the command and its input.\n"
    )
    if any(one.debug for one in TYPED.get([])):
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    else:
        sys.stderr.write("  hint:     --debug shows the details\n")
    return 70
