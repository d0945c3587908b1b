"""Hints about a path that does not exist: the existing keys at its end, and the most similar one."""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import counted, did_you_mean, is_slip
from plait.base.suggestions import REPLACE, Suggestion
from plait.layering.data_paths import PathError, compile_path
from plait.layering.path_edits import find
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warning
    from plait.base.source import Position
    from plait.layering.data_paths import DataPath
    from plait.tree.nodes import Item, MapItem, Value

_SHOWN = 12
# Maximum numbers of searched keys, and of those compared with a misspelt one.
_SEARCHED = 10_000
_COMPARED = 200


def missing(data: Value, path: DataPath, *, is_secret: bool) -> tuple[str | None, str | None]:
    """The existing keys where a path ends, and a hint for the missing step; each may be None.

    is_secret: the data is secret; then the number of items is not shown.
    """
    way = ""
    for step in path.steps:
        if type(data) is Array and type(step) is int and step < len(data.items):
            way += f"[{step}]"
            data = data.items[step].value
            continue
        if type(data) is not Map or type(step) is not str:
            break
        item = data.find(step)
        if item is None:
            inner = below_data(data, path) if not way else None
            if inner is not None:
                return _keys(data, way), f"a path begins in the data: {inner}"
            near = did_you_mean(step, [key for key in data.keys() if type(key) is str])  # noqa: SIM118
            return _keys(data, way), near or (_further_down(data, path) if not way and not is_secret else None)
        way += f".{step}"
        data = item.value
    if type(data) is Map:
        is_index = any(type(step) is int for step in path.steps)
        first = data.items[0].key if data.items else None
        hint = f"a map has keys, not indexes: {way}.{first}" if is_index and type(first) is str else None
        return _keys(data, way), hint
    if type(data) is Array and not is_secret:
        count = len(data.items)
        return f"an array of {counted(count, 'item')}{f' at {way}' if way else ''}", (
            f"items are {way}[0] to {way}[{count - 1}]"
            if count > 1
            else f"the only item is {way}[0]"
            if count
            else None
        )
    return (f"{kind_name(data)} at {way}", f"there is nothing below it: {way} is the value") if way else (None, None)


def _further_down(data: Map, path: DataPath) -> str | None:
    """A hint with the only path in the data that ends as a missing one does, or None."""
    pending, found, rest = [("", data)], [], _SEARCHED
    while pending and rest > 0:
        way, inner = pending.pop()
        value: Value = inner
        for step in path.steps:
            item = _item(value, step)
            value = None if item is None else item.value
        if value is not None:
            found.append(way)
        rest -= len(inner.items)
        pending += [
            (f"{way}.{item.key}", item.value)
            for item in inner.items
            if type(item.value) is Map and type(item.key) is str and item.key.isidentifier()
        ]
    return f'did you mean "{found[0]}{path.text}"?' if len(found) == 1 and path.text.startswith(".") else None


def slip(data: Value, path: DataPath) -> tuple[str, MapItem] | None:
    """The first missing key on a path if it is a misspelt one, and the key that was meant; else None."""
    for step in path.steps:
        item = _item(data, step)
        if item is not None:
            data = item.value
            continue
        if type(data) is not Map or not isinstance(step, str):
            break
        for other in data.items[:_COMPARED]:
            if type(other.key) is str and is_slip(step, other.key):
                return step, other
        break
    return None


def near_miss(message: str, at: Position, key: str, other: MapItem) -> Warning:
    """The warning about a key that is added next to a similar one. message: without the similar key. at: where the key is
    written.
    """
    return warning(
        f'{message}; similar: "{other.key}" at {other.position}',
        code="near-miss",
        at=at,
        also=[other.position.labelled("the nearest candidate")],
        word=key,
        suggestions=[Suggestion(REPLACE, str(other.key), old=key)],
    )


def below_data(data: Value, path: DataPath, *, creates: bool = False) -> str | None:
    """The path without its first step `.data`, if the data has no key `data`, but has the rest of the path; else None.

    creates: the last key may be new, within a map that exists below the root.
    """
    steps = path.steps
    if steps[:1] != ("data",) or len(steps) < 2 or type(data) is not Map or data.find("data") is not None:
        return None
    inner: Value = data
    for number, step in enumerate(steps[1:], 1):
        item = _item(inner, step)
        if item is None:
            if creates and 1 < number == len(steps) - 1 and type(step) is str and type(inner) is Map:
                break
            return None
        inner = item.value
    return path.text[path.text.index("data") + len("data") :]


def unreadable(data: Value, error: PathError, *, is_secret: bool) -> str | None:
    """The hint for a text that is not a path: the item that a filter selects, or the hint of the error."""
    condition, end, after = error.rest.partition(")]")
    key, equals, wanted = condition.removeprefix("?(@.").partition("==")
    key, wanted = key.strip(), wanted.strip(" \"'")
    if is_secret or not (end and equals and condition.startswith("?(@.")):
        return error.hint
    try:
        items = find(data, compile_path(error.read.removesuffix("[")))
    except PathError:
        return error.hint
    numbers = [
        number
        for number, item in enumerate(items.items if type(items) is Array else ())
        if type(item.value) is Map and (one := item.value.find(key)) is not None and str(one.value) == wanted
    ]
    if len(numbers) != 1:
        return error.hint
    return f"a path has no filters; the item with {key} {wanted} is {error.read}{numbers[0]}]{after}"


def pattern(text: str, existing: object, special: frozenset[str]) -> str | None:
    """A hint for a pattern that occurs nowhere in the existing value, or None. special: the characters with a meaning."""
    if type(existing) is not str:
        return None
    if text in existing:
        literal = "".join(f"\\{char}" if char in special else char for char in text)
        return f"a pattern is a regular expression: {literal} finds this text"
    words = "".join(char if char.isalnum() or char == "_" else " " for char in existing).split()
    return did_you_mean("".join(char for char in text if char not in special), words)


def _item(value: Value, step: object) -> Item | None:
    if type(value) is Map:
        return value.find(step) if type(step) is str else None
    if type(value) is Array and type(step) is int and -len(value.items) <= step < len(value.items):
        return value.items[step]
    return None


def _keys(data: Map, way: str) -> str:
    where = f" at {way}" if way else ""
    if not data.items:
        return f"an empty map{where}"
    more = f" and {len(data.items) - _SHOWN} more" if len(data.items) > _SHOWN else ""
    return f"keys {', '.join(str(item.key) for item in data.items[:_SHOWN])}{more}{where}"
