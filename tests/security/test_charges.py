"""What goes through much in one step costs as many steps as it takes: limits of steps and seconds rest on that.

Each expression stands in a loop of a function, where compiled code does most in place, and is run both ways.
"""

from __future__ import annotations

import functools

import pytest

from plait.base.source import Source
from plait.tree.context import Context, Limits
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.step_budget import budget_of

LONG = 1 << 17
TIMES = 8
# What they begin with: two long texts that are equal and not the same, and what holds them.
BEGIN = f"""
s = "a" * {LONG} + "b"
t = "a" * {LONG} + "b"
u = "ā" * {LONG}
d = {{s: 1}}
e = {{t: 1}}
many = ["b"] * 12500
pairs = tuple([(i, i) for i in range(2500)])
equal = tuple([(i, i) for i in range(2500)])
names = {{"k%d" % i: i for i in range(2500)}}
def deep(n):
  x = (1,)
  for i in range(n):
    x = (x,)
  end
  return x
end
nested = deep(2000)
"""
EXPRESSIONS = """
s == t
s != t
t == s
[s] == [t]
(1, s) == (1, t)
(1, s) < (1, t)
{"a": s} == {"a": t}
d == e
set([s]) == set([t])
s < t
s >= t
u < u + ""
t in d
t not in d
t in [s]
t in (s, s)
t in set([s])
"c" in many
d[t]
d.get(t)
d.get(t, 2)
d.setdefault(t, 2)
d.setdefault(t, [])
d.update([(t, 1)])
d.update(e)
dict([(s, 1), (t, 2)])
{k: 1 for k in [s, t]}
{s: 1 if k else 2 for k in [1]}
set([s, t])
set([s]).union([t])
sorted([s, t])
sorted([(s, 1), (t, 0)])
sorted([[s, 1], [t, 0]])
sorted([1, 2], key=lambda x: s if x == 1 else t)
max(s, t)
min([s, t])
max([(s, 1), (t, 1)])
[s].index(t)
s.startswith(t)
s.endswith(t)
s.startswith((t,))
s.replace("c", "")
s.isalpha()
u.isalpha()
s.splitlines()
u[1:2]
u[1:]
u[5]
repr(s)
hash(s)
{pairs: 1}
pairs in {equal: 1}
{equal: 1}.get(pairs)
set([pairs]) == set([equal])
nested in {nested: 1}
names == dict(names)
"""
STATEMENTS = """
d[t] = 1
d[t] += 1
x = [i for i in [s] if i == t]
x = {k: 1 for k in [t] if k in d}
"""
EVERY = [f"x = {line}" for line in EXPRESSIONS.split("\n") if line] + [line for line in STATEMENTS.split("\n") if line]


def steps_of(statement: str, *, optimize: bool) -> int:
    """The steps of a program that has a statement in a loop."""
    loop = f"def go():\n  for n in range({TIMES}):\n    {statement}\n  end\nend\n"
    return spent(f"{BEGIN}{loop}go()", optimize=optimize) - spent(f"{BEGIN}{EMPTY}", optimize=optimize)


EMPTY = "def go():\n  return None\nend\n"


@functools.cache
def spent(text: str, *, optimize: bool) -> int:
    context = Context(limits=Limits(steps=1 << 40))
    compile_program([CodePart(text)], Source("a.star", text), optimize=optimize).run(context)
    return budget_of(context).spent


@pytest.mark.parametrize("statement", EVERY)
def test_a_step_is_not_for_a_long_text(statement: str) -> None:
    steps = steps_of(statement, optimize=True)
    assert steps > TIMES * (LONG >> 10)
    assert steps_of(statement, optimize=False) == steps
