"""Evaluation of `plait render` command lines for tools: the documents or the job, with nothing printed or written."""

from __future__ import annotations

from plait.cli.render import OFFLINE, TEMPLATE, inputs_of, job_of, read_inputs, result_of
from plait.cli.shared import LINKS, keep_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.context import Context
    from plait.engine.options import Request
    from plait.engine.results import Rendered
    from plait.nodes import Map
    from plait.workspace import Job

# Flags that determine the list of inputs.
_NAMED = ("file", *(flag.name for flag in (*LINKS, OFFLINE)))
# Flags that change inputs after they were listed, or replace the phases.
_NOT_SHARED = ("bulk-in", "file-mark", "files-inspect", "keep-format")


def evaluate(argv: Sequence[str], context: Context, given: Map | None = None) -> Rendered:
    """Returns the result of a command line.

    context: state of the run. given: data values that override those of flags. Raises PlaitError.
    """
    from plait.cli.sharing import is_recorded, with_shared
    from plait.engine.results import Rendered
    from plait.formats import choose_formats

    flags = _parsed(argv)
    keep_limits(flags, context)
    inputs = inputs_of(flags)
    if context.shared is None or is_recorded(context) or any(flags.given(name) for name in _NOT_SHARED):
        result = result_of(flags, read_inputs(flags, inputs), inputs, context, None, given)
    else:
        result = with_shared(
            context.shared,
            [word for name in _NAMED for word in (name, *flags.texts(name))],
            context,
            lambda: read_inputs(flags, inputs),
            lambda files: job_of(flags, files, inputs, context, None, given),
        )
    return Rendered(
        result.documents,
        files=result.output_files,
        paths=result.paths(),
        texts=[file.path for file in result.texts],
        write=result.write(choose_formats(flags.texts("output"))[0]),
        warnings=context.warnings,
        trace=context.trace,
    )


def job(argv: Sequence[str], context: Context, given: Map | None = None) -> Job:
    """Returns the job of a command line, for tools that run other phases. Raises PlaitError."""
    flags = _parsed(argv)
    keep_limits(flags, context)
    inputs = inputs_of(flags)
    return job_of(flags, read_inputs(flags, inputs), inputs, context, None, given)


def _parsed(argv: Sequence[str]) -> Request:
    return TEMPLATE.parse([word for place, word in enumerate(argv) if word != "template" or place])
