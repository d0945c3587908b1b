"""What can stand at a place: annotations, modules, names, data values, keys of what is overlaid, parts of paths, schemas."""

from __future__ import annotations

import os
import re

from plait.analysis.files import LAYER, OPS, TEMPLATE
from plait.lsp import reference, variables
from plait.lsp.answers import Suggestion
from plait.lsp.evaluation import descend
from plait.lsp.navigation import loaded_file
from plait.nodes import Array, Map, MapItem
from plait.starlark.table.methods import METHODS
from plait.starlark.table.universal import UNIVERSAL
from plait.templates.recovery import STARLARK, TEXT
from plait.tools.telling import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.analysis.files import File
    from plait.lsp.evaluation import Evaluation
    from plait.lsp.state import State
    from plait.nodes import Document, Item, Value

_ANNOTATION = re.compile(r"#@?([\w/-]*)$")
_LOAD_PATH = re.compile(r"load\(\s*([\"'])([^\"']*)$")
_LOAD_NAME = re.compile(r"load\(\s*[\"']([^\"']+)[\"'].*,\s*(?:\w+\s*=\s*)?([\"'])(\w*)$")
_CHAIN = re.compile(r"((?:\w+\.)+)(\w*)$")
_WORD = re.compile(r"(\w*)$")
_ARGUMENTS = re.compile(r"#@([\w/-]+) (?:.*[ ,(])?(\w*)$")
_KEY = re.compile(r"^[ \t]*(?:- )*[ \t]*([\w./-]*)$")
_PATH = re.compile(r"^\s*(?:- )?path:\s*[\"']?(/\S*)?$")
_TYPE = re.compile(r"^\s*(?:- )?type:\s*[\"']?(\w*)$")

_KEYWORDS = (
    "and",
    "break",
    "continue",
    "def",
    "elif",
    "else",
    "end",
    "for",
    "if",
    "in",
    "lambda",
    "load",
    "not",
    "or",
    "return",
)
# The arguments of annotations by name.
_NAMED = {
    "assert/validate": ("min", "max", "min_len", "max_len", "one_of", "not_null", "one_not_null", "when"),
    "overlay/assert": ("via",),
    "overlay/insert": ("before", "after", "via"),
    "overlay/match": ("by", "expects", "missing_ok", "when"),
    "overlay/match-child-defaults": ("expects", "missing_ok", "when"),
    "overlay/replace": ("via", "or_add"),
    "schema/type": ("any",),
    "schema/validation": ("min", "max", "min_len", "max_len", "one_of", "not_null", "one_not_null", "when"),
}
_MOST = 200


def complete(state: State, path: str, line: int, column: int) -> list[Suggestion]:
    """What can stand before a column of a line, the text in between typed so far."""
    file = state.file(path)
    if file is None:
        return []
    before = file.line(line)[: column - 1]
    if "((" in before and "))" not in before[before.rindex("((") :]:
        return list(variables.suggestions(state, file, before, column))
    if file.kind == OPS:
        return list(_operations(state, file, before, line))
    if file.kind == LAYER:
        return list(_layered(state, file, before))
    code = _code_before(file, before)
    if code is not None:
        return list(_code(state, file, code, line, column))
    if "#" in before:
        return list(_annotations(before, column))
    return list(_keys(state, file, before, line, column))[:_MOST]


def _code_before(file: File, before: str) -> str | None:
    """The code that ends at the cursor; None outside of code."""
    if file.kind == STARLARK:
        return before
    if file.kind == TEXT:
        start = before.rfind("(@")
        return None if start < 0 or before.rfind("@)") > start else before[start + 2 :].lstrip("=-/")
    mark = before.find("#@")
    if mark < 0:
        return None
    rest = before[mark + 2 :]
    return rest if rest.startswith(" ") or (" " in rest and not rest.startswith(" ")) else None


def _annotations(before: str, column: int) -> Iterator[Suggestion]:
    found = _ANNOTATION.search(before)
    if found is None:
        return
    start = column - len(found[0])
    for name in reference.annotation_names():
        yield Suggestion(f"#@{name}", "annotation", start, documentation=reference.texts().get(f"#@{name}", ""))


def _code(state: State, file: File, code: str, line: int, column: int) -> Iterator[Suggestion]:
    name = _LOAD_NAME.search(code)
    if name is not None:
        yield from _exports(state, file, name[1], column - len(name[3]))
        return
    found = _LOAD_PATH.search(code)
    if found is not None:
        yield from _load_paths(state, file, column - len(found[2]))
        return
    chain = _CHAIN.search(code)
    if chain is not None:
        yield from _members(state, file, chain[1].rstrip(".").split("."), column - len(chain[2]))
        return
    word = _WORD.search(code)
    start = column - len(word[1] if word else "")
    arguments = _ARGUMENTS.search(file.line(line)[: column - 1])
    if arguments is not None:
        for named in _NAMED.get(arguments[1], ()):
            yield Suggestion(f"{named}=", "argument", start)
    for visible in sorted(file.names.visible(line)):
        kind = "function" if file.names.function(visible) is not None else "variable"
        yield Suggestion(visible, kind, start)
    for universal in ("None", "True", "False", *UNIVERSAL):
        yield Suggestion(universal, "function", start, documentation=reference.universal(universal) or "")
    for keyword in _KEYWORDS:
        yield Suggestion(keyword, "keyword", start)


def _load_paths(state: State, file: File, start: int) -> Iterator[Suggestion]:
    for module in reference.module_names():
        yield Suggestion(f"@ytt:{module}", "module", start)
    here = os.path.dirname(file.path)
    seen: set[str] = set()
    for watched in state.runs_of(file.path):
        if watched.evaluation is not None:
            seen.update(watched.evaluation.view.files)
    try:
        seen.update(os.path.join(here, name) for name in os.listdir(here))
    except OSError:
        pass
    for path in sorted(seen):
        if path.endswith((".star", ".lib.yml", ".lib.txt")) and path != file.path and path.startswith(here + os.sep):
            yield Suggestion(os.path.relpath(path, here).replace(os.sep, "/"), "file", start)


def _exports(state: State, file: File, path: str, start: int) -> Iterator[Suggestion]:
    if path.startswith("@ytt:"):
        yield Suggestion(path[5:], "module", start)
        return
    there = loaded_file(state, file, path)
    if there is not None and there.names.program is not None:
        for name in sorted(there.names.program.bound):
            if name.isidentifier() and not name.startswith("_"):
                yield Suggestion(name, "function" if there.names.function(name) else "variable", start)


def _members(state: State, file: File, names: Sequence[str], start: int) -> Iterator[Suggestion]:
    """What can stand behind the dots of a name."""
    load = _path_of_load(file, names[0])
    if load == "@ytt:data" and names[1:2] == ["values"]:
        yield from _data_values(state, file, names[2:], start)
        return
    if load is not None and load.startswith("@ytt:"):
        if len(names) == 1:
            module = load[5:]
            for member in reference.members(module):
                yield Suggestion(member, "function", start, documentation=reference.member(module, member) or "")
        return
    for name in sorted({name for table in METHODS.values() for name in table}):
        yield Suggestion(name, "method", start, documentation=reference.method(name))


def _path_of_load(file: File, name: str) -> str | None:
    """The path that a name is loaded from; where the program cannot be read, by the text of its `load`."""
    known = file.names.load_of(name)
    if known is not None:
        return known[0].path
    for text in file.lines:
        if "load(" in text:
            found = re.search(rf"load\(\s*[\"']([^\"']+)[\"'].*[\"']{re.escape(name)}[\"']", text)
            if found is not None:
                return found[1]
    return None


def _data_values(state: State, file: File, keys: Sequence[str], start: int) -> Iterator[Suggestion]:
    seen: set[str] = set()
    for evaluation in state.evaluations(file.path):
        place = evaluation.value(keys)
        value = _top(evaluation) if not keys else None if place is None else place.value
        if type(value) is Map:
            for item in value.items:
                if str(item.key) not in seen:
                    seen.add(str(item.key))
                    yield Suggestion(str(item.key), "value", start, detail=shown(item.value))


def _top(evaluation: Evaluation) -> Value:
    values = evaluation.values
    return values.nodes.items[0].value if values is not None and values.nodes.items else None


# ---- YAML


def _keys(state: State, file: File, before: str, line: int, column: int) -> Iterator[Suggestion]:
    """Keys for a map: of the data values' schema, or of what an overlay lies over."""
    typed = _KEY.match(before)
    if typed is None:
        return
    start = column - len(typed[1])
    indent = len(before) - len(before.lstrip(" -"))
    way = [item for item in file.way_to(line, indent) if not (type(item) is MapItem and item.line == line)]
    keys = [str(item.key) for item in way if type(item) is MapItem]
    here = {str(item.key) for item in _map_of(way)}
    for evaluation in state.evaluations(file.path):
        for value in _candidates(evaluation, file, way, keys):
            if type(value) is Map:
                for item in value.items:
                    if str(item.key) not in here:
                        here.add(str(item.key))
                        yield Suggestion(str(item.key), "key", start, detail=shown(item.value), text=f"{item.key}: ")


def _map_of(way: Sequence[Item]) -> Sequence[MapItem]:
    value = way[-1].value if way else None
    return value.items if type(value) is Map else ()


def _candidates(evaluation: Evaluation, file: File, way: Sequence[Item], keys: Sequence[str]) -> Iterator[Value]:
    """The maps whose keys could stand at a place."""
    if _is_overlay(file, way):
        for document in _left(evaluation, file, way):
            place = descend(document, keys)
            if place is not None:
                yield place.value
        return
    if _is_values(evaluation, file, way):
        place = evaluation.value(keys)
        yield _top(evaluation) if not keys else None if place is None else place.value


def _is_overlay(file: File, way: Sequence[Item]) -> bool:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    return (
        bool(way)
        and comments is not None
        and any(comment.text.startswith("@overlay/match") for comment in comments.at(way[0]))
    )


def _is_values(evaluation: Evaluation, file: File, way: Sequence[Item]) -> bool:
    """Whether a place is in a document of data values: annotated so, or in a plain values file of the run."""
    comments = None if file.recovered.file is None else file.recovered.file.comments
    if comments is not None and way and any(one.text.startswith("@data/values") for one in comments.at(way[0])):
        return True
    return file.kind != TEMPLATE and any(
        setting.flag is not None
        and setting.flag.name == "data-values-file"
        and file.path in evaluation.run.paths(setting)
        for setting in evaluation.run.settings
    )


def _left(evaluation: Evaluation, file: File, way: Sequence[Item]) -> Iterator[Document]:
    """The documents that an overlay's document has changed; all of the run's if none is known."""
    assert evaluation.documents is not None
    documents = evaluation.documents.nodes.items
    numbers = {place.number for place in evaluation.set_by(file.path, way[0])}
    if numbers:
        for number in sorted(numbers):
            yield documents[number]
        return
    yield from documents


# ---- operations and layered documents


def _operations(state: State, file: File, before: str, line: int) -> Iterator[Suggestion]:
    kind = _TYPE.match(before)
    if kind is not None:
        for name in ("replace", "remove", "test"):
            yield Suggestion(name, "keyword", len(before) - len(kind[1]) + 1)
        return
    path = _PATH.match(before)
    if path is not None:
        text = path[1] or ""
        start = len(before) - len(text.rpartition("/")[2]) + 1
        for documents in _bases(state, file):
            yield from _tokens(documents, text.split("/")[1:-1], start, slash=not text)
        return
    typed = _KEY.match(before)
    if typed is not None:
        indent = len(before) - len(before.lstrip(" -"))
        here = {str(item.key) for item in _map_of(file.way_to(line, indent)[:2])}
        for name in ("type", "path", "value"):
            if name not in here:
                yield Suggestion(name, "key", len(before) - len(typed[1]) + 1, text=f"{name}: ")


def _bases(state: State, file: File) -> Iterator[Sequence[Document]]:
    """What the operations of a file are for: the base of each run as it is, where nothing came of the run, else its result."""
    for watched in state.runs_of(file.path):
        if watched.good is not None and watched.good.documents is not None:
            yield watched.good.documents.nodes.items
            continue
        for setting in watched.run.settings:
            if setting.name == "base":
                for path in watched.run.paths(setting):
                    base = state.file(path)
                    if base is not None:
                        yield base.documents


def _tokens(documents: Sequence[Document], tokens: Sequence[str], start: int, *, slash: bool) -> Iterator[Suggestion]:
    """The tokens that can follow others in the path of an operation."""
    for document in documents[:1]:
        value: Value = document.value
        for token in tokens:
            value = _step(value, token.rstrip("?"))
        mark = "/" if slash else ""
        if type(value) is Map:
            for item in value.items:
                yield Suggestion(f"{mark}{item.key}", "key", start, detail=shown(item.value))
        elif type(value) is Array:
            for number, one in enumerate(value.items):
                name = one.value.find("name") if type(one.value) is Map else None
                text = str(number) if name is None else f"name={name.value}"
                yield Suggestion(f"{mark}{text}", "item", start)
            yield Suggestion(f"{mark}-", "item", start, detail="after the last item")


def _step(value: Value, token: str) -> Value:
    if type(value) is Map:
        item = value.find(token)
        return None if item is None else item.value
    if type(value) is not Array:
        return None
    key, equals, wanted = token.partition("=")
    for number, one in enumerate(value.items):
        if equals and type(one.value) is Map:
            found = one.value.find(key)
            if found is not None and str(found.value) == wanted:
                return one.value
        elif token == str(number):
            return one.value
    return None


def _layered(state: State, file: File, before: str) -> Iterator[Suggestion]:
    """Schemas, names and layers that occur in the documents of the runs."""
    found = re.match(r"^\s*(?:- )?(schema|name|layer|method):\s*[\"']?([\w./-]*)$", before)
    if found is None:
        return
    start = len(before) - len(found[2]) + 1
    if found[1] == "method":
        for name in ("merge", "replace", "delete"):
            yield Suggestion(name, "keyword", start)
        return
    for text in sorted(_occurring(state, file, found[1])):
        yield Suggestion(text, found[1], start)


def _occurring(state: State, file: File, key: str) -> set[str]:
    texts: set[str] = set()
    for evaluation in state.evaluations(file.path):
        for path in evaluation.view.files:
            other = state.file(path)
            for document in () if other is None else other.documents:
                if type(document.value) is not Map:
                    continue
                for keys in _PLACES[key]:
                    place = descend(document, keys)
                    values = () if place is None else place.value.items if type(place.value) is Array else [place.item]
                    texts.update(item.value for item in values if type(item.value) is str)
    return texts


_PLACES = {
    "schema": (["schema"],),
    "name": (["metadata", "name"],),
    "layer": (["metadata", "layeringDefinition", "layer"], ["data", "layerOrder"]),
}
