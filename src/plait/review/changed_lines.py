"""The changed lines of documents and text files, as printed, with the change that each line belongs to."""

from __future__ import annotations

from plait.base.lines import lines_of
from plait.base.source import Source
from plait.base.text_diff import differing
from plait.insight.redaction import withheld
from plait.review.evaluating import OUTPUT_FILES
from plait.review.result import Block, DocumentChange
from plait.review.values import ADDED, CHANGED, REMOVED, RENAMED, Pair, changes, is_secret_data, shown_name
from plait.tree.nodes import Array, Map
from plait.yaml.reader import read
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.base.text_diff import Range
    from plait.review.evaluating import Outcome
    from plait.review.result import ValueChange
    from plait.tree.nodes import Document, Item, Value

# Equal lines shown around a difference.
_CONTEXT = 3
# Lines of one document.
_MOST_LINES = 400


def document_changes(
    pairs: Iterable[Pair], base: Outcome, head: Outcome, found: Sequence[ValueChange], run: str
) -> Iterator[DocumentChange]:
    """The documents and text files that differ. pairs: the redacted documents. found: the changes of values."""
    by_name: dict[str, list[ValueChange]] = {}
    for one in found:
        by_name.setdefault(one.document, []).append(one)
    for pair in pairs:
        names = [shown_name(pair.new, pair.new_number), shown_name(pair.old, pair.old_number)]
        own = next((by_name.pop(name) for name in names if name in by_name), None)
        if own is not None:
            yield DocumentChange(own[0].document, _kind(own), own, _of_documents(*_without_data(pair), own), run)
    for name in sorted({*base.texts, *head.texts} & {*by_name}):
        own = by_name.pop(name)
        yield DocumentChange(name, _kind(own), own, _of_texts(_text(base, name), _text(head, name), own), run)
    for name, own in by_name.items():  # an order of documents, or names that a secret hides
        if name != OUTPUT_FILES:
            yield DocumentChange(name, CHANGED, own, (), run)


def _kind(found: Sequence[ValueChange]) -> str:
    return next((one.kind for one in found if not one.path and one.kind in (ADDED, REMOVED, RENAMED)), CHANGED)


def _without_data(pair: Pair) -> tuple[Document | None, Document | None]:
    """Both documents without the data of a Secret."""
    both = pair.old, pair.new
    if not is_secret_data(both, "data"):
        return both

    def hidden(document: Document | None) -> Document | None:
        top = None if document is None else document.value
        if document is None or type(top) is not Map:
            return document
        items = [
            item.with_value(withheld(item.value)) if is_secret_data(both, item.key) else item for item in top.items
        ]
        return document.with_value(top.with_items(items))

    return hidden(pair.old), hidden(pair.new)


def _of_documents(old: Document | None, new: Document | None, found: Sequence[ValueChange]) -> list[Block]:
    left, right = _printed(old), _printed(new)
    if old is None or new is None:
        return _blocks(left, right, [found[0]] * len(left), [found[0]] * len(right))
    by_place = {(one.kind, one.path): one for one in found}
    a, b = _read(left), _read(right)
    old_extents: list[tuple[int, int, ValueChange]] = []
    new_extents: list[tuple[int, int, ValueChange]] = []
    old_ends, new_ends = _ends(a, len(left)), _ends(b, len(right))
    for change in changes([Pair(0, a, b, 0, 0)]):
        row = by_place.get((change.kind, change.path))
        if row is not None and change.kind != RENAMED:
            if change.has_old:
                old_extents.append((*_extent(change.old_way, old_ends, len(left)), row))
            if change.has_new:
                new_extents.append((*_extent(change.new_way, new_ends, len(right)), row))
    return _blocks(left, right, _painted(old_extents, len(left)), _painted(new_extents, len(right)))


def _printed(document: Document | None) -> list[str]:
    return [] if document is None else lines_of(write_value(document.value))


def _read(lines: Sequence[str]) -> Document:
    return read(Source("output", "\n".join([*lines, ""])), keep_mark=False).items[0]


def _ends(document: Document, last: int) -> Mapping[Item, int]:
    """The last line of each item of a printed document."""
    found: dict[Item, int] = {}
    stack: list[tuple[Value, int]] = [(document.value, last)]
    while stack:
        value, end = stack.pop()
        if type(value) is Map or type(value) is Array:
            items: Sequence[Item] = value.items
            for item in reversed(items):
                found[item] = end
                stack.append((item.value, end))
                end = item.line - 1
    return found


def _extent(way: Sequence[Item], ends: Mapping[Item, int], last: int) -> tuple[int, int]:
    return (way[-1].line, ends[way[-1]]) if way else (1, last)


def _painted(extents: Sequence[tuple[int, int, ValueChange]], count: int) -> list[ValueChange | None]:
    """The change of each line: the one with the smallest extent."""
    lines: list[ValueChange | None] = [None] * count
    for start, end, change in sorted(extents, key=lambda one: one[0] - one[1]):
        lines[start - 1 : end] = [change] * (end - start + 1)
    return lines


def _text(outcome: Outcome, name: str) -> list[str]:
    text = outcome.texts.get(name)
    return [] if text is None or type(text.value) is not Array else [str(item.value) for item in text.value.items]


def _of_texts(left: Sequence[str], right: Sequence[str], found: Sequence[ValueChange]) -> list[Block]:
    marks: list[ValueChange | None] = [found[0]] if len(found) == 1 else [None]
    return _blocks(left, right, marks * len(left), marks * len(right))


def _blocks(
    left: Sequence[str],
    right: Sequence[str],
    old: Sequence[ValueChange | None],
    new: Sequence[ValueChange | None],
) -> list[Block]:
    """The lines that differ, with equal lines around them. old, new: the change of each line."""
    found: list[Block] = []
    at = at_new = 0
    shown = 0
    ranges = differing(left, right)
    for number, (a, b, c, d) in enumerate(ranges):
        if shown > _MOST_LINES:
            found.append(Block.gap(sum(one[1] - one[0] + one[3] - one[2] for one in ranges[number:]), is_same=False))
            return found
        found += _equal(left[at:a], at, at_new, is_first=not at, is_last=False)
        for i, j, k, m in _aligned((a, b, c, d), old, new):
            block = Block(i + 1, left[i : min(j, i + _MOST_LINES)], k + 1, right[k : min(m, k + _MOST_LINES)])
            block.change = new[k] if m > k else old[i]
            found.append(block)
            cut = j - i - len(block.old) + m - k - len(block.new)
            if cut:
                found.append(Block.gap(cut, is_same=False))
            shown += len(block.old) + len(block.new)
        at, at_new = b, d
    found += _equal(left[at:], at, at_new, is_first=not at, is_last=True)
    return found


def _equal(lines: Sequence[str], at: int, at_new: int, *, is_first: bool, is_last: bool) -> Iterator[Block]:
    """Equal lines after line `at`, shortened to those near a difference."""
    head = 0 if is_first else _CONTEXT
    tail = 0 if is_last else _CONTEXT
    left_out = len(lines) - head - tail
    if left_out <= 1:
        if lines:
            yield Block.same(at + 1, at_new + 1, lines)
        return
    if head:
        yield Block.same(at + 1, at_new + 1, lines[:head])
    yield Block.gap(left_out, is_same=True)
    if tail:
        start = len(lines) - tail
        yield Block.same(at + start + 1, at_new + start + 1, lines[start:])


def _aligned(within: Range, old: Sequence[ValueChange | None], new: Sequence[ValueChange | None]) -> Iterator[Range]:
    """Splits a range of differing lines, so that lines of one change stand side by side."""
    a, b, c, d = within
    left, right = _runs(old, a, b), _runs(new, c, d)
    while left or right:
        if left and right and old[left[0][0]] is new[right[0][0]]:
            yield (*left.pop(0), *right.pop(0))
        elif left and (not right or all(new[one[0]] is not old[left[0][0]] for one in right)):
            yield (*left.pop(0), right[0][0] if right else d, right[0][0] if right else d)
        else:
            start = left[0][0] if left else b
            yield start, start, *right.pop(0)


def _runs(marks: Sequence[ValueChange | None], start: int, end: int) -> list[tuple[int, int]]:
    """The ranges of consecutive lines with the same change."""
    found: list[tuple[int, int]] = []
    for at in range(start, end):
        if found and marks[at] is marks[found[-1][0]]:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
