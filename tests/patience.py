"""The time that tests wait before they give up."""

from __future__ import annotations

import math
import os
import pathlib
import time

# Seconds. No test asserts how fast something is by the clock: on a busy machine anything takes minutes.
LONGEST = 1200


def processor_seconds(process: int) -> float:
    """The processor time of a process in seconds; infinite if it has ended. Reads /proc."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return math.inf
    return sum(map(int, text.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def wait_until_ended(processes: list[int]) -> None:
    """Wait until processes that are not ours to reap have ended."""
    end = time.monotonic() + LONGEST
    while any(_runs(process) for process in processes):
        assert time.monotonic() < end, f"processes {processes} do not end"
        time.sleep(0.01)


def _runs(process: int) -> bool:
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"
