"""Computes the history of a value: its origin and all changes, including overridden values.

A history is a list of entries, oldest first. Only the last one is in the output. The others were overridden, or are
inputs: a string with a placeholder contributes to the value of the placeholder. Each entry has origins: the data
values, variables, lines of code and items of other documents that it was computed from.
"""

from __future__ import annotations

from plait.insight.item_names import ItemNames
from plait.insight.node_paths import NodePath, all_places, means_text, parse, text_lines
from plait.insight.path_resolution import find
from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import COLLECTION_TYPES, Array, Map, MapItem, walk
from plait.tree.provenance import Contributor
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.base.source import Source
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance import Change, Origin, Trace
    from plait.tree.provenance.marks import Marks

# Maximum nesting of origins; deeper ones are listed at this level.
_DEEPEST = 100
_LONGEST = 1000

CURRENT, OVERRIDDEN, INPUT = "current", "overridden", "input"


class HistoryEntry:
    """One entry of a history.

    action: the kind of change. source, line: its position. value: the value at that time (`has_value`). state: current,
    overridden, or input of the next entry. origins: the entries it was computed from. structural: only its existence
    matters, not its content, as for the enclosing map. secret: its value and line are hidden.
    """

    __slots__ = ("action", "has_value", "key", "line", "origins", "secret", "source", "state", "structural", "value")

    def __init__(
        self,
        action: str,
        source: Source | None,
        line: int,
        value: Value = None,
        *,
        has_value: bool = False,
        key: Value = None,
        state: str = CURRENT,
        origins: Sequence[HistoryEntry] = (),
        structural: bool = False,
    ) -> None:
        self.action = "data value" if source is not None and source.is_data_flag else action
        self.source = source
        self.line = line
        self.value = "(not computed)" if is_deferred(value) else value
        self.has_value = has_value
        self.key = key
        self.state = state
        self.origins = list(origins)
        self.structural = structural
        self.secret = False

    def with_origins(self, origins: Sequence[HistoryEntry]) -> HistoryEntry:
        """The same entry with other origins."""
        return HistoryEntry(
            self.action,
            self.source,
            self.line,
            self.value,
            has_value=self.has_value,
            key=self.key,
            state=self.state,
            origins=origins,
            structural=self.structural,
        )

    @property
    def place(self) -> str:
        """File and line, or the flag."""
        if self.source is None:
            return "?"
        if self.source.is_data_flag:
            return _flag(self.source, is_secret=self.secret)
        return f"{self.source.shown}:{self.line}" if self.line > 0 and not self.source.flag else self.source.shown

    @property
    def text(self) -> str | None:
        """The source line; None for a flag."""
        if self.source is None or self.line <= 0 or self.source.flag:
            return None
        return self.source.line(self.line)


def _flag(source: Source, *, is_secret: bool) -> str:
    """A flag and its argument as typed, without a secret value; or the environment variable."""
    text = source.text
    if source.flag.startswith("data-values-env"):
        return f"environment variable {text.partition('=')[0]}"
    argument = source.argument or text
    if is_secret and "=" in text and argument == text:
        argument = f"{text.partition('=')[0]}=..."
    return f"--{source.flag} {argument}"


class History:
    """The history of one value: its path, its entries, and the entries that decided its existence (`presence`).

    secret: the value is hidden. value: redacted if it is secret. added: for a map or an array, its items that come from
    other files, each with its path below the value and its last entry; only for requested values.
    """

    __slots__ = ("added", "entries", "place", "presence", "secret", "value")

    def __init__(
        self,
        node_path: NodePath,
        entries: list[HistoryEntry],
        presence: list[HistoryEntry],
        *,
        secret: bool = False,
        value: Value = None,
    ) -> None:
        self.place = node_path
        self.entries = entries
        self.presence = presence
        self.secret = secret
        self.added: Sequence[tuple[str, HistoryEntry]] = ()
        self.value = node_path.value if value is None else value

    def standing(self) -> list[HistoryEntry]:
        """The entries that contribute to the value: all except overridden ones."""
        return [entry for entry in self.entries if entry.state != OVERRIDDEN]


def explain(trace: Trace, node_path: NodePath, *, cleartext_secrets: bool = False) -> History:
    """The history of the value at a path. For many values use one `Explainer`."""
    return Explainer(trace, cleartext_secrets=cleartext_secrets).history(node_path)


def histories(
    trace: Trace, documents: Sequence[Document], path: str | None = None, *, cleartext_secrets: bool = False
) -> Iterator[History]:
    """The histories of all values that a PATH matches (docs/explain.md), in order; without a PATH, of every value.

    They are computed on demand, because all histories of a large output would need far more memory than the evaluation.
    trace: the trace of the evaluation. cleartext_secrets: show the values of variables stores and of encrypted
    documents. Raises UsageError for an invalid PATH, or one that matches nothing.
    """
    places: Iterable[NodePath]
    explainer = Explainer(trace, cleartext_secrets=cleartext_secrets)
    documents = explainer.visible(documents)
    if path is None:
        places = all_places(documents, explainer.texts)
    elif means_text(wanted := parse(path), explainer.texts):
        places = text_lines(explainer.texts, wanted)
    else:
        places = find(wanted, documents, explainer.names, reveals="--cleartext-secrets")
        return map(explainer.with_items, places)
    return map(explainer.history, places)


# Items inside one value whose origins are looked up, at any depth.
_MOST_ITEMS = 1_000


class Explainer:
    """Reads histories from a trace.

    Values with the same parent share the entries that decided the existence of their ancestors, so these are cached
    while values are queried in order.
    """

    def __init__(self, trace: Trace, *, cleartext_secrets: bool = False) -> None:
        self.trace = trace
        self._cleartext_secrets = cleartext_secrets
        self._names: ItemNames | None = None
        # The ancestors of the last value, outermost first, with their entries; and all entries together.
        self._above: list[tuple[Item, list[HistoryEntry]]] = []
        self._presence: list[HistoryEntry] = []
        # The ancestors that a secret decides, by item.
        self._decided: dict[Item, bool] = {}
        self._carried: dict[Item, bool] = {}
        # The lines of the last requested `presence`.
        self._lines: tuple[list[HistoryEntry], bool, frozenset[tuple[str, int]]] = ([], False, frozenset())

    @property
    def marks(self) -> Marks | None:
        """The marks of the run, if secrets are hidden; None otherwise."""
        return None if self._cleartext_secrets else self.trace.marks

    @property
    def names(self) -> ItemNames:
        """Names of documents and array items, without secrets."""
        if self._names is None:
            marks = self.marks
            self._names = ItemNames() if marks is None else ItemNames(marks.holds_secret, marks.secret_keys)
        return self._names

    def visible(self, documents: Sequence[Document]) -> Sequence[Document]:
        """The documents without items whose existence depends on a secret."""
        return documents if self.marks is None else self.marks.visible(documents)

    @property
    def texts(self) -> Mapping[str, Array]:
        """The lines of text files, without those that depend on a secret."""
        return self.trace.texts if self.marks is None else self.marks.visible_texts(self.trace.texts)

    def history(self, node_path: NodePath) -> History:
        """The history of the value at a path. The path's names must not show a secret."""
        node_path = node_path.named(self.names)
        entries = self._brought(node_path, self.entries(node_path.item))
        presence = self._shared(node_path)
        own = self.parentage(node_path)
        if node_path.way:
            own += [
                HistoryEntry("put in", entry.source, entry.line, origins=entry.origins)
                for entry in self.only_presence(node_path.item)
            ]
        if own:
            presence = distinct([*presence, *own])
        marks = self.marks
        if marks is None:
            return History(node_path, entries, presence)
        for entry in flat([*entries, *presence]):
            entry.secret = any(marks.is_secret_line(one.source, one.line) for one in flat([entry]))
            entry.value = marks.masked(entry.value)
        way = (node_path.document, *node_path.way)
        secret = marks.is_secret_place(*way) or any(entry.secret for entry in entries)
        if secret and (marks.has_control(node_path.item) or any(map(marks.is_decided_item, way))):
            # The secret also decides which lines created it.
            entries, presence = [HistoryEntry("decided by a secret", None, 0, HIDDEN, has_value=True)], []
            entries[0].secret = True
        return History(
            node_path, entries, presence, secret=secret, value=HIDDEN if secret else marks.masked(node_path.value)
        )

    def hides(self, node_path: NodePath) -> bool:
        """True if the history of the value at a path is secret."""
        marks = self.marks
        if marks is None:
            return False
        if marks.is_secret(node_path.item) or any(map(self._is_decided, (node_path.document, *node_path.way))):
            return True
        # The marks follow the value's own origins, but not those of the map or list with which it was inserted.
        carrier = self._carrier(node_path)
        if carrier is None or not self._is_secretly_carried(*carrier):
            return False
        entries = self._brought(node_path, self.entries(node_path.item))
        return any(marks.is_secret_line(one.source, one.line) for one in flat(entries))

    def hidden(self, document: Document, number: int) -> set[Item]:
        """The scalars and empty collections of a document that `hides` is true for. number: the index of the document."""
        marks = self.marks
        found: set[Item] = set()
        if marks is None:
            return found
        pending: list[tuple[tuple[Item, ...], bool, tuple[Item, Change] | None]] = [((), False, None)]
        while pending:
            way, is_decided, carrier = pending.pop()
            item = way[-1] if way else document
            is_decided = is_decided or self._is_decided(item)
            value = item.value
            if (type(value) is Map or type(value) is Array) and value.items:
                items: Sequence[Item] = value.items
                change = self.trace.changes.get(self.trace.original(item)) if way else None
                if change is not None:
                    carrier = (item, change) if change.action == "substitution" else None
                pending += [((*way, one), is_decided, carrier) for one in items]
            elif (
                is_decided
                or marks.is_secret(item)
                or (
                    carrier is not None
                    and self._is_secretly_carried(*carrier)
                    and self.hides(NodePath(document, number, way))
                )
            ):
                found.add(item)
        return found

    def _is_secretly_carried(self, item: Item, change: Change) -> bool:
        """True if a line that contributes to the substitution of a collection is secret. Cached for all its values."""
        found = self._carried.get(item)
        if found is None:
            marks = self.marks
            entries = [*flat(self.origins(change.because, {item}, 0, (change.source, change.line, None)))]
            lines = [(change.source, change.line), *((one.source, one.line) for one in entries)]
            found = self._carried[item] = marks is not None and any(marks.is_secret_line(*one) for one in lines)
        return found

    def _is_decided(self, item: Item) -> bool:
        """True if a secret decides that an item exists. Cached, because values share their ancestors."""
        found = self._decided.get(item)
        if found is None:
            marks = self.marks
            found = self._decided[item] = marks is not None and marks.is_decided_item(item)
        return found

    def with_items(self, node_path: NodePath) -> History:
        """The history of a value with the parts of it that other files added or changed, at any depth."""
        history = self.history(node_path)
        if history.secret:
            return history
        below: list[tuple[str, HistoryEntry]] = []
        left = _MOST_ITEMS
        # A file of variables is read by each of its variables, so its name identifies it.
        stack = [(node_path, _files_of(history.entries))]
        while stack:
            parent, own = stack.pop()
            value = parent.value
            inside = []
            for item in value.items[:left] if type(value) is Map or type(value) is Array else ():
                left -= 1
                if self.marks is not None and self.marks.is_there_by_secret(item):
                    continue
                place = node_path.at((*parent.way, item))
                inner = self.history(place)
                entry = inner.entries[-1] if inner.entries else None
                if entry is None or inner.secret:
                    continue
                if entry.source is not None and entry.source.shown not in own:
                    below.append((inner.place.path.removeprefix(history.place.path).removeprefix("."), entry))
                inside.append((place, own | _files_of(inner.entries)))
            stack += reversed(inside)
        history.added = below
        return history

    def _key_of(self, item: Item) -> Value:
        """The key of a map item, redacted if it is secret; None for another item."""
        if type(item) is not MapItem:
            return None
        return HIDDEN if self.marks is not None and self.marks.has_secret_key(item) else item.key

    def is_secret(self, item: Item) -> bool:
        """True if a value, or a value inside it, is secret."""
        return self.marks is not None and self.marks.holds_secret(item)

    def _brought(self, node_path: NodePath, entries: list[HistoryEntry]) -> list[HistoryEntry]:
        """The entries at the original position of a value that a substitution inserted as part of a map or list."""
        first = entries[0]
        found = self._carrier(node_path) if first.action == "written" else None
        if found is None:
            return entries
        item, change = found
        if any(one is not None and change.because[0] in one.because for _, one in self.trace.versions(node_path.item)):
            return entries  # the substitution replaced the value, and has its own entry
        where = (change.source, change.line, None)
        origins = self.origins(change.because, {item}, 0, where)
        below = first.with_origins(first.origins)
        below.state = CURRENT
        brought = HistoryEntry(
            "substitution", *where[:2], first.value, has_value=True, key=first.key, state=first.state,
            origins=[*origins, below],
        )  # fmt: skip
        return [brought, *entries[1:]]

    def _carrier(self, node_path: NodePath) -> tuple[Item, Change] | None:
        """The map or list item, inserted by a substitution, that contains a value, with its change; or None."""
        for item in reversed(node_path.way[:-1]):
            change = self.trace.changes.get(self.trace.original(item))
            if change is not None:
                return (item, change) if change.action == "substitution" else None
        return None

    def lines(self, history: History, *, structure: bool = False) -> set[tuple[str, int]]:
        """As `lines`, for a history of this explainer. Cached."""
        presence, structural, found = self._lines
        if presence is not history.presence or structural is not structure:
            found = frozenset(_lines_of(history.presence, structure=structure))
            self._lines = (history.presence, structure, found)
        return _lines_of(history.standing(), structure=structure) | found

    def _shared(self, node_path: NodePath) -> list[HistoryEntry]:
        """The entries that decided the existence of the ancestors of a value."""
        items = (node_path.document, *node_path.way[:-1]) if node_path.way else ()
        above = self._above
        same = 0
        for item, (known, _) in zip(items, above, strict=False):
            if item is not known:
                break
            same += 1
        if same < len(items) or same < len(above):
            del above[same:]
            above += [(item, self.presence(item)) for item in items[same:]]
            self._presence = distinct([entry for _, entries in above for entry in entries])
        return self._presence

    def entries(self, item: Item) -> list[HistoryEntry]:
        """The entries of an item, oldest first."""
        found: list[HistoryEntry] = []
        used: set[object] = set()
        taken: Item | None = None
        for original, change in self.trace.versions(item):
            state = CURRENT if not found else INPUT if original in used or taken in used else OVERRIDDEN
            key = self._key_of(original)
            if change is None:
                entry = HistoryEntry("written", original.source, original.line, original.value, has_value=True, key=key)
            else:
                origins = self.origins(change.because, {original}, 0, (change.source, change.line, original.value))
                entry = HistoryEntry(
                    change.action, change.source, change.line, original.value, has_value=True, key=key, origins=origins
                )
                used = {one for one in change.because if not isinstance(one, Contributor)}
                taken = change.was
            entry.state = state
            found.append(entry)
        found.reverse()
        return found

    def origins(
        self,
        because: Iterable[Origin],
        seen: set[object],
        depth: int,
        same: tuple[Source | None, int, Value] | None = None,
    ) -> list[HistoryEntry]:
        """Entries for the origins of a value. Entries equal to the parent entry (`same`) are replaced by their origins."""
        out: list[HistoryEntry] = []
        todo: list[Origin] = [*because]
        todo.reverse()
        while todo:
            origin = todo.pop()
            if origin in seen:
                continue
            seen.add(origin)
            if isinstance(origin, Contributor):
                where = (origin.action, origin.source, origin.line)
                passed = same is not None and same[:2] == where[1:]
                if not origin.action or passed or where in seen or depth >= _DEEPEST:
                    # A line that a loop executes repeatedly is listed once.
                    if depth >= _DEEPEST and where not in seen:
                        seen.add(where)
                        out.append(HistoryEntry(*where))
                    todo.extend(reversed(origin.because))
                    continue
                seen.add(where)
                below = self.origins(origin.because, seen, depth + 1)
                out.append(
                    HistoryEntry(*where, origins=below, structural=origin.structural or origin.action == "overlay")
                )
            elif isinstance(origin, COLLECTION_TYPES):
                inner = [item for item in walk(origin) if type(item.value) is not Map and type(item.value) is not Array]
                todo.extend(reversed(inner))
            else:
                out += self.item(origin, seen, depth, same)
        return distinct(out)

    def item(
        self, item: Item, seen: set[object], depth: int, same: tuple[Source | None, int, Value] | None
    ) -> list[HistoryEntry]:
        trace = self.trace
        original = trace.original(item)
        seen.add(original)
        change = trace.changes.get(original)
        nested = type(original.value) is Map or type(original.value) is Array
        key = self._key_of(original)
        if change is None:
            presence = self.origins(trace.presence.get(original, ()), seen, depth + 1)
            if same is not None and same[:2] == (original.source, original.line):
                return presence
            return [
                HistoryEntry(
                    "written",
                    original.source,
                    original.line,
                    original.value,
                    has_value=not nested,
                    key=key,
                    origins=presence,
                    structural=nested,
                )
            ]
        where = (change.source, change.line, original.value)
        below = self.origins((*change.because, *trace.presence.get(original, ())), seen, depth + 1, where)
        if same is not None and same[:2] == where[:2]:
            return below
        entry = HistoryEntry(
            change.action,
            change.source,
            change.line,
            original.value,
            has_value=not nested,
            key=key,
            origins=below,
            structural=nested,
        )
        # A value inserted by a program has the position of the program.
        out = below if change.source is None and below else [entry]
        # Values that a data value overrides belong to the histories of the values computed from it.
        lost = trace.before(original)
        while lost is not None and lost not in seen and not nested:
            seen.add(lost)
            old = trace.original(lost)
            known = trace.changes.get(old)
            action = "written" if known is None else known.action
            source, line = (old.source, old.line) if known is None else (known.source, known.line)
            if type(old.value) is not Map and type(old.value) is not Array:
                state = INPUT if known is not None and old in change.because else OVERRIDDEN
                key = self._key_of(old)
                out.insert(0, HistoryEntry(action, source, line, old.value, has_value=True, key=key, state=state))
            lost = trace.before(old)
        return out

    def presence(self, item: Item) -> list[HistoryEntry]:
        """The position of an ancestor of a value, and the entries that decided its existence."""
        original = self.trace.original(item)
        change = self.trace.changes.get(original)
        because = () if change is None or change.action == "layered" else change.because
        seen: set[object] = {original}
        there: list[Origin] = []
        one: Item | None = item
        for _ in range(_LONGEST):
            if one is None:
                break
            there += self.trace.presence.get(one, ())
            one = self.trace.copies.get(one)
        entries = self.origins((*because, *there), seen, 0)
        source, line = (original.source, original.line) if change is None else (change.source, change.line)
        if source is None:
            return entries
        key = self._key_of(original)
        return [HistoryEntry("enclosing", source, line, key=key, origins=entries, structural=True)]

    def parentage(self, node_path: NodePath) -> list[HistoryEntry]:
        """The entries that select the parent, for a value that a document inherits."""
        item: Item | None = node_path.document
        while item is not None and item not in self.trace.lineage:
            item = self.trace.copies.get(item)
        if item is None or not node_path.way:
            return []
        own, because = self.trace.lineage[item]
        data = any(type(one) is MapItem and one.key == "data" for one in node_path.way[:1])
        original = self.trace.original(node_path.item)
        change = self.trace.changes.get(original)
        # A substitution replaces any old value, unless it fills a string. An action inserts the document's value.
        given = change is not None and (
            change.action.startswith("layering ")
            or (change.action == "substitution" and change.was not in change.because)
        )
        if not data or given or id(original) in own:
            return []
        return self.origins(because, set(), 0)

    def only_presence(self, item: Item) -> list[HistoryEntry]:
        found = (*self.trace.presence.get(item, ()), *self.trace.presence.get(self.trace.original(item), ()))
        return self.origins(found, set(), 0)


def distinct(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """The entries without duplicates, whose origins are added to the first one."""
    out: dict[tuple[object, ...], HistoryEntry] = {}
    for entry in entries:
        key = (entry.action, entry.source, entry.line, str(entry.key), entry.state)
        known = out.get(key)
        if known is None:
            out[key] = entry
        elif entry.origins and entry is not known:
            out[key] = known.with_origins(distinct([*known.origins, *entry.origins]))
    return list(out.values())


def _files_of(entries: Iterable[HistoryEntry]) -> frozenset[str]:
    return frozenset(one.source.shown for one in flat(entries) if one.source is not None)


def flat(entries: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    """The entries with all their descendants."""
    stack = [*entries]
    while stack:
        entry = stack.pop()
        yield entry
        stack.extend(entry.origins)


def lines(history: History, *, structure: bool = False) -> set[tuple[str, int]]:
    """The lines (file, line) that contribute to a value, without overridden ones.

    structure: include lines that only decide that the value exists, such as the key of the enclosing map.
    """
    return _lines_of([*history.standing(), *history.presence], structure=structure)


def _lines_of(entries: Iterable[HistoryEntry], *, structure: bool) -> set[tuple[str, int]]:
    return {
        (entry.source.shown, entry.line)
        for entry in _contributing(entries)
        if entry.source is not None and (structure or not entry.structural)
    }


def _contributing(entries: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    stack = [*entries]
    while stack:
        entry = stack.pop()
        if entry.state != OVERRIDDEN:
            yield entry
            stack.extend(entry.origins)
