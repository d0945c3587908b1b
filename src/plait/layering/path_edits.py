"""Operations along a path: find, write, remove. See docs/reference/layering.md.

Reading returns the first match. Writing changes all matches and copies only their ancestors. If nothing matches, it
creates the missing part: maps for names, and for `name[n]` a list padded with `{}`.

    find(data, compile_path(".l[0].a"))                # the first match, or MISSING
    write(data, compile_path(".l[*].a"), 1)            # a new tree, sharing what did not change
    without(data, compile_path(".l[0]"))
"""

from __future__ import annotations

from plait.base.numbers import number_of
from plait.layering.data_paths import Below, DataPath, Every, PathError, names_of, places_of
from plait.layering.failures import a_kind
from plait.tree.nodes import Array, ArrayItem, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.layering.data_paths import Step
    from plait.tree.nodes import Item, Value


class NoMatch:
    """The result of `find` if nothing matches."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = NoMatch()


def find(value: Value, path: DataPath) -> Value | NoMatch:
    """The first match, or MISSING."""
    if not path.plain:
        return next(find_all(value, path), MISSING)
    for step in path.steps:
        if isinstance(step, str):
            item = value.find(step) if type(value) is Map else None
            if item is None:
                return MISSING
            value = item.value
        else:
            if (
                type(value) is not Array
                or not isinstance(step, int)
                or not -len(value.items) <= step < len(value.items)
            ):
                return MISSING
            value = value.items[step].value
    return value


def item_at(value: Value, path: DataPath) -> MapItem | ArrayItem | None:
    """The item at a plain path; None at the root, and for other paths."""
    found: MapItem | ArrayItem | None = None
    for step in path.steps:
        items = selected(value, step) if path.plain else []
        if not items:
            return None
        found = items[0]
        value = found.value
    return found


def find_all(value: Value, path: DataPath) -> Iterator[Value]:
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
                stack.extend([item.value for item in here.items][::-1])
        return
    for item in selected(value, step):
        yield from _matches(item.value, steps, i + 1)


def selected(value: Value, step: Step) -> list[MapItem] | list[ArrayItem]:
    """The items of a value that one step (other than `..`) selects."""
    if type(value) is Map:
        if type(step) is Every:
            return value.items
        return [item for name in names_of(step) if (item := value.find(name)) is not None]
    if type(value) is Array:
        items = value.items
        return [items[place] for place in places_of(step, len(items))]
    return []


def write(value: Value, path: DataPath, new: Value) -> Value:
    """The tree with `new` at every match, or at a created path if nothing matches.

    Raises PathError if the path cannot be created: another value is in the way, or the path can only match (`[*]`,
    slices, ...).
    """
    steps = path.steps
    if not steps:
        return new
    if path.plain:
        return _write_plain(value, path, 0, new)
    if next(_matches(value, steps, 0), MISSING) is MISSING:
        return _write_plain(value, _literal(path), 0, new)
    return _set(value, steps, 0, new)


def _literal(path: DataPath) -> DataPath:
    """The path for creation, in which `*` after a dot is an ordinary key."""
    if path.obstacle is not None:
        raise PathError(f'nothing matches the path "{path.text}", and it cannot be created: {path.obstacle}')
    return DataPath(path.text, tuple("*" if type(step) is Every else step for step in path.steps), None)


def _write_plain(value: Value, path: DataPath, i: int, new: Value) -> Value:
    """Writes along keys and indexes. Creates missing parts."""
    steps = path.steps
    step = steps[i]
    last = i + 1 == len(steps)
    if type(step) is str:
        if type(value) is not Map:
            raise _in_the_way(value, path, i)
        item = value.find(step)
        if item is not None:
            return _with(value, item, new if last else _write_plain(item.value, path, i + 1, new))
        if path.obstacle is not None:
            raise _cannot_make(path)
        inner = new if last else _write_plain(_fresh(steps[i + 1], value), path, i + 1, new)
        return Map([*value.items, MapItem(step, inner, value.source, value.line)], value.source, value.line)
    if type(value) is not Array or type(step) is not int:
        raise _in_the_way(value, path, i)
    items = value.items
    if -len(items) <= step < len(items):
        old = items[step]
        return _with(value, old, new if last else _write_plain(old.value, path, i + 1, new))
    if path.obstacle is not None:
        raise _cannot_make(path)
    source, line = value.source, value.line
    padded = items + [ArrayItem(Map([], source, line), source, line) for _ in range(step + 1 - len(items))]
    inner = new if last else _write_plain(padded[step].value, path, i + 1, new)
    padded[step] = ArrayItem(inner, source, line)
    return value.with_items(padded)


def _fresh(step: Step, near: Map) -> Value:
    return Map([], near.source, near.line) if type(step) is str else Array([], near.source, near.line)


def _cannot_make(path: DataPath) -> PathError:
    return PathError(f'nothing is at the path "{path.text}", and it cannot be created: {path.obstacle}')


def _in_the_way(value: Value, path: DataPath, i: int) -> PathError:
    wanted = "a map" if type(path.steps[i]) is str else "a list"
    before = "".join(f".{step}" if type(step) is str else f"[{step}]" for step in path.steps[:i]) or "."
    at = value.position if type(value) is Map or type(value) is Array else None
    rest = "".join(f".{step}" if type(step) is str else f"[{step}]" for step in path.steps[i:])
    if type(value) is Array:
        key = path.steps[i]
        named = number_of(key) if type(key) is str else None
        if named is not None and named < len(value.items):
            inner = "".join(f".{step}" if type(step) is str else f"[{step}]" for step in path.steps[i + 1 :])
            hint = f"an item is named by its index in brackets: {before.rstrip('.')}[{named}]{inner}"
        else:
            hint = f"an item is named by its index, {before.rstrip('.')}[0]{rest}; without dashes, {before} is a map"
    elif type(value) is Map:
        hint = f"a value of a map is named by its key: {before.rstrip('.')}.KEY"
    else:
        hint = f"end the path at {before}, or remove the value there"
    return PathError(
        f'the path "{path.text}" needs {wanted} at "{before}", but there is {a_kind(value)}', at, hint=hint
    )


def _set(value: Value, steps: tuple[Step, ...], i: int, new: Value) -> Value:
    """The tree with every match changed; the same object if there are none."""
    if i == len(steps):
        return new
    step = steps[i]
    if type(step) is Below:
        return _set_below(value, steps, i + 1, new)
    chosen = {id(item) for item in selected(value, step)}
    if not chosen:
        return value
    return _mapped(value, lambda item: _set(item.value, steps, i + 1, new) if id(item) in chosen else item.value)


def _set_below(value: Value, steps: tuple[Step, ...], i: int, new: Value) -> Value:
    changed = _set(value, steps, i, new)
    if changed is new:
        return changed
    return _mapped(changed, lambda item: item.value if item.value is new else _set_below(item.value, steps, i, new))


def _mapped(value: Value, function: Callable[[MapItem | ArrayItem], Value]) -> Value:
    """The collection with each value replaced by the result of the function; the same object if nothing changes."""
    if type(value) is not Map and type(value) is not Array:
        return value
    return value.with_values([function(item) for item in value.items])


def without(value: Value, path: DataPath) -> Value:
    """The tree without the first match; the same object if there is none."""
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
        chosen = selected(value, step)
        below = i + 1
    for item in chosen:
        if below == len(steps):
            return _dropped(value, item)
        inner = _without(item.value, steps, below)
        if inner is not item.value:
            return _with(value, item, inner)
    return value


def _dropped(value: Value, old: Item) -> Value:
    if type(value) is Map:
        return value.with_items([item for item in value.items if item is not old])
    if type(value) is Array:
        return value.with_items([item for item in value.items if item is not old])
    return value


def _with(value: Value, old: MapItem | ArrayItem, inner: Value) -> Value:
    """The collection with the value of one item replaced. Nodes compare by identity, so `index` is one C loop."""
    if type(value) is Map and type(old) is MapItem:
        items = value.items.copy()
        items[items.index(old)] = old.with_value(inner)
        return value.with_items(items)
    if type(value) is Array and type(old) is ArrayItem:
        entries = value.items.copy()
        entries[entries.index(old)] = old.with_value(inner)
        return value.with_items(entries)
    return value
