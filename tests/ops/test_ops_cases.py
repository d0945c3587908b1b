"""Operations files and variables, each case as one command line: given files, flags, and the printed output.

A case file is a list of cases: `base` is the template (base.yml), `ops` an operations file (ops.yml), `files` others,
`flags` what follows on the command line, `env` the environment; `out` and `error` are all that is printed, and an error
goes with status 1; in its place a `warning` goes with status 0. `lines` are the lines of the checklist that a case shows;
docs/compatibility/bosh.md is compared with them.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from files import write_files
from plait.cli import main

ROOT = Path(__file__).parents[1]
LINES = 222


def found() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}/{case['name']}")
        for path in sorted((ROOT / "cases" / "ops").glob("*.yml"))
        for case in yaml.safe_load(path.read_text("utf-8"))
    ]


CASES = found()


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict(case.get("files", {}))
    if "base" in case:
        files["base.yml"] = case["base"]
    if "ops" in case:
        files["ops.yml"] = case["ops"]
    write_files(tmp_path, files)
    argv = case.get("argv")
    if argv is None:
        argv = ["-"] if case.get("stdin") else ["base.yml"] if "base" in case else []
        argv += ["-o", "ops.yml"] if "ops" in case else []
        argv += case.get("flags", [])
    monkeypatch.chdir(tmp_path)
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    given = io.TextIOWrapper(io.BytesIO(case["base"].encode() if case.get("stdin") else b""))
    out, error = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    monkeypatch.setattr(sys, "stdin", given)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", error)
    status = main(["patch", *argv])
    out.flush()
    printed = out.buffer.getvalue().decode()
    assert (printed, error.getvalue()) == (case.get("out", ""), case.get("error", case.get("warning", "")))
    assert status == case.get("status", 1 if "error" in case else 0)
    assert not (tmp_path / "none.yml").exists()


def test_documentation_names_a_test_for_every_line_of_the_checklist() -> None:
    shown: dict[int, list[str]] = {}
    for param in CASES:
        for line in param.values[0].get("lines", []):
            shown.setdefault(line, []).append(param.id)
    table = (ROOT.parent / "docs" / "compatibility" / "bosh.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| .*? \| `(.+)` \|$", table, re.MULTILINE))
    assert sorted(map(int, rows)) == list(range(1, LINES + 1))
    for line, test in rows.items():
        if "::" in test:
            file, function = test.split("::")
            assert f"def {function}(" in (ROOT / file).read_text("utf-8")
        else:
            assert test in shown[int(line)]
