"""Every limit has one name, by which each command and each function of the API takes it; past it a named error."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

import generated
import plait
from plait.base.errors import LimitError, UsageError
from plait.base.limits import GROWS, TABLE, Limits, RunBudget, budget_scope, current_budget, parse
from plait.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

POLICY = (
    "schema: deckhand/LayeringPolicy/v1\n"
    "metadata: {schema: metadata/Control/v1, name: order}\ndata: {layerOrder: [site]}\n"
)
DOCUMENT = "schema: demo/Port/v1\nmetadata: {schema: metadata/Document/v1, name: %s, layeringDefinition: {layer: site%s}}\ndata: %s\n"
SUBSTITUTION = (
    ", substitutions: [{src: {schema: demo/Port/v1, name: one, path: .a, pattern: '(a+)+$'}, dest: {path: .b}}]"
)
SUBSTITUTED = "---\n".join(
    [POLICY, DOCUMENT % ("one", "", "{a: " + "a" * 40 + "b}"), DOCUMENT % ("two", "}" + SUBSTITUTION, "{b: x}")]
).replace(SUBSTITUTION + "}", SUBSTITUTION)

ALIASES = "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]\n"
NESTED = "a: " + "[" * 20 + "]" * 20 + "\n"
LOOP = "#@ for i in range(1000):\n#@   x = i\n#@ end\na: 1\n"

# command line, files, limit, value -> all end with status 3 and this limit in the first line.
CASES = [
    ("render -f a.yml", {"a.yml": ALIASES}, "aliases", "10"),
    ("patch a.yml", {"a.yml": ALIASES}, "aliases", "10"),
    ("layer a.yml", {"a.yml": ALIASES}, "aliases", "10"),
    ("fmt -f a.yml", {"a.yml": "a: 1\n" * 100}, "input", "100"),
    ("diff a.yml b.yml", {"a.yml": ALIASES, "b.yml": "a: 1\n"}, "aliases", "10"),
    ("compose w.yml", {"w.yml": "steps: [{render: {files: [a.yml]}}]\n", "a.yml": ALIASES}, "aliases", "10"),
    ("explain render -f a.yml a", {"a.yml": ALIASES}, "aliases", "10"),
    ("impact render -f a.yml a.yml:1", {"a.yml": ALIASES}, "aliases", "10"),
    ("origin render -f a.yml r.txt", {"a.yml": ALIASES, "r.txt": "out.yml:1: x\n"}, "aliases", "10"),
    (
        "render -f a.yml",
        {"a.yml": "#@ x = 1 << 500\n#@ for i in range(9):\n#@   x = x * (1 << 500)\n#@ end\na: 1\n"},
        "bits",
        "4096",
    ),
    ("render -f a.yml", {"a.yml": "#@ def f(n):\n#@   return f(n + 1)\n#@ end\na: #@ f(0)\n"}, "depth", "100"),
    ("render -f d", {f"d/{name}.yml": "a: 1\n" for name in "abcdef"}, "entries", "5"),
    (
        "patch a.yml -o d/**/*.yml",
        {"a.yml": "a: 1\n", **{f"d/{name}.yml": "[]\n" for name in "abcdef"}},
        "entries",
        "5",
    ),
    ("layer d", {f"d/{name}.yml": POLICY for name in "abcdef"}, "entries", "5"),
    ("render -f a.yml", {"a.yml": "a: 1\n"}, "input", "4"),
    ("patch a.yml", {"a.yml": "a: 1\n"}, "input", "4"),
    ("patch a.yml -l v.yml", {"a.yml": "a: 1\n", "v.yml": "b: 12345678\n"}, "input", "6"),
    ("layer a.yml", {"a.yml": POLICY}, "input", "4"),
    ("diff a.yml a.yml", {"a.yml": "a: 1\n"}, "input", "4"),
    ("compose w.yml", {"w.yml": "steps: []\n"}, "input", "4"),
    ("explain patch a.yml /a", {"a.yml": "a: 1\n"}, "input", "4"),
    ("render -f a.yml", {"a.yml": "#@ x = [0] * 2000\na: 1\n"}, "items", "1500"),
    (
        "render -f a.yml",
        {"a.yml": "#@ x = []\n#@ for i in range(200000):\n#@   x.append(i)\n#@ end\na: 1\n"},
        "items",
        "100K",
    ),
    ("render -f a.yml", {"a.yml": "#@ x = [i for i in range(200000)]\na: 1\n"}, "items", "100K"),
    ("render -f a.yml", {"a.yml": "#@ x = {i: i for i in range(200000)}\na: 1\n"}, "items", "100K"),
    (
        "render -f a.yml",
        {"a.yml": "#@ x = {}\n#@ for i in range(200000):\n#@   x[i] = i\n#@ end\na: 1\n"},
        "items",
        "100K",
    ),
    ("render -f a.yml", {"a.yml": "#@ x = [[str(i)] for i in range(400000)]\na: 1\n"}, "memory", "8M"),
    ("render -f a.yml", {"a.yml": NESTED}, "nesting", "10"),
    ("patch a.yml", {"a.yml": NESTED}, "nesting", "10"),
    ("layer a.yml", {"a.yml": POLICY + "---\n" + DOCUMENT % ("n", "", "{" + NESTED.strip() + "}")}, "nesting", "10"),
    ("diff a.yml a.yml", {"a.yml": NESTED}, "nesting", "10"),
    ("render -f a.yml", {"a.yml": "a: #@ [1] * 100\n"}, "nodes", "50"),
    ("render -f a.yml", {"a.yml": "- a\n" * 100}, "output", "1000"),
    ("patch a.yml", {"a.yml": "- a\n" * 100}, "output", "1000"),
    ("layer a.yml", {"a.yml": POLICY + "---\n" + DOCUMENT % ("n", "", "[%s]" % ("a, " * 99))}, "output", "1000"),
    ("render -f a.yml -o json", {"a.yml": "- a\n" * 100}, "output", "1000"),
    ("layer a.yml", {"a.yml": SUBSTITUTED}, "pattern", "0.2"),
    ("patch a.yml -o o.yml", {"a.yml": "a: 1\n", "o.yml": "- {type: remove, path: /a/b/c/d/e}\n"}, "pointer", "3"),
    ("render -f a.yml", {"a.yml": LOOP.replace("1000", "30000000")}, "seconds", "0.05"),
    ("patch a.yml", {"a.yml": "- a\n" * 50_000}, "seconds", "0.0001"),
    ("layer a.yml", {"a.yml": POLICY}, "seconds", "0.0001"),
    ("render -f a.yml", {"a.yml": LOOP}, "steps", "500"),
    ("compose w.yml", {"w.yml": "steps: [{render: {files: [a.yml]}}]\n", "a.yml": LOOP}, "steps", "500"),
    ("explain render -f a.yml a", {"a.yml": LOOP}, "steps", "500"),
    ("render -f a.yml", {"a.yml": "#@ x = 'y' * 5000\na: 1\n"}, "string", "4000"),
    ("patch a.yml -v b=cccccccccccc", {"a.yml": "a: x((b))((b))\n"}, "variables", "20"),
]


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "files", "name", "value"), CASES, ids=[f"{line.split()[0]} {name}" for line, _, name, _ in CASES]
)
def test_a_limit_that_is_set_holds(
    line: str, files: dict[str, str], name: str, value: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for path, text in files.items():
        (here / path).parent.mkdir(exist_ok=True)
        (here / path).write_text(text, "utf-8")
    command, *rest = line.split()
    words = [rest[0]] if command in ("explain", "impact", "origin") else []
    argv = [command, *words, "--limit", f"{name}={value}", *rest[len(words) :]]
    if name == "memory":
        # The limit counts what a run adds to its process. The process of the tests may have that much memory free.
        done = subprocess.run([sys.executable, "-m", "plait", *argv], capture_output=True, text=True, check=False)
        status, said = done.returncode, done.stderr
    else:
        status, said = main(argv), capfd.readouterr().err
    assert status == 3
    shown = {str(parse([f"{name}={value}"]).given[name]), value}
    assert any(f"limit {name}={one}" in said.split("\n")[0] for one in shown), said
    assert f"--limit {name}=N" in said or name == "depth"
    if name not in ("depth", "pattern", "seconds"):
        assert main([word for word in argv if not word.startswith(("--limit", f"{name}="))]) in (0, 1)


@pytest.mark.parametrize("name", ["depht", "step", "URL", "", "memory "])
def test_a_name_that_is_none(name: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "a.yml").write_text("a: 1\n", "utf-8")
    for command in ("render -f a.yml", "patch a.yml", "layer a.yml", "diff a.yml a.yml", "fmt -f a.yml"):
        first, *rest = command.split()
        assert main([first, "--limit", f"{name}=1", *rest]) in (1, 2)
        said = capfd.readouterr().err
        assert f'unknown limit "{name}"' in said
        assert ", ".join(TABLE) in said
    with pytest.raises(UsageError, match="unknown limit"):
        plait.render({"a.yml": "a: 1"}, limits={name: 1})  # type: ignore[arg-type]


def test_a_near_name_is_suggested(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "a.yml").write_text("a: 1\n", "utf-8")
    assert main(["render", "--limit", "memroy=1", "-f", "a.yml"]) == 1
    assert 'did you mean "memory"?' in capfd.readouterr().err


@pytest.mark.parametrize(
    "text", ["steps=0", "steps=-1", "steps=1.5", "steps=", "steps", "steps=1e9", "steps=٣", "depth=1M"]
)
def test_a_value_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="limit"):
        parse([text])


def test_values_with_units() -> None:
    limits = parse(["memory=512M", "steps=2K", "input=1G", "seconds=0.5", "pattern=2"])
    assert (limits.memory, limits.steps, limits.input, limits.seconds, limits.pattern) == (
        512 << 20,
        2048,
        1 << 30,
        0.5,
        2,
    )
    assert limits.depth == Limits().depth


def test_a_default_grows_with_the_inputs() -> None:
    run = RunBudget(Limits(steps=7))
    assert [run.most(name) for name in GROWS] == [int(TABLE[name][0]) if name != "steps" else 7 for name in GROWS]
    run.take(1 << 20)
    for name, each in GROWS.items():
        if name == "steps":
            assert run.most(name) == 7, "what somebody set stays"
        else:
            assert run.most(name) > TABLE[name][0] + (each << 19)


def test_a_run_ends_with_its_limits(here: pathlib.Path) -> None:
    (here / "a.yml").write_text("a: 1\n", "utf-8")
    assert main(["render", "--limit", "nesting=7", "-f", "a.yml"]) == 0
    assert current_budget().limits.nesting == Limits().nesting
    with budget_scope(Limits(nesting=3)):
        assert main(["render", "-f", "a.yml"]) == 0
        assert current_budget().limits.nesting == 3


API = [
    (lambda **given: plait.render({"a.yml": LOOP}, **given), {"steps": 500}),
    (lambda **given: plait.render({"a.yml": NESTED}, **given), {"nesting": 10}),
    (lambda **given: plait.render({"a.yml": LOOP.replace("1000", "900000000")}, **given), {"seconds": 0.05}),
    (lambda **given: plait.patch({"a.yml": ALIASES}, **given), {"aliases": 10}),
    (lambda **given: plait.patch({"a.yml": "a: x((b))((b))\n"}, variables={"b": "c" * 12}, **given), {"variables": 20}),
    (lambda **given: plait.patch({"a.yml": "- a\n" * 100}, **given).to_yaml(), {"output": 1000}),
    (
        lambda **given: plait.layer(
            {"a.yml": POLICY + "---\n" + DOCUMENT % ("n", "", "{" + NESTED.strip() + "}")}, **given
        ),
        {"nesting": 10},
    ),
    (lambda **given: plait.layer({"a.yml": SUBSTITUTED}, **given), {"pattern": 0.2}),
    (lambda **given: plait.compose({"w.yml": "steps: [{render: {files: [a.yml]}}]"}, **given), {"input": 5}),
    (lambda **given: plait.diff({"a.yml": ALIASES}, {"b.yml": "a: 1"}, **given), {"aliases": 10}),
    (lambda **given: plait.read({"a.yml": NESTED}, **given), {"nesting": 10}),
    (lambda **given: plait.read({"a.yml": "- a\n" * 100}, **given).to_yaml(), {"output": 1000}),
    (lambda **given: plait.read({"a.yml": "- a\n" * 100}, **given).to_json(), {"output": 1000}),
]


@pytest.mark.parametrize(("work", "limits"), API)
def test_limits_of_the_api(work: Callable[..., object], limits: dict[str, float], here: pathlib.Path) -> None:
    (here / "a.yml").write_text("a: 123456789\n", "utf-8")
    with pytest.raises(LimitError) as caught:
        work(limits=limits)
    (name,) = limits
    assert caught.value.limit == name
    assert f"limit {name}=" in caught.value.message
    assert caught.value.exit_status == 3
    if name not in ("seconds", "pattern"):
        work()


def test_threads_have_limits_of_their_own() -> None:
    outcome: dict[int, str] = {}

    def work(steps: int) -> None:
        try:
            plait.render({"a.yml": LOOP}, limits={"steps": steps})
            outcome[steps] = "done"
        except LimitError as error:
            outcome[steps] = error.message

    threads = [threading.Thread(target=work, args=(steps,)) for steps in (100, 200, 5000, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcome.pop(5000) == "done"
    assert {steps for steps, said in outcome.items() if f"steps={steps}" in said} == {100, 200, 300}


def test_the_page_lists_every_limit() -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs" / "reference" / "limits.md").read_text("utf-8")
    assert generated.limits_table() in page
