"""The methods of lists, dicts and sets (docs/reference/language.md). Methods that change a value reject one that is
frozen or being iterated.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.similar_names import did_you_mean
from plait.ytt.starlark import operators
from plait.ytt.starlark.arguments import int32, iterable
from plait.ytt.starlark.comparison import equals
from plait.ytt.starlark.containers import FROZEN, Dict, List, Marked, Set, insert, iterable_or_none, key_of, weigh
from plait.ytt.starlark.step_budget import LONG, SOME, charge, charge_for, check_headroom, check_items, foresee
from plait.ytt.starlark.strings import bounds
from plait.ytt.starlark.values import Value, type_of

TYPE_CHECKING = False

_append = list.append
_get = dict.get
_ABSENT = object()


def out_of_range(index: int, size: int, name: str) -> StarlarkError:
    if size == 0:
        hint = f"the {name} is empty here: test it first with if, or loop over it"
        return StarlarkError(f"index {index} out of range: empty {name}", hint=hint, code="index-range").about(
            name, "["
        )
    hint = f"the first index is 0, the last one {size - 1}"
    return StarlarkError(f"{name} index {index} out of range [{-size}:{size - 1}]", hint=hint, code="index-range")


# ---- list


def append(self: List, value: object, /) -> None:
    if self.lock:
        _refuse(self, "append: cannot append to")
    _append(self, value)


def _refuse(value: List, message: str) -> None:
    raise StarlarkError(
        f"{message} {'frozen list' if value.lock == FROZEN else 'list during iteration'}", code="frozen-value"
    )


def list_clear(self: List, /) -> None:
    if self.lock:
        _refuse(self, "clear: cannot clear")
    list.clear(self)


def extend(self: List, items: object, /) -> None:
    source = iterable(items, "extend: for parameter 1")
    if self.lock:
        _refuse(self, "extend: cannot extend")
    operators.extend(self, source)


def list_index(self: List, value: object, start: object = None, end: object = None, /) -> int:
    low, high = bounds(start, end, len(self), "index: ")
    if high - low > SOME:
        charge(high - low)
    for place in range(low, high):
        if equals(self[place], value):
            return place
    raise StarlarkError("index: value not in list", code="value-not-found")


def list_insert(self: List, place: object, value: object, /) -> None:
    place = int32(place, "insert: for parameter 1")
    if self.lock:
        _refuse(self, "insert: cannot insert into")
    if len(self) > SOME:
        charge_for(len(self))
    list.insert(self, place, value)


def list_pop(self: List, place: object = -1, /) -> object:
    place = int32(place, "pop: for parameter 1")
    size = len(self)
    if not -size <= place < size:
        error = out_of_range(place, size, "list")
        raise StarlarkError(f"pop: {error}", hint=error.hint, code="index-range")
    if self.lock:
        _refuse(self, "pop: cannot pop from")
    if size > SOME and place != -1:
        charge_for(size)  # all following items move
    return list.pop(self, place)


def list_remove(self: List, value: object, /) -> None:
    if self.lock:
        _refuse(self, "remove: cannot remove from")
    if len(self) > SOME:
        charge(len(self))
    for place, item in enumerate(self):
        if equals(item, value):
            del self[place]
            return
    raise StarlarkError("remove: element not found", code="value-not-found")


# ---- dict


def _key(key: object, name: str) -> object:
    if type(key) is str and len(key) <= LONG:
        return key
    try:
        return key_of(key)
    except StarlarkError as error:
        raise StarlarkError(f"{name}: {error}", code=error.code) from None


def dict_clear(self: Dict, /) -> None:
    operators.check_table(self, "clear")
    dict.clear(self)
    self.odd = False


def get(self: Dict, key: object, default: object = None, /) -> object:
    return _get(self, key if type(key) is str and len(key) <= LONG else _key(key, "get"), default)


def items(self: Dict, /) -> List:
    if len(self) > SOME:
        charge(len(self))
        check_items(len(self))
        check_headroom(len(self) * 64)
    return List(self.items())


def keys(self: Dict, /) -> List:
    if len(self) > SOME:
        check_items(len(self))
    return List(self)


def values(self: Dict, /) -> List:
    if len(self) > SOME:
        check_items(len(self))
    return List(self.values())


def dict_pop(self: Dict, key: object, default: object = _ABSENT, /) -> object:
    if self.lock:
        _table(self, "pop", "delete from")
    key = _key(key, "pop")
    if key in self:
        return dict.pop(self, key)
    if default is _ABSENT:
        known = [name for name in dict.keys(self) if type(name) is str]
        raise StarlarkError(
            "pop: missing key", hint=did_you_mean(key, known) if type(key) is str else None, code="key-not-found"
        )
    return default


def _table(value: Dict, name: str, verb: str) -> None:
    try:
        operators.check_table(value, verb)
    except StarlarkError as error:
        raise StarlarkError(f"{name}: {error}", code=error.code) from None


def popitem(self: Dict, /) -> tuple[object, object]:
    if len(self) > SOME:
        charge_for(len(self))  # Python visits the slots of all removed items
    for key in dict.__iter__(self):
        if self.lock:
            _table(self, "popitem", "delete from")
        value = dict.pop(self, key)
        return (key.key if type(key) is Marked else key, value)
    raise StarlarkError("popitem: empty dict", code="empty-sequence")


def setdefault(self: Dict, key: object, default: object = None, /) -> object:
    found = _get(self, key if type(key) is str and len(key) <= LONG else _key(key, "setdefault"), _ABSENT)
    if found is not _ABSENT:
        return found
    if self.lock:
        _table(self, "setdefault", "insert into")
    insert(self, key, default)
    return default


def update(self: Dict, /, *args: object, **kwargs: object) -> None:
    if len(args) > 1:
        raise StarlarkError(f"update: got {len(args)} arguments, want at most 1", code="argument-count")
    fill(self, args, kwargs, "update")


def fill(into: Dict, args: tuple[object, ...], kwargs: dict[str, object], name: str) -> None:
    """Adds the arguments of `dict(...)` or `d.update(...)` to a dict."""
    if args:
        pairs = args[0]
        if type(pairs) is Dict:
            if into.lock and pairs:
                _table(into, name, "insert into")
            if len(pairs) > SOME:
                charge(len(pairs) * 2)
                check_items(len(into) + len(pairs), "dict")
            if into:
                for key in dict.__iter__(pairs):
                    weigh(key)
            dict.update(into, pairs if not pairs.odd else {key: pairs[key] for key in dict.__iter__(pairs)})
            into.odd = into.odd or pairs.odd
        else:
            mapped = pairs.mapping() if isinstance(pairs, Value) else None
            for key, value in mapped if mapped is not None else _pairs(pairs, name):
                if into.lock:
                    _table(into, name, "insert into")
                try:
                    insert(into, key, value)
                except StarlarkError as error:
                    raise StarlarkError(f"{name}: {error}", code=error.code) from None
    if kwargs:
        if into.lock:
            _table(into, name, "insert into")
        dict.update(into, kwargs)


def _pairs(source: object, name: str) -> list[tuple[object, object]]:
    iterable = iterable_or_none(source)
    if iterable is None:
        raise StarlarkError(f"{name}: got {type_of(source)}, want iterable", code="wrong-argument-type")
    foresee(iterable, 128)
    out: list[tuple[object, object]] = []
    for place, pair in enumerate(iterable):
        parts = iterable_or_none(pair)
        if parts is None:
            raise StarlarkError(
                f"{name}: dictionary update sequence element #{place} is not iterable ({type_of(pair)})",
                code="unpacking",
            )
        size = pair.length() if isinstance(pair, Value) else len(tuple(parts))
        if size is None:
            raise StarlarkError(
                f"{name}: dictionary update sequence element #{place} has unknown length ({type_of(pair)})",
                code="unpacking",
            )
        if size != 2:
            raise StarlarkError(
                f"{name}: dictionary update sequence element #{place} has length {size}, want 2", code="unpacking"
            )
        key, value = parts
        out.append((key, value))
    if len(out) > SOME:
        charge(len(out) * 4)
    return out


# ---- set


def set_union(self: Set, other: object = (), /) -> Set:
    source = iterable(other, "union: for parameter 1")
    try:
        return operators.union(self, source)
    except StarlarkError as error:
        raise StarlarkError(f"union: {error}", code=error.code) from None
