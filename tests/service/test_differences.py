"""Differences between any two revisions are those of their whole lists, and are found without reading these."""

from __future__ import annotations

import random

import pytest
import serving
import yaml

BUCKETS = ["a", "b", "c"]
CREATED, DELETED, MODIFIED, UNMODIFIED = "created", "deleted", "modified", "unmodified"


def change(client: serving.Client, chance: random.Random, revision: int) -> None:
    """Replace a bucket, or go back to an earlier revision."""
    if revision and chance.random() < 0.25:
        client.ask("POST", f"/rollback/{chance.randrange(revision + 1)}")
        return
    bucket = chance.choice(BUCKETS)
    documents: list[object] = []
    for name in [f"{bucket}-{letter}" for letter in "wxyz" if chance.random() < 0.5]:
        is_abstract = chance.random() < 0.2
        data, layer, labels = {name: chance.randrange(3)}, chance.choice(["global", "type"]), {"of": name}
        documents.append({"name": name, "layer": layer, "labels": labels, "data": data, "abstract": is_abstract})
        inherits = {"selector": labels, "actions": [{"method": "merge", "path": "."}], "data": {"own": 1}}
        kind = chance.random()
        if kind < 0.3:
            documents.append({"name": f"{name}-child", **inherits})
        elif kind < 0.6 and not is_abstract:
            # Of one schema and name there are two, of which one is shown.
            documents.append({"name": name, "replacement": True, **inherits})
    client.ask("PUT", f"/buckets/{bucket}/documents", serving.body_of(documents))


def buckets(client: serving.Client, revision: int) -> dict[str, list[str]]:
    """The documents of each bucket, as they are listed."""
    found: dict[str, list[str]] = {}
    reply = client.ask("GET", f"/revisions/{revision}/documents") if revision else None
    for one in yaml.safe_load_all(reply.text) if reply is not None else ():
        if one:
            bucket = one.pop("status")["bucket"]
            del one["id"]
            found.setdefault(bucket, []).append(yaml.safe_dump(one))
    return {bucket: sorted(texts) for bucket, texts in found.items()}


def expected(first: int, second: int, at: dict[int, dict[str, list[str]]]) -> dict[str, str]:
    older, newer = at[min(first, second)], at[max(first, second)]
    found = {}
    for name in {*older, *newer}:
        if name not in older or 0 in (first, second):
            found[name] = CREATED
        elif name not in newer:
            found[name] = DELETED
        else:
            found[name] = UNMODIFIED if older[name] == newer[name] else MODIFIED
    return found


@pytest.mark.parametrize("seed", range(4))
def test_differences_are_those_of_the_lists(seed: int, client: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    policy = serving.POLICY.replace("[global, site]", "[global, type, site]")
    assert client.ask("PUT", "/buckets/policy/documents", policy).status == 200
    for _ in range(9):
        listed = client.ask("GET", "/revisions?sort=id&order=desc&limit=1&marker=0").text
        change(client, chance, yaml.safe_load(listed)["results"][0]["id"])
    newest = yaml.safe_load(client.ask("GET", "/revisions").text)["count"]
    at = {revision: buckets(client, revision) for revision in range(newest + 1)}
    pairs = [(first, second) for first in at for second in at]
    statuses: set[str] = set()
    for first, second in pairs:
        reply = client.ask("GET", f"/revisions/{first}/diff/{second}")
        wanted = expected(first, second, at)
        assert (yaml.safe_load(reply.text) or {}) == wanted, (first, second)
        statuses |= set(wanted.values())
    assert statuses == {CREATED, DELETED, MODIFIED, UNMODIFIED}

    # Renderings of which one is made of the other need not be compared as a whole.
    told = {pair: client.ask("GET", "/revisions/{}/deepdiff/{}".format(*pair)) for pair in pairs}
    monkeypatch.setattr("plait.service.rendering.Renderer._since", lambda *_: None)
    for pair, reply in told.items():
        assert client.ask("GET", "/revisions/{}/deepdiff/{}".format(*pair)).text == reply.text, pair
    assert any(f"{MODIFIED}\n" in reply.text and " diff:" in reply.text for reply in told.values())
