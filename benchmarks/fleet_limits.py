"""How far a fleet goes on Dask: times that are measured here, and a simulation of more workers than there are.

    python benchmarks/fleet_limits.py [--count 400] [--runs 10000,100000] [--workers 1,10,100,1000] [--json FILE]

Measured, all as processor time of this machine: what a run takes on a worker; what a worker takes to its first result;
what the process that gives out work takes for each run that comes back; what Dask itself takes for each portion of work;
how many bytes travel, and how fast a cluster on this machine moves them. Simulated: the loop of `plait.fleet.scheduler`, in
which these are put together, with run times drawn from those that were measured.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor, Future

from fleet import generate
from plait.authoring import project
from plait.engine.pipeline import file_source
from plait.fleet.bundle import packed
from plait.fleet.destinations import place_of
from plait.fleet.fleet_worker import FleetWorker, WorkerSetup
from plait.fleet.plan import tasks_of
from plait.fleet.pools import Given
from plait.fleet.scheduler import _LARGEST, _PORTION, Scheduler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

FIRST = """\
import pickle, sys, time
start = time.process_time()
import plait.fleet.preload
from plait.fleet.fleet_worker import perform
setup, tasks = pickle.load(open(sys.argv[1], "rb"))
outcomes = perform(setup, tasks)
print(time.process_time() - start - outcomes[1].seconds)
"""


_TIMES = 5


class Measured:
    """Seconds and bytes. runs: of each run. first: of a worker, beyond its first run. task: of Dask, for each portion.

    back, written: of the process that gives out work, for a run whose results come back, and for one whose results are
    written by the worker. size: bytes of a run that comes back. bundle: bytes of the inputs. rate: bytes in a second.
    """

    def __init__(self, top: pathlib.Path, count: int) -> None:
        os.chdir(generate_in(top, count))
        found = project.read("plait.yml")
        tasks = tasks_of(found)
        source = file_source("plait.yml")
        files = packed(found, tasks)
        setup = WorkerSetup((source.name, source.text), str(top), "", bundle=files)
        self.bundle = sum(map(len, files.values()))
        shop = FleetWorker(setup)
        shop.perform(tasks[0])
        self.runs: list[float] = []
        outcomes = []
        for task in tasks:
            start = time.process_time()
            outcomes.append(shop.perform(task))
            self.runs.append(time.process_time() - start)
        packets = [pickle.dumps([outcome]) for outcome in outcomes]
        self.size = sum(map(len, packets)) / len(packets)
        # The least of several: whatever else the machine does is no part of it.
        self.back = min(replayed(tasks, packets, top) for _ in range(_TIMES))
        for outcome in outcomes:
            outcome.texts = None
        packets = [pickle.dumps([outcome]) for outcome in outcomes]
        self.written = min(replayed(tasks, packets, top) for _ in range(_TIMES))
        (top / "first").write_bytes(pickle.dumps((setup, tasks[:2])))
        argv = [sys.executable, "-c", FIRST, str(top / "first")]
        done = [subprocess.run(argv, capture_output=True, check=True, text=True) for _ in range(_TIMES)]
        self.first = min(float(one.stdout) for one in done)
        self.task, self.rate = of_dask()

    @property
    def mean(self) -> float:
        """Of a run."""
        return sum(self.runs) / len(self.runs)


def generate_in(top: pathlib.Path, count: int) -> pathlib.Path:
    generate(top, count)
    return top


class Replay(Executor):
    """Gives back what was made before."""

    def __init__(self, packets: dict[str, bytes]) -> None:
        self._packets = packets

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_kwargs: Any) -> Future[Any]:  # noqa: ARG002
        future: Future[Any] = Future()
        future.set_result([one for task in args[1] for one in pickle.loads(self._packets[task.name])])
        return future


def replayed(tasks: Sequence[Any], packets: Sequence[bytes], top: pathlib.Path) -> float:
    """Seconds of a run where work is given out and taken in, when it is made elsewhere."""
    from plait.fleet.manifest import Manifest

    place = place_of(str(top / f"replayed-{len(packets[0])}"))
    book = Manifest(place, "plait.yml")
    by_name = {task.name: packet for task, packet in zip(tasks, packets, strict=True)}
    pool = Given(Replay(by_name), 2, None)
    start = time.process_time()
    Scheduler(pool, place, fail_fast=False, told=book.enter, tick=lambda: None).make(tasks)
    seconds = time.process_time() - start
    book.close()
    return seconds / len(tasks)


def of_dask(tasks: int = 2000, size: int = 32 << 20) -> tuple[float, float]:
    """Seconds of a task that does nothing, in the process of client and scheduler; and bytes in a second to a worker."""
    import distributed

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.gather(client.map(abs, range(100), pure=False))
        start = time.process_time()
        client.gather(client.map(abs, range(tasks), pure=False))
        each = (time.process_time() - start) / tasks
        start = time.perf_counter()
        client.scatter(os.urandom(size), broadcast=True, hash=False)
        return each, 2 * size / (time.perf_counter() - start)


def simulated(measured: Measured, runs: int, workers: int, *, comes_back: bool, chance: random.Random) -> float:
    """The efficiency of so many workers: which part of their time goes into runs."""
    times = chance.choices(measured.runs, k=runs)
    total = sum(times)
    # Workers pass the inputs on to each other, so that each turn has twice as many.
    ready = measured.bundle / measured.rate * workers.bit_length() + measured.first
    each = _PORTION
    free = 0.0  # when the process that gives out work is
    place = 0
    idle = [(ready, number) for number in range(workers)]
    ended: list[tuple[float, int]] = []
    last = 0.0

    def give() -> None:
        """Give the next portion to the worker that is free first."""
        nonlocal free, place
        count = max(1, min(int(_PORTION / each), _LARGEST, (runs - place) // (2 * workers) or 1, runs - place))
        free += measured.task
        at, number = heapq.heappop(idle)
        end = max(at, free) + sum(times[place : place + count])
        place += count
        heapq.heappush(idle, (end, number))
        heapq.heappush(ended, (end, count))

    while place < runs or ended:
        while place < runs and len(ended) < 2 * workers:
            give()
        end, count = heapq.heappop(ended)
        back = (measured.back + measured.size / measured.rate) if comes_back else measured.written
        free = max(free, end) + count * back
        last = max(last, free)
        each += (measured.mean - each) * (1 - (7 / 8) ** count)
    return total / (workers * last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--runs", default="10000,100000")
    parser.add_argument("--workers", default="1,10,100,1000")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        measured = Measured(pathlib.Path(directory).resolve(), given.count)
        os.chdir("/")
    rows = {
        "a run, ms": measured.mean * 1e3,
        "first result of a worker, ms": measured.first * 1e3,
        "a run that comes back, ms": measured.back * 1e3,
        "a run that is written by the worker, ms": measured.written * 1e3,
        "a portion, ms": measured.task * 1e3,
        "a run that comes back, KiB": measured.size / 1024,
        "all inputs, KiB": measured.bundle / 1024,
        "moved in a second, MiB": measured.rate / (1 << 20),
    }
    for name, value in rows.items():
        print(f"{name:<42}{value:>10.2f}")
    portion = max(1, min(int(_PORTION / measured.mean), _LARGEST))
    for name, back in (("come back", measured.back + measured.size / measured.rate), ("are written", measured.written)):
        most = measured.mean / (back + measured.task / portion)
        print(f"results {name + ':':<14} no more than {most:.0f} workers have enough to do")
    for runs in map(int, given.runs.split(",")):
        for comes_back in (True, False):
            for workers in map(int, given.workers.split(",")):
                found = simulated(measured, runs, workers, comes_back=comes_back, chance=random.Random(1))
                name = f"{runs} runs, {workers} workers, {'come back' if comes_back else 'are written'}"
                rows[name] = found
                print(f"{name:<50}{found:>8.1%}")
    if given.json is not None:
        given.json.write_text(json.dumps({name: [value] for name, value in rows.items()}), "utf-8")


if __name__ == "__main__":
    main()
