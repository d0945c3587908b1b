"""Data values with an external schema: `plait render --schema`."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.ytt.overlay.apply import apply_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Document
    from plait.tree.provenance import Trace
    from plait.ytt.json_schema.values_schema import ValuesSchema
    from plait.ytt.schema.types import Declaration


def merge_values(
    schema: ValuesSchema, before: Document, explicit: Document, *, plain: bool, trace: Trace | None
) -> Document:
    """The previous data values, merged with explicit ones and with the defaults that these require. Raises PlaitError.

    plain: the explicit values have no annotations. The schema's check reports unknown values.
    """
    merged = apply_document(schema.without_replaced(explicit, before), explicit, plain=plain, adds=True, trace=trace)
    filled = schema.fill(merged, before)
    if trace is not None:
        if plain:
            trace.relate(before.value, merged.value, "data values")
        trace.relate(merged.value, filled.value, "schema default")
    return filled


def two_schemas(schema: Declaration, outside: ValuesSchema, path: str) -> UsageError:
    """The error for a schema option if the templates contain a schema, too. path: the path of the schema's file."""
    return UsageError(
        f'data values have two schemas: "{outside.name}" and {path}',
        at=schema.position,
        also=[outside.position.labelled("the other schema")],
        hint="--data-values-schema-inspect -o json-schema prints the schema of the templates as a JSON Schema",
        code="two-schemas",
    )
