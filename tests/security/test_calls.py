"""Every single call that asks for much ends within its limits of time and memory. `calls.py` prints the table."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import calls
import pytest

if TYPE_CHECKING:
    from pathlib import Path

EVERY = list(calls.calls())
# The limit is two seconds; the run may be half a second over it, of the processor's time. A busy machine gets more.
PROCESSOR = 5.0
# What the limit allows, and 32 more.
MEBIBYTES = 192 + 32

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="measures with /proc")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        long = metafunc.config.getoption("--long")
        metafunc.parametrize("name", EVERY if long else EVERY[::16])
        metafunc.parametrize("how", ["api", "isolated", "command"] if long else ["api"])


def test_there_are_many() -> None:
    assert len(EVERY) > 300


def test_a_call_ends_within_its_limits(name: str, how: str, tmp_path: Path) -> None:
    try:
        _, processor, memory, end = calls.run(name, how, str(tmp_path))
    except subprocess.TimeoutExpired:
        pytest.fail(f"{name} did not come back")
    assert not end.startswith("STATUS"), end
    assert processor < PROCESSOR
    assert memory <= MEBIBYTES
