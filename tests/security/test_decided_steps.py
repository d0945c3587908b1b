"""Steps of a pipeline over documents in which a secret decides some documents, keys and items.

Every kind of operation at every kind of path, every form of a merge and every selector: errors, warnings and histories
are the same whatever the secret is.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import plait

ONE = """#@ load("@ytt:data", "data")
#@ flag = data.values.flag
---
kind: A
metadata: {name: w}
l:
- {name: p, v: 1}
#@ if flag:
- {name: s, v: 2}
#@ end
- {name: q, v: 3}
m:
  p: 1
  #@ if flag:
  s: 1
  #@ end
  q: 2
"""
CHOSEN = ONE + 'n: #@ 1 if flag else {"a": 1}\n'
SEVERAL = ONE + "#@ if flag:\n---\nkind: B\nmetadata: {name: b}\n#@ end\n---\nkind: C\nmetadata: {name: c}\n"
PATHS = (
    *("/l/1", "/l/1/v", "/l/-1", "/l/-", "/l/0:after", "/l/1:before", "/l/-1:prev", "/l/0:next/v", "/l/9"),
    *("/l/name=s/v", "/l/name=s?/v", "/l/name=q/v", "/l/name=s?", "/l/name=p:next/v", "/l/name=p:after"),
    *("/l/name=q:prev/v", "/m/s", "/m/s?", "/m/q", "/m/q:before", "/m/zz?", "/m/zz", "/m/zz/a?/b"),
)
OPERATIONS = {
    "replace": "- {{type: replace, path: '{}', value: 9}}\n",
    "remove": "- {{type: remove, path: '{}'}}\n",
    "test": "- {{type: test, path: '{}', value: 9}}\n",
    "test that it is absent": "- {{type: test, path: '{}', absent: true}}\n",
    "copy": "- {{type: copy, from: '{}', path: /new?}}\n",
    "copy to": "- {{type: copy, from: /kind, path: '{}'}}\n",
    "move": "- {{type: move, from: '{}', path: /new?}}\n",
}
SAME = "kind: A\nmetadata: {name: w}\n"
MERGES = {
    "an item that may be there": SAME + "l:\n- {name: s, v: 7}\n",
    "an item that is there": SAME + "l:\n- {name: q, v: 7}\n",
    "a new item": SAME + "l:\n- {name: new, v: 7}\n",
    "a key that may be there": SAME + "m: {s: 7}\n",
    "a key that is there, and a new one": SAME + "m: {q: 7, n: 1}\n",
    "a key to remove": SAME + "m: {s: null}\n",
    "a key to remove that is there": SAME + "m: {q: null}\n",
    "an array to remove": SAME + "l: null\n",
    "an item to remove": SAME + "l:\n- $patch: delete\n  name: s\n",
    "keys to retain": SAME + "m: {$retainKeys: [q, s]}\n",
    "another map": SAME + "m: {$patch: replace, q: 1}\n",
    "a document that may be there": "kind: B\nmetadata: {name: b}\nx: 1\n",
    "a document that is there": "kind: C\nmetadata: {name: c}\nx: 1\n",
    "a document to remove": "kind: B\nmetadata: {name: b}\n$patch: delete\n",
    "a document that is not there": "kind: D\nmetadata: {name: d}\nx: 1\n",
}
SELECTORS = (
    *("kind: B", "kind: C", "kind: D", "name: [b, c]", "namespace: x"),
    *("subset: {m: {s: 1}}", "subset: {m: {q: 2}}", "subset: {kind: C}"),
)
OVERLAY = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all, expects="1+"\n---\n'
OVERLAYS = {
    "a key that may be there": "#@overlay/match-child-defaults missing_ok=True\nm:\n  s: 7\n",
    "a key that is not there": "m:\n  z: 7\n",
    "an item": "l:\n#@overlay/match by='name', missing_ok=True\n- name: s\n  #@overlay/match missing_ok=True\n  v: 1\n",
}
ADDS = "- {type: replace, path: /z?, value: 1}\n"
RENDERS = "- render: {files: [a.yml], secrets: 'file:sec.yml'}\n"
STEPS: dict[str, tuple[str, str, str]] = {
    **{
        f"{kind} {path}": (ONE, "- patch: {ops: [b.yml]}\n", text.format(path))
        for kind, text in OPERATIONS.items()
        for path in PATHS
    },
    **{
        f"{kind} {path}": (CHOSEN, "- patch: {ops: [b.yml]}\n", text.format(path))
        for kind, text in OPERATIONS.items()
        for path in ("/n", "/n/a", "/n/0")
    },
    "merge a map into a chosen value": (CHOSEN, "- merge: {files: [b.yml]}\n", SAME + "n: {a: 1}\n"),
    **{
        f"merge {name}, {keys or 'without keys'}": (SEVERAL, f"- merge: {{{keys}files: [b.yml]}}\n", text)
        for name, text in MERGES.items()
        for keys in ("", "keys: ['l=name'], ", "keys: ['l=.'], ")
    },
    **{f"select {one}": (SEVERAL, f"- patch: {{select: {{{one}}}, ops: [b.yml]}}\n", ADDS) for one in SELECTORS},
    "no selection": (SEVERAL, "- patch: {ops: [b.yml]}\n", ADDS),
    **{f"overlay {name}": (ONE, "- overlay: {files: [b.yml]}\n", OVERLAY + text) for name, text in OVERLAYS.items()},
    "a layer": (SEVERAL, "- layer: {files: [b.yml]}\n", ADDS),
}


def said(name: str, flag: bool) -> list[str]:
    template, step, text = STEPS[name]
    given = {"schema.yml": "#@data/values-schema\n---\nflag: false\n", "a.yml": template, "b.yml": text}
    for path, written in (given | {"sec.yml": f"flag: {str(flag).lower()}\n"}).items():
        Path(path).write_text(written, "utf-8")
    Path("p.yml").write_text("steps:\n" + RENDERS.replace("[a.yml]", "[schema.yml, a.yml]") + step, "utf-8")
    try:
        made = plait.compose(Path("p.yml"), trace=True)
    except plait.PlaitError as error:
        return ["failed", error.report()]
    told = [json.dumps(one.to_dict(), default=str, sort_keys=True) for one in plait.explain(made)]
    return ["made", *made.warnings, *told]


@pytest.mark.parametrize("name", STEPS)
def test_a_step_says_the_same_whatever_a_secret_decides(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = said(name, True), said(name, False)
    if first[0] == second[0]:  # the exit status is not hidden
        assert first == second
