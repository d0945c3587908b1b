"""Fleets on Dask: workers that do not see the files, and one that is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from test_fleet import contents, many, put, start, wait_for_results

from patience import LONGEST
from plait.base.errors import UsageError
from plait.fleet.api import fleet

distributed = pytest.importorskip("distributed", reason="the extra dask")
# What Dask's event loops leave behind is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.filterwarnings("ignore:::distributed")]

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nregion: #@ data.values.region\nsize: #@ data.values.size\n',
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\nsize: 0\n",
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as found:
        yield found


@pytest.fixture
def client(cluster: Any) -> Any:
    with distributed.Client(cluster) as found:
        yield found


def project_of(place: Path, count: int) -> dict[str, bytes]:
    """Write a project; what its fleet makes here."""
    many(place, count)
    put(place, FILES)
    return contents(Path(fleet(place, output=place / "whole").check().output))


def wait_for(place: Path, count: int) -> None:
    deadline = time.monotonic() + LONGEST
    while len([*(place / "out").glob("*.yml")]) < count:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_worker_that_is_killed_loses_no_run(tmp_path: Path, client: Any) -> None:
    count = 120
    whole = project_of(tmp_path, count)
    pids = list(client.run(os.getpid).values())

    def kill() -> None:
        wait_for(tmp_path, 3)
        os.kill(pids[0], signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    report = fleet(tmp_path, executor=client, cache=tmp_path / "kept")
    killer.join()
    assert report.check().counts == {"rendered": count}
    assert contents(tmp_path / "out") == whole
    assert [path.name for path in (tmp_path / "out/.fleet").iterdir()] == ["lock"]

    # What workers have sent back is kept here, and looked up here.
    assert fleet(tmp_path, output=tmp_path / "other", executor=client, cache=tmp_path / "kept").counts == {
        "cached": count
    }
    assert contents(tmp_path / "other") == whole

    # An error names the file as it is called at home.
    (tmp_path / "many/e001.yml").write_text("size: large\n", "utf-8")
    report = fleet(tmp_path, executor=client)
    assert report.counts == {"up to date": count - 1, "failed": 1}
    assert "config/schema.yml:4" in report.failed[0].error
    assert "plait-fleet-" not in report.failed[0].error


def test_inputs_are_sent_again_when_all_that_had_them_are_gone(tmp_path: Path, client: Any) -> None:
    count = 120
    whole = project_of(tmp_path, count)
    before = client.run(os.getpid)

    def kill() -> None:
        wait_for(tmp_path, 3)
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    report = fleet(tmp_path, executor=client)
    killer.join()
    assert report.check().counts == {"rendered": count}
    assert contents(tmp_path / "out") == whole


def test_each_worker_is_sent_the_inputs_once(tmp_path: Path, client: Any) -> None:
    whole = project_of(tmp_path, 60)
    assert fleet(tmp_path, executor=client).check().counts == {"rendered": 60}
    assert contents(tmp_path / "out") == whole
    laid_out = [*(tmp_path / "temporary").glob("plait-fleet-*")]
    assert 1 <= len(laid_out) <= 2
    # Settings name all of config and each file of values; nothing else of the project has left.
    for place in laid_out:
        names = {path.relative_to(place / tmp_path.relative_to("/")).parts[0] for path in place.rglob("*.yml")}
        assert names == {"config", "many"}


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_fleet_whose_driver_was_killed_goes_on(tmp_path: Path, cluster: Any) -> None:
    count = 200
    whole = project_of(tmp_path, count)
    process = start(tmp_path, "--dask", cluster.scheduler_address)
    wait_for_results(process, tmp_path, 12)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=LONGEST)
    made = contents(tmp_path / "out")
    assert 12 <= len(made) < count
    assert all(whole[name] == content for name, content in made.items())
    process = start(tmp_path, "--dask", cluster.scheduler_address, "--resume", "--events", "json")
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, err
    counts = json.loads(out.splitlines()[-1])["counts"]
    assert counts["up to date"] >= 12
    assert counts["up to date"] + counts["rendered"] == count
    assert contents(tmp_path / "out") == whole
    assert [path.name for path in (tmp_path / "out/.fleet").iterdir()] == ["lock"]


def test_workers_write_to_a_url(tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.fleet import remote_files

    pytest.importorskip("fsspec", reason="the extra fsspec")
    whole = project_of(tmp_path, 30)
    # A scheme of the same machine that is not taken for a directory.
    monkeypatch.setattr(remote_files, "local_path", lambda name: None if "://" in name else name)
    client.run(_no_directories)
    report = fleet(tmp_path, output=f"file://{tmp_path}/far", executor=client)
    assert report.check().counts == {"rendered": 30}
    assert contents(tmp_path / "far") == whole


def _no_directories() -> None:
    from plait.fleet import remote_files

    setattr(remote_files, "local_path", lambda name: None if "://" in name else name)  # noqa: B010 - in the worker


def test_errors_are_the_same_data_as_here(tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    many(tmp_path, 3)
    put(tmp_path, {**FILES, "config/app.yml": '#@ load("lib.star", "size")\n---\nsize: #@ size()\n'})
    put(tmp_path, {"config/lib.star": "def size():\n  return sizes[0]\nend\n"})
    here, there = ([*fleet(output=tmp_path / "out", executor=one).failed] for one in (None, client))
    assert [one.error for one in there] == [one.error for one in here]
    assert [[each.data() for each in one.messages] for one in there] == [
        [each.data() for each in one.messages] for one in here
    ]
    [message] = there[0].messages
    assert (message.code.name, message.file, message.line) == ("undefined-name", "config/lib.star", 2)


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path) -> None:
    from plait.fleet.dask import connect

    with pytest.raises(UsageError, match="cannot reach the scheduler at nowhere"):
        connect("nowhere")
    assert not [*tmp_path.iterdir()]


def _other_version() -> None:
    """Let this worker have different versions of plait."""
    from plait.fleet import fleet_worker, identity

    for module in (identity, fleet_worker):
        setattr(module, "version", _version)  # noqa: B010 - in the worker


def _version() -> str:
    return "another"


def test_a_worker_with_another_version_is_rejected(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start, and when it joins later: then its first outcome tells. Nothing that it made is written or kept."""
    from plait.fleet import dask
    from plait.fleet.identity import version

    project_of(tmp_path, 8)
    worker = min(client.ncores())
    client.run(_other_version, workers=[worker])
    found = dict.fromkeys(client.ncores(), version()) | {worker: "another"}
    monkeypatch.setattr(dask, "_versions", lambda _: found)
    with pytest.raises(UsageError, match="different versions of plait") as caught:
        fleet(tmp_path, executor=client, cache=tmp_path / "kept")
    assert worker in (caught.value.found or "")
    assert not contents(tmp_path / "out")
    client.run(_other_version)
    monkeypatch.setattr(dask, "_versions", lambda _: {})
    with pytest.raises(UsageError, match="different versions of plait"):
        fleet(tmp_path, executor=client, cache=tmp_path / "kept")
    assert not contents(tmp_path / "out")
    assert not [path for path in (tmp_path / "kept").rglob("*") if path.is_file() and path.parent.name != "kept"]
