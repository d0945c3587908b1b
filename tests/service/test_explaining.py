"""Histories over HTTP are found in a process of their own."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import serving

from plait.service import application

SLOW = {
    "src": {"schema": "example/Kind/v1", "name": "source", "path": ".text"},
    "dest": {"path": ".text", "pattern": "(a|a)+$"},
}


def test_a_pattern_without_an_end_is_ended_and_others_are_answered(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", limits={"seconds": 1, "pattern": 30}))
    documents: list[object] = [
        "policy",
        {"name": "source", "data": {"text": "b"}},
        {"name": "slow", "data": {"text": "a" * 40 + "b"}, "substitutions": [SLOW]},
    ]
    assert client.ask("PUT", "/buckets/a/documents", serving.body_of(documents)).status == 200
    other = serving.Client(client.app)
    replies: list[serving.Reply] = []
    asking = threading.Thread(
        target=lambda: replies.append(client.ask("GET", "/revisions/1/explain?path=slow:data.text"))
    )
    begun = time.monotonic()
    asking.start()
    time.sleep(0.2)
    assert other.ask("GET", "/revisions").status == 200
    assert time.monotonic() - begun < 1
    asking.join()
    assert time.monotonic() - begun < 10
    [reply] = replies
    assert reply.status == 400
    assert "LimitError" in reply.text
    other.close()
    client.close()
