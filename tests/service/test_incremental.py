"""After a change only what depends on it is rendered, and the result is that of rendering everything."""

from __future__ import annotations

import random
from typing import Any

import pytest
import serving

from plait.service.app import application
from plait.service.cache import Cache
from plait.service.rendering import Renderer

KINDS = ("a/K/v1", "b/K/v1")
SCHEMA = {
    "schema": "deckhand/DataSchema/v1",
    "metadata": {"schema": "metadata/Control/v1", "name": KINDS[0]},
    "data": {"properties": {"n": {"maximum": 8}}},
}


def document(chance: random.Random, number: int) -> dict[str, object]:
    """A document that inherits from, replaces and reads others; at times one that it cannot."""
    level = min(number // 5, 2)
    found: dict[str, object] = {
        "name": f"d{number}",
        "schema": KINDS[number % 2],
        "layer": ("global", "type", "site")[level],
        "abstract": chance.random() < 0.2,
        "data": {"n": chance.randrange(10), "own": {"x": chance.randrange(3)}},
        "labels": {"l": f"v{number}"},
    }
    parents = [one for one in range(5 * level) if one % 2 == number % 2]
    if parents and chance.random() < 0.6:
        parent = chance.choice(parents) if chance.random() < 0.95 else chance.randrange(16)
        found["selector"] = {"l": f"v{parent}"}
        found["actions"] = [{"method": chance.choice(("merge", "replace")), "path": "."}]
        if chance.random() < 0.2 and parent < number:
            found |= {"replacement": True, "name": f"d{parent}"}
    if number and chance.random() < 0.4:
        read = chance.randrange(number) if chance.random() < 0.95 else chance.randrange(16)
        source = {"schema": KINDS[read % 2], "name": f"d{read}", "path": "."}
        found["substitutions"] = [{"src": source, "dest": {"path": ".taken"}}]
    return found


def test_the_result_is_that_of_rendering_everything(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random documents, changed one or two at a time; also where the result is an error."""
    totals: list[tuple[int, int]] = []
    for seed in range(6):
        (tmp_path / str(seed)).mkdir()
        with monkeypatch.context() as patch:
            compare(seed, tmp_path / str(seed), patch, totals)
    shown, smaller = (sum(column) for column in zip(*totals, strict=True))
    assert shown > 15, totals
    assert smaller > 8, totals


def compare(seed: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, totals: list[tuple[int, int]]) -> None:
    chance = random.Random(seed)
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    renderer = client.app.state.service.renderer
    counts: list[int] = []
    plain = Renderer.layered

    def layered(self: Renderer, documents: Any, **given: bool) -> Any:
        counts.append(len(documents))
        return plain(self, documents, **given)

    monkeypatch.setattr(Renderer, "layered", layered)
    policy = serving.document("policy") | {"data": {"layerOrder": ["global", "type", "site"]}}
    documents = {number: document(chance, number) for number in range(14)}
    good = {number: {"name": f"d{number}", "data": number, "layer": "global"} for number in range(14)}
    shown = smaller = 0
    for _ in range(20):
        extra = [SCHEMA] if chance.random() < 0.5 else []
        body = serving.body_of([policy, *documents.values(), *extra])
        reply = client.ask("PUT", "/buckets/a/documents", body)
        assert reply.status == 200, reply.text
        revision = reply.text.rpartition("revision: ")[2].split()[0]
        path = f"/revisions/{revision}/rendered-documents"
        counts.clear()
        after = client.ask("GET", path)
        smaller += after.status == 200 and counts != [] and counts[-1] < len(documents) + 1
        kept = renderer._kept
        renderer._kept = Cache(lambda one: one.size)
        whole = client.ask("GET", path)
        renderer._kept = kept
        assert (after.status, after.text) == (whole.status, whole.text)
        shown += after.status == 200
        documents, good = (documents, dict(documents)) if after.status == 200 else (dict(good), good)
        if chance.random() < 0.2:
            del documents[chance.choice(sorted(documents))]
        number = chance.randrange(14)
        documents[number] = document(chance, number)
    totals.append((shown, smaller))
    client.close()


def test_one_change_renders_its_dependents_alone(client: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parent with two children, a reader of one of these, and fifty documents without relations."""
    inherits: dict[str, object] = {"selector": {"base": "yes"}, "actions": [{"method": "merge", "path": "."}]}
    taken = {"src": {"schema": "example/Kind/v1", "name": "one", "path": ".a"}, "dest": {"path": ".a"}}

    def put(a: int, own: int) -> str:
        documents: list[object] = [
            "policy",
            {"name": "base", "layer": "global", "abstract": True, "labels": {"base": "yes"}, "data": {"a": a}},
            {"name": "one", "data": {}, **inherits},
            {"name": "two", "data": {"own": own}, **inherits},
            {"name": "reader", "data": {}, "substitutions": [taken]},
            *({"name": f"other{number}", "data": number} for number in range(50)),
        ]
        reply = client.ask("PUT", "/buckets/a/documents", serving.body_of(documents))
        return reply.text.rpartition("revision: ")[2].split()[0]

    rendered: list[list[str]] = []
    plain = Renderer.layered

    def layered(self: Renderer, documents: Any, **given: bool) -> Any:
        rendered.append([one.entry.name for one in documents])
        return plain(self, documents, **given)

    monkeypatch.setattr(Renderer, "layered", layered)
    for a, own, expected in ((1, 1, 55), (2, 1, 5), (2, 2, 3)):
        revision = put(a, own)
        reply = client.ask("GET", f"/revisions/{revision}/rendered-documents?metadata.name=reader&metadata.name=two")
        found = {one["metadata"]["name"]: one["data"] for one in reply.documents}  # type: ignore[index]
        assert found == {"reader": {"a": a}, "two": {"a": a, "own": own}}
        assert len(rendered[-1]) == expected, rendered[-1]
    assert set(rendered[-1]) == {"lp", "base", "two"}
