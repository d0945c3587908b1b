"""docs/review.schema.json is what `plait review -o json` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from repositories import commit

from plait.cli import main
from plait.review.result import VERSION
from plait.review.rules import SEVERITIES
from plait.review.values import ADDED, CHANGED, MOVED, REMOVED, RENAMED

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "docs" / "review.schema.json").read_text("utf-8")
)
PROJECT: dict[str, str | None] = {
    "plait.yml": """\
runs:
  app: {render: {files: [config]}}
  other: {render: {files: [other]}}
""",
    "config/app.yml": """\
#@ load("@ytt:data", "data")
#@ def one():
#@   return 1
#@ end
kind: Deployment
metadata: {name: web}
spec: {replicas: #@ data.values.n
}
""",
    "config/list.yml": "kind: List\nmetadata: {name: l}\nitems: [{name: a, x: 1}, {name: b, x: 2}]\n---\nkind: Gone\nmetadata: {name: g}\n",
    "config/values.yml": "#@data/values\n---\nn: 1\n",
    "config/notes.txt": "a\n",
    "other/a.yml": "a: 1\n",
}
CHANGES: dict[str, dict[str, str | None]] = {
    "nothing": {},
    "values": {"config/values.yml": "#@data/values\n---\nn: 2\n#! for this\n"},
    "documents": {
        "config/list.yml": "kind: List\nmetadata: {name: l}\nitems: [{name: b, x: 2}, {name: a, x: 1}]\n---\nkind: New\nmetadata: {name: n}\n",
    },
    "a failure": {"config/app.yml": "a: #@ nothing\n"},
    "an invalid project": {"plait.yml": "runs: [\n"},
    "permissions": {"plait.yml": "runs: {app: {render: {files: [config, ../outside.yml]}}}\n"},
    "needed and idle": {
        "config/app.yml": '#@ load("@ytt:data", "data")\n#@ x = data.values.n\n#@ unused = 1\n---\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: #@ x\n}\n'
    },
    "runs": {"plait.yml": "runs: {app: {render: {files: [config]}}, more: {render: {files: [other]}}}\n"},
    "a text": {"config/notes.txt": "b\n"},
    "a secret": {"config/secret.yml": "kind: Secret\nmetadata: {name: s}\ndata: {a: Yg==}\n"},
}


def test_the_schema_is_valid_and_closed() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for one in (SCHEMA, *(one for one in SCHEMA["$defs"].values() if one["type"] == "object")):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    assert SCHEMA["properties"]["version"] == {"const": VERSION}
    change, consequence = (SCHEMA["$defs"][name]["properties"] for name in ("change", "consequence"))
    assert set(change["kind"]["enum"]) == {ADDED, REMOVED, CHANGED, MOVED, RENAMED}
    assert consequence["severity"]["enum"] == list(SEVERITIES)


@pytest.mark.parametrize("name", CHANGES)
def test_real_output(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    base = commit(work, PROJECT)
    commit(work, CHANGES[name])
    monkeypatch.chdir(work)
    assert main(["review", base, "HEAD", "-o", "json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [f"{list(one.path)}: {one.message}" for one in Draft202012Validator(SCHEMA).iter_errors(found)] == []
    for change in found["changes"]:
        assert all(number < len(found["causes"]) for number in change["causes"])
    if name != "nothing":
        assert any(found[key] for key in ("changes", "failures", "permissions", "elsewhere")) or found["runs"]["added"]
