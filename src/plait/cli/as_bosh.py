"""The command line of BOSH: `interpolate` with the flags and messages of `bosh`.

Global flags may precede or follow the command. A failure prints an empty line to standard output, as BOSH does.
"""

from __future__ import annotations

import os

from plait.base.errors import LimitError, PlaitError, ReadError, UsageError
from plait.base.reference.bosh import EXIT, sentence
from plait.base.source import FLAG
from plait.base.version import __version__
from plait.cli.common_flags import entered
from plait.cli.patch import TRUE, as_json, finish, prepare, write_result
from plait.cli.streams import write_out
from plait.engine.common import WARNINGS_HIDDEN
from plait.engine.flags import Command
from plait.engine.helping import help_text
from plait.engine.options import GO_FLAGS, NUMBER, Request, declared, switch, text, texts
from plait.engine.patch import Patch
from plait.ops.reader import as_they_are, expand_home, file_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from plait.engine.flags import AnyCommand

# The release of BOSH's command line that `interpolate` follows.
BOSH_VERSION = "7.10.6"

PROGRAM = "bosh"
_INTERPOLATE = ("interpolate", "int")
_ACCEPTED = "accepted, no effect"


class Global(Request):
    """The global flags of `bosh`, before its command."""

    __slots__ = ()
    program = PROGRAM
    grammar = GO_FLAGS
    summary = "Interpolate variables into a manifest. This is plait, which replaces BOSH's command line; it has no other command."
    usage = "interpolate [flags] PATH"
    commands = (
        ("interpolate", "apply operations and variables to a manifest (also int)"),
        ("help", "print help"),
    )

    version = switch("version", "print the version", short="v", is_last=True)
    config = text("config", _ACCEPTED, value="PATH")
    environment = text("environment", _ACCEPTED, short="e", value="NAME")
    ca_cert = text("ca-cert", _ACCEPTED, value="CERTIFICATE")
    sha2 = switch("sha2", _ACCEPTED)
    parallel = declared("parallel", NUMBER, _ACCEPTED, value="NUMBER")
    client = text("client", _ACCEPTED, value="NAME")
    client_secret = text("client-secret", _ACCEPTED, value="SECRET")
    deployment = text("deployment", _ACCEPTED, short="d", value="NAME")
    column = texts("column", _ACCEPTED, value="COLUMN")
    json = switch("json", "print the result or the error as JSON")
    tty = switch("tty", 'print an empty line and "Succeeded" after the result')
    no_color = switch("no-color", _ACCEPTED)
    non_interactive = switch("non-interactive", _ACCEPTED, short="n")


class Interpolate(Patch):
    """The command line of `bosh interpolate`."""

    __slots__ = ()
    program = PROGRAM
    warnings_shown = WARNINGS_HIDDEN


BOSH = Command(Global, PROGRAM)
INTERPOLATE = Command(Interpolate, "bosh interpolate")

# The names of BOSH's commands, each with its aliases.
_COMMANDS: dict[str, tuple[str, ...]] = {
    "add-blob": (),
    "alias-env": (),
    "attach-disk": (),
    "blobs": (),
    "cancel-task": ("ct",),
    "cancel-tasks": ("cts",),
    "clean-up": (),
    "cloud-check": ("cck", "cloudcheck"),
    "cloud-config": ("cc",),
    "completion": (),
    "config": ("c",),
    "configs": ("cs",),
    "cpi-config": (),
    "create-env": (),
    "create-recovery-plan": (),
    "create-release": ("cr",),
    "curl": (),
    "delete-config": ("dc",),
    "delete-deployment": ("deld",),
    "delete-disk": (),
    "delete-env": (),
    "delete-network": (),
    "delete-release": ("delr",),
    "delete-snapshot": (),
    "delete-snapshots": (),
    "delete-stemcell": ("dels",),
    "delete-vm": (),
    "deploy": ("d",),
    "deployment": ("dep",),
    "deployments": ("ds", "deps"),
    "diff-config": (),
    "disks": (),
    "environment": ("env",),
    "environments": ("envs",),
    "errands": ("es",),
    "event": (),
    "events": (),
    "export-release": (),
    "finalize-release": (),
    "generate-job": (),
    "generate-package": (),
    "help": (),
    "ignore": (),
    "init-release": (),
    "inspect-local-release": (),
    "inspect-local-stemcell": (),
    "inspect-release": (),
    "instances": ("is",),
    "interpolate": ("int",),
    "locks": (),
    "log-in": ("l", "login"),
    "log-out": ("logout",),
    "logs": (),
    "manifest": ("man",),
    "networks": (),
    "orphan-disk": (),
    "orphaned-vms": (),
    "pcap": (),
    "recover": (),
    "recreate": (),
    "releases": ("rs",),
    "remove-blob": (),
    "repack-stemcell": (),
    "reset-release": (),
    "restart": (),
    "run-errand": (),
    "runtime-config": ("rc",),
    "scp": (),
    "sha1ify-release": (),
    "sha2ify-release": (),
    "snapshots": (),
    "ssh": (),
    "start": (),
    "start-env": (),
    "stemcells": ("ss",),
    "stop": (),
    "stop-env": (),
    "sync-blobs": (),
    "take-snapshot": (),
    "task": ("t",),
    "tasks": ("ts",),
    "unalias-env": (),
    "unignore": (),
    "update-cloud-config": ("ucc",),
    "update-config": ("uc",),
    "update-cpi-config": (),
    "update-resurrection": (),
    "update-runtime-config": ("urc",),
    "upload-blobs": (),
    "upload-release": ("ur",),
    "upload-stemcell": ("us",),
    "variables": ("vars",),
    "vendor-package": (),
    "vms": (),
}
_BOOLEANS: dict[str, Any] = {
    "BOSH_SHA2": Interpolate.sha2,
    "BOSH_TTY": Interpolate.tty,
    "BOSH_NON_INTERACTIVE": Interpolate.non_interactive,
}
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def main(argv: Sequence[str]) -> int:
    """Runs one command line of bosh. Returns the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        return _dispatch(argv)
    except PlaitError as error:
        error.exit_status = 3 if isinstance(error, LimitError) else 1
        raise


def _dispatch(argv: Sequence[str]) -> int:
    place = BOSH.first_argument(argv)
    before = BOSH.parse(argv[:place])
    if before.help:
        return _help(before, BOSH)
    if before.version:
        return _print(before, f"version {BOSH_VERSION} (plait {__version__})\n")
    if place is None:
        raise UsageError(
            f"Please specify one command of: {_listed()}",
            reference=f"Please specify one command of: {_listed()}",
            code="missing-argument",
        )
    name = argv[place]
    rest = [*argv[:place], *argv[place + 1 :]]
    if name in _INTERPOLATE:
        return _interpolate(rest)
    if name == "help":
        _check_arguments("Help", BOSH.parse(rest).arguments)
        return _help(BOSH.parse(rest), BOSH)
    raise _unknown(name)


def _interpolate(argv: Sequence[str]) -> int:
    try:
        flags = entered(INTERPOLATE.parse(argv))
    except UsageError as error:
        if isinstance(error.parsed, Patch):
            # Words before the mistake are parsed first, and may contain mistakes themselves.
            prepare(error.parsed, is_whole=False)
        raise
    if flags.help:
        return _help(flags, INTERPOLATE)
    if flags.version:
        return _print(flags, f"version {BOSH_VERSION} (plait {__version__})\n")
    job = prepare(flags)
    _check_certificate(flags)
    _check_environment(flags)
    if not flags.json:
        return finish(flags, job)
    try:
        return finish(flags, job)
    except PlaitError as error:
        write_out(as_json(None, [sentence(error), EXIT]))
        return 3 if isinstance(error, LimitError) else 1


def _check_arguments(command: str, arguments: Sequence[str]) -> None:
    if arguments:
        raise UsageError(
            f"Command '*opts.{command}Opts' does not support extra arguments: {', '.join(arguments)}",
            code="unexpected-argument",
        )


def _check_environment(flags: Patch) -> None:
    """Raises UsageError for an environment variable that sets a switch to an invalid value."""
    for name, option in _BOOLEANS.items():
        value = os.environ.get(name)
        if value is not None and not flags.has(option) and value not in TRUE | _FALSE:
            raise UsageError(
                f'invalid argument for flag `{option.shown}\' (expected bool): strconv.ParseBool: parsing "{value}": '
                "invalid syntax",
                hint=f"it comes from the environment variable {name}",
                code="invalid-value",
            )


def _check_certificate(flags: Patch) -> None:
    """Raises ReadError for a certificate that cannot be read. `interpolate` does not use it, but BOSH reads it first."""
    value = flags.ca_cert if flags.has(Interpolate.ca_cert) else os.environ.get("BOSH_CA_CERT")
    if value is None or "BEGIN" in value:
        return

    try:
        if not value:
            raise ReadError(
                "the certificate is empty", code="unreadable-file", reference="Expected CA cert to be non-empty"
            )
        file_text(os.path.abspath(expand_home(value)), "a certificate", as_they_are)
    except ReadError as error:
        where = "--ca-cert" if flags.has(Interpolate.ca_cert) else "the environment variable BOSH_CA_CERT"
        told = "invalid argument for flag `--ca-cert' (expected opts.CACertArg)"
        raise error.within(f"in {where}", role=FLAG, reference=told) from None


def _print(flags: Global | Interpolate, result: str) -> int:
    write_result(flags, result)
    return 0


def _help(flags: Global | Interpolate, command: AnyCommand) -> int:
    return _print(flags, help_text(command))


def _listed() -> str:
    *most, last = sorted(_COMMANDS)
    return f"{', '.join(most)} or {last}"


def _unknown(name: str) -> UsageError:
    """The error for an unsupported command. If BOSH does not have the command either, its message is used."""
    if name in _COMMANDS or any(name in short for short in _COMMANDS.values()):
        return UsageError(
            f'unknown command "{name}": as bosh, plait has only interpolate',
            hint="use BOSH's own command line for it",
            code="unknown-command",
        )
    nearest = min(sorted(_COMMANDS), key=lambda known: _distance(name, known))
    told = f"Unknown command `{name}'"
    if _distance(name, nearest) / len(nearest) < 0.5:
        return UsageError(f"{told}, did you mean `{nearest}'?", code="unknown-command")
    return UsageError(f"{told}. Please specify one command of: {_listed()}", code="unknown-command")


def _distance(one: str, other: str) -> int:
    """The distance of two names, as go-flags computes it. Its table begins with one row too few."""
    if not one or not other:
        return len(one) or len(other)
    table = [[row, *[0] * len(other)] for row in range(len(one) + 1)]
    table[0] = [*range(len(other)), 0]
    for row, left in enumerate(one):
        for column, right in enumerate(other):
            if left == right:
                table[row + 1][column + 1] = table[row][column]
            else:
                table[row + 1][column + 1] = 1 + min(table[row][column], table[row + 1][column], table[row][column + 1])
    return table[-1][-1]
