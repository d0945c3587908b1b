"""What one run shares: limits, warnings, where `print` goes. Passed to whoever needs it, never global."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.codecache import CodeCache


class Context:
    """The state of one run.

    print_line: gets each line that templates print. warnings: what a command line prints to standard error.
    cache: compiled code of earlier runs, or None.
    """

    __slots__ = ("cache", "print_line", "warnings")

    def __init__(self, print_line: Callable[[str], None] | None = None, cache: CodeCache | None = None) -> None:
        self.cache = cache
        self.print_line: Callable[[str], None] = print_line if print_line is not None else (lambda _line: None)
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        """Collect a warning once, however often it is given."""
        if text not in self.warnings:
            self.warnings.append(text)
