"""Handlers for options that several commands have: limits, warnings, `--source-map`."""

from __future__ import annotations

import os
from _contextvars import copy_context

from plait.base.content import OUTPUT_LINKS, LinkPolicy
from plait.base.errors import UsageError, did_you_mean
from plait.base.limits import TABLE, Limits, RunBudget, budget_scope, current_budget
from plait.base.process import ENDLESS, stop_timer, within_memory
from plait.cli import ISOLATES, Isolate
from plait.cli.streams import TYPED, line_width, write_out
from plait.engine.common import (
    ALLOW_OUTPUT,
    ERROR,
    HIDE,
    ISOLATE,
    SOURCE_MAP,
    TRUST,
    WARNINGS,
    WAYS,
    Dialect,
)
from plait.engine.flags import Command
from plait.engine.options import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from plait.engine.flags import AnyCommand
    from plait.tree.context import Context, FormatPreserver
    from plait.tree.nodes import DocumentSet
    from plait.tree.provenance import Trace

    R = TypeVar("R", bound=Request)
    T = TypeVar("T")


def entered(request: R) -> R:
    """A request of the command line. Its process settings apply until the command ends."""
    TYPED.get([]).append(request)
    if request.has(ALLOW_OUTPUT):
        OUTPUT_LINKS.set(LinkPolicy(request.value(ALLOW_OUTPUT)))
    if request.value(TRUST):
        from plait.base.trust import assenting

        assenting().__enter__()
    if request.value(ISOLATE) and ISOLATES.get():
        raise Isolate
    return request


def performed(command: Command[R], run: Callable[[R], int], argv: Sequence[str]) -> int:
    """Parses a command line, and runs it. Returns the exit status. Raises PlaitError."""
    request = entered(command.parse(argv))
    return shown(command) if request.help else run(request)


def shown(command: AnyCommand) -> int:
    """Prints the help of a command. Returns the exit status."""
    from plait.cli.colour import styles_of
    from plait.engine.helping import help_text

    example = ""
    if command.name.startswith("plait "):
        from plait.cli.command_examples import example_of

        example = example_of(command.name.split()[1:])
    # The help of a reference program has no colours.
    styles = styles_of() if command.request.program == "plait" else None
    write_out(help_text(command, example=example, width=line_width(), styles=styles), is_harmless=True)
    return 0


def within_limits(work: Callable[[], T]) -> T:
    """Runs some work; limits and permissions end with it."""

    def limit() -> T:
        current = current_budget()
        budget_scope(RunBudget(current.limits, current.keeper)).__enter__()
        return within_memory(work)

    return copy_context().run(limit)


def without_end(work: Callable[[], T], kept: int = 1) -> T:
    """Runs a command without a timer; each evaluation has its own limits. kept: see `Request`."""
    limits = Limits(seconds=ENDLESS, memory=kept * TABLE["memory"][0])
    if keeper := current_budget().keeper:
        keeper(RunBudget(limits))
    stop_timer()
    with budget_scope(limits):
        return within_limits(work)


class following_links:  # noqa: N801 - reads as what it does
    """`with following_links():` allows named paths to lead out of a Git repository, as ytt and bosh do."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = OUTPUT_LINKS.set(LinkPolicy(every=True))

    def __exit__(self, *_: object) -> None:
        OUTPUT_LINKS.reset(self._token)


def trace_of(flags: Request) -> Trace | None:
    """A trace if a source map is requested, else None."""
    if not flags.has(SOURCE_MAP):
        return None
    from plait.tree.provenance import Trace

    return Trace()


def write_source_map(
    flags: Request,
    trace: Trace | None,
    documents: DocumentSet,
    text: str | None = None,
    *,
    originals: FormatPreserver | None = None,
    as_json: bool = False,
) -> None:
    """Writes the source map if requested. text, originals, as_json: the printed form; by default YAML. Raises
    ReadError.
    """
    if trace is not None and flags.has(SOURCE_MAP):
        from plait.cli.signals import cleanup_on_signal
        from plait.insight.source_map import write_map

        if originals is not None:
            text = originals.write(documents)
        with cleanup_on_signal():
            write_map(flags.value(SOURCE_MAP), trace, documents, text, as_json=as_json)


# The environment variable for the treatment of warnings if there is no flag.
WARNINGS_VARIABLE = "PLAIT_WARNINGS"


def _warning_mode(flags: Dialect) -> str:
    """The treatment of warnings: from the flag, else the environment, else the command's default."""
    way: str = flags.warnings_shown
    return (not flags.has(WARNINGS) and os.environ.get(WARNINGS_VARIABLE)) or way


def keep_warnings(flags: Dialect, context: Context) -> None:
    """Makes warnings errors if a flag or the environment requests it. Raises UsageError for an unknown value."""
    way = _warning_mode(flags)
    if way not in WAYS:
        named = "--warnings" if flags.has(WARNINGS) else WARNINGS_VARIABLE
        raise UsageError(
            f'unknown {named} "{way}"', expected=", ".join(WAYS), hint=did_you_mean(way, WAYS), code="unknown-choice"
        )
    if way == ERROR and flags.has(WARNINGS) and flags.quiet:
        raise UsageError("--quiet hides warnings and --warnings=error rejects them: use only one", code="flag-conflict")
    context.refuses_warnings = way == ERROR and not flags.quiet


def are_shown(flags: Dialect) -> bool:
    """True if warnings are printed."""
    return not flags.quiet and _warning_mode(flags) != HIDE


def are_notes_shown(flags: Dialect) -> bool:
    """True if notes of the reference program are printed."""
    asked = flags.has(WARNINGS) or os.environ.get(WARNINGS_VARIABLE)
    return are_shown(flags) or (flags.program != "plait" and not flags.quiet and not asked)


def print_warnings(flags: Dialect, context: Context) -> None:
    """Prints the warnings of a run to standard error, without duplicates, unless they are disabled."""
    if context.warnings and are_shown(flags):
        from plait.cli.messages import warn

        warn(context)
    context.forget_warnings()
