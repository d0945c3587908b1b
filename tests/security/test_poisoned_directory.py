"""A working directory with a module for every name that can be imported, and a program for every name that can be run.

Every command runs there, however plait is installed and started. None of these files may be executed, neither by the command
nor by a process that it starts.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request
import zipapp
from collections.abc import Callable
from typing import NamedTuple

import pytest
import yaml

import plait
from files import write_files
from patience import LONGEST
from plait.cli import COMMANDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts scripts")

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(plait.__file__).parent
SCRIPT = ROOT / "scripts" / "plait"
# What a process may do to start another one, as Python's audit hooks call it.
EVENTS = (
    "subprocess.Popen",
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
)

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\nkind: App\nmetadata: {name: web}\nsize: #@ data.values.size\nin: #@ data.values.region\n',
    "config/schema.yml": "#@data/values-schema\n---\nsize: 1\nregion: eu\n",
    "values.yml": "size: 2\n",
    "report.txt": "out.yml:1: wrong\n",
    "secrets.enc.yml": "size: 3\nsops: {mac: x}\n",
    "base.yml": "a: 1\n",
    "documents.yml": """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [site]}
---
schema: a/B/v1
metadata: {schema: metadata/Document/v1, name: n, storagePolicy: cleartext, layeringDefinition: {layer: site}}
data: {a: 1}
""",
    "steps.yml": "steps: [{render: {files: [config]}}]\n",
    "plait.yml": """\
runs:
  app:
    matrix: {axes: {region: [eu, us]}, output: "{region}/"}
    render: {files: [config], set: {region: "{region}"}}
  one: {render: {files: [config]}}
tests:
  web is small: {run: one, equals: {"App/web:size": 1}}
  web is small once more: {run: one, equals: {"App/web:size": 1}}
""",
    "list.yml": "kind: ResourceList\nitems: []\n",
}
# Programs of the user: a directory of its own on PATH, behind entries that lead to the working directory.
PROGRAMS = {"sops": "echo 'size: 4'", "tell-size": "echo 'size: 5'"}
# Programs of the checkout.
PLANTED = (*PROGRAMS, "git", "gpg", "python", "python3", "sh", "age", "less", "ssh")


class Line(NamedTuple):
    """A command line. starts: it starts processes. needs: an extra that not every installation has."""

    words: str
    starts: bool
    status: int = 0
    needs: str = ""


# Every command, with every way in which it starts processes.
LINES: dict[str, list[Line]] = {
    "render": [
        Line("render -f config", starts=False),
        Line("render -f config --isolate", starts=True),
        Line("render -f config --secrets sops:secrets.enc.yml", starts=True),
        Line("render -f config --secrets exec:tell-size --allow-exec", starts=True),
    ],
    "patch": [Line("patch base.yml", starts=False), Line("patch base.yml --isolate", starts=True)],
    "layer": [Line("layer documents.yml", starts=False), Line("layer documents.yml --isolate", starts=True)],
    "fmt": [Line("fmt -f base.yml", starts=False)],
    "init": [Line("init new", starts=False)],
    "schema": [
        Line("schema import config/schema.yml", starts=False, status=2),
        Line("schema export config/schema.yml", starts=False),
    ],
    "ci": [Line("ci init github --dry-run", starts=False)],
    "krm": [Line("krm", starts=False, status=1)],
    "completion": [Line("completion bash", starts=False)],
    "compose": [Line("compose steps.yml", starts=False), Line("compose steps.yml --isolate", starts=True)],
    "diff": [Line("diff base.yml base.yml", starts=False)],
    "explain": [Line("explain render -f config App/web:size", starts=False)],
    "impact": [Line("impact render -f config config/schema.yml:3", starts=False)],
    "origin": [Line("origin render -f config report.txt", starts=False, status=1)],
    "reduce": [
        Line("reduce --output App/web:size=1 render -f config", starts=False),
        Line("reduce render -f config -- tell-size", starts=True),
    ],
    "run": [Line("run one", starts=False), Line("run one --isolate", starts=True)],
    "project": [Line("project", starts=False)],
    "set": [Line("set render -f config App/web:size=2", starts=False)],
    "lint": [Line("lint", starts=False)],
    "test": [Line("test", starts=False), Line("test -j 2", starts=True)],
    "coverage": [Line("coverage", starts=False), Line("coverage -j 2", starts=True)],
    "fleet": [
        Line("fleet -j 1 --no-cache", starts=False),
        Line("fleet -j 2 --no-cache", starts=True),
        Line("fleet why App/web:size", starts=False),
        Line("fleet diff", starts=False),
        Line("fleet impact config/schema.yml:3", starts=False),
        Line("fleet impact --since HEAD", starts=True, status=1),
    ],
    "log": [Line("log one App/web:size", starts=True)],
    "blame": [Line("blame one", starts=True)],
    "review": [Line("review HEAD", starts=True)],
    "serve": [Line("serve --port 0 --database sqlite:///plait.db", starts=True, needs="sqlalchemy")],
    "lsp": [Line("lsp", starts=False, needs="pygls")],
    "mcp": [Line("mcp", starts=False, needs="mcp")],
    "shims": [Line("shims shims", starts=False)],
    "trust": [Line("trust --list", starts=False), Line("trust", starts=False)],
    "website": [Line("website --listen-addr localhost:0", starts=True)],
}
EVERY = [line for lines in LINES.values() for line in lines]


def test_every_command_has_an_entry() -> None:
    assert LINES.keys() == COMMANDS.keys()


# ---- the directory


def importable() -> set[str]:
    """The names that a process could import: of the standard library, of what is installed, and of plait's own modules."""
    installed = importlib.metadata.packages_distributions()
    own = {path.stem for path in PACKAGE.rglob("*.py")} | {path.name for path in PACKAGE.rglob("*") if path.is_dir()}
    names = {*sys.stdlib_module_names, *installed, *own, "plait", "sitecustomize", "usercustomize"}
    return {name for name in names if name.isidentifier()}


class Poison(NamedTuple):
    """What every poisoned directory has: modules, and a Git directory, if there is Git. Copies of the modules are links."""

    modules: list[pathlib.Path]
    git: pathlib.Path | None


@pytest.fixture(scope="module")
def poison(tmp_path_factory: pytest.TempPathFactory) -> Poison:
    top = tmp_path_factory.mktemp("poison")
    modules = [top / f"{name}.py" for name in sorted(importable())]
    for module in modules:
        module.write_text(f"open(__file__.rpartition('/')[0] + '/../canaries', 'a').write({module.stem!r} + '\\n')\n")
    if not shutil.which("git"):
        return Poison(modules, None)
    checkout = tmp_path_factory.mktemp("git")
    write_files(checkout, FILES)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "plait.yml", "config"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], cwd=checkout, check=True)
    return Poison(modules, checkout / ".git")


@pytest.fixture
def place(tmp_path: pathlib.Path, poison: Poison) -> pathlib.Path:
    return poisoned(tmp_path, poison)


def poisoned(directory: pathlib.Path, poison: Poison) -> pathlib.Path:
    """The poisoned directory; canaries are written beside it."""
    top = directory / "checkout"
    write_files(top, FILES)
    for module in poison.modules:
        (top / module.name).hardlink_to(module)
    for name in PLANTED:
        script(top / name, f"echo {name} >> {directory / 'canaries'}")
    for name, text in PROGRAMS.items():
        script(directory / "programs" / name, text)
    if poison.git is not None:
        shutil.copytree(poison.git, top / ".git")
    return top


def script(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def canaries(place: pathlib.Path) -> set[str]:
    file = place.parent / "canaries"
    return set(file.read_text().split()) if file.exists() else set()


# ---- ways to install and start plait


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A directory with plait and what it cannot do without, in pure Python, with the compiled code that is at hand: the
    processes write none.
    """
    top = tmp_path_factory.mktemp("installed") / "site-packages"
    ignored = shutil.ignore_patterns("*.so", "*.pyd")
    shutil.copytree(PACKAGE, top / "plait", ignore=ignored)
    shutil.copytree(pathlib.Path(yaml.__file__).parent, top / "yaml", ignore=ignored)
    return top


class Launcher(NamedTuple):
    """How plait is started. has_extras: extras are installed."""

    words: list[str]
    environment: dict[str, str]
    has_extras: bool = False


def installed(_library: pathlib.Path) -> Launcher:
    return Launcher([sys.executable, str(SCRIPT)], {}, has_extras=True)


def module(_library: pathlib.Path) -> Launcher:
    return Launcher([sys.executable, "-m", "plait"], {}, has_extras=True)


def python_path(library: pathlib.Path) -> Launcher:
    return Launcher([base_python(), str(SCRIPT)], {"PYTHONPATH": str(library)})


def user(library: pathlib.Path) -> Launcher:
    """As `pip install --user` lays it out."""
    site, base = user_site(library, "user")
    if not site.exists():
        shutil.copytree(library, site)
        (base / "bin").mkdir()
        shutil.copy(SCRIPT, base / "bin" / "plait")
    return Launcher([base_python(), str(base / "bin" / "plait")], {"PYTHONUSERBASE": str(base)})


def editable(library: pathlib.Path) -> Launcher:
    """As `pip install --user --editable` lays it out."""
    site, base = user_site(library, "editable")
    if not site.exists():
        site.mkdir(parents=True)
        (site / "plait.pth").write_text(f"{library}\n")
    return Launcher([base_python(), str(SCRIPT)], {"PYTHONUSERBASE": str(base)})


def archive(library: pathlib.Path) -> Launcher:
    target = library.parent / "plait.pyz"
    if not target.exists():
        zipped = library.parent / "zipped"
        shutil.copytree(library, zipped)
        for compiled in zipped.rglob("*.pyc"):  # in an archive, they stand beside the sources
            name, _, rest = compiled.name.partition(".")
            if rest == f"{sys.implementation.cache_tag}.pyc":
                compiled.rename(compiled.parent.parent / f"{name}.pyc")
        zipapp.create_archive(zipped, target, main="plait.cli:run")
    return Launcher([base_python(), str(target)], {})


LAUNCHERS: dict[str, Callable[[pathlib.Path], Launcher]] = {
    "installed": installed,
    "python -m": module,
    "PYTHONPATH": python_path,
    "user": user,
    "editable": editable,
    "zipapp": archive,
}


def base_python() -> str:
    """The Python below the virtual environment, which has a user site."""
    return getattr(sys, "_base_executable", "") or sys.executable


def user_site(library: pathlib.Path, name: str) -> tuple[pathlib.Path, pathlib.Path]:
    base = library.parent / name
    code = "import site; print(site.getusersitepackages())"
    environment = {**os.environ, "PYTHONUSERBASE": str(base)}
    done = subprocess.run([base_python(), "-c", code], env=environment, capture_output=True, text=True, check=True)
    return pathlib.Path(done.stdout.strip()), base


def environment(place: pathlib.Path, launcher: Launcher) -> dict[str, str]:
    given = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join([".", "", str(place.parent / "programs"), os.environ["PATH"]])
    return {**given, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **launcher.environment}


# ---- running a command


def done(line: Line, words: list[str], place: pathlib.Path, environment: dict[str, str]) -> tuple[int | None, str]:
    """Status and messages of a command; the status of a server is None, since it was ended once it had answered."""
    process = subprocess.Popen(
        [*words, *line.words.split()],
        cwd=place,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ask = SERVERS.get(line.words.split()[0])
    with process:
        try:
            if ask is None:
                errors = process.communicate(timeout=LONGEST)[1]
                return process.returncode, errors
            assert process.stderr is not None
            read = []
            for text in process.stderr:
                read.append(text)
                if "serving http" in text:
                    ask(text.split()[-1])
                    return None, "".join(read)
            return process.wait(), "".join(read)
        finally:
            process.kill()


def ask_service(address: str) -> None:
    """Render the documents of a revision, and make the runs of a project in one: each starts a process."""
    files = [(name, FILES[name]) for name in ("plait.yml", "config/app.yml", "config/schema.yml")]
    stored = [
        {
            "schema": "plait/File/v1",
            "metadata": {"schema": "metadata/Control/v1", "name": name, "storagePolicy": "cleartext"},
            "data": text,
        }
        for name, text in files
    ]
    for bucket, text in (("a", FILES["documents.yml"]), ("files", yaml.safe_dump_all(stored))):
        send("PUT", f"{address}/api/v1.0/buckets/{bucket}/documents", text, "application/x-yaml")
    send("GET", f"{address}/api/v1.0/revisions/2/rendered-documents")
    assert '"rendered"' in json.dumps(yaml.safe_load(send("GET", f"{address}/api/v1.0/revisions/2/fleet")))


def ask_website(address: str) -> None:
    request = {"kind": "render", "files": [{"name": "app.yml", "text": "port: 80\n"}]}
    assert "port: 80" in send("POST", f"{address}/evaluate", json.dumps(request), "application/json")


def send(method: str, address: str, body: str = "", kind: str = "text/plain") -> str:
    request = urllib.request.Request(address, body.encode() or None, {"Content-Type": kind}, method=method)
    with urllib.request.urlopen(request, timeout=LONGEST) as response:
        text: str = response.read().decode()
    return text


SERVERS: dict[str, Callable[[str], None]] = {"serve": ask_service, "website": ask_website}


def has(line: Line) -> bool:
    """True if what a command needs is installed here."""
    if "--since" in line.words and shutil.which("git") is None:
        return False
    return not line.needs or importlib.util.find_spec(line.needs) is not None


@pytest.fixture(scope="module")
def of_python(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What `python -m` imports before it comes to the module, from the working directory first: that is Python's, not plait's."""
    top = tmp_path_factory.mktemp("empty")
    (top / "nothing.py").write_text("import sys; print(*sys.modules)")
    words = [sys.executable, "-m", "nothing"]
    found = subprocess.run(words, cwd=top, capture_output=True, text=True, check=True).stdout.split()
    return {name.partition(".")[0] for name in found} | {"plait"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.function is test_nothing_of_the_working_directory_is_executed:
        every = metafunc.config.getoption("--long")
        pairs = [(line, name) for line in EVERY for name in LAUNCHERS if every or not is_alike(line, name)]
        metafunc.parametrize(("line", "name"), pairs, ids=[f"{line.words}-{name}" for line, name in pairs])


def is_alike(line: Line, name: str) -> bool:
    """True if another test is like it: a copy of a process imports what the process itself would, and
    test_a_command_starts_processes_if_its_entry_says_so runs the others.
    """
    return not line.starts or ("--isolate" in line.words and name != "installed")


def test_nothing_of_the_working_directory_is_executed(
    line: Line,
    name: str,
    tmp_path: pathlib.Path,
    poison: Poison,
    library: pathlib.Path,
    of_python: set[str],
) -> None:
    launcher = LAUNCHERS[name](library)
    if not has(line) or (line.needs and not launcher.has_extras):
        pytest.skip(f"needs {line.needs or 'git'}")
    if name == "zipapp" and line.words.startswith("website"):
        pytest.skip("the page is files beside the modules")
    place = poisoned(tmp_path, poison)
    if name == "python -m":
        for one in of_python:
            (place / f"{one}.py").unlink(missing_ok=True)
    status, errors = done(line, launcher.words, place, environment(place, launcher))
    assert canaries(place) == set()
    assert status in (line.status, None), errors


def test_the_canaries_sing(place: pathlib.Path) -> None:
    """The directory is poisoned: Python imports from it, and a shell runs programs from it."""
    # Not by -c: since 3.13 Python itself imports linecache for it, from the directory.
    subprocess.run([sys.executable, "-"], input=b"import signal, pickle, yaml, plait", cwd=place, check=False)
    path = os.pathsep.join([".", os.environ["PATH"]])
    subprocess.run("sops; git", cwd=place, shell=True, env={**os.environ, "PATH": path}, check=True)
    assert canaries(place) >= {"signal", "pickle", "yaml", "plait", "sops", "git"}


AUDITED = f"""\
import os, sys
file = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(lambda event, _: os.write(file, f"{{event}}\\n".encode()) if event.startswith({EVENTS!r}) else None)
sys.path[0] = os.path.dirname(os.path.dirname({str(PACKAGE)!r} + "/"))
from plait.cli import run
run()
"""


@pytest.mark.parametrize("line", EVERY, ids=lambda line: line.words)
def test_a_command_starts_processes_if_its_entry_says_so(
    line: Line, tmp_path: pathlib.Path, place: pathlib.Path
) -> None:
    if not has(line):
        pytest.skip(f"needs {line.needs or 'git'}")
    program, told = tmp_path / "audited" / "program.py", tmp_path / "events"
    program.parent.mkdir()
    program.write_text(AUDITED)
    launcher = Launcher([sys.executable, str(program), str(told)], {})
    status, errors = done(line, launcher.words, place, environment(place, launcher))
    assert status in (line.status, None), errors
    assert bool(told.read_text()) is line.starts
    assert canaries(place) == set()


def test_the_command_that_an_editor_suggests_imports_nothing_from_the_folder(place: pathlib.Path) -> None:
    package = pathlib.Path(__file__).parents[2] / "editors" / "vscode" / "package.json"
    settings = json.loads(package.read_text("utf-8"))["contributes"]["configuration"]["properties"]
    (suggested,) = re.findall(r"`(\[.*?\])`", settings["plait.command"]["markdownDescription"])
    program, *words = json.loads(suggested)
    assert program == "python3"
    (place / "plait").mkdir(exist_ok=True)
    (place / "plait" / "__init__.py").write_text("raise SystemExit(99)", "utf-8")
    (place / "plait" / "__main__.py").write_text("raise SystemExit(99)", "utf-8")
    run = [sys.executable, *words, "--help"]
    assert subprocess.run(run, cwd=place, capture_output=True, check=False).returncode == 0
    assert canaries(place) == set()
    run.remove("-P")
    assert subprocess.run(run, cwd=place, capture_output=True, check=False).returncode != 0
