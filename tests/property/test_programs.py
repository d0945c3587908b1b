"""Programs at random do the same, and say the same, in whatever way they are run."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parent.parent / "programs.py"
WAYS = {"without the passes for speed": ({"PLAIT_PLAIN": "1"}, []), "recorded": ({}, ["traced"])}


def outcomes(kind: str, count: int, environment: dict[str, str], how: list[str]) -> list[str]:
    command = [sys.executable, str(SCRIPT), kind, "0", str(count), *how]
    done = subprocess.run(
        command, env=os.environ | {"PLAIT_CACHE_DIR": ""} | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.untraced
@pytest.mark.parametrize(("kind", "count"), [("templates", 60), ("operations", 200)])
def test_how_a_program_is_run_makes_no_difference(kind: str, count: int, request: pytest.FixtureRequest) -> None:
    count *= 50 if request.config.getoption("--long") else 1
    usual = outcomes(kind, count, {}, [])
    assert sum(json.loads(line)[1] == 0 for line in usual) > count / 2, "most programs are to render"
    assert not any("internal error" in line for line in usual)
    for way, (environment, how) in WAYS.items():
        other = outcomes(kind, count, environment, how)
        assert [pair for pair in zip(usual, other, strict=True) if pair[0] != pair[1]] == [], way
