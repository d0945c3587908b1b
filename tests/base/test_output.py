from __future__ import annotations

import json
import os
import pathlib
import stat
import sys
from collections.abc import Callable, Sequence

import pytest

from plait.base.errors import ReadError, UsageError
from plait.base.output_files import add_files, replace_directory
from plait.tree.nodes import documents, from_plain
from plait.yaml.output_formats import FORMATS, bulk_json, choose_formats

Writer = Callable[[str, Sequence[tuple[str, bytes]], Callable[[str], None]], None]


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(directory: str) -> dict[str, str]:
    top = pathlib.Path(directory)
    return {str(file.relative_to(top)): file.read_text("utf-8") for file in sorted(top.rglob("*")) if file.is_file()}


def test_the_first_form_of_each_kind_counts() -> None:
    assert choose_formats(["yaml"]) == ("yaml", None)
    assert choose_formats(["json", "yaml"]) == ("json", None)
    assert choose_formats(["openapi-v3", "pos"]) == ("pos", "openapi-v3")
    assert choose_formats([]) == ("yaml", None)
    with pytest.raises(UsageError) as caught:
        choose_formats(["yaml", "jsn"])
    assert caught.value.message == "Unknown output type 'jsn'"
    assert caught.value.hint == 'did you mean "json"?'


def test_every_form_writes() -> None:
    tree = documents([from_plain({"b": 1, "a": [True]})])
    shown = {name: write(tree) for name, write in FORMATS.items()}
    assert shown["yaml"] == "b: 1\na:\n- true\n"
    assert shown["json"] == '{"a":[true],"b":1}'
    assert "[doc]" in shown["pos"]


def test_files_are_added() -> None:
    pathlib.Path("out/d").mkdir(parents=True)
    pathlib.Path("out/kept.yml").write_text("kept", "utf-8")
    pathlib.Path("out/d/b.yml").write_text("old", "utf-8")
    said: list[str] = []
    add_files("./out/", [("t.txt", b"t"), ("d/b.yml", b"b"), ("new/deep/c.yml", b"")], said.append)
    assert content("out") == {"d/b.yml": "b", "kept.yml": "kept", "new/deep/c.yml": "", "t.txt": "t"}
    assert said == ["creating: out/t.txt", "creating: out/d/b.yml", "creating: out/new/deep/c.yml"]


def test_of_files_with_one_path_the_last_stays() -> None:
    said: list[str] = []
    add_files("out", [("a.yml", b"1"), ("a.yml", b"2")], said.append)
    assert content("out") == {"a.yml": "2"}
    assert said == ["creating: out/a.yml"] * 2


def test_a_directory_is_replaced() -> None:
    pathlib.Path("out/d").mkdir(parents=True)
    pathlib.Path("out/d/old.yml").write_text("old", "utf-8")
    said: list[str] = []
    replace_directory("out/", [("a.yml", b"a"), ("d/b.yml", b"b")], said.append)
    assert content("out") == {"a.yml": "a", "d/b.yml": "b"}
    assert said == ["creating: out/a.yml", "creating: out/d/b.yml"]
    replace_directory("out", [], said.append)
    assert content("out") == {}
    replace_directory("new/deep/out", [("a.yml", b"a")], said.append)
    assert content("new") == {"deep/out/a.yml": "a"}
    assert sorted(os.listdir()) == ["new", "out"]


def test_duplicate_paths_are_refused_before_anything_is_lost() -> None:
    pathlib.Path("out").mkdir()
    pathlib.Path("out/old.yml").write_text("old", "utf-8")
    for paths in (("a.yml", "a.yml"), ("d/../a.yml", "a.yml")):
        with pytest.raises(UsageError, match=r"Multiple files have same output destination paths: a\.yml"):
            replace_directory("out", [(path, b"") for path in paths], print)
    assert content("out") == {"old.yml": "old"}


@pytest.mark.parametrize("path", ["../x.yml", "a/../../x.yml", "..", "", ".", "/", "a/..", "/../x.yml"])
@pytest.mark.parametrize("write", [add_files, replace_directory])
def test_paths_that_lead_out_are_refused(path: str, write: Writer) -> None:
    pathlib.Path("out").mkdir()
    pathlib.Path("out/old.yml").write_text("old", "utf-8")
    with pytest.raises(UsageError, match="to be inside the output directory"):
        write("out", [("fine.yml", b""), (path, b"bad")], print)
    assert content(".") == {"out/old.yml": "old"}


def test_a_leading_slash_is_below_the_directory() -> None:
    add_files("out", [("/a.yml", b"a"), ("b/./c/../d.yml", b"d")], lambda _: None)
    assert content("out") == {"a.yml": "a", "b/d.yml": "d"}


@pytest.mark.parametrize("directory", ["/", ".", "./", "", "..", "../..", "out/..", "~"])
def test_directories_nobody_wants_to_lose(directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = pathlib.Path("home").absolute()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    pathlib.Path("out").mkdir()
    pathlib.Path("work").mkdir()
    monkeypatch.chdir("work")
    with pytest.raises(UsageError, match="Expected output directory path to not be one of"):
        replace_directory(str(home) if directory == "~" else directory, [("a.yml", b"")], print)
    assert sorted(os.listdir("..")) == ["home", "out", "work"]


def test_a_failure_keeps_what_was_there() -> None:
    pathlib.Path("out/a.yml").mkdir(parents=True)
    pathlib.Path("out/b.yml").write_text("old", "utf-8")
    said: list[str] = []
    with pytest.raises(ReadError, match=r"Writing 'out/a\.yml': is a directory"):
        add_files("out", [("b.yml", b"new"), ("a.yml", b"")], said.append)
    assert (content("out"), said) == ({"b.yml": "old"}, [])
    pathlib.Path("file").write_text("", "utf-8")
    with pytest.raises(ReadError, match="Writing 'file"):
        add_files("file", [("a.yml", b"")], said.append)
    with pytest.raises(ReadError, match="Writing 'out'"):
        replace_directory("out", [("a\0b", b"")], said.append)
    with pytest.raises(ReadError, match="Writing"):
        replace_directory("out", [("a", b""), ("a/b", b"")], said.append)
    assert (content("out"), said) == ({"b.yml": "old"}, [])
    assert sorted(os.listdir()) == ["file", "out"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
class TestModesAndLinks:
    def test_new_files_and_directories_are_their_owners(self) -> None:
        add_files("out/deep", [("a/b.yml", b"")], lambda _: None)
        for path in ("out", "out/deep", "out/deep/a", "out/deep/a/b.yml"):
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o700, path

    def test_existing_files_keep_their_mode(self) -> None:
        pathlib.Path("out").mkdir()
        pathlib.Path("out/a.yml").write_text("", "utf-8")
        os.chmod("out/a.yml", 0o640)
        add_files("out", [("a.yml", b"new")], lambda _: None)
        assert stat.S_IMODE(os.stat("out/a.yml").st_mode) == 0o640

    def test_a_linked_directory_is_not_emptied_itself(self) -> None:
        pathlib.Path("real").mkdir()
        pathlib.Path("real/old.yml").write_text("old", "utf-8")
        os.symlink("real", "out")
        replace_directory("out", [("a.yml", b"a")], lambda _: None)
        assert content("real") == {"old.yml": "old"}
        assert content("out") == {"a.yml": "a"}
        assert not os.path.islink("out")

    def test_bytes_leave_as_they_came(self) -> None:
        add_files("out", [("a.txt", b"\xff\n")], lambda _: None)
        assert pathlib.Path("out/a.txt").read_bytes() == b"\xff\n"


def test_bulk_output() -> None:
    assert bulk_json([]) == "{}"
    assert bulk_json([("t.txt", "1"), ("b/x.yml", 'a: "<é>&"\n')]) == (
        '{"files":[{"name":"t.txt","data":"1"},{"name":"b/x.yml","data":"a: \\"\\u003cé\\u003e\\u0026\\"\\n"}]}'
    )
    assert bulk_json([], "no\n") == '{"errors":"no\\n"}'
    assert json.loads(bulk_json([("a", "\u2028\udcff")])) == {"files": [{"name": "a", "data": "\u2028\ufffd"}]}
    assert "\\u2028" in bulk_json([("a", "\u2028")])
