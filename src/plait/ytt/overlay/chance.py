"""Warnings about changes that ytt makes only by chance or because of a defect."""

from __future__ import annotations

from plait.base.errors import warning
from plait.tree.nodes import Array, ArrayItem, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.tree.nodes import Document, MapItem


def warn_of_siblings(document: Document, warn: Warn) -> None:
    """Warns about an overlay on one array item of data values that have a schema: see carvel-dev/ytt#912."""
    stack: list[Document | MapItem | ArrayItem] = [document]
    while stack:
        item = stack.pop()
        value = item.value
        if not isinstance(value, (Map, Array)):
            continue
        if (
            type(item) is ArrayItem
            and item.annotations is not None
            and "overlay/match" in item.annotations
            and any(isinstance(one.value, (Map, Array)) for one in value.items)
        ):
            warn(
                warning(
                    "in ytt this also changes other items of the array where they have the defaults of the schema",
                    code="shared-defaults",
                    at=item.position,
                )
            )
            return
        stack.extend(value.items)
