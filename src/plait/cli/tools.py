"""Helpers for commands: nested command lines, arguments, sizes, numbers of processes."""

from __future__ import annotations

import sys

from plait.base.errors import UsageError
from plait.engine import dialect
from plait.engine.common import JOBS, TRUST
from plait.engine.flags import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.engine.flags import AnyCommand
    from plait.engine.options import Declared, Option, Request

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def table(name: str, more: Iterable[Option] = ()) -> Command[Request]:
    """The command line of a dialect inside that of another command. name: one of DIALECTS. more: options of that
    command that are accepted there as well, in addition to `--trust`.
    """
    cls = dialect(name)
    known = {one.attribute for one in cls.options}
    added = {one.attribute: one for one in (TRUST, *more) if one.attribute not in known}
    about = type(cls.__name__, (cls,), {"__slots__": (), **added})
    return Command(about, "plait render template" if name == "render" else "")


def only_argument(command: AnyCommand, flags: Request, noun: str, default: str) -> str:
    """The argument of a command with at most one. Raises UsageError if there are more."""
    if len(flags.arguments) > 1:
        raise UsageError(
            f"{command.name} takes one {noun}",
            expected=f"{command.name} {command.request.usage}",
            found=" ".join(flags.arguments),
            hint=f"one command for each: {command.name} {flags.arguments[0]}",
            code="missing-argument",
        )
    return flags.arguments[0] if flags.arguments else default


def size_of(flags: Request, option: Declared) -> int:
    """The bytes of an option, such as 500M. Raises UsageError."""
    text = flags.value(option)
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise UsageError(
            f'invalid --{option.name} "{text}"', expected="a number of bytes, such as 500M", code="invalid-value"
        )
    return int(digits) * unit


def jobs_of(flags: Request) -> int:
    """The number of processes. Raises UsageError."""
    jobs: int = flags.value(JOBS)
    if jobs < 1:
        raise UsageError(
            "invalid --jobs", expected="a number of processes, at least 1", found=str(jobs), code="invalid-value"
        )
    return jobs


def confirmed(question: str, instead: str) -> bool:
    """True if the user at the terminal answers yes. instead: the flags that make the question unnecessary. Raises
    UsageError if there is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("there is no terminal for the question", expected=instead, code="no-terminal")
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
