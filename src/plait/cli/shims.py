"""`plait shims`: writes programs named `ytt` and `bosh` that run plait, for other programs that call them."""

from __future__ import annotations

import os
import sys
from shlex import quote

from plait.base.errors import UsageError
from plait.base.writing.directory import aside_name
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import followed
from plait.cli import PROGRAMS
from plait.cli.streams import write_out
from plait.engine.common import ALLOW_OUTPUT
from plait.engine.flags import Command
from plait.engine.options import Request, switch

TYPE_CHECKING = False


class Shims(Request):
    """The command line of `plait shims`."""

    __slots__ = ()
    command = "shims"
    summary = "Write programs named ytt and bosh into a directory. They run plait with the command line and messages of the original, for programs that call it."
    usage = "DIRECTORY"
    force = switch("force", "replace files with these names that plait did not write")
    output_links = ALLOW_OUTPUT


SHIMS = Command(Shims)


# A mark in every file that plait writes. Other files are not replaced without a flag.
_MARK = "written by `plait shims`"
_PROGRAM = f"""\
# plait in place of {{program}}, {_MARK}.
import _signal
import gc

# Until plait itself takes an interrupt, and after that, it ends the process as it ends others: without a traceback.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

# See `plait.cli.run`; importing makes objects too.
gc.disable()

from plait.base.bundle import install

install()

from plait.cli import run

run()
"""
# The maximum length of a first line that all kernels accept.
_LONGEST_LINE = 127


def main(flags: Shims) -> int:
    """Runs `plait shims`. Returns the exit status. Raises UsageError if a file cannot be written, or does not belong to
    plait.
    """
    if len(flags.arguments) != 1:
        raise UsageError(
            "plait shims needs one directory",
            found=", ".join(flags.arguments) or "none",
            hint="plait shims ~/.local/share/plait/shims",
            code="missing-argument",
        )
    directory = flags.arguments[0]
    files = {name: text for program in PROGRAMS for name, text in _files(program, sys.executable).items()}
    paths = {os.path.join(directory, name): text for name, text in files.items()}
    if not flags.force:
        for path in paths:
            _check_ours(path)
    try:
        with followed(directory, make=0o777) as top:
            for name, text in files.items():
                top.check_file(name, replaces_links=True)
                aside = aside_name()
                try:
                    top.create(aside, [os.fsencode(text)], new_mode=0o755)
                    top.move(aside, top, name)
                except BaseException:
                    top.discard(aside)
                    raise
    except OSError as error:
        raise failure(f"in {directory}", error, UsageError) from None
    write_out("".join(f"created {path}\n" for path in paths) + _next(os.path.abspath(directory)))
    return 0


def _files(program: str, python: str) -> dict[str, str]:
    """The files of a program, by name. python: the path of the interpreter with plait."""
    text = _PROGRAM.format(program=program)
    if os.name == "nt":
        return {f"{program}.py": text, f"{program}.cmd": f'@"{python}" -P "%~dp0{program}.py" %*\n'}
    first = f"#!{python} -P\n"
    if len(os.fsencode(first)) > _LONGEST_LINE or any(letter.isspace() for letter in python):
        # A program for both the shell and Python: Python reads the shell's line as a string.
        first = f"#!/bin/sh\n'''exec' {quote(python)} -P \"$0\" \"$@\"\n' '''\n"
    return {program: first + text}


def _check_ours(path: str) -> None:
    """Raises UsageError if the file exists and was not written by plait."""
    if not os.path.lexists(path):
        return
    try:
        with open(path, "rb") as file:
            is_ours = _MARK.encode() in file.read(4096)
    except OSError:
        is_ours = False
    if not is_ours and os.path.realpath(path) != os.path.realpath(sys.argv[0]):
        raise UsageError(
            f"{path} is not one of plait's files",
            hint="choose another directory, or replace the file with --force",
            code="foreign-file",
        )


def _next(directory: str) -> str:
    if os.name == "nt":
        return f"\nPut the directory before others on PATH:\n\n  set PATH={directory};%PATH%\n"

    return (
        "\nPut the directory before others on PATH, in a shell and its child processes:\n\n"
        f'  export PATH={quote(directory)}:"$PATH"\n\n'
        "in a Dockerfile:\n\n"
        f"  ENV PATH={directory}:$PATH\n\n"
        "in a GitHub workflow:\n\n"
        f'  echo {quote(directory)} >> "$GITHUB_PATH"\n'
    )
