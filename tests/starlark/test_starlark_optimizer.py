"""The optimizer changes nothing but time: values, errors, their places, and steps are those of the plain engine."""

from __future__ import annotations

import itertools

import pytest

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.context import Context
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import Builtin

VALUES = [
    "",
    "None",
    "True",
    "0",
    "1",
    "-7",
    "1 << 40",
    "1 << 70",
    "0.0",
    "2.5",
    '""',
    '"ab"',
    '"é"',
    "[]",
    '[1, "a"]',
    "{}",
    '{"a": 1}',
    "{True: 1}",
    "()",
    "(1, 2)",
    "range(3)",
    "set([1, 2])",
    "len",
    "struct(a=1)",
    "",
][1:-1]
OPERATORS = [*"+ - * / // % | & ^ << >> == != < <= > >= in and or".split(), "not in"]  # noqa: SIM905
EXPRESSIONS = """
x * 2 + y
x + y * x - 1
x - y // 3
x * y * y
x % 7 + y
-x
+x
~x
not x
x[y]
x[0]
x["a"]
"abc"[x]
[1, 2][x]
{"a": 1}[x]
x[0:1]
x.a
x.upper()
x.append(y)
x.get(y)
x.get("a", y)
x.setdefault("b", [])
x.strip()
x.replace("a", "b")
x.split("b")
x.find("b")
x.startswith("a")
x.pop()
"-".join(x)
"%s" % x
"%s %d" % (x, y)
"{}-{}".format(x, y)
"%d" % x
len(x)
list(x)
str(x)
min(x, y)
max(1, 2, x)
range(x)
[e for e in x]
[a for a, b in x]
{k: 1 for k in x}
(lambda **k: k)(a=x)
x(y)
x.a.b
len(x, y)
x.upper(y)
"""
STATEMENTS = """
x += y
x -= y
x *= y
x += y * 2
x += "s"
x[0] = y
x["a"] = y
x[y] = 1
x["a"] += y
x[0] += 1
x.a = 1
x.append(y)
x, y = y, x
x, y = y
for e in x: y = e
for a, b in x: y = a
"""


FEW = ["True", "1", "-7", "1 << 70", "2.5", '"ab"', '[1, "a"]', '{"a": 1}', "(1, 2)"]


class Programs:
    """One function, compiled both ways: the optimizer's and the plain engine's."""

    def __init__(self, body: str) -> None:
        given = "".join(f"def v{place}(): return {value}\n" for place, value in enumerate(VALUES))
        self.text = f"load('@', 'struct')\ndef f(x, y):\n  {body}\nend\n{given}"
        self.both = [self.run(optimize=True), self.run(optimize=False)]

    def run(self, *, optimize: bool) -> tuple[dict[str, object], Context]:
        struct = Builtin("struct", lambda **members: Struct(members))
        program = compile_program([CodePart(self.text)], Source("a.star", self.text), optimize=optimize)
        context = Context()
        return program.run(context, lambda _path, _at: {"struct": struct}), context

    def compare(self, x: int, y: int) -> None:
        """Call both with two of the values."""
        fast, plain = (self.outcome(made, context, x, y) for made, context in self.both)
        assert fast == plain, f"{self.text}: {VALUES[x]}, {VALUES[y]}"

    def outcome(self, made: dict[str, object], context: Context, x: int, y: int) -> str:
        """What the function gives, or how it fails, and the steps spent so far."""
        try:
            found = repr_of(call(made["f"], [call(made[f"v{x}"]), call(made[f"v{y}"])]))
        except PlaitError as error:
            places = [str(step.at) for step in error.stack]
            found = f"{type(error).__name__} {error.message} {error.at} {error.hint} {places}"
        return f"{found} after {budget_of(context).spent}"


def compare_all(body: str) -> None:
    programs = Programs(body)
    for x, y in itertools.product(range(len(VALUES)), range(0, len(VALUES), 2)):
        programs.compare(x, y)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_on_what_is_unknown(operator: str) -> None:
    compare_all(f"return x {operator} y")
    comprehension = Programs(f"return [x {operator} e for e in [y, y]]")
    for place in range(len(VALUES)):
        comprehension.compare(place, (place + 1) % len(VALUES))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_on_what_is_known(operator: str) -> None:
    for value in FEW:
        left, right = Programs(f"return {value} {operator} y"), Programs(f"return x {operator} {value}")
        for place in range(len(VALUES)):
            left.compare(0, place)
            right.compare(place, 0)
        for other in FEW:
            Programs(f"a = {value}\n  b = {other}\n  return a {operator} b").compare(0, 0)


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().split("\n"))
def test_expressions(expression: str) -> None:
    compare_all(f"return {expression}")
    for value in VALUES:
        Programs(f"y = 1\n  x = {value}\n  return {expression}").compare(0, 0)


@pytest.mark.parametrize("statement", STATEMENTS.strip().split("\n"))
def test_statements(statement: str) -> None:
    compare_all(f"{statement}\n  return [x, y]")
    for value in VALUES:
        Programs(f"y = 1\n  x = {value}\n  {statement}\n  return [x, y]").compare(0, 0)
