"""plait in place of ytt and of bosh: which program a command line is meant for, and the files of `plait shims`."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

from plait.base.errors import UsageError
from plait.base.version import YTT_VERSION, __version__
from plait.cli import COMMANDS, PLAIT, PROGRAMS, main, program_of
from plait.cli.as_bosh import BOSH_VERSION
from plait.cli.shims import _files

VERSIONS = {
    "ytt": (["version"], f"ytt version {YTT_VERSION} (plait {__version__})\n"),
    "bosh": (["-v"], f"version {BOSH_VERSION} (plait {__version__})\n"),
}
FAILURES = {
    "ytt": (["-f", "none.yml"], "ytt: Error: Checking file 'none.yml': lstat none.yml: no such file or directory\n"),
    "bosh": (["none"], "Exit code 1\n"),
}
LAUNCHER = pathlib.Path(__file__).parents[2] / "scripts" / "plait"


def test_every_program_is_tried() -> None:
    assert VERSIONS.keys() == FAILURES.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("path", ["{}", "/usr/bin/{}", "./{}", "C:\\bin\\{}.exe", "C:\\bin\\{}.CMD", "bin/{}.py"])
def test_the_name_of_the_file_decides(program: str, path: str) -> None:
    assert program_of(path.format(program), ["version"]) == program


@pytest.mark.parametrize(
    "path", ["plait", "/usr/bin/plait", "plait.exe", "src/plait/__main__.py", "yttx", "ytt/plait", ""]
)
def test_other_names_are_plait(path: str) -> None:
    assert program_of(path, ["version"]) == PLAIT


@pytest.mark.parametrize("program", [*PROGRAMS, PLAIT])
@pytest.mark.parametrize("path", ["plait", *PROGRAMS])
def test_the_variable_decides_where_no_command_of_plait_comes_first(path: str, program: str) -> None:
    for argv in ([], ["-f", "a.yml"], ["version"], ["t"], ["int", "a.yml"], ["-n", "int"]):
        assert program_of(path, argv, program) == program
    for command in COMMANDS:
        assert program_of(path, [command], program) == program_of(path, [command])
    assert program_of(path, ["-f"], "") == program_of(path, ["-f"])


def test_an_unknown_program_is_refused() -> None:
    with pytest.raises(UsageError, match='unknown PLAIT_AS "yt"'):
        program_of("plait", [], "yt")


def run(argv: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("PLAIT_", "BOSH_"))}, **variables}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


def check_is(program: str, command: list[str], **variables: str) -> None:
    argv, wanted = VERSIONS[program]
    found = run([*command, *argv], **variables)
    assert (found.returncode, found.stdout, found.stderr) == (0, wanted, "")
    argv, end = FAILURES[program]
    found = run([*command, *argv], **variables)
    assert found.returncode == 1
    assert found.stderr.endswith(end)


@pytest.fixture
def launcher(tmp_path: pathlib.Path) -> pathlib.Path:
    """The launcher of plait as an installer writes it."""
    path = tmp_path / "venv" / "plait"
    path.parent.mkdir()
    path.write_text(LAUNCHER.read_text("utf-8").replace("#!python", f"#!{sys.executable}"), "utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(os.name == "nt", reason="there are no links without rights")
@pytest.mark.parametrize("program", PROGRAMS)
def test_links_copies_and_wrappers_are_the_program(
    program: str, tmp_path: pathlib.Path, launcher: pathlib.Path
) -> None:
    directory = tmp_path / "bin"
    directory.mkdir()
    path = directory / program
    path.symlink_to(launcher)
    check_is(program, [str(path)])
    path.unlink()
    shutil.copy(launcher, path)
    check_is(program, [str(path)])
    path.write_text(f'#!/bin/sh\nPLAIT_AS={program} exec {launcher} "$@"\n', "utf-8")
    check_is(program, [str(path)])
    check_is(program, [sys.executable, "-m", "plait"], PLAIT_AS=program)


@pytest.mark.skipif(os.name == "nt", reason="starts with #!")
@pytest.mark.parametrize("name", ["bin", "a directory"])
def test_shims_work_in_subprocesses(name: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / name
    assert main(["shims", str(directory)]) == 0
    assert f"export PATH={str(directory)!r}" in capfd.readouterr().out.replace("PATH=/", "PATH='/").replace(
        'bin:"$PATH', "bin':\"$PATH"
    )
    assert sorted(os.listdir(directory)) == sorted(PROGRAMS)
    for program in PROGRAMS:
        check_is(program, [program], PATH=f"{directory}{os.pathsep}{os.environ['PATH']}")
    assert main(["shims", str(directory)]) == 0


@pytest.mark.skipif(os.name == "nt", reason="starts with #!")
def test_an_interpreter_whose_path_does_not_fit_the_first_line(tmp_path: pathlib.Path) -> None:
    for name in ("with a space", "l" * 130):
        python = tmp_path / name / "python"
        python.parent.mkdir()
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', "utf-8")
        python.chmod(0o755)
        for program in PROGRAMS:
            for file, text in _files(program, str(python)).items():
                path = tmp_path / file
                path.write_text(text, "utf-8")
                path.chmod(0o755)
                check_is(program, [str(path)])


def test_other_files_are_not_replaced(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / next(iter(_files("bosh", sys.executable)))
    other.write_text("a program", "utf-8")
    assert main(["shims", str(tmp_path)]) == 2
    assert "is not one of plait's files" in capfd.readouterr().err
    assert [other.name] == os.listdir(tmp_path)
    assert other.read_text("utf-8") == "a program"
    assert main(["shims", "--force", str(tmp_path)]) == 0
    assert "plait" in other.read_text("utf-8")


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="there are no pipes that end a program")
@pytest.mark.parametrize("program", [PLAIT, *PROGRAMS])
def test_a_reader_that_has_gone_ends_the_program_by_its_signal(
    program: str, tmp_path: pathlib.Path, launcher: pathlib.Path
) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    argv = {"bosh": ["int", "a.yml"], "ytt": ["-f", "a.yml"], PLAIT: ["render", "-f", "a.yml"]}[program]
    path = launcher.with_name(program)
    if program != PLAIT:
        path.symlink_to(launcher)
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as out:
        done = subprocess.run([path, *argv], stdout=out, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
