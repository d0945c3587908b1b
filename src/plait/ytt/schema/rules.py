"""Rules for values, shared by `@schema/validation`, `@assert/validate` and `@ytt:assert`.

A rule is a function of one value that returns True or raises StarlarkError with the reason ("fail: length = 1").
Templates see a rule as an `Assertion`, an object whose `check` calls it (docs/reference/modules.md).

Values are compared as data: a fragment, a struct and a dict with the same content are equal, and so are 1 and 1.0.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.source import CALL, Position, Source, public
from plait.ytt.starlark.arguments import only_argument
from plait.ytt.starlark.comparison import compare, equals
from plait.ytt.starlark.containers import Dict, List, Set, has, lookup
from plait.ytt.starlark.structs import Counted, Struct
from plait.ytt.starlark.value_text import repr_of, str_of
from plait.ytt.starlark.values import Builtin, Value, type_of
from plait.ytt.yaml_fragments import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Rule: TypeAlias = Callable[[object], bool]


class Assertion(Counted):
    """A rule as templates see it: `assert.min(5).check(value)`."""

    __slots__ = ("check",)
    type_name = "@ytt:assert.assertion"

    def __init__(self, name: str, rule: Rule, parameter: str = "") -> None:
        """parameter: the name of the value in messages of `check`."""

        def check(*args: object, **kwargs: object) -> object:
            if not parameter:
                return rule(only_argument("check", args, kwargs))
            if len(args) > 1:
                raise failed(
                    StarlarkError(
                        f"function lambda accepts 1 positional argument ({len(args)} given)", code="argument-count"
                    )
                )
            for key in kwargs:
                if key != parameter or args:
                    wrong = "an unexpected keyword argument" if key != parameter else "multiple values for parameter"
                    raise failed(StarlarkError(f'function lambda got {wrong} "{key}"', code="unexpected-keyword"))
            if not args and not kwargs:
                raise failed(StarlarkError(f"function lambda missing 1 argument ({parameter})", code="argument-count"))
            try:
                return rule(args[0] if args else kwargs[parameter])
            except StarlarkError as error:
                raise failed(error) from None

        def failed(error: StarlarkError) -> StarlarkError:
            # In ytt these are Starlark functions without source.
            at = Position(Source(name, "(unavailable)"), 1)
            return error.within("", at, role=CALL, reference="in lambda")

        self.check = Builtin(f"{name}.check", check)
        self.members = {"check": self.check}


def failure(reason: str) -> StarlarkError:
    """The error for a value that breaks a rule."""
    error = StarlarkError(public(f"fail: {reason}"), code="failed-validation")
    error.detail = reason
    return error


def _unchecked(reason: str, code: str) -> StarlarkError:
    """The error for a value to which a rule about keys does not apply."""
    error = StarlarkError(f"check: {reason}", code=code)
    error.detail = reason
    return error


def length_of(value: object) -> int:
    """The result of `len(value)`. Raises StarlarkError for a value without a length."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8", "surrogateescape"))
    if isinstance(value, (list, dict, tuple, range)):
        return len(value)
    length = value.length() if isinstance(value, Value) else None
    if length is None:
        raise StarlarkError(f"len: value of type {type_of(value)} has no len", code="not-iterable").about(
            type_of(value)
        )
    return length


def min_len(minimum: int) -> Rule:
    """Accepts values with at least this length."""

    def rule(value: object) -> bool:
        length = length_of(value)
        if length < minimum:
            raise failure(f"length = {length}")
        return True

    return rule


def max_len(maximum: int) -> Rule:
    """Accepts values with at most this length."""

    def rule(value: object) -> bool:
        length = length_of(value)
        if length > maximum:
            raise failure(f"length = {length}")
        return True

    return rule


def minimum(least: object) -> Rule:
    """Accepts values of at least `least`, in the order of the language: numbers, strings, lists."""
    bound = plain(least)

    def rule(value: object) -> bool:
        if not compare(">=", plain(value), bound):
            raise failure(f"value < {str_of(bound)}")
        return True

    return rule


def maximum(most: object) -> Rule:
    """Accepts values of at most `most`."""
    bound = plain(most)

    def rule(value: object) -> bool:
        if not compare("<=", plain(value), bound):
            raise failure(f"value > {str_of(bound)}")
        return True

    return rule


def not_null(value: object) -> bool:
    """Accepts any value except null."""
    if value is None:
        raise failure("value is null")
    return True


def one_of(allowed: object) -> Rule:
    """Accepts the members of a sequence."""
    members = [plain(member) for member in members_of(allowed)]

    def rule(value: object) -> bool:
        wanted = plain(value)
        if not any(equals(wanted, member) for member in members):
            raise failure("not one of allowed values")
        return True

    return rule


def one_not_null(keys: object = None) -> Rule:
    """Accepts maps with exactly one value that is not null.

    keys: the keys to check, where an absent key counts as null; None for all keys of the map.
    """
    wanted = None if keys is None else [plain(key) for key in members_of(keys)]

    def rule(value: object) -> bool:
        given = plain(value)
        if type(given) is not Dict:
            raise _unchecked(f"value must be a map or dict, but was '{type_of(given)}'", "wrong-argument-type")
        found = [
            key for key in (given if wanted is None else wanted) if has(given, key) and lookup(given, key) is not None
        ]
        if len(found) == 1:
            return True
        if found:
            raise _unchecked(f"{repr_of(List(found))} are not null", "failed-validation")
        raise _unchecked("all values are null" if given else "value is empty", "failed-validation")

    return rule


def is_sequence(value: object) -> bool:
    """True if a value is a list, tuple, range, set, dict or struct."""
    if isinstance(value, (List, Dict, Set, tuple, range, Struct)):
        return True
    return isinstance(value, Value) and value.length() is not None and value.iterate() is not None


def members_of(sequence: object) -> Iterable[object]:
    """The members of a value that `is_sequence`; the keys of a map."""
    if isinstance(sequence, Value):
        return sequence.iterate() or ()
    return sequence  # type: ignore[return-value]
