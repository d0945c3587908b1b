"""Open directories, and all operations that change their contents."""

from __future__ import annotations

import os
import stat
import sys

from plait.base.writing.real_paths import kind_of, refused, unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

# These names can be replaced by tests.
HAS_DIR_FD = (
    hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
    and sys.platform != "emscripten"  # the file system belongs to the page
    and {"open", "mkdir", "rename", "rmdir", "stat", "unlink"} <= {call.__name__ for call in os.supports_dir_fd}
)
_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
# O_PATH, because directories on the path need not be readable.
_FIND = _PLAIN | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)
_LIST = _PLAIN | getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY
_FILE = _PLAIN | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
_CHANGES = os.O_WRONLY | os.O_RDWR
# False on Windows, where every file seems to be open to all users.
_HAS_MODES = os.name != "nt"
# Maximum depth of a directory that is removed; deeper levels are moved up first, to limit open directories.
_DEEPEST = 32


class Directory:
    """An open directory. Names in it are single components; symbolic links are not followed.

    shown: the path in messages. real: its real path. Every method raises OSError with the shown path as its filename.
    """

    __slots__ = ("_handle", "real", "shown")

    def __init__(self, shown: str, real: str, handle: int | None) -> None:
        """handle: the open directory, which `close` closes; None on a system without `dir_fd`."""
        self.shown = shown
        self.real = real
        self._handle = handle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the directory."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def path(self, name: str) -> str:
        """The path of an entry in messages."""
        return name if self.shown in ("", os.curdir) else os.path.join(self.shown, name)

    # ---- reading

    def status(self, name: str) -> os.stat_result | None:
        """The status of an entry; for a link, that of the link itself. None if it does not exist."""
        try:
            return os.lstat(self._at(name)) if self._handle is None else os.lstat(name, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._named(error, name) from None

    def check_file(self, name: str, *, replaces_links: bool = False) -> os.stat_result | None:
        """The status of the file that is about to be replaced, or None. Raises WriteRefused if it is not a regular
        file.
        """
        before = self.status(name)
        if before is None or stat.S_ISREG(before.st_mode) or (replaces_links and stat.S_ISLNK(before.st_mode)):
            return before
        from errno import EEXIST

        raise unfit(self.path(name), before.st_mode, EEXIST)

    def names(self) -> list[str]:
        """The names of all entries."""
        try:
            if self._handle is None:
                self._check()
                return os.listdir(self.real)
            handle = self.listed()
            try:
                return os.listdir(handle)
            finally:
                os.close(handle)
        except OSError as error:
            error.filename = self.shown
            raise

    def listed(self) -> int:
        """A new descriptor of the directory itself, to list or lock it. Not available on Windows."""
        return os.open(os.curdir, _LIST, dir_fd=self._handle)

    def read(self, name: str, *, used: bool = False, maximum: int | None = None) -> bytes | None:
        """The content of a regular file; None if it is missing or larger than `maximum` bytes. used: sets its access
        time to now.
        """
        try:
            handle = self.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with open(handle, "rb") as file:
            if used:
                os.utime(handle if os.utime in os.supports_fd else self._at(name))
            data = file.read(-1 if maximum is None else maximum + 1)
            return None if maximum is not None and len(data) > maximum else data

    def time_of(self, name: str, content: bytes) -> int | None:
        """The modification time of a regular file, in nanoseconds; None if it has other content, other names, or is
        open to other users.
        """
        try:
            handle = self.open(name, os.O_RDONLY)
        except OSError:
            return None
        try:
            found = os.fstat(handle)
            if found.st_size != len(content) or found.st_nlink > 1 or (_HAS_MODES and found.st_mode & 0o7077):
                return None
            data = os.read(handle, len(content) + 1)
            return found.st_mtime_ns if data == content else None
        finally:
            os.close(handle)

    # ---- directories

    def below(self, *names: str, make: int | None = None) -> Directory:
        """The directory at a nested path, opened component by component. make: the mode of each created directory."""
        place = Directory(self.shown, self.real, None if self._handle is None else os.dup(self._handle))
        for name in names:
            try:
                inner = place._step(name, make)
            finally:
                place.close()
            place = inner
        return place

    def _step(self, name: str, make: int | None) -> Directory:
        real = os.path.join(self.real, name)
        try:
            try:
                handle = self._found(name)
            except FileNotFoundError:
                if make is None:
                    raise
                self.make(name, make, may_exist=True)
                handle = self._found(name)
        except OSError as error:
            if isinstance(error, (NotADirectoryError, FileExistsError)) or stat.S_ISLNK(self._mode(name)):
                kind = kind_of(self._mode(name))
                if kind != "a directory":
                    raise refused(self.path(name), f"'{self.path(name)}' is {kind}") from None
            raise self._named(error, name) from None
        return Directory(self.path(name), real, handle)

    def _found(self, name: str) -> int | None:
        if self._handle is not None:
            return os.open(name, _FIND, dir_fd=self._handle)
        path = self._at(name)
        if not stat.S_ISDIR(os.lstat(path).st_mode) or os.path.realpath(path) != path:
            from errno import ENOTDIR

            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), path)
        return None

    def _mode(self, name: str) -> int:
        """The mode of an entry; 0 if it is unknown."""
        try:
            found = self.status(name)
        except OSError:
            return 0
        return 0 if found is None else found.st_mode

    def make(self, name: str, mode: int, *, may_exist: bool = False) -> None:
        """Creates a directory. may_exist: accept an existing entry with the name."""
        try:
            if self._handle is None:
                os.mkdir(self._at(name), mode)
                self._check()
            else:
                os.mkdir(name, mode, dir_fd=self._handle)
        except OSError as error:
            if not (may_exist and isinstance(error, FileExistsError)):
                raise self._named(error, name) from None

    # ---- files

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """The descriptor of a regular file, opened in place. Raises WriteRefused for anything else, without blocking.

        A file with several names (hard links) can only be opened for reading.
        """
        assert not flags & os.O_TRUNC, "a file is checked before it changes"
        try:
            if self._handle is None:
                self._check_kind(name)  # O_NOFOLLOW does not exist
                handle = os.open(self._at(name), flags | _FILE, mode)
            else:
                handle = os.open(name, flags | _FILE, mode, dir_fd=self._handle)
        except OSError as error:
            self._check_kind(name)
            raise self._named(error, name) from None
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise unfit(self.path(name), found.st_mode)
            if flags & _CHANGES and found.st_nlink > 1:
                raise refused(self.path(name), "it has other names (hard links)")
        except BaseException:
            os.close(handle)
            raise
        return handle

    def _check_kind(self, name: str) -> None:
        mode = self._mode(name)
        if mode and not stat.S_ISREG(mode):
            raise unfit(self.path(name), mode)

    def write(self, name: str, parts: Iterable[bytes | memoryview], *, new_mode: int, sync: bool = True) -> None:
        """Writes a file atomically, by a rename.

        An existing file keeps its mode; a new one has new_mode, less the umask.
        """
        before = self.check_file(name)
        # A separate name, because the file name may already have the maximum length.
        aside = aside_name()
        try:
            self.create(aside, parts, before, new_mode=new_mode, sync=sync)
            self.move(aside, self, name)
        except BaseException:
            self.discard(aside)
            raise

    def create(
        self,
        name: str,
        parts: Iterable[bytes | memoryview],
        before: os.stat_result | None = None,
        *,
        new_mode: int,
        sync: bool = False,
    ) -> None:
        """Writes a new file. The name must be unused. before: the status of the file that it replaces later."""
        kept = None if before is None or not stat.S_ISREG(before.st_mode) else before.st_mode & 0o7777
        # The new file is as private as the old one while it is written.
        mode = new_mode if kept is None else 0o600
        try:
            if self._handle is None:
                handle = os.open(self._at(name), _NEW, mode)
            else:
                handle = os.open(name, _NEW, mode, dir_fd=self._handle)
            with open(handle, "wb") as file:
                file.writelines(parts)
                if sync:
                    file.flush()
                    os.fsync(handle)
                if kept is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, kept)
            if self._handle is None:
                self._check()
                if kept is not None and not hasattr(os, "fchmod"):
                    os.chmod(self._at(name), kept)
        except OSError as error:
            raise self._named(error, name) from None

    def link(self, name: str, target: str) -> None:
        """Creates a symbolic link. The name must be unused."""
        if self._handle is None:
            os.symlink(target, self._at(name))
        else:
            os.symlink(target, name, dir_fd=self._handle)

    def move(self, name: str, to: Directory, target: str) -> None:
        """Renames an entry. A file or link with the target's name is replaced atomically."""
        try:
            if self._handle is None or to._handle is None:
                os.replace(self._at(name), to._at(target))
                to._check()
            else:
                os.replace(name, target, src_dir_fd=self._handle, dst_dir_fd=to._handle)
        except OSError as error:
            raise to._named(error, target) from None

    def exchange(self, name: str, to: Directory, target: str) -> bool:
        """Exchanges two entries atomically, so that a killed run loses neither.

        Returns False if the system does not support it; Linux does.
        """
        if self._handle is None or to._handle is None:
            return False
        try:
            import ctypes

            rename = ctypes.CDLL(None).renameat2
        except (ImportError, OSError, AttributeError, TypeError):
            return False
        exchange = 2
        done: int = rename(self._handle, os.fsencode(name), to._handle, os.fsencode(target), exchange)
        return done == 0

    # ---- removing

    def remove(self, name: str) -> None:
        """Removes a file, or a link itself."""
        try:
            if self._handle is None:
                os.unlink(self._at(name))
            else:
                os.unlink(name, dir_fd=self._handle)
        except OSError as error:
            raise self._named(error, name) from None

    def remove_directory(self, name: str) -> None:
        """Removes an empty directory."""
        try:
            if self._handle is None:
                os.rmdir(self._at(name))
            else:
                os.rmdir(name, dir_fd=self._handle)
        except OSError as error:
            raise self._named(error, name) from None

    def remove_tree(self, name: str) -> None:
        """Removes an entry with all its contents. Links inside it are removed, not followed."""
        found = self.status(name)
        if found is None or not stat.S_ISDIR(found.st_mode):
            self.remove(name)
            return
        with self.below(name) as top:
            top.empty()
        self.remove_directory(name)

    def empty(self) -> None:
        """Removes all entries with their contents."""
        while names := self.names():  # repeated for entries that were moved up
            for name in names:
                self._clear(name, self, 1)

    def _clear(self, name: str, top: Directory, level: int) -> None:
        if not stat.S_ISDIR(self._mode(name)):
            self.remove(name)
        elif level > _DEEPEST:
            self.move(name, top, aside_name())
        else:
            with self.below(name) as inner:
                for one in inner.names():
                    inner._clear(one, top, level + 1)
            self.remove_directory(name)

    def discard(self, name: str) -> None:
        """Removes an entry of this run, if it exists. Errors are ignored, because another one is being raised."""
        try:
            if self.status(name) is not None:
                self.remove_tree(name)
        except OSError:
            return

    # ---- without dir_fd

    def _at(self, name: str) -> str:
        self._check()
        return os.path.join(self.real, name)

    def _check(self) -> None:
        """Raises WriteRefused if the directory has been moved or replaced, on systems without `dir_fd`."""
        if os.path.realpath(self.real) != self.real:
            raise refused(self.shown, f"'{self.shown}' has become a symbolic link")

    def _named(self, error: OSError, name: str) -> OSError:
        """The error with the path that users know."""
        error.filename = self.path(name)
        if hasattr(error, "filename2"):
            error.filename2 = None
        return error


def opened(real: str, shown: str, make: int | None = None) -> Directory:
    """The directory at a real path, opened without following links; a link created in the meantime is rejected.

    make: the mode of each created directory.
    """
    drive, rest = os.path.splitdrive(real)
    root = drive + os.sep
    *above, last = ["", *filter(None, rest.split(os.sep))]
    with (
        Directory(root, root, os.open(root, _FIND) if HAS_DIR_FD else None) as top,
        top.below(*filter(None, above), make=make) as parent,
    ):
        parent.shown = os.path.dirname(shown)
        found = parent.below(*filter(None, [last]), make=make)
    found.shown = shown
    return found


def aside_name() -> str:
    """A unique name for a file that is not complete."""
    return f".plait-{os.getpid()}-{os.urandom(6).hex()}.new"


def is_aside(name: str) -> bool:
    """True for a name that `aside_name` returned in any process."""
    start, _, token = name.removesuffix(".new").rpartition("-")
    return name.endswith(".new") and start.startswith(".plait-") and start[7:].isdigit() and len(token) == 12


class temporary:  # noqa: N801 - reads as what it does
    """`with temporary("prefix-") as directory:` creates a directory for this user alone, and removes it afterwards.

    Without `with`, `close` removes it. directory: the open directory.
    """

    __slots__ = ("_parent", "directory")

    def __init__(self, prefix: str) -> None:
        from tempfile import mkdtemp

        path = os.path.realpath(mkdtemp(prefix=prefix))
        self._parent = opened(os.path.dirname(path), os.path.dirname(path))
        self.directory = self._parent.below(os.path.basename(path))

    def __enter__(self) -> Directory:
        return self.directory

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the directory. Entries that cannot be removed stay among the temporary files."""
        self.directory.close()
        self._parent.discard(os.path.basename(self.directory.real))
        self._parent.close()
