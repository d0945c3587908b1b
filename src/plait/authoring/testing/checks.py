"""Expectations about an evaluation: each compares, and reports its failures as diagnostics."""

from __future__ import annotations

import os

from plait.authoring.testing.failures import Fault, accepting, failed
from plait.authoring.testing.value_origins import cause_at, set_by, with_causes
from plait.base.content import source
from plait.base.errors import PlaitError, UsageError, as_finding, own_suggestions
from plait.base.input_view import check_read
from plait.base.lines import lines_of
from plait.base.path_errors import read_failure
from plait.base.report_lines import report_lines
from plait.base.similar_names import counted, distance, is_slip
from plait.base.suggestions import REPLACE, Hint, Suggestion
from plait.insight.diff import diff, printed, read
from plait.insight.history_text import shown
from plait.insight.node_paths import TextFileLine, chosen, means_text, places, text_lines, ways
from plait.insight.path_resolution import find, kind_meant
from plait.tree.nodes import Array, ArrayItem, Map
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.authoring.testing.evaluating import CaseEvaluation, Evaluator
    from plait.authoring.testing.evaluation_target import EvaluationTarget
    from plait.authoring.testing.results import ExpectationFailure
    from plait.authoring.testing.value_origins import Cause
    from plait.base.source import Position
    from plait.insight.node_paths import NodePath, Path


class Values:
    """`has`, `lacks`, `equals`, `matches`, `types`: expectations about all values at a PATH.

    test: returns the fault of a value, or None. code: the code of the diagnostic.
    """

    expects_error = False

    def __init__(self, key: str, path: Path, at: Position, test: Callable[[NodePath], Fault | None], code: str) -> None:
        self._key = key
        self._code = code
        self._path = path
        self._at = at
        self._test = test

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        try:
            found = _found(self._path, outcome)
        except UsageError as error:
            yield _missing(self._key, self._path, error, self._at)
            return
        for place in found:
            fault = self._test(place)
            if fault is not None:
                fault.text = f"{self._key} {place}: {fault.text}"
                yield _failed_at(fault, outcome, place, self._path, self._at, code=self._code)


class Absent:
    """Expects that a PATH matches no value."""

    expects_error = False

    def __init__(self, path: Path, at: Position) -> None:
        self._path = path
        self._at = at

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        found = _places(self._path, outcome)
        meant = None if found else kind_meant(self._path, outcome.items())
        if meant is not None:
            text = f'did you mean "{meant}"?'
            hint = Hint(text, Suggestion(REPLACE, meant, old=self._path.text))
            fault = Fault(f"lacks {self._path.text}: this is a kind, not a key", [f"  {text}"], found="a kind")
            yield failed(fault, self._at, code="expected-path", word=self._path.text, hint=hint)
        selector = self._path.selector or ""
        slip = None if found or not selector else _misspelt(selector, outcome)
        if slip is not None:
            # The expectation would hold for any output.
            text = f'did you mean "{slip}"?'
            hint = Hint(text, Suggestion(REPLACE, slip, old=selector))
            fault = Fault(f"lacks {self._path.text}: no document has this name", [f"  {text}"], found=slip)
            yield failed(fault, self._at, code="expected-path", word=self._path.text, hint=hint)
        misspelt = None if found else _misspelt_key(self._path, outcome)
        if misspelt is not None:
            key, meant = misspelt
            text = f'did you mean "{meant}"?'
            hint = Hint(text, Suggestion(REPLACE, meant, old=self._path.text))
            why = f'the key "{key}" looks misspelt, so this would hold for any output'
            fault = Fault(f"lacks {self._path.text}: {why}", [f"  {text}"], found=meant)
            yield failed(fault, self._at, code="expected-path", word=self._path.text, hint=hint)
        for place in found:
            value = shown(place.value) if place.way else "this document"
            fault = Fault(f"lacks {place}: there is {value}, which must not exist", expected="no value", found=value)
            yield _failed_at(fault, outcome, place, self._path, self._at, code="unexpected-path")


def _misspelt(selector: str, outcome: CaseEvaluation) -> str | None:
    """The name of a document that a selector without a match misspells, or None."""
    kind, _, own = selector.partition("/")
    for one in outcome.items():
        name = document_name(one) or ""
        other, _, its = name.partition("/")
        # Two documents of one kind have similar names more often than two kinds.
        if (kind == other and (is_slip(own, its) or _is_swap(own, its))) or (
            own == its and len(kind) > _SHORT and distance(kind, other, 1) == 1
        ):
            return name
    return None


def _is_swap(name: str, known: str) -> bool:
    """True for words that differ only in two neighbouring letters that are swapped, however short they are."""
    return (
        len(name) == len(known) > 2
        and name.isalpha()
        and sorted(name) == sorted(known)
        and distance(name, known, 1) == 1
    )


def _misspelt_key(path: Path, outcome: CaseEvaluation) -> tuple[str, str] | None:
    """The misspelt key of a PATH without a match, and the PATH that is meant; or None. The output has its key in the same
    map.
    """
    for _, document in chosen(path, outcome.items()):
        for depth, step in enumerate(path.steps):
            if type(step) is not str or path.text.count(step) != 1:
                continue
            for way in ways(document.value, path.steps[:depth]):
                around = way[-1].value if way else document.value
                keys = [str(item.key) for item in around.items] if type(around) is Map else []
                slip = next((key for key in keys if is_slip(step, key)), None)
                if slip is not None and step not in keys:
                    return step, path.text.replace(step, slip)
    return None


# Shorter kinds are similar by accident.
_SHORT = 5


class Count:
    """Expects a number of values at a PATH, or of documents. path: None for documents."""

    expects_error = False

    def __init__(self, path: Path | None, expected: int, at: Position) -> None:
        self._path = path
        self._wanted = expected
        self._at = at

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        found = len(outcome.items() if self._path is None else _places(self._path, outcome))
        if found != self._wanted:
            of = "documents" if self._path is None else self._path.text
            hint, there = (None, None) if self._path is None or found else _nearest(self._path, outcome)
            told = hint or (there and f"found: {there}")
            fault = Fault(
                f"count {of}: expected {self._wanted}, found {found}",
                [f"  {told}"] if told else (),
                expected=str(self._wanted),
                found=str(found),
                suggestions=accepting(self._wanted, found),
            )
            word = "count" if self._path is None else self._path.text
            yield failed(fault, self._at, code="unexpected-count", word=word, hint=hint)


class Fails:
    """Expects that the run fails. text, pattern: the text and pattern of the message. place: file, or file:line, of the
    error.
    """

    expects_error = True

    def __init__(self, text: str, pattern: object, place: str, directory: str, at: Position) -> None:
        self._text = text
        self._pattern = pattern
        self._place = place
        self._directory = directory
        self._at = at

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        error = outcome.error
        if error is None:
            count = counted(len(outcome.items()), "document")
            text = f"fails: expected the run to fail, but it produced {count}"
            hint = "remove fails, or change what makes the run fail"
            fault = Fault(text, [f"  {hint}"], expected="an error", found=count)
            yield failed(fault, self._at, code="expected-failure", word="fails", hint=hint)
            return
        messages = "\n".join(_messages(error))
        if self._text not in messages:
            yield self._other(f'a message with "{self._text}"', error)
        if self._pattern is not None and not matches(self._pattern, messages):
            yield self._other(f'a message that matches "{getattr(self._pattern, "pattern", "")}"', error)
        if self._place and not any(self._exists(at) for at in _positions(error)):
            yield self._other(f"the position {self._place}", error)

    def _other(self, expected: str, error: PlaitError) -> ExpectationFailure:
        lines = [f"  {line}".rstrip() for line in report_lines(error)]
        fault = Fault(f"fails: expected {expected}, found this error", lines, expected=expected)
        return failed(fault, self._at, code="other-failure", word="fails")

    def _exists(self, at: Position) -> bool:
        file, colon, line = self._place.rpartition(":")
        if not colon or not line.isdecimal():
            file, line = self._place, ""
        if str(at) == self._place or at.source is None:
            return str(at) == self._place
        same = os.path.abspath(os.path.join(self._directory, file)) == os.path.abspath(at.source.shown)
        return same and line in ("", str(at.line))


class SameAs:
    """Expects the same documents as another run, or a file."""

    expects_error = False

    def __init__(self, other: EvaluationTarget | str, shown: str, at: Position) -> None:
        self._other = other
        self._shown = shown
        self._at = at

    @property
    def subject(self) -> EvaluationTarget | None:
        """The other evaluation; None for a file."""
        return None if isinstance(self._other, str) else self._other

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:
        if isinstance(self._other, str):
            # A file that is missing, or may not be read, fails this test and no other.
            try:
                check_read(self._other, self._at)
                path = os.path.normpath(self._other)
                check_read(path, self._at)
                if not os.path.isfile(path):
                    raise read_failure(path, subject=f'"{self._shown}"', at=self._at, kind=UsageError)
                other = printed(read([source(path)]))
            except PlaitError as error:
                first, *rest = report_lines(error)
                yield failed(Fault(f"same-as: {first}", rest), self._at, code=error.code, word="file")
                return
        else:
            other = list(evaluator.outcome(self._other).items())
        differences = diff(other, outcome.items())
        if differences:
            causes: list[Cause] = []
            lines = [f"  {line}" for line in with_causes(outcome, differences, causes)]
            fault = Fault(f"same-as: differs from {self._shown}", lines, expected=self._shown)
            yield failed(fault, self._at, code="unequal-documents", word="same-as", causes=causes)


def matches(pattern: object, text: str) -> bool:
    return pattern.search(text) is not None  # type: ignore[attr-defined] # what re2 compiles has no type


def _texts(outcome: CaseEvaluation) -> Mapping[str, Array]:
    """The text files of an output, as arrays of lines."""
    return {name: Array([ArrayItem(line) for line in lines_of(text)]) for name, text in outcome.text_files().items()}


def _places(path: Path, outcome: CaseEvaluation) -> Sequence[NodePath]:
    texts = _texts(outcome)
    if means_text(path, texts):
        try:
            return text_lines(texts, path)
        except UsageError:
            return []
    return places(path, outcome.items())


def _found(path: Path, outcome: CaseEvaluation) -> Sequence[NodePath]:
    """The values at a PATH. Raises UsageError with the most similar existing path if there are none."""
    texts = _texts(outcome)
    return text_lines(texts, path) if means_text(path, texts) else find(path, outcome.items())


def _nearest(path: Path, outcome: CaseEvaluation) -> tuple[str | None, str | None]:
    """For a PATH that matches nothing: a hint that names similar ones, and what is there."""
    try:
        _found(path, outcome)
    except UsageError as error:
        return error.hint, error.found
    return None, None


def _failed_at(
    fault: Fault, outcome: CaseEvaluation, place: NodePath, path: Path, at: Position, *, code: str
) -> ExpectationFailure:
    """The failure of an expectation about one value, with the line that set it."""
    causes: list[Cause] = []
    why = None if type(place) is TextFileLine else cause_at(outcome, place.number, place.path)
    fault.lines = [*fault.lines, *set_by(why, causes, "  ")]
    return failed(fault, at, code=code, word=path.text, causes=causes)


def _missing(key: str, path: Path, error: UsageError, at: Position) -> ExpectationFailure:
    """The failure of an expectation about a PATH that matches nothing."""
    lines = [f"  {text}" for text in (error.found and f"found: {error.found}", error.hint) if text]
    fault = Fault(f"{key} {path.text}: {error.message}", lines, found=error.found, suggestions=own_suggestions(error))
    return failed(fault, at, code="expected-path", word=path.text, hint=error.hint)


def _messages(error: PlaitError) -> Iterator[str]:
    for one in (as_finding(error), *error.findings):
        yield from (text for text in (one.message, one.expected, one.found, one.hint) if text)


def _positions(error: PlaitError) -> Iterator[Position]:
    for one in (as_finding(error), *error.findings):
        yield from (at for at in (one.at, *one.also, *(step.at for step in one.stack)) if at is not None)
