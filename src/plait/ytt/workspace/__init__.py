"""The workspace: from input files and flags, through the phases, to the output (docs/guide-render.md)."""

from __future__ import annotations

from plait.base.lazy_exports import first_use
from plait.ytt.workspace.input_files import InputFile, in_memory
from plait.ytt.workspace.inputs import Inputs
from plait.ytt.workspace.library import Library, LibraryFile, build_library, data_reader, in_sequence, outline
from plait.ytt.workspace.render_job import (
    INSPECT_JSON_SCHEMA,
    INSPECT_SCHEMA,
    INSPECT_VALUES,
    DocumentFile,
    ReferencedValues,
    RenderJob,
    RenderOptions,
    RenderResult,
    TextFile,
    values_of_map,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.workspace.library_references import LibraryRef, parse_refs, show_refs, split_ref

__all__ = [
    "INSPECT_JSON_SCHEMA",
    "INSPECT_SCHEMA",
    "INSPECT_VALUES",
    "DocumentFile",
    "InputFile",
    "Inputs",
    "Library",
    "LibraryFile",
    "LibraryRef",
    "ReferencedValues",
    "RenderJob",
    "RenderOptions",
    "RenderResult",
    "TextFile",
    "build_library",
    "data_reader",
    "in_memory",
    "in_sequence",
    "outline",
    "parse_refs",
    "show_refs",
    "split_ref",
    "values_of_map",
]

_LATER = dict.fromkeys(("LibraryRef", "parse_refs", "show_refs", "split_ref"), "library_references")


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
