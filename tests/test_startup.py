"""The command line starts quickly because it imports little; what it may import is listed here."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from importlib.util import find_spec

import pytest

import bare
from plait.base.fast_paths import FAST
from plait.cli import COMMANDS

# What a render may load of other packages besides what a bare interpreter has: libyaml's binding (which brings what
# Cython needs) and the small parts of the standard library.
RENDER_MAY_LOAD = {
    "__future__",
    "_ast",
    "_bisect",
    "_blake2",
    "_contextvars",
    "_operator",
    "bisect",
    "cython_runtime",
    "gc",
    "itertools",
    "resource",
    "time",
}

# What a small run of a command may load of plait once its template is compiled: modules, and the sizes of their sources.
# A run takes 3 to 4 milliseconds for 500 kB of them, and that is what a small run mostly does. Raise a number only for
# what every run needs; what some runs need is imported where they need it.
MOST_LOADED = {
    "render": (56, 447_900),
    "patch": (48, 394_600),
    "run": (77, 599_500),
    "version": (5, 21_400),
    "--help": (25, 177_900),
}

# The same for command lines that fail, with their exit status.
MOST_LOADED_TO_FAIL = {
    "invalid YAML": (["render", "-f", "bad.yml"], 1, (65, 503_500)),
    "undefined name": (["render", "-f", "undefined.yml"], 1, (111, 841_200)),
    "unknown flag": (["render", "--fil", "a.yml"], 1, (25, 196_200)),
    "unknown command": (["rendr"], 2, (12, 84_500)),
    "missing file": (["render", "-f", "missing.yml"], 1, (30, 222_500)),
}

# Parts of plait that a render needs only when something asks for them.
RENDER_MUST_NOT_LOAD = {
    "plait.layering",
    "plait.ops",
    "plait.ytt.overlay",
    "plait.ytt.workspace.file_marks",
    "plait.ytt.workspace.values_flags",
    "plait.yaml.fmt",
    "plait.yaml.json",
    "plait.yaml.position_listing",
}


def modules_after(argv: list[str], status: int = 0) -> set[str]:
    """What a process has loaded after one command line, less what the bare interpreter has. status: that of its exit."""
    program = (
        "import atexit, sys; before = {*sys.modules}; from plait.cli import run; atexit.register("
        "lambda: sys.stderr.write('\\n' + '\\n'.join(['LOADED', *sorted({*sys.modules} - before)]))); run()"
    )
    done = subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return {*done.stderr.rpartition("\nLOADED\n")[2].splitlines()}


def test_version_loads_the_command_line_alone() -> None:
    assert modules_after(["version"]) == {
        "__future__",
        "_contextvars",
        "gc",
        "plait",
        "plait.base",
        "plait.cli",
        "plait.cli.streams",
        "plait.base.version",
    }


@pytest.mark.parametrize("text", ["a: 1\n", "#@ x = 1\na: #@ x\n"], ids=["plain", "template"])
def test_a_render_loads_little(text: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text(text, "utf-8")
    loaded = modules_after(["render", "-f", str(file)])
    foreign = {name for name in loaded if name.partition(".")[0] not in ("plait", "yaml") and "_cython_" not in name}
    assert foreign - RENDER_MAY_LOAD == set()
    assert loaded & RENDER_MUST_NOT_LOAD == set()
    assert ("plait.ytt.starlark" in loaded) is ("#@" in text)


@pytest.mark.skipif(not FAST, reason="the plain rules are other modules")
@pytest.mark.parametrize("command", MOST_LOADED)
def test_a_small_run_loads_so_much_of_plait_at_most(command: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("#@ x = 1\na: #@ x\n", "utf-8")
    (tmp_path / "base.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "ops.yml").write_text("- type: replace\n  path: /a\n  value: 2\n", "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {a: {render: {files: [a.yml]}}}\n", "utf-8")
    arguments = {
        "render": ["-f", f"{tmp_path}/a.yml"],
        "patch": [f"{tmp_path}/base.yml", "-o", f"{tmp_path}/ops.yml"],
        "run": ["--project", f"{tmp_path}/plait.yml"],
        "version": [],
        "--help": [],
    }[command]
    check_size([command, *arguments], 0, MOST_LOADED[command])


@pytest.mark.skipif(not FAST, reason="the plain rules are other modules")
@pytest.mark.parametrize("case", MOST_LOADED_TO_FAIL)
def test_a_small_failure_loads_so_much_of_plait_at_most(
    case: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("bad.yml").write_text("a: [1\nb: 2\n", "utf-8")
    pathlib.Path("undefined.yml").write_text("#@ replicas = 1\na: #@ replica\n", "utf-8")
    argv, status, most = MOST_LOADED_TO_FAIL[case]
    check_size(argv, status, most)


def check_size(argv: list[str], status: int, most: tuple[int, int]) -> None:
    """Compares the number and the size of the modules that a second run loads with a limit."""
    modules_after(argv, status)
    names = {name for name in modules_after(argv, status) if name.partition(".")[0] == "plait"}
    specs = [spec for name in names if (spec := find_spec(name)) is not None]
    found = len(names), sum(pathlib.Path(spec.origin or "").stat().st_size for spec in specs)
    assert found[0] <= most[0], found
    assert found[1] <= most[1], found
    # The numbers follow what is loaded, or they would allow much more than there is.
    assert found[1] > 0.9 * most[1]


def test_a_run_of_a_project_loads_no_more_of_python(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # where no decision about a project is stored
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {a: {render: {files: [a.yml]}}}\n", "utf-8")
    loaded = modules_after(["run", "--project", str(tmp_path / "plait.yml")])
    assert not loaded & {"re", "typing", "enum", "collections", "dataclasses", "json", "hashlib"}
    assert not loaded & {"plait.engine.patch", "plait.engine.layer", "plait.layering", "plait.ops"}


def test_overlays_and_data_values_load_no_more_of_python(tmp_path: pathlib.Path) -> None:
    texts = {
        "a.yml": "a: 1\n",
        "o.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all, expects="1+"\n---\na: 2\n',
        "s.yml": "#@data/values-schema\n---\nx: 1\n",
        "t.yml": '#@ load("@ytt:data", "data")\na: #@ data.values.x\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    # Once to compile the templates, which takes more.
    render = ["render", "-f", str(tmp_path)]
    modules_after(render)
    loaded = modules_after(render)
    assert not loaded & {"re", "typing", "enum", "collections", "dataclasses", "json"}


def test_the_second_render_of_a_template_loads_neither_reader_nor_compiler(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("#@ x = 1\na: #@ x\nb: of the second render\n", "utf-8")
    modules_after(["render", "-f", str(file)])
    loaded = modules_after(["render", "-f", str(file)])
    compiling = {
        "plait.ytt.starlark.lower",
        "plait.ytt.starlark.optimize",
        "plait.ytt.starlark.program_parts",
        "plait.ytt.templates.directives",
        "plait.ytt.templates.compiler",
    }
    assert (
        loaded
        & (compiling | {"plait.yaml.reader", "plait.base.similar_names", "plait.ytt.workspace.library_references"})
        == set()
    )


@pytest.mark.skipif(not FAST, reason="the optimizer leaves out what is called")
def test_a_template_of_values_alone_loads_no_library_of_the_language(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("#@ x = 1\na: #@ x + 1 if x > 0 else -x\nb: values alone\n", "utf-8")
    modules_after(["render", "-f", str(file)])
    of_the_language = {
        f"plait.ytt.starlark.{name}" for name in ("builtins", "containers", "display", "runtime", "structs")
    }
    assert (
        modules_after(["render", "-f", str(file)])
        & {*of_the_language, "plait.tree.deferred_values", "plait.ytt.yaml_fragments"}
        == set()
    )


def test_errors_of_such_a_template_are_as_ever(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("#@ x = 1\na: #@ x + 'text'\nb: values alone\n", "utf-8")
    command = [sys.executable, "-m", "plait", "render", "-f", str(file)]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=False) for _ in range(2))
    assert "unknown binary op: int + string" in first.stderr
    assert (second.returncode, second.stderr) == (first.returncode, first.stderr)


@pytest.mark.parametrize("source", ["file:secrets.yml", "pw=file:secrets.yml", "dir:secrets"])
def test_secrets_of_files_need_no_other_program(
    source: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.yml").write_text("#@data/values-schema\n---\npw: ''\n", "utf-8")
    pathlib.Path("secrets.yml").write_text("pw: x\n" if source.startswith("file") else "x\n", "utf-8")
    pathlib.Path("secrets").mkdir()
    pathlib.Path("secrets", "pw").write_text("x", "utf-8")
    assert "subprocess" not in modules_after(["render", "-f", "a.yml", "--secrets", source])


@pytest.mark.parametrize("command", ["test", "lint"])
def test_projects_without_overlays_load_none(
    command: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("plait.yml").write_text("runs: {r: {render: {files: [a.yml]}}}\n", "utf-8")
    pathlib.Path("a.yml").write_text("#@ x = 1\na: #@ x\n", "utf-8")
    pathlib.Path("x.test.yml").write_text("tests: {t: {run: r, equals: {a: 1}}}\n", "utf-8")
    assert "plait.ytt.overlay.application" not in modules_after([command])


def test_two_files_are_compared_without_projects_and_overlays(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yml", "b.yml"):
        pathlib.Path(name).write_text(f"a: {name}\n", "utf-8")
    loaded = modules_after(["diff", "a.yml", "b.yml"])
    assert loaded & {"plait.authoring", "plait.insight.overlays", "difflib"} == set()


def test_the_check_of_a_bare_installation_has_every_command() -> None:
    assert set(bare.LINES) == set(COMMANDS)
