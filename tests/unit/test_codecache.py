"""Compiled code between runs: found again, never trusted when damaged, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from weft.codecache import CodeCache, build, user_cache
from weft.context import Context
from weft.source import Source
from weft.starlark import compile_program
from weft.templates import compile_starlark

TEXT = "def double(x):\n  return x * 2\nend\nanswer = double(21)\n"


def answer(cache: CodeCache | None, text: str = TEXT) -> object:
    return compile_starlark(Source("a.star", text), cache).run(Context(), lambda _path, _at: {}).exports["answer"]


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return CodeCache(str(tmp_path))


def entries(cache: CodeCache) -> list[str]:
    return sorted(os.listdir(cache.directory))


def test_code_is_kept_and_found_again(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(cache) == 42
    assert len(entries(cache)) == 1

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("weft.templates.template.compile_program", refuse)
    assert answer(cache) == 42


def test_another_text_is_another_entry(cache: CodeCache) -> None:
    assert answer(cache) == 42
    assert answer(cache, TEXT.replace("21", "4")) == 8
    assert len(entries(cache)) == 2


def test_every_file_that_compiles_counts() -> None:
    known = build()
    for package in ("starlark", "templates", "yaml"):
        for file in (Path(weft.__file__).parent / package).rglob("*.py"):
            assert f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" in known, file


def test_another_kind_of_file_is_another_entry(cache: CodeCache) -> None:
    assert cache.key("text", TEXT) != cache.key("starlark", TEXT)
    assert cache.key("ab", "c") != cache.key("a", "bc")


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_entry_is_compiled_again(cache: CodeCache, damage: bytes | None) -> None:
    answer(cache)
    path = os.path.join(cache.directory, entries(cache)[0])
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "wb") as file:
        file.write(whole[:-1] + bytes([whole[-1] ^ 1]) if damage is None else damage)
    assert answer(cache) == 42
    with open(path, "rb") as file:
        assert file.read() == whole


def test_a_directory_that_is_gone_is_no_matter(tmp_path: Path) -> None:
    assert answer(CodeCache(str(tmp_path / "nowhere"))) == 42


def test_a_full_directory_is_emptied(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.codecache._ENTRIES", 3)
    for number in range(5):
        CodeCache(cache.directory).put(f"{number:064}", compile_program([], Source("x")).code)
    assert len(entries(cache)) < 5


def test_a_directory_of_other_files_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.codecache._ENTRIES", 3)
    for number in range(8):
        (tmp_path / f"photo-{number}.jpg").write_text("mine")
    for _ in range(8):
        CodeCache(str(tmp_path)).put(os.urandom(32).hex(), compile_program([], Source("x")).code)
    assert len(list(tmp_path.glob("photo-*"))) == 8
    assert len(entries(CodeCache(str(tmp_path)))) < 8 + 6


def test_the_user_can_choose_or_refuse_it(tmp_path: Path) -> None:
    found = user_cache({"WEFT_CACHE_DIR": str(tmp_path / "mine")})
    assert found is not None
    assert os.stat(found.directory).st_mode & 0o777 == 0o700
    assert user_cache({"WEFT_CACHE_DIR": "", "HOME": str(tmp_path)}) is None
    assert user_cache({}) is None
    home = user_cache({"HOME": str(tmp_path)})
    assert home is not None
    assert home.directory.startswith(str(tmp_path))


def test_a_directory_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert user_cache({"WEFT_CACHE_DIR": str(shared)}) is None


def test_processes_share_a_directory(tmp_path: Path) -> None:
    template = tmp_path / "a.yml"
    template.write_text("#@ x = 40\nanswer: #@ x + 2\n")
    command = [sys.executable, "-m", "weft", "render", "-f", str(template)]
    environment = {**os.environ, "WEFT_CACHE_DIR": str(tmp_path / "cache")}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate()[0] for process in running] == [b"answer: 42\n"] * 4
    assert len(list((tmp_path / "cache").iterdir())) == 1
