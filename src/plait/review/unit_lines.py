"""The units of change at a line of a source, and whole files that moved."""

from __future__ import annotations

import re

from plait.base.source import Source
from plait.insight.extents import Extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.review.units import FileChange, Unit


class UnitLines:
    """The units by the lines of one side, with the first lines of the statements and functions around them, and the
    lines with aliases of their anchors.
    """

    def __init__(self, files: Iterable[FileChange], *, is_new: bool) -> None:
        self._lines: dict[str, dict[int, set[Unit]]] = {}
        self._whole: dict[str, set[Unit]] = {}
        self._rows: dict[str, Sequence[str]] = {}
        for change in files:
            entry = change.new if is_new else change.old
            if entry is None:
                continue
            every = self._whole.setdefault(change.file, set())
            lines = self._lines.setdefault(change.file, {})
            rows = change.new_lines if is_new else change.old_lines
            self._rows[change.file] = rows
            aliases = _references("*", rows, range(1, len(rows) + 1))
            extents = Extents(Source(change.file, "".join(rows)))
            for unit in change.units:
                if unit.is_whole:
                    every.add(unit)
                    continue
                ranges = unit.new_ranges if is_new else unit.old_ranges
                for start, end in ranges:
                    for line in range(start, end + 1):
                        for first in extents.starts(line):
                            lines.setdefault(first, set()).add(unit)
                    for name in _references("&", rows, range(start, end + 1)) if aliases else ():
                        for line in aliases.get(name, ()):
                            lines.setdefault(line, set()).add(unit)

    def at(self, file: str, line: int) -> set[Unit]:
        """The units with a line; all units of the file for line 0."""
        lines = self._lines.get(file)
        if lines is None:
            return set()
        whole = self._whole[file]
        if line <= 0:
            return {*whole, *(unit for units in lines.values() for unit in units)}
        return whole | lines.get(line, set())

    def annotated(self, file: str, line: int) -> set[Unit]:
        """The units with a line, or with an annotation of what begins there."""
        found = self.at(file, line)
        rows = self._rows.get(file, ())
        while 1 < line <= len(rows) and rows[line - 2].lstrip().startswith("#@"):
            line -= 1
            found |= self.at(file, line)
        return found


def _references(sign: str, rows: Sequence[str], lines: Iterable[int]) -> dict[str, list[int]]:
    """The lines with each anchor, or each alias, of a text. sign: `&` or `*`."""
    found: dict[str, list[int]] = {}
    for line in lines:
        if sign in rows[line - 1]:
            for one, name in _REFERENCE.findall(rows[line - 1]):
                if one == sign:
                    found.setdefault(name, []).append(line)
    return found


# An anchor or an alias, or what looks like one: a candidate too many only costs an evaluation.
_REFERENCE = re.compile(r"(?<![^\s\[{,])([&*])([^\s\[\]{},]+)")


def moved_units(units: Sequence[Unit]) -> dict[Unit, list[Unit]]:
    """Pairs of a removed and an added file, in both directions: a moved file is reverted as a whole. Both have the same
    content, or mostly the same lines and the same name except for numbers.
    """
    found: dict[Unit, list[Unit]] = {}
    gone = [unit for unit in units if unit.change.new is None and unit.change.old is not None]
    come = [unit for unit in units if unit.change.old is None and unit.change.new is not None]
    for is_moved in (_has_same_data, _has_same_name):
        for new in come:
            old = next((one for one in gone if one not in found and new not in found and is_moved(one, new)), None)
            if old is not None:
                found[old], found[new] = [new], [old]
    return found


def _has_same_data(old: Unit, new: Unit) -> bool:
    return old.change.old == new.change.new


def _has_same_name(old: Unit, new: Unit) -> bool:
    before, after = old.change.old, new.change.new
    if before is None or after is None or _versionless(old.file) != _versionless(new.file):
        return False
    left, right = {*before.data.split(b"\n")}, {*after.data.split(b"\n")}
    return 2 * len(left & right) > max(len(left), len(right))


_NUMBER = re.compile(r"\d+")


def _versionless(file: str) -> str:
    """The name of a file without numbers: a new version of `release-1.2.yaml` is in `release-1.3.yaml`."""
    return _NUMBER.sub("", file.rpartition("/")[2])
