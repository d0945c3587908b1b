"""Lists, dicts and sets: Python's own types with a lock, so that reading them is as fast as in C
(docs/reference/language.md).

A lock is 0 while the value may be changed, n > 0 while n loops iterate over it, and FROZEN once it is immutable.

In Python True and 1 are the same key; in Starlark they are not. A bool among the keys (also inside a tuple) is stored
as a `Marked` key, and `odd` marks a dict with such keys. `keys()`, `items()` and iteration return the bools.
"""

from __future__ import annotations

from plait.base.errors import LimitError, StarlarkError, did_you_mean
from plait.ytt.starlark.step_budget import FEW, LONG, SOME, charge, check_items, compared
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import FUNCTION, Builtin, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping
    from types import FunctionType

FROZEN = -1
# Python hashes and compares a tuple part by part, and a shared part once for each occurrence.
_MOST_KEY_PARTS = 1 << 16
_HUGE = 1 << 60
_ABSENT = object()
_NOTHING: tuple[object, ...] = ()
_dict_iter = dict.__iter__
_dict_get = dict.get
_dict_contains = dict.__contains__


# ---- keys


class Marked:
    """A key that Python would confuse with another one, or hash badly: a bool, a huge number, or a tuple with one of
    them.

    Integers that differ by a multiple of 2**61-1 have the same hash, which makes a dict of them slow.
    """

    __slots__ = ("hash", "inner", "key")

    def __init__(self, key: object, inner: object) -> None:
        self.key = key
        self.inner = inner
        self.hash = hash(inner) ^ 0x5BD1E995

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return type(other) is Marked and self.inner == other.inner

    def __repr__(self) -> str:
        return f"Marked({self.key!r})"


_TRUE, _FALSE = Marked(True, "True"), Marked(False, "False")


def key_of(key: object) -> object:
    """The key under which a value is stored. Raises StarlarkError if the value is not hashable."""
    kind = type(key)
    if type(key) is str:
        if len(key) > LONG:
            compared(key)
        return key
    if key is None:
        return key
    if kind is int or kind is float:
        return key if -_HUGE < key < _HUGE or key - key != 0 else Marked(key, f"{int(key):x}")  # type: ignore[operator, call-overload]
    if kind is bool:
        return _TRUE if key else _FALSE
    if isinstance(key, tuple):
        count = _count_parts(key, {}) if tuple in map(type, key) else len(key)
        if count > FEW:
            charge(count * 2)
        return _tuple_key(key)
    if isinstance(key, Value) or kind is FUNCTION or kind is Builtin:
        try:
            hash(key)
        except TypeError:
            raise StarlarkError(f"unhashable type: {type_of(key)}", code="unhashable") from None
        return key
    if kind is range:
        raise StarlarkError(f"unhashable: {type_of(key)}", code="unhashable")
    raise StarlarkError(f"unhashable type: {type_of(key)}", code="unhashable")


def _tuple_key(key: tuple[object, ...]) -> object:
    parts = tuple([_tuple_key(part) if type(part) is tuple else key_of(part) for part in key])
    return Marked(key, parts) if Marked in map(type, parts) else key


def weigh(key: object) -> None:
    """Charges for the lookup of a key in a dict."""
    if type(key) is str:
        if len(key) > LONG:
            compared(key)
    elif type(key) is tuple or type(key) is Marked:
        key_of(key.key if isinstance(key, Marked) else key)


def _count_parts(key: tuple[object, ...], known: dict[int, int]) -> int:
    """The number of parts of a nested tuple, repeated parts included. Raises LimitError."""
    total = len(key)
    for part in key:
        if type(part) is tuple:
            count = known.get(id(part))
            if count is None:
                count = known[id(part)] = _count_parts(part, known)
            total += count
    if total > _MOST_KEY_PARTS:
        raise LimitError(f"a tuple of more than {_MOST_KEY_PARTS} parts cannot be a key", code="too-large")
    return total


# ---- the types


class List(list[object]):
    """A list. `lock`: 0 if it may be changed."""

    __slots__ = ("lock",)
    type_name = "list"

    def __init__(self, items: Iterable[object] = _NOTHING) -> None:
        if items is not _NOTHING:
            self.extend(items)
        self.lock = 0

    def __hash__(self) -> int:  # type: ignore[override] # to refuse in the language's words
        raise StarlarkError("unhashable type: list", code="unhashable")


class Dict(dict[object, object]):
    """A dict. If a key may be a bool, use `insert`, `lookup`, `has` and `remove` instead of Python's own operators.

    A missing key raises StarlarkError, with Starlark's message.
    """

    __slots__ = ("lock", "odd")
    type_name = "dict"

    def __init__(self, items: Mapping[object, object] | Iterable[tuple[object, object]] = ()) -> None:
        self.lock = 0
        self.odd = False
        if items:
            pairs: Iterable[tuple[object, object]] = items.items() if isinstance(items, dict) else items  # type: ignore[assignment] # mypy joins the two to object
            for key, value in pairs:
                if type(key) is str and len(key) <= LONG:
                    self[key] = value
                else:
                    insert(self, key, value)

    def __hash__(self) -> int:  # type: ignore[override] # as List's
        raise StarlarkError(f"unhashable type: {type_of(self)}", code="unhashable")

    def __iter__(self) -> Iterator[object]:
        if self.odd:
            return iter([key.key if type(key) is Marked else key for key in _dict_iter(self)])
        return _dict_iter(self)

    def keys(self) -> KeysView[object]:  # type: ignore[override]
        """The keys, as the language sees them."""
        return list(self) if self.odd else dict.keys(self)  # type: ignore[return-value]

    def items(self) -> ItemsView[object, object]:  # type: ignore[override]
        """Keys, as the language sees them, and values."""
        if self.odd:
            return list(zip(self, self.values(), strict=True))  # type: ignore[return-value]
        return dict.items(self)

    def __missing__(self, key: object) -> object:
        found = _dict_get(self, key_of(key), _ABSENT)
        if found is _ABSENT:
            told = f"key {repr_of(key)} not in {type_of(self)}"
            raise StarlarkError(told, hint=_near(key, self), code="key-not-found").about(type_of(key), "]")
        return found


def _near(key: object, known: Dict) -> str | None:
    """A hint with the most similar key, searched among the first keys, or None."""
    if type(key) is not str:
        return None
    from itertools import islice

    return did_you_mean(key, [name for name in islice(known, 1000) if type(name) is str])


class Set(Dict):
    """A set in order of insertion: a Dict whose values are ignored."""

    __slots__ = ()
    type_name = "set"

    def __init__(self, items: Iterable[object] = ()) -> None:
        self.lock = 0
        self.odd = False
        for key in items:
            insert(self, key, None)


# ---- operations for keys of any type


def insert(into: Dict, key: object, value: object) -> None:
    """Stores a value under any key, without checking the lock. Raises StarlarkError for an unhashable key."""
    if type(key) is not str or len(key) > LONG:
        key = key_of(key)
        if type(key) is Marked:
            into.odd = True
    into[key] = value


def lookup(where: Dict, key: object, default: object = None) -> object:
    """The value of a key of any type. Raises StarlarkError for an unhashable key."""
    return _dict_get(where, key if type(key) is str and len(key) <= LONG else key_of(key), default)


def has(where: Dict, key: object) -> bool:
    """True if the dict contains the key. Raises StarlarkError for an unhashable key."""
    return _dict_contains(where, key if type(key) is str and len(key) <= LONG else key_of(key))


def remove(where: Dict, key: object, default: object = None) -> object:
    """Removes a key and returns its value, without checking the lock."""
    return where.pop(key if type(key) is str and len(key) <= LONG else key_of(key), default)


# ---- iteration


def iterable_or_none(value: object) -> Iterable[object] | None:
    """A Python iterable over all items of a value, or None if it is not iterable. Raises LimitError."""
    if isinstance(value, (List, tuple, Dict, range)):
        if len(value) > SOME:
            charge(len(value) >> 1)
            check_items(len(value), type_of(value))
        return value
    return value.iterate() if isinstance(value, Value) else None


def is_iterable(value: object) -> bool:
    """True if `for` accepts the value. Strings are not iterable."""
    return isinstance(value, (List, tuple, Dict, range)) or (isinstance(value, Value) and value.iterate() is not None)


# ---- freezing


def freeze(value: object) -> None:
    """Makes a value and everything reachable from it immutable."""
    todo = [value]
    tuples: set[int] = set()
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind is str or kind is int or value is None or kind is bool or kind is float:
            continue
        if isinstance(value, Value):
            value.freeze()
        elif isinstance(value, List):
            if value.lock != FROZEN:
                value.lock = FROZEN
                todo.extend(value)
        elif isinstance(value, Dict):
            if value.lock != FROZEN:
                value.lock = FROZEN
                todo.extend(value)
                todo.extend(value.values())
        elif isinstance(value, tuple):
            if id(value) not in tuples:
                tuples.add(id(value))
                todo.extend(value)
        elif isinstance(value, FUNCTION):
            if not value.__dict__.get("frozen"):
                _freeze_function(value, todo)
        elif isinstance(value, Builtin):
            todo.append(value.receiver)


def _freeze_function(function: FunctionType, todo: list[object]) -> None:
    """Adds the mutable parts of a compiled function to the list, once."""
    if "$source" in function.__globals__:
        function.__dict__["frozen"] = True
        todo.extend(parts_of_function(function))


def parts_of_function(function: FunctionType) -> Iterator[object]:
    """The values that a compiled function keeps: its defaults and closed-over variables."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        yield held
