"""The structure of documents, checked before rendering (docs/reference/layering.md).

Every document is checked against the rules of its metadata, control documents also against those of their data, and
schema, layer and name must be unique. All violations of all documents are found, with the positions of the values. The
messages are those of Deckhand's JSON Schemas, because users know them; the rules are tables and functions here, because
importing a JSON Schema library takes longer than rendering.

`dataschema` checks data against users' `DataSchema` documents after rendering.
"""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.similar_names import counted, did_you_mean, listed
from plait.layering.document import CONTROL, DATA_SCHEMA, POLICY, VALIDATION_POLICY
from plait.layering.failures import a_kind, document_finding, failure, shown
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias, TypeGuard, TypeVar

    from plait.base.source import Position
    from plait.tree.nodes import Document, DocumentSet, Value

    Kind = TypeVar("Kind", bound="Map | Array | str | int")

    Rule: TypeAlias = "Callable[[DocumentFindings, Value, Position], None]"

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
SCHEMA_PATTERN = r"^[A-Za-z]+/[A-Za-z]+/v\d+$"
_POLICY_NAME_ENDS = ("-validation", "-verification")


class DocumentFindings:
    """The findings about one document. subject: its name in messages."""

    __slots__ = ("found", "subject")

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.found: list[Finding] = []

    def add(
        self, message: str, at: Position, *, expected: str, found: str | None = None, hint: str | None = None
    ) -> None:
        self.found.append(
            document_finding(
                "D001", self.subject, message, at=at, expected=expected, found=found, hint=hint, code="document-form"
            )
        )

    def lacks(self, key: str, value: Map, at: Position) -> None:
        """Adds the finding for a map without a required key."""
        keys = ", ".join(str(item.key) for item in value.items[:_MOST_KEYS])
        hint = f"add {key}: {_EXAMPLES[key]}" if key in _EXAMPLES else None
        self.add(f"'{key}' is a required property", at, expected=f"the key {key}", found=f"keys {keys}", hint=hint)


_MOST_KEYS = 12

_SCHEMA_FORM = "a schema is written NAMESPACE/KIND/VERSION, such as demo/App/v1"

# Values of required keys.
_EXAMPLES = {
    "actions": "[{method: merge, path: .}]",
    "depth": "-1",
    "dest": "{path: .KEY}",
    "layer": "LAYER",
    "layerOrder": "[global, site]",
    "layeringDefinition": "{layer: LAYER}",
    "metadata": "{schema: metadata/Document/v1, name: NAME}",
    "method": "merge",
    "name": "NAME",
    "parentSelector": "{LABEL: VALUE}",
    "path": ".",
    "schema": "NAMESPACE/KIND/v1",
    "src": "{schema: NAMESPACE/KIND/v1, name: NAME, path: .}",
    "storagePolicy": "cleartext",
    "validations": "[{name: NAME-validation}]",
}


def check_documents(sets: Iterable[DocumentSet]) -> None:
    """Raises LayeringError (InvalidDocumentFormat) with a finding for each violation."""
    findings: list[Finding] = []
    seen: dict[tuple[object, object, object], Document] = {}
    for documents in sets:
        for document in documents.items:
            if document.value is not None:
                findings += check_document(document)
                _check_duplicate(document, seen, findings)
    if findings:
        count = counted(len(findings), "problem")
        raise failure("InvalidDocumentFormat", f"the documents are not well formed: {count}", findings=findings)


def check_document(document: Document, *, control_data: bool = True) -> list[Finding]:
    """The violations of the base and metadata rules in one document, and of the data rules for control documents."""
    top = document.value
    if type(top) is not Map:
        found = DocumentFindings("a document")
        found.add(
            f"{shown(top)} is not of type 'object'",
            document.position,
            expected="a map with schema, metadata and data",
            found=a_kind(top),
        )
        return found.found
    metadata = _get(top, "metadata")
    found = DocumentFindings(_subject(top, metadata))
    schema = top.find("schema")
    at = schema.position if schema is not None else document.position
    if schema is None:
        found.lacks("schema", top, at)
    elif _is(schema.value, str, found, at) and not is_schema_name(schema.value):
        found.add(
            f"{shown(schema.value)} does not match '{SCHEMA_PATTERN}'",
            at,
            expected="namespace/Kind/v1",
            hint=_SCHEMA_FORM,
        )
    item = top.find("metadata")
    if item is None:
        found.lacks("metadata", top, document.position)
    elif _is(item.value, Map, found, item.position):
        _check_metadata(found, item.value, item.position)
    if control_data and schema is not None and type(schema.value) is str and _is_control(metadata):
        rule = next((rule for kind, rule in _CONTROL_DATA.items() if schema.value.startswith(kind + "/")), None)
        data = top.find("data")
        if rule is not None:
            rule(found, data.value if data is not None else None, data.position if data is not None else at)
    return found.found


def is_schema_name(text: object) -> bool:
    """True if the text is a schema name such as `letters/letters/v1`."""
    if type(text) is not str:
        return False
    parts = text.split("/")
    return (
        len(parts) == 3
        and all(part and _LETTERS.issuperset(part) for part in parts[:2])
        and parts[2][:1] == "v"
        and parts[2][1:].isdecimal()
    )


def _check_duplicate(
    document: Document, seen: dict[tuple[object, object, object], Document], findings: list[Finding]
) -> None:
    top = document.value
    metadata = _get(top, "metadata")
    identity = (_get(top, "schema"), _get(_get(metadata, "layeringDefinition"), "layer"), _get(metadata, "name"))
    if any(type(part) in (Map, Array) for part in identity) or type(identity[2]) is not str:
        return
    first = seen.setdefault(identity, document)
    if first is not document:
        item = metadata.find("name") if type(metadata) is Map else None
        findings.append(
            document_finding(
                "D001",
                _subject(top, metadata),
                "Duplicate document exists",
                at=item.position if item is not None else document.position,
                also=[first.position.labelled("the first one")],
                expected="one document for each schema, layer and name",
                code="duplicate-document",
            )
        )


def _check_metadata(found: DocumentFindings, metadata: Map, at: Position) -> None:
    schema = metadata.find("schema")
    if metadata.find("name") is None:
        found.lacks("name", metadata, at)
    if schema is None:
        found.add(
            "'schema' is a required property",
            at,
            expected="the key schema",
            found="no such key",
            hint="add schema: metadata/Document/v1",
        )
        return
    if not _is(schema.value, str, found, schema.position):
        return
    kind, _, version = str(schema.value).rpartition("/")
    if kind not in ("metadata/Document", CONTROL) or version[:1] != "v" or not version[1:].isdecimal():
        found.add(
            f"{shown(schema.value)} is not valid under any of the given schemas",
            schema.position,
            expected="metadata/Document/v1 or metadata/Control/v1",
            hint=did_you_mean(str(schema.value), ["metadata/Document/v1", "metadata/Control/v1"]),
        )
    elif version != "v1":
        found.add(
            f"Invalid metadata schema {kind} version {version} specified.", schema.position, expected=f"{kind}/v1"
        )
    elif kind == CONTROL:
        _check_known(found, metadata, _CONTROL_METADATA)
    else:
        _check_map(found, metadata, at, _METADATA, ("storagePolicy", "layeringDefinition"))


def _check_known(found: DocumentFindings, value: Map, rules: dict[str, Rule]) -> None:
    for key, rule in rules.items():
        item = value.find(key)
        if item is not None:
            rule(found, item.value, item.position)


def _check_map(
    found: DocumentFindings, value: Value, at: Position, rules: dict[str, Rule], required: Sequence[str] = ()
) -> bool:
    """Checks that a value is a map with only the keys of `rules`, each valid, and all required keys."""
    if not _is(value, Map, found, at):
        return False
    for item in value.items:
        if item.key not in rules:
            found.add(
                f"Additional properties are not allowed ({shown(item.key)} was unexpected)",
                item.position,
                expected=", ".join(rules),
                hint=did_you_mean(str(item.key), rules) or "remove it; a key of the data belongs below data:",
            )
    for key in required:
        if value.find(key) is None:
            found.lacks(key, value, at)
    _check_known(found, value, rules)
    return True


def _is(value: Value, kind: type[Kind], found: DocumentFindings, at: Position) -> TypeGuard[Kind]:
    """True if a value has a type. Adds a finding if it does not."""
    if type(value) is kind:
        return True
    name, expected, hint = _KINDS[kind]
    found.add(
        f"{shown(value)} is not of type '{name}'",
        at,
        expected=expected,
        found=a_kind(value),
        hint=hint if kind in (Map, Array) or type(value) not in (Map, Array) else None,
    )
    return False


# The names of types in JSON Schema and in plait's words, and their form.
_KINDS: dict[type, tuple[str, str, str]] = {
    Map: ("object", "a map", "a map is written {KEY: VALUE}, or as one KEY: VALUE per line"),
    Array: ("array", "a list", 'a list is written [ITEM], or as one "- ITEM" per line'),
    str: ("string", "a string", "put the value in quotes, then it is a string"),
    bool: ("boolean", "true or false", "write true or false, without quotes"),
    int: ("integer", "an integer", "write a whole number, without quotes"),
}


def _a(kind: type) -> Rule:
    def rule(found: DocumentFindings, value: Value, at: Position) -> None:
        _is(value, kind, found, at)

    return rule


_string, _map, _boolean, _integer = _a(str), _a(Map), _a(bool), _a(int)


def _schema_name(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, str, found, at) and not is_schema_name(value):
        found.add(
            f"{shown(value)} does not match '{SCHEMA_PATTERN}'", at, expected="namespace/Kind/v1", hint=_SCHEMA_FORM
        )


def _one_of(*choices: str) -> Rule:
    def rule(found: DocumentFindings, value: Value, at: Position) -> None:
        if value not in choices:
            near = did_you_mean(value, choices) if type(value) is str else None
            found.add(
                f"{shown(value)} is not one of [{', '.join(map(repr, choices))}]",
                at,
                expected=listed(choices),
                hint=near or "write one of them",
            )

    return rule


def _text_values(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, Map, found, at):
        for item in value.items:
            _is(item.value, str, found, item.position)


def _selector(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, Map, found, at) and not value.items:
        found.add(
            "{} should be non-empty",
            at,
            expected="labels of the parent",
            hint="name a label of the parent, parentSelector: {LABEL: VALUE}, or remove parentSelector and actions",
        )


def _definition(found: DocumentFindings, value: Value, at: Position) -> None:
    if not _check_map(found, value, at, _DEFINITION, ("layer",)) or type(value) is not Map:
        return
    for key, other in (("parentSelector", "actions"), ("actions", "parentSelector")):
        item = value.find(key)
        if item is not None and value.find(other) is None:
            found.lacks(other, value, item.position)


def _actions(found: DocumentFindings, value: Value, at: Position) -> None:
    if not _is(value, Array, found, at):
        return
    if not value.items:
        found.add(
            "[] should be non-empty",
            at,
            expected="actions",
            hint="to take all of the parent's data, write actions: [{method: merge, path: .}]",
        )
    for item in value.items:
        _check_map(found, item.value, item.position, _ACTION, ("method", "path"))


def _substitutions(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, Array, found, at):
        for item in value.items:
            _check_map(found, item.value, item.position, _SUBSTITUTION, ("src", "dest"))


def _source(found: DocumentFindings, value: Value, at: Position) -> None:
    _check_map(found, value, at, _SOURCE, ("schema", "name", "path"))


def _destination(found: DocumentFindings, value: Value, at: Position) -> None:
    if type(value) is Array:
        if not value.items:
            found.add(
                "dest: [] is not valid under any of the given schemas",
                at,
                expected="at least one destination",
                hint="dest: {path: .KEY}",
            )
        for item in value.items:
            _check_map(found, item.value, item.position, _DESTINATION, ("path",))
    elif type(value) is Map:
        _check_map(found, value, at, _DESTINATION, ("path",))
    else:
        found.add(
            f"dest: {shown(value)} is not valid under any of the given schemas",
            at,
            expected="a map or a list",
            hint="dest: {path: .KEY}",
        )


def _recurse(found: DocumentFindings, value: Value, at: Position) -> None:
    _check_map(found, value, at, {"depth": _depth}, ("depth",))


def _depth(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, int, found, at) and value < -1:
        found.add(
            f"{value} is less than the minimum of -1",
            at,
            expected="a depth, or -1 for all levels",
            hint="recurse: {depth: -1}",
        )


_ACTION: dict[str, Rule] = {"method": _one_of("replace", "delete", "merge"), "path": _string}
_DEFINITION: dict[str, Rule] = {
    "layer": _string,
    "abstract": _boolean,
    "parentSelector": _selector,
    "actions": _actions,
}
_SOURCE: dict[str, Rule] = {
    "schema": _schema_name,
    "name": _string,
    "path": _string,
    "pattern": _string,
    "match_group": _integer,
    "deepcopy": _boolean,
}
_DESTINATION: dict[str, Rule] = {"path": _string, "pattern": _string, "recurse": _recurse}
_SUBSTITUTION: dict[str, Rule] = {"src": _source, "dest": _destination}
_METADATA: dict[str, Rule] = {
    "schema": _string,
    "name": _string,
    "labels": _map,
    "storagePolicy": _one_of("encrypted", "cleartext"),
    "layeringDefinition": _definition,
    "replacement": _boolean,
    "substitutions": _substitutions,
}
_CONTROL_METADATA: dict[str, Rule] = {"name": _string, "labels": _text_values}

# The valid keys of documents, by the key of the enclosing map, for completion.
KEYS: dict[str, tuple[str, ...]] = {
    "": ("schema", "metadata", "data"),
    "metadata": tuple(_METADATA),
    "layeringDefinition": tuple(_DEFINITION),
    "actions": tuple(_ACTION),
    "substitutions": tuple(_SUBSTITUTION),
    "src": tuple(_SOURCE),
    "dest": tuple(_DESTINATION),
}


def _policy_data(found: DocumentFindings, value: Value, at: Position) -> None:
    _check_map(found, value, at, {"layerOrder": _layer_order}, ("layerOrder",))


def _layer_order(found: DocumentFindings, value: Value, at: Position) -> None:
    if not _is(value, Array, found, at):
        return
    seen: set[str] = set()
    for item in value.items:
        if _is(item.value, str, found, item.position):
            name = str(item.value)
            if name in seen:
                found.add(
                    f"layer {shown(name)} is named twice",
                    item.position,
                    expected="each layer once, the most general one first",
                    hint="remove one of them",
                )
            seen.add(name)


def _validation_policy_data(found: DocumentFindings, value: Value, at: Position) -> None:
    _check_map(found, value, at, {"validations": _validations}, ("validations",))


def _validations(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, Array, found, at):
        for item in value.items:
            _check_map(found, item.value, item.position, _VALIDATION, ("name",))


def _validation_name(found: DocumentFindings, value: Value, at: Position) -> None:
    if _is(value, str, found, at) and not str(value).endswith(_POLICY_NAME_ENDS):
        found.add(
            f"{shown(value)} does not match '^.*-(validation|verification)$'",
            at,
            expected="a name that ends in -validation or -verification",
            hint=f"name: {value}-validation",
        )


def _data_schema_data(found: DocumentFindings, value: Value, at: Position) -> None:
    """Accepts any value. The JSON Schema is checked when it is used (docs/reference/layering.md)."""


_VALIDATION: dict[str, Rule] = {"name": _validation_name, "expiresAfter": _string}
_CONTROL_DATA: dict[str, Rule] = {
    POLICY: _policy_data,
    VALIDATION_POLICY: _validation_policy_data,
    DATA_SCHEMA: _data_schema_data,
}


def _get(value: Value, key: str) -> Value:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None else None


def _is_control(metadata: Value) -> bool:
    schema = _get(metadata, "schema")
    return type(schema) is str and schema.startswith(CONTROL)


def _subject(top: Map | Value, metadata: Value) -> str:
    schema, name = _get(top, "schema"), _get(metadata, "name")
    layer = _get(_get(metadata, "layeringDefinition"), "layer")
    parts = [text for text in (schema, layer) if type(text) is str and text]
    label = f"[{', '.join(parts)}]" if parts else "a document"
    return f"{label} {name}" if type(name) is str else label
