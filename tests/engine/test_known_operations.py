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
    "- type: remove\n  path: /name\n  path: /size\n- type: remove\n",
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
            words += ["-o", f"{place}.yml"] * random.choice([1, 1, 1, 2])
        for name, texts in VALUES.items():
            if random.random() < 0.7:
                words += ["-v", f"{name}={random.choice(texts)}"]
        if random.random() < 0.2:
            words += random.choice(FLAGS)
        request = table("patch").parse(words)
        assert evaluated(request, engine) == evaluated(request, None)


MANAGED = "schema: pegleg/PeglegManagedDocument/v1\nmetadata: {schema: metadata/Document/v1, name: a}\n"
# A command, and a file that has a warning and then an error.
WARNED_AND_WRONG = {
    "operations": (
        ["patch", "base.yml", "-o", "wrong.yml"],
        "wrong.yml",
        "- type: remove\n  path: /list\n  path: /name\n- type: remove\n",
    ),
    "template": (["render", "-f", "base.yml", "-f", "wrong.yml"], "wrong.yml", "#@ n = 1\na: {{n}}\nb: #@ n.none\n"),
    "schema": (
        ["render", "-f", "base.yml", "-f", "wrong.yml"],
        "wrong.yml",
        "#@data/values-schema\n#@overlay/mach\n---\na: []\n",
    ),
    "overlay": (
        ["render", "-f", "base.yml", "-f", "wrong.yml"],
        "wrong.yml",
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n#@overlay/mach\n---\nnone: 1\n',
    ),
    "documents of a site": (
        ["layer", "--site", "site/a"],
        "site/a/wrong.yaml",
        f"{MANAGED}data: {{encrypted: {{}}, managedDocument: {{schema: a, schema: a}}}}\n---\n{MANAGED}data: {{}}\n",
    ),
}


@pytest.mark.parametrize("which", WARNED_AND_WRONG)
def test_warnings_before_an_error_are_reported(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (command, *words), name, text = WARNED_AND_WRONG[which]
    Path("site/a").mkdir(parents=True)
    Path("site/a/site-definition.yaml").write_text(
        "schema: pegleg/SiteDefinition/v1\nmetadata: {schema: metadata/Document/v1, name: a}\ndata: {site_type: t}\n"
    )
    Path("base.yml").write_text("name: a\nlist: []\n", "utf-8")
    engine, request = Engine(), table(command).parse(words)
    for content in ("[]\n", text, text):
        Path(name).write_text(content, "utf-8")
        reused, fresh = evaluated(request, engine), evaluated(request, None)
        assert reused == fresh
    assert fresh["error"]
    assert fresh["warnings"]


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
