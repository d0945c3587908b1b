"""The files that a run writes to its destination, for fleets and for reviews."""

from __future__ import annotations

from plait.base.content import encoded
from plait.base.errors import warning
from plait.engine.results import Rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warning
    from plait.engine.results import Documents
    from plait.fleet.plan import Task


def contents_of(task: Task, documents: Documents) -> tuple[dict[str, bytes], list[Warning]]:
    """The contents of a run's files by path, and its warnings. The path is empty if the destination is one file."""
    warnings = list(documents.warned)
    if not isinstance(documents, Rendered):
        return {"" if task.is_file else "documents.yml": documents.to_bytes()}, warnings
    if not task.is_file:
        return {path: encoded(text) for path, text in documents.files.items()}, warnings
    if documents.texts:
        message = f"text files are not written: {', '.join(documents.texts)}; an output that ends in / has them"
        warnings.append(warning(message, code="text-dropped"))
    return {"": documents.to_bytes()}, warnings
