"""Behaviours that a reduced input must show: an error, a value, a difference from another program, or a test command."""

from __future__ import annotations

import os
from time import monotonic

from plait.base.children.programs import command, run
from plait.base.codes import BY_CODE, CODES
from plait.base.errors import LimitError, PlaitError, UsageError, did_you_mean
from plait.base.source import Source
from plait.engine.flags import words_of
from plait.insight.explain import Explainer
from plait.insight.node_paths import parse, places, scalars_beside
from plait.tree.nodes import equal
from plait.tree.provenance import Trace
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    from plait.authoring.reduce.candidates import Candidate, Workspace
    from plait.base.errors import Diagnostic, Warning
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Value

    class Behaviour(Protocol):
        """A behaviour of a run.

        is_plain: true if only plait evaluates the candidate. knows_lines: true if `lines` needs no evaluation.
        """

        is_plain: bool
        knows_lines: bool

        def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
            """True if a candidate, whose files are in the workspace, shows the behaviour."""
            ...

        def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]]:
            """The files and lines that contribute to the behaviour, by the record of the evaluation; empty if unknown.
            The candidate is the last one that showed the behaviour.
            """
            ...

        def expectation(self) -> Mapping[str, object] | None:
            """The expectation of a test case (docs/test.md) that the behaviour meets; None if there is none."""
            ...


# Maximum seconds of an evaluation in which the behaviour was not seen before.
SECONDS = 60.0
# Maximum bytes that a program may print.
_MOST = 64 << 20


class ErrorBehaviour:
    """An error or a warning with a code. code: its name or number; "" for any error."""

    is_plain = True
    knows_lines = True

    def __init__(self, code: str = "") -> None:
        """Raises UsageError for an unknown code."""
        self.code = BY_CODE[code].name if code in BY_CODE else code
        self.message = ""
        self.seconds = SECONDS
        self._lines: set[tuple[str, int]] = set()
        if code and self.code not in CODES:
            raise UsageError(
                f'unknown code "{code}"',
                expected="a code such as E0101, or its name",
                hint=did_you_mean(code, [*BY_CODE, *CODES]),
                code="unknown-choice",
            )

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
        warned: list[Warning] = []
        start = monotonic()
        try:
            workspace.evaluate(candidate, self.seconds, warned=warned)
        except PlaitError as error:
            if isinstance(error, LimitError) and not self.code.startswith("limit"):
                return False
            found = [error, *error.findings]
            self.code = self.code or error.code or next((one.code for one in error.findings if one.code), "")
            own = next((one for one in found if one.code == self.code), None)
            if own is not None:
                self.message = own.message
                self._lines = _lines_of(found, self.code)
                # Candidates are smaller, so they end sooner, or they are another behaviour.
                self.seconds = max(10 * (monotonic() - start), 5)
                return True
        return any(text.diagnostic.code == self.code for text in warned if self.code)

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]]:  # noqa: ARG002
        # The reducer asks after the evaluation of this candidate.
        return self._lines

    def expectation(self) -> Mapping[str, object] | None:
        return {"fails": {"message": self.message}} if self.message else None


def _lines_of(errors: Sequence[Diagnostic], code: str) -> set[tuple[str, int]]:
    found = [at for one in errors if one.code == code for at in (one.at, *one.also, *(step.at for step in one.stack))]
    return {(at.source.shown, at.line) for at in found if at is not None and at.source is not None}


class OutputBehaviour:
    """A value of the output."""

    is_plain = True
    knows_lines = False

    def __init__(self, path: str, value: Value) -> None:
        self.path = path
        self._parsed = parse(path)
        self._value = value

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
        try:
            documents, _ = workspace.evaluate(candidate, SECONDS)
        except PlaitError:
            return False
        return any(equal(one.value, self._value) for one in places(self._parsed, documents.nodes.items))

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]]:
        trace = Trace()
        trace.follows_all = True
        documents, _ = workspace.evaluate(candidate, SECONDS, trace=trace)
        found = places(self._parsed, documents.nodes.items)
        return _lines(trace, [one for one in found if equal(one.value, self._value)])

    def expectation(self) -> Mapping[str, object] | None:
        return {"equals": {self.path: self._value}}


class DifferenceBehaviour:
    """A difference between the output of plait and that of another program with the same command line.

    Candidates must differ in the same way: in success, or in the text of the output.
    """

    is_plain = False
    knows_lines = False

    def __init__(self, program: str) -> None:
        self._program = os.path.abspath(program) if os.path.dirname(program) else program
        self._kind: tuple[bool, bool] | None = None
        self._other = b""

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
        own = self._own(workspace, candidate)
        request = workspace.request(candidate).of(candidate.uses)
        words = [*(["interpolate"] if request.command == "patch" else []), *words_of(request)]
        done = run(command(self._program), words, seconds=SECONDS, maximum=_MOST, directory=workspace.directory.real)
        kind = own is not None, done.status == 0
        if kind == (False, False):
            return False
        if own is not None and done.status == 0 and own.encode("utf-8", "surrogateescape") == done.output:
            return False
        self._kind, self._other = self._kind or kind, done.output
        return kind == self._kind

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]]:
        if not self.shows(workspace, candidate) or self._kind != (True, True):
            return set()
        trace = Trace()
        trace.follows_all = True
        documents, _ = workspace.evaluate(candidate, SECONDS, trace=trace)
        try:
            others = read(Source("output", self._other.decode("utf-8", "replace"))).items
        except PlaitError:
            return set()
        found: list[NodePath] = []
        for number, document in enumerate(documents.nodes.items):
            beside = others[number] if number < len(others) else None
            for place, other in scalars_beside(document, number, beside):
                if other is None or type(other.value) is not type(place.value) or not equal(other.value, place.value):
                    found.append(place)
        return _lines(trace, found[:_MOST_PLACES])

    def _own(self, workspace: Workspace, candidate: Candidate) -> str | None:
        try:
            documents, _ = workspace.evaluate(candidate, SECONDS)
            return documents.to_yaml()
        except PlaitError:
            return None

    def expectation(self) -> Mapping[str, object] | None:
        return None


# Maximum number of differing values whose lines are looked up.
_MOST_PLACES = 20


def _lines(trace: Trace, found: Iterable[NodePath]) -> set[tuple[str, int]]:
    explainer = Explainer(trace)
    return {line for place in found for line in explainer.lines(explainer.history(place), structure=True)}


class CommandBehaviour:
    """A test command of the user that succeeds in a directory with the files of the candidate."""

    is_plain = False
    knows_lines = True

    def __init__(self, words: Sequence[str]) -> None:
        first = words[0]
        self._words = [os.path.abspath(first) if os.path.dirname(first) else first, *words[1:]]

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:  # noqa: ARG002
        words = self._words
        done = run(
            command(words[0]), words[1:], seconds=SECONDS, maximum=_MOST, directory=workspace.directory.real
        )  # fmt: skip
        return done.status == 0

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]]:  # noqa: ARG002
        return set()

    def expectation(self) -> Mapping[str, object] | None:
        return None
