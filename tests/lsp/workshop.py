"""A project on disk, the server's state on it, and places in files by the text around them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from files import write_files
from patience import LONGEST
from plait.authoring.lsp.features import FileEdit
from plait.authoring.lsp.resource_schemas import find_faults
from plait.authoring.lsp.state import ServerState
from plait.base.codes import CODES


class Workshop:
    """Files of a project, open in an editor."""

    def __init__(self, top: Path, files: Mapping[str, str]) -> None:
        self.top = top
        write_files(top, files)
        self.state = ServerState(lambda: None, find_faults)
        self.state.pause = 0.0

    def path(self, name: str) -> str:
        return str(self.top / name)

    def open(self, name: str, text: str | None = None) -> str:
        """Open a file, with another text than on the disk if there is one; wait for the runs. Its path."""
        path = self.path(name)
        self.state.open(path, (self.top / name).read_text("utf-8") if text is None else text)
        self.wait()
        return path

    def wait(self) -> None:
        """Wait until nothing is being evaluated."""
        end = time.monotonic() + LONGEST
        while self.state.is_busy():
            assert time.monotonic() < end, "an evaluation does not end"
            time.sleep(0.01)

    def at(self, name: str, around: str) -> tuple[str, int, int]:
        """The path, line and column of the cursor `|` in a piece of a file's text."""
        path = self.path(name)
        file = self.state.file(path)
        assert file is not None
        text = around.replace("|", "", 1)
        place = file.source.text.index(text) + around.index("|")
        line = file.source.text.count("\n", 0, place)
        return path, line + 1, place - (file.source.text.rfind("\n", 0, place) + 1) + 1


def edited(texts: Mapping[str, str], top: Path, edits: Iterable[FileEdit]) -> dict[str, str]:
    """The texts of a project's files after edits."""
    changed = dict(texts)
    for edit in sorted(edits, key=lambda one: (one.span.path, -one.span.line, -one.span.column)):
        name = str(Path(edit.span.path).relative_to(top))
        lines = changed[name].split("\n")
        last = edit.span.last or edit.span.line
        before, after = lines[edit.span.line - 1][: edit.span.column - 1], lines[last - 1][edit.span.end - 1 :]
        lines[edit.span.line - 1 : last] = [before + edit.text + after]
        changed[name] = "\n".join(lines)
    return changed


@contextmanager
def workshop(top: Path, files: Mapping[str, str]) -> Iterator[Workshop]:
    """A project whose evaluations end with the block."""
    made = Workshop(top, files)
    try:
        yield made
    finally:
        made.state.shut_down()


# A template that does not come to an end within what anybody waits.
ENDLESS = """\
#@ def f():
#@   for x in range(2000000000):
#@     y = x
#@   end
#@ end
a: #@ f()
"""
TEMPLATES = {
    "plait.yml": "runs:\n  prod:\n    render: {files: [config/], data-values-file: [prod.yml]}\n",
    "prod.yml": "replicas: 3\napp:\n  name: prod\n",
    "config/schema.yml": """\
#@data/values-schema
---
replicas: 1
app:
  #@schema/desc "how it is called"
  name: web
  port: 80
""",
    "config/helpers.star": 'def label(x):\n  return {"app": x}\nend\n_hidden = 1\n',
    "config/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("@ytt:json", "json")
#@ load("helpers.star", "label")
#! what it is called
#@ def name(x, suffix="a"):
#@   return x + suffix
#@ end
---
kind: Deployment
metadata:
  name: #@ name(data.values.app.name)
spec:
  replicas: #@ data.values.replicas
  labels: #@ label("web")
""",
    "config/over.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  replicas: 7
""",
}
OPERATIONS = {
    "plait.yml": "runs:\n  d:\n    patch: {base: base.yml, ops: [ops.yml], vars: {size: 3, pw: abc}}\n",
    "base.yml": """\
name: dep
instance_groups:
- name: web
  instances: 1
  jobs:
  - name: nginx
    properties: {port: 80, secret: ((pw))}
- name: db
  instances: 2
""",
    "ops.yml": """\
- type: replace
  path: /instance_groups/name=web/instances
  value: ((size))
""",
}
LAYERS = {
    "policy.yml": """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [global, site]}
""",
    "documents.yml": """\
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {role: web}
  layeringDefinition: {layer: global, abstract: true}
data:
  port: 80
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: north
  layeringDefinition:
    layer: site
    parentSelector: {role: web}
    actions:
    - {method: merge, path: .}
data:
  replicas: 3
""",
}
# A project with schemas of its documents in each place that they are written in.
_SPEC = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["fast", "slow"], "description": "how it runs"},
        "size": {"type": "integer", "minimum": 1, "description": "how large it is"},
        "label": {"type": "string"},
        "zone": {"type": "string", "description": "where it runs"},
    },
    "additionalProperties": False,
}
_KIND = {"type": "object", "properties": {"apiVersion": {}, "kind": {}, "metadata": {}, "spec": _SPEC}}
_MANIFEST = {"properties": {"groups": {"type": "array", "items": _SPEC}}}
KINDS = {
    "plait.yml": """\
schemas:
- schemas
- {files: base.yml, schema: manifest.json}
runs:
  templates: {render: {files: config}}
  operations: {patch: {base: base.yml, ops: ops.yml}}
  site: {layer: {files: site}}
""",
    "schemas/example.org/thing_v1.json": json.dumps(_KIND),
    "schemas/demo/server_v1.json": json.dumps(_SPEC),
    "manifest.json": json.dumps(_MANIFEST),
    "config/template.yml": "apiVersion: example.org/v1\nkind: Thing\nspec:\n  size: 2\n",
    "config/overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Thing"}), expects="1+"
---
#@overlay/match-child-defaults missing_ok=True
spec:
  zone: b
""",
    # What it is, only the output says.
    "config/made.yml": '#@ def kind():\n#@   return "Thing"\n#@ end\napiVersion: example.org/v1\nkind: #@ kind()\nspec:\n  size: 2\n',
    "base.yml": "groups:\n- label: a\n  size: 1\n",
    "ops.yml": "- type: replace\n  path: /groups/0\n  value:\n    size: 2\n",
    "site/layers.yml": """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
""",
    "site/a.yml": """\
schema: demo/Server/v1
metadata: {schema: metadata/Document/v1, name: a, layeringDefinition: {abstract: false, layer: site}, storagePolicy: cleartext}
data:
  size: 2
""",
}


# The codes of faults in documents of a kind, and of the schemas themselves.
OF_SCHEMAS = {
    CODES[name].code
    for name in CODES
    if name.startswith("json-schema-") or name in ("schema-not-checked", "extra-not-installed", "file-not-found")
}
