"""Python processes of plait: in isolated mode, with the import path of this process and without the working directory.

Python adds the working directory to its import path in several ways: `-c`, `-m`, `PYTHONPATH=.`, an empty entry. A
checkout is data, so its files must not be imported when a command is started in it. A child process is started with
`-I`, which adds nothing, and receives the import path explicitly, so it finds the same modules as this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

import plait
from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypedDict

    class Started(TypedDict, total=False):
        """The keywords of `start`."""

        flags: Sequence[str]
        directory: str | None
        environment: Mapping[str, str] | None
        shows_errors: bool


# Popen options for a separate process group, which does not receive signals of the terminal's group.
GROUP = None if os.name == "nt" else 0
FLAGS: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
# The import path is part of the child's command line, because it is needed before any import.
_BOOT = "import sys; sys.path[:] = {path!r}; from {module} import {function}; sys.exit({function}())"


def start(
    entry: str,
    *,
    flags: Sequence[str] = (),
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    shows_errors: bool = False,
) -> subprocess.Popen[bytes]:
    """Starts a Python process with pipes for its input and output.

    entry: `module:function`; the result of the function is the exit status. flags: the flags of Python. directory: the
    working directory. environment: all variables of the process; by default those of this process. Python itself
    ignores them. shows_errors: pass on standard error; otherwise it is discarded.

    Raises PlaitError if the process cannot be started.
    """
    try:
        return subprocess.Popen(  # noqa: S603 - this interpreter, and a function of ours
            command(entry, *flags),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if shows_errors else subprocess.DEVNULL,
            cwd=directory,
            env=environment,
            process_group=GROUP,
            creationflags=FLAGS,
        )
    except OSError as error:
        raise PlaitError(
            f"cannot start a Python process: {error.strerror}", found=sys.executable, code="program-failed"
        ) from None


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a process that `start` has started, and those that it has forked."""
    if GROUP is None:
        process.kill()
    elif process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)


def command(entry: str, *more: str) -> list[str]:
    """The command line of a Python process that calls a function. entry: `module:function`. more: flags of Python."""
    module, _, function = entry.partition(":")
    flags = ["-I", *more, *(["-B"] if sys.dont_write_bytecode else []), *(["-O"] * sys.flags.optimize)]
    if sys.flags.utf8_mode:
        flags += ["-X", "utf8"]
    if sys.pycache_prefix is not None:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return [sys.executable, *flags, "-c", _BOOT.format(path=import_path(), module=module, function=function)]


def import_path() -> list[str]:
    """The import path of this process without relative entries and the working directory.

    The working directory stays if `PYTHONPATH` contains it as an absolute path. The directory or archive of plait
    always stays, but is last if it is the working directory.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(plait.__file__)))
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    kept = {os.path.realpath(entry) for entry in given}
    dropped = set(_working_directories()) - kept
    found = [entry for entry in sys.path if os.path.isabs(entry) and os.path.realpath(entry) not in dropped]
    return found if home in found else [*found, home]


def _working_directories() -> Iterator[str]:
    """The current working directory, the one at import of this module, and relative entries of `PYTHONPATH` resolved in
    both.
    """
    for place in {_STARTED_IN, _working_directory()} - {""}:
        yield os.path.realpath(place)
        for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep):
            if not os.path.isabs(entry):
                yield os.path.realpath(os.path.join(place, entry))


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # the directory no longer exists
        return ""


# A program that uses the API may change its working directory.
_STARTED_IN = _working_directory()
