"""Plain merges in runs: who watches, who counts, who keeps the format, and secrets."""

from __future__ import annotations

import pathlib

import pytest

import plait
from plait.authoring.coverage.data import Coverage
from plait.authoring.coverage.text import missing
from plait.authoring.project.file import read
from plait.base.errors import OverlayError, PlaitError
from plait.base.input_view import InputView

CRD = """
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Backup}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          stores: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {}}
"""
BACKUP = "apiVersion: example.org/v1\nkind: Backup\nstores:\n- {name: a, x: 1}\n"
MORE = "kind: Backup\nstores:\n- {name: a, z: 1}\n"
PROJECT = "runs:\n  app:\n    render: {files: in.yml, merge: more.yml, merge-schemas: crds, merge-key: {x.y: name}}\n"


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()
    for name, text in (("plait.yml", PROJECT), ("crds/crd.yml", CRD), ("in.yml", BACKUP), ("more.yml", MORE)):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_run_of_a_project(project: pathlib.Path) -> None:
    view = InputView()
    run = read(str(project / "plait.yml")).run("app")
    made = run.evaluate(view=view)
    assert made.to_dict()["stores"] == [{"name": "a", "x": 1, "z": 1}]
    assert {str(project / name) for name in ("in.yml", "more.yml", "crds/crd.yml")} <= set(view.files)
    other = InputView({str(project / "crds/crd.yml"): CRD.replace("stores", "others").encode()})
    assert run.evaluate(view=other).to_dict()["stores"] == [{"name": "a", "z": 1}]


def test_items_that_are_not_merged_are_not_covered(tmp_path: pathlib.Path) -> None:
    merge = """
kind: Pod
metadata:
  name: web
a:
  $patch: delete
b: [1]
c:
- {name: x, d: 1}
- {name: y, $patch: delete}
"""
    path = tmp_path / "m.yml"
    path.write_text(merge, "utf-8")
    coverage = Coverage()
    with coverage.run("one"):
        inputs = {"in.yml": "kind: Pod\nmetadata: {name: web}\nc: [{name: x}]\n"}
        plait.render(inputs, merge=[path], merge_keys=["c=name"])
    [found] = coverage.summary().files
    assert missing(found) == "5-6, 10"


def test_a_secret_in_a_document_is_not_told() -> None:
    template = '#@ load("@ytt:data", "data")\n---\nkind: Pod\nmetadata:\n  name: #@ data.values.name\n'
    with pytest.raises(PlaitError) as error:
        plait.render({"in.yml": template}, secrets={"name": "hush-hush"}, merge={"m.yml": "kind: Pot\n"})
    assert "hush" not in error.value.report()
    assert "hush" not in str(error.value)


def test_a_merge_sees_what_overlays_made() -> None:
    overlay = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/match missing_ok=True\na: 1\n'
    made = plait.render({"in.yml": "b: 1\n", "over.yml": overlay}, merge={"m.yml": "a: 2\n"})
    assert made.to_yaml() == "b: 1\na: 2\n"


def test_files_keep_their_documents() -> None:
    files = {"a.yml": "kind: A\n", "b.yml": "kind: B\n---\nkind: C\n"}
    made = plait.render(files, merge={"m.yml": "kind: C\nx: 1\n---\nkind: A\n$patch: delete\n"})
    assert made.files == {"a.yml": "", "b.yml": "kind: B\n---\nkind: C\nx: 1\n"}


def test_deep_documents_are_refused() -> None:
    deep = "a: " + "[" * 150 + "]" * 150
    for left, right in ((deep, "a: []"), ("a: []", deep)):
        plait.render({"in.yml": left}, merge={"m.yml": right})
    with pytest.raises(PlaitError):
        plait.render({"in.yml": "a: 1"}, merge={"m.yml": "a: " + "{a: " * 100_000 + "}" * 100_000})


def test_many_items_are_merged_in_time() -> None:
    """Items are looked up, so that twice as many take twice as long."""
    rows = [(f"c{number}", number) for number in range(6_000)]
    left: plait.Plain = {
        "apiVersion": "v1",
        "kind": "Pod",
        "spec": {"containers": [{"name": a, "x": b} for a, b in rows]},
    }
    right: plait.Plain = {"kind": "Pod", "spec": {"containers": [{"name": a, "z": b} for a, b in rows]}}
    inputs = {"in.yml": plait.documents(left)}
    made = plait.render(inputs, merge={"m.yml": plait.documents(right)}, limits={"seconds": 30})
    assert made.to_dict()["spec"] == {"containers": [{"name": a, "x": b, "z": b} for a, b in rows]}


def test_many_values_of_a_set_are_merged_in_time() -> None:
    left: plait.Plain = {"a": [*range(6_000)], "b": [*range(6_000)]}
    right: plait.Plain = {"a": [*range(3_000, 9_000)], "$deleteFromPrimitiveList/b": [*range(3_000, 9_000)]}
    inputs = {"in.yml": plait.documents(left)}
    merge = {"m.yml": plait.documents(right)}
    made = plait.render(inputs, merge=merge, merge_keys=["a=.", "b=."], limits={"seconds": 30})
    assert made.to_dict() == {"a": [*range(9_000)], "b": [*range(3_000)]}


def test_what_is_in_the_place_of_a_document_goes_where_that_went() -> None:
    inputs = {"in.yml": '#@output/file "there.yml"\n---\nkind: A\na: 1\n'}
    made = plait.render(inputs, merge={"m.yml": "kind: A\n$patch: replace\nb: 1\n"}, extensions=["output-file"])
    assert made.files == {"there.yml": "kind: A\nb: 1\n"}


def test_nothing_is_merged_without_documents() -> None:
    assert plait.render({"in.yml": "a: 1\n"}, merge={"m.yml": "---\n"}).to_yaml() == "a: 1\n"
    with pytest.raises(OverlayError):
        plait.render({"in.txt": "a: 1\n"}, merge={"m.yml": "a: 1\n"})
