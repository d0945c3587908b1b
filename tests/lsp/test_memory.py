"""What an evaluation took is given back with it: Python does not have to look for it."""

from __future__ import annotations

import gc
import pathlib

import pytest

from files import write_files
from plait.authoring.lsp.evaluation import EvaluationStop, evaluate
from plait.authoring.project.file import read
from plait.engine.incremental import Engine

FILES = {
    "plait.yml": "runs:\n  site: {render: {files: [config]}}\n",
    "config/schema.yml": "#@data/values-schema\n---\nname: web\nports: [80]\nlabels: {team: a, tier: b}\n",
    "config/names.star": 'load("@ytt:data", "data")\n\ndef name():\n  return data.values.name\nend\n',
    "config/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:library", "library")
#@ load("@ytt:template", "template")
#@ load("names.star", "name")
#@ def port(number):
number: #@ number
name: #@ name()
#@ end
---
kind: Service
metadata:
  name: #@ name()
labels: #@ data.values.labels
ports:
#@ for number in data.values.ports:
- #@ port(number)
#@ end
--- #@ template.replace(library.get("inner").eval())
""",
    "config/over.yml": """\
#@ load("@ytt:overlay", "overlay")
#@ load("names.star", "name")
#@ def kind(index, left, right):
#@   return left["kind"] == "Service" and left["metadata"]["name"] == name()
#@ end
#@overlay/match by=overlay.and_op(kind, overlay.subset({"kind": "Service"}))
---
metadata:
  #@overlay/replace via=lambda left, right: left + name()
  name: x
""",
    "config/_ytt_lib/inner/values.yml": "#@data/values\n---\nsize: 1\n",
    "config/_ytt_lib/inner/inner.yml": '#@ load("@ytt:data", "data")\n---\nkind: Inner\nsize: #@ data.values.size\n',
}
# Objects that may be left over: what counts steps holds itself.
FEW = 60


@pytest.fixture
def site(tmp_path: pathlib.Path) -> pathlib.Path:
    write_files(tmp_path, FILES)
    return tmp_path


@pytest.mark.parametrize(
    ("added", "message"),
    [
        pytest.param("", "", id="good"),
        pytest.param('--- #@ fail("no")\n', "fail: no", id="fails"),
        pytest.param("---\na: #@ port(nothing)\n", "undefined: nothing", id="does not compile"),
        pytest.param("#@overlay/match by=lambda i, l, r: False\n---\na: 1\n", "to be 1, but was 0", id="no match"),
    ],
)
def test_an_evaluation_leaves_nothing_to_look_for(site: pathlib.Path, added: str, message: str) -> None:
    run = read(str(site / "plait.yml")).run("site")
    texts = {str(site / "config/app.yml"): (FILES["config/app.yml"] + added).encode()}
    engine = Engine()
    evaluate(run, texts, EvaluationStop(), engine)  # compiles, which leaves syntax trees
    gc.collect()
    gc.disable()
    try:
        evaluation = evaluate(run, texts, EvaluationStop(), engine)
        evaluation.index()
        if message:
            assert evaluation.error is not None
            assert message in evaluation.error.message
            evaluation.error = None
        else:
            assert evaluation.error is None
            assert len(evaluation.trace.changes) > 10
        gc.collect()  # what failed to compile
        del evaluation
        assert gc.collect() < FEW
    finally:
        gc.enable()
