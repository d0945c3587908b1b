"""Units of change in sources: items of a YAML tree, statements, or whole files.

A unit is a set of edits that turns lines of the new text back into lines of the old one. Reverting some units of a file
gives the text with only the others.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

from plait.base.errors import PlaitError
from plait.base.lines import lines_with_breaks
from plait.base.source import Source
from plait.base.text_diff import heaviest_pairs, ranges
from plait.insight.item_names import IDENTIFYING
from plait.review.result import numbers
from plait.review.revisions import LINK, Entry
from plait.yaml.lossless.binding import scanned
from plait.yaml.lossless.nodes import Collection
from plait.ytt.templates.recovery import STARLARK, TEXT, YAML, recover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection as Items
    from collections.abc import Sequence
    from typing import TypeAlias

    from plait.yaml.lossless.nodes import Item, Node, Tree

    # The numbers of lines from 0, without the last one: of the old text, and of the new one.
    Edit: TypeAlias = "tuple[int, int, int, int]"

# Units of one file that are checked one by one to be revertible alone.
_MOST_CHECKED = 60
# Pairs of items of two lists that are compared.
_MOST_ALIGNED = 2_500
# Characters of a line that are compared with those of another.
_LONGEST = 500
_YAML = (".yml", ".yaml", ".json")


class Unit:
    """A part of the change of one file that can be reverted alone.

    file: the path from the top. edits: in order; empty for a whole file. number: its index among those of the file.
    """

    __slots__ = ("change", "edits", "file", "number")

    def __init__(self, change: FileChange, edits: Sequence[Edit], number: int = 0) -> None:
        self.change = change
        self.file = change.file
        self.edits = sorted(edits, key=_order)
        self.number = number

    @property
    def is_whole(self) -> bool:
        """True for a file that was added, removed, or is not compared line by line."""
        return not self.edits

    @property
    def new_ranges(self) -> list[tuple[int, int]]:
        """The first and the last line in the new text, from 1, of each part."""
        return [(start + 1, end) for _, _, start, end in self.edits if end > start]

    @property
    def old_ranges(self) -> list[tuple[int, int]]:
        """The first and the last line in the old text, from 1, of each part."""
        return [(start + 1, end) for start, end, _, _ in self.edits if end > start]

    def has_new(self, line: int) -> bool:
        """True if a line of the new text belongs to the unit. 0 means any line."""
        return (self.is_whole and self.change.new is not None) or any(
            start <= line <= end or line == 0 for start, end in self.new_ranges
        )

    def has_old(self, line: int) -> bool:
        """True if a line of the old text belongs to the unit. 0 means any line."""
        return (self.is_whole and self.change.old is not None) or any(
            start <= line <= end or line == 0 for start, end in self.old_ranges
        )

    @property
    def line(self) -> int:
        """The line of the new text at which the unit is shown; 0 for a whole file."""
        return min(self.edits[0][2] + 1, max(len(self.change.new_lines), 1)) if self.edits else 0

    @property
    def place(self) -> str:
        """The unit as text: `values.yml:3-5`."""
        change = self.change
        if self.is_whole:
            if change.old is None:
                return f"{self.file} added"
            if change.new is None:
                return f"{self.file} removed"
            return f"{self.file} ({change.what})"
        ranges = self.new_ranges
        if ranges:
            return f"{self.file}:{numbers(ranges)}"
        return f"{self.file}:{numbers(self.old_ranges)} removed"

    @property
    def is_comment(self) -> bool:
        """True if all lines are blank or comments of a YAML or Starlark file, which no output can contain."""
        change = self.change
        if self.is_whole or not change.file.endswith((*_YAML, ".star")):
            return False
        lines = [line for a, b, c, d in self.edits for line in (*change.old_lines[a:b], *change.new_lines[c:d])]
        return all(not text or (text[:1] == "#" and text[:2] != "#@") for text in map(str.strip, lines))

    @property
    def sort_key(self) -> tuple[bool, str, int]:
        """Sorts vendored and generated files last, the others by place."""
        return self.change.is_vendored, self.file, self.line


class FileChange:
    """A file that differs. old, new: its entry on each side, None where it is missing. units: its parts.

    what: the description of a change that has no lines, such as a new mode.
    """

    __slots__ = ("_old_text", "file", "new", "new_lines", "old", "old_lines", "units", "what")

    def __init__(self, file: str, old: Entry | None, new: Entry | None) -> None:
        self.file = file
        self.old = old
        self.new = new
        self.old_lines: list[str] = []
        self.new_lines: list[str] = []
        self.what = ""
        before, after = (None if one is None or one.kind == LINK else _text(one) for one in (old, new))
        self.units: list[Unit]
        if old is not None and new is not None and old.data == new.data:
            self.what = f"{old.kind} → {new.kind}"
        elif before is None or after is None:
            self.what = "target of the link" if old is not None and old.kind == LINK else "binary file"
        if self.what or before is None or after is None:
            self.units = [Unit(self, ())]
            return
        self.old_lines = lines_with_breaks(before)
        self.new_lines = lines_with_breaks(after)
        edits = _edits(file, before, after, self.old_lines, self.new_lines)
        self.units = [Unit(self, one, number) for number, one in enumerate(edits)]
        self._join()

    @property
    def is_vendored(self) -> bool:
        """True for files that others wrote, or a program."""
        parts = self.file.lower().split("/")
        if any(part in _VENDORED or part.startswith("_vendir") for part in parts[:-1]):
            return True
        return _IS_GENERATED.search(parts[-1]) is not None or any(
            "generated" in line and ("do not edit" in line or "code generated" in line)
            for line in map(str.lower, self.new_lines[:5])
        )

    def without(self, units: Items[Unit]) -> Entry | None:
        """The file on the new side with these of its units reverted."""
        if len(units) == len(self.units) or any(unit.is_whole for unit in units):
            return self.old
        if not units or self.new is None:
            return self.new
        text = self._reverted(units)
        return Entry(self.new.kind, text.encode("utf-8", "surrogateescape"))

    def line_without(self, units: Items[Unit], line: int) -> int:
        """The line of the new text at a line of the text without some units; 0 for a line of the old text."""
        if len(units) == len(self.units) or any(unit.is_whole for unit in units):
            return 0
        at = count = 0
        for a, b, c, d in sorted((edit for unit in units for edit in unit.edits), key=_order):
            kept = max(c - at, 0)
            if line <= count + kept:
                return at + line - count
            count += kept + b - a
            if line <= count:
                return 0
            at = max(at, d)
        return at + line - count

    def _reverted(self, units: Items[Unit]) -> str:
        out: list[str] = []
        at = 0
        for a, b, c, d in sorted((edit for unit in units for edit in unit.edits), key=_order):
            out += self.new_lines[at:c]
            out += self.old_lines[a:b]
            at = max(at, d)
        out += self.new_lines[at:]
        return "".join(
            line if line.endswith("\n") or number == len(out) - 1 else f"{line}\n" for number, line in enumerate(out)
        )

    def _join(self) -> None:
        """Joins units with their neighbours until the file without each of them can be read."""
        kind = STARLARK if self.file.endswith(".star") else YAML if self.file.endswith(_YAML) else TEXT
        has_code = kind == STARLARK or any("#@" in line or "(@" in line for line in (*self.old_lines, *self.new_lines))
        if (
            not has_code
            or len(self.units) > _MOST_CHECKED
            or not all(_is_read(self.file, kind, "".join(lines)) for lines in (self.old_lines, self.new_lines))
        ):
            return
        units = self.units
        place = 0
        while place < len(units) and len(units) > 1:
            if _is_read(self.file, kind, self._reverted([units[place]])):
                place += 1
                continue
            first = place if place + 1 < len(units) else place - 1
            joined = Unit(self, [*units[first].edits, *units[first + 1].edits])
            units = [*units[:first], joined, *units[first + 2 :]]
            place = first
        for number, unit in enumerate(units):
            unit.number = number
        self.units = units


# In names of files: `app.lock.yml`, `release-generated-1.2.yaml`.
_IS_GENERATED = re.compile(r"\.lock(\.ya?ml)?\Z|(?<![a-z])generated(?![a-z])")
_VENDORED = frozenset({"vendor", "vendored", "third_party", "node_modules", "generated", "charts"})


def _text(entry: Entry) -> str | None:
    if b"\0" in entry.data:
        return None
    return entry.data.decode("utf-8", "surrogateescape")


def _is_read(file: str, kind: str, text: str) -> bool:
    try:
        faults = recover(Source(file, text), kind, ignore_unknown_comments=True).faults
        return all(fault.code == "undefined-name" for fault in faults)
    except (PlaitError, RecursionError):
        return False


def _edits(file: str, old: str, new: str, old_lines: Sequence[str], new_lines: Sequence[str]) -> list[list[Edit]]:
    if file.endswith(_YAML) or "." not in file.rpartition("/")[2]:
        a, b = scanned(old), scanned(new)
        if a.documents and b.documents and not a.problems and not b.problems:
            return _Trees(a, b, old_lines, new_lines).edits()
    return [[edit] for edit in _by_lines(old_lines, new_lines, (0, len(old_lines)), (0, len(new_lines)))]


def _by_lines(
    old: Sequence[str], new: Sequence[str], within_old: tuple[int, int], within_new: tuple[int, int]
) -> list[Edit]:
    """The differing lines. Equally many replaced lines are edits of their own."""
    found: list[Edit] = []
    a, c = within_old[0], within_new[0]
    for is_equal, (i1, i2, j1, j2) in ranges(old[a : within_old[1]], new[c : within_new[1]]):
        if is_equal:
            continue
        while i1 < i2 and j1 < j2 and i2 - i1 != j2 - j1 and _alike(old[a + i1], new[c + j1]):
            found.append((a + i1, a + i1 + 1, c + j1, c + j1 + 1))
            i1, j1 = i1 + 1, j1 + 1
        if i2 - i1 == j2 - j1:
            found += [(a + i1 + n, a + i1 + n + 1, c + j1 + n, c + j1 + n + 1) for n in range(i2 - i1)]
        else:
            found.append((a + i1, a + i2, c + j1, c + j2))
    return found


def _alike(old: str, new: str) -> bool:
    """True if a line is probably a version of the other one, not a new line."""
    left, right = old.strip()[:_LONGEST], new.strip()[:_LONGEST]
    return SequenceMatcher(None, left, right, autojunk=False).ratio() > 0.6


def _order(edit: Edit) -> tuple[int, bool, int]:
    """Sorts edits: removed lines come before new ones at the same position."""
    return edit[2], edit[3] > edit[2], edit[0]


class _Part:
    """An item or a document with its lines. key: equal for the same part on both sides. body: the line of its node,
    after comments and annotations. node: its value. end: without the `...` after a document. last: with it.
    """

    __slots__ = ("body", "end", "key", "last", "node", "start")

    def __init__(self, key: object, start: int, body: int, end: int, node: Node, last: int = 0) -> None:
        self.key = key
        self.start = start
        self.body = body
        self.end = end
        self.last = last or end
        self.node = node


class _Trees:
    """Compares two lossless trees, item by item."""

    def __init__(self, old: Tree, new: Tree, old_lines: Sequence[str], new_lines: Sequence[str]) -> None:
        self.old = old
        self.new = new
        self.old_lines = old_lines
        self.new_lines = new_lines
        self.found: list[list[Edit]] = []

    def edits(self) -> list[list[Edit]]:
        """The edits of each unit, in the order of the new text."""
        left = self._documents(self.old, self.old_lines)
        right = self._documents(self.new, self.new_lines)
        self._compare(left, right, (0, len(self.old_lines)), (0, len(self.new_lines)), is_named=False, in_order=False)
        return sorted(self.found, key=lambda edits: (edits[0][2], edits[0][0]))

    def _documents(self, tree: Tree, lines: Sequence[str]) -> list[_Part]:
        starts = [0, *(tree.line_of(one.start) - 1 for one in tree.documents[1:])]
        # Annotations of a document stand above its `---`.
        for number in range(1, len(starts)):
            at = starts[number]
            while (
                at > starts[number - 1] + 1 and lines[at - 1].lstrip().startswith("#@") and not _is_end(lines[at - 1])
            ):
                at -= 1
            starts[number] = at
        found: list[_Part] = []
        counts: dict[object, int] = {}
        for number, document in enumerate(tree.documents):
            end = starts[number + 1] if number + 1 < len(starts) else len(lines)
            key = _document_key(tree, document.root)
            counts[key] = counts.get(key, 0) + 1
            body = starts[number]
            root = document.root
            if isinstance(root, Collection) and root.items and not root.in_brackets:
                body = starts[number]
            content = _content_end(lines, starts[number], end)
            found.append(_Part((key, counts[key]), starts[number], body, content, root, end))
        return found

    def _items(
        self, tree: Tree, lines: Sequence[str], node: Collection, within: tuple[int, int], name: str
    ) -> list[_Part]:
        """The items of a block collection. within: its lines; those before the first item belong to it. name: the key
        that identifies the items of a sequence; "" for their text.
        """
        start, end = within
        found: list[_Part] = []
        counts: dict[object, int] = {}
        begins = [tree.line_of(item.start) - 1 for item in node.items]
        ends = [tree.line_of(max(item.end - 1, item.start)) for item in node.items]
        starts: list[int] = []
        for number, begin in enumerate(begins):
            first = start if number == 0 else max(ends[number - 1], starts[-1])
            # The end of a block belongs to the item before it.
            for at in range(begin - 1, first - 1, -1):
                if _is_end(lines[at]):
                    first = at + 1
                    break
            starts.append(first)
        for number, item in enumerate(node.items):
            last = starts[number + 1] if number + 1 < len(starts) else end
            key = _key(tree, item, name)
            counts[key] = counts.get(key, 0) + 1
            found.append(_Part((key, counts[key]), starts[number], begins[number], last, item.value))
        return found

    def _compare(
        self,
        left: Sequence[_Part],
        right: Sequence[_Part],
        within_old: tuple[int, int],
        within_new: tuple[int, int],
        *,
        is_named: bool = True,
        in_order: bool = True,
    ) -> None:
        """Compares parts with equal keys. is_named: all other parts are added or removed. in_order: other parts are
        also paired by their order, not only by their contents.
        """
        gone: dict[object, Edit] = {}
        come: dict[object, Edit] = {}
        for is_equal, (i1, i2, j1, j2) in ranges([one.key for one in left], [one.key for one in right]):
            if is_equal:
                for a, b in zip(left[i1:i2], right[j1:j2], strict=True):
                    self._pair(a, b)
                continue
            pairs = [] if is_named else self._aligned(left[i1:i2], right[j1:j2])
            for i, j in (*((i1 + a, j1 + b) for a, b in pairs), (i2, j2)):
                both = _paired_by_order(left[i1:i], right[j1:j]) if in_order and not is_named else 0
                for a, b in zip(left[i1 : i1 + both], right[j1 : j1 + both], strict=True):
                    self._pair(a, b)
                i1, j1 = i1 + both, j1 + both
                old_at = left[i1].start if i1 < len(left) else (left[-1].last if left else within_old[1])
                new_at = right[j1].start if j1 < len(right) else (right[-1].last if right else within_new[1])
                for one in left[i1:i]:
                    gone[one.key] = (one.start, one.last, new_at, new_at)
                for one in right[j1:j]:
                    come[one.key] = (old_at, old_at, one.start, one.last)
                if i < i2 and j < j2:
                    self._pair(left[i], right[j])
                i1, j1 = i + 1, j + 1
        for key, edit in gone.items():
            # An item that moved within its collection is one unit.
            self.found.append([edit, come.pop(key)] if key in come else [edit])
        self.found += [[edit] for edit in come.values()]

    def _aligned(self, left: Sequence[_Part], right: Sequence[_Part]) -> list[tuple[int, int]]:
        """The indexes of similar items, in order: those with the most text in common."""
        if not left or not right or len(left) * len(right) > _MOST_ALIGNED:
            return []
        old = [_weights(self.old_lines[one.start : one.end]) for one in left]
        new = [_weights(self.new_lines[one.start : one.end]) for one in right]
        return heaviest_pairs([[_common(a, b) for b in new] for a in old])

    def _pair(self, a: _Part, b: _Part) -> None:
        self._lines((a.end, a.last), (b.end, b.last))
        if self.old_lines[a.start : a.end] == self.new_lines[b.start : b.end]:
            return
        old, new = a.node, b.node
        if (
            isinstance(old, Collection)
            and isinstance(new, Collection)
            and not old.in_brackets
            and not new.in_brackets
            and old.is_map == new.is_map
            and old.items
            and new.items
            and old.column == new.column
        ):
            first_old = self.old.line_of(old.items[0].start) - 1
            first_new = self.new.line_of(new.items[0].start) - 1
            # The lines before the first item: the key, comments, and annotations.
            inner_old = max(first_old, a.start)
            inner_new = max(first_new, b.start)
            self._lines((a.start, inner_old), (b.start, inner_new))
            name = "" if old.is_map else _identifying((self.old, old), (self.new, new))
            left = self._items(self.old, self.old_lines, old, (inner_old, a.end), name)
            right = self._items(self.new, self.new_lines, new, (inner_new, b.end), name)
            start = len(self.found)
            self._compare(left, right, (inner_old, a.end), (inner_new, b.end), is_named=bool(name) or old.is_map)
            if old.is_map:
                self._join_first(start, first_old, first_new)
            return
        body_old, body_new = max(a.body, a.start), max(b.body, b.start)
        self._lines((a.start, body_old), (b.start, body_new))
        if self.old_lines[body_old : a.end] != self.new_lines[body_new : b.end]:
            self._lines_or_whole((body_old, a.end), (body_new, b.end), old, new)

    def _join_first(self, start: int, old: int, new: int) -> None:
        """Joins the units that change the first lines of a map inside a list: the `-` is before another key."""
        if any(not lines[at].lstrip().startswith("-") for lines, at in ((self.old_lines, old), (self.new_lines, new))):
            return
        found = self.found[start:]
        first = [one for one in found if any(a <= old < b or c <= new < d for a, b, c, d in one)]
        if len(first) > 1:
            rest = [one for one in found if one not in first]
            self.found[start:] = [*rest, sorted((edit for one in first for edit in one), key=_order)]

    def _lines_or_whole(self, old: tuple[int, int], new: tuple[int, int], a: Node, b: Node) -> None:
        """The unit of an item, without equal lines after it, which are comments."""
        end_old, end_new = old[1], new[1]
        last_old = max(self.old.line_of(max(a.end - 1, a.start)), old[0] + 1)
        last_new = max(self.new.line_of(max(b.end - 1, b.start)), new[0] + 1)
        if last_old <= end_old and last_new <= end_new and (last_old < end_old or last_new < end_new):
            self._lines((last_old, end_old), (last_new, end_new))
            end_old, end_new = last_old, last_new
        if self.old_lines[old[0] : end_old] != self.new_lines[new[0] : end_new]:
            self.found.append([(old[0], end_old, new[0], end_new)])

    def _lines(self, old: tuple[int, int], new: tuple[int, int]) -> None:
        if self.old_lines[old[0] : old[1]] != self.new_lines[new[0] : new[1]]:
            self.found += [[edit] for edit in _by_lines(self.old_lines, self.new_lines, old, new)]


def _weights(lines: Sequence[str]) -> Counter[str]:
    """The lines without indentation, each as often as it has characters."""
    found: Counter[str] = Counter()
    for line in lines:
        text = line.strip()
        found[text] += len(text)
    return found


def _common(a: Counter[str], b: Counter[str]) -> int:
    """The weight of the lines that two items share; 0 unless it is more than half of the smaller one's."""
    common = (a & b).total()
    return common if 2 * common > min(a.total(), b.total()) else 0


def _paired_by_order(left: Sequence[_Part], right: Sequence[_Part]) -> int:
    """The number of first items of two lists that are versions of each other although they are not similar: all of
    equally many items, or scalars.
    """
    if len(left) == len(right):
        return len(left)
    count = 0
    for a, b in zip(left, right, strict=False):
        if isinstance(a.node, Collection) or isinstance(b.node, Collection):
            break
        count += 1
    return count


def _key(tree: Tree, item: Item, name: str) -> object:
    if item.key is not None:
        return tree.text[item.key.start : item.key.end]
    return (_named(tree, item.value, name) if name else tree.text[item.start : item.end],)


def _named(tree: Tree, node: Node, name: str) -> str | None:
    """The text of the value under a key of a map; None if there is none, or it is a collection."""
    for item in node.items if isinstance(node, Collection) and node.is_map else ():
        if item.key is not None and tree.text[item.key.start : item.key.end] == name:
            return None if isinstance(item.value, Collection) else tree.text[item.value.start : item.value.end]
    return None


def _identifying(*sides: tuple[Tree, Collection]) -> str:
    """The key under which all items of two sequences have distinct scalars; "" if there is none."""
    for name in IDENTIFYING:
        values = [[_named(tree, item.value, name) for item in node.items] for tree, node in sides]
        if all(None not in found and len({*found}) == len(found) for found in values):
            return name
    return ""


def _content_end(lines: Sequence[str], start: int, end: int) -> int:
    """The line of the first `...` after a document; its end if there is none."""
    found = end
    for at in range(end - 1, start, -1):
        text = lines[at].rstrip()
        if text == "...":
            found = at
        elif text and not text.startswith("#"):
            break
    return found


def _is_end(line: str) -> bool:
    text = line.strip()
    return text.startswith("#@") and text[2:].strip().partition(" ")[0] == "end"


def _document_key(tree: Tree, root: Node) -> object:
    """The kind and name of a document as written."""
    if not isinstance(root, Collection) or not root.is_map:
        return ()
    found: list[str] = []
    for item in root.items:
        key = "" if item.key is None else tree.text[item.key.start : item.key.end]
        if key in ("kind", "schema"):
            found.append(tree.text[item.value.start : item.value.end])
        elif key == "metadata" and isinstance(item.value, Collection):
            found += [
                tree.text[one.value.start : one.value.end]
                for one in item.value.items
                if one.key is not None and tree.text[one.key.start : one.key.end] in ("name", "namespace")
            ]
    return tuple(found)
