"""Paths into data: a small JSONPath (spec layering 6).

A path text is compiled once into steps; a plain `str` step is a key and a plain `int` an index, which is what nearly all
paths have; the rest (`*`, slices, several names, `..`) are objects. Reading takes the first match. Writing changes all
matches and copies only what lies above them. Where nothing matches, writing makes the missing part of the path: maps for
names, and for `name[n]` a list filled up with `{}`.

    find(data, compile_path(".l[0].a"))                # the first match, or MISSING
    write(data, compile_path(".l[*].a"), 1)            # a new tree
"""

from __future__ import annotations

from weft.nodes import Array, ArrayItem, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from weft.nodes import Value
    from weft.source import Position

    Step: TypeAlias = "str | int | Every | Slice | Names | Indexes | Below"


class PathError(Exception):
    """A path that cannot be read, or data in which it cannot be made; the caller knows whose path it is."""

    def __init__(self, message: str, at: Position | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class Missing:
    """What `find` answers when nothing matches."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


class Every:
    """`*`: every value of a map or a list."""

    __slots__ = ()


class Slice:
    """`[a:b:c]` of a list."""

    __slots__ = ("bounds",)

    def __init__(self, bounds: slice) -> None:
        self.bounds = bounds


class Names:
    """`a,b`: several keys of a map."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names


class Indexes:
    """`[0,2]`: several items of a list."""

    __slots__ = ("indexes",)

    def __init__(self, indexes: tuple[int, ...]) -> None:
        self.indexes = indexes


class Below:
    """`..`: the value itself and everything below it; the next step is tried on each."""

    __slots__ = ()


class Path:
    """A compiled path.

    text: as written. steps: see the module. plain: only keys and indexes. obstacle: why it cannot be made where it is
    missing, or None when it can.
    """

    __slots__ = ("obstacle", "plain", "steps", "text")

    def __init__(self, text: str, steps: tuple[Step, ...], obstacle: str | None) -> None:
        self.text = text
        self.steps = steps
        self.plain = all(type(step) is str or type(step) is int for step in steps)
        self.obstacle = obstacle

    def __repr__(self) -> str:
        return f"Path({self.text!r})"


ROOT = Path(".", (), None)
_LIMIT = 20_000
_compiled: dict[str, Path] = {".": ROOT, "$": ROOT}


def compile_path(text: str) -> Path:
    """The path for a text with or without a leading `$` or `.`. Raises PathError when it is none."""
    path = _compiled.get(text)
    if path is None:
        if len(_compiled) >= _LIMIT:
            _compiled.clear()
            _compiled.update({".": ROOT, "$": ROOT})
        path = _compiled[text] = _Reader(text).read()
    return path


def action_path(text: str) -> Path:
    """The path of an action: the empty text is the root, and a leading `data` component is left out (spec layering 6)."""
    rest = text
    for prefix in (".data", "$.data"):
        if text.startswith(prefix) and text[len(prefix) : len(prefix) + 1] in ("", ".", "["):
            rest = text[len(prefix) :]
            break
    if not rest:
        return ROOT
    return compile_path("." + rest if rest[0] not in ".$" else rest)


def destination_path(text: str) -> Path:
    """The path of a substitution's destination, which must start with `.` or `$.` or be the root."""
    if text == "$" or text.startswith((".", "$.")):
        return compile_path(text)
    raise PathError(f'a destination path starts with "." or "$.", unlike "{text}"')


_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_@")
_NAME = _NAME_START | frozenset("0123456789-/")
_DIGITS = frozenset("0123456789")


class _Reader:
    """Reads one path text, left to right."""

    __slots__ = ("at", "obstacle", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.obstacle: str | None = None

    def read(self) -> Path:
        text = self.text
        steps: list[Step] = []
        self.skip()
        char = self.peek()
        if char == "$":
            self.at += 1
        elif char not in (".", "["):
            self.name(steps)
        while True:
            self.skip()
            char = self.peek()
            if char == "":
                break
            if char == "[":
                if not steps or type(steps[-1]) is not str:
                    self.cannot("an index in a new list follows a name directly, once")
                self.bracket(steps)
            elif char == ".":
                self.at += 1
                if self.peek() == ".":
                    self.at += 1
                    steps.append(Below())
                    self.cannot('".." only finds what is there')
                self.skip()
                if self.peek() == "[":
                    self.cannot("a bracket after a dot only finds what is there")
                    self.bracket(steps)
                else:
                    self.name(steps)
            else:
                raise self.wrong()
        return Path(text, tuple(steps), self.obstacle)

    def cannot(self, reason: str) -> None:
        if self.obstacle is None:
            self.obstacle = reason

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        while self.peek() in (" ", "\t", "\n") and self.peek():
            self.at += 1

    def wrong(self) -> PathError:
        rest = self.text[self.at :]
        where = f'at "{rest}"' if rest else "at its end"
        return PathError(f'cannot read the path "{self.text}" {where}')

    def word(self) -> str | None:
        """An unquoted or quoted name, or None when there is none here."""
        text, start = self.text, self.at
        char = self.peek()
        if char and (char in _NAME_START or char >= "\x80"):
            end = start + 1
            while end < len(text) and (text[end] in _NAME or text[end] >= "\x80"):
                end += 1
            self.at = end
            return text[start:end]
        if char not in ("'", '"') or not char:
            return None
        out: list[str] = []
        end = start + 1
        while end < len(text) and text[end] != char:
            if text[end] == "\\":
                end += 1
            out.append(text[end : end + 1])
            end += 1
        if end >= len(text):
            raise self.wrong()
        self.at = end + 1
        name = "".join(out)
        if "." in name:
            self.cannot("a name with a dot only finds what is there")
        return name

    def number(self) -> int | None:
        text, start = self.text, self.at
        end = start + 1 if self.peek() == "-" else start
        while end < len(text) and text[end] in _DIGITS:
            end += 1
        if not text[start:end].strip("-") or end - start > 18:
            return None
        self.at = end
        return int(text[start:end])

    def name(self, steps: list[Step]) -> None:
        """`a`, `'a b'`, `a,b`, `*` or digits only, after a dot."""
        if self.peek() == "*":
            self.at += 1
            # The reference makes a key "*" where there is nothing to match (spec layering 9.2).
            steps.append(Every())
            return
        word = self.word()
        if word is None:
            number = self.number()
            if number is None or (self.peek() and self.peek() not in ".[ \t\n"):
                raise self.wrong()
            steps.append(str(number))
            return
        names = [word]
        self.skip()
        while self.peek() == ",":
            self.at += 1
            self.skip()
            word = self.word()
            if word is None:
                raise self.wrong()
            names.append(word)
            self.skip()
        if len(names) == 1:
            steps.append(names[0])
        else:
            self.cannot("several names only find what is there")
            steps.append(Names(tuple(names)))

    def bracket(self, steps: list[Step]) -> None:
        """`[0]`, `[0,1]`, `[a:b]`, `[*]`, `['a']`, `['a','b']`."""
        self.at += 1
        self.skip()
        word = self.word()
        if word is not None:
            self.cannot("a name in brackets only finds what is there")
            names = [word]
            while self.more():
                word = self.word()
                if word is None:
                    raise self.wrong()
                names.append(word)
            steps.append(names[0] if len(names) == 1 else Names(tuple(names)))
        elif self.peek() == "*":
            self.at += 1
            self.cannot('"[*]" only finds what is there')
            steps.append(Every())
        else:
            self.indexes(steps)
        self.skip()
        if self.peek() != "]":
            raise self.wrong()
        self.at += 1

    def more(self) -> bool:
        self.skip()
        if self.peek() != ",":
            return False
        self.at += 1
        self.skip()
        return True

    def indexes(self, steps: list[Step]) -> None:
        first = self.number()
        self.skip()
        if self.peek() == ":":
            bounds: list[int | None] = [first]
            while self.peek() == ":" and len(bounds) < 3:
                self.at += 1
                self.skip()
                bounds.append(self.number())
                self.skip()
            self.cannot("a slice only finds what is there")
            bounds += [None] * (3 - len(bounds))
            if bounds[2] == 0:
                raise self.wrong()
            steps.append(Slice(slice(bounds[0], bounds[1], bounds[2])))
            return
        if first is None:
            raise self.wrong()
        indexes = [first]
        while self.more():
            number = self.number()
            if number is None:
                raise self.wrong()
            indexes.append(number)
        if len(indexes) == 1:
            if first < 0:
                self.cannot("a negative index only finds what is there")
            elif first > 100_000:
                self.cannot("the index is too large for a new list")
            steps.append(first)
        else:
            self.cannot("several indexes only find what is there")
            steps.append(Indexes(tuple(indexes)))


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
                stack.extend(item.value for item in reversed(here.items))
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
    return PathError(f'the path "{path.text}" needs {wanted} at "{before}", but there is {_a(value)}', at)


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


def _mapped(value: Value, function: object) -> Value:
    """The collection with each value replaced by what the function gives; the same object when all are the same."""
    kind = type(value)
    if kind is not Map and kind is not Array:
        return value
    items: list[object] = []
    differs = False
    for item in value.items:  # type: ignore[union-attr]
        inner = function(item)  # type: ignore[operator]
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
            return value.with_items([other for other in value.items if other is not item])  # type: ignore[union-attr]
        inner = _without(item.value, steps, below)
        if inner is not item.value:
            return _with(value, item, item.with_value(inner))
    return value


def _with(value: Value, old: object, new: object) -> Value:
    items = value.items.copy()  # type: ignore[union-attr]
    items[_position(items, old)] = new
    return value.with_items(items)  # type: ignore[union-attr]


def _position(items: list[object], wanted: object) -> int:
    # Nodes compare by identity, so this is one C loop.
    return items.index(wanted)


def _a(value: object) -> str:
    name = kind_name(value)
    return name if name == "null" else f"an {name}" if name[0] in "aeiou" else f"a {name}"
