"""Completion of overlay matchers, from the documents that they match."""

from __future__ import annotations

import re
from collections import Counter

from plait.authoring.lsp.features import CompletionItem
from plait.authoring.lsp.overlay_targets import left_items
from plait.tree.nodes import Map
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Item

_SUBSET = re.compile(r"\.subset\(\s*(\{.*)$")
_NAME = re.compile(r"(?:\bby\s*=\s*|\.map_key\(\s*)([\"'])([\w./-]*)$")
_BY = re.compile(r"\bby\s*=\s*$")
_WORD = re.compile(r"(?<![\w.-])[\w.-]*$")
_SCALARS = (str, int, float, bool)
_MOST = 50


def suggestions(state: ServerState, file: File, code: str, line: int, column: int) -> Iterator[CompletionItem]:
    """The suggestions at the end of an annotation's code. None outside a matcher."""
    subset, name, by = _SUBSET.search(code), _NAME.search(code), _BY.search(code)
    if subset is None and name is None and by is None:
        return
    way = _ancestors_below(file, line)
    seen: set[str] = set()
    for evaluation in state.evaluations(file.path):
        items = [*left_items(state, evaluation, file, way)]
        if subset is not None:
            found = _in_subset(evaluation, items, subset[1], column)
        elif name is not None:
            found = _keys(items, column - len(name[2]))
        else:
            found = _complete_matchers(evaluation, items, column, is_document=len(way) == 1)
        for one in found:
            if one.label not in seen:
                seen.add(one.label)
                yield one


def _ancestors_below(file: File, line: int) -> Sequence[Item]:
    """The ancestors of the node below an annotation."""
    way = file.ancestors_below(line)
    if way:
        return way
    around = file.ancestors_at(line, file.line(line).find("#") + 1)
    return [*around, around[-1]] if len(around) > 1 else file.documents[-1:]  # the item is not typed yet


def _in_subset(evaluation: Evaluation, items: Sequence[Item], text: str, column: int) -> Iterator[CompletionItem]:
    """Keys and values inside `overlay.subset({...`."""
    place = _Braces(text)
    if place.is_unreadable:
        return
    values: Counter[str] = Counter()
    for item in items:
        value = item.value
        for key in place.keys:
            found = value.find(key) if type(value) is Map else None
            value = None if found is None else found.value
        if type(value) is not Map:
            continue
        for inner in value.items:
            if place.key is None:
                if str(inner.key) not in place.there:
                    values[str(inner.key)] += 1
            elif inner.key == place.key and type(inner.value) in _SCALARS and not evaluation.is_secret(inner):
                values[str(inner.value) if place.quote else repr_of(inner.value)] += 1
    for label, count in values.most_common(_MOST):
        shown = label if place.key is not None or place.quote else f'"{label}"'
        yield CompletionItem(shown, "value", column - len(place.typed), detail=f"{count}×")


def _keys(items: Sequence[Item], start: int) -> Iterator[CompletionItem]:
    """Keys that the items have, the most frequent first."""
    counts = Counter(
        str(inner.key)
        for item in items
        if type(item.value) is Map
        for inner in item.value.items
        if type(inner.value) in _SCALARS
    )
    for key, count in counts.most_common(_MOST):
        yield CompletionItem(key, "key", start, detail=f"{count}×")


def _complete_matchers(
    evaluation: Evaluation, items: Sequence[Item], start: int, *, is_document: bool
) -> Iterator[CompletionItem]:
    """Completions that are whole matchers, by the kind, schema or name of the matched items, most frequent first."""
    for key in ("kind", "schema", "name") if is_document else ("name",):
        counts: Counter[str] = Counter()
        for item in items:
            found = item.value.find(key) if type(item.value) is Map else None
            if found is not None and type(found.value) is str and not evaluation.is_secret(found):
                counts[found.value] += 1
        if not counts:
            continue
        if not is_document:
            yield CompletionItem(f'"{key}"', "value", start, detail="by the key of this name")
        for value, count in counts.most_common(_MOST):
            code = f"overlay.subset({{{repr_of(key)}: {repr_of(value)}}})"
            yield CompletionItem(code, "value", start, detail=f"{count}×")
    yield CompletionItem("overlay.all", "function", start, detail=f"{len(items)}×")


class _Braces:
    """The position of the cursor in an unfinished map.

    keys: the keys of the enclosing maps. key: whose value is being typed, or None in a key. there: the keys of the
    innermost map. typed: the text so far. quote: its opening quote.
    """

    __slots__ = ("is_unreadable", "key", "keys", "quote", "there", "typed")

    def __init__(self, text: str) -> None:
        around: list[str | None] = []
        there: list[set[str]] = []
        key: str | None = None
        last: str | None = None
        self.quote = self.typed = ""
        place = 0
        while place < len(text):
            char = text[place]
            if char in "\"'":
                end = text.find(char, place + 1)
                if end < 0:
                    self.quote, self.typed = char, text[place + 1 :]
                    break
                last = text[place + 1 : end]
                place = end
            elif char == "{":
                around.append(key)
                there.append(set())
                key = None
            elif char == "}" and around:
                around.pop()
                there.pop()
                key = None
            elif char == ":" and last is not None and there:
                key = last
                there[-1].add(last)
            elif char == ",":
                key = None
            place += 1
        else:
            self.typed = _WORD.findall(text)[0]
        self.is_unreadable = not around
        self.keys = [one for one in around[1:] if one is not None]
        self.key = key
        self.there = there[-1] if there else set()
