"""What counts as used: small programs, with the lines and branches that are missing after a run."""

from __future__ import annotations

import pathlib

import pytest

from plait import layer, patch, render
from plait.authoring.coverage.data import Coverage
from plait.authoring.coverage.summary import FileSummary
from plait.authoring.coverage.text import missing
from plait.base.errors import PlaitError
from plait.tree.plain_data import Plain


def used(texts: dict[str, str], **values: Plain) -> dict[str, FileSummary]:
    coverage = Coverage()
    with coverage.run("one"):
        render(texts, values=values or None)
    return {file.name: file for file in coverage.summary().files}


def missed(text: str, name: str = "a.yml", **values: Plain) -> str:
    return missing(used({name: text}, **values)[name])


CODE = {
    "if": ("#@ if 1 == 2:\na: 1\n#@ else:\na: 2\n#@ end\n", "1 (true), 2"),
    "elif": (
        "#@ x = 2\n#@ if x == 1:\na: 1\n#@ elif x == 2:\na: 2\n#@ else:\na: 3\n#@ end\n",
        "2 (true), 3, 4 (false), 7",
    ),
    "if without else": ("#@ x = 1\n#@ if x:\na: 1\n#@ end\nb: 1\n", "2 (false)"),
    "for": ("#@ for x in []:\n- #@ x\n#@ end\n", "1 (runs), 2"),
    "for runs": ("#@ for x in [1]:\n- #@ x\n#@ end\n", "1 (is skipped)"),
    "for with break": (
        "#@ for x in [1]:\n#@   if x:\n#@     break\n#@   end\n- #@ x\n#@ end\n",
        "1 (is skipped), 2 (false), 5",
    ),
    "conditional": ("a: #@ 1 if True else 2\n", "1 (else)"),
    "and": ("a: #@ False and 1\n", "1 (and)"),
    "or": ("a: #@ 1 or 2\n", "1 (or)"),
    "chain of or": ("a: #@ 0 or 1 or 2\n", "1 (or)"),
    "comprehension": ("a: #@ [x for x in [1, 2] if x > 5]\n", "1 (for)"),
    "comprehension of nothing": ("a: #@ {x: y for x in [] for y in x}\n", "1 (for)"),
    "lambda": ("#@ f = lambda x: x\na: 1\n", "1 (lambda)"),
    "function": ("#@ def f():\n#@   return 1\n#@ end\na: 1\n", "2"),
    "after a return": ("#@ def f():\n#@   return 1\n#@   x = 2\n#@ end\na: #@ f()\n", "3"),
    "default": ("#@ def f(x=[1 for y in []]):\n#@   return x\n#@ end\na: #@ f()\n", "1 (for)"),
    "lines of an expression": ("#@ x = (1 and\n#@   0 and\n#@   2)\na: #@ x\n", "3"),
    "data": ("#@ if False:\na:\n  b:\n  - c\n\n  d: e\n#@ end\nf: 1\n", "1 (true), 2-6"),
    "function of nodes": ("#@ def f():\na: 1\nb: 2\n#@ end\n---\nc: 1\n", "2-3"),
    "text in strings": ("#@yaml/text-templated-strings\na: '(@ if False: @)x(@= str(1) @)(@ end @)'\n", "2 (true)"),
}


@pytest.mark.parametrize(("text", "expected"), CODE.values(), ids=CODE)
def test_code(text: str, expected: str) -> None:
    assert missed(text) == expected


def test_text_template() -> None:
    text = "one\n(@ if False: -@)\ntwo\n(@= 'three' @)\n(@ else: -@)\nfour\n(@ end -@)\n"
    assert missed(text, "a.txt") == "2 (true), 3-4"


def test_starlark_file() -> None:
    found = used(
        {
            "lib.star": "def f(x):\n  if x:\n    return 1\n  end\n  return 2\nend\n",
            "a.yml": '#@ load("lib.star", "f")\na: #@ f(1)\n',
        }
    )
    assert missing(found["lib.star"]) == "2 (false), 5"
    assert found["lib.star"].functions == [(1, "f", 1)]


def test_a_library_that_nobody_uses_counts() -> None:
    found = used({"_ytt_lib/x/a.yml": "a: #@ 1\n", "_ytt_lib/x/b.star": "x = 1\n", "b.yml": "#@ x = 1\nb: 1\n"})
    assert {name: missing(file) for name, file in found.items()} == {
        "_ytt_lib/x/a.yml": "1",
        "_ytt_lib/x/b.star": "1",
        "b.yml": "",
    }


def test_a_plain_file_does_not_count() -> None:
    assert set(used({"a.yml": "a: 1\n", "b.yml": "#@ x = 1\nb: #@ x\n"})) == {"b.yml"}


OVERLAY = '#@ load("@ytt:overlay", "overlay")\n'
OVERLAYS = {
    "document": ('#@overlay/match by=overlay.subset({"a": 5}), expects="0+"\n---\na: 6\n', "3-4 (overlay matches)"),
    "item": ("#@overlay/match by=overlay.all\n---\n#@overlay/match when=2\na: 6\nb:\n  c: 2\n", "5 (overlay matches)"),
    "added": ("#@overlay/match by=overlay.all\n---\n#@overlay/match missing_ok=True\nx:\n  y:\n  - 1\n", ""),
    "replaced": ("#@overlay/match by=overlay.all\n---\n#@overlay/replace\nb:\n  y:\n  - 1\n", ""),
    "removed": ("#@overlay/match by=overlay.all\n---\n#@overlay/remove\nb:\n  y: 1\n", ""),
    "equal": ("#@overlay/match by=overlay.all\n---\na: 1\n", ""),
}


@pytest.mark.parametrize(("text", "expected"), OVERLAYS.values(), ids=OVERLAYS)
def test_overlays(text: str, expected: str) -> None:
    found = used({"a.yml": "a: 1\nb:\n  c: 1\n", "o.yml": OVERLAY + text})
    assert missing(found["o.yml"]) == expected


def test_schema() -> None:
    schema = '#@data/values-schema\n---\na: 1\nb: ""\n#@schema/nullable\nc: 1\n#@schema/validation min_len=2\nd: abc\ne:\n- f: 1\n'
    texts = {"schema.yml": schema, "a.yml": "a: #@ 1\n"}
    assert missing(used(texts, b="x")["schema.yml"]) == (
        "3 (a overridden), 6 (c a value), 7 (fails), 8 (d overridden), 9 (e overridden), 10 (f overridden)"
    )
    assert missing(used(texts, a=2, c=3, d="abcd", e=[{"f": 2}])["schema.yml"]) == (
        "4 (b overridden), 6 (c null), 7 (fails)"
    )
    coverage = Coverage()
    with coverage.run("refused"), pytest.raises(PlaitError):
        render(texts, values={"d": "x"})
    [_, file] = coverage.summary().files
    assert "7 (holds)" in missing(file)


def on_disk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, **texts: str) -> Coverage:
    monkeypatch.chdir(tmp_path)
    for name, text in texts.items():
        (tmp_path / f"{name}.yml").write_text(text, "utf-8")
    return Coverage()


def test_operations(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operations = (
        "- {type: replace, path: /a, value: 2}\n"
        "- {type: replace, path: /a, value: 2}\n"
        "- type: remove\n  path: /x?\n"
        "- {type: test, path: /a, value: 3}\n"
        "- {type: remove, path: /a}\n"
    )
    coverage = on_disk(tmp_path, monkeypatch, base="a: 1\n", ops=operations)
    with coverage.run(), pytest.raises(PlaitError):
        patch("base.yml", ["ops.yml"])
    [file] = coverage.summary().files
    assert missing(file) == "2-4 (changes something), 6"
    assert file.lines == {1: 1, 2: 1, 4: 1, 5: 1, 6: 0}


def test_layers(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [global, site]}
---
schema: example/Server/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {name: base}
  layeringDefinition: {layer: global, abstract: true}
data: {a: 1}
---
schema: example/Server/v1
metadata:
  schema: metadata/Document/v1
  name: one
  layeringDefinition:
    layer: site
    parentSelector: {name: base}
    actions:
    - {method: merge, path: .}
  substitutions:
  - src: {schema: example/Secret/v1, name: key, path: .}
    dest: {path: .key}
data: {b: 1}
---
schema: example/Server/v1
metadata:
  schema: metadata/Document/v1
  name: two
  layeringDefinition:
    layer: site
    parentSelector: {name: other}
    actions:
    - {method: merge, path: .}
data: {b: 1}
---
schema: example/Secret/v1
metadata:
  schema: metadata/Document/v1
  name: key
  storagePolicy: encrypted
  layeringDefinition: {layer: site, abstract: false}
data: hidden-key
"""
    coverage = on_disk(tmp_path, monkeypatch, documents=documents)
    with coverage.run():
        layer("documents.yml")
    [file] = coverage.summary().files
    assert file.lines == {21: 1, 24: 1, 35: 0}
    percentage_text = file.source_lines()
    assert percentage_text is not None
    assert "hidden-key" not in "\n".join(percentage_text)
    assert percentage_text[-1] == "(secret)"


def test_a_way_counts_once_a_run() -> None:
    coverage = Coverage()
    text = "#@ load('@ytt:data', 'data')\n#@ for x in range(3):\n- #@ x\n#@ end\n#@ if data.values.z:\n- 1\n#@ end\n"
    for values in ({}, {"z": 1}):
        with coverage.run():
            render({"a.yml": text, "s.yml": "#@data/values\n---\nz: 0\n"}, values=values)
    file = coverage.summary().files[0]
    assert (file.lines[3], file.lines[6]) == (2, 1)
