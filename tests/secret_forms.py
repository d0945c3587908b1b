"""A secret, its transformations, and projects that make them: what no channel beside the output may show."""

from __future__ import annotations

import base64
import json

CANARY = "Kanarie-57x"
PARTS = CANARY.split("-")


def forms(canary: str) -> list[str]:
    """The transformations that the templates of the projects below make of a secret, in lower case."""
    half = len(canary) // 2
    found = [
        canary,
        canary[::-1],
        base64.b64encode(canary.encode()).decode(),
        canary.encode().hex(),
        canary[:half],
        canary[half:],
        *canary.split("-"),
        json.dumps({"k": canary}, separators=(",", ":")),
        "".join(chr(ord(one) + 1) for one in canary),
        "-".join(str(ord(one)) for one in canary),
    ]
    # What is as short as this stands in other words as well.
    return list(dict.fromkeys(one.lower() for one in found if len(one) > 3))


FORMS = forms(CANARY)

TEMPLATE = """\
#@ load("@ytt:data", "data")
#@ load("@ytt:base64", "base64")
#@ load("@ytt:json", "json")
#@ pw = data.values.db.pw
#@ def hexed(text):
#@   out = ""
#@   for one in text.elem_ords():
#@     out += "%x" % one
#@   end
#@   return out
#@ end
kind: App
metadata:
  name: web
spec:
  size: #@ data.values.size
  plain: #@ pw
  upper: #@ pw.upper()
  reversed: #@ pw[::-1]
  base64: #@ base64.encode(pw)
  hexed: #@ hexed(pw)
  parts: #@ pw.split("-")
  half: #@ pw[:len(pw) // 2]
  json: #@ json.encode({"k": pw})
  shifted: #@ "".join([chr(one + 1) for one in pw.elem_ords()])
  numbers: #@ "-".join([str(one) for one in pw.elem_ords()])
  url: #@ "db://user:" + pw + "@host"
  conditional: #@ "a" if pw.startswith("K") else "b"
  all: #@ data.values.db
  #@ if pw.endswith("x"):
  only: yes
  #@ end
"""
NOTE = '(@ load("@ytt:data", "data") @)first line\npassword = (@= data.values.db.pw @)\nreversed = (@= data.values.db.pw[::-1] @)\n'
SCHEMA = '#@data/values-schema\n---\nsize: 1\ndb:\n  #@schema/desc "x"\n  pw: ""\n'
MARKED = SCHEMA.replace('#@schema/desc "x"', "#@schema/secret")
POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n"
)


def document(name: str, data: str, policy: str, more: str = "") -> str:
    """A layered document."""
    return (
        f"---\nschema: demo/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n"
        f"  storagePolicy: {policy}\n  layeringDefinition: {{layer: site}}\n{more}data: {data}\n"
    )


SUBSTITUTIONS = """\
  substitutions:
  - src: {schema: demo/Kind/v1, name: key, path: .}
    dest: {path: .plain}
  - src: {schema: demo/Kind/v1, name: key, path: .}
    dest: {path: .text, pattern: XX}
"""
BASE = """\
size: 1
plain: ((pw))
url: db://user:((pw))@host
items:
- name: ((pw))
  port: 1
- name: web
  port: 2
"""
OPS = "- type: replace\n  path: /items/name=web/port\n  value: ((pw))\n- type: replace\n  path: /copy?\n  value: x((pw))y\n"

RENDERED = {"in/app.yml": TEMPLATE, "in/note.txt": NOTE}
STORED = f"pw: {CANARY}\n"
# By the kind of the secret: the files of a project, and the command line of its run. `run` is its entry in plait.yml.
PROJECTS: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "file": (
        {**RENDERED, "in/schema.yml": SCHEMA, "keys/s.yml": f"db: {{pw: {CANARY}}}\n"},
        "render: {files: [in], secrets: ['file:keys/s.yml']}",
        ["render", "-f", "in", "--secrets", "file:keys/s.yml"],
    ),
    "dir": (
        {**RENDERED, "in/schema.yml": SCHEMA, "keys/pw": CANARY},
        "render: {files: [in], secrets: ['db=dir:keys']}",
        ["render", "-f", "in", "--secrets", "db=dir:keys"],
    ),
    "schema": (
        {**RENDERED, "in/schema.yml": MARKED, "keys/v.yml": f"db: {{pw: {CANARY}}}\n"},
        "render: {files: [in], with: [secrets], data-values-file: [keys/v.yml]}",
        ["render", "-f", "in", "--with", "secrets", "--data-values-file", "keys/v.yml"],
    ),
    "schema by a flag": (
        {**RENDERED, "in/schema.yml": MARKED},
        f"render: {{files: [in], with: [secrets], data-value: ['db.pw={CANARY}']}}",
        ["render", "-f", "in", "--with", "secrets", "-v", f"db.pw={CANARY}"],
    ),
    "store": (
        {"base.yml": BASE, "ops.yml": OPS, "keys/store.yml": STORED},
        "patch: {base: base.yml, ops: [ops.yml], vars-store: keys/store.yml}",
        ["patch", "base.yml", "-o", "ops.yml", "--vars-store", "keys/store.yml"],
    ),
    "variables": (
        {"base.yml": BASE, "ops.yml": OPS, "keys/s.yml": STORED},
        "patch: {base: base.yml, ops: [ops.yml], secrets: ['file:keys/s.yml']}",
        ["patch", "base.yml", "-o", "ops.yml", "--secrets", "file:keys/s.yml"],
    ),
    "encrypted": (
        {
            "layers.yml": POLICY
            + document("key", CANARY, "encrypted")
            + document("web", "{text: aXXb, size: 1}", "cleartext", SUBSTITUTIONS)
        },
        "layer: {files: [layers.yml], cleartext-secrets: true}",
        ["layer", "layers.yml", "--cleartext-secrets"],
    ),
    "secrets-file": (
        {
            "layers.yml": POLICY
            + document("key", "https://keys/v1/secrets/0d2b3c1e-58fa-4fcd-a4f5-73eec9dd4ed2", "encrypted")
            + document("web", "{text: aXXb, size: 1}", "cleartext", SUBSTITUTIONS),
            "keys/s.yml": f"https://keys/v1/secrets/0d2b3c1e-58fa-4fcd-a4f5-73eec9dd4ed2: {CANARY}\n",
        },
        "layer: {files: [layers.yml], secrets-file: [keys/s.yml], cleartext-secrets: true}",
        ["layer", "layers.yml", "--secrets-file", "keys/s.yml", "--cleartext-secrets"],
    ),
}


def shown(text: str) -> list[str]:
    """The transformations of the secret that a text has, each with what is around it."""
    low = text.lower()
    found = [(one, low.find(one)) for one in FORMS]
    return [f"{one}: ...{text[max(at - 200, 0) : at + 80]}..." for one, at in found if at >= 0]
