"""Answers for programs: every command that answers a question has them, in one shape for places, values and lines."""

from __future__ import annotations

import json
import pathlib
import subprocess

import pytest

from plait.cli import COMMANDS, main
from plait.cli.commands import node_of

# Each question, with the keys of its entries beside those that all questions share.
QUESTIONS: dict[str, tuple[list[str], set[str]]] = {
    "explain": (["run", "app/a", "Role/r:size"], {"history", "presence"}),
    "impact": (["run", "app/a", "config/app.yml:4"], set()),
    "origin": (
        ["run", "app/a", "report.txt"],
        {"result", "level", "tool", "rule", "message", "reported", "also"},
    ),
    "diff": (["config/app.yml", "other.yml"], {"change", "before", "after"}),
    "lint": ([], {"code", "name", "family", "level", "column", "end", "message", "hint", "also", "runs", "fix"}),
    "fleet why": (["Role/r:size"], {"run"}),
    "fleet diff": ([], {"kind", "axes", "values"}),
    "fleet impact": (["config/app.yml:4"], {"runs", "values"}),
    "fleet impact --since": (["HEAD"], {"runs", "values", "change", "files", "message", "diagnostics"}),
}
# They print documents, list what a project has, or one object (tests/review).
OTHERS = {"blame", "log", "review", "render", "patch", "layer", "compose", "run", "project", "fleet"}
PLACE = {"document", "path"}
SHARED = {*PLACE, "index", "value", "place", "file", "line"}


def asks(words: str) -> bool:
    """True if a command has `-o json`."""
    node = node_of(words)
    return any(flag.name == "output" and "json" in flag.choices for flag in node.command.flags)


def test_every_question_is_known() -> None:
    names = {name for name in COMMANDS if asks(name)}
    names |= {f"fleet {name}" for name, node in node_of("fleet").children.items() if "output" in
              {flag.name for flag in node.command.flags}}  # fmt: skip
    # A flag that replaces the question has an answer of its own.
    assert names - OTHERS == {name for name in QUESTIONS if " --" not in name}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_have_one_shape(
    question: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "config/app.yml": '#@ load("@ytt:data", "data")\nkind: Role\nmetadata: {name: r}\nsize: #@ data.values.size\n#@ x = 1\n',
        "config/values.yml": "#@data/values\n---\nsize: 0\n",
        "report.txt": "out.yml:4:7: error: too small\n",
        "other.yml": "kind: Role\nmetadata: {name: r}\nsize: 2\n",
        "plait.yml": 'runs: {app: {matrix: {axes: {env: [a, b]}}, render: {files: config, data-value: "size={env}"}}}\n',
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    if "--since" in question:
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "1"],
        ):
            subprocess.run(["git", *words], check=True)
        (tmp_path / "config/app.yml").write_text(files["config/app.yml"].replace("size: #@", "length: #@"), "utf-8")
    words, own = QUESTIONS[question]
    name, flag, _ = question.partition(" --since")
    main([*name.split(), "-o", "json", *filter(None, [flag.strip()]), *words])
    found = json.loads(capsysbinary.readouterr().out)
    assert found
    for entry in found:
        assert set(entry) <= SHARED | own, entry
        if question == "lint":
            assert isinstance(entry["file"], str)
            assert isinstance(entry["line"], int)
        elif name == "fleet impact":
            assert all(set(one) == PLACE for one in entry["values"])
        else:
            assert set(entry) >= PLACE
        for one in (entry, *entry.get("history", ()), *entry.get("values", ())):
            assert ("file" in one) == ("line" in one)
