"""Laws: the language agrees with the obvious way to say it in Python."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from plait.base.errors import PlaitError
from plait.base.limits import Limits
from plait.base.source import Source
from plait.tree.context import Context
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.comparison import equals
from plait.ytt.starlark.containers import Dict, List, has, insert, lookup
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.value_text import repr_of, str_of

PROGRAM = """
def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def floor(a, b): return a // b
def mod(a, b): return a % b
def less(a, b): return a < b
def same(a, b): return a == b
def both(a, b): return [a & b, a | b, a ^ b]
def total(items):
  sum = 0
  for x in items: sum += x
  return sum
end
def cut(s, a, b, c): return s[a:b:c]
def at(s, i): return s[i]
def join(parts): return "".join(parts)
def order(items): return sorted(items)
def order_by(items, reverse): return sorted(items, reverse=reverse)
def order_by_length(items, reverse): return sorted(items, key=len, reverse=reverse)
def length(x): return len(x)
def form(a, b): return "%s|%r" % (a, b)
def text(a, b): return "{}|{!r}".format(a, b)
def echo(x): return x
def methods(s): return [s.upper(), s.lower(), s.strip(), s.find("a"), s.replace("a", "--"), s.split(",")]
def methods_of_text(s):
  s = str(s)
  return [s.upper(), s.lower(), s.strip(), s.find("a"), s.replace("a", "--"), s.split(",")]
end
def affixed(s): return ["<" + s, s + ">", "" + s + "-" + str(s) + "."]
def cut_and_joined(s): return "--".join(str(s).split(",")) + str(s).split(" ")[0] + str(len(str(s).split(",", 2)))
def cut_and_joined_apart(s):
  parts = [p for p in s.split(",")]
  return "--".join(parts) + list(s.split(" "))[0] + str(len([p for p in s.split(",", 2)]))
end
def methods_as_values(s):
  upper, lower, strip, find, replace, split = s.upper, s.lower, s.strip, s.find, s.replace, s.split
  return [upper(), lower(), strip(), find("a"), replace("a", "--"), split(",")]
end
"""
# All calls of all examples share the steps of this one run, which lasts as long as the suite.
FUNCTIONS = compile_program([CodePart(PROGRAM)], Source("laws.star", PROGRAM)).run(
    Context(limits=Limits(steps=1 << 40, seconds=1e6))
)

ints = st.integers(-(1 << 80), 1 << 80)
texts = st.text(st.characters(codec="utf-8"), max_size=12)
ends = st.none() | st.integers(-15, 15)
scalars = st.none() | st.booleans() | ints | st.floats(allow_nan=False) | texts
keys = st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5]) | texts


def run(name: str, *args: object) -> object:
    return call(FUNCTIONS[name], args)


def as_bytes(text: object) -> bytes:
    assert isinstance(text, str)
    return text.encode("utf-8", "surrogateescape")


@given(ints, ints)
def test_integers_are_pythons(a: int, b: int) -> None:
    assert run("add", a, b) == a + b
    assert run("sub", a, b) == a - b
    assert run("mul", a, b) == a * b
    assert run("both", a, b) == [a & b, a | b, a ^ b]
    assert run("less", a, b) is (a < b)
    assert run("same", a, b) is (a == b)
    if b:
        assert run("floor", a, b) == a // b
        assert run("mod", a, b) == a % b


@given(st.lists(ints))
def test_sum_and_order(items: list[int]) -> None:
    assert run("total", List(items)) == sum(items)
    assert run("order", List(items)) == sorted(items)


@given(st.lists(texts))
def test_strings_sort_by_bytes(items: list[str]) -> None:
    assert run("order", List(items)) == sorted(items, key=as_bytes)


rows = st.one_of(
    st.lists(st.tuples(st.integers(0, 3), texts, st.integers(0, 1)), max_size=12),
    st.lists(st.tuples(st.booleans(), st.integers(0, 3) | st.floats(0, 3)), max_size=12),
    st.lists(st.tuples(), max_size=3),
    st.lists(st.tuples(texts, st.none()), max_size=8, unique=True),
)


@given(rows, st.booleans())
def test_tuples_sort_by_their_parts_and_keep_the_order_of_what_is_equal(
    items: list[tuple[object, ...]], reverse: bool
) -> None:
    def key(item: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(as_bytes(part) if isinstance(part, str) else part for part in item)

    expected = sorted(items, key=key, reverse=reverse)
    assert repr_of(run("order_by", List(items), reverse)) == repr_of(List(expected))
    if not reverse:
        assert repr_of(run("order", List(items))) == repr_of(List(expected))


@given(st.lists(texts | st.lists(ints, max_size=5).map(List) | st.tuples(ints), max_size=12), st.booleans())
def test_sorting_by_length_is_sorting_by_len(items: list[object], reverse: bool) -> None:
    lengths = [run("length", item) for item in items]
    places = sorted(range(len(items)), key=lengths.__getitem__, reverse=reverse)  # type: ignore[arg-type]
    found = run("order_by_length", List(items), reverse)
    assert isinstance(found, List)
    assert all(one is items[place] for one, place in zip(found, places, strict=True))


@given(texts | st.text(st.sampled_from("a\udcc3\udca9")), st.sampled_from([1, 100, 1100]))
def test_texts_extended_in_place_are_sums(text: str, times: int) -> None:
    def total(*parts: str) -> object:
        first, *rest = parts
        for part in rest:
            first = run("add", first, part)  # type: ignore[assignment]
        return first

    text *= times
    expected = [total("<", text), total(text, ">"), total("", text, "-", text, ".")]
    assert repr_of(run("affixed", text)) == repr_of(List(expected))


@given(st.lists(texts, max_size=12).map(",".join) | texts, st.sampled_from([1, 1100]))
def test_lists_of_what_is_cut_may_be_anybodys(text: str, times: int) -> None:
    text *= times
    assert repr_of(run("cut_and_joined", text)) == repr_of(run("cut_and_joined_apart", text))


marks = st.text(st.sampled_from("aA,\u00e9\u0131\ufb01 \x1c\x85\n"), max_size=12)


@given(texts | marks, st.sampled_from([1, 100, 1100]))
def test_methods_done_in_place_do_what_they_do_as_values(text: str, times: int) -> None:
    expected = repr_of(run("methods_as_values", text * times))
    assert repr_of(run("methods", text * times)) == expected
    assert repr_of(run("methods_of_text", text * times)) == expected


@given(texts, ends, ends, ends.filter(lambda n: n != 0))
def test_slices_are_slices_of_bytes(text: str, low: int | None, high: int | None, step: int | None) -> None:
    assert as_bytes(run("cut", text, low, high, step)) == as_bytes(text)[low:high:step]


@given(texts, st.data())
def test_cut_and_joined_is_whole(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(as_bytes(text))))
    parts = List([run("cut", text, None, place, None), run("cut", text, place, None, None)])
    assert run("join", parts) == text
    assert run("add", *parts) == text


@given(texts, texts)
def test_formats_agree(a: str, b: str) -> None:
    assert run("form", a, b) == run("text", a, b) == f"{a}|{repr_of(b)}"


@given(texts)
def test_literal_means_itself(text: str) -> None:
    quoted = repr_of(text)
    if "\\u" not in quoted and "\\U" not in quoted:
        assert compile_program([CodePart(f"x = {quoted}")], Source("x")).run()["x"] == text


@given(st.recursive(scalars, lambda inner: st.lists(inner).map(List) | st.tuples(inner, inner), max_leaves=8))
def test_values_equal_themselves_and_print(value: object) -> None:
    assert equals(value, run("echo", value))
    assert isinstance(str_of(value), str)


@given(st.lists(st.tuples(keys, st.integers())))
def test_dict_keeps_bools_apart(pairs: list[tuple[object, int]]) -> None:
    made = Dict()
    slow: list[tuple[object, int]] = []
    for key, value in pairs:
        insert(made, key, value)
        for place, (old, _) in enumerate(slow):
            if equals(old, key):
                slow[place] = (old, value)
                break
        else:
            slow.append((key, value))
    assert [(repr_of(key), value) for key, value in made.items()] == [(repr_of(key), value) for key, value in slow]
    for key, value in slow:
        assert has(made, key)
        assert lookup(made, key) == value


@given(st.text("()[]{}:,=+-*/%<>|&^~.\"'\\\n #abcdefilnorst 0123456789_x", max_size=60))
def test_any_text_runs_or_is_refused(text: str) -> None:
    with suppress(PlaitError):
        compile_program([CodePart(text)], Source("any.star", text))
