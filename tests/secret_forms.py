"""A secret, its transformations, and projects that make them: what no channel beside the output may show."""

from __future__ import annotations

import base64
import hashlib
import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "Kanarie-57x"
PARTS = CANARY.split("-")


# Transformations of a secret by templates: name -> (expression of a template, the same in Python).
TRANSFORMATIONS: dict[str, tuple[str, Callable[[str], str]]] = {
    "plain": ("pw", lambda text: text),
    "upper": ("pw.upper()", str.upper),
    "swapped": ('"".join([one.lower() if one.isupper() else one.upper() for one in pw.elems()])', str.swapcase),
    "reversed": ("pw[::-1]", lambda text: text[::-1]),
    "half": ("pw[:len(pw) // 2]", lambda text: text[: len(text) // 2]),
    "other_half": ("pw[len(pw) // 2:]", lambda text: text[len(text) // 2 :]),
    "every_second": ("pw[::2]", lambda text: text[::2]),
    "twice": ("pw + pw", lambda text: text + text),
    "doubled": ('"".join([one + one for one in pw.elems()])', lambda text: "".join(one + one for one in text)),
    "spaced": ('" ".join(pw.elems())', " ".join),
    "dotted": ('".".join(pw.elems())', ".".join),
    "sorted": ('"".join(sorted(pw.elems()))', lambda text: "".join(sorted(text))),
    "replaced": ('pw.replace("-", "_")', lambda text: text.replace("-", "_")),
    "without_vowels": ('regexp.replace("[aeiou]", pw, "")', lambda text: re.sub("[aeiou]", "", text)),
    "rotated": ("pw[3:] + pw[:3]", lambda text: text[3:] + text[:3]),
    "shifted": (
        '"".join([chr(one + 1) for one in pw.elem_ords()])',
        lambda text: "".join(chr(ord(one) + 1) for one in text),
    ),
    "numbers": ('"-".join([str(one) for one in pw.elem_ords()])', lambda text: "-".join(str(ord(one)) for one in text)),
    "octal": ('"".join(["%o" % one for one in pw.elem_ords()])', lambda text: "".join(f"{ord(one):o}" for one in text)),
    "hexed": ('"".join(["%x" % one for one in pw.elem_ords()])', lambda text: text.encode().hex()),
    "percent": (
        '"".join(["%%%x" % one for one in pw.elem_ords()])',
        lambda text: "".join(f"%{ord(one):x}" for one in text),
    ),
    "base64": ("base64.encode(pw)", lambda text: base64.b64encode(text.encode()).decode()),
    "base64_twice": (
        "base64.encode(base64.encode(pw))",
        lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    ),
    "base64_reversed": ("base64.encode(pw[::-1])", lambda text: base64.b64encode(text[::-1].encode()).decode()),
    "base64_shifted": ('base64.encode("x" + pw)', lambda text: base64.b64encode(b"x" + text.encode()).decode()),
    "sha256": ("sha256.sum(pw)", lambda text: hashlib.sha256(text.encode()).hexdigest()),
    "sha256_part": ("sha256.sum(pw)[:12]", lambda text: hashlib.sha256(text.encode()).hexdigest()[:12]),
    "md5": ("md5.sum(pw)", lambda text: hashlib.md5(text.encode()).hexdigest()),
    "json": ('json.encode({"k": pw})', lambda text: json.dumps({"k": text}, separators=(",", ":"))),
    "json_parts": (
        'json.encode(pw.split("-"))',
        lambda text: json.dumps(text.split("-"), separators=(",", ":")),
    ),
    "toml": ('toml.encode({"k": pw})', lambda text: f'k = "{text}"'),
    "url": ('"db://user:" + pw + "@host"', lambda text: f"db://user:{text}@host"),
    "quoted": ('"%r" % [pw]', lambda text: f'["{text}"]'),
    "text_of_a_list": ("str(pw.split('-'))", lambda text: str(text.split("-")).replace("'", '"')),
}


def forms(canary: str) -> list[str]:
    """The transformations that the templates of the projects below make of a secret, in lower case."""
    found = [*(made(canary) for _, made in TRANSFORMATIONS.values()), *canary.split("-")]
    # What is as short as this stands in other words as well.
    return list(dict.fromkeys(one.lower() for one in found if len(one) > 3))


FORMS = forms(CANARY)

TEMPLATE = """\
#@ load("@ytt:data", "data")
#@ load("@ytt:base64", "base64")
#@ load("@ytt:json", "json")
#@ load("@ytt:md5", "md5")
#@ load("@ytt:regexp", "regexp")
#@ load("@ytt:sha256", "sha256")
#@ load("@ytt:toml", "toml")
#@ pw = data.values.db.pw
kind: App
metadata:
  name: web
spec:
  size: #@ data.values.size
TRANSFORMED  parts: #@ pw.split("-")
  conditional: #@ "a" if pw.startswith("K") else "b"
  all: #@ data.values.db
  #@ if pw.endswith("x"):
  only: yes
  #@ end
""".replace("TRANSFORMED", "".join(f"  {name}: #@ {code}\n" for name, (code, _) in TRANSFORMATIONS.items()))
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
    # A variables store that this run reads as variables: it is one, because another run of the project writes it.
    "store of another run": (
        {"base.yml": BASE, "ops.yml": OPS, "keys/store.yml": STORED},
        (
            "patch: {base: base.yml, ops: [ops.yml], vars-files: [keys/store.yml]}\n"
            "  other:\n    patch: {base: base.yml, ops: [ops.yml], vars-store: keys/store.yml}"
        ),
        ["run", "r"],
    ),
    "store of a matrix": (
        {"base.yml": BASE, "ops.yml": OPS, "keys/store.yml": STORED},
        (
            "patch: {base: base.yml, ops: [ops.yml], vars-files: [keys/store.yml]}\n"
            "  other:\n    matrix: {axes: {name: [store, none]}, output: 'other/{name}'}\n"
            "    patch: {base: base.yml, ops: [ops.yml], vars-store: 'keys/{name}.yml'}\n"
            "  third:\n    patch: {base: base.yml, ops: [ops.yml], vars-files: [keys/store.yml]}"
        ),
        ["run", "r"],
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
