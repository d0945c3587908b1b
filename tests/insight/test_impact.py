"""The effect of a line: each line of a node or a statement has its own, and "no effect" is proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.cli import main

TEMPLATE = """\
#@ load("@ytt:template", "template")
#@ def pure(x):
#@   y = x
#@   return y.upper(
#@   )
#@ end
#@ def other(x):
#@   return pure(x)
#@ end

#! a comment
#@ def part():
e: 1
f: 2
#@ end
a: |
  one

  two
b: "one
  two"
c: 'one
  two'
d: one
  two
g: >-
  one
  two
#@ held = other(
#@ "x"
#@ )
h: #@ held
_: #@ template.replace(part())
#@ if pure("x") == "X":
i: 1
#@ end
"""
# The values that lines affect.
LINES = {
    "": (10, 11),
    "a": (16, 17, 18, 19),
    "b": (20, 21),
    "c": (22, 23),
    "d": (24, 25),
    "e": (13,),
    "ef": (12, 33),
    "f": (14,),
    "g": (26, 27, 28),
    "h": (7, 8, 29, 30, 31, 32),
    "hi": (2, 3, 4, 5),
    "i": (34, 35),
}
EFFECTS = {line: set(values) for values, lines in LINES.items() for line in lines}


def asked(capfd: pytest.CaptureFixture[str], *argv: str) -> tuple[int, set[str], str]:
    status = main(["impact", *argv])
    out, err = capfd.readouterr()
    return status, set(out.split()), err


@pytest.mark.parametrize("line", EFFECTS)
def test_each_line_of_a_node_or_statement_has_its_effect(
    line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(TEMPLATE, "utf-8")
    status, places, err = asked(capfd, "render", "-f", "a.yml", f"a.yml:{line}")
    assert places == EFFECTS[line]
    assert status == (0 if places else 1)
    assert ("has no effect" in err) is not bool(places)


@pytest.mark.parametrize(
    ("text", "line", "status"),
    [
        ("#@ def f():\n#@   return 1\n#@ end\na: 1\n", 2, 3),  # code that no run calls may be loaded
        ("#@ if False:\na: 1\n#@ end\nb: 1\n", 2, 1),  # a node that is not there
        ("#@data/values\n---\nused: 1\nnot_used: 1\n", 4, 1),
        ("#@data/values\n---\nused: 1\nnot_used: |\n  text\n  more\n", 6, 1),
        ("#@data/values-schema\n---\n#@schema/nullable\nx: 1\n", 3, 3),
    ],
    ids=("function", "branch", "value", "text", "annotation"),
)
def test_an_effect_that_is_not_proven_is_unknown(
    text: str,
    line: int,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text(text, "utf-8")
    (tmp_path / "b.yml").write_text('#@ load("@ytt:data", "data")\n---\nb: 1\n', "utf-8")
    found, places, err = asked(capfd, "render", "-f", "b.yml", "-f", "a.yml", f"a.yml:{line}")
    assert (found, places) == (status, set())
    assert ("is unknown" if status == 3 else "has no effect") in err


def test_each_line_of_an_operation_has_the_effect_of_the_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yml").write_text("m:\n  a: {x: 1}\n  b: 1\n", "utf-8")
    ops = "- type: replace\n  path: /m/b\n  value: 2\n- type: replace\n  path: /m/a\n  value:\n    x: 1\n    z: 3\n"
    (tmp_path / "ops.yml").write_text(ops, "utf-8")
    both = {"m.a.x", "m.a.z"}
    effects = [{"m.b"}, {"m.b"}, {"m.b"}, both, both, both, {"m.a.x"}, {"m.a.z"}]
    for line, expected in enumerate(effects, 1):
        assert asked(capfd, "patch", "base.yml", "-o", "ops.yml", f"ops.yml:{line}")[:2] == (0, expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{x: 1, y: 2}", "{x: 1, z: 3}"),
        ("[1, 2]", "[1, 5]"),
        ("[{name: a}]", "[{name: a, v: 1}]"),
        ("text", "{x: 1}"),
        ("{x: 1}", "[1]"),
        ("[1]", "{x: {y: 1}}"),
        ("{x: {y: 1}}", "{x: {y: 1}}"),
    ],
)
def test_the_history_of_an_inserted_collection_names_the_operation(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yml").write_text(f"m:\n  a: {old}\n", "utf-8")
    (tmp_path / "ops.yml").write_text(f"- type: replace\n  path: /m/a\n  value: {new}\n", "utf-8")
    assert main(["explain", "patch", "base.yml", "-o", "ops.yml", "m.a"]) == 0
    assert "replace" in capfd.readouterr().out
    assert main(["explain", "--all", "patch", "base.yml", "-o", "ops.yml"]) == 0
    out = capfd.readouterr().out
    assert all("replace [0] /m/a" in one for one in out.strip().split("\n\n"))
