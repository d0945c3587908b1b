"""A cache of compiled code in the user's cache directory.

A template is read and compiled once per version of its text, build of plait and Python. The digest of these names the
entry. An entry is a file, or part of a pack: a thousand small files would take longer to write than to compile. A file
starts with a digest of its name and content; a damaged or truncated file is compiled again. Files are written to a
temporary name and renamed, so several processes can share the directory. A directory that others can write to, or that
cannot be created, is not used.

An entry is executable code, and a repository may contain a directory of entries. Every digest therefore includes a
secret of the user, stored outside of the cache, so entries of other users are never found. A cache or secret inside a
directory of inputs is not used.
"""

from __future__ import annotations

import marshal
import os
import sys

try:
    from _blake2 import blake2b  # the same as hashlib's, without its import, which takes 3 ms
except ImportError:  # pragma: no cover - a Python built without it
    from hashlib import blake2b

from plait.base.content import READ_ONLY
from plait.base.fast_paths import FAST
from plait.base.input_view import unrestricted
from plait.base.limits import current_budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.base.writing.directory import Directory

    Content: TypeAlias = bytes | memoryview

_DIGEST = 32
_SECRET = 32
# Limits that are part of the key of an entry.
LIMITS = ("aliases", "bits", "items", "nesting", "nodes", "string")
_COMMON = 1 << 14  # most entries are smaller
_MANY = 32  # minimum number of entries of a pack
# A full directory is emptied. One run then compiles everything, and other runs need no bookkeeping.
_ENTRIES = 20_000
_OWN_PACKAGES = ("ytt/starlark", "yaml", "ytt/templates")


class CodeCache:
    """Code objects, and plain data stored with them, by their key. `save` writes new entries to disk.

    loose: entries outside of the pack. made: the keys of those that this run created.
    """

    __slots__ = ("_checked", "_pack", "_pack_name", "_prefix", "_secret", "_used", "directory", "loose", "made")

    def __init__(self, directory: str, secret: bytes = b"") -> None:
        """secret: part of every key; without it no entry can be created."""
        self.directory = directory
        self._secret = secret
        self._checked = False
        limits = current_budget().limits
        depends = [build(), *(f"{name}={getattr(limits, name)}" for name in LIMITS)]
        self._prefix = blake2b("\n".join(depends).encode(), digest_size=_DIGEST).digest()
        self._pack_name = ""
        self._pack: dict[str, Content] = {}
        self._used: set[str] = set()  # entries of the pack
        self.loose: dict[str, Content] = {}
        self.made: list[str] = []

    def open_pack(self, paths: Sequence[str]) -> None:
        """Enables the pack of these inputs, if there are many.

        The pack is named after the two inputs with the smallest digests. So the same inputs in another directory share
        it, and another file rarely changes it: sites that differ in a values file share one pack.
        """
        if len(paths) >= _MANY:
            self._pack_name = self.key("pack", *sorted(map(self.key, paths))[:2])
            try:
                pack = _loaded(self.read(self._pack_name))
                self._pack = pack if isinstance(pack, dict) else {}
            except MemoryError:  # the run may have enough memory without a pack
                return

    def key(self, *parts: str) -> str:
        """The key of an entry. parts: everything on which the entry depends, except this build."""
        digest = blake2b(self._prefix, digest_size=_DIGEST)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> object:
        """The entry of a key, or None."""
        content = self._pack.get(key)
        if content is not None:
            self._used.add(key)
            return _loaded(content)
        content = self.loose.get(key) or self.read(key)
        if content is not None:
            self.loose[key] = content
        return _loaded(content)

    def put(self, key: str, value: object) -> None:
        """Stores a value under a key. Does nothing if the value cannot be serialized."""
        try:
            self.loose[key] = marshal.dumps(value)  # type: ignore[arg-type]
        except ValueError:  # nested too deep
            return
        self.made.append(key)

    def save(self) -> None:
        """Writes new entries to disk: to the pack once enough of them are not in it."""
        try:
            if self.made:
                self._check_size()
            if self._pack_name and len(self.loose) >= _MANY:
                # Entries that this run did not use may belong to another run. They are dropped before they make up most
                # of the pack.
                entries = {**self._pack, **self.loose}
                if len(entries) > 2 * (len(self._used) + len(self.loose)):
                    entries = {**{key: self._pack[key] for key in self._used}, **self.loose}
                self._write(self._pack_name, marshal.dumps(entries))
                self._pack = entries
            else:
                for key in self.made:
                    self._write(key, self.loose[key])
        except (OSError, MemoryError):
            pass
        self.made.clear()
        self.loose.clear()

    def read(self, name: str) -> Content | None:
        """The content of an undamaged file, or None."""
        try:
            descriptor = os.open(f"{self.directory}/{name}", READ_ONLY)
            try:
                data = os.read(descriptor, _COMMON)
                if len(data) == _COMMON:
                    os.lseek(descriptor, 0, os.SEEK_SET)
                    data = os.read(descriptor, os.fstat(descriptor).st_size)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        # Packs are large, so they are not copied.
        content = memoryview(data)[_DIGEST:]
        return content if self._digest(name, content) == data[:_DIGEST] else None

    def _digest(self, name: str, content: Content) -> bytes:
        digest = blake2b(name.encode(), digest_size=_DIGEST, key=self._secret)
        digest.update(content)
        return digest.digest()

    def _write(self, name: str, content: Content) -> None:
        with unrestricted(), _followed(self.directory) as directory:
            directory.write(name, [self._digest(name, content), content], new_mode=0o600, sync=False)

    def _check_size(self) -> None:
        """Empties a directory that has grown too large. Checks once per run."""
        if self._checked:
            return
        self._checked = True
        with unrestricted(), _followed(self.directory) as directory:
            # Other files must not be removed.
            names = [name for name in directory.names() if _is_entry(name)]
            if len(names) > _ENTRIES:
                for name in names:
                    directory.remove(name)


def _loaded(content: Content | None) -> object:
    if content is None:
        return None
    found: object = marshal.loads(content)  # noqa: S302 - written by `put`, checked by `_read`, in a directory of ours
    return found


def _is_entry(name: str) -> bool:
    """True for the name of an entry, or of a temporary file left by a killed process."""
    from plait.base.writing.directory import is_aside

    return is_aside(name) or (len(name) == 2 * _DIGEST and not name.strip("0123456789abcdef"))


def build() -> str:
    """An identifier of this build of plait and Python: versions, the files of the compiler, and optimization."""
    from plait.base.version import __version__

    package = os.path.dirname(os.path.dirname(__file__))
    parts = [__version__, sys.version, str(marshal.version), str(FAST)]
    if not os.path.isdir(package):
        status = os.stat(archive_of(package))
        return "\n".join([*parts, f"{status.st_size} {status.st_mtime_ns}"])
    try:
        # The installation record of a package contains a digest of each file, so files need not be read.
        with open(f"{os.path.dirname(package)}/plait-{__version__}.dist-info/RECORD", "rb", buffering=0) as record:
            parts.append(blake2b(record.read(), digest_size=_DIGEST).hexdigest())
    except OSError:
        parts += _states(package)
    return "\n".join(parts)


def _states(package: str) -> Iterator[str]:
    """Yields the name, size and modification time of each Python file of the compiler.

    Used if there is no installation record.
    """
    for name in _OWN_PACKAGES:
        for directory, below, names in os.walk(f"{package}/{name}"):
            below.sort()
            for file in sorted(names):
                if file.endswith(".py"):
                    status = os.stat(f"{directory}/{file}")
                    yield f"{file} {status.st_size} {status.st_mtime_ns}"


def archive_of(path: str) -> str:
    """The zip archive that contains a path, if plait runs from one."""
    while not os.path.isfile(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def user_cache(
    environment: Mapping[str, str], inputs: Sequence[str] = (), kind: type[CodeCache] = CodeCache
) -> CodeCache | None:
    """The cache in the user's cache directory, created if needed; None if no directory can be trusted.

    `PLAIT_CACHE_DIR` names another directory; if it is empty, there is no cache. inputs: paths that the run reads; a
    directory below one of them is not trusted. kind: the class of the cache.
    """
    given = environment.get("PLAIT_CACHE_DIR")
    if given == "":
        return None
    directory = given or _default_directory(environment)
    try:
        if directory is None or not _is_trusted(directory, inputs):
            return None
    except OSError:
        return None
    secret = user_secret(environment, inputs)
    return None if secret is None else kind(directory, secret)


def user_secret(environment: Mapping[str, str], inputs: Sequence[str] = ()) -> bytes | None:
    """The secret that identifies the user's entries in any cache, created if needed; None if there is none.

    inputs: as in `user_cache`.
    """
    state = _state_directory(environment)
    try:
        return _secret(f"{state}/cache-key") if state is not None and _is_trusted(state, inputs) else None
    except OSError:
        return None


def _is_trusted(directory: str, inputs: Sequence[str]) -> bool:
    """True if only the user can write to the directory and it is not inside an input. Creates it if needed. Raises
    OSError.
    """
    if not os.path.isdir(directory):
        with unrestricted():
            _followed(directory, make=0o700).close()
    return _is_private(directory, 0o022) and not _is_below(directory, inputs)


def _followed(directory: str, make: int | None = None) -> Directory:
    from plait.base.writing.targets import followed

    return followed(directory, make=make)


def _secret(path: str) -> bytes | None:
    """The user's secret, created if needed; None for a file that is readable by others or not a secret. Raises
    OSError.
    """
    try:
        descriptor = os.open(path, READ_ONLY)
    except FileNotFoundError:
        # If two processes create one, the later wins, and entries of the other are compiled again.
        with unrestricted(), _followed(os.path.dirname(path)) as directory:
            directory.write(os.path.basename(path), [os.urandom(_SECRET)], new_mode=0o600)
        descriptor = os.open(path, READ_ONLY)
    try:
        data = os.read(descriptor, _SECRET + 1)
        return data if len(data) == _SECRET and _is_private(descriptor, 0o077) else None
    finally:
        os.close(descriptor)


def _is_private(place: str | int, others: int) -> bool:
    """True if the file belongs to the user and other users do not have these permissions."""
    status = os.stat(place)
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & others)


def _is_below(place: str, inputs: Sequence[str]) -> bool:
    """True if the path is inside a directory of the inputs."""
    directories = [os.path.realpath(path).rstrip(os.sep) + os.sep for path in inputs if os.path.isdir(path)]
    return bool(directories) and (os.path.realpath(place) + os.sep).startswith(tuple(directories))


def _default_directory(environment: Mapping[str, str]) -> str | None:
    return _own_directory(environment, "XDG_CACHE_HOME", "plait/cache", "Library/Caches/plait", ".cache/plait")


def _state_directory(environment: Mapping[str, str]) -> str | None:
    """The directory of the user's secret, or None. It is independent of the cache directory, which may be anywhere."""
    return _own_directory(
        environment, "XDG_STATE_HOME", "plait/state", "Library/Application Support/plait", ".local/state/plait"
    )


def _own_directory(environment: Mapping[str, str], name: str, windows: str, mac: str, other: str) -> str | None:
    """A directory of the user: below the value of the environment variable `name`, else the system's default; None if
    neither is known.
    """
    base = environment.get(name)
    if base and os.path.isabs(base):
        return f"{base}/plait"
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA")
        return f"{local}/{windows}" if local else None
    home = environment.get("HOME")
    if not home or not os.path.isabs(home):
        return None
    return f"{home}/{mac if sys.platform == 'darwin' else other}"
