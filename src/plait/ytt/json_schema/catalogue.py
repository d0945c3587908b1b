"""A catalogue of schemas: finds the schema of a document among the files that a project names.

A directory has JSON Schemas in one of the usual layouts, `deployment-apps-v1.json` or `apps/deployment_v1.json`, files
of custom resource definitions, and OpenAPI documents; a file is one of these. Documents that are not Kubernetes objects
are found by the name of their file. Files are read on demand.
"""

from __future__ import annotations

import marshal
import os
from collections import OrderedDict
from fnmatch import fnmatch
from hashlib import blake2b
from threading import Lock, RLock

from plait.base.errors import LimitError, PermissionDeniedError, PlaitError, ReadError, UsageError
from plait.base.input_view import check_read
from plait.base.json_schema import LIBRARY_HINT, NEEDS_LIBRARY
from plait.tree.nodes import Map
from plait.ytt.json_schema.check import as_json, placed, violations
from plait.ytt.json_schema.definitions import definitions
from plait.ytt.json_schema.reference_resolution import SchemaReferences, around_data
from plait.ytt.json_schema.schema_files import SchemaFiles, displayed_path, uri_of
from plait.ytt.json_schema.schema_index import SchemaFileIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import Item
    from plait.ytt.json_schema.check import SchemaViolation
    from plait.ytt.json_schema.messages import Violation
    from plait.ytt.json_schema.subschema import Subschema

    # A path to files of schemas by kind, or a pattern of file names with the path of their schema.
    Entry: TypeAlias = "str | tuple[str, str]"

# Number of checked documents that are remembered, so that unchanged ones are not checked again.
_MOST_KNOWN = 20_000
_NAMES = ("apiVersion", "kind", "schema")
_LAYERED = 3  # the parts of a layered document's schema name
_WITHOUT_SHARING = 2  # a version of the format in which equal values have equal bytes


def _absolute(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for one in entries:
        if isinstance(one, tuple):
            found.append((os.path.abspath(one[0]), os.path.abspath(one[1])))
        else:
            found.append(os.path.abspath(one))
    return tuple(found)


def _below(directories: Sequence[str], texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """The replacement texts for files below some directories."""
    starts = tuple(os.path.join(one, "") for one in directories)
    return {path: text for path, text in texts.items() if path.startswith(starts)}


def _permitted(entries: Sequence[Entry]) -> tuple[list[Entry], list[PlaitError]]:
    """The entries that may be read, and the errors for the others."""
    found: list[Entry] = []
    denied: list[PlaitError] = []
    for entry in entries:
        try:
            check_read(entry if isinstance(entry, str) else entry[1])
        except PermissionDeniedError as error:
            denied.append(error)
        else:
            found.append(entry)
    return found, denied


class Catalogue:
    """The schemas of a project.

    entries: paths of files and directories, and pairs of a pattern of paths and a schema. texts: replace files, by
    absolute path. references: the references of the schemas read.
    """

    def __init__(self, entries: Iterable[Entry], texts: Mapping[str, bytes] | None = None) -> None:
        """Raises UsageError if the library jsonschema is missing. Faults in files are added to `problems`."""
        chosen, denied = _permitted(_absolute(entries))
        places = [one if isinstance(one, str) else one[1] for one in chosen]
        allowed = [one if os.path.isdir(one) else os.path.dirname(one) for one in places]
        self._allowed = allowed
        self.files = SchemaFiles(allowed, _below(allowed, texts or {}))
        for error in denied:
            self.files.report(error)
        try:
            self.references = SchemaReferences(self.files)
        except ImportError:
            raise UsageError(
                NEEDS_LIBRARY.format("checking documents"),
                hint=LIBRARY_HINT,
                code="extra-not-installed",
            ) from None
        self._lock = RLock()
        self._patterns = [one for one in chosen if isinstance(one, tuple)]
        # The index of each entry; the first match wins.
        self._layouts: list[SchemaFileIndex] = []
        # Files that were read, and where in them kinds are defined.
        self._taken: dict[str, dict[tuple[str, str], str]] = {}
        self._schemas: dict[object, Subschema | None] = {}
        self._known: OrderedDict[object, Sequence[Violation]] = OrderedDict()
        for entry in chosen:
            if isinstance(entry, tuple):
                self.files.note(entry[1])
                continue
            layout = SchemaFileIndex(self.files)
            self._layouts.append(layout)
            if os.path.isdir(entry):
                layout.add_directory(entry)
            else:
                self._named(entry, layout)

    @property
    def problems(self) -> Sequence[PlaitError]:
        """Problems of the schema files read so far, each with its position."""
        return self.files.problems

    @property
    def notes(self) -> Sequence[PlaitError]:
        """Keywords of the schemas that are not checked."""
        return self.files.notes

    def paths(self) -> Iterable[str]:
        """The files and directories that were read or tested."""
        return [*self.files.stamps]

    def is_current(self, texts: Mapping[str, bytes]) -> bool:
        """True if every schema read so far is unchanged. texts: contents that replace files now."""
        with self._lock:
            changed = self.files.changed(_below(self._allowed, texts))
            return all(any(layout.is_same(path) for layout in self._layouts) for path in changed)

    def reads(self, path: str) -> bool:
        """True if the file is part of the catalogue, or would be if it existed."""
        return path in self.files.stamps or os.path.dirname(path) in self.files.stamps

    # ---- which schema

    def find(self, document: Item, paths: Iterable[str] = ()) -> Subschema | None:
        """The schema of a document, or None: by its kind, for a layered document by its `schema`, else by its source
        files.

        paths: the source files. Raises LimitError.
        """
        top = document.value
        if type(top) is Map:
            version, kind, layered = (None if (item := top.find(name)) is None else item.value for name in _NAMES)
            found = self.by_kind(version, kind)
            if found is None and kind is None and version is None:
                found = self.by_layered(layered)
            if found is not None:
                return found
        return next((found for path in paths if (found := self.by_file(path)) is not None), None)

    def names(self) -> list[str]:
        """The names of the files that are schemas, or may define kinds."""
        return sorted({name for layout in self._layouts for name in layout.names})

    def by_kind(self, api_version: object, kind: object) -> Subschema | None:
        """The schema of a kind of Kubernetes objects. Raises LimitError."""
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return None
        return self._once((api_version, kind), lambda: self._of_kind(api_version, kind))

    def by_layered(self, name: object) -> Subschema | None:
        """The schema of layered documents with a `schema` such as `example/Server/v1`: the definition for `example/v1`
        and `Server` applies to their data. Raises LimitError.
        """
        parts = name.split("/") if isinstance(name, str) else []
        if len(parts) != _LAYERED:
            return None
        group, kind, version = parts
        return self._once((name, ""), lambda: self._of_data(f"{group}/{version}", kind))

    def by_file(self, path: str) -> Subschema | None:
        """The schema for files with this name, or None. Raises LimitError."""
        path = os.path.abspath(path)
        for pattern, schema in self._patterns:
            if fnmatch(path, pattern):
                return self._once(schema, lambda place=schema: self.references.schema(place))  # type: ignore[misc]
        return None

    def _once(self, key: object, make: Callable[[], Subschema | None]) -> Subschema | None:
        """The cached result of `make`. Its error becomes a problem of the files, and the result is None."""
        with self._lock:
            if key not in self._schemas:
                try:
                    self._schemas[key] = make()
                except LimitError:
                    raise
                except PlaitError as error:
                    self.files.report(error)
                    self._schemas[key] = None
            return self._schemas[key]

    def _of_kind(self, api_version: str, kind: str) -> Subschema | None:
        for layout in self._layouts:
            path = layout.named(api_version, kind)
            if path is not None:
                return self.references.schema(path, is_kind=True)
            for path in layout.with_kind(kind):
                pointer = self._definitions(path).get((api_version, kind))
                if pointer is not None:
                    return self.references.schema(path, pointer, is_kind=True)
        return None

    def _of_data(self, api_version: str, kind: str) -> Subschema | None:
        for layout in self._layouts:
            path = layout.named(api_version, kind)
            if path is not None:
                self.references.schema(path)
                return self.references.plain(f"{api_version}/{kind}", around_data(uri_of(path)))
        return None

    # ---- files

    def _named(self, path: str, layout: SchemaFileIndex) -> None:
        """Adds a file that the project names."""
        try:
            if layout.look_into(path):
                return
        except ReadError as error:
            self.files.report(error)
        else:
            if path.endswith(".json"):
                layout.add_file(path)
            else:
                expected = "CustomResourceDefinitions, or OpenAPI"
                self.files.report(
                    UsageError(
                        f'"{displayed_path(path)}" does not define the schema of any kind',
                        expected=expected,
                        code="json-schema-file",
                    )
                )

    def _definitions(self, path: str) -> Mapping[tuple[str, str], str]:
        """The pointers of the kinds that a file defines, by API version and kind. Raises LimitError."""
        if path not in self._taken:
            found: dict[tuple[str, str], str] = {}
            try:
                for api_version, kind, pointer in definitions(self.references.load(path)):
                    found.setdefault((api_version, kind), pointer)
            except LimitError:
                raise
            except PlaitError as error:
                self.files.report(error)
            self._taken[path] = found
        return self._taken[path]

    # ---- checking

    def check(self, document: Item, paths: Iterable[str] = ()) -> list[SchemaViolation]:
        """The faults of a document in document order. Empty if it has no schema. paths: as in `find`.

        Raises LimitError.
        """
        schema = self.find(document, paths)
        if schema is None:
            return []
        plain = as_json(document.value)
        key = _key(schema, plain)
        found = self._known.get(key)
        if found is None:
            try:
                found = violations(plain, schema)
            except UsageError as error:
                self.files.report(error)
                found = []
            self._known[key] = found
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return placed(document, found)


def _key(schema: Subschema, plain: object) -> object:
    """A small key that is equal for equal documents with the same schema."""
    try:
        return schema, blake2b(marshal.dumps(plain, _WITHOUT_SHARING), digest_size=16).digest()  # type: ignore[arg-type]
    except ValueError:  # values of programs, to which no schema applies
        return schema, object()


def catalogue_of(entries: Iterable[Entry], texts: Mapping[str, bytes] | None = None) -> Catalogue:
    """The catalogue of some entries, cached until one of its files changes.

    texts: replace files, by absolute path. Raises UsageError without jsonschema.
    """
    chosen = _absolute(entries)
    with _LOCK:
        found = _MADE.get(chosen)
        if found is None or not found.is_current(texts or {}):
            found = _MADE[chosen] = Catalogue(chosen, texts)
            while len(_MADE) > _MOST_MADE:
                _MADE.popitem(last=False)
        return found


_MOST_MADE = 8
_MADE: OrderedDict[tuple[Entry, ...], Catalogue] = OrderedDict()
_LOCK = Lock()
