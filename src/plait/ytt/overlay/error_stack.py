"""The path through the right tree to an error: the steps of its stack, and ytt's one-line message."""

from __future__ import annotations

from plait.base.source import CLAUSE, NODE
from plait.tree.nodes import COLLECTIONS, Document, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import PlaitError
    from plait.tree.nodes import Item, Value


# The frame that a call from code adds to the stack.
APPLY = "overlay.apply"


def step_text(item: Item) -> str:
    if type(item) is MapItem:
        return f"Map item (key '{key_text(item.key)}')"
    return "Document" if type(item) is Document else "Array item"


def key_text(key: Value) -> str:
    """A key as messages show it."""
    if type(key) in COLLECTIONS:
        return kind_name(key)
    return "null" if key is None else str(key).lower() if type(key) is bool else str(key)


def sentence(error: PlaitError) -> str:
    """The error as ytt's single line: "Document on line o.yml:3: Map item (key 'x') on line o.yml:4: Expected ...".
    `assert.try_to` returns this text for a failed overlay.
    """
    path = []
    for step in reversed(error.stack):
        if step.role == CLAUSE and step.reference == APPLY:
            path.append(f"{step.reference}: ")
        elif step.role == NODE and step.at is not None:
            path.append(f"{step.reference} on line {step.at.named}: ")
    return "".join(path) + error.message
