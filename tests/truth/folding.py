"""Folding: ranges are nested, begin at a node or a block, and hide the whole of it and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from plait.authoring.lsp import symbols
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import Array, ArrayItem, Map, MapItem
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "folding"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Compare the ranges of files with the spans of their nodes; each range is a try."""
    row = Row(NAME)
    paths = sorted({path for name in subject.runs for path in subject.files(name)})
    found = [(path, first, last) for path in paths for first, last in symbols.folds(subject.state, path)]
    spans = {path: _spans(subject, path) for path in paths}
    crossing = {path: _crossing([(a, b) for one, a, b in found if one == path]) for path in paths}
    for number in sample(seed, found, tries):
        path, first, last = found[number]
        file = subject.state.file(path)
        assert file is not None
        where = f"{subject.shown(path)}:{first}-{last}"
        ends = spans[path].get(first, [])
        if (first, last) in crossing[path]:
            row.wrong.append(f"{where}: crosses another range")
        elif last > len(file.lines) or not file.line(first).strip():
            row.wrong.append(f"{where}: is not in the file")
        elif ends and not any(end <= last and (not after or last < after) for end, after in ends):
            row.wrong.append(f"{where}: the nodes end, and the next ones begin, on lines {ends}")
        else:
            row.held += 1
    return row


def _crossing(ranges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    out = set()
    open_: list[tuple[int, int]] = []
    for first, last in sorted(ranges, key=lambda one: (one[0], -one[1])):
        while open_ and open_[-1][1] < first:
            open_.pop()
        if open_ and open_[-1][1] < last:
            out.add((first, last))
        open_.append((first, last))
    return out


def _spans(subject: Subject, path: str) -> dict[int, list[tuple[int, int]]]:
    """First line of nodes -> the last line of each, and the first line of the next node; 0 for none."""
    file = subject.state.file(path)
    out: dict[int, list[tuple[int, int]]] = {}
    if file is None or not path.endswith((".yml", ".yaml")):
        return out
    try:
        documents = read(Source(path, file.source.text), merge_lists=False)
    except PlaitError:
        return out
    spans = Spans(documents)
    starts = [document.line for document in documents.items]
    for document, after in zip(documents.items, [*starts[1:], 0], strict=True):
        span = spans.item(document)
        if span is not None:
            last = spans.place(span.start)[0] + file.source.text[span.start : span.end].rstrip().count("\n")
            out.setdefault(document.line, []).append((last, after))
    todo = [document.value for document in documents.items]
    while todo:
        value = todo.pop()
        if type(value) is not Map and type(value) is not Array:
            continue
        items: Sequence[MapItem | ArrayItem] = value.items
        for number, item in enumerate(items):
            todo.append(item.value)
            span = spans.item(item)
            if span is None:
                continue
            text = file.source.text[span.start : span.end].rstrip()
            last = spans.place(span.start)[0] + text.count("\n")
            after = items[number + 1].line if number + 1 < len(items) else 0
            out.setdefault(item.line, []).append((last, after if after > item.line else 0))
    return out
