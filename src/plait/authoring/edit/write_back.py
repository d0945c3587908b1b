"""Writes an edited output back: every difference to its origin, verified by one more evaluation.

First every difference is written to its most likely origin, all at once. If that does not produce the edited output,
each half is tried, down to single differences. Edits that reduce the differences are kept.
"""

from __future__ import annotations

from itertools import islice

from plait.authoring.edit.edit_errors import ALSO, FAILS, OTHERWISE, UNWRITABLE, EditError
from plait.authoring.edit.origins import check_file, decoded, history_of, origins, standing, why_not
from plait.authoring.edit.setting import Edit, EditSession, joined, named
from plait.authoring.edit.target import changed_texts, differences
from plait.base.content import encoded
from plait.base.errors import LimitError, PlaitError
from plait.base.limits import current_budget
from plait.insight.diff import paired, printed
from plait.insight.explain import Explainer
from plait.insight.node_paths import NodePath
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, equal, is_filled
from plait.yaml.format_preserving import aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.authoring.edit.origins import Origin
    from plait.tree.nodes import Item, Value

    # Replacements in files: (start, end, text), by path.
    Pieces = Mapping[str, list[tuple[int, int, str]]]

# Maximum number of candidates tried for one difference.
_MOST_TRIES = 6
_MOST_ROUNDS = 4


class OutputDifference:
    """One difference to write back.

    place: the position of the changed or removed value; for an added item, the collection. value: the new value; None
    if it is removed. added: the new item. behind: the preceding item, or None.
    """

    __slots__ = ("added", "behind", "is_gone", "place", "value")

    def __init__(
        self,
        node_path: NodePath,
        value: Value = None,
        *,
        added: Item | None = None,
        behind: Item | None = None,
        is_gone: bool = False,
    ) -> None:
        self.place = node_path
        self.value = value
        self.added = added
        self.behind = behind
        self.is_gone = is_gone

    def __str__(self) -> str:
        if self.added is None:
            return str(self.place)
        if type(self.added) is MapItem:
            return str(self.place.at((*self.place.way, self.added)))
        return f"a new item of {self.place}"


def put_back(state: EditSession, expected: Sequence[Document]) -> tuple[Edit, list[EditError]]:
    """The edited files from which the run produces other documents, and the differences that could not be written back.

    expected: the documents that the run should produce. The order of documents matters, the order of keys does not.
    Raises PlaitError.
    """
    edits: list[Edit] = []
    for _ in range(_MOST_ROUNDS):
        edit, refused, left = _WriteBack(state, expected).done()
        edits.append(edit)
        if not left or not edit.files:
            break
        # Earlier edits may have blocked the remaining ones.
        state = EditSession(state.target, {**state.texts, **edit.texts})
    if left and not refused:
        refused = [EditError(OTHERWISE, f"{one} still has a different value", path=one) for one in left]
    return joined(edits), refused if left else []


class _WriteBack:
    def __init__(self, state: EditSession, expected: Sequence[Document]) -> None:
        self.state = state
        self.before = printed(state.output.documents)
        self.wanted = printed(expected)
        self.refused: list[EditError] = []
        assert state.output.trace is not None
        self.explainer = Explainer(state.output.trace)
        # The edits kept so far, their output, and the remaining differences.
        self.kept: list[Pieces] = []
        self.edit = Edit({}, state.output, state.output)
        self.left = self._remaining(state.output.documents)

    def done(self) -> tuple[Edit, list[EditError], list[str]]:
        """The edit, the rejected differences, and the remaining ones."""
        changes = [*self._changes()]
        if not changes:
            return self.edit, self.refused, self.left
        ways = [(change, self.candidates_for(change)) for change in changes]
        edit = self._at_once([found for _, found in ways])
        if edit is not None:
            return edit, [], []
        self._divided([(change, found) for change, found in ways if found])
        return self.edit, self.refused, self.left

    # -- differences -------------------------------------------------------------------------------------------------

    def _changes(self) -> Iterator[OutputDifference]:
        names = self.state.output.names
        numbers = {document: number for number, document in enumerate(self.state.output.documents)}
        if len(self.before) == len(self.wanted):
            pairs: Iterable[tuple[Document | None, Document | None]] = zip(self.before, self.wanted, strict=True)
        else:
            pairs = paired(self.before, self.wanted)
        for old, new in pairs:
            if old is None or new is None:
                shown = old or new
                assert shown is not None
                what = "is new" if old is None else "is gone"
                name = str(NodePath(shown, numbers.get(shown, len(self.before)), (), names=names))
                # A document that is gone has its place in the inputs, a new one in the edited output.
                message = f"{name} {what}: whole documents cannot be written back"
                such = f", such as {self.before[-1].source.shown}" if self.before and self.before[-1].source else ""
                hint = f"add it to a file of the run{such}" if old is None else "remove it from this file"
                at = shown.position if shown.source is not None else None
                self.refused.append(EditError(UNWRITABLE, message, path=name, at=at, hint=hint))
            elif not equal(old.value, new.value):
                yield from _between(NodePath(old, numbers[old], (), names=names), new.value)

    # -- candidate edits ---------------------------------------------------------------------------------------------

    def candidates_for(self, change: OutputDifference) -> list[Pieces]:
        """Candidate edits for a difference, the most likely first. Records the reason if there are none."""
        try:
            if change.added is not None:
                return [*self._additions(change)][:_MOST_TRIES]
            history = history_of(self.state.output, change.place)
            if change.is_gone:
                return [*self._removals(change)][:_MOST_TRIES]
            found = [
                self._pieces(origin, text)
                for origin in origins(history, self.state.files)
                for text in islice(origin.text.replaced(origin.site, change.value), _MOST_TRIES)
            ]
            if not found:
                raise why_not(history, self.state.files)
            return found[:_MOST_TRIES]
        except EditError as refused:
            refused.path = str(change)
            self.refused.append(refused)
            return []

    def _removals(self, change: OutputDifference) -> Iterator[Pieces]:
        """The edits that remove an item: at its position, and, if it existed before, at all its positions."""
        every: dict[str, list[tuple[int, int, str]]] = {}
        seen = False
        for origin in standing(history_of(self.state.output, change.place), self.state.files):
            text = origin.text.without(origin.site)
            if text is None:
                continue
            seen = True
            pieces = self._pieces(origin, text)
            yield pieces
            for path, found in pieces.items():
                every.setdefault(path, []).extend(found)
        if not seen:
            raise EditError(UNWRITABLE, f"{change} cannot be removed alone", path=str(change))
        yield every

    def _additions(self, change: OutputDifference) -> Iterator[Pieces]:
        """Candidates for an added item: after its predecessor in the output, or next to another item; otherwise the
        collection is rewritten.
        """
        place, added = change.place, change.added
        assert added is not None
        items: list[Item] = [] if not isinstance(place.value, (Map, Array)) else [*place.value.items]
        near = [] if change.behind is None else [change.behind]
        near += items[:1] if type(added) is ArrayItem and change.behind is None else [
            one for one in items if one not in near and type(added) is MapItem
        ]  # fmt: skip
        seen = False
        for item in near[:_MOST_TRIES]:
            # The value may be a secret, which is not changed.
            beside = place.at((*place.way, item))
            for origin in standing(self.explainer.history(beside), self.state.files):
                behind = origin.site.place if item is change.behind or type(added) is MapItem else -1
                text = origin.text.with_item(origin.site.around, behind, added)
                if text is not None:
                    seen = True
                    yield self._pieces(origin, text)
        if not items:
            collection = Map([added]) if type(added) is MapItem else Array([added])  # type: ignore[list-item]
            for origin in origins(history_of(self.state.output, place), self.state.files):
                for text in origin.text.replaced(origin.site, collection):
                    seen = True
                    yield self._pieces(origin, text)
        if not seen:
            raise EditError(UNWRITABLE, f"{change} cannot be added anywhere", path=str(change))

    def _pieces(self, origin: Origin, text: str) -> Pieces:
        if origin.path not in self.state.texts:
            check_file(origin.path, origin.entry.place)
        old = decoded(self.state.files.bytes_of(origin.path) or b"")
        start = _common(old, text)
        end = _common(old[start:][::-1], text[start:][::-1])
        return {origin.path: [(start, len(old) - end, text[start : len(text) - end])]}

    # -- trying ------------------------------------------------------------------------------------------------------

    def _at_once(self, ways: Sequence[list[Pieces]]) -> Edit | None:
        """Tries the most likely edits together. Returns None unless they produce the expected documents."""
        if self.refused or not all(ways):
            return None
        texts = self._texts([found[0] for found in ways])
        if texts is None:
            return None
        try:
            edit, left = self._evaluated(texts)
        except LimitError:
            raise
        except PlaitError:
            return None
        return None if left else edit

    def _divided(self, ways: Sequence[tuple[OutputDifference, list[Pieces]]]) -> None:
        """Keeps the most likely edits of some differences if they are right together; else tries each half."""
        if len(ways) == 1:
            self._alone(*ways[0])
        elif not ways or self._keeps([found[0] for _, found in ways], [change for change, _ in ways]) is None:
            return
        else:
            middle = len(ways) // 2
            self._divided(ways[:middle])
            self._divided(ways[middle:])

    def _alone(self, change: OutputDifference, found: Sequence[Pieces]) -> None:
        """Keeps the first edit that writes back only this difference, or records the reasons for rejecting all."""
        failed: EditError | None = None
        for pieces in found:
            refused = self._keeps([pieces], [change])
            if refused is None:
                return
            failed = failed or refused
        if failed is not None:
            self.refused.append(failed)

    def _keeps(self, pieces: Sequence[Pieces], changes: Sequence[OutputDifference]) -> EditError | None:
        """Keeps some edits if they reduce the differences by their number of changes. Otherwise returns the reason."""
        current_budget().check_time()
        change = changes[0]
        texts = self._texts([*self.kept, *pieces])
        if texts is None:
            return EditError(OTHERWISE, f"{change} and another change edit the same text", path=str(change))
        try:
            edit, left = self._evaluated(texts)
        except LimitError:
            raise
        except PlaitError as error:
            return EditError(FAILS, f"{change}: the run fails: {error.message}", path=str(change))
        more = [one for one in left if one not in self.left and not any(_is_moved(one, each) for each in changes)]
        if more or len(self.left) - len(left) < len(changes):
            return _why_worse(change, more)
        self.kept += pieces
        self.edit, self.left = edit, left
        return None

    def _evaluated(self, texts: Mapping[str, str]) -> tuple[Edit, list[str]]:
        """Evaluates edited texts. Returns the edit and the remaining differences. Raises PlaitError."""
        state = self.state
        new = {path: encoded(text) for path, text in texts.items()}
        output = state.target.evaluate({**state.texts, **new}, trace=state.output.uses_secrets)
        left = self._remaining(output.documents) + changed_texts(state.output, output)
        files = {path: (state.files.bytes_of(path), data) for path, data in new.items()}
        return Edit(files, state.output, output), left

    def _remaining(self, documents: Sequence[Document]) -> list[str]:
        hidden = self.state.output.without_secrets
        return [named(one) for one in differences(hidden(self.wanted), hidden(printed(documents)))]

    def _texts(self, pieces: Sequence[Pieces]) -> dict[str, str] | None:
        """The files with edits applied; None if the edits overlap."""
        by_path: dict[str, list[tuple[int, int, str]]] = {}
        for one in pieces:
            for path, found in one.items():
                by_path.setdefault(path, []).extend(piece for piece in found if piece not in by_path.get(path, ()))
        texts: dict[str, str] = {}
        for path, found in by_path.items():
            old = decoded(self.state.files.bytes_of(path) or b"")
            out: list[str] = []
            at = 0
            for start, end, new in sorted(found, key=lambda piece: piece[:2]):
                if start < at:
                    return None
                out += (old[at:start], new)
                at = end
            texts[path] = "".join([*out, old[at:]])
        return texts


def _between(node_path: NodePath, new: Value) -> Iterator[OutputDifference]:
    """The differences between a value of the output and the expected one, item by item."""
    pending: list[tuple[NodePath, Value]] = [(node_path, new)]
    while pending:
        here, wanted = pending.pop()
        old = here.value
        if equal(old, wanted):
            continue
        if type(old) is Map and type(wanted) is Map and is_filled(wanted):
            pairs: list[tuple[Item, Item]] = [
                (item, other) for item in old.items if (other := wanted.find(item.key)) is not None
            ]
            fresh: list[Item] = [item for item in wanted.items if old.find(item.key) is None]
        elif type(old) is Array and type(wanted) is Array and is_filled(wanted):
            pairs = [(old.items[a], wanted.items[b]) for a, b in aligned(old.items, wanted.items)]
            fresh = [item for item in wanted.items if all(item is not other for _, other in pairs)]
        else:
            yield OutputDifference(here, wanted)
            continue
        known = {other: item for item, other in pairs}
        kept = {item for item, _ in pairs}
        for item in fresh:
            items: Sequence[Item] = wanted.items
            number = next(number for number, one in enumerate(items) if one is item)
            behind = next((known[one] for one in reversed(items[:number]) if one in known), None)
            yield OutputDifference(here, added=item, behind=behind)
        for item in old.items:
            if item not in kept:
                yield OutputDifference(here.at((*here.way, item)), is_gone=True)
        pending += [(here.at((*here.way, item)), other.value) for item, other in reversed(pairs)]


def _is_moved(name: str, change: OutputDifference) -> bool:
    """True if a difference may be caused only by new indexes of an array's items."""
    way = change.place.way if change.added is not None else change.place.way[:-1]
    around = change.place.at(way)
    is_array = type(around.value) is Array
    return (
        is_array
        and (change.added is not None or change.is_gone)
        and f".{around.path}[" in f".{name.rpartition(':')[2]}"
    )


def _why_worse(change: OutputDifference, more: Sequence[str]) -> EditError:
    if more:
        return EditError(
            ALSO,
            f"the edit of {change} would change other values too: {', '.join(more[:6])}",
            path=str(change),
            changes=more,
        )
    return EditError(OTHERWISE, f"editing the source of {change} produces a different value", path=str(change))


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
