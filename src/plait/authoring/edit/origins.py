"""Finds the lines that define a value of the output, or the reason why there are none."""

from __future__ import annotations

import os

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.edit.edit_errors import COMPUTED, GIVEN, LINK, NO_FILE, SECRET, UNWRITABLE, EditError
from plait.authoring.edit.sites import Text, has_computed_key, is_same_key
from plait.authoring.edit.target import number_of
from plait.base.errors import ReadError
from plait.base.source import Position, Source
from plait.insight.explain import OVERRIDDEN, Explainer, HistoryEntry
from plait.insight.history_text import shown
from plait.insight.node_paths import NodePath, TextFileLine
from plait.ops.placeholders import is_whole
from plait.tree.nodes import Array, ArrayItem, Map, MapItem
from plait.yaml.lossless.nodes import Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plait.authoring.edit.sites import ItemSpan
    from plait.authoring.edit.target import Output
    from plait.insight.explain import History
    from plait.tree.nodes import Item, Value

# Maximum number of history entries that are searched.
_MOST = 200
# Maximum number of origins named in a message.
_MOST_TOLD = 6
# Actions whose values have the line of the code.
_BY_CODE = frozenset({"expression", "template"})


class Origin:
    """A position in a file that contains a value. path: the path of the file, absolute. entry: the entry of the
    history.
    """

    __slots__ = ("entry", "path", "site", "text")

    def __init__(self, path: str, text: Text, site: ItemSpan, entry: HistoryEntry) -> None:
        self.path = path
        self.text = text
        self.site = site
        self.entry = entry

    def __repr__(self) -> str:
        return f"<Origin {self.entry.place}>"


class OriginFiles:
    """The files that a run has read, as texts with their items.

    texts: replace files, by path. is_layered: the documents in them may inherit from each other.
    """

    def __init__(self, output: Output, texts: Mapping[str, bytes], *, is_layered: bool) -> None:
        self.is_layered = is_layered
        self._output = output
        self._texts = texts
        self._known: dict[str, Text | None] = {}

    def bytes_of(self, path: str) -> bytes | None:
        """The content of a file as the run read it, or None."""
        found = self._texts.get(path)
        return self._output.view.files.get(path) if found is None else found

    def paths(self) -> list[str]:
        """The files that were read."""
        return [path for path, data in self._output.view.files.items() if data is not None]

    def text(self, path: str) -> Text | None:
        """A file as text; None if it was not read or is not YAML."""
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> Text | None:
        data = self.bytes_of(path)
        if data is None:
            return None
        try:
            return Text(decoded(data))
        except ReadError:
            return None


def decoded(data: bytes) -> str:
    """Decodes the text of a file, so that `encoded` restores the same bytes. Raises ReadError for UTF-16."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ReadError("files in UTF-16 cannot be edited", code="edit-target")
    return data.decode("utf-8", "surrogateescape")


def history_of(output: Output, node_path: NodePath) -> History:
    """The history of a value. Raises EditError for a secret and for a line of a text file."""
    assert output.trace is not None
    if type(node_path) is TextFileLine:
        at = node_path.item.position
        raise EditError(COMPUTED, "lines of text files cannot be edited; edit the template", path=str(node_path), at=at)
    explainer = Explainer(output.trace)
    history = explainer.history(node_path)
    if history.secret or explainer.is_secret(node_path.item):
        raise EditError(
            SECRET,
            f"{node_path} is a secret",
            path=str(node_path),
            hint="edit the file yourself: plait does not write secrets",
        )
    return history


def origins(history: History, files: OriginFiles) -> list[Origin]:
    """The positions that may define a value, the most likely first, then the nearest to the output.

    Positions with the value under its own key come first, then other values on the lines of the history: an entry may
    cover several values of its line, and the key of an item may have been computed.
    """
    value = history.place.value
    ranks: tuple[list[Origin], ...] = ([], [], [], [])
    for entry, item, is_equal in _written(history):
        path = path_of(entry.source)
        text = None if path is None else files.text(path)
        if path is None or text is None:
            continue
        for site in text.on_line(entry.line):
            holds = text.holds(site, value)
            # A placeholder without a value is itself the value.
            if text.is_computed(site) and not holds:
                continue
            if holds:
                rank = 0 if is_equal and is_same_key(site, item) else 1
            elif is_equal and type(item) is MapItem and _can_contain(site, value):
                if is_same_key(site, item):
                    rank = 2  # the dialect reads the scalar differently
                elif has_computed_key(site):
                    rank = 3
                else:
                    continue
            else:
                continue
            ranks[rank].append(Origin(path, text, site, entry))
    for one in _in_documents(history, files):
        # If equal values are on one line, the one at the position in the document comes first.
        if any(other.site is one.site for other in ranks[0]):
            ranks[0].insert(0, one)
        else:
            ranks[-1].append(one)
    return [*{one.site: one for rank in reversed(ranks) for one in reversed(rank)}.values()][::-1]


def standing(history: History, files: OriginFiles) -> Iterator[Origin]:
    """Yields the positions of the item, newest entry first, including positions of expressions."""
    item = history.place.item
    for entry in reversed(history.entries):
        path = path_of(entry.source)
        text = None if path is None else files.text(path)
        if path is None or text is None:
            continue
        found = [site for site in text.on_line(entry.line) if is_same_key(site, item) or has_computed_key(site)]
        for site in sorted(found, key=lambda site: (site.line != entry.line, not text.holds(site, entry.value))):
            yield Origin(path, text, site, entry)


def _in_documents(history: History, files: OriginFiles) -> Iterator[Origin]:
    """The positions of the value at the same path in the documents read, its own document first. Needed because a child
    that sets the same value as its parent has no record.
    """
    place = history.place
    steps: list[Value | Item] = []
    around = place.document.value
    for item in place.way:
        steps.append(number_of(around, item) if type(around) is Array else item)
        around = item.value
    own = path_of(place.document.source)
    for path in dict.fromkeys([*([] if own is None else [own]), *(files.paths() if files.is_layered else ())]):
        text = files.text(path)
        if text is None:
            continue
        first = place.document.line if path == own else 0
        roots = [root for root in text.roots if text.line_of(root.start) >= first]
        for root in [*roots, *(one for one in text.roots if one not in roots)] if files.is_layered else roots[:1]:
            site = text.along(root, steps)
            if site is not None and not text.is_computed(site) and text.holds(site, place.value):
                source = Source(os.path.relpath(path))
                yield Origin(path, text, site, HistoryEntry("written", source, site.line, place.value, has_value=True))


def _can_contain(site: ItemSpan, value: Value) -> bool:
    return isinstance(site.value, Collection) is isinstance(value, (Map, Array))


def _written(history: History) -> Iterator[tuple[HistoryEntry, Item | None, bool]]:
    """The entries that contributed to a value, breadth first. With each: the item, or its key, for the search in the
    file; True if the entry has the value itself.
    """
    place = history.place
    queue = [history.entries[-1]]
    for number, entry in enumerate(queue):  # the list grows during the iteration
        if number >= _MOST:
            return
        if number == 0:
            yield entry, place.item if type(place.item) in (MapItem, ArrayItem) else None, True
        item = None if entry.key is None else MapItem(entry.key, None)
        yield entry, item, entry.has_value and _equal(entry.value, place.value)
        queue += [one for one in entry.origins if one.state != OVERRIDDEN]


def _equal(left: Value, right: Value) -> bool:
    if type(left) is Map or type(left) is Array:
        return left is right
    return type(left) is type(right) and repr(left) == repr(right)


def why_not(history: History, files: OriginFiles) -> EditError:
    """The error with the reason why a value cannot be edited."""
    place, last = history.place, history.entries[-1]
    path = str(place)
    is_made = last.action in _BY_CODE or any(one.state != OVERRIDDEN for one in last.origins)
    if _is_variable(history) and len(last.origins) == 1 and _is_named_input(last.origins[0]):
        return _input_error(path, last.origins[0])
    for entry, _, is_equal in _written(history):
        if entry.source is None or not is_equal or (entry is last and is_made):
            continue
        if _is_named_input(entry):
            return _input_error(path, entry)
        where = path_of(entry.source)
        if where is None or files.bytes_of(where) is None:
            return EditError(NO_FILE, f"{path} has no source in a file", path=path, found=entry.place)
    at = None if last.source is None else Position(last.source, last.line)
    where = path_of(last.source)
    text = None if where is None else files.text(where)
    if not is_made and (text is None or not any(text.is_computed(site) for site in text.on_line(last.line))):
        return EditError(UNWRITABLE, f"{path} cannot be edited at its source", path=path, at=at)
    parts = [*dict.fromkeys(_entry_text(one) for one in last.origins if one.state != OVERRIDDEN)]
    made = ", ".join([*parts[:_MOST_TOLD], *(["..."] if len(parts) > _MOST_TOLD else [])])
    return EditError(
        COMPUTED,
        f"{path} is computed: {last.action}",
        path=path,
        at=at,
        found=f"made of {made}" if made else None,
    )


def _is_variable(history: History) -> bool:
    """True if the last change of a value filled a placeholder that was the whole string."""
    *before, last = history.entries
    text = before[-1].value if before else None
    return last.action == "variable" and type(text) is str and is_whole(text)


def _is_named_input(entry: HistoryEntry) -> bool:
    """True if an entry is a flag or an environment variable. Values inside a flag's value have no name."""
    return entry.source is not None and (not entry.source.name or bool(entry.source.flag))


def _input_error(path: str, entry: HistoryEntry) -> EditError:
    return EditError(
        GIVEN,
        f"{path} is set on the command line",
        path=path,
        found=entry.place or None,
        hint="change the value there, or remove it and edit the file from which the value then comes",
    )


def _entry_text(entry: HistoryEntry) -> str:
    value = f" ({shown(entry.value)})" if entry.has_value and not isinstance(entry.value, (Map, Array)) else ""
    return f"{entry.place}{value}"


def check_file(path: str, place: str) -> None:
    """Raises EditError for a file that must not be edited, such as a symbolic link, whose author would choose the
    target.
    """
    if os.path.islink(path):
        raise EditError(
            LINK,
            f"{os.path.relpath(path)} is a symbolic link",
            path=place,
            hint=f"edit the target of the link: {os.path.relpath(os.path.realpath(path))}",
        )
    if not os.path.isfile(path):
        raise EditError(NO_FILE, f"{os.path.relpath(path)} is not a file", path=place)
