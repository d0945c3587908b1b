"""What operations, patterns and keys tell of a secret: nothing beside the output of the run.

Each program runs with two secrets. What the commands say besides the output is the same both times.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.cli import main
from plait.ops.operation_files import OPERATIONS

CANARY, OTHER = "hunter2Kestrel", "qqqqqqqqqqqqqq"
BASE = """\
items:
- name: ((pw))
  v: 1
- name: b
  v: 2
n: 1
l: [1]
"""
MATCH = f"/items/name={CANARY}?"
# By the type of an operation: one that finds its place by a comparison with a secret.
DECIDED = {
    "replace": f"- type: replace\n  path: {MATCH}/v?\n  value: 9\n",
    "remove": f"- type: remove\n  path: {MATCH}\n",
    "test": "- type: test\n  path: /items/0/v\n  value: 1\n",
    "test, absent": f"- type: test\n  path: /items/name={CANARY}\n  absent: true\n",
    "test, and a wrong one": f"- type: test\n  path: /items/name={CANARY}/v\n  value: 7\n",
    "a match, and a wrong one": f"- type: remove\n  path: /items/name={CANARY}\n- type: remove\n  path: /nope\n",
    "append": f"- type: replace\n  path: {MATCH}/w?\n  value: [1]\n- type: append\n  path: /items/*/w\n  value: [2]\n",
    "copy": f"- type: copy\n  from: {MATCH}/v?\n  path: /copied?\n",
    "move": f"- type: replace\n  path: {MATCH}/w?\n  value: 1\n- type: move\n  from: {MATCH}/w?\n  path: /moved?\n",
    "merge": f"- type: merge\n  path: {MATCH}\n  value: {{w: 1}}\n",
    "wildcard": f"- type: replace\n  path: /items/*/name\n  value: {{x: 1}}\n- type: remove\n  path: {MATCH}\n",
}
COMMANDS = (
    ("explain", "r", "--all"),
    ("explain", "-o", "json", "r", "--all"),
    ("explain", "--not", "r", "--all"),
    ("lint", "-o", "json"),
    ("coverage",),
    ("test", "-v"),
    ("fleet", "why", "**"),
    ("impact", "r", "base.yml:3"),
    ("impact", "r", "ops.yml:2"),
)
TESTS = "tests:\n  lacks: {run: r, lacks: '**'}\n  types: {run: r, types: {'**': 'null'}}\n"


def said(top: Path, files: dict[str, str], run: str, capfd: pytest.CaptureFixture[str]) -> list[list[tuple[int, str]]]:
    """What the commands say of a run, with one secret and with the other. `@@` in a file stands for the secret."""
    found: list[list[tuple[int, str]]] = []
    for secret in (CANARY, OTHER):
        for name, text in {**files, "plait.yml": f"runs:\n  r:\n    {run}\n{TESTS}"}.items():
            (top / name).write_text(text.replace("@@", secret), "utf-8")
        found.append([])
        for command in COMMANDS:
            status = main([*command])
            found[-1].append((status, _without_times("".join(capfd.readouterr()))))
    return found


def _without_times(text: str) -> str:
    return " ".join(word for word in text.split() if not word.replace(".", "").isdigit() and word not in ("ms", "s"))


def test_every_type_of_operation_has_a_program() -> None:
    assert {*OPERATIONS} <= {*DECIDED}, "a new type: a program whose place is found by a comparison with a secret"


@pytest.mark.parametrize("kind", DECIDED)
def test_a_place_that_is_found_by_a_secret_is_not_told(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"base.yml": BASE, "ops.yml": DECIDED[kind], "keys.yml": "pw: @@\n"}
    run = "patch: {base: base.yml, ops: [ops.yml], secrets: ['file:keys.yml'], vars-first: true, with: [operations]}"
    first, second = said(tmp_path, files, run, capfd)
    for command, one, other in zip(COMMANDS, first, second, strict=True):
        if one[0] == other[0]:
            assert one == other, command
        if kind in ("replace", "remove", "merge"):
            assert one[0] == other[0], command


LAYERS = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [site]}
---
schema: demo/Kind/v1
metadata: {schema: metadata/Document/v1, name: key, storagePolicy: encrypted, layeringDefinition: {layer: site}}
data: "@@"
---
schema: demo/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: web
  storagePolicy: cleartext
  layeringDefinition: {layer: site}
  substitutions:
  - src: {schema: demo/Kind/v1, name: key, path: ., SOURCE}
    dest: {path: .p}
  - src: {schema: demo/Kind/v1, name: key, path: .}
    dest: {path: .p, DESTINATION}
data: {p: x}
"""
PATTERNS = {
    "of the source": ("pattern: '^h(.*)', match_group: 1", "pattern: '.'"),
    "of the destination": ("pattern: '.'", "pattern: hunter"),
    "of the destination, below": ("pattern: '.'", "pattern: hunter, recurse: {depth: -1}"),
}


@pytest.mark.parametrize("cleartext", [False, True], ids=["", "cleartext"])
@pytest.mark.parametrize("name", PATTERNS)
def test_no_warning_tells_whether_a_pattern_matches_a_secret(
    name: str, cleartext: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, destination = PATTERNS[name]
    told = []
    for secret in (CANARY, OTHER):
        text = LAYERS.replace("@@", secret).replace("SOURCE", source).replace("DESTINATION", destination)
        if "recurse" not in destination and name != "of the source":
            text = text.replace("path: ., pattern: '.'", "path: .")
        (tmp_path / "layers.yml").write_text(text, "utf-8")
        status = main(["layer", str(tmp_path / "layers.yml"), *(["--cleartext-secrets"] if cleartext else [])])
        told.append((status, capfd.readouterr().err))
    assert told[0] == told[1]
    assert told[0][0] == 0


KEYS = {
    "a key of the document": ("((pw)): 1\nb: 2\n", "/nope/x"),
    "a part of a key": ("m:\n  k((pw)): 1\n", "/m/nope"),
    "a key of an item": ("l:\n- ((pw)): 1\n", "/l/name=x"),
    "a key of an item, by its number": ("l:\n- ((pw)): 1\n", "/l/0/nope"),
}


@pytest.mark.parametrize("way", ["--path", "--ops-file"])
@pytest.mark.parametrize("source", ["--secrets", "--vars-store"])
@pytest.mark.parametrize("name", KEYS)
def test_an_error_shows_no_key_that_is_a_secret(
    name: str, source: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text, path = KEYS[name]
    Path("base.yml").write_text(text, "utf-8")
    Path("keys.yml").write_text(f"pw: {CANARY}\n", "utf-8")
    Path("ops.yml").write_text(f"- type: remove\n  path: {path}\n", "utf-8")
    more = ["--path", path] if way == "--path" else ["--ops-file", "ops.yml", "--vars-first"]
    given = "keys.yml" if source == "--vars-store" else "file:keys.yml"
    for flags in ([], ["--json"]):
        assert main(["patch", "base.yml", source, given, *more, *flags]) == 1
        assert CANARY[1:-1] not in "".join(capfd.readouterr())
    assert main(["explain", "patch", "base.yml", source, given, *more, "--all"]) == 1
    assert CANARY[1:-1] not in "".join(capfd.readouterr())


def test_an_error_shows_keys_that_no_variable_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base.yml").write_text("port: ((pw))\n", "utf-8")
    Path("keys.yml").write_text(f"pw: {CANARY}\n", "utf-8")
    assert main(["patch", "base.yml", "--secrets", "file:keys.yml", "--path", "/prot"]) == 1
    assert '"port"' in capfd.readouterr().err
