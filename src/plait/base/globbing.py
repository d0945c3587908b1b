"""File name patterns, matched within limits: `*`, `?` and `[...]` in a name, `**` for directories at any depth.

A pattern may come from an untrusted file. A search therefore counts the directory entries that it reads (the limit
`entries`) and the time, enters only readable directories of its project, and `**` does not enter other file systems
(`/proc`).
"""

from __future__ import annotations

import os

from plait.base.input_view import check_read, may_read
from plait.base.limits import current_budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANY = "**"


def is_pattern(path: str) -> bool:
    """True if a path has a wildcard."""
    return any(char in path for char in "*?[")


def matches(pattern: str, root: str = "") -> list[str]:
    """The paths that match a pattern, sorted. Hidden names match only if the pattern contains their dot.

    root: the base of a relative pattern; paths are relative to it. Raises PermissionDeniedError if the start of a
    pattern may not be read, LimitError.
    """
    drive, rest = os.path.splitdrive(pattern)
    parts = [part for part in rest.replace(os.altsep or os.sep, os.sep).split(os.sep) if part]
    top = drive + (os.sep if rest[:1] in {os.sep, os.altsep} else "")
    while parts and not is_pattern(parts[0]):
        top = os.path.join(top, parts.pop(0))
    start = os.path.join(root, top) or os.curdir
    check_read(start)
    if not parts:
        return [top] if os.path.lexists(start) else []
    joined = [part for place, part in enumerate(parts) if part != _ANY or parts[place - 1 : place] != [_ANY]]
    found = set(_Search(root, start).below(top, joined))
    return sorted(found)


class _Search:
    """One search. root: as in `matches`. start: its first directory, without wildcards."""

    def __init__(self, root: str, start: str) -> None:
        self._root = root
        self._device = _device(start)
        self._run = current_budget()

    def below(self, at: str, parts: Sequence[str]) -> Iterator[str]:
        """The paths in a directory that match the rest of a pattern."""
        part, rest = parts[0], parts[1:]
        if part == _ANY:
            yield from self.below(at, rest) if rest else ()
            for name, is_directory in self._entries(at):
                path = os.path.join(at, name)
                if not rest:
                    yield path
                if is_directory and _device(os.path.join(self._root, path)) == self._device:
                    yield from self.below(path, parts)
        elif is_pattern(part):
            import re
            from fnmatch import translate

            fits = re.compile(translate(os.path.normcase(part))).match
            for name, is_directory in self._entries(at, hidden=part.startswith(".")):
                if fits(os.path.normcase(name)) and (is_directory or not rest):
                    path = os.path.join(at, name)
                    yield from self.below(path, rest) if rest else (path,)
        else:
            path = os.path.join(at, part)
            if may_read(os.path.join(self._root, path)) and os.path.lexists(os.path.join(self._root, path)):
                yield from self.below(path, rest) if rest else (path,)

    def _entries(self, at: str, *, hidden: bool = False) -> Iterator[tuple[str, bool]]:
        """The names in a directory, each with True for a directory. Empty if the directory must not or cannot be
        read.
        """
        directory = os.path.join(self._root, at) or os.curdir
        if not may_read(directory):
            return
        try:
            with os.scandir(directory) as entries:
                found = []
                for entry in entries:
                    self._run.visit(directory)
                    if hidden or not entry.name.startswith("."):
                        found.append((entry.name, entry.is_dir()))
        except OSError:
            return
        yield from found


def _device(directory: str) -> int | None:
    try:
        return os.stat(directory).st_dev
    except OSError:
        return None
