"""Secret marks: they decide which values of an evaluation may be shown.

An evaluation with secrets has `Marks`, as `Context.secrets` and as `Trace.marks`; otherwise both are None. The mark of
a value is not stored with it: a value is secret if a walk through its recorded origins (see `plait.tree.provenance`)
reaches a line that a source of secrets declared with `Trace.hide`, `hide_item` or `hide_lines`. Conditions are origins
of what they decide, so a value selected by a secret is secret, too.

A message, a report or a stored file shows a value only if `is_secret` is False for its origins. A value with unknown
origins is withheld.
"""

from __future__ import annotations

from operator import is_

from plait.base.errors import Finding
from plait.base.source import HIDDEN, Position, Source
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, is_empty, walk
from plait.tree.provenance import EVERY, Contributor, Control

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from plait.base.errors import PlaitError, Warning
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance import Origin, Trace

    Error = TypeVar("Error", bound=PlaitError)
    AnyItem = TypeVar("AnyItem", bound=Item)

# The text shown for a withheld error, warning or finding.
WITHHELD = "message withheld: it depends on a secret"
_HINT = "--quote-values shows it"


class Marks:
    """The secret marks of one evaluation.

    shows_all: nothing is withheld, because the user requested cleartext (`--quote-values`).
    unknown: the origin of values that cannot be traced; counts as a secret.
    printing: programs that print, except those that run only because of a secret.
    decides: a secret has decided something.
    shaped: templates in which a secret decides which nodes exist.
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
        self._whole: set[int] = {id(self.unknown.source)}  # identities of sources, which the trace keeps alive
        self._lines: dict[int, list[tuple[int, int]]] = {}
        self._counted = 0  # number of entries of trace.secrets that are in the two tables above
        self._version = 0  # number of stages; results are cached for one stage, in which items do not change

    def is_secret(self, *origins: Origin) -> bool:
        """True if a value with these origins depends on a secret."""
        self._update()
        return self._all or any(map(self._reaches, origins))

    def is_secret_line(self, source: Source | None, line: int) -> bool:
        """True if a line of a source is itself secret."""
        self._update()
        return self._is_hidden(source, line)

    def is_decided_item(self, item: Item) -> bool:
        """True if a secret decides that an item exists."""
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
        """True if a secret may decide which items the output has, and so the positions of all others. The result does
        not depend on the secret.
        """
        return (self._all or self.decides) and not self.shows_all

    def visible(self, documents: Sequence[Document]) -> list[Document]:
        """Documents without the items whose existence depends on a secret, for display.

        A collection selected by a secret counts as one value, so its shape reveals nothing. Documents are numbered
        after this filter, because a number would reveal how many documents a secret put before.
        """
        if not self.decides_places:
            return [*documents]
        if self._all:
            return []
        there = self.trace.there
        found: list[Document] = []
        for old in documents:
            if self._leads_to(there, old) or self._is_chosen(old):
                continue  # a document that a secret chose may be empty, and so not there
            one = self._seen(old)
            # A document that would be empty without its secret-dependent items is omitted, too.
            if one is old or not is_empty(one.value):
                found.append(one)
        return found

    def visible_texts(self, texts: Mapping[str, Array]) -> dict[str, Array]:
        """The lines of text files that do not depend on secrets."""
        if not self.decides_places:
            return {**texts}
        return {
            name: lines.with_items([] if self._all else [one for one in lines.items if not self.is_decided_item(one)])
            for name, lines in texts.items()
        }

    def may_drop(self, documents: Iterable[Document]) -> None:
        """Records that documents with a value made of a secret may be dropped, since it may be null or empty."""
        if not self.trace.secrets or self.shows_all:
            return
        for one in documents:
            change = self.trace.changes.get(self.trace.original(one))
            if change is not None and self.is_secret(*change.because):
                self.control("document", one.source, one.line, change.because)
                self.trace.there.add(one)
                self.shaped.add(one.source)

    def _seen(self, item: AnyItem) -> AnyItem:
        value = item.value
        if type(value) is not Map and type(value) is not Array:
            return item
        there = self.trace.there
        items = [self._seen(one) for one in value.items if not self._leads_to(there, one)]
        seen: Value = HIDDEN
        if not self._is_chosen(item):
            if len(items) == len(value.items) and all(map(is_, items, value.items)):
                return item
            seen = value.with_items(items)  # type: ignore[arg-type]
        made: AnyItem = item.with_value(seen)  # type: ignore[assignment]
        self.trace.copied(made, item)
        return made

    def is_there_by_secret(self, item: Item) -> bool:
        """True if a secret decides that an item exists, whatever its value."""
        return not self.shows_all and self._leads_to(self.trace.there, item)

    def _leads_to(self, known: set[Item], item: Item) -> bool:
        """True if an item, or an item that it replaced, is in `known`."""
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
        """True if a secret selected the value of an item."""
        if self._leads_to(self.trace.chosen, item):
            return True
        change = self.trace.changes.get(self.trace.original(item))
        return change is not None and self.has_control(*(one for one in change.because if isinstance(one, Contributor)))

    def is_secret_place(self, *way: Item) -> bool:
        """True if the last of these items has a secret value, or the existence of any of them depends on a secret."""
        return any(map(self.is_decided_item, way)) or self.is_secret(*way[-1:])

    @property
    def withholds(self) -> bool:
        """True if printed lines may have been withheld. The result does not depend on the secret."""
        return self.decides and bool(self.printing)

    def begins(self, program: Source | None) -> None:
        """Records the start of a program that prints."""
        if not self.is_decided():
            self.printing.add(program)

    def control(self, action: str, source: Source | None, line: int, because: Iterable[Origin] = ()) -> Control:
        """The control for a decision that depends on a secret. because: its origins, if known."""
        if not self.is_decided():
            self.decides = True
        return Control(action, source, line, tuple(because) or (self.unknown,))

    def hide_all(self) -> None:
        """Declares everything secret, because the effect of a secret can no longer be traced."""
        self._all = True

    def forget(self) -> None:
        """Clears cached results about items whose records have changed."""
        self.known.clear()

    def has_control(self, *origins: Origin) -> bool:
        """True if a secret-dependent condition contributed to a value."""
        return self.control_of(*origins) is not None

    def control_of(self, *origins: Origin) -> Contributor | None:
        """The nearest secret-dependent condition that contributed to a value; `unknown` if its position is unknown;
        else None.
        """
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
        """True if the value of an item, or any value inside it, is secret."""
        return self.is_secret(item) or any(map(self.is_secret, walk(item.value)))

    @property
    def may_have_keys(self) -> bool:
        """False if no key is secret: none was computed."""
        return self._all or bool(self.trace.keys)

    def secret_keys(self, parent: Map) -> dict[MapItem, str]:
        """The items of a map with secret keys, and the text shown instead of the key: `(secret)`, `(secret 2)`."""
        found = [item for item in parent.items if self.has_secret_key(item)] if self.may_have_keys else []
        return {
            item: HIDDEN if number == 1 else f"{HIDDEN[:-1]} {number})" for number, item in enumerate(found, start=1)
        }

    def rekeyed(self, parent: Map, values: Iterable[Value]) -> Map:
        """A map with other values, and without its secret keys."""
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
        """True if the key of an item was computed from a secret. Keys in files, including secret sources, are not
        secret.
        """
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
        """A collection with HIDDEN in place of secret values, and without items whose existence depends on a secret. A
        scalar is returned unchanged.
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
        """True if a message with these origins is withheld: one of them is secret, or the origins are unknown."""
        return not self.shows_all and (origins is None or self.is_secret(*origins))  # type: ignore[arg-type]

    def told(self, error: Error) -> Error:
        """The redacted error: complete if it does not depend on a secret, else only its kind and position.

        The position is the line. Under a secret-dependent condition it is that of the outermost such condition, because
        the line reached would reveal the secret.
        """
        if self.depends(None if error.quotes_output else error.origins):
            error.message = error.reference = WITHHELD
            error.subject = error.detail = ""
            error.focus, error.listed = None, ()
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
            # Name and path of a document are output values, and the error does not have their origins.
            error.document = None
        if error.findings:
            findings = [one for one in error.findings if not self.depends(one.origins)]
            if len(findings) < len(error.findings) or (error.judged and self.depends(error.judged)):
                # judged: everything that was checked. The same is said if nothing is withheld, because that depends on
                # the secret.
                error.hint = error.hint or _HINT
                findings.append(Finding("findings that depend on a secret are withheld", code="withheld-findings"))
            error.findings = findings
        error.origins = ()
        return error

    def warned(self, text: Warning, origins: Iterable[Origin] | None) -> Warning | None:
        """The redacted warning; None if its text or its existence depends on a secret."""
        if self.is_decided() and not self.shows_all:
            return None
        return None if self.depends(origins) else text

    def is_decided(self) -> bool:
        """True if a secret decides that the current program runs."""
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

        Depth first with an explicit stack, because chains of origins may be as long as loops of a program.
        """
        known = self.known
        if start in known:
            return known[start]
        found = self._is_source(start)
        first = () if found else self._next(start)
        if not first:
            known[start] = found
            return found
        seen: set[Origin] = {start}
        path: list[tuple[Origin, Iterator[Origin]]] = [(start, iter(first))]
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
    """The position without its text, which may be a line of a string that a program read."""
    if at is None or at.source is None:
        return at
    blank = Source(at.source.name, "", _NO_LINE)
    blank.shown = at.source.shown
    return Position(blank, at.line)
