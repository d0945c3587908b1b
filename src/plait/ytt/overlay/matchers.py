"""Matchers select left items: those of `@ytt:overlay`, and functions of the user. See docs/reference/overlays.md.

A matcher is a Starlark value that can be called with (index or key, left, right), so that `and_op` and functions of the
user can combine matchers. Overlays use its `select` instead, which reads nodes directly and uses an index if there is
one. Both follow ytt's rules: `map_key` rejects an array with an item that lacks the key.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError, StarlarkError
from plait.base.similar_names import did_you_mean, nearest, with_article
from plait.base.suggestions import Hint, replacing
from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, Document, Map, key_id, kind_name
from plait.ytt.overlay.callbacks import BY, asked
from plait.ytt.overlay.changed_collections import MISSING, ArrayEdit, MapEdit, key_value
from plait.ytt.overlay.containment import contains
from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import Value, is_callable, type_of
from plait.ytt.yaml_fragments import starlark_type_name, to_nodes, to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from typing import Any

    from plait.base.source import Position
    from plait.tree.nodes import Item
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.overlay.changed_collections import Edit, OverlayState


# Marks nodes that are not built yet.
_NOT_MADE = object()

# Marks a key without a default, because null is a possible default.
REQUIRED = object()


class Matcher(Value):
    """A matcher of plait. `matches` tests one left value, `select` all items of a collection."""

    __slots__ = ()
    type_name = "builtin_function_or_method"
    name = "matcher"
    # True if functions of the user may be called. They can see parts of the left tree.
    foreign = False

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:
        raise NotImplementedError

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        """The indexes of the matching left items, in order. Raises PlaitError."""
        edit.settle()
        by_key = type(edit) is MapEdit
        items: Sequence[Item] = edit.items
        places = []
        for place, item in enumerate(items):
            try:
                if self.matches(item.key if by_key else place, item.value, right):  # type: ignore[union-attr]
                    places.append(place)
            except PlaitError:
                run.failed_at(item)
                raise
        return places

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Calls the matcher as ytt does: with (index or key, left, right)."""
        if len(args) != 3 or kwargs:
            raise StarlarkError(f"{self.name}: expected exactly 3 arguments", code="argument-count")
        index, left, right = args
        return self.matches(to_nodes(index), to_nodes(left), to_nodes(right))

    def text(self) -> str:
        return f"<built-in function {self.name}>"


class All(Matcher):
    """`overlay.all`: matches every item. `overlay.all()` is the same."""

    __slots__ = ()
    name = "overlay.all"

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:  # noqa: ARG002 - all of them
        return True

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:  # noqa: ARG002
        edit.settle()
        return range(len(edit.items))

    def __call__(self, *args: object, **kwargs: object) -> object:
        return super().__call__(*args, **kwargs) if args or kwargs else self


class NoMatcher(Matcher):
    """The matcher of an array item without `@overlay/match`. It matches no item."""

    __slots__ = ()

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:  # noqa: ARG002
        return ()


# A combination of more matchers charges steps.
FREE_SIZE = 64
ALL = All()
NOTHING = NoMatcher()


class IndexMatcher(Matcher):
    """`overlay.index(i)`: matches the item at an index from 0. A negative index matches nothing."""

    __slots__ = ("place",)
    name = "overlay.index_matcher"

    def __init__(self, index: int) -> None:
        self.place = index

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:  # noqa: ARG002 - only where it is
        if type(index) is not int:
            raise OverlayError(
                f"{self.name}: expected starlark.Int",
                hint="overlay.index is for array items and documents",
                code="callback-result",
            )
        return index == self.place

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        if type(edit) is MapEdit:
            return super().select(run, edit, right)
        edit.settle()
        return (self.place,) if 0 <= self.place < len(edit.items) else ()


class MapKey(Matcher):
    """`overlay.map_key(name)`, and `by="name"`: left and right are maps with the same scalar under that key."""

    __slots__ = ("_right", "_wanted", "key")
    name = "overlay.map_key_matcher"

    def __init__(self, key: str) -> None:
        self.key = key
        # The last right value, and its value under the key.
        self._right: NodeValue = None
        self._wanted: object = MISSING

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:  # noqa: ARG002 - wherever it is
        there = key_value(left, self.key)
        if there is MISSING:
            raise self._no_key(left, right=right)
        wanted = key_value(right, self.key)
        if wanted is MISSING:
            raise self._no_key(right)
        return type(there) is type(wanted) and type(there) not in COLLECTIONS and there == wanted

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        if type(edit) is not ArrayEdit:
            return super().select(run, edit, right)
        index = edit.keyed(self.key)
        if not edit.items:
            return ()
        if self._right is right:
            wanted = self._wanted
        else:
            self._right, self._wanted = right, (wanted := key_value(right, self.key))
        if index.bad >= 0 and (index.bad == 0 or wanted is not MISSING):
            item = edit.items[index.bad]
            run.failed_at(item)
            raise self._no_key(item.value, item, right)
        if wanted is MISSING:
            raise self._no_key(right, places=index.places)
        if type(wanted) is not str:
            if type(wanted) is Map or type(wanted) is Array:
                return ()
            wanted = (type(wanted), wanted)
        return index.places.get(wanted, ())

    def _no_key(
        self,
        value: NodeValue,
        item: Item | None = None,
        right: NodeValue = None,
        places: Container[object] = (),
    ) -> OverlayError:
        """The error of a value without the key. item: the left item with this value. places: the left values of the key."""
        also = [item.position.labelled("the item without it")] if item is not None else []
        if item is None and type(right) is Array:
            place = f"as in line {right.items[0].line}, " if right.items else ""
            return OverlayError(
                f"{self.name}: Expected value to be map, but was {kind_name(value)}"
                if type(value) is not Map
                else f"{self.name}: Expected to find map item with key '{self.key}', but did not",
                hint=f'by="{self.key}" compares the items of an array: put it above each item, {place}'
                "and not above the array",
                code="no-matched-key",
            )
        if type(value) is not Map:
            kind = kind_name(value)
            is_scalar = item is None or type(right) not in (Map, Array)
            text = repr_of(value if item is None else right)
            return OverlayError(
                f"{self.name}: Expected value to be map, but was {kind}",
                also=also,
                hint=f'{with_article(kind)} has no keys: match the whole item, by=overlay.subset({text}) with load("@ytt:overlay", "overlay")'
                if is_scalar and type(value) not in (Map, Array)
                else None,
                code="no-matched-key",
            )

        keys = [one.key for one in value.items if type(one.key) is str]
        keyed = did_you_mean(self.key, keys)
        if item is None and right is None:
            near = nearest(self.key, keys) or ""
            misspelt = value.find(near)
            if misspelt is not None and type(misspelt.value) is str and misspelt.value in places:
                also = [misspelt.position.labelled("the similar key")]
                keyed = replacing(near, [self.key], f"write {self.key}: in place of {near}:")
            else:
                keyed = Hint(f"add {self.key}: to this item of the overlay: it tells which item to change")
        nested = None if "." not in self.key else _nested(self.key.split("."), value if item is None else right)
        return OverlayError(
            f"{self.name}: Expected to find map item with key '{self.key}', but did not",
            also=also,
            expected=f'the key "{self.key}", by which the annotation compares',
            found=", ".join(f'"{key}"' for key in keys[:12]) or "no keys",
            hint=nested or keyed or (f'match by a key that the item has: by="{keys[0]}"' if keys else None),
            code="no-matched-key",
        )


def _nested(keys: Sequence[str], value: NodeValue) -> str | None:
    """The hint for keys that were written as one with dots, if an item of the overlay has them; else None."""
    for key in keys:
        item = value.find(key) if type(value) is Map else None
        if item is None:
            return None
        value = item.value
    text = repr_of(value)
    for key in reversed(keys):
        text = f"{{{repr_of(key)}: {text}}}"
    if type(value) in COLLECTIONS:
        return None
    return f'a dot does not separate keys: match by=overlay.subset({text}), with load("@ytt:overlay", "overlay")'


class KeysMatcher(MapKey):
    """Matches a plain document's array item to the item that is equal under some keys.

    keys: each with its default for items that lack it, or REQUIRED. where: the array, for messages.
    """

    __slots__ = ("keys", "where")

    def __init__(self, keys: Sequence[tuple[str, object]], where: str) -> None:
        super().__init__(keys[0][0])
        self.keys = keys
        self.where = where

    def identity(self, item: Item) -> tuple[object, ...]:
        """The values of an item under the keys. Raises OverlayError if a required key is missing."""
        found = [key_value(item.value, name) for name, _ in self.keys]
        for place, (name, default) in enumerate(self.keys):
            value = default if found[place] is MISSING else found[place]
            if value is REQUIRED or value is None or type(value) in COLLECTIONS:
                raise OverlayError(
                    f'this item of {self.where} has no "{name}", by which items are merged',
                    at=item.position,
                    hint="an item - $patch: replace makes the array replace the other one",
                    code="merge-item-key",
                )
            found[place] = key_id(value)  # type: ignore[arg-type]
        return tuple(found)

    def twice(self, items: Sequence[Item], at: Position | None = None) -> OverlayError:
        """The error for items with equal keys."""
        return OverlayError(
            f"{self.where} has items without an identifying key",
            at=at,
            also=[item.position.labelled("an equal item") for item in items if item.position != at],
            expected=f"another {' or '.join(name for name, _ in self.keys)}",
            code="merge-item-key",
        )

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        wanted = self.identity(ArrayItem(right))
        edit.settle()
        items: Sequence[Item] = edit.items
        places: Sequence[int] = range(len(items))
        if self.keys[0][1] is REQUIRED and type(edit) is ArrayEdit:
            index = edit.keyed(self.key)
            places = [*index.places.get(wanted[0], ())] + ([index.bad] if index.bad >= 0 else [])
        found = []
        for place in places:
            try:
                if self.identity(items[place]) == wanted:
                    found.append(place)
            except OverlayError as error:
                error.at, error.also = None, [items[place].position]
                run.failed_at(items[place])
                raise
        if len(found) > 1:
            raise self.twice([items[place] for place in found])
        return found


class Same(Matcher):
    """Matches the value of a set's item to the equal items. Used for one array at a time, whose values it indexes once."""

    __slots__ = ("_edit", "_places", "_seen")

    def __init__(self) -> None:
        self._edit: Edit | None = None
        self._seen = 0
        # The index of each value among the first items, by `key_id`.
        self._places: dict[object, list[int]] = {}

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:  # noqa: ARG002
        # Placeholders of removed items stay, so that all other indexes stay valid.
        items: Sequence[Item] = edit.items
        if edit is not self._edit:
            self._edit, self._seen, self._places = edit, 0, {}
        for place in range(self._seen, len(items)):
            self._places.setdefault(key_id(items[place].value), []).append(place)
        self._seen = len(items)
        return self._places.get(key_id(right), ())


class OtherKeys(Matcher):
    """Matches the items of a map except those with certain keys. keys: as returned by `key_id`."""

    __slots__ = ("_keys",)

    def __init__(self, keys: frozenset[object]) -> None:
        self._keys = keys

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:  # noqa: ARG002 - whatever they hold
        return key_id(index) not in self._keys


class Subset(Matcher):
    """`overlay.subset(x)`: left contains x."""

    __slots__ = ("_nodes", "expected")
    name = "overlay.subset_matcher"

    def __init__(self, expected: object) -> None:
        self.expected = expected
        self._nodes: NodeValue | object = _NOT_MADE

    @property
    def is_converted(self) -> bool:
        """True if `nodes` exists: later changes of the value have no effect."""
        return self._nodes is not _NOT_MADE

    @property
    def nodes(self) -> NodeValue:
        """The value that the left item must contain."""
        nodes = self._nodes
        if nodes is _NOT_MADE:
            nodes = self._nodes = to_nodes(self.expected)
        return nodes  # type: ignore[return-value]

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:  # noqa: ARG002 - wherever it is
        return contains(left, self.nodes)

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:  # noqa: ARG002
        edit.settle()
        wanted = self.nodes
        items: Sequence[Item] = edit.items
        last = _last_text(wanted)
        if last is None:
            return [place for place, item in enumerate(items) if contains(item.value, wanted)]
        keys, text, alone = last
        places = []
        for place, item in enumerate(items):
            value: Any = item.value
            try:
                for key in keys:
                    value = value.index()[key].value
            except (AttributeError, KeyError, TypeError):
                if contains(item.value, wanted):
                    places.append(place)
                continue
            # This distinguishes most items.
            if value == text and (alone or contains(item.value, wanted)):
                places.append(place)
        return places


def _last_text(expected: NodeValue) -> tuple[list[str], str, bool] | None:
    """The keys to a text at the end of nested maps, the text, and True if the maps contain nothing else; None if there
    is none.
    """
    keys: list[str] = []
    alone = True
    value = expected
    while type(value) is Map and value.items:
        item = value.items[-1]
        if type(item.key) is not str:
            return None
        alone = alone and len(value.items) == 1
        keys.append(item.key)
        value = item.value
    return (keys, value, alone) if type(value) is str else None


class CallableMatcher(Matcher):
    """A matcher that calls a function of the user."""

    __slots__ = ("function",)
    foreign = True

    def __init__(self, function: object) -> None:
        self.function = function

    def held(self) -> Iterable[object]:
        return (self.function,)

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:
        answer = asked(self.function, (to_starlark(index), to_starlark(left), to_starlark(right)), BY)
        if type(answer) is not bool:
            raise OverlayError(
                f"expected bool, but was {type_of(answer)}",
                reference=f"expected starlark.Bool, but was {starlark_type_name(answer)}",
                expected="True or False from the matcher",
                found=type_of(answer),
                code="callback-result",
            )
        return answer

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        run.owned.clear()
        return super().select(run, edit, right)


def counts(matcher: Matcher) -> bool:
    """True if the result of a matcher depends on the index."""
    if isinstance(matcher, Combined):
        return any(counts(part) for part in matcher.parts)
    if not isinstance(matcher, CallableMatcher):
        return isinstance(matcher, IndexMatcher)
    code = getattr(matcher.function, "__code__", None)
    if code is None or not code.co_argcount:
        return False
    from dis import get_instructions

    # The first load of a parameter counts as its use.
    return any(one.opname.startswith("LOAD_") and one.argval == code.co_varnames[0] for one in get_instructions(code))


class Combined(Matcher):
    """`and_op`, `or_op` and `not_op`: call matchers in order, until the result is known."""

    __slots__ = ("foreign", "parts", "size")

    def __init__(self, parts: Sequence[object]) -> None:
        self.parts = [part if isinstance(part, Matcher) else CallableMatcher(part) for part in parts]
        self.foreign = any(part.foreign for part in self.parts)
        # The number of matchers in it. Parts can be shared, so it can grow exponentially.
        self.size: int = sum(part.size if isinstance(part, Combined) else 1 for part in self.parts)
        if self.size > FREE_SIZE:
            charge(self.size)

    def held(self) -> Iterable[object]:
        return self.parts

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:
        if self.foreign:
            run.owned.clear()
        if self.size > FREE_SIZE:
            charge(self.size * len(edit.items))
        return super().select(run, edit, right)


class And(Combined):
    __slots__ = ()
    name = "overlay.and_op"

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:
        return all(part.matches(index, left, right) for part in self.parts)


class Or(Combined):
    __slots__ = ()
    name = "overlay.or_op"

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:
        return any(part.matches(index, left, right) for part in self.parts)


class Not(Combined):
    __slots__ = ()
    name = "overlay.not_op"

    def matches(self, index: NodeValue, left: NodeValue, right: NodeValue) -> bool:
        return not self.parts[0].matches(index, left, right)


def matcher_of(by: object, item: Item) -> Matcher:
    """The matcher that `by=` declares for a right item. Raises OverlayError for an invalid one."""
    if isinstance(by, Matcher):
        return by
    if type(by) is str and type(item) is not Document:
        return MapKey(by)
    if is_callable(by):
        return CallableMatcher(by)
    wanted = "function" if type(item) is Document else "either string (for map key) or function"
    name = type_of(by)
    told = f"Expected 'overlay/match' annotation keyword argument 'by' to be {wanted}, but was"
    raise OverlayError(
        f"{told} {name}",
        reference=f"{told} {starlark_type_name(by)}",
        hint='for documents: by=overlay.subset({"kind": "..."})'
        if type(by) is str
        else f"overlay.subset matches by the content of an item: by=overlay.subset({repr_of(by)})"
        if name == "dict"
        else None,
        code="overlay-argument",
    )


def items_word(item: Item) -> str:
    """The word for the left items that a right item can match: document, array item or map item."""
    return "document" if type(item) is Document else "array item" if type(item) is ArrayItem else "map item"
