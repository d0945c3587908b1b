"""`--limit NAME=VALUE`, which every command has that reads inputs, `--quote-values`, and how the process itself keeps two of the limits.

In a process that is plait's own the system refuses memory beyond the limit `memory` (on Linux), and a timer ends what is
being done at the limit `seconds`, whatever that is. Called from other code, a command leaves the process alone.
"""

from __future__ import annotations

import sys

from plait.cli.options import SWITCH, TEXTS, Flag
from plait.limits import Allowance, Limits, allowance, exceeded, limited, parse

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
    current = allowance()
    # Where there is no memory left, there is that much for saying so.
    ballast = [bytearray(1 << 20)]
    with limited(Allowance(current.limits, current.keeper)):
        try:
            return command(argv)
        except MemoryError as error:
            ballast.clear()
            error.__traceback__ = error.__context__ = None
            _let_go()
            raise exceeded("the memory of this run", "memory", allowance().most("memory")) from None


def own_process() -> None:
    """Let the process keep the limits of what is run in it."""
    limited(Allowance(Limits(), _keeper())).__enter__()


def _keeper() -> Callable[[Allowance], None]:
    """What keeps a run's limits; it is called for each input, and so looks up nothing again."""
    bound_memory = _memory_bound()

    def keep(run: Allowance) -> None:
        bound_memory(run)
        if not run.taken:
            _bound_time(run)

    return keep


def _bound_time(run: Allowance) -> None:
    import _signal as signal  # type: ignore[import-not-found]
    from time import monotonic

    if hasattr(signal, "setitimer"):

        def stop(_number: int, _frame: object) -> None:
            run.check_time()

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, max(run.deadline - monotonic(), 0) + 0.001)


def _memory_bound() -> Callable[[Allowance], None]:
    if sys.platform != "linux":
        return lambda _run: None
    from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit, setrlimit

    _, hard = getrlimit(RLIMIT_DATA)

    def bound(run: Allowance) -> None:
        most = _BEFORE + run.most("memory")
        setrlimit(RLIMIT_DATA, (most if hard == RLIM_INFINITY else min(most, hard), hard))

    return bound


# What a process has before it reads anything, and room in which the language sees that it is at its limit.
_BEFORE = 32 << 20


def _let_go() -> None:
    """Room for the message about what has no room."""
    if sys.platform == "linux":
        from resource import RLIMIT_DATA, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_DATA)
        setrlimit(RLIMIT_DATA, (hard, hard))
