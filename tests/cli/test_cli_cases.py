"""Command lines as a user types them: tests/cli/*.txtar.

A case starts with comments (`#`) and command lines (`plait ...`, `ytt ...`, `bosh ...`), which run in turn in a fresh directory made of the
sections below them, `-- path --` and its content. Sections with a meaning of their own:

    -- stdin --      given to every command
    -- env --        NAME=value lines
    -- stdout --     what all commands print together; empty unless said
    -- stderr --     likewise
    -- status --     of the last command; 0 unless said
    -- > path --     a file that is there afterwards, with its content; `-- > path absent --`: that is not

`pytest --update` rewrites stdout, stderr and status.
"""

from __future__ import annotations

import difflib
import io
import os
import pathlib
import re
import shlex
import sys

import pytest

from plait.cli import PLAIT, PROGRAMS, main

CASES = sorted((pathlib.Path(__file__).parents[1] / "cli").glob("*.txtar"))
SECTION = re.compile(r"^-- (.+) --\n", re.MULTILINE)
EXPECTATIONS = ("stdout", "stderr", "status")


def read_case(text: str) -> tuple[str, dict[str, str]]:
    head, *rest = SECTION.split(text)
    return head, dict(zip(rest[::2], rest[1::2], strict=True))


def write_case(head: str, sections: dict[str, str]) -> str:
    return head + "".join(f"-- {name} --\n{content}" for name, content in sections.items())


class Streams:
    """Standard streams of bytes, as a process has them."""

    def __init__(self, stdin: str) -> None:
        self.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        self.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        self.stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)

    @staticmethod
    def text(stream: io.TextIOWrapper) -> str:
        stream.flush()
        buffer = stream.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("utf-8", "backslashreplace")


def run_commands(head: str, sections: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    status = 0
    out: dict[str, str] = {"stdout": "", "stderr": ""}
    for line in sections.get("env", "").splitlines():
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value)
    for line in head.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        program, *argv = shlex.split(line)
        assert program in (PLAIT, *PROGRAMS), line
        streams = Streams(sections.get("stdin", ""))
        for name in ("stdin", "stdout", "stderr"):
            monkeypatch.setattr(sys, name, getattr(streams, name))
        status = main(argv, program)
        out["stdout"] += streams.text(streams.stdout)
        out["stderr"] += streams.text(streams.stderr)
    return {**out, "status": f"{status}\n" if status else ""}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cli_case(
    path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, update: str | None
) -> None:
    head, sections = read_case(path.read_text("utf-8"))
    for name, content in sections.items():
        if name not in ("stdin", "env", *EXPECTATIONS) and not name.startswith("> "):
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")
    (tmp_path / ".git").mkdir()  # projects are checkouts
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        got = run_commands(head, sections, patch)
    # The last line of a section ends in a line break that the text itself may not have: `-o json` prints none.
    wanted = {name: sections.get(name, "") for name in EXPECTATIONS}
    shown = {name: text if not text or text.endswith("\n") else f"{text}\n" for name, text in got.items()}
    if update and shown != wanted:
        for name in EXPECTATIONS:
            sections.pop(name, None)
        new = write_case(head, sections | {name: text for name, text in shown.items() if text})
        if update == "write":
            path.write_text(new, "utf-8")
        else:
            old = path.read_text("utf-8").splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new.splitlines(keepends=True), path.name, "new"))
        return
    assert shown == wanted
    for name, content in sections.items():
        if name.startswith("> "):
            place, _, absent = name[2:].partition(" ")
            assert absent in ("", "absent")
            if absent:
                assert not os.path.lexists(place)
            else:
                assert pathlib.Path(place).read_text("utf-8") == content


def test_there_are_cases() -> None:
    assert len(CASES) > 20
