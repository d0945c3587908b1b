"""Compiled code between runs: found again, never trusted when damaged, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import plait
from plait.base.code_cache import CodeCache, build, user_cache
from plait.base.memory_cache import MemoryCache
from plait.base.source import Source
from plait.tree.context import Context
from plait.ytt.starlark.program import Program, compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.templates.template import compile_starlark

TEXT = "def double(x):\n  return x * 2\nend\nanswer = double(21)\n"


def answer(cache: CodeCache | None, text: str = TEXT) -> object:
    found = compile_starlark(Source("a.star", text), cache).run(Context(), lambda _path, _at: {}).exports["answer"]
    if cache is not None:
        cache.save()
    return found


def keep(cache: CodeCache, key: str) -> None:
    cache.put(key, compile_program([], Source("x")).code)
    cache.save()


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

    monkeypatch.setattr("plait.ytt.templates.template.compile_program", refuse)
    assert answer(cache) == 42


def test_another_text_is_another_entry(cache: CodeCache) -> None:
    assert answer(cache) == 42
    assert answer(cache, TEXT.replace("21", "4")) == 8
    assert len(entries(cache)) == 2


def test_every_file_that_compiles_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.base.version.__version__", "not installed")
    known = build()
    for package in ("ytt/starlark", "yaml", "ytt/templates"):
        for file in (Path(plait.__file__).parent / package).rglob("*.py"):
            assert f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" in known, file


def test_an_installed_build_is_known_by_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.base.code_cache.__file__", str(tmp_path / "plait" / "base" / "code_cache.py"))
    (tmp_path / "plait").mkdir()
    record = tmp_path / f"plait-{plait.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("plait/base/code_cache.py,sha256=1,1\n")
    known = build()
    assert build() == known
    record.write_text("plait/base/code_cache.py,sha256=2,1\n")
    assert build() != known


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
    monkeypatch.setattr("plait.base.code_cache._ENTRIES", 3)
    for number in range(5):
        keep(CodeCache(cache.directory), f"{number:064}")
    assert len(entries(cache)) < 5


def test_a_directory_of_other_files_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.base.code_cache._ENTRIES", 3)
    for number in range(8):
        (tmp_path / f"photo-{number}.jpg").write_text("mine")
    for _ in range(8):
        keep(CodeCache(str(tmp_path)), os.urandom(32).hex())
    assert len(list(tmp_path.glob("photo-*"))) == 8
    assert len(entries(CodeCache(str(tmp_path)))) < 8 + 6


def test_the_user_can_choose_or_refuse_it(tmp_path: Path) -> None:
    found = user_cache({"PLAIT_CACHE_DIR": str(tmp_path / "mine"), "HOME": str(tmp_path)})
    assert found is not None
    assert os.stat(found.directory).st_mode & 0o777 == 0o700
    assert user_cache({"PLAIT_CACHE_DIR": "", "HOME": str(tmp_path)}) is None
    assert user_cache({}) is None
    assert user_cache({"PLAIT_CACHE_DIR": str(tmp_path / "mine")}) is None
    home = user_cache({"HOME": str(tmp_path)})
    assert home is not None
    assert home.directory.startswith(str(tmp_path))


def test_a_directory_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert user_cache({"PLAIT_CACHE_DIR": str(shared), "HOME": str(tmp_path)}) is None


def test_processes_share_a_directory(tmp_path: Path) -> None:
    template = tmp_path / "a.yml"
    template.write_text("#@ x = 40\nanswer: #@ x + 2\n")
    command = [sys.executable, "-m", "plait", "render", "-f", str(template)]
    environment = {**os.environ, "PLAIT_CACHE_DIR": str(tmp_path / "cache")}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate()[0] for process in running] == [b"answer: 42\n"] * 4
    assert len(list((tmp_path / "cache").iterdir())) == 1


PATHS = [f"{number:03}.star" for number in range(40)]


def answers(directory: Path, numbers: list[int], paths: list[str] = PATHS) -> list[object]:
    """What a run with these inputs gives whose programs say these numbers."""
    cache = CodeCache(str(directory))
    cache.open_pack(paths)
    found = [
        compile_starlark(Source("a.star", f"answer = {number}\n"), cache)
        .run(Context(), lambda _path, _at: {})
        .exports["answer"]
        for number in numbers
    ]
    cache.save()
    return found


def sizes(directory: Path) -> list[int]:
    return sorted(file.stat().st_size for file in directory.iterdir())


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the programs that are compiled. Names of packs, which follow from digests, are the same in each build."""
    monkeypatch.setattr("plait.base.code_cache.build", lambda: "one build")
    texts: list[str] = []

    def noted(pieces: list[CodePart], source: Source, **options: bool) -> Program:
        texts.append(source.text)
        return compile_program(pieces, source, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("plait.ytt.templates.template.compile_program", noted)
    return texts


def test_many_entries_are_one_file(tmp_path: Path, compiled: list[str]) -> None:
    numbers = list(range(40))
    assert answers(tmp_path, numbers) == numbers
    assert len(compiled) == 40
    assert len(sizes(tmp_path)) == 1
    before = sizes(tmp_path), next(tmp_path.iterdir()).stat().st_mtime_ns
    assert answers(tmp_path, numbers) == numbers
    assert len(compiled) == 40
    assert (sizes(tmp_path), next(tmp_path.iterdir()).stat().st_mtime_ns) == before


def test_few_entries_are_files_of_their_own_among_many_inputs_too(tmp_path: Path) -> None:
    assert answers(tmp_path, [1, 2]) == [1, 2]
    assert len(sizes(tmp_path)) == 2


def test_a_change_of_one_input_leaves_the_pack(tmp_path: Path, compiled: list[str]) -> None:
    numbers = list(range(40))
    answers(tmp_path, numbers)
    (pack,) = tmp_path.iterdir()
    before = pack.stat().st_mtime_ns
    numbers[5] = 500
    for _ in range(2):
        assert answers(tmp_path, numbers) == numbers
    assert compiled[40:] == ["answer = 500\n"]
    assert len(sizes(tmp_path)) == 2
    assert pack.stat().st_mtime_ns == before


def test_what_is_not_in_the_pack_gets_there_once_it_is_much(tmp_path: Path, compiled: list[str]) -> None:
    for number in range(40):
        answers(tmp_path, [number])
    assert len(sizes(tmp_path)) == 40
    answers(tmp_path, list(range(40)))
    assert len(compiled) == 40
    assert len(sizes(tmp_path)) == 41
    for file in tmp_path.iterdir():
        if file.stat().st_size != max(sizes(tmp_path)):
            file.unlink()
    assert answers(tmp_path, list(range(40))) == list(range(40))
    assert len(compiled) == 40


def test_a_pack_serves_the_same_inputs_elsewhere_and_with_one_more(tmp_path: Path, compiled: list[str]) -> None:
    answers(tmp_path, list(range(40)))
    answers(tmp_path, list(range(41)), [*PATHS[:20], "0191.star", *PATHS[20:]])
    assert len(compiled) == 41
    answers(tmp_path, list(range(40)), [f"x/{path}" for path in PATHS])
    assert len(compiled) == 81


@pytest.mark.parametrize("at", [0, 20, 40])
def test_sites_that_differ_in_a_values_file_share_packs(tmp_path: Path, compiled: list[str], at: int) -> None:
    for site in range(10):
        answers(tmp_path, list(range(40)), [*PATHS[:at], f"sites/{site}.yml", *PATHS[at:]])
    # A site whose file has one of the least digests has a pack of its own.
    assert len(compiled) <= 2 * 40


def test_a_pack_keeps_what_a_neighbour_uses_but_not_for_ever(tmp_path: Path, compiled: list[str]) -> None:
    one, other, third = list(range(40)), list(range(100, 140)), list(range(200, 240))
    for _ in range(2):
        assert answers(tmp_path, one) == one
        assert answers(tmp_path, other) == other
    assert len(compiled) == 80
    answers(tmp_path, third)
    answers(tmp_path, third)
    assert len(compiled) == 120
    answers(tmp_path, one)
    assert len(compiled) == 160
    assert len(sizes(tmp_path)) == 1


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 40_000, None])
def test_a_damaged_pack_is_made_again(tmp_path: Path, damage: bytes | None, compiled: list[str]) -> None:
    numbers = list(range(40))
    answers(tmp_path, numbers)
    (pack,) = tmp_path.iterdir()
    whole = pack.read_bytes()
    pack.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]) if damage is None else damage)
    assert answers(tmp_path, numbers) == numbers
    assert len(compiled) == 80
    assert pack.read_bytes() == whole


def test_a_large_entry_is_kept_whole(tmp_path: Path) -> None:
    large = "x" * 100_000
    cache = CodeCache(str(tmp_path))
    cache.put("0" * 64, large)
    cache.save()
    assert CodeCache(str(tmp_path)).get("0" * 64) == large


def test_the_same_text_twice_is_compiled_once(tmp_path: Path, compiled: list[str]) -> None:
    assert answers(tmp_path, [1, 1]) == [1, 1]
    assert len(compiled) == 1


def test_what_a_failed_run_has_compiled_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("a: #@ 1\n")
    (tmp_path / "b.yml").write_text("b: #@ fail('x')\n")
    environment = {**os.environ, "PLAIT_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "plait", "render", "-f", str(tmp_path / "a.yml"), "-f", str(tmp_path / "b.yml")]
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 1
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize("name", ["v.yml", "v.txt", "v.star"])
@pytest.mark.parametrize("piped", [False, True])
def test_what_comes_through_a_pipe_is_not_stored(tmp_path: Path, name: str, piped: bool) -> None:
    """It may be decrypted."""
    text = {
        "v.yml": "#@data/values\n---\nword: in-cleartext\n",
        "v.txt": "(@= 'in-cleartext' @)",
        "v.star": "word = 'in-cleartext'\n",
    }[name]
    (tmp_path / "a.yml").write_text('#@ load("v.star", "word")\na: #@ word\n' if name == "v.star" else "a: #@ 1\n")
    (tmp_path / name).write_text(text)
    cache = tmp_path / "cache"
    inputs = ["-f", "a.yml", "-f", f"{name}={'/dev/stdin' if piped else name}"]
    subprocess.run(
        [sys.executable, "-m", "plait", "render", *inputs],
        cwd=tmp_path, env={**os.environ, "PLAIT_CACHE_DIR": str(cache)}, input=text.encode(), check=True,
    )  # fmt: skip
    stored = b"".join(file.read_bytes() for file in cache.iterdir())
    assert stored
    assert (b"in-cleartext" in stored) is not piped


def test_what_comes_from_standard_input_is_not_stored(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("a: #@ 1\n")
    cache = tmp_path / "cache"
    subprocess.run(
        [sys.executable, "-m", "plait", "render", "-f", "a.yml", "-f", "-"],
        cwd=tmp_path, env={**os.environ, "PLAIT_CACHE_DIR": str(cache)},
        input=b"#@data/values\n---\nword: in-cleartext\n", check=True,
    )  # fmt: skip
    assert b"in-cleartext" not in b"".join(file.read_bytes() for file in cache.iterdir())


def test_processes_share_a_pack(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    for number in range(40):
        (config / f"{number}.yml").write_text(f"a: #@ {number} + 1\n")
    command = [sys.executable, "-m", "plait", "render", "-f", str(config)]
    environment = {**os.environ, "PLAIT_CACHE_DIR": str(tmp_path / "cache")}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    first, *others = [process.communicate()[0] for process in running]
    assert first.count(b"a: ") == 40
    assert others == [first] * 3
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_process_that_evaluates_often_keeps_what_the_first_evaluation_compiled(
    tmp_path: Path, compiled: list[str]
) -> None:
    for process in range(2):
        cache = MemoryCache(str(tmp_path))
        for site in range(5):
            cache.open_pack([*PATHS, f"sites/{site}.yml"])
            for number in [*range(40), 100 * (process + 1) + site]:
                compile_starlark(Source("a.star", f"answer = {number}\n"), cache)
            cache.save()
    # One pack, and the file of the first site of the second process.
    assert len(sizes(tmp_path)) == 2
    assert len(compiled) == 40 + 2 * 5


def test_a_cache_in_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.base.memory_cache._MOST", 3)
    cache = MemoryCache()
    for number in range(10):
        keep(cache, str(number))
    assert 0 < sum(cache.get(str(number)) is not None for number in range(10)) <= 3
