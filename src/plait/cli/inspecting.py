"""What `plait render` prints in place of an output: the inputs of a run, or an error as JSON."""

from __future__ import annotations

from plait.errors import render
from plait.workspace import Job, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.options import Request
    from plait.errors import PlaitError


def list_files(job: Job) -> Result:
    """The paths of the inputs, as a document."""
    from plait.nodes import Array, ArrayItem, Document, DocumentSet
    from plait.workspace import in_sequence

    paths = [ArrayItem(found.file.path) for found in in_sequence(job.library.accessible_files())]
    return Result(documents=DocumentSet([Document(Array(paths))] if paths else []))


def bulk_error(error: PlaitError, flags: Request) -> str:
    """An error as `--bulk-out` prints it: in the JSON, with status 0 (spec ytt 1.9)."""
    from plait.formats import bulk_json

    if flags.program == "ytt":
        from plait.reference.ytt import sentence

        return bulk_json([], sentence(error))
    text = render(error, quote_values=flags.on("quote-values"))
    return bulk_json([], text.removeprefix("plait: ").rstrip("\n"))
