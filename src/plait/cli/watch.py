"""`--watch` of render, patch, layer, compose and run: renders again when an input file changes.

On a terminal, the first output is summarized, and later ones are shown as differences by key. Otherwise, and with flags
that write files, the whole output is printed or written again. After an error, the command waits for the next change.
"""

from __future__ import annotations

import os
import sys
from time import localtime, perf_counter, strftime

from plait.authoring.watch.changes import follow
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import permitted, use_view
from plait.base.process import goes_on, idle_collector, stop_timer
from plait.base.similar_names import counted
from plait.base.styles import harmless
from plait.cli.colour import in_colour
from plait.cli.common_flags import within_limits
from plait.cli.messages import complain_of, complain_of_warning
from plait.cli.streams import complain, write_folded, write_out
from plait.engine.common import ISOLATE, WATCH
from plait.engine.incremental import Engine
from plait.engine.options import DELIVERY
from plait.engine.patch import Patch
from plait.engine.render import Render
from plait.engine.world import evaluate_in
from plait.insight.diff import diff, printed, to_text
from plait.insight.redaction import masked
from plait.tree.context import Context
from plait.tree.nodes import equal
from plait.tree.provenance import Trace
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.base.input_view import InputView
    from plait.base.permissions import Permissions
    from plait.engine.options import Declared, Request
    from plait.engine.results import Documents
    from plait.tree.nodes import Document

# Options that request other results than documents. Options of delivery write results to files.
_OTHER: set[Declared] = {Render.files_inspect, Render.schema_inspect, Patch.path}


def watch(read: Callable[[], tuple[Request, Permissions | None]], deliver: Callable[[Request], int]) -> int:
    """Evaluates a request repeatedly, until the user interrupts. Returns the exit status.

    read: the request, and the permissions of its project. deliver: evaluates a request and writes its result.
    """
    try:
        _check(read()[0])
        goes_on()
        follow(WatchedRequest(read, deliver).work, idle=idle_collector())
    except PlaitError as error:
        complain_of(error)
        return error.exit_status
    if sys.stdout.isatty():
        write_out("\n")
    return 0


def _check(request: Request) -> None:
    """Raises UsageError for a request that cannot be evaluated repeatedly."""
    if any(one.value == "-" or str(one.value).endswith("=-") for one in request.uses):
        raise UsageError("standard input cannot be read again", hint="--watch needs files", code="standard-input")
    options: tuple[Declared, ...] = (Patch.in_place, ISOLATE)
    for option in options:
        if request.has(option):
            raise UsageError(f"--{WATCH.name} and --{option.name} exclude each other", code="flag-conflict")


class WatchedRequest:
    """A request, and its last output."""

    def __init__(
        self, read: Callable[[], tuple[Request, Permissions | None]], deliver: Callable[[Request], int]
    ) -> None:
        self._read = read
        self._deliver = deliver
        self._engine = Engine()
        self._shows_differences = sys.stdout.isatty()
        self._before: list[Document] | None = None
        self._marks_secrets = False

    def work(self, view: InputView, changed: frozenset[str]) -> None:
        """Evaluates once, and prints the result or the error."""
        start = perf_counter()
        try:
            with use_view(view):
                request, permissions = self._read()
                request = request.without(WATCH)
                with permitted(permissions):
                    if self._shows_differences and not _is_elsewhere(request):
                        within_limits(lambda: self._differences(request, changed, start, view))
                    else:
                        within_limits(lambda: self._deliver(request))
        except PlaitError as error:
            if changed and self._shows_differences:
                write_out(f"{head(changed)}\n", is_harmless=True)
            sys.stdout.flush()
            complain_of(error)
        finally:
            # The limits of an evaluation do not apply while waiting.
            stop_timer()

    def _differences(self, request: Request, changed: frozenset[str], start: float, view: InputView) -> int:
        """Evaluates, and prints the differences from the last output. Returns the exit status."""

        def once() -> Documents:
            context = Context(print_line=lambda line: complain(f"{line}\n"))
            if self._marks_secrets:
                context.trace = Trace()
            made = evaluate_in(context, request, self._engine)
            self._engine.end()
            return made

        made = once()
        if uses_secrets(view) and not uses_secrets(made.trace):
            # Only the evaluation shows if the run uses secrets. Later evaluations compute marks immediately.
            self._marks_secrets = True
            made = once()
        documents = printed(masked(made.nodes.items, made.trace, view=view))
        for text in made.warned:
            complain_of_warning(text)
        before, self._before = self._before, documents
        if before is None:
            files, count = counted(len(view.files), "file"), counted(len(documents), "document")
            write_out(f"{count} from {files}, {_took(start)}; Ctrl-C ends\n")
            return 0
        differences = diff(*_different(before, documents))
        count = counted(len(differences), "difference") if differences else "no difference"
        told = f"{head(changed)}, {count}, {_took(start)}\n"
        write_folded(told + to_text(differences, colour=in_colour(), clean=harmless), is_harmless=True)
        return 0


def _different(before: Sequence[Document], after: Sequence[Document]) -> tuple[Sequence[Document], Sequence[Document]]:
    """Both outputs without documents that are equal at the same index, if the counts are equal. After one change, most
    documents are equal.
    """
    if len(before) != len(after):
        return before, after
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if not equal(a.value, b.value)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _is_elsewhere(request: Request) -> bool:
    """True if the output is written to files, or does not consist of documents."""
    return any(one.option.part == DELIVERY or one.option in _OTHER for one in request.uses if one.value is not False)


def head(changed: frozenset[str]) -> str:
    """The heading after files changed: the time, and their names."""
    names = sorted(os.path.relpath(path) for path in changed)
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{strftime('%H:%M:%S', localtime())} {harmless(shown)} changed"


def _took(start: float) -> str:
    return f"{(perf_counter() - start) * 1000:.0f} ms"
