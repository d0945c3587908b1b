"""Source maps: every scalar of an output has a source, and the line says so."""

from __future__ import annotations

from plait.insight.source_map import source_map
from plait.tree.provenance import Trace
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "sources"
# What is written nowhere: passwords that are made, and what a flag gives.
_WRITTEN_NOWHERE = ("generated", "variable", "looked up", "substitution")


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Look at the source maps of all runs; scalars beyond the number of tries are only counted if they have no source."""
    row = Row(NAME)
    for name, run in subject.runs.items():
        trace = Trace()
        made = run.evaluate(trace=trace)
        mappings = source_map(trace, made.nodes)["mappings"]
        assert isinstance(mappings, list)
        held = set(sample(seed, mappings, tries))
        for number, entry in enumerate(mappings):
            if "source" not in entry and "flag" not in entry and not _is_made(entry["action"]):
                row.wrong.append(
                    f"{name}: {entry.get('name', entry.get('document'))}:{entry['path']}: {entry['action']}"
                )
            elif number in held:
                row.held += 1
    return row


def _is_made(action: str) -> bool:
    return any(word in action for word in _WRITTEN_NOWHERE)
