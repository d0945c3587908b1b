"""Errors for flags and arguments that a command has, but cannot use together. Loaded only for an error."""

from __future__ import annotations

from os.path import lexists

from plait.base.errors import UsageError, did_you_mean
from plait.base.similar_names import listed
from plait.engine.common import FALSE, TRUE
from plait.engine.options import SWITCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from plait.engine.options import Option, Request


def misused(command: str, flags: Sequence[Option], found: Request, settings: Container[str]) -> UsageError:
    """The error for a superfluous argument, or for a flag without one that it requires. command: the name of the command.
    flags: those of the command. settings: as of `Command.parse`.
    """
    lacking = found.lacking(settings)
    is_superfluous = bool(found.arguments) and not found.usage
    error = _superfluous(command, flags, found) if is_superfluous or lacking is None else _alone(flags, lacking)
    error.parsed = found
    return error


def _superfluous(command: str, flags: Sequence[Option], found: Request) -> UsageError:
    extra = ", ".join(found.arguments)
    known = [name for name, _ in found.commands]
    return UsageError(
        f"command '{command}' does not accept extra arguments '{extra}'",
        reference=f"command '{command}' does not accept extra arguments '{found.arguments[0]}'",
        hint=_flag_as_value(flags, found)
        or did_you_mean(found.arguments[0], known)
        or _argument_hint(flags, found)
        or f"{command} --help lists the flags",
        code="unexpected-argument",
    )


def _alone(flags: Sequence[Option], option: Option) -> UsageError:
    needed = [flag for flag in flags if flag.attribute in option.requires]
    names = listed([f"--{flag.name}" for flag in needed])
    form = f"--{needed[0].name} {needed[0].value}".rstrip()
    return UsageError(
        f"--{option.name} has no effect without {names}",
        hint=f"add {form}, or remove --{option.name}",
        code="flag-conflict",
    )


def _flag_as_value(flags: Sequence[Option], found: Request) -> str | None:
    """A hint about a flag whose value is the flag after it, so that the value of that one is superfluous."""
    names = {f"--{flag.name}" for flag in flags if flag.kind != SWITCH}
    for use in found.uses:
        if use.value in names and not use.option.is_argument:
            form = f"--{use.option.name} {use.option.value}"
            return f'--{use.option.name} has the value "{use.value}": {form} {use.value} {found.arguments[0]}'
    return None


def _argument_hint(flags: Sequence[Option], found: Request) -> str | None:
    """A hint about a superfluous argument, which was probably intended as the value of a switch, or as an input."""
    first = found.arguments[0]
    if first in TRUE or first in FALSE:
        last = [use.option for use in found.uses if use.option.kind == SWITCH][-1:]
        if last:
            return f"a switch takes its value after an equals sign: --{last[0].name}={first}"

    if "f" in [flag.short for flag in flags] and (lexists(first) or "." in first or "/" in first):
        return f"pass an input with a flag: -f {first}"
    return None
