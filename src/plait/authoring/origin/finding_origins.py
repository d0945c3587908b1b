"""The source lines behind findings of a report, verified by evaluating with other values on these lines."""

from __future__ import annotations

import os

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.edit.target import value_at, with_value
from plait.authoring.edit.write_back import put_back
from plait.authoring.origin.output_positions import OutputPositions
from plait.base.content import encoded
from plait.base.errors import LimitError, PlaitError
from plait.base.lines import lines_of
from plait.base.source import Position, Source
from plait.insight.explain import OVERRIDDEN, Explainer, flat
from plait.insight.extents import Extents
from plait.insight.impact import changed
from plait.insight.node_paths import TextFileLine
from plait.insight.source_map import origin
from plait.tree.nodes import Array, Map, MapItem, equal
from plait.tree.secrets import HIDDEN, uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.edit.setting import EditSession
    from plait.authoring.origin.report_files import ReportFinding
    from plait.insight.explain import History, HistoryEntry
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace

# The results. VERIFIED: with another value on the line, the output has another value there. CANDIDATE: the record of the
# evaluation names the line, and nothing proves that an edit of it is the fix. GIVEN: a flag sets the value. UNKNOWN: the
# output has no value at the reported position, or the value has no source. INPUT: the finding is about an input.
VERIFIED, CANDIDATE, GIVEN, UNKNOWN, INPUT = "verified", "candidate", "given", "unknown", "input"

# Maximum number of evaluations for one report, and for one value.
MOST_EVALUATIONS = 400
_MOST_TRIES = 12
# Maximum number of contributing lines that are listed for one value.
_MOST_LISTED = 20
# The key that is added to a map to find the file that defines it.
_PROBE = "plait-origin-probe"


class FindingOrigin:
    """The origin of a finding.

    place: the value in the output, or None. result: one of the constants above. at: the line to edit, or None. also: the
    other lines on the path from the output to it, the nearest to the output first, each with its role. given: the flag
    that sets the value, or "". is_secret: the value depends on a secret. reason: says what the output lacks, or "".
    """

    __slots__ = ("also", "at", "finding", "given", "is_secret", "place", "reason", "result")

    def __init__(
        self,
        finding: ReportFinding,
        place: NodePath | None,
        result: str = UNKNOWN,
        at: Position | None = None,
        also: Iterable[Position] = (),
        *,
        given: str = "",
        is_secret: bool = False,
        reason: str = "",
    ) -> None:
        self.finding = finding
        self.place = place
        self.result = result
        self.at = at
        self.also = list(also)
        self.given = given
        self.is_secret = is_secret
        self.reason = reason


def finding_origins(session: EditSession, findings: Iterable[ReportFinding]) -> Iterator[FindingOrigin]:
    """The origins of findings about the output of a session's run, in order."""
    trace = session.output.trace
    assert trace is not None
    finder = _OriginFinder(session, trace)
    for finding in findings:
        yield finder.of(finding)


class _OriginFinder:
    """Finds the origins of values. A value with several findings is evaluated once."""

    def __init__(self, session: EditSession, trace: Trace) -> None:
        self._session = session
        self._explainer = Explainer(trace)
        self._positions = OutputPositions(session.output.made, self._explainer)
        self._left = MOST_EVALUATIONS
        # Without marks, every value may be secret.
        self._is_closed = uses_secrets(session.output.view) and trace.marks is None
        self._may_evaluate = not session.output.uses_secrets
        self._known: dict[tuple[str, int, Sequence[Item]], FindingOrigin] = {}

    def of(self, finding: ReportFinding) -> FindingOrigin:
        if (own := self._input(finding)) is not None:
            return own
        place = self._positions.find(finding)
        if place is None:
            return FindingOrigin(finding, None, reason=self._positions.lack(finding))
        # Trees share items, so the item alone does not identify a value.
        key = (getattr(place, "file", ""), place.number, place.way)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._found(finding, place)
        if known.is_secret and finding.text:
            # The message of another tool may quote the value.
            finding = finding._replace(text=HIDDEN)
        at = known.at
        if at is not None and known.result == VERIFIED and type(place.value) is str and not known.is_secret:
            at = self._line_of_text(finding, place.value, at)
        return FindingOrigin(
            finding, known.place, known.result, at, known.also, given=known.given, is_secret=known.is_secret
        )

    def _input(self, finding: ReportFinding) -> FindingOrigin | None:
        """The origin of a finding that names a line of an input, from the working directory; None for another one. A name
        that the output has as well means the output.
        """
        output, path = self._session.output, os.path.abspath(finding.file)
        data = output.view.files.get(path)
        if not finding.file or data is None or self._positions.has_file(finding.file):
            return None
        if not 0 < finding.line <= len(lines_of(text := data.decode("utf-8", "surrogateescape"))):
            return None
        is_secret = self._is_closed or output.is_secret(path, finding.line)
        return FindingOrigin(
            finding._replace(text=HIDDEN) if is_secret and finding.text else finding,
            None,
            INPUT,
            Position(Source(os.path.relpath(path), text), finding.line),
            is_secret=is_secret,
        )

    def _line_of_text(self, finding: ReportFinding, text: str, at: Position) -> Position:
        """The line of the finding, if the source has a text of several lines as it is printed. at: the position of an
        edit.
        """
        if at.source is None or "\n" not in text or not (wanted := self._positions.line(finding).strip()):
            return at
        lines = lines_of(at.source.text)
        size = text.count("\n") + 2
        first = max(at.line - size, 0)
        same = [number for number, one in enumerate(lines[first : at.line + size], first + 1) if one.strip() == wanted]
        return Position(at.source, same[0]) if len(same) == 1 else at

    def _found(self, finding: ReportFinding, place: NodePath) -> FindingOrigin:
        history = self._explainer.history(place)
        shown = history.place
        steps = [*_steps(history)]
        is_secret = history.secret or self._is_closed or self._explainer.is_secret(place.item)
        if is_secret:
            at = next((at for at, _ in reversed(steps)), None)
            return FindingOrigin(finding, shown, CANDIDATE if at else UNKNOWN, at, is_secret=True)
        if (line := self._edited(place, steps)) is not None:
            return FindingOrigin(finding, shown, VERIFIED, line, _others(steps, line))
        proven = [*self._proven(place)] if self._may_evaluate else []
        if len(proven) == 1:
            return FindingOrigin(finding, shown, VERIFIED, proven[0], _others(steps, proven[0]))
        given = next((entry.place for entry in flat(history.standing()) if _is_flag(entry)), "")
        if not steps:
            return FindingOrigin(finding, shown, GIVEN if given else UNKNOWN, given=given)
        at = steps[0][0]
        roles = {(str(one), one.line): "with a different value here, the output changes" for one in proven}
        also = [one.labelled(roles.get((str(one), one.line), one.label)) for one in _others(steps, at)]
        return FindingOrigin(finding, shown, GIVEN if given and not also else CANDIDATE, at, also, given=given)

    # ---- verifying

    def _edited(self, place: NodePath, steps: Sequence[tuple[Position, HistoryEntry]]) -> Position | None:
        """The line at which `plait set` would write another value; None if it cannot."""
        if self._left <= 0 or type(place) is TextFileLine or (not place.way and type(place.value) is not Map):
            return None
        session = self._session
        self._left -= 1
        place = session.output.place(place)
        try:
            value = place.value
            if type(value) is Array:
                return None
            if type(value) is Map:
                if not self._may_evaluate:
                    return None
                self._left -= _MOST_TRIES - 1
                more = value.with_items([*value.items, MapItem(_PROBE, "x")])
                edit, refused = put_back(
                    session, with_value(session.output.documents, place, more, session.output.trace)
                )
                if refused:
                    return None
            else:
                edit = session.set(place, _other(value))
        except LimitError:
            raise
        except PlaitError:
            # The edit is a probe. Its failure proves nothing about the finding.
            return None
        if type(place.value) is Map:
            return _start_of(edit.lines(), steps)
        lines = [(path, line) for path, line, _, _ in edit.lines()]
        return self._position(*lines[0]) if len(lines) == 1 else None

    def _proven(self, place: NodePath) -> Iterator[Position]:
        """The lines with a literal that determines the value: with another literal, the value differs."""
        _, stands, others = origin(self._explainer, place)
        own = [(stands.source.shown, stands.line)] if stands.source is not None and stands.line > 0 else []
        tries = _MOST_TRIES
        for name, line in [*own, *others][:_MOST_LISTED]:
            path = path_of(Source(name))
            data = None if path is None else self._session.files.bytes_of(path)
            if path is None or data is None:
                continue
            text = data.decode("utf-8", "surrogateescape")
            extents = Extents(Source(name, text))
            for scalar in () if extents.has_code(line) else extents.scalars(line):
                if any(self._differs(place, path, one) for one in changed(text, scalar)[: max(tries, 0)]):
                    yield Position(Source(name, text), line)
                    break
                tries -= 2

    def _differs(self, place: NodePath, path: str, text: str) -> bool:
        """True if the value differs with a replaced text."""
        if self._left <= 0:
            return False
        self._left -= 1
        session = self._session
        try:
            output = session.target.evaluate({**session.texts, path: encoded(text)})
        except LimitError:
            raise
        except PlaitError:
            return False  # nothing is proven
        if type(place) is TextFileLine:
            lines = lines_of(output.texts.get(place.file, ""))
            number = int(place.path)
            return number <= len(lines) and lines[number - 1] != str(place.value).rstrip("\r\n")
        is_there, got, _ = value_at(output, place, session.output)
        return is_there and not equal(got, place.value)

    def _position(self, path: str, line: int) -> Position:
        return _position(self._session, path, line)


def _position(session: EditSession, path: str, line: int) -> Position:
    data = session.files.bytes_of(path) or b""
    return Position(Source(os.path.relpath(path), data.decode("utf-8", "surrogateescape")), line)


def _start_of(
    lines: Iterable[tuple[str, int, Sequence[str], Sequence[str]]], steps: Iterable[tuple[Position, HistoryEntry]]
) -> Position | None:
    """The line at which the map starts that received the probe: the nearest line of the map's history above the new key
    in its file. None if the key was written elsewhere.
    """
    found = [(path, line) for path, line, _, new in lines if any(_PROBE in one for one in new)]
    if len(found) != 1:
        return None
    path, line = found[0]
    above = [at for at, _ in steps if path_of(at.source) == path and at.line <= line]
    return max(above, key=lambda at: at.line, default=None)


def _other(value: Value) -> Value:
    """Another value of the same type."""
    if type(value) is bool:
        return not value
    if type(value) is int or type(value) is float:
        return value + 1
    return f"{value}x" if type(value) is str else "x"


# ---- the path


def _is_flag(entry: HistoryEntry) -> bool:
    return entry.state != OVERRIDDEN and entry.source is not None and bool(entry.source.flag)


def _steps(history: History) -> Iterator[tuple[Position, HistoryEntry]]:
    """The entries in files that contributed to a value, the nearest to the output first, breadth first."""
    seen: set[tuple[str, int]] = set()
    queue = [*reversed(history.standing())]
    for number, entry in enumerate(queue):  # the list grows during the iteration
        if number > 200:
            return
        queue += [one for one in entry.origins if one.state != OVERRIDDEN]
        source = entry.source
        if source is None or source.flag or entry.line <= 0 or (source.shown, entry.line) in seen:
            continue
        seen.add((source.shown, entry.line))
        yield Position(source, entry.line).labelled(entry.action), entry


def _others(steps: Sequence[tuple[Position, HistoryEntry]], at: Position) -> list[Position]:
    own = (at.source.shown if at.source else "", at.line)
    return [one for one, _ in steps if (one.source.shown if one.source else "", one.line) != own][:_MOST_LISTED]
