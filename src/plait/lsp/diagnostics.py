"""Problems of a file: by itself, and in the runs that read it."""

from __future__ import annotations

import json
import os
import re

from plait.analysis.files import OPS, PROJECT
from plait.analysis.places import path_of
from plait.diagnostics import diagnostic_of
from plait.errors import Advice, Finding
from plait.lsp import kinds, projectfile
from plait.lsp.answers import Edit, Fix, Problem, Span
from plait.lsp.linting import notes
from plait.lsp.unused import WARNING, unused
from plait.suggestions import REPLACE
from plait.templates.recovery import STARLARK, findings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.analysis.files import File
    from plait.lsp.state import State
    from plait.project.run import Run
    from plait.source import Position

ERROR = "error"

_MEANT = re.compile(r"did you mean (?:to write )?([^?]+)\?")
_ONE_OF = re.compile(r",? or |, ")
_ONE_WORD = re.compile(r"[\w./-]+$")
_VALUE = re.compile(r"^(\s*(?:- )*(?:[\w./-]+:)? *)(\S.*?)\s*$")
_NO_NAMES = frozenset({"name"})
_QUOTED = re.compile(r'"([^"]+)"|\'([^\']+)\'|undefined: (\S+)|has no \.(\w+)')


def problems(state: State, path: str) -> list[Problem]:
    """All that is wrong with a file. What the runs that read it say comes once, however many there are."""
    if kinds.is_schema(state, path):
        return [*kinds.of_schemas(state, path)]
    file = state.file(path)
    if file is None:
        return []
    found = [_problem(file, finding, "syntax") for finding in file.faults]
    known = {problem.span.line for problem in found}
    for watched in state.runs_of(path):
        evaluation = watched.evaluation
        if evaluation is None or file.recovered.cut or not state.is_current(evaluation, path):
            continue
        for finding in evaluation.findings():
            at = _in_file(finding, path)
            if at is not None and at.line not in known:
                known.add(at.line)
                found.append(_problem(file, finding, "run", at, run=watched.run))
    for error in state.registry.errors.values():
        for finding in findings_of(error):
            if path_of(finding.at.source if finding.at else None) == path:
                found.append(_problem(file, finding, "project"))
    if file.kind == PROJECT:
        told = {problem.span.line for problem in found}
        found += [problem for problem in projectfile.problems(file) if problem.span.line not in told]
    found += _warnings(state, file)
    found += kinds.problems(state, file)
    found += unused(state, file)
    found += notes(file)
    return found


def _warnings(state: State, file: File) -> Iterator[Problem]:
    """The warnings of the runs, at the lines that they name."""
    seen: set[str] = set()
    for watched in state.runs_of(file.path):
        evaluation = watched.evaluation
        if evaluation is None or not evaluation.warnings or not state.is_current(evaluation, file.path):
            continue
        for text in evaluation.warnings:
            found = diagnostic_of(text)
            at = found.at
            if at is None or at.line < 1 or text in seen or path_of(at.source) != file.path:
                continue
            seen.add(text)
            line = at.line
            content = file.line(line)
            start = len(content) - len(content.lstrip())
            span = Span(file.path, line, start + 1, max(len(content.rstrip()), start + 1) + 1)
            message = f"{found.message}\nin the run {watched.run.name}"
            yield Problem(span, WARNING, message, "run", fixes=[*_replacements(file, line, found)])


def _replacements(file: File, line: int, finding: Finding) -> Iterator[Fix]:
    """The edits of a line that replace a word as a diagnostic suggests."""
    text = file.line(line)
    for one in finding.suggestions:
        place = _word(text, one.old) if one.kind == REPLACE else -1
        if place >= 0:
            yield Fix(
                f"Change to {one.new}", [Edit(Span(file.path, line, place + 1, place + 1 + len(one.old)), one.new)]
            )


def _in_file(finding: Finding, path: str) -> Position | None:
    """The position of a finding in a file: its own, or that of the innermost step that led to it; None if there is
    none.
    """
    if finding.at is not None and path_of(finding.at.source) == path:
        return finding.at
    for at in (*finding.also, *(step.at for step in finding.trail)):
        if at is not None and path_of(at.source) == path:
            return at
    return None


def _problem(file: File, finding: Finding, code: str, at: Position | None = None, *, run: Run | None = None) -> Problem:
    at = at or finding.at
    span = span_of(file, at, finding)
    text = finding.message
    if finding.expected:
        text += f"\nexpected: {finding.expected}"
    if finding.found:
        text += f"\nfound: {finding.found}"
    if finding.hint and not (
        isinstance(finding.hint, Advice) and finding.hint.names("limit")
    ):  # nobody can set it here
        text += f"\nhint: {finding.hint}"
    if run is not None:
        text = f"{text}\nin the run {run.name}".replace(os.path.join(run.directory, ""), "")
    also = []
    for place, words in [
        (None if at is finding.at else finding.at, "here"),
        *((one, "also here") for one in finding.also),
    ]:
        path = None if place is None else path_of(place.source)
        if place is not None and path is not None and (path, place.line) != (span.path, span.line):
            also.append((Span(path, place.line, 1, 1 << 16), words))
    return Problem(span, ERROR, text, code, also, list(_fixes(file, span, finding)))


def span_of(file: File, at: Position | None, finding: Finding) -> Span:
    """The part of a line that a finding is about: what it names, if that stands there, else all that is on the line."""
    line = 1 if at is None else max(at.line, 1)
    lines = [line]
    if file.kind == OPS:
        lines = [_line_of_path(file, line)]
    elif "number of matched nodes" in finding.message:
        # What it is to match stands in it, or in the annotation above.
        lines = [line, _line_of_matcher(file, line)]
    else:
        # Code in a block scalar is on another line than the engine says.
        lines += [number for number, told in file.names.told.items() if told == line]
    said = f"{finding.message} {finding.expected or ''}"
    named = [next(filter(None, found.groups())) for found in _QUOTED.finditer(said)]
    if finding.found and _ONE_WORD.match(finding.found):
        named.append(finding.found)
    for number in lines:
        for word in named:
            place = _word(file.line(number), word)
            if place >= 0 and word not in _NO_NAMES:
                return Span(file.path, number, place + 1, place + 1 + len(word))
    text = file.line(lines[-1])
    start = len(text) - len(text.lstrip())
    if at is not None and at.line == lines[-1] and at.column is not None and at.column > 1:
        start = min(at.column - 1, max(len(text) - 1, 0))
    return Span(file.path, lines[-1], start + 1, max(len(text.rstrip()), start + 1) + 1)


def _line_of_matcher(file: File, line: int) -> int:
    """The line of the annotation that says what the node on a line matches; the node's if none does."""
    number = line - 1
    while file.line(number).lstrip().startswith("#"):
        if "#@overlay/match" in file.line(number):
            return number
        number -= 1
    return line


def _line_of_path(file: File, line: int) -> int:
    """The line of the path of the operation that begins on a line."""
    for number in range(line, min(line + 8, len(file.lines)) + 1):
        text = file.line(number).lstrip()
        if number > line and text.startswith("- "):
            break
        if text.removeprefix("- ").startswith("path:"):
            return number
    return line


def _word(text: str, word: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return found.start() if found else -1


def _fixes(file: File, span: Span, finding: Finding) -> Iterator[Fix]:
    """The hint of an error as an edit."""
    hint = finding.hint or ""
    text = file.line(span.line)
    word = text[span.column - 1 : span.end - 1]
    meant = [] if " " in word else [one for one in _meant(f"{hint} {finding.message}") if one != word]
    for one in meant:
        yield Fix(f"Change to {one}", [Edit(span, one)])
    if finding.message == f"undefined: {word}" and not meant:
        yield Fix("Put it in quotes", [Edit(span, json.dumps(word, ensure_ascii=False))])
    matcher = _line_of_matcher(file, span.line) if "#@overlay/match" not in text else span.line
    rule = file.line(matcher).rstrip()
    if "missing_ok=True" in hint and "#@overlay/match" in rule and "missing_ok" not in rule:
        end = Span(file.path, matcher, len(rule) + 1, len(rule) + 1)
        comma = "," if "=" in rule else ""
        yield Fix("Add missing_ok=True", [Edit(end, f"{comma} missing_ok=True")])
    if hint.startswith("load it first: "):
        yield Fix(f"Add {hint.removeprefix('load it first: ')}", [at_top(file, hint.removeprefix("load it first: "))])
    if hint.startswith("write '#!'") and "#" in text:
        place = text.index("#")
        yield Fix(
            "Make it a comment of the template: #!", [Edit(Span(file.path, span.line, place + 1, place + 2), "#!")]
        )
    if "missing colon" in hint:
        end = Span(file.path, span.line, len(text.rstrip()) + 1, len(text.rstrip()) + 1)
        yield Fix("Add a colon", [Edit(end, ":")])
    if "in quotes" in hint:
        value = _VALUE.match(text)
        if value is not None:
            written = Span(file.path, span.line, len(value[1]) + 1, len(value[1]) + len(value[2]) + 1)
            yield Fix("Put it in quotes", [Edit(written, json.dumps(value[2], ensure_ascii=False))])
    if finding.message.startswith("no key") and file.kind == OPS and text.lstrip(" -").startswith("path:"):
        # What is missing, and all that is below it.
        behind = Span(file.path, span.line, span.end, span.end)
        yield Fix("Make what is missing: add ?", [Edit(behind, "?")])


def _meant(text: str) -> list[str]:
    """The names that a hint takes for what was meant."""
    found = _MEANT.search(text)
    names = [] if found is None else [name.strip('"').lstrip(".") for name in _ONE_OF.split(found[1])]
    return [name for name in names if name and " " not in name]


def at_top(file: File, code: str) -> Edit:
    """A line of code at the top of a file."""
    return Edit(Span(file.path, 1, 1, 1), f"{code}\n" if file.kind == STARLARK else f"#@ {code}\n")
