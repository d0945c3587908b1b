"""Renders documents exactly as Deckhand does (docs/reference/layering.md).

Deckhand changes data in place. A map or list that is substituted without `deepcopy` is copied at its first level only,
so a later write into the destination also changes the source, and everything read from the source afterwards. `delete`
removes the first value that equals the one at its path. A path to missing data is split at its dots; patterns are
searched as strings, and their replacement is a template.

Data is changed in place only if that makes a difference: when a nested value is inserted at a second position, its
source and destination are copied, and owned by the evaluation from then on. Parts shared in such data are shared in its
copy. All other data is shared and never changed, as in plait's own rules. Aliases in a document are copies, as they are
once Deckhand has stored it.
"""

from __future__ import annotations

import re

from plait.base.numbers import number_of
from plait.layering.actions import merged, present
from plait.layering.data_paths import Below, DataPath, PathError, compile_path, destination_path, places_of
from plait.layering.dicts import (
    collections,
    contains_itself,
    equal,
    is_collection,
    put,
    shallow,
    truth,
    values,
    without_first,
)
from plait.layering.document import text_of
from plait.layering.failures import a_kind, failure
from plait.layering.path_edits import MISSING, NoMatch, find, find_all, item_at, selected, write
from plait.layering.strategy import LayeringStrategy
from plait.layering.substitution import compiled, depth_of, substituted, wants_text
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, key_id, kind_name, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import TypeVar

    from plait.layering.data_paths import Step
    from plait.layering.document import LayeredDocument, Substitution
    from plait.layering.shared_writes import SharedWrites
    from plait.layering.tracing import StepTracer
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace

    OneItem = TypeVar("OneItem", MapItem, ArrayItem)

_DOLLAR = DataPath("$", (), None)
"""The path `$` of an action, which finds the root and changes nothing."""


class DeckhandStrategy(LayeringStrategy):
    """Deckhand's rules for the same steps.

    origins: records each change of shared data, or None. With it, all data is changed in place. trace: records
    provenance. Changes in place are reported to the current step at once.
    """

    __slots__ = ("_in_place", "_origins", "_own", "_told", "_trace")
    shares_data = True

    def __init__(self, origins: SharedWrites | None = None, trace: Trace | None = None) -> None:
        self._origins = origins
        self._trace = trace
        self._told: StepTracer | None = None
        # The data of documents that may be changed in place, by identity.
        self._own: dict[int, Value] = {}
        # True if the current data of actions may be changed in place.
        self._in_place = False
        super().__init__({"merge": self.merge, "replace": self.replace, "delete": self.delete}, substituted)

    def action_path(self, text: str) -> DataPath:
        # Deckhand reads `.database` as `.base`.
        for prefix in (".data", "$.data"):
            if text.startswith(prefix):
                text = text[len(prefix) :]
                break
        if text == "$":
            return _DOLLAR
        return compile_path(text if text.startswith((".", "$.")) else "." + text)

    def initial_data(self, child: LayeredDocument, parent: LayeredDocument) -> Value:
        self._told = None
        if self._origins is not None:
            self._origins.read(None, None)
        self._in_place = self._origins is not None or self._owns(parent.data) or self._owns(child.data)
        return self._copy_of(parent.data) if self._in_place else parent.data

    def finished_data(self, data: Value) -> Value:
        if self._in_place:
            self._own[id(data)] = data
        return data

    def recording(self, told: StepTracer) -> None:
        self._told = told

    def before_step(self, document: LayeredDocument, item: ArrayItem | Map) -> None:
        if self._origins is not None:
            self._origins.begin(document, item)

    def merge(self, overall: Value, child: Value, path: DataPath) -> Value:
        if not self._in_place:
            value = present(child, path)
            existing = find(overall, path)
            if type(existing) is Map and type(value) is Map:
                value = merged(existing, value)
                if value is existing and path.plain:
                    return overall
            changed = _written(overall, path, value)
            if not isinstance(changed, NoMatch):
                return changed
            overall = self._from_here_in_place(overall)
        value = self._of_child(child, path)
        existing = find(overall, path)
        if type(existing) is Map and type(value) is Map:
            self._merge_into(existing, value)
            value = existing
        return self._replaced(overall, path, value)

    def replace(self, overall: Value, child: Value, path: DataPath) -> Value:
        if not self._in_place:
            changed = _written(overall, path, present(child, path))
            if not isinstance(changed, NoMatch):
                return changed
            overall = self._from_here_in_place(overall)
        return self._replaced(overall, path, self._of_child(child, path))

    def delete(self, overall: Value, _child: Value, path: DataPath) -> Value:
        if not path.steps and path is not _DOLLAR:
            return Map([], overall.source, overall.line) if type(overall) is Map else Map([])
        value = present(overall, path)
        if not self._in_place:
            return without_first(value, overall)
        around = self._delete_first(value, overall, None)
        if self._origins is not None and around is not None:
            left = item_at(overall, path)
            if left is not None:
                # The target of the path still exists.
                self._origins.changed(left)
                self._origins.changed(around)
        return overall

    def taken(self, source: LayeredDocument, entry: Substitution, value: Value) -> Value:
        self._told = None
        if not entry.deepcopy and not self._owns(source.data) and self._is_told(value):
            before, parent = source.data, source.parent
            data = source.data = self._taken_over(before)
            if parent is not None and parent.data is before:
                # The document replaces its parent, whose other children start with the same data.
                parent.data = data
            found = find(data, compile_path(entry.path or "")) if type(data) is Map else data
            assert not isinstance(found, NoMatch)  # the value existed in the original of this copy
            value = found
        if self._origins is not None:
            self._origins.read(source, entry)
        return value

    def substituted(
        self,
        document: LayeredDocument,  # noqa: ARG002
        data: Value,
        entry: Substitution,
        dest: Map,
        text: str,
        value: Value,
    ) -> Value:
        path = destination_path(text)
        value = self.copied(value, {}) if entry.deepcopy else shallow(value)
        if self._told is not None:
            self._told.inserted(value)
        if not self._owns(data):
            if not self._is_told(value):
                changed = self._put_aside(data, path, value, dest)
                if not isinstance(changed, NoMatch):
                    return changed
            data = self._copy_of(data)
        if self._origins is not None:
            self._origins.share(one for one in collections(value) if one is not value)
        result = self._substituted(shallow(data), path, value, dest)
        if type(data) is Map and type(result) is Map:
            for item in result.items:
                old = data.find(item.key)
                if old is not item:
                    put(data, item)
                    if self._told is not None:
                        self._told.became(item, old)
            result = data
        elif not truth(result):
            raise PathError(f'nothing is substituted at "{text}": the whole data would become {_empty(result)}')
        self._own[id(result)] = result
        return result

    def done(self, documents: Sequence[LayeredDocument]) -> None:
        for document in documents:
            if self._owns(document.data) and contains_itself(document.data):
                raise failure(
                    "UnknownSubstitutionError",
                    f"a map in the data of {document} contains itself",
                    at=document.data_position,
                    hint="a substitution inserts a map into itself: give it `deepcopy: true`",
                )

    def _owns(self, data: Value) -> bool:
        return id(data) in self._own

    def _taken_over(self, data: Value) -> Value:
        """A copy that may be changed in place."""
        copy = self._copy_of(data)
        self._own[id(copy)] = copy
        return copy

    def _from_here_in_place(self, data: Value) -> Value:
        self._in_place = True
        return self._copy_of(data)

    def _is_told(self, value: Value) -> bool:
        """True if sharing of the value can be observed. The first level of a collection is always copied, so only
        nested collections are shared.
        """
        if type(value) is not Map and type(value) is not Array:
            return False
        return self._origins is not None or any(is_collection(inner) for inner in values(value))

    def _put_aside(self, data: Value, path: DataPath, value: Value, dest: Map) -> Value | NoMatch:
        """The data with a value substituted, without changes in place; MISSING if that is not possible."""
        if self._origins is not None or not path.steps:
            return MISSING
        pattern = text_of(dest.find("pattern"))
        if not pattern:
            return _written(data, path, value)
        existing = find(data, path)
        if type(existing) is not str:
            return MISSING
        changed = _templated(pattern, str(to_plain(value)), existing)
        return data if changed == existing else _written(data, path, changed)

    def _copy_of(self, data: Value) -> Value:
        """A copy of a document's data, to be changed in place. Only in such data does sharing matter."""
        return self.copied(data, {} if self._owns(data) else None)

    def copied(self, value: Value, made: dict[int, Map | Array] | None) -> Value:
        """A copy. made: maps the identity of an original to its copy, to preserve sharing; None if nothing is shared."""
        if type(value) is not Map and type(value) is not Array:
            return value
        origins = self._origins
        copy = made.get(id(value)) if made is not None else None
        if copy is not None:
            if origins is not None:
                origins.share([copy])
            return copy
        if isinstance(value, Map):
            mapping = value.with_items([])
            if made is not None:
                made[id(value)] = mapping
            if origins is not None:
                origins.same(value, mapping)
            mapping.items += [self._own_item(item, made) for item in value.items]
            return mapping
        array = value.with_items([])
        if made is not None:
            made[id(value)] = array
        if origins is not None:
            origins.same(value, array)
        array.items += [self._own_item(item, made) for item in value.items]
        return array

    def _own_item(self, item: OneItem, made: dict[int, Map | Array] | None) -> OneItem:
        """An item of a copy: a new one for a collection, because it will be changed; others are shared."""
        inner = item.value
        if type(inner) is not Map and type(inner) is not Array:
            return item
        new = item.with_value(self.copied(inner, made))
        if self._origins is not None:
            self._origins.same(item, new)
        if self._told is not None:
            self._told.same(new, item)
        elif self._trace is not None:
            self._trace.copied(new, item)
        return new

    def _of_child(self, child: Value, path: DataPath) -> Value:
        return self.copied(present(child, path), {})

    def _merge_into(self, left: Map, right: Map) -> None:
        for item in right.items:
            old = left.find(item.key)
            if old is not None and type(old.value) is Map and type(item.value) is Map:
                self._merge_into(old.value, item.value)
            else:
                self._put(left, item)

    def _replaced(self, data: Value, path: DataPath, value: Value) -> Value:
        """The data with the value at every match of the path. A missing path is created."""
        if path is _DOLLAR:
            return data
        value = shallow(value)
        if find(data, path) is MISSING:
            self._expand(data, path)
        if find(data, path) is MISSING:
            raise PathError(f'nothing is at the path "{path.text}", and it cannot be created')
        return self._update(data, path, value)

    def _substituted(self, data: Value, path: DataPath, value: Value, dest: Map) -> Value:
        if find(data, path) is MISSING:
            self._expand(data, path)
        existing = find(data, path)
        if existing is MISSING:
            raise PathError(f'nothing is at the path "{path.text}", and it cannot be created')
        pattern = text_of(dest.find("pattern"))
        if not pattern:
            return self._update(data, path, value)
        new = str(to_plain(value))
        recurse = dest.find("recurse")
        depth = depth_of(recurse) if recurse is not None else None
        if depth is not None and (type(existing) is Map or type(existing) is Array):
            self._replace_within(existing, pattern, new, depth)
            return data
        if type(existing) is not str:
            raise wants_text(pattern, path, data, existing)
        changed = _templated(pattern, new, existing)
        return data if changed == existing else self._update(data, path, changed)

    def _replace_within(self, value: Map | Array, pattern: str, new: str, depth: int) -> None:
        if depth == 0:
            return
        items: list[MapItem | ArrayItem] = [*value.items]
        for place, item in enumerate(items):
            inner = item.value
            if type(inner) is Map or type(inner) is Array:
                self._replace_within(inner, pattern, new, depth - 1)
            elif type(inner) is str and pattern in inner:
                changed = _templated(pattern, new, inner)
                if changed == inner:
                    continue
                if type(value) is Map and type(item) is MapItem:
                    self._put(value, item.with_value(changed))
                elif type(value) is Array:
                    self._put_at(value, place, changed)

    def _update(self, data: Value, path: DataPath, value: Value) -> Value:
        """Sets the value at every match, in place. At the root, returns the value itself."""
        steps = path.steps
        if not steps:
            return value
        below = max((i for i, step in enumerate(steps) if type(step) is Below), default=-1)
        if below < 0:
            self._update_matches(data, path, steps, value)
            return data
        inside = set(map(id, collections(value)))
        stack = list(find_all(data, _part(path, steps[:below])))[::-1]
        while stack:
            here = stack.pop()
            if type(here) is not Map and type(here) is not Array:
                continue
            self._update_matches(here, path, steps[below + 1 :], value, inside)
            stack.extend(reversed(values(here)))
        return data

    def _update_matches(
        self, data: Value, path: DataPath, steps: tuple[Step, ...], value: Value, inside: Collection[int] = ()
    ) -> None:
        for match in list(find_all(data, _part(path, steps[:-1]))):
            if id(match) in inside and find(match, _part(path, steps[-1:])) is not MISSING:
                raise PathError(f'the path "{path.text}" matches inside the value that is written there')
            self._set(match, steps[-1], value)

    def _set(self, collection: Value, step: Step, value: Value) -> None:
        """Sets the value at one step. A list is assigned to indexes item by item."""
        if type(collection) is Map:
            for item in list(selected(collection, step)):
                if type(item) is MapItem:
                    self._put(collection, item.with_value(value))
        elif type(collection) is Array:
            for place in places_of(step, len(collection.items)):
                one = value
                if type(value) is Array:
                    if not value.items:
                        raise PathError("a list that is substituted at several indexes has too few items")
                    one = value.items.pop(0).value
                self._put_at(collection, place, one)

    def _put(self, target: Map, item: MapItem) -> None:
        old = put(target, item)
        if self._told is not None:
            self._told.became(item, old)
        if self._origins is not None:
            self._origins.wrote(target, item, old)

    def _put_at(self, target: Array, index: int, value: Value) -> None:
        old = target.items[index]
        item = target.items[index] = old.with_value(value)
        if self._told is not None:
            self._told.became(item, old)
        if self._origins is not None:
            self._origins.wrote(target, item, old)

    def _expand(self, data: Value, path: DataPath) -> None:
        """Creates the missing part of a path. Deckhand splits its text at every dot, quoted or not."""
        here = data
        for text in path.text.split(".")[1:]:
            if type(here) is not Map:
                raise PathError(f'the path "{path.text}" needs a map for "{text}", but there is {a_kind(here)}')
            name, index = _indexed(text)
            if index is not None:
                item = here.find(name)
                if item is None:
                    item = MapItem(name, Array([], here.source, here.line), here.source, here.line)
                    self._put(here, item)
                array = item.value
                if type(array) is not Array:
                    raise PathError(f'the path "{path.text}" needs a list at "{name}", but there is {a_kind(array)}')
                while len(array.items) <= index:
                    added = ArrayItem(Map([], array.source, array.line), array.source, array.line)
                    array.items.append(added)
                    if self._told is not None:
                        self._told.became(added, None)
                here = array.items[index].value
                continue
            if here.find(text) is None:
                text = text.strip("'").strip('"')
                if here.find(text) is None:
                    made = Map([], here.source, here.line)
                    self._put(here, MapItem(text, made, here.source, here.line))
            found = here.find(text)
            here = found.value if found is not None else None

    def _tell_removed(self, item: Item) -> None:
        if self._told is not None:
            self._told.removed(item)

    def _delete_first(self, expected: Value, value: Value, parent: Map | Array | None) -> Map | Array | None:
        """Removes the first value that equals the wanted one from its collection, searching depth first.

        Returns that collection. Removes nothing if the whole data is equal.
        """
        if equal(value, expected):
            if type(parent) is Map:
                item = next(item for item in parent.items if equal(item.value, value))
                del parent.index()[key_id(item.key)]
                parent.items.remove(item)
                self._tell_removed(item)
            elif type(parent) is Array:
                place = next(place for place, item in enumerate(parent.items) if equal(item.value, value))
                self._tell_removed(parent.items.pop(place))
            return parent
        if type(value) is Map or type(value) is Array:
            for inner in values(value):
                found = self._delete_first(expected, inner, value)
                if found is not None:
                    return found
        return None


def _written(data: Value, path: DataPath, value: Value) -> Value | NoMatch:
    """The data with a value at a path, without changes in place; MISSING if Deckhand interprets the path differently."""
    steps = path.steps
    if not steps:
        return MISSING if path is _DOLLAR else value
    if not path.plain or (type(steps[-1]) is int and type(value) is Array):
        return MISSING
    here = data
    for step in steps:
        if type(step) is int and type(here) is Array and -len(here.items) <= step < len(here.items):
            here = here.items[step].value
            continue
        if type(step) is not str or type(here) is not Map:
            return MISSING
        item = here.find(step)
        if item is None:
            # Missing parts are created from the text, which is split at its dots.
            if path.obstacle is None and path.text.split(".")[1:] == list(steps):
                break
            return MISSING
        here = item.value
    return write(data, path, value)


def _part(path: DataPath, steps: tuple[Step, ...]) -> DataPath:
    return DataPath(path.text, steps, path.obstacle)


def _empty(value: Value) -> str:
    return f"an empty {kind_name(value)}" if value == "" or is_collection(value) else kind_name(value)


def _indexed(text: str) -> tuple[str, int | None]:
    """A part of a path as a name and an index, as in `name[2]`, or a name and None."""
    name, bracket, rest = text.partition("[")
    digits = rest.partition("[")[0][:-1]
    number = number_of(digits)
    if bracket and number is not None and f"[{digits}]" in text:
        return name, number
    return text, None


def _templated(pattern: str, new: str, text: str) -> str:
    """The text with every occurrence of the pattern replaced. Backslashes in the new text are interpreted."""
    try:
        return compiled(pattern).expand(new, text)
    except (re.error, IndexError) as error:
        raise PathError(f"the inserted text is not a valid template: {error}") from None
