"""What one run shares: limits, warnings, where `print` goes. Passed to whoever needs it, never global."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.codecache import CodeCache
    from weft.provenance import Trace


DEEPEST = 12_000


class Limits:
    """How much one evaluation may take. The defaults are far beyond what configuration needs; each can be set.

    steps: iterations of loops and calls of functions; builtins count in proportion; the same on every machine.
    seconds: of wall time. memory: bytes that the process may grow while templates run. depth: calls within
    calls; less than the default holds for the whole process while the run lasts.
    string: characters of one string. items: of one list, dict, set or tuple that a builtin or an operator makes.
    bits: of one int. Raises ValueError for what cannot be a limit.
    """

    __slots__ = ("bits", "depth", "items", "memory", "seconds", "steps", "string")

    def __init__(
        self,
        *,
        steps: int = 30_000_000,
        seconds: float = 600.0,
        memory: int = 1 << 30,
        depth: int = DEEPEST,
        string: int = 1 << 25,
        items: int = 1 << 22,
        bits: int = 1 << 16,
    ) -> None:
        if min(steps, seconds, memory, depth, string, items, bits) <= 0:
            raise ValueError("a limit must be more than zero")
        if depth > DEEPEST:
            # Each call through a builtin takes room on the stack of the process.
            raise ValueError(f"the limit depth can be at most {DEEPEST}")
        self.steps = steps
        self.seconds = seconds
        self.memory = memory
        self.depth = depth
        self.string = string
        self.items = items
        self.bits = bits


def limits_of(given: Mapping[str, float]) -> Limits:
    """The limits of these names, the others as they are by default. Raises UsageError."""
    from weft.errors import UsageError

    known = sorted(Limits.__slots__)
    for name in given:
        if name not in known:
            from weft.spell import did_you_mean

            raise UsageError(
                f'unknown limit "{name}"',
                expected=", ".join(known),
                found=f"{name}={given[name]}",
                hint=did_you_mean(name, known),
            )
    try:
        return Limits(**given)  # type: ignore[arg-type]
    except ValueError as error:
        found = ", ".join(f"{name}={number}" for name, number in given.items())
        raise UsageError(str(error), found=found) from None


class Context:
    """The state of one run.

    print_line: gets each line that templates print. warnings: what a command line prints to standard error.
    cache: compiled code of earlier runs, or None. limits: what templates may spend; budget: what is left of it, for
    the language to keep.
    """

    __slots__ = ("budget", "cache", "limits", "print_line", "trace", "warnings")

    def __init__(
        self,
        print_line: Callable[[str], None] | None = None,
        cache: CodeCache | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cache = cache
        self.limits = Limits() if limits is None else limits
        self.budget: object = None
        self.print_line: Callable[[str], None] = print_line if print_line is not None else (lambda _line: None)
        self.warnings: list[str] = []
        # What records where values come from; None, the default, costs nothing.
        self.trace: Trace | None = None

    def warn(self, text: str) -> None:
        """Collect a warning once, however often it is given."""
        if text not in self.warnings:
            self.warnings.append(text)
