"""What a run may spend: the count of steps, the limits, and that they say which they are and where."""

from __future__ import annotations

import pytest

from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.source import Source
from plait.tree.context import Context, Limits
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.values import Builtin


def run(text: str, **limits: int) -> tuple[dict[str, object], int]:
    """The variables of a program, and the steps it took."""
    context = Context(limits=Limits(**limits))
    struct = Builtin("struct", lambda **members: Struct(members))
    variables = compile_program([CodePart(text)], Source("a.star", text)).run(context, lambda _path, _at: {"s": struct})
    return variables, budget_of(context).spent


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("x = 1 + 2", 0),
        ("for i in range(10): x = i", 10),
        ("for i in range(3, 10): x = i", 7),
        ("for i in range(0, 10, 3): x = i", 4),
        ("for i in range(-5, 5): x = i", 10),
        ("for i in range(100000): x = i", 100_000),
        ("for i in [1, 2, 3]: x = i", 3),
        ("for k in {'a': 1, 'b': 2}: x = k", 2),
        ("for i in (1, 2): x = i", 2),
        ("for i in range(3):\n  for j in range(4): x = j\nend", 15),
        ("x = [i for i in range(10)]", 10),
        ("x = [i for i in [1, 2] for j in [1, 2, 3]]", 8),
        ("x = {i: 1 for i in range(5)}", 5),
        ("x = 0\nwhile x < 7: x += 1", 14),
        # What a loop does not iterate is given back.
        ("for i in range(1000):\n  if i == 4: break\nend", 5),
        ("for i in [1, 2, 3, 4]:\n  if i == 2: break\nend", 2),
        ("def f():\n  for i in range(1000): return i\nend\nx = f()", 1),
        ("for i in range(2):\n  for j in range(100):\n    if j == 3: break\n  end\nend", 10),
        # A function counts if it may call others.
        ("def f(): return 1\nx = f()", 0),
        ("def f(): return 1\ndef g(): return f()\nx = g() + g()", 16),
        ("def f(n): return f(n - 1) if n else 0\nx = f(5)", 48),
        ("x = (lambda f: f())(lambda: 1)", 8),
        # A name of a method may be that of a function; so may what is given by name to a builtin.
        ("load('@', 's')\ndef f(s, n): return s.get(s, n - 1) if n else 0\nx = f(s(get=f), 5)", 40),
        ("def f(n): return sorted([n - 1], key=f) if n else 0\nx = f(5)", 48),
        ("def f(l): return l.append(1)\nx = f([])", 0),
        # Builtins count in proportion, and only where it matters.
        ("x = len([1, 2, 3])", 0),
        ("x = [0] * 8000", 1000),
    ],
)
def test_steps(text: str, steps: int) -> None:
    assert run(text)[1] == steps


def test_what_lists_are_made_of_does_not_count() -> None:
    """Whether a list leaves the function decides of how it is made, and not of what it costs."""
    body = "def f():\n  a = list(range(3))\n" + "  a = [1] * 2\n  a = [2]\n  a = [i for i in range(1)]\n" * 30
    assert run(body + "  return a\nend\nx = f()")[1] == run(body + "  return 1\nend\nx = f()")[1] > 60


def test_the_count_is_exact_at_the_limit() -> None:
    text = "x = 0\nfor i in range(10):\n  for j in range(10): x += 1\nend"
    assert run(text, steps=110)[0]["x"] == 100
    with pytest.raises(LimitError, match="steps=109"):
        run(text, steps=109)


@pytest.mark.parametrize(
    ("text", "limits", "message", "line"),
    [
        ("x = 1\nfor i in range(100): x += 1", {"steps": 50}, "this evaluation exceeds the limit steps=50", 2),
        ("x = 1\nwhile True: x += 1", {"steps": 50}, "this evaluation exceeds the limit steps=50", 2),
        ("\n\nx = 'ab' * 600", {"string": 1100}, "a string of 1200 characters exceeds the limit string=1100", 3),
        (
            "x = 'ab' * 500\ny = x + x",
            {"string": 1100},
            "a string of 2000 characters exceeds the limit string=1100",
            2,
        ),
        ("x = [1] * 2000", {"items": 1500}, "a list of 2000 items exceeds the limit items=1500", 1),
        ("x = list(range(2000))", {"items": 1500}, "a range of 2000 items exceeds the limit items=1500", 1),
        ("x = (1,) * 2000", {"items": 1500}, "a tuple of 2000 items exceeds the limit items=1500", 1),
        ("x = 3\nfor i in range(20): x *= x", {"bits": 5000}, "an int of 6494 bits exceeds the limit bits=5000", 2),
        ("x = 1\nfor i in range(20): x <<= 500", {"bits": 5000}, "an int of 5001 bits exceeds", 2),
        ("def f(n): return f(n + 1)\nx = f(0)", {"depth": 50}, "too many nested calls (limit depth=50)", 1),
    ],
)
def test_limits_are_named_with_their_place(text: str, limits: dict[str, int], message: str, line: int) -> None:
    with pytest.raises(LimitError) as caught:
        run(text, **limits)
    assert caught.value.message.startswith(message)
    assert caught.value.at is not None
    assert caught.value.at.line == line
    assert caught.value.exit_status == 3


def test_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.ytt.starlark.step_budget.has_other_threads", lambda: False)
    with pytest.raises(LimitError, match=r"seconds=0\.01"):
        _long(Limits(seconds=0.01))
    with pytest.raises(LimitError, match="memory=1"):
        _long(Limits(memory=1))


def _long(limits: Limits) -> object:
    text = "x = []\nfor i in range(3000000): x.append([i, str(i)])"
    return compile_program([CodePart(text)], Source("a.star", text)).run(Context(limits=limits))


def test_functions_called_later_spend_from_the_same_budget() -> None:
    text = "def f():\n  for i in range(10): x = i\nend"
    # A call from the host costs 100 beside the steps of the function.
    context = Context(limits=Limits(steps=335))
    function = compile_program([CodePart(text)], Source("a.star", text)).run(context)["f"]
    for _ in range(3):
        call(function)
    with pytest.raises(LimitError):
        call(function)


def test_loads_spend_from_the_same_budget() -> None:
    context = Context(limits=Limits(steps=100))
    source = Source("a.star", "")
    inner = compile_program([CodePart("for i in range(60): x = i")], source)
    outer = compile_program([CodePart("load('b', 'x')\nfor i in range(60): y = x")], source)
    with pytest.raises(LimitError):
        outer.run(context, lambda _path, _at: inner.run(context))


def test_a_budget_that_is_spent_stays_so() -> None:
    context = Context(limits=Limits(steps=10))
    program = compile_program([CodePart("for i in range(20): x = i")], Source("a.star", ""))
    for _ in range(2):
        with pytest.raises(LimitError):
            program.run(context)


def test_depth_is_restored() -> None:
    import sys

    before = sys.getrecursionlimit()
    with pytest.raises(LimitError):
        run("def f(n): return f(n + 1)\nx = f(0)", depth=40)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("limits", [{"steps": 0}, {"depth": -1}, {"depth": 1_000_000}, {"string": 0}])
def test_what_cannot_be_a_limit(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="limit"):
        Limits(**limits)


def test_an_interrupt_passes_through() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    text = "load('@', 'stop')\nx = [stop() for i in [1]]"
    with pytest.raises(KeyboardInterrupt):
        compile_program([CodePart(text)], Source("a.star", text)).run(
            None, lambda _path, _at: {"stop": Builtin("stop", interrupt)}
        )


@pytest.mark.parametrize(
    "use",
    ["{t: 1}", "t == u", "sorted([t, u])", "t < u", "t in [u]", "str(t)", "max([t, u])", "[t].index(u)", "set([t, u])"],
)
def test_values_with_shared_parts_take_no_time(use: str) -> None:
    text = f"t = (1,)\nu = (1,)\nfor i in range(60):\n  t = (t, t)\n  u = (u, u)\nend\nx = {use}"
    try:
        run(text)
    except PlaitError as error:
        assert isinstance(error, LimitError)  # noqa: PT017
