"""Undo: a name that is renamed, and renamed back, leaves every file as it was."""

from __future__ import annotations

from pathlib import Path

from plait.authoring.lsp import claims, renaming
from plait.authoring.lsp.renaming import RenameError
from truth.projects import Subject
from truth.rename import places
from truth.rows import Row

NAME = "undo"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Rename in open files, and rename back from the same place."""
    row = Row(NAME)
    for number, site in enumerate(places(subject, seed, tries)):
        where = f"{subject.shown(site.path)}:{site.line}:{site.column}"
        new = f"renamed_{number}"
        try:
            found = renaming.rename(subject.state, *site[:3], new)
        except RenameError as refused:
            row.computed[f"not renamed: {refused.is_computed}"] += 1
            continue
        if found.doubt or not found.edits:
            row.computed["not verified"] += 1
            continue
        edit = next((one for one in found.edits if one.text == new), found.edits[0])
        file = subject.state.file(site.path)
        assert file is not None
        name = file.line(site.line)[site.column - 1 : site.end - 1]
        texts = claims.edited(subject.state, found.edits)
        before = {path: Path(path).read_text("utf-8") for path in texts}
        for path, data in texts.items():
            subject.state.open(path, data.decode("utf-8"))
        subject.wait()
        # Edits on the line before the place move it.
        column = edit.span.column + sum(
            len(one.text) - (one.span.end - one.span.column)
            for one in found.edits
            if (one.span.path, one.span.line) == (edit.span.path, edit.span.line) and one.span.column < edit.span.column
        )
        try:
            back = renaming.rename(subject.state, edit.span.path, edit.span.line, column, name)
            after = {path: data.decode("utf-8") for path, data in claims.edited(subject.state, back.edits).items()}
            different = sorted(path for path in before if after.get(path) != before[path])
            if back.doubt:
                row.refused[f"{where}: {back.doubt}"] += 1
            elif different or after.keys() - before.keys():
                row.wrong.append(
                    f"{where}: {name} to {new} and back: {different or sorted(after.keys() - before.keys())}"
                )
            else:
                row.held += 1
        except RenameError as refused:
            row.wrong.append(f"{where}: {name} to {new}: not back: {refused}")
        finally:
            for path in texts:
                subject.state.open(path, before[path])
            subject.wait()
            for path in texts:
                subject.state.close(path)
            subject.wait()
    return row
