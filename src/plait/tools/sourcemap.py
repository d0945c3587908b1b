"""Source maps: for every scalar of an output, where it stands there and where it came from (docs/explain.md).

    {"version": 1, "sources": ["app.yml", "values.yml"], "mappings": [
      {"document": 0, "path": "spec.replicas", "line": 4, "column": 13,
       "source": {"file": "app.yml", "line": 7, "column": 13}, "action": "expression",
       "from": [{"file": "values.yml", "line": 3}]}]}

Lines of text files have `file`, their path in the output, instead of `document`.

`source` is where the value is written as it stands: a scalar of an input, or the expression that computes it. A value
that is written nowhere (a generated password) has no `source` and says so in `action`.
"""

from __future__ import annotations

from plait.errors import ReadError
from plait.nodes import Array, Map, MapItem, key_id
from plait.source import Source
from plait.tools.explain import lines
from plait.tools.paths import document_name, scalars, text_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Document, DocumentSet, Item
    from plait.provenance import Trace
    from plait.tools.explain import Entry
    from plait.tools.paths import Place
    from plait.yaml import Spans

VERSION = 1


def write_map(path: str, trace: Trace, documents: DocumentSet, text: str | None = None) -> None:
    """Write the source map of documents to a file. text: what is printed, if that is not the usual YAML.

    Raises ReadError when the file cannot be written.
    """
    from json import dumps

    data = dumps(source_map(trace, documents, text), ensure_ascii=False, indent=1)
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(data + "\n")
    except OSError as error:
        raise ReadError(f'cannot write the source map "{path}": {error.strerror}') from None


def source_map(trace: Trace, documents: DocumentSet, text: str | None = None) -> dict[str, object]:
    """The source map as plain data."""
    from plait.yaml import Spans, read, write

    printed = Source("output", write(documents) if text is None else text)
    spans = Spans()
    tree = read(printed, spans=spans, keep_mark=False)
    columns = _Columns()
    mappings: list[dict[str, object]] = []
    names: dict[str, None] = {}
    for place in scalars(documents.items):
        entry: dict[str, object] = {"document": place.number, "path": place.path}
        name = document_name(place.document)
        if name is not None:
            entry["name"] = name
        there = _printed(place, tree.items)
        span = spans.values.get(there) if there is not None else None
        if span is not None:
            entry["line"], entry["column"] = spans.place(span.start)
        mappings.append(_origin_data(trace, place, entry, columns, names))
    for line in text_lines(trace.texts):
        entry = {"file": line.file, "path": line.path, "line": int(line.path), "column": 1}
        mappings.append(_origin_data(trace, line, entry, columns, names))
    return {"version": VERSION, "sources": list(names), "mappings": mappings}


def _origin_data(
    trace: Trace, place: Place, entry: dict[str, object], columns: _Columns, names: dict[str, None]
) -> dict[str, object]:
    """Add to a mapping where its value came from; names gets the files."""
    action, stands, origins = origin(trace, place)
    source, line = stands.source, stands.line
    if source is not None and line > 0 and not source.name.startswith(("(", "-")):
        key = stands.key
        if key is None and type(place.item) is MapItem:
            key = place.item.key
        line, column = columns.of(source, line, key, stands.value)
        entry["source"] = {"file": source.shown, "line": line, "column": column}
        names[source.shown] = None
    elif source is not None:
        entry["flag"] = source.name if source.name.startswith("-") else f"{source.name} {source.text}"
    entry["action"] = action
    if origins:
        entry["from"] = [{"file": file, "line": number} for file, number in origins]
        names.update(dict.fromkeys(file for file, _ in origins))
    return entry


def origin(trace: Trace, place: Place) -> tuple[str, Entry, list[tuple[str, int]]]:
    """What made a value what it is: the action, the entry of where it is written, the other lines that have a part in it."""
    from plait.tools.explain import explain

    history = explain(trace, place)
    last = history.entries[-1]
    action = last.action
    stands = _as_written(last)
    found = lines(history)
    if stands.source is not None:
        found.discard((stands.source.shown, stands.line))
    return action, stands, sorted(one for one in found if one[1] > 0)


def _as_written(entry: Entry) -> Entry:
    """The entry of where a value is written as it stands: an operation's `value`, the source of a substitution."""
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


def _printed(place: Place, documents: list[Document]) -> Item | None:
    """The item of the printed text at a place; keys may stand in another order there."""
    if place.number >= len(documents):
        return None
    item: Item = documents[place.number]
    around: Item = place.document
    for step in place.way:
        value, real = item.value, around.value
        if type(step) is MapItem:
            if type(value) is not Map:
                return None
            found = value.find(step.key) or next(
                (one for one in value.items if key_id(one.key) == key_id(step.key)), None
            )
            if found is None:
                return None
            item = found
        else:
            items = getattr(real, "items", [])
            index = items.index(step)
            if index >= len(getattr(value, "items", ())):
                return None
            item = value.items[index]  # type: ignore[union-attr]
        around = step
    return item


class _Columns:
    """Columns of values in sources: each source is read again, once, with spans."""

    def __init__(self) -> None:
        self._known: dict[Source, dict[int, list[tuple[object, object, tuple[int, int]]]]] = {}

    def of(self, source: Source, line: int, key: object, value: object) -> tuple[int, int]:
        """Where the value under a key on a line stands: that value, another one under the key, any, or the line's text."""
        found = self._known.get(source)
        if found is None:
            found = self._known[source] = self._read(source)
        values = found.get(line, [])
        places = [place for other, own, place in values if other == key and type(own) is type(value) and own == value]
        places += [place for other, _, place in values if other == key]
        places += [place for _, _, place in values]
        text = source.line(line) or ""
        code = text.find("#@")
        if code >= 0 and not any(place[0] == line and own is not None for _, own, place in values):
            return line, code + 1
        return places[0] if places else (line, len(text) - len(text.lstrip()) + 1)

    def _read(self, source: Source) -> dict[int, list[tuple[object, object, tuple[int, int]]]]:
        from plait.errors import PlaitError
        from plait.yaml import Spans, read

        spans: Spans = Spans()
        text = source.text.removeprefix("\ufeff")
        marked = len(source.text) - len(text)
        found: dict[int, list[tuple[object, object, tuple[int, int]]]] = {}
        try:
            read(Source(source.name, text), spans=spans, merge_lists=False)
        except PlaitError:
            return found
        for item, span in spans.values.items():
            number, column = spans.place(span.start)
            place = number, column + marked if number == 1 else column
            key = item.key if type(item) is MapItem else None
            for line in {place[0], item.line}:
                found.setdefault(line, []).append((key, item.value, place))
        return found


def impact(trace: Trace, documents: DocumentSet, file: str, line: int) -> list[Place]:
    """The scalars of an output, and the lines of its text files, in which a line of an input has a part."""
    from plait.tools.explain import explain

    return [
        place
        for place in (*scalars(documents.items), *text_lines(trace.texts))
        if any(
            # Of a file that was read as a whole every line counts.
            number in (0, line) and same_file(name, file)
            for name, number in lines(explain(trace, place), structure=True)
        )
    ]


def same_file(name: str, file: str) -> bool:
    """Whether a source's name and a path a person gave mean one file: inputs are named from their directory on."""
    name, file = name.removeprefix("./"), file.removeprefix("./")
    return name == file or name.endswith("/" + file) or file.endswith("/" + name)
