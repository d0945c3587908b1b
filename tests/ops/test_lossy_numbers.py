"""Numbers of templates and flags that are printed with other digits."""

from __future__ import annotations

import pathlib

import pytest

from plait.cli import main


@pytest.mark.parametrize(
    "line", ["version: 1.10", "  - version: 621.100", "apiVersion: 0.20 # why", "tool_version: 12.050"]
)
def test_versions_that_lose_a_digit(line: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.yml"
    file.write_text(f"a:\n{line if line.startswith(' ') else '  ' + line}\n", "utf-8")
    assert main(["patch", str(file)]) == 0
    assert f"m.yml:2: {line.strip(' -').partition(' #')[0]} is the number " in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        'version: "1.10"',
        "version: 1.0",
        "version: 2.00",
        "version: 1.11",
        "version: 10",
        "version: 1.2.10",
        "version: 1.10.0",
        "ratio: 1.10",
        "text: |\n  version: 1.10",
        "# version: 1.10",
        "versions: [1.10]",
        "version: ((v))",
    ],
)
def test_other_values(text: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.yml"
    file.write_text(text + "\n", "utf-8")
    assert main(["patch", str(file)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("given", ["tag=1.10", "version=010", "pin=0123", "n=1e3", "n=1_000"])
def test_numbers_of_flags(given: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, text = given.partition("=")
    file = tmp_path / "m.yml"
    file.write_text(f"a: (({name}))\n", "utf-8")
    assert main(["patch", str(file), "-v", given]) == 0
    told = capsys.readouterr()
    assert f"-v {name}=... is a number, and is printed with digits that differ" in told.err
    assert main(["patch", str(file), "-v", f'{name}="{text}"']) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert text in told.out


@pytest.mark.parametrize("given", ["n=16", "n=-1", "n=1.5", "n=0x10"])
def test_numbers_that_are_printed_as_meant(
    given: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.yml").write_text("a: ((n))\n", "utf-8")
    assert main(["patch", str(tmp_path / "m.yml"), "-v", given]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("given", ["n=1", "n=-5", "n=1.5", "ratio=1.10", "n=true", "n=x"])
def test_other_values_of_flags(given: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.yml"
    file.write_text(f"a: (({given.partition('=')[0]}))\n", "utf-8")
    assert main(["patch", str(file), "-v", given]) == 0
    assert capsys.readouterr().err == ""
