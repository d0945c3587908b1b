"""Writes a value to a plain file that a run merges into its output (`--merge`)."""

from __future__ import annotations

import os

from plait.authoring.edit.edit_errors import UNWRITABLE, EditError
from plait.authoring.edit.sites import Text, is_same_key
from plait.base.source import Source
from plait.insight.diff import read
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem
from plait.yaml.document_names import document_name, namespace_of
from plait.yaml.lossless.nodes import Collection
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.edit.setting import EditSession
    from plait.authoring.edit.sites import ItemSpan
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Item, Value
    from plait.yaml.lossless.nodes import Node

_MERGE, _NAME = "merge", "name"
# The keys that say which resource a document is merged into.
_IDENTITY = ("apiVersion", "kind", "metadata")


def is_merged(state: EditSession, path: str) -> bool:
    """True if the run merges a file, given by its absolute path, into its output."""
    for use in (*state.target.run.request().uses, *state.target.uses):
        if use.option.name == _MERGE:
            given = os.path.abspath(str(use.value))
            if path == given or path.startswith(given + os.sep):
                return True
    return False


def with_part(_state: EditSession, node_path: NodePath, value: Value, old: str) -> str:
    """The text of a merge file with a value for a resource: in its document, or in a new one. Raises EditError."""
    newline = "\r\n" if "\r\n" in old else "\n"
    number = next((n for n, one in enumerate(_documents(old)) if _is_of(one, node_path.document)), None)
    if number is None:
        part = write_value(_resource(node_path, value)).replace("\n", newline)
        start = "" if not old.strip() else old + ("" if old.endswith("\n") else newline) + f"---{newline}"
        return start + part
    text = Text(old)
    around: Node = text.roots[number]
    found: ItemSpan | None = None
    for depth, step in enumerate(node_path.way):
        if not isinstance(around, Collection):
            break
        found = next((site for site in _sites(text, around) if _is_step(text, site, step)), None)
        if found is None:
            item = _item(step, _nested(node_path.way[depth + 1 :], value))
            return _checked(text.with_item(around, len(around.items) - 1, item), node_path)
        around = found.value
    else:
        if found is not None:
            return _checked(next(text.replaced(found, value), None), node_path)
    return _checked(None, node_path)


def _documents(text: str) -> Sequence[Document]:
    return read([Source("", text)]) if text.strip() else []


def _checked(text: str | None, node_path: NodePath) -> str:
    if text is None:
        raise EditError(UNWRITABLE, f"{node_path} cannot be written to this merge file", path=str(node_path))
    return text


def _is_of(document: Document, resource: Document) -> bool:
    spaces = [None if one is None else one.value for one in map(namespace_of, (document, resource))]
    return document_name(document) == document_name(resource) and (spaces[0] is None or spaces[0] == spaces[1])


def _sites(text: Text, around: Collection) -> list[ItemSpan]:
    return [site for site in text.sites if site.around is around]


def _is_step(text: Text, site: ItemSpan, step: Item) -> bool:
    if type(step) is MapItem:
        return is_same_key(site, step)
    named = site.value
    if not isinstance(named, Collection) or not named.is_map:
        return False
    names = [one for one in _sites(text, named) if one.key == _NAME]
    return bool(names) and text.holds(names[0], _name_of(step))


def _name_of(item: Item) -> Value:
    found = item.value.find(_NAME) if type(item.value) is Map else None
    return None if found is None else found.value


def _item(step: Item, value: Value) -> Item:
    """The item for a step of a path, with a value. An item of an array is known by its name. Raises EditError."""
    if type(step) is MapItem:
        return MapItem(step.key, value)
    name = _name_of(step)
    if type(name) is not str or type(value) is not Map:
        raise EditError(
            UNWRITABLE,
            "an item without a name cannot be merged",
            hint="write an overlay: --in FILE.yml with another name",
        )
    return ArrayItem(Map([MapItem(_NAME, name), *(item for item in value.items if item.key != _NAME)]))


def _nested(way: Sequence[Item], value: Value) -> Value:
    """A value below the rest of a path."""
    for step in reversed(way):
        item = _item(step, value)
        value = Map([item]) if type(item) is MapItem else Array([item])  # type: ignore[list-item]
    return value


def _resource(node_path: NodePath, value: Value) -> Map:
    """A document with the identity of a resource, and one value."""
    top, part = node_path.document.value, _nested(node_path.way, value)
    own = [item for item in top.items if item.key in _IDENTITY] if type(top) is Map else []
    kept: list[MapItem] = []
    for item in own:
        if item.key == "metadata" and type(item.value) is Map:
            names = [one for one in item.value.items if one.key in (_NAME, "namespace")]
            item = MapItem("metadata", Map([MapItem(one.key, one.value) for one in names]))
        kept.append(MapItem(item.key, item.value))
    if type(part) is not Map or any(one.key in _IDENTITY for one in part.items):
        raise EditError(UNWRITABLE, f"{node_path} cannot be written to this merge file", path=str(node_path))
    return Map([*kept, *part.items])
