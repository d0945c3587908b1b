"""Explain: the history of a value that an operation or action inserted names it."""

from __future__ import annotations

import random

from plait.insight.explain import Explainer, lines
from plait.insight.node_paths import NodePath
from plait.tree.nodes import Array, Map
from plait.tree.provenance import Trace
from truth.projects import Subject, items_of
from truth.rows import Row

NAME = "explained"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """For values and collections that the last effect on them changed: its line is in their history."""
    row = Row(NAME)
    for name, run in subject.runs.items():
        trace = Trace()
        made = run.evaluate(trace=trace)
        final = {id(item): (number, way) for number, way, item in items_of(made.nodes.items)}
        tried: list[tuple[str, NodePath, str, int]] = []
        for effect in trace.effects:
            if effect.after is None or effect.by.source is None or " /" not in effect.by.action:
                continue
            before = {id(item) for _, _, item in items_of([effect.before])}
            for _, _, item in items_of([effect.after]):
                if id(item) in before or id(item) not in final:
                    continue
                number, way = final[id(item)]
                if item.source is not effect.by.source or _holds_old(item.value, before):
                    continue
                place = NodePath(made.nodes.items[number], number, way)
                tried.append((str(place), place, effect.by.source.shown, effect.by.line))
        explainer = Explainer(trace)
        by_place: dict[str, list[tuple[NodePath, str, int]]] = {}
        for text, place, source, line in tried:
            by_place.setdefault(text, []).append((place, source, line))
        names = sorted(by_place)
        random.Random(seed).shuffle(names)
        for text in names[:tries]:
            place, source, line = by_place[text][-1]
            history = explainer.history(place)
            if (source, line) in lines(history, structure=True):
                row.held += 1
            else:
                row.wrong.append(f"{name}: {text}: {source}:{line} is not in the history")
    return row


def _holds_old(value: object, before: set[int]) -> bool:
    """True if something in a collection was there before: then its parts have histories, and it has none."""
    return isinstance(value, (Map, Array)) and any(
        id(item) in before or _holds_old(item.value, before) for item in value.items
    )
