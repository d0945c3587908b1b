"""Hover: the value that is shown of a line is one that the output has from there."""

from __future__ import annotations

from plait.authoring.lsp import hover
from plait.insight.explain import Explainer
from plait.insight.history_text import shown
from plait.insight.source_map import origin
from plait.tree.provenance import Trace
from truth.projects import Subject, sample, scalars_of
from truth.rows import Row

NAME = "hover"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """For scalars of the outputs, hover over the line that they are written at."""
    row = Row(NAME)
    by_line: dict[tuple[str, int], set[str]] = {}
    secret: set[tuple[str, int]] = set()
    for name, run in subject.runs.items():
        trace = Trace()
        made = run.evaluate(trace=trace)
        explainer = Explainer(trace)
        files = {subject.shown(path): path for path in subject.files(name)}
        for place in scalars_of(made.nodes.items):
            _, stands, _ = origin(explainer, place)
            if stands.source is None or stands.line <= 0:
                continue
            path = next((one for one in files.values() if one.endswith("/" + stands.source.shown.lstrip("./"))), "")
            if path:
                by_line.setdefault((path, stands.line), set()).add(shown(place.value))
                if explainer.is_secret(place.item):
                    secret.add((path, stands.line))
    lines = sorted(by_line.keys() - secret)
    for number in sample(seed, lines, tries):
        path, line = lines[number]
        file = subject.state.file(path)
        assert file is not None
        text = file.line(line)
        where = f"{subject.shown(path)}:{line}"
        found = hover.hover(subject.state, path, line, len(text) - len(text.lstrip(" -")) + 1)
        if found is None:
            row.wrong.append(f"{where}: nothing is shown of {text.strip()!r}: {sorted(by_line[path, line])[:3]}")
        elif any(one in found.text or "((" in one for one in by_line[path, line]) or "more values" in found.text:
            row.held += 1
        else:
            row.wrong.append(f"{where}: {found.text[:300]!r}\n  {sorted(by_line[path, line])[:3]}")
    return row
