"""What a fleet takes from a cache is the user's own, or that of a cache which the user has called shared; and it is plain data."""

from __future__ import annotations

import ast
import json
import os
import pathlib
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from hashlib import blake2b

import pytest

import plait
from files import write_files
from plait.fleet.api import fleet
from plait.fleet.cached_results import Results

PACKAGE = pathlib.Path(plait.__file__).parent
FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nregion: #@ data.values.region\n',
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\n",
    "plait.yml": """\
runs:
  app:
    matrix: {axes: {region: [eu, us]}, output: "{region}/"}
    render: {files: [config], set: {region: "{region}"}}
""",
}
CONTENT = b"region: forged\n"
FORGED = {"files": {"app.yml": len(CONTENT)}, "warnings": [], "secret": False}


@pytest.fixture(autouse=True)
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    top = tmp_path / "project"
    write_files(top, FILES)
    monkeypatch.chdir(top)
    become(tmp_path, monkeypatch, "me")
    return top


def become(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, user: str) -> None:
    """Be a user with a secret of their own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / user))


def counts(output: str, *, is_shared: bool = False) -> dict[str, int]:
    return fleet(output=output, cache="kept", cache_shared=is_shared).check().counts


def made(output: str) -> dict[str, str]:
    top = pathlib.Path(output)
    return {path.relative_to(top).as_posix(): path.read_text() for path in top.rglob("*.yml")}


def results() -> list[pathlib.Path]:
    """The entries with what runs made; the other half of the entries has what runs read."""
    entries = [
        path for path in pathlib.Path("kept").rglob("*") if path.is_file() and not path.name.startswith("looked")
    ]
    return [path for path in entries if b'"files"' in zlib.decompress(path.read_bytes()[32:])]


def digest(path: pathlib.Path, content: bytes, secret: bytes = b"") -> bytes:
    name = path.parent.name + path.name
    return blake2b(name.encode() + b"\0" + content, digest_size=32, key=secret, person=b"fleet results").digest()


def entry(value: object, content: bytes = CONTENT) -> bytes:
    head = value if isinstance(value, bytes) else json.dumps(value).encode()
    return zlib.compress(len(head).to_bytes(4, "big") + head + content)


def put(path: pathlib.Path, value: object) -> None:
    put_raw(path, entry(value))


def put_raw(path: pathlib.Path, content: bytes) -> None:
    path.write_bytes(digest(path, content) + content)


EXPECTED = {"eu/app.yml": "region: eu\n", "us/app.yml": "region: us\n"}


def test_a_user_finds_what_the_user_has_put_there() -> None:
    assert counts("first") == {"rendered": 2}
    assert counts("second") == {"cached": 2}
    assert made("second") == EXPECTED


def test_what_another_user_has_put_there_is_made_again(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    become(tmp_path, monkeypatch, "somebody")
    counts("first")
    become(tmp_path, monkeypatch, "me")
    assert counts("second") == {"rendered": 2}


@pytest.mark.parametrize("secret", [b"", b"x" * 32])
def test_a_forged_entry_is_made_again(secret: bytes) -> None:
    counts("first")
    for path in results():
        content = entry(FORGED)
        path.write_bytes(digest(path, content, secret) + content)
    assert counts("second") == {"rendered": 2}
    assert made("second") == EXPECTED
    assert counts("third") == {"cached": 2}


def test_the_purpose_of_the_secret_is_part_of_the_digest(tmp_path: pathlib.Path) -> None:
    """A file of another cache with the same secret is no entry, whatever its name and content."""
    counts("first")
    secret = (tmp_path / "me" / "plait" / "cache-key").read_bytes()
    for path in results():
        content = entry(FORGED)
        name = path.parent.name + path.name
        path.write_bytes(blake2b(name.encode() + b"\0" + content, digest_size=32, key=secret).digest() + content)
    assert counts("second") == {"rendered": 2}


def test_without_a_place_for_a_secret_nothing_is_kept(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert [counts("first"), counts("second")] == [{"rendered": 2}, {"rendered": 2}]
    assert not pathlib.Path("kept").exists()


def test_a_shared_cache_is_one_that_the_user_calls_so(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    become(tmp_path, monkeypatch, "somebody")
    assert counts("first", is_shared=True) == {"rendered": 2}
    become(tmp_path, monkeypatch, "me")
    assert counts("second") == {"rendered": 2}
    become(tmp_path, monkeypatch, "a third")
    assert counts("third", is_shared=True) == {"rendered": 2}, "entries of a user replaced those that are shared"
    assert counts("fourth", is_shared=True) == {"cached": 2}
    for path in results():
        put(path, FORGED)
    assert counts("fifth", is_shared=True) == {"cached": 2}
    assert set(made("fifth").values()) == {"region: forged\n"}, "who may write to a shared cache decides"


def test_a_url_is_shared_and_a_directory_by_its_url_is_not(place: pathlib.Path) -> None:
    pytest.importorskip("fsspec")
    assert Results("memory://kept/it")._secret == b""
    assert Results((place / "kept").as_uri())._secret


def of_type(value: object) -> Callable[[pathlib.Path], None]:
    return lambda path: put(path, value)


def of_names(name: str) -> Callable[[pathlib.Path], None]:
    return of_type({**FORGED, "files": {name: len(CONTENT)}})


def replaced(make: Callable[[pathlib.Path], object]) -> Callable[[pathlib.Path], None]:
    def work(path: pathlib.Path) -> None:
        path.unlink()
        make(path)

    return work


BROKEN: dict[str, Callable[[pathlib.Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "cut and signed": lambda path: put_raw(path, path.read_bytes()[32:-3]),
    "another": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\0"),
    "not compressed": lambda path: put_raw(path, json.dumps(FORGED).encode()),
    "a bomb": lambda path: put(path, b'{"files": {"app.yml": "' + b"a" * (256 << 20) + b'"}}'),
    "zeros": lambda path: put(path, bytes(256 << 20)),
    "large": lambda path: os.truncate(path, 80 << 20),
    "nested": lambda path: put(path, b"[" * 200_000),
    "no JSON": lambda path: put(path, b"{"),
    "no text": lambda path: put(path, b"\xff\xfe\xff"),
    "a number of many digits": lambda path: put(path, b"9" * 100_000),
    "pickled": lambda path: put(path, b"\x80\x04cos\nsystem\n"),
    "null": of_type(None),
    "a list": of_type([1]),
    "no files": of_type({"warnings": [], "secret": False}),
    "more": of_type({**FORGED, "more": 1}),
    "files of texts": of_type({**FORGED, "files": {"app.yml": "region: forged\n"}}),
    "files that are longer": of_type({**FORGED, "files": {"app.yml": 99}}),
    "files that are shorter": of_type({**FORGED, "files": {"app.yml": 3}}),
    "files of no size": of_type({**FORGED, "files": {"app.yml": -1, "b": len(CONTENT) + 1}}),
    "files of true": of_type({**FORGED, "files": {"app.yml": True}}),
    "bytes that are no text": lambda path: put_raw(path, entry(FORGED, b"\xed\xa0\x80" * 5 + b"\0")),
    "a head that is cut": lambda path: put_raw(path, zlib.compress(b"\0\0\1\0{}")),
    "no head": lambda path: put_raw(path, zlib.compress(b"\0\0")),
    "many lists": of_type([[]] * (1 << 20)),
    "files in a list": of_type({**FORGED, "files": ["app.yml"]}),
    "warnings of numbers": of_type({**FORGED, "warnings": [1]}),
    "warnings in a text": of_type({**FORGED, "warnings": "abc"}),
    "a secret of one": of_type({**FORGED, "secret": 1}),
    **{
        f"name {name!r}": of_names(name)
        for name in ("../up", "/top", "a/../../up", "./a", "a//b", "a/", "..", ".", "\0")
    },
    "a directory": replaced(pathlib.Path.mkdir),
    "a pipe": replaced(os.mkfifo),
    "a link to itself": replaced(lambda path: path.symlink_to(path)),
    "an endless device": replaced(lambda path: path.symlink_to("/dev/zero")),
}


@pytest.mark.skipif(sys.platform == "win32", reason="makes pipes and links")
@pytest.mark.parametrize("half", ["made", "read"])
@pytest.mark.parametrize("name", BROKEN)
def test_what_no_run_has_made_is_made_again(name: str, half: str, tmp_path: pathlib.Path) -> None:
    """In a shared cache, where everything is found: a broken entry is none, and writes nothing."""
    counts("first", is_shared=True)
    own = set(results())
    every = {path for path in pathlib.Path("kept").rglob("*") if path.is_file() and not path.name.startswith("looked")}
    for path in own if half == "made" else every - own:
        BROKEN[name](path)
    assert counts("second", is_shared=True) == {"rendered": 2}
    assert made("second") == EXPECTED
    assert not {path.name for path in tmp_path.rglob("*")} & {"up", "top"}


@pytest.mark.parametrize("what", ["variable", "file", "directory", "file of git", "way out"])
def test_what_others_put_there_names_no_other_file_and_no_variable(
    what: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the look-up for a result has digests of what the list of reads names, so it would tell of them."""
    counts("first", is_shared=True)
    monkeypatch.setenv("DB_PIN", "4711")
    (tmp_path / "pin").write_text("4711")
    (pathlib.Path(".git")).mkdir()
    (pathlib.Path(".git/config")).write_text("4711")
    os.symlink(tmp_path / "pin", "way")
    listed = {
        "variable": [[], [], ["DB_PIN"]],
        "file": [["../pin"], [], []],
        "directory": [[], [str(tmp_path)], []],
        "file of git": [[".git/config"], [], []],
        "way out": [["way"], [], []],
    }[what]
    entries = {one for one in pathlib.Path("kept").rglob("*") if one.is_file() and not one.name.startswith("looked")}
    for path in entries - {*results()}:
        put_raw(path, entry(listed, b""))
    asked: list[str] = []
    real = Results._load

    def noted(self: Results, name: str) -> tuple[object, bytes]:
        asked.append(name)
        return real(self, name)

    monkeypatch.setattr(Results, "_load", noted)
    assert fleet(output="second", cache="kept", cache_shared=True, processes=1).check().counts == {"rendered": 2}
    assert len(asked) == 2, "only the lists of what was read are looked up"


@pytest.mark.parametrize("text", ["9" * 6000, "x", "", "-1", "²"])
def test_a_note_that_the_cache_was_looked_at_is_only_that(text: str) -> None:
    counts("first")
    (note,) = pathlib.Path("kept").glob("looked-at-*")
    note.write_text(text)
    for name in ("eu", "us"):
        pathlib.Path("config/app.yml").write_text(f"region: {name}\n")
        assert counts(f"in {name}") == {"rendered": 2}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_bomb_takes_little_memory() -> None:
    """A process of its own tells the most that it had in memory; what `getrusage` tells begins with its parent's."""
    counts("first", is_shared=True)
    bomb = entry(bytes(1 << 29))
    for path in results():
        put_raw(path, bomb)
    code = (
        "from plait.fleet import fleet\n"
        "print(fleet(output='second', cache='kept', cache_shared=True).check().counts)\n"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told, peak = done.stdout.splitlines()
    assert told == "{'rendered': 2}"
    assert int(peak) < (400 << 10)


# Who reads code or objects from bytes, and why it may.
OBJECTS = {
    "api/worker.py": "calls from the process that started it",
    "api/workers.py": "only writes them",
    "base/bundle/__init__.py": "bytecode beside plait's own .pyc files",
    "base/bundle/saving.py": "the same",
    "base/children/pool.py": "answers of its own processes",
    "base/children/serving.py": "calls from the process that started it",
    "ytt/json_schema/catalogue.py": "only writes them",
    "base/code_cache.py": "entries with a digest keyed by the user's secret",
}


def object_readers() -> Iterator[str]:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle"} & set(names):
                yield file.relative_to(PACKAGE).as_posix()


def test_code_and_objects_are_read_in_few_places() -> None:
    assert set(object_readers()) == OBJECTS.keys()
