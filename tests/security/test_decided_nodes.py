"""What overlays match, and what libraries get, where a secret decides which nodes there are: explain and print say the same.

Documents, keys and items of which a secret decides one, under each kind of overlay that sees more than one of them; and
libraries whose schema or values a secret shaped.
"""

from __future__ import annotations

import json

import pytest

import plait
from plait.insight.explain import Explainer
from plait.insight.node_paths import all_places

DOCUMENTS = '#@ load("@ytt:data","data")\n#@ flag, n, pw = data.values.flag, data.values.n, data.values.pw\n#@ if flag:\n---\ns: 1\n#@ end\n---\npub: 1\n'
NODES = '#@ load("@ytt:data","data")\n#@ flag, n, pw = data.values.flag, data.values.n, data.values.pw\n---\nm:\n  #@ if flag:\n  s: 1\n  #@ end\n  q: 2\nl:\n#@ if flag:\n- name: s\n#@ end\n- name: q\n'
OF_DOCUMENTS = {
    "an index": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.index(0)\n---\n#@overlay/match missing_ok=True\nz: 9\n',
    "each index": '#@ load("@ytt:overlay","overlay")\n#@ for k in range(5):\n#@overlay/match by=overlay.index(k), expects="0+"\n---\n#@overlay/match missing_ok=True\n#@yaml/text-templated-strings\n"k(@= str(k) @)": 9\n#@ end\n',
    "a function of the index": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=lambda i,l,r: i==0, expects="0+"\n---\n#@overlay/match missing_ok=True\nz: 9\n',
    "a number of matches": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all, when=2\n---\n#@overlay/match missing_ok=True\nz: 9\n',
    "an insertion beside each": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all, expects="1+"\n#@overlay/insert before=True\n---\nnew: 1\n',
    "all but an index": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.not_op(overlay.index(0)), expects="0+"\n---\n#@overlay/match missing_ok=True\nz: 9\n',
}
OF_NODES = {
    "a key that is missing, by a default": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n#@overlay/match-child-defaults missing_ok=True\n---\nm:\n  s: 7\n',
    "a key that is missing": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nm:\n  #@overlay/match missing_ok=True\n  s: 7\n',
    "an item that is missing": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nl:\n#@overlay/match by=\'name\', missing_ok=True\n- name: s\n',
    "each index of an array": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\nl:\n#@ for k in range(4):\n#@overlay/match by=overlay.index(k), missing_ok=True\n#@overlay/replace via=lambda l,r: {"k%d" % r: l}\n- #@ k\n#@ end\n',
    "a value made by a function 0": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda l,r: " ".join([str(x) for x in l])\nl: 1\n',
    "a value made by a function 1": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda l,r: len(l)\nl: 1\n',
    "a value made by a function 2": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda l,r: [x for x in l][0]\nl: 1\n',
    "a value made by a function 3": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda l,r: [len(x) for x in l] if False else str(l)\nl: 1\n',
    "a value made by a function 4": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda l,r: list(l)\nl: 1\n',
    "a value from a document": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=overlay.all\n#@overlay/replace via=lambda l,r: {"x":len(l["m"])}\n---\nq: 1\n',
    "a function that counts": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=lambda i,l,r: len(l["m"])==1, expects="0+"\n---\n#@overlay/match missing_ok=True\nz: 9\n',
    "a function that iterates": '#@ load("@ytt:overlay","overlay")\n#@overlay/match by=lambda i,l,r: "s" in [k for k in l["m"]], expects="0+"\n---\n#@overlay/match missing_ok=True\nz: 9\n',
}
LIBRARY = '#@ load("@ytt:data","data")\n#@ load("@ytt:library","library")\n#@ flag, n, pw, l = data.values.flag, data.values.n, data.values.pw, data.values.l\n'
INSIDE = {
    "_ytt_lib/q/t.yml": '#@ load("@ytt:data","data")\n#@ print("lib", dir(data.values))\nk: #@ dir(data.values)\n'
}
READS = '#@ print(dir(L.data_values()))\n#@ print(getattr(L.data_values(),"w",0))\n#@ print(type(getattr(L.data_values(),"w",0)))\n#@ print(hasattr(L.data_values(),"w"))\nx: #@ getattr(L.data_values(),"w",0)\ny: #@ L.eval()[0]["k"]\n'
SCHEMAS = {
    "a value": "#@ def sc():\nw: #@ pw\n#@ end\n",
    "a type": '#@ def sc():\nw: #@ 1 if flag else ""\n#@ end\n',
    "keys": "#@ def sc():\n#@ if flag:\nw: 1\n#@ else:\nv: 1\n#@ end\n#@ end\n",
    "a default list": "#@ def sc():\n#@schema/default l\nw: [0]\n#@ end\n",
    "a default": "#@ def sc():\n#@schema/default n\nw: 0\n#@ end\n",
    "nullable": "#@ def sc():\n#@ if flag:\n#@schema/nullable\nw: 1\n#@ else:\nw: 1\n#@ end\n#@ end\n",
    "a validation": "#@ def sc():\n#@schema/validation min=n\nw: 4\n#@ end\n",
}
VALUES = {
    "a key": '{"w": 1, pw: 2}',
    "a key below": '{"w": {pw: 1}}',
    "an item of a dict": "d",
    "a part of a fragment": "f()",
    "keys of a comprehension": "{c: 1 for c in pw.elems()}",
}
SCHEMA = "#@data/values-schema\n---\npw: ''\nn: 0\nflag: false\nl: [0]\n".replace("n: 0", "'n': 0")
# Lines of a text that follow what a secret made.
TEXT_HEAD = '(@ load("@ytt:data", "data") -@)\n(@ flag, n, pw = data.values.flag, data.values.n, data.values.pw -@)\n'
TEXTS = {
    "as many line breaks": '(@= "\\n" * n @)\nlast\n',
    "one of two texts": "first(@= 'a\\nb' if flag else 'c' @)end\nlast\n",
    "at the start of a line": "(@= 'x\\ny' if flag else 'z' @)\nlast\n",
    "a function": (
        '(@ def f(): -@)\n(@ for c in pw.elem_ords(): -@)\n(@= "\\n" * c @)(@ end -@)\n(@ end -@)\n(@= f() @)\nlast\n'
    ),
    "nothing or a text": "(@= '' if flag else 'c' @)\nlast\n",
    "nothing at the end": "last\n(@= '' if flag else 'c' @)",
    "a line break at the end": "last\n(@= 'a\\n' if flag else 'c' @)",
    "a line at the end": "last\nx(@= 'a\\nb' if flag else 'c' @)",
    "two texts": "(@= 'a\\n' if flag else 'c' @)(@= 'a\\n' if flag else 'c' @)\nlast\n",
    "before a text": "(@= 'a\\n' if flag else '' @)mid\nlast\n",
}
SECRETS: tuple[dict[str, plait.Plain], ...] = (
    {"pw": "hunter2Kestrel", "n": 3, "flag": True, "l": [1, 2, 3]},
    {"pw": "qqqqqqqKestrel", "n": 4, "flag": False, "l": [4, 5]},
)
GIVES = (
    '#@ d = {"a": 1}\n#@ if flag:\n#@   d["b"] = 2\n#@ end\n#@ def f():\na: 1\n#@ if flag:\nb: 1\n#@ end\n#@ end\n'
    '#@ L = library.get("q").with_data_values(%s)\n'
    '#@ if hasattr(L.data_values(), "w") and type(L.data_values().w) != "int":\n#@   print(dir(L.data_values().w))\n#@ end\n'
)
PROGRAMS: dict[str, dict[str, str]] = {
    **{f"documents, {name}": {"a.yml": DOCUMENTS, "o.yml": text} for name, text in OF_DOCUMENTS.items()},
    **{f"nodes, {name}": {"a.yml": NODES, "o.yml": text} for name, text in OF_NODES.items()},
    **{
        f"schema, {name}": {
            "a.yml": f'{LIBRARY}{text}#@ L = library.get("q").with_data_values_schema(sc())\n{READS}',
            **INSIDE,
        }
        for name, text in SCHEMAS.items()
    },
    **{f"text, {name}": {"a.txt": TEXT_HEAD + text} for name, text in TEXTS.items()},
    **{f"values, {name}": {"a.yml": LIBRARY + GIVES % text + READS, **INSIDE} for name, text in VALUES.items()},
}


def said(files: dict[str, str], secrets: dict[str, plait.Plain], *, trace: bool) -> list[str]:
    try:
        made = plait.render({"schema.yml": SCHEMA, **files}, secrets=secrets, trace=trace)
    except plait.PlaitError as error:
        return ["failed", error.report()]
    told = [json.dumps(one.to_dict(), default=str, sort_keys=True) for one in plait.explain(made)] if trace else []
    return ["made", *made.printed, *made.warnings, *told]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_secret_decides_is_not_told(name: str) -> None:
    for trace in (True, False):
        first, second = (said(PROGRAMS[name], one, trace=trace) for one in SECRETS)
        assert first == second
        assert not any("Kestrel" in line for line in first)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_value_is_secret_with_and_without_its_history(name: str) -> None:
    try:
        made = plait.render({"schema.yml": SCHEMA, **PROGRAMS[name]}, secrets=SECRETS[0], trace=True)
    except plait.PlaitError:
        return
    assert made.trace is not None
    explainer = Explainer(made.trace)
    for documents in (made.nodes.items, explainer.visible(made.nodes.items)):
        for place in all_places(documents, {}):
            assert explainer.hides(place) == explainer.history(place).secret


def test_a_line_beside_a_secret_is_shown() -> None:
    files = {"schema.yml": SCHEMA, "a.txt": TEXT_HEAD + "(@= pw @)\nlast\n"}
    made = plait.render(files, secrets=SECRETS[0], trace=True)
    assert [(one.path, one.value) for one in plait.explain(made)] == [("1", "(secret)"), ("2", "last")]
