"""What a secret decides is told by nothing: calls of functions, items that are there, libraries, lines and warnings.

Each program runs with two secrets, with and without a record. Where it ends in the same way, it says the same: lines of
`print`, warnings, errors, and the history of every value of its output.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import decisions
import plait
from plait.cli import main
from plait.ytt.starlark.table.universal import UNIVERSAL

FIRST, SECOND = "hunter2Kestrel", "qqq"


def said(files: dict[str, str], secret: str, *, trace: bool) -> tuple[str, list[str]]:
    """How a run ends, and all that it says besides its output."""
    try:
        made = plait.render(files, values={"user": "app"}, secrets={"pw": secret}, trace=trace)
    except plait.PlaitError as error:
        texts = [f"{name}: {value}" for name, value in sorted(vars(error).items()) if isinstance(value, str)]
        return "failed", [error.report(), str(error), repr(error), *texts]
    told = [f"{one.path} {one}" for one in plait.explain(made)] if trace else []
    return "made", [*made.printed, *made.warnings, *told]


@pytest.mark.parametrize("name", decisions.PROGRAMS)
@pytest.mark.parametrize("trace", [False, True], ids=["", "trace"])
def test_nothing_tells_of_a_decision(name: str, trace: bool) -> None:
    files = decisions.PROGRAMS[name]
    end, first = said(files, FIRST, trace=trace)
    other_end, second = said(files, SECOND, trace=trace)
    if end == other_end:
        assert first == second
    assert not any(FIRST[1:-1].lower() in line.lower() for line in first)


def test_most_programs_end_in_the_same_way() -> None:
    """The test above compares something."""
    same = [
        said(files, FIRST, trace=False)[0] == said(files, SECOND, trace=False)[0] == "made"
        for files in decisions.PROGRAMS.values()
    ]
    assert len(same) >= 120
    assert sum(same) > len(same) * 0.8


def test_the_decisions_are_seen_in_the_output() -> None:
    """Programs with decisions about what is there differ in their output, and nowhere else."""
    for name in ("a key", "a document", "items of a loop", "a map that is chosen", "a library"):
        made = [
            plait.render(decisions.PROGRAMS[name], values={"user": "app"}, secrets={"pw": one})
            for one in (FIRST, SECOND)
        ]
        assert made[0].to_yaml() != made[1].to_yaml(), name


def test_what_no_secret_decides_is_still_shown() -> None:
    files = {
        **decisions.LIBRARIES,
        "a.yml": decisions.HEAD
        + '#@ def f(l, r):\n#@   print("via", l)\n#@   return r + 1\n#@ end\n'
        + "#@ def left():\na: 1\n#@ end\n#@ def right():\n#@overlay/replace via=f\na: 2\n#@ end\n"
        + "key: #@ overlay.apply(left(), right())\n"
        + '#@ l = library.get("given").with_data_values({"pw": pw, "u": 7})\n'
        + "value: #@ l.data_values().u\n--- #@ template.replace(l.eval())\n",
    }
    end, lines = said(files, FIRST, trace=True)
    assert end == "made"
    assert "via 1" in lines
    assert "in given" in lines
    text = "\n".join(lines)
    assert "key.a: 3" in text
    assert "value: 7" in text
    assert "u: 7" in text


# Where the code of plait calls functions of programs: (module, function).
CALLERS = {
    ("ytt/modules/assert_.py", "_try_to"),
    ("ytt/modules/regexp.py", "replacement"),
    ("ytt/modules/struct.py", "result"),
    ("ytt/overlay/callbacks.py", "asked"),
    ("ytt/overlay/tracing.py", "ask"),
    ("ytt/overlay/application.py", "ask"),
    ("ytt/overlay/secrecy.py", "ask"),
    ("ytt/overlay/points.py", "ask"),
    ("ytt/overlay/expectations.py", "_check"),
    ("ytt/schema/validations.py", "_broken"),
    ("ytt/schema/validations.py", "_applies"),
    ("ytt/templates/build.py", "defer"),  # a data value that refers to others
    ("authoring/testing/functions.py", "_call"),  # after the run
}


def test_every_caller_of_functions_is_known() -> None:
    """A new one may call a function as often as a secret says: see `Flows.result`, and write a program that tries it."""
    import ast

    top = Path(inspect.getfile(plait)).parent
    found = set()
    for path in sorted(top.rglob("*.py")):
        text = path.read_text("utf-8")
        if "call" not in text:
            continue
        tree = ast.parse(text)
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module in ("plait.ytt.starlark", "plait.ytt.starlark.calls")
            for alias in node.names
        }
        if "call" not in imported:
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                inner = [one for one in ast.walk(function) if isinstance(one, ast.FunctionDef) and one is not function]
                own = {id(node) for one in inner for node in ast.walk(one)}
                if any(
                    isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "call"
                    for node in ast.walk(function)
                    if id(node) not in own
                ):
                    found.add((path.relative_to(top).as_posix(), function.name))
    assert found <= CALLERS, found - CALLERS


def test_universal_functions_that_call_are_known() -> None:
    from plait.ytt.starlark.instrument.dataflow.expressions import _CALLING_BACK

    takes_key = {"max", "min", "sorted"}
    assert takes_key == _CALLING_BACK
    assert takes_key <= set(UNIVERSAL)


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--output-by", "{kind}/{name}.yml"], "kind: A\nmetadata:\n  name: #@ data.values.pw\n"),
        (["--output-by", "{a.b}.yml"], "a:\n  b: #@ data.values.pw[1:]\n"),
        (["--with", "output-file"], '#@output/file data.values.pw + "/a.yml"\n---\na: 1\n'),
        (["--with", "output-file"], '#@output/file "x" if data.values.pw else "y"\n---\na: 1\n'),
        (["--with", "output-file"], '#@ if data.values.pw:\n#@output/file "x/a.yml"\n---\na: 1\n#@ end\n'),
        (
            ["--with", "output-file"],
            '---\na: 1\n#@ for one in range(len(data.values.pw[:1])):\n#@output/file "x"\n---\na: 1\n#@ end\n',
        ),
    ],
)
@pytest.mark.parametrize("where", ["--output-files", "--dangerous-emptied-output-directory"])
def test_a_path_of_an_output_file_has_no_secret(
    flags: list[str],
    text: str,
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(f'#@ load("@ytt:data", "data")\n{text}', "utf-8")
    (tmp_path / "s.yml").write_text(f"pw: {FIRST}\n", "utf-8")
    argv = ["render", "-f", "a.yml", "--secrets", "file:s.yml", *flags, where, "out"]
    assert main(argv) == 1
    told = "".join(capfd.readouterr())
    assert "the path of an output file depends on a secret" in told
    assert FIRST[1:] not in told
    assert not (tmp_path / "out").exists()
    assert main([*argv, "--quote-values"]) == 0
    assert (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (
            ["--with", "output-file"],
            '#@ if data.values.pw == "qqq":\n#@output/file "a.yml"\n---\na: 1\n#@ else:\n#@output/file "b.yml"\n---\na: 2\n#@ end\n',
        ),
        (
            ["--output-by", "{kind}.yml"],
            'kind: A\n#@ if data.values.pw == "qqq":\n---\nkind: B\n#@ else:\n---\nkind: C\n#@ end\n',
        ),
        (["--with", "output-file"], '#@output/file "a" if data.values.pw == "qqq" else "b"\n---\na: 1\n'),
    ],
)
def test_the_error_about_a_path_tells_of_no_decision(
    flags: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(f'#@ load("@ytt:data", "data")\n{text}', "utf-8")
    told = []
    for secret in (FIRST, SECOND):
        (tmp_path / "s.yml").write_text(f"pw: {secret}\n", "utf-8")
        assert main(["render", "-f", "a.yml", "--secrets", "file:s.yml", *flags, "--output-files", "out"]) == 1
        told.append(capfd.readouterr())
    assert told[0] == told[1]
    assert "depends on a secret" in told[0].err


# Findings at every line of the output, and at values by their names.
REPORT = json.dumps(
    {
        "runs": [
            {
                "results": [
                    {
                        "message": {"text": "wrong"},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": "out.yml"},
                                    "region": {"startLine": line},
                                }
                            }
                        ],
                    }
                    for line in range(1, 12)
                ]
            }
        ]
    }
)
COMMANDS = {
    "explain": ["explain", "run", "r", "**"],
    "explain json": ["explain", "run", "r", "**", "-o", "json"],
    "explain what is missing": ["explain", "--not", "run", "r", "extra"],
    "all that matched nothing": ["explain", "--not", "run", "r", "--all"],
    "test": ["test", "-v"],
    "snapshot": ["test", "--update"],
    "fleet why": ["fleet", "why", "**"],
    "impact": ["impact", "run", "r", "a.yml:1"],
    "origin": ["origin", "run", "r", "report.json"],
    "origin json": ["origin", "-o", "json", "run", "r", "report.json"],
    "lint": ["lint"],
    "source map": ["run", "r", "--source-map", "map.json"],
    "source map of JSON": ["run", "r", "-o", "json", "--source-map", "map.json"],
    "why a number is not there": ["explain", "--not", "run", "r", "items[9]"],
    "why a key of others is not there": ["explain", "--not", "run", "r", "name"],
    "set": ["set", "run", "r", "b=7"],
    "set an item": ["set", "run", "r", "items[0]=7"],
    "set what is not there": ["set", "run", "r", "name=7"],
    "set a new key": ["set", "--add", "run", "r", "new=7"],
    "set and more": ["set", "--also", "run", "r", "b=7"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "name",
    [
        "a key",
        "a document",
        "items of a loop",
        "a map that is chosen",
        "an item that is removed",
        "an item that apply removes",
        "a document before others",
        "documents before others",
        "a document between",
        "items before others",
        "a key before others",
        "order of keys, a comprehension",
        "overlay val",
        "overlay insert",
        "a document that is removed by a function",
        "text2",
    ],
)
def test_commands_tell_nothing_of_what_is_there(
    name: str, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ends = []
    for place, secret in (("one", FIRST), ("two", SECOND)):
        top = tmp_path / place / "p"
        top.mkdir(parents=True)
        files = {
            **decisions.PROGRAMS[name],
            "s.yml": f"pw: {secret}\nuser: app\n",
            "report.json": REPORT,
            "plait.yml": f"runs: {{r: {{render: {{files: [{', '.join(decisions.PROGRAMS[name])}], secrets: file:s.yml}}}}}}\n",
            "t.test.yml": "tests: {t: {run: r, has: nope, count: 77, snapshot: true}}\n",
        }
        for path, text in files.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text, "utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(top)
            patch.setenv("XDG_STATE_HOME", str(tmp_path / place / "state"))
            patch.setenv("PLAIT_CACHE_DIR", "")
            capfd.readouterr()
            status = main(COMMANDS[command])
        snapshot = top / "t.test.snapshots" / "t.yml"
        stored = [one.read_text("utf-8") for one in (snapshot, top / "map.json") if one.exists()]
        out, error = capfd.readouterr()
        shown = error if "map" in command else out + error
        ends.append((status, _without_times(shown), stored))
    assert ends[0] == ends[1]


def _without_times(text: str) -> str:
    import re

    return re.sub(r"[0-9.]+ m?s\b", "...", text)
