"""Evaluations of `plait patch` by one engine give what each gives by itself."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from incremental import evaluated
from plait.base.fast_paths import FAST
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.ops.job import patch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ops.operations import Operation
    from plait.tree.nodes import Value

BASES = [
    "name: ((name))\nsize: 1\nlist:\n- name: a\n  size: ((size))\n- name: b\n",
    "name: x\nsize: ((missing))\nlist: []\n",
    "a: 1\na: 2\nname: twice\nlist:\n- name: a\n",
    "list: [\n",
    "",
]
OPERATIONS = [
    "- type: replace\n  path: /size?\n  value: ((size))\n",
    "- type: replace\n  path: /list/-\n  value: {name: c, size: ((size))}\n",
    "- type: replace\n  path: /list/name=a/size?\n  value: 1.0\n",
    "- type: remove\n  path: /list/name=b\n",
    "- type: remove\n  path: /name\n- type: replace\n  path: /name?\n  value: ((name))-2\n",
    "- type: replace\n  path: /list/0\n  value: {name: a}\n",
    "- type: replace\n  path: /gone/below\n  value: 1\n",
    "- type: test\n  path: /size\n  value: 1\n",
    "- type: replase\n  path: /size\n  value: 1\n",
    "- type: remove\n  path: /size?\n---\nmore: 1\n",
    "[]",
]
FLAGS = [
    ["--null-values"],
    ["--var-errs"],
    ["--vars-first"],
    ["--path", "/list"],
    ["--limit", "pointer=1"],
    ["--with", "operations"],
]
VALUES = {"name": ["a", "{b: 1}", "((size))"], "size": ["1", "2", "null"]}


@pytest.mark.parametrize("seed", range(24))
def test_an_engine_gives_what_an_evaluation_by_itself_gives(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files, their order, variables and flags change from one evaluation to the next."""
    monkeypatch.chdir(tmp_path)
    random, engine = Random(seed), Engine()
    Path("base.yml").write_text(BASES[0], "utf-8")
    chosen = [0, 1, 4]
    for _ in range(40):
        if random.random() < 0.1:
            Path("base.yml").write_text(random.choice(BASES), "utf-8")
        if random.random() < 0.4:
            chosen[random.randrange(len(chosen)) :] = random.sample(range(len(OPERATIONS)), random.randrange(1, 4))
        words = ["base.yml"]
        for place, number in enumerate(chosen):
            Path(f"{place}.yml").write_text(OPERATIONS[number], "utf-8")
            words += ["-o", f"{place}.yml"]
        for name, texts in VALUES.items():
            if random.random() < 0.7:
                words += ["-v", f"{name}={random.choice(texts)}"]
        if random.random() < 0.2:
            words += random.choice(FLAGS)
        request = table("patch").parse(words)
        assert evaluated(request, engine) == evaluated(request, None)


@pytest.mark.skipif(not FAST, reason="nothing is reused")
def test_common_first_operations_are_applied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second difference on, only the operations after it are applied."""
    monkeypatch.chdir(tmp_path)
    Path("base.yml").write_text(BASES[0], "utf-8")
    for number in (0, 1, 2, 4):
        Path(f"{number}.yml").write_text(OPERATIONS[number], "utf-8")
    applied: list[int] = []

    def counted(value: Value, operations: Sequence[Operation], **_options: object) -> Value:
        applied.append(len(operations))
        return patch(value, operations)

    monkeypatch.setattr("plait.ops.job.patch", counted)
    engine = Engine()
    for last in (1, 2, 4, 4):
        evaluated(table("patch").parse(["base.yml", "-o", "0.yml", "-o", f"{last}.yml"]), engine)
    assert applied == [2, 1, 1, 2]
