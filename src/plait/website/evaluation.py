"""Requests of the playground's page: evaluates files in memory and returns plain data.

    evaluate({"kind": "render", "files": [{"name": "app.yml", "text": "port: 80"}]})

A file has a role: "input", or "values" for data values and variables. Of `patch` the first input is the base, and the others
are operations; of `compose` the file `plait.yml` is the pipeline.
"""

from __future__ import annotations

import json
import os

from plait.engine.results import Rendered
from plait.errors import PlaitError, UsageError, as_finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NotRequired, TypedDict

    from plait.engine.kinds import Limits
    from plait.engine.results import Documents
    from plait.errors import Finding
    from plait.nodes import Item

    class File(TypedDict):
        name: str
        text: str
        role: NotRequired[str]

    class Request(TypedDict):
        """kind: of KINDS. explain: the line of the output whose value's history is asked for."""

        kind: str
        files: list[File]
        explain: NotRequired[int]

    class Fault(TypedDict):
        message: str
        file: str | None
        line: int | None
        text: str | None
        expected: str | None
        found: str | None
        hint: str | None

    class Span(TypedDict):
        file: str
        line: int

    class MapEntry(TypedDict):
        """The part of a source map entry that is read here."""

        document: int
        path: str
        line: int
        action: str
        source: NotRequired[Span]
        flag: NotRequired[str]

    class Line(TypedDict):
        """A value of the output: its line there, where it is in its document, what made it, where that is written."""

        line: int
        path: str
        action: str
        source: str

    class Match(TypedDict):
        """The effect of an overlay document. file, line: its position. lines: the first and the last output line of
        each document it matched. changed: the number of these that it changed.
        """

        file: str
        line: int
        lines: list[tuple[int, int]]
        changed: int

    class Answer(TypedDict):
        """output: as the command line prints it. files: the output files of `render`. report: the errors as text.

        history: of the line that was asked for, None if no value stands there.
        """

        output: str
        files: dict[str, str]
        lines: list[Line]
        matches: list[Match]
        warnings: list[str]
        printed: list[str]
        errors: list[Fault]
        report: str
        history: str | None


KINDS = ("render", "patch", "layer", "compose")
PIPELINE = "plait.yml"
# Somebody waits for the answer, and a page shows it.
LIMITS: Limits = {"seconds": 10, "output": 2_000_000, "memory": 256 << 20}


def evaluate(request: Request) -> Answer:
    """The answer to a request. What is wrong with the files stands in its `errors`.

    The files of a pipeline are read from the working directory, see `lay_out`; those of all others from the request.
    Raises UsageError for what is no request.
    """
    _check(request)
    try:
        documents = _documents(request)
        output = documents.to_yaml()
        mappings = _mappings(documents, output)
        lines = _lines(mappings)
        matches = _matches(documents, mappings)
        history = _history(documents, request["explain"], mappings) if "explain" in request else None
    except PlaitError as error:
        return _answer(errors=[_fault(one) for one in error.findings or [as_finding(error)]], report=error.report())
    return _answer(
        output=output,
        files=documents.files if isinstance(documents, Rendered) else {},
        lines=lines,
        matches=matches,
        warnings=documents.warnings,
        printed=documents.printed,
        history=history,
    )


def _check(request: Request) -> None:
    """Raises UsageError for what is no request: it comes from outside, and no type holds for it."""
    form = "{kind, files: [{name, text, role}], explain}"
    if not isinstance(request, dict) or not isinstance(request.get("files"), list):
        raise UsageError("no request", expected=form, code="website-request")
    if request.get("kind") not in KINDS:
        raise UsageError("the kind of a request is unknown", expected=", ".join(KINDS), code="website-request")
    if not isinstance(request.get("explain", 0), int):
        raise UsageError("the line to explain is no number", expected=form, code="website-request")
    names = set()
    for file in request["files"]:
        if not isinstance(file, dict) or not all(isinstance(file.get(key), str) for key in ("name", "text")):
            raise UsageError("a file of a request has no name or no text", expected=form, code="website-request")
        if file.get("role", "input") not in ("input", "values"):
            raise UsageError("the role of a file is unknown", expected="input or values", code="website-request")
        name = file["name"]
        if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or "\0" in name:
            raise UsageError(
                f"{name!r} is no name of a file",
                expected="a path from here on, such as config/app.yml",
                code="website-request",
            )
        if name in names:
            raise UsageError(f'two files are called "{name}"', code="website-request")
        names.add(name)


def _documents(request: Request) -> Documents:
    """The output of the command with histories. Raises PlaitError."""
    inputs = {file["name"]: file["text"] for file in request["files"] if file.get("role") != "values"}
    values = {file["name"]: file["text"] for file in request["files"] if file.get("role") == "values"}
    match request["kind"]:
        case "render":
            from plait.api.rendering import render

            return render(inputs, values_files=values or (), limits=LIMITS, trace=True)
        case "patch":
            from plait.api.patching import patch

            if not inputs:
                raise UsageError(
                    "there is no file to patch",
                    hint="the first file that holds no values is the base",
                    code="website-request",
                )
            base, *operations = ({name: text} for name, text in inputs.items())
            return patch(base, operations, variables_files=values or (), limits=LIMITS, trace=True)
        case "layer":
            from plait.api.layering import layer

            return layer({**inputs, **values}, limits=LIMITS, trace=True)
        case _:
            return _composed({**inputs, **values})


def respond(text: str) -> str:
    """The answer to a request, both JSON, where nothing else is done: in a browser. What is no request is `refused`."""
    from contextlib import chdir

    from plait.writing import temporary

    request = json.loads(text)
    with temporary("plait-") as place, chdir(place.real):
        try:
            lay_out(request)
            return json.dumps(evaluate(request))
        except UsageError as error:
            return json.dumps({"refused": str(error)})


def lay_out(request: Request) -> None:
    """Write the files of a pipeline to the working directory, where it finds them by name. Raises UsageError."""
    from plait.writing import strict

    _check(request)
    for file in request["files"] if request["kind"] == "compose" else ():
        above, name = os.path.split(file["name"])
        with strict(above, os.curdir, make=0o700) as directory:
            directory.create(name, [file["text"].encode()], new_mode=0o600)


def _composed(inputs: Mapping[str, str]) -> Documents:
    from plait.api.composing import compose
    from plait.view import View, seen

    if PIPELINE not in inputs:
        raise UsageError("there is no pipeline", expected=f"a file {PIPELINE}", code="website-request")
    with seen(View(environment={})):
        return compose(PIPELINE, limits=LIMITS, trace=True)


def _lines(mappings: Sequence[MapEntry]) -> list[Line]:
    return [
        {
            "line": mapping["line"],
            "path": mapping["path"],
            "action": mapping["action"],
            "source": _place(mapping),
        }
        for mapping in mappings
    ]


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
        # A document that was changed is a copy of what it was.
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


def _place(mapping: MapEntry) -> str:
    return (
        f"{mapping['source']['file']}:{mapping['source']['line']}" if "source" in mapping else mapping.get("flag", "")
    )


def _history(documents: Documents, line: int, mappings: Sequence[MapEntry]) -> str | None:
    """The table of `plait explain` of the first value that stands on a line of the output."""
    from plait.tools.explain import histories
    from plait.tools.telling import to_text

    here = [(one["document"], one["path"]) for one in mappings if one["line"] == line]
    if not here or documents.trace is None:
        return None
    found = histories(documents.trace, documents.nodes.items)
    return next((to_text(one, around=True) for one in found if (one.place.number, one.place.path) == here[0]), None)


def _mappings(documents: Documents, output: str) -> list[MapEntry]:
    """The source map's values that stand in the output, which is none without a document."""
    from plait.tools.sourcemap import source_map

    if documents.trace is None or not documents.nodes.items:
        return []
    mappings: list[MapEntry] = source_map(documents.trace, documents.nodes, output)["mappings"]  # type: ignore[assignment]
    return [mapping for mapping in mappings if "document" in mapping and "line" in mapping]


def _fault(finding: Finding) -> Fault:
    at = finding.at
    source = None if at is None else at.source
    line = at.line if at is not None and source is not None and at.line > 0 else None
    return {
        "message": finding.message,
        "file": None if source is None else source.shown,
        "line": line,
        "text": None if source is None or line is None else source.line(line),
        "expected": finding.expected,
        "found": finding.found,
        "hint": finding.hint,
    }


def _answer(
    *,
    output: str = "",
    files: Mapping[str, str] | None = None,
    lines: Sequence[Line] = (),
    matches: Sequence[Match] = (),
    warnings: Sequence[str] = (),
    printed: Sequence[str] = (),
    errors: Sequence[Fault] = (),
    report: str = "",
    history: str | None = None,
) -> Answer:
    return {
        "output": output,
        "files": dict(files or {}),
        "lines": list(lines),
        "matches": list(matches),
        "warnings": list(warnings),
        "printed": list(printed),
        "errors": list(errors),
        "report": report,
        "history": history,
    }
