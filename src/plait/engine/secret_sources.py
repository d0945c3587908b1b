"""Sources of secrets: SOPS files, directories mounted by Kubernetes, plain files, and commands.

A source is written as `[KEY=]KIND:WHERE`. It returns a map of values by name. With a key, the map is the value of that
key; a file or command output that is not a map becomes a string.

The design avoids known problems of other tools: a password such as 0123 that is converted to the number 83, a command
that a checked-out project runs without permission, and messages that quote the unreadable line.
"""

from __future__ import annotations

import os
import re
import shlex
from time import monotonic

from plait.base import content
from plait.base.content import note_secrets
from plait.base.errors import LimitError, PlaitError, ReadError, UsageError, conceal
from plait.base.input_view import check_program, check_read, current_permissions, may_read
from plait.base.limits import current_budget, limit_error
from plait.base.lines import lines_of
from plait.base.path_errors import read_failure
from plait.base.similar_names import did_you_mean
from plait.base.source import Advice, Flag, Position, Source, public
from plait.tree.nodes import Array, Map, MapItem, kind_name
from plait.yaml.reader import read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.tree.nodes import Value

SOPS, FILE, DIRECTORY, COMMAND = "sops", "file", "dir", "exec"
KINDS = (SOPS, FILE, DIRECTORY, COMMAND)
FORM = "[KEY=]sops:FILE, file:FILE, dir:DIRECTORY or exec:COMMAND"
_ARGUMENT = re.compile(r"(?:(?P<key>[^=:]*)=)?(?P<kind>[a-z]+):(?P<where>.+)", re.DOTALL)


class Named:
    """The parsed name of a secret source. key: for its values, "" for the root. where: a path, or a command."""

    __slots__ = ("argument", "key", "kind", "where")

    def __init__(self, argument: str) -> None:
        """Raises UsageError."""
        found = _ARGUMENT.fullmatch(argument)
        if found is None or found["kind"] not in KINDS or found["key"] == "":
            hint = _source_hint(argument) or (found and (did_you_mean(found["kind"], KINDS) or _program_hint(found)))
            raise UsageError(f'"{argument}" is not a secret source', expected=FORM, hint=hint, code="secrets-source")
        self.argument = argument
        self.key: str = found["key"] or ""
        self.kind: str = found["kind"]
        self.where: str = found["where"]

    @property
    def path(self) -> str:
        """The path of the source; "" for a command."""
        return "" if self.kind == COMMAND else self.where

    @property
    def program(self) -> str:
        """The program that the source starts: sops, or `exec:` with the command; "" if there is none."""
        if self.kind == COMMAND:
            return f"{COMMAND}:{self.where}"
        return SOPS if self.kind == SOPS else ""


def _source_hint(argument: str) -> str | None:
    """A hint with the source for an existing path without its kind, with the wrong one, or with its key after its kind;
    or None.
    """
    found = _ARGUMENT.fullmatch(argument)
    if found is not None and found["kind"] in (FILE, DIRECTORY) and may_read(found["where"]):
        is_directory = os.path.isdir(found["where"])
        if os.path.exists(found["where"]) and is_directory != (found["kind"] == DIRECTORY):
            right = DIRECTORY if is_directory else FILE
            return f'did you mean "{argument[: found.start("kind")]}{right}:{found["where"]}"?'
    head, _, path = argument.rpartition("=")
    first, colon, key = head.rpartition(":")
    if not may_read(path) or not os.path.exists(path):
        return None
    kind = DIRECTORY if os.path.isdir(path) else first if colon else FILE
    return f'did you mean "{f"{key}=" if key else ""}{kind}:{path}"?'


# Commands that print secrets, by the kind that a source of another tool has. {}: the name of the secret.
_PROGRAMS = {
    "env": "printenv {}",
    "op": "op read op:{}",
    "pass": "pass show {}",
    "vault": "vault kv get -field=NAME {}",
}


def _program_hint(found: re.Match[str]) -> str:
    """A hint with the command for a source of another kind."""
    command = _PROGRAMS.get(found["kind"], "COMMAND").format(found["where"])
    key = "KEY" if found["key"] is None else found["key"]
    use = f": '{key}={COMMAND}:{command}'"
    return Advice("a program that prints the secret reads it, with ", Flag("allow-exec"), use)


def read_secrets(arguments: Iterable[str], *, allow_exec: bool = False) -> list[Map]:
    """The values of each source, in order, by name. allow_exec: commands may be run.

    Raises UsageError, ReadError, LimitError. Messages do not quote values.
    """
    found = []
    if arguments:
        note_secrets()
    for argument in arguments:
        try:
            found.append(_values(Named(argument), allow_exec))
        except PlaitError as error:
            if error.code in ("file-not-found", "not-regular-file"):
                error.hint = _source_hint(argument) or error.hint
            raise error.within(f"in --secrets {argument}") from None
    return found


def _values(named: Named, allow_exec: bool) -> Map:
    if named.kind == DIRECTORY:
        value: Value = _of_directory(named.where)
    elif named.kind == SOPS:
        value = _map(_decrypted(named), named)
    else:
        source = content.source(named.where) if named.kind == FILE else _printed(named, allow_exec)
        source.hidden()
        value = source.text if named.key else _map(source, named)
        if named.key and named.kind == COMMAND:
            value = source.text.removesuffix("\n")
        if named.key:
            return _below(named.key, value, source)
    assert type(value) is Map
    return _below(named.key, value, value.source) if named.key else value


def _below(key: str, value: Value, source: Source | None) -> Map:
    """A map with the value at a path such as `db.password`."""
    for name in reversed(key.split(".")):
        value = Map([MapItem(name, value, source, 1)], source, 1)
    assert type(value) is Map
    return value


def _map(source: Source, named: Named) -> Map:
    try:
        value = read_value(source)
    except ReadError as error:
        error.reference = conceal(error).message
        raise error from None
    if value is None:
        return Map([], source, 1)
    if type(value) is not Map:
        if type(value) is Array:
            hint: str | None = "write NAME: VALUE for each, without a dash before it"
        else:
            hint = f"KEY={named.argument} reads it as one string" if named.kind != SOPS else None
        raise ReadError(
            public(f"{named.kind}:{named.where} does not contain a map"),
            at=Position(source, 1) if named.kind == FILE else None,
            expected=public("a YAML map from names to values"),
            found=public(kind_name(value)),
            hint=None if hint is None else public(hint),
            code="secrets-source",
        )
    return value


# ---- directories


def _of_directory(top: str) -> Map:
    """The values of the files in a directory, by file name, as Kubernetes mounts secrets: its links lead to the current
    files (`..data`).
    """
    check_read(top)
    try:
        names = sorted(os.listdir(top))
    except OSError as error:
        raise read_failure(top, error) from None
    content.record_listing(top)
    inside = os.path.realpath(top) + os.sep
    items = []
    for name in names:
        path = os.path.join(top, name)
        if name.startswith(".") or os.path.isdir(path):
            continue
        if not os.path.realpath(path).startswith(inside):
            raise ReadError(
                f"{path} is a link that leads out of {top}",
                hint="the files must be inside the directory",
                code="symlink-not-allowed",
            )
        source = content.source(path).hidden()
        items.append(MapItem(name, source.text, source, 1))
    if not items:
        raise ReadError(
            f"directory {top} has no secrets",
            expected="one file per value, with the name of the value",
            code="secrets-unavailable",
        )
    return Map(items, items[0].source, 1)


# ---- programs


def _decrypted(named: Named) -> Source:
    """The decrypted content of a SOPS file."""
    path = named.where
    check_program(named.program)
    content.note_stream(named.program)
    encrypted = content.source(path)  # reports a fault of the path, as for any other file
    # A file name could be an option or a command of sops; a path with a directory cannot.
    words = ["--decrypt", "--output-type", "yaml", "--", path if os.path.isabs(path) else os.path.join(os.curdir, path)]
    try:
        text = _output(
            None,
            words,
            path,
            lambda stderr: ReadError(f"sops cannot decrypt {path}", found=_short(stderr), code="secrets-unavailable"),
        )
    except PlaitError as error:
        # Every file of SOPS has its data, under this name.
        if "sops" not in encrypted.text:
            error.hint = f"{path} is not encrypted by SOPS; {FILE}:{path} reads it as it is"
        raise
    return Source(path, text).hidden()


def _printed(named: Named, allow_exec: bool) -> Source:
    """The output of a command."""
    if current_permissions() is not None:
        check_program(named.program)
    elif not allow_exec:
        raise UsageError(
            "commands are not allowed",
            found=named.argument,
            hint="allow it with --allow-exec on the command line; project files cannot allow it",
            code="secrets-source",
        )

    try:
        words = shlex.split(named.where)
    except ValueError as error:
        raise UsageError(f"invalid command: {error}", found=named.where, code="secrets-source") from None
    # Its error message may quote the requested secret.
    if not words:
        raise UsageError("the command is empty", found=named.argument, code="secrets-source")
    content.note_stream(named.program)
    text = _output(
        words[0],
        words[1:],
        named.where,
        lambda _: ReadError(
            f"the command failed: {named.where}", hint="run it separately to see the reason", code="secrets-unavailable"
        ),
    )
    return Source(f"(secrets arg) {named.argument}", text).hidden().of_flag("secrets", named.argument)


def _short(stderr: str) -> str | None:
    lines = [line for line in lines_of(stderr) if line.strip()]
    return " / ".join(lines[:6])[:400] or None


def _output(command: str | None, words: Sequence[str], described: str, failed: Callable[[str], PlaitError]) -> str:
    """The output of a command, or of sops (None). Raises ReadError, LimitError."""
    from plait.base.children import programs  # the subprocess module takes as long as a small render

    program = programs.SOPS if command is None else programs.command(command)
    allowed = current_budget()
    most = allowed.most("input")
    try:
        done = programs.run(program, words, seconds=max(allowed.deadline - monotonic(), 0.01), maximum=most)
    except LimitError:
        allowed.check_time()
        raise limit_error(f"what {described} prints", "input", most) from None
    if done.status != 0:
        raise failed(done.errors)
    allowed.take(len(done.output))
    try:
        return done.output.decode("utf-8")
    except UnicodeDecodeError:
        raise ReadError(f"{described} does not contain UTF-8 text", code="not-utf8") from None
