"""Parsed paths into data: a small JSONPath (docs/reference/layering.md).

A path is compiled once into steps. A `str` step is a key and an `int` an index, which covers nearly all paths; other
steps (`*`, slices, several names, `..`) are objects. `path_edits` has the operations along a path.

A path also knows which missing parts can be *created*: names become maps, `name[n]` a list; all others only match.
Deckhand splits the text at its dots, so new names cannot contain a dot.
"""

from __future__ import annotations

from plait.base.errors import replacing
from plait.base.limits import current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from plait.base.source import Position

    Step: TypeAlias = "str | int | Every | Slice | Names | Indexes | Below"


def names_of(step: Step) -> tuple[str, ...]:
    """The keys that a step names explicitly; none for `*`."""
    if isinstance(step, str):
        return (step,)
    return step.names if isinstance(step, Names) else ()


def places_of(step: Step, count: int) -> Sequence[int]:
    """The indexes that a step selects in a list. count: the length of the list."""
    places = range(count)
    if isinstance(step, Every):
        return places
    if isinstance(step, Slice):
        return places[step.bounds]
    indexes = (step,) if isinstance(step, int) else step.indexes if isinstance(step, Indexes) else ()
    return [places[n] for n in indexes if -count <= n < count]


class PathError(Exception):
    """Raised for an invalid path, or data in which it cannot be created. The caller adds the owner of the path.

    at: the position of the value at which the path fails. key: the key of the substitution entry that is wrong, if it
    is not the path. read, rest: the parts of an invalid path before and after the fault.
    """

    read = rest = ""

    def __init__(
        self,
        message: str,
        at: Position | None = None,
        *,
        key: tuple[str, ...] = (),
        found: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.key = key
        self.found = found
        self.hint = hint


class Every:
    """`*`: all values of a map or a list."""

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
    """`..`: the value itself and all its descendants; the next step is tried on each."""

    __slots__ = ()


class DataPath:
    """A compiled path.

    text: as written. steps: see the module docstring. plain: it has only keys and indexes. obstacle: the reason why
    missing parts cannot be created, or None.
    """

    __slots__ = ("obstacle", "plain", "steps", "text")

    def __init__(self, text: str, steps: tuple[Step, ...], obstacle: str | None) -> None:
        self.text = text
        self.steps = steps
        self.plain = all(type(step) is str or type(step) is int for step in steps)
        self.obstacle = obstacle

    def __repr__(self) -> str:
        return f"Path({self.text!r})"


ROOT = DataPath(".", (), None)
# Maximum number and length of compiled paths in the cache. Typical paths have about forty characters.
_LIMIT = 20_000
_LONGEST = 500
_compiled: dict[str, DataPath] = {".": ROOT, "$": ROOT}


def compile_path(text: str) -> DataPath:
    """The path for a text with or without a leading `$` or `.`. Raises PathError if it is invalid."""
    path = _compiled.get(text)
    if path is None:
        if len(_compiled) >= _LIMIT:
            _compiled.clear()
            _compiled.update({".": ROOT, "$": ROOT})
        path = _Reader(text).read()
        if len(text) <= _LONGEST:
            _compiled[text] = path
    return path


def action_path(text: str) -> DataPath:
    """The path of an action: the empty string is the root, and a leading `data` component is omitted."""
    rest = text
    for prefix in (".data", "$.data"):
        if text.startswith(prefix) and text[len(prefix) : len(prefix) + 1] in ("", ".", "["):
            rest = text[len(prefix) :]
            break
    if not rest:
        return ROOT
    return compile_path("." + rest if rest[0] not in ".$" else rest)


def destination_path(text: str) -> DataPath:
    """The path of a substitution's destination, which must start with `.` or `$.` or be the root."""
    if text == "$" or text.startswith((".", "$.")):
        return compile_path(text)
    steps = text.strip("/").replace("/", ".")
    raise PathError(
        f'a destination path starts with "." or "$.", unlike "{text}"',
        hint=replacing(text, [f".{steps}"], f'did you mean ".{steps}"?'),
    )


PATH_FORM = "a path such as .spec.ports[0]"
_FORM = "a path is written .key.list[0], and a key with other characters in quotes: .'a key'"
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

    def read(self) -> DataPath:
        text = self.text
        most = current_budget().limits.pointer
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
                    self.cannot("in a new list, exactly one index must follow a name directly")
                self.bracket(steps)
            elif char == ".":
                self.at += 1
                if self.peek() == ".":
                    self.at += 1
                    steps.append(Below())
                    self.cannot('".." matches existing items only')
                self.skip()
                if self.peek() == "[":
                    self.cannot("a bracket after a dot matches existing items only")
                    self.bracket(steps)
                else:
                    self.name(steps)
            else:
                raise self.wrong()
            if len(steps) > most:
                raise limit_error(f"a path of {len(steps)} steps", "pointer", most)
        return DataPath(text, tuple(steps), self.obstacle)

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
        written = self.text.replace("./", "/").replace("/", ".")
        hint = f"steps are written with dots: {written}" if rest[:1] == "/" else _FORM
        if rest[:1] == "?":
            hint = f"a path has no filters: an index selects an item, {self.text[: self.at]}0]"
        error = PathError(f'cannot read the path "{self.text}" {where}', hint=hint)
        error.read = self.text[: self.at]
        error.rest = rest
        return error

    def word(self) -> str | None:
        """Reads an unquoted or quoted name; None if there is none."""
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
            self.cannot("a name with a dot matches existing items only")
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
        """Reads `a`, `'a b'`, `a,b`, `*` or only digits, after a dot."""
        if self.peek() == "*":
            self.at += 1
            # Deckhand creates a key "*" if nothing matches.
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
            self.cannot("several names match existing items only")
            steps.append(Names(tuple(names)))

    def bracket(self, steps: list[Step]) -> None:
        """Reads `[0]`, `[0,1]`, `[a:b]`, `[*]`, `['a']`, `['a','b']`."""
        self.at += 1
        self.skip()
        word = self.word()
        if word is not None:
            self.cannot("a name in brackets matches existing items only")
            names = [word]
            while self.more():
                word = self.word()
                if word is None:
                    raise self.wrong()
                names.append(word)
            steps.append(names[0] if len(names) == 1 else Names(tuple(names)))
        elif self.peek() == "*":
            self.at += 1
            self.cannot('"[*]" matches existing items only')
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
            self.cannot("a slice matches existing items only")
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
                self.cannot("a negative index matches existing items only")
            elif first > 100_000:
                self.cannot("the index is too large for a new list")
            steps.append(first)
        else:
            self.cannot("several indexes match existing items only")
            steps.append(Indexes(tuple(indexes)))
