"""The state of one evaluation: limits, warnings, the receiver of `print`. Passed as an argument, never global."""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.base.errors import PlaitError, as_finding
from plait.base.limits import Limits, RunBudget, current_budget

__all__ = ["Context", "Limits"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from plait.base.code_cache import CodeCache
    from plait.base.errors import Warning
    from plait.base.source import Source
    from plait.tree.lookups import Lookups
    from plait.tree.nodes import DocumentSet
    from plait.tree.provenance import Closeable, Origin, Trace
    from plait.tree.provenance.marks import Marks

    class Silence(Protocol):
        """The substitute for marks in a quiet evaluation (see `plait.ytt.workspace.silence`)."""

        def speaks(self) -> None: ...

        def warned(self, text: Warning, origins: Iterable[Origin] | None) -> Warning | None: ...

    class FormatPreserver(Protocol):
        """Prints documents in their original formatting (see `plait.yaml.preserved_text`)."""

        def add(self, documents: DocumentSet, read: Callable[[Source], DocumentSet]) -> None:
            """Registers unchanged documents of a text. read: parses a text in the same way."""

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
    """The state of one evaluation.

    doing, done, total: progress for observers: the current step, the finished units, and all units. on_step: receives
    each step as it begins. print_line: receives each line that templates print. warnings: those that a command prints
    to standard error. told: the number of warnings, including repeated ones. refuses_warnings: an evaluation with
    warnings fails before it writes anything. originals: the source texts, if results preserve their formatting, or
    None. cache: compiled code of earlier evaluations, or None. run_budget: the limits and their use. budget: the steps
    and memory that remain for templates. extensions: names of enabled extensions of the dialect.
    """

    __slots__ = (
        "_warnings",
        "budget",
        "cache",
        "doing",
        "done",
        "extensions",
        "gives_output_alone",
        "lookups",
        "note",
        "noted",
        "on_step",
        "originals",
        "print_line",
        "refuses_warnings",
        "run_budget",
        "secrets",
        "silence",
        "told",
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
        self.run_budget = current_budget() if limits is None else RunBudget(limits)
        self.budget: Closeable | None = None
        self.print_line = Printer(print_line)
        # without duplicates, in order of occurrence
        self._warnings: dict[Warning, None] = {}
        self.told = 0
        self.refuses_warnings = False
        # Receives texts that the reference program prints to standard error; None under plait's own name.
        self.note: Callable[[str], object] | None = None
        self.noted = False
        # Records provenance. None, the default, costs nothing.
        self.trace: Trace | None = None
        # Records the names that the run looks up, for tools. None costs nothing.
        self.lookups: Lookups | None = None
        # The caller needs only the output, so no histories are recorded for marks.
        self.gives_output_alone = False
        # The marks of secrets. None in a run without secrets, which then has no cost.
        self.secrets: Marks | None = None
        self.silence: Silence | None = None
        self.extensions: frozenset[str] = frozenset()
        self.doing: object = ""
        self.done = self.total = 0
        self.on_step: Callable[[object], None] | None = None

    def begin(self, step: object) -> None:
        """Records the current step for observers. step: its text is computed only if there is an observer."""
        self.doing = step
        if self.on_step is not None:
            self.on_step(step)

    def end(self) -> None:
        """Breaks reference cycles at the end of the evaluation.

        Otherwise their memory would be freed only by garbage collection. Functions of the templates must not be called
        afterwards.
        """
        trace, self.trace = self.trace, None
        if trace is not None:
            trace.end()
        budget, self.budget = self.budget, None
        if budget is not None:
            budget.end()

    def use_secrets(self) -> Marks:
        """Declares that the evaluation uses secrets, and returns its marks. Every entry point of secrets calls this
        first.
        """
        if self.secrets is None:
            note_secrets()
            if self.trace is None:
                from plait.tree.provenance import Trace

                self.trace = Trace()
                self.trace.only_marks = self.gives_output_alone
            self.secrets = self.trace.use_secrets()
        return self.secrets

    def warn(self, text: Warning, *, of: Iterable[Origin] | None = None) -> None:
        """Collects a warning; duplicates are dropped.

        of: the origins of the text, empty for inputs that are not secret. An evaluation with secrets withholds a
        warning whose origins are secret or unknown.
        """
        marks = self.silence or self.secrets
        told = text if marks is None else marks.warned(text, of)
        if told is not None:
            self._warnings[told] = None
            self.told += 1

    def warn_openly(self, text: Warning) -> None:
        """Collects a warning that depends on no secret."""
        self.warn(text, of=())

    @property
    def warnings(self) -> list[Warning]:
        """The warnings in order of occurrence."""
        return list(self._warnings)

    def check_warnings(self) -> None:
        """Raises PlaitError if there are warnings and they count as errors. Call it before anything is written."""
        if self.refuses_warnings and self._warnings:
            count = len(self._warnings)
            findings = [as_finding(one.diagnostic) for one in self._warnings]
            self._warnings.clear()
            raise PlaitError(
                f"{count} warnings, treated as errors" if count > 1 else "1 warning, treated as an error",
                findings=findings,
                code="refused-warnings",
            )

    def forget_warnings(self) -> None:
        """Drops all warnings, once they have been reported."""
        self._warnings.clear()
