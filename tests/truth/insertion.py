"""Completions, inserted: each one that is offered at a place gives a file that can be read, and names that exist."""

from __future__ import annotations

import random
import re

from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.lsp import completion
from plait.ytt.templates.directives import KNOWN
from plait.ytt.templates.recovery import STARLARK
from truth.projects import Subject
from truth.rows import Row

NAME = "insertion"
_REST = re.compile(r"^[\w.]*")
# Offers that are tried at one place.
_MOST = 40


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Complete at words of code and annotations, and insert each offer in the place of the word."""
    row = Row(NAME)
    places: list[tuple[str, int, int, int]] = []
    symbols = subject.symbols()
    for path, file in symbols.files.items():
        if file.kind not in (TEMPLATE, STARLARK) or file.faults:
            continue
        places += [(path, line, column, column + 1 + len(name)) for name, line, column in file.annotations()]
        places += [(path, one.key.line, one.key.column, one.key.end) for one in file.names.lookups if one.path]
        places += [(path, one.line, one.column, one.end) for one in file.names.occurrences if not one.is_binding]
    random.Random(seed).shuffle(places)
    for path, line, column, end in places[:tries]:
        _try(subject, path, line, column, end, row)
    return row


def _try(subject: Subject, path: str, line: int, column: int, end: int, row: Row) -> None:
    file = subject.state.file(path)
    assert file is not None
    text = file.line(line)
    word = text[column - 1 : end - 1]
    cursor = column + 1
    where = f"{subject.shown(path)}:{line}:{column}"
    # As an editor has it while one character is typed of the word, and nothing behind it.
    behind = "" if word.startswith("#@") else _REST.sub("", text[end - 1 :])
    cut = file.with_text(_with_line(file.lines, line, text[: cursor - 1] + behind))
    subject.state.open(path, cut.source.text)
    try:
        offered = completion.complete(subject.state, path, line, cursor)
    finally:
        subject.state.open(path, file.source.text)
        subject.state.close(path)
    if not any((one.text or one.label) == word for one in offered) and len(offered) < completion.MOST:
        row.wrong.append(f"{where}: {word} is not offered: {[one.label for one in offered[:8]]}")
        return
    before = len(file.faults)
    for one in offered[:_MOST]:
        if one.kind == "keyword":
            continue
        if one.kind == "annotation":
            if one.label.removeprefix("#") not in KNOWN:
                row.wrong.append(f"{where}: {one.label} is not an annotation")
                return
            continue
        edited = text[: one.start - 1] + (one.text or one.label) + text[end - 1 :]
        after = file.with_text(_with_line(file.lines, line, edited))
        new = [fault for fault in after.faults if fault.at is not None and fault.at.line == line]
        if len(after.faults) > before and new:
            row.wrong.append(f"{where}: {one.label}: {new[0].message}: {edited.strip()}")
            return
    row.held += 1


def _with_line(lines: list[str], line: int, text: str) -> str:
    return "\n".join([*lines[: line - 1], text, *lines[line:]])
