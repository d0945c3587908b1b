"""Findings of lint: a code, a position, a message, and often a fix."""

from __future__ import annotations

from typing import NamedTuple

from plait.authoring.lint.codes import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.text_edits import Edit


class RelatedSpan(NamedTuple):
    """A line related to a finding, and its role. path: absolute."""

    path: str
    line: int
    words: str


class LintFinding:
    """One finding.

    code: one of `CODES`. path, line, column, end: its span; the path is absolute, columns are from 1, `end` is
    exclusive. message: one sentence. hint: the fix in words. also: related lines. edits: applied by `--fix`; empty if
    the user must decide. removes: for unused code, the edits that would remove it, even if `--fix` must not apply them.
    runs: the names of the runs with the finding.
    """

    __slots__ = ("also", "code", "column", "edits", "end", "hint", "line", "message", "path", "removes", "runs")

    def __init__(
        self,
        code: str,
        path: str,
        line: int,
        message: str,
        *,
        column: int = 1,
        end: int = 0,
        hint: str = "",
        also: Iterable[RelatedSpan] = (),
        edits: Sequence[Edit] = (),
        removes: Sequence[Edit] = (),
        runs: Sequence[str] = (),
    ) -> None:
        self.code = code
        self.path = path
        self.line = line
        self.message = message
        self.column = column
        self.end = end or column + 1
        self.hint = hint
        self.also = list(also)
        self.edits = edits
        self.removes = removes or edits
        self.runs = runs

    def __repr__(self) -> str:
        return f"<Finding {self.code} {self.path}:{self.line}: {self.message}>"

    @property
    def name(self) -> str:
        """The name of its code."""
        return CODES[self.code].name

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """The sort key of findings."""
        return self.path, self.line, self.column, self.code, self.message
