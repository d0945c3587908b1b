"""Renames a name everywhere.

Every rename is verified: it is offered only if the output of all runs that read an edited file stays the same (see
`claims`).
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from plait.authoring.analysis.file_facts import LAYER
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.symbols import NameOccurrence, Symbols
from plait.authoring.analysis.verifying import Unverified
from plait.authoring.lsp import claims, layering_navigation, variables
from plait.authoring.lsp.features import FileEdit, FileRange
from plait.base.errors import PlaitError
from plait.layering.validation import SCHEMA_PATTERN
from plait.tree.nodes import Map, equal
from plait.ytt.starlark.scan import KEYWORDS, RESERVED
from plait.ytt.templates.recovery import findings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from plait.authoring.analysis.verifying import CheckBudget, EditEffect
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document

_VARIABLE = re.compile(r"[\w/-]+$")
_PLAIN = re.compile(r"[^\s\"'#:,\[\]{}]+$")
# Maximum number of attempts. Each adds occurrences found in the errors of the previous one.
_MOST_TRIES = 12
# Maximum number of lines between an annotation and its node.
_ANNOTATIONS = 10


class RenameError(Exception):
    """A rejected rename. is_computed: a program computes the name, or uses it as data."""

    def __init__(self, reason: str, *, is_computed: bool = False) -> None:
        super().__init__(reason)
        self.is_computed = is_computed


class Renaming(NamedTuple):
    """The edits of a rename. doubt: the reason why it is not verified, or ""."""

    edits: list[FileEdit]
    doubt: str = ""


def rename(state: ServerState, path: str, line: int, column: int, new: str) -> Renaming:
    """The edits of a rename; empty if there is no name at the position. Raises RenameError."""
    limit = claims.budget()
    spans = _spelled(state, path, line, column)
    if spans:
        own = _own(spans, path, line, column)
        if own is None:
            return Renaming([])
        old = _text(state, own)
        _check_spelled(state, path, line, column, new)
        # A line that contains the name in another form, such as a flag, is not edited.
        edits = [FileEdit(span, new) for span in spans if _text(state, span) == old] if new != old else []
        return _verified(state, claims.runs_for(state, path, limit), edits, limit, (old, new))
    runs = claims.runs_for(state, path, limit)
    symbols = Symbols(runs, state.file)
    found = symbols.at(path, line, column)
    if found is None:
        return Renaming([])
    own_site, symbol = found
    old = symbols.text(own_site)
    if new == old:
        return Renaming([])
    if not new.isidentifier() or new in KEYWORDS or new in RESERVED or new == "end":
        raise RenameError(
            f"{new!r} is not a valid name: names start with a letter or _, and contain letters, digits and _"
        )
    if symbols.clash(symbol, new):
        raise RenameError(f"{new} already exists")
    return _Search(state, runs, symbols, symbol, old, new, limit).renaming()


def renamed_at(state: ServerState, path: str, line: int, column: int) -> FileRange | None:
    """The span of the name that would be renamed, or None."""
    spans = _spelled(state, path, line, column)
    if spans:
        return _own(spans, path, line, column)
    found = Symbols(claims.runs_for(state, path, claims.budget()), state.file).at(path, line, column)
    return None if found is None else FileRange(*found[0])


# ---- names of operations and layered documents


def _spelled(state: ServerState, path: str, line: int, column: int) -> list[FileRange]:
    """The occurrences of an operations variable, or of a layered document's name."""
    file = state.file(path)
    if file is None:
        return []
    if file.kind == LAYER:
        return layering_navigation.named(state, file, line, column)
    found = variables.name_at(file, line, column)
    name = variables.variable_at_line(state, file, line) if found is None else found[0]
    if name is None:
        return []
    return [*dict.fromkeys((*variables.definitions(state, path, name), *variables.uses(state, path, name)))]


def _own(spans: Iterable[FileRange], path: str, line: int, column: int) -> FileRange | None:
    found = [one for one in spans if one.path == path and one.line == line and one.column <= column <= one.end]
    return found[0] if found else None


def _text(state: ServerState, span: FileRange) -> str:
    file = state.file(span.path)
    return "" if file is None else file.line(span.line)[span.column - 1 : span.end - 1]


def _check_spelled(state: ServerState, path: str, line: int, column: int, new: str) -> None:
    file = state.file(path)
    assert file is not None
    if file.kind == LAYER:
        if not _PLAIN.match(new):
            raise RenameError(f"{new!r} would need quotes as a document name")
        if layering_navigation.is_schema_at(file, line, column) and (
            not re.search(SCHEMA_PATTERN, new) or new.startswith(layering_navigation.BUILT_IN)
        ):
            raise RenameError(f"{new!r} is not a valid schema name, such as example/Server/v1")
    elif not _VARIABLE.match(new):
        raise RenameError(f"{new!r} is not a valid variable name: names contain letters, digits, _, - and /")


def _verified(
    state: ServerState, runs: claims.Runs, edits: list[FileEdit], limit: CheckBudget, names: tuple[str, str]
) -> Renaming:
    """The edits, after verification. names: the old name and the new one. Raises RenameError."""
    if not edits:
        return Renaming([])
    try:
        change = claims.first_change(state, runs, edits, limit, is_meant=lambda one: _is_named_otherwise(one, *names))
    except Unverified as doubt:
        return Renaming(edits, str(doubt))
    if change is not None:
        raise RenameError(claims.told(change))
    return Renaming(edits)


def _is_named_otherwise(change: EditEffect, old: str, new: str) -> bool:
    """True if the output differs only in the name itself.

    The name is part of the output if it is that of a layered document, a schema, or a variable without a value.
    """
    before, after = change.before.documents, change.after
    if before is None or isinstance(after, PlaitError):
        return False
    if change.before.run.command == "patch":
        return _has_other_variable(before.to_yaml(), after.to_yaml(), old, new)
    if change.before.run.command != "layer":
        return False

    def named(document: Document) -> Document:
        top = document.value
        if type(top) is not Map:
            return document
        items = []
        for item in top.items:
            if item.key == "schema" and item.value == old:
                item = item.with_value(new)
            elif item.key == "metadata" and type(item.value) is Map:
                inner = [
                    one.with_value(new) if one.key == "name" and one.value == old else one for one in item.value.items
                ]
                kept = [one for one in inner if one.key != "substitutions"]
                item = item.with_value(item.value.with_items(kept))
            items.append(item)
        return document.with_value(top.with_items(items))

    left = [named(one).value for one in before.nodes.items]
    right = [named(one).value for one in after.nodes.items]
    return len(left) == len(right) and all(map(equal, left, right))


def _has_other_variable(before: str, after: str, old: str, new: str) -> bool:
    """True if texts differ only in the name of a variable, and the new name was unused."""
    # The section that declares variables contains the name, too.
    marks = re.compile(rf"\(\((!?){re.escape(new)}(?=[.)])")
    declared = re.compile(rf"(?m)^((?:- |  )(?:name|  ca): ){re.escape(new)}$")
    if declared.search(before) is None:
        after = declared.sub(lambda found: f"{found[1]}{old}", after)
    return marks.search(before) is None and marks.sub(lambda found: f"(({found[1]}{old}", after) == before


# ---- names of programs, and data values


class _Search:
    """The occurrences of a name: the known ones, and those found in the errors of an incomplete rename."""

    def __init__(
        self,
        state: ServerState,
        runs: claims.Runs,
        symbols: Symbols,
        symbol: Hashable,
        old: str,
        new: str,
        limit: CheckBudget,
    ) -> None:
        self.state = state
        self.runs = runs
        self.symbols = symbols
        self.symbol = symbol
        self.old = old
        self.new = new
        self.limit = limit
        self.sites = {site for site in symbols.sites(symbol) if symbols.text(site) == old}

    def renaming(self) -> Renaming:
        """The edits. Raises RenameError."""
        first: EditEffect | None = None
        for tries in range(_MOST_TRIES):
            edits = [self.edit(site) for site in sorted(self.sites)]
            try:
                change = claims.first_change(self.state, self.runs, edits, self.limit)
            except Unverified as doubt:
                return Renaming(edits, str(doubt))
            if change is None:
                return Renaming(edits)
            more = {*self.shown_by(change)} - self.sites
            if not more or tries + 1 == _MOST_TRIES:
                raise self.refused(first or change)
            first = first or change
            self.sites |= more
        return Renaming([])

    def edit(self, site: NameOccurrence) -> FileEdit:
        """The edit of one occurrence."""
        if site in self.symbols.aliased:
            # A module keeps its name, so an alias is inserted before the quote.
            place = FileRange(site.path, site.line, site.column - 1, site.column - 1)
            return FileEdit(place, f"{self.new}=")
        module = self.symbols.aliases.get(site)
        if module is not None and module.line == site.line and self.symbols.text(module) == self.new:
            return FileEdit(FileRange(site.path, site.line, site.column, module.column - 1), "")
        return FileEdit(FileRange(*site), self.new)

    def shown_by(self, change: EditEffect) -> Iterator[NameOccurrence]:
        """The occurrences of the name on the lines of an error."""
        if not isinstance(change.after, PlaitError):
            return
        found = findings_of(change.after)
        for at in (at for one in found for at in (one.at, *one.also, *(step.at for step in one.stack))):
            path = path_of(None if at is None else at.source)
            if at is None or path is None:
                continue
            for line in self.lines(path, at.line):
                for site in self.symbols.unresolved(path, line, self.old):
                    yield site
                    other = self.symbols.at(*site[:3])
                    if other is not None:
                        yield from (one for one in self.symbols.sites(other[1]) if self.symbols.text(one) == self.old)

    def lines(self, path: str, line: int) -> Iterator[int]:
        """A line, and the lines of the annotations above it."""
        yield line
        file = self.state.file(path)
        for number in range(line - 1, max(line - _ANNOTATIONS, 0), -1):
            if file is None or not file.line(number).lstrip().startswith("#@"):
                return
            yield number

    def refused(self, change: EditEffect) -> RenameError:
        """The reason for rejecting the rename."""
        places = [*self.symbols.computed.get(self.symbol, ()), *self.symbols.wholes(self.symbol)]
        if places:
            path, line = places[0]
            return RenameError(
                f"{self.old} is used as data at {self.short(path)}:{line}; {claims.told(change)}", is_computed=True
            )
        return RenameError(claims.told(change))

    def short(self, path: str) -> str:
        """A path in messages, relative to the directory of the run."""
        return path.removeprefix(os.path.join(self.runs[0].run.directory, "")) if self.runs else path
