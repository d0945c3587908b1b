"""Expectations of a case about its evaluation. Each type is read from one key, and reports its failures.

KINDS has the types by key, with their JSON Schemas.
"""

from __future__ import annotations

import os

from plait.authoring.testing.results import ExpectationFailure
from plait.authoring.testing.value_origins import cause_at, with_causes
from plait.base.content import source
from plait.base.errors import PlaitError, UsageError, as_finding, text_of
from plait.base.input_view import check_read
from plait.base.path_errors import read_failure
from plait.base.similar_names import counted, did_you_mean
from plait.engine.pipeline import check_keys, wrong
from plait.insight.diff import diff, printed, read, to_text
from plait.insight.history_text import shown
from plait.insight.node_paths import TextFileLine, means_text, parse, places, text_lines
from plait.insight.path_resolution import find, kind_meant
from plait.tree.nodes import Array, ArrayItem, Document, Map, kind_name
from plait.yaml.document_names import scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Protocol

    from plait.authoring.testing.evaluating import CaseEvaluation, Evaluator
    from plait.authoring.testing.evaluation_target import EvaluationTarget
    from plait.base.source import Position
    from plait.insight.node_paths import NodePath, Path
    from plait.tree.nodes import MapItem, Value

    class Expectation(Protocol):
        """An expectation of a case. expects_error: it requires that the run fails."""

        expects_error: bool

        def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:
            """The failures. Raises PlaitError if the run has no output to check."""
            ...


_NUMBER = "number"
TYPES = ("map", "array", "string", "integer", "float", "boolean", "null", _NUMBER)


class Where:
    """The context for reading an expectation. directory: of its file. subject: reads a nested run."""

    __slots__ = ("directory", "subject")

    def __init__(self, directory: str, subject: Callable[[MapItem], EvaluationTarget]) -> None:
        self.directory = directory
        self.subject = subject


class Values:
    """`has`, `lacks`, `equals`, `matches`, `types`: expectations about all values at a PATH.

    test: returns the fault of a value, or None.
    """

    expects_error = False

    def __init__(self, key: str, path: Path, at: Position, test: Callable[[NodePath], str | None]) -> None:
        self._key = key
        self._path = path
        self._at = at
        self._test = test

    def failures(self, outcome: CaseEvaluation, evaluator: Evaluator) -> Iterator[ExpectationFailure]:  # noqa: ARG002
        try:
            found = _found(self._path, outcome)
        except UsageError as error:
            yield _failure(f"{self._key} {self._path.text}: {_error_text(error)}", self._at)
            return
        for place in found:
            wrong = self._test(place)
            if wrong is not None:
                why = _cause(outcome, place)
                yield _failure(f"{self._key} {place}: {wrong}" + (f"\n  set by {why}" if why else ""), self._at)


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
            yield _failure(f'lacks {self._path.text}: this is a kind, not a key\n  did you mean "{meant}"?', self._at)
        for place in found:
            why = _cause(outcome, place)
            told = f"{shown(place.value)}, which must not exist" if place.way else "this document, which must not exist"
            yield _failure(f"lacks {place}: there is {told}" + (f"\n  set by {why}" if why else ""), self._at)


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
            hint = "" if self._path is None or found else _nearest(self._path, outcome)
            yield _failure(f"count {of}: expected {self._wanted}, found {found}{hint}", self._at)


class Fails:
    """Expects that the run fails. text, pattern: of the message. place: file, or file:line, of the error."""

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
            yield _failure(f"fails: expected the run to fail, but it produced {count}", self._at)
            return
        messages = "\n".join(_messages(error))
        if self._text not in messages:
            yield _failure(f'fails: expected a message with "{self._text}", found\n{_indented(error)}', self._at)
        if self._pattern is not None and not _matches(self._pattern, messages):
            shown = getattr(self._pattern, "pattern", "")
            yield _failure(f'fails: expected a message that matches "{shown}", found\n{_indented(error)}', self._at)
        if self._place and not any(self._exists(at) for at in _positions(error)):
            yield _failure(f"fails: expected the position {self._place}, found\n{_indented(error)}", self._at)

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
                yield _failure(f"same-as: {text_of(error)}", self._at)
                return
        else:
            other = list(evaluator.outcome(self._other).items())
        differences = diff(other, outcome.items())
        if differences:
            lines = "\n".join(f"  {line}" for line in with_causes(outcome, differences))
            yield _failure(f"same-as: differs from {self._shown}\n{lines}", self._at)


# ---- reading


def _paths(item: MapItem, kind: Callable[[Path, Position], Expectation]) -> Iterator[Expectation]:
    if type(item.value) is str:
        yield kind(_path(item.value, item.position), item.position)
        return
    if type(item.value) is not Array:
        raise wrong(item, "a PATH or a list of PATHs")
    for one in item.value.items:
        if type(one.value) is not str:
            raise wrong(item, "a PATH or a list of PATHs")
        yield kind(_path(one.value, one.position), one.position)


def _by_path(item: MapItem, what: str) -> Iterator[tuple[Path, MapItem]]:
    if type(item.value) is not Map:
        raise wrong(item, f"a map from PATHs to {what}")
    for entry in item.value.items:
        yield _path(scalar_text(entry.key), entry.position), entry


def _path(text: str, at: Position) -> Path:
    try:
        return parse(text)
    except UsageError as error:
        error.at = at
        raise


def _has(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001 - all readers have one signature
    return _paths(item, lambda path, at: Values("has", path, at, lambda _place: None))


def _lacks(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    return _paths(item, Absent)


def _equals(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    for path, entry in _by_path(item, "values"):
        yield Values("equals", path, entry.position, lambda place, wanted=entry.value: _unequal(place, wanted))  # type: ignore[misc]


def _unequal(node_path: NodePath, expected: Value) -> str | None:
    differences = diff([Document(expected)], [Document(node_path.value)])
    if not differences:
        return None
    if not differences[0].path:
        if kind_name(expected) != kind_name(node_path.value):
            told = f"expected {_typed(expected)}, found {_typed(node_path.value)}"
            if type(expected) is str and scalar_text(node_path.value) == expected:
                told += f"\n  quotes make it a string: {node_path.path}: {expected}"
            return told
        return f"expected {shown(expected)}, found {shown(node_path.value)}"
    return "\n".join(["the value differs", *to_text(differences).splitlines()[1:]])


def _typed(value: Value) -> str:
    name = kind_name(value)
    return shown(value) if name in ("map", "array", "null") else f"{shown(value)} ({name})"


def _matching(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    for path, entry in _by_path(item, "patterns"):
        pattern = _pattern(entry)

        def test(node_path: NodePath, pattern: object = pattern, text: str = str(entry.value)) -> str | None:
            if isinstance(node_path.value, Map | Array):
                return f"expected text that matches {text}, found {shown(node_path.value)}"
            matched = _matches(pattern, scalar_text(node_path.value))
            return None if matched else f"expected text that matches {text}, found {shown(node_path.value)}"

        yield Values("matches", path, entry.position, test)


def _pattern(item: MapItem) -> object:
    import re2

    if type(item.value) is not str:
        raise wrong(item, "a regular expression")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(item.value, options)
    except re2.error as error:
        raise UsageError(
            f'"{item.value}" is not a valid regular expression',
            at=item.position,
            found=_text(error.args[0]),
            hint="the syntax is that of RE2: no lookahead, no lookbehind and no backreferences",
            code="test-form",
        ) from None


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _matches(pattern: object, text: str) -> bool:
    return pattern.search(text) is not None  # type: ignore[attr-defined] # what re2 compiles has no type


def _types(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    for path, entry in _by_path(item, "types"):
        wanted = entry.value
        if wanted is None:
            wanted = "null"
        if type(wanted) is not str or wanted not in TYPES:
            raise UsageError(
                f'unknown type "{wanted}"',
                at=entry.position,
                expected=", ".join(TYPES),
                hint=did_you_mean(str(wanted), TYPES),
                code="test-form",
            )

        def test(node_path: NodePath, expected: str = wanted) -> str | None:
            name = kind_name(node_path.value)
            is_right = name == expected or (expected == _NUMBER and name in ("integer", "float"))
            return None if is_right else f"expected {_a(expected)}, found {_a(name)}: {shown(node_path.value)}"

        yield Values("types", path, entry.position, test)


def _a(name: str) -> str:
    return name if name == "null" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _count(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    if type(item.value) is int:
        yield Count(None, item.value, item.position)
        return
    for path, entry in _by_path(item, "numbers"):
        if type(entry.value) is not int:
            raise wrong(entry, "a number")
        yield Count(path, entry.value, entry.position)


_FAILS = ("message", "matches", "at")


def _fails(item: MapItem, where: Where) -> Iterator[Expectation]:
    value = item.value
    if type(value) is str:
        yield Fails(value, None, "", where.directory, item.position)
        return
    if type(value) is not Map or not value.items:
        raise wrong(item, "a text of the message, or a map of message, matches, at")
    check_keys(value, _FAILS, '"fails"')
    found = {str(entry.key): entry for entry in value.items}
    for entry in value.items:
        if type(entry.value) is not str:
            raise wrong(entry, "a string")
    text, place = (str(found[name].value) if name in found else "" for name in ("message", "at"))
    pattern = _pattern(found["matches"]) if "matches" in found else None
    yield Fails(text, pattern, place, where.directory, item.position)


def _same_as(item: MapItem, where: Where) -> Iterator[Expectation]:
    value = item.value
    file = value.find("file") if type(value) is Map else None
    if type(value) is Map and file is not None:
        check_keys(value, ("file",), '"same-as" of a file')
        if type(file.value) is not str:
            raise wrong(file, "the path of a file")
        path = os.path.join(where.directory, file.value)
        yield SameAs(path, os.path.normpath(path), file.position)
        return
    if type(value) is not str and type(value) is not Map:
        raise wrong(item, "the name of a run, the settings of one, or file: PATH")
    subject = where.subject(item)
    yield SameAs(subject, f'the run "{subject.run.name}"' if subject.run.name else "the other run", item.position)


_A_PATH: Mapping[str, object] = {"type": "string", "description": "a PATH, as plait explain takes it"}
_PATHS: Mapping[str, object] = {"oneOf": [_A_PATH, {"type": "array", "items": _A_PATH}]}


def _map_of(values: Mapping[str, object], description: str) -> Mapping[str, object]:
    return {"type": "object", "additionalProperties": values, "description": description}


# The reader and the JSON Schema for each key.
KINDS: Mapping[str, tuple[Callable[[MapItem, Where], Iterator[Expectation]], Mapping[str, object]]] = {
    "has": (_has, {**_PATHS, "description": "PATHs that must exist"}),
    "lacks": (_lacks, {**_PATHS, "description": "PATHs that must not exist"}),
    "equals": (_equals, _map_of({}, "the value at each PATH")),
    "matches": (_matching, _map_of({"type": "string"}, "a regular expression for the text at each PATH")),
    "types": (_types, _map_of({"enum": [*TYPES, None]}, "the type of the value at each PATH")),
    "count": (
        _count,
        {
            "oneOf": [{"type": "integer"}, _map_of({"type": "integer"}, "the number of values at each PATH")],
            "description": "the number of documents, or of values at PATHs",
        },
    ),
    "fails": (
        _fails,
        {
            "oneOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "minProperties": 1,
                    "properties": {
                        "message": {"type": "string", "description": "a text in the message"},
                        "matches": {"type": "string", "description": "a regular expression for the message"},
                        "at": {"type": "string", "description": "where: FILE:LINE, or FILE"},
                    },
                },
            ],
            "description": "the run must fail with this message",
        },
    ),
    "same-as": (
        _same_as,
        {
            "oneOf": [
                {"type": "string", "description": "the name of a run"},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["file"],
                    "properties": {"file": {"type": "string"}},
                },
                {"$ref": "#/$defs/subject"},
            ],
            "description": "the documents must equal those of another run, or of a file",
        },
    ),
}


# ---- evaluation


def _texts(outcome: CaseEvaluation) -> Mapping[str, Array]:
    """The text files of an output, as arrays of lines."""
    return {name: Array([ArrayItem(line) for line in text.splitlines()]) for name, text in outcome.text_files().items()}


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


def _nearest(path: Path, outcome: CaseEvaluation) -> str:
    """Paths similar to a PATH that matches nothing."""
    try:
        _found(path, outcome)
    except UsageError as error:
        return f"\n  {error.hint}" if error.hint else ""
    return ""


def _cause(outcome: CaseEvaluation, node_path: NodePath) -> str | None:
    return None if type(node_path) is TextFileLine else cause_at(outcome, node_path.number, node_path.path)


def _error_text(error: PlaitError) -> str:
    more = [text for text in (error.found and f"found: {error.found}", error.hint) if text]
    return "\n  ".join([error.message, *more])


def _messages(error: PlaitError) -> Iterator[str]:
    for one in (as_finding(error), *error.findings):
        yield from (text for text in (one.message, one.expected, one.found, one.hint) if text)


def _positions(error: PlaitError) -> Iterator[Position]:
    for one in (as_finding(error), *error.findings):
        yield from (at for at in (one.at, *one.also, *(step.at for step in one.stack)) if at is not None)


def _indented(error: PlaitError) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text_of(error).split("\n"))


def _failure(text: str, at: Position) -> ExpectationFailure:
    return ExpectationFailure(text, "" if at.source is None else at.source.shown, at.line)
