"""Ways out of the sandbox that other sandboxes had: each must end in a StarlarkError or give a harmless value."""

from __future__ import annotations

import pytest

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.structs import Struct

REFUSED = """
().__class__
"".__class__.__mro__
[].__class__.__base__.__subclasses__()
{}.__class__
(1).__class__
(1.5).real
True.__class__
None.__class__
(lambda: 1).__globals__
(lambda: 1).__code__
(lambda: 1).func_globals
len.__self__
len.__globals__
print.__closure__
"".join.__self__
[].append.__func__
range(3).__iter__
range(3).start
"".format.__globals__
"{0.__class__}".format(1)
"{0[0]}".format([1])
"{x.__class__}".format(x=1)
"{!a}".format(1)
"{:>{}}".format(1, 5)
"%*d" % (5, 1)
"%(a)*d" % {"a": 1}
"a".format_map({})
"a".encode("utf-8")
"a".translate({})
"a".maketrans("a", "b")
"a".zfill(1000000000)
"a".ljust(1000000000)
"a".center(9)
[].__reduce__()
[].sort()
[].copy()
[].lock
{}.fromkeys([1])
{}.copy()
{}.odd
getattr("", "__class__")
getattr([], "lock")
getattr(len, "__globals__")
getattr(lambda: 1, "gi_frame")
hasattr("", "__class__") or fail("no")
s.members
s.__init__
s.attr("x")
s.type_name
eval("1")
exec("1")
open("/etc/passwd")
__import__("os")
__builtins__
__name__
globals()
locals()
vars()
compile("1", "", "eval")
object()
type("X", (), {})
type(1)(2)
super()
input()
memoryview("a")
bytes(10)
breakpoint()
1 << 100000
"a" * 1000000000
[0] * 1000000000
("a" * 100000000) * 100
""".strip().splitlines()

PROGRAMS = [
    "def f(): yield 1",
    "async def f(): return 1",
    "x = await f()",
    "class A: x",
    "import os",
    "from os import path",
    "try: x",
    "with open('f'): x",
    "del x",
    "global x",
    "nonlocal x",
    "raise 1",
    "@f\ndef g(): return 1",
    "x = f'{1}'",
    "x = `1`",
    "x: int = 1",
    "(x := 1)",
    "assert 1",
    "$locals()",
    "x = $source",
    "def f($a): return 1",
    "load('x', '$y')",
    "load('x', 'a b')",
    "load('x', '__builtins__')",
    "def f(x): return x.f(x.f)\nf(f)",
    "x = 3\nfor i in range(60): x = x * x",
    "x = 'ab'\nfor i in range(60): x = x + x",
    "x = 'ab'\nfor i in range(60): x += x",
    "x = [1]\nfor i in range(60): x = x + x",
    "x = [1]\nfor i in range(60): x += x",
    "x = [1]\nfor i in range(60): x.extend(list(x))",
    "x = 'ab'\nfor i in range(60): x = x.replace('a', 'ab' * 1000)",
    "x = 'ab'\nfor i in range(60): x = x.join([x, x, x])",
    "x = 'ab'\nfor i in range(60): x = '%s%s' % (x, x)",
    "x = 'ab'\nfor i in range(60): x = '{0}{0}'.format(x)",
    "x = []\nfor i in range(60): x = [x, x]\ny = str(x)",
    "x = []\ny = []\nfor i in range(60): x, y = [x, x], [y, y]\nz = (x == y) + 1",
    "x = ()\nfor i in range(100000): x = (x,)\ny = {x: 1}",
    "def f(n): return f(n + 1)\nf(0)",
    "def f(n): return sorted([n], key=f)\nf(0)",
    "x = " + "(" * 100000,
    "x = " + "-" * 100000 + "1",
    "x = " + "1 + " * 100000 + "1",
    "x = " + "[" * 5000 + "]" * 5000,
    "x = " + "not " * 100000 + "1",
    "\n".join(f"for i{n} in [1]:" for n in range(40)) + "\n" + "end\n" * 40,
]


def run(text: str) -> object:
    source = Source("escape.star", text)
    program = compile_program([CodePart("load('@', 's')", 0), CodePart(text)], source)
    return program.run(None, lambda _path, _at: {"s": Struct({"x": 1})}).get("x")


@pytest.mark.parametrize("escape", REFUSED)
def test_expression_is_refused(escape: str) -> None:
    with pytest.raises(PlaitError):
        run(f"x = {escape}")


@pytest.mark.parametrize("escape", PROGRAMS, ids=lambda text: text[:30])
def test_program_is_refused(escape: str) -> None:
    with pytest.raises(PlaitError):
        run(escape)


def test_compiled_code_names_only_variables_and_helpers() -> None:
    text = "def f(a):\n  b = [c.d for c in a if c]\n  return lambda: b\nend\nx = f(s)\n"
    program = compile_program([CodePart("load('@', 's')", 0), CodePart(text)], Source("names.star", text))
    # The only attribute that compiled code reads here is the members of a value whose exact type it has tested.
    allowed = {"a", "b", "c", "f", "s", "x", ".0", "<toplevel>", "members"}
    todo = [program.code]
    names: set[str] = set()
    while todo:
        code = todo.pop()
        names.update(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        todo.extend(part for part in code.co_consts if hasattr(part, "co_names"))
    assert {name for name in names if not name.startswith("$")} <= allowed
