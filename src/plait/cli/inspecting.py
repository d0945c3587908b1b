"""`plait render --files-inspect`: the inputs of a run, and no output."""

from __future__ import annotations

from plait.workspace import Job, Result


def list_files(job: Job) -> Result:
    """The paths of the inputs, as a document."""
    from plait.nodes import Array, ArrayItem, Document, DocumentSet
    from plait.workspace import in_sequence

    paths = [ArrayItem(found.file.path) for found in in_sequence(job.library.accessible_files())]
    return Result(documents=DocumentSet([Document(Array(paths))] if paths else []))
