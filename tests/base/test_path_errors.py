"""Paths that cannot be read: each command that takes one tells apart what is missing, what is a directory, and the rest."""

from __future__ import annotations

import errno
import json
import os
import pathlib

import pytest

from plait.base.errors import ReadError
from plait.base.input_view import permitted
from plait.base.path_errors import hint_for, near, read_failure
from plait.base.permissions import Permissions
from plait.cli import main

# The path is {}.
COMMANDS = {
    "render": "render -f {}",
    "values": "render -f a.yml --data-values-file {}",
    "value": "render -f v.yml --data-value-file x={}",
    "merge": "render -f a.yml --merge {}",
    "secrets": "render -f a.yml --secrets file:{}",
    "patch": "patch {}",
    "operations": "patch a.yml -o {}",
    "variables": "patch a.yml -l {}",
    "variable": "patch a.yml --var-file x={}",
    "layer": "layer {}",
    "compose": "compose {}",
    "diff": "diff {} a.yml",
    "project": "project {}",
    "trust": "trust {}",
    "test": "test {}",
    "lint": "lint {}",
    "run": "run {}",
    "coverage": "coverage --no-runs --append {}",
}
# They take directories as well, or find a project file in one.
DIRECTORIES = {
    "render",
    "value",
    "values",
    "merge",
    "layer",
    "operations",
    "project",
    "trust",
    "test",
    "lint",
    "diff",
    "run",
    "compose",
}

# What a file of steps may read is below it, so that nothing above it is named.
CONFINED = {"compose"}
# They look a path up by its type before they read it.
LOOKED_UP = {"project", "trust", "test", "lint", "run"}


@pytest.fixture
def there(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text("a: 1\n")
    (tmp_path / "v.yml").write_text("#@data/values\n---\nx: ''\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner.yml").write_text("b: 1\n")
    (tmp_path / "loop.yml").symlink_to("loop.yml")
    return tmp_path


def _error(capsys: pytest.CaptureFixture[str], line: str) -> tuple[str, str]:
    """The code of the error of a command, and its hint."""
    status = main([*line.split(), "--message-format", "json"])
    told = capsys.readouterr().err
    assert status in (1, 2), told
    found = json.loads(told.splitlines()[0])
    return found["name"], found["hint"] or ""


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_missing_path(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert _error(capsys, COMMANDS[name].format("b.yml"))[0] == "file-not-found"
    hint = "" if name in CONFINED else 'did you mean "folder/inner.yml"?'
    assert _error(capsys, COMMANDS[name].format("foldr/inner.yml")) == ("file-not-found", hint)
    assert _error(capsys, COMMANDS[name].format("folder/iner.yml")) == (
        "file-not-found",
        'did you mean "folder/inner.yml"?',
    )
    assert _error(capsys, COMMANDS[name].format("folder/zz.yml")) == ("file-not-found", '"folder" contains "inner.yml"')
    assert _error(capsys, COMMANDS[name].format("a.yml/b.yml")) == ("file-not-found", '"a.yml" is not a directory')


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - DIRECTORIES))
def test_a_directory_in_the_place_of_a_file(capsys: pytest.CaptureFixture[str], name: str) -> None:
    hint = 'did you mean "dir:folder"?' if name == "secrets" else 'name a file in it: "inner.yml"'
    assert _error(capsys, COMMANDS[name].format("folder")) == ("not-regular-file", hint)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - LOOKED_UP))
def test_a_link_to_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = _error(capsys, COMMANDS[name].format("loop.yml"))
    assert found == ("unreadable-file", "a symbolic link in the path refers to itself")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - LOOKED_UP))
def test_a_path_without_permission(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    opened, allowed = os.open, os.access

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if os.fspath(path) == "folder/inner.yml":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: path != "folder/inner.yml" and allowed(path, mode))
    os.chmod("folder/inner.yml", 0o200)
    hint = '"folder/inner.yml" has the mode --w-------: its owner can change it with chmod u+r'
    assert _error(capsys, COMMANDS[name].format("folder/inner.yml")) == ("unreadable-file", hint)


@pytest.mark.parametrize("number", [errno.ENAMETOOLONG, errno.EMFILE, errno.EIO])
def test_other_reasons(number: int) -> None:
    error = OSError(number, os.strerror(number), "a.yml")
    found: ReadError = read_failure("a.yml", error)
    assert (found.code, found.message) == ("unreadable-file", f"cannot read a.yml: {os.strerror(number)}")
    assert (found.hint is None) == (number == errno.EIO)


@pytest.mark.usefixtures("there")
def test_names_are_told_only_where_they_may_be_read() -> None:
    folder = os.path.realpath("folder")
    with permitted(Permissions(folder, folder)):
        assert near("b.yml") is None
        assert near("folder/iner.yml") == 'did you mean "inner.yml"?'
        assert hint_for("folder/..", IsADirectoryError(errno.EISDIR, "")) is None
