"""The problems of a file: in its text, and in the runs that read it."""

from __future__ import annotations

import os

from plait.authoring.analysis.file_facts import PROJECT
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.mending import mendings
from plait.authoring.lsp import projectfile, resource_schemas
from plait.authoring.lsp.features import EditorDiagnostic, FileRange, Fix
from plait.authoring.lsp.linting import fix_of, notes
from plait.authoring.lsp.unused_diagnostics import WARNING, unused
from plait.base.codes import number_of
from plait.base.errors import Finding
from plait.base.extents import extent, words_of
from plait.base.message_text import hint_of
from plait.base.source import Advice, Position
from plait.ytt.templates.recovery import findings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.state import ServerState
    from plait.authoring.project.run import Run
    from plait.base.errors import Warning

ERROR = "error"


def problems(state: ServerState, path: str) -> list[EditorDiagnostic]:
    """All problems of a file. Errors that several runs report are included once."""
    if resource_schemas.is_schema(state, path):
        return [*resource_schemas.of_schemas(state, path)]
    file = state.file(path)
    if file is None:
        return []
    found = [_problem(file, finding) for finding in file.faults]
    known = {problem.span.line for problem in found}
    for watched in state.runs_of(path):
        evaluation = watched.evaluation
        if evaluation is None or file.recovered.cut or not state.is_current(evaluation, path):
            continue
        for finding in evaluation.findings():
            at = _in_file(finding, path)
            if at is not None and at.line not in known:
                known.add(at.line)
                found.append(_problem(file, finding, at, run=watched.run))
    for error in state.registry.errors.values():
        for finding in findings_of(error):
            if path_of(finding.at.source if finding.at else None) == path:
                found.append(_problem(file, finding))
    if file.kind == PROJECT:
        told = {problem.span.line for problem in found}
        found += [problem for problem in projectfile.problems(file) if problem.span.line not in told]
    found += _warnings(state, file)
    found += resource_schemas.problems(state, file)
    found += unused(state, file)
    found += notes(file)
    return found


def _warnings(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """The warnings of the runs, at their lines."""
    seen: set[Warning] = set()
    for watched in state.runs_of(file.path):
        evaluation = watched.evaluation
        if evaluation is None or not evaluation.warnings or not state.is_current(evaluation, file.path):
            continue
        for text in evaluation.warnings:
            found = text.diagnostic
            at = found.at
            if at is None or at.line < 1 or text in seen or path_of(at.source) != file.path:
                continue
            seen.add(text)
            span = span_of(file, None, found)
            message = f"{found.message}\nin the run {watched.run.name}"
            yield EditorDiagnostic(
                span, WARNING, message, number_of(found.code), fixes=_fixes(file, span, found), found=found
            )


def _in_file(finding: Finding, path: str) -> Position | None:
    """The position of a finding in a file: its own, or that of the innermost frame in the file; None if there is
    none.
    """
    if finding.at is not None and path_of(finding.at.source) == path:
        return finding.at
    for at in (*finding.also, *(step.at for step in finding.stack)):
        if at is not None and path_of(at.source) == path:
            return at
    return None


def _problem(file: File, finding: Finding, at: Position | None = None, *, run: Run | None = None) -> EditorDiagnostic:
    span = span_of(file, None if at is finding.at else at, finding)
    at = at or finding.at
    text = finding.message
    if finding.expected:
        text += f"\nexpected: {finding.expected}"
    if finding.found:
        text += f"\nfound: {finding.found}"
    hint = hint_of(finding)
    if hint and not (isinstance(hint, Advice) and hint.names("limit")):  # it cannot be set here
        text += f"\nhint: {hint}"
    if run is not None:
        text = f"{text}\nin the run {run.name}".replace(os.path.join(run.directory, ""), "")
    also = []
    for place, words in [
        (None if at is finding.at else finding.at, "here"),
        *((one, one.label or "also here") for one in finding.also),
    ]:
        path = None if place is None else path_of(place.source)
        if place is not None and path is not None and (path, place.line) != (span.path, span.line):
            also.append((FileRange(path, place.line, 1, 1 << 16), words))
    return EditorDiagnostic(span, ERROR, text, number_of(finding.code), also, _fixes(file, span, finding), finding)


def span_of(file: File, at: Position | None, finding: Finding) -> FileRange:
    """The part of a line that a finding is about: the faulty word if it is on the line, else the whole line.

    at: a position that replaces the finding's own.
    """
    at = at or finding.focus or finding.at
    line = 1 if at is None else max(at.line, 1)
    words = words_of(finding)
    # Code in a block scalar has another line number in the engine.
    lines = [line, *(number for number, told in file.names.told.items() if told == line)]
    for number in lines:
        place = Position(file.source, number, at.column if at is not None and number == line else None)
        found = extent(finding, place)
        span = FileRange(file.path, number, 1, 1)
        if found is not None and found.column is not None and found.end is not None:
            span = FileRange(file.path, number, found.column, found.end)
        if file.line(number)[span.column - 1 : span.end - 1] in words:
            break
    return span


def _fixes(file: File, span: FileRange, finding: Finding) -> list[Fix]:
    """The suggestions of a finding as edits."""
    at = Position(file.source, span.line, span.column, span.end)
    return [fix_of(file, one) for one in mendings(file, finding, at)]
