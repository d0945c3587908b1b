"""The rows of a table of causes. Many causes that do the same are one row: a version that changed in 60 places, or the
checksums of 20 releases in one file, would hide the other effects of a change.
"""

from __future__ import annotations

import re

from plait.base.similar_names import counted
from plait.review.result import places_text
from plait.review.values import REMOVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.review.result import Cause, Lines, ValueChange

# Rows of a list before the rest is folded, in Markdown and HTML.
UNFOLDED = 10
# Causes with other values of one key in one file that are one row. A few are worth a row each.
_MANY = 4
# Ranges of lines that are named in a row, and files.
_MOST_RANGES = 8
_MOST_FILES = 3


class CauseRow:
    """Causes of one row. numbers: their indexes in the review."""

    __slots__ = ("causes", "changes", "numbers", "values")

    def __init__(self, numbers: Sequence[int], causes: Sequence[Cause]) -> None:
        self.numbers = list(numbers)
        self.causes = list(causes)
        self.changes: list[ValueChange] = list(dict.fromkeys(one for cause in causes for one in cause.changes))
        self.values = sum(one.values for one in self.changes)

    @property
    def is_vendored(self) -> bool:
        """True if all lines are in vendored files."""
        return all(one.is_vendored for one in self.causes)

    @property
    def removes(self) -> bool:
        """True if documents are removed, which is worse than other values."""
        return any(one.kind == REMOVED and not one.path for one in self.changes)

    @property
    def is_of_keys(self) -> bool:
        """True if only orders of keys change, which means less than any value."""
        return all(one.of_keys for one in self.changes)

    @property
    def where(self) -> str:
        """The runs in which the lines cause the changes, as text."""
        return self.own_where or where_of(self.changes)

    @property
    def own_where(self) -> str:
        """These runs if other lines cause the changes in others; else ""."""
        found = {one.where for one in self.causes}
        return found.pop() if len(found) == 1 else ""

    @property
    def places(self) -> list[tuple[str, str, Sequence[Lines]]]:
        """Texts of the lines, or of the file or directory that they are in, each with a note or "", and with the lines
        unless they are in many files.
        """
        if len(self.causes) == 1:
            return [(text, "", lines) for text, lines in self.causes[0].parts]
        files: dict[str, list[Lines]] = {}
        for cause in self.causes:
            for one in cause.lines:
                files.setdefault(one.file, []).append(one)
        if len(files) > _MOST_FILES:
            # A common path without its last name, which may be the beginning of different ones.
            parts = [file.split("/")[:-1] for file in files]
            shared = 0
            while all(len(one) > shared and one[shared] == parts[0][shared] for one in parts):
                shared += 1
            total = sum(map(len, files.values()))
            return [("/".join(parts[0][:shared]) or ".", f"{len(files)} files, {total} places", ())]
        return [
            (file, f"{len(lines)} places", lines)
            if len(lines) > _MOST_RANGES
            else (places_text(file, lines), "", lines)
            for file, lines in files.items()
        ]

    def place(self, mark: Callable[[str, Sequence[Lines]], str], note: Callable[[str], str]) -> str:
        """The places as one text. mark: a function for the text of each, with its lines. note: one for its note."""
        word = " with " if len(self.causes) == 1 else " and "
        return word.join(mark(text, lines) + (f" {note(more)}" if more else "") for text, more, lines in self.places)

    @property
    def verified(self) -> str:
        """The runs in which the causes were verified, if not in all."""
        least = min(self.causes, key=lambda one: one.verified_in / one.of)
        if least.verified_in >= least.of:
            return ""
        some = "" if len({(one.verified_in, one.of) for one in self.causes}) == 1 else "at least "
        return f" (verified in {some}{least.verified_in} of {counted(least.of, 'run')})"


def cause_rows(causes: Sequence[Cause]) -> list[CauseRow]:
    """The rows: those that remove documents, then most values first, vendored files last."""
    found = [CauseRow([number], [cause]) for number, cause in enumerate(causes)]
    if len(found) <= UNFOLDED:
        return found
    found = _joined(_joined(_joined(found, _same_changes, 2), _same_effect, 2), _same_key, _MANY)
    return sorted(found, key=lambda row: (row.is_vendored, not row.removes, row.is_of_keys, -row.values))


def _joined(found: Sequence[CauseRow], key_of: Callable[[CauseRow], object], least: int) -> list[CauseRow]:
    """The rows. At least `least` rows with the same key become one."""
    groups: dict[object, list[CauseRow]] = {}
    for row in found:
        # Lines that change values only together stay a row of their own.
        is_alone = any(len(cause.places) > 1 for cause in row.causes)
        groups.setdefault(row if is_alone else key_of(row), []).append(row)
    rows: list[CauseRow] = []
    for group in groups.values():
        if len(group) < least:
            rows += group
        else:
            numbers = [number for row in group for number in row.numbers]
            rows.append(CauseRow(numbers, [cause for row in group for cause in row.causes]))
    return rows


def _same_changes(row: CauseRow) -> object:
    """Equal for the causes of the same changes in different runs, such as a line in the settings of each run."""
    return frozenset(row.changes) if row.own_where else row


def _same_effect(row: CauseRow) -> object:
    """Equal for causes that change the same key from the same value to the same value, wherever it is."""
    return row.is_vendored, row.where, frozenset((*_what(one), one.before, one.after) for one in row.changes)


def _same_key(row: CauseRow) -> object:
    """Equal for causes in the same files that change the same keys."""
    files = frozenset(line.file for cause in row.causes for line in cause.lines)
    return files, row.where, frozenset((*_what(one), one.where) for one in row.changes)


def _what(one: ValueChange) -> tuple[str, str]:
    return f"{one.kind} {one.of_keys}", last_key(one.path) if one.path else kind_of(one.document)


def where_of(changes: Sequence[ValueChange]) -> str:
    """The runs of changes as text; "" for all runs, or if the changes are in different ones."""
    found = {one.where for one in changes}
    return found.pop() if len(found) == 1 else ""


def kind_of(name: str) -> str:
    """The kind in the name of a document: Deployment of `Deployment/web`, Chart of `armada/Chart/v1/web`; "" if it has
    none.
    """
    parts = name.split("/")[:-1]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    return parts[-1] if parts else ""


# The last part of the schema of a layered document.
_VERSION = re.compile(r"v[0-9]+(?:\.[0-9]+)*")


def last_key(path: str) -> str:
    """The last key of a path, without array items after it."""
    start = end = 0
    for found in _STEPS.finditer(path):
        if not found[0].startswith("["):
            start, end = found.span()
    return path[start:end]


def any_item(path: str) -> str:
    """A path with `[*]` in place of each array item."""
    return _STEPS.sub(lambda found: "[*]" if found[0].startswith("[") else found[0], path)


def differing_items(paths: Sequence[str]) -> tuple[str, list[str]]:
    """The common path of paths that differ in array items only, with `[*]` for these, and the names of the items."""
    rows = [_STEPS.findall(path) for path in paths]
    differs = [len(set(column)) > 1 for column in zip(*rows, strict=False)]
    gaps = _STEPS.split(paths[0])
    steps = ["[*]" if other else step for step, other in zip(rows[0], differs, strict=False)]
    path = "".join(part for pair in zip(gaps, [*steps, ""], strict=False) for part in pair)
    names = ["/".join(_item(step) for step, other in zip(row, differs, strict=False) if other) for row in rows]
    return path, names


def _item(step: str) -> str:
    """The name or the index of an array item: web of `[name=web]`."""
    inner = step[1:-1]
    return inner.partition("=")[2] or inner


# A key, a quoted key, or an array item. The end of the path ends both of these, so that no text is searched twice.
_STEPS = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)|\[[^\]]*(?:\]|\Z)|[^."\[]+', re.DOTALL)
