"""Reads files, pipes and standard input, within limits.

A pipe or a device file may never end, so every input is read through this module, up to the limit `input`. The author
of an input directory must not choose files to read outside of it, so every command also lists directories through this
module, and follows a symbolic link only if `LinkPolicy` allows it.
"""

from __future__ import annotations

import os
import stat
import sys
from _contextvars import ContextVar

from plait.base.errors import ReadError
from plait.base.events import current_listener
from plait.base.input_view import (
    check_environment,
    check_read,
    current_permissions,
    current_view,
    may_read_variable,
    unrestricted,
)
from plait.base.limits import current_budget, limit_error
from plait.base.source import CLAUSE, Advice, Flag, Source, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from plait.base.permissions import Permissions


# Most inputs are smaller. Reading up to the limit at once would allocate that much.
_COMMON = 1 << 16


def content(stream: BinaryIO, described: str) -> bytes:
    """The content of a stream. described: its name in messages. Raises LimitError, OSError."""
    return _all_of(stream.read, described)


def file_content(path: str, described: str) -> bytes:
    """The content of a file. Raises LimitError, OSError, and ValueError for a path with a null byte."""
    permissions = current_permissions()
    if permissions is not None:
        permissions.check_read(path)
    view = current_view()
    if view is None:
        return _on_disk(path, described, permissions)
    data = view.text_for(path)
    try:
        if data is None:
            data = _on_disk(path, described, permissions)
        else:
            current_budget().take(len(data))
    finally:
        view.record_file(path, data)
    return data


def _on_disk(path: str, described: str, permissions: Permissions | None) -> bytes:
    is_chosen = permissions is not None and not permissions.is_granted_read(path)
    # For a small file, the layers of `open` take longer than everything else.
    descriptor = os.open(path, READ_ONLY | O_NONBLOCK) if is_chosen else os.open(path, READ_ONLY)
    try:
        if is_chosen and not stat.S_ISREG(mode := os.fstat(descriptor).st_mode) and not stat.S_ISDIR(mode):
            # A project chose the name, so this may be a pipe without a writer, which would block forever.
            raise ReadError(f"{path} is not a regular file", found=_kind_of(mode), code="not-regular-file")
        return _all_of(lambda size: os.read(descriptor, size), described)
    finally:
        os.close(descriptor)


def open_regular(path: str) -> BinaryIO:
    """Opens a regular file that was found, not named by the user, for reading. Raises OSError for anything else.

    A pipe, a socket or a device is rejected without waiting for it.
    """
    descriptor = os.open(path, READ_ONLY | O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            from errno import EINVAL

            raise OSError(EINVAL, f"it is {_kind_of(mode)}, not a regular file", path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def regular_content(path: str) -> bytes:
    """The content of a regular file that was found, not named by the user. Raises OSError, also if it exceeds the limit
    `input`.
    """
    most = current_budget().limits.input
    with open_regular(path) as stream:
        # The size is checked first: a sparse file can be arbitrarily large.
        data = stream.read(most + 1) if os.fstat(stream.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        from errno import EFBIG

        raise OSError(EFBIG, f"it has more than {most} bytes", path)
    return data


O_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
READ_ONLY = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _all_of(read: Callable[[int], bytes], described: str) -> bytes:
    """All data of `read`, a function that is called with a number of bytes and may return fewer."""
    run = current_budget()
    run.check_time()
    largest = run.limits.input
    data = read(_COMMON)
    if data:
        parts = [data]
        size = len(data)
        while size <= largest and (part := read(min(max(size, _COMMON), largest + 1 - size))):
            parts.append(part)
            size += len(part)
        if size > largest:
            raise limit_error(described, "input", largest, expected=f"at most {largest} bytes")
        if len(parts) > 1:
            data = b"".join(parts)
    run.take(len(data))
    return data


def environment() -> Mapping[str, str]:
    """The environment variables with their original names; `os.environ` has capitals only on Windows."""
    if os.name == "nt":
        import nt

        given: Mapping[str, str] = getattr(nt, "environ")  # noqa: B009 - only Windows has it
        return given
    return os.environ


def variables(prefix: str) -> dict[str, str]:
    """The environment variables whose names have this prefix, in order. Raises PermissionDeniedError."""
    return _variables(prefix, f"{prefix}*")


def _variables(prefix: str, expected: str) -> dict[str, str]:
    view = current_view()
    if view is not None and view.environment is not None:
        given = view.environment
    else:
        check_environment(expected)
        given = environment()
    found = {name: text for name, text in given.items() if name.startswith(prefix)}
    if view is not None:
        view.variables[prefix] = found
    return found


def names_of_variables() -> list[str]:
    """The names of the readable environment variables, for messages."""
    view = current_view()
    if view is not None and view.environment is not None:
        return list(view.environment)
    return [name for name in environment() if may_read_variable(name)]


def variable(name: str) -> str | None:
    """The value of an environment variable, or None. Raises PermissionDeniedError."""
    return _variables(name, name).get(name)


def note_home() -> None:
    """Records that the home directory was read from the environment."""
    with unrestricted():
        variables("HOME")


def standard_input() -> bytes:
    """The content of standard input. Raises LimitError, OSError, and ReadError for a terminal, where the user would not
    know that input is expected.
    """
    note_stream("standard input")
    if sys.stdin.isatty():
        raise ReadError("standard input is a terminal", hint="pipe the input in, or name a file", code="standard-input")
    return content(sys.stdin.buffer, "standard input")


def record_listing(path: str) -> None:
    """Records that a directory was listed, or its existence was tested."""
    view = current_view()
    if view is not None:
        view.record_listing(path or os.curdir)


def note_secrets() -> None:
    """Records that secrets enter the current evaluation. Every entry point of secrets calls this."""
    view = current_view()
    if view is not None:
        view.uses_secrets = True
    listener = current_listener()
    if listener is not None:
        listener.secrets()


def note_stream(name: str) -> None:
    """Records an input other than a file."""
    view = current_view()
    if view is not None:
        view.streams.add(name)


class LinkPolicy:
    """The symbolic links that may be followed: those to one of the paths, or inside one. every: all links."""

    __slots__ = ("_allowed", "_every")

    def __init__(self, allowed: Sequence[str] = (), *, every: bool = False) -> None:
        self._allowed = allowed
        self._every = every

    def check(self, path: str, shown: str = "") -> None:
        """Raises ReadError for a forbidden or dangling link. shown: the path as ytt spells it."""
        if self._every:
            return
        try:
            target = os.path.realpath(path, strict=True)
        except OSError as error:
            # A process substitution is a link to a pipe that is not in the file system.
            if _is_anonymous_pipe(os.path.realpath(path)):
                return
            failed = f"Eval symlink: lstat {error.filename}: {reason(error)}"
            from plait.base.path_errors import read_failure

            raise read_failure(
                error.filename or path,
                error,
                subject=f"the target of the link {path}",
                reference=f"Checking symlink file '{shown or path}': {failed}",
            ) from None
        if self.allows(target):
            return
        from plait.base.reference.links import not_allowed

        raise ReadError(
            f"Checking symlink file '{path}': Expected symlink file '{path}' -> '{os.path.relpath(target)}' "
            f"to be allowed, but was not",
            hint=_LINK_HINT,
            code="symlink-not-allowed",
            reference=not_allowed(shown or path),
        )

    def allows(self, target: str) -> bool:
        """True if a link may point to this real path."""
        for allowed in self._allowed:
            place = os.path.abspath(allowed)
            if place in (target, os.sep) or target.startswith(place + os.sep):
                return True
        return self._every

    def check_file(self, path: str, mode: int, shown: str = "") -> None:
        """Raises ReadError unless the path is a file, a pipe, or a link that may be followed. shown: as in `check`."""
        if stat.S_ISLNK(mode):
            self.check(path, shown)
        elif not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise _no_file(path, mode, shown)

    def takes(self, path: str, mode: int) -> bool:
        """True for a file in a directory. Raises as `check_file` does, and for a pipe, because plait waits only for
        pipes named by the user.
        """
        shown = os.path.normpath(path)
        if stat.S_ISFIFO(mode):
            raise _no_file(path, mode, shown)
        self.check_file(path, mode, shown)
        return True


def _no_file(path: str, mode: int, shown: str) -> ReadError:
    return ReadError(
        f"Expected file '{path}' to be a regular file, but was not",
        found=_kind_of(mode),
        code="not-regular-file",
        reference=f"Expected file '{shown or path}' to be a regular file, but was not",
    )


class SkippingLinkPolicy(LinkPolicy):
    """A link policy that skips and records forbidden links below a directory."""

    __slots__ = ("passed",)

    def __init__(self, allowed: Sequence[str] = (), *, every: bool = False) -> None:
        super().__init__(allowed, every=every)
        self.passed: list[str] = []

    def takes(self, path: str, mode: int) -> bool:
        try:
            return super().takes(path, mode)
        except ReadError:
            self.passed.append(path)
            return False


NO_LINKS = LinkPolicy()

# Links out of a Git repository that writing may follow (--allow-symlink-output). Set by the command line.
OUTPUT_LINKS: ContextVar[LinkPolicy] = ContextVar("plait_output_links", default=NO_LINKS)

_LINK_HINT = Advice(
    "symbolic links are not followed, as a security feature; allow one with ", Flag("allow-symlink-destination", "PATH")
)


def files_below(top: str, links: LinkPolicy, extensions: tuple[str, ...] = ("",)) -> Iterator[tuple[str, str]]:
    """The files below a directory with one of these extensions, unordered: each path, and its path from the top with
    slashes.

    Links to directories count as files and are never entered. Raises ReadError.
    """
    check_read(top)
    view = current_view()
    if view is None:
        yield from _files_on_disk(top, links, extensions)
        return
    found: set[str] = set()
    for path, name in _files_on_disk(top, links, extensions):
        view.record_listing(os.path.dirname(path))
        found.add(name)
        yield path, name
    view.record_listing(top)
    for path, name in view.texts_below(top):
        if name not in found and name.endswith(extensions):
            yield path, name


def _files_on_disk(top: str, links: LinkPolicy, extensions: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    pending = [(top, "")]
    refused: dict[tuple[str, ...], ReadError] = {}
    visit = current_budget().visit
    while pending:
        directory, prefix = pending.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    visit(top)
                    if entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, f"{prefix}{entry.name}/"))
                    elif entry.name.endswith(extensions):
                        # This call needs no system call.
                        if not entry.is_file(follow_symlinks=False):
                            try:
                                if not links.takes(entry.path, entry.stat(follow_symlinks=False).st_mode):
                                    continue
                            except ReadError as error:
                                refused[(*prefix.split("/")[:-1], entry.name)] = error
                                continue
                        yield entry.path, prefix + entry.name
        except OSError as error:
            from plait.base.path_errors import read_failure

            raise read_failure(
                directory, error, doing="list", reference=f"Listing files '{top}': open {directory}: {reason(error)}"
            ) from None
    if refused:
        # The order of entries is random and must not affect the reported error.
        raise refused[min(refused)].within("", role=CLAUSE, reference=f"Listing files '{top}'")


_YAML = (".yaml", ".yml")


def sources(path: str, extensions: tuple[str, ...] = _YAML, *, links: LinkPolicy = NO_LINKS) -> Iterator[Source]:
    """Yields the text of a file, of all files below a directory with one of the extensions, or of standard input (`-`).

    A directory's files come before its subdirectories, both by name. Raises ReadError if the path does not exist, a
    directory has no such file, a link is not allowed, or a file is not UTF-8; and LimitError.
    """
    if path == "-":
        yield Source("stdin.yml", _text(standard_input(), "stdin.yml"))
        return
    check_read(path)
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        mode = 0  # reading the file reports the reason
    if not stat.S_ISDIR(mode):
        if stat.S_ISLNK(mode):
            links.check(path)
        yield source(path)
        return
    found = [place for place, _ in files_below(path, links, extensions)]
    if not found:
        wanted = " or ".join(f"*{extension}" for extension in extensions)
        raise ReadError(f"directory {path} has no YAML files", expected=f"files named {wanted}", code="no-yaml-files")
    for place in sorted(found, key=by_directory):
        yield source(place)


def by_directory(path: str) -> list[tuple[bool, str]]:
    """The sort key of a walk that visits the files of a directory before its subdirectories."""
    *folders, name = path.split(os.sep)
    return [*((True, folder) for folder in folders), (False, name)]


def source(path: str) -> Source:
    """A file's text. Raises ReadError and LimitError."""
    try:
        data = file_content(path, path)
    except (OSError, ValueError) as error:
        from plait.base.path_errors import read_failure

        raise read_failure(path, error, extensions=_YAML) from None
    return Source(path, _text(data, path))


def _is_anonymous_pipe(target: str) -> bool:
    directory, _, name = target.rpartition("/")
    return directory.startswith("/proc/") and directory.endswith("/fd") and name.startswith("pipe:[")


def _kind_of(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "something else"


def encoded(text: str) -> bytes:
    """The bytes of a text, including bytes that are not valid UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is not UTF-8 text: byte {error.start}", code="not-utf8") from None
