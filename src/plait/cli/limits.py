"""The flags `--limit NAME=VALUE` and `--isolate`, which every command has that reads inputs, and `--quote-values`."""

from __future__ import annotations

from plait.cli.options import SWITCH, TEXTS, Flag
from plait.limits import Allowance, allowance, limited, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.cli.options import Parsed
    from plait.context import Context

LIMIT = Flag(
    "limit",
    TEXTS,
    "how much the run may take, such as steps=1M, memory=512M or seconds=10; docs/security.md has the names",
    value="NAME=VALUE",
)
# `plait.cli.run` looks for it before a command does.
ISOLATE = Flag("isolate", SWITCH, "run in a process apart, which is ended at the limit seconds, whatever it does")
LIMITS = (LIMIT, ISOLATE)
QUOTE_VALUES = Flag("quote-values", SWITCH, "let messages quote lines of values files, and values of the environment")


def keep_limits(flags: Parsed, context: Context | None = None) -> None:
    """Hold what the command does from here on to the limits that its flags set. Raises UsageError."""
    given = flags.texts(LIMIT.name)
    if given:
        run = limited(Allowance(parse(given), allowance().keeper)).__enter__()
        if context is not None:
            context.allowance = run


def within_limits(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a command; the limits that it sets end with it. Raises what the command raises."""
    from plait.process import within_memory

    current = allowance()
    with limited(Allowance(current.limits, current.keeper)):
        return within_memory(lambda: command(argv))
