"""Overlays: changes written as YAML with annotations (docs/reference/overlays.md).

Annotations: `@overlay/...` never reaches a result from the right side. All others stay with their item: a merged left
item keeps its own and drops the right item's; a replaced or added item has the right one's.
"""

from __future__ import annotations

from plait.ytt.overlay.actions import ACTIONS
from plait.ytt.overlay.annotation_removal import erased
from plait.ytt.overlay.apply import apply, apply_document, apply_documents, is_overlay, merge_plain
from plait.ytt.overlay.error_stack import APPLY, sentence
from plait.ytt.overlay.matchers import ALL, And, IndexMatcher, MapKey, Matcher, Not, Or, Subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.overlay.apply import Plans as Plans

__all__ = [
    "ACTIONS",
    "ALL",
    "APPLY",
    "And",
    "IndexMatcher",
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
