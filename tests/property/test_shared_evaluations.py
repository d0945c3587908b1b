"""What evaluations of one process share changes nothing of what they give: random programs and environments."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from incremental import differences
from plait.base.fast_paths import FAST
from plait.engine.incremental import Engine

# The first template raises the recursion limit.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(12))
def test_an_engine_gives_what_a_fresh_evaluation_gives(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [*differences(seed, 30, tmp_path, edits=seed % 2 == 1)] == []


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_the_random_programs_find_a_file_that_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plait.ytt.workspace.shared_files.SharedFiles.refresh", lambda _self: None)
    found = [one for seed in (1, 3, 5) for one in differences(seed, 20, tmp_path, edits=True)]
    assert found
    assert Engine().part().files(frozenset()).disk_pass == 0
