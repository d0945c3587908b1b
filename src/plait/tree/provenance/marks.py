"""The marks of secrets: the one decision of which values of a run may be shown to a person.

A run that uses secrets has `Marks`, as `Context.secrets` and as `Trace.marks`; other runs have None in both places. The
mark of a value is not stored with it. A value is secret if a walk through its recorded origins (see `plait.tree.provenance`)
reaches a line that a source of secrets declared with `Trace.hide`, `hide_item` or `hide_lines`. Conditions are origins of
what they decide, so a value that was chosen by a secret is secret as well.

A message, a report or a stored file shows a value only if `is_secret` answers False for its origins. Without origins
nothing is known of a value, and it is withheld.
"""

from __future__ import annotations

from operator import is_

from plait.base.errors import HIDDEN, Finding
from plait.base.source import Position, Source
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, is_empty, walk
from plait.tree.provenance import EVERY, Contributor, Control

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from plait.base.errors import PlaitError
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance import Origin, Trace

    Error = TypeVar("Error", bound=PlaitError)
    AnyItem = TypeVar("AnyItem", bound=Item)

# The text of an error, a warning or a finding that is withheld.
WITHHELD = "message withheld: it depends on a secret"
_HINT = "--quote-values shows it"


class Marks:
    """The secret marks of one run.

    shows_all: nothing is withheld, because the user asked for cleartext (`--quote-values`). unknown: the origin of what
    cannot be followed, which counts as a secret. printing: the programs that
    print, but for those that run only because a secret decided so. decides: a secret decided something. shaped: the
    templates in which a secret decides which nodes there are.
    """

    __slots__ = (
        "_all",
        "_counted",
        "_lines",
        "_version",
        "_whole",
        "decides",
        "known",
        "printing",
        "shaped",
        "shows_all",
        "trace",
        "unknown",
    )

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.shows_all = False
        self.printing: set[Source | None] = set()
        self.decides = False
        self.shaped: set[Source | None] = set()
        self.unknown = Contributor("unknown", Source(""), 0)
        self._all = False
        self.known: dict[Origin, bool] = {}
        self._whole: set[int] = {id(self.unknown.source)}  # identities of sources, which the trace holds
        self._lines: dict[int, list[tuple[int, int]]] = {}
        self._counted = 0  # entries of trace.secrets that are in the two tables above
        self._version = (
            0  # stages of the run: answers are kept for one, in which items that are asked about stay the same
        )

    def is_secret(self, *origins: Origin) -> bool:
        """True if a value that was made of these origins depends on a secret."""
        self._update()
        return self._all or any(map(self._reaches, origins))

    def is_secret_line(self, source: Source | None, line: int) -> bool:
        """True if a line of a source is itself secret."""
        self._update()
        return self._is_hidden(source, line)

    def is_decided_item(self, item: Item) -> bool:
        """True if a secret decides whether an item is there at all."""
        presence, copies = self.trace.presence, self.trace.copies
        one: Item | None = item
        for _ in range(_LONGEST):
            if one is None:
                return False
            found = presence.get(one)
            if found and self.is_secret(*found):
                return True
            change = self.trace.changes.get(one)
            if change is not None and any(type(origin) is Control for origin in change.because):
                return True
            one = copies.get(one)
        return True

    @property
    def decides_places(self) -> bool:
        """True if a secret may decide what is in the output, and with it where the rest stands. The same whether it
        put anything there.
        """
        return (self._all or self.decides) and not self.shows_all

    def visible(self, documents: Sequence[Document]) -> list[Document]:
        """Documents without what a secret decides to be there, as they are for whoever is not to see it.

        A map or list is one value if a secret decided which one it is: so its shape tells nothing. Documents are
        counted as they are here, since the number of one tells how many a secret put before it.
        """
        if not self.decides_places:
            return [*documents]
        if self._all:
            return []
        there = self.trace.there
        found: list[Document] = []
        for old in documents:
            if self._leads_to(there, old):
                continue
            one = self._seen(old)
            # A document of which nothing is left would not have been there without what is left out.
            if one is old or not is_empty(one.value):
                found.append(one)
        return found

    def visible_texts(self, texts: Mapping[str, Array]) -> dict[str, Array]:
        """The lines of text files that are there, and as they are, whatever the secrets are."""
        if not self.decides_places:
            return {**texts}
        return {
            name: lines.with_items([] if self._all else [one for one in lines.items if not self.is_decided_item(one)])
            for name, lines in texts.items()
        }

    def _seen(self, item: AnyItem) -> AnyItem:
        value = item.value
        if type(value) is not Map and type(value) is not Array:
            return item
        there = self.trace.there
        items = [self._seen(one) for one in value.items if not self._leads_to(there, one)]
        seen: Value = HIDDEN
        if not self._is_chosen(item) or (value.items and not items):
            if len(items) == len(value.items) and all(map(is_, items, value.items)):
                return item
            seen = value.with_items(items)  # type: ignore[arg-type]
        made: AnyItem = item.with_value(seen)  # type: ignore[assignment]
        self.trace.copied(made, item)
        return made

    def is_there_by_secret(self, item: Item) -> bool:
        """True if a secret decides whether an item is there at all, whatever it decides of its value."""
        return not self.shows_all and self._leads_to(self.trace.there, item)

    def _leads_to(self, known: set[Item], item: Item) -> bool:
        """True if an item, or one that stood in its place before, is one of some items."""
        todo = [item] if known else []
        seen = set(todo)
        for one in todo:
            if one in known:
                return True
            change = self.trace.changes.get(one)
            before = self.trace.copies.get(one), None if change is None else change.was
            todo += [other for other in before if other is not None and other not in seen]
            seen.update(todo)
        return False

    def _is_chosen(self, item: Item) -> bool:
        """True if a secret decided which value an item has."""
        if self._leads_to(self.trace.chosen, item):
            return True
        change = self.trace.changes.get(self.trace.original(item))
        return change is not None and self.has_control(*(one for one in change.because if isinstance(one, Contributor)))

    def is_secret_place(self, *way: Item) -> bool:
        """True if the value at the end of a way depends on a secret, or that any item of the way is there."""
        return any(map(self.is_decided_item, way)) or self.is_secret(way[-1])

    @property
    def withholds(self) -> bool:
        """True if lines of print may have been left out: the same whether any was, since that depends on the secret."""
        return self.decides and bool(self.printing)

    def begins(self, program: Source | None) -> None:
        """Say that a program which prints begins."""
        if not self.is_decided():
            self.printing.add(program)

    def control(self, action: str, source: Source | None, line: int, because: Iterable[Origin] = ()) -> Control:
        """A decision that depends on a secret. because: what it depends on, if that is known."""
        if not self.is_decided():
            self.decides = True
        return Control(action, source, line, tuple(because) or (self.unknown,))

    def hide_all(self) -> None:
        """Declare everything secret: what can depend on a secret is not known any more."""
        self._all = True

    def forget(self) -> None:
        """Forget answers about items whose records were changed."""
        self.known.clear()

    def has_control(self, *origins: Origin) -> bool:
        """True if a condition that depends on a secret had a part in a value: then so does the way it was made."""
        return self.control_of(*origins) is not None

    def control_of(self, *origins: Origin) -> Contributor | None:
        """The nearest condition that depends on a secret and had a part in a value; `unknown` for one that is not known."""
        todo: list[Origin] = [*origins]
        seen: set[Origin] = set(todo)
        while todo:
            origin = todo.pop()
            if type(origin) is Control:
                return origin
            if origin is self.unknown:
                return self.unknown
            for one in self._next(origin):
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return None

    def hides_lines(self, source: Source | None) -> bool:
        """True if any line of a source is secret."""
        self._update()
        return id(source) in self._whole or id(source) in self._lines

    def holds_secret(self, item: Item) -> bool:
        """True if the value of an item, or any value below it, is secret."""
        return self.is_secret(item) or any(map(self.is_secret, walk(item.value)))

    def secret_keys(self, parent: Map) -> dict[MapItem, str]:
        """The items of a map whose key is secret, with the text in the place of the key: `(secret)`, `(secret 2)`."""
        found = [item for item in parent.items if self.has_secret_key(item)]
        return {
            item: HIDDEN if number == 1 else f"{HIDDEN[:-1]} {number})" for number, item in enumerate(found, start=1)
        }

    def rekeyed(self, parent: Map, values: Iterable[Value]) -> Map:
        """A map with other values, and without the keys that are secret."""
        made = parent.with_values(values)
        keys = self.secret_keys(parent)
        if not keys:
            return made
        pairs = zip(parent.items, made.items, strict=True)
        return Map(
            [MapItem(keys[old], new.value, new.source, new.line) if old in keys else new for old, new in pairs],
            parent.source,
            parent.line,
        )

    def has_secret_key(self, item: MapItem) -> bool:
        """True if the key of an item was computed from a secret. Keys that files have, sources of secrets too, are not."""
        trace = self.trace
        todo: list[MapItem] = [item]
        seen: set[Item] = {item}
        while todo:
            one = todo.pop()
            made = trace.keys.get(one)
            if self._all or (made and self.is_secret(*made)):
                return not self.shows_all
            change = trace.changes.get(one)
            before = [trace.copies.get(one), *(() if change is None else (change.was, *change.because))]
            for other in before:
                if type(other) is MapItem and other not in seen and other.key == item.key:
                    seen.add(other)
                    todo.append(other)
        return False

    def has_secret_keys(self, parent: Map) -> bool:
        """True if the key of any item of a map was computed from a secret."""
        return bool(self.trace.keys) and any(map(self.has_secret_key, parent.items))

    def shown(self, value: Value, *origins: Origin) -> Value:
        """The value, or HIDDEN if it depends on a secret or has no origins."""
        if self.shows_all or (origins and not self.is_secret(*origins)):
            return value
        return HIDDEN

    def masked(self, value: Value) -> Value:
        """The map or list with HIDDEN in the place of each secret value in it, and without what a secret decides to be
        there; a scalar as it is.
        """
        if self.shows_all or not (type(value) is Map or type(value) is Array):
            return value
        if self.decides:
            there = self.trace.there
            value = value.with_items([self._seen(one) for one in value.items if not self._leads_to(there, one)])  # type: ignore[misc]
        shown = (self.shown(self.masked(item.value), item) for item in value.items)
        return self.rekeyed(value, shown) if type(value) is Map else value.with_values(shown)

    # ---- messages

    def depends(self, origins: Iterable[object] | None) -> bool:
        """True if a message with these origins is withheld: one of them is secret, or they are not known."""
        return not self.shows_all and (origins is None or self.is_secret(*origins))  # type: ignore[arg-type]

    def told(self, error: Error) -> Error:
        """The error as a person may see it: in full if it depends on no secret, else its kind and its place alone.

        The place is the line; under a condition that depends on a secret it is the outermost such condition, for which
        line is reached depends on the secret as well.
        """
        if self.depends(None if error.quotes_output else error.origins):
            error.message = WITHHELD
            error.args = (WITHHELD,)
            error.expected = error.found = error.document = None
            error.hint = _HINT
            error.code, error.word, error.suggestions = "", "", ()
            error.also, error.findings = [], []
            error.at = _line_only(error.at if error.decided_at is None else error.decided_at)
            error.stack = []
            error.origins = ()
            return error
        if not self.shows_all:
            # The name of a document, and the way in it, are values of the output whose origins an error does not have.
            error.document = None
        if error.findings:
            # How many findings depend on a secret, and which, would tell more than that there is one.
            findings = [one for one in error.findings if not self.depends(one.origins)]
            if len(findings) < len(error.findings):
                error.hint = error.hint or _HINT
                findings.append(
                    Finding("findings are withheld, since they depend on a secret", code="withheld-findings")
                )
            error.findings = findings
        error.origins = ()
        return error

    def warned(self, text: str, origins: Iterable[Origin] | None) -> str | None:
        """The warning as a person may see it; None if it depends on a secret, as does that there is one."""
        if self.is_decided() and not self.shows_all:
            return None
        return None if self.depends(origins) else text

    def is_decided(self) -> bool:
        """True if a secret decides that the program at hand runs."""
        return self.trace.code is not None and self.trace.code.is_decided()

    # ---- the walk

    def _update(self) -> None:
        trace = self.trace
        secrets = trace.secrets
        if len(trace.stages) != self._version:
            self._version = len(trace.stages)
            self.known.clear()
        if len(secrets) == self._counted:
            return
        for source, first, end in secrets[self._counted :]:
            if first <= 0 and end >= EVERY:
                self._whole.add(id(source))
            else:
                self._lines.setdefault(id(source), []).append((first, end))
        self._counted = len(secrets)
        self.known.clear()

    def _is_hidden(self, source: Source | None, line: int) -> bool:
        if id(source) in self._whole:
            return True
        ranges = self._lines.get(id(source))
        return ranges is not None and any(first <= line < end for first, end in ranges)

    def _reaches(self, start: Origin) -> bool:
        """True if a walk from an origin reaches a secret line.

        Depth first with an explicit stack, since chains of origins are as long as the loops of a program.
        """
        known = self.known
        if start in known:
            return known[start]
        seen: set[Origin] = {start}
        path: list[tuple[Origin, Iterator[Origin]]] = [(start, iter(self._next(start)))]
        found = self._is_source(start)
        while path and not found:
            for origin in path[-1][1]:
                if origin in seen:
                    continue
                answer = known.get(origin)
                if answer or (answer is None and self._is_source(origin)):
                    found = True
                    known[origin] = True
                    break
                seen.add(origin)
                if answer is None:
                    path.append((origin, iter(self._next(origin))))
                    break
            else:
                path.pop()
        if found:
            known.update((origin, True) for origin, _ in path)
            known[start] = True
        else:
            known.update(dict.fromkeys(seen, False))
        return found

    def _is_source(self, origin: Origin) -> bool:
        if isinstance(origin, Map | Array | DocumentSet):
            return False
        if type(origin) is Control:
            return True
        if self._is_hidden(origin.source, origin.line):
            return True
        change = None if isinstance(origin, Contributor) else self.trace.changes.get(origin)
        return change is not None and self._is_hidden(change.source, change.line)

    def _next(self, origin: Origin) -> Iterable[Origin]:
        if isinstance(origin, Map | Array | DocumentSet):
            return [item for item in walk(origin) if type(item.value) is not Map and type(item.value) is not Array]
        if isinstance(origin, Contributor):
            return origin.because
        trace = self.trace
        out: list[Origin] = [*trace.presence.get(origin, ())]
        change = trace.changes.get(origin)
        if change is not None:
            out += change.because
            if change.was is not None:
                out.append(change.was)
        copied = trace.copies.get(origin)
        if copied is not None:
            out.append(copied)
        return out


_NO_LINE = 1 << 40
_LONGEST = 100_000  # items that are copies of each other


def _line_only(at: Position | None) -> Position | None:
    """The place without its text: that may be a line of a text that a program read."""
    if at is None or at.source is None:
        return at
    blank = Source(at.source.name, "", _NO_LINE)
    blank.shown = at.source.shown
    return Position(blank, at.line)


__all__ = ["WITHHELD", "Marks"]
