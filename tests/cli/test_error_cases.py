"""The error corpus: tests/cases/errors/<dialect>/*.txt, one wrong input each, with the whole message it is answered with.

A case reads like those of tests/cli. Two comments at its head say what the message must do, and were written before it:

    # at: app.yml:3      the first line names this place ("-": there is no file to name)
    # means: replicas    this name is among the suggestions

`pytest --update` rewrites messages, never these.
"""

from __future__ import annotations

import pathlib
import re

import pytest
from test_cli_cases import read_case, run_commands, write_case

ROOT = pathlib.Path(__file__).parents[1] / "cases" / "errors"
CASES = sorted(ROOT.glob("*/*.txt"))
NOTE = re.compile(r"^# (at|means): (.*)$", re.MULTILINE)


def suggestions(message: str) -> list[str]:
    """The names that a message suggests, in order."""
    found: list[str] = []
    for group in re.findall(r"did you mean (.*?)\?", message):
        quoted = re.findall(r'"([^"]*)"', group)
        found += [name.lstrip("-") for name in quoted] or [name.lstrip(".") for name in re.split(r", | or ", group)]
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_error_case(
    path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, update: str | None
) -> None:
    head, sections = read_case(path.read_text("utf-8"))
    notes = dict(NOTE.findall(head))
    for name, content in sections.items():
        if name not in ("stdin", "env", "stderr", "status"):
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        got = run_commands(head, sections, patch)
    # What is only warned of is printed all the same.
    assert got["stdout"] == "" or not got["status"]
    wanted = {name: sections.get(name, "") for name in ("stderr", "status")}
    shown = {name: got[name] for name in wanted}
    if update == "write" and shown != wanted:
        for name in wanted:
            sections.pop(name, None)
        path.write_text(write_case(head, sections | shown), "utf-8")
    else:
        assert shown == wanted
    message = got["stderr"]
    assert message.startswith("plait: ")
    assert "internal error" not in message
    assert "Traceback" not in message
    at = notes["at"]
    if at != "-":
        assert places(message)[:1] == [at], message
    assert got["status"] == "" or says_how_to_fix(message), message
    if "means" in notes:
        assert notes["means"] in suggestions(message)[:3], message


def says_how_to_fix(message: str) -> bool:
    """True if an error has a hint, or at least the form that is expected."""
    return (
        any(f"\n  {word}: " in message for word in ("hint", "expected"))
        or bool(suggestions(message))
        or "(use parens)" in message
    )


def places(message: str) -> list[str]:
    """The places that a message is about: that of its first line, or those of its findings."""
    found = []
    for line in message.splitlines():
        match = re.match(r"(?:plait: )?(?:warning: )?([^\s:]+:\d+): ", line)
        if match:
            found.append(match[1])
    return found


def test_there_are_many() -> None:
    assert len(CASES) >= 300
    assert {path.parent.name for path in CASES} >= {
        "flags", "layer", "libraries", "modules", "overlays", "patch", "render", "schema", "starlark", "values", "yaml",
    }  # fmt: skip
