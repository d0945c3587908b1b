"""Summarizes coverage as lines and branches of files, for all reports."""

from __future__ import annotations

import os
from hashlib import sha256

from plait.base.content import file_content
from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from plait.base.events import Point

    # A point, and its index among equal points of its file.
    Key: TypeAlias = tuple[Point, int]

# Types of points that determine if their lines are covered. All other points are only branches.
_LINES = frozenset({"statement", "nodes", "part", "operation", "action", "substitution"})
# A part has its own lines if they differ from those of its statement. It is also a branch of its first line.
_BOTH = frozenset({"part"})
_FUNCTION = "function"


class BranchCoverage:
    """One branch of a line. kind: the kind of the point. name: the name of the branch. count: the number of runs that
    executed it.
    """

    __slots__ = ("block", "count", "kind", "line", "name")

    def __init__(self, line: int, kind: str, block: int, name: str, count: int) -> None:
        self.line = line
        self.kind = kind
        self.block = block  # number of the point within the file
        self.name = name
        self.count = count


class FileSummary:
    """One file.

    name: its path from the project, with slashes. path: its location; "" for a text without a file. lines: the number
    of runs that executed each line. branches: by line. functions: line, name and the number of runs that called it.
    """

    __slots__ = ("_file", "branches", "functions", "lines", "name", "path")

    def __init__(self, name: str, file: FileData) -> None:
        self.name = name
        self.path = file.path if os.path.isabs(file.path) else ""
        self._file = file
        self.lines: dict[int, int] = {}
        self.branches: list[BranchCoverage] = []
        self.functions: list[tuple[int, str, int]] = []
        for block, ((point, _), counts) in enumerate(sorted(file.counts.items(), key=lambda item: _order(item[0][0]))):
            self._add(block, point, counts)
        self.lines = dict(sorted(self.lines.items()))
        self.functions.sort()

    def _add(self, block: int, point: Point, counts: Sequence[int]) -> None:
        kind, lines, name, ways = point
        if kind == _FUNCTION:
            self.functions.append((lines[0], name, counts[0]))
            return
        if kind in _LINES:
            for line in lines:
                self.lines[line] = max(self.lines.get(line, 0), counts[0])
        else:
            # A line without other points is covered if one of its branches is executed.
            self.lines.setdefault(lines[0], max(counts))
        if kind not in _LINES or kind in _BOTH:
            for way, count in zip(ways, counts, strict=True):
                self.branches.append(BranchCoverage(lines[0], kind, block, _branch_text(kind, name, way), count))

    @property
    def missing_lines(self) -> list[int]:
        return [line for line, count in self.lines.items() if not count]

    @property
    def missing_branches(self) -> list[BranchCoverage]:
        """The uncovered branches of covered lines."""
        return [branch for branch in self.branches if not branch.count and self.lines.get(branch.line, 0)]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of covered lines, all lines, covered branches, all branches."""
        gone = sum(bool(branch.count) for branch in self.branches)
        return len(self.lines) - len(self.missing_lines), len(self.lines), gone, len(self.branches)

    @property
    def percent(self) -> float:
        """The covered lines and branches in percent."""
        return _percent(self.counts)

    def source_lines(self) -> list[str] | None:
        """The lines of the file, with secret ones hidden. None if the counted text is no longer available."""
        text = self._file.text_now()
        if text is None:
            return None
        hidden = self._file.private
        return [
            "(secret)" if any(first <= number < after for first, after in hidden) else line.rstrip("\r")
            for number, line in enumerate(text.removesuffix("\n").split("\n"), 1)
        ]


class Summary:
    """All files, by name.

    changed: the names of files whose counts were dropped because their text has changed. secret_runs: the runs that use
    secrets, which are counted in part.
    """

    __slots__ = ("changed", "files", "runs", "secret_runs")

    def __init__(
        self, files: Sequence[FileSummary], runs: Sequence[str], changed: Sequence[str], secret_runs: Sequence[str] = ()
    ) -> None:
        self.files = files
        self.runs = runs
        self.secret_runs = secret_runs
        self.changed = changed

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of covered lines, all lines, covered branches, all branches, of all files."""
        sums = [sum(column) for column in zip(*(file.counts for file in self.files), strict=True)]
        return (sums[0], sums[1], sums[2], sums[3]) if sums else (0, 0, 0, 0)

    @property
    def percent(self) -> float:
        """The covered lines and branches in percent; 100 if there are none."""
        return _percent(self.counts)


def secret_note(summary: Summary) -> str:
    """A sentence about runs that use secrets; "" if there are none."""
    count = len(summary.secret_runs)
    if not count:
        return ""
    runs = "1 run uses secrets" if count == 1 else f"{count} runs use secrets"
    return f"{runs}: only code that does not depend on secrets is counted"


def _percent(counts: tuple[int, int, int, int]) -> float:
    lines, all_lines, branches, all_branches = counts
    total = all_lines + all_branches
    return 100.0 * (lines + branches) / total if total else 100.0


def _branch_text(kind: str, name: str, branch: str) -> str:
    """A branch of a point as text."""
    if kind == "part":
        return name
    if kind == "overlay":
        return f"overlay {branch}"
    return f"{name} {branch}" if kind in ("nullable", "default") and name else branch


def _order(point: Point) -> tuple[int, bool, str, str]:
    kind, lines, name, _ = point
    return lines[0], kind not in _LINES, kind, name


def ranges(numbers: Sequence[int], lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive numbers (first, last). lines: all existing numbers."""
    place = {line: index for index, line in enumerate(lines)}
    first = last = None
    for number in numbers:
        if first is None or last is None or place[number] != place[last] + 1:
            if first is not None and last is not None:
                yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


class FileData:
    """digest: the digest of the text. private: half-open ranges of hidden lines. text: the text, or None if unknown."""

    __slots__ = ("counts", "digest", "path", "private", "text")

    def __init__(self, path: str, digest: str, text: str | None = None) -> None:
        self.path = path
        self.digest = digest
        self.counts: dict[Key, list[int]] = {}
        self.private: set[tuple[int, int]] = set()
        self.text = text

    def text_now(self) -> str | None:
        """The text that was counted, or None if it has changed."""
        if self.text is None:
            text = read_text(self.path)
            if digest_of(text, self.private) == self.digest:
                self.text = text
        return self.text

    def add(self, other: FileData) -> None:
        """Adds counts for the same text."""
        self.private |= other.private
        self.text = other.text if self.text is None else self.text
        for key, counts in other.counts.items():
            known = self.counts.get(key)
            self.counts[key] = counts.copy() if known is None else [x + y for x, y in zip(known, counts, strict=True)]


def digest_of(text: str | None, private: Iterable[tuple[int, int]] = ()) -> str:
    """A digest of a text without its private lines: their values could be guessed from a digest."""
    if text is None:
        return ""
    # Some readers remove a byte order mark.
    text = text.removeprefix("\ufeff")
    ranges = [*private]
    if ranges:
        lines = enumerate(text.split("\n"), 1)
        text = "\n".join("" if any(first <= n < after for first, after in ranges) else line for n, line in lines)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def read_text(path: str) -> str | None:
    """The text of a file, or None."""
    try:
        return file_content(path, path).decode("utf-8", "surrogateescape")
    except (PlaitError, OSError, ValueError):
        return None
