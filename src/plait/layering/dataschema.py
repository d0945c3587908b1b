"""Rendered data checked against JSON Schemas (spec layering 12.3).

A `DataSchema` document's `metadata.name` is the schema of the documents it speaks of, version included; the built-in
kinds need text. All violations of all concrete documents are found; each names the path in the data and in the schema,
and stands at the line of the offending value, which may be in another document when it was inherited or substituted.

The messages of a document that is secret, or that was substituted into, do not show values.
"""

from __future__ import annotations

from plait.errors import Finding
from plait.layering.document import DATA_SCHEMA, without_text
from plait.layering.failures import failure
from plait.layering.validation import is_schema_name
from plait.layering.wording import shown
from plait.nodes import Array, Map, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from plait.errors import LayeringError
    from plait.layering.document import Document
    from plait.nodes import Item, Value
    from plait.source import Position

    class Violation(Protocol):
        """What the JSON Schema library says of one violation."""

        message: str
        validator: object
        absolute_path: Iterable[str | int]
        absolute_schema_path: Iterable[str | int]

    class Checker(Protocol):
        def iter_errors(self, instance: object) -> Iterable[Violation]: ...


TEXT_KINDS = (
    "Certificate",
    "CertificateAuthority",
    "CertificateAuthorityKey",
    "CertificateKey",
    "Passphrase",
    "PrivateKey",
    "PublicKey",
)
"""The kinds under `deckhand/`, version v1, whose data is text."""

_RESERVED = ("deckhand/", "metadata/")
_SANITIZED = "Sanitized to avoid exposing secret."
# What these say names keys, not values.
_OPEN = frozenset({"required", "additionalProperties"})


def check_data(rendered: Sequence[Document], documents: Iterable[Document]) -> None:
    """Check every rendered document by the schema registered for it; `documents` holds the DataSchema documents.

    Raises LayeringError (InvalidDocumentFormat) with a finding for each violation, and for a DataSchema that is no JSON
    Schema, or whose name is reserved. Spec layering 12.3.
    """
    findings: list[Finding] = []
    schemas = _registered(documents, findings)
    text_kinds = {f"deckhand/{kind}/v1" for kind in TEXT_KINDS}
    checkers: dict[str, Checker | None] = {}
    for document in rendered:
        if document.control:
            continue
        schema = document.schema
        if schema in text_kinds:
            if type(document.data) is not str:
                message = f"{shown(document.data)} is not of type 'string'"
                found = _SANITIZED if _is_secret(document) else message
                findings.append(_finding(document, found, [], ["type"], document.data_position))
        elif schema in schemas:
            if schema not in checkers:
                checkers[schema] = _checker(schemas[schema], findings)
            checker = checkers[schema]
            if checker is not None:
                findings += _violations(document, checker, schemas[schema])
    if findings:
        raise _failed(findings)


def _failed(findings: list[Finding]) -> LayeringError:
    count = "1 problem" if len(findings) == 1 else f"{len(findings)} problems"
    return failure("InvalidDocumentFormat", f"rendered documents do not conform: {count}", findings=findings)


def _registered(documents: Iterable[Document], findings: list[Finding]) -> dict[str, Document]:
    """The schemas by the schema of the documents they speak of; of two with one name the first counts."""
    found: dict[str, Document] = {}
    for document in documents:
        if not document.schema.startswith(DATA_SCHEMA + "/") or not is_schema_name(document.name):
            continue
        if document.name.startswith(_RESERVED):
            findings.append(
                Finding(
                    f"D002 {document}: the name {document.name} is reserved, and cannot be given a schema",
                    at=document.position,
                )
            )
        elif document.data is not None:
            found.setdefault(document.name, document)
    return found


def _checker(schema: Document, findings: list[Finding]) -> Checker | None:
    try:
        import jsonschema
    except ImportError:
        raise failure(
            "InvalidDocumentFormat",
            f"checking data by {schema} needs the jsonschema library",
            at=schema.position,
            hint="pip install jsonschema",
        ) from None
    plain = to_plain(schema.data)
    try:
        jsonschema.Draft4Validator.check_schema(plain)  # type: ignore[arg-type]
    except jsonschema.SchemaError as error:
        path = [*error.absolute_path]
        message = f"D002 {schema}: its data is no JSON Schema at {_dotted(path)}: {error.message}"
        findings.append(Finding(message, at=_place(schema, path)))
        return None
    return jsonschema.Draft4Validator(plain)  # type: ignore[arg-type]


def _violations(document: Document, checker: Checker, schema: Document) -> list[Finding]:
    found: list[Finding] = []
    secret = _is_secret(document)
    try:
        for error in checker.iter_errors(to_plain(document.data)):
            path, schema_path = [*error.absolute_path], [*error.absolute_schema_path]
            message = _SANITIZED if secret and str(error.validator) not in _OPEN else error.message
            at = _place(document, path)
            finding = _finding(document, message, path, schema_path, without_text(at) if secret else at)
            finding.also.append(_place(schema, schema_path))
            found.append(finding)
    except Exception as error:
        # The library fails on a schema whose references it cannot follow: the schema's fault, not the document's.
        if type(error).__module__.partition(".")[0] not in ("jsonschema", "referencing"):
            raise
        return [Finding(f"D002 {schema}: its data cannot be used to check {document}: {error}", at=schema.position)]
    return found


def _finding(
    document: Document, message: str, path: Sequence[str | int], schema_path: Sequence[str | int], at: Position
) -> Finding:
    return Finding(
        f"D002 {document}: {message}",
        at=at,
        found=f"path {_dotted(path)}, schema path .{'.'.join(map(str, schema_path))}",
    )


def _is_secret(document: Document) -> bool:
    return document.secret or document.encrypted or bool(document.substitutions)


def _dotted(path: Sequence[str | int]) -> str:
    return ".".join([".data", *map(str, path)])


def _place(document: Document, path: Sequence[str | int]) -> Position:
    """Where the value at a path of the data is written; as far down as the path can be followed."""
    value: Value = document.data
    at = document.data_position
    for step in path:
        item: Item | None = None
        if type(value) is Map:
            item = value.find(step)
        elif type(value) is Array and type(step) is int and 0 <= step < len(value.items):
            item = value.items[step]
        if item is None:
            break
        at, value = item.position, item.value
    return at
