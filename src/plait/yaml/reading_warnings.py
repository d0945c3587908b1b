"""Warnings about a text that is valid YAML, but was probably not meant: duplicate keys, and quotes that are none."""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.source import Position
from plait.base.suggestions import REMOVE, Suggestion
from plait.tree.nodes import Array, Map, MapItem, key_id, walk
from plait.yaml.reader import read
from plait.yaml.scalars import TYPOGRAPHIC_QUOTES, has_typographic_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from plait.base.errors import Warning
    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet, Items


def reading_warnings(
    source: Source, tree: DocumentSet, *, first: bool = False, several: bool = False
) -> Iterator[Warning]:
    """All warnings about a text as read. The arguments are those of `duplicate_key_warnings`."""
    yield from duplicate_key_warnings(source, tree, first=first, several=several)
    if has_typographic_quotes(source.text):
        for line, code, message in quoted_texts(source, tree):
            yield warning(message, code=code, at=Position(source, line))


def quoted_texts(source: Source, tree: DocumentSet) -> Iterator[tuple[int, str, str]]:
    """Warnings about typographic quotes around a key or a value, which are a part of it: line, code, message.

    A text with a space may be a sentence in quotes. The values are not shown, because they may be secret.
    """
    for item in walk(tree):
        for text in (item.key, item.value) if type(item) is MapItem else (item.value,):
            if type(text) is not str or text[:1] not in _OPENING or text[-1:] not in _CLOSING or len(text) == 1:
                continue
            before, found, _ = (source.line(item.line) or "").partition(text)
            has_quotes = any(mark in text or before.endswith(mark) for mark in "\"'\\")
            if found and not has_quotes and not any(character.isspace() for character in text):
                what = "key" if text is not item.value else "value"
                message = (
                    f'{text[0]} and {text[-1]} are part of this {what}; YAML has only straight quotes: write " for both'
                )
                yield item.line, "typographic-quotes", message


_OPENING, _CLOSING = frozenset(TYPOGRAPHIC_QUOTES), frozenset("“”‟‘’‛")


def duplicate_key_warnings(
    source: Source, tree: DocumentSet, *, first: bool = False, several: bool = False
) -> list[Warning]:
    """Warnings about duplicate keys. Keys merged by `<<` are not reported.

    tree: the documents as read. first: True if only the first document was read. several: True if a file has several
    documents, so that a `---` may be missing.
    """
    if "<<" in source.text:
        tree = read(source, explicit_keys_win=True, keep_mark=False, first=first)
    out: list[Warning] = []
    pending = [(document.value, "---" if several else "") for document in reversed(tree.items)]
    while pending:
        value, mark = pending.pop()
        if type(value) is not Map and type(value) is not Array:
            continue
        items: Items = value.items
        pending += [(item.value, "- " if type(value) is Array else "") for item in reversed(items)]
        if type(value) is not Map:
            continue
        last: dict[object, Any] = {key_id(item.key): item for item in items}
        if len(last) == len(items):
            continue
        # Several keys again, from the first one on: the dash of a second item is missing, or the line between documents.
        again = [item for item in items[1:] if key_id(item.key) == key_id(items[0].key)]
        is_divided = bool(mark and again and again[0].line > items[0].line and len(items) - len(last) > len(again))
        if is_divided and mark == "---":
            keys = list(dict.fromkeys(str(item.key) for item in items if last[key_id(item.key)] is not item))
            out += [_undivided(item, items[0], keys) for item in again]
            continue
        advice = (
            f'put "- " before "{items[0].key}" in line {again[-1].line} for a second item'
            if is_divided
            else "merge them"
        )
        for item in items:
            kept = last[key_id(item.key)]
            # A value copied by an alias has the line numbers of its anchor, further up.
            if kept is not item and value.line <= item.line <= kept.line:
                out.append(
                    warning(
                        f'duplicate key "{item.key}": only the last one counts, {kept.position} ({advice}, or remove one)',
                        code="repeated-key",
                        at=item.position,
                        word=str(item.key),
                        also=[kept.position.labelled("the one that is used")],
                        suggestions=[Suggestion(REMOVE)],
                    )
                )
    return (
        out
        if len(out) <= _MOST_TOLD
        else [
            *out[:_MOST_TOLD],
            warning(f"{len(out) - _MOST_TOLD} more such keys", code="repeated-key", at=Position(source, 0)),
        ]
    )


def _undivided(again: MapItem, begun: MapItem, keys: Sequence[str]) -> Warning:
    """The warning about a document without a `---` above it. again: its first key. keys: the repeated ones."""
    shown = ", ".join(f'"{key}"' for key in keys[:_MOST_NAMED]) + (" and others" if len(keys) > _MOST_NAMED else "")
    return warning(
        f"the keys {shown} repeat from this line on, and only the last ones count: "
        "put --- above it, which begins another document",
        code="repeated-key",
        at=again.position,
        word=str(again.key),
        also=[begun.position.labelled("the document above")],
    )


_MOST_TOLD = 20
_MOST_NAMED = 4
