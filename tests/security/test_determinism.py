"""The same bytes whatever PYTHONHASHSEED is: output, messages, and trees."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

SOURCES = pathlib.Path(__file__).parents[2] / "src"
SEEDS = ("0", "1", "42", "31337")

NAMES = ["zeta", "alpha", "Mid", "beta10", "beta9", "ä", "x-y", "_u"]

FILES = {
    "t.yml": (
        '#@ load("@ytt:data", "data")\n#@ load("@ytt:struct", "struct")\n#@ load("@ytt:json", "json")\n'
        "#@ d = {n: len(n) for n in [" + ", ".join(f'"{name}"' for name in NAMES) + "]}\n"
        "map: #@ d\nkeys: #@ d.keys()\nset: #@ sorted(list(set(d.keys())))\nunsorted: #@ list(set(d.keys()))\n"
        "json: #@ json.encode(d)\nvalues: #@ data.values\ndir: #@ dir(data)\n"
        "hash: #@ [hash(n) for n in d]\n"
    ),
    "v.yml": "#@data/values\n---\n"
    + "".join(f"{name}: {{{', '.join(f'{inner}: 1' for inner in NAMES)}}}\n" for name in NAMES),
    "o.yml": (
        "#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.all\n#@overlay/match-child-defaults missing_ok=True\n"
        "---\n" + "".join(f"{name}: new\n" for name in NAMES)
    ),
    "wrong.yml": '#@ load("@ytt:data", "data")\na: #@ data.values.zet\n',
    "p.yml": "".join(f"{name}: (({name}))\n" for name in NAMES) + "variables: []\n",
    "vars.yml": "".join(f"{name}x: {{{', '.join(f'{inner}: 1' for inner in NAMES)}}}\n" for name in NAMES),
    "ops.yml": "".join(f"- {{type: replace, path: '/{name}new?', value: {{b: 1, a: 2}}}}\n" for name in NAMES),
    "l.yml": (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a, b]}\n"
        + "".join(
            f"---\nschema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  storagePolicy: cleartext\n"
            f"  labels: {{n: {name}, all: yes}}\n  layeringDefinition: {{layer: a}}\ndata: {{k: {name}}}\n"
            f"---\nschema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: c-{name}\n  storagePolicy: encrypted\n"
            f"  layeringDefinition: {{layer: b, parentSelector: {{n: {name}}}, actions: [{{method: merge, path: .}}]}}\n"
            f"  substitutions:\n  - src: {{schema: x/Y/v1, name: {NAMES[0]}, path: .k}}\n    dest: {{path: .s}}\n"
            "data: {}\n"
            for name in NAMES
        )
    ),
}

COMMANDS = [
    "render -f t.yml -f v.yml",
    "render -f t.yml -f v.yml -f o.yml -o json",
    "render -f t.yml -f v.yml -o pos",
    "render -f wrong.yml -f v.yml",
    "render -f t.yml -f v.yml -v zet=1",
    "patch p.yml -o ops.yml -l vars.yml",
    "patch p.yml -o ops.yml -l vars.yml --var-errs --var-errs-unused",
    "layer l.yml",
    "layer l.yml --tree",
    "layer l.yml --validate --dot",
    "layer l.yml --name nobody",
    "fmt -f t.yml",
]


def outputs(seed: str, directory: pathlib.Path) -> list[tuple[int, bytes, bytes]]:
    """Of all commands, in one process a seed."""
    script = (
        "import io, sys\nfrom plait.cli import main\n"
        "for line in sys.argv[1:]:\n    sys.stdout.write(f'== {line}\\n')\n    sys.stdout.flush()\n"
        "    sys.stderr.write(f'== {line}\\n')\n    status = main(line.split())\n    sys.stderr.write(f'{status}\\n')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONHASHSEED": seed, "PLAIT_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", script, *COMMANDS], cwd=directory, env=env, capture_output=True, check=False
    )
    return [(done.returncode, out, done.stderr) for out in [done.stdout]]


@pytest.fixture
def directory(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_every_seed_gives_the_same_bytes(directory: pathlib.Path) -> None:
    first = outputs(SEEDS[0], directory)
    assert b"zeta" in first[0][1]
    assert b"Traceback" not in first[0][2]
    for seed in SEEDS[1:]:
        assert outputs(seed, directory) == first


def test_the_order_of_inputs_is_the_order_given(directory: pathlib.Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    (directory / "b.yml").write_text("b: 1\n")
    (directory / "a.yml").write_text("a: 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "plait", "render", "-f", "b.yml", "-f", "a.yml"],
        cwd=directory,
        env=env,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"b: 1\n---\na: 1\n"


CASES_RUN = """
import json, os, pathlib, sys, tempfile
sys.path[:0] = [sys.argv[1], os.path.join(sys.argv[1], "cli")]
import pytest
from test_cli_cases import CASES, read_case, run_commands
errors = sorted((pathlib.Path(sys.argv[1]) / "cases" / "errors").glob("*/*.txt"))
told = {}
for case in [*CASES, *errors][:: int(sys.argv[2])]:
    head, sections = read_case(case.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        for name, content in sections.items():
            if name not in ("stdin", "env", "stdout", "stderr", "status") and not name.startswith("> "):
                file = pathlib.Path(place, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, "utf-8")
        patch.chdir(place)
        streams = run_commands(head, sections, patch)
        # Messages name the directory of a project, which is another one in each run.
        told[case.name] = {name: text.replace(os.path.realpath(place), "DIR") for name, text in streams.items()}
sys.__stdout__.write(json.dumps(told))
"""


def test_the_project_s_own_cases(request: pytest.FixtureRequest) -> None:
    seeds = SEEDS if request.config.getoption("--long") else SEEDS[1:3]
    tests, step = pathlib.Path(__file__).parents[1], 1 if len(seeds) > 2 else 5
    first: dict[str, object] | None = None
    for seed in seeds:
        env = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONHASHSEED": seed, "PLAIT_CACHE_DIR": ""}
        done = subprocess.run(
            [sys.executable, "-c", CASES_RUN, str(tests), str(step)], env=env, capture_output=True, check=True
        )
        told = json.loads(done.stdout)
        assert len(told) > 500 // step
        if first is None:
            first = told
        assert {name: told[name] for name in told if told[name] != first[name]} == {}
