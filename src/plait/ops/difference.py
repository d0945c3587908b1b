"""The operations that turn one document into another (docs/reference/operations.md).

Maps are compared by key. Arrays are compared by the text of an identifying key if their common items have the same
order, otherwise by index; moves are not detected. Each change is preceded by a `test` of the old value, except where a
path that matches an item adds it. For a key that no required path can express, the enclosing map is replaced.
"""

from __future__ import annotations

from plait.ops.operations import Remove, Replace, Test
from plait.ops.pointer import AfterLastIndexToken, IndexToken, KeyToken, MatchingIndexToken, Pointer, index_number
from plait.ops.walk import text_under
from plait.tree.equality import alike
from plait.tree.nodes import Array, Map, key_id
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.ops.operations import Operation
    from plait.ops.pointer import Token
    from plait.tree.nodes import MapItem, Value

    # Values to compare with their path, or finished operations.
    Step: TypeAlias = "tuple[Value, Value, tuple[Token, ...]] | list[Operation]"
    # The key that identifies the items of two arrays, or None.
    Identifying: TypeAlias = Callable[[Array, Array], str | None]


def by_index(_left: Array, _right: Array) -> None:
    """Identifies no items, so that arrays are compared by index."""


def diff(left: Value, right: Value, *, tests: bool = True, identifying: Identifying = by_index) -> list[Operation]:
    """Operations that turn `left` into `right`; empty if they are equal.

    Integral floats equal the integers they print as, and the order of keys is ignored (see `alike`). tests: precede
    each change with a test of the old value. A value that contains .nan is not tested, because it never equals itself.
    identifying: returns the key whose text names the items of two arrays.
    """
    out: list[Operation] = []
    pending: list[Step] = [(left, right, ())]
    while pending:
        step = pending.pop()
        if isinstance(step, list):
            out += step
            continue
        a, b, way = step
        if a is b:
            continue
        steps: list[Step]
        if type(a) is Map and type(b) is Map:
            steps = _maps(a, b, way)
        elif type(a) is Array and type(b) is Array:
            key = identifying(a, b)
            steps = (None if key is None else _named(a, b, key, way)) or _arrays(a, b, way)
        elif alike(a, b):
            continue
        else:
            steps = [_replaced(a, b, way)]
        steps.reverse()
        pending += steps
    return out if tests else [operation for operation in out if type(operation) is not Test]


def _replaced(a: Value, b: Value, way: tuple[Token, ...]) -> list[Operation]:
    pointer = Pointer(way)
    return [*_tested(pointer, a), Replace(pointer, b)]


def _removed(a: Value, way: tuple[Token, ...]) -> list[Operation]:
    pointer = Pointer(way)
    return [*_tested(pointer, a), Remove(pointer)]


def _tested(pointer: Pointer, value: Value) -> list[Operation]:
    return [] if _has_nan(value) else [Test(pointer, value)]


def _maps(a: Map, b: Map, way: tuple[Token, ...]) -> list[Step]:
    """The steps for two maps, in the order in which keys are printed."""
    old = {key_id(item.key): item for item in a.items}
    new = {key_id(item.key): item for item in b.items}
    steps: list[tuple[str, Step]] = []
    for key in {**old, **new}:
        before, after = old.get(key), new.get(key)
        if before is not None and after is not None and before.value is after.value:
            continue
        name = {**old, **new}[key].key
        if not expressible(name):
            if before is None or after is None or not alike(before.value, after.value):
                return [_replaced(a, b, way)]
            continue
        assert type(name) is str
        steps.append((_printed(name), _entry(before, after, name, way)))
    steps.sort(key=lambda step: step[0])
    return [step for _, step in steps]


def _entry(before: MapItem | None, after: MapItem | None, name: str, way: tuple[Token, ...]) -> Step:
    there = (*way, KeyToken(name))
    if before is None:
        assert after is not None
        return [Test(Pointer(there), absent=True), Replace(Pointer((*way, KeyToken(name, optional=True))), after.value)]
    if after is None:
        return _removed(before.value, there)
    return before.value, after.value, there


def _arrays(a: Array, b: Array, way: tuple[Token, ...]) -> list[Step]:
    steps: list[Step] = [
        (x.value, y.value, (*way, IndexToken(place)))
        for place, (x, y) in enumerate(zip(a.items, b.items, strict=False))
        if x.value is not y.value
    ]
    shared = min(len(a.items), len(b.items))
    for item in a.items[shared:]:
        steps.append(_removed(item.value, (*way, IndexToken(shared))))
    for place, item in enumerate(b.items[shared:], shared):
        steps.append(
            [
                Test(Pointer((*way, IndexToken(place))), absent=True),
                Replace(Pointer((*way, AfterLastIndexToken())), item.value),
            ]
        )
    return steps


def _named(a: Array, b: Array, key: str, way: tuple[Token, ...]) -> list[Step] | None:
    """The steps for two arrays whose items have different texts under a key; None if indexes must be used."""
    old = {text_under(item, key): item.value for item in a.items}
    new = {text_under(item, key): item.value for item in b.items}
    common = [text for text in old if text in new]
    if not common or common != [text for text in new if text in old]:
        return None
    steps: list[Step] = []
    for text, value in old.items():
        if text is None or not _can_be_matched(text):
            return None
        there = (*way, MatchingIndexToken(key, text))
        steps.append((value, new[text], there) if text in new else _removed(value, there))
    later = iter([*common, None])
    following = next(later)
    for text, value in new.items():
        if text is None or not _can_be_matched(text):
            return None
        if text == following:
            following = next(later)
            continue
        token = (
            MatchingIndexToken(key, text, optional=True)
            if following is None
            else MatchingIndexToken(key, following, modifiers=("before",))
        )
        steps.append([Replace(Pointer((*way, token)), value)])
    return steps


def _can_be_matched(text: str) -> bool:
    """True if a path with this text after "=" selects exactly this text, and no variable changes it."""
    return text != "" and text.isprintable() and text[-1] != "?" and "((" not in text


def _printed(name: str) -> str:
    return write_value(name)


def expressible(key: Value) -> bool:
    """True if a required path part can name the key: it is not `-` or only digits, has no `=`, and does not end in `?`."""
    if type(key) is not str:
        return False
    return "=" not in key and key != "-" and key[-1:] != "?" and index_number(key) is None


def _has_nan(value: Value) -> bool:
    stack = [value]
    while stack:
        node = stack.pop()
        if type(node) is Map or type(node) is Array:
            stack.extend(item.value for item in node.items)
        elif type(node) is float and node != node:  # noqa: PLR0124
            return True
    return False
