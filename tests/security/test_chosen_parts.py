"""An object that a secret chose, and a function that a secret chose: what is changed through them tells nothing of the secret.

Each operation that may return a part of its operands gets a list among others, and a secret that decides which part it
returns. What it returns is changed, and the length of the list is printed: either for no secret, or for all. A builtin,
a method or an operator without an entry fails the suite.
"""

from __future__ import annotations

import pytest

import plait
from plait.ytt.starlark.parse import _ASSIGNMENTS
from plait.ytt.starlark.parse.expression_grammar import _LEVEL
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL

HEAD = (
    '#@ load("@ytt:data", "data")\n#@ load("@ytt:struct", "struct")\n#@ load("@ytt:assert", "assert")\n'
    '#@ load("@ytt:regexp", "regexp")\n#@ load("@ytt:module", "module")\n'
    "#@ flag, n, pw = data.values.flag, data.values.n, data.values.pw\n#@ a = []\n"
)
SECRETS: tuple[dict[str, plait.Plain], ...] = (
    {"flag": True, "n": 3, "pw": "h"},
    {"flag": False, "n": 4, "pw": "q"},
    {"flag": False, "n": 5, "pw": "r"},
)

# Programs that change `a` if a secret says so. Each ends with what is shown of it.
BUILTINS = {
    "dict": 'e = dict([("h", a), (pw, [])])\ne["h"].append(1)',
    "enumerate": "for i, q in enumerate([a, a][n - 3:]):\n  q.append(1)\nend",
    "getattr": 'getattr(struct.make(yes=a, no=[]), "yes" if flag else "no").append(1)',
    "list": "list([[], a])[1 if flag else 0].append(1)",
    "max": "max([a, [5]], key=lambda v: n - 4 if v else 0).append(1)",
    "min": "min([a, [5]], key=lambda v: n - 4 if v else 0).append(1)",
    "reversed": "w = [a, []]\nw = reversed(w) if flag else w\nw[0].append(1)",
    "sorted": "sorted([a, [5]], key=lambda v: n - 4 if v else 0)[0].append(1)",
    "tuple": "tuple([[], a])[1 if flag else 0].append(1)",
    "zip": "for q, r in zip([a], [1, 2][:n - 3]):\n  q.append(1)\nend",
}
METHODS_OF = {
    "dict.get": '{"h": a}.get(pw, []).append(1)',
    "dict.items": '[q for k, q in {"h": a, "q": []}.items() if k == pw][-1:] and a.append(1)',
    "dict.pop": '{"h": a}.pop(pw, []).append(1)',
    "dict.popitem": 'e = {}\nif flag:\n  e["z"] = []\nend\ne["h"] = a\ne.popitem()[1].append(1)',
    "dict.setdefault": 'e = {"h": a}\ne.setdefault(pw, []).append(1)',
    "dict.update": 'e = {"h": a}\ne.update({pw: []})\ne["h"].append(1)',
    "dict.values": '{"x": [], "h": a}.values()[1 if flag else 0].append(1)',
    "dict.clear": 'e = {"h": a}\nif flag:\n  e.clear()\nend\ne.get("h", []).append(1)',
    "list.append": "b = [[]]\nif flag:\n  b.append(a)\nend\nb[-1].append(1)",
    "list.clear": "b = [a]\nif flag:\n  b.clear()\nend\n(b or [[]])[0].append(1)",
    "list.extend": "b = [[]]\nb.extend([a] * (n - 3))\nb[-1].append(1)",
    "list.insert": "b = [a]\nb.insert(n - 3, [])\nb[0].append(1)",
    "list.pop": "[a, [], []].pop(n - 3).append(1)",
    "list.remove": "b = [a, [1], [2], [3], [4], [5]]\nb.remove([n - 2] if n > 3 else a)\nb[0].append(1)",
}
OPERATORS = {
    "[]": "[a, [], []][n - 3].append(1)",
    "[:]": "for q in [a, [1]][:n - 3]:\n  q.append(1)\nend",
    "[:] of a tuple": "for q in (a, 1)[0:1 if flag else 0]:\n  q.append(1)\nend",
    "if else": "(a if flag else []).append(1)",
    "and": "(flag and [a] or [[]])[0].append(1)",
    "or": "(not flag or a) and a.append(1)",
    "*": "for q in [a] * (n - 3):\n  q.append(1)\nend",
    "=": "x = a\nif flag:\n  x = []\nend\nx.append(1)",
    "*=": "c = [a]\nc *= n - 3\nfor q in c:\n  q.append(1)\nend",
    "+=": "x = a\nif flag:\n  x = []\nend\nx += [1]",
    "[] =": 'e = {"h": a}\ne[pw] = []\ne["h"].append(1)',
    "display": 'e = {(pw if i else "h"): v for i, v in enumerate([a, []])}\ne["h"].append(1)',
    "comprehension": "[q.append(1) for q in [a][:n - 3]]",
    "comprehension if": "[q.append(1) for q in [a] if flag]",
    "for": "for q in ([a] if flag else [[]]):\n  q.append(1)\nend",
    "break": "for q in [[], a]:\n  if flag:\n    break\n  end\n  q.append(1)\nend",
    "continue": "for k in range(n - 3):\n  for k in range(2):\n    if a == [9]:\n      continue\n    end\n  end\nend",
    "return": "def f(z):\n  if flag:\n    return z\n  end\n  return []\nend\nf(a).append(1)",
    "unpacking": "q, r = [a, []] if flag else [[], a]\nq.append(1)",
    "a leaf otherwise": 'x = [a, 1, 1].pop(n - 3)\nif type(x) == "list":\n  x.append(1)\nend',
    # A display whose items have origins of their own.
    "list display": "b = [1]\nif flag:\n  b = [a, 1]\nend\na = b",
    "dict display": 'b = {"k": 1}\nif flag:\n  b = {"k": 1, "l": a}\nend\na = b',
    "computed display": 'b = {"k": 1}\nif flag:\n  b = {"k": len(b.keys())}\nend\na = b',
    "list comprehension": "b = [1]\nif flag:\n  b = [a for k in [1, 2]]\nend\na = b",
    "dict comprehension": 'b = {}\nif flag:\n  b = {k: a for k in ["l"]}\nend\na = b',
}
# Functions of which a secret chooses one.
_GROW, _NOT = "lambda z: z.append(1)", "lambda z: 1"
FUNCTIONS = {
    "two lambdas": f"f = ({_GROW}) if flag else ({_NOT})\nf(a)",
    "two defs": "def g(z):\n  z.append(1)\nend\ndef h(z):\n  return 1\nend\nf = g if flag else h\nf(a)",
    "a lambda and a def": f"def g(z):\n  z.append(1)\nend\nf = g if flag else ({_NOT})\nf(a)",
    "from a list": f"[{_GROW}, {_NOT}, {_NOT}][n - 3](a)",
    "from a dict": f'e = {{"k": {_NOT}}}\nif flag:\n  e["k"] = {_GROW}\nend\ne["k"](a)',
    "from a struct": f'getattr(struct.make(yes={_GROW}, no={_NOT}), "yes" if flag else "no")(a)',
    "field of a struct": f"struct.make(f=({_GROW}) if flag else ({_NOT})).f(a)",
    "field of a module": f'module.make("q", f=({_GROW}) if flag else ({_NOT})).f(a)',
    "a bound method": "[a.append, [].append, [].append][n - 3](1)",
    "from a call": f"def g():\n  return ({_GROW}) if flag else ({_NOT})\nend\ng()(a)",
    "as an argument": f"def g(f, z):\n  f(z)\nend\ng(({_GROW}) if flag else ({_NOT}), a)",
    "as a default": f"def g(z, f=({_GROW}) if flag else ({_NOT})):\n  f(z)\nend\ng(a)",
    "of a comprehension": f"[f(a) for f in [({_GROW}) if flag else ({_NOT})]]",
    "of a loop": f"for f in [({_GROW}) if flag else ({_NOT})]:\n  f(a)\nend",
    "key of sorted": f"sorted([a, a], key=({_GROW} or 1) if flag else ({_NOT}))",
    "key of max": f"max([a, a], key=({_GROW} or 1) if flag else ({_NOT}))",
    "a replacement": 'regexp.replace("a", "aa", (lambda z: a.append(1) or "1") if flag else (lambda z: "1"))',
    "tried": f"assert.try_to(lambda: (({_GROW}) if flag else ({_NOT}))(a))",
    "for an item": f"w = [a]\n((lambda z: z[0].append(1)) if flag else ({_NOT}))(w)",
    "for a field": f"w = struct.make(q=a)\n((lambda z: z.q.append(1)) if flag else ({_NOT}))(w)",
    "for several": "((lambda *z: z[0].append(1)) if flag else (lambda *z: 1))(a)",
    "by name": '((lambda **z: z["a"].append(1)) if flag else (lambda **z: 1))(a=a)',
    "for a function": f"((lambda z: z().append(1)) if flag else ({_NOT}))(lambda: a)",
    "what it returns": "((lambda: a) if flag else (lambda: []))().append(1)",
    "of a variable": "[lambda: a.append(1), lambda: 1, lambda: 1][n - 3]()",
}
PROGRAMS = {**BUILTINS, **METHODS_OF, **OPERATORS, **FUNCTIONS}
# What returns no part of its operands, or nothing that can be changed.
WITHOUT_PARTS = frozenset(
    [
        "all",
        "any",
        "bool",
        "chr",
        "dir",
        "fail",
        "float",
        "hasattr",
        "hash",
        "int",
        "len",
        "ord",
        "print",
        "range",
        "repr",
        "set",
        "str",
        "type",
        "dict.keys",
        "list.index",
    ]
)
ELSEWHERE = frozenset(
    {"+", "-", "/", "//", "%", "&", "|", "^", "~", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "in", "not in", "not"}
)


def said(program: str, secrets: dict[str, plait.Plain], *, trace: bool) -> list[str]:
    shown = ("len(a)", "bool(a)", "a", "[x for x in a]", "list(a)", "str(a)")
    lines = [*program.split("\n"), *(f"print({one})" for one in shown)]
    text = HEAD + "".join(f"#@ {line}\n" for line in lines) + "x: 1\n"
    schema = "#@data/values-schema\n---\nflag: false\n'n': 0\npw: ''\n"
    return plait.render({"schema.yml": schema, "a.yml": text}, secrets=secrets, trace=trace).printed


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_changed_through_a_choice_is_not_told(name: str) -> None:
    for trace in (True, False):
        first, *others = (said(PROGRAMS[name], one, trace=trace) for one in SECRETS)
        assert all(first == one for one in others), (first, others)


def test_the_programs_differ() -> None:
    """The test above compares something: with the secrets as plain values, the programs print different things."""
    same = set()
    for name, program in PROGRAMS.items():
        lines = [*program.split("\n"), "print(a)"]
        text = HEAD + "".join(f"#@ {line}\n" for line in lines) + "x: 1\n"
        schema = "#@data/values-schema\n---\nflag: false\n'n': 0\npw: ''\n"
        made = [plait.render({"schema.yml": schema, "a.yml": text}, values=one).printed for one in SECRETS]
        if made[0] == made[1] == made[2]:
            same.add(name)
    # These changed nothing: that they had been reached told of the secret.
    assert same == {"computed display", "continue"}


def test_everything_that_returns_a_part_has_an_entry() -> None:
    assert set(UNIVERSAL) <= {*BUILTINS, *WITHOUT_PARTS}
    methods = {f"{kind.__name__.lower()}.{name}" for kind, rows in METHODS.items() for name in rows}
    methods = {name for name in methods if name.startswith(("dict.", "list."))}  # other items cannot be changed
    assert methods <= {*METHODS_OF, *WITHOUT_PARTS}
    assert set(_LEVEL) <= {*OPERATORS, *ELSEWHERE}
    assert {one for one in _ASSIGNMENTS if one.rstrip("=") not in ELSEWHERE} <= set(OPERATORS)
