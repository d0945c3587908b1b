"""Programs at random that do things to a secret, and whether anything but the output shows it.

`python tests/canaries.py FIRST COUNT [pipelines]` tries so many seeds and prints each leak, and a summary at the end.
"""

from __future__ import annotations

import base64
import json
import pathlib
import random
import sys
import tempfile
from typing import Protocol

import plait

CANARY = "Kestrel9Zq"
NUMBER = 73915527
SECRETS: dict[str, plait.Plain] = {"pw": CANARY, "pin": NUMBER, "db": {"key": f"a-{CANARY}-b", "list": [CANARY, 1]}}
VALUES = {"name": "app", "size": 3, "pw": "", "pin": 0, "db": {"key": "", "list": [], "host": "h"}}
VALUES_TEXT = "".join([f"{key}: {json.dumps(value)}\n" for key, value in VALUES.items()])
LOAD = '#@ load("@ytt:data", "data")\n'
HEAD = """\
#@ load("@ytt:data", "data")
#@ load("@ytt:base64", "base64")
#@ load("@ytt:json", "json")
#@ load("@ytt:yaml", "yaml")
#@ load("@ytt:sha256", "sha256")
#@ load("@ytt:assert", "assert")
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:template", "template")
#@ v = data.values
"""
OVERLAY = """\
#@ load("@ytt:data", "data")
#@ load("@ytt:overlay", "overlay")
#@ v = data.values
#@overlay/match by=overlay.all, expects="1+"
---
"""


def texts() -> list[str]:
    """What gives a secret away, whole or in another form."""
    raw = CANARY.encode()
    forms = [
        CANARY,
        CANARY[::-1],
        CANARY[1:-1],
        raw.hex(),
        str(NUMBER),
        f"{NUMBER:x}",
        ",".join(CANARY),
        " ".join(CANARY),
    ]
    for before in range(3):
        # The middle of what base64 makes of it wherever it begins.
        whole = base64.b64encode(b"x" * before + raw).decode()
        forms.append(whole[4:-4])
    return [*(form.lower() for form in forms if len(form) >= 5)]


FORMS = texts()


class Run(Protocol):
    """How a program is run. marked: the schema says what its secrets are."""

    def __call__(self, files: dict[str, str], secrets: dict[str, plait.Plain], *, marked: bool) -> plait.Documents: ...


class Maker:
    """Programs of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def secret(self) -> str:
        return self.random.choice(
            [
                "v.pw",
                "v.db.key",
                "str(v.pin)",
                "v.db.list[0]",
                'v["pw"]',
                "getattr(v, 'pw')",
                "v.db.key.split('-')[1]",
                "v.made",
            ]
        )

    def text(self, depth: int = 0) -> str:
        """An expression that gives a text, mostly with a secret in it."""
        pick = self.random.choice
        if depth > 2 or self.random.random() < 0.3:
            return pick([self.secret(), self.secret(), self.secret(), "v.name", '"plain"'])
        inner = self.text(depth + 1)
        return pick(
            [
                f'"x" + {inner}',
                f'"{{}}-y".format({inner})',
                f'"%s:" % {inner}',
                f"{inner}[::-1]",
                f"{inner}.upper()",
                f"base64.encode({inner})",
                f"json.encode([{inner}])",
                f"yaml.encode({{'k': {inner}}})",
                f"sha256.sum({inner}) + {inner}",
                f'",".join([c for c in {inner}.elems()])',
                f'{inner}.replace("a", "b")',
                f"f({inner})",
                f"[{inner}][0]",
                f"{{'a': {inner}}}['a']",
                f"({inner} if v.size else v.name)",
                f"{inner}[1:]",
            ]
        )

    def statement(self) -> str:
        """Something that may say what it was given."""
        pick = self.random.choice
        text = self.text()
        return pick(
            [
                f"#@ print({text})\n",
                f'#@ print("got", {text}, v.size)\n',
                f"#@ fail({text})\n",
                f"#@ assert.fail({text})\n",
                f"#@ assert.equals({text}, 'other')\n",
                f"#@ g = {{'a': 1}}[{text}]\n",
                f"#@ g = int({text})\n",
                f"#@ g = getattr(v, {text})\n",
                f"#@ g = json.decode({text})\n",
                f"#@ g = yaml.decode({text})\n",
                f"#@ g = base64.decode({text})\n",
                f"#@ g = [1][{text}]\n",
                f"#@ g = {text} + 1\n",
                f"#@ g = {text}()\n",
                f"#@ g = v[{text}]\n",
                f"#@ g = assert.try_to(lambda: fail({text}))\n#@ print(g)\n",
                f"#@ g = {text}.nothing\n",
                f'#@ g = "%d" % {text}\n',
                f"#@ g = struct_of({text})\n",
                f"#@ if {text} == 'x':\n#@ fail('x')\n#@ end\n",
                "",
                "",
                "",
            ]
        )

    def node(self) -> str:
        """Nodes of the output."""
        pick = self.random.choice
        text = self.text()
        return pick(
            [
                f"k{self.random.randrange(9)}: #@ {text}\n",
                f"k{self.random.randrange(9)}:\n- #@ {text}\n- #@ v.name\n",
                f"k{self.random.randrange(9)}: #@ v.db\n",
                f"k{self.random.randrange(9)}: #@ yaml.decode(yaml.encode({{'z': {text}}}))\n",
                f"#@ if {text}:\nc{self.random.randrange(9)}: 1\n#@ end\n",
                f"#@ for c in {text}.elems():\nl{self.random.randrange(9)}: #@ c\n#@ end\n",
                f"m{self.random.randrange(9)}: #@ v\n",
                f"n{self.random.randrange(9)}: #@ v.size\n",
                f't1: #@ "a: " + {text}\n',
                f't1: #@ "[x\\na = " + {text}\n',
            ]
        )

    def overlay(self) -> str:
        """An overlay that may fail, or warn."""
        pick = self.random.choice
        text = self.text()
        return OVERLAY + pick(
            [
                f"#@overlay/match missing_ok=True\nover: #@ {text}\n".replace("f(", "str("),
                "#@overlay/match-child-defaults missing_ok=True\nk1:\n  deep: 1\n",
                "k1: 1\n",
                "#@overlay/replace via=lambda left, right: left + right\nk1: x\n",
                "#@overlay/assert via=lambda left, right: (False, left)\nk1: x\n",
                "#@overlay/match missing_ok=True\n#@overlay/replace or_add=True\nk2: #@ v.pw\n",
                '#@overlay/match missing_ok=True\n#@overlay/inside "yaml"\nt1:\n  a: 1\n',
                '#@overlay/match missing_ok=True\n#@overlay/inside "yaml"\nt1:\n  b: 1\n',
                '#@overlay/match missing_ok=True\n#@overlay/inside "ini"\nt1:\n  a: 1\n',
                '#@overlay/match missing_ok=True\n#@overlay/inside "json"\nt1:\n  a: 1\n',
            ]
        ).replace("base64.", "str").replace("json.", "str").replace("yaml.", "str").replace("sha256.", "str")

    def computed(self) -> str:
        """A data value that is made of others, or cannot be."""
        if self.random.random() < 0.7:
            return self.random.choice(
                ['made: #@ data.values.pw + "!"\n', "made: #@ str(data.values.pin)\n", "made: plain\n"]
            )
        return self.random.choice(
            [
                'made: #@ data.values.pw + "!"\n',
                "made: #@ data.values.pw[::-1]\n",
                "made: #@ data.values.db.key + data.values.name\n",
                "made: #@ data.values.pw + 1\n",
                "made: #@ {}[data.values.pw]\n",
                "made: #@ getattr(data.values, data.values.pw)\n",
                "made: #@ data.values.made + data.values.pw\n",
                "made: plain\n",
            ]
        )

    def program(self) -> dict[str, str]:
        """The files of a program."""
        out = [HEAD, "#@ def f(x):\n#@   return x\n#@ end\n"]
        for _ in range(self.random.randrange(3)):
            out.append(self.statement())
        out.append("---\nkind: K\n")
        for _ in range(self.random.randrange(1, 5)):
            out.append(self.node())
            if self.random.random() < 0.15:
                out.append(self.statement())
        files = {
            "app.yml": "".join(out),
            "schema.yml": f"{LOAD}#@data/values-schema\n#@schema/type any=True\n---\n{VALUES_TEXT}{self.computed()}",
        }
        if self.random.random() < 0.5:
            files["over.yml"] = self.overlay()
        return files

    def pipeline(self) -> dict[str, str]:
        """The files of a program for a pipeline, whose later steps get what the first one made."""
        files = self.program()
        if self.random.random() < 0.7:  # so that the later steps get something
            nodes = [self.node() for _ in range(self.random.randrange(2, 6))]
            files["app.yml"] = f"{HEAD}#@ def f(x):\n#@   return x\n#@ end\n---\nkind: K\n{''.join(nodes)}"
            files.pop("over.yml", None)
        for number in range(self.random.randrange(3)):
            files[f"ops{number}.yml"] = self.random.choice(
                [
                    "- {type: replace, path: /k1, value: x}\n",
                    "- {type: remove, path: /k1/deep}\n",
                    "- {type: replace, path: /k2/0/deep, value: x}\n",
                    "- {type: replace, path: /m1?/pw/deep, value: x}\n",
                    "- {type: replace, path: /t1?/-, value: x}\n",
                    "- {type: replace, path: /k3?, value: ((none))}\n",
                    "- {type: test, path: /k1, value: other}\n",
                    "- {type: test, path: /m2/db, value: {key: 1}}\n",
                ]
            )
        if self.random.random() < 0.5:
            files["later.yml"] = self.overlay()
        return files


# The same as MARKED says which of them are secret.
MARKED = """\
#@ load("@ytt:data", "data")
#@data/values-schema
---
name: app
size: 3
#@schema/secret
pw: ""
#@schema/secret
pin: 0
db:
  #@schema/secret
  key: ""
  #@schema/secret
  #@schema/type any=True
  list: []
  host: h
"""


def run(files: dict[str, str], secrets: dict[str, plait.Plain], *, marked: bool) -> plait.Rendered:
    """A program with secrets: given as such, or as data values that the schema marks."""
    if marked:
        files = {**files, "schema.yml": MARKED + files["schema.yml"].removeprefix(LOAD).partition(VALUES_TEXT)[2]}
        extensions = ["embedded", "secrets", "values-refer"]
        return plait.render(files, values=secrets, extensions=extensions, trace=True, limits={"seconds": 5})
    extensions = ["embedded", "values-refer"]
    return plait.render(files, secrets=secrets, extensions=extensions, trace=True, limits={"seconds": 5})


def compose(files: dict[str, str], secrets: dict[str, plait.Plain], *, marked: bool) -> plait.Composed:
    """The same program as the steps of a pipeline."""
    if marked:
        files = {**files, "schema.yml": MARKED + files["schema.yml"].removeprefix(LOAD).partition(VALUES_TEXT)[2]}
    taken = ["embedded", "values-refer", *(["secrets"] if marked else [])]
    templates = [name for name in ("app.yml", "schema.yml", "over.yml") if name in files]
    steps: list[dict[str, object]] = [
        {"values": {"set": secrets} if marked else {"secrets": "file:secrets.txt"}},
        {"render": {"files": templates, "with": taken}},
    ]
    steps += [{"patch": {"ops": name, "select": {"kind": "K"}}} for name in files if name.startswith("ops")]
    if "later.yml" in files:
        steps.append({"overlay": {"files": ["later.yml", "schema.yml"], "with": taken}})
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        for name, text in {
            **files,
            "secrets.txt": json.dumps(secrets),
            "plait.yml": json.dumps({"steps": steps}),
        }.items():
            (place / name).write_text(text, "utf-8")
        return plait.compose(str(place / "plait.yml"), trace=True, limits={"seconds": 5})


def said(files: dict[str, str], *, marked: bool, run: Run) -> tuple[str, dict[str, str]]:
    """How a program ended, and all that is said of a run of it beside its output, by the channel."""
    out: dict[str, str] = {}
    try:
        made = run(files, SECRETS, marked=marked)
    except plait.PlaitError as error:
        out["error"] = error.report()
        out["text"] = str(error)
        return "failed", out
    out["warnings"] = "\n".join(made.warnings)
    out["printed"] = "\n".join(made.printed)
    histories = list(plait.explain(made))
    out["explain"] = "\n".join(str(one) for one in histories)
    out["data"] = json.dumps([one.to_dict() for one in histories], default=str)
    try:
        other = run(files, {**SECRETS, "pw": "else", "pin": 1}, marked=marked)
    except plait.PlaitError:
        return "made", out
    out["diff"] = str(plait.diff(made, other))
    return "made", out


def leaks(files: dict[str, str], *, marked: bool, run: Run = run) -> tuple[str, list[str]]:
    """How a program ended, and the channels that show its secret. marked: the schema says what is one."""
    ended, channels = said(files, marked=marked, run=run)
    found = []
    for name, text in channels.items():
        low = text.lower()
        at = next((at for form in FORMS if (at := low.find(form)) >= 0), None)
        if at is not None:
            found.append(f"{name}: {text[max(at - 200, 0) : at + 100]}")
    return ended, found


def main(first: int, count: int, *, pipelines: bool) -> int:
    ended = {"made": 0, "failed": 0}
    found = 0
    for seed in range(first, first + count):
        maker = Maker(seed)
        files, way = (maker.pipeline(), compose) if pipelines else (maker.program(), run)
        how, shown = leaks(files, marked=seed % 2 == 1, run=way)
        ended[how] += 1
        if shown:
            found += 1
            print(f"seed {seed}:", *shown, sep="\n")
    print(f"{count} programs: {ended}, {found} leaks")
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), pipelines="pipelines" in sys.argv[3:]))
