"""The edits that give something another name, wherever it stands."""

from __future__ import annotations

import re

from plait.analysis.files import LAYER
from plait.layering.validation import SCHEMA_PATTERN
from plait.lsp import families, variables
from plait.lsp.answers import Edit, Span
from plait.lsp.navigation import data_value_at, references
from plait.starlark.scan import KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.lsp.state import State

_VARIABLE = re.compile(r"[\w/-]+$")
_PLAIN = re.compile(r"[^\s\"'#:,\[\]{}]+$")


class RefusedError(Exception):
    """A name that what is renamed cannot have."""


def rename(state: State, path: str, line: int, column: int, new: str) -> list[Edit]:
    """The edits; none where nothing has a name. Raises RefusedError."""
    spans = _spans(state, path, line, column)
    own = _own(spans, path, line, column)
    if own is None:
        return []
    old = _text(state, own)
    if new == old:
        return []
    _check(state, path, line, column, new)
    # A line that a name stands on in another form, such as a flag, is not touched.
    return [Edit(span, new) for span in spans if _text(state, span) == old]


def renamed_at(state: State, path: str, line: int, column: int) -> Span | None:
    """What would be renamed: the name at a place; None if it is nothing that has a name of its own."""
    return _own(_spans(state, path, line, column), path, line, column)


def _spans(state: State, path: str, line: int, column: int) -> list[Span]:
    file = state.file(path)
    if file is not None and file.kind == LAYER:
        return families.named(state, file, line, column)
    return [*dict.fromkeys(references(state, path, line, column))]


def _own(spans: Iterable[Span], path: str, line: int, column: int) -> Span | None:
    found = [one for one in spans if one.path == path and one.line == line and one.column <= column <= one.end]
    return found[0] if found else None


def _text(state: State, span: Span) -> str:
    file = state.file(span.path)
    return "" if file is None else file.line(span.line)[span.column - 1 : span.end - 1]


def _check(state: State, path: str, line: int, column: int, new: str) -> None:
    file = state.file(path)
    assert file is not None
    if file.kind == LAYER:
        if not _PLAIN.match(new):
            raise RefusedError(f"{new!r} would have to be quoted as the name of a document")
        if families.is_schema_at(file, line, column) and (
            not re.search(SCHEMA_PATTERN, new) or new.startswith(families.BUILT_IN)
        ):
            raise RefusedError(f"{new!r} is no schema of a site's own, such as example/Server/v1")
        return
    if variables.name_at(file, line, column) is not None or variables.given_at(state, file, line) is not None:
        if not _VARIABLE.match(new):
            raise RefusedError(f"{new!r} is no name of a variable: letters, digits, _, - and / can be in one")
        return
    if not new.isidentifier() or new in KEYWORDS:
        raise RefusedError(f"{new!r} is no name: it begins with a letter or _, and has letters, digits and _ in it")
    if data_value_at(file, line, column) is None and new in file.names.visible(line):
        raise RefusedError(f"there is a {new} already")
