"""Messages about exceptions of Python: limits, missing extras, and internal errors."""

from __future__ import annotations

import sys

from plait.base.errors import LimitError, PlaitError
from plait.base.extras import missing_extra
from plait.base.version import __version__
from plait.cli.streams import TYPED


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
