"""`await plait.arender(...)`: the same results, while the loop goes on; a cancelled call ends."""

from __future__ import annotations

import asyncio
import pathlib
import threading
import time

import pytest

import plait
from patience import LONGEST
from plait.api import workers

STUCK = {"stuck.yml": "#@ for n in range(1 << 30):\n#@   x = [n, n]\n#@ end\n"}
MUCH: plait.Limits = {"steps": 1 << 50, "seconds": LONGEST}
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("isolated", [False, True])
def test_the_same_results_and_errors(isolated: bool) -> None:
    async def work() -> None:
        assert await plait.arender({"a.yml": "a: #@ 1 + 1"}, isolated=isolated) == plait.render(
            {"a.yml": "a: #@ 1 + 1"}
        )
        assert await plait.apatch({"a.yml": "a: ((b))"}, variables={"b": 1}, isolated=isolated) == plait.patch(
            {"a.yml": "a: ((b))"}, variables={"b": 1}
        )
        assert await plait.alayer(EXAMPLES / "layer", isolated=isolated) == plait.layer(EXAMPLES / "layer")
        pipeline = {"p.yml": "steps: [{values: {set: {a: 1}}}]"}
        assert await plait.acompose(pipeline, isolated=isolated) == plait.compose(pipeline)
        with pytest.raises(plait.StarlarkError) as caught:
            await plait.arender({"a.yml": "a: #@ nmae"}, isolated=isolated)
        assert "undefined: nmae" in caught.value.report()
        with pytest.raises(plait.LimitError):
            await plait.arender(STUCK, limits={"steps": 1000}, isolated=isolated)
        with pytest.raises(TypeError):
            await plait.arender(3, isolated=isolated)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="limits must be a mapping"):
            await plait.arender({}, limits=3, isolated=isolated)  # type: ignore[arg-type]
        with pytest.raises(plait.UsageError, match="unknown limit"):
            await plait.arender({}, limits={"second": 3}, isolated=isolated)  # type: ignore[arg-type]
        assert (await plait.arender({}, limits=None, isolated=isolated)).to_list() == []

    asyncio.run(work())


def test_histories_of_an_awaited_call() -> None:
    rendered = asyncio.run(plait.arender({"a.yml": "a: 1"}, trace=True))
    assert plait.explain(rendered, "a")[0].entries[-1].place == "a.yml:1"


@pytest.mark.parametrize("isolated", [False, True])
def test_the_loop_goes_on_and_a_cancelled_call_ends(isolated: bool) -> None:
    async def work() -> None:
        task = asyncio.create_task(plait.arender(STUCK, limits=MUCH, isolated=isolated))
        for _ in range(20):
            await asyncio.sleep(0.02)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    # `run` waits for the threads of the executor: it comes back when the call itself has ended, long before its limit.
    start = time.monotonic()
    asyncio.run(work())
    assert time.monotonic() - start < MUCH["seconds"]


def test_a_worker_of_a_cancelled_call_is_not_used_again() -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(plait.arender(STUCK, limits=MUCH, isolated=True))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert all(worker.is_alive() for worker in workers._WORKERS._idle)
    assert plait.render({"a.yml": "a: 1"}, isolated=True).to_dict() == {"a": 1}


def test_many_are_cancelled_before_they_begin() -> None:
    async def work() -> None:
        tasks = [asyncio.create_task(plait.arender(STUCK, limits=MUCH)) for _ in range(60)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in done)

    asyncio.run(work())


def test_a_timeout_is_a_cancellation() -> None:
    async def work() -> None:
        async with asyncio.timeout(0.2):
            await plait.arender(STUCK, limits=MUCH)

    with pytest.raises(TimeoutError):
        asyncio.run(work())


def test_a_cancelled_patch_writes_no_store(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import plait.ops.generate

    begun, goes_on = threading.Event(), threading.Event()

    def slow(*_: object) -> str:
        begun.set()
        goes_on.wait(30)
        return "made"

    monkeypatch.setattr(plait.ops.generate, "generate", slow)
    store = tmp_path / "store.yml"
    base = {"a.yml": "a: ((x))\nvariables: [{name: x, type: password}]\n"}

    async def work() -> None:
        task = asyncio.create_task(plait.apatch(base, store=store))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        goes_on.set()

    asyncio.run(work())
    assert begun.is_set()
    assert list(tmp_path.iterdir()) == []


def test_a_call_that_is_ended_before_it_begins() -> None:
    from plait.api.cancellation import Canceller

    ends: list[str] = []
    stop = Canceller()
    stop.set()
    assert not stop.ends_by(lambda: ends.append("now"))
    assert ends == ["now"]
    stop = Canceller()
    assert stop.ends_by(lambda: ends.append("later"))
    stop.set()
    assert ends == ["now", "later"]
    assert not stop.ends_by(None)


def test_calls_at_once_share_nothing() -> None:
    async def work() -> list[plait.Rendered]:
        return await asyncio.gather(
            *(plait.arender({"a.yml": f"a: #@ {n} + 1"}, limits={"steps": 10_000}) for n in range(20))
        )

    assert [one.to_dict()["a"] for one in asyncio.run(work())] == list(range(1, 21))
