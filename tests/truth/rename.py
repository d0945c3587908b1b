"""Rename keeps the output: names of programs, modules, parameters, data values of the root and of libraries."""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterator

from plait.authoring.analysis.file_facts import LAYER
from plait.authoring.analysis.symbols import NameOccurrence
from plait.authoring.lsp import renaming
from plait.authoring.lsp.renaming import RenameError
from plait.tree.nodes import Map
from truth.projects import Subject
from truth.rows import Row

NAME = "rename"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Rename at places of the project's names, and render the project with the edits."""
    row = Row(NAME)
    for number, site in enumerate(places(subject, seed, tries)):
        _try(subject, site, f"renamed_{number}", row)
    return row


def places(subject: Subject, seed: int, tries: int) -> list[NameOccurrence]:
    """Places of names, of as many names as there are."""
    symbols = subject.symbols()
    by_symbol: dict[Hashable, list[NameOccurrence]] = {}
    for path in symbols.paths:
        for site, symbol in symbols.add_to_file(path):
            by_symbol.setdefault(symbol, []).append(site)
        for site in spelled(subject, path):
            by_symbol.setdefault(symbols.text(site), []).append(site)
    chosen = random.Random(seed)
    groups = sorted(sorted(sites) for sites in by_symbol.values())
    chosen.shuffle(groups)
    found = [chosen.choice(sites) for sites in groups[:tries]]
    rest = sorted({site for sites in groups for site in sites} - {*found})
    chosen.shuffle(rest)
    return [*found, *rest][:tries]


def spelled(subject: Subject, path: str) -> Iterator[NameOccurrence]:
    """The variables in a file of operations or their base, and the names of layered documents."""
    file = subject.state.file(path)
    if file is None:
        return
    if file.kind == LAYER:
        for document in file.documents:
            metadata = document.value.find("metadata") if type(document.value) is Map else None
            name = metadata.value.find("name") if metadata is not None and type(metadata.value) is Map else None
            text = "" if name is None else file.line(name.line)
            found_name = re.match(r"  name: ([\w-]+)$", text)
            if name is not None and found_name is not None:
                yield NameOccurrence(path, name.line, found_name.start(1) + 1, found_name.end(1) + 1)
    elif any(subject.runs[name].command == "patch" for name in subject.runs if path in subject.views[name].files):
        for number, text in enumerate(file.lines, 1):
            for found in re.finditer(r"\(\(!?([\w/-]+)\)\)", text):
                if not text.lstrip().startswith("#"):
                    yield NameOccurrence(path, number, found.start(1) + 1, found.end(1) + 1)


def _try(subject: Subject, site: NameOccurrence, new: str, row: Row) -> None:
    where = f"{subject.shown(site.path)}:{site.line}:{site.column}"
    if renaming.renamed_at(subject.state, *site[:3]) is None:
        row.wrong.append(f"{where}: there is a name, and it cannot be renamed")
        return
    try:
        found = renaming.rename(subject.state, *site[:3], new)
    except RenameError as refused:
        (row.computed if refused.is_computed else row.refused)[f"{where}: {refused}"] += 1
        return
    if found.doubt:
        row.refused[f"{where}: not verified: {found.doubt}"] += 1
        return
    file = subject.state.file(site.path)
    old = "" if file is None else file.line(site.line)[site.column - 1 : site.end - 1]
    different = subject.differences(found.edits, (old, new))
    if different or not found.edits:
        edits = "\n".join(f"  {edit.span} -> {edit.text}" for edit in found.edits)
        row.wrong.append(f"{where} to {new}\n{edits}\n" + "\n".join(different))
        return
    row.held += 1
