"""Finds data values: their declarations and settings, and the uses in the code of files."""

from __future__ import annotations

from plait.tree.nodes import Map
from plait.yaml.document_names import scalar_text
from plait.ytt.starlark.syntax import Assign, Attribute, Name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.tree.nodes import Document, MapItem

    Keys = tuple[str, ...]

VALUES, SCHEMA = "@data/values", "@data/values-schema"
_MODULE = "@ytt:data"
# Files whose names other files load.
LIBRARY_FILES = (".lib.yml", ".lib.yaml", ".star", ".lib.txt")


def declared(file: File) -> Iterator[tuple[str, Document]]:
    """The documents in a file that define data values or their schema, each with its type."""
    comments = None if file.recovered.file is None else file.recovered.file.comments
    if comments is None:
        return
    for document in file.documents:
        for comment in comments.of.get(document, ()):
            name = comment.text.partition(" ")[0]
            if name in (VALUES, SCHEMA):
                yield name, document


def uses(files: Iterable[File]) -> set[Keys]:
    """The data values that code uses, by their keys from the root.

    Nested values may be used as well, because code may pass on a whole map. `()` represents all data values.
    """
    found: set[Keys] = set()
    for file in files:
        found.update(uses_in(file))
    return found


def uses_in(file: File) -> Iterator[Keys]:
    """The data values that one file uses, once per occurrence, in order."""
    names = file.names
    modules = {here for load in names.loads if load.path == _MODULE for here, _, _ in load.names}
    if not modules:
        return
    begun = {(one.parts[0][1], one.parts[0][2]): one.names for one in names.chains}
    aliases = {} if file.path.endswith(LIBRARY_FILES) else _aliases(file, modules)
    given = {(line, ("values", *keys)) for line, keys in aliases.values()}
    for one in names.occurrences:
        chain = begun.get((one.line, one.column))
        rest = tuple(chain[1:]) if chain is not None else ()
        if one.is_binding:
            continue
        if one.name in aliases:
            yield (*aliases[one.name][1], *rest)
        elif one.name in modules and chain is None:
            yield ()  # the module itself is passed on
        elif one.name in modules and rest[0] == "values" and (one.line, rest) not in given:
            yield rest[1:]


def _aliases(file: File, modules: Collection[str]) -> dict[str, tuple[int, Keys]]:
    """The names that are bound once, to data values, as in `v = data.values`: each with its line and the keys."""
    found: dict[str, tuple[int, Keys]] = {}
    bound = [one.name for one in file.names.occurrences if one.is_binding]
    for statement in file.names.statements:
        if not isinstance(statement, Assign) or not isinstance(statement.target, Name) or statement.operator:
            continue
        keys: list[str] = []
        value = statement.value
        while isinstance(value, Attribute):
            keys.insert(0, value.name)
            value = value.x
        is_values = isinstance(value, Name) and value.name in modules and keys[:1] == ["values"]
        if is_values and bound.count(statement.target.name) == 1:
            found[statement.target.name] = (statement.line, tuple(keys[1:]))
    return found


def is_used(keys: Sequence[str], used: Iterable[Keys]) -> bool:
    """True if code uses a data value, one of its ancestors, or one of its descendants."""
    return any(all(a == b for a, b in zip(keys, one, strict=False)) for one in used)


def unused_values(documents: Iterable[Document], used: Iterable[Keys]) -> Iterator[tuple[Keys, MapItem]]:
    """The outermost items of data values that no code uses, each with its keys."""
    known = set(used)
    for document in documents:
        todo: list[tuple[Keys, Document | MapItem]] = [((), document)]
        while todo:
            around, item = todo.pop()
            if type(item.value) is not Map:
                continue
            for inner in item.value.items:
                keys = (*around, scalar_text(inner.key))
                if not is_used(keys, known):
                    yield keys, inner
                elif not any(one == keys[: len(one)] for one in known):
                    todo.append((keys, inner))
