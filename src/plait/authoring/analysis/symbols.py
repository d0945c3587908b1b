"""Finds the occurrences of one name in all files of some runs: bound, loaded, passed, declared and looked up.

Occurrences belong together if the resolver, a `load` of a run, or a lookup of a data value connects them, never because
their text is equal.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from plait.authoring.analysis.code import ITEM
from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.analysis.name_positions import Placed
from plait.authoring.analysis.source_paths import path_of
from plait.tree.nodes import Array, Map, MapItem
from plait.ytt.starlark import syntax
from plait.ytt.templates.recovery import STARLARK, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from plait.authoring.analysis.code import FileNames, Keyword
    from plait.authoring.analysis.file_facts import File
    from plait.authoring.project.run import Run
    from plait.base.input_view import InputView
    from plait.base.source import Source
    from plait.tree.lookups import Lookups
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.starlark.syntax import Scope

    Keys = tuple[str, ...]

DATA_VALUES = ("@ytt:data", "data", "values")
_CODE = (TEMPLATE, STARLARK, TEXT)
# Flags whose arguments start with the keys of a data value.
KEYED_FLAGS = ("data-value", "data-value-yaml", "data-value-file")


class NameOccurrence(NamedTuple):
    """A name in a file. line, column: from 1; end: the column after it."""

    path: str
    line: int
    column: int
    end: int


class Looked(Protocol):
    """An evaluated run, with its lookups."""

    run: Run
    view: InputView
    lookups: Lookups


class Symbols:
    """The names of the files that some runs read.

    aliased: sites where a module is loaded under its own name; another name requires `name="module"`. aliases: sites
    where a module is loaded under another name, each with the site of the module's name. computed: lines that look up a
    computed name, by symbol.
    """

    def __init__(self, runs: Sequence[Looked], file: Callable[[str], File | None]) -> None:
        self._file = file
        self._runs = runs
        self._parent: dict[Hashable, Hashable] = {}
        self._sites: dict[Hashable, set[NameOccurrence]] = {}
        # Joined symbols, by their representative.
        self._members: dict[Hashable, set[Hashable]] = {}
        self._values: set[Hashable] = set()
        self._at: dict[tuple[str, int], list[tuple[NameOccurrence, Hashable]]] = {}
        self._keys: dict[str, dict[tuple[int, str], list[NameOccurrence]]] = {}
        self.scopes: dict[Hashable, list[tuple[str, Scope, str]]] = {}
        self.aliased: set[NameOccurrence] = set()
        self.aliases: dict[NameOccurrence, NameOccurrence] = {}
        self.computed: dict[Hashable, list[tuple[str, int]]] = {}
        self._loads = {
            (path, written): target
            for one in runs
            for (source, written), found in one.lookups.loads.items()
            if (path := path_of(source)) is not None and (target := path_of(found)) is not None
        }
        self.paths = sorted({path for one in runs for path, data in one.view.files.items() if data is not None})
        self.files: dict[str, File] = {}
        for path in self.paths:
            found = file(path)
            if found is not None and found.kind in _CODE:
                self.files[path] = found
        for found in self.files.values():
            self._add_names(found)
        for number, run in enumerate(runs):
            self._add_values(number, run)
            self._add_exports(run)

    # ---- queries

    def at(self, path: str, line: int, column: int) -> tuple[NameOccurrence, Hashable] | None:
        """The name at a position, and its symbol; None if there is none."""
        for site, symbol in self._at.get((path, line), ()):
            if site.column <= column <= site.end:
                return site, self._root(symbol)
        return None

    def add_to_file(self, path: str) -> Iterator[tuple[NameOccurrence, Hashable]]:
        """All sites of a file, each with its symbol."""
        for (other, _), found in [*self._at.items()]:
            if other == path:
                yield from ((site, self._root(symbol)) for site, symbol in found)

    def sites(self, symbol: Hashable) -> set[NameOccurrence]:
        """All occurrences of a symbol."""
        return self._sites.get(self._root(symbol), set())

    def is_value(self, symbol: Hashable) -> bool:
        """True for a data value."""
        return self._root(symbol) not in self.scopes

    def clash(self, symbol: Hashable, name: str) -> bool:
        """True if a name is already used in the same scope, or as a key of the same map, as the symbol."""
        symbol = self._root(symbol)
        for one in self._members.get(symbol, {symbol}):
            if isinstance(one, tuple) and one[0] == "value" and (*one[:3], (*one[3][:-1], name)) in self._values:
                return True
        for path, scope, _ in self.scopes.get(symbol, ()):
            file = self._file(path)
            for other in () if file is None else file.names.occurrences:
                if other.name != name or (other.scope is not None and not _is_related(other.scope, scope)):
                    continue
                if other.scope is None or other.scope is scope or self._captures(scope, other.scope, symbol, name):
                    return True
        return False

    def _captures(self, scope: Scope, other: Scope, symbol: Hashable, name: str) -> bool:
        """True if renaming the names of a scope to `name` would change the binding of a use. other: the scope that
        already binds `name`.
        """
        old = {str.__str__(known) for _, around, known in self.scopes.get(symbol, ()) if around is scope}
        is_inner = _is_within(other, scope)
        inside = [other if is_inner else scope]
        for one in inside:
            inside += one.children
        owner, names = (scope, old) if is_inner else (other, {name})
        return any(use.scope is owner and str.__str__(use.name) in names for one in inside for use in one.uses)

    def text(self, site: NameOccurrence) -> str:
        """The text of a site."""
        file = self._file(site.path)
        return "" if file is None else file.line(site.line)[site.column - 1 : site.end - 1]

    def unresolved(self, path: str, line: int, name: str) -> Iterator[NameOccurrence]:
        """The occurrences of a name on a line that no symbol explains."""
        file = self._file(path)
        if file is None:
            return
        found = [one.key for one in file.names.lookups] + file.names.texts + [one.name for one in file.names.keywords]
        for one in found:
            if one == name and line in (one.line, file.names.told.get(one.line)):
                yield _site(path, one)
        yield from self._key_sites(path).get((line, name), ())

    def wholes(self, symbol: Hashable) -> list[tuple[str, int]]:
        """The lines that read the keys of a data value's map as data."""
        symbol = self._root(symbol)
        found: dict[tuple[str, int], None] = {}
        for number, run in enumerate(self._runs):
            for place, instance in enumerate(run.lookups.instances):
                for around, node, keys in _maps(None, instance.values.value, ()):
                    lines = run.lookups.wholes.get(node, set())
                    inner = {("value", number, place, (*keys, str(item.key))) for item in node.items} if lines else ()
                    if any(self._root(one) == symbol for one in inner):
                        # The line that requested the map is more helpful than the line that inserted it into a
                        # document.
                        for source, line in sorted(
                            run.lookups.reads.get(around, lines) if around is not None else lines,
                            key=lambda one: (one[0].name, one[1]),
                        ):
                            path = path_of(source)
                            if path is not None:
                                found[path, line] = None
        return [*found]

    # ---- symbols

    def _root(self, symbol: Hashable) -> Hashable:
        while symbol in self._parent:
            symbol = self._parent[symbol]
        return symbol

    def join(self, hashable: Hashable, other: Hashable) -> None:
        """Merges two symbols."""
        hashable, other = self._root(hashable), self._root(other)
        if hashable == other:
            return
        self._parent[other] = hashable
        self._sites.setdefault(hashable, set()).update(self._sites.pop(other, ()))
        self._members.setdefault(hashable, {hashable}).update(self._members.pop(other, {other}))
        if other in self.scopes:
            self.scopes.setdefault(hashable, []).extend(self.scopes.pop(other))
        if other in self.computed:
            self.computed.setdefault(hashable, []).extend(self.computed.pop(other))

    def _add(self, symbol: Hashable, site: NameOccurrence) -> None:
        symbol = self._root(symbol)
        for known, other in self._at.get((site.path, site.line), ()):
            if known == site:
                self.join(symbol, other)
                return
        self._sites.setdefault(symbol, set()).add(site)
        self._at.setdefault((site.path, site.line), []).append((site, symbol))

    # ---- names of programs

    def target(self, file: File, path: str) -> str | None:
        """The absolute path of the file that `load(path)` reads; None for a module."""
        found = self._loads.get((file.path, path))
        if found is not None or path.startswith(("@", "/")):
            return found
        near = os.path.normpath(os.path.join(os.path.dirname(file.path), path))
        return near if near in self.files else None

    def _add_names(self, file: File) -> None:
        names = file.names
        for one in names.occurrences:
            if one.scope is not None:
                symbol = self._name(file.path, one.scope, one.name)
                self._add(symbol, NameOccurrence(file.path, one.line, one.column, one.end))
        for load in names.loads:
            target = self.target(file, load.path)
            home = self._file(target) if target is not None else None
            for here, there, _ in load.names:
                # A loaded name without an alias is one occurrence of both bindings.
                is_same = here == there and getattr(here, "column", 0) == getattr(there, "column", 0)
                if home is not None and home.names.program is not None and isinstance(there, Placed) and there.column:
                    self._add(self._name(home.path, home.names.program, there), _site(file.path, there))
                elif is_same and isinstance(here, Placed) and here.column:
                    self.aliased.add(_site(file.path, here))
                elif target is None and isinstance(here, Placed) and isinstance(there, Placed):
                    self.aliases[_site(file.path, here)] = _site(file.path, there)
        for keyword in names.keywords:
            for path, scope in self._called(file, keyword):
                self._add(self._name(path, scope, keyword.name), _site(file.path, keyword.name))

    def _name(self, path: str, scope: Scope, name: str) -> Hashable:
        symbol = ("name", path, id(scope), name)
        root = self._root(symbol)
        known = self.scopes.setdefault(root, [])
        if (path, scope, str.__str__(name)) not in known:
            known.append((path, scope, str.__str__(name)))
        return symbol

    def _called(self, file: File, keyword: Keyword) -> Iterator[tuple[str, Scope]]:
        """The functions to which a keyword argument is passed: the file and the scope of the parameters of each."""
        function = keyword.function
        if not isinstance(function, syntax.Name) or function.scope is None:
            return
        found: list[tuple[str, FileNames, Scope, str]] = [(file.path, file.names, function.scope, function.name)]
        load = file.names.load_of(function.name) if function.scope is file.names.program else None
        while load is not None:
            target = self.target(file, load[0].path)
            home = self._file(target) if target is not None else None
            if home is None or home.names.program is None:
                return
            found = [(home.path, home.names, home.names.program, load[1])]
            file, load = home, home.names.load_of(load[1])
        for path, names, scope, name in found:
            for one in names.callables.get((scope, str.__str__(name)), ()):
                if any(parameter.name == keyword.name and not parameter.star for parameter in one.parameters):
                    yield path, one.scope

    def _add_exports(self, run: Looked) -> None:
        """Adds the names that `library.export` has returned."""
        for (source, name), lines in run.lookups.exports.items():
            home = self.files.get(path_of(source) or "")
            if home is None or home.names.program is None:
                continue
            symbol = self._name(home.path, home.names.program, name)
            for asked, line in lines:
                path = path_of(asked) or ""
                found = [one for one in self._texts_on(path, line) if one == name]
                for one in found:
                    self._add(symbol, _site(path, one))
                if not found:
                    self.computed.setdefault(self._root(symbol), []).append((path, line))

    def _texts_on(self, path: str, line: int) -> Iterator[Placed]:
        """The strings on a line."""
        file = self.files.get(path)
        if file is not None:
            yield from (one for one in file.names.texts if line in (one.line, file.names.told.get(one.line)))

    # ---- data values

    def _add_values(self, number: int, run: Looked) -> None:
        lookups = run.lookups
        symbols: dict[MapItem, list[Hashable]] = {}
        for place, instance in enumerate(lookups.instances):
            for item, keys in items_by_keys(instance.values.value):
                symbols.setdefault(item, []).append(("value", number, place, keys))
                self._values.add(("value", number, place, keys))
            for document in (*instance.schemas, *instance.given):
                for item, keys in items_by_keys(document.value):
                    self._values.add(("value", number, place, keys))
                    for site in self._declared(item):
                        self._add(("value", number, place, keys), site)
                    if item.source is None:  # a program computes its key
                        self._add_passed(("value", number, place, keys), lookups.passed.get(document, ()))
            for source in instance.sources:
                path = path_of(source)
                if path in self.files:
                    for one in self.files[path].names.lookups:
                        symbol: Hashable = ("value", number, place, () if one.path is None else one.path[3:])
                        # A method may follow the last key.
                        if one.path is not None and one.path[:3] == DATA_VALUES and symbol in self._values:
                            self._add(symbol, _site(path, one.key))
            if not instance.library:
                for keys, site in flagged(self._file, run.run):
                    self._add(("value", number, place, keys), site)
        for item, lines in lookups.reads.items():
            for symbol in symbols.get(item, ()):
                for source, line in lines:
                    self._add_read(symbol, str(item.key), source, line)

    def _add_passed(self, symbol: Hashable, lines: Sequence[tuple[Source, int]]) -> None:
        for source, line in lines:
            path = path_of(source)
            if path is not None:
                self.computed.setdefault(self._root(symbol), []).append((path, line))

    def _declared(self, item: MapItem) -> Sequence[NameOccurrence]:
        path = path_of(item.source)
        return () if path is None else self._key_sites(path).get((item.line, str(item.key)), ())

    def _add_read(self, symbol: Hashable, key: str, source: Source, line: int) -> None:
        """Adds the position where a data value was looked up."""
        path = path_of(source)
        file = self.files.get(path or "")
        if file is None:
            return
        names = file.names
        keys = symbol[3] if isinstance(symbol, tuple) else ()
        there = [
            one for one in names.lookups if one.key == key and line in (one.key.line, names.told.get(one.key.line))
        ]
        # If one occurrence is certain, others on the line are unrelated.
        exact = [
            one.key for one in there if one.path is not None and one.path[:3] == DATA_VALUES and one.path[3:] == keys
        ]
        found = exact or [one.key for one in there if one.path is None]
        if not found:
            found = [one for one in self._texts_on(file.path, line) if one == key]
        for one in found:
            self._add(symbol, _site(file.path, one))
        if not found:
            self.computed.setdefault(self._root(symbol), []).append((file.path, line))

    def _key_sites(self, path: str) -> dict[tuple[int, str], list[NameOccurrence]]:
        """The keys of a YAML file by line and text."""
        found = self._keys.get(path)
        if found is None:
            file = self._file(path)
            found = self._keys[path] = {} if file is None else keys_in(file)
        return found


def _is_within(scope: Scope, outer: Scope) -> bool:
    """True if a scope is inside another one."""
    found: Scope | None = scope.parent
    while found is not None and found is not outer:
        found = found.parent
    return found is outer


def _is_related(scope: Scope, other: Scope) -> bool:
    """True if one scope encloses the other, or they are the same."""
    for inner, outer in ((scope, other), (other, scope)):
        found: Scope | None = inner
        while found is not None:
            if found is outer:
                return True
            found = found.parent
    return False


def keys_in(file: File) -> dict[tuple[int, str], list[NameOccurrence]]:
    """The keys of a YAML file by line and text."""
    if not file.path.endswith((".yml", ".yaml", ".json")):
        return {}
    return {key: [NameOccurrence(file.path, *place) for place in places] for key, places in file.keys.items()}


def flagged(file: Callable[[str], File | None], run: Run) -> Iterator[tuple[Keys, NameOccurrence]]:
    """The data values in flags of a run in a project file, such as `data-value: [app.name=x]`, by their keys."""
    for setting in run.settings:
        if setting.option.name not in KEYED_FLAGS:
            continue
        for text, at in setting.texts():
            key = text.partition("=")[0]
            path = path_of(at.source)
            project = None if path is None else file(path)
            place = -1 if project is None else project.line(at.line).find(key)
            if project is None or place < 0 or ":" in key:
                continue
            keys: Keys = ()
            for part in key.split("."):
                keys = (*keys, part)
                yield keys, NameOccurrence(project.path, at.line, place + 1, place + 1 + len(part))
                place += len(part) + 1


def _site(path: str, text: Placed) -> NameOccurrence:
    return NameOccurrence(path, text.line, text.column, text.end)


def items_by_keys(value: NodeValue, parent: Keys = ()) -> Iterator[tuple[MapItem, Keys]]:
    """The map items inside a value, with their keys from the root. The key of a list item is `[]`."""
    if type(value) is Map:
        for item in value.items:
            keys = (*parent, str(item.key))
            yield item, keys
            yield from items_by_keys(item.value, keys)
    elif type(value) is Array:
        for one in value.items:
            yield from items_by_keys(one.value, (*parent, ITEM))


def _maps(item: MapItem | None, value: NodeValue, parent: Keys) -> Iterator[tuple[MapItem | None, Map, Keys]]:
    """The maps inside a value, including itself, each with its item and its keys."""
    if type(value) is Map:
        yield item, value, parent
        for inner in value.items:
            yield from _maps(inner, inner.value, (*parent, str(inner.key)))
    elif type(value) is Array:
        for one in value.items:
            yield from _maps(item, one.value, (*parent, ITEM))
