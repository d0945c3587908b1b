"""Runs of `plait render` that stop before the output: at the inputs, the schema, or the data values."""

from __future__ import annotations

from plait.errors import UsageError
from plait.workspace import INSPECT_JSON_SCHEMA, INSPECT_SCHEMA, INSPECT_VALUES, Job, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.options import Parsed


def inspection(flags: Parsed) -> str | None:
    """Where the run stops, if it does not go on to the output. Raises UsageError."""
    from plait.output import JSON_SCHEMA, OPENAPI, choose_formats

    _, schema_format = choose_formats(flags.texts("output"))
    if flags.on("files-inspect"):
        return None
    if flags.on("data-values-schema-inspect"):
        if schema_format is None:
            raise UsageError(
                f"Data values schema export only supported in OpenAPI v3 format; "
                f"specify format with --output={OPENAPI} flag"
            )
        return INSPECT_JSON_SCHEMA if schema_format == JSON_SCHEMA else INSPECT_SCHEMA
    if schema_format is not None:
        raise UsageError(
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
            found=f"-o {schema_format}",
        )
    return INSPECT_VALUES if flags.on("data-values-inspect") else None


def list_files(job: Job) -> Result:
    """The paths of the inputs, as a document."""
    from plait.nodes import Array, ArrayItem, Document, DocumentSet
    from plait.workspace import in_sequence

    paths = [ArrayItem(found.file.path) for found in in_sequence(job.library.accessible_files())]
    return Result(documents=DocumentSet([Document(Array(paths))] if paths else []))
