"""Differences between the outputs of two evaluations, with the items on both sides.

A place is a tuple of tokens that means the same in every version of a document: keys, identifying keys of list items,
contents of added and removed list items.
"""

from __future__ import annotations

from plait.base.text_diff import ranges
from plait.insight.diff import is_encrypted, paired, printed
from plait.insight.item_names import by_key, identifies, identifying
from plait.tree.nodes import Array, Map, check_nodes, equal, key_id, walk
from plait.tree.secrets import HIDDEN
from plait.yaml.document_names import document_name, key_text, namespace_of
from plait.yaml.inline import flow_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import ArrayItem, Document, Item, Value

    Place: TypeAlias = "tuple[object, ...]"
    Way: TypeAlias = "tuple[Item, ...]"

ADDED, REMOVED, CHANGED, MOVED, RENAMED = "added", "removed", "changed", "reordered", "renamed"

# Two documents are one that was renamed if at least this part of their values is equal.
_SIMILAR = 0.6
# Documents of one kind that are compared with each other to find renames.
_MOST_PAIRS = 2_000


class Change:
    """One difference of two outputs.

    kind: ADDED, REMOVED, CHANGED, MOVED (the order of a list) or RENAMED (of a document). place: its document and
    tokens. old, new: the document on each side, or None. old_way, new_way: the items from the root down to the value,
    or to the nearest item around the place on the side that lacks it. name: the name of the document on the new side,
    or the old one. path: as shown.
    """

    __slots__ = ("kind", "name", "new", "new_number", "new_way", "old", "old_number", "old_way", "path", "place")

    def __init__(self, kind: str, pair: Pair, tokens: Place, path: str, old_way: Way, new_way: Way) -> None:
        self.kind = kind
        self.place: Place = (pair.key, *tokens)
        self.path = path
        self.old = pair.old
        self.new = pair.new
        self.old_number = pair.old_number
        self.new_number = pair.new_number
        self.old_way = old_way
        self.new_way = new_way
        shown = pair.new if pair.new is not None else pair.old
        self.name = shown_name(shown, pair.new_number if pair.new is not None else pair.old_number)

    @property
    def has_old(self) -> bool:
        """True if the value exists on the old side."""
        return self.old is not None and self.kind != ADDED

    @property
    def has_new(self) -> bool:
        """True if the value exists on the new side."""
        return self.new is not None and self.kind != REMOVED

    @property
    def new_place(self) -> Place:
        """The place of a document whose name changed, if it were a new one; () for other documents."""
        if self.old is None or self.new is None:
            return ()
        identity = _identity(self.new)
        return () if identity == _identity(self.old) else (("new", identity),)

    @property
    def before(self) -> Value:
        """The value on the old side."""
        assert self.old is not None
        return self.old_way[-1].value if self.old_way else self.old.value

    @property
    def after(self) -> Value:
        """The value on the new side."""
        assert self.new is not None
        return self.new_way[-1].value if self.new_way else self.new.value

    @property
    def is_hidden(self) -> bool:
        """True if a secret is shown instead of the value on a side."""
        sides = [*([self.before] if self.has_old else ()), *([self.after] if self.has_new else ())]
        return any(type(value) is str and value == HIDDEN for value in sides)

    @property
    def is_document(self) -> bool:
        """True for a document that was added, removed or renamed."""
        return not self.path


class Alignment:
    """The way two outputs were compared, so that a third one can be compared with the first in the same way.

    keys: the identifying key of each list that differs, by its place, or "" if its items were aligned by their
    contents. met: the places of new documents and items that were compared with others, and of the orders of lists with
    other items.
    """

    __slots__ = ("keys", "met")

    def __init__(self) -> None:
        self.keys: dict[Place, str] = {}
        self.met: set[Place] = set()


class Pair:
    """A document on both sides; None on one side. key: its identity among the old documents, or its name if it is new."""

    __slots__ = ("key", "new", "new_number", "old", "old_number")

    def __init__(
        self, key: object, old: Document | None, new: Document | None, old_number: int, new_number: int
    ) -> None:
        self.key = key
        self.old = old
        self.new = new
        self.old_number = old_number
        self.new_number = new_number


def pairs_of(left: Sequence[Document], right: Sequence[Document]) -> list[Pair]:
    """The documents of both sides in pairs: by identity, then by order, then renamed ones by their contents."""
    old_numbers = {document: number for number, document in enumerate(left)}
    new_numbers = {document: number for number, document in enumerate(right)}
    found = paired(printed(left), printed(right))
    # Documents without a name are paired by order only if that is no guess.
    gone = [a for a, b in found if a is not None and b is None]
    come = [b for a, b in found if a is None and b is not None]
    renamed = _renamed(gone, come)
    taken = set(renamed.values())
    pairs: list[Pair] = []
    for a, b in found:
        if b is not None and b in taken:
            continue
        if a is not None and b is None:
            b = renamed.get(a)
        key: object = (
            ("new", _identity(b)) if a is None and b is not None else old_numbers[a] if a is not None else None
        )
        pairs.append(Pair(key, a, b, -1 if a is None else old_numbers[a], -1 if b is None else new_numbers[b]))
    return pairs


def _identity(document: Document) -> object:
    space = namespace_of(document)
    name = document_name(document)
    if name is None:
        return flow_text(document.value)
    return name if space is None else (name, space.value)


def _renamed(gone: Sequence[Document], come: Sequence[Document]) -> Mapping[Document, Document]:
    """The documents whose name changed while most of their values are equal."""
    rows: list[tuple[float, int, int]] = []
    if not gone or not come or len(gone) * len(come) > _MOST_PAIRS:
        return {}
    old = [(_kind(one), _values(one)) for one in gone]
    new = [(_kind(one), _values(one)) for one in come]
    for a, (kind, values) in enumerate(old):
        for b, (other, others) in enumerate(new):
            if kind == other and values and others:
                share = 2 * len(values & others) / (len(values) + len(others))
                if share >= _SIMILAR:
                    rows.append((-share, a, b))
    found: dict[Document, Document] = {}
    used: set[int] = set()
    for _, a, b in sorted(rows):
        if gone[a] not in found and b not in used:
            found[gone[a]] = come[b]
            used.add(b)
    return found


def _kind(document: Document) -> object:
    top = document.value
    for key in ("kind", "schema"):
        item = top.find(key) if type(top) is Map else None
        if item is not None:
            return key_id(item.value)
    return None


def _values(document: Document) -> set[tuple[Place, object]]:
    found: set[tuple[Place, object]] = set()
    stack: list[tuple[Value, Place]] = [(document.value, ())]
    while stack:
        value, place = stack.pop()
        if type(value) is Map:
            stack += [(item.value, (*place, item.key)) for item in value.items]
        elif type(value) is Array:
            stack += [(item.value, (*place, number)) for number, item in enumerate(value.items)]
        else:
            found.add((place, key_id(value)))
    return found


def shown_name(document: Document | None, number: int) -> str:
    """The name of a document in a report, with its namespace. number: its index, for one without a name."""
    if document is None:
        return "the documents"
    name = document_name(document)
    space = namespace_of(document)
    if name is None:
        return f"document {number + 1}"
    return name if space is None else f"{space.value}/{name}"


def is_secret_data(documents: Iterable[Document | None], key: object) -> bool:
    """True for a top-level key with the data of a Secret, or of a document that declares its data encrypted."""
    if key not in ("data", "stringData"):
        return False
    for document in documents:
        if document is not None and type(document.value) is Map:
            kind = document.value.find("kind")
            if (kind is not None and kind.value == "Secret") or is_encrypted(document):
                return True
    return False


def changes(pairs: Sequence[Pair], alignment: Alignment | None = None, like: Alignment | None = None) -> list[Change]:
    """The differences, in order. alignment: is filled. like: the alignment of a comparison with the same old side. A
    list whose items cannot be compared in that way is one difference.
    """
    found: list[Change] = []
    alignment = Alignment() if alignment is None else alignment
    for pair in pairs:
        if pair.old is None or pair.new is None:
            found.append(Change(ADDED if pair.old is None else REMOVED, pair, (), "", (), ()))
            continue
        identity = _identity(pair.new)
        if _identity(pair.old) != identity:
            alignment.met.add((("new", identity),))
            if document_name(pair.old) is not None:
                found.append(Change(RENAMED, pair, ("",), "", (), ()))
        _compare(pair, pair.old, pair.new, found, alignment, like)
    return found


def _compare(
    pair: Pair, old: Document, new: Document, found: list[Change], alignment: Alignment, like: Alignment | None
) -> None:
    check_nodes(old.value)
    check_nodes(new.value)
    stack: list[tuple[Value, Value, Place, str, Way, Way]] = [(old.value, new.value, (), "", (), ())]
    while stack:
        a, b, place, path, way_a, way_b = stack.pop()
        if a is b or equal(a, b):
            continue
        below: list[tuple[Value, Value, Place, str, Way, Way]] = []
        if type(a) is Map and type(b) is Map:
            dot = "." if path else ""
            for item in a.items:
                other = b.find(item.key)
                token = ("key", key_id(item.key))
                shown = f"{path}{dot}{key_text(item.key)}"
                if other is None:
                    found.append(Change(REMOVED, pair, (*place, token), shown, (*way_a, item), way_b))
                else:
                    below.append((item.value, other.value, (*place, token), shown, (*way_a, item), (*way_b, other)))
            kept = [key_id(item.key) for item in a.items if b.find(item.key) is not None]
            if kept != [key_id(item.key) for item in b.items if a.find(item.key) is not None]:
                found.append(Change(MOVED, pair, (*place, "order"), path or ".", way_a, way_b))
            for item in b.items:
                if a.find(item.key) is None:
                    token = ("key", key_id(item.key))
                    shown = f"{path}{dot}{key_text(item.key)}"
                    found.append(Change(ADDED, pair, (*place, token), shown, way_a, (*way_b, item)))
        elif type(a) is Array and type(b) is Array:
            full = (pair.key, *place)
            key = _list_key(a, b, None if like is None else like.keys.get(full))
            if key is None:
                found.append(Change(CHANGED, pair, place or ("",), path or ".", way_a, way_b))
                continue
            alignment.keys[full] = key
            if not key:
                alignment.met.add((*full, "order"))
            for step in _items_by_key(a, b, key) if key else _items_by_contents(a, b):
                below_place = (*place, step.token)
                shown = f"{path}{step.shown}"
                if step.old is None and step.new is None:
                    found.append(Change(MOVED, pair, (*place, "order"), path or ".", way_a, way_b))
                elif step.old is None and step.new is not None:
                    found.append(Change(ADDED, pair, below_place, shown, way_a, (*way_b, step.new)))
                elif step.new is None and step.old is not None:
                    found.append(Change(REMOVED, pair, below_place, shown, (*way_a, step.old), way_b))
                elif step.old is not None and step.new is not None:
                    if not key:
                        alignment.met.add((*full, ("new", flow_text(step.new.value))))
                    below.append(
                        (step.old.value, step.new.value, below_place, shown, (*way_a, step.old), (*way_b, step.new))
                    )
        else:
            found.append(Change(CHANGED, pair, place or ("",), path or ".", way_a, way_b))
        stack.extend(reversed(below))


class _Step:
    """Two items of a list, one of which may be None; both are None for a changed order."""

    __slots__ = ("new", "old", "shown", "token")

    def __init__(self, token: object, shown: str, old: ArrayItem | None, new: ArrayItem | None) -> None:
        self.token = token
        self.shown = shown
        self.old = old
        self.new = new


def _list_key(a: Array, b: Array, known: str | None) -> str | None:
    """The identifying key of two lists, "" for none. known: the key to be used; None if it does not identify them."""
    if known is None:
        return identifying(a, b) or ""
    return known if not known or identifies(known, a, b) else None


def _items_by_key(a: Array, b: Array, key: str) -> Iterator[_Step]:
    old = dict(zip(by_key(a, key), a.items, strict=True))
    new = dict(zip(by_key(b, key), b.items, strict=True))
    for value, item in old.items():
        yield _Step((key, value), f"[{key}={value[1]}]", item, new.get(value))
    for value, item in new.items():
        if value not in old:
            yield _Step((key, value), f"[{key}={value[1]}]", None, item)
    if [one for one in old if one in new] != [one for one in new if one in old]:
        yield _Step("order", "", None, None)


def _items_by_contents(a: Array, b: Array) -> Iterator[_Step]:
    """The aligned items. An old one has its index as token, a new one without a counterpart its text."""
    left = [flow_text(item.value) for item in a.items]
    right = [flow_text(item.value) for item in b.items]
    if sorted(left) == sorted(right):
        yield _Step("order", "", None, None)
        return
    for is_equal, (i1, i2, j1, j2) in ranges(left, right):
        if is_equal:
            continue
        both = min(i2 - i1, j2 - j1)
        for offset in range(both):
            at = i1 + offset
            yield _Step(("old", at), f"[{j1 + offset}]", a.items[at], b.items[j1 + offset])
        for at in range(i1 + both, i2):
            yield _Step(("old", at), f"[{at}]", a.items[at], None)
        for at in range(j1 + both, j2):
            yield _Step(("new", right[at]), f"[{at}]", None, b.items[at])


def leaves(value: Value) -> int:
    """The number of scalars and empty collections in a value."""
    if type(value) is not Map and type(value) is not Array:
        return 1
    count = sum(1 for item in walk(value) if not _holds(item))
    return max(count, 1)


def leaf_ways(way: Way, value: Value, maximum: int) -> Iterator[Way]:
    """The paths to the scalars and empty collections below a value, at most `maximum`."""
    stack: list[tuple[Way, Value]] = [(way, value)]
    while stack and maximum > 0:
        above, inner = stack.pop()
        items: Sequence[Item] = inner.items if type(inner) is Map or type(inner) is Array else ()
        if not items:
            maximum -= 1
            yield above
        stack += [((*above, item), item.value) for item in reversed(items)]


def _holds(item: Item) -> bool:
    value = item.value
    return (type(value) is Map or type(value) is Array) and bool(value.items)
