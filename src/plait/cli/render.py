"""`plait render`: templates, overlays, data values, schemas and libraries, with the flags of ytt
(docs/guide-render.md).

Reads the command line and the inputs, runs the phases of the workspace, and writes the documents. Any error ends with
status 1, as in ytt.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

from plait.base.code_cache import user_cache
from plait.base.errors import LimitError, PlaitError, warning
from plait.cli.common_flags import (
    are_notes_shown,
    keep_warnings,
    performed,
    print_warnings,
    shown,
    trace_of,
    write_source_map,
)
from plait.cli.streams import watched, write_out
from plait.engine.common import GENERAL, ISOLATE, LIMIT, SAFETY, keep_limits
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch
from plait.engine.render import Render, inputs_of, outcome, read_inputs
from plait.tree.context import Context
from plait.yaml import output_formats
from plait.yaml.output_formats import choose_formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.code_cache import CodeCache
    from plait.engine.flags import AnyCommand
    from plait.engine.options import Declared
    from plait.ytt.workspace.render_job import RenderResult

_SUBCOMMANDS = (
    ("fmt", "format YAML templates"),
    ("template", "the same as render without a command"),
    ("version", "print the version"),
    ("completion", "print a script that completes commands and flags in a shell"),
    ("help", "print help"),
)

# Declared separately, because `render template` has a command `version` in place of the flag.
VERSION_FLAG: Declared = switch("version", "print the version", setting="")


class RenderCommand(Render):
    """The command line of `plait render`."""

    __slots__ = ()
    commands = _SUBCOMMANDS
    version = VERSION_FLAG


class RenderFmt(Request):
    """The command line of `plait render fmt`."""

    __slots__ = ()
    summary = "Format YAML templates. Comments are preserved."
    inputs = Render.inputs
    strict = Render.strict
    _1 = Heading(SAFETY)
    offline = Render.offline
    limit = LIMIT
    isolate = ISOLATE
    _2 = Heading(GENERAL)
    debug = Render.debug


class Version(Request):
    """The command line of `plait render version`."""

    __slots__ = ()
    summary = "Print the version."


RENDER = Command(RenderCommand)
TEMPLATE = Command(Render, "plait render template")
FMT = Command(RenderFmt, "plait render fmt")
VERSION = Command(Version, "plait render version")

SUBCOMMANDS: dict[str, AnyCommand] = {"template": TEMPLATE, "fmt": FMT, "version": VERSION}

_TEXT_FILES_WARNING = """
Warning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard output.
If you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.
"""


def main(argv: Sequence[str]) -> int:
    """Runs `plait render`. Returns the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        return _dispatch(argv)
    except PlaitError as error:
        raise with_status(error) from None


def with_status(error: PlaitError) -> PlaitError:
    """The error with exit status 1, as in ytt; ytt has no limits."""
    error.exit_status = 3 if isinstance(error, LimitError) else 1
    return error


def _dispatch(argv: Sequence[str]) -> int:
    place = RENDER.first_argument(argv)
    name = "" if place is None else argv[place]
    rest = argv if place is None else [*argv[:place], *argv[place + 1 :]]
    if name == "fmt":
        from plait.cli.render_fmt import print_formatted

        return performed(FMT, lambda flags: print_formatted(flags, marks_end=True), rest)
    if name == "template":
        return performed(TEMPLATE, deliver, rest)
    if name == "version":
        return performed(VERSION, lambda _: _version(), rest)
    if name == "help":
        return shown(SUBCOMMANDS.get(rest[0] if rest else "", RENDER))
    if name == "completion":
        from plait.cli.completing import COMPLETION, main_completion

        return performed(COMPLETION, main_completion, rest)
    return performed(RENDER, lambda flags: _version() if flags.version else deliver(flags), argv)


def _version() -> int:
    from plait.base.version import __version__

    write_out(f"plait version {__version__}\n")
    return 0


def deliver(request: Request) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError."""
    assert isinstance(request, Render)
    if request.watch:
        from plait.cli.watch import watch

        return watch(lambda: (request, None), deliver)
    keep_limits(request)
    cache = (
        None
        if request.no_code_cache
        else user_cache(os.environ, [_directory_of(path) for path in request.value(Render.inputs)])
    )
    try:
        return _rendered(request, cache)
    finally:
        if cache is not None:
            cache.save()


def _directory_of(argument: str) -> str:
    """The path of an input, without the name in `NEW=PATH`."""
    return argument if os.path.isdir(argument) else argument.partition("=")[2]


def _rendered(request: Render, cache: CodeCache | None) -> int:
    start = perf_counter()
    debug = _print_error_line if request.debug else None
    inputs = inputs_of(request)
    files = read_inputs(request, inputs)
    if cache is not None:
        cache.open_pack([file.path for file in files])
    context = Context(print_line=_print_error_line, cache=cache)
    if request.program != "plait" and are_notes_shown(request):
        context.note = sys.stderr.write
    keep_warnings(request, context)
    if not request.uses:
        message = "there is nothing to render; pass inputs with a flag: plait render -f config/"
        context.warn(warning(message, code="no-inputs"))
    context.trace = trace_of(request)
    context.gives_output_alone = True
    try:
        with watched(context, steps=debug is None):
            result = outcome(request, files, inputs, context, debug)
        _note_texts(request, result, context)
        if _prints_documents(request) and len(result.files) > 1:
            from plait.ytt.workspace.mistakes import unintended_documents

            for found in unintended_documents(files, result.files):
                context.warn_openly(found)
        context.check_warnings()
    except PlaitError as error:
        if not request.bulk_out:
            print_warnings(request, context)
            raise
        from plait.cli.inspect import bulk_error

        write_out(bulk_error(error, request))
        return 0
    text = result.write("yaml")(result.documents) if result.has_tags and request.has(Render.source_map) else None
    write_source_map(
        request, context.trace, result.documents, text, originals=result.originals, as_json=_prints_json(request)
    )
    _write(request, result)
    if debug is not None:
        debug(f"total: {perf_counter() - start:.3f} s")
    print_warnings(request, context)
    return 0


def _prints_documents(request: Render) -> bool:
    """True if only documents are written to standard output."""
    return not (request.bulk_out or request.output_files or request.emptied)


def _prints_json(request: Render) -> bool:
    elsewhere = request.bulk_out or request.has(Render.output_files, Render.emptied)
    return not elsewhere and choose_formats(request.output)[0] == "json"


def _note_texts(request: Render, result: RenderResult, context: Context) -> None:
    """Warns about text files that are not printed, if warnings are errors. Otherwise `_write` warns."""
    if context.refuses_warnings and result.texts and _prints_documents(request):
        names = ", ".join(file.path for file in result.texts)

        message = f"text files are not printed: {names}; --output-files writes them"
        context.warn(warning(message, code="text-not-printed"))


def _write(request: Render, result: RenderResult) -> None:
    emptied, kept = request.emptied, request.output_files
    if request.bulk_out:
        write_out(output_formats.bulk_json(result.output_files()))
    elif emptied or kept:
        from plait.cli.result_files import replace_files, write_files

        if emptied:
            replace_files(emptied, result.output_files())
        else:
            write_files(kept, result.output_files())
    else:
        name, _ = output_formats.choose_formats(request.output)
        write_out(result.write(name)(result.documents))
        if result.texts and are_notes_shown(request):
            sys.stderr.write(_TEXT_FILES_WARNING)


def _print_error_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
