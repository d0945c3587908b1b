"""Every bomb ends, soon and in little memory, in a result or a named error. `bombs.py` prints the table."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import bombs
import pytest

if TYPE_CHECKING:
    from pathlib import Path

# The goal is two seconds and 256 MiB; a busy machine gets more time here.
MEBIBYTES = 300

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="measures with /proc")

# Half of the texts, each in one dialect, in the quick suite; all texts in all dialects with --long.
EVERY = bombs.bombs()


def chosen(long: bool) -> list[bombs.Bomb]:
    if long:
        return EVERY
    special, evaluated = bombs.special(), bombs.evaluated()
    texts = len(bombs.TEXTS)
    dialects = (len(EVERY) - len(special) - len(evaluated)) // texts
    every = [EVERY[number * dialects + number % dialects] for number in range(0, texts, 2)]
    return every + special[::2] + evaluated[::7]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bomb" in metafunc.fixturenames:
        found = chosen(metafunc.config.getoption("--long"))
        metafunc.parametrize("bomb", found, ids=[bomb.name for bomb in found])


def test_a_bomb_ends_in_time(bomb: bombs.Bomb, tmp_path: Path) -> None:
    status, _, processor, memory, said = bombs.run(bomb, str(tmp_path))
    assert status in ((1, 3) if bomb.fails else (0, 1, 3)), said
    assert "internal error" not in said
    assert "Traceback" not in said
    assert processor < bombs.SECONDS
    if sys.flags.dev_mode == 0:
        assert memory < MEBIBYTES
    if status:
        assert said.startswith("plait: ")
        assert len(said) < 4000, "a message does not repeat a large input"
