"""Plain documents laid over others: tests/cases/merge/*.yml.

A case has a title; output: the documents before; merge: what is merged into them; keys and schemas: what tells items
apart; and the result, or the beginning of the error. What comes of a case is the same while origins are recorded, in runs
without fast paths, and with `plait render --merge`; merging it once more changes nothing.
"""

from __future__ import annotations

import importlib
import pathlib
from typing import NotRequired, TypedDict, cast

import pytest

import plait
from plait.base.errors import PlaitError, render


class Case(TypedDict):
    title: str
    output: str
    merge: str
    keys: NotRequired[list[str]]
    schemas: NotRequired[str]
    result: NotRequired[str]
    error: NotRequired[str]


FILES = sorted((pathlib.Path(__file__).parents[1] / "cases" / "merge").glob("*.yml"))
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['title']}")
    for path in FILES
    for case in cast("list[Case]", plait.read([path])[0])
]


def merged(case: Case, output: str, *, trace: bool = False) -> str:
    """What comes of a case that is merged into some documents, or the message."""
    schemas = ["schemas.yml"] if "schemas" in case else []
    try:
        return plait.render(
            {"output.yml": output},
            merge={"merge.yml": case["merge"]},
            merge_keys=case.get("keys", []),
            merge_schemas=schemas,
            trace=trace,
        ).to_yaml()
    except PlaitError as error:
        return render(error)


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "schemas" in case:
        pathlib.Path("schemas.yml").write_text(case["schemas"], "utf-8")
    found = merged(case, case["output"])
    if "error" in case:
        assert found.startswith(case["error"].rstrip("\n")), found
    else:
        assert found == case.get("result")
    assert merged(case, case["output"], trace=True) == found
    monkeypatch.setattr(importlib.import_module("plait.ytt.overlay.apply"), "FAST", False)
    assert merged(case, case["output"]) == found
    if "result" in case and "$patch: delete\n---" not in case["merge"]:
        assert merged(case, found) == found
