"""What holds of every text that can be read, and of every tree: one check for all inputs of all cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.base.source import Source
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, equal, walk
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate
from plait.yaml.writer import write

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_text(text: str) -> None:
    """A text reads; lines rise; what is written reads back equal and is written the same again."""
    tree = read(Source("check.yml", text))
    check_lines(tree)
    assert tree.items, "a text has at least one document"
    once = deduplicate(tree)
    assert deduplicate(once) is once, "without repeated keys the same tree comes back"
    check_round_trip(once)


def check_round_trip(tree: DocumentSet) -> None:
    """What is written reads back equal (but for what YAML itself cannot carry) and is written the same again."""
    if not writable(tree):
        return
    written = write(tree)
    back = read(Source("written.yml", written), keep_mark=False)
    again = write(back)
    assert again == written
    assert len(back.items) == len(tree.items)
    for left, right in zip(tree.items, back.items, strict=True):
        assert alike(left, right), written


def alike(left: Document, right: Document) -> bool:
    """Equal but for floats: a whole one is written without a point, so it comes back as an integer."""
    return equal(settled(left.value), settled(right.value))  # type: ignore[arg-type]


def settled(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return int(value)
    if isinstance(value, Map):
        return Map([MapItem(settled(item.key), settled(item.value)) for item in value.items])  # type: ignore[arg-type]
    if isinstance(value, Array):
        return Array([ArrayItem(settled(item.value)) for item in value.items])  # type: ignore[arg-type]
    return value


def writable(tree: DocumentSet) -> bool:
    """Whether the output means the tree: the references print a key `<<` and `-0` plain, and separators as they are."""
    return not any(
        text == "<<" or any(mark in text for mark in "\u2028\u2029") if isinstance(text, str) else repr(text) == "-0.0"
        for text in scalars_of(tree)
    )


def scalars_of(value: object) -> Iterator[object]:
    """Every scalar of a tree, those within keys too."""
    if isinstance(value, Map):
        for item in value.items:
            yield from scalars_of(item.key)
    if isinstance(value, Map | Array | DocumentSet):
        for inner in value.items:
            yield from scalars_of(inner.value)
    else:
        yield value


def check_lines(tree: DocumentSet) -> None:
    """No item is on a line before that of what holds it; documents come in order."""
    for document in tree.items:
        assert document.line >= 1
    assert [document.line for document in tree.items] == sorted(document.line for document in tree.items)
    for item in walk(tree):
        assert item.line >= 1
        if isinstance(item.value, Map | Array):
            assert item.value.line == item.line or item.value.line >= 1
