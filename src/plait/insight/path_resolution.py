"""Resolves a PATH, and explains why it matches nothing: the existing part, the value there, the most similar name."""

from __future__ import annotations

import re

from plait.base.errors import UsageError
from plait.base.globbing import is_pattern
from plait.base.similar_names import counted, did_you_mean, listed, near, with_article
from plait.insight.item_names import ItemNames
from plait.insight.node_paths import NodePath, chosen, names_of, parse, places, ways
from plait.tree.nodes import Array, Map, kind_name
from plait.yaml.boolean_keys import among
from plait.yaml.document_names import document_name, name_items, namespace_of, path_text, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.insight.node_paths import Path, Step
    from plait.tree.nodes import Document, Item, Value


def find(
    path: Path, documents: Sequence[Document], names: ItemNames | None = None, *, reveals: str | None = None
) -> list[NodePath]:
    """The values that match a PATH, in order. names: the names of documents and items. reveals: the flag that shows
    hidden values.

    Raises UsageError with the failed part and the most similar name, or, for an ambiguous name, with all its documents.
    """
    names = ItemNames() if names is None else names
    meant = chosen(path, documents, names)
    found = places(path, documents, names)
    if not found:
        raise no_place(path, meant, names, reveals=reveals) if meant else no_document(path, documents, names)
    if path.selector is not None and not is_pattern(path.selector):
        numbers = {place.number for place in found}
        if len(numbers) > 1:
            raise _several_documents(path.selector, [one for one in meant if one[0] in numbers], names)
    return found


def values_at(path: str, documents: Sequence[Document]) -> list[Value]:
    """The values at the text of a PATH, in order. Raises UsageError as `find` does."""
    return [place.value for place in find(parse(path), documents)]


_MOST_LISTED = 12


def _several_documents(selector: str, meant: Sequence[tuple[int, Document]], names: ItemNames) -> UsageError:
    """The error for an ambiguous document name. It lists a selector and the position of each document."""
    full = [names.document(document, number) or "" for number, document in meant]
    spaces = [namespace_of(document) for _, document in meant]
    shown = ["" if one is None or names.hides(one) else scalar_text(one.value) for one in spaces]
    spaced = [f"{space}/{name}" if space else name for space, name in zip(shown, full, strict=True)]
    selectors = next(
        (way for way in (full, spaced) if len(set(way)) == len(way)),
        [f"{selector}#{place}" for place in range(1, len(meant) + 1)],
    )
    at = [document.position for _, document in meant]
    lines = [
        f"{one}, {place}" if place.source is not None and place.source.shown else one
        for one, place in zip(selectors, at, strict=True)
    ]
    more = [f"and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    return UsageError(
        f'"{selector}" is the name of {counted(len(meant), "document")}',
        expected="one document, or a pattern",
        found="\n".join([*lines[:_MOST_LISTED], *more]),
        hint=f"select one of them, such as {selectors[-1]}, or all of them: {selector}#*",
        code="ambiguous-path",
    )


def no_document(path: Path, documents: Sequence[Document], names: ItemNames) -> UsageError:
    shown = [document for document in documents if not any(map(names.hides, name_items(document)))]
    known = [name for document in shown for name in names_of(document)]
    full = [name for document in shown if (name := document_name(document)) is not None]
    hint: str | None = _of_same_kind(path.selector or "", full) or did_you_mean(path.selector or "", known)
    if hint is None and "/" in (path.selector or ""):
        # The same name of another kind.
        called = [name for name in full if name.rpartition("/")[2] == str(path.selector).rpartition("/")[2]]
        hint = f'did you mean "{called[0]}"?' if len(called) == 1 else None
    if hint is None and path.text == path.selector:
        hint = _quoted_key_hint(path.text, "", documents, names)
    if hint is None and path.text == path.selector and "/" in path.text:
        # A path with slashes between its keys.
        first, _, rest = path.text.partition("/")
        if any(type(one.value) is Map and _has_key(one.value, first, names) for one in documents):
            # A key such as name=web is a part of pointers only.
            meant = f"/{path.text}" if "=" in rest else f"{first}.{rest.replace('/', '.')}"
            hint = f'did you mean "{meant}"?'
    if hint is None and path.text == path.selector:
        # A slash or a dot between the document and its keys.
        cut = next((name for sign in "/." for name in full if path.text.startswith(f"{name}{sign}")), "")
        sign, rest = path.text[len(cut) : len(cut) + 1], path.text[len(cut) + 1 :]
        if cut and sign == "/":
            hint = f'did you mean "{cut}:{rest.replace("/", ".")}"?'
        elif cut:
            hint = f'a colon ends the name of a document: "{cut}:{rest}"'
    if hint is None and path.text.rpartition(":")[2].isdecimal():
        hint = f"plait impact shows the values that a line affects: plait impact ... {path.text}"
    return UsageError(
        f'no document has the name "{path.selector}"',
        found=_listed(full) or f"{counted(len(documents), 'document')} without a kind, schema or name",
        hint=hint,
        code="no-such-place",
    )


def _of_same_kind(selector: str, names: Sequence[str]) -> str | None:
    """A hint with the documents of the same kind, or None. The name is wrong more often than the kind."""
    kind, slash, _ = selector.rpartition("/")
    same = [name for name in names if slash and name.rpartition("/")[0] == kind]
    is_few = 0 < len(same) <= _MOST_NAMED
    return did_you_mean(selector, same) or (f"did you mean {listed(same, quote=chr(34))}?" if is_few else None)


def no_place(
    path: Path, chosen: Sequence[tuple[int, Document]], names: ItemNames, *, reveals: str | None = None
) -> UsageError:
    """The error for a path that matches nothing, in the document in which the longest part exists. reveals: as in
    `find`.
    """
    best: tuple[int, NodePath, Value, str, bool] | None = None
    for number, document in chosen:
        reached: tuple[int, Value, tuple[Item, ...]] = (0, document.value, ())
        for depth in range(1, len(path.steps)):
            found = ways(document.value, path.steps[:depth], names)
            if not found:
                break
            reached = (depth, found[0][-1].value if found[0] else document.value, found[0])
        is_nearer = best is None or reached[0] > best[0]
        if not is_nearer and best is not None and reached[0] == best[0] and len(chosen) <= _MOST_COMPARED:
            # Of documents with the same part of the path, the one with a similar key.
            is_nearer = _has_similar(reached[1], path, reached[0], names) and not _has_similar(
                best[2], path, best[0], names
            )
        if is_nearer:
            best = (
                reached[0],
                NodePath(document, number, (), names=names),
                reached[1],
                path_text(document, reached[2], None, names.key),
                any(map(names.hides, reached[2])),
            )
    assert best is not None
    depth, around, value, upto, is_hidden = best
    step = path.steps[depth]
    shown = f"{step[0]}={step[1]}" if type(step) is tuple else str(step)
    where = around.document_name or "the document"
    inside = f"{upto} of {where}" if upto else where
    if is_hidden and type(value) is not Map and type(value) is not Array:
        return UsageError(
            f'hidden: {inside} is secret, so its key "{shown}" is not searched',
            hint=f"{reveals} shows it"
            if reveals is not None
            else f"a PATH to the secret itself is valid: {where}:{upto}",
            code="no-such-place",
        )
    if all(step == "**" for step in path.steps[:depth]) and len(chosen) > 1:
        return _in_no_document(shown, path, [document for _, document in chosen], names, reveals)
    if type(value) is Map:
        hidden = names.secret_keys(value)
        keys = [hidden.get(item) or scalar_text(item.key) for item in value.items]
        return UsageError(
            f'no key "{shown}" in {inside}',
            found=_listed(keys) or "an empty map",
            hint=among(shown, ((one.key, one.source, one.line) for one in value.items if one not in hidden))
            or _quoted_key_hint(*_parts(path), [around.document], names)
            or did_you_mean(shown, keys)
            or _kind_hint(path, [one for _, one in chosen], names)
            or _input_hint(path)
            or (f"without $: {path.text.replace('$.', '', 1)}" if shown == "$" and depth == 0 else None)
            or _deeper(path, depth, around.document, names)
            or _document_hint(path, [one for _, one in chosen], names),
            code="no-such-place",
        )
    if type(value) is Array:
        return _no_item(value, step, shown, inside, _deeper(path, depth, around.document, names), names)
    return UsageError(
        f'{inside} has no values inside it: no key "{shown}"',
        found=with_article(kind_name(value)),
        hint=_encrypted_hint(reveals)
        if upto == "data" and is_digest(value)
        else _quoted_key_hint(*_parts(path), [around.document], names),
        code="no-such-place",
    )


def _no_item(array: Array, step: Step, shown: str, inside: str, deeper: str | None, names: ItemNames) -> UsageError:
    """The error for an item that an array lacks. deeper: the hint with a place below the array, or None."""
    there = [
        scalar_text(name.value)
        for item in array.items
        if type(item.value) is Map and (name := item.value.find("name")) is not None and not names.hides(name)
    ]
    return UsageError(
        f'no item "{shown}" in {inside}',
        found=f"an array of {counted(len(array.items), 'item')}" + (f": {_listed(there)}" if there else ""),
        hint=_filter_hint(shown)
        or did_you_mean(step[1] if type(step) is tuple else shown, there)
        or _range_of(step, len(array.items))
        or deeper,
        code="no-such-place",
    )


def _has_similar(value: Value, path: Path, depth: int, names: ItemNames) -> bool:
    """True if a map has a key similar to the step of a path that it lacks."""
    step = path.steps[depth]
    if type(value) is not Map or type(step) is not str:
        return False
    hidden = names.secret_keys(value)
    return bool(near(step, [hidden.get(item) or scalar_text(item.key) for item in value.items]))


def is_digest(value: Value) -> bool:
    """True if a value may replace the data of an encrypted document."""
    return type(value) is str and _DIGEST.fullmatch(value) is not None


_DIGEST = re.compile("[0-9a-f]{64}")


def _encrypted_hint(reveals: str | None) -> str:
    flag = reveals or "cleartext-secrets in the settings of the run"
    return f"the data is encrypted, or computed from an encrypted document: {flag} shows it"


def _in_no_document(
    key: str, path: Path, documents: Sequence[Document], names: ItemNames, reveals: str | None
) -> UsageError:
    """The error for a path whose first key no document has. key: its first key. reveals: as in `find`."""
    digests = [
        one
        for one in documents
        if type(one.value) is Map and (item := one.value.find("data")) and is_digest(item.value)
    ]
    tops = [document.value for document in documents if type(document.value) is Map]
    known = {scalar_text(item.key): None for top in tops for item in top.items if item not in names.secret_keys(top)}
    places: list[str] = []
    for document in documents:
        found = ways(document.value, ("**", *path.steps), names)[: _MOST_NAMED - len(places)]
        name = document_name(document)
        shown = name if name and not any(map(names.hides, name_items(document))) else None
        places += [
            f"{shown}:{text}" if shown else text
            for text in (path_text(document, way, names.of, names.key) for way in found)
        ]
    where = path.selector or f"any of {len(documents)} documents"
    return UsageError(
        f'no key "{key}" in {where}',
        found=_listed([*known]) or "no map",
        hint=did_you_mean(key, list(known))
        or _kind_hint(path, documents, names)
        or _input_hint(path)
        or (f"did you mean {listed(places, quote=chr(34))}?" if places else None)
        or _document_hint(path, documents, names)
        or (f"of {counted(len(digests), 'document')} {_encrypted_hint(reveals)}" if digests else None),
        code="no-such-place",
    )


# Places that a hint names.
_MOST_NAMED = 3
# Documents that are compared by similar keys.
_MOST_COMPARED = 200


def _parts(path: Path) -> tuple[str, str]:
    """The keys of a PATH as text, and the name of the document before them, with its colon."""
    before = "" if path.selector is None else f"{path.selector}:"
    return path.text.removeprefix(before), before


def _quoted_key_hint(text: str, before: str, documents: Sequence[Document], names: ItemNames) -> str | None:
    """A hint with the quotes around a key that has dots, such as app.kubernetes.io/name, or None.

    text: the keys of a PATH. before: the text of the PATH before them.
    """
    for document in documents:
        way = _spelled(document.value, text, names)
        if way:
            meant = f"{before}{path_text(document, way, names.of, names.key)}"
            return f"a key with a dot is written in quotes; with those for a shell: '{meant}'"
    return None


def _spelled(value: Value, text: str, names: ItemNames) -> tuple[Item, ...]:
    """The items whose keys, joined by dots, are a text; empty if there are none."""
    if type(value) is not Map:
        return ()
    hidden = names.secret_keys(value)
    for item in value.items:
        key = scalar_text(item.key)
        if item in hidden:
            continue
        if text == key:
            return (item,)
        if text.startswith(f"{key}.") and (rest := _spelled(item.value, text[len(key) + 1 :], names)):
            return (item, *rest)
    return ()


def _has_key(around: Map, key: str, names: ItemNames) -> bool:
    item = around.find(key)
    return item is not None and item not in names.secret_keys(around)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def _document_hint(path: Path, documents: Sequence[Document], names: ItemNames) -> str | None:
    """A hint if the first key is a part of the names of documents, or None."""
    first = str(path.steps[0]).lower() if path.steps else ""
    if path.selector is not None or not first:
        return None
    visible = (one for one in documents if not any(map(names.hides, name_items(one))))
    found = [name for one in visible if first in (name := document_name(one) or "").lower().split("/")]
    shown = list(dict.fromkeys(found))
    more = f" and {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    return (
        f"this is a part of the name of {', '.join(shown[:_MOST_NAMED])}{more}; a PATH is NAME:KEY" if shown else None
    )


def kind_meant(path: Path, documents: Sequence[Document], names: ItemNames | None = None) -> str | None:
    """The intended PATH if the first key is a kind of documents, or None."""
    names = ItemNames() if names is None else names
    first = path.steps[0] if path.steps else ""
    shown = (one for one in documents if not any(map(names.hides, name_items(one))))
    if path.selector is not None or not any((document_name(one) or "").startswith(f"{first}/") for one in shown):
        return None
    rest = path.text.removeprefix(str(first)).removeprefix(".")
    full = f"{first}/{path.steps[1] if len(path.steps) > 1 else ''}"
    if full in map(document_name, documents):
        rest = rest.removeprefix(str(path.steps[1])).removeprefix(".")
        return f"{full}{':' if rest else ''}{rest}"
    return f"{first}/*{':' if rest else ''}{rest}"


def _kind_hint(path: Path, documents: Sequence[Document], names: ItemNames) -> str | None:
    meant = kind_meant(path, documents, names)
    return None if meant is None else f'did you mean "{meant}"?'


# The data values in programs.
IN_CODE = "data.values."


def _input_hint(path: Path) -> str | None:
    """A hint for the path of a data value, or None."""
    if not path.text.startswith(IN_CODE):
        return None
    return (
        f'"{path.text.removeprefix(IN_CODE)}" may be a data value: with --data-values-inspect, PATH names a data value'
    )


def _deeper(path: Path, depth: int, document: Document, names: ItemNames) -> str | None:
    """A hint with paths at which the rest of a path matches, or None."""
    found = [
        path_text(document, way, names.of, names.key)
        for way in ways(document.value, (*path.steps[:depth], "**", *path.steps[depth:]), names)[:_MOST_NAMED]
    ]
    if found:
        return f"did you mean {listed(found, quote=chr(34))}?"
    if depth == len(path.steps) - 1:
        return None
    # The rest is missing as well.
    elsewhere = ways(document.value, (*path.steps[:depth], "**", path.steps[depth]), names)
    shown = [path_text(document, way, names.of, names.key) for way in elsewhere[:_MOST_NAMED]]
    return f"this key is at {listed(shown)}" if 0 < len(elsewhere) <= _MOST_NAMED else None


# A filter of JSONPath by one key.
_FILTER = re.compile(r"""\?\(?@\.([A-Za-z0-9_-]+) ?==? ?["']?([^"'()]+)["']?\)?""")


def _filter_hint(step: str) -> str | None:
    """A hint for a step in the syntax of JSONPath, or None."""
    found = _FILTER.fullmatch(step)
    return None if found is None else f"an item is selected by a key: [{found[1]}={found[2]}]"


def _range_of(step: object, count: int) -> str | None:
    """A hint for an index after the last item of an array, or None."""
    if not count or type(step) is not int:
        return None
    return f"items are [0] to [{count - 1}]" if count > 1 else "the only item is [0]"
