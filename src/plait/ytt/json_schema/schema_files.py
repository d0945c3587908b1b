"""Files with schemas, read only from the paths that a project names.

A file is JSON or YAML. Nothing is fetched, and symbolic links must not lead out of the directories. A fault in a file
is reported once, with its line.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from plait.base.content import file_content
from plait.base.errors import PlaitError, ReadError, UsageError
from plait.base.input_view import InputView, check_read, current_view, use_view
from plait.base.numbers import number_of
from plait.base.path_errors import read_failure
from plait.base.source import Position, Source
from plait.tree.nodes import Array, Map, to_plain
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import Document, Item

    # The path from the root of a file to a part.
    Way: TypeAlias = "tuple[str | int, ...]"


class SchemaFiles:
    """The schema files read so far. problems: faults of files in the order of discovery. notes: keywords that are
    ignored.

    allowed: absolute paths of directories; files below them may be read. texts: replace files, by absolute path.
    """

    __slots__ = ("_allowed", "_last", "_read", "_told", "_view", "notes", "problems", "stamps")

    def __init__(self, allowed: Sequence[str], texts: Mapping[str, bytes] | None = None) -> None:
        self._allowed = [os.path.realpath(one) for one in allowed]
        self._view = InputView(texts)
        self._read: dict[str, object] = {}
        self._last: tuple[str, Source, Sequence[Document]] = "", Source(""), ()
        self._told: set[object] = set()
        self.problems: list[PlaitError] = []
        self.notes: list[PlaitError] = []
        # The state of each file and directory when it was read.
        self.stamps: dict[str, object] = {}

    def is_allowed(self, path: str) -> bool:
        """True if the path, with links resolved, is inside an allowed directory."""
        found = os.path.realpath(path)
        return any(found == one or found.startswith(os.path.join(one, "")) for one in self._allowed)

    def has_text(self, path: str) -> bool:
        """True if a text replaces the file."""
        return path in self._view.texts

    def changed(self, texts: Mapping[str, bytes]) -> list[str]:
        """The files and directories that have changed since they were read. texts: replace files from now on."""
        before, self._view = self._view.texts, InputView(texts)
        found = [path for path in {*before, *texts} if before.get(path) != texts.get(path) and path in self.stamps]
        found += [path for path, stamp in self.stamps.items() if stamp_of(path) != stamp]
        return found

    def has_read(self, path: str) -> bool:
        """True if the contents of the file were requested."""
        return path in self._read

    def note(self, path: str) -> None:
        """Records that a path is read."""
        self.stamps[path] = stamp_of(path)

    def text(self, path: str) -> str:
        """The text of a file. Raises ReadError, LimitError."""
        check_read(path)
        self.note(path)
        try:
            with use_view(self._view):
                data = file_content(path, f'the schema "{displayed_path(path)}"')
        except OSError as error:
            raise read_failure(path, error, subject=f'the schema "{displayed_path(path)}"') from None
        finally:
            self._view.files.clear()  # `stamps` detects changes
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ReadError(
                f'the schema "{displayed_path(path)}" is not UTF-8 text: byte {error.start}', code="not-utf8"
            ) from None

    def contents(self, path: str) -> object:
        """The contents of a file: one value, or `{"documents": [...]}` for several documents.

        Raises ReadError, UsageError with the line, LimitError.
        """
        if path not in self._read:
            self._read[path] = _parsed(path, self.text(path))
        return self._read[path]

    def all_read(self) -> Mapping[str, object]:
        """The contents of the files read so far, by path."""
        return self._read

    def report(self, error: PlaitError) -> None:
        """Reports a fault once."""
        if (key := (str(error.at), error.message)) not in self._told:
            self._told.add(key)
            self.problems.append(error)

    def report_part(self, path: str, way: Way, error: PlaitError, *, is_note: bool = False) -> None:
        """Reports a fault in a part of a file once."""
        if (key := (path, way, error.message)) not in self._told:
            self._told.add(key)
            error.at = self.place(path, way)
            (self.notes if is_note else self.problems).append(error)

    def place(self, path: str, way: Way) -> Position:
        """The position of a part of a file, or the top of the file if it is unknown."""
        source, documents = self._nodes(path)
        if not documents:
            return Position(source, 1)
        item: Item = documents[0]
        if way[:1] == ("documents",) and len(documents) > 1:
            item, way = documents[int(way[1])], way[2:]
        for step in way:
            value = item.value
            below: Item | None = None
            if type(value) is Map:
                below = value.find(step)
            elif type(value) is Array and (number := number_of(str(step))) is not None and number < len(value.items):
                below = value.items[number]
            if below is None:
                break
            item = below
        return Position(source, max(item.line, 1))

    def documents(self, path: str) -> Sequence[Document]:
        """The documents of a file with positions; none for invalid YAML."""
        return self._nodes(path)[1]

    def _nodes(self, path: str) -> tuple[Source, Sequence[Document]]:
        """The text of a file, and its documents; none if it cannot be read as YAML."""
        last = self._last
        if last[0] != path:  # a file with one fault may have many more
            source = Source(path)
            documents: Sequence[Document] = ()
            with suppress(PlaitError):
                source = Source(path, self.text(path))
                documents = read(source, keep_mark=False).items
            self._last = last = path, source, documents
        return last[1:]

    def forget_nodes(self) -> None:
        """Drops the nodes, which are needed for positions only."""
        self._last = "", Source(""), ()


def note_read(paths: Iterable[str]) -> None:
    """Records reads of files and directories in the current view, including cached ones."""
    view = current_view()
    for path in paths if view is not None else ():
        if os.path.isdir(path):
            view.record_listing(path)  # type: ignore[union-attr] # there is one
        else:
            with suppress(OSError):
                file_content(path, f'the schema "{displayed_path(path)}"')


def _parsed(path: str, text: str) -> object:
    if path.endswith(".json"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            words = getattr(error, "msg", None) or str(error)
            before = text[: getattr(error, "pos", 0)].rstrip()
            is_comma = before.endswith(",") and text[len(before) :].lstrip()[:1] in ("}", "]")
            raise UsageError(
                f'the schema "{displayed_path(path)}" is not JSON: {words}',
                at=Position(Source(path, text), before.count("\n") + 1 if is_comma else line),
                hint="remove the comma after the last item"
                if is_comma
                else "a comma is missing before this, or a quote within a text is not escaped"
                if "delimiter" in words
                else "JSON has no comments, and its keys and texts are in double quotes",
                code="json-schema-file",
            ) from None

    documents = [to_plain(document.value) for document in read(Source(path, text), keep_mark=False).items]
    return documents[0] if len(documents) == 1 else {"documents": documents}


def uri_of(path: str) -> str:
    """The address of a file."""
    return Path(path).as_uri()


def path_of(uri: str) -> str | None:
    """The path of the file with an address, or None if the address is not of a file."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc:
        return None
    path = unquote(parts.path)
    if os.name == "nt":
        path = path.lstrip("/")
    return None if "\0" in path else os.path.normpath(path)


def stamp_of(path: str) -> object:
    """The modification time and size of a file or directory, or None if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def displayed_path(path: str) -> str:
    """A path relative to the working directory, if that is shorter."""
    try:
        return min(os.path.relpath(path), path, key=len)
    except ValueError:  # the path is on another drive
        return path
