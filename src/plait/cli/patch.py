"""`plait patch`: operations files and variables, with the flags of `bosh interpolate` (docs/reference/operations.md).

Reads flags and template in the order of the command line, applies the operations, fills the placeholders, selects a
path if requested, and prints the result. Any error ends with status 1, as in bosh.
"""

from __future__ import annotations

import os
import sys

from plait.base.content import encoded
from plait.base.errors import LimitError, OpsError, PlaitError, UsageError, render
from plait.base.extensions import TAGS
from plait.cli.common_flags import (
    entered,
    keep_warnings,
    print_warnings,
    shown,
    trace_of,
    write_source_map,
)
from plait.cli.signals import cleanup_on_signal
from plait.cli.streams import watched, write_out
from plait.engine.common import keep_limits
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.engine.patch import Patch, job_of
from plait.ops.operations import to_nodes
from plait.ops.reader import expand_home
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar, Protocol

    from plait.ops.job import PatchJob

    class Outcome(Protocol):
        """The options for the format of a result."""

        json: bool
        tty: bool
        program: ClassVar[str]


# Values of BOSH's environment variables that enable a switch; an empty value enables it, too.
TRUE = frozenset({"", "1", "t", "T", "TRUE", "true", "True"})
PATCH = Command(Patch)


def main(argv: Sequence[str]) -> int:
    """Runs `plait patch`. Returns the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        request = entered(PATCH.parse(argv))
    except UsageError as error:
        parsed = error.parsed
        return _failed(error, as_data=isinstance(parsed, Patch) and parsed.json)
    return deliver(request)


def deliver(request: Request) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError with exit status 1, or 3
    for a limit.
    """
    assert isinstance(request, Patch)
    try:
        return _run(request)
    except PlaitError as error:
        return _failed(error, as_data=request.json)


def _failed(error: PlaitError, *, as_data: bool) -> int:
    """Prints an error as --json does, or raises it with its exit status."""
    error.exit_status = 3 if isinstance(error, LimitError) else 1
    if not as_data:
        raise error from None

    from plait.cli.messages import quotes_values

    message = render(error, "", quote_values=quotes_values(error)).rstrip("\n")
    write_out(as_json(None, [message, f"Exit code {error.exit_status}"]))
    return error.exit_status


def _run(request: Patch) -> int:
    if request.help:
        return shown(PATCH)
    if request.watch:
        from plait.cli.watch import watch

        return watch(lambda: (request, None), deliver)
    if request.version:
        from plait.base.version import __version__

        write_result(request, f"plait version {__version__}\n")
        return 0
    return finish(request, prepare(request))


def prepare(request: Patch, *, is_whole: bool = True) -> PatchJob:
    """Reads all inputs of a request. is_whole: as in `job_of`. Raises PlaitError."""
    keep_limits(request)
    context = Context()
    keep_warnings(request, context)
    context.trace = trace_of(request)
    try:
        return job_of(request, context, is_whole=is_whole)
    except PlaitError:
        print_warnings(request, context)
        raise


def finish(flags: Patch, job: PatchJob) -> int:
    """Evaluates the input, and writes the result. Returns the exit status. Raises PlaitError."""
    context = job.context
    try:
        with cleanup_on_signal(), watched(context):
            document = job.document()
        context.check_warnings()
    finally:
        print_warnings(flags, context)
    with cleanup_on_signal():
        if job.done is not None:
            from plait.yaml.tags import printable

            operations = to_nodes(job.done)
            write_out(write_value(printable(operations) if TAGS in job.extensions else operations))
            return 0
        text = job.text(document.value)
        write_source_map(flags, context.trace, DocumentSet([document]), text)
        if flags.in_place:
            _write_back(flags.value(Patch.base), text)
            return 0
    write_result(flags, text)
    return 0


def write_result(flags: Outcome, text: str) -> None:
    """Writes a text in the format selected by flags."""
    if flags.json:
        text = as_json(text, ["Succeeded"])
    elif flags.tty or _is_terminal(flags):
        text += "\nSucceeded\n"
    write_out(text)


def _is_terminal(flags: Outcome) -> bool:
    """True if BOSH would treat standard output, or its environment, as a terminal."""
    if flags.program == "plait":
        return False

    return sys.stdout.isatty() or os.environ.get("BOSH_TTY") in TRUE


def _write_back(path: str, text: str) -> None:
    """Replaces the template by the result; its mode is preserved."""
    from plait.base.writing.real_paths import failure
    from plait.base.writing.targets import write_file

    path = expand_home(path)
    try:
        write_file(path, [encoded(text)], new_mode=0o644)
    except OSError as error:
        raise failure(f'"{path}"', error, OpsError) from None


def as_json(block: str | None, lines: list[str]) -> str:
    """A result or an error in BOSH's JSON."""
    from plait.yaml.json import write_json

    def array(texts: list[str]) -> str:
        return "[\n" + ",\n".join("        " + write_json(text).strip() for text in texts) + "\n    ]"

    blocks = "null" if block is None else array([block])
    return f'{{\n    "Tables": null,\n    "Blocks": {blocks},\n    "Lines": {array(lines)}\n}}'
