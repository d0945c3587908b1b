"""The values of the language: which Python object stands for what, and what every value can do (spec ytt 5).

None, bool, int, float, str, tuple and range are Python's own. A str holds text; the language sees its UTF-8 bytes, and
bytes that are not UTF-8 stand in it as lone surrogates ("surrogateescape"). List, Dict and Set are Python's list and
dict with a lock, so that reading them costs what it costs in C. Functions are Python functions, compiled or built in.
Everything else is a `Value` that the host brings.

A lock is 0 while the value may be changed, n > 0 while n loops run over it, and FROZEN for good.

In Python True and 1 are the same key; here they are not. A bool among the keys (also inside a tuple) is stored as a
`Marked` key, and `odd` tells that the dict has such keys; `keys()`, `items()` and iteration give back the bools.
"""

from __future__ import annotations

from plait.errors import LimitError, StarlarkError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping

FROZEN = -1


class NoAttribute(Exception):
    """Raised by `Value.attr`: there is no such attribute. `message` replaces the usual sentence where it is not None."""

    def __init__(self, name: str = "", message: str | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.message = message


class Value:
    """The base of values that the host provides; a subclass overrides what its values can do.

    type_name: what `type(x)` answers.
    """

    __slots__ = ()
    type_name: str = "value"

    def attr(self, name: str) -> object:
        """The attribute; raises NoAttribute (the runtime then words the message and looks for a near name)."""
        raise NoAttribute(name)

    def attr_names(self) -> list[str]:
        """The names for `dir(x)` and for suggestions."""
        return []

    def index(self, key: object) -> object:
        """The value of `x[key]`; raises StarlarkError."""
        raise StarlarkError(f"unhandled index operation {self.type_name}[{type_of(key)}]")

    def length(self) -> int | None:
        """The answer to `len(x)`, or None if it has none."""
        return None

    def iterate(self) -> Iterator[object] | None:
        """What `for` runs over, or None if the value does not iterate."""
        return None

    def contains(self, key: object) -> bool:
        """The answer to `key in x`; raises StarlarkError."""
        raise StarlarkError(f"unknown binary op: {type_of(key)} in {self.type_name}")

    def truth(self) -> bool:
        return True

    def same(self, other: object) -> bool:
        """Whether `x == other`; called only when both have the same type."""
        return self is other

    def text(self) -> str:
        """The answer to `str(x)`."""
        return f"<{self.type_name}>"

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        """Keys and values for `**x`, `dict(x)` and `d.update(x)`; None if the value is no mapping."""
        return None

    def freeze(self) -> None:
        """Make the value and what it holds unchangeable."""

    def __bool__(self) -> bool:
        return self.truth()


class Marked:
    """A key that Python would take for another one: a bool, or a tuple with a bool in it."""

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


_SOME = 1 << 6


def key_of(key: object) -> object:
    """The key under which a value is stored. Raises StarlarkError if the value is not hashable."""
    kind = type(key)
    if kind is str or kind is int or kind is float or key is None:
        return key
    if kind is bool:
        return _TRUE if key else _FALSE
    if kind is tuple:
        if len(key) > _SOME:  # type: ignore[arg-type]
            from plait.starlark.budget import spend

            spend(len(key) * 2)  # type: ignore[arg-type]
        if tuple in map(type, key):  # type: ignore[call-overload]
            _count_parts(key, {})  # type: ignore[arg-type]
        parts = [key_of(part) for part in key]  # type: ignore[attr-defined]
        for part in parts:
            if type(part) is Marked:
                return Marked(key, tuple(parts))
        return key
    if isinstance(key, Value) or kind is _FUNCTION or kind is Builtin:
        try:
            hash(key)
        except TypeError:
            raise StarlarkError(f"unhashable type: {type_of(key)}") from None
        return key
    if kind is range:
        raise StarlarkError(f"unhashable: {type_of(key)}")
    raise StarlarkError(f"unhashable type: {type_of(key)}")


# Python hashes and compares a tuple part by part, and a part once for every place where it stands.
_MOST_KEY_PARTS = 1 << 16


def _count_parts(key: tuple[object, ...], known: dict[int, int]) -> int:
    """How many parts a nested tuple has; one that stands in many places counts as often. Raises LimitError."""
    total = len(key)
    for part in key:
        if type(part) is tuple:
            count = known.get(id(part))
            if count is None:
                count = known[id(part)] = _count_parts(part, known)
            total += count
    if total > _MOST_KEY_PARTS:
        raise LimitError(f"a tuple of more than {_MOST_KEY_PARTS} parts cannot be a key")
    return total


_NOTHING: tuple[object, ...] = ()


class List(list[object]):
    """A list; `lock` says whether it may be changed."""

    __slots__ = ("lock",)

    def __init__(self, items: Iterable[object] = _NOTHING) -> None:
        if items is not _NOTHING:
            self.extend(items)
        self.lock = 0

    def __hash__(self) -> int:  # type: ignore[override]
        raise StarlarkError("unhashable type: list")


class Dict(dict[object, object]):
    """A dict. Where a key may be a bool use `insert`, `lookup`, `has` and `remove` instead of Python's own operators.

    A missing key raises StarlarkError, in the language's words.
    """

    __slots__ = ("lock", "odd")

    def __init__(self, items: Mapping[object, object] | Iterable[tuple[object, object]] = ()) -> None:
        self.lock = 0
        self.odd = False
        if items:
            pairs: Iterable[tuple[object, object]] = items.items() if isinstance(items, dict) else items  # type: ignore[assignment]
            for key, value in pairs:
                if type(key) is str:
                    self[key] = value
                else:
                    insert(self, key, value)

    def __hash__(self) -> int:  # type: ignore[override]
        raise StarlarkError(f"unhashable type: {type_of(self)}")

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
            raise StarlarkError(f"key {repr_of(key)} not in {type_of(self)}", hint=_near(key, self))
        return found


def _near(key: object, known: Dict) -> str | None:
    """A hint with the nearest of the first keys."""
    if type(key) is not str:
        return None
    from itertools import islice

    from plait.spell import did_you_mean

    return did_you_mean(key, [name for name in islice(known, 1000) if type(name) is str])


class Set(Dict):
    """A set in order of insertion: a Dict whose values do not matter."""

    __slots__ = ()

    def __init__(self, items: Iterable[object] = ()) -> None:
        self.lock = 0
        self.odd = False
        for key in items:
            insert(self, key, None)


_dict_iter = dict.__iter__
_dict_get = dict.get
_dict_contains = dict.__contains__
_ABSENT = object()


class Members(dict[str, object]):
    """The members of a struct by name. One that is not there raises StarlarkError, in the words of `x.name`."""

    __slots__ = ()

    def __missing__(self, name: str) -> object:
        from plait.starlark.attributes import missing

        raise missing(self.whole(), name)

    def whole(self) -> Value:
        """A value with these members."""
        return Struct(self)


class ModuleMembers(Members):
    """The same for a module."""

    __slots__ = ()

    def whole(self) -> Value:
        return Module("", self)


class Struct(Value):
    """Named members in order, read only (spec ytt 6, struct)."""

    __slots__ = ("members",)
    type_name = "struct"

    def __init__(self, members: Mapping[str, object]) -> None:
        self.members: dict[str, object] = Members(members)

    def attr(self, name: str) -> object:
        if name not in self.members:
            raise NoAttribute(name)
        return self.members[name]

    def attr_names(self) -> list[str]:
        return list(self.members)

    def index(self, key: object) -> object:
        if type(key) is str and key in self.members:
            return self.members[key]
        if type(key) is not str:
            raise StarlarkError(f"expected a string, but was {type_of(key)}")
        raise StarlarkError(f"key {repr_of(key)} not in {self.type_name}")

    def length(self) -> int | None:
        return len(self.members)

    def iterate(self) -> Iterator[object] | None:
        return iter(self.members)

    def contains(self, key: object) -> bool:
        return type(key) is str and key in self.members

    def truth(self) -> bool:
        return len(self.members) > 0

    def text(self) -> str:
        return "struct(...)"

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        return self.members.items()

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class Module(Value):
    """A named bundle of members, such as `@ytt:json` or what `module.make` gives."""

    __slots__ = ("frozen", "members", "name")
    type_name = "module"

    def __init__(self, name: str, members: Mapping[str, object]) -> None:
        self.name = name
        self.frozen = False
        self.members: dict[str, object] = ModuleMembers(members)

    def attr(self, name: str) -> object:
        if name not in self.members:
            raise NoAttribute(name)
        return self.members[name]

    def attr_names(self) -> list[str]:
        return list(self.members)

    def text(self) -> str:
        return f"<module {quote(self.name)}>"

    def freeze(self) -> None:
        # Every template that loads a module freezes it.
        if not self.frozen:
            self.frozen = True
            for value in self.members.values():
                freeze(value)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


# Types whose `members` give what `x.name` gives, for every name: there compiled code looks without a call. Other packages
# add theirs.
STRUCTS: set[type] = {Struct, Module}


class Builtin:
    """A function of the host: called with the positional and the keyword arguments, all values of the language.

    name: what messages call it. receiver: the value whose method it is, if it is one.
    """

    __slots__ = ("function", "name", "receiver")

    def __init__(self, name: str, function: Callable[..., object], receiver: object = None) -> None:
        self.name = name
        self.function = function
        self.receiver = receiver

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Builtin({self.name!r})"


def _sample() -> None: ...


_FUNCTION = type(_sample)

TYPE_NAMES: dict[type, str] = {
    type(None): "NoneType",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    tuple: "tuple",
    range: "range",
    List: "list",
    Dict: "dict",
    Set: "set",
    Builtin: "builtin_function_or_method",
}


def is_function(value: object) -> bool:
    """Whether the value was made by `def` or `lambda` of the language."""
    return type(value) is _FUNCTION and "$source" in value.__globals__


def is_callable(value: object) -> bool:
    return type(value) is _FUNCTION or type(value) is Builtin or (isinstance(value, Value) and callable(value))


def type_of(value: object) -> str:
    """What `type(value)` answers."""
    name = TYPE_NAMES.get(type(value))
    if name is not None:
        return name
    if isinstance(value, Value):
        return value.type_name
    if type(value) is _FUNCTION:
        return "function" if "$source" in value.__globals__ else "builtin_function_or_method"
    return f"<{type(value).__name__}>"


def truth(value: object) -> bool:
    """Whether the value counts as true: not empty, not zero, not None, not False."""
    return bool(value)


def to_bytes(string: str) -> bytes:
    """The bytes that the language sees."""
    return string.encode("utf-8", "surrogateescape")


def from_bytes(data: bytes) -> str:
    """The opposite of `to_bytes`."""
    return data.decode("utf-8", "surrogateescape")


def freeze(value: object) -> None:
    """Make a value and everything that can be reached from it unchangeable."""
    if type(value) is Module and value.frozen:  # most of what programs have
        return
    todo = [value]
    tuples: set[int] = set()
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind is str or kind is int or value is None or kind is bool or kind is float:
            continue
        if kind is List:
            if value.lock != FROZEN:  # type: ignore[attr-defined]
                value.lock = FROZEN  # type: ignore[attr-defined]
                todo.extend(value)  # type: ignore[arg-type]
        elif kind is Dict or kind is Set:
            if value.lock != FROZEN:  # type: ignore[attr-defined]
                value.lock = FROZEN  # type: ignore[attr-defined]
                todo.extend(value)  # type: ignore[arg-type]
                todo.extend(value.values())  # type: ignore[attr-defined]
        elif kind is tuple:
            if id(value) not in tuples:
                tuples.add(id(value))
                todo.extend(value)  # type: ignore[arg-type]
        elif kind is _FUNCTION:
            if not value.__dict__.get("frozen"):
                _freeze_function(value, todo)
        elif kind is Builtin:
            todo.append(value.receiver)  # type: ignore[attr-defined]
        elif isinstance(value, Value):
            value.freeze()


def _freeze_function(function: object, todo: list[object]) -> None:
    """Put what a compiled function can still change (defaults, closed-over variables) on the list, once."""
    if "$source" not in function.__globals__:  # type: ignore[attr-defined]
        return
    function.__dict__["frozen"] = True
    todo.extend(function.__defaults__ or ())  # type: ignore[attr-defined]
    todo.extend((function.__kwdefaults__ or {}).values())  # type: ignore[attr-defined]
    for cell in function.__closure__ or ():  # type: ignore[attr-defined]
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        todo.append(held)


# ---- dicts and sets


def insert(into: Dict, key: object, value: object) -> None:
    """Store a value whatever the key is; does not look at the lock. Raises StarlarkError for an unhashable key."""
    if type(key) is not str:
        key = key_of(key)
        if type(key) is Marked:
            into.odd = True
    into[key] = value


def lookup(where: Dict, key: object, default: object = None) -> object:
    """The value of a key, whatever the key is. Raises StarlarkError for an unhashable key."""
    return _dict_get(where, key if type(key) is str else key_of(key), default)


def has(where: Dict, key: object) -> bool:
    """Whether the key is there, whatever the key is. Raises StarlarkError for an unhashable key."""
    return _dict_contains(where, key if type(key) is str else key_of(key))


def remove(where: Dict, key: object, default: object = None) -> object:
    """Take a key out and give its value; does not look at the lock."""
    return where.pop(key if type(key) is str else key_of(key), default)


# ---- text


_ESCAPES = {7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v", 92: "\\\\", 34: '\\"'}


def quote(string: str) -> str:
    """A string as a literal in double quotes, as `repr` shows it."""
    if string.isprintable() and "\\" not in string and '"' not in string:
        return f'"{string}"'
    out = ['"']
    for char in string:
        code = ord(char)
        if code in _ESCAPES:
            out.append(_ESCAPES[code])
        elif char.isprintable():
            out.append(char)
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x80:
            out.append(f"\\x{code:02x}")
        elif code < 0x10000:
            out.append(f"\\u{code:04x}")
        else:
            out.append(f"\\U{code:08x}")
    out.append('"')
    return "".join(out)


def float_text(value: float) -> str:
    """Six significant digits, as `str` shows a float."""
    if value - value == 0:
        return "%g" % value  # noqa: UP031
    return "NaN" if value != value else "+Inf" if value > 0 else "-Inf"  # noqa: PLR0124


def int_text(value: int) -> str:
    """The decimal digits, however many."""
    try:
        return str(value)
    except ValueError:
        from plait.starlark.numbers import digits

        return digits(value)


def str_of(value: object) -> str:
    """What `str(value)` answers."""
    return value if type(value) is str else repr_of(value)


def repr_of(value: object) -> str:
    """What `repr(value)` answers."""
    kind = type(value)
    if kind is str:
        return quote(value)  # type: ignore[arg-type]
    if kind is int:
        return int_text(value)  # type: ignore[arg-type]
    if kind is float:
        return float_text(value)  # type: ignore[arg-type]
    if kind is bool or value is None:
        return str(value)
    from plait.starlark.display import text_of

    return text_of(value)


# ---- equality and order


_PLAIN = frozenset((str, int, float, type(None)))


def equals(left: object, right: object) -> bool:
    """Whether `left == right`. Raises StarlarkError where the values refuse to be compared."""
    kind, other = type(left), type(right)
    if kind is str or other is str:
        return left == right
    if kind in _PLAIN and other in _PLAIN:
        return left == right
    if kind is bool or other is bool:
        return left is right
    from plait.starlark import comparison

    return comparison.equals(left, right)


def compare(operator: str, left: object, right: object) -> bool:
    """Whether `left operator right` for `<`, `<=`, `>`, `>=`. Raises StarlarkError for types without an order."""
    kind, other = type(left), type(right)
    if (kind is int or kind is float) and (other is int or other is float):
        return ordered(operator, left, right)
    if kind is other is str and left.isascii() and right.isascii():  # type: ignore[attr-defined]
        return ordered(operator, left, right)
    from plait.starlark import comparison

    return comparison.compare(operator, left, right)


def ordered(operator: str, left: object, right: object) -> bool:
    """Python's own `left operator right`."""
    if operator == "<":
        return left < right  # type: ignore[operator, no-any-return]
    if operator == "<=":
        return left <= right  # type: ignore[operator, no-any-return]
    if operator == ">":
        return left > right  # type: ignore[operator, no-any-return]
    return left >= right  # type: ignore[operator, no-any-return]
