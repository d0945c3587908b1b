"""Impact: what changes in the output with another text on a line is what `impact` names; "no effect" changes nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping

from plait.base.errors import PlaitError
from plait.base.input_view import InputView
from plait.base.source import Source
from plait.engine.results import Documents
from plait.insight.extents import Extents
from plait.insight.impact import Impact, impact
from plait.tree.nodes import DocumentSet
from plait.tree.provenance import Trace
from truth.projects import Subject, changed_places
from truth.rows import Row

NAME = "impact"
# A file with more lines is generated.
_LONGEST = 20_000


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Ask for the effect of lines, and evaluate the run with each of them changed."""
    row = Row(NAME)
    chosen = random.Random(seed)
    lines = [
        (name, path, number)
        for name in subject.runs
        for path in subject.files(name)
        for number in _lines(subject.views[name].files[path] or b"", chosen)
    ]
    chosen.shuffle(lines)
    recorded: tuple[str, Documents, Trace] | None = None
    for name, path, number in sorted(lines[:tries]):
        if recorded is None or recorded[0] != name:
            trace = Trace()
            trace.follows_all = True
            recorded = name, subject.runs[name].evaluate(trace=trace), trace
        _try(subject, recorded, path, number, chosen, row)
    return row


def _lines(data: bytes, chosen: random.Random) -> list[int]:
    count = data.count(b"\n") + 1
    numbers = range(1, min(count, _LONGEST) + 1)
    return chosen.sample(numbers, min(len(numbers), 100))


def _try(
    subject: Subject, recorded: tuple[str, Documents, Trace], path: str, number: int, chosen: random.Random, row: Row
) -> None:
    name, made, trace = recorded
    run = subject.runs[name]
    text = (subject.views[name].files[path] or b"").decode("utf-8", "surrogateescape")
    rows = text.split("\n")
    if number > len(rows) or (number == len(rows) and not rows[-1]):
        return
    where = f"{name}: {subject.shown(path)}:{number}: {rows[number - 1].strip()!r}"

    def rerun(texts: Mapping[str, bytes]) -> tuple[DocumentSet, Trace | None]:
        after = run.evaluate(view=InputView(texts), trace=True)
        return after.nodes, after.trace

    found = impact(trace, made.nodes, path, number, files=subject.views[name].files, rerun=rerun)
    if found.unknown:
        row.computed[f"unknown: {found.unknown}"] += 1
        return
    is_tried = False
    for edited in mutations(path, text, number, chosen):
        try:
            after = run.evaluate(view=InputView({path: edited.encode("utf-8", "surrogateescape")}))
        except PlaitError:
            continue  # what a run would have made tells nothing of the line
        is_tried = True
        differs = changed_places(made, after, by_name=len(made.nodes.items) != len(after.nodes.items))
        if differs and not found.places and not found.needed:
            row.wrong.append(f"{where}\n  has no effect, and changes {sorted(differs)[:5]}\n  {_shown(edited, rows)}")
            return
        missed = differs - _named(found)
        if missed and found.places:
            named = [str(one) for one in found.places[:5]]
            row.wrong.append(f"{where}\n  {named}: also changes {sorted(missed)[:5]}\n  {_shown(edited, rows)}")
            return
    if is_tried or found.needed or not mutations(path, text, number, chosen):
        row.held += 1
    else:
        row.computed["the run fails with each change of the line"] += 1


def _named(found: Impact) -> set[tuple[int, str]]:
    return {(place.number, place.path) for place in found.places}


def _shown(edited: str, rows: list[str]) -> str:
    other = edited.split("\n")
    return next((repr(new) for new, old in zip(other, rows, strict=False) if new != old), "")


def mutations(path: str, text: str, number: int, chosen: random.Random) -> list[str]:
    """The text with another value in a scalar, a word or a number of a line."""
    extents = Extents(Source(path, text))
    rows = text.split("\n")
    start = sum(len(row) + 1 for row in rows[: number - 1])
    end = start + len(rows[number - 1])
    out: list[str] = []
    for scalar in extents.scalars(number):
        first, last = max(scalar.start, start), min(scalar.end, end)
        written = text[first:last]
        words = [place for place, char in enumerate(written) if char.isalnum()]
        if not words or "#@" in rows[number - 1]:
            continue
        if isinstance(scalar.value, bool):
            other = "false" if scalar.value else "true"
        else:
            place = words[-1] if scalar.start < start else chosen.choice(words)
            digit = written[place].isdecimal()
            new = str((int(written[place]) + 1) % 10) if digit and written[place].isascii() else "z"
            other = written[:place] + (new if new != written[place] else "y") + written[place + 1 :]
        out.append(text[:first] + other + text[last:])
    code = rows[number - 1]
    mark = code.find("#@ ") if not path.endswith(".star") else 0
    if mark >= 0 and not out:
        for place in [at for at, char in enumerate(code) if at > mark and char.isdecimal()][:2]:
            out.append(text[: start + place] + str((int(code[place]) + 1) % 10) + text[start + place + 1 :])
        for old, new in (("==", "!="), (" and ", " or "), ("True", "False"), ("False", "True"), (" not ", " ")):
            place = code.find(old, mark)
            if place >= 0:
                out.append(text[: start + place] + new + text[start + place + len(old) :])
        for quote in ('"', "'"):
            place = code.find(quote, mark)
            other_end = code.find(quote, place + 1)
            if place >= 0 and other_end > place + 1 and "load(" not in code:
                out.append(text[: start + other_end] + "z" + text[start + other_end :])
    if not out and not code.strip():
        out.append(text[:start] + "\n" + text[start:])
    return out
