"""Overlays: changes written as YAML with annotations (docs/reference/overlays.md).

Annotations: `@overlay/...` never reaches a result from the right side. All others stay with their item: a merged left
item keeps its own and drops the right item's; a replaced or added item has the right one's.
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
