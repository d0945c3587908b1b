"""Parts of a container beside one that a secret chose.

One condition may decide both a part and the whole: each other part is withheld. Where it decides a part alone, which may
be a container or none, the same is shown of the others, whichever it is.
"""

from __future__ import annotations

import json

import pytest

import plait

HEAD = (
    '#@ load("@ytt:data", "data")\n#@ load("@ytt:struct", "struct")\n#@ flag = data.values.flag\n'
    "#@ def pick(p, q):\n#@   if flag:\n#@     return p\n#@   end\n#@   return q\n#@ end\n"
)
# The places of a chosen part (first) and another one (second).
CONTAINERS = {
    "list": "[{}, {}]",
    "tuple": "({}, {})",
    "dict": '{{"a": {}, "b": {}}}',
    "struct": "struct.make(a={}, b={})",
    "nested": "[[{}, {}]]",
    "list in a dict": '{{"l": [{}, {}]}}',
    "list in a struct": "struct.make(l=[{}, {}])",
    "list()": "list(({}, {}))",
    "reversed": "reversed(reversed([{}, {}]))",
    "sum": "[{}] + [{}]",
    "stored in a list": "stored([0, 0], {}, {})",
    "stored in a dict": 'keyed({{"a": 0, "b": 0}}, {}, {})',
    "appended": "appended([], {}, {})",
}
# Containers whose parts are told apart.
FOLLOWED = ("list", "dict", "stored in a list", "stored in a dict", "appended")
MADE = (
    "#@ def stored(l, p, q):\n#@   l[0] = p\n#@   l[1] = q\n#@   return l\n#@ end\n"
    '#@ def keyed(d, p, q):\n#@   d["a"] = p\n#@   d["b"] = q\n#@   return d\n#@ end\n'
    "#@ def appended(l, p, q):\n#@   l.append(p)\n#@   l.append(q)\n#@   return l\n#@ end\n"
)
OF_LISTS = (
    *(
        "{}[1]",
        "{}[-1]",
        "{}[1:][0]",
        "[q for q in {}][1]",
        "list({})[1]",
        "reversed({})[0]",
        "list(enumerate({}))[1][1]",
    ),
    *("[j for i, j in enumerate({})][1]", "zip({}, [1, 2])[1][0]", "len({})", "second({})", "unpacked({})"),
)
OF_DICTS = ('{}["b"]', '{}.get("b")', "{}.values()[1]", "{}.items()[1][1]", "[v for k, v in {}.items()][1]", "len({})")
OF_STRUCTS = ("{}.b", 'getattr({}, "b")')
VISIBLE = '"visible"'
READERS = (
    "#@ def second(l):\n#@   found = None\n#@   for one in l:\n#@     found = one\n#@   end\n#@   return found\n#@ end\n"
    "#@ def unpacked(l):\n#@   p, q = l\n#@   return q\n#@ end\n"
)


def reads(name: str) -> list[str]:
    if "list in a dict" in name:
        return [one.replace("{}", '{}["l"]') for one in OF_LISTS]
    if name == "list in a struct":
        return [one.replace("{}", "{}.l") for one in OF_LISTS]
    if name == "nested":
        return [one.replace("{}", "{}[0]") for one in OF_LISTS]
    if "dict" in name:
        return [*OF_DICTS]
    return [*(OF_STRUCTS if name == "struct" else OF_LISTS)]


def said(line: str, name: str, flag: bool, *, trace: bool) -> list[str]:
    text = HEAD + MADE + READERS + line
    for number, one in enumerate(reads(name)):
        text += f"#@ print({number}, {one.format('z')})\n"
    text += "---\n" + "".join(f"k{number}: #@ {one.format('z')}\n" for number, one in enumerate(reads(name)))
    made = plait.render({"a.yml": text}, secrets={"flag": flag}, trace=trace)
    told = [json.dumps(one.to_dict(), sort_keys=True) for one in plait.explain(made)] if trace else []
    return [*made.printed, *told]


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("choice", ["{1} if flag else {2}", "pick({1}, {2})", "flag and {1} or {2}"])
def test_a_condition_of_a_part_and_of_the_whole_is_one_of_the_whole(choice: str, name: str) -> None:
    part = choice.format("", 1, 2)
    first, second = (CONTAINERS[name].format(part, f'"{one}"') for one in ("hidden", "unseen"))
    line = f"#@ z = {choice.format('', first, second)}\n"
    for trace in (True, False):
        found = said(line, name, True, trace=trace)
        assert found == said(line, name, False, trace=trace)
        assert not any("hidden" in one for one in found if "z = " not in one)


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("part", ["b if flag else None", "pick(b, 1)", "pick([b], [])", "flag and {{1: b}} or 0"])
def test_the_same_is_shown_beside_a_chosen_part_whatever_it_is(part: str, name: str) -> None:
    line = f"#@ b = [5]\n#@ z = {CONTAINERS[name].format(part.format(), VISIBLE)}\n"
    for trace in (True, False):
        found = said(line, name, True, trace=trace)
        assert found == said(line, name, False, trace=trace)
        assert any("visible" in one for one in found if "z = " not in one) or name not in FOLLOWED
