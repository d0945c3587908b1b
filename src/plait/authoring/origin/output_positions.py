"""Finds the value of an output at a line of its printed text, or by document and pointer."""

from __future__ import annotations

import re
from bisect import bisect_right

from plait.base.errors import PlaitError
from plait.base.lines import lines_of
from plait.base.numbers import number_of
from plait.base.similar_names import counted
from plait.base.source import Source
from plait.insight.impact import same_file
from plait.insight.node_paths import NodePath, text_lines
from plait.tree.nodes import Array, Map, equal
from plait.yaml.document_names import document_name, name_items, scalar_text
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.authoring.origin.report_files import ReportFinding
    from plait.engine.results import Documents
    from plait.insight.explain import Explainer
    from plait.insight.item_names import ItemNames
    from plait.tree.nodes import Document, Item, Value

# Maximum number of parts between slashes in a key.
_MOST_SLASHES = 20
# The names by which tools call standard input.
_STREAMS = frozenset({"", "-", "stdin", "<stdin>", "/dev/stdin", "(stdin)"})
# A message that rejects a key names it in quotes.
_REJECTED = re.compile(r"additional ?propert|unknown (?:field|key|property)|not allowed", re.IGNORECASE)
_QUOTED = re.compile(r"""['"]([^'"\n]{1,200})['"]""")


# Documents that a message names.
_SHOWN = 3


class OutputPositions:
    """The values of an output by position. made: the evaluation of the output. explainer: the explainer of its trace."""

    def __init__(self, made: Documents, explainer: Explainer) -> None:
        self._names = explainer.names
        self._texts = explainer.trace.texts
        self._documents = [*enumerate(explainer.visible(made.nodes.items))]
        # If a secret decides which items the output has, positions would reveal it.
        self._has_lines = explainer.marks is None or not explainer.marks.decides_places
        self._stream = made.to_yaml
        self._files: Mapping[str, str] = getattr(made, "files", {})
        self._printed: dict[str, PrintedText] = {}

    def find(self, finding: ReportFinding) -> NodePath | None:
        """The value that a finding is about; None if the output has no such position."""
        file = self._file(finding.file)
        if file is not None and file in self._texts:
            if not self._has_lines:
                return None
            found = [one for one in text_lines({file: self._texts[file]}) if int(one.path) == finding.line]
            return found[0] if found else None
        place = self._named(finding, file)
        if place is not None and (finding.pointer or not finding.line):
            return place
        if not finding.line or not self._has_lines:
            return None
        return self._text(file).at(finding.line, finding.column, finding.last_line)

    def line(self, finding: ReportFinding) -> str:
        """The printed line of a finding; "" if there is none."""
        lines = self._text(self._file(finding.file)).lines
        return lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""

    def lack(self, finding: ReportFinding) -> str:
        """Says what the output lacks that a finding without a place is about; "" if that is unknown, or secret."""
        if not self._has_lines:
            return ""
        if finding.kind or finding.name:
            name = "/".join(filter(None, (finding.kind, finding.name)))
            every = [
                item
                for _, document in self._documents
                for way in _resources(document)
                for item in (way or [document])[-1:]
            ]
            if any(self._is_called(one, finding) for one in every):
                return ""
            shown = [document_name(one) for one in every if not any(map(self._names.hides, name_items(one)))]
            names = [one for one in shown if one is not None]
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            has = f"; it has {', '.join(names[:_SHOWN])}{more}" if names else ""
            return f"the output has no {name}{has}: name the run of the report, or run the tool again on this output"
        count = len(self._text(self._file(finding.file)).lines)
        return (
            f"the output has {counted(count, 'line')}: the report is of another one; run the tool again on this output"
            if finding.line > count
            else ""
        )

    def has_file(self, name: str) -> bool:
        """True if an output file, or standard input, has exactly this name."""
        return name in _STREAMS or name.removeprefix("./") in self._files

    def _file(self, name: str) -> str | None:
        """The output file that a report names; None for the printed stream."""
        if name in _STREAMS:
            return None
        known = [path for path in self._files if same_file(path, name)]
        # Several matches differ in their leading directories; the longest is the closest.
        return max(known, key=len, default=None)

    def _text(self, file: str | None) -> PrintedText:
        key = file or ""
        if key not in self._printed:
            text = self._stream() if file is None else self._files[file]
            self._printed[key] = PrintedText(text, self._documents, self._names)
        return self._printed[key]

    def _named(self, finding: ReportFinding, file: str | None) -> NodePath | None:
        """The value at the pointer of the document that a finding names. Of several with the same name, prefers those
        in the file, and those with values at all pointers.
        """
        if not finding.name and not finding.kind:
            return None
        found = [
            (number, document, way)
            for number, document in self._documents
            for way in _resources(document)
            if self._is_called(way[-1] if way else document, finding)
        ]
        if len(found) > 1 and file is not None:
            inside = set(self._text(file).numbers)
            found = [one for one in found if one[0] in inside]
        if len(found) > 1:
            found = [one for one in found if self._is_of(one[2][-1] if one[2] else one[1], finding)]
        if len(found) > 1:
            found = [one for one in found if all(_way(*one[1:], pointer)[1] for pointer in finding.pointers)]
        return self._below(*found[0], finding) if len(found) == 1 else None

    def _below(self, number: int, document: Document, top: tuple[Item, ...], finding: ReportFinding) -> NodePath:
        """The value at the pointer below an item of a document; the nearest existing parent if it is missing."""
        way, _ = _way(document, top, finding.pointer or "")
        around = way[-1].value if way else document.value
        if type(around) is Map and _REJECTED.search(finding.text):
            quoted = set(_QUOTED.findall(finding.text))
            rejected = [item for item in around.items if scalar_text(item.key) in quoted]
            if len(rejected) == 1:
                way.append(rejected[0])
        return NodePath(document, number, tuple(way), names=self._names)

    def _is_called(self, resource: Item, finding: ReportFinding) -> bool:
        top = resource.value
        if type(top) is not Map or any(map(self._names.hides, name_items(resource))):
            return False
        inner = top.find("metadata")
        metadata = inner.value if inner is not None and type(inner.value) is Map else Map([])
        start = self._text_at(metadata, "generateName")
        if start and self._text_at(top, "kind") == finding.kind:
            return finding.name == f"{start}{_GENERATED}"
        wanted = f"{finding.kind}/{finding.name}" if finding.kind and finding.name else finding.name or finding.kind
        name = document_name(resource) or ""
        return name == wanted or name.endswith(f"/{wanted}")

    def _is_of(self, resource: Item, finding: ReportFinding) -> bool:
        """True if a resource with the name of a finding also has its version and namespace."""
        top = resource.value
        inner = top.find("metadata") if type(top) is Map else None
        if type(top) is not Map or (finding.version and self._text_at(top, "apiVersion") != finding.version):
            return False
        own = self._text_at(inner.value, "namespace") if inner is not None and type(inner.value) is Map else ""
        return finding.namespace is None or own == finding.namespace

    def _text_at(self, top: Map, key: str) -> str:
        """The value of a key as text; "" if it is missing or secret."""
        item = top.find(key)
        return (
            ""
            if item is None or type(item.value) in (Map, Array) or self._names.hides(item)
            else scalar_text(item.value)
        )


# The end of a name that kubeconform gives a resource with a `generateName`.
_GENERATED = "{{ generateName }}"


def _resources(document: Document) -> Iterator[tuple[Item, ...]]:
    """The paths to the resources of a document: to itself, or to the items of a List."""
    yield ()
    top = document.value
    kind = top.find("kind") if type(top) is Map else None
    every = top.find("items") if type(top) is Map and kind is not None and kind.value == "List" else None
    if every is not None and type(every.value) is Array:
        yield from ((every, item) for item in every.value.items)


def _way(document: Document, top: tuple[Item, ...], pointer: str) -> tuple[list[Item], bool]:
    """The items on the path of a pointer below an item of a document, as far as they exist; and True if all exist."""
    way = [*top]
    words = pointer.split("/")[1:]
    while words:
        item, count = _item_at(way[-1].value if way else document.value, words)
        if item is None:
            break
        way.append(item)
        del words[:count]
    return way, not words


def _item_at(value: Value, words: Sequence[str]) -> tuple[Item | None, int]:
    """The item that a pointer selects in a value, and the number of its words in the pointer.

    kubeconform does not escape the slashes of keys, such as those of annotations, so the longest key wins.
    """
    if type(value) is Array:
        index = number_of(words[0])
        return (value.items[index], 1) if index is not None and index < len(value.items) else (None, 0)
    if type(value) is Map:
        by_key = {scalar_text(item.key): item for item in value.items}
        for count in range(min(len(words), _MOST_SLASHES), 0, -1):
            found = by_key.get("/".join(words[:count]))
            if found is not None:
                return found, count
    return None, 0


class PrintedText:
    """A printed text, parsed again to find the positions of its values. numbers: those of its documents. lines: its
    lines.

    shown: the documents as printed, if they were redacted; their items have the order of those of the documents.
    """

    def __init__(
        self,
        text: str,
        documents: Sequence[tuple[int, Document]],
        names: ItemNames,
        shown: Sequence[Document] | None = None,
    ) -> None:
        self._names = names
        self.lines = lines_of(text)
        values = {number: document.value for number, document in documents}
        if shown is not None:
            values = dict(enumerate(document.value for document in shown))
        self.numbers: list[int] = []
        # The first line, the offset, the last line and the value of each item, in order; and the first lines.
        self._found: list[tuple[int, int, int, NodePath]] = []
        self._lines: list[int] = []
        self._last = 0
        source = Source("output", text)
        try:
            printed = read(source, keep_mark=False)
        except PlaitError:  # another format than YAML
            return
        self._spans = Spans(printed)
        at = 0
        for there in printed.items:
            order = [*documents[at:], *documents[:at]]
            own = next((one for one in order if equal(values[one[0]], there.value)), None)
            if own is None:
                continue
            at = own[0] + 1
            self.numbers.append(own[0])
            self._add(*own, there)
        self._found.sort(key=lambda one: one[1])
        self._lines = [one[0] for one in self._found]
        self._last = max((one[2] for one in self._found), default=0)

    def _add(self, number: int, document: Document, there: Document) -> None:
        pending: list[tuple[tuple[Item, ...], Item]] = [((), there)]
        while pending:
            way, item = pending.pop()
            span = self._spans.item(item)
            if span is not None:
                first, last = (self._spans.place(offset)[0] for offset in (span.start, max(span.end - 1, span.start)))
                place = NodePath(document, number, way, names=self._names)
                self._found.append((first, span.start, last, place))
            real = way[-1].value if way else document.value
            value = item.value
            if (type(value) is Map and type(real) is Map) or (type(value) is Array and type(real) is Array):
                own: Sequence[Item] = real.items
                printed: Sequence[Item] = value.items
                pending += [((*way, one), other) for one, other in zip(own, printed, strict=False)]

    def at(self, line: int, column: int, last: int = 0) -> NodePath | None:
        """The innermost value that starts at or before a position, and includes its line; None if there is none.

        last: the last line of a region of several lines, which the value includes.
        """
        end = bisect_right(self._lines, line)
        found = self._found[:end]
        if last > line:
            within = [one for one in found if one[2] >= min(last, self._last)]
            return within[-1][3] if within else self._document(line)
        own = [one for one in found[-_MOST_ON_LINE:] if one[0] == line]
        if column and own:
            offset = own[0][1] - self._spans.place(own[0][1])[1] + column
            before = [one for one in own if one[1] <= offset]
            return (before or own[:1])[-1][3]
        if own:
            # Without a column: down to the innermost value that is alone on the line.
            chosen = own[0]
            for one in own[1:]:
                if one[3].way[: len(chosen[3].way)] != chosen[3].way or len(one[3].way) != len(chosen[3].way) + 1:
                    break
                if sum(len(other[3].way) == len(one[3].way) for other in own) > 1:
                    break
                chosen = one
            return chosen[3]
        for one in reversed(found):
            if one[2] >= line:
                return one[3]
        return None

    def _document(self, line: int) -> NodePath | None:
        """The document that includes a line; None if there is none."""
        found = [one for one in self._found if not one[3].way and one[0] <= line <= one[2]]
        return found[-1][3] if found else None


# Maximum number of values that start on one line and are searched.
_MOST_ON_LINE = 2_000
