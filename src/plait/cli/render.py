"""Evaluates a `plait render` request whose inputs were read, and writes its result. See docs/guide-render.md."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from plait.base.code_cache import user_cache
from plait.base.errors import PlaitError, warning
from plait.cli.common_flags import (
    are_notes_shown,
    keep_warnings,
    print_warnings,
    trace_of,
    write_source_map,
)
from plait.cli.streams import watched, write_out
from plait.engine.render import Render
from plait.engine.rendering import outcome
from plait.tree.context import Context
from plait.yaml.output_formats import bulk_json, choose_formats
from plait.ytt.workspace.input_files import KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.code_cache import CodeCache
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.inputs import Inputs
    from plait.ytt.workspace.render_job import RenderResult

_TEXT_FILES_WARNING = """
Warning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard output.
If you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.
"""


def print_rendered(request: Render, files: list[InputFile], inputs: Inputs, start: float) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError.

    files: the inputs, in order. start: the time before they were read.
    """
    cache = None
    if not request.no_code_cache:
        cache = user_cache(os.environ, [_directory_of(path) for path in request.value(Render.inputs)])
        if cache is not None:
            cache.open_pack([file.path for file in files])
    try:
        return _rendered(request, files, inputs, cache, start)
    finally:
        if cache is not None:
            cache.save()


def _directory_of(argument: str) -> str:
    """The path of an input, without the name in `NEW=PATH`."""
    return argument if os.path.isdir(argument) else argument.partition("=")[2]


def _rendered(request: Render, files: list[InputFile], inputs: Inputs, cache: CodeCache | None, start: float) -> int:
    debug = _print_error_line if request.debug else None
    context = Context(print_line=_print_error_line, cache=cache)
    if request.program != "plait" and are_notes_shown(request):
        context.note = sys.stderr.write
    keep_warnings(request, context)
    if not files and not request.data_values_inspect:
        message = "there is nothing to render: add -f config/, or files: [config/] in a run"
        context.warn(warning(message, code="no-inputs"))
    context.trace = trace_of(request)
    context.gives_output_alone = True
    try:
        with watched(context, steps=debug is None):
            result = outcome(request, files, inputs, context, debug)
        _note_texts(request, result, context)
        if _prints_documents(request) and (
            len(files) > 1 or any(file.path.endswith(KUSTOMIZATIONS) for file in result.files)
        ):
            from plait.ytt.workspace.mistakes import unintended_documents

            for found in unintended_documents(files, result.files, request.uses):
                context.warn_openly(found)
        context.check_warnings()
    except PlaitError as error:
        if not request.bulk_out:
            print_warnings(request, context)
            raise
        from plait.cli.inspect import bulk_error

        write_out(bulk_error(error, request))
        return 0
    form, _ = choose_formats(request.output)
    is_elsewhere = request.bulk_out or request.has(Render.output_files, Render.emptied)
    text = result.write("yaml")(result.documents) if result.has_tags and request.has(Render.source_map) else None
    write_source_map(
        request,
        context.trace,
        result.documents,
        text,
        originals=result.originals,
        as_json=form == "json" and not is_elsewhere,
    )
    if request.bulk_out:
        write_out(bulk_json(result.output_files()))
    else:
        _write(request, result, form)
    if debug is not None:
        debug(f"total: {perf_counter() - start:.3f} s")
    print_warnings(request, context)
    return 0


def _prints_documents(request: Render) -> bool:
    """True if only documents are written to standard output."""
    return not (request.bulk_out or request.output_files or request.emptied)


def _note_texts(request: Render, result: RenderResult, context: Context) -> None:
    """Warns about text files that are not printed, if warnings are errors. Otherwise `_write` warns."""
    if context.refuses_warnings and result.texts and _prints_documents(request):
        names = ", ".join(file.path for file in result.texts)

        message = f"text files are not printed: {names}; --output-files writes them"
        context.warn(warning(message, code="text-not-printed"))


def _write(request: Render, result: RenderResult, form: str) -> None:
    emptied, kept = request.emptied, request.output_files
    if emptied or kept:
        from plait.cli.result_files import replace_files, write_files

        if emptied:
            replace_files(emptied, result.output_files())
        else:
            write_files(kept, result.output_files())
    else:
        write_out(result.write(form)(result.documents))
        if result.texts and are_notes_shown(request):
            sys.stderr.write(_TEXT_FILES_WARNING)


def _print_error_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
