"""What holds for all commands: how long they may run, what they need, and how they end when the disk is full."""

from __future__ import annotations

import builtins
import errno
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

import bare
from patience import LONGEST
from plait.base.writing import directory, targets
from plait.cli import COMMANDS, main

LONG_RUNNING = {"blame", "fleet", "log", "lsp", "mcp", "reduce", "review", "serve", "website"}
TIMERS = """\
import json, signal
from plait.base.process import own_process
own_process()
from plait import cli
found = {}
for name, (_, function) in cli.COMMANDS.items():
    module = __import__(cli.module_of(name), fromlist=[function])
    def record(argv, name=name):
        found[name] = signal.getitimer(signal.ITIMER_REAL)[0] > 0
        return 0
    setattr(module, function, record)
    assert cli.main([name]) == 0
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_a_command_has_a_timer_unless_it_is_declared_to_run_long() -> None:
    done = subprocess.run([sys.executable, "-c", TIMERS], capture_output=True, text=True, check=True)
    assert {name for name, has_timer in json.loads(done.stdout).items() if not has_timer} == LONG_RUNNING
    assert set(COMMANDS) > LONG_RUNNING


DAY = """\
import os, signal, sys, threading, time, _signal
later, due, real = [0.0], [None], time.monotonic
time.monotonic = lambda: real() + later[0]
def setitimer(which, seconds, interval=0.0):
    due[0] = time.monotonic() + seconds if seconds else None
_signal.setitimer = setitimer
def go_on():
    for _ in sys.stdin:
        later[0] += 3600
        if due[0] is not None and due[0] <= time.monotonic():
            os.kill(os.getpid(), signal.SIGALRM)
        print(later[0], flush=True)
threading.Thread(target=go_on, daemon=True).start()
from plait.cli import run
run()
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_the_website_runs_for_a_day(tmp_path: Path) -> None:
    """The clock and the timers are told that it is an hour later, 24 times."""
    command = [sys.executable, "-c", DAY, "website", "--listen-addr", "127.0.0.1:0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stderr.readline().strip().removeprefix("plait: serving ")
        for hour in range(1, 25):
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{hour * 3600.0}\n"
            with urllib.request.urlopen(address, timeout=LONGEST) as response:
                assert response.status == 200
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LONGEST)
        assert process.returncode == 0


# ---- a disk that is full from the n-th write on


class Disk:
    """A file system whose n-th change, and all after it, fail. changes: how many there were."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.changes = 0

    def change(self) -> None:
        self.changes += 1
        if self.changes >= self._number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*arguments: Any, **options: Any) -> Any:
            self.change()
            return call(*arguments, **options)

        failing.__name__ = call.__name__
        return failing

    def os_open(self, path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            self.change()
        return REAL_OPEN(path, flags, *rest, **options)

    def open(self, *arguments: Any, **options: Any) -> Any:
        file = builtins.open(*arguments, **options)  # noqa: SIM115 - as the caller does
        return File(file, self) if file.writable() else file


class File:
    """A file on such a disk. Writing is a change, and so is the end of what is in the buffer."""

    def __init__(self, file: Any, disk: Disk) -> None:
        self._file, self._disk, self._is_new = file, disk, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, data: Any) -> int:
        self._is_new = True
        self._disk.change()
        written: int = self._file.write(data)
        return written

    def writelines(self, parts: Any) -> None:
        for part in parts:
            self.write(part)

    def flush(self) -> None:
        if self._is_new:
            self._disk.change()
        self._file.flush()
        self._is_new = False

    def close(self) -> None:
        try:
            if self._is_new:
                self._disk.change()
        finally:
            self._file.close()


REAL_OPEN = os.open


@contextmanager
def failing_from(number: int) -> Iterator[Disk]:
    """While the body runs, the n-th change of a file system and all later ones fail."""
    disk = Disk(number)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "replace", "fsync", "fchmod"):
            patch.setattr(os, name, disk.failing(getattr(os, name)))
        patch.setattr(os, "open", disk.os_open)
        for module in (directory, targets):
            patch.setattr(module, "open", disk.open, raising=False)
        yield disk


WRITERS = {
    "render": ["render", "-f", "a.yml", "--output-files", "out"],
    "render to a file": ["render", "-f", "a.yml", "--source-map", "map.json"],
    "layer": ["layer", "layers.yml", "--source-map", "map.json"],
    "fmt": ["fmt", "-w", "loose.yml"],
    "init": ["init", "new"],
    "shims": ["shims", "bin"],
    "set": ["set", "render", "-f", "a.yml", "a=2", "-w"],
    "lint": ["lint", "--sarif", "found.sarif"],
    "coverage": ["coverage", "--report", "lcov:found.info"],
    "fleet": ["fleet", "-j", "1", "--quiet"],
    "fleet without a cache": ["fleet", "-j", "1", "--quiet", "--no-cache"],
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_write_may_fail(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever write is the first that fails: a message that names the reason, no internal error, a file old or new."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    number = 1
    while number < 300:
        place = tmp_path / str(number)
        place.mkdir()
        for file, text in {**bare.FILES, "loose.yml": "a: 1   \nb:\n        c: 1\n"}.items():
            (place / file).write_text(text, "utf-8")
        monkeypatch.chdir(place)
        with failing_from(number) as disk:
            status = main(WRITERS[name])
        out, err = capsys.readouterr()
        assert status != 70, err
        assert "Traceback" not in err
        assert "internal error" not in err + out
        assert status == 0 or "no space left on device" in err.lower(), (number, err)
        if disk.changes < number:
            break
        number += 1
    assert 1 < number < 300
