"""Causes of undefined names and of missing data values: a misspelt name in a `load`, a text after a data value, data
values without their annotation. Imported only for a file that fails.
"""

from __future__ import annotations

import contextlib
import re

from plait.base.errors import PlaitError, ReadError
from plait.base.similar_names import counted, did_you_mean, listed, near
from plait.base.source import Position
from plait.base.suggestions import replacing
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.boolean_keys import among
from plait.ytt.starlark.syntax import Load
from plait.ytt.templates.recovery import recover
from plait.ytt.workspace.input_files import YAML

# The characters of a line in which hints look for a name.
_MOST_READ = 1000
# Maximum number of data values in which hints look for one.
_MOST_ITEMS = 2000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.base.source import Source
    from plait.base.suggestions import Hint
    from plait.tree.nodes import DocumentSet, Value
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library, LibraryFile


def explain(
    error: PlaitError,
    file: InputFile,
    member: Callable[[str, Library, Library], tuple[LibraryFile, Library]],
    current: Library,
    root: Library,
    values: object,
) -> None:
    """Changes an error about undefined names to one about the `load` that misspells them.

    member: finds the file that a `load` names; its arguments are the path, and the directory and the root of the
    loading file. The findings about the other names remain. values: the data values.
    """
    findings = [one for one in (error, *error.findings) if one.code == "undefined-name"]
    for one in findings:
        if one.word and one.at is not None and isinstance(values, Map):
            one.hint = _continued(one.word, (file.source.line(one.at.line) or "")[:_MOST_READ], values) or one.hint
    undefined = {one.word for one in findings}
    for path, name, line, meant in (
        _misspelt(file, undefined, lambda path: member(path, current, root)[0].file) if undefined else ()
    ):
        uses = sum(one.word in meant for one in findings)
        reference = error.reference
        told = f"load: name {name} not found in module {path} (did you mean {listed(meant)}?)"
        error.findings = [one for one in error.findings if one.word not in meant or one.code != "undefined-name"]
        if error.word not in meant:
            # The first error is about another name.
            continue
        error.message = replacing(name, meant, told)
        error.reference = reference
        error.found = f"{counted(uses, 'use')} of {listed(meant)} below" if uses > 1 else None
        error.hint, error.also, error.code, error.word = None, [], "symbol-not-found", name
        error.at = Position(file.source, line)


def explain_missing(
    error: PlaitError,
    file: InputFile,
    values: object,
    root: Library,
    documents_of: Callable[[InputFile], DocumentSet],
) -> None:
    """Names the cause of a missing data value: a key without quotes that is a boolean, a file that defines the data
    values itself, or a plain document.
    """
    if not isinstance(values, Map):
        return
    boolean = among(error.word, _keys(values)) if error.word else None
    if boolean is not None:
        error.found, error.hint = None, boolean
    elif not values.items and error.code == "unknown-attribute" and "\n#@data/values" in f"\n{file.text()}":
        line = f"\n{file.text()}".partition("\n#@data/values")[0].count("\n") + 1
        error.also.append(Position(file.source, line))
        error.hint = (
            f"line {line} makes this document define data values: put a template into another file; "
            "a default that is computed from other values needs --with values-refer"
        )
    elif not values.items and error.code == "unknown-attribute":
        _name_plain_values(error, root, documents_of)


def _keys(values: Map) -> Iterator[tuple[Value, Source | None, int]]:
    """Yields the keys of data values with their lines, those in arrays too."""
    pending: list[Map | Array] = [values]
    for one in pending:  # the list grows during the iteration
        for item in one.items[:_MOST_ITEMS]:
            if type(item) is MapItem:
                yield item.key, item.source, item.line
            if isinstance(item.value, (Map, Array)) and len(pending) < _MOST_ITEMS:
                pending.append(item.value)


def _name_plain_values(error: PlaitError, root: Library, documents_of: Callable[[InputFile], DocumentSet]) -> None:
    """Names the file that has a missing data value as a key of a plain document. There are no data values."""
    for file in (member.file for member in root.accessible_files()):
        if file.type != YAML or "#@" in file.text():
            continue
        with contextlib.suppress(PlaitError):
            documents = documents_of(file).items
            top = documents[0].value if len(documents) == 1 else None
            item = top.find(error.word) if isinstance(top, Map) else None
            if item is not None:
                shown = file.shown or file.path
                error.also = [*error.also, item.position.labelled("a key of a plain document")]
                lines = (
                    "#@data/values above its ---" if file.text().startswith("---") else "#@data/values and --- above it"
                )
                error.hint = (
                    f"{shown} is a plain document: {lines} makes it data values, or --data-values-file {shown} reads it "
                    "as such"
                )
                return


def of_module(name: str, known: Sequence[str]) -> str:
    """The hint for a `load` of a module that does not exist."""
    if name == "schema":
        return "annotations such as #@schema/nullable need no load: remove it"
    return did_you_mean(name, known) or f"the modules are {', '.join(sorted(known))}"


def elsewhere(path: str, root: Library, *, is_loaded: bool = False) -> Hint | None:
    """A hint that names files with the same name in other directories, or with a similar path; or None.

    is_loaded: only files that can be loaded.
    """
    *_, below = path.rpartition("_ytt_lib/")
    for name, rest in _splits(below) if is_loaded and below != path else ():
        with contextlib.suppress(ReadError):
            root.find_library(name).find_file(rest)
            meant = f"@{name}:{rest}"
            return replacing(path, [meant], f'a file of a library is loaded by the name of the library: "{meant}"')
    known = [f"/{member.path}" for member in root.accessible_files() if member.file.is_library or not is_loaded]
    name = path.rpartition("/")[2]
    found = [one for one in known if one.endswith(f"/{name}")][:3] or near(f"/{path.removeprefix('/')}", known)
    return replacing(path, found, f"did you mean {listed(found, quote=chr(34))}?") if found else None


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Yields the parts of a path before and after each of its slashes."""
    for place, sign in enumerate(path):
        if sign == "/":
            yield path[:place], path[place + 1 :]


def misplaced_library(path: str, current: Library, root: Library) -> str | None:
    """The hint for a library in a directory with another name or at another place than the expected _ytt_lib, or None.
    current, root: the directory of the file that names the library, and of the inputs.
    """
    pending: list[tuple[str, Library]] = [("", root)]
    for prefix, directory in pending:  # the list grows during the iteration
        for child in directory.children:
            place = f"{prefix}{child.name}"
            if len(pending) < _MOST_ITEMS:
                pending.append((f"{place}/", child))
            with contextlib.suppress(ReadError):
                child.find_directory(path)
                if child.private and directory is not current:
                    return f"{place}/{path} exists, but _ytt_lib must be in the directory of the file that names the library"
                if not child.private and directory is current:
                    return f"{place}/{path} exists: rename the directory {place} to {prefix}_ytt_lib"
    return None


def _continued(word: str, line: str, values: Map) -> str | None:
    """The hint for a text with a dash after a data value that is a text, or None."""
    found = re.search(rf"(?<![\w.])data\.values\.([A-Za-z_][\w.]*)((?:-\w+)*-{re.escape(word)})(?![\w.(-])", line)
    if found is None:
        return None
    *way, last = found[1].split(".")
    place: object = values
    for key in way:
        item = place.find(key) if isinstance(place, Map) else None
        place = None if item is None else item.value
    if not isinstance(place, Map) or place.find(last + found[2]) is not None:
        return None  # a key with a dash
    item = place.find(last)
    if item is None or type(item.value) is not str:
        return None
    return f'a string is joined with "+": data.values.{found[1]} + "{found[2]}"'


def _misspelt(
    file: InputFile, undefined: set[str], find: Callable[[str], InputFile]
) -> Iterator[tuple[str, str, int, list[str]]]:
    """The names in loads that the loaded file does not define, if it defines similar ones that are undefined here."""
    for load in recover(file.source, file.type).statements:
        if type(load) is not Load or load.path.startswith("@ytt:"):
            continue
        with contextlib.suppress(ReadError):
            loaded = find(load.path)
            scope = recover(loaded.source, loaded.type).scope
            known = {} if scope is None else scope.bound
            for there, _, line in load.names:
                meant = [one for one in near(there, known) if one in undefined] if there not in known else []
                if meant:
                    yield load.path, there, line, meant
