"""A cache of results by content, in a directory that fleets and machines may share.

A result is determined by the definition of the run, its reads, and the version of plait. For each definition a file
lists the reads of the last run; together with their current digests they name the result. Each file begins with a
digest of its name and content, so damaged, truncated or swapped files are ignored. The digest is keyed with the user's
secret, so that a directory from a checkout is ignored. A shared cache, such as one below a URL, has no secret: everyone
who can write to it can change the output.

Cached data is plain, limited and validated: results that no run could have produced are ignored, too.
"""

from __future__ import annotations

import json
import os
import zlib
from hashlib import blake2b
from hmac import compare_digest
from stat import S_ISREG
from time import time

from plait.base.code_cache import user_cache, user_secret
from plait.base.errors import ReadError
from plait.base.warning_data import warning_data, warning_from
from plait.base.writing.directory import is_aside
from plait.base.writing.targets import followed
from plait.fleet.identity import of_parts, version
from plait.fleet.read_sets import ReadSet
from plait.fleet.remote_files import RemoteFiles, local_path
from plait.fleet.secret_runs import HARMLESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeGuard

    from plait.base.errors import Warning
    from plait.base.writing.directory import Directory
    from plait.fleet.read_sets import DiskState

_DIGEST = 32
_NAME = 40
# Maximum bytes of an entry, packed or not. Larger results are not cached.
_MOST = 64 << 20
# Maximum bytes of everything except the contents, because plain data takes much more memory than its text.
_MOST_HEAD = 2 << 20
_SIZE = 4
# Maximum number of digits in a time, in seconds since 1970.
_FAR = 15
_MARKER = "looked-at-"
# A larger directory is reduced to three quarters of its maximum, least recently used entries first.
MOST_BYTES = 1 << 30
# Minimum seconds between two scans of the whole directory, for fleets that add only a few results.
_RARELY = 600
_FEW = 100


class CachedResult:
    """A cached result. contents: its files. reads: the files it read. warnings: its warnings. is_secret: the run uses
    secrets.
    """

    __slots__ = ("contents", "is_secret", "reads", "warnings")

    def __init__(
        self, contents: Mapping[str, bytes], reads: ReadSet, warnings: Sequence[Warning], *, is_secret: bool
    ) -> None:
        self.contents = contents
        self.reads = reads
        self.warnings = warnings
        self.is_secret = is_secret


class Results:
    """Cached results in a directory or below a URL. is_shared: others write there too, and are trusted; always true for
    a URL.
    """

    def __init__(self, name: str, *, is_shared: bool = False) -> None:
        """Raises UsageError for a URL with an unsupported scheme."""
        local = local_path(name)
        self._files = RemoteFiles(name) if local is None else _Directory(local)
        # Without a secret, nothing is found or cached.
        self._secret = b"" if is_shared or local is None else user_secret(os.environ)

    def find(self, definition: str, disk: DiskState) -> CachedResult | None:
        """The cached result for the current state of the disk, or None."""
        listed, _ = self._load(_name(version(), "reads", definition))
        if not isinstance(listed, list) or len(listed) != 3 or not all(map(_is_texts, listed)):
            return None
        files, directories, variables = listed
        # The name of the next look-up contains digests of what is listed. Values from the environment are never in
        # entries of others, because runs that read them use secrets.
        is_permitted = all(map(disk.is_permitted, (*files, *directories)))
        if not is_permitted or not (self._secret or {*variables} <= HARMLESS):
            return None
        reads = disk.now(ReadSet(*(dict.fromkeys(names) for names in listed)))
        found, contents = self._load(_name(version(), "result", definition, reads.key()))
        if not isinstance(found, dict) or found.keys() != {"files", "warnings", "secret"}:
            return None
        sizes, warnings, is_secret = found["files"], found["warnings"], found["secret"]
        if not _is_files(sizes) or not isinstance(warnings, list) or not isinstance(is_secret, bool):
            return None
        try:
            warnings = [*map(warning_from, warnings)]
        except ValueError:
            return None
        files = _divided(sizes, contents)
        return None if files is None else CachedResult(files, reads, warnings, is_secret=is_secret)

    def keep(self, definition: str, kept: CachedResult, made_by: str | None = None) -> None:
        """Caches a result. Errors of writing are ignored. made_by: the version of plait that rendered it, if not this
        one.
        """
        made_by = made_by or version()
        reads = kept.reads
        sizes = {path: len(content) for path, content in kept.contents.items()}
        result = {"files": sizes, "warnings": [*map(warning_data, kept.warnings)], "secret": kept.is_secret}
        try:
            self._store(_name(made_by, "result", definition, reads.key()), result, kept.contents.values())
            self._store(_name(made_by, "reads", definition), [[*reads.files], [*reads.directories], [*reads.variables]])
        except (OSError, ReadError):
            return

    def bound(self, maximum: int, added: int) -> None:
        """Shrinks the cache if it may have grown too large. Scanning it takes as long as some runs, so this is rare.
        added: number of new results.
        """
        marker = f"{_MARKER}{maximum}"
        if added < _FEW:
            try:
                last = self._files.read(marker)
            except (OSError, ReadError):
                return
            if last is not None and last.isdigit() and len(last) < _FAR and time() - int(last) < _RARELY:
                return
        if not self._sizes():
            return
        self.shrink(maximum)
        try:
            self._files.write(marker, str(int(time())).encode())
        except (OSError, ReadError):
            return

    def shrink(self, maximum: int = MOST_BYTES) -> int:
        """Removes the least recently used files until the size is at most `maximum`. Returns their number. Ignores
        missing files.
        """
        found = sorted((when, size, path) for path, (size, when) in self._sizes().items())
        size = sum(one[1] for one in found)
        if size <= maximum:
            return 0
        removed = 0
        for _, own, path in found:
            if size <= maximum * 3 // 4:
                break
            try:
                self._files.remove(path)
            except (OSError, ReadError):
                continue
            size -= own
            removed += 1
        return removed

    def _sizes(self) -> dict[str, tuple[int, float]]:
        """Size and time of each file of the cache. Other files are neither counted nor removed."""
        return {path: one for path, one in self._files.sizes().items() if _is_own(path)}

    def _load(self, name: str) -> tuple[object, bytes]:
        """The head of an entry, as plain data, and its contents; None and b"" if there is no such entry."""
        nothing = None, b""
        if self._secret is None:
            return nothing
        try:
            data = self._files.read(_path(name), maximum=_MOST)
            if data is None or not compare_digest(self._digest(name, data[_DIGEST:]), data[:_DIGEST]):
                return nothing
            content = zlib.decompressobj()
            text = content.decompress(data[_DIGEST:], _MOST)
            end = _SIZE + int.from_bytes(text[:_SIZE], "big")
            if not content.eof or end - _SIZE > _MOST_HEAD:
                return nothing
            return json.loads(text[_SIZE:end]), text[end:]
        except (OSError, ReadError, ValueError, zlib.error, RecursionError, MemoryError):
            return nothing

    def _store(self, name: str, value: object, contents: Iterable[bytes] = ()) -> None:
        """Raises OSError, ReadError."""
        head = json.dumps(value, separators=(",", ":")).encode()
        text = b"".join((len(head).to_bytes(_SIZE, "big"), head, *contents))
        if self._secret is not None and len(head) <= _MOST_HEAD and len(text) <= _MOST:
            content = zlib.compress(text, 1)
            self._files.write(_path(name), self._digest(name, content) + content)

    def _digest(self, name: str, content: bytes) -> bytes:
        # The purpose is part of the key, because other caches use the same secret.
        digest = blake2b(name.encode(), digest_size=_DIGEST, key=self._secret or b"", person=b"fleet results")
        digest.update(b"\0" + content)
        return digest.digest()


class _Directory:
    """Files in a local directory, by relative path. All methods raise OSError."""

    def __init__(self, directory: str) -> None:
        self._top = directory

    def read(self, path: str, *, maximum: int | None = None) -> bytes | None:
        """The content of a file; None if it is missing or larger than `maximum` bytes. Marks the file as used."""
        above, _, name = path.rpartition("/")
        try:
            with followed(self._top, reads=True) as top, top.below(*_names(above)) as directory:
                return directory.read(name, used=True, maximum=maximum)
        except FileNotFoundError:
            return None

    def write(self, path: str, content: bytes) -> None:
        """Writes a file atomically, by a rename."""
        above, _, name = path.rpartition("/")
        with followed(self._top, make=0o700) as top, top.below(*_names(above), make=0o700) as directory:
            directory.write(name, [content], new_mode=0o666, sync=False)

    def remove(self, path: str) -> None:
        above, _, name = path.rpartition("/")
        with followed(self._top) as top, top.below(*_names(above)) as directory:
            directory.remove(name)

    def sizes(self) -> dict[str, tuple[int, float]]:
        """Size and time of each regular file in the directory, and in directories that `_path` names."""
        found: dict[str, tuple[int, float]] = {}
        try:
            with followed(self._top, reads=True) as top:
                for above in top.names():
                    if not _is_digest(above, 2):
                        _add_file(found, top, above, above)
                        continue
                    with top.below(above) as directory:
                        for name in directory.names():
                            _add_file(found, directory, name, f"{above}/{name}")
        except OSError:
            return found
        return found


def _add_file(found: dict[str, tuple[int, float]], directory: Directory, name: str, path: str) -> None:
    status = directory.status(name)
    if status is not None and S_ISREG(status.st_mode):
        found[path] = _on_disk(status), status.st_mtime


def _name(made_by: str, *parts: str) -> str:
    """The name of an entry. made_by: the version of plait that rendered it."""
    return of_parts([made_by, *parts])


def _names(path: str) -> list[str]:
    return path.split("/") if path else []


def _on_disk(status: os.stat_result) -> int:
    """The size of a file on disk in bytes, in whole blocks."""
    blocks: int | None = getattr(status, "st_blocks", None)
    # A new file may have no blocks yet.
    return blocks * 512 if blocks else -(-status.st_size // _BLOCK) * _BLOCK


# Bytes of a block, if the system does not report it.
_BLOCK = 4096


def _is_digest(name: str, length: int) -> bool:
    """True if the name was created by `_path`."""
    return len(name) == length and not name.strip("0123456789abcdef")


def _path(name: str) -> str:
    return f"{name[:2]}/{name[2:]}"


def _is_own(path: str) -> bool:
    """True for the path of a file that a cache wrote: a result, an unfinished one, or a marker."""
    above, _, name = path.rpartition("/")
    if not above:
        return name.startswith(_MARKER) and name.removeprefix(_MARKER).isdecimal()
    return _is_digest(above, 2) and (_is_digest(name, _NAME - 2) or is_aside(name))


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_files(value: object) -> TypeGuard[dict[str, int]]:
    """True if a value has the form of sizes by path, all inside the destination of a run. The empty path is the
    destination itself.
    """
    return isinstance(value, dict) and all(
        type(size) is int and size >= 0 and (not path or _is_inside(path)) for path, size in value.items()
    )


def _divided(sizes: Mapping[str, int], contents: bytes) -> dict[str, bytes] | None:
    """The consecutive files with these sizes; None if the sizes do not fit the contents."""
    files: dict[str, bytes] = {}
    start = 0
    for path, size in sizes.items():
        files[path] = contents[start : start + size]
        start += size
    return files if start == len(contents) else None


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return "\0" not in path and not any(part in ("", ".", "..") or os.path.split(part)[0] for part in parts)


def default_directory(environment: Mapping[str, str]) -> str:
    """The default directory, in the user's cache directory; "" if there is none."""
    found = user_cache(environment)
    return "" if found is None else os.path.join(found.directory, "fleet")
