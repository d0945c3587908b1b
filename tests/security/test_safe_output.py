"""Whatever happens while results are written, what was there before stays whole or what is new is complete."""

from __future__ import annotations

import errno
import os
import pathlib
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from files import write_files
from patience import LONGEST
from plait.base.errors import ReadError, UsageError
from plait.base.output_files import add_files, replace_directory

if TYPE_CHECKING:
    from collections.abc import Callable

OLD = {"a.yml": "old a\n", "d/b.yml": "old b\n", "kept.yml": "kept\n"}
NEW = {"a.yml": "new a\n" * 100, "d/b.yml": "new b\n", "e/f/c.txt": "new c\n"}
# What an injected fault can stop: each call of one of these, one by one.
CALLS = ("open", "write", "mkdir", "replace", "rename", "chmod", "rmtree", "remove", "fsync")

RUN = """
import os, shutil, sys, io
sys.path.insert(0, sys.argv[4])
from plait.base import output_files as output

mode, fault, writer = sys.argv[1], int(sys.argv[2]), sys.argv[3]
count = 0

def watched(real):
    def call(*args, **kwargs):
        global count
        count += 1
        if count == fault:
            if mode == "kill":
                os._exit(9)
            raise OSError(28, "No space left on device")
        return real(*args, **kwargs)
    return call

for name in ("open", "mkdir", "replace", "rename", "chmod", "remove", "fsync"):
    setattr(os, name, watched(getattr(os, name)))
shutil.rmtree = watched(shutil.rmtree)

class Stream(io.FileIO):
    write = watched(io.FileIO.write)

output.open = lambda descriptor, mode: Stream(descriptor, mode)
files = [("a.yml", b"new a\\n" * 100), ("d/b.yml", b"new b\\n"), ("e/f/c.txt", b"new c\\n")]
try:
    getattr(output, writer)("out", files, lambda line: None)
except Exception as error:
    sys.stderr.write(f"{type(error).__name__}: {error}")
    sys.exit(1)
sys.exit(0)
"""


def fill(top: pathlib.Path, files: dict[str, str]) -> None:
    write_files(top, files)


def content(top: pathlib.Path) -> dict[str, str]:
    return {str(file.relative_to(top)): file.read_text("utf-8") for file in sorted(top.rglob("*")) if file.is_file()}


def faulty(directory: pathlib.Path, mode: str, fault: int, writer: str) -> subprocess.CompletedProcess[str]:
    source = pathlib.Path(__file__).parents[2] / "src"
    return subprocess.run(
        [sys.executable, "-c", RUN, mode, str(fault), writer, str(source)],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )


@pytest.mark.parametrize("mode", ["kill", "full"])
def test_a_directory_is_replaced_whole_or_not_at_all(mode: str, tmp_path: pathlib.Path) -> None:
    """Killed, or the disk full, at each call that writes. At any time one whole tree is there: the old one in its place
    or (between two renames) beside it under a name that says so, or the new one."""
    for fault in range(1, 100):
        place = tmp_path / f"{mode}{fault}"
        fill(place / "out", OLD)
        done = faulty(place, mode, fault, "replace_directory")
        beside = [path for path in place.iterdir() if path.name.startswith("out.old-")]
        trees = [content(path) for path in (place / "out", *beside) if path.exists()]
        assert OLD in trees or NEW in trees, (fault, trees)
        if mode == "full" and done.returncode:
            assert done.returncode == 1
            assert done.stderr.startswith("ReadError: Writing")
            assert content(place / "out") in (OLD, NEW)
        if done.returncode == 0:
            assert content(place / "out") == NEW
            assert fault > 10
            return
    pytest.fail("no run came to its end")


@pytest.mark.parametrize("mode", ["kill", "full"])
def test_added_files_are_old_or_new_never_half(mode: str, tmp_path: pathlib.Path) -> None:
    for fault in range(1, 100):
        place = tmp_path / f"{mode}{fault}"
        fill(place / "out", OLD)
        done = faulty(place, mode, fault, "add_files")
        found = content(place / "out")
        assert found["kept.yml"] == OLD["kept.yml"]
        for name in ("a.yml", "d/b.yml"):
            assert found[name] in (OLD[name], NEW[name]), (fault, name)
        assert found.get("e/f/c.txt") in (None, NEW["e/f/c.txt"])
        if mode == "full" and done.returncode:
            assert done.returncode == 1
            assert set(found) <= {*OLD, *NEW}, "nothing is left aside"
        if done.returncode == 0:
            assert found == {**OLD, **NEW}
            return
    pytest.fail("no run came to its end")


STORE = """
import os, sys
sys.path.insert(0, sys.argv[2])
from plait.ops.variables import Sources
from plait.ops.store import VariableStore
import plait.ops.store as module

fault = int(sys.argv[1])
count = 0

def watched(real):
    def call(*args, **kwargs):
        global count
        count += 1
        if count == fault:
            os._exit(9)
        return real(*args, **kwargs)
    return call

for name in ("open", "fsync", "replace", "chmod", "write"):
    setattr(os, name, watched(getattr(os, name)))
VariableStore("store.yml", lambda *_: "made").get("b", "thing", None, Sources())
"""


def test_a_killed_run_leaves_the_store_whole(tmp_path: pathlib.Path) -> None:
    source = pathlib.Path(__file__).parents[2] / "src"
    for fault in range(1, 30):
        place = tmp_path / str(fault)
        fill(place, {"store.yml": "a: 1\n"})
        done = subprocess.run([sys.executable, "-c", STORE, str(fault), str(source)], cwd=place, check=False)
        text = (place / "store.yml").read_text()
        assert text in ("a: 1\n", "a: 1\nb: made\n")
        if done.returncode == 0:
            assert text.endswith("b: made\n")
            assert fault > 3
            return
    pytest.fail("no run came to its end")


@pytest.mark.parametrize("write", [add_files, replace_directory])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_system_that_refuses_is_an_error_of_the_user(
    write: Callable[..., None], code: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "out", OLD)
    monkeypatch.chdir(tmp_path)
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, **more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(code, os.strerror(code), path)
        return real(path, flags, mode, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(ReadError, match="Writing 'out"):
            write("out", [("a.yml", b"new")], lambda _: None)
    assert content(tmp_path / "out") == OLD
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs modes that count")
def test_a_read_only_directory_loses_nothing(tmp_path: pathlib.Path) -> None:
    fill(tmp_path / "out", OLD)
    os.chmod(tmp_path / "out", 0o500)
    with pytest.raises(ReadError):
        add_files(str(tmp_path / "out"), [("a.yml", b"new")], lambda _: None)
    os.chmod(tmp_path / "out", 0o700)
    assert content(tmp_path / "out") == OLD


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
class TestLinks:
    @pytest.fixture(autouse=True)
    def places(self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        fill(pathlib.Path("outside"), {"secret.yml": "mine\n", "d/b.yml": "mine\n"})
        pathlib.Path("out").mkdir()

    def test_a_linked_file_is_replaced_not_followed(self) -> None:
        os.symlink("../outside/secret.yml", "out/a.yml")
        add_files("out", [("a.yml", b"new\n")], lambda _: None)
        assert not os.path.islink("out/a.yml")
        assert content(pathlib.Path("outside"))["secret.yml"] == "mine\n"

    def test_a_linked_directory_inside_is_not_followed(self) -> None:
        os.symlink("../outside/d", "out/d")
        with pytest.raises((ReadError, UsageError), match="symbolic link"):
            add_files("out", [("first.yml", b"new\n"), ("d/b.yml", b"new\n")], lambda _: None)
        assert content(pathlib.Path("outside")) == {"secret.yml": "mine\n", "d/b.yml": "mine\n"}
        assert os.listdir("out") == ["d"]

    def test_a_link_out_of_the_directory_is_not_emptied_through(self) -> None:
        os.symlink("../outside", "out/d")
        replace_directory("out", [("a.yml", b"new\n")], lambda _: None)
        assert content(pathlib.Path("outside")) == {"secret.yml": "mine\n", "d/b.yml": "mine\n"}

    def test_a_link_to_what_nobody_wants_to_lose(self, monkeypatch: pytest.MonkeyPatch) -> None:
        home = pathlib.Path("home").absolute()
        home.mkdir()
        monkeypatch.setenv("HOME", str(home))
        for target in ("/", str(home), os.getcwd(), os.path.dirname(os.getcwd()), os.path.dirname(home)):
            if os.path.lexists("link"):
                os.remove("link")
            os.symlink(target, "link")
            with pytest.raises(UsageError):
                replace_directory("link", [("a.yml", b"")], lambda _: None)


def test_the_parents_of_home_are_not_emptied(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "homes" / "me"
    home.mkdir(parents=True)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(UsageError) as caught:
        replace_directory(str(home.parent), [("a.yml", b"")], lambda _: None)
    assert "around the home directory" in str(caught.value.found)


def test_a_render_that_fails_empties_nothing(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.cli import main

    monkeypatch.chdir(tmp_path)
    fill(tmp_path, {"out/old.yml": "old\n", "a.yml": "a: #@ nothing\n"})
    assert main(["render", "-f", "a.yml", "--dangerous-emptied-output-directory", "out"]) == 1
    assert content(tmp_path / "out") == {"old.yml": "old\n"}


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "d/.GIT/config"])
def test_nothing_is_written_for_git_to_run(path: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match=r"inside a \.git directory"):
        add_files(str(tmp_path), [(path, b"x")], lambda _: None)
    assert os.listdir(tmp_path) == []


def test_existing_modes_stay_and_nothing_is_left_for_others(tmp_path: pathlib.Path) -> None:
    add_files(str(tmp_path / "out"), [("a.yml", b"x")], lambda _: None)
    assert stat.S_IMODE(os.stat(tmp_path / "out" / "a.yml").st_mode) & 0o077 == 0
