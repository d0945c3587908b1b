"""Provenance: records of the origins and changes of values.

Nodes are immutable, so every change creates a new MapItem, ArrayItem or Document, and the change is recorded under the
new item's identity. An item without a record is unchanged since it was written, at its own position. A `Change` refers
to the item it replaced (`was`) and to its origins (`because`), so a history is a walk through a graph that ends at
written items, flags and lines of code.

replicas: 3   Change("overlay/merge", over.yml:7, because=(the overlay's item,), was=the template's item) |
| written at over.yml:7              Change("expression", app.yml:4, because=(a data value,))

This package is imported only if `Context.trace` is set.
"""

from __future__ import annotations

import os

from plait.base.content import note_secrets
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, key_id, walk, walk_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol, TypeAlias

    from plait.base.source import Source
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance.marks import Marks

    # An origin of a value: an item, all items inside a collection, or a line of code with its reads.
    Origin: TypeAlias = "Item | Map | Array | DocumentSet | Contributor"

    class Closeable(Protocol):
        """State of an evaluation that is part of a reference cycle and must be closed."""

        def end(self) -> None: ...

    class Code(Closeable, Protocol):
        """The state of the traced programs of a run (see `plait.ytt.starlark.instrument.dataflow`)."""

        def is_decided(self) -> bool:
            """True if a condition that depends on a secret led to the current code."""

        def attempted(self, function: object) -> AbstractContextManager[None]:
            """A context for a call that returns errors as values."""


class Contributor:
    """A line from which a value was computed without being a node: code, a flag, an operation, an annotation.

    structural: it only moved the value, which would be the same without it.
    """

    __slots__ = ("action", "because", "line", "source", "structural")

    def __init__(
        self,
        action: str,
        source: Source | None,
        line: int,
        because: tuple[Origin, ...] = (),
        structural: bool = False,
    ) -> None:
        self.action = action
        self.source = source
        self.line = line
        self.because = because
        self.structural = structural

    def __repr__(self) -> str:
        return f"Cause({self.action!r}, {self.source.name if self.source else None}:{self.line})"


class Control(Contributor):
    """A condition that depends on a secret. It is an origin of everything that it decides."""

    __slots__ = ()


class Change:
    """The change that produced an item.

    action: in the user's words ("overlay/merge", "replace", "expression"). source, line: position of the cause. was:
    the replaced item, None for an added one. because: the origins of the new value.
    """

    __slots__ = ("action", "because", "line", "source", "was")

    def __init__(
        self,
        action: str,
        source: Source | None,
        line: int,
        *,
        was: Item | None = None,
        because: tuple[Origin, ...] = (),
    ) -> None:
        self.action = action
        self.source = source
        self.line = line
        self.was = was
        self.because = because

    def __repr__(self) -> str:
        return f"Change({self.action!r}, {self.source.name if self.source else None}:{self.line})"


class Stage:
    """The documents after one step of the evaluation. name: the name of the step ("templates", "overlays", "ops.yml
    [0]").
    """

    __slots__ = ("documents", "name")

    def __init__(self, name: str, documents: Sequence[Document]) -> None:
        self.name = name
        self.documents = documents


class Effect:
    """The effect of one operation, layering action or substitution on a document. by: its origin.

    after: None if the document was omitted from the result.
    """

    __slots__ = ("after", "before", "by")

    def __init__(self, by: Contributor, before: Document, after: Document | None) -> None:
        self.by = by
        self.before = before
        self.after = after


class OverlayMatch:
    """A document that an overlay matched. changed: the document has changed since."""

    __slots__ = ("changed", "left")

    def __init__(self, left: Document) -> None:
        self.left = left
        self.changed = False


class Trace:
    """The records of one evaluation.

    asked: the secrets in arguments of an item's annotations. changes: the record of each changed item. copies: maps an
    item to its original, if it was copied because of a change inside it. keys: the origins of computed keys. presence:
    the conditions and loops that made an item exist. there: items whose existence depends on a secret. chosen: items
    whose value was selected by a secret. removals: the removed items. matches: maps overlay documents to the documents
    that they matched. unmatched: overlay items without a match, with the items that they were compared with. code: the
    state of traced programs (see `plait.ytt.starlark.instrument.dataflow`). label: the current name of overlays, if it
    is not that of their actions. stages: the documents after each step. effects: the effect of each operation, action
    and substitution, in order. secrets: secret parts of sources: (source, first line, line after the last). marks:
    decides what may be shown; None in an evaluation without secrets. texts: the lines of text files of the output, by
    path. lines: those of all text files, by identity of the text. follows_all: pure functions are recorded, too.
    untraced: their calls that were not recorded. whole: for documents whose data was replaced completely, the cause.
    lineage: for documents with a parent, their own items, and the origins of the parent's items.
    """

    # The name of the stage whose document is the data values: it has no part in the output.
    DATA_VALUES = "data values"
    __slots__ = (
        "asked",
        "changes",
        "chosen",
        "code",
        "copies",
        "effects",
        "follows_all",
        "keys",
        "label",
        "lineage",
        "lines",
        "marks",
        "matches",
        "only_marks",
        "presence",
        "removals",
        "secrets",
        "stages",
        "texts",
        "there",
        "unmatched",
        "untraced",
        "whole",
    )

    def __init__(self) -> None:
        self.changes: dict[Item, Change] = {}
        self.asked: dict[Item, tuple[Origin, ...]] = {}
        self.copies: dict[Item, Item] = {}
        self.keys: dict[Item, tuple[Origin, ...]] = {}
        self.presence: dict[Item, tuple[Origin, ...]] = {}
        self.there: set[Item] = set()
        self.chosen: set[Item] = set()
        self.removals: dict[Item, Change] = {}
        self.matches: dict[Item, list[OverlayMatch]] = {}
        self.unmatched: list[tuple[Item, list[Item]]] = []
        self.stages: list[Stage] = []
        self.effects: list[Effect] = []
        self.texts: dict[str, Array] = {}
        self.lines: dict[int, tuple[str, Array]] = {}
        self.secrets: list[tuple[Source | None, int, int]] = []
        self.marks: Marks | None = None
        # Histories are not needed, so origins that are not secret are not recorded.
        self.only_marks = False
        self.code: Code | None = None
        self.label: str | None = None
        self.follows_all = False
        self.untraced: set[tuple[Source, int]] = set()
        self.whole: dict[object, Change] = {}
        self.lineage: dict[Item, tuple[set[int], tuple[Origin, ...]]] = {}

    def continue_from(self, earlier: Trace) -> None:
        """Imports the records of an earlier evaluation about documents passed on from it. The earlier trace is not
        changed.
        """
        self.changes.update(earlier.changes)
        self.copies.update(earlier.copies)
        self.keys.update(earlier.keys)
        self.presence.update(earlier.presence)
        self.there |= earlier.there
        self.chosen |= earlier.chosen
        self.removals.update(earlier.removals)
        self.matches.update(earlier.matches)
        self.unmatched += earlier.unmatched
        self.stages += earlier.stages
        self.effects += earlier.effects
        self.hide_lines(earlier.secrets)
        self.lineage.update(earlier.lineage)

    def hide(self, root: Value) -> None:
        """Declares all source lines of a tree secret."""
        sources = dict.fromkeys(item.source for item in walk(root))
        self.hide_lines((source, 0, EVERY) for source in sources)

    def hide_files(self, paths: Container[str]) -> None:
        """Declares files secret, by their absolute paths."""
        sources = {
            one.source
            for change in self.changes.values()
            for one in (change, *change.because)
            if isinstance(one, Change | Contributor | MapItem)
        }
        files = (one for one in sources if one is not None and not one.flag and os.path.abspath(one.shown) in paths)
        self.hide_lines((one, 0, EVERY) for one in files)

    def hide_item(self, item: Item) -> None:
        """Declares the lines of an item and of its descendants secret."""
        found = []
        for one in (item, *walk(item.value)):
            height = one.value.count("\n") if type(one.value) is str else 0
            found.append((one.source, one.line, one.line + height + 1))
        self.hide_lines(found)

    def hide_lines(self, ranges: Iterable[tuple[Source | None, int, int]]) -> None:
        """Declares lines secret: (source, first line, line after the last). The first call declares that the run uses
        secrets.
        """
        self.secrets += ranges
        if self.secrets:
            self.use_secrets()

    def use_secrets(self) -> Marks:
        """Declares that the run uses secrets, and returns its marks."""
        note_secrets()
        if self.marks is None:
            from plait.tree.provenance.marks import Marks

            self.marks = Marks(self)
        return self.marks

    def end(self) -> None:
        """Releases the state of traced programs."""
        if self.code is not None:
            self.code.end()
            self.code = None

    def record(self, item: Item, change: Change) -> None:
        """Records the change that produced an item. The first record wins, because a moved item stays the same."""
        self.changes.setdefault(item, change)

    def shape(self, item: Item, because: tuple[Origin, ...]) -> tuple[Origin, ...]:
        """The origins of an item's computed value; if it is a collection with secret origins, a decision instead.

        Origins of its parts are not included; the remaining ones decide which parts exist, and their order.
        """
        marks = self.marks
        if marks is None or not because or type(item.value) not in _COLLECTIONS or not marks.is_secret(*because):
            return because
        return (*because, marks.control("expression", item.source, item.line, because))

    def copied(self, new: Item, old: Item) -> None:
        """Records that an item is a copy of another one with a change below it."""
        if new is not old:
            self.copies[new] = old

    def removed(self, item: Item, change: Change) -> None:
        self.removals.setdefault(item, change)

    def effect(self, by: Contributor, before: Document, after: Document | None) -> None:
        """Records the effect of one operation, action or substitution on a document."""
        self.effects.append(Effect(by, before, after))

    def stage(self, name: str, documents: Iterable[Document]) -> None:
        """Records the current documents."""
        self.stages.append(Stage(name, list(documents)))

    def written(self, root: Value, action: str) -> None:
        """Records the source of every item in a tree, such as "schema default"."""
        for item in walk(root):
            self.changes.setdefault(item, Change(action, item.source, item.line))

    def same_shape(self, new: Item, old: Item) -> None:
        """Pairs the items of a tree with those of its copy, which may lack annotations."""
        stack = [(new, old)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            self.copied(a, b)
            x, y = a.value, b.value
            if (type(x) is Map or type(x) is Array) and type(x) is type(y) and x is not y:
                stack.extend(zip(x.items, y.items, strict=False))

    def relate(
        self,
        before: Value,
        after: Value,
        action: str,
        because: tuple[Origin, ...] = (),
        explain: Callable[[Item, Item | None], tuple[Origin, ...]] | None = None,
        written: Callable[[Item | Value], bool] | None = None,
        by: Contributor | None = None,
        inserted: Value = None,
    ) -> None:
        """Records the differences between two trees that share unchanged parts.

        because: the cause. explain: returns more origins for a new item and the item that it replaces. written: returns
        True if a new item's position is its source; otherwise the position of the first of `because` is used. For a
        collection that replaces another one: True if it replaces it completely. by: the cause of removals, by default
        the first of `because`. inserted: a collection that replaces the old value completely. It and all its items
        count as new, whatever the old value was; they replace old items with the same keys.

        A new item that already has a record keeps it; the replaced item is added.
        """
        stack: list[tuple[Value, Value, bool]] = [(before, after, inserted is not None and after is inserted)]
        while stack:
            left, right, is_new = stack.pop()
            if left is right and not is_new:
                continue
            if type(left) is Map and type(right) is Map:
                pairs, gone = _paired_maps(left, right)
            elif (type(left) is Array and type(right) is Array) or (
                type(left) is DocumentSet and type(right) is DocumentSet
            ):
                pairs, gone = _paired(left.items, right.items)
            elif is_new and (type(right) is Map or type(right) is Array):
                pairs, gone = [(item, None) for item in right.items], []
            else:
                continue
            for new, old in pairs:
                if is_new or (inserted is not None and new.value is inserted and type(inserted) in _COLLECTIONS):
                    self.became(new, old, action, because if explain is None else (*because, *explain(new, old)))
                    stack.append((None if old is None else old.value, new.value, True))
                    continue
                if old is not None and type(old.value) in _COLLECTIONS and type(old.value) is type(new.value):
                    self.copied(new, old)
                    stack.append((old.value, new.value, False))
                    if written is not None and (written(new) or written(new.value)):
                        # Its parts have their own records.
                        made_of = because if explain is None else (*because, *explain(new, old))
                        causes = tuple(one for one in made_of if isinstance(one, Contributor))
                        self.became(new, old, action, causes, written=written(new))
                    continue
                made_of = because if explain is None else (*because, *explain(new, old))
                self.became(new, old, action, made_of, written=written is None or written(new))
                if written is not None and type(new.value) in _COLLECTIONS:
                    # Items created on the path to the value have no source either.
                    for item in walk_once(new.value):
                        if item not in self.changes and not written(item):
                            inner = because if explain is None else (*because, *explain(item, None))
                            self.became(item, None, action, inner, written=False)
            for item in gone:
                remover = by or (because[0] if because else item)
                self.removed(item, Change(action, remover.source, remover.line, because=because))

    def became(
        self, new: Item, old: Item | None, action: str, because: tuple[Origin, ...], *, written: bool = True
    ) -> None:
        """Records that an item was inserted, and the item that it replaced, if any.

        written: the new item's position is its source.
        """
        known = self.changes.get(new)
        if known is None:
            source, line = new.source, new.line
            if because and not written:
                first = because[0]
                source, line = first.source, first.line
            self.changes[new] = Change(action, source, line, was=old, because=because)
        elif old is not None and known.was is None and not self._reaches(new, old):
            made_of = (*known.because, *(one for one in because if one not in known.because))
            self.changes[new] = Change(known.action, known.source, known.line, was=old, because=made_of)

    def _reaches(self, start: Item, expected: Item) -> bool:
        """True if the history of `start` contains `expected`; linking them again would make a cycle."""
        item: Item | None = start
        for _ in range(1000):
            if item is None or item is expected:
                return item is expected
            change = self.changes.get(item)
            item = change.was if change is not None and change.was is not None else self.copies.get(item)
        return True

    def before(self, item: Item) -> Item | None:
        """The item that this item replaced, through copies; None for the first one."""
        item = self.original(item)
        change = self.changes.get(item)
        return None if change is None else change.was

    def versions(self, item: Item) -> Iterator[tuple[Item, Change | None]]:
        """The item and all items that it replaced, newest first, each with its change; None for a written item."""
        seen: set[Item] = set()
        current: Item | None = item
        while current is not None and current not in seen:
            seen.add(current)
            original = self.original(current)
            change = self.changes.get(original)
            yield original, change
            current = None if change is None else change.was

    def original(self, item: Item) -> Item:
        """The original of a copied item, or the item itself."""
        seen = 0
        while item in self.copies and item not in self.changes and seen < 100_000:
            item = self.copies[item]
            seen += 1
        return item


_COLLECTIONS = frozenset({Map, Array, DocumentSet})
EVERY = 1 << 60  # after the last line


def _paired_maps(left: Map, right: Map) -> tuple[list[tuple[Item, Item | None]], list[Item]]:
    old = {key_id(item.key): item for item in left.items}
    pairs: list[tuple[Item, Item | None]] = []
    for item in right.items:
        other = old.pop(key_id(item.key), None)
        if other is not item:
            pairs.append((item, other))
    return pairs, list(old.values())


def _paired(left: Sequence[Item], right: Sequence[Item]) -> tuple[list[tuple[Item, Item | None]], list[Item]]:
    """Pairs new items with the old ones they replace, by name, then by order. Items in both sequences are omitted."""
    stayed = set(map(id, left)) & set(map(id, right))
    old = [item for item in left if id(item) not in stayed]
    new = [item for item in right if id(item) not in stayed]
    if len(old) == len(new):
        return list(zip(new, old, strict=True)), []
    by_name: dict[object, Item] = {}
    for item in old:
        by_name.setdefault(_named(item), item)
    pairs: list[tuple[Item, Item | None]] = []
    taken: set[int] = set()
    for item in new:
        name = _named(item)
        other = by_name.pop(name, None) if name is not None else None
        if other is None:
            shared = {id(inner) for inner in item.value.items} if type(item.value) is Map else set()
            other = next(
                (
                    one
                    for one in old
                    if (id(one) not in taken and (one.value is item.value and type(one.value) in _COLLECTIONS))
                    or (type(one.value) is Map and any(id(inner) in shared for inner in one.value.items))
                ),
                None,
            )
        if other is not None and id(other) in taken:
            other = None
        if other is not None:
            taken.add(id(other))
        pairs.append((item, other))
    return pairs, [item for item in old if id(item) not in taken]


def _named(item: Item) -> object:
    value = item.value
    if type(value) is not Map:
        return None
    for key in ("name", "key", "id", "metadata"):
        found = value.find(key)
        if found is None:
            continue
        if key == "metadata":
            name = found.value.find("name") if type(found.value) is Map else None
            kind = value.find("kind")
            return None if name is None else (kind.value if kind else None, key_id(name.value))
        return key_id(found.value)
    return None


__all__ = ["EVERY", "Change", "Contributor", "Control", "Effect", "Stage", "Trace"]
