"""Which schema a document has, among the files that a project names.

A directory has JSON Schemas in the layouts that are in use, `deployment-apps-v1.json` or `apps/deployment_v1.json`, files
of custom resource definitions, or OpenAPI documents; a file is one of these. What is not a Kubernetes object is found by
the name of its file.
"""

from __future__ import annotations

import json
import os
from fnmatch import fnmatch
from functools import lru_cache

from plait.errors import ReadError, UsageError
from plait.kinds.schema import Schema
from plait.limits import allowance
from plait.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    # A path to files of schemas by kind, or a pattern of file names with the path of their schema.
    Entry: TypeAlias = "str | tuple[str, str]"

_MOST_FILES = 20_000


class Catalogue:
    """The schemas of a project.

    entries: absolute paths of files and directories, and pairs of a pattern of absolute paths and a schema.
    """

    __slots__ = ("_by_kind", "_by_name", "_patterns", "_schemas")

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Raises ReadError, and UsageError for a file that has no schema."""
        self._by_kind: dict[tuple[str, str], Schema] = {}
        # Files that say by their names what they are for are read when they are asked for.
        self._by_name: dict[str, str] = {}
        self._patterns: list[tuple[str, str]] = []
        self._schemas: dict[str, Schema] = {}
        for entry in entries:
            if isinstance(entry, tuple):
                self._patterns.append(entry)
            elif os.path.isdir(entry):
                self._directory(entry)
            else:
                self._file(entry)

    def by_kind(self, api_version: object, kind: object) -> Schema | None:
        """The schema of a kind of Kubernetes objects. Raises ReadError, UsageError."""
        if not isinstance(api_version, str) or not isinstance(kind, str):
            return None
        found = self._by_kind.get((api_version, kind))
        if found is not None:
            return found
        group, _, version = api_version.rpartition("/")
        short = kind.lower()
        names = [f"{short}-{group.partition('.')[0]}-{version}.json" if group else f"{short}-{version}.json"]
        names += [f"{group}/{short}_{version}.json", f"{short}_{version}.json" if not group else ""]
        for name in names:
            path = self._by_name.get(name)
            if path is not None:
                return self._schema(path)
        return None

    def by_file(self, path: str) -> Schema | None:
        """The schema of files with such a name, if there is one. Raises ReadError, UsageError."""
        for pattern, schema in self._patterns:
            if fnmatch(path, pattern):
                return self._schema(schema)
        return None

    def _schema(self, path: str) -> Schema:
        found = self._schemas.get(path)
        if found is None:
            found = self._schemas[path] = Schema(_json(path))
        return found

    def _directory(self, top: str) -> None:
        count = 0
        for directory, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(directory, name)
                if os.path.islink(path):
                    continue
                count += 1
                if count > _MOST_FILES:
                    raise UsageError(f'"{top}" has more than {_MOST_FILES} files', hint="name the directory of schemas")
                if name.endswith(".json"):
                    self._by_name.setdefault(name.lower(), path)
                    self._by_name.setdefault(f"{os.path.basename(directory)}/{name}".lower(), path)
                elif name.endswith((".yml", ".yaml")):
                    self._definitions(path)

    def _file(self, path: str) -> None:
        if not path.endswith(".json"):
            if not self._definitions(path):
                raise UsageError(f'"{path}" has no schema of a kind', expected="CustomResourceDefinitions, or OpenAPI")
            return
        top = _json(path)
        if not self._openapi(top):
            self._by_name.setdefault(os.path.basename(path).lower(), path)

    def _definitions(self, path: str) -> bool:
        """Take the custom resource definitions of a file, or its OpenAPI; whether it has any."""
        from plait.nodes import to_plain
        from plait.yaml import read

        with _opened(path) as text:
            if "CustomResourceDefinition" not in text and "x-kubernetes-group-version-kind" not in text:
                return False
            documents = read(Source(path, text), keep_mark=False).items
        found = False
        for document in documents:
            value = to_plain(document.value)
            if isinstance(value, dict) and value.get("kind") == "CustomResourceDefinition":
                for api_version, kind, schema in _resources(value.get("spec")):
                    self._by_kind.setdefault((api_version, kind), schema)
                    found = True
            elif isinstance(value, dict):
                found = self._openapi(value) or found
        return found

    def _openapi(self, top: dict[str, object]) -> bool:
        """Take the kinds of an OpenAPI document, version 2 or 3; whether it has any."""
        components = top.get("components")
        found = False
        for holder in (top.get("definitions"), components.get("schemas") if isinstance(components, dict) else None):
            for node in holder.values() if isinstance(holder, dict) else ():
                kinds = node.get("x-kubernetes-group-version-kind") if isinstance(node, dict) else None
                for one in kinds if isinstance(kinds, list) else ():
                    if isinstance(one, dict):
                        group, version = one.get("group"), one.get("version")
                        api_version = f"{group}/{version}" if group else str(version)
                        self._by_kind.setdefault((api_version, str(one.get("kind"))), Schema(top, node))
                        found = True
        return found


def _resources(spec: object) -> Iterator[tuple[str, str, Schema]]:
    """What a custom resource definition defines: version, kind and schema of each."""
    if not isinstance(spec, dict) or not isinstance(spec.get("names"), dict):
        return
    versions = spec.get("versions")
    shared = spec.get("validation")
    for version in versions if isinstance(versions, list) else [{"name": spec.get("version")}]:
        if not isinstance(version, dict):
            continue
        around = version.get("schema") or shared
        schema = around.get("openAPIV3Schema") if isinstance(around, dict) else None
        if isinstance(schema, dict):
            # What every object has is not written there.
            own = schema.get("properties")
            shared_keys = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
            properties = {**shared_keys, **(own if isinstance(own, dict) else {}), "metadata": {"type": "object"}}
            whole = {**schema, "properties": properties}
            yield f"{spec.get('group')}/{version.get('name')}", str(spec["names"].get("kind")), Schema(whole)


class _opened:  # noqa: N801 - reads as what it does
    """`with _opened(path) as text`: the text of a file, within the limits. Raises ReadError, LimitError."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> str:
        try:
            with open(self._path, "rb") as file:
                data = file.read(allowance().most("input") + 1)
        except OSError as error:
            raise ReadError(f'cannot read the schema "{self._path}": {error.strerror}') from None
        allowance().take(len(data))
        return data.decode("utf-8", "replace")

    def __exit__(self, *_: object) -> None:
        return None


def _json(path: str) -> dict[str, object]:
    with _opened(path) as text:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 0)
            raise UsageError(
                f'the schema "{path}" is not JSON: {error}', found=f"line {line}" if line else None
            ) from None
    if not isinstance(found, dict):
        raise UsageError(f'the schema "{path}" is not a JSON Schema', expected="an object", found=type(found).__name__)
    return found


def catalogue_of(entries: Iterable[Entry]) -> Catalogue:
    """The catalogue of some entries, read again when a file that is named has changed. Raises as `Catalogue` does."""
    chosen = tuple(entries)
    return _catalogue(chosen, tuple(_state(one if isinstance(one, str) else one[1]) for one in chosen))


@lru_cache(8)
def _catalogue(entries: tuple[Entry, ...], _states: tuple[object, ...]) -> Catalogue:
    return Catalogue(entries)


def _state(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
