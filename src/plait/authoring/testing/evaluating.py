"""Evaluates the subjects of cases; shares work between evaluations of one process.

Cases that run together share the files of templates as read by the first of them (`plait.engine.incremental`), and the
outcome of an evaluation as long as another case needs it.
"""

from __future__ import annotations

from contextlib import nullcontext

from plait.api.worker import data_size
from plait.base.errors import PlaitError
from plait.base.input_view import InputView, use_view
from plait.base.limits import Limits, RunBudget, budget_scope, current_budget
from plait.base.process import keeper, stop_timer, unbound_memory, within_memory
from plait.engine.incremental import Engine
from plait.engine.results import text_like
from plait.insight.diff import printed
from plait.insight.redaction import masked, masked_lines
from plait.tree.nodes import DocumentSet
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import TypeVar

    from plait.authoring.testing.evaluation_target import EvaluationTarget
    from plait.base.code_cache import CodeCache
    from plait.engine.results import Documents
    from plait.tree.nodes import Document

    T = TypeVar("T")

# An input with such a name creates only YAML output.
_NO_TEXT = (".yml", ".yaml", ".star")
# Memory in bytes reserved for detecting the limit, and for imports on first use.
_ROOM = 24 << 20


class CaseEvaluation:
    """The outcome of an evaluation: documents, or an error. view: the files it read."""

    __slots__ = ("_evaluator", "_printed", "_text", "_traced", "documents", "error", "subject", "view")

    def __init__(
        self,
        evaluator: Evaluator,
        subject: EvaluationTarget,
        documents: Documents | None,
        error: PlaitError | None,
        view: InputView,
    ) -> None:
        self._evaluator = evaluator
        self._text: str | None = None
        self._printed: list[Document] | None = None
        self._traced = documents if documents is not None and documents.trace is not None else None
        self.subject = subject
        self.documents = documents
        self.error = error
        self.view = view

    def for_another(self, subject: EvaluationTarget) -> CaseEvaluation:
        """The same outcome for an equal subject, whose histories name its own lines."""
        found = CaseEvaluation(self._evaluator, subject, self.documents, self.error, self.view)
        found._text, found._printed = self._text, self._printed
        return found

    def documents_or_error(self) -> Documents:
        """The documents. Raises the error if the evaluation failed."""
        if self.documents is None:
            assert self.error is not None
            raise self.error
        return self.documents

    def items(self) -> Sequence[Document]:
        """The printed documents, with secrets masked. Raises PlaitError."""
        if self._printed is None:
            self._printed = printed(
                masked(self.documents_or_error().nodes.items, self.documents_or_error().trace, view=self.view)
            )
        return self._printed

    def text(self) -> str:
        """The output as text with secrets masked. Raises PlaitError."""
        if self._text is None:
            documents_or_error = self.documents_or_error()
            if uses_secrets(self.view) or uses_secrets(documents_or_error.trace):
                self._text = text_like(documents_or_error, DocumentSet(list(self.items())))
            else:
                self._text = documents_or_error.to_yaml()
        return self._text

    def text_files(self) -> Mapping[str, str]:
        """The files of the output that are not YAML, by their paths, secrets masked. Raises PlaitError."""
        trace = self.documents_or_error().trace
        files = (
            getattr(self.documents_or_error(), "files", {})
            if any(not path.endswith(_NO_TEXT) for path in self.view.files)
            else {}
        )
        texts = {name: text for name, text in sorted(files.items()) if not name.endswith(_NO_TEXT)}
        return {name: masked_lines(name, text, trace, view=self.view) for name, text in texts.items()}

    def traced(self) -> Documents:
        """The documents with provenance. Raises PlaitError."""
        if self._traced is None:
            self._traced = self._evaluator.evaluate(self.subject, trace=True)
        return self._traced


class Evaluator:
    """Evaluates the subjects of cases.

    traced: record provenance of all evaluations. observe: called with each subject and its documents or error.
    """

    def __init__(
        self,
        *,
        traced: bool = False,
        observe: Callable[[EvaluationTarget, Documents | PlaitError], None] | None = None,
    ) -> None:
        self._traced = traced
        self._observe = observe
        # Records all reads from now on, or None.
        self.reads: InputView | None = None
        # Files are read once if the set of cases is known.
        self._engine = Engine()
        self._due: Counter[Hashable] | dict[Hashable, int] = {}
        self._kept: dict[Hashable, CaseEvaluation] = {}

    def evaluate(self, subject: EvaluationTarget, *, trace: bool = False, view: InputView | None = None) -> Documents:
        """The output of a subject. trace: record provenance. view: records reads. Raises PlaitError."""
        view = InputView() if view is None else view
        trace = trace or self._traced

        def once(*, trace: bool) -> Documents:
            return subject.run.evaluate(view=view, trace=trace, uses=subject.uses, engine=self._engine)

        def work() -> Documents:
            subject.check()
            documents_or_error = once(trace=trace)
            # The output of a run that uses secrets is shown only with marks. Only evaluating shows if a run uses
            # secrets.
            return (
                once(trace=True)
                if uses_secrets(view) and not uses_secrets(documents_or_error.trace)
                else documents_or_error
            )

        try:
            documents_or_error = self.within(subject.limits, work)
        except PlaitError as error:
            if self._observe is not None:
                self._observe(subject, error)
            raise
        if self._observe is not None:
            self._observe(subject, documents_or_error)
        return documents_or_error

    def cache(self) -> CodeCache:
        """The cache of compiled code for the current limits."""
        return self._engine.part().cache

    def within(self, limits: Mapping[str, float], work: Callable[[], T]) -> T:
        """The result of `work` within limits. Raises its errors, and LimitError."""
        keeps = _keeper()
        with budget_scope(RunBudget(Limits(**limits), keeps)):
            try:
                return within_memory(work)
            finally:
                if keeps is not None:
                    # The limits do not apply to the following comparison.
                    stop_timer()
                    unbound_memory()

    def expect(self, subjects: Mapping[Hashable, int]) -> None:
        """Announces how often each subject, by its key, will be requested. Files are then read again, once for all."""
        self._due = dict(subjects)
        self._kept.clear()
        self._engine = Engine(reads_once=True)

    def outcome(self, subject: EvaluationTarget) -> CaseEvaluation:
        """The outcome of a subject. Equal subjects share one evaluation while more are expected.

        An error is not shared, because it may name a line of the subject.
        """
        key = subject.key
        left = self._due.get(key, 1) - 1
        self._due[key] = left
        found = self._kept.pop(key, None)
        found = self._outcome(subject) if found is None else found.for_another(subject)
        if left > 0 and found.error is None:
            self._kept[key] = found
        if self.reads is not None:
            self.reads.files.update(found.view.files)
            self.reads.directories.update(found.view.directories)
        return found

    def seen(self) -> AbstractContextManager[object]:
        """A context for code that reads files itself."""
        return nullcontext() if self.reads is None else use_view(self.reads)

    def _outcome(self, subject: EvaluationTarget) -> CaseEvaluation:
        view = InputView()
        try:
            return CaseEvaluation(self, subject, self.evaluate(subject, view=view), None, view)
        except PlaitError as error:
            return CaseEvaluation(self, subject, None, error, view)


def _keeper() -> Callable[[RunBudget], None] | None:
    """The memory keeper of one evaluation, or None if this process does not enforce limits. Memory already in use is
    not counted.
    """
    current = current_budget().keeper
    if current is None:
        return None
    try:
        return keeper(data_size() + _ROOM)
    except ValueError:  # only the first thread can set up a timer
        return current
