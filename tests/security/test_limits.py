"""Every limit has one name, by which each command and each function of the API takes it; past it a named error."""

from __future__ import annotations

import pathlib

import pytest

from weft.cli import main
from weft.limits import parse

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
    (
        "render -f a.yml",
        {"a.yml": "#@ x = 1 << 500\n#@ for i in range(9):\n#@   x = x * (1 << 500)\n#@ end\na: 1\n"},
        "bits",
        "4096",
    ),
    ("render -f a.yml", {"a.yml": "#@ def f(n):\n#@   return f(n + 1)\n#@ end\na: #@ f(0)\n"}, "depth", "100"),
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
        (here / path).write_text(text, "utf-8")
    command, *rest = line.split()
    words = [rest[0]] if command in ("explain", "impact") else []
    argv = [command, *words, "--limit", f"{name}={value}", *rest[len(words) :]]
    assert main(argv) == 3
    said = capfd.readouterr().err
    shown = {str(parse([f"{name}={value}"]).given[name]), value}
    assert any(f"limit {name}={one}" in said.split("\n")[0] for one in shown), said
    assert f"--limit {name}=N" in said or name == "depth"
    if name not in ("depth", "pattern", "seconds"):
        assert main([word for word in argv if not word.startswith(("--limit", f"{name}="))]) in (0, 1)
