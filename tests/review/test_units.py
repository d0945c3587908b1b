"""Units: the parts of a file's change, which can be reverted alone and together."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from plait.base.source import Source
from plait.review.revisions import Entry
from plait.review.units import FileChange
from plait.yaml.reader import read


def change(old: str, new: str, file: str = "a.yml") -> FileChange:
    return FileChange(file, Entry("file", old.encode()), Entry("file", new.encode()))


CASES = {
    "a value": ("a: 1\nb: 2\n", "a: 1\nb: 3\n", ["a.yml:2"]),
    "two values": ("a: 1\nb: 2\n", "a: 2\nb: 3\n", ["a.yml:1", "a.yml:2"]),
    "an item of a list": ("a:\n- name: x\n  v: 1\n- name: y\n", "a:\n- name: x\n  v: 2\n- name: y\n", ["a.yml:3"]),
    "an item that is new": ("a:\n- name: x\n", "a:\n- name: w\n- name: x\n", ["a.yml:2"]),
    "an item that is gone": ("a:\n- name: w\n- name: x\n", "a:\n- name: x\n", ["a.yml:2 removed"]),
    "a scalar of many lines": ("a: |\n  1\n  2\n  3\nb: 1\n", "a: |\n  1\n  x\n  y\n  3\nb: 1\n", ["a.yml:1-5"]),
    "repeated lines": ("a:\n- {b: 1}\n- {b: 1}\n", "a:\n- {b: 1}\n- {b: 1}\n- {b: 1}\n", ["a.yml:4"]),
    "a key that moved": ("a: 1\nb: 2\nc: 3\n", "b: 2\nc: 3\na: 1\n", ["a.yml:3"]),
    "a document": ("a: 1\n---\nkind: K\n", "a: 1\n", ["a.yml:2-3 removed"]),
    "a document with another name": ("kind: K\nmetadata:\n  name: a\nv: long text\n", "kind: K\nmetadata:\n  name: b\nv: long text\n", ["a.yml:3"]),
    "a document in place of a different one": ("kind: K\nv: long text\n", "kind: L\nw: other\n", ["a.yml:1-2 removed", "a.yml:1-2"]),
    "another first key": ("a:\n- x: 1\n  y: 2\n  z: 3\n- b: 1\n", "a:\n- y: 2\n  z: 4\n  x: 1\n- b: 1\n", ["a.yml:2,4", "a.yml:3"]),
    "similar items": ("a:\n- p: /-\n  v: x\n- p: /-\n  v: other\n  w: z\n", "a:\n- p: /-\n  v: other\n  w: y\n", ["a.yml:2-3 removed", "a.yml:4"]),
    "an item before a similar one": ("a:\n- p: /a\n  v: long text\n", "a:\n- p: /b\n  v: x\n- p: /c\n  v: long text\n", ["a.yml:2-3", "a.yml:4"]),
    "a comment": ("a: 1\n# x\nb: 2\n", "a: 1\n# y\nb: 2\n", ["a.yml:2"]),
    "a block of code": ("a: 1\nb: 2\n", "#@ if True:\na: 1\n#@ end\nb: 2\n", ["a.yml:1,3"]),
    "an annotation": ("#@ x = 1\n---\na: 1\n", "#@ x = 1\n---\n#@overlay/match missing_ok=True\na: 1\n", ["a.yml:3"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lines_without_a_unit_are_those_of_the_new_text(name: str) -> None:
    old, new, _ = CASES[name]
    found = change(old, new)
    for unit in found.units:
        entry = found.without([unit])
        lines = [] if entry is None else entry.data.decode().split("\n")[:-1]
        for number, text in enumerate(lines, 1):
            at = found.line_without([unit], number)
            assert text in (new.split("\n")[at - 1] if at else old.split("\n"))


@pytest.mark.parametrize("name", CASES)
def test_units(name: str) -> None:
    old, new, places = CASES[name]
    found = change(old, new)
    assert [unit.place for unit in found.units] == places
    check(found, old, new)


def check(found: FileChange, old: str, new: str) -> None:
    def text(entry: Entry | None) -> str:
        assert entry is not None
        return entry.data.decode()

    assert text(found.without(found.units)) == old
    assert found._reverted(found.units) == old
    assert text(found.without([])) == new
    for unit in found.units:
        read(Source("a.yml", text(found.without([unit]))))


def test_statements() -> None:
    old = "def f():\n  return [\n    1,\n  ]\nend\nx = 1\ny = 2\n"
    new = "def f():\n  return [\n    2,\n  ]\nend\nx = 3\ny = 4\ndef g():\n  return 1\nend\n"
    found = change(old, new, "a.star")
    assert [unit.place for unit in found.units] == ["a.star:3", "a.star:6", "a.star:7", "a.star:8-10"]
    assert found._reverted(found.units) == old


def value(chance: random.Random, depth: int, indent: str) -> list[str]:
    """Lines of a random block of YAML."""
    out: list[str] = []
    kind = chance.choice(["map", "list", "scalar"]) if depth else "map"
    if kind == "scalar" or depth > 3:
        return [f" {chance.choice(['1', 'x', '[1, 2]', '{a: 1}'])}"]
    out.append("")
    for key in chance.sample("abcdef", chance.randint(1, 4)):
        if chance.random() < 0.2:
            out.append(f"{indent}# {key}")
        if kind == "map":
            first, *rest = value(chance, depth + 1, indent + "  ")
            out += [f"{indent}{key}:{first}", *rest]
        else:
            out.append(f"{indent}- name: {key}")
            first, *rest = value(chance, depth + 1, indent + "    ")
            out += [f"{indent}  v:{first}", *rest]
    return out


def mutated(chance: random.Random, lines: list[str]) -> list[str]:
    """Other lines of the same document, still valid."""
    out = list(lines)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(out))
        if out[at].endswith((" 1", " x")):
            out[at] = out[at][:-1] + chance.choice("xyz")
        elif chance.random() < 0.5:
            out.insert(at, "# more")
    return out


@pytest.mark.parametrize("seed", range(150))
def test_random_changes_are_reverted(seed: int) -> None:
    chance = random.Random(seed)
    lines = value(chance, 0, "")[1:]
    other = mutated(chance, lines) if chance.random() < 0.6 else value(chance, 0, "")[1:]
    old, new = "\n".join(lines) + "\n", "\n".join(other) + "\n"
    found = change(old, new)
    if old != new:
        check(found, old, new)
    # Any part can be reverted: every edit is of lines of its own.
    edits = sorted(edit for unit in found.units for edit in unit.edits)
    assert all(a[1] <= b[0] for a, b in pairwise(edits))


def test_the_end_of_a_document_is_no_part_of_its_last_item() -> None:
    """What is reverted before `...` stays before it."""
    second = "---\nschema: a/b/v1\nmetadata: {name: two}\ndata: 2\n...\n"
    first = "---\nschema: a/b/v1\nmetadata: {name: one}\ndata:\n  a: 1\n"
    old, new = f"{first}  b:\n  - x\n...\n{second}", f"{first}...\n"
    change = FileChange("a.yaml", Entry("file", old.encode()), Entry("file", new.encode()))
    texts = {unit.place: change.without([unit]) for unit in change.units}
    assert {place: None if one is None else one.data.decode() for place, one in texts.items()} == {
        "a.yaml:6-7 removed": f"{first}  b:\n  - x\n...\n",
        "a.yaml:9-13 removed": f"{first}...\n{second}",
    }
