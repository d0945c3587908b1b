"""The cache of compiled templates runs what this user's plait compiled, and nothing that somebody else put there."""

from __future__ import annotations

import marshal
import os
import pathlib
import shutil
import stat
import subprocess
import sys

import pytest

from plait.base.code_cache import user_cache

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the modes of files")

TEMPLATE = "#@ def f(x): return x + 1\na: #@ f(41)\n"


def render(place: pathlib.Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PLAIT_"))}
    argv = [sys.executable, "-m", "plait", "render", "-f", "in/a.yml", *flags]
    return subprocess.run(argv, cwd=place, env={**env, **environment}, capture_output=True, text=True, check=False)


@pytest.fixture
def place(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in ("in", "home", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "in" / "a.yml").write_text(TEMPLATE)
    return tmp_path


def planted(cache: pathlib.Path) -> None:
    """Make every entry print something else, with the digests that one can compute without a secret."""
    from _blake2 import blake2b

    for file in cache.iterdir():
        data = file.read_bytes()[32:].replace(b"a", b"b")
        file.write_bytes(blake2b(file.name.encode() + data, digest_size=32).digest() + data)


def test_entries_and_the_secret_are_the_user_s(place: pathlib.Path) -> None:
    cache = place / "cache"
    cache.mkdir(mode=0o755)
    assert render(place, PLAIT_CACHE_DIR=str(cache), HOME=str(place / "home")).stdout == "a: 42\n"
    files = [*cache.iterdir(), place / "home" / ".local" / "state" / "plait" / "cache-key"]
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert len(files[-1].read_bytes()) == 32


@pytest.mark.parametrize("how", ["PLAIT_CACHE_DIR", "XDG_CACHE_HOME"])
def test_entries_of_somebody_else_are_compiled_again(how: str, place: pathlib.Path) -> None:
    """A repository with a cache in it: made by somebody who has the same plait, but not this user's secret."""
    directory = place / "in" / ".cache"
    cache = directory if how == "PLAIT_CACHE_DIR" else directory / "plait"
    render(place, HOME=str(place / "other"), **{how: str(directory)})
    before = {file.name: file.read_bytes() for file in cache.iterdir()}
    assert before
    done = render(place, HOME=str(place / "home"), **{how: str(directory)})
    assert done.stdout == "a: 42\n"
    assert {file.name for file in cache.iterdir()} == set(before)
    assert {file.read_bytes() for file in cache.iterdir()}.isdisjoint(before.values()), "all were made again"
    planted(cache)
    assert render(place, HOME=str(place / "home"), **{how: str(directory)}).stdout == "a: 42\n"


def test_an_entry_under_another_name_is_not_taken(place: pathlib.Path) -> None:
    cache, home = place / "cache", str(place / "home")
    render(place, PLAIT_CACHE_DIR=str(cache), HOME=home)
    (first,) = cache.iterdir()
    (place / "in" / "a.yml").write_text(TEMPLATE.replace("41", "1"))
    render(place, PLAIT_CACHE_DIR=str(cache), HOME=home)
    (second,) = set(cache.iterdir()) - {first}
    shutil.copy(first, second)
    assert render(place, PLAIT_CACHE_DIR=str(cache), HOME=home).stdout == "a: 2\n"


@pytest.mark.parametrize("inside", ["cache", "state"])
def test_a_cache_within_the_inputs_is_refused(inside: str, place: pathlib.Path) -> None:
    environment = {
        "PLAIT_CACHE_DIR": str(place / ("in" if inside == "cache" else "out") / "cache"),
        "XDG_STATE_HOME": str(place / ("in" if inside == "state" else "out") / "state"),
    }
    assert user_cache(environment, [str(place / "elsewhere")]) is not None
    assert user_cache(environment, [str(place / "in")]) is None
    assert user_cache(environment, [os.path.relpath(place)]) is None
    os.symlink(place / "in", place / "link")
    assert user_cache(environment, [str(place / "link")]) is None
    done = render(place, "-f", "new=in/a.yml", "-f", str(place / "in"), **environment)
    assert done.returncode == 0
    assert not (place / "out" / "cache").exists() or not list((place / "out" / "cache").iterdir())


@pytest.mark.parametrize("damage", ["readable", "short", "empty", "link", "directory"])
def test_a_secret_that_is_none_is_no_cache(damage: str, place: pathlib.Path) -> None:
    environment = {"PLAIT_CACHE_DIR": str(place / "cache"), "HOME": str(place / "home")}
    assert user_cache(environment) is not None
    key = place / "home" / ".local" / "state" / "plait" / "cache-key"
    if damage == "readable":
        key.chmod(0o644)
    elif damage in ("short", "empty"):
        key.write_bytes(b"x" * 8 if damage == "short" else b"")
    else:
        key.unlink()
        if damage == "directory":
            key.mkdir()
        else:
            os.symlink(place / "in" / "a.yml", key)
    assert user_cache(environment) is None
    assert render(place, **environment).stdout == "a: 42\n"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (f"a: #@ {'9' * 200} // {'9' * 199}\n", "bits=64"),
        ("#@ x = 1\na: " + "[" * 20 + "]" * 20 + "\n", "nesting=10"),
    ],
)
def test_a_warm_cache_keeps_the_limits(text: str, limit: str, place: pathlib.Path) -> None:
    environment = {"PLAIT_CACHE_DIR": str(place / "cache"), "HOME": str(place / "home")}
    (place / "in" / "a.yml").write_text(text)
    for _ in range(2):
        assert render(place, **environment).returncode == 0
    done = render(place, "--limit", limit, **environment)
    assert done.returncode == 3, done.stdout
    assert f"the limit {limit}" in done.stderr
    assert render(place, **environment).returncode == 0


def test_no_entry_is_more_than_marshalled_data(place: pathlib.Path) -> None:
    render(place, PLAIT_CACHE_DIR=str(place / "cache"), HOME=str(place / "home"))
    (file,) = (place / "cache").iterdir()
    assert marshal.loads(file.read_bytes()[32:])
