"""Definition: a key or a name leads to where it is declared, and a declaration to itself."""

from __future__ import annotations

from plait.authoring.analysis.symbols import Symbols, keys_in
from plait.authoring.lsp import navigation
from plait.authoring.lsp.features import FileRange
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "definition"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Ask for the definition of keys of templates, and of names; it is a place of the same name."""
    row = Row(NAME)
    symbols = subject.symbols()
    files = [file for path in symbols.paths if (file := subject.state.file(path)) is not None]
    places = sorted(
        {site for path in symbols.paths for site, _ in symbols.add_to_file(path)}
        | {site for file in files for sites in keys_in(file).values() for site in sites}
    )
    for number in sample(seed, places, tries):
        site = places[number]
        found = navigation.definition(subject.state, *site[:3])
        where = f"{subject.shown(site.path)}:{site.line}:{site.column}"
        if found and all(_is_place(subject, symbols, FileRange(*site), one) for one in found):
            row.held += 1
        else:
            row.wrong.append(f"{where}: {found}")
    return row


def _is_place(subject: Subject, symbols: Symbols, asked: FileRange, found: FileRange) -> bool:
    """True if a definition exists, and is of the name at the place if the place is of one."""
    file = subject.state.file(found.path)
    if file is None or not file.line(found.line):
        return False
    mine = symbols.at(asked.path, asked.line, asked.column)
    other = symbols.at(found.path, found.line, found.column)
    return mine is None or other is None or mine[1] == other[1] or symbols.text(mine[0]) == symbols.text(other[0])
