"""Records of where values come from.

A place of a tree is an item: nodes are immutable, so every change makes a new MapItem, ArrayItem or Document, and the
record of the change is kept aside under the new item's identity. An item without a record is as it was written, at its
own position. A `Change` names the item it took the place of (`was`) and what it was made of (`because`), so a history is
a walk through a graph that ends at written items, flags and lines of code.

    replicas: 3   Change("overlay/merge", over.yml:7, because=(the overlay's item,), was=the template's item)
                                             |                                         |
                                   written at over.yml:7              Change("expression", app.yml:4, because=(a data value,))

Nothing here is used, or imported, unless somebody asks: `Context.trace` is None then.
"""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.tree.nodes import Array, DocumentSet, Map, key_id, walk, walk_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol, TypeAlias

    from plait.base.source import Source
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance.marks import Marks

    # What a value was made of: an item, all items below a collection, or a line of code with what it read.
    Origin: TypeAlias = "Item | Map | Array | DocumentSet | Contributor"

    class Closeable(Protocol):
        """The state of a run, part of which holds it, so that it is to be taken apart."""

        def end(self) -> None: ...

    class Code(Closeable, Protocol):
        """The state of the traced programs of a run (see `plait.starlark.instrument.dataflow`)."""

        def is_decided(self) -> bool:
            """True if a condition that depends on a secret led to what is run."""

        def attempted(self, function: object) -> AbstractContextManager[None]:
            """A call of a function that returns errors as values."""


class Contributor:
    """A line that had a part in a value without being a place in a tree: code, a flag, an operation, an annotation.

    structural: it says how the value got there; the value would be the same without.
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
    """A condition that depends on a secret. It counts for all that it decides, whatever else is known of the parts."""

    __slots__ = ()


class Change:
    """The change that produced an item.

    action: in the user's words ("overlay/merge", "replace", "expression"). source and line: of what did it.
    was: the item whose place it took, None for one that was added. because: what its value was made of.
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
    """The documents as a step of the run left them. name: what the step is ("templates", "overlays", "ops.yml [0]")."""

    __slots__ = ("documents", "name")

    def __init__(self, name: str, documents: Sequence[Document]) -> None:
        self.name = name
        self.documents = documents


class Effect:
    """The effect of one operation, layering action or substitution on a document. by: its origin.

    after: None where it left the document out of the result.
    """

    __slots__ = ("after", "before", "by")

    def __init__(self, by: Contributor, before: Document, after: Document | None) -> None:
        self.by = by
        self.before = before
        self.after = after


class OverlayMatch:
    """A document that one of an overlay was for. changed: whether it is another one since."""

    __slots__ = ("changed", "left")

    def __init__(self, left: Document) -> None:
        self.left = left
        self.changed = False


class Trace:
    """The records of one run.

    asked: the secrets that arguments of an item's annotations were made of. changes: the record of each item that has one. copies: an item -> the one it is a copy of, because something below
    it changed. keys: the origins of keys that were computed. presence: what decided that an item is there at all (conditions, loops). there: the items of which a secret decided that they are there. chosen: those of which a secret decided what their value is. removals: what was taken out.
    matches: documents of overlays -> those that they were for. unmatched: overlay items that matched nothing, with the
    items they could have matched. code: the state of traced
    programs (see `plait.starlark.instrument.dataflow`). label: what overlays are called now, if not by their actions. stages: the
    documents after each step. effects: what single operations, actions and substitutions did, in order. secrets: parts of sources that are secret,
    (source, first line, line after the last). marks: the decision of what may be shown, None in a run without secrets. texts: the lines of text files of the output, by path;
    lines: those of all text files, by the identity of the text.
    follows_all: functions that only compute are recorded, too. untraced: where those begin that were not.
    whole: of documents whose data were replaced as a whole, what did it. lineage: of documents with a parent,
    their own items and what the parent's are there by.
    """

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
        # Nobody asks for histories: the origins of what is not secret are not kept.
        self.only_marks = False
        self.code: Code | None = None
        self.label: str | None = None
        self.follows_all = False
        self.untraced: set[tuple[Source, int]] = set()
        self.whole: dict[object, Change] = {}
        self.lineage: dict[Item, tuple[set[int], tuple[Origin, ...]]] = {}

    def continue_from(self, earlier: Trace) -> None:
        """Take over what an earlier run recorded of the documents that this one is given; that run's record stays."""
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
        """Declare all lines of the sources of a tree secret."""
        sources = dict.fromkeys(item.source for item in walk(root))
        self.hide_lines((source, 0, EVERY) for source in sources)

    def hide_item(self, item: Item) -> None:
        """Declare the lines of an item, and of all items below it, secret."""
        found = []
        for one in (item, *walk(item.value)):
            height = one.value.count("\n") if type(one.value) is str else 0
            found.append((one.source, one.line, one.line + height + 1))
        self.hide_lines(found)

    def hide_lines(self, ranges: Iterable[tuple[Source | None, int, int]]) -> None:
        """Declare lines secret: (source, first line, line after the last). With the first of them the run uses secrets."""
        self.secrets += ranges
        if self.secrets:
            self.use_secrets()

    def use_secrets(self) -> Marks:
        """The marks of the run; from now on it uses secrets."""
        note_secrets()
        if self.marks is None:
            from plait.tree.provenance.marks import Marks

            self.marks = Marks(self)
        return self.marks

    def end(self) -> None:
        """Let go of what traced programs needed while they ran."""
        if self.code is not None:
            self.code.end()
            self.code = None

    def record(self, item: Item, change: Change) -> None:
        """Keep how an item came to be. The first record stands: an item that is moved about stays what it is."""
        self.changes.setdefault(item, change)

    def shape(self, item: Item, because: tuple[Origin, ...]) -> tuple[Origin, ...]:
        """The origins of an item's computed value; with a decision if that is a collection and they are secret.

        The origins of its parts are not among them: what is left decides which parts there are, and in which order.
        """
        marks = self.marks
        if marks is None or not because or type(item.value) not in _COLLECTIONS or not marks.is_secret(*because):
            return because
        return (*because, marks.control("expression", item.source, item.line, because))

    def copied(self, new: Item, old: Item) -> None:
        """Say that an item is another one with something changed below it."""
        if new is not old:
            self.copies[new] = old

    def removed(self, item: Item, change: Change) -> None:
        self.removals.setdefault(item, change)

    def effect(self, by: Contributor, before: Document, after: Document | None) -> None:
        """Keep what one operation, action or substitution made of a document."""
        self.effects.append(Effect(by, before, after))

    def stage(self, name: str, documents: Iterable[Document]) -> None:
        """Keep the documents as they are now."""
        self.stages.append(Stage(name, list(documents)))

    def written(self, root: Value, action: str) -> None:
        """Say of every item of a tree what it is, such as a schema's default."""
        for item in walk(root):
            self.changes.setdefault(item, Change(action, item.source, item.line))

    def same_shape(self, new: Item, old: Item) -> None:
        """Pair the items of a tree that was copied as a whole, for instance without its annotations."""
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
        """Record what differs between two trees that share what did not change.

        because: what did it; explain: more of that for a new item and the one whose place it took.
        written: whether a new item's position says where it was written; if not, that of the first of `because` counts.
        It is asked as well of a map or list in the place of another one: whether it replaces that one as a whole.
        by: what took items out, if that is not the first of `because`.
        inserted: a map or list that replaces what was in its place as a whole: it and all items in it are new, whatever
        shape the old value had; old items at the same keys are those that they replace.
        A new item that has a record keeps it; what it took the place of is added.
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
                        # What is in it says itself what it was made of.
                        made_of = because if explain is None else (*because, *explain(new, old))
                        causes = tuple(one for one in made_of if isinstance(one, Contributor))
                        self.became(new, old, action, causes, written=written(new))
                    continue
                made_of = because if explain is None else (*because, *explain(new, old))
                self.became(new, old, action, made_of, written=written is None or written(new))
                if written is not None and type(new.value) in _COLLECTIONS:
                    # What was created on the way to a value is written nowhere either.
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
        """Record that an item was put in, in the place of an old one if there was one.

        written: the new item's position is where it was written.
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
        """True if an item's history leads to another item, which must then not be put before it."""
        item: Item | None = start
        for _ in range(1000):
            if item is None or item is expected:
                return item is expected
            change = self.changes.get(item)
            item = change.was if change is not None and change.was is not None else self.copies.get(item)
        return True

    def before(self, item: Item) -> Item | None:
        """The item that an item's place was taken from, through copies; None at the first one."""
        item = self.original(item)
        change = self.changes.get(item)
        return None if change is None else change.was

    def versions(self, item: Item) -> Iterator[tuple[Item, Change | None]]:
        """The items that stood in an item's place, itself first, each with how it came to be; None: it was written so."""
        seen: set[Item] = set()
        current: Item | None = item
        while current is not None and current not in seen:
            seen.add(current)
            original = self.original(current)
            change = self.changes.get(original)
            yield original, change
            current = None if change is None else change.was

    def original(self, item: Item) -> Item:
        """The item that an item is a copy of, or itself."""
        seen = 0
        while item in self.copies and item not in self.changes and seen < 100_000:
            item = self.copies[item]
            seen += 1
        return item


_COLLECTIONS = frozenset({Map, Array, DocumentSet})
EVERY = 1 << 60  # behind the last line


def _paired_maps(left: Map, right: Map) -> tuple[list[tuple[Item, Item | None]], list[Item]]:
    old = {key_id(item.key): item for item in left.items}
    pairs: list[tuple[Item, Item | None]] = []
    for item in right.items:
        other = old.pop(key_id(item.key), None)
        if other is not item:
            pairs.append((item, other))
    return pairs, list(old.values())


def _paired(left: Sequence[Item], right: Sequence[Item]) -> tuple[list[tuple[Item, Item | None]], list[Item]]:
    """Items of sequences: those that stayed are left out; of the others equally named ones go together, then by order."""
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
