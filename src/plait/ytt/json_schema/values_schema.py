"""An external schema for data values: JSON Schema, OpenAPI, or that of a custom resource.

The data values are the schema's defaults merged with the explicit values; the schema checks the result.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock

from plait.base.errors import LimitError, PlaitError, SchemaError, UsageError
from plait.base.input_view import current_view
from plait.base.json_schema import LIBRARY_HINT, NEEDS_LIBRARY
from plait.base.source import Position, Source
from plait.tree.nodes import Document, Map
from plait.ytt.json_schema.check import as_json, placed, violations
from plait.ytt.json_schema.defaults import Defaults, conditional_defaults
from plait.ytt.json_schema.reference_resolution import SchemaReferences
from plait.ytt.json_schema.schema_files import SchemaFiles, note_read
from plait.ytt.json_schema.schema_selection import is_ytts, part_of
from plait.ytt.json_schema.violations import ViolationReporter, shown
from plait.ytt.schema.required import settable_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.base.errors import Warning
    from plait.tree.nodes import Value


class ValuesSchema:
    """The schema of data values in a file. name: the file, with `#POINTER` if a pointer was given. notes: keywords
    without effect.
    """

    def __init__(self, name: str, texts: Mapping[str, bytes] | None = None) -> None:
        """texts: replace files, by absolute path.

        Raises ReadError, UsageError for an invalid schema, LimitError.
        """
        self.name = name
        typed, pointer = _split(name, texts or {})
        self._typed = typed
        path = os.path.abspath(typed)
        self.path = path
        self.files = SchemaFiles([os.path.dirname(path)], texts)
        try:
            self._references = SchemaReferences(self.files)
        except ImportError:
            raise UsageError(NEEDS_LIBRARY.format("--schema"), hint=LIBRARY_HINT, code="extra-not-installed") from None
        self._findings = ViolationReporter(self._references)
        try:
            self.contents = self._references.load(path)
            self.pointer = part_of(self.contents, pointer, typed)
            self.schema = self._references.schema(path, self.pointer)
        except PlaitError as error:
            note_read(self.files.stamps)
            raise shown(error) from None
        if self.files.problems:
            note_read(self.files.stamps)
            raise UsageError(
                f'the schema "{name}" cannot be used',
                findings=self._findings.of_problems(),
                code="json-schema-unusable",
            )
        self.notes = [*self._notes()]
        self.is_ytts = is_ytts(self.contents, self.pointer)
        self._defaults = Defaults(self.schema, self.where, is_ytts=self.is_ytts)

    def _notes(self) -> Iterator[Warning]:
        yield from self._findings.of_notes()
        conditional = conditional_defaults(self._references.reached())
        said = "the default is ignored, since it applies only to some values"
        yield from self._findings.of_nodes(said, "default", conditional)

    def where(self, node: Mapping[str, object], keyword: str) -> Position:
        """The position of a keyword. node: the schema with the keyword."""
        return self._findings.where(node, keyword) or Position(Source(self._typed), 1)

    @property
    def position(self) -> Position:
        """The position of the schema."""
        return self.where(self.schema.node, "")

    def defaults(self) -> Document:
        """The data values without explicit ones. Raises LimitError, UsageError."""
        found = _within_stack(self._defaults.built)
        if type(found) is not Map:
            raise UsageError(
                "data values must be a map", at=self.position, found="a default of another type", code="values-not-map"
            )
        return Document(found, found.source, found.line)

    def fill(self, document: Document, before: Document | None = None) -> Document:
        """The document with the defaults of missing keys. before: an earlier, filled state.

        Raises LimitError, UsageError.
        """
        old = None if before is None else before.value
        value: Value = _within_stack(lambda: self._defaults.fill(document.value, old))
        return document if value is document.value else document.with_value(value)

    def without_replaced(self, explicit: Document, before: Document) -> Document:
        """The data values in `before`, without those that `explicit` replaces. Raises LimitError.

        A replaced value may belong to another `oneOf` alternative; merging into it would mix the two.
        """
        value: Value = _within_stack(lambda: self._defaults.remaining(before.value, explicit.value))
        return before if value is before.value else before.with_value(value)

    def check(self, document: Document, sources: Sequence[Source] = ()) -> None:
        """Raises SchemaError for invalid data values; LimitError, UsageError.

        sources: the files and flags with data values.
        """
        try:
            found = placed(document, violations(as_json(document.value), self.schema))
        except UsageError as error:
            raise shown(error) from None
        if found:
            findings = [self._findings.of_fault(one) for one in found]
            for fault, finding in zip(found, findings, strict=True):
                if (key := fault.missing) is not None and finding.hint is None:
                    path = ".".join(map(str, (*fault.path, key)))
                    finding.hint = settable_from("[" if any(type(one) is int for one in fault.path) else path, sources)
            raise SchemaError(
                "One or more data values were invalid", findings=findings, code=findings[0].code
            ).made_of()

    @property
    def is_whole(self) -> bool:
        """True if the file was given without a pointer."""
        return self.name == self._typed

    def written(self) -> Document | None:
        """The file's document as written, or None if the file has several documents."""
        documents = self.files.documents(self.path)
        return documents[0] if len(documents) == 1 else None

    def leads_out(self) -> bool:
        """True if the schema refers to other files."""
        return len(self.files.all_read()) > 1


def _within_stack(make: Callable[[], Value]) -> Value:
    try:
        return make()
    except RecursionError:
        raise LimitError("the data values, or their schema, are nested too deeply") from None


def _split(name: str, texts: Mapping[str, bytes]) -> tuple[str, str | None]:
    """The path of a file, and the pointer after it."""
    path, mark, pointer = name.rpartition("#")
    if mark and not os.path.lexists(name) and os.path.abspath(name) not in texts:
        return path, pointer
    return name, None


_MOST_MADE = 8
_MADE: OrderedDict[str, ValuesSchema] = OrderedDict()
_LOCK = Lock()


def values_schema(name: str) -> ValuesSchema:
    """The schema of data values in a file: `FILE`, or `FILE#/pointer` for a part. Cached until the file changes.

    Raises ReadError, UsageError for an invalid schema, LimitError.
    """
    view = current_view()
    texts = {} if view is None else {path: text for path, text in view.texts.items() if _is_schema_file(path)}
    key = f"{os.getcwd()}\0{name}"
    with _LOCK:
        found = _MADE.get(key)
        if found is None or found.files.changed(texts):
            found = _MADE[key] = ValuesSchema(name, texts)
            while len(_MADE) > _MOST_MADE:
                _MADE.popitem(last=False)
    note_read(found.files.stamps)
    return found


def _is_schema_file(path: str) -> bool:
    return path.endswith((".json", ".yml", ".yaml"))
