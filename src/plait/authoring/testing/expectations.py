"""Expectations of a case about its evaluation. Each type is read from one key, and reports its failures.

KINDS has the types by key, with their JSON Schemas.
"""

from __future__ import annotations

import os

from plait.authoring.testing.checks import Absent, Count, Fails, SameAs, Values, matches
from plait.authoring.testing.failures import Fault, accepting
from plait.base.errors import UsageError
from plait.base.lines import lines_of
from plait.base.similar_names import did_you_mean, with_article
from plait.base.suggestions import Suggestion
from plait.engine.pipeline import check_keys, wrong
from plait.insight.diff import diff, to_text
from plait.insight.history_text import shown
from plait.insight.node_paths import parse
from plait.tree.nodes import Array, Document, Map, kind_name
from plait.yaml.document_names import scalar_text
from plait.yaml.inline import flow_text
from plait.ytt.modules.regexp import hint_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Protocol

    from plait.authoring.testing.evaluating import CaseEvaluation, Evaluator
    from plait.authoring.testing.evaluation_target import EvaluationTarget
    from plait.authoring.testing.results import ExpectationFailure
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
    """The context for reading an expectation. directory: the directory of its file. subject: reads a nested run."""

    __slots__ = ("directory", "subject")

    def __init__(self, directory: str, subject: Callable[[MapItem], EvaluationTarget]) -> None:
        self.directory = directory
        self.subject = subject


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
    return _paths(item, lambda path, at: Values("has", path, at, lambda _place: None, "expected-path"))


def _lacks(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    return _paths(item, Absent)


def _equals(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    for path, entry in _by_path(item, "values"):

        def test(place: NodePath, wanted: Value = entry.value) -> Fault | None:
            return _unequal(place, wanted)

        yield Values("equals", path, entry.position, test, "unequal-value")


def _unequal(node_path: NodePath, expected: Value) -> Fault | None:
    differences = diff([Document(expected)], [Document(node_path.value)])
    if not differences:
        return None
    if not differences[0].path:
        lines: list[str] = []
        show: Callable[[Value], str] = shown
        if kind_name(expected) != kind_name(node_path.value):
            show = _typed
            if type(expected) is str and scalar_text(node_path.value) == expected:
                lines = [f"  quotes make it a string: {node_path.path}: {expected}"]
        elif part := _part(node_path, expected):
            lines = [f"  equals compares all keys; to compare one: {part}"]
        return _expected(show(expected), show(node_path.value), lines, accepting(expected, node_path.value))
    return Fault("the value differs", lines_of(to_text(differences))[1:], expected=shown(expected))


def _part(node_path: NodePath, expected: Value) -> str | None:
    """The PATH and the value of the first key of an expected map, if the value has other keys as well; or None."""
    found, way, is_part = node_path.value, [*node_path.way], False
    while type(expected) is Map and type(found) is Map and expected.items:
        inner = [found.find(item.key) for item in expected.items]
        if inner[0] is None or None in inner:
            return None
        is_part |= len(expected.items) < len(found.items)
        way.append(inner[0])
        expected, found = expected.items[0].value, inner[0].value
    return f"{flow_text(str(node_path.at(tuple(way))))}: {flow_text(expected)}" if is_part else None


def _expected(expected: str, found: str, lines: Sequence[str] = (), suggestions: Sequence[Suggestion] = ()) -> Fault:
    text = f"expected {expected}, found {found}"
    return Fault(text, lines, expected=expected, found=found, suggestions=suggestions)


def _typed(value: Value) -> str:
    name = kind_name(value)
    return shown(value) if name in ("map", "array", "null") else f"{shown(value)} ({name})"


def _matching(item: MapItem, where: Where) -> Iterator[Expectation]:  # noqa: ARG001
    for path, entry in _by_path(item, "patterns"):
        pattern = _pattern(entry)

        def test(node_path: NodePath, pattern: object = pattern, text: str = str(entry.value)) -> Fault | None:
            value = node_path.value
            matched = not isinstance(value, Map | Array) and matches(pattern, scalar_text(value))
            return None if matched else _expected(f"text that matches {text}", shown(value))

        yield Values("matches", path, entry.position, test, "unmatched-text")


def _pattern(item: MapItem) -> object:
    import re2

    if type(item.value) is not str:
        raise wrong(item, "a regular expression")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(item.value, options)
    except re2.error as error:
        found = _text(error.args[0])
        what, _, where = found.partition(": ")
        raise UsageError(
            f'"{item.value}" is not a valid regular expression',
            at=item.position,
            found=found,
            hint=_glob_hint(item.value)
            or hint_of(what, where)
            or "the syntax is that of RE2: no lookahead, no lookbehind and no backreferences",
            code="test-form",
        ) from None


def _glob_hint(text: str) -> str | None:
    """A hint with the regular expression for a pattern of file names, or None."""
    import re2

    meant = "".join({"*": ".*", "?": "."}.get(sign, re2.escape(sign)) for sign in text)
    return f'this is a pattern of file names; as a regular expression: "{meant}"' if text[:1] in ("*", "?") else None


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


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

        def test(node_path: NodePath, expected: str = wanted) -> Fault | None:
            name = kind_name(node_path.value)
            if name == expected or (expected == _NUMBER and name in ("integer", "float")):
                return None
            found = f"{_a(name)}: {shown(node_path.value)}"
            return _expected(_a(expected), found, suggestions=accepting(expected, name))

        yield Values("types", path, entry.position, test, "unexpected-type")


def _a(name: str) -> str:
    return name if name == "null" else with_article(name)


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
        error = wrong(item, "a text of the message, or a map of message, matches, at")
        error.hint = "fails: a part of the message of the error"
        raise error
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


_A_PATH: Mapping[str, object] = {"type": "string", "description": "a PATH, as in plait explain"}
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
