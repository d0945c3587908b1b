"""PATH: which documents, and which places in them, a person means.

    Deployment/web:spec.replicas         kind and name, or schema and name, then keys
    web:spec.containers[name=app].image  a name alone; an array item by one of its values
    notes.txt:3                          a line of a text file of the output
    */web:spec.*                         patterns: `*` within a key or name, `**` for any depth
    spec.ports[0]                        in every document
    /spec/replicas                       a pointer as in an operations file

A key with a dot, a bracket or a colon in it stands in double quotes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from plait.errors import UsageError
from plait.nodes import Array, ArrayItem, Document, Map, MapItem
from plait.spell import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.nodes import Item, Value

    Step: TypeAlias = "str | int | tuple[str, str]"


class Place:
    """An item, with the way to it: the document, and the items from its root down to the item itself."""

    __slots__ = ("_path", "document", "number", "way")

    def __init__(self, document: Document, number: int, way: tuple[Item, ...], path: str | None = None) -> None:
        self.document = document
        self.number = number  # of the document, from 0
        self.way = way
        self._path = path

    @property
    def item(self) -> Item:
        return self.way[-1] if self.way else self.document

    @property
    def value(self) -> Value:
        return self.item.value

    @property
    def path(self) -> str:
        """The way as text, such as `spec.ports[0]`."""
        if self._path is None:
            self._path = way_text(self.document, self.way)
        return self._path

    def __str__(self) -> str:
        name = document_name(self.document)
        path = self.path
        if name is None:
            return path or f"document {self.number + 1}"
        return f"{name}:{path}" if path else name


class Path:
    """A PATH, read. selector: a pattern of document names, None for all. steps: keys, indexes, (key, value) of an item."""

    __slots__ = ("selector", "steps", "text")

    def __init__(self, text: str, selector: str | None, steps: Sequence[Step]) -> None:
        self.text = text
        self.selector = selector
        self.steps = steps


def parse(text: str) -> Path:
    """Read a PATH. Raises UsageError that shows what cannot be read."""
    if not text:
        raise UsageError("the PATH is empty", expected="such as Deployment/web:spec.replicas")
    if text.startswith("/"):
        return Path(text, None, _pointer(text))
    selector: str | None = None
    rest = text
    colon = _outside_quotes(text, ":")
    if colon >= 0:
        selector, rest = text[:colon], text[colon + 1 :]
        if not selector:
            raise UsageError(f'no document before ":" in "{text}"', expected="such as Deployment/web:spec.replicas")
    elif "/" in text and '"' not in text:
        selector, rest = text, ""
    if selector is not None and rest.startswith("/"):
        return Path(text, selector, _pointer(rest))
    return Path(text, selector, _steps(text, rest))


def _outside_quotes(text: str, wanted: str) -> int:
    quoted = False
    depth = 0
    for place, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char == "[":
            depth += 1
        elif not quoted and char == "]":
            depth -= 1
        elif char == wanted and not quoted and depth == 0:
            return place
    return -1


def _pointer(text: str) -> list[Step]:
    from plait.ops import parse as parse_pointer
    from plait.ops.pointer import Index, Key, Match

    steps: list[Step] = []
    for token in parse_pointer(text).tokens:
        if type(token) is Key:
            steps.append(token.name)
        elif type(token) is Index:
            steps.append(token.number)
        elif type(token) is Match:
            steps.append((token.key, token.value))
        else:
            raise UsageError(f'"-" names no value: "{text}"')
    return steps


def _steps(text: str, rest: str) -> list[Step]:
    steps: list[Step] = []
    at = 0
    expect_key = True
    while at < len(rest):
        char = rest[at]
        if char == ".":
            if expect_key:
                raise _unreadable(text, rest, at, "a key before the dot")
            expect_key = True
            at += 1
        elif char == "[":
            end = rest.find("]", at)
            if end < 0:
                raise _unreadable(text, rest, at, '"]" after "["')
            steps.append(_bracket(rest[at + 1 : end], text, rest, at))
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
    """A quoted key, which no character of is a pattern."""
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
    return UsageError(f'cannot read the PATH "{text}" at column {column}', expected=expected)


# ---- names


def document_name(document: Document) -> str | None:
    """Kind and name of a document (`Deployment/web`), or schema and name; None if it has neither."""
    top = document.value
    if type(top) is not Map:
        return None
    metadata = top.find("metadata")
    name = metadata.value.find("name") if metadata is not None and type(metadata.value) is Map else None
    own = name.value if name is not None else None
    if own is None:
        plain = top.find("name")
        own = plain.value if plain is not None and type(plain.value) is str else None
    for key in ("kind", "schema"):
        item = top.find(key)
        if item is not None and type(item.value) is str:
            return item.value if own is None or type(own) in (Map, Array) else f"{item.value}/{_scalar(own)}"
    return own if type(own) is str else None


def _names(document: Document) -> list[str]:
    """All names that select a document."""
    name = document_name(document)
    if name is None:
        return []
    last = name.rpartition("/")[2]
    return [name] if last == name else [name, last]


def way_text(document: Document, way: Sequence[Item]) -> str:
    """The way to an item as text."""
    out: list[str] = []
    around: Value = document.value
    for item in way:
        if isinstance(item, MapItem):
            text = key_text(item.key)
            out.append(f".{text}" if out else text)
        elif type(around) is Array and isinstance(item, ArrayItem):
            out.append(f"[{around.items.index(item)}]")
        around = item.value
    return "".join(out)


def key_text(key: Value) -> str:
    """A key as it stands in a PATH."""
    text = key if type(key) is str else _scalar(key)
    return f'"{text}"' if not text or any(char in text for char in '.[]":*') else text


def _scalar(key: Value) -> str:
    if type(key) is bool:
        return "true" if key else "false"
    if isinstance(key, (Map, Array)):
        from plait.yaml.inline import flow_text

        return flow_text(key)
    return "null" if key is None else str(key)


# ---- lines of text files


class Line(Place):
    """A line of a text file of the output. file: its path."""

    __slots__ = ("file",)

    def __init__(self, file: str, item: Item, number: int) -> None:
        super().__init__(Document(item.value, item.source, item.line), 0, (item,), str(number))
        self.file = file

    def __str__(self) -> str:
        return f"{self.file}:{self.path}"


def text_lines(texts: Mapping[str, Array], path: Path | None = None) -> list[Line]:
    """The lines of text files that a PATH means, `notes.txt:3`; without one, all. Raises UsageError."""
    names = [name for name in texts if path is None or path.selector is None or fnmatchcase(name, path.selector)]
    found: list[Line] = []
    for name in names:
        lines = [Line(name, item, number) for number, item in enumerate(texts[name].items, 1)]
        if path is None or not path.steps or path.steps in (["*"], ["**"]):
            found += lines
            continue
        step = path.steps[0]
        number = int(step) if type(step) is int or (type(step) is str and step.isdecimal()) else 0
        if len(path.steps) == 1 and 0 < number <= len(lines):
            found.append(lines[number - 1])
    if path is not None and not found:
        sizes = ", ".join(f"{name} with {len(texts[name].items)} lines" for name in names)
        raise UsageError(f'no line of a text file: "{path.text}"', found=sizes, expected=f"such as {names[0]}:1")
    return found


def means_text(path: Path, texts: Mapping[str, Array]) -> bool:
    """Whether a PATH names text files of the output."""
    return path.selector is not None and any(fnmatchcase(name, path.selector) for name in texts)


# ---- finding


def find(path: Path, documents: Sequence[Document]) -> list[Place]:
    """The places that a PATH means, in order. Raises UsageError that says which part failed and what is nearest."""
    chosen = [
        (number, document)
        for number, document in enumerate(documents)
        if path.selector is None or any(fnmatchcase(name, path.selector) for name in _names(document))
    ]
    if not chosen:
        raise _no_document(path, documents)
    found: list[Place] = []
    for number, document in chosen:
        found += [Place(document, number, way) for way in _ways(document.value, path.steps)]
    if not found:
        raise _no_place(path, chosen)
    return found


def _ways(value: Value, steps: Sequence[Step]) -> list[tuple[Item, ...]]:
    ways: list[tuple[Item, ...]] = []
    stack: list[tuple[Value, int, tuple[Item, ...]]] = [(value, 0, ())]
    while stack:
        value, depth, way = stack.pop()
        if depth == len(steps):
            ways.append(way)
            continue
        step = steps[depth]
        if step == "**":
            stack.extend((item.value, depth, (*way, item)) for item in reversed(_items(value)))
            stack.append((value, depth + 1, way))
            continue
        stack.extend((item.value, depth + 1, (*way, item)) for item in reversed(_matching(value, step)))
    unique: dict[tuple[int, ...], tuple[Item, ...]] = {}
    for way in ways:
        unique.setdefault(tuple(map(id, way)), way)
    return list(unique.values())


def _items(value: Value) -> Sequence[Item]:
    return value.items if type(value) is Map or type(value) is Array else ()


def _matching(value: Value, step: Step) -> Sequence[Item]:
    if type(value) is Map:
        if type(step) is str:
            if not any(char in step for char in "*?["):
                item = value.find(step)
                if item is not None:
                    return [item]
            return [item for item in value.items if fnmatchcase(_scalar(item.key), step)]
        if type(step) is int:
            return [item for item in value.items if item.key == step or item.key == str(step)]
        return []
    if type(value) is Array:
        if type(step) is int:
            return [value.items[step]] if -len(value.items) <= step < len(value.items) else []
        if step == "*":
            return value.items
        if type(step) is tuple:
            key, wanted = step
            return [item for item in value.items if _has(item.value, key, wanted)]
        if type(step) is str and step.isdecimal():
            return _matching(value, int(step))
        # `containers.app` for the container that is named so.
        return [item for item in value.items if type(step) is str and _has(item.value, "name", step)]
    return []


def _has(value: Value, key: str, wanted: str) -> bool:
    item = value.find(key) if type(value) is Map else None
    return item is not None and type(item.value) not in (Map, Array) and fnmatchcase(_scalar(item.value), wanted)


def _no_document(path: Path, documents: Sequence[Document]) -> UsageError:
    known = [name for document in documents for name in _names(document)]
    full = [name for document in documents if (name := document_name(document)) is not None]
    return UsageError(
        f'no document is called "{path.selector}"',
        found=_listed(full) or f"{len(documents)} documents without a kind, schema or name",
        hint=did_you_mean(path.selector or "", known),
    )


def _no_place(path: Path, chosen: Iterable[tuple[int, Document]]) -> UsageError:
    """Follow the path in the document where it leads furthest, and say what is there instead."""
    best: tuple[int, Document, Value, str] | None = None
    for _, document in chosen:
        reached: tuple[int, Value, tuple[Item, ...]] = (0, document.value, ())
        for depth in range(1, len(path.steps)):
            ways = _ways(document.value, path.steps[:depth])
            if not ways:
                break
            reached = (depth, ways[0][-1].value if ways[0] else document.value, ways[0])
        if best is None or reached[0] > best[0]:
            best = (reached[0], document, reached[1], way_text(document, reached[2]))
    assert best is not None
    depth, document, value, upto = best
    step = path.steps[depth]
    shown = f"{step[0]}={step[1]}" if type(step) is tuple else str(step)
    where = str(Place(document, 0, ())) if document_name(document) else "the document"
    inside = f"{upto} of {where}" if upto else where
    if type(value) is Map:
        keys = [_scalar(item.key) for item in value.items]
        return UsageError(
            f'no key "{shown}" in {inside}', found=_listed(keys) or "an empty map", hint=did_you_mean(shown, keys)
        )
    if type(value) is Array:
        names = [
            _scalar(name.value)
            for item in value.items
            if type(item.value) is Map and (name := item.value.find("name")) is not None
        ]
        return UsageError(
            f'no item "{shown}" in {inside}',
            found=f"an array of {len(value.items)} items" + (f": {_listed(names)}" if names else ""),
            hint=did_you_mean(step[1] if type(step) is tuple else shown, names),
        )
    from plait.nodes import kind_name

    return UsageError(
        f'nothing is below {inside}: no key "{shown}"',
        found=f"{'an' if kind_name(value)[0] in 'aeiou' else 'a'} {kind_name(value)}",
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def all_places(documents: Sequence[Document], texts: Mapping[str, Array]) -> Iterator[Place]:
    """Every scalar and empty collection of the documents, one after the other, and every line of the text files."""
    for number, document in enumerate(documents):
        for place, _ in scalars_beside(document, number, None):
            yield place
    yield from text_lines(texts)


def scalars_beside(document: Document, number: int, other: Item | None) -> Iterator[tuple[Place, Item | None]]:
    """Every scalar of a document with the item that another document has in the same place, None if it has none.

    number: of the document. The keys of the other document may stand in another order.
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
            yield Place(document, number, way, path), there


def _nothing(key: Value) -> None:
    """What a place that is no map has under any key."""
