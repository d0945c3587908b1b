"""Laws of reading and writing YAML."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, equal, key_id, to_plain, walk
from plait.yaml.comments import Comments
from plait.yaml.fmt import format_text
from plait.yaml.json import write_json
from plait.yaml.key_order import sort_items
from plait.yaml.libyaml import pure_parser
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate
from plait.yaml.scalar_styles import FORMS, one_line
from plait.yaml.scalars import needs_quotes, resolve_plain
from plait.yaml.writer import write, write_value
from treecheck import check_lines, check_round_trip, writable

# Characters that syntax, quoting and escaping care about, and some that they do not.
SHARP = "yYnNoOtT~01289.+-_:eExXob #'\"[]{}&*!|>%@`,?\\\n\r\t\x07\x85\xa0\u2028\ufeff\ue000\U0001f600éa"
texts = st.one_of(
    st.text(SHARP, max_size=8),
    st.text(max_size=8),
    st.sampled_from(
        ["yes", "null", "~", "1:30", "2001-01-01", "0x1F", "1e3", ".inf", "---", "- ", "a: b", "a #b", "<<"]
    ),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-(1 << 63), (1 << 64) - 1), st.floats(allow_nan=False), texts)


def _map(pairs: list[tuple[object, object]]) -> Map:
    return Map([MapItem(key, value) for key, value in pairs])  # type: ignore[arg-type]


def _array(values: list[object]) -> Array:
    return Array([ArrayItem(value) for value in values])  # type: ignore[arg-type]


values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(_array),
        st.lists(st.tuples(st.one_of(texts, inner), inner), max_size=4, unique_by=lambda pair: repr(pair[0])).map(_map),
    ),
    max_leaves=12,
)
trees = st.lists(values, min_size=1, max_size=3).map(lambda found: DocumentSet([Document(value) for value in found]))


@given(texts)
def test_the_kept_form_of_a_string_is_the_one_that_is_worked_out(text: str) -> None:
    kept = FORMS.strings[text]
    assert kept is None or kept == one_line(text)
    head = FORMS.keys[text]
    assert head is None or head == f"{one_line(text)}:"


@given(trees)
def test_what_is_written_reads_back_equal_and_is_written_the_same(tree: DocumentSet) -> None:
    check_round_trip(deduplicate(tree))


@given(values)
def test_folding_changes_no_value(value: object) -> None:
    assume(writable(DocumentSet([Document(value)])))  # type: ignore[arg-type]
    plain = write_value(value)  # type: ignore[arg-type]
    tree = read(Source("f.yml", plain), keep_mark=False)
    folded = write_value(tree.items[0].value, fold=8)
    # Two keys cannot become one, so equal output means equal values.
    again = read(Source("f.yml", folded), keep_mark=False)
    assert write_value(again.items[0].value) == write_value(tree.items[0].value)


@given(texts)
def test_a_string_needs_quotes_exactly_when_plain_text_would_be_something_else(text: str) -> None:
    if type(resolve_plain(text)) is not str:
        assert needs_quotes(text)
    elif not needs_quotes(text):
        assert resolve_plain(text) == text


# Texts made of lines: with comments, blocks, flow, anchors, quotes; most of them are YAML.
_pieces = st.sampled_from(
    [
        "a: 1", "a: 1 # c", "b:", "b: # c", "- x", "- x #@ y", "-", "- a: 2", "  c: 3", "  - 4", "# own", "  # own", "#@ code", "",
        "d: |", "d: > # no", "    text # no", "e: 'q # no'", 'f: "q', '  # no" # c', "g: [1, # c", "  2] # c", "h: {i: 1}", "---",
        "--- # c", "...", "j: &x {k: 1}", "l: *x # c", "<<: *x", "m: one", "  two # c", "n: !!str 5#6", "? o", ": p # c", "q: x#y",
        "%YAML 1.1", "r:\tz", "s: 'x'#c",
    ]
)  # fmt: skip
lines = st.lists(_pieces, max_size=12).map(lambda found: "".join(line + "\n" for line in found))


def read_or_none(text: str, **options: object) -> DocumentSet | None:
    try:
        return read(Source("f.yml", text), **options)  # type: ignore[arg-type]
    except PlaitError:
        return None


@given(st.one_of(lines, st.text(SHARP, max_size=40)))
def test_any_text_reads_or_is_refused_with_a_place_in_it(text: str) -> None:
    refused: PlaitError | None = None
    try:
        check_lines(read(Source("f.yml", text)))
    except PlaitError as error:
        refused = error
    if refused is not None:
        assert refused.at is not None
        assert 1 <= refused.at.line <= text.count("\n") + 1


@given(lines)
def test_both_parsers_give_the_same_tree(text: str) -> None:
    native, pure = read_or_none(text), read_or_none(text, parser=pure_parser())
    # Each takes some texts that the other refuses: a document right behind "..."; a tab behind a colon.
    if native is not None and "\t" not in text:
        assert pure is not None
        assert write(native) == write(pure)
        assert [item.line for item in walk(native)] == [item.line for item in walk(pure)]


def commented(text: str) -> dict[int, str]:
    """Line -> comment, found the slow way: where a scalar is anybody's guess, cut the comment off and look."""
    found: dict[int, str] = {}
    whole = read_or_none(text)
    if whole is None:
        return found
    rows = text.split("\n")
    for number, row in enumerate(rows):
        for column, character in enumerate(row):
            if character != "#":
                continue
            # A comment is what can be anything without a difference.
            tries = [row[:column] + tail for tail in ("#x", "#: [", "#'")]
            changed = [read_or_none("\n".join([*rows[:number], one, *rows[number + 1 :]])) for one in tries]
            if all(tree is not None and same(tree, whole) for tree in changed):
                found[number + 1] = row[column + 1 :]
                break
    return found


def same(left: DocumentSet, right: DocumentSet) -> bool:
    return len(left.items) == len(right.items) and all(
        equal(a.value, b.value) and [x.line for x in walk(a.value)] == [x.line for x in walk(b.value)]
        for a, b in zip(left.items, right.items, strict=True)
    )


@settings(max_examples=60)
@given(lines)
def test_comments_are_those_that_can_be_anything(text: str) -> None:
    comments = Comments()
    if read_or_none(text, comments=comments) is None:
        return
    headers = {number for number, row in enumerate(text.split("\n"), 1) if "> #" in row}
    slow = {line: text for line, text in commented(text).items() if line not in headers}
    assert {comment.line: comment.text for comment in [*comments.all, *comments.ignored]} == slow
    assert sum(map(len, comments.of.values())) == len(comments.all)


@given(lines)
def test_comments_belong_to_nodes_by_line(text: str) -> None:
    comments = Comments()
    tree = read_or_none(text, comments=comments)
    if tree is None or "*x" in text:
        return
    bare = None if text.lstrip("#own @cde\n").startswith("---") else tree.items[0]
    nodes = [node for node in walk(tree) if node is not bare]
    for owner, owned in comments.of.items():
        for comment in owned:
            beside = [node for node in nodes if node.line == comment.line]
            below = [node for node in nodes if node.line > comment.line]
            if isinstance(owner, DocumentSet):
                assert not beside
                assert not below or bare is None
            elif owner in nodes:
                assert owner is (beside[-1] if beside else below[0])
                assert comment.own_line == (not beside)


@given(lines)
def test_spans_stand_in_order_and_cut_out_what_was_read(text: str) -> None:
    tree = read_or_none(text)
    if tree is None:
        return
    spans = Spans(tree)
    for item in spans.bound():
        span, value = spans.item(item), spans.value(item)
        assert span is not None
        assert value is not None
        assert 0 <= span.start <= span.end <= len(text)
        assert span.start <= value.start <= value.end == span.end
        if isinstance(item, MapItem):
            key = spans.key(item)
            assert key is not None
            assert span.start <= key.start <= key.end <= value.start
    if "*" not in text and "%" not in text:
        for item in walk(tree):
            if isinstance(item, MapItem) and type(item.key) is str and "\n" not in item.key:
                key = spans.key(item)
                assert key is not None
                assert to_plain(read(Source("key.yml", text[key.start : key.end])).items[0].value) == item.key


@given(lines)
def test_formatting_keeps_the_data_and_is_settled_after_one_time(text: str) -> None:
    tree = read_or_none(text)
    if tree is None or "..." in text:
        return
    once = format_text(Source("f.yml", text))
    kept = [document.value for document in read(Source("f.yml", once)).items if document.value is not None]
    given_values = [document.value for document in tree.items if document.value is not None]
    assert len(kept) == len(given_values)
    assert all(map(equal, kept, given_values))


@given(trees)
def test_deduplicate_shares_and_changes_nothing_else(tree: DocumentSet) -> None:
    before = write(tree)
    once = deduplicate(tree)
    assert write(tree) == before
    assert deduplicate(once) is once
    for item in walk(once):
        if isinstance(item.value, Map):
            keys = [key_id(inner.key) for inner in item.value.items]
            assert len(keys) == len(set(keys))


# With digits in front of letters BOSH's order can be a circle (2E < 8 < 2001-01-01 < 2E), and then no answer is the one.
orderly_keys = st.tuples(
    st.text(st.characters(exclude_categories=["Nd", "Cs"]), max_size=6),
    st.one_of(st.just(""), st.integers(0, 10**17).map(str)),
).map("".join)


@given(st.lists(orderly_keys, unique=True, max_size=6))
def test_sorting_keys_does_not_depend_on_their_order(keys: list[str]) -> None:
    items = [MapItem(key, None) for key in keys]
    assert [item.key for item in sort_items(items)] == [item.key for item in sort_items(items[::-1])]


@given(values)
def test_json_is_json(value: object) -> None:
    import json

    try:
        text = write_json(value)  # type: ignore[arg-type]
        wide = write_json(value, indent=2, escape_html=False)  # type: ignore[arg-type]
    except PlaitError:
        return
    assert json.loads(text) == json.loads(wide)
    assert "<" not in text
