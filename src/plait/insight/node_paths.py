"""PATH: selects documents, and values in them.

    Deployment/web:spec.replicas         kind and name, or schema and name, then keys
    web:spec.containers[name=app].image  a name alone; an array item by one of its values
    blue/Deployment/web:spec             the document in a namespace
    Deployment/web#2:spec                the second document of this name; all of them with #*
    notes.txt:3                          a line of a text file of the output
    */web:spec.*                         patterns: `*` within a key or name, `**` for any depth
    spec.ports[0]                        in every document
    /spec/replicas                       a pointer as in an operations file

A key that contains a dot, a bracket or a colon is written in double quotes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from plait.base.errors import UsageError
from plait.base.limits import current_budget, limit_error
from plait.base.numbers import number_of
from plait.base.similar_names import counted
from plait.insight.item_names import ItemNames
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken
from plait.ops.pointer import parse as parse_pointer
from plait.tree.nodes import Array, Document, Map
from plait.tree.secrets import HIDDEN
from plait.yaml.document_names import document_name, key_text, name_items, namespace_of, path_text, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import Item, Value

    Step: TypeAlias = "str | int | tuple[str, str]"


class NodePath:
    """An item with its ancestors: the document, and the items from its root down to the item itself.

    names: names of array items; shared by all paths of one query.
    """

    __slots__ = ("_names", "_path", "document", "number", "way")

    def __init__(
        self,
        document: Document,
        number: int,
        ancestors: tuple[Item, ...],
        path: str | None = None,
        names: ItemNames | None = None,
    ) -> None:
        self.document = document
        self.number = number  # index of the document, from 0
        self.way = ancestors
        self._path = path
        self._names = names

    @property
    def item(self) -> Item:
        return self.way[-1] if self.way else self.document

    @property
    def value(self) -> Value:
        return self.item.value

    @property
    def path(self) -> str:
        """The path as text, such as `spec.ports[0]`."""
        if self._path is None:
            self._path = path_text(self.document, self.way, None, None if self._names is None else self._names.key)
        return self._path

    def named(self, names: ItemNames) -> NodePath:
        """The same path with other names."""
        return NodePath(self.document, self.number, self.way, None if names.hides_keys else self._path, names)

    def at(self, ancestors: tuple[Item, ...]) -> NodePath:
        """A path in the same document, with these ancestors."""
        return NodePath(self.document, self.number, ancestors, names=self._names)

    @property
    def document_name(self) -> str | None:
        """The name of the document, or None."""
        return (self._names or ItemNames()).document(self.document, self.number)

    @property
    def parts(self) -> tuple[str | None, str]:
        """The document's name, or None, and the path as text, with the names of items."""
        names = self._names or ItemNames()
        return self.document_name, path_text(self.document, self.way, names.of, names.key)

    def __str__(self) -> str:
        name, path = self.parts
        if name is None:
            return path or f"document {self.number + 1}"
        return f"{name}:{path}" if path else name


class Path:
    """A parsed PATH. selector: a pattern of document names, None for all. steps: keys, indexes, and (key, value) of an
    item.
    """

    __slots__ = ("selector", "steps", "text")

    def __init__(self, text: str, selector: str | None, steps: Sequence[Step]) -> None:
        self.text = text
        self.selector = selector
        self.steps = steps


def parse(text: str) -> Path:
    """Parses a PATH. Raises a UsageError that shows the invalid part."""
    if not text:
        raise UsageError(
            "the PATH is empty", expected="a PATH such as Deployment/web:spec.replicas", code="path-syntax"
        )
    if text.startswith("/"):
        return Path(text, None, _pointer(text))
    selector: str | None = None
    rest = text
    colon = _outside_quotes(text, ":")
    if colon >= 0:
        selector, rest = text[:colon], text[colon + 1 :]
        if not selector:
            raise UsageError(
                f'"{text}" has no document before ":"',
                expected="a PATH such as Deployment/web:spec.replicas",
                code="path-syntax",
            )
    elif "/" in text and '"' not in text and "['" not in text:
        selector, rest = text, ""
    if selector is not None and rest.startswith("/"):
        return Path(text, selector, _pointer(rest))
    return Path(text, selector, _steps(text, rest))


def _outside_quotes(text: str, expected: str) -> int:
    quoted = False
    depth = 0
    for place, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char == "[":
            depth += 1
        elif not quoted and char == "]":
            depth -= 1
        elif char == expected and not quoted and depth == 0:
            return place
    return -1


def _pointer(text: str) -> list[Step]:
    steps: list[Step] = []
    for token in parse_pointer(text).tokens:
        if type(token) is KeyToken:
            steps.append(token.name)
        elif type(token) is IndexToken:
            steps.append(token.number)
        elif type(token) is MatchingIndexToken:
            steps.append((token.key, token.value))
        else:
            raise UsageError(f'"-" does not select a value: "{text}"', code="path-syntax")
    return steps


def _steps(text: str, rest: str) -> list[Step]:
    steps: list[Step] = []
    at = 0
    expect_key = True
    while at < len(rest):
        char = rest[at]
        if char == ".":
            if expect_key:
                error = _unreadable(text, rest, at, "a key before the dot")
                if not at and len(rest) > 1:
                    error.hint = f"without the first dot: {text.removesuffix(rest)}{rest[1:]}"
                raise error
            expect_key = True
            at += 1
        elif char == "[":
            quote = rest[at + 1 : at + 2]
            is_quoted = quote in ('"', "'")
            end = rest.find(f"{quote}]", at + 2) + 1 if is_quoted else rest.find("]", at)
            if end < at + 1:
                raise _unreadable(text, rest, at, 'a closing quote and "]"' if is_quoted else '"]" after "["')
            inside = rest[at + 1 : end]
            steps.append(_literal(inside[1:-1]) if is_quoted else _bracket(inside, text, rest, at))
            expect_key = False
            at = end + 1
        elif not expect_key:
            raise _unreadable(text, rest, at, '"." or "[" after "]"')
        elif char == '"':
            end = rest.find('"', at + 1)
            if end < 0:
                raise _unreadable(text, rest, at, "a closing quote")
            steps.append(_literal(rest[at + 1 : end]))
            expect_key = False
            at = end + 1
        else:
            end = at
            while end < len(rest) and rest[end] not in ".[":
                end += 1
            steps.append(rest[at:end])
            expect_key = False
            at = end
    if expect_key and rest:
        raise _unreadable(text, rest, len(rest), "a key after the dot")
    return steps


def _literal(key: str) -> str:
    """A quoted key, in which no character is a wildcard."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in key)


def _bracket(inside: str, text: str, rest: str, at: int) -> Step:
    if inside == "*":
        return "*"
    key, equals, value = inside.partition("=")
    if equals:
        return key, value.strip('"')
    try:
        return int(inside)
    except ValueError:
        raise _unreadable(text, rest, at, "a number, key=value or * in brackets") from None


def _unreadable(text: str, rest: str, at: int, expected: str) -> UsageError:
    column = len(text) - len(rest) + at + 1
    return UsageError(f'cannot read the PATH "{text}" at column {column}', expected=expected, code="path-syntax")


# ---- names


def names_of(document: Document) -> list[str]:
    """All names that select a document: with its namespace, without it, and without the kind."""
    name = document_name(document)
    if name is None:
        return []
    last = name.rpartition("/")[2]
    space = namespace_of(document)
    return [
        *([] if space is None else [f"{scalar_text(space.value)}/{name}"]),
        name,
        *([] if last == name else [last]),
    ]


# ---- lines of text files


class TextFileLine(NodePath):
    """A line of a text file of the output. file: its path."""

    __slots__ = ("file",)

    def __init__(self, file: str, item: Item, number: int) -> None:
        super().__init__(Document(item.value, item.source, item.line), 0, (item,), str(number))
        self.file = file

    def named(self, names: ItemNames) -> TextFileLine:  # noqa: ARG002 - there is nothing else to call it
        return self

    @property
    def document_name(self) -> str:
        return self.file

    @property
    def parts(self) -> tuple[str | None, str]:
        return self.file, self.path

    def __str__(self) -> str:
        return f"{self.file}:{self.path}"


def text_lines(texts: Mapping[str, Array], path: Path | None = None) -> list[TextFileLine]:
    """The lines of text files that a PATH selects (`notes.txt:3`); without a PATH, all lines. Raises UsageError."""
    names = [name for name in texts if path is None or path.selector is None or fnmatchcase(name, path.selector)]
    found: list[TextFileLine] = []
    for name in names:
        lines = [TextFileLine(name, item, number) for number, item in enumerate(texts[name].items, 1)]
        if path is None or not path.steps or path.steps in (["*"], ["**"]):
            found += lines
            continue
        step = path.steps[0]
        number = step if type(step) is int else number_of(step) if type(step) is str else None
        if len(path.steps) == 1 and number is not None and 0 < number <= len(lines):
            found.append(lines[number - 1])
    if path is not None and not found:
        sizes = ", ".join(f"{name} with {counted(len(texts[name].items), 'line')}" for name in names)
        raise UsageError(
            f'no line of a text file: "{path.text}"', found=sizes, expected=f"such as {names[0]}:1", code="path-syntax"
        )
    return found


def means_text(path: Path, texts: Mapping[str, Array]) -> bool:
    """True if a PATH selects text files of the output."""
    return path.selector is not None and any(fnmatchcase(name, path.selector) for name in texts)


# ---- finding


def places(path: Path, documents: Sequence[Document], names: ItemNames | None = None) -> list[NodePath]:
    """The values that a PATH matches, in order; empty if there are none. names: the names of documents and items."""
    names = ItemNames() if names is None else names
    return [
        NodePath(document, number, way, names=names)
        for number, document in chosen(path, documents, names)
        for way in ways(document.value, path.steps, names)
    ]


def chosen(path: Path, documents: Sequence[Document], names: ItemNames | None = None) -> list[tuple[int, Document]]:
    """The documents that a PATH selects, each with its number. names: the names of documents."""
    names = ItemNames() if names is None else names
    numbered = list(enumerate(documents))
    if path.selector is None:
        return numbered
    found = _called(path.selector, numbered, names)
    name, mark, count = path.selector.rpartition("#")
    if found or not mark:
        return found
    named = _called(name, numbered, names)
    if count == "*":
        return named
    number = number_of(count)
    return named[number - 1 : number] if number else []


def _called(selector: str, numbered: Sequence[tuple[int, Document]], names: ItemNames) -> list[tuple[int, Document]]:
    def known_as(document: Document, number: int) -> Sequence[str]:
        if any(map(names.hides, name_items(document))):
            return [names.document(document, number) or ""]
        return names_of(document)

    return [one for one in numbered if any(fnmatchcase(name, selector) for name in known_as(one[1], one[0]))]


def ways(value: Value, steps: Sequence[Step], names: ItemNames | None = None) -> list[tuple[Item, ...]]:
    """The node paths from a value to the items that the steps select. names: replace secret keys and values.

    A value is visited once for each step, even if several `**` lead to it. Raises LimitError (steps, seconds).
    """
    names = ItemNames() if names is None else names
    run = current_budget()
    most = run.most("steps")
    found: dict[int, tuple[Item, ...]] = {}
    # Indexes of paths, by the parent's path and the item.
    numbers: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[Value, int, int, tuple[Item, ...]]] = [(value, 0, 0, ())]

    def push(items: Sequence[Item], depth: int, number: int, ancestors: tuple[Item, ...]) -> None:
        for item in reversed(items):
            below = numbers.setdefault((number, id(item)), len(numbers) + 1)
            if (below, depth) not in seen:
                stack.append((item.value, depth, below, (*ancestors, item)))

    while stack:
        value, depth, number, way = stack.pop()
        if (number, depth) in seen:
            continue
        seen.add((number, depth))
        if len(seen) * _STEPS_EACH > most:
            raise limit_error("finding the places of a PATH", "steps", most)
        if len(seen) % _CHECKED == 0:
            run.check_time()
        if depth == len(steps):
            found[number] = way
            continue
        step = steps[depth]
        if step == "**":
            push(_items(value), depth, number, way)
            stack.append((value, depth + 1, number, way))
            continue
        push(_matching(value, step, names), depth + 1, number, way)
    return list(found.values())


# Number of steps charged for the visit of a value.
_STEPS_EACH = 20
_CHECKED = 1000


def _items(value: Value) -> Sequence[Item]:
    return value.items if type(value) is Map or type(value) is Array else ()


def _matching(value: Value, step: Step, names: ItemNames) -> Sequence[Item]:
    if type(value) is Map:
        hidden = names.secret_keys(value)
        if type(step) is str:
            if not any(char in step for char in "*?["):
                item = value.find(step)
                if item is not None and item not in hidden:
                    return [item]
            texts = ((item, hidden.get(item) or scalar_text(item.key)) for item in value.items)
            return [item for item, text in texts if fnmatchcase(text, step)]
        if type(step) is int:
            return [item for item in value.items if item.key in (step, str(step)) and item not in hidden]
        return []
    if type(value) is Array:
        if type(step) is int:
            return [value.items[step]] if -len(value.items) <= step < len(value.items) else []
        if step == "*":
            return value.items
        if type(step) is tuple:
            key, wanted = step
            return [item for item in value.items if _has(item.value, key, wanted, names)]
        if type(step) is not str:
            return []
        number = number_of(step)
        if number is not None:
            return _matching(value, number, names)
        # `containers.app` selects the container named `app`.
        return [item for item in value.items if _has(item.value, "name", step, names)]
    return []


def _has(value: Value, key: str, expected: str, names: ItemNames) -> bool:
    item = value.find(key) if type(value) is Map else None
    if item is None or type(item.value) in (Map, Array) or item in names.secret_keys(value):  # type: ignore[arg-type]
        return False
    return fnmatchcase(HIDDEN if names.hides(item) else scalar_text(item.value), expected)


def all_places(
    documents: Sequence[Document], texts: Mapping[str, Array], names: ItemNames | None = None
) -> Iterator[NodePath]:
    """Every scalar and empty collection of the documents, in order, and every line of the text files.

    names: the names of documents and items.
    """
    names = ItemNames() if names is None else names
    for number, document in enumerate(documents):
        for place, _ in scalars_beside(document, number, None, names):
            yield place
    yield from text_lines(texts)


def scalars_beside(
    document: Document, number: int, other: Item | None, names: ItemNames | None = None
) -> Iterator[tuple[NodePath, Item | None]]:
    """Every scalar of a document with the item at the same path of another document, or None.

    number: the number of the document. The keys of the other document may be in another order. names: as in `NodePath`.
    """
    stack: list[tuple[tuple[Item, ...], str, Item | None]] = [((), "", other)]
    while stack:
        way, path, there = stack.pop()
        value = way[-1].value if way else document.value
        beside = None if there is None else there.value
        if type(value) is Map and value.items:
            dot = "." if path else ""
            find = beside.find if type(beside) is Map else _nothing
            stack.extend(
                [((*way, item), f"{path}{dot}{key_text(item.key)}", find(item.key)) for item in reversed(value.items)]
            )
        elif type(value) is Array and value.items:
            others: Sequence[Item | None] = beside.items if type(beside) is Array else ()
            below = [
                ((*way, item), f"{path}[{place}]", others[place] if place < len(others) else None)
                for place, item in enumerate(value.items)
            ]
            stack.extend(reversed(below))
        else:
            yield (
                NodePath(document, number, way, None if names is not None and names.hides_keys else path, names),
                there,
            )


def _nothing(key: Value) -> None:
    """The lookup in a value that is not a map. Returns None for any key."""
