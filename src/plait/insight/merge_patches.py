"""Writes the difference between two sets of documents as plain documents for `plait render --merge`.

Arrays are merged by the keys of Kubernetes' types, and replaced as a whole if they have none or their items moved.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, UsageError
from plait.base.source import Advice, Flag
from plait.insight.diff import diff, paired, printed
from plait.tree.equality import alike
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id
from plait.yaml.document_names import document_name, key_text
from plait.yaml.writer import write
from plait.ytt.overlay.item_keys import WHOLE, Rules
from plait.ytt.overlay.kubernetes import rule_of_kubernetes
from plait.ytt.overlay.matchers import KeysMatcher
from plait.ytt.overlay.merge import PATCH, REMOVALS, merge_documents
from plait.ytt.overlay.merge_targets import identity_of
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.merges import documents_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Value
    from plait.ytt.overlay.item_keys import Rule

_RULES = Rules([rule_of_kubernetes])
_NONE, _EMPTY = Array([]), Map([])


def to_merge(left: Sequence[Document], right: Sequence[Document]) -> str:
    """The documents to merge into the left ones, so that they become the right ones; "" if nothing differs.

    The result of the merge is compared with the right documents. Neither the order of documents nor of keys counts.
    Raises UsageError with the path of a difference that a merge cannot express.
    """
    left, right = printed(left), printed(right)
    patches: list[tuple[str, Document]] = []
    for number, (old, new) in enumerate(paired(left, right)):
        shown = old or new
        name = (None if shown is None else document_name(shown)) or f"document {number + 1}"
        if old is None:
            hint = Advice("add it to the output: ", Flag("file", "FILE"), "; or use --as overlay")
            raise _inexpressible(f"a merge cannot add the document {name}", hint)
        if new is None:
            patches.append((name, _of_document(old, [MapItem(PATCH, "delete")])))
        elif not alike(old.value, new.value):
            patches.append((name, _changed(old, new, name)))
    found = [patch for _, patch in patches]
    if not _makes(left, found, right):
        for name, patch in patches:
            try:
                _merged(left, [patch])
            except OverlayError as error:
                raise _inexpressible(f"a merge cannot change {name}: {error.message}") from None
        raise _inexpressible("a merge cannot produce the documents of the other side")
    return write(DocumentSet(found)) if found else ""


def _makes(left: Sequence[Document], patches: Sequence[Document], right: Sequence[Document]) -> bool:
    """True if merging documents into the left ones produces the right ones."""
    try:
        result = printed(_merged(left, patches))
    except OverlayError:
        return False
    return all(a is not None and b is not None and alike(a.value, b.value) for a, b in paired(result, right))


def _merged(documents: Sequence[Document], patches: Sequence[Document]) -> Sequence[Document]:
    """The documents, with the text of others merged into them as by `--merge`. Raises OverlayError."""
    merges = documents_of([in_memory("merge.yml", write(DocumentSet([*patches])))]) if patches else []
    return merge_documents([DocumentSet([*documents])], merges, _RULES)[0].items if merges else documents


def _inexpressible(message: str, hint: Advice | str = "use --as overlay, which expresses any difference") -> UsageError:
    return UsageError(message, hint=hint, code="inexpressible-merge")


def _of_document(document: Document, items: Sequence[MapItem]) -> Document:
    """The document that merges items into another one."""
    top = document.value
    identity = identity_of(top) if type(top) is Map else _EMPTY
    found = {key_id(item.key): item for item in identity.items}
    for item in items:
        known = found.get(key_id(item.key))
        if known is not None and type(known.value) is Map and type(item.value) is Map:
            inner = {key_id(one.key) for one in item.value.items}
            item = MapItem(
                item.key,
                Map([*(one for one in known.value.items if key_id(one.key) not in inner), *item.value.items]),
            )
        found[key_id(item.key)] = item
    return Document(Map([*found.values()]))


def _changed(old: Document, new: Document, name: str) -> Document:
    """The document that turns one into another. Raises UsageError if there is none."""
    before, after = old.value, new.value
    if type(before) is not Map or type(after) is not Map:
        raise _inexpressible(f"a merge cannot change {name}: it is not a map")
    renamed = diff([Document(identity_of(before))], [Document(identity_of(after))], in_order=True)
    if renamed:
        raise _inexpressible(f"a merge cannot change {name} at {renamed[0].path}, by which it finds the document")
    result, problem = old, ""
    for by_keys in (True, False):
        items = _Patch(old, by_keys=by_keys).items(before, after, ())
        items = [MapItem(PATCH, "replace"), *after.items] if items is None else items
        patch = _of_document(old, items)
        try:
            merged = _merged([old], [patch])
        except OverlayError as error:
            problem = str(error.message)
            continue
        if len(merged) == 1 and alike(merged[0].value, after):
            return patch
        result = merged[0] if merged else old
    differing = diff([result], [new], cleartext_secrets=True, in_order=True)
    where = f" at {differing[0].path}" if differing and differing[0].path else ""
    raise _inexpressible(f"a merge cannot change {name}{where}" + (f": {problem}" if problem else ""))


class _Patch:
    """The items that change a document in a merge. by_keys: merge the items of arrays that have merge keys."""

    __slots__ = ("_by_keys", "_document")

    def __init__(self, document: Document, *, by_keys: bool) -> None:
        self._document = document
        self._by_keys = by_keys

    def items(self, left: Map, right: Map, path: tuple[str, ...]) -> list[MapItem] | None:
        """The items to merge into a map. None if the map must be replaced: null as a value removes its key."""
        found: list[MapItem] = []
        for item in left.items:
            other = right.find(item.key)
            if other is None:
                found.append(MapItem(item.key, None))
            elif other.value is None and item.value is not None:
                return None
            elif not alike(item.value, other.value):
                found += self._entries(item.key, item.value, other.value, (*path, key_text(item.key)))
        for item in right.items:
            if left.find(item.key) is None:
                if item.value is None:
                    return None
                start = _EMPTY if type(item.value) is Map else _NONE
                found += self._entries(item.key, start, item.value, (*path, key_text(item.key)), is_new=True)
        return found

    def _entries(
        self, key: Value, left: Value, right: Value, path: tuple[str, ...], *, is_new: bool = False
    ) -> list[MapItem]:
        """The items that give a key another value. is_new: the key is missing; left is an empty value."""
        if type(right) is Map:
            items = self.items(left, right, path) if type(left) is Map else None
            return [MapItem(key, _replaced(right) if items is None else Map(items))]
        if type(right) is not Array:
            return [MapItem(key, right)]
        rule = _RULES.at(self._document, path)
        if type(left) is Array:
            if rule is WHOLE:
                return [MapItem(key, right)]
            if self._by_keys and rule.is_set and type(key) is str and (right.items or is_new):
                found = _of_set(key, left, right)
            else:
                keyed = self._keyed(left, right, rule, path) if self._by_keys and not rule.is_set else None
                found = None if keyed is None or not right.items else [MapItem(key, Array(keyed))]
            if found is not None:
                return found
        return [MapItem(key, Array([ArrayItem(Map([MapItem(PATCH, "replace")])), *right.items]))]

    def _keyed(self, left: Array, right: Array, rule: Rule, path: tuple[str, ...]) -> list[ArrayItem] | None:
        """The items to merge into an array by their keys; None if keys are missing or repeated, or items moved."""
        matcher = KeysMatcher(rule.keys, ".".join(path))
        try:
            old, new = ({matcher.identity(item): item for item in side.items} for side in (left, right))
        except OverlayError:
            return None
        kept = [key for key in old if key in new]
        if len(old) < len(left.items) or len(new) < len(right.items) or [*new][: len(kept)] != kept:
            return None
        found: list[ArrayItem] = []
        for identity, item in {**old, **new}.items():
            other = new.get(identity)
            if identity in old and other is not None and alike(old[identity].value, other.value):
                continue
            node = item.value
            if type(node) is not Map:
                return None
            named = [one for name, _ in rule.keys if (one := node.find(name)) is not None]
            if other is None:
                found.append(ArrayItem(Map([*named, MapItem(PATCH, "delete")])))
                continue
            before = old[identity].value if identity in old else Map(named)
            if type(before) is not Map or type(other.value) is not Map:
                return None
            items = self.items(before, other.value, path)
            found.append(ArrayItem(_replaced(other.value) if items is None else Map([*named, *items])))
        return found


def _of_set(key: str, left: Array, right: Array) -> list[MapItem] | None:
    """The items that change a set of values; None if values are repeated or moved."""
    old, new = ({key_id(item.value): item for item in side.items} for side in (left, right))
    kept = [one for one in old if one in new]
    if len(old) < len(left.items) or len(new) < len(right.items) or [*new][: len(kept)] != kept:
        return None
    added = [item for one, item in new.items() if one not in old]
    gone = [item for one, item in old.items() if one not in new]
    found = [MapItem(key, Array(added))] if added or not left.items else []
    return [*found, MapItem(f"{REMOVALS}{key}", Array(gone))] if gone else found


def _replaced(value: Map) -> Map:
    return Map([MapItem(PATCH, "replace"), *value.items])
