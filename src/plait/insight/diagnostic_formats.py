"""Formats diagnostics for programs: as JSON, GitHub annotations, SARIF, and as ytt and BOSH print them.

Errors, warnings and findings of lint become `Message`s, so that each format is implemented once.
"""

from __future__ import annotations

import os
from json import dumps

from plait.base.codes import BY_CODE, CODES, DiagnosticCode
from plait.base.extents import extent
from plait.base.message_text import hint_of
from plait.base.version import __version__
from plait.insight.workflow import annotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plait.base.errors import Diagnostic, PlaitError
    from plait.base.source import Position

    Part = Mapping[str, object]

JSON, GITHUB, SARIF = "json", "github", "sarif"
# Formats that contain only the text of another program.
REFERENCES = ("ytt", "bosh")

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PAGES = "docs/reference/codes"
_OTHER_PAGE = "docs/review.md"
_UNKNOWN = DiagnosticCode("", "", "error", "")


class RelatedPayload:
    """A related position of a message. text: its role, or ""."""

    __slots__ = ("column", "file", "line", "text")

    def __init__(self, file: str, line: int, text: str = "", column: int = 0) -> None:
        self.file = file
        self.line = line
        self.text = text
        self.column = column

    def data(self) -> dict[str, object]:
        """The position as JSON."""
        return {"file": self.file, "line": self.line, "text": self.text}


class EditPayload:
    """An edit that corrects a file. start, end: offsets of characters. text: the replacement."""

    __slots__ = ("end", "file", "start", "text")

    def __init__(self, file: str, start: int, end: int, text: str) -> None:
        self.file = file
        self.start = start
        self.end = end
        self.text = text


class Offer:
    """A proposed change. title: a short sentence. safety: "safe" or "unsafe"."""

    __slots__ = ("changes", "safety", "title")

    def __init__(self, title: str, safety: str, changes: Iterable[EditPayload]) -> None:
        self.title = title
        self.safety = safety
        self.changes = list(changes)


class Message:
    """A diagnostic as plain data, without secrets.

    code: one from the registry. level: "error", "warning" or "note". file: "" without a position; line, column: 0 if
    unknown; end: the column after the last character. fix: edits that change no output. offers: changes to choose from.
    runs: names of the affected runs.
    """

    __slots__ = (
        "also",
        "code",
        "column",
        "details",
        "end",
        "file",
        "fix",
        "hint",
        "level",
        "line",
        "offers",
        "runs",
        "text",
    )

    def __init__(
        self,
        code: DiagnosticCode,
        level: str,
        text: str,
        *,
        file: str = "",
        line: int = 0,
        column: int = 0,
        end: int = 0,
        hint: str | None = None,
        also: Iterable[RelatedPayload] = (),
        fix: Iterable[EditPayload] = (),
        offers: Iterable[Offer] = (),
        runs: Iterable[str] | None = None,
        details: Part | None = None,
    ) -> None:
        self.code = code
        self.level = level
        self.text = text
        self.file = file
        self.line = line
        self.column = column
        self.end = end
        self.hint = hint
        self.also = list(also)
        self.fix = list(fix)
        self.offers = list(offers)
        self.runs = runs
        self.details = details or {}

    def within(self, text: str) -> Message:
        """The message with an outer stack frame."""
        stack = self.details.get("stack")
        step = {**RelatedPayload("", 0).data(), "text": text}
        self.details = {**self.details, "stack": [*(stack if isinstance(stack, list) else []), step]}
        return self

    def renamed(self, change: Callable[[str], str]) -> Message:
        """The message with changed paths in its texts and positions; without edits. change: the change of each text."""

        def changed(found: object) -> object:
            if isinstance(found, dict):
                return {key: changed(value) for key, value in found.items()}
            if isinstance(found, list):
                return [changed(one) for one in found]
            return change(found) if isinstance(found, str) else found

        return Message(
            self.code,
            self.level,
            change(self.text),
            file=change(self.file),
            line=self.line,
            column=self.column,
            end=self.end,
            hint=None if self.hint is None else change(self.hint),
            also=[RelatedPayload(change(one.file), one.line, change(one.text), one.column) for one in self.also],
            runs=self.runs,
            details={name: changed(value) for name, value in self.details.items()},
        )

    def data(self) -> dict[str, object]:
        """The message as JSON."""
        found: dict[str, object] = {
            "code": self.code.code,
            "name": self.code.name,
            "family": self.code.family,
            "level": self.level,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "end": self.end,
            "message": self.text,
            "hint": self.hint,
            **self.details,
            "also": [one.data() for one in self.also],
        }
        if self.runs is not None:
            found["runs"] = list(self.runs)
        found["fix"] = _changes(self.fix)
        if self.offers:
            found["suggestions"] = [
                {"title": one.title, "safety": one.safety, "edits": _changes(one.changes)} for one in self.offers
            ]
        return found


def _changes(found: Iterable[EditPayload]) -> list[Part]:
    return [{"file": one.file, "start": one.start, "end": one.end, "text": one.text} for one in found]


def parts_of(error: Diagnostic) -> list[Diagnostic]:
    """The diagnostics of an error: its findings, after the error itself unless it only counts them."""
    own = [] if error.findings and error.at is None else [error]
    return [*own, *error.findings]


def message_of(diagnostic: Diagnostic, *, quote_values: bool = False, offers: Iterable[Offer] = ()) -> Message:
    """The message of a diagnostic. quote_values: also of private sources. offers: the offers of the message."""
    # Programs mark the text at fault: the matcher, not the document that it belongs to.
    at = diagnostic.focus or diagnostic.at
    at = at if at is not None and at.source is not None else None
    also = [_related(place) for place in diagnostic.also if place.source is not None]
    stack = [step for step in diagnostic.stack if step.text]
    if at is None:
        at = next((step.at for step in stack if step.at is not None and step.at.source is not None), None)
    column, end = _columns(diagnostic, at)

    def plain(name: str) -> str | None:
        """A text by its name, as a string that any serializer accepts."""
        found = diagnostic.text(name, complete=quote_values)
        return None if found is None else str(found)

    hint = hint_of(diagnostic, quote_values=quote_values)
    return Message(
        CODES.get(diagnostic.code, _UNKNOWN),
        diagnostic.severity,
        plain("message") or str(diagnostic.message),
        file="" if at is None or at.source is None else at.source.shown,
        line=0 if at is None else max(at.line, 0),
        column=column,
        end=end,
        hint=None if hint is None else str(hint),
        also=also,
        offers=offers,
        details={
            "expected": plain("expected"),
            "found": plain("found"),
            "document": plain("document"),
            "stack": [
                {**(RelatedPayload("", 0) if step.at is None else _related(step.at)).data(), "text": str(step.text)}
                for step in stack
            ],
        },
    )


def messages_of(error: PlaitError) -> list[Message]:
    """The messages of an error for another process: plain data, without edits."""
    return [message_of(one) for one in parts_of(error)]


def data_of(error: PlaitError) -> list[dict[str, object]]:
    """The messages of an error as JSON."""
    return [one.data() for one in messages_of(error)]


def _columns(diagnostic: Diagnostic, at: Position | None) -> tuple[int, int]:
    """The first column and the one after the last; 0 if unknown. Does not reveal the length of a private line."""
    found = None if at is None or diagnostic.is_private else extent(diagnostic, at)
    if found is None:
        return (at.column or 0) if at is not None else 0, 0
    return found.column or 0, found.end or 0


def _related(at: Position) -> RelatedPayload:
    return RelatedPayload("" if at.source is None else at.source.shown, max(at.line, 0), at.label, at.column or 0)


def as_lines(found: Iterable[Message]) -> str:
    """The messages as JSON, one object per line."""
    return "".join(dumps(one.data(), ensure_ascii=False) + "\n" for one in found)


def as_list(found: Iterable[Message]) -> str:
    """The messages as a JSON list."""
    return dumps([one.data() for one in found], indent=1, ensure_ascii=False) + "\n"


def annotated_place(one: Message) -> dict[str, str]:
    """The properties of a workflow command for the position of a message."""
    place = {}
    if one.file:
        place["file"] = one.file
        if one.line:
            place["line"] = str(one.line)
        if one.line and one.column:
            # GitHub shows columns only within one line.
            place["endLine"] = str(one.line)
            place["col"] = str(one.column)
            if one.end > one.column:
                place["endColumn"] = str(one.end)
    return place


def as_annotations(found: Iterable[Message], *, notices: bool = False) -> str:
    """The messages as workflow commands of GitHub, one per message. notices: notes are notices, not warnings."""
    levels = {"error": "error", "note": "notice" if notices else "warning"}
    out = []
    for one in found:
        place = annotated_place(one)
        if one.code.code:
            place["title"] = " ".join(dict.fromkeys((one.code.code, one.code.name)))
        out.append(
            annotation(levels.get(one.level, "warning"), place, one.text + (f"\n{one.hint}" if one.hint else ""))
        )
    return "".join(out)


def as_sarif(found: Sequence[Message]) -> str:
    """The messages as a SARIF 2.1.0 log with one run."""
    rows = sorted({one.code.code: one.code for one in found if one.code.code}.values())
    used = [row.code for row in rows]
    driver = {"name": "plait", "version": __version__, "rules": [_rule(row) for row in rows]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, used) for one in found],
    }
    return dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _rule(row: DiagnosticCode) -> Part:
    is_registered = row.code in BY_CODE
    return {
        "id": row.code,
        "name": row.name,
        "shortDescription": {"text": row.summary},
        "help": {"text": f"{PAGES}/{row.code}.md" if is_registered else _OTHER_PAGE},
        "properties": {"tags": [row.family if is_registered else "review"]},
    }


def _result(message: Message, used: list[str]) -> Part:
    result: dict[str, object] = {
        "level": message.level,
        "message": {"text": message.text + (f" ({message.hint})" if message.hint else "")},
    }
    if message.code.code:
        result = {"ruleId": message.code.code, "ruleIndex": used.index(message.code.code), **result}
    if message.file:
        result["locations"] = [_location(message.file, message.line, message.column, message.end)]
    related = [
        {**_location(place.file, place.line, place.column), "message": {"text": place.text or "see also"}}
        for place in message.also
        if place.file
    ]
    if related:
        result["relatedLocations"] = related
    fixes = [Offer(message.hint or message.text, "safe", message.fix)] if message.fix else []
    if fixes or message.offers:
        result["fixes"] = [_fix(each) for each in (*fixes, *message.offers)]
    return result


def _location(file: str, line: int, column: int = 0, end: int = 0) -> Part:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(file)}}
    if line:
        region = {"startLine": line}
        if column:
            region["startColumn"] = column
            if end > column:
                region["endColumn"] = end
        place["region"] = region
    return {"physicalLocation": place}


def _fix(offer: Offer) -> Part:
    by_file: dict[str, list[Part]] = {}
    for change in offer.changes:
        by_file.setdefault(change.file, []).append(
            {
                "deletedRegion": {"charOffset": change.start, "charLength": change.end - change.start},
                "insertedContent": {"text": change.text},
            }
        )
    return {
        "description": {"text": offer.title},
        "artifactChanges": [
            {"artifactLocation": {"uri": _uri(file)}, "replacements": changes} for file, changes in by_file.items()
        ],
    }


def _uri(file: str) -> str:
    """A path as a URI reference, relative if possible."""
    from urllib.parse import quote

    text = quote(file.replace(os.sep, "/").encode("utf-8", "surrogateescape"))
    return f"file://{text}" if os.path.isabs(file) else text
