"""Errors for nodes in collections of the wrong type (docs/reference/templates.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.source import INSTRUCTION
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.templates.node_table import CollectionRow

_COLLECTIONS: dict[type, str] = {Map: "map", Array: "array", DocumentSet: "document set"}
_MEMBERS: dict[type, str] = {Map: "map item", Array: "array item", DocumentSet: "document"}
_OWNERS: dict[type, str] = {MapItem: "map items", ArrayItem: "array items", Document: "documents"}


def name_of(site: CollectionRow) -> str:
    """The name of a type of collection in messages."""
    return _COLLECTIONS[site.kind]


def set_as_value(owner: type) -> StarlarkError:
    """The error for a document set as the value of a node. owner: the type of the node."""
    values = "maps, arrays, or scalars" if owner is ArrayItem else "arrays, maps, or scalars"
    return StarlarkError(
        f"{_OWNERS[owner]} can only contain {values}; this is a document set",
        hint="use template.replace(...) from @ytt:template on a document (---)",
        code="misplaced-node",
    )


def mixed(holder: CollectionRow, own: CollectionRow) -> StarlarkError:
    """The error for a block that adds an item to a collection of another type."""
    return StarlarkError(
        f"{name_of(holder)}s can only contain {_MEMBERS[holder.kind]}s; this is a {_MEMBERS[own.kind]}",
        hint="start a new document with --- after a function that holds documents",
        code="misplaced-node",
    ).within("", role=INSTRUCTION, reference="start_node")


def outside(own: CollectionRow, built: CollectionRow) -> StarlarkError:
    """The error for a node outside the collection that its function builds."""
    return StarlarkError(
        f"{_MEMBERS[own.kind]} does not belong to the {name_of(built)} that this function builds",
        hint="start a new document with --- after the function",
        code="misplaced-node",
    )


def ownerless(own: CollectionRow, omitted: CollectionRow) -> StarlarkError:
    """The error for a node whose collection was never started."""
    return StarlarkError(
        f"this {_MEMBERS[own.kind]} belongs to a {name_of(omitted)} that was never started (line {omitted.line}): "
        "its owner was left out",
        hint="end the block that leaves the owner out after everything that belongs to the owner",
        code="misplaced-node",
    )
