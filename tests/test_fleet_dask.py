"""Fleets on Dask: workers that do not see the files, and one that is killed meanwhile."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from plait.errors import UsageError
from plait.fleet import fleet
from test_fleet import contents, many

distributed = pytest.importorskip("distributed", reason="the extra dask")
# What Dask's event loops leave behind is theirs.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.filterwarnings("ignore:::distributed")]

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nregion: #@ data.values.region\nsize: #@ data.values.size\n',
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\nsize: 0\n",
}


@pytest.fixture
def client() -> Any:
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as found:
        yield found


def test_a_worker_that_is_killed_loses_no_run(tmp_path: Path, client: Any) -> None:
    count = 120
    many(tmp_path, count)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    whole = contents(Path(fleet(tmp_path, output=tmp_path / "whole").check().output))
    pids = list(client.run(os.getpid).values())

    def kill() -> None:
        while len([*(tmp_path / "out").glob("*.yml")]) < 3:
            time.sleep(0.005)
        os.kill(pids[0], signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    report = fleet(tmp_path, executor=client)
    killer.join()
    assert report.check().counts == {"made": count}
    assert contents(tmp_path / "out") == whole
    assert [path.name for path in (tmp_path / "out/.fleet").iterdir()] == ["lock"]

    # An error names the file as it is called at home.
    (tmp_path / "many/e001.yml").write_text("size: large\n", "utf-8")
    report = fleet(tmp_path, executor=client)
    assert report.counts == {"kept": count - 1, "failed": 1}
    assert "config/schema.yml:4" in report.failed[0].error
    assert "plait-fleet-" not in report.failed[0].error


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path) -> None:
    from plait.fleet.dask import connect

    with pytest.raises(UsageError, match="cannot reach the scheduler at nowhere"):
        connect("nowhere")
    assert not [*tmp_path.iterdir()]
