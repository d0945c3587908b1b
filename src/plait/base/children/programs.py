"""External programs: git, sops, and commands of the user.

A program is looked up only in the absolute entries of PATH, never in the working directory. It receives only the
environment variables named in its table row and the given input, has limits on time and output, and is ended together
with all processes of its group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from plait.base.children.python import FLAGS, GROUP
from plait.base.errors import LimitError, ReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

ALL = "*"
# Variables for every program that may use the user's identity.
_COMMON = (
    "HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    # Windows
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "SYSTEMDRIVE", "SYSTEMROOT",
    "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
)  # fmt: skip


class ExternalProgram(NamedTuple):
    """An external program.

    variables: environment variables that it receives; `START*` is a prefix. fixed: variables that it always receives.
    words: the first words of its command line. hint: for the error if it is not installed.
    """

    name: str
    variables: tuple[str, ...]
    fixed: Mapping[str, str] = {}
    words: tuple[str, ...] = ()
    hint: str | None = None


SOPS = ExternalProgram(
    "sops",
    (
        *_COMMON,
        # Locations of keys, and the user's identity for key services.
        "SOPS_*", "AWS_*", "AZURE_*", "CLOUDSDK_*", "GCE_METADATA_*", "GOOGLE_*", "HUAWEICLOUD_*", "IDENTITY_*", "MSI_*", "VAULT_*",
        # GnuPG and age, and their passphrase prompts.
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_*", "PINENTRY_*", "SSH_AUTH_SOCK", "WAYLAND_DISPLAY", "XAUTHORITY",
        "XDG_*",
        # The user's network settings.
        "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy", "http_proxy",
        "https_proxy", "no_proxy",
    ),
    hint="SOPS is a separate program: it must be installed and on the PATH",
)  # fmt: skip
# A repository's configuration can name programs: hooks, monitors, filters, pagers, transports. None of them is run.
GIT = ExternalProgram(
    "git",
    (
        *_COMMON,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG_*", "GIT_DIR",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "XDG_CONFIG_HOME",
    ),
    fixed={
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    },
    words=(
        "--no-pager",
        *("-c", "core.fsmonitor=false"),
        *("-c", f"core.hooksPath={os.devnull}"),
        *("-c", "protocol.allow=never"),
        *("-c", "safe.bareRepository=explicit"),
    ),
)  # fmt: skip
PROGRAMS = (GIT, SOPS)


def command(name: str) -> ExternalProgram:
    """A program named by the user. It receives all environment variables, because only the user knows which it needs."""
    return ExternalProgram(name, (ALL,))


class Finished(NamedTuple):
    """An ended program. status: negative for a signal. errors: the first part of its standard error."""

    status: int
    output: bytes
    errors: str


# Maximum number of bytes of standard error that are stored.
_ERRORS = 64 << 10
_CHUNK = 64 << 10
# Seconds until the pipes of processes that were killed are closed.
_CLOSING = 1.0


def run(
    program: ExternalProgram,
    words: Sequence[str],
    *,
    seconds: float,
    maximum: int,
    given: bytes = b"",
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Runs a program to its end.

    maximum: bytes that it may print. given: its standard input. environment: additional variables.

    Raises ReadError if it is not found or cannot be started, and LimitError if it exceeds its time or output.
    """
    path = find(program.name)
    if path is None:
        raise ReadError(
            f"program {program.name} not found",
            hint=program.hint or _hint(program.name),
            code="program-failed",
        )
    is_at_terminal = _is_at_terminal()
    try:
        process = subprocess.Popen(  # noqa: S603 - an absolute path, or one that the user typed; no shell
            [path, *program.words, *words],
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env={**variables_of(program), **(environment or {})},
            process_group=None if is_at_terminal else GROUP,
            creationflags=FLAGS,
        )
    except (OSError, ValueError) as error:
        found = error.strerror if isinstance(error, OSError) else str(error)
        raise ReadError(f"cannot run {program.name}: {(found or '').lower()}", code="program-failed") from None
    running = _Running(program.name, process, maximum, has_group=not is_at_terminal)
    return running.finished(given, monotonic() + seconds)


class _Running:
    """A running program. A thread reads each of its pipes, so that none fills up."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], maximum: int, *, has_group: bool) -> None:
        self._name = name
        self._process = process
        self._most = maximum
        self._output = bytearray()
        self._errors = bytearray()
        self._has_group = has_group
        self._lock = threading.Lock()
        self._is_ended = False
        self._prints_too_much = False

    def finished(self, given: bytes, deadline: float) -> Finished:
        threads = [threading.Thread(target=work, daemon=True) for work in (self._read_output, self._read_errors)]
        if given:
            threads.append(threading.Thread(target=self._write, args=(given,), daemon=True))
        is_whole = False
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(max(deadline - monotonic(), 0))
            if not self._is_ended and not any(thread.is_alive() for thread in threads[:2]):
                self._process.wait(max(deadline - monotonic(), 0.001))
                is_whole = True
        except subprocess.TimeoutExpired:
            pass
        finally:
            # Also after an interrupt, so that no process started by the program continues.
            if not is_whole:
                self._end()
            for thread, stream in zip(threads, (self._process.stdout, self._process.stderr), strict=False):
                if thread.ident is not None:
                    thread.join(_CLOSING)
                # A pipe that a process outside the group has open is left to its thread.
                if stream is not None and not thread.is_alive():
                    stream.close()
        if self._prints_too_much:
            raise LimitError(
                f"{self._name} printed too much and was killed",
                expected=f"at most {self._most} bytes",
                code="program-failed",
            )
        if not is_whole:
            raise LimitError(f"{self._name} took too long and was killed", code="program-failed")
        return Finished(self._process.returncode, bytes(self._output), self._errors.decode("utf-8", "replace"))

    def _read_output(self) -> None:
        for chunk in _chunks(self._process.stdout):
            if len(self._output) + len(chunk) > self._most:
                self._prints_too_much = True
                self._end()
                return
            self._output += chunk

    def _read_errors(self) -> None:
        for chunk in _chunks(self._process.stderr):
            self._errors += chunk[: _ERRORS - len(self._errors)]

    def _write(self, given: bytes) -> None:
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stream:
                stream.write(given)
        except BrokenPipeError:  # the program reads no more input
            return

    def _end(self) -> None:
        """Kills the program and all processes of its group, and waits for it. Thread-safe."""
        with self._lock:
            if self._is_ended:
                return
            self._is_ended = True
            if sys.platform != "win32" and self._has_group:
                # Before waiting for the program, because until then no other group can have its number.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()


def _chunks(stream: IO[bytes] | None) -> Iterator[bytes]:
    """The chunks of a pipe."""
    assert stream is not None
    while chunk := os.read(stream.fileno(), _CHUNK):
        yield chunk


def _is_at_terminal() -> bool:
    """True if the process group is in the foreground of a terminal. Only then may a program prompt for a passphrase."""
    if sys.platform == "win32":
        return False
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


# ---- looking up


def find(name: str) -> str | None:
    """The path of a program, or None. name: a program on PATH, or a path, which is used unchanged.

    Ignores relative entries of PATH and the working directory, which Windows would search first.
    """
    if os.path.dirname(name):
        return name
    endings = (".exe", ".com") if os.name == "nt" else ("",)
    for directory in search_path():
        for ending in endings:
            path = os.path.join(directory, name if name.lower().endswith(ending) else name + ending)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def search_path() -> list[str]:
    """The absolute entries of PATH without the working directory."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # it has already ended
        here = ""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [entry for entry in entries if os.path.isabs(entry) and os.path.realpath(entry) != here]


def _hint(name: str) -> str | None:
    """The hint for a program that exists only where plait does not search, or None."""
    if os.path.dirname(name) or not os.path.isfile(name):
        return None
    return f"use a path to run a program in the working directory: .{os.sep}{name}"


def variables_of(program: ExternalProgram) -> dict[str, str]:
    """The environment of a program. PATH contains only absolute entries, because programs start others."""
    exact = {name for name in program.variables if not name.endswith("*")}
    starts = tuple(name[:-1] for name in program.variables if name.endswith("*"))
    found = {name: text for name, text in os.environ.items() if name in exact or name.startswith(starts)}
    if "PATH" in found:
        found["PATH"] = os.pathsep.join(search_path())
    return {**found, **program.fixed}
