"""What one run shares: limits, warnings, where `print` goes. Passed to whoever needs it, never global."""

from __future__ import annotations

from plait.limits import Allowance, Limits, allowance

__all__ = ["Context", "Limits"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.codecache import CodeCache
    from plait.provenance import Trace


class Context:
    """The state of one run.

    doing, done, total: what is being done now, and how much of how much that is, for whoever watches a long run.
    print_line: gets each line that templates print. warnings: what a command line prints to standard error.
    cache: compiled code of earlier runs, or None. allowance: what the run may take, `limits` or what is in force;
    budget: what of it is left for templates, for the language to keep.
    """

    __slots__ = ("allowance", "budget", "cache", "doing", "done", "print_line", "total", "trace", "warnings")

    def __init__(
        self,
        print_line: Callable[[str], None] | None = None,
        cache: CodeCache | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cache = cache
        self.allowance = allowance() if limits is None else Allowance(limits)
        self.budget: object = None
        self.print_line: Callable[[str], None] = print_line if print_line is not None else (lambda _line: None)
        self.warnings: list[str] = []
        # What records where values come from; None, the default, costs nothing.
        self.trace: Trace | None = None
        self.doing: object = ""
        self.done = self.total = 0

    def warn(self, text: str) -> None:
        """Collect a warning once, however often it is given."""
        if text not in self.warnings:
            self.warnings.append(text)
