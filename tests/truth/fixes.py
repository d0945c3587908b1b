"""Quick fixes: a misspelt annotation, name or data value has a fix that brings the output back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from plait.authoring.analysis.file_facts import OPS, TEMPLATE
from plait.authoring.lsp import claims, code_actions
from truth.projects import Subject
from truth.rows import Row

NAME = "fixes"
_NAME = re.compile(r"\w{4,}")


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Misspell annotations, names and data values; one of the fixes on a line has to bring the output back."""
    row = Row(NAME)
    places = [*_places(subject)]
    random.Random(seed).shuffle(places)
    for place in places[:tries]:
        _try(subject, *place, row)
    return row


def _places(subject: Subject) -> Iterator[tuple[str, int, int, int]]:
    """The places of words to misspell: path, line, and the columns of the word."""
    symbols = subject.symbols()
    for path in symbols.paths:
        operations = subject.state.file(path)
        if operations is not None and operations.kind == OPS:
            for number, text in enumerate(operations.lines, 1):
                if re.match(r"[- ] path: /", text):
                    names = [*re.finditer(r"(?<=[/=])[A-Za-z][\w-]{3,}(?=[/?]|$)", text)]
                    yield from ((path, number, one.start() + 1, one.end() + 1) for one in names[:-1])
    for path, file in symbols.files.items():
        if file.kind != TEMPLATE or "_ytt_lib" in path:
            continue
        for name, line, column in file.annotations():
            if "/" in name:
                yield path, line, column + 1, column + 1 + len(name)
        for one in file.names.lookups:
            if one.path is not None and len(one.key) > 3:
                yield path, one.key.line, one.key.column, one.key.end
        for other in file.names.occurrences:
            if not other.is_binding and _NAME.fullmatch(other.name):
                yield path, other.line, other.column, other.end


def _try(subject: Subject, path: str, line: int, column: int, end: int, row: Row) -> None:
    state = subject.state
    before = Path(path).read_text("utf-8")
    lines = before.split("\n")
    word = lines[line - 1][column - 1 : end - 1]
    misspelt = f"{word[:-2]}{word[-1]}{word[-2]}" if word[-1] != word[-2] else f"{word}x"
    lines[line - 1] = lines[line - 1][: column - 1] + misspelt + lines[line - 1][end - 1 :]
    where = f"{subject.shown(path)}:{line}:{column}: {misspelt} for {word}"
    state.open(path, "\n".join(lines))
    try:
        subject.wait()
        offered = [fix for _, fix in code_actions.fixes(state, path, max(line - 3, 1), line + 3)]
        for fix in offered:
            if not subject.differences_with(claims.edited(state, fix.edits, broken=True)):
                row.held += 1
                return
        different = subject.differences_with({path: "\n".join(lines).encode()})
        if different and not offered and not any("fails:" in one for one in different):
            row.computed["the other word is valid as well"] += 1
        elif not different:
            row.computed["the word has no part in the output"] += 1
        elif offered:
            row.wrong.append(f"{where}: {[fix.title for fix in offered]}")
        else:
            row.refused[f"{where}: nothing is offered"] += 1
    finally:
        state.open(path, before)
        subject.wait()
        state.close(path)
        subject.wait()
