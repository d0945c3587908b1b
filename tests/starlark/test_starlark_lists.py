"""Lists in functions, where compiled code does much in place, and in the program itself, where helpers do it."""

from __future__ import annotations

import pytest

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.value_text import repr_of

MAKES = [
    "[1, 2, 3]",
    "[e + 1 for e in range(3)]",
    "[[1], [2], [3]]",
    "[[e] for e in [1, 2, 3]]",
    '["p", "q", "r"]',
    "[1] * 3",
    "list(range(1, 4))",
    'list(["x"])',
    '"1,2,3".split(",")',
    'str("\u00e9,2,3").split(",")',
]
USES = """
a
a[0]
a[2]
a[-1]
a[3]
len(a)
str(a)
repr(a)
type(a)
bool(a)
not a
a == [1, 2, 3]
a != [[1], [2], [3]]
a < [2]
1 in a
[1] in a
a + a
a * 2
a[1:]
a[:2][0]
sorted(a)
list(a)
tuple(a)
dict(zip(["x", "y", "z"], a))
max(a)
any(a)
all(a)
reversed(a)
enumerate(a)
"-".join(a)
"%s" % a
"{}".format(a)
a.index(a[1])
a.pop()
a.insert(0, 4)
a.clear()
a.append
getattr(a, "append")(4)
hasattr(a, "append")
dir(a)
[x for x in a]
[a[0] for x in range(2)]
[y for x in [a, a] for y in x]
{"k": a}
(a, a)
[a, a]
[a, a][0]
[a, a][1][0]
(lambda: a)()
(lambda x: x[0])(a)
a if len(a) > 1 else None
a and a[0]
hash(a)
{a: 1}
print(a) or len(a)
range(a[0])
a[a[0]]
a[0][0]
a["0"]
a.missing
fail(a)
identity(a)
first(a)
changed(a)
made(3)
made(3)[0]
kept(a)
"""


def given(text: str) -> str:
    source = """
def identity(x):
  return x
end
def first(x):
  return x[0]
end
def changed(x):
  x.append(x[0])
  x[0] = 9
  return x
end
def made(n):
  items = []
  for i in range(n):
    items.append([i, n])
  end
  return items
end
def kept(x):
  all = [x, x]
  all[0][0] = 7
  return all[1]
end
"""
    try:
        found = compile_program([CodePart(source + text)], Source("a.star", source + text)).run()
    except PlaitError as error:
        return f"{type(error).__name__}: {error}"
    return repr_of(found["result"])


@pytest.mark.parametrize("use", USES.strip().splitlines())
def test_a_function_gives_what_the_program_gives(use: str) -> None:
    for make in MAKES:
        expected = given(f"a = {make}\nresult = {use}\nresult = [result, a]\n")
        inside = f"  a = {make}\n  b = {use}\n  return [b, a]\n"
        assert given(f"def f():\n{inside}end\nresult = f()\n") == expected, make
        # The same with what is made for this alone.
        alone = given(f"def f():\n  a = {make}\n  b = {use}\n  return [b]\nend\nresult = f()\n")
        assert alone == given(f"a = {make}\nresult = [{use}]\n"), make


def test_results_are_lists_of_the_language() -> None:
    text = "def f():\n  a = [1]\n  a.append(2)\n  return a\nend\nresult = f()\ninner = [f() for x in range(2)]\n"
    found = compile_program([CodePart(text)], Source("a.star", text)).run()
    assert type(found["result"]) is List
    assert [type(one) for one in found["inner"]] == [List, List]  # type: ignore[attr-defined]
