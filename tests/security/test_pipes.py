"""A pipe that nobody writes to is not waited for, if a directory or a project has it and the user did not type its name."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from plait.cli import COMMANDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")

# Pipes in the place of files that commands look for by themselves.
PIPES = (
    "plait.yml",
    "config/pipe.yml",
    "config/pipe.star",
    "tests/a.test.yml",
    "tests/b_test.star",
    "Makefile",
    "build.sh",
    "package.json",
    ".github/workflows/ci.yml",
)
FILES = {
    "config/a.yml": "a: 1\n",
    "base.yml": "a: 1\n",
    "named.yml": """\
runs:
  base: {patch: {base: config/pipe.yml}}
  ops: {patch: {base: base.yml, ops: [config/pipe.yml]}}
  variables: {patch: {base: base.yml, vars-files: [config/pipe.yml]}}
  store: {patch: {base: base.yml, vars-store: config/pipe.yml}}
  values: {render: {files: [base.yml], data-values-file: [config/pipe.yml]}}
  schema: {render: {files: [base.yml], schema: config/pipe.yml}}
  checked: {render: {files: [base.yml], check-output: [config/pipe.yml]}}
  secret: {render: {files: [base.yml], secrets: ["file:config/pipe.yml"]}}
  secrets: {render: {files: [base.yml], secrets: ["a=dir:config"]}}
  layers: {layer: {files: [config]}}
  steps: {compose: {file: config/pipe.yml}}
""",
    "matrix.yml": "runs: {a: {matrix: {environments: config/pipe.yml}, render: {files: [base.yml]}}}\n",
}
# Each command that reads a directory, a project, or what it finds by itself. "": a command that reads neither.
LINES: dict[str, tuple[str, ...]] = {
    "render": ("render -f config", "render -f base.yml --check-output config", "render -f base.yml --merge-schemas config"),
    "patch": ("patch base.yml -o config",),
    "layer": ("layer config",),
    "fmt": ("fmt --check config", "fmt -w .", "render fmt -f config"),
    "compose": (),
    "diff": (),
    "explain": ("explain a", "explain render -f config a"),
    "impact": ("impact base.yml:1", "impact render -f config config/a.yml:1"),
    "run": ("run", *(f"run --project named.yml {name}" for name in (
        "base", "ops", "variables", "store", "values", "schema", "checked", "secret", "secrets", "layers", "steps"
    )), "run --project matrix.yml a"),
    "project": ("project", "project --project matrix.yml"),
    "set": ("set a=1", "set render -f config a=1"),
    "lint": ("lint", "lint config", "lint --project named.yml"),
    "test": ("test", "test tests", "test --update"),
    "coverage": ("coverage", "coverage --project named.yml"),
    "fleet": ("fleet", "fleet named.yml", "fleet matrix.yml", "fleet why a"),
    "trust": ("trust .", "trust named.yml"),
    "serve": ("serve documents config",),
    "init": ("init config",),
    "krm": (),
    "completion": (),
    "lsp": (),
    "shims": ("shims config",),
    "website": (),
}  # fmt: skip


def test_every_command_has_an_entry() -> None:
    assert LINES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("line", [line for lines in LINES.values() for line in lines])
def test_a_pipe_that_is_found_is_not_waited_for(line: str, tmp_path: pathlib.Path) -> None:
    if line.startswith("serve"):
        pytest.importorskip("sqlalchemy")
    place = tmp_path / "checkout"
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for name in PIPES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(place / name)
    done = subprocess.run(
        [sys.executable, "-m", "plait", *line.split()],
        cwd=place,
        env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "PLAIT_CACHE_DIR": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
