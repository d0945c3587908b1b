"""Programs at random that mostly render: templates with their values, schemas, overlays and libraries.

They are biased to where structure meets code: documents within functions, `if` and `for`; `template.replace`; code and
annotations at the end of a file, before `---` and after `...`. A seed gives the same program on every machine.

    python tests/programs.py templates 0 100             runs 100 and prints what comes of each, as JSON lines
    python tests/programs.py operations 0 100 traced     the same for tests/operations.py, with every run recorded
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import random
import sys
import tempfile
from dataclasses import dataclass, field


@dataclass
class Program:
    """A command line (without the program's name) and the files it runs on."""

    arguments: list[str]
    files: dict[str, str] = field(default_factory=dict)


KEYS = ("a", "b", "c", "d", "name", "kind", "x-y")
VALUES = ("flag", "count", "text", "items", "table")
MODULES = ("template", "overlay", "data", "json", "yaml", "base64", "struct", "library", "assert")
TEXTS = ("abc", "''", "'1'", "two words")
ALL_VALUES = "flag: true\ncount: 1\ntext: t\nitems:\n- 1\ntable:\n  p: 1\n  q:\n    r: s\n"


def alternatives(text: str) -> list[str]:
    return text.split("|")


# Tables of alternatives: one a line, `\\` in place of a line break within one.
SCALARS = r"""
1|0|-3|2.5|true|false|null|~|""|text|two words|"quoted"|'it''s'|1e3|0x1f|010|yes|off|"yes"|2001-01-01|"line\nbreak"
[]|{}|[1, b]|{p: 1, q: [2]}||"#@ no code"|!!str 12|1_000|12:30:45|.5|" lead"|é ü|"\u00e9"|&x 1|=|-1
""".strip().replace("\n", "|").split("|")  # fmt: skip
EXPRESSIONS = r"""
1
"s"
None
True
1 + 2
"a" + "b"
"%s-%d" % ("x", 3)
1.5
"multi\nline"
7 // 2
10 % 4
not 0
len([1, 2])
"abc"[1]
[1, 2][0]
"a,b".split(",")
", ".join(["p", "q"])
1 if True else 2
{"k": [1, {"m": 2}]}
str([1])
str({1: 2})
type(1)
max(1, 3)
sorted([2, 1])
[x for x in range(3) if x]
"x" * 3
hasattr({}, "a")
json.encode({"b": [1, None], "a": 1.0})
yaml.encode({"b": [1, None], "a": "yes"})
base64.encode("ab")
json.decode("[1,2]")
yaml.decode("a: [1]")
struct.encode({"a": 1})
struct.decode(struct.make(a=1))
struct.make(a=[2]).a
1 == 1.0
2 > 1
str("a: b")
"- x"
"  lead"
"#c"
-0
1e20
1 << 40
"{}".format(1)
"é"
""".strip().splitlines()
BY_KIND = {
    "map": alternatives('{"p": 1}|{"p": {"q": [1]}, "r": "s"}|dict(a=1)|{}|{"a": 1, "b": None}'),
    "array": alternatives('[1, 2]|[{"name": "n1"}]|[]|range(3)|[i * 2 for i in range(2)]|(1, 2)|[[1], {"a": 1}]'),
    "docs": alternatives('[]|[{"p": 1}, {"q": 2}]|[1, None]|[[1]]'),
}
CONDITIONS = alternatives('True|False|1|""|[]|1 < 2|not True|True')
LOOPS = alternatives(
    'v in [1, 2]|v in ["n1", "n2"]|v in range(2)|v in []|k, v in [(1, 2), (3, 4)]|v in {"p": 1, "q": 2}'
)
BLOCKS = (
    ("|", "line\nother"), ("|-", "one\n\n\ntwo"), ("|+", "end\n"), (">", "deep\n  deeper"), (">-", "a\nb\n\nc"), ("|", "#@ no code"),
    ("|", "(@ x @)"), ("|2", "  more\nless"),
)  # fmt: skip
FOUND = 'by=overlay.all, expects="0+"'
# What stands behind the last node.
ENDINGS = r"""
#! the end
#@ 1
#@ if True:\\#@ end
\\
...
---
#@ def last():\\#@   return 1\\#@ end
#@ def last():\\a: 1\\#@ end
...\\#! c
---\\#@ if False:\\#@ end
#@overlay/match by=overlay.all, expects="0+"
#@overlay/match by=overlay.all, expects="0+"\\#@overlay/remove
  #@ 1
#@ for i in range(2):\\#@ j = i\\#@ end
...\\---\\z: 1
...\\#@ 1
--- #! c
  #@ template.replace([{"last": 1}])
""".strip().splitlines()
DOCUMENT_MATCHERS = r"""
overlay.all
overlay.all
overlay.subset({"kind": 1})
overlay.index(0)
lambda i, l, r: i < 2
overlay.or_op(overlay.index(0), overlay.subset({"a": 1}))
overlay.not_op(overlay.index(0))
""".strip().splitlines()
DOCUMENT_ACTIONS = r"""



#@overlay/match-child-defaults missing_ok=True
#@overlay/remove
#@overlay/replace
#@overlay/append
#@overlay/insert after=True
#@overlay/replace via=lambda l, r: r
#@overlay/match-child-defaults expects="0+"
""".splitlines()[1:]
ITEM_ACTIONS = r"""




#@overlay/remove
#@overlay/replace
#@overlay/replace via=lambda l, r: [l, r]
#@overlay/replace or_add=True
#@overlay/assert via=lambda l, r: True
""".splitlines()[1:]


def some(random: random.Random, table: list[str]) -> list[str]:
    """The lines of one alternative."""
    return random.choice(table).split("\\\\")


class Templates:
    """Builds one program of templates. values: whether there are data values."""

    def __init__(self, seed: int, *, values: bool = False) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.values = values
        self.functions: list[tuple[str, str]] = []
        self.variables: list[str] = []
        self.names = 0

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # Expressions

    def expression(self, kind: str = "", depth: int = 0) -> str:
        """kind: map, array, docs, or anything."""
        called = [name for name, made in self.functions if made == kind or (not kind and made != "docs")]
        if called and self.chance(0.4):
            return f"{self.pick(called)}()"
        if kind:
            return self.pick(BY_KIND[kind])
        if self.variables and self.chance(0.3):
            return self.pick(self.variables)
        if self.values and self.chance(0.4):
            return self.pick(
                [*(f"data.values.{value}" for value in VALUES), "data.values.table.p", "len(data.values.items)"]
            )
        if depth < 2 and self.chance(0.2):
            first = self.expression("", depth + 1)
            return (
                f"[{first}, {self.expression('', depth + 1)}]"
                if self.chance(0.6)
                else f'{{"{self.pick(KEYS)}": {first}}}'
            )
        return self.pick(EXPRESSIONS)

    def condition(self) -> str:
        return "data.values.flag" if self.values and self.chance(0.3) else self.pick(CONDITIONS)

    def loop(self) -> str:
        return "v in data.values.items" if self.values and self.chance(0.3) else self.pick(LOOPS)

    # Lines of YAML: each of these gives whole lines

    def value(self, indent: str, depth: int) -> list[str]:
        """What follows `key:`, with a space in front; further lines stand for themselves."""
        roll = self.random.random()
        if roll < 0.28:
            return [f" {self.pick(SCALARS)}".rstrip(" ")]
        if roll < 0.31:
            head, text = self.pick(BLOCKS)
            return [f" {head}", *(f"{indent}  {line}" if line else "" for line in text.split("\n"))]
        if roll < 0.58 or depth > 3:
            return [f" #@ {self.expression()}"]
        if roll < 0.62:
            return [f" (@= str({self.random.randint(0, 9)}) @) t"]
        if roll < 0.83:
            return ["", *self.map(indent + "  ", depth + 1)]
        return ["", *self.array(indent + self.pick(("", "  ")), depth + 1)]

    def item(self, indent: str, depth: int, used: set[str]) -> list[str]:
        free = [key for key in KEYS if key not in used]
        key = self.pick(free) if free else self.name("k")
        used.add(key)
        if self.chance(0.04):
            return [
                f"{indent}#@yaml/text-templated-strings",
                f'{indent}{key}: "(@= str(1) @)-(@ if True: @)t(@ end @)"',
            ]
        first, *rest = self.value(indent, depth)
        above = [f"{indent}#@yaml/map-key-override"] if self.chance(0.03) else []
        return [*above, f'{indent}"{key}":{first}' if self.chance(0.1) else f"{indent}{key}:{first}", *rest]

    def block(self, indent: str, depth: int, inside: str, used: set[str]) -> list[str]:
        """An `if` or `for` around nodes of the kind that stands here: map, array or docs."""

        def body(own: set[str]) -> list[str]:
            if inside == "map":
                return [line for _ in range(self.random.randint(1, 2)) for line in self.item(indent, depth + 1, own)]
            return self.array_item(indent, depth + 1) if inside == "array" else self.document()

        if self.chance(0.5):
            lines = [f"{indent}#@ if {self.condition()}:", *body(used)]
            if self.chance(0.3):
                lines += [f"{indent}#@ elif {self.condition()}:", *body(set(used))]
            if self.chance(0.4):
                lines += [f"{indent}#@ else:", *body(set(used))]
            return [*lines, f"{indent}#@ end"]
        if inside == "map":
            return [f"{indent}#@ for i in range(1):", *body(used), f"{indent}#@ end"]
        self.variables.append("v")
        lines = [f"{indent}#@ for {self.loop()}:", *body(set()), f"{indent}#@ end"]
        self.variables.pop()
        return lines

    def between(self, indent: str) -> list[str]:
        """A line between nodes that makes none."""
        return [
            self.pick(
                ("", f"{indent}#! c", f"{indent}#@ {self.name('b')} = {self.expression('', 1)}", f"{indent}#@ print(1)")
            )
        ]

    def map(self, indent: str, depth: int) -> list[str]:
        used: set[str] = set()
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            roll = self.random.random()
            if roll < 0.1:
                lines += self.between(indent)
            if roll < 0.7 or depth > 3:
                lines += self.item(indent, depth, used)
            elif roll < 0.85:
                lines += self.block(indent, depth, "map", used)
            elif roll < 0.93:
                lines.append(f"{indent}_: #@ template.replace({self.expression('map')})")
            elif roll < 0.95:
                lines += [*self.item(indent, depth, used), f"{indent}#@ template.replace({self.expression('map')})"]
            else:
                lines += self.function("map", indent)
        return lines

    def array_item(self, indent: str, depth: int) -> list[str]:
        roll = self.random.random()
        if roll < 0.35:
            return [f"{indent}- {self.pick(SCALARS)}".rstrip(" ")]
        if roll < 0.6 or depth > 3:
            return [f"{indent}- #@ {self.expression()}"]
        if roll > 0.9:
            return [f"{indent}-", *self.array(indent + "  ", depth + 1)]
        first, *rest = self.map(indent + "  ", depth + 1)
        if first.strip().startswith(("#", "-")) or not first.strip():
            return [f"{indent}-", first, *rest]
        return [f"{indent}- {first.strip()}", *rest]

    def array(self, indent: str, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            roll = self.random.random()
            if roll < 0.7:
                lines += self.array_item(indent, depth)
            elif roll < 0.86:
                lines += self.block(indent, depth, "array", set())
            elif roll < 0.92:
                lines.append(f"{indent}- #@ template.replace({self.expression('array')})")
            else:
                lines += [*self.between(indent), *self.array_item(indent, depth)]
        return lines

    def function(self, kind: str, indent: str = "", *, top: bool = False) -> list[str]:
        """A function that makes nodes of a kind, or (text) returns a value; top: others may call it."""
        name = self.name("f")
        if kind == "docs":
            body = [line for _ in range(self.random.randint(1, 2)) for line in self.document()]
        elif kind == "text":
            body = [f"{indent}#@   return {self.expression('', 1)}"]
        else:
            body = self.map(indent, 2) if kind == "map" else self.array(indent, 2)
        if top:
            self.functions.append((name, kind if kind != "text" else ""))
        return [f"{indent}#@ def {name}():", *body, f"{indent}#@ end"]

    def document(self, *, mark: bool = True) -> list[str]:
        replaced = f"template.replace({self.expression('docs')})"
        if mark and self.chance(0.12):
            return [f"--- #@ {self.expression() if self.chance(0.3) else replaced}"]
        lines = ["---"] if mark else []
        roll = self.random.random()
        if mark and roll < 0.07:
            return [f"--- {self.pick(('1', 'text', '{a: 1}', '[1]'))}"]
        if mark and roll < 0.11:
            return ["---", *(["a: 1"] if self.chance(0.5) else [])]
        if mark and roll < 0.15:
            lines.append(f"{self.pick(('', '  '))}#@ {replaced}")
        return lines + (self.map("", 0) if roll < 0.86 else self.array("", 0))

    def template(self) -> str:
        """A file; its functions and variables are its own."""
        self.functions, self.variables = [], []
        lines: list[str] = []
        kind = ""  # of the document that is open: nodes of another kind may not follow
        for _ in range(self.random.randint(1, 5)):
            roll = self.random.random()
            if roll < 0.3:
                made = self.pick(("map", "array", "docs", "docs", "text"))
                if made in ("map", "array") and kind not in ("", made):
                    lines.append("---")
                kind = {"text": kind, "docs": "?"}.get(made, made)
                lines += self.function(made, top=True)
                continue
            if roll < 0.36:
                name = self.name("b")
                lines.append(f"#@ {name} = {self.expression('', 1)}")
                self.variables.append(name)
                continue
            lines += (
                self.block("", 0, "docs", set()) if roll < 0.56 else self.document(mark=kind != "" or self.chance(0.7))
            )
            kind = "?"
            if self.chance(0.04):
                lines.append("...")
        if self.chance(0.3):
            lines += some(self.random, ENDINGS)
        return with_modules(lines) + ("\n" if self.chance(0.9) else "")

    # Values, overlays, libraries

    def data_values(self, heading: str) -> str:
        """Values for VALUES; heading: the annotation of the document, or nothing for plain values."""
        schema = heading == "#@data/values-schema"
        hash_ = "#!" if heading else "#"
        lines = [self.pick(("#! values", "", "#@ x = 1"))] if heading and self.chance(0.3) else []
        lines += [heading, "---"] if heading else self.pick((["---"], []))
        for value in VALUES if heading != "#@data/values" or self.chance(0.5) else self.random.sample(VALUES, 3):
            if self.chance(0.1):
                lines.append(f"{hash_} of this")
            if schema and self.chance(0.15):
                lines.append(
                    self.pick(
                        ('#@schema/desc "d"', "#@schema/nullable", "#@schema/type any=True", '#@schema/title "t"')
                    )
                )
            if heading and not schema and self.chance(0.1):
                lines.append("#@overlay/match missing_ok=True")
            if value == "flag":
                lines.append(f"flag: {self.pick(('true', 'false'))}")
            elif value == "count":
                lines.append("count: #@ 1 + 1" if heading and self.chance(0.3) else f"count: {self.pick('013')}")
            elif value == "text":
                lines.append(f"text: {self.pick(TEXTS)}")
            elif value == "table":
                lines += ["table:", "  p: 1", *(["  q:", "    r: s"] if schema or self.chance(0.5) else [])]
            elif schema:
                lines += ["#@schema/default [1, 2]", "items:", "- 0"] if self.chance(0.2) else ["items:", "- 1"]
            else:
                lines += ["#@overlay/replace"] if heading and self.chance(0.2) else []
                lines += ["items:", "- 1", *(["- 2"] if self.chance(0.7) else [])]
        if self.chance(0.2):
            lines.append(self.pick((f"{hash_} end", "", "...")))
        return "\n".join(lines) + ("\n" if self.chance(0.9) else "")

    def overlay(self) -> str:
        """A file of overlays, most of which match something or need not."""
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            inside = self.chance(0.15)
            if inside:
                lines.append(f"#@ if {self.condition()}:" if self.chance(0.6) else "#@ for i in range(2):")
            action = self.pick(DOCUMENT_ACTIONS)
            lines += [
                f'#@overlay/match by={self.pick(DOCUMENT_MATCHERS)}, expects="0+"',
                *([action] if action else []),
                "---",
            ]
            if action != "#@overlay/remove" or self.chance(0.3):
                lines += self.overlay_map("", 0)
            if inside:
                lines.append("#@ end")
        if self.chance(0.2):
            lines += some(self.random, ENDINGS)
        return with_modules(lines) + "\n"

    def overlay_map(self, indent: str, depth: int) -> list[str]:
        lines: list[str] = []
        for key in self.random.sample(KEYS, self.random.randint(1, 3)):
            match = self.pick(("missing_ok=True", "missing_ok=True", "missing_ok=True", 'expects="0+"', "when=1"))
            action = self.pick(ITEM_ACTIONS)
            lines += [f"{indent}#@overlay/match {match}", *([indent + action] if action else [])]
            roll = self.random.random()
            if roll < 0.4 or depth > 2:
                lines.append(f"{indent}{key}: {self.pick(('9', 'new', '{}', '[1]', 'null', ''))}".rstrip())
            elif roll < 0.5:
                lines.append(f"{indent}{key}: #@ {self.expression('', 1)}")
            elif roll < 0.75:
                lines += [f"{indent}{key}:", *self.overlay_map(indent + "  ", depth + 1)]
            else:
                lines += [f"{indent}{key}:", *self.overlay_items(indent)]
        return lines

    def overlay_items(self, indent: str) -> list[str]:
        action = self.pick(("", "", "remove", "append", "insert before=True", "replace"))
        if action == "append":
            return [f"{indent}#@overlay/append", f"{indent}- 7"]
        by = self.pick(('"name"', "overlay.all", "overlay.index(0)", "overlay.subset(1)", "lambda i, l, r: l == 1"))
        lines = [f'{indent}#@overlay/match by={by}, expects="0+"', *([f"{indent}#@overlay/{action}"] if action else [])]
        if "name" in by or self.chance(0.3):
            return [*lines, f"{indent}- name: n1", f"{indent}  #@overlay/match missing_ok=True", f"{indent}  b: 3"]
        return [*lines, f"{indent}- 8"]

    def with_library(self, program: Program) -> None:
        """A library with values of its own, and a template that takes what it makes."""
        inner = Templates(self.random.randrange(1 << 30), values=True)
        heading = self.pick(("#@data/values-schema", "#@data/values"))
        program.files["config/_ytt_lib/lib/values.yml"] = f"{heading}\n---\n{ALL_VALUES}"
        program.files["config/_ytt_lib/lib/t.yml"] = inner.template()
        if self.chance(0.4):
            program.files["config/_ytt_lib/lib/z_overlay.yml"] = inner.overlay()
        given = self.pick(("", '.with_data_values({"count": 4})', '.with_data_values(struct.make(text="o"))'))
        call = f'library.get("lib"){given}.eval()'
        lines: list[str] = []
        if self.chance(0.3):
            lines = [
                "#@ def over():",
                f"#@overlay/match {FOUND}",
                "---",
                "#@overlay/match missing_ok=True",
                "added: 1",
                "#@ end",
            ]
            call = f"overlay.apply({call}, over())"
        lines += self.pick((
            [f"--- #@ template.replace({call})"],
            ["---", f"#@ template.replace({call})"],
            ["---", "l:", f"  #@ for d in {call}:", "  - #@ d", "  #@ end"],
            [f"#@ docs = {call}", "--- #@ template.replace(docs)", "---", "n: #@ len(docs)"],
        ))  # fmt: skip
        program.files["config/main.yml"] = with_modules(lines) + "\n"
        if self.chance(0.2):
            program.files["config/libvalues.yml"] = '#@library/ref "@lib"\n#@data/values\n---\ncount: 8\n'

    def with_values(self, program: Program) -> None:
        self.values = True
        if self.chance(0.6):
            program.files["config/schema.yml"] = self.data_values("#@data/values-schema")
        else:
            program.files["config/v0.yml"] = f"#@data/values\n---\n{ALL_VALUES}"
        if self.chance(0.5):
            program.files["config/values.yml"] = self.data_values("#@data/values")
        if self.chance(0.25):
            program.files["more.yml"] = self.data_values("")
            program.arguments += ["--data-values-file", "more.yml"]
        if self.chance(0.1):
            program.arguments += ["--data-value", "text=z"]
        if self.chance(0.2):
            program.arguments += ["--data-value-yaml", self.pick(("count=5", "items=[9]", "table={p: 2}", "table.p=7"))]

    def program(self) -> Program:
        program = Program(["-f", "config"])
        if self.chance(0.5):
            self.with_values(program)
        if self.chance(0.2):
            self.with_library(program)
        for number in range(self.random.randint(1, 2)):
            program.files[f"config/t{number}.yml"] = self.template()
        self.functions, self.variables = [], []
        if self.chance(0.35):
            program.files["config/u_overlay.yml"] = self.overlay()
        if self.chance(0.05):
            flag = (
                "-o json|--ignore-unknown-comments|--data-values-inspect|--strict|-o pos|--implicit-map-key-overrides"
            )
            program.arguments += self.pick(flag.split("|")).split()
        return program


def with_modules(lines: list[str]) -> str:
    """A template's lines as text, behind the loads of the modules they name."""
    text = "\n".join(lines)
    return "".join(f'#@ load("@ytt:{module}", "{module}")\n' for module in MODULES if f"{module}." in text) + text


def template_program(seed: int) -> Program:
    return Templates(seed).program()


def outcome(program: Program) -> tuple[int, str, str]:
    """Run it in a directory of its own: status, standard output, standard error."""
    from plait.cli import main

    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        for name, text in program.files.items():
            file = pathlib.Path(directory) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        os.chdir(directory)
        try:
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                status = main(program.arguments)
        finally:
            os.chdir(before)
    return status, *(stream.buffer.getvalue().decode() for stream in (stdout, stderr))  # type: ignore[return-value]


def run() -> None:
    from operations import operations_program

    kind, first, count, *how = sys.argv[1:]
    if how == ["traced"]:
        from traced import record_every_run

        record_every_run()
    for seed in range(int(first), int(first) + int(count)):
        program = template_program(seed) if kind == "templates" else operations_program(seed)
        program.arguments.insert(0, "render" if kind == "templates" else "patch")
        print(json.dumps([seed, *outcome(program)]))


if __name__ == "__main__":
    run()
