"""Secrets are shown nowhere: everything is asked at every place of every file, and no answer has a canary in it.

What stands in the text of a file is on the screen anyhow; an answer shows it again in another place, where nobody expects it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from workshop import LAYERS, Workshop, workshop

from plait.authoring.lsp import code_actions, completion, diagnostics, hover, inlay_hints, navigation, renaming, symbols

CANARY = "canary-5b1"
STORE = {
    "plait.yml": "runs:\n  d:\n    patch: {base: base.yml, ops: [ops.yml], vars-store: store.yml, vars: {size: 3}}\n",
    "base.yml": """\
name: dep
password: ((pw))
user: {name: admin, password: ((user.password)), key: "id ((pw)) end"}
jobs:
- name: ((pw))
  port: 1
- name: web
  port: 2
""",
    "ops.yml": "- type: replace\n  path: /jobs/name=web/port\n  value: ((pw))\n- type: replace\n  path: /copy?\n  value: ((size))\n",
    "store.yml": f"pw: {CANARY}\nuser: {{password: {CANARY}}}\n",
}
WRONG_STORE = {**STORE, "base.yml": STORE["base.yml"].replace("((user.password))", "((user.passwrod))")}
PIPELINE = {
    "plait.yml": """\
runs:
  p:
    steps:
    - render: {files: [app.yml]}
    - patch: {ops: [ops.yml], vars-files: [vars.yml]}
    - overlay: {files: [over.yml]}
  d:
    patch: {base: app.yml, vars-store: vars.yml}
""",
    "app.yml": 'kind: App\nspec:\n  size: #@ 1 + 1\n  password: #@ "((" + "pw" + "))"\n  name: ((pw))\n',
    "ops.yml": "- type: replace\n  path: /spec/size\n  value: ((pw))\n",
    "vars.yml": f"pw: {CANARY}\n",
    "over.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "App"})
---
spec:
  password: x
  #@overlay/match missing_ok=True
  #@overlay/remove
  nam: 1
""",
}
SECRETS = {
    "plait.yml": "runs:\n  r:\n    render: {files: in, secrets: ['file:keys/s.yml', 'db.pin=file:keys/pin'], with: [secrets], data-values-file: v.yml}\n",
    "in/schema.yml": """\
#@data/values-schema
---
name: ""
db:
  password: ""
  pin: ""
  #@schema/secret
  marked: ""
""",
    "in/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("@ytt:base64", "base64")
kind: App
name: #@ data.values.name
url: #@ "db://" + data.values.db.password + "@" + data.values.name
items:
- name: #@ data.values.db.marked
  pin: #@ base64.encode(data.values.db.pin)
all: #@ data.values.db
""",
    "keys/s.yml": f"db: {{password: {CANARY}}}\n",
    "keys/pin": CANARY,
    "v.yml": f"name: app\ndb:\n  marked: {CANARY}\n",
}
ENCRYPTED = {
    "plait.yml": "runs:\n  a:\n    layer: {files: [policy.yml, documents.yml]}\n",
    "policy.yml": LAYERS["policy.yml"],
    "documents.yml": f"""\
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: north
  layeringDefinition: {{layer: site}}
  substitutions:
  - src: {{schema: demo/Key/v1, name: key, path: .value}}
    dest: {{path: .secret}}
  - src: {{schema: demo/Key/v1, name: key, path: .value}}
    dest: {{path: .text, pattern: XX}}
data:
  replicas: 3
  text: "a XX b"
---
schema: demo/Key/v1
metadata:
  schema: metadata/Document/v1
  name: key
  storagePolicy: encrypted
  layeringDefinition: {{layer: site}}
data:
  value: {CANARY}
""",
}
LONELY = {**ENCRYPTED, "documents.yml": ENCRYPTED["documents.yml"].replace("path: .value}", "path: .valeu}", 1)}


def answers(made: Workshop, name: str, text: str) -> Iterator[object]:
    """Everything that can be asked of a file, at each place where something can be asked."""
    state, path = made.state, made.path(name)
    lines = text.split("\n")
    yield diagnostics.problems(state, path)
    yield inlay_hints.hints(state, path, 1, len(lines))
    yield inlay_hints.lenses(state, path)
    yield symbols.symbols(state, path)
    for number, line in enumerate(lines, 1):
        for column in range(1, len(line) + 2):
            yield hover.hover(state, path, number, column)
            yield completion.complete(state, path, number, column)
            yield [*code_actions.fixes(state, path, number, number)]
            if CANARY not in line:
                yield [*code_actions.changes(state, path, number, column)]
            yield navigation.definition(state, path, number, column)
            yield navigation.references(state, path, number, column)
            for new in ("new", "new/Name/v1"):
                try:
                    yield renaming.rename(state, path, number, column, new)
                except renaming.RenameError as refused:
                    yield str(refused)


@pytest.mark.parametrize(
    "files",
    [STORE, WRONG_STORE, PIPELINE, ENCRYPTED, LONELY, SECRETS],
    ids=["variables store", "store without an entry", "pipeline", "encrypted document", "missing path", "secrets"],
)
def test_a_canary_is_in_no_answer(tmp_path: Path, files: Mapping[str, str]) -> None:
    with workshop(tmp_path, files) as made:
        for name in files:
            made.open(name)
        count = 0
        for name, text in files.items():
            for answer in answers(made, name, text):
                count += 1
                assert CANARY not in repr(answer), name
        assert count > 500


def test_what_is_typed_next_to_a_secret(tmp_path: Path) -> None:
    """Paths, values and matchers are completed by what occurs, unless that is a secret."""
    with workshop(tmp_path, STORE) as made:
        made.open("base.yml")
        made.open("ops.yml", "- type: remove\n  path: /jobs/\n")
        found = completion.complete(made.state, *made.at("ops.yml", "/jobs/|\n"))
        assert "name=web" in [one.label for one in found]
        assert CANARY not in repr(found)
    with workshop(tmp_path / "pipeline", PIPELINE) as made:
        for key in ("name", "size", "password"):
            made.open("over.yml", PIPELINE["over.yml"].replace("  password: x", f"  {key}: "))
            assert CANARY not in repr(completion.complete(made.state, *made.at("over.yml", f"{key}: |\n")))
        made.open("over.yml", PIPELINE["over.yml"].replace('"kind": "App"', '"spec": {"name": "'))
        assert CANARY not in repr(completion.complete(made.state, *made.at("over.yml", '"name": "|})')))


def test_that_there_is_a_secret_is_said(tmp_path: Path) -> None:
    with workshop(tmp_path, STORE) as made:
        made.open("base.yml")
        found = hover.hover(made.state, *made.at("base.yml", "pass|word: ((pw))"))
        assert found is not None
        assert "(secret)" in found.text
