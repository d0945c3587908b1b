"""Semantic tokens: in order, without overlaps, and each is a word of the kind that it is said to be."""

from __future__ import annotations

import re

from plait.authoring.lsp import tokens
from plait.ytt.starlark.scan import KEYWORDS
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "tokens"
_KINDS = {
    "decorator": re.compile(r"#@[\w/-]+"),
    "function": re.compile(r"[A-Za-z_]\w*"),
    "keyword": re.compile(rf"({'|'.join(sorted({*KEYWORDS, 'end'}))})(/end)?"),
    "namespace": re.compile(r"[A-Za-z_]\w*"),
    "parameter": re.compile(r"[A-Za-z_]\w*"),
    "property": re.compile(r"[A-Za-z_]\w*"),
    "variable": re.compile(r"[\w./-]+"),
}


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Look at tokens of all files; an overlap counts for each of the two."""
    row = Row(NAME)
    found = []
    for path in sorted({path for name in subject.runs for path in subject.files(name)}):
        before = None
        for token in tokens.tokens(subject.state, path):
            overlaps = before is not None and (before.line, before.end) > (token.line, token.column)
            found.append((path, token, overlaps))
            before = token
    for number in sample(seed, found, tries):
        path, token, overlaps = found[number]
        file = subject.state.file(path)
        assert file is not None
        line = file.line(token.line)
        text = line[token.column - 1 : token.end - 1]
        left = line[: token.column - 1]
        where = f"{subject.shown(path)}:{token.line}:{token.column}: {token.kind} {text!r}"
        if overlaps:
            row.wrong.append(f"{where}: overlaps another")
        elif not _KINDS[token.kind].fullmatch(text):
            row.wrong.append(f"{where}: is not one")
        elif token.kind != "decorator" and left.lstrip().startswith("#!"):
            row.wrong.append(f"{where}: is in a comment")
        else:
            row.held += 1
    return row
