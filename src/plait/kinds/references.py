"""Schemas made ready for use: each `$ref` leads somewhere, each pattern can be matched, each keyword has what it takes.

What a schema reaches is looked through once, before its first use. A part that cannot be used is told with its line and
taken out, so that the rest still holds, and the library that checks meets nothing that it cannot follow.
"""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urldefrag, urljoin

from plait.content import near
from plait.errors import PlaitError, ReadError, UsageError
from plait.kinds.dialect import checker_class, formats
from plait.kinds.files import Files, path_of, uri_of
from plait.kinds.schema import Schema
from plait.kinds.shapes import below, unfit, unmatched
from plait.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from referencing.jsonschema import SchemaRegistry

    from plait.kinds.files import Way


# Where schemas are that stand in no file: a `$ref` in them is relative to it.
_NOWHERE = "http://plait.invalid/"


class References:
    """The schemas of some files, and what they refer to. registry: what the library finds them in."""

    __slots__ = ("_drafts", "_seen", "files", "registry")

    def __init__(self, files: Files) -> None:
        """Raises ImportError without the library."""
        from jsonschema_specifications import REGISTRY

        self.files = files
        # It holds the metaschemas of the drafts, and retrieves nothing.
        self.registry: SchemaRegistry = REGISTRY
        self._drafts = REGISTRY
        self._seen: dict[int, object] = {}

    def load(self, path: str) -> object:
        """What a file holds, which can be referred to from now on. Raises ReadError, UsageError, LimitError."""
        contents = self.files.contents(path)
        if (uri := uri_of(path)) not in self.registry:
            self._add(uri, contents)
        return contents

    def schema(self, path: str, pointer: str = "", *, is_kind: bool = False) -> Schema:
        """A schema that stands in a file. pointer: where in it. Raises ReadError, UsageError, LimitError."""
        contents = self.load(path)
        if not isinstance(contents, dict):
            at = Position(Source(path), 1)
            raise UsageError(f'"{path}" has no JSON Schema', at=at, expected="an object", found=_named(contents))
        return self._schema(uri_of(path), pointer, is_kind=is_kind)

    def plain(self, name: str, contents: Mapping[str, object], *, is_kind: bool = False) -> Schema:
        """A schema that stands in no file. Raises UsageError, LimitError."""
        uri = _NOWHERE + quote(name)
        self._add(uri, contents)
        return self._schema(uri, "", is_kind=is_kind)

    def _schema(self, uri: str, pointer: str, *, is_kind: bool) -> Schema:
        self.prepare(uri, pointer)
        resolver = self.registry.resolver(uri)
        found = resolver.lookup(f"#{pointer}")
        node = found.contents
        assert isinstance(node, dict)
        top = resolver.lookup("#").contents
        draft = top.get("$schema") if isinstance(top, dict) else None
        checks = checker_class(draft if isinstance(draft, str) else "", is_kind=is_kind)
        checker = checks({"$ref": f"{uri}#{pointer}"}, registry=self.registry, format_checker=formats())
        return Schema(node, found.resolver, is_kind=is_kind, checker=checker)

    def _add(self, uri: str, contents: object) -> None:
        from referencing.jsonschema import DRAFT202012

        resource = DRAFT202012.create_resource(contents)
        resources = [(uri, resource)]
        if isinstance(contents, dict) and isinstance(own := contents.pop("$id", None), str):
            # A file is where it is, whatever it calls itself; what refers to it by that name finds it as well.
            resources.append((urldefrag(own)[0], resource))
        self.registry = self.registry.with_resources(resources)

    def prepare(self, uri: str, pointer: str) -> None:
        """Look through a part of a resource and all that it refers to. Raises LimitError, and UsageError without the part."""
        node = self._found(f"{uri}#{pointer}")
        todo = [(node, uri, path_of(uri) or uri, _way_of(pointer))]
        while todo:
            node, base, path, way = todo.pop()
            if not isinstance(node, dict) or id(node) in self._seen:
                continue
            self._seen[id(node)] = node
            if way and isinstance(own := node.get("$id"), str):
                base = urljoin(base, own)
            for keyword, expected in unfit(node):
                self.files.tell_of(
                    path, (*way, keyword), UsageError(f'"{keyword}" cannot be used here', expected=expected)
                )
                del node[keyword]
            for keyword, error in unmatched(node):
                self.files.tell_of(path, (*way, keyword), error, is_note=True)
                del node[keyword]
            todo += [(inner, base, path, (*way, *steps)) for inner, steps in below(node)]
            for keyword in ("$ref", "$dynamicRef"):
                reference = node.get(keyword)
                if not isinstance(reference, str):
                    continue
                target = urljoin(base, reference)
                try:
                    found = self._followed(target)
                except PlaitError as error:
                    error.message = f'the $ref "{reference}" leads {error.message}'
                    self.files.tell_of(path, (*way, keyword), error)
                    del node[keyword]
                    continue
                file, fragment = urldefrag(target)
                if file not in self._drafts:
                    todo.append((found, file, path_of(file) or file, _way_of(fragment)))

    def _followed(self, target: str) -> object:
        """What an address leads to. Raises UsageError, with the end of a message, for one that leads nowhere."""
        uri = urldefrag(target)[0]
        path = path_of(uri)
        if path is not None and uri not in self.registry:
            if not self.files.is_allowed(path):
                raise UsageError("out of the directories of schemas", hint="name its directory below schemas, too")
            self.files.note(path)
            if not os.path.isfile(path) and not self.files.has_text(path):
                raise UsageError("to no file", hint=near(path))
            try:
                self.load(path)
            except PlaitError as error:
                if error.at is not None:
                    self.files.tell(error)
                raise ReadError(f"to a file that cannot be used: {error.message}") from None
        return self._found(target)

    def _found(self, target: str) -> object:
        uri, fragment = urldefrag(target)
        if fragment and not fragment.startswith("/"):
            self.registry = self._crawled()
        try:
            found: object = self.registry.resolver(uri).lookup(f"#{fragment}").contents
        except Exception as error:  # noqa: BLE001 - the library takes the word of what it looks through
            if type(error).__name__ == "Unresolvable" and path_of(uri) is None:
                raise UsageError(
                    "to another place, and nothing is fetched", expected="a file in the directories of schemas"
                ) from None
            raise UsageError("to nothing") from None
        if not isinstance(found, (dict, bool)):
            raise UsageError("to what is no schema")
        return found

    def _crawled(self) -> SchemaRegistry:
        """With the names that are given to parts of schemas."""
        try:
            return self.registry.crawl()
        except Exception:  # noqa: BLE001 - as above; names that cannot be found are told where they are used
            return self.registry


def _way_of(pointer: str) -> Way:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in unquote(pointer).split("/")[1:])


def _named(contents: object) -> str:
    return {list: "an array", str: "a string", type(None): "null"}.get(type(contents), "a number, true or false")


def schema_of(contents: Mapping[str, object], *, is_kind: bool = False) -> Schema:
    """A schema by itself. Raises UsageError, LimitError, and ImportError without the library."""
    return References(Files([])).plain("schema", contents, is_kind=is_kind)


def of_data(contents: Mapping[str, object]) -> Schema:
    """The schema of layered documents, for one of their data in the draft that Deckhand takes. Raises as `schema_of`."""
    references = References(Files([]))
    references.plain("data", contents)
    around = {"$schema": "http://json-schema.org/draft-04/schema#", **around_data(f"{_NOWHERE}data")}
    return references.plain("document", around)


def around_data(uri: str) -> dict[str, object]:
    """The schema of layered documents, by the address of one of their data."""
    return {"properties": {"data": {"$ref": uri}}}
