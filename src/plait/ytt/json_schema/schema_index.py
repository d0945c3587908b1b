"""Index of schema directories: files named after kinds, and files that must be searched.

Directories of schemas often contain templates as well. To avoid reading all schemas after each keystroke in a template,
files without schemas, and directories with the same files as before, count as unchanged.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from plait.base.errors import ReadError, UsageError
from plait.ytt.json_schema.schema_files import displayed_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.json_schema.schema_files import SchemaFiles

_MOST_FILES = 20_000
# Matches the kinds that a file may define. The YAML reader decides later.
_WORDS = re.compile(r"""\bkind["']?\s*:\s*(?:[&!]\S+\s+)*["']?(\w+)""")
_SIGNS = ("CustomResourceDefinition", "x-kubernetes-group-version-kind")
_OPENAPI = re.compile(r"openapi|swagger", re.IGNORECASE)


def name_of_kind(api_version: str, kind: str) -> str:
    """The usual name of the file with the schema of a kind."""
    group, _, version = api_version.rpartition("/")
    return "-".join(filter(None, (kind, group.partition(".")[0], version))).lower() + ".json"


class SchemaFileIndex:
    """Schema files, by the kinds in their names and in their contents."""

    __slots__ = ("_by_name", "_by_word", "_files", "_listed", "_unread", "_without")

    def __init__(self, files: SchemaFiles) -> None:
        self._files = files
        self._by_name: dict[str, str] = {}
        self._by_word: dict[str, list[str]] = {}
        self._unread: list[str] = []
        # Directories with their file names, and searched files that define nothing.
        self._listed: dict[str, Sequence[str]] = {}
        self._without: set[str] = set()

    def add_directory(self, top: str) -> None:
        """Adds the files of a directory, at any depth."""
        count = 0
        pending = [top]
        while pending:
            directory = pending.pop()
            self._files.note(directory)
            names = self._listed[directory] = _names(directory)
            count += len(names)
            if count > _MOST_FILES:
                problem = UsageError(
                    f'"{top}" has more than {_MOST_FILES} files',
                    hint="name the directory of schemas",
                    code="json-schema-file",
                )
                self._files.report(problem)
                return
            pending += [os.path.join(directory, name[:-1]) for name in reversed(names) if name.endswith("/")]
            for name in names:
                path = os.path.join(directory, name)
                if name.endswith("/"):
                    continue
                if os.path.islink(path) and not self._files.is_allowed(path):
                    self._files.report(
                        ReadError(
                            f'the link "{displayed_path(path)}" leads out of the directories of schemas',
                            code="json-schema-file",
                        )
                    )
                elif not name.endswith(".json"):
                    self._unread.append(path)
                else:
                    self._by_name.setdefault(name.lower(), path)
                    self._by_name.setdefault(f"{os.path.basename(directory)}/{name}".lower(), path)
                    if _OPENAPI.search(name):
                        self._unread.append(path)

    def add_file(self, path: str) -> None:
        """Adds a file that is named after a kind."""
        self._by_name.setdefault(os.path.basename(path).lower(), path)

    def look_into(self, path: str) -> bool:
        """Records the kinds in a file. Returns True if it may define any. Raises ReadError, LimitError."""
        text = self._files.text(path)
        if not _may_define(text):
            self._without.add(path)
            return False
        for word in {*_WORDS.findall(text)}:
            self._by_word.setdefault(word, []).append(path)
        return True

    @property
    def names(self) -> set[str]:
        """The names of the files that are schemas, or may define kinds, in small letters."""
        return {
            os.path.basename(path).lower()
            for paths in (*self._by_word.values(), self._by_name.values())
            for path in paths
        }

    def named(self, api_version: str, kind: str) -> str | None:
        """The file that is named after a kind."""
        group, _, version = api_version.rpartition("/")
        other = f"{group}/{kind}_{version}.json" if group else f"{kind}_{version}.json"
        names = [name_of_kind(api_version, kind), other]
        return next((self._by_name[name.lower()] for name in names if name.lower() in self._by_name), None)

    def with_kind(self, kind: str) -> Sequence[str]:
        """The files that may define a kind."""
        while self._unread:
            try:
                self.look_into(self._unread[0])
            except ReadError as error:
                self._files.report(error)
            del self._unread[0]
        return self._by_word.get(kind, ())

    def is_same(self, path: str) -> bool:
        """True if a file or directory with a new stamp or text still declares the same schemas."""
        is_same = False
        if path in self._listed:
            is_same = _names(path) == self._listed[path]
        elif path in self._without and not self._files.has_read(path):
            with suppress(ReadError):
                is_same = not _may_define(self._files.text(path))
        if is_same:
            self._files.note(path)
        return is_same


def _may_define(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def _names(directory: str) -> list[str]:
    """The relevant names in a directory, in order; directories end with a slash."""
    found = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found += [] if entry.name.startswith(".") else [f"{entry.name}/"]
                elif entry.name.endswith((".json", ".yml", ".yaml")):
                    found.append(entry.name)
    except OSError:
        return []
    return sorted(found)
