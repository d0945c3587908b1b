"""What commands do with options that several of them have: limits, warnings, `--source-map`."""

from __future__ import annotations

import os

from plait.content import Links
from plait.engine.common import ERROR, HIDE, JOBS, SOURCE_MAP, WAYS
from plait.errors import UsageError
from plait.limits import Allowance, Limits, allowance, limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.context import Context, Originals
    from plait.engine.flags import Command
    from plait.engine.options import Request
    from plait.nodes import DocumentSet
    from plait.provenance import Trace


def within_limits(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a command; the limits that it sets end with it. Raises what the command raises."""
    from plait.content import OUTPUT_LINKS as ALLOWED
    from plait.process import within_memory

    current = allowance()
    links = ALLOWED.set(ALLOWED.get())
    try:
        with limited(Allowance(current.limits, current.keeper)):
            return within_memory(lambda: command(argv))
    finally:
        ALLOWED.reset(links)


def without_end(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a command that is declared to be long-running: no timer ends it. Each of its runs has limits of its own."""
    from plait.process import ENDLESS, stop_timer

    stop_timer()
    with limited(Limits(seconds=ENDLESS)):
        return within_limits(command, argv)


class following_links:  # noqa: N801 - reads as what it does
    """`with following_links():` lets typed paths lead out of a Git repository, as those of ytt and bosh do."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        from plait.content import OUTPUT_LINKS as ALLOWED

        self._token = ALLOWED.set(Links(every=True))

    def __exit__(self, *_: object) -> None:
        from plait.content import OUTPUT_LINKS as ALLOWED

        ALLOWED.reset(self._token)


_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def only_argument(command: Command, flags: Request, noun: str, default: str) -> str:
    """The argument of a command that takes one of them at most. Raises UsageError for more."""
    if len(flags.arguments) > 1:
        raise UsageError(f"{command.name} takes one {noun}", found=" ".join(flags.arguments))
    return flags.arguments[0] if flags.arguments else default


def size_of(flags: Request, name: str) -> int:
    """The bytes that a flag says, such as 500M. Raises UsageError."""
    text = flags.text(name)
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise UsageError(f'invalid --{name} "{text}"', expected="a number of bytes, such as 500M")
    return int(digits) * unit


def jobs_of(flags: Request) -> int:
    """How many processes the flags ask for. Raises UsageError."""
    jobs = int(flags.text(JOBS.name), 0)
    if jobs < 1:
        raise UsageError("invalid --jobs", expected="a number of processes, at least 1", found=flags.text(JOBS.name))
    return jobs


def trace_of(flags: Request) -> Trace | None:
    """What is to record the run, if a source map is wanted."""
    if not flags.has(SOURCE_MAP):
        return None
    from plait.provenance import Trace

    return Trace()


def write_source_map(
    flags: Request,
    trace: Trace | None,
    documents: DocumentSet,
    text: str | None = None,
    *,
    originals: Originals | None = None,
    as_json: bool = False,
) -> None:
    """Write the file, if it is wanted. text, originals, as_json: what is printed, if not the usual YAML. Raises ReadError."""
    if trace is not None and flags.has(SOURCE_MAP):
        from plait.cli.endings import cleaned_up
        from plait.tools.sourcemap import write_map

        if originals is not None:
            text = originals.write(documents)
        with cleaned_up():
            write_map(flags.value(SOURCE_MAP), trace, documents, text, as_json=as_json)


# What to do about warnings where no flag says it.
WARNINGS_VARIABLE = "PLAIT_WARNINGS"


def _way(flags: Request) -> str:
    """What to do about warnings: a flag decides, then the environment, then the default of the command."""
    return (not flags.given("warnings") and os.environ.get(WARNINGS_VARIABLE)) or flags.text("warnings")


def keep_warnings(flags: Request, context: Context) -> None:
    """Let the run refuse warnings if a flag or the environment says so. Raises UsageError for an unknown value."""
    way = _way(flags)
    if way not in WAYS:
        from plait.spell import did_you_mean

        named = "--warnings" if flags.given("warnings") else WARNINGS_VARIABLE
        raise UsageError(f'unknown {named} "{way}"', expected=", ".join(WAYS), hint=did_you_mean(way, WAYS))
    if way == ERROR and flags.given("warnings") and flags.on("quiet"):
        raise UsageError("--quiet hides warnings, --warnings=error refuses them: give one of the two")
    context.refuses_warnings = way == ERROR and not flags.on("quiet")


def are_shown(flags: Request) -> bool:
    """True if warnings are printed."""
    return not flags.on("quiet") and _way(flags) != HIDE


def are_notes_shown(flags: Request) -> bool:
    """True if notes of the reference program itself are printed: unless somebody asks for none."""
    asked = flags.given("warnings") or os.environ.get(WARNINGS_VARIABLE)
    return are_shown(flags) or (flags.program != "plait" and not flags.on("quiet") and not asked)


def tell_warnings(flags: Request, context: Context) -> None:
    """Print the warnings of a run to standard error, each once, unless the flags say otherwise."""
    if are_shown(flags):
        from plait.cli.streams import warn

        warn(context)
    context.forget_warnings()
