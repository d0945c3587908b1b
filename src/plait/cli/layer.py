"""`plait layer`: renders layered documents (docs/reference/layering.md).

Reads files, directories, standard input and Airship sites, renders all documents together, and prints the concrete ones
or writes each to a file. Flags control checks before and after rendering, secrets, selection and format.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.cli.common_flags import keep_warnings, print_warnings, trace_of, write_source_map
from plait.cli.streams import watched, write_answer, write_out
from plait.engine.common import keep_limits, keep_originals, output_by_of
from plait.engine.flags import Command
from plait.engine.layer import Layer, format_named, job_of
from plait.engine.options import Request
from plait.layering.job import LayerJob
from plait.layering.plain_scalars import STRINGS
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import DocumentSet

LAYER = Command(Layer)


def deliver(request: Request) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError."""
    assert isinstance(request, Layer)
    if request.watch:
        from plait.cli.watch import watch

        return watch(lambda: (request, None), deliver)
    keep_limits(request)
    as_json = format_named(request) == "json"
    pattern, to_files = output_by_of(request), request.has(Layer.output_files)
    context = Context()
    keep_warnings(request, context)
    context.trace = trace_of(request)
    try:
        job = job_of(request, context)
        keep_originals(request, context, request.output, STRINGS)
        if request.tree or request.dot:
            from plait.layering.inheritance_tree import dot, tree

            planned = job.plan(context)
            context.check_warnings()
            chosen = [document for document in planned.documents if job.selection.takes(document)]
            write_answer((dot if request.dot else tree)(planned, chosen))
            return 0
        if request.compare_deckhand:
            return _compare(job, context)
        with watched(context):
            result = job.run(context)
        context.check_warnings()
        if pattern is not None or to_files:
            from plait.yaml.output_paths import files_of, layered_places, places_by

            placed = layered_places(result.items) if pattern is None else places_by(pattern, result.items)
        text = _json(result) if as_json else job.text(result, context.originals)
        write_source_map(request, context.trace, result, None if as_json else text, as_json=as_json)
    finally:
        print_warnings(request, context)
    if to_files:
        from plait.cli.result_files import write_files

        write_files(request.output_files, files_of(placed, lambda documents: job.text(documents, context.originals)))
    else:
        write_out(text)
    return 0


def _json(result: DocumentSet) -> str:
    from plait.yaml.output_formats import FORMATS

    return FORMATS["json"](result)


def _compare(job: LayerJob, context: Context) -> int:
    """Prints the values that Deckhand renders differently. Returns 1 if there are any."""
    from plait.layering.deckhand_differences import to_text

    if job.options.relaxed or job.options.like_deckhand:
        raise UsageError(
            "--compare-deckhand cannot be combined with --relaxed or --like-deckhand", code="flag-conflict"
        )
    with watched(context):
        found = job.compare(context)
    write_answer(to_text(found))
    return 1 if found else 0
