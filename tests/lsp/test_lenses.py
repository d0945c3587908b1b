"""What is shown above lines, in all kinds of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from test_unused import LAYERS, READERS
from workshop import OPERATIONS, TEMPLATES, workshop

from plait.authoring.lsp import inlay_hints


def shown(top: Path, files: Mapping[str, str], name: str) -> list[tuple[int, str]]:
    with workshop(top, files) as made:
        path = made.open(name)
        return [(one.line, one.text) for one in inlay_hints.lenses(made.state, path)]


def test_documents_of_templates(tmp_path: Path) -> None:
    second = TEMPLATES["config/over.yml"].replace("replicas: 7", "labels: x")
    files = {**TEMPLATES, "config/second.yml": second}
    assert shown(tmp_path, files, "config/app.yml") == [(8, "changed by 2 overlays")]


def test_documents_of_overlays(tmp_path: Path) -> None:
    more = "kind: Deployment\nspec: {replicas: 1}\n---\nkind: Deployment\nspec: {replicas: 1}\n"
    over = TEMPLATES["config/over.yml"].replace("})", '}), expects="1+"')
    files = {**TEMPLATES, "config/more.yml": more, "config/over.yml": over}
    assert shown(tmp_path, files, "config/over.yml") == [(3, "matches 3 documents")]


OVERLAYS = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"}), expects="1+"
---
spec:
  replicas: 3
#@overlay/match by=overlay.subset({"kind": "Deployment"}), expects="1+"
---
kind: Deployment
#@overlay/match by=overlay.subset({"kind": "Deployment"}), expects="1+"
---
spec:
  #@overlay/match missing_ok=True
  #@overlay/remove
  extra:
#@overlay/match by=overlay.subset({"name": "b"})
#@overlay/remove
---
#@overlay/match by=overlay.subset({"name": "a"})
#@overlay/insert after=True
---
kind: New
#@overlay/match by=overlay.subset({"name": "c"}), expects="0+"
---
kind: None
"""
MADE = "kind: Deployment\nname: a\nspec: {replicas: 1, extra: 1}\n---\nkind: Deployment\nname: b\nspec: {replicas: 3}\n"


def test_what_overlays_match_and_what_they_change(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs: {a: {render: {files: [config]}}}\n",
        "config/made.yml": MADE,
        "config/over.yml": OVERLAYS,
    }
    assert shown(tmp_path, files, "config/over.yml") == [
        (3, "matches 2 documents, changes 1"),
        (7, "matches 2 documents, changes none"),
        (10, "matches 2 documents, changes 1"),
        (17, "matches 1 document"),
        (20, "adds 1 document"),
    ]


def test_data_values(tmp_path: Path) -> None:
    assert shown(tmp_path, READERS, "config/schema.yml") == [
        (3, "used in 1 place"),
        (6, "used in 1 place"),
        (8, "used in 2 places"),
        (9, "used in 2 places"),
        (10, "used in 2 places"),
    ]
    assert shown(tmp_path / "values", TEMPLATES, "prod.yml") == [(1, "used in 1 place"), (3, "used in 1 place")]


def test_operations_of_several_runs(tmp_path: Path) -> None:
    text = (
        OPERATIONS["ops.yml"]
        + "- type: remove\n  path: /instance_groups/name=db\n- type: test\n  path: /name\n  value: dep\n"
    )
    files = {
        **OPERATIONS,
        "ops.yml": text,
        "plait.yml": OPERATIONS["plait.yml"] + "  e:\n    patch: {base: base.yml, ops: [ops.yml], vars: {size: 4}}\n",
    }
    assert shown(tmp_path, files, "ops.yml") == [
        (1, "changes 2 places in 2 runs"),
        (4, "changes 2 places in 2 runs"),
        (6, "changes nothing"),
    ]


def test_parents(tmp_path: Path) -> None:
    files = {"plait.yml": "runs:\n  a:\n    layer: {files: all.yml}\n", "all.yml": LAYERS}
    assert shown(tmp_path, files, "all.yml") == [(4, "1 child")]
    more = (
        LAYERS
        + LAYERS[
            LAYERS.index("---\nschema: demo/Server/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: north") :
        ]
        .replace("name: north", "name: south")
        .replace("layer: site\n", "layer: site\n    abstract: true\n")
        .partition("---\nschema: demo/Key")[0]
    )
    assert shown(tmp_path / "more", {**files, "all.yml": more}, "all.yml") == [(4, "2 children")]
