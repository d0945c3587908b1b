"""Every command where no extra is installed: `python tests/bare.py [PYTHON]`, with the interpreter of such an installation.

A command may say that an extra is missing; an internal error (status 70), and a traceback, are mistakes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

RUN = "from plait.cli import run; run()"
LINES = {
    "render": ["-f", "a.yml"],
    "patch": ["a.yml"],
    "layer": ["layers.yml"],
    "fmt": ["a.yml"],
    "init": ["new"],
    "ci": ["init", "github", "--dry-run"],
    "schema": ["import", "schema.json"],
    "krm": [],
    "completion": ["bash"],
    "shims": ["bin"],
    "compose": ["plait.yml"],
    "diff": ["a.yml", "b.yml"],
    "explain": ["render", "-f", "a.yml", "a"],
    "impact": ["render", "-f", "a.yml", "a.yml:1"],
    "origin": ["render", "-f", "a.yml", "report.txt"],
    "reduce": ["--output", "a=1", "render", "-f", "a.yml"],
    "run": ["one"],
    "project": [],
    "trust": [],
    "set": ["render", "-f", "a.yml", "a=2"],
    "lint": [],
    "test": [],
    "coverage": [],
    "fleet": ["-j", "1"],
    "log": ["a"],
    "blame": [],
    "review": ["HEAD"],
    "serve": ["--check", "--port", "0"],
    "lsp": [],
    "mcp": [],
    "website": ["--listen-addr", "nowhere:0"],
}
MORE = [
    ["render", "-f", "a.yml", "--watch"],
    ["lint", "--watch"],
    ["fleet", "--dask", "tcp://127.0.0.1:1"],
    ["fleet", "--output", "memory://out"],
    ["serve", "--check", "--port", "0", "--database", "postgresql://127.0.0.1:1/x"],
    ["serve", "new-key"],
    ["serve", "status"],
    ["serve", "--telemetry", "--port", "0"],
    ["render", "-f", "a.yml", "--check-output", "schema.json"],
    ["render", "-f", "a.yml", "--debug"],
    ["render", "-f", "nothing.yml", "--debug"],
]
FILES = {
    "a.yml": "a: 1\n",
    "report.txt": "out.yml:1: wrong\n",
    "b.yml": "a: 2\n",
    "plait.yml": "runs:\n  one:\n    render: {files: [a.yml]}\n",
    "schema.json": "{}\n",
    "one.test.yml": "tests:\n  one:\n    run: one\n",
    "layers.yml": "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: o}\n"
    "data: {layerOrder: [site]}\n",
}


def failures(python: str) -> list[str]:
    """The command lines that end by an internal error."""
    from plait.cli import COMMANDS

    assert set(LINES) == set(COMMANDS)
    lines = [[name, *words] for name, words in LINES.items()] + [[name, "--help"] for name in LINES] + MORE
    lines += [[name, "--help", "--debug"] for name in LINES]
    found = []
    for line in lines:
        with tempfile.TemporaryDirectory() as place:
            for name, text in FILES.items():
                Path(place, name).write_text(text, "utf-8")
            done = subprocess.run(
                [python, "-c", RUN, *line],
                cwd=place,
                input="",
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            if done.returncode == 70 or "Traceback" in done.stderr or "--debug" in done.stderr:
                found.append(f"plait {' '.join(line)}: status {done.returncode}\n{done.stderr}")
    return found


if __name__ == "__main__":
    wrong = failures(sys.argv[1] if len(sys.argv) > 1 else sys.executable)
    print("\n".join(wrong) or "no internal error")
    sys.exit(1 if wrong else 0)
