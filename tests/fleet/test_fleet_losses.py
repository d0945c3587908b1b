"""Workers that end at each step of a fleet, and answers that arrive in any order: no run and no result is lost.

Threads take the place of the workers of Dask: each has a state of its own and is sent copies. Where the test says, one ends,
and what it has made is lost.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as real_wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_fleet import contents, many, put

from plait.base.errors import ReadError
from plait.fleet.api import fleet
from plait.fleet.destinations import DirectoryDestination

COUNT = 12
FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nregion: #@ data.values.region\nsize: #@ data.values.size\n',
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\nsize: 0\n",
}
BEFORE, WITHIN, UNTOLD, TOLD, ALL = (
    "before it begins",
    "within a portion",
    "before it answers",
    "after that",
    "all of them",
)
STEPS = [BEFORE, WITHIN, UNTOLD, TOLD, ALL]


class EndedError(Exception):
    """A worker has ended."""


class Cluster:
    """A client of two workers, and its executor. number, step: of the portion, and when the worker that makes it ends.

    retries: another worker makes what is lost; otherwise its failure is told. backwards: of several answers, the last one
    comes first.
    """

    def __init__(self, number: int, step: str, *, retries: bool, backwards: bool) -> None:
        self._number, self._step, self._retries, self._backwards = number, step, retries, backwards
        self._workers = [ThreadPoolExecutor(1) for _ in range(2)]
        self._pending: list[tuple[int, Future[Any], bytes]] = []
        self._sent = SimpleNamespace(status="", setup=None)
        self.count = 0

    def ncores(self) -> dict[str, int]:
        return {"one": 1, "two": 1}

    def run(self, function: Callable[[], Any]) -> dict[str, Any]:
        return {name: function() for name in self.ncores()}

    def scatter(self, setup: object, *, broadcast: bool) -> object:
        assert broadcast
        self._sent = SimpleNamespace(status="finished", setup=setup)
        return self._sent

    def get_executor(self, *, pure: bool) -> Cluster:
        assert not pure
        return self

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        sent, tasks = args
        future: Future[Any] = Future()
        self._pending.append((self.count, future, pickle.dumps((fn, sent.setup, tasks))))
        self.count += 1
        return future

    def answer(self) -> None:
        """Answer all that is asked for."""
        pending, self._pending = self._pending, []
        answers = []
        for number, future, call in pending:
            if number == self._number and self._step == ALL:
                # Nobody has the setup any more, and nothing that needs it is ever answered.
                self._end(0)
                self._end(1)
                self._sent.status = "lost"
                return
            answers.append((future, self._made(number, call)))
        for future, answer in answers[:: -1 if self._backwards else 1]:
            if answer is None:
                future.set_exception(EndedError())
            else:
                future.set_result(pickle.loads(answer))

    def _made(self, number: int, call: bytes) -> bytes | None:
        """The outcomes of a portion; None if its worker has ended."""
        worker = number % 2
        if number != self._number:
            return self._done(worker, call)
        answer = None
        if self._step != BEFORE:
            answer = self._done(worker, call, half=self._step == WITHIN)
        self._end(worker)
        if self._step == TOLD:
            return answer
        return self._done(1 - worker, call) if self._retries else None

    def _done(self, worker: int, call: bytes, *, half: bool = False) -> bytes:
        function, setup, tasks = pickle.loads(call)
        tasks = tasks[: len(tasks) // 2] if half else tasks
        return pickle.dumps(self._workers[worker].submit(function, setup, tasks).result())

    def _end(self, worker: int) -> None:
        self._workers[worker].shutdown()
        self._workers[worker] = ThreadPoolExecutor(1)

    def close(self) -> None:
        for one in self._workers:
            one.shutdown()


def fleet_on(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, place: Path, **options: Any) -> dict[str, int]:
    def answered(*args: Any, **kwargs: Any) -> Any:
        cluster.answer()
        return real_wait(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr("plait.fleet.scheduler.wait", answered)
        patch.setattr("plait.fleet.scheduler._TICK", 0.01)
        found = fleet(place, executor=cluster, **options).counts
    cluster.close()
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    place = many(put(tmp_path_factory.mktemp("losses"), FILES), COUNT)
    return place, contents(Path(fleet(place, output=place / "whole").check().output))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("retries", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_nothing_is_lost(
    step: str,
    retries: bool,
    backwards: bool,
    project: tuple[Path, dict[str, bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, whole = project
    number, count = 0, 1
    while number < count:
        cluster = Cluster(number, step, retries=retries, backwards=backwards)
        output, kept = tmp_path / f"{number}", tmp_path / f"{number}-kept"
        assert fleet_on(cluster, monkeypatch, place, output=output, cache=kept) == {"rendered": COUNT}, number
        assert contents(output) == whole
        number, count = number + 1, cluster.count
        # All that workers have sent is kept, and told in the manifest.
        assert fleet(place, output=output).counts == {"up to date": COUNT}, number
        assert fleet(place, output=tmp_path / "other", afresh=True, cache=kept).counts == {"cached": COUNT}, number
    assert number > 6


def test_a_result_that_cannot_be_written_takes_nothing_with_it(
    project: tuple[Path, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first outcome of a portion tells what the others refer to."""
    place, whole = project
    write = DirectoryDestination.put
    rest = [name for name in whole if name != "e000.yml"]

    def put(self: DirectoryDestination, task: Any, texts: Any) -> Any:
        if task.place == "e000.yml":
            raise ReadError("no room", code="fleet-place")
        return write(self, task, texts)

    with monkeypatch.context() as patch:
        patch.setattr(DirectoryDestination, "put", put)
        patch.setattr("plait.fleet.scheduler._LARGEST", COUNT)
        patch.setattr("plait.fleet.scheduler.Scheduler._each", 0.0, raising=False)
        cluster = Cluster(-1, "", retries=True, backwards=False)
        counts = fleet_on(cluster, monkeypatch, place, output=tmp_path / "out")
    assert counts == {"rendered": COUNT - 1, "failed": 1}
    assert sorted(contents(tmp_path / "out")) == sorted(rest)
    assert fleet(place, output=tmp_path / "out").counts == {"up to date": COUNT - 1, "rendered": 1}
