"""Source maps: for every scalar of an output, where it stands there and where it came from (docs/explain.md).

    {"version": 1, "sources": ["app.yml", "values.yml"], "mappings": [
      {"document": 0, "path": "spec.replicas", "line": 4, "column": 13,
       "source": {"file": "app.yml", "line": 7, "column": 13}, "action": "expression",
       "from": [{"file": "values.yml", "line": 3}]}]}

`source` is where the value is written as it stands: a scalar of an input, or the expression that computes it. A value
that is written nowhere (a generated password) has no `source` and says so in `action`.
"""

from __future__ import annotations

from weft.errors import ReadError
from weft.nodes import Map, MapItem, key_id
from weft.source import Source
from weft.tools.explain import lines
from weft.tools.paths import document_name, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.nodes import Document, DocumentSet, Item
    from weft.provenance import Trace
    from weft.tools.paths import Place
    from weft.yaml import Spans

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
    from weft.yaml import Spans, read, write

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
        action, source, line, origins = origin(trace, place)
        if source is not None and line > 0 and not source.name.startswith(("(", "-")):
            key = place.item.key if type(place.item) is MapItem else None
            entry["source"] = {"file": source.name, "line": line, "column": columns.of(source, line, key)}
            names[source.name] = None
        elif source is not None:
            entry["flag"] = source.name if source.name.startswith("-") else f"{source.name} {source.text}"
        entry["action"] = action
        if origins:
            entry["from"] = [{"file": file, "line": number} for file, number in origins]
            names.update(dict.fromkeys(file for file, _ in origins))
        mappings.append(entry)
    return {"version": VERSION, "sources": list(names), "mappings": mappings}


def origin(trace: Trace, place: Place) -> tuple[str, Source | None, int, list[tuple[str, int]]]:
    """What made a value what it is: the action, where that is written, and the other lines that have a part in it."""
    from weft.tools.explain import explain

    history = explain(trace, place)
    last = history.entries[-1]
    action, source, line = last.action, last.source, last.line
    found = lines(history)
    if source is not None:
        found.discard((source.name, line))
    return action, source, line, sorted(one for one in found if one[1] > 0)


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
        self._known: dict[Source, dict[int, list[tuple[object, int]]]] = {}

    def of(self, source: Source, line: int, key: object) -> int:
        """The column of the value under a key on a line, or of the first one; of the line's text if there is none."""
        found = self._known.get(source)
        if found is None:
            found = self._known[source] = self._read(source)
        values = found.get(line, [])
        for other, column in values:
            if other == key:
                return column
        if values:
            return values[0][1]
        text = source.line(line) or ""
        return len(text) - len(text.lstrip()) + 1

    def _read(self, source: Source) -> dict[int, list[tuple[object, int]]]:
        from weft.errors import WeftError
        from weft.yaml import Spans, read

        spans: Spans = Spans()
        found: dict[int, list[tuple[object, int]]] = {}
        try:
            read(Source(source.name, source.text), spans=spans, merge_lists=False)
        except WeftError:
            return found
        for item, span in spans.values.items():
            line, column = spans.place(span.start)
            key = item.key if type(item) is MapItem else None
            found.setdefault(line, []).append((key, column))
            if item.line != line:
                found.setdefault(item.line, []).append((key, column))
        return found


def impact(trace: Trace, documents: DocumentSet, file: str, line: int) -> list[Place]:
    """The scalars of an output in which a line of an input has a part."""
    from weft.tools.explain import explain

    return [
        place
        for place in scalars(documents.items)
        if any(
            number == line and same_file(name, file) for name, number in lines(explain(trace, place), structure=True)
        )
    ]


def same_file(name: str, file: str) -> bool:
    """Whether a source's name and a path a person gave mean one file: inputs are named from their directory on."""
    name, file = name.removeprefix("./"), file.removeprefix("./")
    return name == file or name.endswith("/" + file) or file.endswith("/" + name)
