"""Converts between nodes and Starlark values. See docs/reference/templates.md.

Scalars are the same on both sides. A collection becomes a `YamlFragment`, which shares the nodes; lists, dicts, tuples,
sets and structs become new nodes.

`overlay.apply` changes its fragment argument, and every variable that refers to the fragment sees the change. So a
fragment is a cell that contains a tree: nodes never change, but the cell can be assigned another tree.
"""

from __future__ import annotations

import gc

from plait.base.errors import LimitError, StarlarkError
from plait.base.limits import current_budget, limit_error
from plait.base.similar_names import counted, did_you_mean
from plait.base.source import Position
from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import (
    COLLECTION_TYPES,
    INTEGERS,
    SCALARS,
    Array,
    ArrayItem,
    DocumentSet,
    Map,
    MapItem,
    count_nodes,
    is_filled,
    kind_name,
)
from plait.ytt.starlark.containers import Dict, List, Set, insert
from plait.ytt.starlark.step_budget import charge, check_headroom, look
from plait.ytt.starlark.structs import Module, Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import NoAttribute, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.base.source import Source
    from plait.tree.nodes import Collection, Item
    from plait.tree.nodes import Value as NodeValue


class YamlFragment(Value):
    """A map, an array or a document set as a Starlark value. `value` is None for the fragment without nodes.

    counted: number of nodes, where a shared node counts each time; None if unknown. owned: collections that
    `overlay.apply` created for this fragment only and may change in place next time, unless a part of the tree is
    passed on. erased: the tree contains no overlay annotations.
    """

    __slots__ = ("_value", "counted", "erased", "owned")
    type_name = "yamlfragment"
    is_changeable = True  # by `overlay.apply`
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Collection | None, erased: bool = False, counted: int | None = None) -> None:
        self._value = value
        self.counted = counted
        self.owned: dict[object, object] | None = None
        self.erased = erased

    def __repr__(self) -> str:
        return f"YamlFragment({self._value!r})"

    @property
    def value(self) -> Collection | None:
        """The tree, for permanent use: it will not change, even if the fragment does."""
        if self.owned:
            self.owned.clear()
        return self._value

    @property
    def made(self) -> int:
        """The number of nodes in the tree. A shared node counts each time."""
        found = self.counted
        if found is None:
            found = self.counted = 0 if self._value is None else count_nodes(self._value)
        return found

    def peek(self) -> Collection | None:
        """The tree for temporary use: no reference to it may be stored."""
        return self._value

    def assign(self, value: Collection, owned: dict[object, object] | None = None) -> None:
        """Assigns another tree, which all references to this fragment see (docs/reference/overlays.md)."""
        self._value = value
        self.counted = None
        self.owned = owned
        self.erased = True

    def wrap(self, value: NodeValue) -> object:
        """A part of the tree as a Starlark value."""
        if isinstance(value, COLLECTION_TYPES):
            if self.owned:
                self.owned.clear()
            return YamlFragment(value, self.erased)
        return value.known() if is_deferred(value) else value

    def attr(self, name: str) -> object:
        node = self._value
        if type(node) is Map:
            item = node.find(name)
            if item is not None:
                return self.wrap(item.value)
        raise NoAttribute(name)

    def index(self, key: object) -> object:
        node = self._value
        if type(node) is Map:
            item = node.find(key if type(key) is str else to_nodes(key))
            if item is not None:
                value = item.value
                return value if type(value) in SCALARS else self.wrap(value)
        elif node is not None and (there := _item_at(node, key)) is not None:
            return self.wrap(there.value)
        word = repr_of(key)
        error = StarlarkError(
            f"key {word} not in yamlfragment", hint=self._similar_key(key), code="key-not-found", word=word
        )
        error.subject = self.type_name
        raise error

    def _similar_key(self, key: object) -> str | None:
        node = self._value
        if type(node) is not Map:
            return None if node is None else f"it has {counted(len(node.items), 'item')}, counted from 0"
        if type(key) is not str:
            return None

        return did_you_mean(key, [item.key for item in node.items if type(item.key) is str])

    def length(self) -> int:
        return 0 if self._value is None else len(self._value.items)

    def truth(self) -> bool:
        return is_filled(self._value)

    def iterate(self) -> Iterator[object]:
        node = self._value
        if node is None:
            return iter(())
        # A list, not the items themselves: the fragment may get another tree while a loop runs over it.
        wrap = self.wrap
        if len(node.items) > _SOME:
            charge(len(node.items) * 4)
        if type(node) is Map:
            return iter([item.key if type(item.key) is str else wrap(item.key) for item in node.items])
        return iter([item.value if type(item.value) in SCALARS else wrap(item.value) for item in node.items])

    def contains(self, key: object) -> bool:
        node = self._value
        if type(node) is Map:
            return node.find(key if type(key) is str else to_nodes(key)) is not None
        return node is not None and _item_at(node, key) is not None

    def same(self, other: object) -> bool:  # noqa: ARG002 - whatever it is
        raise StarlarkError(
            "yamlfragment.CompareSameType: Not implemented",
            hint="compare parts of the fragments, or the results of yaml.encode for them",
            code="unknown-operation",
        )

    def text(self) -> str:
        return f"yamlfragment({go_type_name(self)})"

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        node = self._value
        if node is None:
            return ()
        if type(node) is not Map:
            return None
        wrap = self.wrap
        return [(wrap(item.key), wrap(item.value)) for item in node.items]


def _item_at(node: Collection, key: object) -> Item | None:
    """The item at an index from 0, or None. Raises StarlarkError for an invalid index."""
    if type(key) is int:
        return node.items[key] if 0 <= key < len(node.items) else None
    raise StarlarkError(
        f"yamlfragment.Get: Expected {kind_name(node)} index to be an int, but was {type_of(key)}",
        code="wrong-argument-type",
    )


def to_starlark(value: NodeValue) -> object:
    """Nodes as a Starlark value: collections become fragments, scalars stay. Raises UnresolvedValueError."""
    if isinstance(value, COLLECTION_TYPES):
        return YamlFragment(value)
    return value.known() if is_deferred(value) else value


# ---- from the language to nodes

_SOME = 64


def to_nodes(value: object, source: Source | None = None, line: int = 0) -> NodeValue:
    """A Starlark value as nodes. New nodes get the given position; those of fragments are shared.

    Raises StarlarkError for values that YAML cannot represent: functions, ranges, modules, integers of more than 64
    bits.
    """
    if type(value) is str or value is None or type(value) is bool or type(value) is float:
        return value
    if type(value) is int and value in INTEGERS:
        return value
    return value.value if type(value) is YamlFragment else counted_nodes(value, source, line)[0]


def counted_nodes(value: object, source: Source | None = None, line: int = 0) -> tuple[NodeValue, int]:
    """Like `to_nodes`, with the number of nodes."""
    if is_deferred(value):
        at = Position(source, line)
        return value.then(lambda known: _item_value(known, source, line), at), 0  # type: ignore[return-value] # see there
    if type(value) is YamlFragment:
        return value.value, value.made if value.counted is None else value.counted
    collecting = gc.isenabled()
    # New objects contain no garbage, and a collection of a million of them could exceed the time limit.
    gc.disable()
    try:
        most = current_budget().limits.nodes
        room = [most]
        nodes = _to_nodes(value, source, line, room)
        made = most - room[0]
        if made > _SOME:
            charge(made * 20)
        return nodes, made
    except RecursionError:
        raise LimitError(
            f"{type_of(value)} is nested too deeply to be made YAML", hint="does it contain itself?"
        ) from None
    finally:
        if collecting:
            gc.enable()


def _item_value(value: object, source: Source | None, line: int) -> NodeValue:
    """Converts a computed value to nodes for use as the value of an item. Raises StarlarkError for a document set."""
    nodes = to_nodes(value, source, line)
    if type(nodes) is DocumentSet:
        raise StarlarkError(
            "maps and arrays can only contain arrays, maps, or scalars; this is a document set", code="not-yaml-data"
        )
    return nodes


def _to_nodes(value: object, source: Source | None, line: int, room: list[int]) -> NodeValue:
    if type(value) is str or value is None or type(value) is bool or type(value) is float:
        return value
    if type(value) is int:
        if value in INTEGERS:
            return value
        raise StarlarkError(_int_sentence(value), expected="an integer of at most 64 bits", code="not-yaml-data")
    if type(value) is YamlFragment:
        nodes = value.value
        if type(nodes) is DocumentSet:
            raise StarlarkError(
                "maps and arrays can only contain arrays, maps, or scalars; this is a document set",
                code="not-yaml-data",
            )
        _take(room, value.made)
        return nodes
    if type(value) is Dict:
        _take(room, len(value))
        return _to_map(value.items(), source, line, room)
    if type(value) is List or type(value) is tuple or type(value) is Set:
        _take(room, len(value))
        return Array(
            [
                ArrayItem(part if type(part) is str else _to_nodes(part, source, line, room), source, line)
                for part in value
            ],
            source,
            line,
        )
    if isinstance(value, Struct):
        _take(room, value.length() or 0)
        return _to_map(value.mapping() or (), source, line, room)
    raise _unconvertible(value)


def _take(room: list[int], count: int) -> None:
    # A list that contains one list ten times, which contains another one ten times, is small until it becomes nodes.
    before = room[0]
    room[0] = before - count
    # Minus one, because the limit is a multiple of this number, and the first node would already be checked.
    if (before - 1) >> 14 != (room[0] - 1) >> 14:
        look()
    if room[0] < 0:
        raise limit_error("what a value makes", "nodes", current_budget().limits.nodes)


def _to_map(pairs: Iterable[tuple[object, object]], source: Source | None, line: int, room: list[int]) -> Map:
    return Map(
        [
            MapItem(
                key if type(key) is str else _to_nodes(key, source, line, room),
                part if type(part) is str else _to_nodes(part, source, line, room),
                source,
                line,
            )
            for key, part in pairs
        ],
        source,
        line,
    )


def _int_sentence(value: int) -> str:
    shown = str(value) if value.bit_length() < 256 else f"of {value.bit_length()} bits"
    return f"integer {shown} is out of range for YAML"


_HINTS = {
    "function": "call it, with ()",
    "builtin_function_or_method": "call it, with ()",
    "range": "make it a list: list(...)",
    "module": "name a member of it",
}


def _unconvertible(value: object) -> StarlarkError:
    name = type_of(value)
    if name.startswith("@ytt:"):
        told = "does not automatically encode (hint: use .string())"
        if name.startswith("@ytt:assert"):
            told = "does not encode (did you mean to call check()?)"
        return StarlarkError(f"Unable to convert value: {name} {told}", code="not-yaml-data")
    meant = _HINTS.get(name)
    if isinstance(value, Module) and "eval" in value.attr_names():
        meant = (
            "--- #@ template.replace(library.get(...).eval()) inserts its documents, "
            'with load("@ytt:template", "template")'
        )
    return StarlarkError(f"unknown type {name} for conversion to YAML", hint=meant, code="not-yaml-data")


_GO_TYPES: dict[type, str] = {
    type(None): "<nil>",
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    tuple: "[]interface {}",
    List: "[]interface {}",
    Set: "[]interface {}",
    Dict: "*orderedmap.Map",
    Map: "*yamlmeta.Map",
    Array: "*yamlmeta.Array",
    DocumentSet: "*yamlmeta.DocumentSet",
}


def go_type_name(value: object) -> str:
    """The name of a value's type in ytt's messages and in `str(fragment)`."""
    if type(value) is YamlFragment:
        value = value.peek()
    elif isinstance(value, Struct):
        return "*orderedmap.Map"
    return _GO_TYPES.get(type(value)) or type_of(value)


def plain_type_name(value: object) -> str:
    """The name of a value's type in messages: that of nodes for a fragment, else that of Starlark."""
    return kind_name(value.peek()) if type(value) is YamlFragment else type_of(value)


# The reference's names of types in messages about arguments.
_STARLARK_TYPES = {
    "NoneType": "starlark.NoneType",
    "bool": "starlark.Bool",
    "int": "starlark.Int",
    "float": "starlark.Float",
    "string": "starlark.String",
    "list": "*starlark.List",
    "tuple": "starlark.Tuple",
    "dict": "*starlark.Dict",
    "set": "*starlark.Set",
    "function": "*starlark.Function",
    "builtin_function_or_method": "*starlark.Builtin",
    "struct": "*core.StarlarkStruct",
    "range": "starlark.rangeValue",
    "yamlfragment": "*yamltemplate.StarlarkFragment",
}


def starlark_type_name(value: object) -> str:
    """The name of a value's type in ytt's messages about arguments."""
    name = type_of(value)
    return _STARLARK_TYPES.get(name, "*starlarkstruct.Module" if isinstance(value, Module) else name)


# ---- as data


def to_data(value: NodeValue) -> object:
    """Nodes as lists and dicts that a template may change; a new value each time. The last value of a duplicate key is
    used.
    """
    if type(value) is Map:
        data = Dict()
        for item in value.items:
            insert(data, _data_key(item.key), to_data(item.value))
        return data
    if type(value) is Array or type(value) is DocumentSet:
        return List([to_data(item.value) for item in value.items])
    return value


def _data_key(key: NodeValue) -> object:
    """A collection used as a key, as a tuple, which a dict accepts."""
    if type(key) is Map:
        return tuple((_data_key(item.key), _data_key(item.value)) for item in key.items)
    if type(key) is Array or type(key) is DocumentSet:
        return tuple(_data_key(item.value) for item in key.items)
    return key


def plain(value: object) -> object:
    """A value as data: fragments and structs become dicts, sequences lists; scalars are the same
    (docs/reference/modules.md).
    """
    kind = type(value)
    if kind is str or value is None or kind is int or kind is bool or kind is float:
        return value
    nodes, made = counted_nodes(value)
    if made > _SOME:
        charge(made * 4)
        check_headroom(made * 64)
    return to_data(nodes)
