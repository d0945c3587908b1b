"""A library that is evaluated often gives what it gives when everything is done each time.

A traced run does everything each time: it is the oracle. What takes steps or prints is done each time in either.
"""

from __future__ import annotations

import pytest

import plait
from plait.base.errors import PlaitError, render
from plait.base.fast_paths import FAST
from plait.base.source import Source
from plait.tree.context import Context
from plait.ytt.templates.template import Template, compile_yaml
from plait.ytt.templates.template_files import read_yaml
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.library import build_library
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

MAIN = """\
#@ load("@ytt:library", "library")
#@ load("@ytt:template", "template")
#@ app = library.get("app")
#@ for i in range(4):
--- #@ template.replace(app.with_data_values({"name": "n%d" % i}).eval())
#@ end
---
values: #@ app.data_values()
"""

APP = """\
#@ load("@ytt:data", "data")
kind: App
values: #@ data.values
"""

LIBRARIES = {
    "a schema, defaults and an overlay of constants": {
        "schema.yml": """\
#@data/values-schema
---
#@schema/validation min_len=1
name: app
#@schema/default [1, 2]
ports: [0]
#@schema/nullable
tls: {secret: ""}
""",
        "values.yml": '#@data/values\n---\nports: [3]\n#@overlay/match missing_ok=True\ntls: {secret: "x"}\n',
        "overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "App"}), expects=[1, 2]
---
#@overlay/match missing_ok=True
seen: [{deep: true}]
""",
    },
    "a schema that prints": {
        "schema.yml": '#@ print("schema")\n#@data/values-schema\n---\n#@ print("name")\nname: app\n',
    },
    "values that a loop makes": {
        "schema.yml": "#@data/values-schema\n---\nname: app\nports: [0]\n",
        "values.yml": "#@ ports = [1, 2]\n#@data/values\n---\nports:\n#@ for port in ports:\n- #@ port\n#@ end\n",
    },
    "two schemas and values for another library": {
        "schema.yml": "#@data/values-schema\n---\nname: app\n",
        "more.yml": "#@data/values-schema\n---\n#@overlay/match missing_ok=True\nmore: {a: 1}\n",
        "other.yml": '#@library/ref "@other"\n#@data/values\n---\nb: 2\n',
        "use.yml": '#@ load("@ytt:library", "library")\nother: #@ library.get("other").data_values()\n',
        "_ytt_lib/other/values.yml": "#@data/values\n---\na: 1\nb: 1\n",
    },
    "an overlay with functions": {
        "schema.yml": "#@data/values-schema\n---\nname: app\n",
        "overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@ def renamed(old, new):
#@   print(old["name"], new)
#@   return old["name"] + new
#@ end
#@overlay/match by=overlay.all
---
#@overlay/replace via=lambda old, new: renamed(old, new)
values: -new
""",
    },
    "an overlay that counts": {
        "schema.yml": "#@data/values-schema\n---\nname: app\n",
        "overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:data", "data")
#@overlay/match by=overlay.all
---
#@overlay/match missing_ok=True
last: #@ data.values.name
""",
    },
    "an overlay of a helper's values": {
        "schema.yml": "#@data/values-schema\n---\nname: app\n",
        "helper.star": 'load("@ytt:data", "data")\nname = data.values.name\n',
        "overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@ load("helper.star", "name")
#@overlay/match by=overlay.all
---
#@overlay/match missing_ok=True
last: #@ name
""",
    },
}


def _inputs(library: dict[str, str]) -> dict[str, str]:
    return {"main.yml": MAIN, "_ytt_lib/app/app.yml": APP} | {
        f"_ytt_lib/app/{path}": text for path, text in library.items()
    }


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_kept_is_what_would_be_made(name: str) -> None:
    quick = plait.render(_inputs(LIBRARIES[name]))
    oracle = plait.render(_inputs(LIBRARIES[name]), trace=True)
    assert quick.to_yaml() == oracle.to_yaml()
    assert quick.printed == oracle.printed
    assert "n3" in quick.to_yaml()


@pytest.mark.parametrize("name", LIBRARIES)
def test_each_evaluation_takes_the_same_steps(name: str) -> None:
    spent = []
    for count in (4, 5, 6):
        inputs = _inputs(LIBRARIES[name])
        inputs["main.yml"] = MAIN.replace("range(4)", f"range({count})")
        files = [in_memory(path, text, order) for order, (path, text) in enumerate(inputs.items())]
        context = Context()
        run(RenderJob(files, library=build_library(files)), context)
        assert context.budget is not None
        spent.append(context.budget.spent)  # type: ignore[attr-defined]
    assert spent[2] - spent[1] == spent[1] - spent[0] > 0


def test_an_evaluation_that_fails_leaves_nothing_behind() -> None:
    inputs = _inputs(LIBRARIES["a schema, defaults and an overlay of constants"])
    inputs["main.yml"] = """\
#@ load("@ytt:library", "library")
#@ load("@ytt:assert", "assert")
#@ app = library.get("app")
#@ wrong = app.with_data_values({"ports": "none"})
#@ empty = app.with_data_values({"name": ""})
good: #@ app.with_data_values({"name": "one"}).eval()[0]
wrong: #@ [assert.try_to(wrong.eval)[1], assert.try_to(wrong.eval)[1] == assert.try_to(wrong.eval)[1]]
empty: #@ [assert.try_to(empty.eval)[1], assert.try_to(empty.eval)[1] == assert.try_to(empty.eval)[1]]
again: #@ app.with_data_values({"name": "two"}).eval()[0]
"""
    quick, oracle = plait.render(inputs).to_yaml(), plait.render(inputs, trace=True).to_yaml()
    assert quick == oracle
    for part in ("wrong:\n- One or more data values were invalid\n- true\n", "empty:\n- 'Validating", "name: two\n"):
        assert part in quick


def test_an_error_in_a_plan_that_is_kept_says_the_same_each_time() -> None:
    inputs = {
        "main.yml": """\
#@ load("@ytt:library", "library")
#@ load("@ytt:assert", "assert")
#@ def app(deep):
#@   return library.get("app").with_data_values({"deep": deep}).eval
#@ end
first: #@ [app(False)(), app(False)(), app(False)()][2][0]
second: #@ assert.try_to(app(True))[1]
third: #@ app(True)()
""",
        "_ytt_lib/app/values.yml": "#@data/values\n---\ndeep: false\n",
        "_ytt_lib/app/app.yml": """\
#@ load("@ytt:data", "data")
kind: App
#@ if/end data.values.deep:
deep: {x: 1}
""",
        "_ytt_lib/app/overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all
---
#@overlay/match missing_ok=True
deep:
  #@overlay/remove
  #@overlay/replace
  x: 2
""",
    }
    errors = []
    for trace in (False, True):
        with pytest.raises(PlaitError) as raised:
            plait.render(inputs, trace=trace)
        errors.append(render(raised.value))
    assert errors[0] == errors[1]
    assert errors[0].count("Map item (key 'x')") == 1
    inputs["main.yml"] = inputs["main.yml"].partition("third")[0]
    assert plait.render(inputs).to_dict()["first"] == {"kind": "App", "deep": {"x": 2}}


_PART = "#@overlay/remove\nx: 1\nz: 2\n"

# Overlay annotations in what a library makes; each must be gone once its overlays were applied.
ANNOTATED = {
    "in the file itself": {"app.yml": "part:\n  #@overlay/remove\n  x: 1\n  z: 2\n"},
    "from a helper": {
        "app.yml": '#@ load("part.lib.yml", "part")\npart: #@ part()\n',
        "part.lib.yml": "#@ def part():\n#@overlay/remove\nx: 1\nz: 2\n#@ end\n",
    },
    "from another library": {
        "app.yml": '#@ load("@ytt:library", "library")\npart: #@ library.get("inner").eval()[0]\n',
        "_ytt_lib/inner/part.yml": "#@overlay/remove\nx: 1\nz: 2\n",
    },
    "exported from another library": {
        "app.yml": '#@ load("@ytt:library", "library")\npart: #@ library.get("inner").export("part")()\n',
        "_ytt_lib/inner/part.lib.yml": "#@ def part():\n#@overlay/remove\nx: 1\nz: 2\n#@ end\n",
    },
    "nowhere": {"app.yml": "part:\n  #@ if True:\n  x: 1\n  #@ end\n  z: 2\n"},
}


@pytest.mark.parametrize("name", ANNOTATED)
def test_overlay_annotations_leave_a_library_with_overlays(name: str) -> None:
    inputs = {
        "main.yml": """\
#@ load("@ytt:library", "library")
#@ load("@ytt:overlay", "overlay")
#@ app = library.get("app")
#@ parts = [app.eval()[0], app.eval()[0]]
result: #@ overlay.apply({"part": {"x": 3, "z": 4}, "seen": False}, parts[1])
""",
        "_ytt_lib/app/overlay.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all
---
#@overlay/match missing_ok=True
seen: true
""",
    } | {f"_ytt_lib/app/{path}": text for path, text in ANNOTATED[name].items()}
    part = {"x": 1, "z": 2} if name == "nowhere" else {"z": 2}
    assert plait.render(inputs).to_dict() == {"result": {"part": part, "seen": True}}
    assert plait.render(inputs, trace=True).to_dict() == plait.render(inputs).to_dict()


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("#@data/values\n---\na: 1\n", True),
        ("#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.subset({'a': [1, -1]})\n---\nb: 1\n", True),
        ("a: #@ len([1])\n", False),
        ("#@ print(1)\na: 1\n", False),
        ("#@ load('@ytt:data', 'data')\na: #@ data.values.a\n", False),
        ("#@ load('@ytt:library', 'library')\na: 1\n", False),
        ("#@ load('own.star', 'x')\na: #@ x\n", False),
        ("#@overlay/replace via=lambda old, new: new\na: 1\n", False),
        ("#@ def part():\nb: 1\n#@ end\na: 1\n", False),
        ("#@ load('@ytt:overlay', 'overlay')\na: #@ overlay.apply({'a': 1}, {'a': 2})\n", False),
    ],
)
def test_templates_that_give_the_same_run_twice(text: str, kept: bool) -> None:
    template = _compiled(text)
    context = Context()
    outcomes = [template.run(context, lambda path, _at: _Anything(path)) for _ in range(3)]
    assert (outcomes[2] is outcomes[1]) is (kept and FAST)
    assert outcomes[1] is not outcomes[0]


def _compiled(text: str) -> Template:
    file = read_yaml(Source("test.yml", text))
    return compile_yaml(file, ignore_unknown_comments=False, implicit_map_key_overrides=False)


class _Anything(dict[str, object]):
    """What a path gives: the module that it names, or one with an attribute of any name."""

    def __init__(self, path: str) -> None:
        super().__init__()
        from plait.ytt.modules import MODULES, load_module
        from plait.ytt.starlark.structs import Struct

        name = path.removeprefix("@ytt:")
        one = load_module(name, Context()) if name in MODULES else Struct({"values": Struct({"a": 1})})
        self.update({name: one, "x": 1})
