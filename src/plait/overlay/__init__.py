"""Overlays: changes written as YAML with annotations (docs/reference/overlays.md).

    apply(left, right)                 two trees, as `overlay.apply` and data values use it
    apply_documents(sets, overlays)    the overlay documents among output files, a document set for each file
    apply_document(left, right)        one document onto another: data values, schemas; also without annotations
    merge_plain(left, right)           the merge of `--data-values-file`, without annotations
    merge.merge_documents(...)         plain documents among output files: `--merge`
    is_overlay(document)               whether a document is an overlay
    erased(value)                      a tree without overlay annotations
    sentence(error)                    an error in the reference's one line

Rule for annotations: `@overlay/...` never gets into a result from the right side. All others stay where their item stays:
a merged left item keeps its own and drops the right item's, a replaced or added item has the right one's.
"""

from __future__ import annotations

from plait.overlay.actions import ACTIONS
from plait.overlay.apply import apply, apply_document, apply_documents, is_overlay, merge_plain
from plait.overlay.erasing import erased
from plait.overlay.matchers import ALL, And, Index, MapKey, Matcher, Not, Or, Subset
from plait.overlay.trail import APPLY, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.overlay.apply import Plans as Plans

__all__ = [
    "ACTIONS",
    "ALL",
    "APPLY",
    "And",
    "Index",
    "MapKey",
    "Matcher",
    "Not",
    "Or",
    "Subset",
    "apply",
    "apply_document",
    "apply_documents",
    "erased",
    "is_overlay",
    "merge_plain",
    "sentence",
]
