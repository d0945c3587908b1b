"""Warnings about duplicate keys in maps."""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.source import Position
from plait.base.suggestions import REMOVE, Suggestion
from plait.tree.nodes import Array, Map, key_id
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.base.errors import Warning
    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet, Items


def duplicate_key_warnings(source: Source, tree: DocumentSet, *, first: bool = False) -> list[Warning]:
    """Warnings about duplicate keys. Keys merged by `<<` are not reported.

    tree: the documents as read. first: True if only the first document was read.
    """
    if "<<" in source.text:
        tree = read(source, explicit_keys_win=True, keep_mark=False, first=first)
    out: list[Warning] = []
    pending = [(document.value, False) for document in reversed(tree.items)]
    while pending:
        value, is_item = pending.pop()
        if type(value) is not Map and type(value) is not Array:
            continue
        items: Items = value.items
        pending += [(item.value, type(value) is Array) for item in reversed(items)]
        if type(value) is not Map:
            continue
        last: dict[object, Any] = {key_id(item.key): item for item in items}
        # Several keys of an item again, from its first one on: the dash of a second item is missing.
        second = last[key_id(items[0].key)].line if is_item and len(items) - len(last) > 1 else 0
        advice = (
            f'put "- " before "{items[0].key}" in line {second} for a second item'
            if items and second > items[0].line
            else "merge them"
        )
        for item in items if len(last) < len(items) else ():
            kept = last[key_id(item.key)]
            # A value copied by an alias has the line numbers of its anchor, further up.
            if kept is not item and value.line <= item.line <= kept.line:
                out.append(
                    warning(
                        f'duplicate key "{item.key}": only the last one counts, {kept.position} ({advice}, or remove one)',
                        code="repeated-key",
                        at=item.position,
                        word=str(item.key),
                        also=[kept.position.labelled("the one that is used")],
                        suggestions=[Suggestion(REMOVE)],
                    )
                )
    return (
        out
        if len(out) <= _MOST_TOLD
        else [
            *out[:_MOST_TOLD],
            warning(f"{len(out) - _MOST_TOLD} more such keys", code="repeated-key", at=Position(source, 0)),
        ]
    )


_MOST_TOLD = 20
