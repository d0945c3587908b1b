"""Permissions of a project: the resources that names in its files may refer to.

A checkout is data. Without a decision of the user, its files may refer only to the Git repository of the project file:
not to other directories, servers, programs or environment variables. Arguments on the command line are permitted.
`plait trust` and `--trust` grant the accesses that the project file requests (see `plait.base.trust`).

Paths outside of the permitted directories are compared without accessing the file system: a link is followed only while
it stays inside, and a path is rejected before its existence is known.
"""

from __future__ import annotations

import os

from plait.base.errors import PermissionDeniedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.base.source import Position

# The names of project files.
FILE_NAMES = ("plait.yml", "plait.yaml")
READ, WRITE, NETWORK, PROGRAMS, LIMITS, ENVIRONMENT = ACCESSES = (
    "read",
    "write",
    "network",
    "programs",
    "limits",
    "environment",
)
# The accesses that are paths.
PATHS = (READ, WRITE)
# Directories of version control, not of the checkout. They contain hooks, which are executed, and credentials of remote
# repositories.
CONTROL = frozenset({".git", ".hg", ".jj", ".svn"})
# Maximum number of symbolic links on one path, as on Linux.
_MOST_LINKS = 40


class Need:
    """One access that a project requests.

    access: one of ACCESSES.
    name: an absolute path, the origin of a URL, a program with its arguments, a limit above the maximum for files,
    NAME=VALUE, or an environment variable; `PREFIX*` for all with a prefix.
    at: the line that requests it, if known.
    """

    __slots__ = ("access", "at", "name")

    def __init__(self, access: str, name: str, at: Position | None = None) -> None:
        self.access = access
        self.name = name
        self.at = at

    @property
    def key(self) -> tuple[str, str]:
        """A key that is equal for equal accesses."""
        return self.access, self.name

    def __repr__(self) -> str:
        return f"Need({self.access!r}, {self.name!r})"


class Permissions:
    """The accesses that paths in files may request. Created by `plait.base.trust.permissions_of`.

    directory: that of the project file. file: its path, "" for a project without one. checkout: its
    repository, or the directory itself if there is none. granted: additional accesses, from the command line or from a
    stored decision.
    """

    __slots__ = ("_readable", "_writable", "checkout", "directory", "file", "granted")

    def __init__(self, directory: str, checkout: str, granted: Iterable[Need] = (), *, file: str = "") -> None:
        self.file = file
        self.directory = directory
        self.checkout = checkout
        self.granted = frozenset((one.access, one.name) for one in granted)
        own = Root(checkout, is_checkout=True)
        self._readable = (own, *(Root(name) for access, name in self.granted if access in PATHS))
        self._writable = (own, *(Root(name) for access, name in self.granted if access == WRITE))

    def granting(self, needs: Iterable[Need]) -> Permissions:
        """A copy with additional permissions."""
        more = [one for one in needs if one.key not in self.granted]
        known = [Need(access, name) for access, name in self.granted]
        return Permissions(self.directory, self.checkout, [*known, *more], file=self.file) if more else self

    def moved(self, top: str, directory: str) -> Permissions:
        """The permissions for a copy of all files in another directory, without accesses to other paths."""
        granted = [Need(access, name) for access, name in self.granted if access not in PATHS]
        return Permissions(directory, top, granted, file=self.file)

    def may_read(self, path: str) -> bool:
        """True if a path may be read, with links resolved."""
        return _is_below(path, self._readable)

    def may_read_variable(self, name: str) -> bool:
        """True if an environment variable may be read."""
        return self.grants(Need(ENVIRONMENT, name))

    def is_granted_read(self, path: str) -> bool:
        """True if the user granted reading a path. False if it is only permitted as a part of the repository."""
        return _is_below(path, self._readable[1:])

    def may_write(self, path: str) -> bool:
        """True if a path may be written, with links resolved."""
        return _is_below(path, self._writable)

    def is_typed(self, path: str) -> bool:
        """True if the user granted writing to a path. False if it is only permitted as a part of the repository."""
        return _is_below(path, self._writable[1:])

    def grants(self, need: Need) -> bool:
        """True if an access is permitted."""
        if need.access == READ:
            return self.may_read(need.name)
        if need.access == WRITE:
            return self.may_write(need.name)
        if need.access == ENVIRONMENT:
            return any(access == ENVIRONMENT and _is_among(need.name, name) for access, name in self.granted)
        every = "*" if need.access in (NETWORK, LIMITS) else f"{need.name.partition(':')[0]}:*"
        return need.key in self.granted or (need.access, every) in self.granted

    def check_read(self, path: str, at: Position | None = None) -> None:
        """Raises PermissionDeniedError."""
        if not self.may_read(path):
            raise self.denied(Need(READ, path, at))

    def check_write(self, path: str) -> None:
        """Raises PermissionDeniedError."""
        if not self.may_write(path):
            raise self.denied(Need(WRITE, path))

    def check_empty(self, path: str) -> None:
        """Raises PermissionDeniedError for a directory whose content may not be replaced.

        A directory named by a project file must not contain the project file or its repository.
        """
        self.check_write(path)
        real = os.path.realpath(path)
        if not self.is_typed(path) and any(
            is_within(os.path.realpath(one), real) for one in (self.directory, self.checkout)
        ):
            raise self.denied(Need(WRITE, path))

    def check_request(self, url: str, at: Position | None = None) -> None:
        """Raises PermissionDeniedError."""
        self.check(Need(NETWORK, origin_of(url), at))

    def check_program(self, command: str, at: Position | None = None) -> None:
        """Raises PermissionDeniedError."""
        self.check(Need(PROGRAMS, command, at))

    def check_environment(self, name: str) -> None:
        """Raises PermissionDeniedError. name: a variable, or `PREFIX*`."""
        self.check(Need(ENVIRONMENT, name))

    def check(self, need: Need) -> None:
        """Raises PermissionDeniedError for an access that is not permitted."""
        if not self.grants(need):
            raise self.denied(need)

    def denied(self, need: Need) -> PermissionDeniedError:
        """The error for an access, with the command that grants it."""
        from shlex import quote

        subject = quote(self.file if os.path.basename(self.file) not in ("", *FILE_NAMES) else self.directory)
        verb, noun = _WORDS[need.access]
        expected = f"a path inside {self.checkout}" if need.access in PATHS else noun
        error = PermissionDeniedError(
            f'this project has no permission to {verb} "{need.name}"',
            at=need.at,
            expected=f"{expected}, or a permission",
            hint=f"plait trust {subject} shows and grants the project's requests; to grant only this: plait trust {subject} --{need.access} {quote(absolute(need))}",
        )
        error.access, error.name = need.access, absolute(need)
        error.origins = ()  # names in project files never depend on a secret
        return error


_WORDS = {
    READ: ("read", "path"),
    WRITE: ("write", "path"),
    NETWORK: ("send requests to", "no network access"),
    PROGRAMS: ("run", "no programs"),
    LIMITS: ("set the limit", "a lower limit"),
    ENVIRONMENT: ("read environment variables", "no environment variables"),
}


def _is_among(name: str, granted: str) -> bool:
    """True if a variable, or all variables with a prefix, are granted."""
    return name.startswith(granted[:-1]) if granted.endswith("*") else name == granted


def absolute(need: Need) -> str:
    """The name as in errors."""
    return os.path.realpath(need.name) if need.access in PATHS else need.name


def origin_of(url: str) -> str:
    """The origin of a URL: scheme, host and port. "*" for a host that is not known yet (`http://{axis}/`)."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return url
    if "{" in parts.netloc or "}" in parts.netloc:
        return "*"
    return f"{parts.scheme.lower()}://{f'[{host}]' if ':' in host else host}{port}"


# ---- paths


class Root:
    """A permitted file or directory, with its contents. given: its absolute path; real: without links."""

    __slots__ = ("given", "is_checkout", "real")

    def __init__(self, path: str, *, is_checkout: bool = False) -> None:
        self.given = os.path.abspath(path)
        try:
            self.real = os.path.realpath(path)
        except ValueError:  # not a valid path; the system rejects it
            self.real = self.given
        self.is_checkout = is_checkout

    def covers(self, real: str) -> bool:
        """True if a path without links is permitted."""
        if not is_within(real, self.real):
            return False
        return not self.is_checkout or CONTROL.isdisjoint(real[len(self.real) :].lower().split(os.sep))


def is_within(path: str, top: str) -> bool:
    """True if a path is a directory, or inside it. Both must be absolute and without links."""
    return path == top or path.startswith(top if top.endswith(os.sep) else top + os.sep)


def _is_below(path: str, roots: Sequence[Root]) -> bool:
    if "\0" in path:
        return True  # the system rejects the path
    if os.name == "nt":
        return _is_below_on_windows(path, roots)
    real = _resolved(path, roots)
    return real is not None and any(root.covers(real) for root in roots)


def _resolved(path: str, roots: Sequence[Root]) -> str | None:
    """The path without links if it is inside the roots and stays there; else None."""
    here = os.getcwd()
    at = os.sep if os.path.isabs(path) else here
    todo = path.split(os.sep)[::-1]
    links = 0
    while todo:
        name = todo.pop()
        if name in ("", os.curdir):
            continue
        if name == os.pardir:
            # `..` after a name that may be a link can be misleading.
            if not (is_within(here, at) or any(is_within(one.real, at) or is_within(at, one.real) for one in roots)):
                return None
            at = os.path.dirname(at)
            continue
        candidate = os.path.join(at, name)
        known = next((root.real for root in roots if candidate == root.given), None)
        if known is not None:
            at = known
        elif any(is_within(at, root.real) for root in roots):
            try:
                target = os.readlink(candidate)
            except OSError:  # not a link, or missing
                at = candidate
                continue
            links += 1
            if links > _MOST_LINKS:
                return None
            at = os.sep if os.path.isabs(target) else at
            todo += target.split(os.sep)[::-1]
        elif is_within(here, candidate) or any(
            is_within(root.given, candidate) or is_within(root.real, candidate) for root in roots
        ):
            at = candidate
        else:
            return None
    return at


def _is_below_on_windows(path: str, roots: Sequence[Root]) -> bool:
    """As `_resolved`, with the system's functions, because Windows has many spellings of a path."""
    text = os.path.normcase(os.path.abspath(path))
    if not any(is_within(text, os.path.normcase(one)) for root in roots for one in (root.given, root.real)):
        return False
    real = os.path.realpath(path)
    return any(
        is_within(os.path.normcase(real), os.path.normcase(root.real))
        and (not root.is_checkout or CONTROL.isdisjoint(real[len(root.real) :].lower().split(os.sep)))
        for root in roots
    )


# ---- location of a project


def upwards(directory: str) -> Iterator[str]:
    """A directory and its ancestors, up to the root of its repository or file system, or the home directory.

    Directories above these never belong to the project.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    at = directory
    while True:
        yield at
        above = os.path.dirname(at)
        if above == at or os.path.realpath(at) == home or os.path.lexists(os.path.join(at, ".git")):
            return
        try:
            if os.stat(above).st_dev != os.stat(at).st_dev:
                return
        except OSError:
            return
        at = above


def checkout_of(directory: str) -> str:
    """The Git repository that contains a directory; the directory itself if there is none, or it belongs to another
    user.
    """
    real = os.path.realpath(directory)
    home = os.path.realpath(os.path.expanduser("~"))
    for at in upwards(real):
        if os.path.lexists(os.path.join(at, ".git")):
            is_own = not is_within(home, at) and all(owner_is_trusted(one) for one in (at, os.path.join(at, ".git")))
            return at if is_own else real
    return real


def owner_is_trusted(path: str) -> bool:
    """True if the target of a path belongs to the user, or to the caller of sudo, as for git's `safe.directory`.

    Also true for a missing path, and for paths named by PLAIT_TRUST.
    """
    try:
        owner = os.stat(path).st_uid
        user = os.geteuid()
    except (OSError, AttributeError):  # the path does not exist, or the system is Windows
        return True
    if owner == user:
        return True
    if user == 0 and os.environ.get("SUDO_UID") == str(owner):
        return True
    return named_by_environment(path)


VARIABLE = "PLAIT_TRUST"


def named_by_environment(path: str) -> bool:
    """True if a path is in a directory of PLAIT_TRUST."""
    real = os.path.realpath(path)
    named = os.environ.get(VARIABLE, "")
    return any(is_within(real, os.path.realpath(one)) for one in named.split(os.pathsep) if one)
