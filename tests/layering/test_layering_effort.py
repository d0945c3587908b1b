"""The work of an evaluation with provenance, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plait
from plait.insight import explain
from plait.insight.redaction import masked
from plait.layering import tracing
from plait.tree import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from plait.tree.nodes import Item, Value

POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
---
schema: example/Secret/v1
metadata: {schema: metadata/Document/v1, name: hidden, layeringDefinition: {layer: site}, storagePolicy: encrypted}
data: {word: x}
---
schema: example/Source/v1
metadata: {schema: metadata/Document/v1, name: source, layeringDefinition: {layer: site}, storagePolicy: cleartext}
"""


def documents(path: Path, size: int) -> None:
    """A source with a map of this size, and two documents that take parts of it."""
    data = "".join(f"    k{number}: {number}\n" for number in range(size))
    src = "src: {schema: example/Source/v1, name: source, path: "
    taking = f"""---
schema: example/Target/v1
metadata:
  schema: metadata/Document/v1
  name: target
  layeringDefinition: {{layer: site}}
  storagePolicy: cleartext
  substitutions:
  - {{{src}.one}}, dest: {{path: .one}}}}
  - {{{src}.all}}, dest: {{path: .all}}}}
data: {{}}
"""
    path.write_text(f"{POLICY}data:\n  one: 1\n  all:\n{data}{taking}")


def test_a_substitution_of_one_value_does_not_walk_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked = 0
    walk_once = nodes.walk_once

    def counting(value: Value) -> Iterator[Item]:
        nonlocal walked
        for item in walk_once(value):
            walked += 1
            yield item

    monkeypatch.setattr(tracing, "walk_once", counting)
    documents(tmp_path / "site.yml", 300)
    plait.layer([tmp_path / "site.yml"], trace=True)
    assert 300 <= walked < 400


def test_redaction_computes_the_origins_of_an_inserted_map_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents(tmp_path / "site.yml", 300)
    made = plait.layer([tmp_path / "site.yml"], trace=True)
    trace = made.trace
    assert trace is not None
    assert trace.marks is not None
    calls = 0
    origins = explain.Explainer.origins

    def counting(self: explain.Explainer, *args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        return origins(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(explain.Explainer, "origins", counting)
    masked(made.nodes.items, trace)
    assert 1 <= calls < 30
