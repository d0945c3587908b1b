"""A rename keeps the output, for each way in which a name can be bound, loaded, passed and looked up; or it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workshop import Workshop, edited, workshop

from files import write_files
from plait.authoring.lsp import renaming
from plait.authoring.lsp.renaming import RenameError
from plait.authoring.project import file as project_files

# Every word that is to be renamed is written twice or more, as `old`, in each project; `|` is the cursor.
FILES = {
    "plait.yml": "runs:\n  a:\n    render: {files: [config, more], data-values-file: [prod.yml], data-value: [flagged.old=x]}\n",
    "prod.yml": "old: 3\nmap:\n  old: {deep: 4}\n",
    "more/note.yml": "more: 1\n",
    "config/schema.yml": """\
#@data/values-schema
---
old: 1
map:
  old: {deep: 1}
  list:
  - old: a
flagged:
  old: b
quoted:
  "old": c
""",
    "config/values.yml": "#@data/values\n---\nmap:\n  list:\n  - old: x\n  - old: z\n",
}
APP = """\
#@ load("@ytt:data", "data")
---
"""
# name: (template, files besides, cursor: file and text around it). The new name is `renamed`.
HELD: dict[str, tuple[str, dict[str, str], tuple[str, str]]] = {
    "a module": (
        '#@ load("@ytt:json", "json")\na: #@ json.encode({"json": 1})\n',
        {},
        ("config/app.yml", "#@ js|on.encode"),
    ),
    "a module, in its load": (
        '#@ load("@ytt:json", "json")\na: #@ json.encode([])\n',
        {},
        ("config/app.yml", '"js|on")'),
    ),
    "a module with an alias": (
        '#@ load("@ytt:json", j="json")\na: #@ j.encode([])\n',
        {},
        ("config/app.yml", "#@ |j.en"),
    ),
    "the data module": (f"{APP}a: #@ data.values.old\n", {}, ("config/app.yml", "#@ da|ta.values")),
    "a function of another file": (
        '#@ load("f.star", "old", other="old")\na: #@ old(1) + other(1)\n',
        {"config/f.star": "def old(x):\n  return x\nend\n"},
        ("config/app.yml", "#@ o|ld(1)"),
    ),
    "a function of a file that is loaded from the root": (
        '#@ load("/sub/f.star", "old")\na: #@ old(1)\n',
        {"config/sub/f.star": "def old(x):\n  return x\nend\n"},
        ("config/sub/f.star", "def o|ld"),
    ),
    "a function that another file passes on": (
        '#@ load("g.star", "old")\na: #@ old(1)\n',
        {
            "config/f.star": "def old(x):\n  return x\nend\n",
            "config/g.star": 'load("f.star", "old")\ndef _f(x):\n  return old(x)\nend\n',
        },
        ("config/g.star", "return o|ld"),
    ),
    "a parameter with arguments by name": (
        "#@ def f(old, b=1):\nx: #@ old + b\n#@ end\na: #@ f(old=2)\nb: #@ f(3, b=2)\n",
        {},
        ("config/app.yml", "f(o|ld, b"),
    ),
    "an argument by name of a function of another file": (
        '#@ load("f.star", g="f")\na: #@ g(old=2)\n',
        {"config/f.star": "def f(old=1):\n  return old\nend\n"},
        ("config/app.yml", "g(o|ld=2)"),
    ),
    "a parameter of a lambda": ("#@ f = lambda old: old + 1\na: #@ f(old=2)\n", {}, ("config/app.yml", "lambda o|ld")),
    "a parameter of a method": (
        '#@ load("@ytt:struct", "struct")\n#@ def f(old):\n#@   return old\n#@ end\n#@ s = struct.make(g=f)\na: #@ s.g(old=2)\n',
        {},
        ("config/app.yml", "def f(o|ld"),
    ),
    "a variable of a comprehension": (
        "#@ old = 5\na: #@ [old * 2 for old in range(3)]\nb: #@ old\nc: #@ {old: 1 for old in [1, 2] if old > 1}\n",
        {},
        ("config/app.yml", "for o|ld in range"),
    ),
    "a variable of a loop": ("a:\n#@ for old in range(2):\n- #@ old\n#@ end\n", {}, ("config/app.yml", "for o|ld in")),
    "a data value": (f"{APP}a: #@ data.values.old\n", {}, ("config/app.yml", "values.o|ld")),
    "a data value, in its schema": (f"{APP}a: #@ data.values.old\n", {}, ("config/schema.yml", "---\no|ld: 1")),
    "a data value by index": (f'{APP}a: #@ data.values["old"]\n', {}, ("config/app.yml", '["o|ld"]')),
    "a data value by getattr": (f'{APP}a: #@ getattr(data.values, "old")\n', {}, ("config/schema.yml", "---\no|ld: 1")),
    "a data value that may be there": (
        f'{APP}a: #@ getattr(data.values, "old", 7)\nb: #@ "old" in data.values\nc: #@ hasattr(data.values, "old")\n',
        {},
        ("config/schema.yml", "---\no|ld: 1"),
    ),
    "a data value behind a variable": (
        f"{APP}#@ m = data.values.map\na: #@ m.old.deep\n",
        {},
        ("config/prod.yml", ""),
    ),
    "a data value that a function gets": (
        f"{APP}#@ def f(m):\nx: #@ m.old.deep\n#@ end\na: #@ f(data.values.map)\n",
        {},
        ("config/app.yml", "m.o|ld.deep"),
    ),
    "a data value of the items of a list": (
        f"{APP}a:\n#@ for one in data.values.map.list:\n- #@ one.old\n#@ end\nb: #@ [x.old for x in data.values.map.list]\n",
        {},
        ("config/app.yml", "#@ one.o|ld"),
    ),
    "a data value in a text": (
        f'{APP}#@yaml/text-templated-strings\na: "(@= str(data.values.old) @)"\n#@yaml/text-templated-strings\nb: |\n  x\n  (@= str(data.values.old) @)\n',
        {"config/t.txt": '(@ load("@ytt:data", "data") @)(@= str(data.values.old) @)\n'},
        ("config/schema.yml", "---\no|ld: 1"),
    ),
    "a data value in a flag": (f"{APP}a: #@ data.values.flagged.old\n", {}, ("config/app.yml", "flagged.o|ld")),
    "a data value with quotes": (f"{APP}a: #@ data.values.quoted.old\n", {}, ("config/app.yml", "quoted.o|ld")),
    "a data value that a dict holds": (
        f'#@ load("@ytt:struct", "struct")\n{APP}#@ d = struct.decode(data.values.map)\na: #@ d["old"]["deep"]\n',
        {},
        ("config/schema.yml", "  o|ld: {deep: 1}"),
    ),
    "a data value of a library": (
        '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n--- #@ template.replace(library.get("lib").eval())\n',
        {
            "config/_ytt_lib/lib/values.yml": "#@data/values\n---\nold: 9\n",
            "config/_ytt_lib/lib/app.yml": f"{APP}lib: #@ data.values.old\n",
        },
        ("config/_ytt_lib/lib/app.yml", "values.o|ld"),
    ),
    "a data value that is passed to a library": (
        '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n#@ def v():\nold: 10\n#@ end\n--- #@ template.replace(library.get("lib").with_data_values(v()).with_data_values({"old": 11}).eval())\n',
        {
            "config/_ytt_lib/lib/schema.yml": "#@data/values-schema\n---\nold: 9\n",
            "config/_ytt_lib/lib/app.yml": f"{APP}lib: #@ data.values.old\n",
        },
        ("config/_ytt_lib/lib/app.yml", "values.o|ld"),
    ),
    "a data value of a library by reference": (
        '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n--- #@ template.replace(library.get("lib").eval())\n',
        {
            "config/ref.yml": '#@library/ref "@lib"\n#@data/values\n---\nold: 12\n',
            "config/_ytt_lib/lib/schema.yml": "#@data/values-schema\n---\nold: 9\n",
            "config/_ytt_lib/lib/app.yml": f"{APP}lib: #@ data.values.old\n",
        },
        ("config/ref.yml", "---\no|ld: 12"),
    ),
    "a function that a library exports": (
        '#@ load("@ytt:library", "library")\na: #@ library.get("lib").export("old")(1)\n',
        {"config/_ytt_lib/lib/f.star": "def old(x):\n  return x\nend\n"},
        ("config/_ytt_lib/lib/f.star", "def o|ld"),
    ),
    "a function of a library": (
        '#@ load("@lib:f.star", "old")\na: #@ old(1)\n',
        {"config/_ytt_lib/lib/f.star": "def old(x):\n  return x\nend\n"},
        ("config/app.yml", "#@ o|ld(1)"),
    ),
}
HELD["a data value behind a variable"] = (*HELD["a data value behind a variable"][:2], ("prod.yml", "  o|ld: {deep"))
LIBRARY = {
    "config/_ytt_lib/lib/schema.yml": "#@data/values-schema\n---\nold: {deep: 1}\nlist:\n- old: a\n",
    "config/_ytt_lib/lib/app.yml": f"{APP}lib: #@ data.values.old.deep\n",
}
MODULES = '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
OVERLAY = '#@ load("@ytt:overlay", "overlay")\n'
HELD |= {
    "a key of a dict that is passed to a library": (
        f'{MODULES}#@ v = {{"old": {{"deep": 5}}}}\n--- #@ template.replace(library.get("lib").with_data_values(v).eval())\n',
        LIBRARY,
        ("config/_ytt_lib/lib/app.yml", "values.o|ld"),
    ),
    "an argument in a dict": (
        '#@ def f(old=1):\n#@   return old\n#@ end\na: #@ f(**{"old": 3})\n',
        {},
        ("config/app.yml", "def f(o|ld"),
    ),
    "a variable of a function around another one": (
        "#@ def f(x):\n#@   old = x\n#@   def g(y):\n#@     return old + y\n#@   end\n#@   return g(1)\n#@ end\na: #@ f(2)\n",
        {},
        ("config/app.yml", "return o|ld"),
    ),
    "a default of a parameter of the same name": (
        f"{APP}#@ f = lambda x, old=data.values.old: x + old\na: #@ f(1) + f(1, old=2)\n",
        {},
        ("config/app.yml", "lambda x, o|ld"),
    ),
    "data values of the same name on a line": (
        f"{APP}a: #@ [data.values.old, data.values.map.old.deep, data.values.flagged.old]\n",
        {},
        ("config/app.yml", "map.o|ld"),
    ),
    "a function for several maps": (
        f"{APP}#@ def f(m):\n#@   return m.old\n#@ end\na: #@ [f(data.values), f(data.values.quoted)]\n",
        {},
        ("config/app.yml", "m.o|ld"),
    ),
    "a function in a text template": (
        f"{APP}a: 1\n",
        {
            "config/t.txt": '(@ load("f.star", "old") -@)\n(@= old("a") @)\n',
            "config/f.star": "def old(x):\n  return x\nend\n",
        },
        ("config/f.star", "def o|ld"),
    ),
    "a key that a matcher names": (
        f"{APP}a: #@ [x.old for x in data.values.map.list]\n",
        {"config/z.yml": f'{OVERLAY}#@data/values\n---\nmap:\n  list:\n  #@overlay/match by="old"\n  - old: z\n'},
        ("config/app.yml", "x.o|ld"),
    ),
    "a key that a rule names": (
        f"{APP}a: #@ data.values.v.old\n",
        {
            "config/schema.yml": FILES["config/schema.yml"]
            + '#@schema/validation one_not_null=["old", "b"]\nv:\n  old: 1\n  #@schema/nullable\n  b: 1\n'
        },
        ("config/app.yml", "v.o|ld"),
    ),
    "a key that a function of a rule looks up": (
        f"{APP}a: #@ data.values.v.old\n",
        {
            "config/schema.yml": FILES["config/schema.yml"]
            + '#@schema/validation ("x", lambda v: v["old"] > 0)\nv:\n  old: 1\n'
        },
        ("config/app.yml", "v.o|ld"),
    ),
}
REFUSED = {
    "a key that is computed": (
        f'{APP}a: #@ getattr(data.values, "o" + "ld")\n',
        ("config/schema.yml", "---\no|ld: 1"),
        "config/app.yml:3",
    ),
    "a key that is data": (f"{APP}a: #@ data.values.map\n", ("config/schema.yml", "  o|ld: {deep"), "config/app.yml:3"),
    "a map that is passed to a library": (
        f'{MODULES}{APP}--- #@ template.replace(library.get("lib").with_data_values(data.values.map).eval())\n',
        ("config/_ytt_lib/lib/app.yml", "values.o|ld"),
        "config/app.yml:5",
    ),
    "a loop over keys": (
        f"{APP}a: #@ [key for key in data.values]\n",
        ("config/schema.yml", "---\no|ld: 1"),
        "config/app.yml:3",
    ),
}


def outputs(top: Path) -> str:
    return project_files.read(str(top / "plait.yml")).run("a").evaluate().to_yaml()


def prepared(made: Workshop, template: str, files: dict[str, str]) -> dict[str, str]:
    texts = {**FILES, "config/app.yml": template, **files}
    write_files(made.top, texts)
    made.open("config/app.yml")
    return texts


@pytest.mark.parametrize("kind", HELD)
def test_a_rename_keeps_the_output(tmp_path: Path, kind: str) -> None:
    template, files, cursor = HELD[kind]
    with workshop(tmp_path, {}) as made:
        texts = prepared(made, template, files)
        before = outputs(tmp_path)
        place = made.at(*cursor)
        assert renaming.renamed_at(made.state, *place) is not None
        found = renaming.rename(made.state, *place, "renamed")
        assert not found.doubt
        assert found.edits
        for name, text in edited(texts, tmp_path, found.edits).items():
            (tmp_path / name).write_text(text, "utf-8")
        assert outputs(tmp_path) == before
        # Nothing is left of the name under the cursor, and it is where the cursor is.
        word = (tmp_path / cursor[0]).read_text("utf-8")
        assert re.search(r"\brenamed\b", word)


@pytest.mark.parametrize("kind", REFUSED)
def test_a_rename_that_changes_the_output_is_refused_with_the_line(tmp_path: Path, kind: str) -> None:
    template, cursor, line = REFUSED[kind]
    with workshop(tmp_path, {}) as made:
        prepared(made, template, LIBRARY)
        with pytest.raises(RenameError, match=re.escape(line)) as caught:
            renaming.rename(made.state, *made.at(*cursor), "renamed")
        assert caught.value.is_computed


def test_a_rename_in_a_project_whose_run_fails_is_not_verified(tmp_path: Path) -> None:
    with workshop(tmp_path, {}) as made:
        prepared(made, f"{APP}a: #@ data.values.old\nb: #@ data.values.none\n", {})
        found = renaming.rename(made.state, *made.at("config/app.yml", "values.o|ld"), "renamed")
        assert 'the run "a" fails' in found.doubt


@pytest.mark.parametrize(("around", "new"), [("#@ |x = 1", "y"), ("values.o|ld", "map"), ("#@ |x = 1", "len")])
def test_a_name_that_is_there_already_is_refused(tmp_path: Path, around: str, new: str) -> None:
    with workshop(tmp_path, {}) as made:
        prepared(made, f"{APP}#@ x = 1\n#@ y = len([2])\na: #@ x + y + data.values.old\n", {})
        with pytest.raises(RenameError, match=f"{new} already exists"):
            renaming.rename(made.state, *made.at("config/app.yml", around), new)


def test_a_rename_covers_all_environments(tmp_path: Path) -> None:
    """The editor watches the first one alone; the others have files of data values of their own."""
    names = [f"s{number}" for number in range(12)]
    files = {
        "plait.yml": "runs:\n  app:\n    matrix: {axes: {site: [" + ", ".join(names) + "]}}\n"
        "    render: {files: [config], data-values-file: ['sites/{site}.yml']}\n",
        "config/schema.yml": "#@data/values-schema\n---\nold: 1\n",
        "config/app.yml": f"{APP}a: #@ data.values.old\n",
        **{f"sites/{name}.yml": f"old: {number}\n" for number, name in enumerate(names)},
    }
    with workshop(tmp_path, files) as made:
        made.open("config/app.yml")
        found = renaming.rename(made.state, *made.at("config/app.yml", "values.o|ld"), "renamed")
        assert not found.doubt
        changed = edited(files, tmp_path, found.edits)
        assert [changed[f"sites/{name}.yml"] for name in names] == [f"renamed: {number}\n" for number in range(12)]
        # A file that changes on the disk meanwhile is seen.
        (tmp_path / "sites" / "s11.yml").write_text("old: 1\nother: 2\n", "utf-8")
        found = renaming.rename(made.state, *made.at("config/app.yml", "values.o|ld"), "renamed")
        assert "s11" in found.doubt
