"""Writes documents in each output format (docs/guide-render.md)."""

from __future__ import annotations

from plait.base.errors import UsageError, did_you_mean
from plait.yaml.writer import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.base.output_files import OutputFile
    from plait.tree.context import FormatPreserver
    from plait.tree.nodes import DocumentSet

OPENAPI = "openapi-v3"
JSON_SCHEMA = "json-schema"


def _write_json(documents: DocumentSet) -> str:
    from plait.yaml.json import write_json

    return "".join([write_json(document.value) for document in documents.items])


def _write_positions(documents: DocumentSet) -> str:
    from plait.yaml.position_listing import write_positions

    return write_positions(documents)


FORMATS: dict[str, Callable[[DocumentSet], str]] = {"yaml": write, "json": _write_json, "pos": _write_positions}


def _write_tagged(documents: DocumentSet) -> str:
    from plait.yaml.tags import write_tagged

    return write_tagged(documents)


def _write_untagged_json(documents: DocumentSet) -> str:
    from plait.yaml.tags import check_untagged

    check_untagged(documents, "JSON")
    return _write_json(documents)


# Formats in which a map with a tag as its key represents a tagged value.
TAGGED = {**FORMATS, "yaml": _write_tagged, "json": _write_untagged_json}
SCHEMA_FORMATS = (OPENAPI, JSON_SCHEMA)


def text_of(documents: DocumentSet, form: str = "yaml", originals: FormatPreserver | None = None) -> str:
    """The documents in a format, one of FORMATS; in their original formatting if `originals` is given."""
    return FORMATS[form](documents) if originals is None else originals.write(documents)


def choose_formats(names: Sequence[str]) -> tuple[str, str | None]:
    """The document format and the schema format among the words of `-o`: the first of each.

    Raises UsageError for a word that is neither.
    """
    known = [*FORMATS, *SCHEMA_FORMATS]
    for name in names:
        if name not in known:
            hint: str | None = did_you_mean(name, known)
            if "." in name or "/" in name:
                hint = f"-o is the format of the output; > {name} writes it to a file, --output-files to a directory"
            raise UsageError(
                f"Unknown output type '{name}'", expected=", ".join(known), hint=hint, code="unknown-choice"
            )
    return (
        next((name for name in names if name in FORMATS), "yaml"),
        next((name for name in names if name in SCHEMA_FORMATS), None),
    )


def bulk_json(files: Sequence[OutputFile], errors: str = "") -> str:
    """The result as JSON, `{"files":[{"name":...,"data":...}]}` or `{"errors":...}` (`--bulk-out`)."""
    from plait.yaml.json import write_json

    # write_json sorts keys, but the reference program writes a file's name before its data.
    listed = [f'{{"name":{write_json(path)},"data":{write_json(text)}}}' for path, text in files]
    parts = [f'"files":[{",".join(listed)}]'] if files else []
    if errors:
        parts.append(f'"errors":{write_json(errors)}')
    return f"{{{','.join(parts)}}}"
