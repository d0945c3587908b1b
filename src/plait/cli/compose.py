"""`plait compose`: runs the steps of a pipeline file."""

from __future__ import annotations

import sys

from plait.base.errors import UsageError
from plait.cli.colour import cleaning, in_colour
from plait.cli.common_flags import keep_warnings, print_warnings, trace_of, write_source_map
from plait.cli.result_files import write_files
from plait.cli.streams import watched, write_folded, write_out
from plait.cli.watch import watch
from plait.engine.common import keep_limits, keep_originals, output_by_of
from plait.engine.compose import Compose, composed
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.engine.step_differences import StepDifferences
from plait.tree.context import Context
from plait.yaml.output_formats import text_of
from plait.yaml.output_paths import files_of, places_by

COMPOSE = Command(Compose)


def deliver(request: Request) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError."""
    assert isinstance(request, Compose)
    if request.watch:
        return watch(lambda: (request, None), deliver)
    form: str = request.output
    request.require_choice(Compose.output)
    pattern = output_by_of(request)
    if request.has(Compose.output_files) and (pattern is None or request.diff):
        raise UsageError(
            "--output-files of plait compose needs --output-by, and no --diff",
            expected='a pattern, such as --output-by "{kind}/{name}.yml"',
            code="flag-conflict",
        )
    keep_limits(request)
    context = Context(print_line=lambda line: print(line, file=sys.stderr))
    keep_warnings(request, context)
    context.trace = trace_of(request)
    context.gives_output_alone = not request.diff
    keep_originals(request, context, form)
    changes = None
    if request.diff:
        changes = StepDifferences(cleartext_secrets=request.cleartext_secrets)
    with watched(context):
        result = composed(request, context, changes)
    context.check_warnings()
    if pattern is not None:
        placed = places_by(pattern, result.items)
    write_source_map(request, context.trace, result, originals=context.originals)
    print_warnings(request, context)
    if changes is not None:
        write_folded(changes.text(colour=in_colour(), clean=cleaning()), is_harmless=True)
        return 0

    if request.has(Compose.output_files):
        write_files(
            request.output_files,
            files_of(placed, lambda documents: text_of(documents, originals=context.originals)),
        )
    else:
        write_out(text_of(result, form, context.originals))
    return 0
