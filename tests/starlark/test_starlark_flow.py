"""Programs whose lists and calls are followed: what is known must be true, whatever way values take."""

from __future__ import annotations

import pytest

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import Builtin


def run(text: str) -> dict[str, object]:
    def store(items: List, value: object) -> None:
        items.append(value)

    hosts = {"store": Builtin("store", store), "same": Builtin("same", lambda x: x)}
    text = "load('@', 'store', 'same')\n" + text
    return compile_program([CodePart(text)], Source("a.star", text)).run(None, lambda _path, _at: hosts)


# Each makes a list of ints, lets something else into it by some way, and adds the last element to a number.
WAYS = {
    "append": "a.append('s')",
    "insert": "a.insert(0, 's')\na.append(a.pop(0))",
    "extend": "a.extend(['s'])",
    "extend by what is unknown": "a.extend(same(['s']))",
    "plus": "a += ['s']",
    "plus by what is unknown": "a += same(['s'])",
    "element": "a[0] = 's'\na = a[:1]",
    "augmented element": "a[0] *= 1.5\na[0] = str(a[0])\na = a[:1]",
    "another name": "b = a\nb.append('s')",
    "a name for both": "b = [] if len(a) > 9 else a\nb.append('s')",
    "or": "b = a or []\nb.append('s')",
    "a list of lists": "b = [a]\nb[0].append('s')",
    "a list of lists in a loop": "for c in [a]: c.append('s')",
    "a comprehension": "b = [c for c in [a]]\nb[0].append('s')",
    "a tuple": "b = (a, 1)\nb[0].append('s')",
    "a dict": "b = {'k': a}\nb['k'].append('s')",
    "values of a dict": "b = {'k': a}\nfor c in b.values(): c.append('s')",
    "unpacking": "b, c = a, 1\nb.append('s')",
    "unpacking of a list": "b, c = [a, a]\nb.append('s')",
    "a method as a value": "b = a.append\nb('s')",
    "getattr": "getattr(a, 'append')('s')",
    "the host": "store(a, 's')",
    "through the host": "same(a).append('s')",
    "a function": "put(a)",
    "a function by another name": "b = put\nb(a)",
    "a function by keyword": "put(items=a)",
    "a function with a star": "put(*[a])",
    "a function that gives it back": "give(a).append('s')",
    "a lambda": "(lambda c: c.append('s'))(a)",
    "a key": "b = sorted([a], key=put)",
    "max": "max([a], key=put)",
    "slices share lists": "b = [a]\nc = b[:]\nc[0].append('s')",
    "sums share lists": "b = [a] + [[1]]\nb[0].append('s')",
    "repeats share lists": "b = [a] * 2\nb[1].append('s')",
    "copies share lists": "b = list([a])\nb[0].append('s')",
    "sorting shares lists": "b = sorted([a])\nb[0].append('s')",
    "zip shares lists": "for b, c in zip([a], [1]): b.append('s')",
    "enumerate shares lists": "for b, c in enumerate([a]): c.append('s')",
    "popping": "b = [a]\nb.pop().append('s')",
    "a closure": "def inner(): a.append('s')\ninner()",
    "a default": "def inner(b=a): b.append('s')\ninner()",
    "recursion": "def down(b, n):\n  if n: down(b, n - 1)\n  b.append('s')\nend\ndown(a, 2)",
}
HELPERS = """
def put(items):
  items.append('s')
  return 1
end
def give(items): return items
def ask(a, b): return a + b
"""


@pytest.mark.parametrize("way", WAYS)
def test_no_way_into_a_list_is_missed(way: str) -> None:
    body = "\n".join(f"  {line}" for line in WAYS[way].split("\n")).replace(
        "inner(): a.append('s')", "inner(): return a.append('s')"
    )
    body = body.replace("inner(b=a): b", "inner(b=a): return b").replace("inner()\n  inner()", "inner()")
    text = f"{HELPERS}def test():\n  a = [1, 2]\n{body}\n  total = 0\n  for i in range(len(a)): total += a[i]\n  return total\nend\nx = test()"
    with pytest.raises(PlaitError, match=r"unknown binary op: (int|float) \+ string"):
        run(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("def f(n): return n % 7 + 1\ndef g():\n  return [f(i) for i in range(3)]\nend\nx = g()", "[1, 2, 3]"),
        ("def f(a): return a[0] + a[0]\nx = [f([1]), f(['s'])]", '[2, "ss"]'),
        ("def f(n): return n + n\nx = [f(1), f('s'), f(1.5)]", '[2, "ss", 3]'),
        ("def f(n): return f(n - 1) + 1 if n > 0 else 0\nx = f(5)", "5"),
        ("def f(n, out):\n  out.append(n)\n  return out\nend\nx = f('s', f(1, []))", '[1, "s"]'),
        ("def f(n): return n == 1\nx = [f(1), f(True)]", "[True, False]"),
        ("def f(): return\nx = f()", "None"),
        ("def f(a):\n  if a: return [1]\nend\nx = [f(1), f(0)]", "[[1], None]"),
        ("def f(a): return 's' if a else 1\nx = [f(1) * 2, f(0) * 2]", '["ss", 2]'),
        ("a = [1]\ndef f(v):\n  a.append(v)\n  return a[-1]\nend\nx = [f(1), same(f)('s')]", '[1, "s"]'),
        ("def f(a): return a % 3\nx = [f(7), f(-7), f(7.5)]", "[1, 2, 1.5]"),
        (
            "def f(a): return a % 4294967296 + (a + 1) % 1073741824\nx = [f(-1), f(1 << 40), f(7)]",
            "[4294967295, 1, 15]",
        ),
        ("def f(a): return a % 4294967296\nx = [f(-1), f(7.5), f('%d')]", "[4294967295, 7.5, '4294967296']"),
        (
            (
                "def f(keys):\n  g = {}\n  for k in keys: g.setdefault(k, []).append(k)\n  return g\nend\n"
                "x = [f(['a', 'b', 'a']), f([1, True, 1.0, (2, False)])]"
            ),
            "[{'a': ['a', 'a'], 'b': ['b']}, {1: [1, 1.0], True: [True], (2, False): [(2, False)]}]",
        ),
        (
            "def f(k):\n  g = {'a': 1}\n  return [g.setdefault(k, {}), g]\nend\nx = f('a') + f('b')",
            "[1, {'a': 1}, {}, {'a': 1, 'b': {}}]",
        ),
        (
            "def f(s):\n  a = s.split(',')\n  a.append('c')\n  return a[0] + a[2]\nend\nx = [f('a,b'), same(f)('d,e')]",
            "['ac', 'dc']",
        ),
        ("def f(a):\n  a[0] = 2\n  return a\nend\nx = f([1])", "[2]"),
        ("x = '{}-{}'.format(1, 's') + '%s%d%%' % ('a', 3) if False else '{}'.format([1])", '"[1]"'),
        ("def f(a): return '%s=%d' % (a, len(a))\nx = f('é')", '"é=2"'),
        ("def f(a, b): return '{}{}'.format(a, b)\nx = [f(1, 's'), f(None, True)]", '["1s", "NoneTrue"]'),
        ("def f(a, b): return min(a, b) + max(a, b, 3)\nx = [f(1, 2), f(5, 4)]", "[4, 9]"),
    ],
)
def test_values(text: str, value: str) -> None:
    assert repr_of(run(text)["x"]) == repr_of(run(f"x = {value}")["x"])


def test_functions_take_anything_from_elsewhere() -> None:
    exports = run("def f(n): return n + n\ndef g(items): return items[0] + items[0]\nx = [f(1), g([1])]")
    assert call(exports["f"], ["s"]) == "ss"
    assert call(exports["f"], [1]) == 2
    assert call(exports["g"], [List(["s"])]) == "ss"
    with pytest.raises(PlaitError, match="unknown binary op: bool \\+ bool"):
        call(exports["f"], [True])


def test_a_list_that_is_being_iterated_stays_locked() -> None:
    for text in (
        "def f():\n  a = [1, 2]\n  for i in a: a.append(i)\nend\nf()",
        "def g(b): b.append(1)\ndef f():\n  a = [1, 2]\n  for i in a: g(a)\nend\nf()",
        "def f():\n  a = [1, 2]\n  for i in a: a[0] = i\nend\nf()",
        "def f():\n  a = [1]\n  b = a\n  return [b.append(i) for i in a]\nend\nf()",
    ):
        with pytest.raises(PlaitError, match="during iteration"):
            run(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x): x.append(1 // 0)\nf([])", "floored division by zero"),
        ("def f(x): x.append(1)\nf('')", "string has no .append field or method"),
        ("def f(x): x.append(1)\nf(None)", "NoneType has no .append field or method"),
        ("def f(x): x[0].append(y)\ny = 1\nf([])", "index 0 out of range: empty list"),
        ("def f(x):\n  for one in x: x.append(one)\nend\nf([1])", "append: cannot append to list during iteration"),
        ("def f(x):\n  for k in x: x.setdefault('b', []).append(k)\nend\nf({'a': 1})", "cannot insert into hash table"),
        ("def f(x):\n  if x: g = {}\n  return g.setdefault(x[0], [])\nend\nf([])", "variable g referenced before"),
        ("def f(x): return x + 'a'\nf(1)", r"unknown binary op: int \+ string"),
        ("def f(x): return 'a' + x\nf(None)", r"unknown binary op: string \+ NoneType"),
        ("def f(x):\n  x += 'a'\n  return x\nend\nf([])", r"unknown binary op: list \+ string"),
        ("def f(x): return '-'.join(str(x).split(''))\nf(1)", "split: empty separator"),
        ("def f(x): return x.upper()\nf(1)", "int has no .upper field or method"),
        ("def f(x): return x.replace('a', 'b')\nf([])", "list has no .replace field or method"),
        ("def f(x): return x.upper(1)\nf('a')", "upper: got 1 arguments, want 0"),
        ("def f(x): return x.split('')\nf('a')", "split: empty separator"),
        ("def f(x):\n  g = {}\n  return g.setdefault(x, [])\nend\nf([])", "unhashable type: list"),
    ],
)
def test_what_is_done_in_place_fails_as_a_call_does(text: str, message: str) -> None:
    with pytest.raises(PlaitError, match=message):
        run(text)


def test_a_list_of_a_closure_is_frozen_with_the_program() -> None:
    exports = run(
        "def f():\n  a = [1]\n  def add():\n    a.append(2)\n    return a\n  end\n  return add\nend\nadd = f()"
    )
    with pytest.raises(PlaitError, match="frozen list"):
        call(exports["add"])


def test_the_trail_names_functions_as_they_are_written() -> None:
    with pytest.raises(PlaitError) as caught:
        run("def f(n): return 1 // (n - n)\ndef g(): return f(3)\nx = g()")
    assert [step.text for step in caught.value.stack] == ["in f", "in g", "in <toplevel>"]
    with pytest.raises(PlaitError, match="global variable f referenced before assignment"):
        run("def g(): return f(3)\nx = g()\ndef f(n): return n")
