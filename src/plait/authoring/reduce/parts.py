"""The parts of a candidate that can be left out, by level: flags, files, documents, items of the YAML tree, blocks of
code, lines.

A level computes its parts from one candidate. Any subset of them can be left out together.
"""

from __future__ import annotations

import re
from collections import defaultdict

from plait.authoring.reduce.candidates import exists, path_of_use
from plait.base.lines import lines_with_breaks
from plait.base.text_edits import ConflictError, Edit, edited
from plait.yaml.lossless.edits import removal
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.nodes import Collection
from plait.yaml.lossless.scanner import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from plait.authoring.reduce.candidates import Candidate
    from plait.yaml.lossless.nodes import Item, Node, Tree


# More than the indentation of any line.
_MOST_INDENTED = 1 << 30


class Part:
    """A part of a file. file: its name. first, last: its lines, from 1. depth: its level in the tree."""

    __slots__ = ("around", "depth", "edit", "file", "first", "item", "last")

    def __init__(
        self, file: str, first: int, last: int, *, depth: int = 0, edit: Edit | None = None,
        around: Collection | None = None, item: Item | None = None,
    ) -> None:  # fmt: skip
        self.file = file
        self.first = first
        self.last = last
        self.depth = depth
        self.edit = edit
        self.around = around
        self.item = item


class Level:
    """Parts that can be left out together. without: the candidate without the parts with these indexes, or None."""

    __slots__ = ("count", "parts", "without")

    def __init__(self, parts: Sequence[object], without: Callable[[Sequence[int]], Candidate | None]) -> None:
        self.parts = parts
        self.count = len(parts)
        self.without = without


def levels(candidate: Candidate) -> Iterator[Callable[[Candidate], Level]]:
    """The levels of a candidate, from large parts to small ones. Each receives the current candidate."""
    yield files
    yield uses
    yield documents
    depth = 1
    while depth <= _deepest(candidate):
        yield lambda one, depth=depth: items(one, depth)  # type: ignore[misc]
        yield lambda one, depth=depth: blocks(one, depth)  # type: ignore[misc]
        depth += 1
    yield frames
    yield lines


def uses(candidate: Candidate) -> Level:
    """The uses of options, except those that are left out with the only file that they name."""
    every = candidate.uses
    paths = [path for use in every if (path := path_of_use(use))]
    own = {name for name in candidate.files if sum(exists(path, (name,)) for path in paths) == 1}
    some = [number for number, use in enumerate(every) if path_of_use(use) not in own]

    def without(gone: Sequence[int]) -> Candidate:
        left_out = {some[number] for number in gone}
        return candidate.with_uses([one for number, one in enumerate(every) if number not in left_out])

    return Level(some, without)


def files(candidate: Candidate) -> Level:
    """The files, with the uses that name them."""
    names = [*candidate.files]

    def without(gone: Sequence[int]) -> Candidate:
        left_out = {names[number] for number in gone}
        return candidate.with_files({name: data for name, data in candidate.files.items() if name not in left_out})

    return Level(names, without)


def _texts(candidate: Candidate) -> dict[str, str]:
    """The text files, by path."""
    found = {}
    for name, data in candidate.files.items():
        try:
            found[name] = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return found


def _of_parts(candidate: Candidate, parts: list[Part]) -> Level:
    texts = _texts(candidate)
    trees = _TREES[candidate]

    def without(gone: Sequence[int]) -> Candidate | None:
        edits: dict[str, list[Edit]] = defaultdict(list)
        inside: dict[tuple[str, Collection], list[Item]] = defaultdict(list)
        for number in gone:
            one = parts[number]
            if one.around is not None and one.item is not None:
                inside[one.file, one.around].append(one.item)
            elif one.edit is not None:
                edits[one.file].append(one.edit)
        for (file, around), some in inside.items():
            found = removal(trees[file], around, *some)
            if found is None:
                return None
            edits[file] += found
        new = dict(candidate.files)
        try:
            for file, some_edits in edits.items():
                new[file] = edited(texts[file], some_edits).encode()
        except ConflictError:
            return None
        return candidate.with_files(new)

    return Level(parts, without)


class _Trees:
    """The lossless trees of the last candidates."""

    def __init__(self) -> None:
        self._known: dict[bytes, dict[str, Tree]] = {}

    def __getitem__(self, candidate: Candidate) -> dict[str, Tree]:
        found = self._known.get(candidate.key)
        if found is None:
            self._known.clear()
            found = self._known[candidate.key] = {}
            for name, text in _texts(candidate).items():
                if name.endswith((".yml", ".yaml")) and not text.startswith("\ufeff"):
                    try:
                        found[name] = scan(text)
                    except TreeError:
                        continue
        return found


_TREES = _Trees()


def documents(candidate: Candidate) -> Level:
    """The documents of YAML files, each with the annotations above it."""
    parts: list[Part] = []
    for name, tree in _TREES[candidate].items():
        starts = [_start_of_document(tree.text, document.start) for document in tree.documents]
        if len(starts) < 2:
            continue
        ends = [*starts[1:], len(tree.text)]
        for start, end in zip(starts, ends, strict=True):
            if start < end:
                parts.append(
                    Part(name, tree.line_of(start), tree.line_of(max(end - 1, start)), edit=Edit(start, end, ""))
                )
    return _of_parts(candidate, parts)


def _start_of_document(text: str, at: int) -> int:
    """The start of a document with the annotations above it."""
    start = text.rfind("\n", 0, at) + 1
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        if not re.match(r"[ \t]*#@[A-Za-z]", text[above:start]):
            break
        start = above
    return start


def _deepest(candidate: Candidate) -> int:
    return max((depth for tree in _TREES[candidate].values() for depth, *_ in _walk(tree)), default=0)


def _walk(tree: Tree) -> Iterator[tuple[int, Collection, Item]]:
    pending: list[tuple[int, Node]] = [(1, document.root) for document in tree.documents]
    while pending:
        depth, node = pending.pop()
        if isinstance(node, Collection):
            for item in node.items:
                yield depth, node, item
                pending.append((depth + 1, item.value))


def items(candidate: Candidate, depth: int) -> Level:
    """The items of maps and arrays at a depth of the YAML trees, from 1."""
    parts = [
        Part(name, tree.line_of(item.start), tree.line_of(max(item.end - 1, item.start)), depth=depth, around=around, item=item)
        for name, tree in _TREES[candidate].items()
        for own, around, item in _walk(tree)
        if own == depth
    ]  # fmt: skip
    parts.sort(key=lambda one: (one.file, one.first))
    return _of_parts(candidate, parts)


_OPENS = re.compile(r"\s*+(?:#@\s*+)?(?:if|for|def|while)\b.*:\s*(?:#.*)?$|\s*+#@yaml/text-templated")
_BETWEEN = re.compile(r"\s*+(?:#@\s*+)?(?:else|elif\b.*):\s*$")
_CLOSES = re.compile(r"\s*+(?:#@ ?)?(?:.*;)?\s*+end\s*$")


def _code_blocks(name: str, text: str) -> Iterator[tuple[int, list[int]]]:
    """Each block of code closed by `end`: its depth, and the numbers of its lines of code: the first, those of `elif`
    and `else`, and the last.
    """
    is_program = name.endswith(".star")
    stack: list[list[int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not is_program and not line.lstrip().startswith("#@"):
            continue
        if _CLOSES.match(line):
            if stack:
                block = stack.pop()
                yield len(stack) + 1, [*block, number]
        elif _OPENS.match(line):
            stack.append([number])
        elif stack and _BETWEEN.match(line):
            stack[-1].append(number)


def blocks(candidate: Candidate, depth: int) -> Level:
    """The blocks of code at a depth, with their content."""
    parts = [
        _lines_part(name, text, own[0], own[-1])
        for name, text in _texts(candidate).items()
        for level, own in _code_blocks(name, text)
        if level == depth
    ]
    return _of_parts(candidate, parts)


def frames(candidate: Candidate) -> Level:
    """The lines of code around blocks: without them, the content stays."""
    texts = _texts(candidate)
    found = [(name, own) for name, text in texts.items() for _, own in _code_blocks(name, text)]

    def without(gone: Sequence[int]) -> Candidate:
        left_out: dict[str, set[int]] = defaultdict(set)
        for number in gone:
            name, own = found[number]
            left_out[name].update(own)
        new = dict(candidate.files)
        for name, numbers in left_out.items():
            rows = texts[name].split("\n")
            new[name] = "\n".join(row for at, row in enumerate(rows, 1) if at not in numbers).encode()
        return candidate.with_files(new)

    return Level(found, without)


def _lines_part(name: str, text: str, first: int, last: int) -> Part:
    rows = text.split("\n")
    start = sum(len(row) + 1 for row in rows[: first - 1])
    end = min(start + sum(len(row) + 1 for row in rows[first - 1 : last]), len(text))
    return Part(name, first, last, edit=Edit(start, end, ""))


def lines(candidate: Candidate) -> Level:
    """The lines of all texts."""
    parts = []
    for name, text in _texts(candidate).items():
        at = 0
        for number, row in enumerate(lines_with_breaks(text), 1):
            parts.append(Part(name, number, number, edit=Edit(at, at + len(row), "")))
            at += len(row)
    return _of_parts(candidate, parts)


def only(candidate: Candidate, named: Mapping[str, set[int]], needed: Container[str], *, is_whole: bool) -> Candidate:
    """The candidate with only these lines, by file, and those that load names. needed: files without which there is no
    run. If none of their lines is named, they are kept, or empty.
    """
    kept: dict[str, bytes] = {}
    for name, data in candidate.files.items():
        if name in named:
            rows = data.split(b"\n")
            lines = [row for number, row in enumerate(rows, 1) if number in named[name] or _LOADS.match(row)]
            kept[name] = b"".join(row + b"\n" for row in lines)
        elif name in needed:
            kept[name] = data if is_whole else b""
    return candidate.with_files(kept)


_LOADS = re.compile(rb"\s*+(?:#@\s*+)?load\(")


def with_lines_around(candidate: Candidate, name: str, numbers: set[int]) -> set[int]:
    """Lines of a file, and the lines that enclose them: by indentation, as blocks of code, and as the start of the
    document. Each has the comments and code above it.
    """
    text = candidate.files[name].decode("utf-8", "surrogateescape")
    rows = text.split("\n")
    every = [own for _, own in _code_blocks(name, text)]
    found: set[int] = set()
    wanted = set(numbers)
    while wanted - found:
        for number in wanted - found:
            found |= _above(rows, number)
        wanted = {line for own in every if any(own[0] <= line <= own[-1] for line in found) for line in own}
    return found


def _above(rows: Sequence[str], number: int) -> set[int]:
    """A line, and the lines above that enclose it."""
    found: set[int] = set()
    inner = _MOST_INDENTED
    for at in range(min(number, len(rows)), 0, -1):
        row = rows[at - 1]
        is_comment = row.lstrip().startswith("#")
        is_start = row.startswith("---")
        indent = len(row) - len(row.lstrip(" -"))
        if (
            at == number
            or (is_comment and at + 1 in found)
            or is_start
            or (row.strip() and not is_comment and indent < inner)
        ):
            found.add(at)
            if not is_comment:
                inner = -1 if is_start else min(inner, indent)
        if inner < 0 and not is_comment and not is_start:
            break
    return found
