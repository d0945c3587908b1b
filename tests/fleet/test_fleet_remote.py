"""Fleets whose results, or what is kept of them, lie on URLs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_fleet import FILES, contents, put, runs_of

from plait.base.errors import PlaitError, UsageError
from plait.cli import main
from plait.fleet.api import fleet
from plait.fleet.remote_files import RemoteFiles, local_path

fsspec = pytest.importorskip("fsspec", reason="the extra fsspec")
MATRIX = FILES["plait.yml"].replace("{site.path}", "sites/{site}")
WHOLE = {
    "eu/lyon/app.yml": b"region: eu\nsize: 2\n",
    "eu/paris/app.yml": b"region: eu\nsize: 1\n",
    "us/paris/app.yml": b"region: us\nsize: 1\n",
    "ap/paris/app.yml": b"region: ap\nsize: 1\n",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, {**FILES, "plait.yml": MATRIX})
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield files
    files.store.clear()


def below(files: Any, top: str) -> dict[str, bytes]:
    """The results below a URL's path."""
    found = {path.removeprefix(f"{top}/"): files.cat_file(path) for path in files.find(top)}
    return {path: content for path, content in found.items() if not path.startswith((".fleet", "fleet.jsonl"))}


@pytest.mark.parametrize("processes", [1, 2])
def test_results_on_a_url(place: Path, memory: Any, processes: int) -> None:
    report = fleet(output="memory://results/out", processes=processes)
    assert (report.output, report.check().counts) == ("memory://results/out", {"rendered": 4})
    assert below(memory, "/results/out") == WHOLE
    assert not [path for path in memory.find("/results/out") if ".fleet" in path]
    assert [line["status"] for line in runs_of("memory://results/out")] == ["rendered"] * 4
    assert fleet(output="memory://results/out").counts == {"up to date": 4}


def test_what_a_run_on_a_url_no_more_makes_goes(place: Path, memory: Any) -> None:
    put(place, {"config/more.yml": "a: 1\n"})
    fleet(output="memory://out").check()
    assert "/out/eu/paris/more.yml" in memory.find("/out")
    (place / "config/more.yml").unlink()
    memory.pipe_file("/out/elsewhere.yml", b"somebody's")
    assert fleet(output="memory://out").check().counts == {"rendered": 4}
    assert below(memory, "/out") == {**WHOLE, "elsewhere.yml": b"somebody's"}
    # What others have removed or written is made again.
    memory.rm_file("/out/eu/lyon/app.yml")
    memory.pipe_file("/out/us/paris/more.yml", b"by hand")
    assert fleet(output="memory://out").check().counts == {"up to date": 2, "rendered": 2}
    assert below(memory, "/out") == {**WHOLE, "elsewhere.yml": b"somebody's"}
    assert memory.cat_file("/out/.fleet/moved/us/paris/more.yml") == b"by hand"


def test_files_at_a_destination_that_no_fleet_wrote_are_moved(place: Path, memory: Any) -> None:
    for round_ in (b"first", b"second"):
        memory.pipe_file("/out/eu/paris/db.dump", round_)
        memory.pipe_file("/out/eu/paris/deep/db.dump", round_)
        assert fleet(output="memory://out").check().counts["rendered"] >= 1
        assert below(memory, "/out") == WHOLE
    moved = memory.find("/out/.fleet/moved")
    assert sorted(memory.cat_file(path) for path in moved) == [b"first"] * 2 + [b"second"] * 2


def test_a_fleet_on_a_url_that_was_killed_goes_on(place: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.fleet import remote_files

    class Killed(BaseException):
        pass

    monkeypatch.setattr(remote_files, "_EACH", 0.0)
    written: list[str] = []
    pipe = type(memory).pipe_file

    def dies(self: Any, path: str, value: bytes, **more: Any) -> None:
        if path.endswith("us/paris/app.yml"):
            raise Killed
        written.append(path)
        pipe(self, path, value, **more)

    with monkeypatch.context() as patched:
        patched.setattr(type(memory), "pipe_file", dies)
        patched.setattr(
            remote_files.RemoteDestination, "close", lambda _self: None
        )  # nobody closes anything when a process is killed
        with pytest.raises(Killed):
            fleet(output="memory://out")
    assert [path for path in written if path.endswith("app.yml")]
    assert fleet(output="memory://out").check().counts == {"up to date": 2, "rendered": 2}
    assert below(memory, "/out") == WHOLE
    assert not [path for path in memory.find("/out") if ".fleet" in path]


def test_a_store_that_refuses_is_told(place: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_self: Any, path: str, value: bytes, **_more: Any) -> None:
        if "lyon" in path:
            raise PermissionError(f"no permission for {path}")
        pipe(memory, path, value)

    pipe = type(memory).pipe_file
    monkeypatch.setattr(type(memory), "pipe_file", refuses)
    report = fleet(output="memory://out")
    assert report.counts == {"failed": 1, "rendered": 3}
    assert "cannot use memory://out: no permission" in report.failed[0].error


def test_a_file_url_is_a_directory(place: Path) -> None:
    assert fleet(output=(place / "a b").as_uri()).check().counts == {"rendered": 4}
    assert contents(place / "a b") == WHOLE
    assert fleet(output="a b").counts == {"up to date": 4}
    assert local_path("out") == "out"
    assert local_path("s3://bucket/out") is None


@pytest.mark.parametrize("cache", ["memory://kept/results", "file"])
def test_results_are_kept_on_a_url(place: Path, memory: Any, cache: str) -> None:
    cache = (place / "kept").as_uri() if cache == "file" else cache
    fleet(cache=cache).check()
    assert fleet(output="other", cache=cache).counts == {"cached": 4}
    assert contents(place / "other") == WHOLE
    for path in memory.find("/kept"):
        memory.pipe_file(path, memory.cat_file(path)[:-1])
    if cache.startswith("memory"):
        assert fleet(output="third", cache=cache).counts == {"rendered": 4}
        fleet(output="fourth", cache=cache, cache_size=600)
        assert 0 < sum(memory.size(path) for path in memory.find("/kept")) <= 600
        for path in ("/kept/results/db.dump", "/kept/results/ab/db.dump", "/kept/results/looked-at-home"):
            memory.pipe_file(path, b"x" * 1000)
        fleet(output="fifth", cache=cache, cache_size=600)
        assert len([path for path in memory.find("/kept") if memory.size(path) == 1000]) == 3


def test_a_url_that_cannot_be_used_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="cannot use nothing://out"):
        fleet(output="nothing://out")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match="need an extra that is not installed") as failed:
        RemoteFiles("s3://bucket/out")
    assert failed.value.hint == "pip install 'plait[fsspec]'"
    with pytest.raises(PlaitError):
        fleet(cache="s3://bucket/kept")


def test_a_fleet_on_a_url_from_the_command_line(
    place: Path, memory: Any, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["fleet", "-j", "1", "--no-cache", "--output", "memory://out"]) == 0
    assert b"4 rendered" in (told := capfdbinary.readouterr().out)
    assert told.rstrip().endswith(b"; memory://out")
    assert below(memory, "/out") == WHOLE


@pytest.mark.filterwarnings("ignore")  # what the client and the server of S3 leave behind is theirs
def test_an_object_store(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs", reason="a client of S3")
    server = pytest.importorskip("moto.server", reason="a server of S3").ThreadedMotoServer(port=0, verbose=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        files = fsspec.filesystem("s3", skip_instance_cache=True)
        files.mkdir("results")
        assert fleet(output="s3://results/out", cache="s3://results/kept").check().counts == {"rendered": 4}
        assert below(files, "results/out") == WHOLE
        assert fleet(output="s3://results/out").counts == {"up to date": 4}
        assert fleet(output="other", cache="s3://results/kept").counts == {"cached": 4}
        assert contents(place / "other") == WHOLE
        put(place, {"sites/lyon/values.yml": "size: 3\n"})
        assert fleet(output="s3://results/out", processes=2).check().counts == {"up to date": 3, "rendered": 1}
        # A name that is mistyped makes no bucket.
        with pytest.raises(PlaitError, match="cannot use s3://nowhere"):
            fleet(output="s3://nowhere/out")
        assert files.ls("") == ["results"]
    finally:
        server.stop()
