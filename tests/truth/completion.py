"""Completion and hover: what is offered for a data value exists, and the value that is shown is the one of the library."""

from __future__ import annotations

from plait.authoring.analysis.symbols import DATA_VALUES, NameOccurrence
from plait.authoring.lsp import completion, hover, navigation
from plait.insight.history_text import shown
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "completion"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Complete data values where code names them: what stands there is among the offers; hover shows its value."""
    row = Row(NAME)
    symbols = subject.symbols()
    places = sorted(
        (NameOccurrence(file.path, one.key.line, one.key.column, one.key.end), [*one.path[3:]])
        for file in symbols.files.values()
        for one in file.names.lookups
        if one.path is not None and one.path[:3] == DATA_VALUES and len(one.path) > 3 and "[]" not in one.path
    )
    for number in sample(seed, places, tries):
        site, keys = places[number]
        _try(subject, site, keys, row)
    return row


def _try(subject: Subject, site: NameOccurrence, keys: list[str], row: Row) -> None:
    where = f"{subject.shown(site.path)}:{site.line}:{site.column}"
    file = subject.state.file(site.path)
    assert file is not None
    values = [place for one in subject.state.evaluations(site.path) for _, place in one.values(site.path, keys)]
    if not values:  # a method of the value, or code that no run evaluates
        row.computed["no data value has these keys"] += 1
        return
    if file.line(site.line)[site.column - 2] == ".":
        offered = [one.label for one in completion.complete(subject.state, *site[:3])]
        if keys[-1] not in offered:
            row.wrong.append(f"{where}: {keys[-1]} is not offered: {offered[:10]}")
            return
    found = hover.hover(subject.state, *site[:3])
    text = "" if found is None else found.text
    if navigation.data_value_at(file, site.line, site.column) != keys:
        row.wrong.append(f"{where}: the keys are others")
    elif not any(
        f"`data.values.{'.'.join(keys)}`: " in text and shown(one.value)[:20].strip("`") in text for one in values
    ):
        row.wrong.append(f"{where}: hover shows {text[:200]!r}")
    else:
        row.held += 1
