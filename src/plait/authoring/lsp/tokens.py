"""Semantic tokens of code: annotations, names, members, variables."""

from __future__ import annotations

import re

from plait.authoring.analysis.file_facts import OPS, TEMPLATE
from plait.authoring.lsp.features import SemanticToken
from plait.ytt.starlark.scan import KEYWORDS
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.state import ServerState

# The types of tokens; the index is the number in the protocol.
KINDS = ("decorator", "function", "keyword", "namespace", "parameter", "property", "variable")

_KEYWORD = re.compile(rf"\b({'|'.join(sorted({*KEYWORDS, 'end'}))})(/end)?\b")
_PLACEHOLDER = re.compile(r"\(\(!?([\w./-]+)\)\)")
# A string that is open goes to the end.
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|#.*")


def tokens(state: ServerState, path: str) -> list[SemanticToken]:
    """The tokens of a file, in text order and without overlaps."""
    file = state.file(path)
    if file is None:
        return []
    if file.kind == OPS:
        found = list(_placeholders(file))
    elif file.kind in (TEMPLATE, STARLARK):
        found = [*_annotations(file), *_names(file), *_keywords(file)]
    else:
        return []
    out: list[SemanticToken] = []
    for token in sorted(found, key=lambda one: (one.line, one.column, -one.end)):
        if not out or (token.line, token.column) >= (out[-1].line, out[-1].end):
            out.append(token)
    return out


def _placeholders(file: File) -> Iterator[SemanticToken]:
    for line, text in enumerate(file.lines, 1):
        for found in _PLACEHOLDER.finditer(text):
            yield SemanticToken(line, found.start(1) + 1, found.end(1) + 1, "variable")


def _annotations(file: File) -> Iterator[SemanticToken]:
    for name, line, column in file.annotations():
        yield SemanticToken(line, column, column + len(name) + 1, "decorator")


def _names(file: File) -> Iterator[SemanticToken]:
    names = file.names
    functions = {function.name for function in names.functions}
    modules = {here for load in names.loads if load.path.startswith("@") for here, _, _ in load.names}
    parameters = {(one.name, one.scope) for one in names.occurrences if one.is_parameter}
    for one in names.occurrences:
        if one.name in functions:
            kind = "function"
        elif one.name in modules and one.scope is names.program:
            kind = "namespace"
        else:
            kind = "parameter" if (one.name, one.scope) in parameters else "variable"
        yield SemanticToken(one.line, one.column, one.end, kind)
    for chain in names.chains:
        for name, line, column in chain.parts[1:]:
            yield SemanticToken(line, column, column + len(name), "property")


def _keywords(file: File) -> Iterator[SemanticToken]:
    for line, text in enumerate(file.lines, 1):
        start = 0
        if file.kind == TEMPLATE:
            start = text.find("#@ ") + 3
            if start < 3:
                continue
        code = text[:start] + _QUOTED.sub(lambda found: " " * len(found[0]), text[start:])
        for found in _KEYWORD.finditer(code, start):
            yield SemanticToken(line, found.start() + 1, found.end() + 1, "keyword")
