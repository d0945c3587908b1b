"""Findings of lint: a code, a position, a message, and often a fix."""

from __future__ import annotations

from typing import NamedTuple

from plait.lint.codes import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.edits import Edit


class Place(NamedTuple):
    """A line that has a part in a finding, and how. path: absolute."""

    path: str
    line: int
    words: str


class Finding:
    """One finding.

    code: of `CODES`. path, line, column, end: where; the path is absolute, columns are from 1, `end` is behind the last.
    message: one sentence. hint: how to mend it. also: other lines that have a part in it. edits: what `--fix` would do;
    empty where a person has to decide. removes: for findings of what has no part in anything, what would take it out,
    even where that is not for `--fix` to do. runs: the names of the runs that it was seen in.
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
        also: Iterable[Place] = (),
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
