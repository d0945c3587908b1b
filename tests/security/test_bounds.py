"""Bounds that a library user meets, without the command line around them."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.authoring.lsp import completion, tokens
from plait.base.errors import LimitError, PlaitError, ReadError, conceal, render
from plait.base.limits import Limits, budget_scope
from plait.base.regex import RegexPattern
from plait.base.similar_names import did_you_mean
from plait.base.source import Position, Quoted, Source, Wording
from plait.base.text_diff import hunks
from plait.insight.node_paths import parse, ways
from plait.layering.data_paths import _compiled, compile_path
from plait.layering.plain_scalars import plain_values
from plait.tree.nodes import Map, MapItem, key_id
from plait.yaml.embedded import ini
from plait.yaml.json import write_json
from plait.yaml.reader import read
from plait.yaml.scalar_styles import folded, leaf
from plait.yaml.writer import write
from plait.ytt.starlark.containers import List
from plait.ytt.yaml_fragments import to_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.tree.nodes import Scalar


def test_a_deep_key_has_an_identity() -> None:
    one, other, third = (
        read(Source("a", "? " + "- " * 3000 + text), depth=6000).items[0].value for text in ("1", "1", "'1'")
    )
    assert type(one) is type(other) is type(third) is Map
    assert hash(key_id(one.items[0].key)) == hash(key_id(other.items[0].key))
    assert one.find(other.items[0].key) is one.items[0]
    assert one.find(third.items[0].key) is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("[a, [b]]", "[[a], b]"),
        ("{a: 1}", "[a, 1]"),
        ("{a: {}, b: 1}", "{a: {b: 1}}"),
        ("[[], []]", "[[[]]]"),
        ("[1]", "[1.0]"),
    ],
)
def test_different_shapes_are_different_keys(left: str, right: str) -> None:
    first, second = (read(Source("a", f"? {text}\n: 1")).items[0].value for text in (left, right))
    assert type(first) is type(second) is Map
    assert key_id(first.items[0].key) != key_id(second.items[0].key)


def shared(levels: int) -> List:
    value: object = "lol"
    for _ in range(levels):
        value = List([value] * 10)
    assert type(value) is List
    return value


def test_what_is_small_and_shared_becomes_large_only_so_far() -> None:
    nodes = to_nodes(shared(5))
    assert len(write_json(nodes)) > 500_000
    with pytest.raises(LimitError, match="the limit nodes=1M"):
        to_nodes(shared(9))


def test_the_output_has_a_size() -> None:
    leaf = to_nodes(shared(4))
    for _ in range(4):
        leaf = Map([MapItem(str(number), leaf) for number in range(10)])
    with pytest.raises(LimitError, match="the limit output="):
        write(read(Source("a", "1")).with_items([read(Source("a", "1")).items[0].with_value(leaf)]))
    with pytest.raises(LimitError, match="the limit output="):
        write_json(leaf)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a timer of the process")
def test_a_pattern_has_a_second() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert RegexPattern(re.compile("(a+)(b+)")).sub(lambda found: f"<{found is not None}>", "xaabb") == "x<True>"
    with pytest.raises(LimitError, match=r"the limit pattern=0\.2$"), budget_scope(Limits(pattern=0.2)):
        RegexPattern(re.compile("(a+)+$")).search("a" * 50 + "b")
    for pattern, text in (("(a|a)*b", "a" * 60), ("(a|aa)*b", "a" * 60), ("a*b", "a" * 60_000)):
        with pytest.raises(LimitError, match=r"the limit pattern=0\.2$"), budget_scope(Limits(pattern=0.2)):
            RegexPattern(re.compile(pattern)).search(text)
        with pytest.raises(LimitError, match=r"the limit pattern=0\.2$"), budget_scope(Limits(pattern=0.2)):
            RegexPattern(re.compile(pattern)).sub(lambda _: "", text)
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_few_paths_are_kept_and_none_that_is_long() -> None:
    before = len(_compiled)
    for number in range(50):
        compile_path(f".a{number}" + "b" * 100_000)
    assert len(_compiled) == before
    assert compile_path(".some.path") is compile_path(".some.path")


def elsewhere(work: Callable[[], object]) -> object:
    """What a call gives, or raises, on another thread."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except LimitError as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    assert outcome, "it takes too long"
    return outcome[0]


def test_a_pattern_is_bounded_on_any_thread() -> None:
    slow = RegexPattern(re.compile("(a+)+$"))
    assert elsewhere(lambda: slow.search("a" * 50_000 + "b")) is None
    assert elsewhere(lambda: slow.search("xaaa").group(0)) == "aaa"  # type: ignore[union-attr]
    assert elsewhere(lambda: slow.sub(lambda _: "-", "xaaa")) == "x-"
    for text in ("(a+)+(?!b)$", "(a+)+\\1$", "(a*)*$"):
        refused = elsewhere(lambda text=text: RegexPattern(re.compile(text)).search("a" * 50 + "b"))  # type: ignore[misc]
        assert isinstance(refused, LimitError)
        assert refused.limit == "pattern"


@given(
    st.from_regex(r"(?:[ab.]|\\[dws]|\(a|\)|\||[*+?]|\{1,2\}|\[ab\]|\[\^b\]|\^|\$|\(\?:b){1,8}", fullmatch=True),
    st.text("ab1 \n", max_size=8),
)
def test_both_matchers_find_the_same(pattern: str, text: str) -> None:
    try:
        regexp = re.compile(pattern)
    except re.error:
        return
    matcher = RegexPattern(regexp)
    if regexp.pattern.count("*") + regexp.pattern.count("+") + regexp.pattern.count("{") < 2:
        return
    replaced = elsewhere(lambda: matcher.sub(lambda _: "-", text))
    if not isinstance(replaced, LimitError):
        assert replaced == regexp.sub("-", text)
    found, wanted = elsewhere(lambda: matcher.search(text)), regexp.search(text)
    if wanted is None:
        assert found is None or isinstance(found, LimitError)
    elif not isinstance(found, LimitError):
        groups = range(regexp.groups + 1)
        assert [found.group(n) for n in groups] == [wanted.group(n) for n in groups]  # type: ignore[attr-defined]


def test_hints_do_not_cost_more_than_errors() -> None:
    assert did_you_mean("k" * 5000, ["k" * 5000 + "x"]) is None
    assert did_you_mean("some-nmae", [f"name-{number}" for number in range(300_000)]) is None
    assert did_you_mean("nmae", ["other", "name"]) == 'did you mean "name"?'


def test_messages_cut_long_lines() -> None:
    source = Source("a.yml", "x" * 100_000)
    assert len(render(ReadError("broken", at=Position(source, 1), found="y" * 100_000))) < 2_000


def test_a_concealed_error_keeps_its_place() -> None:
    source = Source("s.yml", "one\nsecret\n")
    told = Wording("no '", Quoted("secret"), "' here")
    error = conceal(ReadError(told, at=Position(source.hidden(), 2), hint='did you mean "secret"?'))
    assert render(error) == "plait: s.yml:2: no '...' here\n"


def folded_by_character(form: str, column: int, width: int, pad: str) -> str:
    """The obvious way: look at each character."""
    quote = form[0] if form[0] in "'\"" else ""
    first, last = (1, len(form) - 2) if quote else (-1, len(form))
    out = ""
    spaces = False
    for index, character in enumerate(form):
        if character != " ":
            out += character
            column += 1
            spaces = False
            continue
        following = form[index + 1 : index + 2]
        if not spaces and column > width and first < index < last and (quote == '"' or following != " "):
            out += "\n" + pad + ("\\" if following == " " else "")
            column = len(pad) + (following == " ")
        else:
            out += " "
            column += 1
        spaces = True
    return out


@given(st.text("ab ", min_size=1, max_size=40), st.sampled_from(["", "'", '"']), st.integers(0, 12), st.integers(0, 4))
def test_folding_is_what_it_was_by_character(text: str, quote: str, column: int, indent: int) -> None:
    form = f"{quote}{text}{quote}"
    assert folded(form, column, 10, " " * indent) == folded_by_character(form, column, 10, " " * indent)


# ---- patterns with several `**`, differences of repetitive texts, numbers with many digits


@pytest.mark.parametrize("pattern", ["**", "**.**", "**.a.**", ".".join(["**"] * 30), "**.a.**.a.**", "**.*.**.*.**"])
def test_a_path_takes_each_place_once(pattern: str) -> None:
    text = "{a: " * 200 + "1" + "}" * 200
    value = read(Source("a", text)).items[0].value
    with budget_scope(Limits(steps=20 * 202 * (pattern.count(".") + 2))):
        found = ways(value, parse(pattern).steps)
    assert len(found) == len({tuple(map(id, way)) for way in found}) <= 201


def test_a_path_through_shared_values_ends() -> None:
    lines = ["a0: &a0 {x: 1, y: 2}", *(f"a{n}: &a{n} {{l: *a{n - 1}, r: *a{n - 1}}}" for n in range(1, 14))]
    value = read(Source("a", "\n".join(lines))).items[0].value
    with budget_scope(Limits(steps=10_000)), pytest.raises(LimitError, match="steps"):
        ways(value, parse("**.x").steps)


def test_differences_of_repetitive_texts_take_so_many_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counted(_left: object, _right: object, within: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
        nonlocal compared
        a, b, c, d = within
        compared += (b - a) * (d - c)
        return [(a, b, c, d)]

    monkeypatch.setattr("plait.base.text_diff._by_difflib", counted)
    left, right = (
        "\n".join(f"u{n // 100}" if n % 100 == 0 else order[n % 3] for n in range(300_000)) for order in ("abc", "acb")
    )
    hunks(left, right)
    assert 0 < compared <= 10_010_000


NUMBERS = {
    "decimal": "9" * 5000,
    "negative": "-" + "9" * 4301,
    "hexadecimal": "0x" + "f" * 4000,
    "octal": "0" + "7" * 6000,
    "octal of YAML 1.2": "0o" + "7" * 6000,
    "binary": "0b" + "1" * 16000,
    "with underscores": "1" + "_0" * 5000,
    "base 60": "1" + ":59" * 5000,
    "long base 60": "1" + ":59" * 100_000,
}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", ["a: {}", "? {}\n: a", "[{}]"])
@pytest.mark.parametrize("plain", [None, plain_values], ids=["yaml", "deckhand"])
def test_numbers_of_many_digits_are_read_and_printed(
    number: str, form: str, plain: Mapping[str, Scalar] | None
) -> None:
    source = Source("a", form.format(NUMBERS[number]))
    documents = read(source) if plain is None else read(source, plain=plain)
    write(documents)
    write_json(documents)


def test_an_integer_is_printed_however_large() -> None:
    assert leaf(1 << 40_000) == format(Decimal(1 << 40_000), "f")
    assert leaf(-12) == "-12"


# Lines of 200,000 characters on which a search that starts anew at each of them takes minutes.
LONG_LINES = {
    "quotes in a string": '\\"' * 100_000,
    "open strings": '"a' * 100_000,
    "a word": "a" * 200_000,
    "a chain": "a." * 100_000,
    "dashes": "a-" * 100_000,
    "a chain with dashes": "a.a-" * 50_000,
    "blanks": "a" + " " * 200_000 + "b",
}


@pytest.mark.parametrize("line", [f"x{'.a' * 3000}", "[" + "x, " * 2000 + "]", "[" + "lambda: x, " * 2000 + "]"])
def test_hints_about_names_take_time_in_proportion_to_the_line(line: str) -> None:
    start = time.process_time()
    with pytest.raises(PlaitError, match="undefined: x"):
        plait.render({"a.yml": f"a: #@ {line}\n"})
    assert time.process_time() - start < 10


@pytest.mark.parametrize("name", LONG_LINES)
def test_a_long_line_takes_linear_time(name: str) -> None:
    line = LONG_LINES[name]
    start = time.process_time()
    tokens._QUOTED.sub("", line)
    completion._ends_in_string(line)
    completion._CHAIN.search(line[-completion._MOST_TYPED :])
    ini.read(Source("a.ini", f"k = 1\n{line} = 2\n"))
    assert time.process_time() - start < 10
