"""Histories over HTTP are found in a process of their own."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import serving

from plait.service.app import application

SLOW = {
    "src": {"schema": "example/Kind/v1", "name": "source", "path": ".text"},
    "dest": {"path": ".text", "pattern": "(a|a)+$"},
}


def ask(client: serving.Client, replies: list[serving.Reply]) -> None:
    replies.append(client.ask("GET", "/revisions/1/explain?path=slow:data.text"))


def test_a_pattern_without_an_end_is_ended_and_others_are_answered(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", limits={"seconds": 1, "pattern": 30}))
    documents: list[object] = [
        "policy",
        {"name": "source", "data": {"text": "b"}},
        {"name": "slow", "data": {"text": "a" * 40 + "b"}, "substitutions": [SLOW]},
    ]
    assert client.ask("PUT", "/buckets/a/documents", serving.body_of(documents)).status == 200
    other = serving.Client(client.app)
    meanwhile = False
    # On a busy machine the other answer may come after the limit; if it had to wait, it would do so each time.
    for _ in range(20):
        replies: list[serving.Reply] = []
        asking = threading.Thread(target=ask, args=(client, replies))
        asking.start()
        time.sleep(0.2)
        assert other.ask("GET", "/revisions").status == 200
        meanwhile = not replies
        asking.join()
        [reply] = replies
        assert reply.status == 400
        assert "LimitError" in reply.text
        if meanwhile:
            break
    assert meanwhile
    other.close()
    client.close()
