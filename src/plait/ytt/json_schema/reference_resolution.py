"""Prepares schemas for use: each `$ref` is resolved, each pattern can be matched, each keyword is valid.

Everything that a schema reaches is checked once, before its first use. An unusable part is reported with its line and
removed, so that the rest still applies and the library gets only valid schemas.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from urllib.parse import quote, unquote, urldefrag, urljoin

from plait.base.errors import LimitError, PlaitError, ReadError, UsageError
from plait.base.path_errors import near
from plait.base.source import Position, Source
from plait.ytt.json_schema.keyword_types import below, meant_type, no_schema, unfit, unmatched
from plait.ytt.json_schema.keywords import UNKNOWN, checker_class, formats
from plait.ytt.json_schema.schema_files import SchemaFiles, displayed_path, path_of, uri_of
from plait.ytt.json_schema.subschema import Subschema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from referencing.jsonschema import SchemaRegistry

    from plait.ytt.json_schema.schema_files import Way


# The base of a `$ref` in schemas that are not in a file.
_REFERENCES = ("$ref", "$dynamicRef")
# Maximum number of characters of a value in a message.
_LONGEST = 40
_NOWHERE = "http://plait.invalid/"


class SchemaReferences:
    """The schemas of some files and their references. registry: for the library."""

    __slots__ = ("_drafts", "_hints", "_name_of", "_own_names", "_seen", "files", "registry")

    def __init__(self, files: SchemaFiles) -> None:
        """Raises ImportError without the library."""
        from jsonschema_specifications import REGISTRY

        self.files = files
        # Contains the metaschemas of the drafts, and retrieves nothing.
        self.registry: SchemaRegistry = REGISTRY
        self._drafts = REGISTRY
        self._seen: dict[int, object] = {}
        # The identifiers that files declare, and those of their parts, by address.
        self._own_names: dict[str, str] = {}
        # Hints for missing files, cached because several references may lead to one.
        self._hints: dict[str, str | None] = {}
        self._name_of: dict[str, Callable[[Any], str | None]] = {}

    def load(self, path: str) -> object:
        """The contents of a file, registered as a target of references. Raises ReadError, UsageError, LimitError."""
        contents = self.files.contents(path)
        if (uri := uri_of(path)) not in self.registry:
            self._add(uri, contents)
        return contents

    def schema(self, path: str, pointer: str = "", *, is_kind: bool = False) -> Subschema:
        """A schema in a file. pointer: its path in the file. Raises ReadError, UsageError, LimitError."""
        contents = self.load(path)
        if not isinstance(contents, dict):
            at = Position(Source(path), 1)
            raise UsageError(
                f'"{displayed_path(path)}" has no JSON Schema',
                at=at,
                expected="an object",
                found=_named(contents),
                code="json-schema-file",
            )
        return self._schema(uri_of(path), pointer, is_kind=is_kind)

    def plain(self, name: str, contents: Mapping[str, object], *, is_kind: bool = False) -> Subschema:
        """A schema without a file. Raises UsageError, LimitError."""
        uri = _NOWHERE + quote(name)
        self._add(uri, contents)
        return self._schema(uri, "", is_kind=is_kind)

    def _schema(self, uri: str, pointer: str, *, is_kind: bool) -> Subschema:
        self.prepare(uri, pointer)
        resolver = self.registry.resolver(uri)
        found = resolver.lookup(f"#{pointer}")
        node = found.contents
        assert isinstance(node, dict)
        checks = checker_class(_draft_of(resolver.lookup("#").contents), is_kind=is_kind)
        checker = checks({"$ref": f"{uri}#{pointer}"}, registry=self.registry, format_checker=formats())
        return Subschema(node, found.resolver, is_kind=is_kind, checker=checker, path=path_of(uri) or "")

    def reached(self) -> list[Mapping[str, object]]:
        """All schemas that were visited."""
        return [node for node in self._seen.values() if isinstance(node, dict)]

    def places(self) -> dict[int, tuple[str, Way]]:
        """The file and path of each object in the files read so far, by `id` of the object."""
        found: dict[int, tuple[str, Way]] = {}
        for path, contents in self.files.all_read().items():
            todo: list[tuple[object, Way]] = [(contents, ())]
            while todo:
                node, way = todo.pop()
                if isinstance(node, dict):
                    found.setdefault(id(node), (path, way))
                    todo += [(inner, (*way, key)) for key, inner in node.items()]
                elif isinstance(node, list):
                    todo += [(inner, (*way, number)) for number, inner in enumerate(node)]
        return found

    def _add(self, uri: str, contents: object) -> None:
        from referencing.jsonschema import DRAFT202012, specification_with

        specification = specification_with(_draft_of(contents), default=DRAFT202012)
        resource = specification.create_resource(contents)
        resources = [(uri, resource)]
        self._name_of[uri] = specification.id_of
        if isinstance(contents, dict):
            for keyword in ("$id", "id"):
                if not isinstance(contents.get(keyword, ""), str):
                    self._report_mismatch(path_of(uri) or uri, (keyword,), "a string", contents[keyword])
                    del contents[keyword]
            own = specification.id_of(contents)
            if own is not None:
                # A file is found by its path; references by its declared identifier find it as well.
                del contents["$id" if "$id" in contents else "id"]
                self._own_names[uri] = own
                resources.append((urldefrag(own)[0], resource))
        self.registry = self.registry.with_resources(resources)

    def prepare(self, uri: str, pointer: str) -> None:
        """Checks a part of a resource and everything that it refers to. Raises LimitError; UsageError if the part is
        missing.
        """
        node = self._found(f"{uri}#{pointer}")
        fresh: list[int] = []
        try:
            self._look_through(node, uri, _way_of(pointer), fresh)
        except BaseException:  # after a LimitError the remaining schemas are visited next time
            for key in fresh:
                del self._seen[key]
            raise
        finally:
            self.files.forget_nodes()

    def _look_through(self, node: object, uri: str, path: Way, fresh: list[int]) -> None:
        """Checks a schema and the schemas inside it. fresh: receives schemas that were not checked before."""
        todo = [(node, uri, uri, path)]
        while todo:
            node, base, file, path = todo.pop()
            if not isinstance(node, dict) or id(node) in self._seen:
                continue
            self._seen[id(node)] = node
            fresh.append(id(node))
            self._tidy(node, path_of(file) or file, path)
            if path and file in self._name_of:
                base = _joined(base, self._name_of[file](node)) or base
            todo += [(inner, base, file, (*path, *steps)) for inner, steps in below(node)]
            for keyword in _REFERENCES:
                reference = node.get(keyword)
                if isinstance(reference, str):
                    try:
                        target, found = self._followed(reference, base)
                    except LimitError:
                        raise
                    except PlaitError as error:
                        error.message = f'$ref "{reference}": {error.message}'
                        self.files.report_part(path_of(file) or file, (*path, keyword), error)
                        _drop(node, keyword)
                        continue
                    if target != _joined(base, reference):
                        node[keyword] = target
                    there, fragment = urldefrag(target)
                    if there not in self._drafts:
                        todo.append((found, there, there, _way_of(fragment)))

    def _tidy(self, node: dict[str, object], path: str, way: Way) -> None:
        """Removes the unusable keywords of a schema itself."""
        for keyword, expected in unfit(node):
            self._report_mismatch(path, (*way, keyword), expected, node[keyword])
            _drop(node, keyword)
        for inner, steps in [*below(node)]:
            if no_schema(inner, steps):
                self._report_mismatch(path, (*way, *steps), "a schema", inner)
                around: Any = node[str(steps[0])]
                around[steps[1]] = {UNKNOWN: True}
        for keyword, error in [*unmatched(node)]:
            self.files.report_part(path, (*way, keyword), error, is_note=True)
            _drop(node, keyword)

    def _report_mismatch(self, path: str, way: Way, expected: str, value: object) -> None:
        if isinstance(value, dict | list):
            shown = "an object" if isinstance(value, dict) else "an array"
        else:
            shown = json.dumps(value, default=str)
            shown = shown if len(shown) <= _LONGEST else "a long text"
        error = UsageError(
            f'"{way[-1]}" cannot be used here',
            expected=expected,
            found=f"{shown} at /{'/'.join(map(str, way))}",
            hint=meant_type(value) if way[-1] == "type" else None,
            code="json-schema-reference",
        )
        self.files.report_part(path, way, error)

    def _followed(self, reference: str, base: str) -> tuple[str, object]:
        """The address and target of a reference: relative to the file, else to the file's declared identifier.

        Raises UsageError or ReadError, whose message does not repeat the reference.
        """
        target = _joined(base, reference)
        if target is None:
            raise UsageError("target not found", code="json-schema-reference")
        try:
            return target, self._at(target)
        except LimitError:
            raise
        except PlaitError:
            own = self._own_names.get(urldefrag(base)[0])
            if own is not None:
                target = urljoin(own, reference)
                with suppress(UsageError):
                    return target, self._found(target)
                # A sibling by declared identifier may be a sibling file.
                around = own.rpartition("/")[0] + "/"
                if target.startswith(around):
                    target = urljoin(base, target.removeprefix(around))
                    with suppress(UsageError, ReadError):
                        return target, self._at(target)
            raise

    def _at(self, target: str) -> object:
        """The value at an address. Raises as `_followed` does."""
        uri = urldefrag(target)[0]
        path = path_of(uri)
        if path is not None and uri not in self.registry:
            if not self.files.is_allowed(path):
                raise UsageError(
                    "outside of the schema directories",
                    hint="add its directory to the schemas",
                    code="json-schema-reference",
                )
            self.files.note(path)
            if not os.path.isfile(path) and not self.files.has_text(path):
                if path not in self._hints:
                    self._hints[path] = near(path)
                raise UsageError("file not found", hint=self._hints[path], code="json-schema-reference")
            try:
                self.load(path)
            except LimitError:
                raise
            except PlaitError as error:
                if error.at is not None:
                    self.files.report(error)
                raise ReadError(f"cannot use the file: {error.message}", code="json-schema-reference") from None
        return self._found(target)

    def _found(self, target: str) -> object:
        uri, fragment = urldefrag(target)
        if uri not in self.registry or (fragment and not fragment.startswith("/")):
            self.registry = self._crawled()
        try:
            found: object = self.registry.resolver(uri).lookup(f"#{fragment}").contents
        except Exception as error:  # noqa: BLE001 - the library takes the word of what it looks through
            if type(error).__name__ == "Unresolvable" and path_of(uri) is None:
                raise UsageError(
                    "not a local file; nothing is fetched",
                    expected="a file in one of the schema directories",
                    code="json-schema-reference",
                ) from None
            raise UsageError("target not found", code="json-schema-reference") from None
        if not isinstance(found, (dict, bool)):
            raise UsageError("target is not a schema", code="json-schema-reference")
        return found

    def _crawled(self) -> SchemaRegistry:
        """The registry, including identifiers declared inside schemas."""
        try:
            return self.registry.crawl()
        except Exception:  # noqa: BLE001 - as above; names that cannot be found are reported where they are used
            return self.registry


def _drop(node: dict[str, object], keyword: str) -> None:
    """Removes a keyword, and marks the schema as incomplete."""
    del node[keyword]
    node[UNKNOWN] = True


def _joined(base: str, reference: str | None) -> str | None:
    """The address of a reference; None if it is invalid."""
    try:
        return urljoin(base, reference or "")
    except ValueError:
        return None


def _draft_of(contents: object) -> str:
    draft = contents.get("$schema") if isinstance(contents, dict) else None
    return draft if isinstance(draft, str) else ""


def _way_of(pointer: str) -> Way:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in unquote(pointer).split("/")[1:])


def _named(contents: object) -> str:
    return {list: "an array", str: "a string", type(None): "null"}.get(type(contents), "a number, true or false")


def schema_of(contents: Mapping[str, object], *, is_kind: bool = False) -> Subschema:
    """A schema without references to files. Raises UsageError, LimitError, and ImportError without the library."""
    return SchemaReferences(SchemaFiles([])).plain("schema", contents, is_kind=is_kind)


def of_data(contents: Mapping[str, object]) -> Subschema:
    """The schema for the data of layered documents, in Deckhand's draft. Raises as `schema_of` does."""
    references = SchemaReferences(SchemaFiles([]))
    references.plain("data", contents)
    around = {"$schema": "http://json-schema.org/draft-04/schema#", **around_data(f"{_NOWHERE}data")}
    return references.plain("document", around)


def around_data(uri: str) -> dict[str, object]:
    """The schema of whole layered documents. uri: the address of the schema of their data."""
    return {"properties": {"data": {"$ref": uri}}}
