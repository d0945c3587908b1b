"""Completion and hover in the project file, from its JSON Schema and the files on disk."""

from __future__ import annotations

import os
from functools import cache
from itertools import pairwise

from plait.authoring.analysis.file_facts import keys_of
from plait.authoring.lsp.features import CompletionItem, EditorDiagnostic, FileEdit, FileRange, Fix
from plait.authoring.project.project_schema import schema
from plait.authoring.project.settings import is_path_setting
from plait.base.codes import number_of
from plait.base.similar_names import nearest
from plait.base.trust import permissions_of
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.cursor import Cursor
    from plait.tree.nodes import Value

    Schema: TypeAlias = Mapping[str, object]


def offers(file: File, at: Cursor) -> Iterator[CompletionItem]:
    """The suggestions at the cursor."""
    keys = [*at.keys, at.key] if at.key else at.keys
    if at.key or at.is_item:
        yield from _values(file, at, keys)
    if at.key:
        return
    for name, said in _properties(_at(keys)).items():
        if name not in at.there:
            yield CompletionItem(name, "key", at.start, documentation=_text(said), text=f"{name}: ")


def _values(file: File, at: Cursor, keys: Sequence[str]) -> Iterator[CompletionItem]:
    for one in _forms(_at(keys)):
        choices = one.get("enum")
        for choice in choices if isinstance(choices, list) else ():
            yield CompletionItem(str(choice), "value", at.start)
        if one.get("type") == "boolean":
            yield CompletionItem("true", "value", at.start)
            yield CompletionItem("false", "value", at.start)
    if keys[:1] == ["runs"] and len(keys) == 3 and keys[2] == "base":
        for name in _names_of_runs(file):
            if name != keys[1]:
                yield CompletionItem(name, "value", at.start, detail="a run of this project")
    elif _is_path(keys):
        yield from _files(file, at)


def _is_path(keys: Sequence[str]) -> bool:
    """True if the values at a key path are file names."""
    return any(is_path_setting(command, name) for command, name in pairwise(keys))


def _files(file: File, at: Cursor) -> Iterator[CompletionItem]:
    """The directory entries that can complete the text so far."""
    directory, _, last = at.typed.rpartition("/")
    top = os.path.join(os.path.dirname(file.path), directory)
    if not permissions_of("", os.path.dirname(file.path)).may_read(top):
        return
    try:
        entries = sorted(os.scandir(top), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith("."):
            name = entry.name + ("/" if entry.is_dir() else "")
            yield CompletionItem(name, "file", at.start + len(at.typed) - len(last))


def _names_of_runs(file: File) -> Iterator[str]:
    for document in file.documents:
        runs = document.value.find("runs") if type(document.value) is Map else None
        for item in runs.value.items if runs is not None and type(runs.value) is Map else ():
            yield str(item.key)


def hover(file: File, line: int, column: int) -> str | None:
    """The meaning of a key of the file."""
    way = file.ancestors_at(line, column)
    name = file.name_of(way[-1]) if way and type(way[-1]) is MapItem else None
    if name is None or name[0] != line or not name[1] <= column <= name[2]:
        return None
    keys = keys_of(way)
    text = _text(_at(keys))
    return f"`{keys[-1]}`: {text}" if text else None


def problems(file: File) -> Iterator[EditorDiagnostic]:
    """Unknown settings. Other faults are reported when a run reads the file."""
    for document in file.documents:
        yield from _unknown(file, document.value, [])


def _unknown(file: File, value: Value, keys: list[str]) -> Iterator[EditorDiagnostic]:
    if type(value) is Array:
        for one in value.items:
            yield from _unknown(file, one.value, keys)
    for item in value.items if type(value) is Map else ():
        key = str(item.key)
        here = [*keys, key]
        if _at(here):
            yield from _unknown(file, item.value, here)
        elif not _is_open(_at(keys)):
            span = FileRange(file.path, item.line, *file.key_on(item.line, key))
            near = nearest(key, [*_properties(_at(keys))])
            hint = "" if near is None else f"\nhint: did you mean {near}?"
            fixes = [] if near is None else [Fix(f"Change to {near}", [FileEdit(span, near)])]
            yield EditorDiagnostic(
                span, "error", f'unknown setting "{key}"{hint}', number_of("unknown-setting"), fixes=fixes
            )


# ---- the schema


@cache
def _schema() -> Schema:
    return schema()


def _at(keys: Sequence[str]) -> list[Schema]:
    """The schemas of the value at a key path, through lists; empty for an unknown key."""
    found = [_schema()]
    for key in keys:
        found = [inner for one in _forms(found) for inner in _inner(one, key)]
    return found


def _inner(schema: Schema, key: str) -> Iterator[Schema]:
    properties = schema.get("properties")
    if isinstance(properties, dict) and key in properties:
        yield properties[key]
        return
    other = schema.get("additionalProperties")
    if isinstance(other, dict):
        yield other


def _forms(found: Sequence[Schema]) -> Iterator[Schema]:
    """All alternatives of schemas, with references resolved, and those of list items."""
    for one in found:
        reference = one.get("$ref")
        if isinstance(reference, str):
            definitions = _schema()["$defs"]
            assert isinstance(definitions, dict)
            yield from _forms([definitions[reference.rpartition("/")[2]]])
            continue
        yield one
        forms, items = one.get("oneOf"), one.get("items")
        yield from _forms([form for form in forms if isinstance(form, dict)] if isinstance(forms, list) else [])
        if isinstance(items, dict):
            yield from _forms([items])


def _properties(found: Sequence[Schema]) -> dict[str, list[Schema]]:
    properties: dict[str, list[Schema]] = {}
    for one in _forms(found):
        inner = one.get("properties")
        for name, said in inner.items() if isinstance(inner, dict) else ():
            properties.setdefault(name, []).append(said)
    return properties


def _is_open(found: Sequence[Schema]) -> bool:
    """True if any key is accepted there."""
    return not any(one.get("additionalProperties") is False for one in _forms(found))


def _text(found: Sequence[Schema]) -> str:
    for one in (*found, *_forms(found)):
        text = one.get("description")
        if isinstance(text, str):
            return text
    return ""
