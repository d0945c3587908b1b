"""The command line: selects a command, imports only its module, prints errors, returns the exit status."""

from __future__ import annotations

import gc
import os
import sys
from _contextvars import ContextVar

from plait.cli.streams import TYPED, forget_out, in_workflow, open_missing, write_folded, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from plait.base.errors import PlaitError
    from plait.cli.message_formats import Sink
    from plait.engine.flags import AnyCommand

# Module and function of each command.
COMMANDS: dict[str, tuple[str, str]] = {
    "render": ("render_commands", "main"),
    "patch": ("patch", "main"),
    "layer": ("layer", "deliver"),
    "fmt": ("fmt", "main"),
    "init": ("init", "main_init"),
    "ci": ("ci", "main"),
    "krm": ("krm", "main"),
    "completion": ("completing", "main_completion"),
    "shims": ("shims", "main"),
    "compose": ("compose", "deliver"),
    "log": ("log", "main"),
    "blame": ("log", "main_blame"),
    "diff": ("diff", "main"),
    "explain": ("explain", "main"),
    "impact": ("explain", "main_impact"),
    "origin": ("origin", "main"),
    "run": ("project", "main_run"),
    "project": ("project", "main_project"),
    "trust": ("trust", "main"),
    "schema": ("schema", "main"),
    "set": ("set", "main"),
    "lint": ("lint", "main"),
    "reduce": ("reduce", "main"),
    "test": ("test", "main"),
    "coverage": ("coverage", "main"),
    "fleet": ("fleet", "main"),
    "review": ("review", "main"),
    "serve": ("serve", "main"),
    "lsp": ("lsp", "main"),
    "mcp": ("mcp", "main"),
    "website": ("website", "main"),
}


def module_of(name: str) -> str:
    """The module that has a command. name: one of COMMANDS."""
    return f"plait.cli.{COMMANDS[name][0]}"


def _command(name: str) -> tuple[Callable[[Any], int], AnyCommand] | None:
    """The function of a command, and its table of flags; None for an unknown name. The function receives a request, or
    words.
    """
    home = COMMANDS.get(name)
    if home is None:
        return None
    module = __import__(module_of(name), fromlist=[home[1]])  # without importing importlib first
    run: Callable[[Any], int] = getattr(module, home[1])
    table: AnyCommand = getattr(module, name.upper())
    return run, table


# Reference programs: the modules of their command line and of their errors.
PROGRAMS: dict[str, tuple[str, str]] = {
    "ytt": ("plait.cli.as_ytt", "plait.base.reference.ytt"),
    "bosh": ("plait.cli.as_bosh", "plait.base.reference.bosh"),
}
PLAIT = "plait"
_HELP = frozenset({"-h", "--help"})
# The receiver of messages for a `--message-format` other than text; None without messages.
SINK: ContextVar[list[Sink]] = ContextVar("plait_sink")


# True if a command line may request a separate process.
ISOLATES: ContextVar[bool] = ContextVar("plait_isolates", default=False)


class Isolate(BaseException):
    """Raised if a command line requests a separate process."""


# The environment variable with the program, if the first word is no command.
PROGRAM_VARIABLE = "PLAIT_AS"


def program_of(path: str, argv: Sequence[str], expected: str | None = None) -> str:
    """The program that a command line is for: "plait", or one of PROGRAMS.

    path: the file that was started; its name without the extensions of Windows decides. argv: the words after it.
    expected: the value of PLAIT_AS. Raises UsageError for an unknown one.
    """
    if expected and (not argv or argv[0] not in COMMANDS):
        if expected != PLAIT and expected not in PROGRAMS:
            from plait.cli.unknown_commands import unknown_program

            raise unknown_program(expected)
        return expected
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    for extension in (".exe", ".cmd", ".bat", ".py", ".pyw"):
        name = name.removesuffix(extension)
    return name if name in PROGRAMS else PLAIT


def main(argv: Sequence[str], program: str = PLAIT) -> int:
    """Runs one command line, without the program's name. Returns the exit status.

    Prints a `PlaitError`. An internal error has status 70. program: the replaced one, whose error layout is used.
    """
    TYPED.set([])
    SINK.set([])
    try:
        if program != PLAIT:
            from plait.cli.common_flags import following_links, within_limits

            run: Callable[[Sequence[str]], int] = __import__(PROGRAMS[program][0], fromlist=["main"]).main
            with following_links():
                return within_limits(lambda: run(argv))
        if not argv:
            from plait.cli.init import EXAMPLES

            return _write_out(EXAMPLES)
        name, words = argv[0], argv[1:]
        found = _command(name)
        if found is not None:
            if words and (words[0] == "help" or not _HELP.isdisjoint(words[1:])):
                from plait.cli.help import help_of

                if (text := help_of(argv)) is not None:
                    return _write_out(text, is_harmless=True)
            from plait.cli.common_flags import performed, within_limits, without_end

            run, table = found
            request = table.request

            def work() -> int:
                return run(words) if request.takes_words else performed(table, run, words)

            return without_end(work, request.kept) if request.is_long_running else within_limits(work)
        if name in ("version", "--version") and not words:
            from plait.base.version import __version__

            return _write_out(f"plait {__version__}\n")
        if name in ("help", "version", "--version") or name in _HELP:
            from plait.cli.help import text_for

            write_folded(text_for(name, words), is_harmless=True)
            return 0
        from plait.cli.unknown_commands import unknown_command

        raise unknown_command(name)
    except BrokenPipeError:
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("plait: interrupted\n")
        return _INTERRUPTED
    except MemoryError:
        sys.stderr.write("plait: out of memory\n")
        return 3
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _failed(error, argv, program)
    finally:
        if SINK.get() or any(one.message_format != "text" for one in TYPED.get()):
            from plait.cli.messages import close_messages

            close_messages()


def _failed(error: Exception, argv: Sequence[str], program: str) -> int:
    """Prints the error that ended a command line. Returns the exit status."""
    from plait.base.errors import PlaitError

    if isinstance(error, PlaitError):
        return _print_error(error, argv, program)
    from plait.cli import internal_errors

    told = internal_errors.known(error)
    return internal_errors.tell_internal(error) if told is None else _print_error(told, argv, program)


def _print_error(error: PlaitError, argv: Sequence[str], program: str) -> int:
    if program != PLAIT:
        report: Callable[[PlaitError], tuple[str, ...]] = __import__(PROGRAMS[program][1], fromlist=["report"]).report
        sys.stdout.flush()
        for place, text in enumerate(report(error)):
            if place % 2:
                _write_out(text)
            else:
                sys.stderr.write(text)
                sys.stderr.flush()
        return error.exit_status
    from plait.cli.messages import complain_of, has_late_hint, read_form

    sys.stdout.flush()
    read_form(argv)
    if has_late_hint(error, argv):
        from plait.cli.late_hints import with_late_hint

        error = with_late_hint(error, argv)
    complain_of(error)
    return error.exit_status


def run() -> None:
    """The console script: runs `main` with the process's arguments, then exits."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        open_missing()
    if sys.stderr.encoding.lower() != "utf-8":
        # Messages quote UTF-8, like the output.
        sys.stderr.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if sys.stderr.isatty():
        from plait.cli.terminal import guard_terminal

        guard_terminal()
    elif in_workflow():
        from plait.cli.workflow_log import guard_workflow

        guard_workflow()
    # Objects live until the process ends, and searching millions of nodes for cycles would take as long as the work.
    gc.disable()
    try:
        status = _interruptible(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:
        forget_out()
        if isinstance(error, BrokenPipeError):
            status = _BROKEN_PIPE
        else:
            sys.stderr.write(f"plait: Writing standard output: {error.strerror}\n")
            status = 1
    if status == _BROKEN_PIPE:
        from plait.cli.signals import end_by_pipe

        end_by_pipe()
    if status == _INTERRUPTED or ("threading" not in sys.modules and "coverage" not in sys.modules):
        # Without the interpreter's cleanup, which takes a tenth of the time of an evaluation.
        import atexit

        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(status)
    raise SystemExit(status)


_INTERRUPTED = 130
# The status that shells report for a process ended by SIGPIPE.
_BROKEN_PIPE = 141


def _interruptible(argv: Sequence[str]) -> int:
    """Runs `main`, and enables interrupts if the launcher disabled them."""
    import _signal as signal  # type: ignore[import-not-found]

    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        return _with_stack_headroom(argv)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _with_stack_headroom(argv)
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _with_stack_headroom(argv: Sequence[str], *, isolates: bool = True) -> int:
    program = PLAIT
    ISOLATES.set(isolates)
    try:
        program = program_of(sys.argv[0], argv, os.environ.get(PROGRAM_VARIABLE))
        if program == PLAIT and (not argv or argv[0] not in COMMANDS):
            return main(argv)  # no evaluation
        from plait.base.process import own_process, with_stack_headroom

        if isolates:
            own_process()
        try:
            return with_stack_headroom(lambda: main(argv, program), first=True)
        except Isolate:
            from plait.cli.isolation import isolated

            return isolated(lambda: _with_stack_headroom(argv, isolates=False))
    except Exception as error:  # noqa: BLE001 - as in `main`
        # The timer of the limit `seconds` calls the first thread, which may wait for another one.
        return _failed(error, argv, program)


def _write_out(text: str, *, is_harmless: bool = False) -> int:
    write_out(text, is_harmless=is_harmless)
    return 0
