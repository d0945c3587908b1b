"""Findings about a document or its schema, with positions in both."""

from __future__ import annotations

import json
import os

from plait.base.errors import Finding, as_finding, warning
from plait.base.similar_names import counted, listed, near
from plait.base.source import Wording, public, quotation
from plait.base.suggestions import replacing
from plait.tree.nodes import Array, Map
from plait.yaml.document_names import document_name, name_items
from plait.ytt.json_schema.check import as_json
from plait.ytt.json_schema.messages import advice, type_name
from plait.ytt.json_schema.schema_files import displayed_path
from plait.ytt.schema.check import flag_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.base.errors import PlaitError, Warning
    from plait.base.source import Position, Source
    from plait.tree.nodes import Document
    from plait.ytt.json_schema.check import SchemaViolation
    from plait.ytt.json_schema.reference_resolution import SchemaReferences
    from plait.ytt.json_schema.schema_files import Way

# Keywords that require keys.
_OF_MISSING = ("dependentRequired", "required")
_RULES = "x-kubernetes-validations"
# Maximum characters of a keyword's value in messages.
_MOST_SHOWN = 80


# Keywords with which one value determines the constraints on another.
_CONDITIONS = ("if", "oneOf", "anyOf", "not", "dependentSchemas", "dependencies", "dependentRequired")


class ViolationReporter:
    """Reports the violations found with the schemas of some files."""

    __slots__ = ("_has_conditions", "_places", "_references")

    def __init__(self, references: SchemaReferences) -> None:
        self._references = references
        self._places: dict[int, tuple[str, Way]] = {}
        self._has_conditions: bool | None = None

    def where(self, node: Mapping[str, object], keyword: str) -> Position | None:
        """The position of a keyword of a schema, or None if the schema is not from a file. node: the schema with the
        keyword.
        """
        if id(node) not in self._places:
            self._places = self._references.places()
        place = self._places.get(id(node))
        if place is None:
            return None
        path, way = place
        at = self._references.files.place(path, (*way, keyword) if keyword in node else way)
        if at.source is not None:
            _show(at.source)
        return at

    def of_fault(self, fault: SchemaViolation, *, document: Document | None = None) -> Finding:
        """The finding for a violation. document: the one that it names, if there are several."""
        path = _path_text(fault)
        name = "" if document is None else document_name(document)
        before = [f"{one}: " for one in (name, path) if one]
        at = next((item.position for item in reversed(fault.way) if item.source is not None), fault.item.position)
        # Messages name types and words of the schema, but no values (`plait.ytt.json_schema.messages`).
        finding = Finding(
            public(f"{''.join(before)}{fault.message}"), at=at, hint=self._hint(fault), code="json-schema-violation"
        )
        if not fault.is_of_key and fault.keyword not in _OF_MISSING:
            finding.found = public(type_name(as_json(fault.item.value)))
        place = None if fault.schema is None else self.where(fault.schema, fault.keyword)
        if place is not None:
            finding.expected = public(f"{_keyword(fault)} (by {place})")
            finding.also = [place]
        named = () if document is None else name_items(document)
        return finding.made_of(*self._dependencies(fault), *fault.way, *named)

    def _dependencies(self, fault: SchemaViolation) -> Iterator[object]:
        """The values that a fault depends on: its own value, and the rest of the document if the schema has conditions."""
        if self._has_conditions is None:
            self._has_conditions = any(word in node for node in self._references.reached() for word in _CONDITIONS)
        items = (fault.way[0], fault.item) if self._has_conditions else (fault.item,)
        for item in items:
            yield item
            if isinstance(item.value, (Map, Array)):
                yield item.value

    def _hint(self, fault: SchemaViolation) -> Wording | None:
        source = fault.item.source
        if source is not None and os.path.abspath(source.name) in self._references.files.all_read():
            return public("this is a default of the schema itself; use another value, or correct the schema")
        meant = fault.meant
        if fault.is_of_key and not meant and fault.schema is not None:
            # A key with a default does not require another key to be written.
            properties = fault.schema.get("properties")
            meant = near(str(fault.path[-1]), properties if isinstance(properties, dict) else ())
        # Names similar to a value would reveal it; those similar to a key do not.
        if not meant or (not fault.is_of_key and source is not None and source.private):
            told = None if fault.schema is None else advice(fault.keyword, fault.schema)
            # A value of another type does not help against other rules.
            flag = flag_hint(fault.item) if fault.keyword == "type" else None
            return flag or (public(told) if told is not None else None)
        names = replacing(
            str(fault.path[-1] if fault.is_of_key else fault.item.value),
            [*meant],
            f"did you mean {listed(meant, quote=chr(34))}?",
        )
        return public(names) if fault.is_of_key else quotation(names)

    def of_problems(self) -> list[Finding]:
        """Findings about the schema files read so far."""
        return [as_finding(shown(one)) for one in self._references.files.problems]

    def of_notes(self) -> Iterator[Warning]:
        """Warnings about keywords of the schemas that are not checked."""
        for one in self._references.files.notes:
            shown(one)
            yield warning(one.message, code="schema-not-checked", at=one.at)
        yield from self.of_nodes(
            "rules in CEL are not checked", _RULES, (one for one in self._references.reached() if _RULES in one)
        )

    def of_nodes(self, message: str, keyword: str, nodes: Iterable[Mapping[str, object]]) -> Iterator[Warning]:
        """Yields one warning for several schemas. keyword: its subject."""
        several = [*nodes]
        if several:
            more = f", and at {counted(len(several) - 1, 'place')} more" if len(several) > 1 else ""
            yield warning(f"{message}{more}", code="schema-not-checked", at=self.where(several[0], keyword))


def shown(error: PlaitError) -> PlaitError:
    """The error, with its path as a user would type it."""
    if error.at is not None and error.at.source is not None:
        _show(error.at.source)
    return error


def _show(source: Source) -> None:
    if os.path.isabs(source.name):
        source.shown = displayed_path(source.name)


def _path_text(fault: SchemaViolation) -> str:
    out = ""
    for step in fault.path:
        out += f"[{step}]" if isinstance(step, int) else f".{step}" if out else step
    return out


def _keyword(fault: SchemaViolation) -> str:
    rule = (fault.schema or {}).get(fault.keyword)
    text = json.dumps(rule, ensure_ascii=False, default=str)
    return f"{fault.keyword}: {text}" if len(text) <= _MOST_SHOWN else f"as {fault.keyword} says"
