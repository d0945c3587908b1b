"""The cached form of a YAML template: its code, its plan and its comments.

All of it follows from the text, so a cached template is neither read nor planned again. Its constant nodes are built
from plain data that `marshal` accepts.

The form of a value: a scalar is itself; a map is a tuple of its line and the key, value and line of each item; an array
is a list of its line and the value and line of each item. A run of items is the number of their kind, and the same
parts of each.
"""

from __future__ import annotations

import sys

from plait.base.errors import TemplateError
from plait.base.events import current_listener
from plait.base.extensions import F_STRINGS, TAGS, VALUES_REFER
from plait.base.limits import DEEPEST, current_budget
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem
from plait.ytt.templates.file import YamlFile
from plait.ytt.templates.node_table import CollectionRow, ItemPattern, NodeTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType
    from typing import Any, TypeAlias

    from plait.tree.nodes import Items

    # Plain data of a plan, as the cache has them: tuples, lists and scalars.
    Form: TypeAlias = Any

    from plait.base.code_cache import CodeCache
    from plait.base.source import Source
    from plait.tree.nodes import Value
    from plait.ytt.templates.node_table import Entry
    from plait.ytt.templates.remarks import Remark

_COLLECTIONS = (Map, Array, DocumentSet)
_ITEMS: tuple[type, ...] = (MapItem, ArrayItem, Document)
_NUMBERS: dict[type, int] = {kind: number for kinds in (_COLLECTIONS, _ITEMS) for number, kind in enumerate(kinds)}
# The annotations that define the purpose of a file.
ANNOTATED = ("data/values-schema", "data/values")


class CachedTemplate(YamlFile):
    """A template of an earlier run.

    code: its program. plain_comments: it has comments that only `ignore_unknown` allows.
    """

    __slots__ = (
        "_annotated",
        "_form",
        "_misspelt",
        "_remarks",
        "_untemplated_text",
        "_unused_overlay",
        "code",
        "plain_comments",
    )

    def __init__(self, source: Source, entry: Form) -> None:
        self.source = source
        self.is_template = True
        self.code: CodeType
        self.plain_comments: bool
        self.code, self._form, self.plain_comments, *said = entry
        self._annotated, self._misspelt, self._unused_overlay, self._untemplated_text, self._remarks = said

    def plan(self) -> NodeTable:
        """The collections and items that the program refers to by number."""
        return _plan(self._form, self.source)

    def has_document_annotated(self, name: str) -> bool:
        return name in self._annotated

    def misspelt(self) -> list[tuple[int, str, list[str], str]]:
        found: list[tuple[int, str, list[str], str]] = self._misspelt
        return found

    def ignored(self) -> int | None:
        return None  # `keep` skips such files

    def remarks(self) -> Sequence[Remark]:
        found: Sequence[Remark] = self._remarks
        return found

    def untemplated_text(self) -> int | None:
        found: int | None = self._untemplated_text
        return found

    def unused_overlay(self) -> tuple[int, str] | None:
        found: tuple[int, str] | None = self._unused_overlay
        return found


def find(cache: CodeCache, source: Source, *, traced: bool) -> CachedTemplate | None:
    """The cached form of a template, or None."""
    entry = cache.get(_key(cache, source, traced))
    return None if entry is None else CachedTemplate(source, entry)


def keep(cache: CodeCache, file: YamlFile, code: CodeType, plan: NodeTable, *, traced: bool) -> None:
    """Caches a template, unless a stricter run could reject it."""
    from plait.ytt.templates.directives import is_plain

    try:
        annotated = tuple(filter(file.has_document_annotated, ANNOTATED))
    except TemplateError:
        return
    if file.ignored() is not None:
        return
    said = (
        annotated,
        file.misspelt(),
        file.unused_overlay(),
        file.untemplated_text(),
        tuple(file.remarks()),
    )
    assert file.comments is not None
    cache.put(_key(cache, file.source, traced), (code, _plan_form(plan), any(map(is_plain, file.comments.all)), *said))


def may_replace_reading() -> bool:
    """True if a cached template may replace reading: this run sets no limits that could reject the text."""
    given = current_budget().limits.given
    return "nesting" not in given and "aliases" not in given


def _key(cache: CodeCache, source: Source, traced: bool) -> str:
    return cache.key(compiled_as("yaml", source, traced=traced), source.text)


def compiled_as(kind: str, source: Source, *, traced: bool) -> str:
    """The cache key for code of a kind of file. It depends on the events that the code reports, and on its language."""
    language = "".join(
        [
            sign
            for name, sign in ((F_STRINGS, "f "), (TAGS, "tags "), (VALUES_REFER, "deferring "))
            if name in source.extensions
        ]
    )
    return f"{'traced ' if traced else ''}{'' if current_listener() is None else 'marked '}{language}{kind}"


# ---- to plain data


def _plan_form(plan: NodeTable) -> tuple[object, ...]:
    sites = [(_NUMBERS[site.kind], site.line, site.parent) for site in plan.sites]
    chunks = [_entries_form(entries) for entries in plan.chunks]
    return plan.stepwise, sites, chunks


def _entries_form(entries: Sequence[Entry]) -> list[object]:
    """Constant items are a tuple, a pattern is a list."""
    out: list[object] = []
    for entry in entries:
        if type(entry) is list:
            out.append(_run_form(entry))
            continue
        assert isinstance(entry, ItemPattern)
        inner = -1 if entry.inner is None else _NUMBERS[entry.inner]
        children = None if entry.children is None else _entries_form(entry.children)
        places = (entry.hole, entry.keyed, entry.annotated, entry.opens)
        out.append([_NUMBERS[entry.kind], _form(entry.key), _form(entry.value), entry.line, *places, inner, children])
    return out


def _run_form(items: Items) -> tuple[object, ...]:
    kind = _NUMBERS[type(items[0])]
    parts: list[object] = [kind]
    _PARTS[kind](items, parts)
    return tuple(parts)


def _form(value: Value) -> object:
    if type(value) is Map:
        parts: list[object] = [value.line]
        _map_parts(value.items, parts)
        return tuple(parts)
    if type(value) is Array:
        parts = [value.line]
        _array_parts(value.items, parts)
        return parts
    return value


def _map_parts(items: Items, parts: list[object]) -> None:
    for item in items:
        key, value = item.key, item.value
        if type(value) is Map or type(value) is Array:
            value = _form(value)
        if type(key) is Map or type(key) is Array:
            key = _form(key)
        parts += (key, value, item.line)


def _array_parts(items: Items, parts: list[object]) -> None:
    for item in items:
        value = item.value
        if type(value) is Map or type(value) is Array:
            value = _form(value)
        parts += (value, item.line)


def _document_parts(items: Items, parts: list[object]) -> None:
    for item in items:
        parts += (_form(item.value), item.line, item.distinct)


_PARTS: tuple[Callable[[Items, list[object]], None], ...] = (_map_parts, _array_parts, _document_parts)


# ---- from plain data


def _plan(form: Form, source: Source) -> NodeTable:
    if sys.getrecursionlimit() < DEEPEST:
        sys.setrecursionlimit(DEEPEST)
    stepwise, sites, chunks = form
    plan = NodeTable(stepwise=stepwise)
    plan.sites = [CollectionRow(_COLLECTIONS[kind], line, parent) for kind, line, parent in sites]
    plan.chunks = [_entries(entries, source) for entries in chunks]
    return plan


def _entries(forms: list[Form], source: Source) -> list[Entry]:
    out: list[Entry] = []
    for form in forms:
        if type(form) is tuple:
            out.append(_items(form, source))
            continue
        kind, key, value, line, hole, keyed, annotated, opens, inner, children = form
        if type(value) is tuple or type(value) is list:
            value = _value(value, source)
        if type(key) is tuple or type(key) is list:
            key = _value(key, source)
        made = ItemPattern(_ITEMS[kind], key, value, line)
        made.hole, made.keyed, made.annotated, made.opens = hole, keyed, annotated, opens
        if inner >= 0:
            made.inner = _COLLECTIONS[inner]
        if children is not None:
            made.children = _entries(children, source)
        out.append(made)
    return out


def _items(run: Form, source: Source) -> Items:
    parts = iter(run)
    items: Items = _MADE[next(parts)](parts, source)
    return items


def _value(form: Form, source: Source) -> Map | Array:
    parts = iter(form)
    line = next(parts)
    if type(form) is tuple:
        return Map(_map_items(parts, source), source, line)
    return Array(_array_items(parts, source), source, line)


def _map_items(parts: Iterator[Form], source: Source) -> list[MapItem]:
    items = []
    for key, value, line in zip(parts, parts, parts, strict=True):
        if type(value) is tuple or type(value) is list:
            value = _value(value, source)
        if type(key) is tuple or type(key) is list:
            key = _value(key, source)
        items.append(MapItem(key, value, source, line))
    return items


def _array_items(parts: Iterator[Form], source: Source) -> list[ArrayItem]:
    items = []
    for value, line in zip(parts, parts, strict=True):
        if type(value) is tuple or type(value) is list:
            value = _value(value, source)
        items.append(ArrayItem(value, source, line))
    return items


def _documents(parts: Iterator[Form], source: Source) -> list[Document]:
    items = []
    for value, line, distinct in zip(parts, parts, parts, strict=True):
        if type(value) is tuple or type(value) is list:
            value = _value(value, source)
        item = Document(value, source, line)
        item.distinct = distinct
        items.append(item)
    return items


_MADE: tuple[Callable[[Iterator[Form], Source], Items], ...] = (_map_items, _array_items, _documents)
