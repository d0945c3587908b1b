from __future__ import annotations

import pytest

from plait.base.errors import ReadError, UsageError
from plait.base.source import Source
from plait.tree.nodes import Document
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.library import build_library, data_reader, in_sequence, outline
from plait.ytt.workspace.library_references import LibraryRef, parse_refs, show_refs, split_ref
from plait.ytt.workspace.render_job import ReferencedValues

PATHS = [
    "a/x.yml",
    "b.yml",
    "c.star",
    "a/_ytt_lib/inner/i.yml",
    "_ytt_lib/app/main.yml",
    "_ytt_lib/app/_ytt_lib/deep/d.yml",
    "_ytt_lib/github.com/org/proj/p.yml",
    "a/z/y.txt",
]
ROOT = build_library([in_memory(path, path, order) for order, path in enumerate(PATHS, 1)])


def test_tree_order_is_files_first_then_directories() -> None:
    assert ROOT.list_files() == ["b.yml", "c.star", "a/x.yml", "a/z/y.txt"]
    assert [found.path for found in in_sequence(ROOT.accessible_files())] == ["a/x.yml", "b.yml", "c.star", "a/z/y.txt"]


def test_libraries_are_found_by_the_callers_directory() -> None:
    assert ROOT.find_library("app").list_files() == ["main.yml"]
    assert ROOT.find_library("github.com/org/proj").list_files() == ["p.yml"]
    assert ROOT.find_directory("a").find_library("inner").list_files() == ["i.yml"]
    assert ROOT.find_library("app").find_library("deep").list_files() == ["d.yml"]


@pytest.mark.parametrize(
    ("directory", "name", "message"),
    [
        ("a/z", "app", "Could not find private library (directory '_ytt_lib' missing?)"),
        ("", "ap", "Expected to find library 'ap', but did not find 'ap'"),
        (
            "",
            "github.com/orc/proj",
            "Expected to find library 'github.com/orc/proj', but did not find 'github.com/orc'",
        ),
        ("", "app/_ytt_lib/deep", "Could not load private library 'app/_ytt_lib'"),
    ],
)
def test_libraries_that_are_not_found(directory: str, name: str, message: str) -> None:
    library = ROOT.find_directory(directory) if directory else ROOT
    with pytest.raises(ReadError) as caught:
        library.find_library(name)
    assert caught.value.message == message


def test_files_are_found_by_path() -> None:
    assert ROOT.find_file("a/z/y.txt").file.text() == "a/z/y.txt"
    assert ROOT.find_directory("a").find_file("x.yml").library is ROOT.find_directory("a")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nope.yml", "Expected to find file 'nope.yml'"),
        ("n/x.yml", "Expected to find file 'n/x.yml', but did not: Did not find 'n'"),
        ("_ytt_lib/app/main.yml", "Encountered private library '_ytt_lib'"),
        ("../b.yml", "Did not find '..'"),
    ],
)
def test_files_that_are_not_found(path: str, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        ROOT.find_file(path)
    assert words in caught.value.message


def test_of_two_files_with_one_path_the_first_is_found() -> None:
    root = build_library([in_memory("a.txt", "first", 1), in_memory("a.txt", "second", 2)])
    assert root.find_file("a.txt").file.text() == "first"
    assert root.list_files() == ["a.txt", "a.txt"]


def test_data_is_read_relative_to_the_caller_or_from_the_root() -> None:
    read, listing = data_reader(ROOT.find_directory("a"), ROOT)
    assert read("z/y.txt") == read("/a/z/y.txt") == b"a/z/y.txt"
    assert listing("") == ["x.yml", "z/y.txt"]
    assert listing("z") == ["y.txt"]
    assert listing("/") == ["/b.yml", "/c.star", "/a/x.yml", "/a/z/y.txt"]
    with pytest.raises(ReadError):
        read("b.yml")


def test_outline_shows_private_libraries() -> None:
    lines = list(outline(build_library([in_memory("_ytt_lib/app/a.star", "", 1)])))
    assert lines == [
        "-  (private false)",
        "  files:",
        "    <none>",
        "  libraries:",
        "  - _ytt_lib (private true)",
        "    files:",
        "      <none>",
        "    libraries:",
        "    - app (private false)",
        "      files:",
        "      - _ytt_lib/app/a.star (starlark)",
        "      libraries:",
        "        <none>",
    ]


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("@a", [("a", "")]),
        ("@~x", [("", "x")]),
        ("@a~x", [("a", "x")]),
        ("@a/b@c~d", [("a/b", ""), ("c", "d")]),
    ],
)
def test_references(text: str, refs: list[tuple[str, str]]) -> None:
    parsed = parse_refs(text)
    assert parsed == tuple(LibraryRef(path, alias) for path, alias in refs)
    assert show_refs(parsed) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expected library ref to not be empty"),
        ("a", "Expected library ref to start with '@'"),
        ("@a~", "Expected library alias to not be empty"),
        ("@a~b~c", "Expected library ref to have form: '@path', '@~alias', or '@path~alias', got: '@a~b~c'"),
    ],
)
def test_broken_references(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_refs(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("@a:k", ("@a", "k")),
        ("@a@b:k:l", ("@a@b", "k:l")),
        ("k", ("", "k")),
        ("@k", ("", "@k")),
        ("k:l", ("", "k:l")),
    ],
)
def test_references_in_arguments(argument: str, parts: tuple[str, str]) -> None:
    assert split_ref(argument) == parts


@pytest.mark.parametrize(
    ("ref", "path", "alias", "expected"),
    [
        ("@b", "b", "", True),
        ("@b", "b", "x", True),
        ("@b", "c", "", False),
        ("@~x", "b", "x", True),
        ("@~x", "b", "", False),
        ("@b~x", "b", "x", True),
        ("@b~x", "c", "x", False),
        ("@b~x", "b", "", False),
    ],
)
def test_matching(ref: str, path: str, alias: str, expected: bool) -> None:
    assert parse_refs(ref)[0].matches(path, alias) is expected


def test_values_on_their_way_through_libraries() -> None:
    values = ReferencedValues(Document(1, Source("v.yml"), 3), parse_refs("@outer@inner~x"), plain=True)
    assert values.for_library("other", "") is None
    assert not values.used
    below = values.for_library("outer", "")
    assert below is not None
    assert values.used
    assert (below.refs, below.plain, below.used) == (parse_refs("@inner~x"), True, False)
    final = below.for_library("inner", "x")
    assert final is not None
    assert final.refs == ()
    assert final.description == "Data Value belonging to library '@outer@inner~x' on line v.yml:3"
