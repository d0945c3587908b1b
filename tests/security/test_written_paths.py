"""Whatever lies on the way of a path that plait writes: nothing outside changes, nothing waits, and a message says why.

TARGETS has the paths that commands write, WAYS what can lie on them. The examples of all flags tell which commands and flags
write, so a new one needs an entry here.
"""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import socket
import stat
import subprocess
import sys
from typing import NamedTuple

import pytest
import yaml

import generated
import test_reference
from files import write_files
from patience import LONGEST
from plait.base.permissions import FILE_NAMES
from plait.base.writing.real_paths import authorize
from plait.cli import COMMANDS, main
from plait.cli.commands import commands
from plait.engine.common import ALLOW_OUTPUT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links, devices and FIFOs")


class Target(NamedTuple):
    """A path that a command line writes.

    command, flag: what writes; flag is "" for a command that always does. typed: as many first components are those of a
    path that the user types; the others are chosen by a file or by plait. is_directory: the last component is one.
    replaces_links: a link that is the last component is replaced, as ytt does it. replaced: as many first components there are
    before what is replaced as a whole; what is below that, and was not written by plait, is moved away. words: the command line. status: of a
    run that is not disturbed.
    """

    command: str
    flag: str
    path: str
    typed: int
    words: str
    is_directory: bool = False
    replaces_links: bool = False
    status: int = 0
    replaced: int = 99

    @property
    def parts(self) -> list[str]:
        return self.path.split("/")


FILES = {
    "in/sub/a.yml": "#@ x = 1\na: #@ x\n",
    "base.yml": "a: ((p))\nvariables: [{name: p, type: password}]\n",
    "layers/policy.yml": """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [site]}
""",
    "layers/a.yml": """\
schema: demo/Server/v1
metadata: {schema: metadata/Document/v1, name: web, layeringDefinition: {layer: site, abstract: false}}
data: {port: 80}
""",
    "plait.yml": """\
runs:
  sub/app:
    output: sub/app
    render: {files: [in/]}
  sub/file:
    output: sub/one.yml
    render: {files: [in/]}
  only: {render: {files: [chosen/c.yml]}}
""",
    "steps.yml": "steps:\n- name: one\n  render: {files: [in/]}\n",
    "tests/app.test.yml": "tests:\n  kept: {run: sub/app, snapshot: true}\n",
    "site/base.yml": "a: ((p))\nvariables: [{name: p, type: password}]\n",
    "site/sub/b.yml": "a:\n      b: 1\n",
    "chosen/c.yml": '#@ load("@ytt:data", "data")\n---\nreplicas: 1\n',
    "site/app.test.yml": "tests:\n  kept: {run: sub/app, snapshot: true}\n",
}
BY = '--output-by "sub/{a}.yml"'

TARGETS = [
    Target("render", "output-files", "site/out/sub/a.yml", 2, "render -f in --output-files site/out", replaces_links=True),
    Target("render", "output-by", "site/out/sub/1.yml", 2, f"render -f in {BY} --output-files site/out", replaces_links=True),
    Target("render", "dangerous-emptied-output-directory", "site/out", 2, "render -f in --dangerous-emptied-output-directory site/out", is_directory=True, replaces_links=True),
    Target("render", "source-map", "site/map.json", 1, "render -f in --source-map site/map.json"),
    Target("patch", "vars-store", "site/store.yml", 2, "patch base.yml --vars-store site/store.yml"),
    Target("patch", "in-place", "site/base.yml", 2, "patch site/base.yml --in-place"),
    Target("patch", "source-map", "site/map.json", 1, "patch in/sub/a.yml --source-map site/map.json"),
    Target("layer", "output-files", "site/out/sub/web.yml", 2, 'layer layers --output-by "sub/{metadata.name}.yml" --output-files site/out', replaces_links=True),
    Target("layer", "source-map", "site/map.json", 1, "layer layers --source-map site/map.json"),
    Target("compose", "output-files", "site/out/sub/1.yml", 2, f"compose steps.yml {BY} --output-files site/out", replaces_links=True),
    Target("compose", "source-map", "site/map.json", 1, "compose steps.yml --source-map site/map.json"),
    Target("run", "", "site/out/sub/a.yml", 2, "run sub/app --output-files site/out", replaces_links=True),
    Target("fmt", "write", "site/sub/b.yml", 1, "fmt -w site/sub"),
    Target("set", "write", "chosen/c.yml", 0, "set -w run only replicas=2"),
    Target("test", "update", "site/app.test.snapshots/kept.yml", 0, "test --update site/app.test.yml"),
    Target("test", "junit", "site/junit.xml", 2, "test --update --junit site/junit.xml tests"),
    Target("test", "cov-report", "site/lcov.info", 2, "test --update --cov --cov-report lcov:site/lcov.info tests"),
    Target("coverage", "report", "site/html/index.html", 2, "coverage --report html:site/html"),
    Target("coverage", "report", "site/lcov.info", 2, "coverage --report lcov:site/lcov.info"),
    Target("lint", "sarif", "site/found.sarif", 2, "lint --sarif site/found.sarif", status=1),
    Target("lint", "fix", "chosen/c.yml", 0, "lint --fix --select dead only"),
    Target("init", "", "site/demo/config/app.yml", 2, "init site/demo"),
    Target("ci", "", ".github/workflows/plait-review.yml", 0, "ci init github --yes"),
    Target("ci", "", ".gitlab/plait-review.yml", 0, "ci init gitlab --yes"),
    Target("init", "agents", "site/demo/AGENTS.md", 2, "init --agents --force site/demo"),
    Target("fleet", "output", "site/out/sub/app/sub/a.yml", 2, "fleet -j 1 --no-cache --output site/out", replaced=4),
    Target("fleet", "output", "site/out/sub/one.yml", 2, "fleet -j 1 --no-cache --output site/out"),
    Target("fleet", "", "out/sub/app/sub/a.yml", 0, "fleet -j 1 --no-cache", replaced=3),
    Target("fleet", "", "out/.fleet/lock", 0, "fleet -j 1 --no-cache"),
    Target("fleet", "", "out/.fleet/journal.jsonl", 0, "fleet -j 1 --no-cache"),
    Target("fleet", "", "out/fleet.jsonl", 0, "fleet -j 1 --no-cache"),
    Target("fleet", "cache", "site/kept", 2, "fleet -j 1 --cache site/kept", is_directory=True),
    Target("serve", "", "site/documents.db", 2, "serve --check --port 0 --database sqlite:///site/documents.db"),
    Target("reduce", "to", "site/smallest/command.txt", 2, "reduce --to site/smallest --output a=1 render -f in", replaces_links=True),
    Target("shims", "", "site/bin/ytt", 2, "shims --force site/bin", replaces_links=True),
]  # fmt: skip
# Commands that write nothing that a path names; trust writes to the state directory of the user. The message of review
# is tested in tests/review, because it needs a repository.
READERS = {
    "blame",
    "log",
    "origin",
    "review",
    "schema",
    "trust",
    "krm",
    "completion",
    "diff",
    "explain",
    "impact",
    "project",
    "lsp",
    "mcp",
    "website",
}

CANARY = "keep: me\n"


def put(top: pathlib.Path, files: dict[str, str]) -> None:
    write_files(top, files)


def copied(start: pathlib.Path, end: pathlib.Path) -> None:
    """Copies a file or a directory. What a command has written gets another text, so that it is written again."""
    if start.is_dir():
        end.mkdir()
        for one in start.iterdir():
            copied(one, end / one.name)
    elif not stat.S_ISREG(os.lstat(start).st_mode):
        return
    elif start.name.endswith(".db"):
        end.write_bytes(start.read_bytes())
    else:
        end.write_text(CANARY, "utf-8")


def contents(top: pathlib.Path) -> dict[str, tuple[object, ...]]:
    """All below a directory: kinds, modes, times and content."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(top.rglob("*")):
        status = os.lstat(path)
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
        times = (status.st_ino, status.st_mtime_ns) if content is not None else ()
        found[str(path.relative_to(top))] = status.st_mode, content, *times
    return found


def words_of(target: Target) -> list[str]:
    return shlex.split(target.words)


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    work = tmp_path / "work"
    put(work, FILES)
    put(tmp_path / "outside", {"canary.yml": CANARY})
    monkeypatch.chdir(work)
    monkeypatch.setenv("PLAIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return work


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """The directory after each command line, run where nothing is in its way."""
    found = {}
    for words in {target.words: target for target in TARGETS}.values():
        top = tmp_path_factory.mktemp("written")
        put(top, FILES)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(top)
            patch.setenv("PLAIT_CACHE_DIR", "")
            assert main(words_of(words)) == words.status, words
        found[words.words] = top
    return found


class Laid:
    """A project in the working directory, from whose path for output one component was moved.

    target: the path. part: index of the component. place: the path of the component, where nothing is. outside: a
    directory beside the project. there: the component as it is after a run, below `outside`.
    """

    def __init__(self, target: Target, part: int, here: pathlib.Path, written: pathlib.Path) -> None:
        self.target = target
        self.part = part
        self.here = here
        self.outside = here.parent / "outside"
        self.there = self.outside / "there"
        self.place = here.joinpath(*target.parts[: part + 1])
        self.place.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(self.place):
            self.place.rename(self.there)
            return
        known = written.joinpath(*target.parts[: part + 1])
        if target.command == "init":
            self.there.mkdir()
        elif known.exists():
            copied(known, self.there)
        else:
            self.there.write_text(CANARY, "utf-8")

    def is_replaced(self) -> bool:
        """True if the command replaces a link in the place of the component."""
        is_last = self.part == len(self.target.parts) - 1 and self.part >= self.target.typed
        # fmt passes over a link that it finds.
        return self.part >= self.target.replaced or (
            is_last and (self.target.replaces_links or self.target.command == "fmt")
        )

    def check_link(self, to: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> str:
        """Runs the command with a link in the place of the component: nothing outside changes. Returns its output.

        The command fails and names the component, unless it replaces the link.
        """
        self.place.symlink_to(to)
        before = contents(self.outside)
        capfd.readouterr()
        status = main(words_of(self.target))
        told = "".join(capfd.readouterr())
        assert "bug in plait" not in told
        if not self.is_replaced() and self.target.flag != "cache":  # a cache that cannot be written is not used
            assert status not in (0, 70), told
            # init names the first entry of a directory that is not empty.
            assert self.target.parts[self.part] in told or self.target.command == "init", told
        assert contents(self.outside) == before
        return told


@pytest.fixture
def laid(target: Target, part: int, here: pathlib.Path, written: dict[str, pathlib.Path]) -> Laid:
    return Laid(target, part, here, written[target.words])


def ids(values: list[tuple[Target, int]]) -> list[str]:
    return [f"{target.words}:{'/'.join(target.parts[: part + 1])}" for target, part in values]


PARTS = [(target, part) for target in TARGETS for part in range(len(target.parts))]


@pytest.mark.parametrize(("target", "part"), PARTS, ids=ids(PARTS))
def test_a_link_out_of_the_repository(laid: Laid, capfd: pytest.CaptureFixture[str]) -> None:
    """Refused wherever it is; for a path that the user types a flag is named that allows it."""
    (laid.here / ".git").mkdir()
    told = laid.check_link(laid.there, capfd)
    is_typed = laid.part < laid.target.typed and laid.target.flag != "cache" and not laid.is_replaced()
    assert (f"--{ALLOW_OUTPUT.name} {laid.there}" in told) is is_typed, told


ALLOWED = [
    (target, part)
    for target, part in PARTS
    if part < target.typed and ALLOW_OUTPUT.name in {flag.name for flag in commands()[target.command].flags}
    and not (target.replaces_links and part == len(target.parts) - 1)
]  # fmt: skip


@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize(("target", "part"), ALLOWED, ids=ids(ALLOWED))
def test_a_link_that_may_be_followed(laid: Laid, is_repository: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """Because a flag allows it, or because it is no part of a checkout."""
    laid.place.symlink_to(laid.there)
    before = contents(laid.outside)
    more = []
    if is_repository:
        (laid.here / ".git").mkdir()
        more = [f"--{ALLOW_OUTPUT.name}", str(laid.outside)]
    assert main([*words_of(laid.target), *more]) == laid.target.status, capfd.readouterr().err
    after = contents(laid.outside)
    assert laid.place.is_symlink()
    assert after != before or laid.target.command == "serve"  # whose database is up to date
    assert after["canary.yml"] == before["canary.yml"]


@pytest.mark.parametrize(
    ("program", "words", "path"),
    [
        ("ytt", "-f in --output-files site/out", "site/out"),
        ("bosh", "interpolate base.yml --vars-store site/store.yml", "site/store.yml"),
    ],
)
@pytest.mark.parametrize("part", [0, 1])
def test_ytt_and_bosh_follow(program: str, words: str, path: str, part: int, here: pathlib.Path) -> None:
    (here / ".git").mkdir()
    outside = here.parent / "outside"
    place = here.joinpath(*path.split("/")[: part + 1])
    (outside / "there").mkdir()
    if part == 0:
        place.rename(here.parent / "moved")
    place.symlink_to(outside / "there" if part == 0 or program == "ytt" else outside / "there" / "store.yml")
    before = contents(outside)
    assert main(shlex.split(words), program) == 0
    assert place.is_symlink()
    assert len(contents(outside)) > len(before)
    # The next command line is plait's own again.
    assert main(["render", "-f", "in", "--output-files", path]) == 1


STRICT = [(target, part) for target, part in PARTS if part >= target.typed]


@pytest.mark.parametrize(("target", "part"), STRICT, ids=ids(STRICT))
def test_a_link_below(laid: Laid, capfd: pytest.CaptureFixture[str]) -> None:
    """Refused also where there is no repository: the user has not typed it."""
    laid.check_link(laid.there, capfd)


# A link to nothing can stand in the place of what is made, not of what is read and edited.
MADE = [
    (target, part)
    for target, part in PARTS
    if "/".join(target.parts[: part + 1]) not in {name[:end] for name in FILES for end in range(len(name) + 1)}
]


@pytest.mark.parametrize(("target", "part"), MADE, ids=ids(MADE))
def test_a_link_to_nothing(laid: Laid, capfd: pytest.CaptureFixture[str]) -> None:
    (laid.here / ".git").mkdir()
    laid.check_link(laid.outside / "nothing", capfd)


def make_fifo(place: pathlib.Path) -> None:
    os.mkfifo(place)


def make_device(place: pathlib.Path) -> None:
    try:
        os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.close(os.open(place, os.O_RDWR))
    except OSError:
        pytest.skip("devices are made by root only")


def make_socket(place: pathlib.Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        above = os.open(place.parent, os.O_RDONLY)
        try:
            made.bind(f"/proc/self/fd/{above}/{place.name}")  # the whole path may be too long
        finally:
            os.close(above)


def make_other(place: pathlib.Path) -> None:
    """A directory in the place of a file, or a file in the place of a directory."""
    if place.name in ("lock", "ytt") or place.suffix in SUFFIXES:
        place.mkdir()
        (place / "inner").write_text(CANARY, "utf-8")
    else:
        place.write_text(CANARY, "utf-8")


SUFFIXES = {".md", ".txt", ".yml", ".json", ".jsonl", ".xml", ".info", ".sarif", ".db", ".html"}
KINDS = {"fifo": make_fifo, "device": make_device, "socket": make_socket, "other": make_other}
# A file that the user typed may be a FIFO or a device (tests/security/test_targets.py), and so may an input.
ODD = [
    (target, part)
    for target, part in PARTS
    if (part < len(target.parts) - 1 or target.typed < len(target.parts) or target.is_directory)
    and "/".join(target.parts[: part + 1]) not in FILES
    and not (target.flag == "source-map" and part)
    and target.command != "fmt"  # these are inputs
]


# Runs command lines, each in its directory, and writes what each says beside it.
DRIVER = """
import ctypes, json, os, sys
is_unprivileged = sys.argv[1] == "unprivileged"
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
if is_unprivileged and len(sys.argv) < 4:
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
        sys.exit(99)
    os.execv(sys.executable, [sys.executable, __file__, *sys.argv[1:], "again"])
from plait.cli import main
for directory, words in json.loads(sys.argv[2]):
    os.chdir(directory)
    sys.stdout.flush()
    told = os.open(directory + ".told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(told, 1)
    os.dup2(told, 2)
    os.close(told)
    status = main(words)
    sys.stdout.flush()
    sys.stderr.flush()
    with open(directory + ".status", "w") as file:
        file.write(str(status))
"""


def driven(tmp_path: pathlib.Path, runs: list[tuple[pathlib.Path, Target]], mode: str = "") -> list[tuple[int, str]]:
    """Runs command lines in a process of its own, because nothing may wait for a FIFO. The status of each, and what it said."""
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER, "utf-8")
    listed = json.dumps([(str(top), words_of(target)) for top, target in runs])
    environment = {**os.environ, "PLAIT_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, str(driver), mode, listed],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode == 99:
        pytest.skip("cannot give up rights")
    assert done.returncode == 0, done.stderr.decode()
    found = []
    for top, _ in runs:
        told = top.with_name(f"{top.name}.told").read_text("utf-8")
        assert "bug in plait" not in told
        assert "Traceback" not in told
        found.append((int(top.with_name(f"{top.name}.status").read_text("utf-8")), told))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_something_else_in_the_place(kind: str, tmp_path: pathlib.Path) -> None:
    """Refused, or replaced where that is what the command does."""
    made = []
    for number, (target, part) in enumerate(ODD):
        top = tmp_path / str(number)
        put(top, FILES)
        place = top.joinpath(*target.parts[: part + 1])
        place.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(place):
            place.rename(tmp_path / f"{number}.moved")
        KINDS[kind](place)
        made.append((top, target, part, place, os.lstat(place)))
    answers = driven(tmp_path, [(top, target) for top, target, *_ in made])
    for (_, target, part, place, before), (status, told) in zip(made, answers, strict=True):
        # A file in the place of a directory is replaced by the flag that empties it, and moved away by a fleet.
        if part + (kind == "other") >= target.replaced or (target.is_directory and kind == "other"):
            continue
        shown = f"{target.words}: {'/'.join(target.parts[: part + 1])}: {told}"
        if target.flag == "cache":  # one that cannot be written is not used
            assert status in (0, 1), shown
        elif target.command != "fmt" or part < target.typed:  # which formats what it finds
            assert status not in (0, 70), shown
            assert target.parts[part] in told or target.command == "init", shown
        now = os.lstat(place)
        assert (now.st_mode, now.st_ino) == (before.st_mode, before.st_ino), shown


FILES_WRITTEN = [
    (target, len(target.parts) - 1)
    for target in TARGETS
    if not target.is_directory and target.command != "init"  # which wants an empty directory
]


@pytest.mark.parametrize(("target", "part"), FILES_WRITTEN, ids=ids(FILES_WRITTEN))
def test_another_name_of_the_file(laid: Laid, capfd: pytest.CaptureFixture[str]) -> None:
    """A hard link: the file is replaced, or refused where it would be extended. What has the other name stays."""
    os.link(laid.there, laid.place)
    content = laid.there.read_bytes()
    main(words_of(laid.target))
    assert "bug in plait" not in capfd.readouterr().err
    if laid.target.command != "serve":  # a database is extended in its place
        assert laid.there.read_bytes() == content


@pytest.mark.skipif(sys.platform != "linux", reason="needs modes that count")
def test_a_directory_that_may_not_be_written(tmp_path: pathlib.Path, written: dict[str, pathlib.Path]) -> None:
    runs = []
    for number, target in enumerate({target.path: target for target in TARGETS}.values()):
        top = tmp_path / str(number)
        put(top, FILES)
        above = top.joinpath(*target.parts[:-1])
        missing = [end for end in range(1, len(target.parts)) if not top.joinpath(*target.parts[:end]).exists()]
        if missing and target.command != "init":
            parts = target.parts[: missing[0]]
            copied(written[target.words].joinpath(*parts), top.joinpath(*parts))
        above.mkdir(parents=True, exist_ok=True)
        above.chmod(0o500)
        runs.append((top, target, above, contents(top)))
    answers = driven(tmp_path, [(top, target) for top, target, *_ in runs], "unprivileged")
    for (top, target, above, before), (status, told) in zip(runs, answers, strict=True):
        above.chmod(0o700)
        left = contents(top)
        assert [name for name in left if ".plait-" in name] == [], target.words
        if target.flag != "cache":
            assert status not in (0, 70), f"{target.words}: {told}"
            assert told
        if target.command != "fleet":  # which makes its other runs
            assert {name: row[1] for name, row in before.items()}.items() <= {
                name: row[1] for name, row in left.items()
            }.items(), target.words


def test_every_command_and_flag_that_writes_is_here(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Runs the examples of all flags, and notes which of them write."""
    assert READERS | {target.command for target in TARGETS} == set(COMMANDS)
    flags = {(target.command, target.flag) for target in TARGETS}
    files = yaml.safe_load(generated.FLAGS.read_text("utf-8"))["files"]
    monkeypatch.setenv("APP_name", "shop")
    monkeypatch.setenv("PLAIT_CACHE_DIR", "")
    monkeypatch.setattr("plait.authoring.watch.changes._Watcher.next_change", test_reference.interrupted)
    unknown = []
    for command, lines in generated.flag_examples().items():
        for name, (line, _) in lines.items():
            if " | " in line or command in ("lsp", "website"):
                continue
            top = tmp_path_factory.mktemp("example")
            put(top, files)
            monkeypatch.chdir(top)
            paths: list[str] = []

            def note(path: str, top: pathlib.Path = top, paths: list[str] = paths) -> bool:
                if os.path.realpath(path).startswith(str(top)):
                    paths.append(path)
                return authorize(path)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("plait.base.writing.targets.authorize", note)
                main(shlex.split(line)[1:])
            known = ("", *(flag for writer, flag in flags if writer == command and flag and f"--{flag}" in line))
            known += tuple(
                flag.name for flag in commands()[command].flags if flag.short and f" -{flag.short} " in f"{line} "
            )
            if paths and not any((command, flag) in flags for flag in known):
                unknown.append((name, line, paths))
    capfdbinary.readouterr()
    assert unknown == []


@pytest.mark.parametrize("name", FILE_NAMES)
@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize("kind", ["nowhere", "a file", "a directory", *KINDS])
@pytest.mark.parametrize("is_early", [True, False], ids=["before", "meanwhile"])
def test_a_drafted_project_file_replaces_nothing(
    name: str,
    is_repository: bool,
    kind: str,
    is_early: bool,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The user types the directory, not the name of the file in it, also where there is no repository."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    put(
        work,
        {
            "c/values.yml": "#@data/values\n---\nx: 1\n",
            "c/a.yml": '#@ load("@ytt:data", "data")\nv: #@ data.values.x\n',
        },
    )
    put(outside, {"file.yml": "a: 1\n"})
    if is_repository:
        (work / ".git").mkdir()
    monkeypatch.chdir(work)
    place = work / name

    def lay() -> None:
        if kind in KINDS:
            KINDS[kind](place)
        elif kind == "a directory":
            place.mkdir()
        else:
            place.symlink_to(outside / ("file.yml" if kind == "a file" else "made.yml"))

    def asked(*_: object) -> bool:
        lay()
        return True

    if is_early:
        lay()
    elif name != FILE_NAMES[0]:
        pytest.skip("another file is written")
    monkeypatch.setattr("plait.cli.tools.confirmed", asked)
    before = contents(outside)
    status = main(["init", *(["--yes"] if is_early else [])])
    told = "".join(capfd.readouterr())
    assert (status in (1, 2), name in told, "bug in plait" in told) == (True, True, False), told
    assert contents(outside) == before
    assert place.is_symlink() or not place.is_file() or place.read_text("utf-8") == CANARY


@pytest.mark.parametrize("to", [".git", ".git/hooks", ".GIT/hooks"])
def test_a_link_into_the_repository_s_own_data_is_refused(
    to: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks and configuration there are programs, also where the user typed the link."""
    (tmp_path / to).mkdir(parents=True)
    (tmp_path / ".git").mkdir(exist_ok=True)
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "out").symlink_to(to)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert main(["render", "-f", "a.yml", "--output-files", "out"]) == 1
    assert sorted(tmp_path.rglob("*")) == before
