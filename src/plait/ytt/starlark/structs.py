"""Values with named members (structs and modules), and errors about unknown members (docs/reference/language.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError, replacing
from plait.base.similar_names import listed, near, spelled
from plait.ytt.starlark.containers import FROZEN, Dict, List, freeze, parts_of_function
from plait.ytt.starlark.step_budget import SOME, charge
from plait.ytt.starlark.value_text import quote, repr_of
from plait.ytt.starlark.values import FUNCTION, Builtin, NoAttribute, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.base.source import Position

_SHOWN = 12
# Types of values from which nothing else can be reached.
LEAVES = frozenset({str, int, float, bool, type(None), range})


class Members(dict[str, object]):
    """The members of a struct by name. A missing one raises StarlarkError, with the message of `x.name`."""

    __slots__ = ()

    def __missing__(self, name: str) -> object:
        whole = self.whole()
        raise missing(whole, name, whole.attr_names())

    def whole(self) -> Value:
        """A value with these members."""
        return Struct(self)


class ModuleMembers(Members):
    """The members of a module."""

    __slots__ = ()

    def whole(self) -> Value:
        return Module("", self)


class WithMembers(Value):
    """A value with named members. A subclass may support more names than `members` contains."""

    __slots__ = ("members",)
    members: dict[str, object]

    def attr(self, name: str) -> object:
        if name not in self.members:
            raise NoAttribute(name)
        return self.members[name]

    def attr_names(self) -> list[str]:
        return list(self.members)

    def place_of(self, name: str) -> Position | None:  # noqa: ARG002 - for subclasses
        """The line that sets a member; None if it is unknown."""
        return None

    # Such a value is equal only to itself, and not a valid key.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class Counted(WithMembers):
    """A value with ordered members that also supports indexing, `len` and iteration."""

    __slots__ = ()

    def index(self, key: object) -> object:
        if type(key) is str and key in self.members:
            return self.members[key]
        if type(key) is not str:
            raise StarlarkError(f"expected a string, but was {type_of(key)}", code="wrong-argument-type")
        raise StarlarkError(f"key {repr_of(key)} not in {self.type_name}", code="key-not-found")

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


class Struct(Counted):
    """Named members in order, read only (docs/reference/modules.md)."""

    __slots__ = ()
    type_name = "struct"

    def __init__(self, members: Mapping[str, object]) -> None:
        self.members = Members(members)

    def mapping(self) -> Iterable[tuple[object, object]] | None:
        return self.members.items()


class Module(WithMembers):
    """A named bundle of members, such as `@ytt:json` or the result of `module.make`."""

    __slots__ = ("frozen", "name")
    type_name = "module"

    def __init__(self, name: str, members: Mapping[str, object]) -> None:
        self.name = name
        self.frozen = False
        self.members = ModuleMembers(members)

    def attr_names(self) -> list[str]:
        return sorted(self.members)

    def text(self) -> str:
        return f"<module {quote(self.name)}>"

    def held(self) -> Iterable[object]:
        return self.members.values()

    def freeze(self) -> None:
        # Every template that loads a module freezes it.
        if not self.frozen:
            self.frozen = True
            for value in self.members.values():
                freeze(value)


def reachable(
    values: Iterable[object], some_of: Callable[[object], Sequence[object] | None] | None = None
) -> Iterator[object]:
    """Values, and everything that can be reached from them: elements, and the variables of functions.

    some_of: the parts of a value to follow; None for all.
    """
    todo = [*values]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in LEAVES or id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        some = None if some_of is None else some_of(value)
        if some is not None:
            todo += some
        elif kind is Dict:
            todo += dict.values(value)  # type: ignore[arg-type]
            todo += dict.keys(value)  # type: ignore[arg-type]
        elif isinstance(value, (list, tuple, set)):
            todo += value
        elif isinstance(value, FUNCTION):
            todo += parts_of_function(value)
        elif kind is Struct:
            todo += [part for _, part in value.mapping() or ()]  # type: ignore[attr-defined]
        elif kind is Builtin:
            todo += value.holds  # type: ignore[attr-defined]
            todo.append(value.receiver)  # type: ignore[attr-defined]
        elif (held := getattr(kind, "held", None)) is not None:
            todo += held(value)


def can_change(values: Iterable[object]) -> bool:
    """True if a program can change one of these frozen values, or a part of it: freezing skips the members of
    structs.
    """
    return any(
        value.lock != FROZEN if isinstance(value, (List, Dict)) else getattr(value, "is_changeable", False)
        for value in reachable(values)
    )


# Types whose `members` contain every attribute. Compiled code looks members up without a call. Other packages add their
# types.
STRUCTS: set[type] = {Struct, Module}


def missing(x: object, name: str, names: Sequence[str], message: str | None = None) -> StarlarkError:
    """The error for `x.name` if x has other members. message: replaces the usual one."""
    if message is None:
        message = f"{type_of(x)} has no .{name} field or method"

    if len(names) > SOME:
        charge(len(names) * 8)
    alike = near(name, sorted(names))
    meant = spelled(name, names)
    told = f"{message} (did you mean .{meant}?)" if meant else message
    if alike:
        message = replacing(name, alike, f"{message} (did you mean {listed([f'.{one}' for one in alike])}?)")
    found = hint = None
    if not alike and x is not None and (names or isinstance(x, Value)):
        found = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "") if names else "nothing in it"
    if not alike and type_of(x) == "struct":
        if not names:
            hint = (
                "if these are data values: they come from files with #@data/values (no space) above ---, and from flags; "
                "the files that define them can use them --with values-refer"
            )
        elif name in ("items", "keys", "values"):
            hint = f'a struct is not a dict: use struct.decode(x).{name}(), with load("@ytt:struct", "struct")'
        elif name == "get":
            hint = 'a struct has fields, not methods of a dict: .NAME, or getattr(x, "NAME", DEFAULT)'
        else:
            hint = "check the name; a data value must be declared before a template can use it"
    elif x is None:
        hint = f"the value before .{name} is None: test it first, or give it a value"
    elif type(x) is Dict and (not alike or name in x.keys()):  # noqa: SIM118 - `in` asks for keys that hash as theirs do
        hint = f'a dict has keys, not fields: ["{name}"]'
    error = StarlarkError(message, found=found, hint=hint, code="unknown-attribute", word=name, reference=told)
    return error.about(type_of(x)) if x is None or type(x) in (bool, int, float) else error
