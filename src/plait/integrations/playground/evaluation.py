"""Requests of the playground's page: evaluates files in memory and returns plain data.

    evaluate({"kind": "render", "files": [{"name": "app.yml", "text": "port: 80"}]})

An answer has the history of each value, so that a page explains one without a further request.

A file has a role: "input", or "values" for data values and variables. For `patch`, the first input is the base, and the
others are operations; for `compose`, the file `plait.yml` is the pipeline.
"""

from __future__ import annotations

import os

from plait.api.composing import compose
from plait.api.layering import layer
from plait.api.patching import patch
from plait.api.rendering import render
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import InputView
from plait.base.input_view import use_view as seen
from plait.engine.results import Rendered
from plait.insight.diagnostic_formats import message_of, parts_of
from plait.insight.explain import OVERRIDDEN, histories
from plait.insight.history_text import shown
from plait.insight.source_map import source_map
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import NotRequired, TypedDict

    from plait.base.errors import Diagnostic
    from plait.base.source import Source
    from plait.engine.results import Documents
    from plait.engine.types import Limits
    from plait.insight.explain import History, HistoryEntry
    from plait.tree.nodes import DocumentSet, Item

    class File(TypedDict):
        name: str
        text: str
        role: NotRequired[str]

    class Request(TypedDict):
        """A request of the page.

        kind: one of KINDS. explain: the output line whose history is requested. ask: one of QUESTIONS, for a response
        other than the output (`plait.integrations.playground.questions`). change, command: for the questions with these
        names. all: for environments, include values that are equal in all of them.
        """

        kind: str
        files: list[File]
        explain: NotRequired[int]
        ask: NotRequired[str]
        change: NotRequired[Wish]
        command: NotRequired[str]
        all: NotRequired[bool]

    class Wish(TypedDict):
        """A new value for an output line. text: the value as YAML."""

        document: int
        path: str
        text: str

    class Span(TypedDict):
        file: str
        line: int

    class Proposal(TypedDict):
        """A suggestion. kind, old, new: as in `plait.base.suggestions`."""

        kind: str
        old: str
        new: str

    class Fault(TypedDict):
        """An error or a warning. code, title: number and summary, or "". column, end: the column and end of the text at
        fault, or 0. text: the line. also: related positions, such as the nearest document of an overlay that matches
        none.
        """

        code: str
        title: str
        severity: str
        message: str
        file: str | None
        line: int | None
        column: int
        end: int
        text: str | None
        expected: str | None
        found: str | None
        hint: str | None
        also: list[Span]
        suggestions: list[Proposal]

    class MapEntry(TypedDict):
        """The used part of a source map entry."""

        document: int
        path: str
        line: int
        action: str
        source: NotRequired[Span]
        flag: NotRequired[str]

    class Line(TypedDict):
        """A value of the output: its line, the number of its document, its path in it, its last action, and the source
        that decided it.

        A value without a source, such as a generated password, has a flag.
        """

        line: int
        document: int
        path: str
        action: str
        source: Span | None
        flag: str

    class Told(TypedDict):
        """An entry of a history. depth: 0, or one more than the entry it contributed to. value, text: redacted. decides:
        the value is written there.
        """

        action: str
        place: str
        file: str | None
        line: int | None
        value: str | None
        state: str
        text: str | None
        depth: int
        decides: bool

    class Why(TypedDict):
        """The history of the first value of a line. name: its document and path."""

        line: int
        name: str
        value: str
        entries: list[Told]

    class Match(TypedDict):
        """The effect of an overlay document. file, line: its position. lines: the first and the last output line of
        each document it matched. changed: the number of these that it changed.
        """

        file: str
        line: int
        lines: list[tuple[int, int]]
        changed: int

    class Answer(TypedDict):
        """The response of the page's server.

        output: as the command line prints it. files: the output files of `render`. report: the errors as text. sources:
        the files that contributed values, in order of application. histories: the histories of the requested line;
        otherwise of each line, if there are at most MOST_HISTORIES.
        """

        output: str
        files: dict[str, str]
        sources: list[str]
        lines: list[Line]
        histories: list[Why]
        matches: list[Match]
        warnings: list[Fault]
        printed: list[str]
        errors: list[Fault]
        report: str


KINDS = ("render", "patch", "layer", "compose")
QUESTIONS = ("steps", "environments", "change", "fixes", "command")
PIPELINE = "plait.yml"
MOST_HISTORIES = 500
# Characters of a name, which may have a directory for each two of them.
_LONGEST_NAME = 255
# A page waits for the response and displays it.
LIMITS: Limits = {"seconds": 10, "output": 2_000_000, "memory": 256 << 20}


def evaluate(request: Request) -> Answer:
    """The output of a request. Errors in the files are in its `errors`.

    The files of a pipeline are read from the working directory, all others from the request. Raises UsageError for an
    invalid request.
    """
    check(request)
    try:
        documents = documents_of(request)
        output = documents.to_yaml()
        mappings = mappings_of(documents, documents.nodes, output)
        matches = _matches(documents, mappings)
        found = _histories(documents, documents.nodes, mappings, request.get("explain"))
        lines = _lines(mappings, found)
    except PlaitError as error:
        return failed(error)
    return _answer(
        output=output,
        files=documents.files if isinstance(documents, Rendered) else {},
        sources=_sources([file["name"] for file in request["files"]], lines, found),
        lines=lines,
        histories=[_why(line, history) for line, history in found.items()],
        matches=matches,
        warnings=[*(fault(one.diagnostic) for one in documents.warned)],
        printed=documents.printed,
    )


def failed(error: PlaitError) -> Answer:
    """The answer for a failed request."""
    return _answer(errors=faults(error), report=error.report())


def faults(error: PlaitError) -> list[Fault]:
    """An error as plain data: its findings, after the error itself unless it only counts them."""
    return [*map(fault, parts_of(error))]


def check(request: Request) -> None:
    """Raises UsageError for data that is not a valid request. The data is untrusted, so its types are checked."""
    form = "{kind, files: [{name, text, role}], explain}"
    if not isinstance(request, dict) or not isinstance(request.get("files"), list):
        raise UsageError("no request", expected=form, code="website-request")
    if request.get("kind") not in KINDS:
        raise UsageError("the kind of a request is unknown", expected=", ".join(KINDS), code="website-request")
    if not isinstance(request.get("explain", 0), int):
        raise UsageError("the line to explain is not a number", expected=form, code="website-request")
    if request.get("ask") not in (None, *QUESTIONS):
        raise UsageError("the question of a request is unknown", expected=", ".join(QUESTIONS), code="website-request")
    if request.get("ask") == "command" and not isinstance(request.get("command"), str):
        raise UsageError("the command line is not a string", expected=form, code="website-request")
    if request.get("ask") == "change" and not _is_wish(request.get("change")):
        raise UsageError("the change has no effect", expected="{document, path, text}", code="website-request")
    names = set()
    for file in request["files"]:
        if not isinstance(file, dict) or not all(isinstance(file.get(key), str) for key in ("name", "text")):
            raise UsageError("a file of a request has no name or no text", expected=form, code="website-request")
        if file.get("role", "input") not in ("input", "values"):
            raise UsageError("the role of a file is unknown", expected="input or values", code="website-request")
        name = file["name"]
        if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or "\0" in name:
            raise UsageError(
                f"{name!r} is not the name of a file",
                expected="a path from here on, such as config/app.yml",
                code="website-request",
            )
        if len(name) > _LONGEST_NAME:
            raise UsageError(f"the name of a file has at most {_LONGEST_NAME} characters", code="website-request")
        if name in names:
            raise UsageError(f'two files are called "{name}"', code="website-request")
        names.add(name)


def _is_wish(given: object) -> bool:
    kinds = {"document": int, "path": str, "text": str}
    return isinstance(given, dict) and all(isinstance(given.get(key), kind) for key, kind in kinds.items())


def documents_of(request: Request) -> Documents:
    """The output of the command with histories. Raises PlaitError."""
    inputs = {file["name"]: file["text"] for file in request["files"] if file.get("role") != "values"}
    values = {file["name"]: file["text"] for file in request["files"] if file.get("role") == "values"}
    match request["kind"]:
        case "render":
            return render(inputs, values_files=values or (), limits=LIMITS, trace=True)
        case "patch":
            if not inputs:
                raise UsageError(
                    "there is no file to patch",
                    hint="the first file that holds no values is the base",
                    code="website-request",
                )
            base, *operations = ({name: text} for name, text in inputs.items())
            return patch(base, operations, variables_files=values or (), limits=LIMITS, trace=True)
        case "layer":
            return layer({**inputs, **values}, limits=LIMITS, trace=True)
        case _:
            return _composed({**inputs, **values})


def _composed(inputs: Mapping[str, str]) -> Documents:
    if PIPELINE not in inputs:
        raise UsageError("there is no pipeline", expected=f"a file {PIPELINE}", code="website-request")
    with seen(InputView(environment={})):
        return compose(PIPELINE, limits=LIMITS, trace=True)


def _lines(mappings: Sequence[MapEntry], histories: Mapping[int, History]) -> list[Line]:
    found: list[Line] = []
    for one in mappings:
        line, action, source = one["line"], one["action"], one.get("source")
        history = histories.get(line)
        place = {"document": one["document"], "path": one["path"]}
        if history is not None and history.place.number == one["document"] and history.place.path == one["path"]:
            entry = deciding(history)
            span = None if entry is None else span_of(entry.source, entry.line)
            if entry is not None and span is not None:
                action, source = entry.action, span
        where: Span | None = None if source is None else {"file": source["file"], "line": source["line"]}
        found.append({"line": line, **place, "action": action, "source": where, "flag": one.get("flag", "")})  # type: ignore[typeddict-item]
    return found


def deciding(history: History) -> HistoryEntry | None:
    """The entry where the value is written: the last one, or the only one from which it has the value."""
    standing = history.standing()
    entry = standing[-1] if standing else None
    while entry is not None:
        origins = [
            one for one in entry.origins if one.has_value and one.state != OVERRIDDEN and one.action not in STRUCTURAL
        ]
        if len(origins) != 1 or origins[0].source is None or shown(origins[0].value) != shown(entry.value):
            break
        entry = origins[0]
    return entry


def _matches(documents: Documents, mappings: Sequence[MapEntry]) -> list[Match]:
    """The effects of the overlay documents on the output."""
    trace = documents.trace
    if trace is None or not trace.matches:
        return []
    spans: dict[int, tuple[int, int]] = {}
    for mapping in mappings:
        first, last = spans.get(mapping["document"], (mapping["line"], mapping["line"]))
        spans[mapping["document"]] = min(first, mapping["line"]), max(last, mapping["line"])
    numbers: dict[Item, int] = {}
    for number, document in enumerate(documents.nodes.items):
        # A changed document is a copy of the original.
        item: Item | None = document
        while item is not None:
            numbers[item] = number
            item = trace.copies.get(item)
    found: list[Match] = []
    for right, many in trace.matches.items():
        if right.source is not None:
            lines = [spans[numbers[one.left]] for one in many if numbers.get(one.left) in spans]
            changed = sum(one.changed for one in many)
            found.append({"file": right.source.shown, "line": right.line, "lines": lines, "changed": changed})
    return found


def lines_of(documents: Documents, nodes: DocumentSet, output: str) -> list[Line]:
    """The values of the intermediate documents of a run, by line."""
    mappings = mappings_of(documents, nodes, output)
    return _lines(mappings, _histories(documents, nodes, mappings, None))


def _histories(
    documents: Documents, nodes: DocumentSet, mappings: Sequence[MapEntry], asked: int | None
) -> dict[int, History]:
    """The history of the first value on each output line, by line."""
    firsts: dict[tuple[int, str], int] = {}
    seen: set[int] = set()
    for mapping in mappings:
        line = mapping["line"]
        if line not in seen and asked in (None, line):
            seen.add(line)
            firsts[mapping["document"], mapping["path"]] = line
    if documents.trace is None or not firsts or (asked is None and len(firsts) > MOST_HISTORIES):
        return {}
    found = histories(documents.trace, nodes.items)
    places = ((firsts.get((one.place.number, one.place.path)), one) for one in found)
    return {line: history for line, history in places if line is not None}


def _sources(names: Sequence[str], lines: Sequence[Line], histories: Mapping[int, History]) -> list[str]:
    """The files that contributed values, in order of application if histories show it; otherwise in the given order."""
    deciding = {line["source"]["file"] for line in lines if line["source"] is not None}
    before: dict[str, set[str]] = {}
    for history in histories.values():
        earlier: list[str] = []
        for entry in history.entries:
            for file in _files(entry):
                if file not in earlier:
                    before.setdefault(file, set()).update(earlier)
                    earlier.append(file)
    deciding |= before.keys()
    waiting = [name for name in names if name in deciding] + sorted(deciding.difference(names))
    ordered: list[str] = []
    while waiting:
        ready = (name for name in waiting if before.get(name, set()).isdisjoint(waiting))
        ordered.append(next(ready, waiting[0]))
        waiting.remove(ordered[-1])
    return ordered


def _files(entry: HistoryEntry) -> Iterator[str]:
    """The files of an entry, those of its origins first."""
    for origin in entry.origins:
        if origin.action not in STRUCTURAL:
            yield from _files(origin)
    if entry.source is not None:
        yield entry.source.shown


# The overlay item and its match; the entry of the change itself is listed separately.
STRUCTURAL = ("overlay", "overlay match")
_DEEPEST = 6


def _why(line: int, history: History) -> Why:
    entries: dict[tuple[str, str], Told] = {}
    decides = deciding(history)
    for entry in history.entries:
        _tell(entry, 0, entries, decides, is_secret=history.secret)
    return {
        "line": line,
        "name": f"{history.place}",
        "value": HIDDEN if history.secret else shown(history.value),
        "entries": list(entries.values()),
    }


def _tell(
    entry: HistoryEntry,
    depth: int,
    entries: dict[tuple[str, str], Told],
    decides: HistoryEntry | None,
    *,
    is_secret: bool,
) -> None:
    """Adds an entry and its origins. Origins of earlier entries are not repeated."""
    key = entry.action, entry.place
    if key in entries or depth > _DEEPEST:
        return
    is_secret = is_secret or entry.secret
    value = (HIDDEN if is_secret else shown(entry.value)) if entry.has_value else None
    entries[key] = {
        "action": entry.action,
        "place": entry.place,
        "file": None if entry.source is None else entry.source.shown,
        "line": None if entry.source is None else entry.line,
        "value": value,
        "state": entry.state,
        "text": None if entry.text is None or is_secret else entry.text.strip(),
        "depth": depth,
        "decides": entry is decides,
    }
    for origin in entry.origins:
        if origin.action not in STRUCTURAL:
            _tell(origin, depth + 1, entries, decides, is_secret=is_secret)


def contributing(entries: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    """Entries with their origins, without overlay items and matches."""
    for entry in entries:
        if entry.action not in STRUCTURAL:
            yield entry
            yield from contributing(entry.origins)


def mappings_of(documents: Documents, nodes: DocumentSet, output: str | None = None) -> list[MapEntry]:
    """The source map entries of values in the printed documents; empty if there are none. output: the printed text."""
    if documents.trace is None or not nodes.items:
        return []
    mappings: list[MapEntry] = source_map(documents.trace, nodes, output)["mappings"]  # type: ignore[assignment]
    return [mapping for mapping in mappings if "document" in mapping and "line" in mapping]


def fault(finding: Diagnostic) -> Fault:
    """A diagnostic as plain data."""
    made = message_of(finding)
    at = finding.focus or finding.at
    source = None if at is None else at.source
    return {
        "code": made.code.code,
        "title": made.code.summary,
        "severity": made.level,
        "message": made.text,
        "file": made.file or None,
        "line": made.line or None,
        "column": made.column,
        "end": made.end,
        "text": None if source is None or not made.line else source.line(made.line),
        "expected": finding.expected,
        "found": finding.found,
        "hint": made.hint,
        "also": [{"file": one.file, "line": one.line} for one in made.also if one.file and one.line],
        "suggestions": [{"kind": one.kind, "old": one.old, "new": one.new} for one in finding.suggestions],
    }


def span_of(source: Source | None, line: int) -> Span | None:
    """A position as plain data; None for one in no file, or of no line."""
    return {"file": source.shown, "line": line} if source is not None and line > 0 else None


def short_name(path: str) -> str:
    """The name of a file without its directory and extension."""
    return os.path.splitext(os.path.basename(path))[0]


def _answer(
    *,
    output: str = "",
    files: Mapping[str, str] | None = None,
    sources: Sequence[str] = (),
    lines: Sequence[Line] = (),
    histories: Sequence[Why] = (),
    matches: Sequence[Match] = (),
    warnings: Sequence[Fault] = (),
    printed: Sequence[str] = (),
    errors: Sequence[Fault] = (),
    report: str = "",
) -> Answer:
    return {
        "output": output,
        "files": dict(files or {}),
        "sources": list(sources),
        "lines": list(lines),
        "histories": list(histories),
        "matches": list(matches),
        "warnings": list(warnings),
        "printed": list(printed),
        "errors": list(errors),
        "report": report,
    }
