"""What is done along a path: find, write, take away (spec layering 6).

Reading takes the first match. Writing changes all matches and copies only what lies above them; where nothing matches it
makes the missing part: maps for names, and for `name[n]` a list filled up with `{}`.

    find(data, compile_path(".l[0].a"))                # the first match, or MISSING
    write(data, compile_path(".l[*].a"), 1)            # a new tree, sharing what did not change
    without(data, compile_path(".l[0]"))
"""

from __future__ import annotations

from plait.layering.paths import Below, Every, Indexes, Names, Path, PathError, Slice
from plait.layering.wording import a_kind
from plait.nodes import Array, ArrayItem, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from plait.layering.paths import Step
    from plait.nodes import Value


class Missing:
    """What `find` answers when nothing matches."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


def find(value: Value, path: Path) -> Value | Missing:
    """The first match, or MISSING."""
    if not path.plain:
        return next(find_all(value, path), MISSING)
    for step in path.steps:
        if type(step) is str:
            item = value.find(step) if type(value) is Map else None
            if item is None:
                return MISSING
            value = item.value
        else:
            if type(value) is not Array:
                return MISSING
            items = value.items
            if not -len(items) <= step < len(items):  # type: ignore[operator]
                return MISSING
            value = items[step].value  # type: ignore[index]
    return value


def item_at(value: Value, path: Path) -> MapItem | ArrayItem | None:
    """The item whose value a plain path leads to; None at the root, and for a path that is not plain."""
    found: MapItem | ArrayItem | None = None
    for step in path.steps:
        items = _selected(value, step) if path.plain else []
        if not items:
            return None
        found = items[0]
        value = found.value
    return found


def find_all(value: Value, path: Path) -> Iterator[Value]:
    """Every match, in order."""
    return _matches(value, path.steps, 0)


def _matches(value: Value, steps: tuple[Step, ...], i: int) -> Iterator[Value]:
    if i == len(steps):
        yield value
        return
    step = steps[i]
    if type(step) is Below:
        stack = [value]
        while stack:
            here = stack.pop()
            yield from _matches(here, steps, i + 1)
            if type(here) is Map or type(here) is Array:
                children: list[Any] = here.items
                stack.extend(item.value for item in reversed(children))
        return
    for item in _selected(value, step):
        yield from _matches(item.value, steps, i + 1)


def _selected(value: Value, step: Step) -> list[MapItem] | list[ArrayItem]:
    """The items of a value that one step (other than `..`) means."""
    kind = type(step)
    if type(value) is Map:
        if kind is str or kind is Names:
            names = (step,) if kind is str else step.names  # type: ignore[union-attr]
            return [item for name in names if (item := value.find(name)) is not None]  # type: ignore[arg-type]
        return value.items if kind is Every else []
    if type(value) is Array:
        items = value.items
        if kind is Every:
            return items
        if kind is Slice:
            return items[step.bounds]  # type: ignore[union-attr]
        if kind is int or kind is Indexes:
            indexes = (step,) if kind is int else step.indexes  # type: ignore[union-attr]
            return [items[n] for n in indexes if -len(items) <= n < len(items)]  # type: ignore[operator, index]
    return []


def write(value: Value, path: Path, new: Value) -> Value:
    """The tree with `new` at every match, or at a place made for it when there is none.

    Raises PathError when it cannot be made: something is in the way, or the path only finds (`[*]`, slices, ...).
    """
    steps = path.steps
    if not steps:
        return new
    if path.plain:
        return _write_plain(value, path, 0, new)
    if next(_matches(value, steps, 0), MISSING) is MISSING:
        return _write_plain(value, _literal(path), 0, new)
    return _set(value, steps, 0, new)


def _literal(path: Path) -> Path:
    """A path to be made: `*` after a dot is a key like any other then."""
    if path.obstacle is not None:
        raise PathError(f'nothing matches the path "{path.text}", and it cannot be made: {path.obstacle}')
    return Path(path.text, tuple("*" if type(step) is Every else step for step in path.steps), None)


def _write_plain(value: Value, path: Path, i: int, new: Value) -> Value:
    """Write along keys and indexes, making what is missing."""
    steps = path.steps
    step = steps[i]
    last = i + 1 == len(steps)
    if type(step) is str:
        if type(value) is not Map:
            raise _in_the_way(value, path, i)
        item = value.find(step)
        if item is not None:
            inner = new if last else _write_plain(item.value, path, i + 1, new)
            return _with(value, item, item.with_value(inner))
        if path.obstacle is not None:
            raise _cannot_make(path)
        inner = new if last else _write_plain(_fresh(steps[i + 1], value), path, i + 1, new)
        return Map([*value.items, MapItem(step, inner, value.source, value.line)], value.source, value.line)
    if type(value) is not Array:
        raise _in_the_way(value, path, i)
    items = value.items
    index: int = step  # type: ignore[assignment]
    if -len(items) <= index < len(items):
        old = items[index]
        inner = new if last else _write_plain(old.value, path, i + 1, new)
        changed = items.copy()
        changed[index] = old.with_value(inner)
        return value.with_items(changed)
    if path.obstacle is not None:
        raise _cannot_make(path)
    source, line = value.source, value.line
    padded = items + [ArrayItem(Map([], source, line), source, line) for _ in range(index + 1 - len(items))]
    inner = new if last else _write_plain(padded[index].value, path, i + 1, new)
    padded[index] = ArrayItem(inner, source, line)
    return value.with_items(padded)


def _fresh(step: Step, near: Map) -> Value:
    return Map([], near.source, near.line) if type(step) is str else Array([], near.source, near.line)


def _cannot_make(path: Path) -> PathError:
    return PathError(f'nothing is at the path "{path.text}", and it cannot be made: {path.obstacle}')


def _in_the_way(value: Value, path: Path, i: int) -> PathError:
    wanted = "a map" if type(path.steps[i]) is str else "a list"
    before = "".join(f".{step}" if type(step) is str else f"[{step}]" for step in path.steps[:i]) or "."
    at = value.position if type(value) is Map or type(value) is Array else None
    return PathError(f'the path "{path.text}" needs {wanted} at "{before}", but there is {a_kind(value)}', at)


def _set(value: Value, steps: tuple[Step, ...], i: int, new: Value) -> Value:
    """Every match changed; the same object when there is none."""
    if i == len(steps):
        return new
    step = steps[i]
    if type(step) is Below:
        return _set_below(value, steps, i + 1, new)
    chosen = {id(item) for item in _selected(value, step)}
    if not chosen:
        return value
    return _mapped(value, lambda item: _set(item.value, steps, i + 1, new) if id(item) in chosen else item.value)


def _set_below(value: Value, steps: tuple[Step, ...], i: int, new: Value) -> Value:
    changed = _set(value, steps, i, new)
    if changed is new:
        return changed
    return _mapped(changed, lambda item: item.value if item.value is new else _set_below(item.value, steps, i, new))


def _mapped(value: Value, function: Callable[[Any], Value]) -> Value:
    """The collection with each value replaced by what the function gives; the same object when all are the same."""
    kind = type(value)
    if kind is not Map and kind is not Array:
        return value
    items: list[object] = []
    differs = False
    for item in value.items:  # type: ignore[union-attr]
        inner = function(item)
        if inner is item.value:
            items.append(item)
        else:
            differs = True
            items.append(item.with_value(inner))
    return value.with_items(items) if differs else value  # type: ignore[union-attr, arg-type]


def without(value: Value, path: Path) -> Value:
    """The tree without the first match; the same object when nothing matches."""
    return _without(value, path.steps, 0)


def _without(value: Value, steps: tuple[Step, ...], i: int) -> Value:
    step = steps[i]
    if type(step) is Below:
        changed = _without(value, steps, i + 1)
        if changed is not value:
            return changed
        chosen: list[MapItem] | list[ArrayItem] = value.items if type(value) is Map or type(value) is Array else []
        below = i
    else:
        chosen = _selected(value, step)
        below = i + 1
    for item in chosen:
        if below == len(steps):
            return _dropped(value, item)
        inner = _without(item.value, steps, below)
        if inner is not item.value:
            return _with(value, item, item.with_value(inner))
    return value


def _dropped(value: Any, old: Any) -> Value:
    result: Value = value.with_items([item for item in value.items if item is not old])
    return result


def _with(value: Any, old: Any, new: Any) -> Value:
    """The collection with one item exchanged. Nodes compare by identity, so `index` is one C loop."""
    items = value.items.copy()
    items[items.index(old)] = new
    result: Value = value.with_items(items)
    return result
