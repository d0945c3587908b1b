"""Behaviours that a reduced input must show: an error, a value, a difference from another program, or a test command."""

from __future__ import annotations

import os
import re
import shlex
from time import monotonic
from typing import NamedTuple

from plait.authoring.analysis.source_paths import path_of
from plait.base.children.programs import command, run
from plait.base.codes import BY_CODE, CODES
from plait.base.errors import LimitError, PlaitError, UsageError, heading
from plait.base.lines import lines_of
from plait.base.similar_names import listed
from plait.base.source import Source
from plait.base.unknown_codes import meant_code
from plait.engine.flags import words_of
from plait.insight.explain import Explainer, flat
from plait.insight.history_text import shown
from plait.insight.node_paths import parse, places, scalars_beside
from plait.insight.path_resolution import find
from plait.tree.nodes import equal
from plait.tree.provenance import Trace
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from plait.authoring.reduce.candidates import Candidate, Workspace
    from plait.base.children.programs import Finished
    from plait.base.errors import Diagnostic, Warning
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Value

    Absence: TypeAlias = "tuple[str, str | None, str | None]"

    class Behaviour(Protocol):
        """A behaviour of a run.

        is_plain: true if only plait evaluates the candidate. compares_texts: false after values were replaced.
        """

        compares_texts: bool
        is_plain: bool

        def can_show(self, candidate: Candidate) -> bool:
            """False if a candidate cannot show the behaviour, whatever its evaluation returns."""
            ...

        def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
            """True if a candidate, whose files are in the workspace, shows the behaviour."""
            ...

        def places(self) -> set[tuple[str, int]]:
            """The files and lines reported with the behaviour by the last candidate that showed it."""
            ...

        def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]] | None:
            """The files and lines that contribute to the behaviour according to the record of an evaluation; None
            without one. The candidate, whose files are in the workspace, shows the behaviour.
            """
            ...

        def absence(self, workspace: Workspace, candidate: Candidate) -> Absence:
            """The behaviour, what a candidate without it shows, and a hint with another behaviour."""
            ...

        def expectation(self) -> Mapping[str, object] | None:
            """The expectation of a test case (docs/test.md) that the behaviour meets; None if there is none."""
            ...


# Maximum seconds of an evaluation in which the behaviour was not seen before.
SECONDS = 60.0
# Maximum bytes that a program may print.
_MOST = 64 << 20


class ErrorBehaviour:
    """An error or a warning: the first one with a code. code: its name or number; "" for any error.

    Another one is the same if it also has its text and position: a file, and the remaining part of a line. Without a
    position, the expected and found values must be equal. Numbers in texts may differ, because they count the parts
    that candidates leave out.
    """

    is_plain = True

    def __init__(self, code: str = "") -> None:
        """Raises UsageError for an unknown code."""
        self.code = BY_CODE[code].name if code in BY_CODE else code
        self.message = ""
        # False: texts may differ, because they may quote values that were replaced.
        self.compares_texts = True
        self.seconds = SECONDS
        self._first: _Traits | None = None
        self._lines: set[tuple[str, int]] = set()
        if code and self.code not in CODES:
            raise UsageError(
                f'unknown code "{code}"',
                expected="a code such as E0101, or its name",
                hint=meant_code(code, CODES.values()) or "without --error, the error of the run is kept",
                code="unknown-choice",
            )

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
        warned: list[Warning] = []
        found: list[Diagnostic] = []
        start = monotonic()
        try:
            workspace.evaluate(candidate, self.seconds, warned=warned)
        except PlaitError as error:
            if isinstance(error, LimitError) and not self.code.startswith("limit"):
                return False
            found = [error, *error.findings]
            self.code = self.code or next((one.code for one in found if one.code), "")
        own = self._own([*found, *(text.diagnostic for text in warned if self.code)], workspace, candidate)
        if own is None:
            return False
        self.message = own.message if own in found else ""
        self._lines = _lines_of(own)
        # Candidates are smaller, so they end sooner, or they are another behaviour.
        self.seconds = max(10 * (monotonic() - start), 5)
        return True

    def _own(self, found: Sequence[Diagnostic], workspace: Workspace, candidate: Candidate) -> Diagnostic | None:
        for one in found:
            if one.code == self.code:
                traits = _traits(one, workspace, candidate)
                self._first = self._first or traits
                if traits.is_left_of(self._first, self.compares_texts):
                    return one
        return None

    def can_show(self, candidate: Candidate) -> bool:
        first = self._first
        if first is None or not first.file or not self.compares_texts:
            return True
        rows = candidate.files.get(first.file, b"").decode("utf-8", "surrogateescape").split("\n")
        return any(_is_left_of(row.strip(), first.line) for row in rows)

    def places(self) -> set[tuple[str, int]]:
        return self._lines

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]] | None:
        trace = Trace()
        trace.follows_all = True
        try:
            workspace.evaluate(candidate, SECONDS, trace=trace)
        except PlaitError as error:
            entries = flat(Explainer(trace).origins(error.origins or (), set(), 0))  # type: ignore[arg-type]
            return self._lines | {(one.source.shown, one.line) for one in entries if one.source is not None}
        return self._lines

    def expectation(self) -> Mapping[str, object] | None:
        return {"fails": {"message": self.message}} if self.message else None

    def absence(self, workspace: Workspace, candidate: Candidate) -> Absence:
        warned: list[Warning] = []
        error = _failure(workspace, candidate, warned)
        expected = f"{CODES[self.code].code} {self.code}" if self.code in CODES else "an error"
        told = [] if error is None else [error, *error.findings]
        codes = dict.fromkeys(one.code for one in [*told, *(text.diagnostic for text in warned)] if one.code in CODES)
        if not codes:
            return (
                expected,
                "the run succeeds" if error is None else _first_line(error, workspace),
                None if error else _OTHERS,
            )
        others = [f"{CODES[code].code} {code}" for code in codes]
        found = _first_line(error, workspace) if error is not None else f"warnings: {listed(others)}"
        return expected, found, f"--error {others[0].partition(' ')[0]} keeps this"


# What can be kept of a run without an error.
_OTHERS = "--output PATH=VALUE keeps a value, --differs PROGRAM a difference, and -- COMMAND what a command accepts"


def _first_line(error: PlaitError, workspace: Workspace) -> str:
    """The first finding of an error, or the error itself, with its code."""
    first = next(iter(error.findings), error)
    text = heading(first).replace(os.path.join(workspace.directory.real, ""), "")
    return f"{CODES[first.code].code} {first.code}: {text}" if first.code in CODES else text


def _failure(workspace: Workspace, candidate: Candidate, warned: list[Warning] | None = None) -> PlaitError | None:
    """The error of a candidate, or None."""
    try:
        workspace.evaluate(candidate, SECONDS, warned=warned)
    except PlaitError as error:
        return error
    return None


class _Traits(NamedTuple):
    """The place and the texts of an error. file: "" without a place in a candidate. texts: between their numbers."""

    file: str
    line: str
    texts: tuple[list[str], ...]

    def is_left_of(self, other: _Traits, compares_texts: bool) -> bool:
        """True if this may be the other error, reported for a smaller candidate."""
        if self.file != other.file or (compares_texts and self.texts != other.texts):
            return False
        return not compares_texts or _is_left_of(self.line, other.line)


def _is_left_of(line: str, other: str) -> bool:
    """True if a line is equal to another one, or to a part of it with gaps."""
    rest = iter(other)
    return line == other or (line != "" and all(sign in rest for sign in line))


_NUMBERS = re.compile(r"[0-9]++")


def _traits(one: Diagnostic, workspace: Workspace, candidate: Candidate) -> _Traits:
    place, file, line = one.place, "", ""
    path = None if place is None else path_of(place.source)
    if place is not None and path is not None and (name := workspace.name(path)) in candidate.files:
        file = name
        rows = candidate.files[name].decode("utf-8", "surrogateescape").split("\n")
        line = rows[place.line - 1].strip() if 0 < place.line <= len(rows) else ""
    texts = [one.text("message", complete=True), one.word]
    if not file:
        texts += [one.text("expected", complete=True), one.text("found", complete=True)]
    return _Traits(file, line, tuple(_NUMBERS.split(text or "") for text in texts))


def _lines_of(error: Diagnostic) -> set[tuple[str, int]]:
    found = [error.at, *error.also, *(step.at for step in error.stack)]
    return {(at.source.shown, at.line) for at in found if at is not None and at.source is not None}


class _Seen:
    """A behaviour without a place in the inputs."""

    compares_texts = True
    is_plain = False

    def can_show(self, candidate: Candidate) -> bool:  # noqa: ARG002
        return True

    def places(self) -> set[tuple[str, int]]:
        return set()

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]] | None:  # noqa: ARG002
        return None

    def expectation(self) -> Mapping[str, object] | None:
        return None


class OutputBehaviour(_Seen):
    """A value of the output."""

    is_plain = True

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

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]] | None:
        trace = Trace()
        trace.follows_all = True
        documents, _ = workspace.evaluate(candidate, SECONDS, trace=trace)
        found = places(self._parsed, documents.nodes.items)
        return _lines(trace, [one for one in found if equal(one.value, self._value)])

    def expectation(self) -> Mapping[str, object] | None:
        return {"equals": {self.path: self._value}}

    def absence(self, workspace: Workspace, candidate: Candidate) -> Absence:
        expected, trace = f"{self.path}={shown(self._value)}", Trace()
        try:
            documents, _ = workspace.evaluate(candidate, SECONDS, trace=trace)
            explainer = Explainer(trace)
            found = find(self._parsed, explainer.visible(documents.nodes.items), explainer.names)
        except PlaitError as error:
            return expected, _first_line(error, workspace), error.hint
        if trace.secrets:
            return expected, "another value", None
        values = [f"{self.path}={shown(one.value)}" for one in found]
        return expected, values[0], f"--output {shlex.quote(values[0])} keeps the value of the run"


class DifferenceBehaviour(_Seen):
    """A difference between the output of plait and that of another program with the same command line.

    Candidates must differ in the same way: in success, or in the text of the output. If only plait fails, it is the
    same error.
    """

    def __init__(self, program: str) -> None:
        self._failure = ErrorBehaviour()
        self._program = os.path.abspath(program) if os.path.dirname(program) else program
        self._kind: tuple[bool, bool] | None = None
        self._other = b""

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:
        own = self._own(workspace, candidate)
        if own is None and not self._failure.shows(workspace, candidate):
            return False
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

    def can_show(self, candidate: Candidate) -> bool:
        return self._kind != (False, True) or self._failure.can_show(candidate)

    def places(self) -> set[tuple[str, int]]:
        return self._failure.places() if self._kind == (False, True) else set()

    def lines(self, workspace: Workspace, candidate: Candidate) -> set[tuple[str, int]] | None:
        if self._kind == (False, True):
            return self._failure.lines(workspace, candidate)
        if self._kind != (True, True) or not self.shows(workspace, candidate):
            return None
        trace = Trace()
        trace.follows_all = True
        documents, _ = workspace.evaluate(candidate, SECONDS, trace=trace)
        try:
            others = read(Source("output", self._other.decode("utf-8", "replace"))).items
        except PlaitError:
            return None
        found: list[NodePath] = []
        for number, document in enumerate(documents.nodes.items):
            beside = others[number] if number < len(others) else None
            for place, other in scalars_beside(document, number, beside):
                if other is None or type(other.value) is not type(place.value) or not equal(other.value, place.value):
                    found.append(place)
        return _lines(trace, found[:_MOST_PLACES])

    def absence(self, workspace: Workspace, candidate: Candidate) -> Absence:
        error = _failure(workspace, candidate)
        found = "the same output" if error is None else f"both fail; plait: {_first_line(error, workspace)}"
        return f"a difference from {self._program}", found, "--error keeps the error of plait" if error else None

    def _own(self, workspace: Workspace, candidate: Candidate) -> str | None:
        try:
            documents, _ = workspace.evaluate(candidate, SECONDS)
            return documents.to_yaml()
        except PlaitError:
            return None


# Maximum number of differing values whose lines are looked up.
_MOST_PLACES = 20


def _lines(trace: Trace, found: Iterable[NodePath]) -> set[tuple[str, int]]:
    explainer = Explainer(trace)
    return {line for place in found for line in explainer.lines(explainer.history(place), structure=True)}


class CommandBehaviour(_Seen):
    """A test command of the user that succeeds in a directory with the files of the candidate."""

    def __init__(self, words: Sequence[str]) -> None:
        first = words[0]
        self._words = [os.path.abspath(first) if os.path.dirname(first) else first, *words[1:]]

    def shows(self, workspace: Workspace, candidate: Candidate) -> bool:  # noqa: ARG002
        return self._done(workspace).status == 0

    def _done(self, workspace: Workspace) -> Finished:
        words = self._words
        return run(command(words[0]), words[1:], seconds=SECONDS, maximum=_MOST, directory=workspace.directory.real)

    def absence(self, workspace: Workspace, candidate: Candidate) -> Absence:
        done = self._done(workspace)
        said = next((line for line in lines_of(done.errors) if line.strip()), "")
        found = f"status {done.status}" + (f": {said}" if said else "")
        files = ", ".join([*candidate.files][:3]) + (", ..." if len(candidate.files) > 3 else "")
        return f"status 0 of {shlex.join(self._words)}", found, f"the command runs in a directory with {files}"
