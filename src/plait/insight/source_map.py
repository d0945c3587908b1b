"""Writes source maps: the position and the origin of every scalar of an output (docs/explain.md).

    {"version": 1, "sources": ["app.yml", "values.yml"], "mappings": [
      {"document": 0, "path": "spec.replicas", "line": 4, "column": 13,
       "source": {"file": "app.yml", "line": 7, "column": 13}, "action": "expression",
       "from": [{"file": "values.yml", "line": 3}]}]}

Lines of text files have `file`, their path in the output, instead of `document`.

`source` is the position of the value in an input: a scalar, or the expression that computes it. A value without a
source (a generated password) has no `source`; `action` names its origin.

If a secret decides which items the output has, documents and lines are counted without these items, and `line` and
`column` are omitted.
"""

from __future__ import annotations

from itertools import chain
from json import JSONEncoder

from plait.base.errors import PlaitError
from plait.base.extensions import TAGS
from plait.base.source import Source
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import write_file
from plait.insight.explain import Explainer
from plait.insight.node_paths import scalars_beside, text_lines
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.json import write_json
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read
from plait.yaml.tags import tags_of
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.insight.explain import HistoryEntry
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Document, DocumentSet, Item
    from plait.tree.provenance import Trace

VERSION = 1


def write_map(
    path: str, trace: Trace, documents: DocumentSet, text: str | None = None, *, as_json: bool = False
) -> None:
    """Writes the source map of documents to a file, one line per value.

    text: the printed text; by default the documents as YAML, or as JSON if as_json is set.

    Raises ReadError if the file cannot be written, and for a symbolic link to a file.
    """
    encode = JSONEncoder(ensure_ascii=False).encode
    names: dict[str, None] = {}
    # Entries take much less memory as text than as data.
    entries = [encode(entry) for entry in _mappings(trace, documents, text, names, as_json=as_json)]
    head = f'{{"version": {VERSION}, "sources": {encode(list(names))}, "mappings": ['
    parts = (f"{',' if number else ''}\n{entry}" for number, entry in enumerate(entries))
    try:
        write_file(
            path,
            (part.encode("utf-8", "replace") for part in chain([head], parts, ["\n]}\n"])),
            new_mode=0o666,
            replaces_target=False,
        )
    except (OSError, ValueError) as error:
        raise failure(f'the source map "{path}"', error) from None


def source_map(trace: Trace, documents: DocumentSet, text: str | None = None) -> dict[str, object]:
    """The source map as plain data."""
    names: dict[str, None] = {}
    mappings = list(_mappings(trace, documents, text, names))
    return {"version": VERSION, "sources": list(names), "mappings": mappings}


def _mappings(
    trace: Trace, documents: DocumentSet, text: str | None, names: dict[str, None], *, as_json: bool = False
) -> Iterator[dict[str, object]]:
    """Yields the entries. names: receives the files in the entries.

    Documents are processed in order, so that only the largest determines the memory.
    """
    explainer = Explainer(trace)
    columns = _Columns()
    extensions = frozenset([TAGS] if text is not None and any(tags_of(documents)) else [])
    whole = None if text is None else _Printed(text, of=len(documents.items), extensions=extensions)
    before = beside = 0
    marks = explainer.marks
    # Positions in the output reveal the size of earlier secrets.
    is_placed = marks is None or not marks.decides_places
    for number, document in enumerate(explainer.visible(documents.items)):
        there: Document | None = None
        printed: _Printed | None = None
        if is_placed and whole is not None:
            printed, there = whole, whole.document(number)
        elif is_placed and as_json:
            json = write_json(document.value)
            printed = _Printed(json, beside=beside)
            there = printed.document(0)
            beside += len(json)
        elif is_placed:
            printed = _Printed(write_value(document.value), before)
            there = printed.document(0)
            before = printed.end + 1  # a `---` line separates them
        name = explainer.names.document(document, number)
        for place, item in scalars_beside(document, number, there, explainer.names):
            entry: dict[str, object] = {"document": number, "path": place.path}
            if name is not None:
                entry["name"] = name
            position = None if printed is None else printed.position(item)
            if position is not None:
                entry["line"], entry["column"] = position
            yield _origin_data(explainer, place, entry, columns, names)
    for line in text_lines(explainer.texts):
        entry = {"file": line.file, "path": line.path}
        if is_placed:
            entry |= {"line": int(line.path), "column": 1}
        yield _origin_data(explainer, line, entry, columns, names)


class _Printed:
    """A printed text, parsed again to find the positions of values.

    before: the number of lines before it. beside: the number of characters before it on its first line. of: the number
    of printed documents; a text with preserved formatting may contain empty documents. extensions: the extensions of
    the dialect of the text.
    """

    def __init__(
        self, text: str, before: int = 0, beside: int = 0, of: int = 1, extensions: frozenset[str] = frozenset()
    ) -> None:
        self._beside = beside
        self._before = before
        source = Source("output", text)
        source.extensions = extensions
        found = read(source, keep_mark=False)
        self._spans = Spans(found)
        items = found.items
        self._documents = items if len(items) <= of else [one for one in items if one.value is not None]
        self.end = before + text.count("\n")

    def document(self, number: int) -> Document | None:
        """The document with this number, if the text has one."""
        documents = self._documents
        return documents[number] if number < len(documents) else None

    def position(self, item: Item | None) -> tuple[int, int] | None:
        """Line and column of an item's value."""
        span = None if item is None else self._spans.value(item)
        if span is None:
            return None
        line, column = self._spans.place(span.start)
        return line + self._before, column + self._beside


def _origin_data(
    explainer: Explainer, node_path: NodePath, entry: dict[str, object], columns: _Columns, names: dict[str, None]
) -> dict[str, object]:
    """Adds the origin of a value to its mapping. names: receives the files."""
    action, stands, origins = origin(explainer, node_path)
    source, line = stands.source, stands.line
    if source is not None and line > 0 and not source.flag:
        key = stands.key
        if key is None and type(node_path.item) is MapItem:
            key = node_path.item.key
        line, column = columns.of(source, line, key, stands.value)
        entry["source"] = {"file": source.shown, "line": line, "column": column}
        names[source.shown] = None
    elif source is not None:
        entry["flag"] = f"{source.name} {source.text}" if source.is_data_flag else source.name
    entry["action"] = action
    if origins:
        entry["from"] = [{"file": file, "line": number} for file, number in origins]
        names.update(dict.fromkeys(file for file, _ in origins))
    return entry


def origin(explainer: Explainer, node_path: NodePath) -> tuple[str, HistoryEntry, list[tuple[str, int]]]:
    """The origin of a value: the action, the entry with its position, and the other lines that contributed."""
    history = explainer.history(node_path)
    last = history.entries[-1]
    action = last.action
    stands = _as_written(last)
    found = explainer.lines(history)
    if stands.source is not None:
        found.discard((stands.source.shown, stands.line))
    return action, stands, sorted(one for one in found if one[1] > 0)


def _as_written(entry: HistoryEntry) -> HistoryEntry:
    """The entry with the literal value, such as an operation's `value` or the source of a substitution."""
    while entry.action not in ("expression", "template") and entry.has_value:
        same = [
            inner
            for inner in entry.origins
            if inner.has_value and type(inner.value) is type(entry.value) and inner.value == entry.value
        ]
        if len(same) != 1 or type(entry.value) is Map or type(entry.value) is Array:
            break
        entry = same[0]
    return entry


class _Columns:
    """Columns of values in sources. Each source is parsed once more, with spans."""

    def __init__(self) -> None:
        self._known: dict[Source, dict[int, list[tuple[object, object, tuple[int, int]]]]] = {}

    def of(self, source: Source, line: int, key: object, value: object) -> tuple[int, int]:
        """Line and column of a value: of the value under the key, else of another value under the key, of an
        equal value, of any value on the line, or of the line's first character.
        """
        found = self._known.get(source)
        if found is None:
            found = self._known[source] = self._read(source)
        values = found.get(line, [])
        places = [place for other, own, place in values if other == key and type(own) is type(value) and own == value]
        places += [place for other, _, place in values if other == key]
        places += [place for _, own, place in values if type(own) is type(value) and own == value]
        places += [place for _, _, place in values]
        text = source.line(line) or ""
        code = text.find("#@")
        if code >= 0 and not any(place[0] == line and own is not None for _, own, place in values):
            return line, code + 1
        return places[0] if places else (line, len(text) - len(text.lstrip()) + 1)

    def _read(self, source: Source) -> dict[int, list[tuple[object, object, tuple[int, int]]]]:
        text = source.text.removeprefix("\ufeff")
        marked = len(source.text) - len(text)
        found: dict[int, list[tuple[object, object, tuple[int, int]]]] = {}
        try:
            spans = Spans(read(Source(source.name, text), merge_lists=False))
        except PlaitError:
            return found
        # Scalars first: a collection begins where its first scalar does.
        for item in sorted(spans.bound(), key=lambda one: type(one.value) is Map or type(one.value) is Array):
            span = spans.value(item)
            if span is None:
                continue
            number, column = spans.place(span.start)
            place = number, column + marked if number == 1 else column
            key = item.key if type(item) is MapItem else None
            # Only scalars matter, so the tree is released.
            value = ... if type(item.value) is Map or type(item.value) is Array else item.value
            for line in {place[0], item.line}:
                found.setdefault(line, []).append((key, value, place))
        return found
