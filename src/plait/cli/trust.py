"""`plait trust`: shows and grants the permissions of a project beyond its repository."""

from __future__ import annotations

import os

from plait.authoring.project.file import read as read_project
from plait.authoring.project.trusting.needs import needs_of
from plait.base.errors import PermissionDeniedError
from plait.base.path_errors import near, read_failure
from plait.base.permissions import (
    ACCESSES,
    ENVIRONMENT,
    FILE_NAMES,
    LIMITS,
    NETWORK,
    PATHS,
    PROGRAMS,
    READ,
    WRITE,
    Need,
    origin_of,
)
from plait.base.trust import Decision, check_owner, decisions, permissions_of, revoke, store, stored
from plait.cli.colour import cleaning
from plait.cli.streams import complain, write_out
from plait.cli.tools import confirmed, only_argument
from plait.engine.flags import Command
from plait.engine.options import READ_PATH, WRITTEN_PATH, Heading, Request, switch, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Trust(Request):
    """The command line of `plait trust`."""

    __slots__ = ()
    command = "trust"
    summary = (
        "Show the permissions that a project requests outside of its repository, and grant them. PATH is a "
        "project directory or a pipeline file (default: the working directory)."
    )
    usage = "[PATH]"
    list = switch("list", "list the permissions granted to each project")
    revoke = switch("revoke", "revoke all permissions of the project")
    yes = switch("yes", "grant without asking for confirmation", short="y")
    _1 = Heading("Grant one permission, even if the project file does not request it")
    read = texts(READ, "read this file or directory", value="PATH", path=READ_PATH)
    write = texts(WRITE, "write this file, or files in this directory", value="PATH", path=WRITTEN_PATH)
    network = texts(NETWORK, "send requests to this server, such as https://example.com", value="URL")
    programs = texts(PROGRAMS, "start this program: sops, or a command, exec:COMMAND", value="PROGRAM")
    limits = texts(LIMITS, "set a limit above the maximum for project files, such as memory=4G", value="NAME=VALUE")
    environment = texts(ENVIRONMENT, "read this environment variable, or all with this prefix", value="NAME|PREFIX*")


TRUST = Command(Trust)


def main(flags: Trust) -> int:
    """Runs `plait trust`. Returns the exit status: 1 if nothing was granted. Raises PlaitError."""
    project = only_argument(TRUST, flags, "project", os.curdir)
    if flags.list:
        write_out("".join(_listed(one) for one in decisions()), is_harmless=True)
        return 0
    directory, file = _project(project)
    if flags.revoke:
        is_gone = revoke(directory)
        write_out(f"{_clean(directory)}: {'nothing is granted any more' if is_gone else 'nothing was granted'}\n")
        return 0
    return _grant(flags, directory, file)


def _project(path: str) -> tuple[str, str]:
    """The real path of a project's directory, and its file; "" if there is none. Raises ReadError."""
    if os.path.isdir(path):
        names = [name for name in FILE_NAMES if os.path.isfile(os.path.join(path, name))]
        return os.path.realpath(path), os.path.join(path, names[0]) if names else ""
    if not os.path.isfile(path):
        raise read_failure(path, subject=f'"{path}"', expected="the directory of a project, or a file of steps")
    return os.path.realpath(os.path.dirname(path) or os.curdir), path


def _grant(flags: Trust, directory: str, file: str) -> int:
    permissions = permissions_of(file, directory, typed=[Need(READ, file)] if file else ())
    typed = [_typed(access, text) for access in ACCESSES for text in flags.value(getattr(Trust, access))]
    needs = typed or (needs_of(file, permissions) if file else [])
    is_foreign = bool(file) and _is_foreign(file)
    if file and not typed and not is_foreign:
        _check(file)
    if not needs and not is_foreign:
        write_out(f"{_clean(directory)} requests nothing outside of its repository\n")
        return 0
    heading = "" if not is_foreign else f"{_clean(directory)} belongs to another user\n"
    if needs:
        heading += f"{_clean(directory)} {'would get' if typed else 'asks for'}\n"
    write_out(heading + _table(needs, _absence if typed else None), is_harmless=True)
    if not flags.yes and not confirmed("Grant this?", "--yes to grant all of this"):
        complain("plait: nothing was granted\n")
        return 1
    store(Decision(directory, [*stored(directory), *needs]))
    write_out("granted\n")
    return 0


def _check(file: str) -> None:
    """Raises the error of an invalid file, whose requests are unknown."""
    try:
        read_project(file)
    except PermissionDeniedError:
        return  # it needs permissions, which are shown


def _typed(access: str, text: str) -> Need:
    if access in PATHS:
        return Need(access, os.path.abspath(text))
    return Need(access, origin_of(text) if access == NETWORK else text)


def _is_foreign(file: str) -> bool:
    try:
        check_owner(os.path.abspath(file))
    except PermissionDeniedError:
        return True
    return False


def _listed(decision: Decision) -> str:
    return f"{_clean(decision.directory)}\n{_table(decision.needs)}"


def _absence(need: Need) -> str:
    """Says that a path does not exist, or neither it nor its directory if it may be written; or ""."""
    path = os.path.dirname(need.name) if need.access == WRITE else need.name
    if need.access not in PATHS or os.path.exists(need.name) or os.path.exists(path):
        return ""
    hint = near(path, is_typed=True)
    return f"{f'{path} does' if need.access == WRITE else 'does'} not exist{f'; {hint}' if hint is not None else ''}"


def _table(needs: Iterable[Need], more: Callable[[Need], str] | None = None) -> str:
    """The rows of permissions. more: what follows a name; by default where it is requested."""
    rows = [
        (one.access, _clean(one.name), _clean(more(one) if more else "" if one.at is None else str(one.at)))
        for one in needs
    ]
    width = max((len(name) for _, name, _ in rows), default=0)
    longest = max((len(access) for access, _, _ in rows), default=0)
    return "".join(f"  {access:<{longest}}  {name:<{width}}  {at}".rstrip() + "\n" for access, name, at in rows)


def _clean(text: str) -> str:
    # A name with a line break would look like a line of the output.
    return cleaning()(text.replace("\n", "\\n").replace("\r", "\\r"))
