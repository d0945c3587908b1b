"""Finds the document of the output that a plain document is merged into: the one with the same identity.

The identity is apiVersion, kind, metadata.name and metadata.namespace, as far as the plain document has them. A
document without any of them is merged into the only document.
"""

from __future__ import annotations

from typing import NamedTuple

from plait.base.errors import OverlayError
from plait.base.similar_names import listed
from plait.base.suggestions import replacing
from plait.tree.nodes import Array, Map, kind_name, walk
from plait.yaml.document_names import described
from plait.ytt.overlay.diagnosis import near_subset
from plait.ytt.overlay.item_keys import value_under
from plait.ytt.overlay.matchers import ALL, Subset
from plait.ytt.yaml_fragments import to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Document, Item, MapItem, Value
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.changed_collections import DocumentsEdit
    from plait.ytt.overlay.matchers import Matcher

_TOP, _METADATA = ("apiVersion", "kind"), ("name", "namespace")


class MergeTarget(NamedTuple):
    """A document of the output to merge into. matcher: finds it. said: the items that identified it."""

    left: Document
    matcher: Matcher
    said: frozenset[Item]


def _operations_hint(document: Document) -> str | None:
    """A hint for a list of operations, as in a JSON patch; None for another value."""
    items = document.value.items if type(document.value) is Array else []
    if not items or not all(type(item.value) is Map and item.value.find("path") is not None for item in items):
        return None
    file = document.source.shown if document.source is not None else "FILE"
    return f"plait patch BASE -o {file} applies operations, each with type, path and value"


def counterpart(run: OverlayApplication, edit: DocumentsEdit, document: Document) -> MergeTarget:
    """Finds the document that another one is merged into. Raises OverlayError if none or several match."""
    if type(document.value) is not Map:
        raise OverlayError(
            "a document to merge must be a map",
            at=document.position,
            found=kind_name(document.value),
            expected="a map with the kind and name of the document, or the only document",
            hint=_operations_hint(document),
            code="merge-target",
        )
    identity = identity_of(document.value)
    matcher = Subset(to_starlark(identity)) if identity.items else ALL
    found = [edit.items[place] for place in matcher.select(run, edit, document.value)]
    if len(found) > 1:
        raise _several(document, identity, found)
    if not found:
        raise _none(document, edit.items, Subset(to_starlark(identity)))
    said = frozenset(one for one in walk(identity) if type(one.value) is not Map)
    return MergeTarget(found[0], matcher, said)


def identity_of(top: Map) -> Map:
    """The identifying keys that a document has, with their values."""
    found = _identity_items(top, _TOP)
    metadata = top.find("metadata")
    inner = [] if metadata is None else _identity_items(metadata.value, _METADATA)
    if metadata is not None and inner:
        found.append(metadata.with_value(Map(inner)))
    return Map(found)


def _identity_items(value: Value, names: Sequence[str]) -> list[MapItem]:
    items = [value.find(name) for name in names] if type(value) is Map else []
    return [item for item in items if item is not None and item.value is not None]


def _several(document: Document, identity: Map, found: Sequence[Document]) -> OverlayError:
    metadata = value_under(identity, "metadata")
    unsaid = [name for name in _TOP if value_under(identity, name) is None]
    unsaid += [f"metadata.{name}" for name in _METADATA if value_under(metadata, name) is None]
    return OverlayError(
        f"this document could be merged into {len(found)} documents",
        at=document.position,
        also=[one.position.labelled("a candidate") for one in found],
        found="\n".join(map(described, found)),
        hint=f"say {listed(unsaid)}" if unsaid else "leave one of them out of the output",
        code="merge-target",
    )


def _none(document: Document, documents: Sequence[Document], expected: Subset) -> OverlayError:
    nearby, near, also = near_subset(documents, [expected]) if documents else (None, None, ())
    hint = "to add it to the output: -f FILE"
    return OverlayError(
        "there is no document to merge this one into",
        at=document.position,
        also=[one.labelled("the nearest candidate") for one in also],
        found=nearby,
        hint=hint if near is None else replacing(near[0], [near[1]], f'did you mean "{near[1]}"? {hint}'),
        code="merge-target",
    )
