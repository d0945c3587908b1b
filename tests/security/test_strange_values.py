"""Half characters, null bytes, huge integers: an error of plait's own, whichever function or command they are given to."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING

import pytest

import plait
from plait.base.errors import PlaitError
from plait.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

HALF, NULL, HUGE = "\ud800", "a\0b", 10**5000
PASSWORD = "a: ((x))\nvariables: [{name: x, type: password}]\n"
VALUE = '#@ load("@ytt:data", "data")\na: #@ data.values.x\n'


@pytest.mark.parametrize("value", [HALF, HUGE, [HUGE], {"a": [HALF]}, {HALF: 1}, -HUGE], ids=list("012345"))
def test_data(value: plait.Plain) -> None:
    works: list[Callable[[], object]] = [
        lambda: plait.documents(value),
        lambda: plait.documents({"a": value}, value),
        lambda: plait.render({"a.yml": VALUE}, values={"x": value}),
        lambda: plait.patch({"a.yml": "a: ((x))"}, variables={"x": value}),
        lambda: plait.layer({"a.yml": "a: 1"}, secrets={"x": value}),
    ]
    for work in works:
        with pytest.raises(PlaitError) as caught:
            work()
        assert len(caught.value.report().encode()) < 2000


@pytest.mark.parametrize("path", [HALF, NULL])
def test_paths(path: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for work in (
        lambda: plait.render(path),
        lambda: plait.read(path),
        lambda: plait.layer(path),
        lambda: plait.diff(path, path),
        lambda: plait.patch(path),
        lambda: plait.patch({"a.yml": "a: 1"}, path),
        lambda: plait.patch({"a.yml": "a: 1"}, variables_files=path),
        lambda: plait.patch({"a.yml": PASSWORD}, store=path),
        lambda: plait.compose(path),
        lambda: plait.render({"a.yml": "a: 1"}, values_files=path),
    ):
        with pytest.raises(PlaitError) as caught:
            work()
        assert caught.value.report()
    assert os.listdir(tmp_path) == []


def test_texts() -> None:
    for function in (plait.render, plait.read, plait.layer, plait.patch):
        with pytest.raises(PlaitError, match="unpaired surrogate"):
            function({"a.yml": f"a: {HALF}"})


@pytest.mark.parametrize(
    "command",
    [
        "render -f {}",
        "render -f {} -o json",
        "patch {}",
        "layer {}",
        "diff {} a.yml",
        "fmt -f {}",
        "explain render -f {} a",
    ],
)
def test_integers_of_many_digits(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.yml").write_text("a: 1\n")
    pathlib.Path("big.yml").write_text(f"a: {'9' * 5000}\n")
    assert main(command.format("big.yml").split()) in (0, 1, 3)
    assert "internal error" not in capsys.readouterr().err


def test_a_line_of_many_digits(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: 1\n")
    assert main(["impact", "render", "-f", str(file), f"{file}:{'9' * 5000}"]) == 2
    assert "FILE:LINE" in capsys.readouterr().err
