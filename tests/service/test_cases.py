"""Conversations with the service, from `cases`: requests in order, with what comes back.

A step is `METHOD PATH` and what is expected of the reply. What is sent: `documents` (short forms, see `serving.document`) or
`body`, and `headers`. What is expected: `status` (200), and of
`names` (of the documents that came back), `entries` (`NAME BUCKET REVISION`, of the same), `data` (of each document),
`is` (the whole), `has` (a part of each document), `error` (kind, and a part of the message), `nothing` (no body).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import serving
import yaml

CASES = sorted((Path(__file__).parent / "cases").glob("*.yml"))


def cases() -> list[object]:
    return [
        pytest.param(case["steps"], id=f"{path.stem}: {case['case']}")
        for path in CASES
        for case in yaml.safe_load(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize("steps", cases())
def test_case(steps: list[dict[str, object]], client: serving.Client) -> None:
    for number, step in enumerate(steps, 1):
        left = dict(step)
        ask = left.pop("ask")
        assert isinstance(ask, str)
        method, path = ask.split(" ")
        documents = left.pop("documents", None)
        body = left.pop("body", "")
        assert isinstance(body, str)
        if documents is not None:
            assert isinstance(documents, list)
            body = serving.body_of(documents)
        headers = left.pop("headers", {})
        assert isinstance(headers, dict)
        reply = client.ask(method, path, body, **headers)
        at = f"step {number}, {ask}:\n{reply.text}"
        assert reply.status == left.pop("status", 200), at
        for key, expected in left.items():
            check(key, expected, reply, at)


def check(key: str, expected: object, reply: serving.Reply, at: str) -> None:
    documents = reply.documents
    if key == "nothing":
        assert (reply.text == "") is expected, at
    elif key == "is":
        assert masked(reply.document) == expected, at
    elif key == "has":
        parts = expected if isinstance(expected, list) else [expected]
        assert len(parts) == len(documents), at
        for part, found in zip(parts, documents, strict=True):
            assert is_part(part, found), at
    elif key == "error":
        assert isinstance(expected, list)
        found = reply.document
        assert isinstance(found, dict)
        assert (found["details"]["errorType"], found["code"][:3]) == (expected[0], str(reply.status)), at
        assert expected[1] in reply.text, at
    else:
        assert key in SHOWN, f"{key} is not known"
        assert [SHOWN[key](one) for one in documents] == expected, at


def entry(one: object) -> str:
    assert isinstance(one, dict)
    return f"{one['metadata']['name']} {one['status']['bucket']} {one['status']['revision']}"


SHOWN: dict[str, Callable[[Any], object]] = {
    "names": lambda one: one["metadata"]["name"],
    "entries": entry,
    "data": lambda one: one["data"],
}


def masked(found: object) -> object:
    """What came back, without times."""
    if isinstance(found, dict):
        return {key: "TIME" if key == "createdAt" and value else masked(value) for key, value in found.items()}
    return [masked(one) for one in found] if isinstance(found, list) else found


def is_part(expected: object, found: object) -> bool:
    """Whether all that is expected is found; of maps, other keys may be there."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(key in found and is_part(value, found[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(is_part, expected, found))
    return expected == found
