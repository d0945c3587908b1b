"""A terminal is shown what stands in inputs, and never obeys it; files and pipes get every byte."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from plait.base.styles import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

pty = pytest.importorskip("pty")

SOURCES = str(pathlib.Path(__file__).parents[2] / "src")
LAYERED = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a]}\n---\n"
    'schema: x/Y/v1\nmetadata: {schema: metadata/Document/v1, name: "\\e[2J\\a", layeringDefinition: {layer: a}}\ndata: 1\n'
)
EVIL = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202e\x85\u2028\u2029"


def run_on_terminal(argv: Sequence[str], directory: pathlib.Path) -> bytes:
    """What a terminal gets, standard output and error alike."""
    main, side = pty.openpty()
    # A terminal that cannot take a line back is shown no progress, which has a line of its own to take back.
    env = dict(os.environ, PYTHONPATH=SOURCES, PYTHONUTF8="1", TERM="dumb")
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", *argv], cwd=directory, env=env, stdin=side, stdout=side, stderr=side
    )
    os.close(side)
    out = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    process.wait()
    os.close(main)
    # The line discipline makes each line feed two characters.
    return out.replace(b"\r\n", b"\n")


def is_harmless(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    return harmless(text) == text


@pytest.mark.parametrize(
    ("argv", "files"),
    [
        ("render -f a.txt --output-files out", {"a.txt": EVIL}),
        ("render -f a.yml", {"a.yml": "#! " + EVIL + "\na: #@ nothing\n"}),
        ("render -f a.yml", {"a.yml": f'a: #@ fail("{EVIL}")\n'.replace("\r", "")}),
        ("render -f a.yml", {"a.yml": "a: |\n  x\u202ey\n  z\n"}),
        ("render -f a.yml --debug", {"a.yml": 'a: #@ print("\\x1b[2J\\x07")\n'}),
        ("render -f " + "missing\x1b[2J.yml", {}),
        ("patch a.yml -o o.yml", {"a.yml": 'a: "\\e[2J"\n', "o.yml": '- {type: remove, path: "/\\e[2Jb"}\n'}),
        ("patch a.yml --path /a", {"a.yml": 'a: "\\e[2J\\a\\x9b"\n'}),
        ("patch a.yml -v x\x1b[2J", {"a.yml": "a: 1\n"}),
        ("layer a.yml", {"a.yml": 'schema: "\\e[2J"\nmetadata: 1\n'}),
        ("\x1b[2J", {}),
        ("diff a.yml b.yml", {"a.yml": 'a: "\\e[2J"\nc: 1\n', "b.yml": '"\\e[31mb\\a": "\\e]0;x\\a"\na: 2\n'}),
        ("diff --color=always a.yml b.yml", {"a.yml": 'a: "\\e[2J"\n', "b.yml": '"\\e[1mb\\a": "\\e]0;x\\a"\n'}),
        ("diff --as ops a.yml b.yml", {"a.yml": 'a: "\\e[2J"\n', "b.yml": '"\\eb": "\\e]0;x\\a"\n'}),
        ("diff --as overlay a.yml b.yml", {"a.yml": 'a: "\\e[2J"\n', "b.yml": '"\\eb": "\\e]0;x\\a"\n'}),
        ("diff -o json a.yml b.yml", {"a.yml": 'a: "\\e[2J"\n', "b.yml": '"\\eb": "\\x9b]0;x\\a"\n'}),
        ("explain render -f a.yml a", {"a.yml": 'a: "\\e[2J" #! \x1b[2J\n'}),
        ("explain --all render -f a.yml", {"a.yml": '"\\e[2Jk": "\\e[2J\\a"\n'}),
        ("explain -o json render -f a.yml a", {"a.yml": 'a: "\\x9b2J"\n'}),
        ("impact render -f a.yml a.yml:1", {"a.yml": '"\\e[2Jk": "\\e[2J\\a"\n'}),
        ("explain render -f a.yml \x1b[2Jb", {"a.yml": "a: 1\n"}),
        (
            "compose w.yml --diff",
            {"w.yml": 'steps: [{render: {files: [a.yml]}, name: "\\e[2J"}]\n', "a.yml": 'a: "\\e[2J"\n'},
        ),
        ("compose w.yml", {"w.yml": 'steps: [{render: {files: ["\\e[2J.yml"]}}]\n'}),
        ("layer --tree a.yml", {"a.yml": LAYERED}),
        ("layer --dot a.yml", {"a.yml": LAYERED}),
        ("fmt -f a.yml", {"a.yml": "#! \x1b[2J\na: \u009b1\n"}),
        ("render -f a.yml --files-inspect", {"a.yml": "a: 1\n"}),
        ("render -f a.yml --data-values-inspect -v a=\x1b[2J", {"a.yml": "a: 1\n"}),
        ("render -f a.yml --limit \x1b[2J=1", {"a.yml": "a: 1\n"}),
        ("render -f a.yml --file-mark \x1b[2J:type=data", {"a.yml": "a: 1\n"}),
        ("init \x1b[2Jdemo", {}),
        ("completion \x1b[2J", {}),
    ],
)
def test_nothing_that_a_terminal_obeys(argv: str, files: dict[str, str], tmp_path: pathlib.Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    shown = run_on_terminal(argv.split(" "), tmp_path)
    if "--color=always" in argv:
        assert shown.count(b"\x1b[1m") == 1, "a document's heading"
        for colour in (b"\x1b[0m", b"\x1b[1m", b"\x1b[31m", b"\x1b[32m"):
            shown = shown.replace(colour, b"")
    assert shown
    assert is_harmless(shown), shown


def test_a_pipe_gets_every_byte(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text('a: "\\e[2J\\a"\n', "utf-8")
    env = dict(os.environ, PYTHONPATH=SOURCES)
    done = subprocess.run(
        [sys.executable, "-m", "plait", "patch", "a.yml", "--path", "/a"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"\x1b[2J\x07\n"


def test_what_is_harmless_stays() -> None:
    text = "a:\tb\n  é \U0001f600 ~\n"
    assert harmless(text) == text
    assert harmless("\x1b[0m\x7f\x85\udc9b\r\u2028\u2029") == "\\x1b[0m\\x7f\\x85\\x9b\\x0d\\u2028\\u2029"
