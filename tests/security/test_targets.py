"""What is written where: nothing but files is replaced, no link leads away, and who is ended leaves nothing behind."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys

import pytest

from plait.base.writing.targets import write_file
from plait.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links, devices and signals")

BASE = "a: ((p))\nvariables: [{name: p, type: password}]\n"
MAP = {"version": 1, "sources": ["base.yml"]}


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yml").write_text(BASE)
    (tmp_path / "plain.yml").write_text("a: 1\n")
    return tmp_path


def read_pipe(path: pathlib.Path, argv: list[str]) -> bytes:
    """What a run writes to a named pipe."""
    os.mkfifo(path)
    reading = os.open(path, os.O_RDWR)  # so that nobody waits
    try:
        assert main(argv) == 0
        os.set_blocking(reading, False)
        return os.read(reading, 1 << 16)
    finally:
        os.close(reading)


def test_a_store_that_keeps_nothing(here: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A device stays a device; the reference writes to it as well."""
    device = here / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.close(os.open(device, os.O_RDWR))
    except OSError:
        pytest.skip("devices are made by root only")
    assert main(["patch", "base.yml", "--vars-store", str(device)]) == 0
    assert len(capsys.readouterr().out) > 10
    assert stat.S_ISCHR(os.stat(device).st_mode)
    assert main(["render", "-f", "plain.yml", "--source-map", str(device)]) == 0
    assert stat.S_ISCHR(os.stat(device).st_mode)
    assert [entry.name for entry in os.scandir(here)].count("null") == 1
    assert len(os.listdir(here)) == 3


def test_a_pipe_is_written_to(here: pathlib.Path) -> None:
    data = read_pipe(here / "map", ["render", "-f", "plain.yml", "--source-map", "map"])
    assert json.loads(data)["sources"] == ["plain.yml"]
    assert stat.S_ISFIFO(os.stat("map").st_mode)


def test_write_file_writes_to_what_is_no_file(here: pathlib.Path) -> None:
    write_file(os.devnull, [b"gone"], new_mode=0o600)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError):
        write_file(str(here), [b"gone"], new_mode=0o600)


@pytest.mark.parametrize("kind", ["pipe", "directory"])
def test_an_output_that_is_no_file_is_refused(
    kind: str, here: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "out").mkdir()
    if kind == "pipe":
        os.mkfifo(here / "out" / "plain.yml")
    else:
        (here / "out" / "plain.yml").mkdir()
    assert main(["render", "-f", "plain.yml", "--output-files", "out"]) == 1
    assert "out/plain.yml': is " in capsys.readouterr().err
    assert not stat.S_ISREG(os.stat("out/plain.yml").st_mode)
    assert os.listdir("out") == ["plain.yml"]


@pytest.mark.parametrize("there", [True, False])
def test_a_source_map_goes_through_no_link(there: bool, here: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    if there:
        (here / "precious").write_text("kept")
    os.symlink("precious", here / "map.json")
    assert main(["render", "-f", "plain.yml", "--source-map", "map.json"]) == 1
    assert 'cannot write the source map "map.json": it is a symbolic link' in capsys.readouterr().err
    assert (here / "precious").exists() is there
    assert not there or (here / "precious").read_text() == "kept"


def test_a_source_map_is_whole_and_keeps_its_mode(here: pathlib.Path) -> None:
    (here / "map.json").write_text("old" * 10_000)
    os.chmod("map.json", 0o640)
    before = os.stat("map.json").st_ino
    assert main(["render", "-f", "plain.yml", "--source-map", "map.json"]) == 0
    assert json.loads((here / "map.json").read_text())["version"] == 1
    assert stat.S_IMODE(os.stat("map.json").st_mode) == 0o640
    assert os.stat("map.json").st_ino != before, "a reader of the old file still sees all of it"


def test_no_document_is_written_behind_a_link(here: pathlib.Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Neither where a document says, nor where a pattern does."""
    (here / "elsewhere").mkdir()
    (here / "out").mkdir()
    (here / "out" / "link").symlink_to(here / "elsewhere")
    (here / "said.yml").write_text('#@output/file "link/a.yml"\n---\na: 1\n')
    (here / "named.yml").write_text("name: link/a\n")
    for argv in (["-f", "said.yml", "--with", "output-file"], ["-f", "named.yml", "--output-by", "{name}.yml"]):
        assert main(["render", *argv, "--output-files", "out"]) == 1
        assert b"is a symbolic link" in capfdbinary.readouterr().err
    assert os.listdir(here / "elsewhere") == []


RUN = """
import os, signal, sys
real = {real}
def ended(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    return real(*arguments, **options)
{real} = ended
from plait.cli import run
sys.argv = ["plait", *sys.argv[1:]]
run()
"""


@pytest.mark.parametrize("call", ["os.replace", "os.open", "os.fsync", "os.chmod", "os.rename"])
@pytest.mark.parametrize(
    "command",
    [
        "render -f base.yml -f plain.yml --output-files out",
        "render -f base.yml -f plain.yml --dangerous-emptied-output-directory out",
        "render -f plain.yml --source-map out/map.json",
        "patch base.yml --vars-store out/store.yml",
        "patch out/base.yml --in-place",
    ],
)
def test_who_is_ended_leaves_nothing_behind(call: str, command: str, here: pathlib.Path) -> None:
    (here / "out").mkdir()
    for name in ("map.json", "base.yml", "plain.yml"):
        (here / "out" / name).write_text("a: old\n")
    (here / "out" / "store.yml").write_text("{}\n")
    env = {**os.environ, "PLAIT_CACHE_DIR": ""}
    argv = [sys.executable, "-c", RUN.format(real=call), *command.split()]
    done = subprocess.run(argv, cwd=here, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (-signal.SIGTERM, 0), done.stderr
    assert done.stderr == ""
    assert sorted(os.listdir(here)) == ["base.yml", "out", "plain.yml"]
    names = ["base.yml", "map.json", "plain.yml", "store.yml"]
    if done.returncode and "emptied" not in command:
        assert sorted(os.listdir("out")) == names
    assert not [name for name in os.listdir("out") if name not in names]
