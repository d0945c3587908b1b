"""A schema that somebody else wrote, as the schema of data values: JSON Schema, OpenAPI, or that of a custom resource.

The data values are the schema's defaults with the given ones laid over them, and the result is checked by the schema.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock

from plait.content import file_content
from plait.errors import Finding, LimitError, PlaitError, SchemaError, UsageError, as_finding
from plait.kinds.check import as_json, placed, violations
from plait.kinds.defaults import Defaults, not_taken
from plait.kinds.files import Files
from plait.kinds.parts import is_ytts, part_of
from plait.kinds.references import References
from plait.kinds.wording import type_name
from plait.nodes import Array, Document, Map
from plait.schema.check import flag_hint
from plait.source import Position
from plait.spell import listed, near
from plait.view import current_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plait.kinds.check import Fault
    from plait.nodes import Value
    from plait.source import Source

_WITHOUT_LIBRARY = "pip install 'plait[validate]'"
# Keywords that say which keys there have to be.
_OF_MISSING = ("dependentRequired", "required")
# So much of a keyword is shown in messages.
_MOST_SHOWN = 80


class ValuesSchema:
    """What a file says of data values. name: the file, and `#` with a pointer into it if it was named with one.

    notes: what it says that has no effect.
    """

    def __init__(self, name: str, texts: Mapping[str, bytes] | None = None) -> None:
        """texts: what stands in the place of files, by absolute path.

        Raises ReadError, UsageError for what is no schema, LimitError.
        """
        self.name = name
        typed, pointer = _split(name, texts or {})
        self._typed = typed
        path = os.path.abspath(typed)
        self.path = path
        self.files = Files([os.path.dirname(path)], texts)
        try:
            self._references = References(self.files)
        except ImportError:
            raise UsageError("--schema needs the library jsonschema", hint=_WITHOUT_LIBRARY) from None
        self._places: dict[int, tuple[str, tuple[str | int, ...]]] = {}
        self.files.note(path)
        try:
            self.contents = self._references.load(path)
            self.pointer = part_of(self.contents, pointer, typed)
            self.schema = self._references.schema(path, self.pointer)
        except PlaitError as error:
            raise self._named(error) from None
        if self.files.problems:
            findings = [as_finding(self._named(one)) for one in self.files.problems]
            raise UsageError(f'the schema "{name}" cannot be used', findings=findings)
        self.notes = [*self._notes()]
        self.is_ytts = is_ytts(self.contents, self.pointer)
        self._defaults = Defaults(self.schema, self.where, is_ytts=self.is_ytts)

    def _notes(self) -> Iterator[str]:
        for one in self.files.notes:
            self._named(one)
            yield f"{one.at}: {one.message}"
        left = [*not_taken(self._references.reached())]
        if left:
            more = f", and {len(left) - 1} more" if len(left) > 1 else ""
            yield f"{self.where(left[0], 'default')}: the default is not taken, since it holds only for some values{more}"

    def _named(self, error: PlaitError) -> PlaitError:
        """The error with the path as it was typed, where it has an absolute one."""
        if error.at is not None and error.at.source is not None:
            self._show(error.at.source)
        error.message = error.message.replace(self.path, self._typed)
        return error

    def _show(self, source: Source) -> None:
        if os.path.isabs(source.name) and not os.path.isabs(self._typed):
            below = os.path.relpath(source.name, os.path.dirname(self.path))
            source.shown = os.path.join(os.path.dirname(self._typed), below)

    def where(self, node: Mapping[str, object], keyword: str) -> Position:
        """Where a keyword of the schema stands. node: the schema with the keyword."""
        if not self._places:
            self._places = self._references.places()
        path, way = self._places.get(id(node), (self.path, ()))
        at = self.files.place(path, (*way, keyword) if keyword in node else way)
        if at.source is not None:
            self._show(at.source)
        return at

    @property
    def position(self) -> Position:
        """Where the schema begins."""
        return self.where(self.schema.node, "")

    def defaults(self) -> Document:
        """The data values when none are given. Raises LimitError, UsageError."""
        found = _within_stack(self._defaults.made)
        if type(found) is not Map:
            raise UsageError("data values are a map", at=self.position, found="a default of another type")
        return Document(found, found.source, found.line)

    def fill(self, document: Document, before: Document | None = None) -> Document:
        """The document with the defaults of what its objects lack. before: an earlier state that was filled.

        Raises LimitError, UsageError.
        """
        old = None if before is None else before.value
        value: Value = _within_stack(lambda: self._defaults.fill(document.value, old))
        return document if value is document.value else document.with_value(value)

    def room_for(self, given: Document, before: Document) -> Document:
        """The data values so far, with nothing where the given ones have a map or an array and there is another thing: of
        alternatives that a schema has, others need not be of the kind of the default.
        """
        value = _room(before.value, given.value)
        return before if value is before.value else before.with_value(value)

    def check(self, document: Document) -> None:
        """Raises SchemaError for data values that are not as the schema says; LimitError, UsageError."""
        try:
            found = placed(document, violations(as_json(document.value), self.schema))
        except UsageError as error:
            raise self._named(error) from None
        if found:
            findings = [self._finding(one) for one in found]
            raise SchemaError("One or more data values were invalid", findings=findings)

    def _finding(self, fault: Fault) -> Finding:
        finding = Finding(fault.message, at=fault.item.position)
        if fault.path:
            finding.message = f"{_path_text(fault)}: {fault.message}"
        if not fault.is_of_key and fault.keyword not in _OF_MISSING:
            finding.found = type_name(as_json(fault.item.value))
        if fault.schema is not None:
            at = self.where(fault.schema, fault.keyword)
            finding.expected = f"{_keyword(fault)} (by {at})"
            finding.also = [at]
        meant = fault.meant
        if fault.is_of_key and not meant and fault.schema is not None:
            # Those that are there by default are no reason to write another one.
            properties = fault.schema.get("properties")
            meant = near(str(fault.path[-1]), properties if isinstance(properties, dict) else ())
        if fault.item.source is not None and os.path.abspath(fault.item.source.name) in self.files.all_read():
            finding.hint = "this is a default of the schema itself; give another value, or mend the schema"
        elif meant:
            finding.hint = f"did you mean {listed(meant, quote=chr(34))}?"
        else:
            finding.hint = flag_hint(fault.item)
        return finding

    @property
    def is_whole(self) -> bool:
        """Whether the file was named without a pointer."""
        return self.name == self._typed

    def written(self) -> Document | None:
        """The file as it was written, if it is one document."""
        documents = self.files.documents(self.path)
        return documents[0] if len(documents) == 1 else None

    def leads_out(self) -> bool:
        """Whether the schema refers to other files."""
        return len(self.files.all_read()) > 1

    def note_in_view(self) -> None:
        """Tell who watches this run what was read, though an earlier one may have read it."""
        if current_view() is not None:
            for path in self.files.stamps:
                file_content(path, f'the schema "{path}"')


def _room(left: Value, right: Value) -> Value:
    if type(right) in (Map, Array) and type(left) is not type(right):
        return None
    if type(left) is not Map or type(right) is not Map:
        return left
    items = left.items.copy()
    for number, item in enumerate(items):
        other = right.find(item.key)
        inner = item.value if other is None else _room(item.value, other.value)
        if inner is not item.value:
            items[number] = item.with_value(inner)
    return left.with_items(items) if any(a is not b for a, b in zip(items, left.items, strict=True)) else left


def _path_text(fault: Fault) -> str:
    out = ""
    for step in fault.path:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out


def _keyword(fault: Fault) -> str:
    import json

    rule = (fault.schema or {}).get(fault.keyword)
    text = json.dumps(rule, ensure_ascii=False, default=str)
    return f"{fault.keyword}: {text}" if len(text) <= _MOST_SHOWN else f"as {fault.keyword} says"


def _within_stack(make: Callable[[], Value]) -> Value:
    try:
        return make()
    except RecursionError:
        raise LimitError("the data values, or their schema, are nested too deeply") from None


def _split(name: str, texts: Mapping[str, bytes]) -> tuple[str, str | None]:
    """The path of a file, and the pointer behind it. Raises ReadError."""
    path, mark, pointer = name.rpartition("#")
    if mark and not os.path.lexists(name) and os.path.abspath(name) not in texts:
        return path, pointer
    return name, None


_MOST_MADE = 8
_MADE: OrderedDict[str, ValuesSchema] = OrderedDict()
_LOCK = Lock()


def values_schema(name: str) -> ValuesSchema:
    """The schema of data values in a file: `FILE`, or `FILE#/pointer` for a part of it. It is read again when it has changed.

    Raises ReadError, UsageError for what is no schema, LimitError.
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
    found.note_in_view()
    return found


def _is_schema_file(path: str) -> bool:
    return path.endswith((".json", ".yml", ".yaml"))


__all__ = ["ValuesSchema", "values_schema"]
