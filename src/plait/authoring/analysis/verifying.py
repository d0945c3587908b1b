"""Checks proposed changes: every run that reads an edited file is evaluated with the edited texts.

Renames, quick fixes, refactorings and `lint --fix` are claims. A claim holds if the output of each run stays the same;
it is rejected with the first run whose output changes, and unverified if a run fails or takes too long. Secrets are not
compared, because comparing an edited value with a secret would reveal it.
"""

from __future__ import annotations

import os
import time

from plait.authoring.project.file import of_source
from plait.base.errors import LimitError, PlaitError
from plait.base.input_view import InputView
from plait.base.limits import Limits, budget_scope
from plait.base.process import with_stack_headroom
from plait.base.source import Source
from plait.engine.results import text_like
from plait.insight.redaction import masked, masked_lines
from plait.tree.lookups import Lookups
from plait.tree.nodes import DocumentSet, Map, MapItem
from plait.tree.secrets import uses_secrets
from plait.yaml.writer import write
from plait.ytt.templates.recovery import findings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from plait.authoring.project.run import Run
    from plait.base.errors import Warning
    from plait.engine.incremental import Engine
    from plait.engine.results import Documents
    from plait.tree.nodes import Document


class CheckBudget:
    """The time limit of a check in seconds. limits: the other limits of each run."""

    __slots__ = ("_end", "limits")

    def __init__(self, seconds: float, limits: Mapping[str, float] | None = None) -> None:
        self._end = time.monotonic() + seconds
        self.limits = dict(limits or {})

    @property
    def left(self) -> float:
        """The remaining seconds."""
        return self._end - time.monotonic()

    def for_run(self) -> Limits:
        """The limits of the next run."""
        return Limits(**{**self.limits, "seconds": max(min(self.limits.get("seconds", self.left), self.left), 0.01)})


class Checked:
    """A run before a change.

    documents: the result; None if it fails. error: the failure. output: the result in comparable form. view: the files
    that were read. lookups: the names that were looked up. warned: the warnings, also of a failed run.
    """

    __slots__ = ("documents", "error", "lookups", "output", "run", "view", "warned")

    def __init__(
        self,
        run: Run,
        view: InputView,
        documents: Documents | None,
        error: PlaitError | None,
        lookups: Lookups,
        warned: Sequence[Warning] = (),
    ) -> None:
        self.run = run
        self.view = view
        self.documents = documents
        self.error = error
        self.lookups = lookups
        self.warned = warned
        self.output = None if documents is None else output_of(run, documents, view)

    @property
    def uses_secrets(self) -> bool:
        """True if the run uses secrets, so that only marked results can be compared."""
        return self.documents is not None and (uses_secrets(self.view) or uses_secrets(self.documents.trace))

    def reads(self, paths: Container[str]) -> bool:
        """True if the run reads one of these files, or is declared in one."""
        return any(path in paths for path in self.view.files) or _project_file(self.run) in paths


class EditEffect:
    """The effect of edited texts on a run: changed documents, or an error."""

    __slots__ = ("after", "before")

    def __init__(self, before: Checked, after: Documents | PlaitError) -> None:
        self.before = before
        self.after = after


class Unverified(Exception):
    """Raised for a change that cannot be checked. The text is the reason."""


def checked(run: Run, texts: Mapping[str, bytes], budget: CheckBudget, engine: Engine | None = None) -> Checked:
    """Evaluates a run with replaced texts, and records its lookups."""
    view, lookups = InputView(texts), Lookups()
    warned: list[Warning] = []
    try:
        with budget_scope(budget.for_run()):
            made = with_stack_headroom(
                lambda: _marked(
                    lambda trace: run.evaluate(
                        view=view, engine=engine, checks=False, lookups=lookups, warned=warned, trace=trace
                    ),
                    view,
                ),
                first=False,
            )
    except PlaitError as error:
        error.__traceback__ = error.__context__ = None  # the frames refer to all evaluation state
        return Checked(run, view, None, error, lookups, warned)
    return Checked(run, view, made, None, lookups, warned)


def changes(
    runs: Iterable[Checked],
    texts: Mapping[str, bytes],
    *,
    edited: Container[str] | None = None,
    budget: CheckBudget | None = None,
    engine: Engine | None = None,
) -> Iterator[EditEffect]:
    """The runs whose output changes with replaced texts.

    edited: the paths whose readers are evaluated, by default those of the texts. Raises Unverified if the budget is
    exceeded, or a run that reads an edited file failed before.
    """
    paths = texts if edited is None else edited
    for one in runs:
        if not one.reads(paths):
            continue
        if one.error is not None:
            raise Unverified(f'the run "{one.run.name}" fails: {one.error.message}')
        if budget is not None and budget.left <= 0:
            raise Unverified("the runs take too long")
        try:
            run, view = with_texts(one.run, texts), InputView(texts)
            made = _evaluated(run, view, budget, engine, marked=one.uses_secrets)
            if output_of(run, made, view) != one.output:
                yield EditEffect(one, made)
        except LimitError as error:
            if budget is not None and budget.left <= 0:
                raise Unverified("the runs take too long") from None
            yield EditEffect(one, error)
        except PlaitError as error:
            yield EditEffect(one, error)


def failures(
    runs: Iterable[Checked],
    texts: Mapping[str, bytes],
    edited: Container[str],
    budget: CheckBudget,
    engine: Engine | None,
) -> Iterator[EditEffect]:
    """The runs that an edit does not repair: runs that fail only with it, and runs with the same errors and warnings as
    before.

    Raises Unverified if the budget is exceeded.
    """
    for one in runs:
        if not one.reads(edited):
            continue
        if budget.left <= 0:
            raise Unverified("the runs take too long")
        warned: list[Warning] = []
        try:
            _evaluated(with_texts(one.run, texts), InputView(texts), budget, engine, warned)
        except PlaitError as error:
            is_as_before = one.error is None or _findings(one.error) <= _findings(error)
            if is_as_before and {*one.warned} <= {*warned}:
                yield EditEffect(one, error)


def _findings(error: PlaitError) -> set[tuple[str, str, str]]:
    """The findings of an error, with their positions."""
    return {(one.message, str(one.at), one.found or "") for one in findings_of(error)}


def _evaluated(
    run: Run,
    view: InputView,
    budget: CheckBudget | None,
    engine: Engine | None,
    warned: list[Warning] | None = None,
    marked: bool = False,
) -> Documents:
    """The result of a run. marked: it will probably use secrets, and is recorded from the start."""
    if budget is None:
        return _marked(lambda trace: run.evaluate(view=view, engine=engine, trace=trace), view, marked)

    def evaluate(trace: bool) -> Documents:
        return run.evaluate(view=view, engine=engine, checks=False, warned=warned, trace=trace)

    with budget_scope(budget.for_run()):
        return with_stack_headroom(lambda: _marked(evaluate, view, marked), first=False)


def _marked(evaluate: Callable[[bool], Documents], view: InputView, marked: bool = False) -> Documents:
    """The result of an evaluation, with provenance if it uses secrets. Only evaluating shows whether it does.

    marked: record provenance at once.
    """
    made = evaluate(marked)
    return evaluate(True) if uses_secrets(view) and not uses_secrets(made.trace) else made


def with_texts(run: Run, texts: Mapping[str, bytes]) -> Run:
    """The run as defined by the project file among the texts; the same run if there is none. Raises PlaitError."""
    path = _project_file(run)
    data = texts.get(path) if path else None
    if data is None or run.at is None or run.at.source is None:
        return run

    source = Source(run.at.source.name, data.decode("utf-8", "surrogateescape"))
    return of_source(source, run.directory, run.permissions).run(run.name)


def _project_file(run: Run) -> str:
    """The absolute path of the file that declares a run, or ""."""
    at = run.at
    return "" if at is None or at.source is None else os.path.abspath(at.source.name)


def output_of(run: Run, documents: Documents, view: InputView | None = None) -> object:
    """The output of a run without secrets, for comparison. view: the input view of the run.

    Excludes the substitutions of layered documents, which are printed but are not part of their data.
    """
    has_secrets = uses_secrets(view) or uses_secrets(documents.trace)
    shown = masked(documents.nodes.items, documents.trace, view=view) if has_secrets else documents.nodes.items
    if run.command == "layer":
        return _without_substitutions(shown)
    files: Mapping[str, str] = getattr(documents, "files", {})
    if not has_secrets:
        return documents.to_yaml(), files
    texts = {
        path: masked_lines(path, files[path], documents.trace, view=view) for path in getattr(documents, "texts", ())
    }
    return text_like(documents, DocumentSet([*shown])), texts


def _without_substitutions(documents: Iterable[Document]) -> str:
    items = []
    for document in documents:
        top = document.value
        metadata = top.find("metadata") if type(top) is Map else None
        if type(top) is Map and metadata is not None and type(metadata.value) is Map:
            kept = [item for item in metadata.value.items if item.key != "substitutions"]
            document = document.with_value(
                top.with_items([MapItem("metadata", Map(kept)) if item is metadata else item for item in top.items])
            )
        items.append(document)
    return write(DocumentSet(items))
