"""The user's decisions about projects: the accesses that a project may use beyond its repository.

A decision is one file in the user's state directory, named by a digest of the real path of the project's directory. It
lists the granted accesses. Further accesses that the project requests later are rejected until the user decides again.
"""

from __future__ import annotations

import os
import sys
from _contextvars import ContextVar

from plait.base.errors import PermissionDeniedError, ReadError
from plait.base.permissions import (
    ACCESSES,
    VARIABLE,
    Need,
    Permissions,
    checkout_of,
    named_by_environment,
    owner_is_trusted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Iterable, Iterator, Sequence

FORMAT = 1
FLAG = "trust"
# Maximum size of a decision.
_MOST_BYTES = 1 << 20

_ASSENT: ContextVar[bool] = ContextVar("plait_trust", default=False)
# Accesses that a program grants each project, in place of decisions.
GRANTED: ContextVar[Sequence[Need] | None] = ContextVar("plait_granted", default=None)


class assenting:  # noqa: N801 - reads as what it does
    """`with assenting():` grants each project the accesses that its file requests, as `--trust` does."""

    __slots__ = ("_assents", "_token")

    def __init__(self, *, assents: bool = True) -> None:
        self._assents = assents

    def __enter__(self) -> None:
        self._token: Token[bool] = _ASSENT.set(self._assents or _ASSENT.get())

    def __exit__(self, *_: object) -> None:
        _ASSENT.reset(self._token)


def is_assenting() -> bool:
    """True within `assenting`."""
    return _ASSENT.get()


def permissions_of(path: str, directory: str | None = None, *, typed: Iterable[Need] = ()) -> Permissions:
    """The permissions of a project, pipeline or test file.

    path: the path of the file, which need not exist. directory: base of its paths, by default the file's directory.
    typed: additional accesses from the command line. Reads the stored decision and, with `--trust` or PLAIT_TRUST, the
    requests of the file.
    """
    directory = os.path.abspath((os.path.dirname(path) if directory is None else directory) or os.curdir)
    granted = GRANTED.get()
    more = stored(directory) if granted is None else granted
    own = Permissions(directory, checkout_of(directory), [*typed, *more], file=path)
    if path and granted is None and (is_assenting() or named_by_environment(directory)):
        # A higher layer determines the accesses that the settings of a file need.
        asked = __import__("plait.authoring.project.trusting.needs", fromlist=["needs_of"]).needs_of
        needs: Sequence[Need] = asked(path, own)
        return own.granting(needs)
    return own


def check_owner(path: str) -> None:
    """Raises PermissionDeniedError for a project file that was found, and that belongs to another user.

    A stored decision about its directory accepts it.
    """
    if _of(os.path.dirname(path)) is not None:
        return
    for one in (path, os.path.dirname(path)):
        if not owner_is_trusted(one):
            from shlex import quote

            directory = os.path.dirname(path)
            error = PermissionDeniedError(
                f'the project file "{path}" belongs to another user',
                expected="a file and a directory of your own",
                found=f"{one} belongs to user {os.stat(one).st_uid}",
                hint=f"if you trust it: plait trust {quote(directory)}, or in CI {VARIABLE}={quote(directory)}",
                code="foreign-project",
            )
            error.access, error.name = "read", path
            raise error


# ---- decisions


class Decision:
    """The permissions that the user granted a project. directory: the real path of the project file's directory."""

    __slots__ = ("directory", "needs")

    def __init__(self, directory: str, needs: Iterable[Need]) -> None:
        self.directory = directory
        self.needs = sorted({one.key: one for one in needs}.values(), key=lambda one: one.key)

    @property
    def digest(self) -> str:
        """The digest of the directory and all granted accesses."""
        from hashlib import sha256
        from json import dumps

        return sha256(dumps([self.directory, [one.key for one in self.needs]]).encode()).hexdigest()


def stored(directory: str) -> list[Need]:
    """The accesses that the user granted a project; empty if there is no decision, or it belongs to another user."""
    decision = _of(directory)
    return [] if decision is None else decision.needs


def _of(directory: str) -> Decision | None:
    top = _directory()
    if top is None or not os.path.isdir(top):
        return None
    real = os.path.realpath(directory)
    place = _decision_path(real)
    decision = None if place is None else _read(place)
    return None if decision is None or decision.directory != real else decision


def decisions() -> Iterator[Decision]:
    """All decisions of the user, by directory."""
    top = _directory()
    try:
        names = sorted(os.listdir(top)) if top is not None else []
    except OSError:
        names = []
    found = [_read(os.path.join(str(top), name)) for name in names if name.endswith(".json")]
    yield from sorted((one for one in found if one is not None), key=lambda one: one.directory)


def store(decision: Decision) -> None:
    """Stores a decision. Raises ReadError."""
    from json import dumps

    from plait.base.writing.targets import write_file

    place = _decision_path(decision.directory)
    if place is None:
        raise ReadError(
            "the directory for decisions is unknown",
            expected="a home directory",
            hint="set XDG_STATE_HOME",
            code="unwritable-file",
        )
    data = {
        "format": FORMAT,
        "directory": decision.directory,
        "granted": [{"access": one.access, "name": one.name} for one in decision.needs],
        "digest": decision.digest,
    }
    try:
        _create_directory(os.path.dirname(place))
        write_file(place, [dumps(data, indent=1).encode("utf-8", "surrogateescape"), b"\n"], new_mode=0o600)
    except OSError as error:
        raise ReadError(f'cannot write "{place}": {error.strerror}', code="unwritable-file") from None


def revoke(directory: str) -> bool:
    """Deletes the decision about a project. Returns True if there was one. Raises ReadError."""
    place = _decision_path(os.path.realpath(directory))
    from plait.base.writing.targets import target

    if place is None:
        return False
    try:
        above, name = target(place)
        with above:
            above.remove(name)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ReadError(f'cannot remove "{place}": {error.strerror}', code="unwritable-file") from None
    return True


def _create_directory(path: str) -> None:
    """Creates the directory of decisions, which only the user may read. Raises OSError, ReadError."""
    from plait.base.writing.targets import followed

    followed(path, make=0o700).close()
    if not _is_own(os.stat(path).st_uid):
        raise ReadError(
            f'the directory "{path}" belongs to another user',
            expected="a directory of your own",
            code="foreign-project",
        )


def _is_own(owner: int) -> bool:
    return os.name == "nt" or owner == os.geteuid()


def _directory() -> str | None:
    """The directory of decisions; None if there is no home directory."""
    top = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(top):
        home = os.path.expanduser("~")
        if os.name == "nt":
            top = os.environ.get("LOCALAPPDATA", "")
        elif sys.platform == "darwin":
            top = os.path.join(home, "Library", "Application Support")
        else:
            top = os.path.join(home, ".local", "state")
    return os.path.join(top, "plait", "trust") if os.path.isabs(top) else None


def _decision_path(directory: str) -> str | None:
    top = _directory()
    if top is None:
        return None
    from hashlib import sha256

    return os.path.join(top, f"{sha256(os.fsencode(directory)).hexdigest()}.json")


def _read(place: str) -> Decision | None:
    """Reads a decision; None if the file is missing, if another user owns it or may write to it, or if it was changed."""
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not _is_own(status.st_uid) or (os.name != "nt" and status.st_mode & 0o077):
            return None
        from json import loads

        data = loads(os.read(descriptor, _MOST_BYTES).decode("utf-8", "surrogateescape"))
        needs = [Need(one["access"], one["name"]) for one in data["granted"] if one["access"] in ACCESSES]
        decision = Decision(data["directory"], needs)
        return decision if data["format"] == FORMAT and data["digest"] == decision.digest else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    finally:
        os.close(descriptor)
