"""State of one run: limits, warnings, the receiver of `print`. Passed as an argument, never global."""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.base.limits import Limits, RunBudget, current_budget

__all__ = ["Context", "Limits"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from plait.base.code_cache import CodeCache
    from plait.base.source import Source
    from plait.tree.lookups import Lookups
    from plait.tree.nodes import DocumentSet
    from plait.tree.provenance import Closeable, Origin, Trace
    from plait.tree.provenance.marks import Marks

    class Silence(Protocol):
        """In the place of marks (see `plait.ytt.workspace.silence`)."""

        def speaks(self) -> None: ...

        def warned(self, text: str, origins: Iterable[Origin] | None) -> str | None: ...

    class FormatPreserver(Protocol):
        """Prints documents in the form in which they were read (see `plait.yaml.preserved_text`)."""

        def add(self, documents: DocumentSet, read: Callable[[Source], DocumentSet]) -> None:
            """Say that documents are those of a text, as it is. read: reads such a text in the same way."""

        def write(self, documents: DocumentSet) -> str:
            """The documents as one text."""


class Printer:
    """The receiver of printed lines: the observer of the run, and all lists in `recordings`."""

    __slots__ = ("recordings", "to")

    def __init__(self, to: Callable[[str], None] | None) -> None:
        self.to = to
        self.recordings: list[list[str]] = []

    def __call__(self, line: str) -> None:
        for recording in self.recordings:
            recording.append(line)
        if self.to is not None:
            self.to(line)


class Context:
    """The state of one run.

    doing, done, total: what is being done now, and how much of how much that is, for whoever watches a long run.
    print_line: gets each line that templates print. warnings: what a command line prints to standard error.
    refuses_warnings: whether a run that has warned of something fails, before it writes anything.
    originals: what was read, where results keep its form, or None. cache: compiled code of earlier runs, or None.
    allowance: what the run may take, `limits` or what is in force; budget: what of it is left for templates, for the language to keep. extensions: to the dialect, by their names.
    """

    __slots__ = (
        "_warnings",
        "allowance",
        "budget",
        "cache",
        "doing",
        "done",
        "extensions",
        "gives_output_alone",
        "lookups",
        "note",
        "noted",
        "originals",
        "print_line",
        "refuses_warnings",
        "secrets",
        "silence",
        "total",
        "trace",
    )

    def __init__(
        self,
        print_line: Callable[[str], None] | None = None,
        cache: CodeCache | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cache = cache
        self.originals: FormatPreserver | None = None
        self.allowance = current_budget() if limits is None else RunBudget(limits)
        self.budget: Closeable | None = None
        self.print_line = Printer(print_line)
        # Each once, in the order in which they came.
        self._warnings: dict[str, None] = {}
        self.refuses_warnings = False
        # Takes what the reference program itself prints to standard error, once it is said; None in runs as plait.
        self.note: Callable[[str], object] | None = None
        self.noted = False
        # What records where values come from; None, the default, costs nothing.
        self.trace: Trace | None = None
        # The names that the run looks up, for tools; None costs nothing.
        self.lookups: Lookups | None = None
        # Whoever began the run asks for its output and nothing else: no histories are kept for the sake of marks.
        self.gives_output_alone = False
        # The marks of secrets; None in a run without, which imports and pays nothing.
        self.secrets: Marks | None = None
        self.silence: Silence | None = None
        self.extensions: frozenset[str] = frozenset()
        self.doing: object = ""
        self.done = self.total = 0

    def end(self) -> None:
        """The run is over: take apart what holds itself.

        All else goes with whoever holds it, but for this Python had to look, and everything that it holds would stay
        until then. Functions of the run's templates may not be called any more.
        """
        trace, self.trace = self.trace, None
        if trace is not None:
            trace.end()
        if self.budget is not None:
            self.budget.end()

    def use_secrets(self) -> Marks:
        """The marks of the run, which uses secrets from now on: every door by which secrets enter calls this first."""
        if self.secrets is None:
            note_secrets()
            if self.trace is None:
                from plait.tree.provenance import Trace

                self.trace = Trace()
                self.trace.only_marks = self.gives_output_alone
            self.secrets = self.trace.use_secrets()
        return self.secrets

    def warn(self, text: str, *, of: Iterable[Origin] | None = None) -> None:
        """Collect a warning once, however often it is given.

        of: what its text depends on, empty for inputs that are not secret. A run that uses secrets withholds a warning
        that depends on one, or of which this is not known.
        """
        marks = self.silence or self.secrets
        told = text if marks is None else marks.warned(text, of)
        if told is not None:
            self._warnings[told] = None

    def warn_openly(self, text: str) -> None:
        """Collect a warning that depends on no secret."""
        self.warn(text, of=())

    @property
    def warnings(self) -> list[str]:
        """The warnings, in the order in which they were given."""
        return list(self._warnings)

    def check_warnings(self) -> None:
        """Called before anything is written. Raises PlaitError if warnings are refused and there are any."""
        if self.refuses_warnings and self._warnings:
            from plait.base.errors import Finding, PlaitError
            from plait.base.warnings import diagnostic_of

            count = len(self._warnings)
            findings = [Finding(text, code=diagnostic_of(text).code) for text in self._warnings]
            self._warnings.clear()
            raise PlaitError(
                f"{count} warnings, treated as errors" if count > 1 else "1 warning, treated as an error",
                findings=findings,
                code="refused-warnings",
            )

    def forget_warnings(self) -> None:
        """Begin anew, once they were told."""
        self._warnings.clear()
