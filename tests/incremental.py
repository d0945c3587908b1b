"""Random programs and environments: an engine that evaluated others before gives what a fresh evaluation gives.

`python -m incremental COUNT [FIRST_SEED]` in this directory tries COUNT combinations.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from plait.base.errors import PlaitError, render
from plait.base.input_view import InputView, use_view
from plait.base.limits import Limits, budget_scope
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.engine.world import evaluate_in
from plait.insight.node_paths import all_places
from plait.tree.context import Context
from plait.tree.provenance import Trace
from plait.ytt.starlark.step_budget import budget_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.engine.options import Request
    from plait.tree.nodes import Document

_DATA = '#@ load("@ytt:data", "data")\n'
_OVERLAY = '#@ load("@ytt:overlay", "overlay")\n'

# Each form of reading, and of everything that makes a result depend on more than a template's text.
FILES: dict[str, list[str]] = {
    "a_value.yml": [
        f"{_DATA}---\nkind: A\nname: #@ data.values.name\n",
        f"{_DATA}---\nkind: A\nname: #@ str(data.values.name) + '!'\n",
        "kind: A\nname: plain\n",
        f"{_DATA}---\nkind: A\nname: #@ data.values['name']\n",
        f"{_DATA}---\nkind: #@ data.values.kind\nname: chosen\n---\nkind: Many\nname: #@ str(data.values.size)\n",
    ],
    "b_branch.yml": [
        f"{_DATA}---\n#@ if data.values.live:\nkind: B\nname: #@ data.values.name\n#@ else:\nkind: B\nsize: #@ data.values.size\n#@ end\n",
        f"{_DATA}#@ if data.values.live:\n---\nkind: B\n#@ end\n---\nkind: B\nname: second\n",
    ],
    "c_loop.yml": [
        f"{_DATA}---\nkind: C\nname: c\nitems:\n#@ for one in data.values.tags:\n- #@ one\n#@ end\n",
        f"{_DATA}---\nkind: C\nname: c\ncount: #@ len(data.values.tags)\n",
        f"{_DATA}---\nkind: C\nname: c\nkeys: #@ [one for one in data.values.nested]\n",
        f"{_DATA}---\nkind: C\nname: c\nsum: #@ [one * 2 for one in data.values.tags if one]\n",
    ],
    "d_late.yml": [
        '#@ load("late.star", "late")\n---\nkind: D\nname: d\nlate: #@ late()\n',
        '#@ load("late.lib.yml", "late")\n---\nkind: D\nname: d\nlate: #@ late()\n',
        '#@ load("late.star", "early")\n---\nkind: D\nname: d\nearly: #@ early\n',
        '#@ load("late.star", "given")\n#@ load("@ytt:data", "data")\n---\nkind: D\nname: d\nlate: #@ given(data.values)\n',
    ],
    "late.star": [
        (
            'load("@ytt:data", "data")\nearly = data.values.size\ndef late():\n  return data.values.nested.a\nend\n'
            "def given(values):\n  return values.nested.b\nend\n"
        ),
        (
            'load("@ytt:data", "data")\nearly = [1]\ndef late():\n  return [data.values.size, early]\nend\n'
            'def given(values):\n  return getattr(values, "extra", "none")\nend\n'
        ),
    ],
    "late.lib.yml": [
        f"{_DATA}#@ def late():\na: #@ data.values.name\nb: fixed\n#@ end\n",
        f"{_DATA}#@ def late():\n- #@ data.values.live\n- 2\n#@ end\n",
    ],
    "e_absent.yml": [
        f'{_DATA}---\nkind: E\nname: e\nextra: #@ getattr(data.values, "extra", None)\n',
        f'{_DATA}---\nkind: E\nname: e\nhas: #@ hasattr(data.values, "extra")\n',
        f'{_DATA}---\nkind: E\nname: e\nhas: #@ hasattr(data.values.nested, "a")\n',
        f'{_DATA}---\nkind: E\nname: e\nhas: #@ "extra" in data.values\nnames: #@ dir(data.values)\n',
        f"{_DATA}---\nkind: E\nname: e\nextra: #@ data.values.extra if hasattr(data.values, 'extra') else 0\n",
    ],
    "f_changed.yml": [
        f'{_DATA}#@ tags = data.values.tags\n#@ tags.append("x")\n---\nkind: F\nname: f\ntags: #@ tags\nagain: #@ data.values.tags\n',
        f'{_DATA}#@ load("change.star", "change")\n---\nkind: F\nname: f\ntags: #@ change(data.values.tags)\n',
    ],
    "f_shared.yml": [
        (
            f'{_DATA}{_OVERLAY}#@ load("shared.lib.yml", "fragment", "made")\n#@ def right():\n#@overlay/match missing_ok=True\nf: #@ data.values.name\n#@ end\n'
            "---\nkind: F\nname: s\nmade: #@ overlay.apply(fragment, right())\nother: #@ made.items\n"
        ),
        f'{_DATA}#@ load("shared.lib.yml", "get")\n#@ get().append(data.values.size)\n---\nkind: F\nname: s\nitems: #@ get()\n',
        f'{_DATA}#@ load("shared.lib.yml", "tags")\n#@ tags().append(data.values.size)\n---\nkind: F\nname: s\nitems: #@ tags()\n',
    ],
    "g_shared.yml": [
        '#@ load("shared.lib.yml", "fragment", "get")\n---\nkind: G\nname: s\nmade: #@ fragment\nitems: #@ get()\n',
        f'{_DATA}#@ load("shared.lib.yml", "tags", "made")\n---\nkind: G\nname: s\nitems: #@ tags() if data.values.live else made.items\n',
    ],
    "shared.lib.yml": [
        (
            f'{_DATA}#@ load("@ytt:struct", "struct")\n#@ made = struct.make(items=[1])\n#@ def get():\n#@   return made.items\n#@ end\n'
            "#@ def tags():\n#@   return data.values.tags\n#@ end\n#@ def built():\na: 1\n#@ end\n#@ fragment = built()\n"
        ),
        (
            '#@ load("@ytt:struct", "struct")\n#@ made = struct.make(items=[])\n#@ def get():\n#@   return [2]\n#@ end\n'
            "#@ def tags():\n#@   return made.items\n#@ end\n#@ fragment = {'a': 1}\n"
        ),
    ],
    "change.star": [
        'def change(one):\n  one.append("y")\n  return one\nend\n',
        "def change(one):\n  return len(one)\nend\n",
    ],
    "g_reads.yml": [
        f'{_DATA}---\nkind: G\nname: g\ntext: #@ data.read("text.dat")\n',
        f"{_DATA}---\nkind: G\nname: g\nlist: #@ data.list()\n",
        f'{_DATA}#@ if data.values.live:\n---\nkind: G\ntext: #@ data.read("/text.dat")\n#@ end\n',
    ],
    "text.dat": ["one", "two"],
    "h_library.yml": [
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            f'{_DATA}#@ inner = library.get("lib").with_data_values({{"size": data.values.size}})\n'
            "--- #@ template.replace(inner.eval())\n"
        ),
        '#@ load("@ytt:library", "library")\n---\nkind: H\nname: h\nexport: #@ library.get("lib").export("named")()\n',
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            f"{_DATA}#@ for size in [1, data.values.size, 3]:\n"
            '--- #@ template.replace(library.get("lib").with_data_values({"size": size}).eval())\n#@ end\n'
        ),
        '#@ load("@ytt:library", "library")\n---\nkind: H\nname: h\nvalues: #@ library.get("lib").data_values().size\n',
    ],
    "_ytt_lib/lib/inner.yml": [
        f"{_DATA}---\nkind: Inner\nname: inner\nsize: #@ data.values.size\n",
        "kind: Inner\nname: inner\n",
    ],
    "_ytt_lib/lib/over.yml": [
        f'{_DATA}{_OVERLAY}#@overlay/match by=overlay.all, expects="0+"\n---\n#@overlay/match missing_ok=True\nover: #@ data.values.size\n',
        f'{_OVERLAY}#@overlay/match by=overlay.subset({{"kind": "Inner"}}), expects="0+"\n---\n#@overlay/match missing_ok=True\nover: fixed\n',
    ],
    "_ytt_lib/lib/names.star": [
        'load("@ytt:data", "data")\ndef named():\n  return data.values.size\nend\n',
        "def named():\n  return 7\nend\n",
    ],
    "_ytt_lib/lib/schema.yml": [
        "#@data/values-schema\n---\nsize: 5\n",
        "#@data/values-schema\n---\n#@schema/nullable\nsize: 6\n",
        "#@data/values-schema\n---\n#@schema/validation max=3\nsize: 3\n",
        "#@data/values-schema\n#@overlay/mach\n---\nsize: 5\n",
    ],
    "_ytt_lib/lib/reads.yml": [
        f'{_DATA}---\nkind: Read\nname: read\ntext: #@ data.read("text.dat")\n',
        f"{_DATA}---\nkind: Read\nname: read\nlist: #@ data.list()\n",
        "#@ n = 1\nkind: Read\nname: read\nbraces: {{b}}\n",
    ],
    "_ytt_lib/lib/text.dat": ["one", "two"],
    "_ytt_lib/lib/deep.yml": [
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            f'{_DATA}#@ deep = library.get("deep").with_data_values({{"depth": data.values.size}})\n'
            "--- #@ template.replace(deep.eval())\n"
        ),
        '#@ load("@deep:names.star", "deep")\n---\nkind: Deep\nname: #@ deep()\n',
    ],
    "_ytt_lib/lib/_ytt_lib/deep/deep.yml": [
        f'{_DATA}---\nkind: Deep\nname: #@ str(getattr(data.values, "depth", 0))\n',
        "kind: Deep\nname: deep\n",
    ],
    "_ytt_lib/lib/_ytt_lib/deep/names.star": ["def deep():\n  return 1\nend\n", "def deep():\n  return 2\nend\n"],
    "_ytt_lib/lib/_ytt_lib/deep/values.yml": [
        "#@data/values\n---\ndepth: 1\n",
        "#@data/values-schema\n---\ndepth: 2\n",
    ],
    "h_libraries.yml": [
        (
            '#@ load("@ytt:template", "template")\n#@ load("libraries.star", "made")\n'
            f"{_DATA}#@ if data.values.live:\n--- #@ template.replace(made(data.values.size))\n#@ end\n"
        ),
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            f"{_DATA}#@ if data.values.live:\n--- #@ template.replace(library.get('lib').eval())\n#@ end\n---\nkind: H\nname: h\n"
        ),
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:overlay", "overlay")\n'
            f'{_DATA}---\nkind: H\nname: all\nall: #@ [one["kind"] for one in library.get("lib", alias=data.values.kind).eval()]\n'
        ),
    ],
    "i_libraries.yml": [
        '#@ load("libraries.star", "made")\n---\nkind: H\nname: i\nall: #@ [one for one in made(1)]\n',
        (
            '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            '--- #@ template.replace(library.get("lib", dangerous_data_values_disable_validation=True).with_data_values({"size": 4}).eval())\n'
        ),
    ],
    "libraries.star": [
        'load("@ytt:library", "library")\ndef made(size):\n  return library.get("lib").with_data_values({"size": size}).eval()\nend\n',
        'load("@ytt:library", "library")\nlib = library.get("lib")\ndef made(size):\n  return lib.with_data_values({"size": size}).eval()\nend\n',
        'load("@ytt:library", "library")\ndocs = library.get("lib").eval()\ndef made(size):\n  return docs\nend\n',
        (
            'load("@ytt:library", "library")\nload("@ytt:data", "data")\nlib = library.get("lib").with_data_values({"size": data.values.size})\n'
            "def made(size):\n  return lib.eval() if size != 2 else library.get('lib').eval()\nend\n"
        ),
    ],
    "values_for.yml": [
        '#@library/ref "@lib"\n#@data/values\n---\nsize: 3\n',
        '#@library/ref "@lib~A"\n#@data/values\n---\nsize: 2\n',
        '#@library/ref "@lib"\n#@data/values-schema\n---\n#@overlay/match missing_ok=True\nmore: 2\n',
        "kind: For\nname: for\n",
        "kind: For\nname: for\nwithout: 1\n",
    ],
    "i_over.yml": [
        f'{_OVERLAY}#@overlay/match by=overlay.subset({{"kind": "A"}}), expects="0+"\n---\n#@overlay/match missing_ok=True\nover: 1\n',
        f'{_DATA}{_OVERLAY}#@overlay/match by=overlay.all, expects="0+"\n---\n#@overlay/match missing_ok=True\nby: #@ data.values.name\n',
        (
            f"{_OVERLAY}#@ def odd(index, left, right):\n#@   return index % 2 == 1\n#@ end\n"
            '#@overlay/match by=odd, expects="0+"\n---\n#@overlay/match missing_ok=True\nodd: true\n'
        ),
        f'{_OVERLAY}#@overlay/match by=overlay.subset({{"kind": "B"}}), expects=1\n---\n#@overlay/remove\nname:\n',
    ],
    "j_over.yml": [
        (
            f'{_DATA}{_OVERLAY}#@overlay/match by=lambda i, l, r: l["kind"] == data.values.kind, expects="0+"\n---\n'
            "#@overlay/match missing_ok=True\nchosen: #@ data.values.size\n"
        ),
        f'{_OVERLAY}#@overlay/match by=overlay.subset({{"kind": "C"}}), expects="0+"\n#@overlay/remove\n---\n',
        f'{_OVERLAY}#@overlay/match by=overlay.all, expects="0+"\n---\n#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: str(l) + r\nname: "-r"\n',
    ],
    "j_overs.yml": [
        (
            f'{_DATA}{_OVERLAY}#@ for one in data.values.tags:\n#@overlay/match by=overlay.subset({{"name": str(one)}}), expects="0+"\n---\n'
            "#@overlay/match missing_ok=True\ntagged: #@ one\n#@ end\n"
            '#@overlay/match by=overlay.subset({"kind": "Many"}), expects="0+"\n---\nitems:\n#@overlay/match by="name"\n- name: x\n'
            "  #@overlay/match missing_ok=True\n  size: #@ data.values.size\n#@overlay/append\n- name: y\n"
        ),
        (
            f'{_DATA}{_OVERLAY}#@overlay/match by=overlay.and_op(overlay.subset({{"kind": "Many"}}), overlay.not_op(overlay.subset({{"name": data.values.name}}))), expects=[0, 3, "4+"]\n'
            "---\nitems:\n#@overlay/match by=overlay.all, expects='1+'\n-\n  #@overlay/replace via=lambda l, r: l + str(data.values.size)\n  name: n\n"
            '#@overlay/match by=overlay.or_op(overlay.subset({"kind": "Many"}), overlay.subset({"kind": "A"})), when="2+"\n---\n#@overlay/match missing_ok=True\nlast: 1\n'
        ),
        (
            f"{_DATA}{_OVERLAY}#@ def made():\n#@   wanted = {{'kind': 'Many'}}\n#@   def changes(l, r):\n#@     wanted['kind'] = data.values.kind\n#@     return l\n#@   end\n"
            "#@overlay/match by=overlay.subset({'kind': 'Many'}), expects='0+'\n---\n#@overlay/replace via=changes\nkind:\n"
            "#@overlay/match by=overlay.subset(wanted), expects='0+'\n---\n#@overlay/match missing_ok=True\nwanted: true\n#@ end\n"
            '#@ load("@ytt:template", "template")\n--- #@ template.replace(made())\n'
        ),
        (
            f'{_DATA}{_OVERLAY}#@overlay/match by=overlay.subset({{"kind": "Many", "size": data.values.size}}), missing_ok=True\n---\n#@overlay/match missing_ok=True\nsizd: 1\n'
            '#@overlay/match by=overlay.subset({"kind": "Many"}), expects="0+"\n---\n#@overlay/match missing_ok=True\nnames: 1\n'
            "#@overlay/match by=overlay.index(1), missing_ok=True\n#@overlay/insert after=True\n---\nkind: Between\nname: #@ data.values.name\n"
        ),
    ],
    # Functions of overlays: closed ones, and all that makes one not closed.
    "j_functions.yml": [
        (
            f'{_OVERLAY}#@ load("@ytt:json", "json")\n#@ def has(index, left, right):\n#@   return "items" in left and left["name"] != "b"\n#@ end\n'
            '#@overlay/match by=overlay.or_op(has, overlay.subset({"kind": "A"})), expects="0+"\n---\n#@overlay/match missing_ok=True\nclosed: 1\n'
            "#@overlay/replace via=lambda l, r: json.encode([l, r])\nname: x\n"
        ),
        (
            f"{_OVERLAY}#@ def added():\n#@overlay/match missing_ok=True\nvia: 1\n#@ end\n#@ def apply(l, r):\n#@   return overlay.apply(l or r, added())\n#@ end\n"
            '#@overlay/match by=lambda i, l, r: l["kind"] in ("Many", "A", "K"), expects="0+"\n---\n'
            "#@overlay/match missing_ok=True\n#@overlay/replace via=apply, or_add=True\nmade: {a: 1}\n"
        ),
        (
            f'{_OVERLAY}#@ def told(l, r):\n#@   print(l)\n#@   return l\n#@ end\n#@overlay/match by=overlay.subset({{"kind": "Many"}}), expects="0+"\n'
            "---\n#@overlay/replace via=told\nname:\n"
        ),
        f'{_OVERLAY}#@overlay/match by=lambda *a: a[0] == 1, expects="0+"\n---\n#@overlay/match missing_ok=True\nsecond: 1\n',
        (
            f'{_DATA}{_OVERLAY}#@ size = data.values.size\n#@overlay/match by=lambda i, l, r: size == 1 or l["kind"] == "Many", expects="0+"\n---\n'
            "#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: [l, size], or_add=True\nsized: 1\n"
        ),
        (
            f"{_OVERLAY}#@ def made():\n#@   seen = []\n#@   def count(l, r):\n#@     seen.append(l)\n#@     return len(seen)\n#@   end\n"
            "#@overlay/match by=overlay.all, expects='0+'\n---\n#@overlay/match missing_ok=True\n#@overlay/replace via=count, or_add=True\nseen:\n#@ end\n"
            '#@ load("@ytt:template", "template")\n--- #@ template.replace(made())\n'
        ),
        (
            f"{_OVERLAY}#@ def misspelt():\n#@overlay/match missing_ok=True\nnaem: 1\n#@ end\n"
            "#@overlay/match by=lambda i, l, r: l['kind'] == 'Many', expects='0+'\n---\nitems:\n#@overlay/match by=overlay.all, expects='0+'\n"
            "#@overlay/replace via=lambda l, r: overlay.apply(l, misspelt())\n-\n"
        ),
        (
            f"{_OVERLAY}#@overlay/match by=lambda i, l, r: 12 // len(l['name']) > 2, expects='0+'\n---\n#@overlay/match missing_ok=True\nratio: 1\n"
            "#@overlay/replace via=lambda l, r: l + str(6 // (len(l) - 5))\nname:\n"
        ),
        (
            f'{_DATA}{_OVERLAY}#@ load("late.star", "late")\n#@ load("shared.lib.yml", "built")\n#@ def sized(l, r, size=data.values.size):\n#@   return size\n#@ end\n'
            "#@overlay/match by=overlay.subset({'kind': 'Many'}), expects='0+'\n---\n#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: built(), or_add=True\nbuilt:\n"
            "#@overlay/match missing_ok=True\n#@overlay/replace via=sized, or_add=True\nsize:\n"
            "#@overlay/match by=overlay.subset({'kind': 'A'}), expects='0+'\n---\n#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: late(), or_add=True\nlate:\n"
        ),
        (
            f"{_OVERLAY}#@ load('@ytt:module', 'module')\n#@ load('@ytt:struct', 'struct')\n#@ load('@ytt:data', 'data')\n#@ one = module.make('json', encode=lambda x: data.values.name)\n"
            "#@ two = struct.make(f=lambda l, r: l)\n#@overlay/match by=overlay.not_op(lambda i, l, r: l['kind'] == 'B'), expects='0+'\n---\n"
            "#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: one.encode(l), or_add=True\nencoded:\n"
            "#@overlay/match missing_ok=True\n#@overlay/replace via=lambda l, r: two.f(l, r), or_add=True\nsame:\n"
        ),
    ],
    "k_many.yml": [
        (
            f"{_DATA}#@ for one in range(4):\n---\nkind: Many\nname: #@ 'n{{}}'.format(one)\nsize: #@ data.values.size if one == 2 else one\n"
            "items:\n- name: x\n- name: #@ str(one)\n#@ end\n"
        ),
        (
            f"{_DATA}#@ for one in data.values.tags:\n---\nkind: Many\nname: #@ one\nitems: []\n#@ end\n---\nkind: Many\nname: a\n"
            "#@my/note 1, name=(2, 0.0 if data.values.live else -0.0)\nzero: #@ 0.0 if data.values.live else -0.0\n"
            "---\nkind: Many\nname: b\none: #@ 1 if data.values.live else 1.0\nitems:\n- name: x\n---\n"
        ),
    ],
    "k_apply.yml": [
        (
            f"{_DATA}{_OVERLAY}#@ def left():\na: 1\nb: #@ data.values.size\n#@ end\n#@ def right():\n#@overlay/match missing_ok=True\nc: 2\n#@ end\n"
            "---\nkind: K\nname: k\nmade: #@ overlay.apply(left(), right())\n"
        ),
    ],
    "l_text.txt": ['(@ load("@ytt:data", "data") @)name (@= str(data.values.name) @)\n', "plain (@= '1' @)\n"],
    "m_prints.yml": [f"{_DATA}#@ print(data.values.size)\n---\nkind: M\nname: m\n", '#@ print("m")\n---\nkind: M\n'],
    "n_fails.yml": [
        f'{_DATA}#@ load("@ytt:assert", "assert")\n#@ if data.values.size == 3:\n#@   assert.fail("three")\n#@ end\n---\nkind: N\nname: n\n',
        f"{_DATA}---\nkind: N\nname: n\nratio: #@ 6 // data.values.size\n",
    ],
    "o_warns.yml": [
        "#@ n = 1\nkind: O\nname: o\nbraces: {{b}}\n",
        "#@ n = 1\nkind: O\nname: o\n#@overlay/mach\na: 1\n",
        'kind: O\nname: o\nquoted: "#@ n"\n',
        "kind: O\nname: o\na: 1\na: 2\n",
    ],
    "p_whole.yml": [
        f'{_DATA}#@ load("@ytt:json", "json")\n---\nkind: P\nname: p\nall: #@ json.encode(data.values)\n',
        f'{_DATA}#@ load("@ytt:yaml", "yaml")\n---\nkind: P\nname: p\nall: #@ yaml.encode(data.values.nested)\n',
        f'{_DATA}#@ load("@ytt:struct", "struct")\n---\nkind: P\nname: p\nall: #@ struct.decode(data.values.nested)\n',
        f"{_DATA}---\nkind: P\nname: p\nsame: #@ data.values.nested == data.values.other\n",
    ],
    "q_fixed.yml": [
        '#@ load("@ytt:base64", "base64")\n---\nkind: Q\nname: q\ntext: #@ base64.encode("a")\n---\nkind: Q\nname: r\n',
        "#@ x = [1, 2]\n---\nkind: Q\nname: q\nlist: #@ x\n",
    ],
    "sub/r_deep.yml": [
        f'{_DATA}#@ load("/late.star", "late")\n---\nkind: R\nname: r\nlate: #@ late()\nhere: #@ data.list()\n',
        f"{_DATA}---\nkind: R\nname: r\nnone: #@ data.values.nested.a or data.values.nested.b\n",
    ],
    "broken.yml": ["a: [\n", "#@ if\na: 1\n", "kind: S\nname: s\n", "#@ x = undefined_name\nkind: S\n"],
}
SCHEMAS = [
    (
        "#@data/values-schema\n---\nname: a\nsize: 1\nlive: true\ntags: ['']\nnested: {a: 1, b: x}\nother: {a: 1, b: x}\nkind: A\n"
        "#@schema/nullable\nextra: ''\n"
    ),
    (
        "#@data/values-schema\n---\n#@schema/type any=True\nname: a\n#@schema/validation min=0\nsize: 1\nlive: true\n"
        "tags: [1]\n#@schema/type any=True\nnested: {a: 1, b: x}\n#@schema/type any=True\nother: 1\nkind: B\n"
    ),
    "#@data/values\n---\nname: a\nsize: 1\nlive: true\ntags: [1, 2]\nnested: {a: 1, b: x}\nother: {a: 1, b: x}\nkind: C\n",
    (
        '#@ load("change.star", "change")\n#@data/values\n---\nname: #@ str(1)\nsize: 1\nlive: true\ntags: []\nnested: {a: 1, b: x}\n'
        "other: null\nkind: A\n"
    ),
]
# Files that others load or read. They are there at first.
NEEDED = {
    "shared.lib.yml",
    "late.star",
    "late.lib.yml",
    "change.star",
    "text.dat",
    "_ytt_lib/lib/names.star",
    "_ytt_lib/lib/schema.yml",
    "_ytt_lib/lib/text.dat",
    "libraries.star",
}
# Values that appear, vanish, and change their type: of types that fit the schemas, and others.
VALUES: dict[str, tuple[list[str], list[str]]] = {
    "name": (["a", "b", "c"], ["1", "{x: 1}", "null"]),
    "size": (["1", "2", "4"], ["3", "0", "-1", "many"]),
    "live": (["true", "false"], ["null"]),
    "tags": (["[]", "['1']", "[a, b]"], ["[1, [2]]", "x"]),
    "nested": (["{a: 2}", "{a: 1, b: x}", "{b: y}"], ["{b: {c: 1}}", "{a: [1]}", "{c: 1}"]),
    "other": (["{a: 1, b: x}", "{a: 3}"], ["null"]),
    "kind": (["A", "B", "C"], ["null"]),
    "extra": (["''", "one"], ["1", "{}"]),
}
_RARE = 0.02


class Program:
    """A directory of files, and the inputs and options of its next evaluation."""

    def __init__(self, random: Random, directory: Path) -> None:
        self._random = random
        self._directory = directory
        self.inputs = ["config"]
        self._options: list[str] = []
        self._schema = random.choice(SCHEMAS)
        self._write("config/schema.yml", self._schema)
        for name, texts in FILES.items():
            if name in NEEDED or (name not in ("broken.yml", "n_fails.yml") and random.random() < 0.45):
                self._write(f"config/{name}", random.choice(texts))

    def _write(self, name: str, text: str | None) -> None:
        path = self._directory / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def environment(self, number: int) -> None:
        """Another environment: other values, and at times another list of inputs. No file changes that was read."""
        random = self._random
        chosen = {
            key: random.choice(texts[random.random() < _RARE])
            for key, texts in VALUES.items()
            if random.random() < 0.25
        }
        if chosen.get("extra") and random.random() > _RARE and "nullable" not in self._schema:
            del chosen["extra"]
        self._options = [word for key, text in chosen.items() for word in ("--data-value-yaml", f"{key}={text}")]
        self.inputs = ["config"]
        if random.random() < 0.5:
            own = "".join(f"{key}: {text}\n" for key, text in chosen.items())
            self._write(
                f"own/{number}.yml",
                f"#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n{own or '{}'}\n",
            )
            self.inputs.insert(random.random() > _RARE * 4, f"own/{number}.yml")
            self._options = []
        if random.random() < _RARE:
            self._options.append("--strict")
        if random.random() < _RARE * 3:
            self._options.append("--dangerous-data-values-disable-validation")
        if random.random() < _RARE:
            self._options += ["--limit", f"steps={random.choice([20, 200, 2000])}"]

    def edit(self) -> None:
        """A change of one file: another text, a new file, or one less."""
        random = self._random
        name = random.choice([*FILES, "schema.yml"])
        texts: list[str | None] = [*FILES.get(name, [self._schema])]
        if random.random() < _RARE or name not in NEEDED:
            texts.append(None)
        if random.random() < 0.7:  # a mistake does not stay for long
            self._write("config/broken.yml", None)
            self._write("config/n_fails.yml", None)
        self._write(f"config/{name}", random.choice(texts))

    def request(self) -> Request:
        """The next evaluation."""
        return table("render").parse([*(word for one in self.inputs for word in ("-f", one)), *self._options])


def evaluated(
    request: Request, engine: Engine | None, texts: Mapping[str, bytes] | None = None, *, is_traced: bool = False
) -> Mapping[str, object]:
    """Everything that an evaluation shows: the files it writes or its error, warnings, printed lines, reads, steps.

    texts: texts that replace files. is_traced: with the history of each value.
    """
    view, printed = InputView(texts), list[str]()
    with use_view(view), budget_scope(Limits()):
        context = Context(print_line=printed.append)
        if is_traced:
            context.trace = Trace()
        found: dict[str, object] = {}
        try:
            made = evaluate_in(context, request, engine)
            found["text"], found["bytes"] = made.to_yaml(), made.to_bytes()
            found["files"] = getattr(made, "files", None)
            found["error"] = None
            found["steps"] = budget_of(context).spent
            if context.trace is not None:
                found["histories"] = [*_histories(context.trace, made.nodes.items)]
        except PlaitError as error:
            found["error"] = error.exit_status, error.code, render(error, "")
        found |= {
            "warnings": context.warnings,
            "printed": printed,
            "reads": view.files,
            "directories": view.directories,
        }
    context.end()
    if engine is not None:
        engine.end()
    return found


def _histories(trace: Trace, documents: Sequence[Document]) -> Iterator[tuple[str, list[tuple[object, ...]]]]:
    """The path of each value, and the lines of its versions."""
    for place in all_places(documents, {}):
        yield (
            place.path,
            [
                (str(one.position), change and (change.action, str(change.source and change.source.name), change.line))
                for one, change in trace.versions(place.item)
            ],
        )


def differences(
    seed: int, environments: int, directory: Path, *, edits: bool, in_editor: bool = False
) -> Iterator[str]:
    """The environments of a random program for which an engine gives something else than a fresh evaluation.

    edits: files change between evaluations, and are read again. in_editor: they change in an editor, and no file is
    read from the disk again. One evaluation in four is traced. The working directory is `directory`.
    """
    random = Random(seed)
    program = Program(random, directory)
    engine = Engine(reads_once=in_editor or not edits)
    texts: dict[str, bytes] = {}
    for number in range(environments):
        if edits and random.random() < 0.7:
            program.edit()
        if not edits or random.random() < 0.4:
            program.environment(number)
        request = program.request()
        if in_editor:
            texts = {str(path.resolve()): path.read_bytes() for path in directory.rglob("*") if path.is_file()}
        reused, fresh = (evaluated(request, one, texts, is_traced=number % 4 == 2) for one in (engine, None))
        for what, value in fresh.items():
            if reused.get(what) != value:
                yield f"seed {seed}, environment {number}, {what}: {reused.get(what)!r} instead of {value!r}"


def _main(count: int, first: int) -> int:
    import os

    each = 60
    for seed in range(first, first + -(-count // each)):
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            for text in differences(seed, each, Path(directory), edits=seed % 2 == 1, in_editor=seed % 4 == 1):
                print(text[:3000])
                return 1
            os.chdir("/")
    print(f"{count} combinations, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
