"""A pipe that nobody writes to is not waited for, if a directory or a project has it and the user did not type its name."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

from patience import LONGEST
from plait.authoring.project.settings import options_of
from plait.base import content
from plait.base.permissions import READ
from plait.cli import COMMANDS, main
from plait.engine import DIALECTS
from plait.engine.options import LISTS

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
    "origin": ("origin base.yml", "origin render -f config base.yml"),
    "reduce": ("reduce --output a=1", "reduce --output a=1 render -f config"),
    "run": ("run", *(f"run --project named.yml {name}" for name in (
        "base", "ops", "variables", "store", "values", "schema", "checked", "secret", "secrets", "layers", "steps"
    )), "run --project matrix.yml a"),
    "project": ("project", "project --project matrix.yml"),
    "set": ("set a=1", "set render -f config a=1"),
    "lint": ("lint", "lint config", "lint --project named.yml"),
    "test": ("test", "test tests", "test --update"),
    "coverage": ("coverage", "coverage --project named.yml"),
    "log": ("log a",),
    "blame": ("blame",),
    "review": ("review HEAD",),
    "fleet": ("fleet", "fleet named.yml", "fleet matrix.yml", "fleet why a"),
    "trust": ("trust .", "trust named.yml"),
    "serve": ("serve documents config",),
    "init": ("init config",),
    "schema": ("schema export config", "schema export base.yml"),
    "ci": ("ci init github --yes", "ci init gitlab --project named.yml"),
    "krm": (),
    "completion": (),
    "lsp": (),
    "mcp": ("mcp", "mcp config"),
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
        timeout=LONGEST,
    )
    assert "Traceback" not in done.stderr


def readable() -> list[tuple[str, str]]:
    """The settings of runs that name files to read, each with its command."""
    found = []
    for command in DIALECTS:
        for name, option in options_of(command).items():
            if option.path is not None and option.path.access == READ:
                found.append((command, name))
    return found


@pytest.mark.parametrize(("command", "name"), readable())
def test_a_project_file_does_not_name_standard_input(
    command: str,
    name: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is what the user pipes in, or the editor's protocol."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(content, "standard_input", lambda: pytest.fail("standard input was read"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "a.yml").write_text("a: 1\n")
    option = options_of(command)[name]
    assert option.path is not None
    forms = ("file:-",) if option.path.is_source else ("-", "name=-")
    text = next(one for one in forms if option.path.path(one) == "-")
    values = {name: [text] if option.kind in LISTS else text}
    (tmp_path / "plait.yml").write_text(json.dumps({"runs": {"app": {command: values}}}))
    for line in (["run", "app"], ["explain", "run", "app", "a"], ["lint"], ["coverage"], ["fleet"]):
        assert main(line) != 0, line
        told = "".join(capsys.readouterr())
        assert "Traceback" not in told
    assert main(["run", "app"]) != 0
    assert "plait.yml:1" in capsys.readouterr().err


def test_what_is_typed_is_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n")
    (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [a.yml]}}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "plait", "run", "app", "-f", "-"],
        cwd=tmp_path,
        input="b: 2\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST,
    )
    assert done.stdout == "a: 1\n---\nb: 2\n"
