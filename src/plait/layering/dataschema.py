"""Checks rendered data against JSON Schemas (docs/reference/layering.md).

The `metadata.name` of a `DataSchema` document is the schema that it applies to, version included; the built-in schemas
require text. All violations of all concrete documents are found. Each names the path in the data and in the schema, and
its position is the line of the invalid value, which may be in another document if it was inherited or substituted.

Messages about secret documents, documents with substitutions, and secret schemas do not show values. `jsonschemas`
limits the resources that a schema may use.
"""

from __future__ import annotations

from plait.base.errors import Finding, LimitError
from plait.base.json_schema import LIBRARY_HINT, NEEDS_LIBRARY, JsonSchema, UnusableSchemaError
from plait.base.similar_names import counted, did_you_mean
from plait.layering.document import DATA_SCHEMA, without_text
from plait.layering.failures import document_finding, failure, shown
from plait.layering.validation import is_schema_name
from plait.tree.nodes import Array, Map, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import LayeringError
    from plait.base.json_schema import Violation
    from plait.base.source import Position
    from plait.layering.document import LayeredDocument
    from plait.tree.nodes import Item, Value


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
_OF_SECRETS = "data of encrypted documents, or made of such, do not conform to their schemas"
# Messages of these keywords name keys, not values.
_OPEN = frozenset({"required", "additionalProperties"})


def check_data(
    rendered: Sequence[LayeredDocument],
    documents: Iterable[LayeredDocument],
    *,
    names_keys: bool = True,
    counts: bool = False,
) -> None:
    """Checks every rendered document against its registered schema; `documents` contains the DataSchema documents.
    names_keys: messages may name keys in the data of secret documents. counts: violations of secret data are findings
    of their own. Otherwise they are combined into one finding, because the violated keywords and their number would
    reveal the data.

    Raises LayeringError (InvalidDocumentFormat) with a finding for each violation, and for a DataSchema that is not a
    JSON Schema or has a reserved name.
    """
    findings: list[Finding] = []
    of_secrets: list[Finding] = []
    schemas = _registered(documents, findings)
    text_kinds = {f"deckhand/{kind}/v1" for kind in TEXT_KINDS}
    checkers: dict[str, JsonSchema | None] = {}
    for document in rendered:
        if document.control:
            continue
        schema = document.schema
        if schema in text_kinds:
            if type(document.data) is not str:
                message = f"{shown(document.data)} is not of type 'string'"
                found = _SANITIZED if _is_secret(document) else message
                into = of_secrets if document.secret or document.encrypted else findings
                into.append(_finding(document, found, [], ["type"], document.data_position))
        elif schema in schemas:
            if schema not in checkers:
                checkers[schema] = _checker(schemas[schema], findings)
            checker = checkers[schema]
            if checker is not None:
                into = of_secrets if document.secret or document.encrypted else findings
                into += _violations(document, checker, schemas[schema], names_keys)
    if counts:
        findings += of_secrets
    elif of_secrets:
        findings.append(Finding(_OF_SECRETS, code="document-data", hint="--cleartext-secrets names them"))
    if findings:
        raise _failed(findings)


def _failed(findings: list[Finding]) -> LayeringError:
    count = counted(len(findings), "problem")
    return failure("InvalidDocumentFormat", f"rendered documents do not conform: {count}", findings=findings)


def _registered(documents: Iterable[LayeredDocument], findings: list[Finding]) -> dict[str, LayeredDocument]:
    """The registered schemas, by the document schema that they apply to. Of two with the same name, the first is used."""
    found: dict[str, LayeredDocument] = {}
    for document in documents:
        if not document.schema.startswith(DATA_SCHEMA + "/") or not is_schema_name(document.name):
            continue
        if document.name.startswith(_RESERVED):
            findings.append(
                document_finding(
                    "D002",
                    document,
                    f"the name {document.name} is reserved, and cannot be given a schema",
                    at=document.position,
                    code="data-schema-unusable",
                )
            )
        elif document.data is not None:
            found.setdefault(document.name, document)
    return found


def _checker(schema: LayeredDocument, findings: list[Finding]) -> JsonSchema | None:
    try:
        return JsonSchema(to_plain(schema.data))
    except ImportError:
        raise failure(
            "InvalidDocumentFormat",
            NEEDS_LIBRARY.format(f"checking data by {schema}"),
            at=schema.position,
            hint=LIBRARY_HINT,
        ) from None
    except UnusableSchemaError as error:
        hidden = _is_secret(schema)
        told = _SANITIZED if hidden else error.message
        if error.path is None:
            findings.append(
                document_finding(
                    "D002", schema, f"its data cannot be used: {told}", at=schema.position, code="data-schema-unusable"
                )
            )
        else:
            at = _place(schema, error.path)
            detail = f"its data is not a valid JSON Schema at {_dotted(error.path)}: {told}"
            findings.append(
                document_finding(
                    "D002", schema, detail, at=without_text(at) if hidden else at, code="data-schema-unusable"
                )
            )
        return None
    except LimitError as error:
        raise _shown_of(error, schema) from None


def _violations(
    document: LayeredDocument, checker: JsonSchema, schema: LayeredDocument, names_keys: bool
) -> list[Finding]:
    found: list[Finding] = []
    secret, hidden = _is_secret(document), _is_secret(schema)
    try:
        for error in checker.violations(to_plain(document.data)):
            path, schema_path = [*error.absolute_path], [*error.absolute_schema_path]
            open_words = not hidden and (not secret or (names_keys and str(error.validator) in _OPEN))
            at, rule = _place(document, path), _place(schema, schema_path)
            finding = _finding(
                document,
                error.message if open_words else _SANITIZED,
                path if names_keys or not secret else [],
                schema_path if names_keys or not hidden else [],
                without_text(at) if secret else at,
            )
            if open_words:
                finding.hint = _nearest(error)
            finding.also.append((without_text(rule) if hidden else rule).labelled("the rule"))
            found.append(finding)
    except UnusableSchemaError as error:
        told = _SANITIZED if secret or hidden else error.message
        found.append(
            document_finding(
                "D002",
                schema,
                f"its data cannot be used to check {document}: {told}",
                at=schema.position,
                code="data-schema-unusable",
            )
        )
    except LimitError as error:
        raise _shown_of(error, schema, document) from None
    return found


def _shown_of(error: LimitError, *documents: LayeredDocument) -> LimitError:
    """The error, without quotations from secret documents."""
    if any(map(_is_secret, documents)):
        error.message = f"checking {documents[-1]} by {documents[0]} exceeds the limit {error.limit}"
    return error


def _finding(
    document: LayeredDocument, message: str, path: Sequence[str | int], schema_path: Sequence[str | int], at: Position
) -> Finding:
    return document_finding(
        "D002",
        document,
        message,
        at=at,
        found=f"path {_dotted(path)}, schema path .{'.'.join(map(str, schema_path))}",
        code="document-data",
    )


def _nearest(violation: Violation) -> str | None:
    """A hint with the property that an unexpected key resembles, or None."""
    schema, data = violation.schema, violation.instance
    if violation.validator != "additionalProperties" or not isinstance(schema, dict) or not isinstance(data, dict):
        return None
    known = [*schema.get("properties", ())]
    hints = (did_you_mean(str(key), known) for key in data if key not in known)
    return next((hint for hint in hints if hint is not None), None)


def _is_secret(document: LayeredDocument) -> bool:
    return document.secret or document.encrypted or bool(document.substitutions)


def _dotted(path: Sequence[str | int]) -> str:
    return ".".join([".data", *map(str, path)])


def _place(document: LayeredDocument, path: Sequence[str | int]) -> Position:
    """The position of the value at a path of the data, or of its nearest ancestor."""
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
