"""Input view: the files as one evaluation sees them, with replaced texts, and a record of its reads.

Tools that try a change before it is saved (editors, `plait set`) evaluate with the new text in place of the file. Tools
that need to know when a result is out of date read the record. Outside of `use_view`, an evaluation sees the disk.
"""

from __future__ import annotations

import os
from _contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Iterator, Mapping

    from plait.base.permissions import Permissions
    from plait.base.source import Position


class InputView:
    """The input view of an evaluation, and its read set.

    texts: texts that replace files, by absolute path.
    is_read_only: variables stores are read, and generated values are not stored.
    environment: replaces the environment variables.
    files: the content of each file read, by absolute path; None for one that could not be read.
    directories: the absolute paths of listed or tested directories.
    variables: the environment variables read, by prefix of their names.
    streams: other inputs read: standard input, URLs.
    written: the absolute paths of written variables stores.
    uses_secrets: secrets entered the evaluation (see `plait.tree.secrets.uses_secrets`).
    """

    __slots__ = (
        "directories",
        "environment",
        "files",
        "is_read_only",
        "streams",
        "texts",
        "uses_secrets",
        "variables",
        "written",
    )

    def __init__(
        self,
        texts: Mapping[str, bytes] | None = None,
        *,
        is_read_only: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.texts: Mapping[str, bytes] = {} if texts is None else texts
        self.is_read_only = is_read_only
        self.environment = environment
        self.files: dict[str, bytes | None] = {}
        self.directories: set[str] = set()
        self.variables: dict[str, Mapping[str, str]] = {}
        self.streams: set[str] = set()
        self.written: set[str] = set()
        self.uses_secrets = False

    def text_for(self, path: str) -> bytes | None:
        """The text that replaces a file, or None."""
        return self.texts.get(os.path.abspath(path)) if self.texts else None

    def record_file(self, path: str, content: bytes | None) -> None:
        """Records the content read from a file."""
        self.files[os.path.abspath(path)] = content

    def record_listing(self, path: str) -> None:
        """Records that a directory was listed, or its existence was tested."""
        self.directories.add(os.path.abspath(path))

    def texts_below(self, top: str) -> Iterator[tuple[str, str]]:
        """The replacement texts of files below a directory: the path, and its path from the directory with slashes."""
        start = os.path.join(os.path.abspath(top), "")
        for path in self.texts:
            if path.startswith(start):
                rest = path[len(start) :]
                yield os.path.join(top, rest), rest.replace(os.sep, "/")


_CURRENT: ContextVar[InputView | None] = ContextVar("plait_view", default=None)


def current_view() -> InputView | None:
    """The view of the current evaluation; None if it sees the disk and its reads are not recorded."""
    return _CURRENT.get()


class use_view:  # noqa: N801 - reads as what it does
    """`with use_view(view):` makes evaluations see files through a view."""

    __slots__ = ("_token", "_view")

    def __init__(self, view: InputView) -> None:
        self._view = view

    def __enter__(self) -> InputView:
        self._token: Token[InputView | None] = _CURRENT.set(self._view)
        return self._view

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


# ---- permissions

_PERMITTED: ContextVar[Permissions | None] = ContextVar("plait_permissions", default=None)


def current_permissions() -> Permissions | None:
    """The permissions of the project that is evaluated; None if no project file is involved; then everything is
    permitted.
    """
    return _PERMITTED.get()


class permitted:  # noqa: N801 - reads as what it does
    """`with permitted(permissions):` restricts the accesses that names in files may request: read, write, network,
    programs.

    None changes nothing, so that only code with a project sets permissions.
    """

    __slots__ = ("_permissions", "_token")

    def __init__(self, permissions: Permissions | None) -> None:
        self._permissions = permissions

    def __enter__(self) -> None:
        self._token: Token[Permissions | None] = _PERMITTED.set(self._permissions or _PERMITTED.get())

    def __exit__(self, *_: object) -> None:
        _PERMITTED.reset(self._token)


class unrestricted:  # noqa: N801 - reads as what it does
    """`with unrestricted():` allows access to plait's own files, such as its cache, whose names come from no input."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token: Token[Permissions | None] = _PERMITTED.set(None)

    def __exit__(self, *_: object) -> None:
        _PERMITTED.reset(self._token)


def check_read(path: str, at: Position | None = None) -> None:
    """Raises PermissionDeniedError for a path that may not be read. at: the line with the path, if known.

    Call it before any access to the file system, so that a rejected path does not reveal if it exists.
    """
    permissions = _PERMITTED.get()
    if permissions is not None:
        permissions.check_read(path, at)


def check_request(url: str, at: Position | None = None) -> None:
    """Raises PermissionDeniedError for a URL whose server may not be contacted. at: the line with the URL, if known."""
    permissions = _PERMITTED.get()
    if permissions is not None:
        permissions.check_request(url, at)


def check_program(command: str, at: Position | None = None) -> None:
    """Raises PermissionDeniedError for a program that may not be started. at: the line with the command, if known."""
    permissions = _PERMITTED.get()
    if permissions is not None:
        permissions.check_program(command, at)


def check_environment(name: str) -> None:
    """Raises PermissionDeniedError for environment variables that may not be read. name: a variable, or `PREFIX*`."""
    permissions = _PERMITTED.get()
    if permissions is not None:
        permissions.check_environment(name)


def may_read_variable(name: str) -> bool:
    """True if an environment variable may be read."""
    permissions = _PERMITTED.get()
    return permissions is None or permissions.may_read_variable(name)


def may_read(path: str) -> bool:
    """True if a path may be read."""
    permissions = _PERMITTED.get()
    return permissions is None or permissions.may_read(path)
