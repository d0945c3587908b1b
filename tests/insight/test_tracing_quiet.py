"""Functions that only compute: run without a word where that says no less, told apart by what they are given."""

from __future__ import annotations

import pytest

from plait.base.errors import StarlarkError
from plait.insight.explain import explain, lines
from plait.insight.node_paths import parse
from plait.insight.path_resolution import find
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet
from plait.tree.provenance import Trace
from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

LIB = """\
SIZES = [3, 4]

def double(x):
  return x * 2
end

def total(count, start=0):
  sum = start
  for i in range(count):
    sum = sum + double(i)
  end
  return sum
end

def area():
  return SIZES[0] * SIZES[1]
end

def pick(p, q):
  return p
end

def put(into, x):
  into.append(x)
end

def deeper(n):
  return 0 if n == 0 else 1 + deeper(n - 1)
end
"""
HEAD = (
    '#@ load("@ytt:data", "data")\n#@ load("lib.star", "total", "area", "pick", "put", "deeper")\n#@ v = data.values\n'
)
VALUES = "#@data/values\n---\na: 5\nb: 7\nlist: [1, 2]\n"


def traced(text: str) -> tuple[DocumentSet, Trace]:
    context = Context()
    context.trace = Trace()
    files = {"values.yml": VALUES, "lib.star": LIB, "app.yml": HEAD + text}
    job = RenderJob([in_memory(name, content, number) for number, (name, content) in enumerate(files.items())])
    return run(job, context).documents, context.trace


def named(text: str, path: str = "x") -> tuple[object, set[tuple[str, int]]]:
    documents, trace = traced(text)
    [place] = find(parse(path), documents.items)
    return place.value, lines(explain(trace, place))


def steps(text: str) -> int:
    _, trace = traced(text)
    assert isinstance(trace.code, DependencyTracker)
    return trace.code.steps


def test_a_function_without_data_is_not_followed_into() -> None:
    assert steps("x: #@ total(3000)\n") < 10
    assert steps("x: #@ total(v.a * 600)\n") > 3000


def test_what_it_gives_names_the_function_and_the_call() -> None:
    value, found = named("x: #@ total(3)\n")
    assert value == 6
    assert {("app.yml", 4), ("lib.star", 7)} <= found
    assert not any(name == "values.yml" for name, _ in found)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("x: #@ total(v.a)\n", 20, {3}),
        ("x: #@ total(2, v.b)\n", 9, {4}),
        ("x: #@ area() + v.a\n", 17, {3}),
        ("x: #@ pick(v.a, v.b)\n", 5, {3}),
        ("x: #@ pick(q=v.a, p=v.b)\n", 7, {4}),
        ("#@ l = []\n#@ put(l, v.b)\nx: #@ l[0]\n", 7, {4}),
        ("#@ l = []\n#@ put(l, 1)\nx: #@ l[0]\n", 1, set()),
        ("x: #@ deeper(40)\n", 40, set()),
        ("x: #@ deeper(v.a)\n", 5, {3}),
        ("x: #@ sorted([2, 1], key=total)[0] + v.a\n", 6, {3}),
        ("x: #@ [total(i) for i in [1, 2]][1]\n", 2, set()),
    ],
)
def test_data_that_has_a_part_is_named(text: str, value: object, expected: set[int]) -> None:
    made, found = named(text)
    assert made == value
    assert {number for name, number in found if name == "values.yml"} == expected


def test_a_busy_run_names_all_arguments() -> None:
    text = "#@ n = total(v.a * 12000)\nx: #@ pick(v.a, v.b)\nz: #@ pick(1, v.b)\n"
    value, found = named(text, "x")
    assert value == 5
    assert {("values.yml", 3), ("values.yml", 4)} <= found
    _, found = named(text, "z")
    assert ("values.yml", 4) in found
    assert ("values.yml", 3) not in found


def test_the_trail_of_an_error_is_the_same() -> None:
    def failing(context: Context) -> str:
        lib = "def inner(x):\n  return 1 // x\nend\ndef outer(x):\n  return inner(x)\nend\n"
        files = {"lib.star": lib, "app.yml": '#@ load("lib.star", "outer")\nx: #@ outer(0)\n'}
        job = RenderJob([in_memory(name, content, number) for number, (name, content) in enumerate(files.items())])
        with pytest.raises(StarlarkError) as caught:
            run(job, context)
        return f"{caught.value.message} {[(step.text, str(step.at)) for step in caught.value.stack]}"

    context = Context()
    context.trace = Trace()
    assert failing(context) == failing(Context())


def test_a_function_called_too_early_fails_as_ever() -> None:
    lib = "def f(x):\n  return g(x)\nend\ny = f(1)\ndef g(x):\n  return x\nend\n"

    def failing(context: Context) -> str:
        files = {"lib.star": lib, "app.yml": '#@ load("lib.star", "y")\nx: #@ y\n'}
        job = RenderJob([in_memory(name, content, number) for number, (name, content) in enumerate(files.items())])
        with pytest.raises(StarlarkError) as caught:
            run(job, context)
        return caught.value.message

    context = Context()
    context.trace = Trace()
    assert failing(context) == failing(Context())
    assert "global variable g" in failing(Context())
