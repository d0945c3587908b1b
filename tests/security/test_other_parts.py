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


# What holds a variable that a secret chose, and what is read of it.
HOLDERS = {
    "lambda": "#@ f = lambda: x\n",
    "def": "#@ def f(q=5):\n#@   y = x\n#@   return q\n#@ end\n",
    "default": "#@ f = lambda q=x: 5\n",
    "outer function": "#@ def g(x):\n#@   return lambda: 5 if x == 99 else 6\n#@ end\n#@ f = g(x)\n",
    "bound method": "#@ b = [5]\n#@ d = [b, lambda: x]\n#@ f = b.index\n",
}
USES = (
    *("f", "[f]", "str(f)", "type(f)", "f == f", "f == None", "5 if f else 6", "f and 5", "[f, 5][1]", "[f, 5][1:]"),
    *("[f, 5].pop()", "struct.make(f=f, g=5).g", '{"f": f, "g": 5}["g"]', '{"f": f, "g": 5}.keys()', "len([f])"),
    *('"g" in {"f": f, "g": 5}', '[k for k in {"f": f, "g": 5}]', "(lambda h, y: y)(f, 5)", "(lambda h: h == None)(f)"),
    *(
        "[5 for h in [f]]",
        "sorted([2, 1], key=lambda v: v if f else 0)",
        "max([1, 2], key=lambda v: v)",
        "[1, 2] + [5]",
    ),
)
CHOSEN = (
    *(
        "a if flag else None",
        "pick(a, None)",
        "a if flag else [2]",
        '{"k": 1} if flag else None',
        "(1, a) if flag else None",
    ),
    *("struct.make(x=a) if flag else None", "(lambda: a) if flag else None", "flag and a", "not flag or a"),
)


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("chosen", CHOSEN)
def test_a_function_does_not_tell_what_it_holds(chosen: str, holder: str) -> None:
    text = f"{HEAD}#@ a = [1]\n#@ x = {chosen}\n{HOLDERS[holder]}"
    text += "".join(f"#@ print({number}, {one})\n" for number, one in enumerate(USES)) + "---\n"
    text += "".join(
        f"k{number}: #@ str({one})\n#@ if {one}:\nm{number}: 1\n#@ end\n" for number, one in enumerate(USES)
    )
    for trace in (True, False):
        found = []
        for flag in (True, False):
            made = plait.render({"a.yml": text}, secrets={"flag": flag}, trace=trace)
            told = [json.dumps(one.to_dict(), sort_keys=True) for one in plait.explain(made)] if trace else []
            found.append([*made.printed, *told])
        assert found[0] == found[1]


ITERATED = (
    *("{j: 1 for j in range(n)}", "{j: 1 for j in range(n)}.keys()", "{j: 1 for j in range(n)}.items()", "range(n)"),
    *("[1] * n", '("a" * n).elems()', '("a" * n).elem_ords()', "set(range(n))", "zip(range(n), range(n))"),
    *("enumerate(range(n))", "tuple(range(n))", 'struct.make(**{"k%d" % j: 1 for j in range(n)})', "sorted(range(n))"),
    *("reversed(range(n))", '("a," * n).split(",")', "json.decode(json.encode([1] * n))", '{"a": 1} if flag else {}'),
    *("f()", "f().keys()", "dict([(j, 1) for j in range(n)])"),
)
COMPREHENSIONS = (
    *("[5 for x in {}]", "{{str(k): 5 for k in {}}}", "[[5] for x in {}]", "[5 for x in [1, 2] for y in {}]"),
    *("[5 for x in {} for y in [1, 2]]", "list({})", "[5 for x in [1, 2, 3] if x in {}]", '{{"a": [5 for x in {}]}}'),
    *("[x for x in {}][0]", "tuple({})", "[5 for x in {}][:2]", "[5 for x in {}] + [6]", "[5 for x in ({}) if True]"),
)


@pytest.mark.parametrize("iterated", ITERATED)
def test_what_is_made_for_each_item_has_no_size_if_a_secret_decides_how_many_there_are(iterated: str) -> None:
    for one in COMPREHENSIONS:
        text = (
            f'{HEAD}#@ load("@ytt:json", "json")\n#@ n = data.values.n\n#@ def f():\n#@ for j in range(n):\n'
            '#@yaml/text-templated-strings\n"k(@= str(j) @)": 1\n#@ end\n#@ end\n---\n'
            f"v: #@ {one.format(iterated)}\n"
        )
        found = []
        for flag, n in ((True, 3), (False, 4)):
            try:
                made = plait.render({"a.yml": text}, secrets={"flag": flag, "n": n}, trace=True)
            except plait.PlaitError:
                break  # not every form takes every value
            found.append([json.dumps(one.to_dict(), sort_keys=True) for one in plait.explain(made)])
        assert len(found) < 2 or found[0] == found[1]
