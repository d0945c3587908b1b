"""What a run touches, as Python's audit hooks see it: files below the inputs, and nothing else.

The command runs in a process whose hook writes down every file that is opened, every socket, process and import hook.
Python's own modules, the extensions that plait loads, and its cache of compiled templates are set aside.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import sysconfig

import pytest

from files import write_files
from patience import LONGEST

SOURCES = pathlib.Path(__file__).parents[2] / "src"

RUN = """
import json, os, sys
seen = []
REACH = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.", "ctypes.",
    "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.", "winreg.", "os.startfile", "shutil.", "os.remove",
    "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "code.__new__")

def hook(event, args):
    if event == "open":
        seen.append(["open", os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else args[0], args[2]])
    elif event in ("os.listdir", "os.scandir"):
        seen.append(["list", str(args[0])])
    elif event.startswith(REACH):
        seen.append([event, repr(args)[:200]])

from plait.cli import main
sys.addaudithook(hook)
status = main(sys.argv[2:])
sys.stdout.flush()
found = list(seen)
with open(sys.argv[1], "w") as out:
    json.dump([status, found], out)
"""

FILES = {
    "in/schema.yml": "#@data/values-schema\n---\nname: ''\nreplicas: 1\n",
    "in/app.yml": (
        '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n#@ load("@ytt:library", "library")\n'
        '#@ load("@ytt:template", "template")\n#@ load("@ytt:json", "json")\n#@ load("@ytt:yaml", "yaml")\n'
        '#@ load("@ytt:toml", "toml")\n#@ load("@ytt:regexp", "regexp")\n#@ load("@ytt:sha256", "sha256")\n'
        '#@ load("@ytt:ip", "ip")\n#@ load("@ytt:url", "url")\n#@ load("@ytt:base64", "base64")\n'
        '#@ load("/helpers.star", "double")\n'
        'name: #@ data.values.name + double("x")\nread: #@ data.read("note.txt")\n'
        'json: #@ json.decode(json.encode({"a": 1}))\ntoml: #@ toml.encode({"a": 1})\n'
        'match: #@ regexp.match("a+", "aa")\nsum: #@ sha256.sum("x")\naddress: #@ ip.parse_addr("10.0.0.1").string()\n'
        'url: #@ url.parse("http://x.y/z").string()\n--- #@ template.replace(library.get("lib").eval())\n'
    ),
    "in/helpers.star": "def double(x):\n  return x + x\nend\n",
    "in/note.txt": "note\n",
    "in/_ytt_lib/lib/a.yml": "from: library\n",
    "in/over.yml": (
        "#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.subset({'from': 'library'})\n---\n"
        "#@overlay/match missing_ok=True\nmore: 1\n"
    ),
    "values.yml": "name: web\n",
    "base.yml": "a: [((v)), ((s))]\nvariables:\n- {name: v, type: password}\n",
    "ops.yml": "- {type: replace, path: /a/-, value: 1}\n",
    "vars.yml": "s: 1\n",
    "layers.yml": (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a, b]}\n"
        "---\nschema: x/Y/v1\nmetadata: {schema: metadata/Document/v1, name: n, storagePolicy: cleartext,\n"
        "  layeringDefinition: {layer: a}}\ndata: {a: 1}\n"
    ),
    "names.yml": "name: ../../outside\n---\nname: /etc/passwd\n---\nname: ..\n---\nname: ~/a\\b\n",
    "outside.yml": "secret: 1\n",
    "outside/secret.yml": "secret: 1\n",
}

# The command, what it may open to read, what it may open to write (both with everything below).
RUNS = [
    ("render -f in --data-values-file values.yml", ["in", "values.yml"], []),
    ("render -f in -v name=x -o json", ["in"], []),
    ("render -f in -v name=x --output-files out", ["in", "out"], ["out"]),
    ("render -f names.yml --output-by {name}/of-{name}.yml --output-files out", ["names.yml", "out"], ["out"]),
    ("patch base.yml -o ops.yml -l vars.yml -v v=1", ["base.yml", "ops.yml", "vars.yml"], []),
    ("layer layers.yml --validate-data", ["layers.yml"], []),
    ("fmt -f in/app.yml", ["in/app.yml"], []),
]


def reached(argv: list[str], directory: pathlib.Path) -> tuple[int, list[list[object]], str]:
    write_files(directory, FILES)
    report = directory.parent / f"{directory.name}.json"
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1", "PLAIT_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(report), *argv],
        cwd=directory,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    assert report.exists(), done.stderr
    status, seen = json.loads(report.read_text("utf-8"))
    return status, seen, done.stderr


def below(path: object, places: list[str], directory: pathlib.Path) -> bool:
    full = os.path.normpath(os.path.join(directory, str(path)))
    return any(full == top or full.startswith(top + os.sep) for top in (str(directory / place) for place in places))


def of_python(path: object) -> bool:
    """Modules, their compiled forms and metadata."""
    homes = [str(SOURCES), sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    return isinstance(path, int) or os.path.normpath(str(path)).startswith(tuple(homes))


@pytest.mark.parametrize(("argv", "reads", "writes"), RUNS, ids=[run[0] for run in RUNS])
def test_only_the_inputs_are_opened(argv: str, reads: list[str], writes: list[str], tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "work"
    directory.mkdir()
    status, seen, said = reached(argv.split(), directory)
    assert status == 0, said
    kinds = {str(event[0]) for event in seen}
    assert "open" in kinds, "the hook sees"
    for event in seen:
        kind = str(event[0])
        if kind == "open":
            _, path, flags = event
            assert isinstance(flags, int)
            if flags & getattr(os, "O_DIRECTORY", 0):
                # What is written is reached directory by directory from the top, so that no link is followed.
                assert writes, event
                assert flags & os.O_NOFOLLOW, event
                assert path == "/" or not {"/", ".."} & {*str(path).partition("/")}, event
            elif flags & (os.O_WRONLY | os.O_RDWR):
                # A number is a file that was opened by its path before.
                is_name = "/" not in str(path) and bool(flags & os.O_NOFOLLOW)  # below a directory that is open
                assert isinstance(path, int) or is_name or below(path, writes, directory), event
            else:
                assert below(path, reads, directory) or of_python(path), event
        elif kind == "list":
            assert below(event[1], reads, directory) or of_python(event[1]), event
        elif kind in ("os.mkdir", "os.rename", "os.chmod"):
            assert writes, event
        else:
            # google-re2 and others are extensions; nothing here has to do with a process or a socket.
            assert kind.startswith("ctypes."), event


TRIES = [
    'load("@ytt:data", "data")\nx = data.read("../outside.yml")',
    'load("@ytt:data", "data")\nx = data.read("/etc/passwd")',
    'load("@ytt:data", "data")\nx = data.read("/../outside.yml")',
    'load("@ytt:data", "data")\nx = data.read("note.txt/../../outside.yml")',
    'load("@ytt:data", "data")\nx = data.read("\\x00")',
    'load("@ytt:data", "data")\nx = data.read("link.txt")',
    'load("@ytt:data", "data")\nx = data.list("..")',
    'load("@ytt:data", "data")\nx = data.list("/etc")',
    'load("../outside.yml", "x")',
    'load("/etc/passwd", "x")',
    'load("file:///etc/passwd", "x")',
    'load("http://127.0.0.1/a.star", "x")',
    'load("@lib:../../outside.yml", "x")',
    'load("@../:a.star", "x")',
    'load("@ytt:os", "os")',
    'load("@ytt:library", "library")\nx = library.get("../..").eval()',
    'load("@ytt:library", "library")\nx = library.get("/etc").eval()',
    'x = open("/etc/passwd")',
    'x = __import__("os")',
]


@pytest.mark.parametrize("code", TRIES)
def test_a_template_reaches_nothing_else(code: str, tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "work"
    (directory / "in").mkdir(parents=True)
    (directory / "in" / "try.star").write_text(code + "\n", "utf-8")
    os.symlink("../outside.yml", directory / "link.txt")
    (directory / "in" / "a.yml").write_text('#@ load("try.star", "x")\na: #@ x\n', "utf-8")
    status, seen, said = reached(["render", "-f", "in", "-v", "name=x"], directory)
    assert status == 1
    assert said.startswith("plait: ")
    for event in seen:
        assert event[0] in ("open", "list"), event
        assert below(event[1], ["in"], directory) or of_python(event[1]), event


def test_a_link_out_of_the_inputs_is_refused(tmp_path: pathlib.Path) -> None:
    directory = tmp_path / "work"
    (directory / "in").mkdir(parents=True)
    os.symlink("../outside.yml", directory / "in" / "link.yml")
    status, seen, said = reached(["render", "-f", "in", "-v", "name=x"], directory)
    assert status == 1
    assert "symlink" in said
    assert not any("outside" in str(event[1]) for event in seen if event[0] == "open")
    os.remove(directory / "in" / "link.yml")
    os.symlink("../outside", directory / "in" / "dir")
    status, _, said = reached(["render", "-f", "in", "-v", "name=x"], directory)
    assert status == 1
    assert "symlink" in said
