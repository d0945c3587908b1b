"""Laws of operations: input trees stay, what is untouched is shared, a diff leads to its right side, format is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import assume, given
from hypothesis import strategies as st

from plait.base.errors import OpsError, PlaitError
from plait.base.source import Source
from plait.ops.definitions import interpolate
from plait.ops.difference import diff
from plait.ops.job import patch
from plait.ops.operations import Operation, Remove, Replace
from plait.ops.placeholders import names
from plait.ops.pointer import KeyToken, Pointer, escape, parse
from plait.ops.reader import keep_format, read_first, write_text
from plait.ops.variables import Sources
from plait.ops.walk import find
from plait.ops.working_copy import INDEX_FROM
from plait.tree.equality import alike, same
from plait.tree.nodes import Array, Map, equal, from_plain

if TYPE_CHECKING:
    from plait.tree.nodes import Value

KEYS = st.sampled_from(["a", "b", "c", "name", "key one", "x/y", "t~d", "c:n", "", "5", "-", "a=b", "q?", "n"])
EXACT = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 62), 1 << 62),
    st.text("ab:#-'\" \n{}[],&*!|>%@`0.é☃", max_size=8),
)
SCALARS = EXACT | st.floats(allow_nan=True, width=32)


def trees(leaves: st.SearchStrategy[object] = SCALARS) -> st.SearchStrategy[object]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(KEYS, inner, max_size=4),
            st.lists(st.fixed_dictionaries({"name": st.sampled_from("abc"), "v": inner}), max_size=4),
        ),
        max_leaves=12,
    )


NODES = trees().map(from_plain)


@given(st.text("a/~:?=-01next prevbefore", max_size=20))
def test_a_pointer_reads_back_as_itself(text: str) -> None:
    try:
        pointer = parse(text)
    except OpsError:
        return
    assert parse(str(pointer)) == pointer


@given(st.text())
def test_escaped_names_are_keys_again(name: str) -> None:
    pointer = parse("/" + escape(name) + "?/x")
    assert str(pointer) == f"/{escape(name)}?/x"
    assume("=" not in name)
    assert isinstance(pointer.tokens[0], KeyToken)
    assert pointer.tokens[0].name == name


@given(NODES, NODES)
def test_patching_with_a_diff_gives_the_right_side(left: Value, right: Value) -> None:
    before = to_text(left)
    assert alike(patch(left, diff(left, right)), right)
    assert alike(patch(left, diff(left, right, tests=False)), right)
    assert diff(left, left) == []
    assert to_text(left) == before


def to_text(value: Value) -> str:
    return write_text(value)


@given(NODES)
def test_no_operations_give_the_same_object(tree: Value) -> None:
    assert patch(tree, []) is tree
    assert patch(tree, [Remove(parse("/nothing?"))] if type(tree) is Map else []) is tree
    if "((" not in to_text(tree):
        assert interpolate(tree, Sources()) is tree


def places(value: Value, way: str = "") -> list[str]:
    """Paths to everything in a tree that a path can name."""
    out: list[str] = []
    if isinstance(value, Map):
        for item in value.items:
            if (
                type(item.key) is str
                and item.key not in ("", "5", "-")
                and item.key[-1:] != "?"
                and "=" not in item.key
            ):
                out += [f"{way}/{escape(item.key)}", *places(item.value, f"{way}/{escape(item.key)}")]
    elif isinstance(value, Array):
        for number, entry in enumerate(value.items):
            out += [f"{way}/{number}", *places(entry.value, f"{way}/{number}")]
    return out


@given(NODES, NODES, st.data())
def test_a_change_copies_the_way_and_shares_the_rest(tree: Value, value: Value, data: st.DataObject) -> None:
    assume(places(tree))
    path = data.draw(st.sampled_from(places(tree)))
    before = to_text(tree)
    changed = patch(tree, [Replace(parse(path), value)])
    assert to_text(tree) == before
    assert find(changed, parse(path)) is value
    on_the_way = {str(Pointer(parse(path).tokens[:n])) for n in range(len(parse(path).tokens) + 1)}
    for other in places(tree):
        if other not in on_the_way and not other.startswith(path + "/"):
            old, new = find(tree, parse(other)), find(changed, parse(other))
            assert old is new or not isinstance(old, Map | Array)


OPERATIONS = st.sampled_from(["name", "remove", "before", "after", "value", "deep", "append", "rename"])


@given(st.lists(st.tuples(OPERATIONS, st.integers(0, 30), st.integers(0, 30)), max_size=30))
def test_an_index_over_a_long_array_agrees_with_looking_at_each_item(steps: list[tuple[str, int, int]]) -> None:
    items = [{"name": f"n{n}", "v": n} for n in range(INDEX_FROM + 8)]
    operations: list[Operation] = []
    for number, (kind, which, other) in enumerate(steps):
        at = f"/name=n{which}"
        operations.append(
            {
                "name": Replace(parse(f"{at}/name"), f"n{other}"),
                "remove": Remove(parse(f"{at}?")),
                "before": Replace(parse(f"{at}:before"), from_plain({"name": f"n{other}"})),
                "after": Replace(parse(f"{at}:after"), from_plain({"name": f"x{number}"})),
                "value": Replace(parse(f"{at}?"), from_plain({"name": f"n{other}", "v": number})),
                "deep": Replace(parse(f"{at}?/d?/e"), number),
                "append": Replace(parse("/-"), from_plain({"name": f"n{other}"})),
                "rename": Remove(parse(f"/name=n{which}?/name")),
            }[kind]
        )
    # One run keeps its index; single runs look anew each time.
    single = together = from_plain(items)
    done: list[Operation] = []
    for operation in operations:
        try:
            single = patch(single, [operation])
        except OpsError as error:
            try:
                patch(together, [*done, operation])
            except OpsError as again:
                assert again.message == error.message  # noqa: PT017
            else:
                raise AssertionError(error.message) from None
            continue
        done.append(operation)
    assert equal(patch(together, done), single)


@given(st.text("(() )!ab/.-é+:", max_size=24))
def test_placeholders_are_what_the_pattern_finds(text: str) -> None:
    import re

    pattern = r"\(\( ?!?([-/.\w]+) ?\)\)"
    assert names(text) == re.findall(pattern, text)


# -- keeping the format ------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["one", "2", "'three'", '"f\\tour"', "~", "yes", "5.0", "- x"])
COMMENTS = st.sampled_from(["", "", "  # why"])


@st.composite
def block(draw: st.DrawFn, depth: int = 2, pad: int = 0) -> str:
    """A block map with comments, blank lines and several styles, as a person might keep it."""
    out: list[str] = []
    for key in draw(
        st.lists(st.sampled_from(["a", "b", "c", "long key", "'q'", "z9"]), min_size=1, max_size=4, unique=True)
    ):
        lead = " " * pad
        out.append(draw(st.sampled_from(["", "", "\n", f"{lead}# about\n", "# left\n"])))
        kind = draw(st.integers(0, 6 if depth else 2))
        comment = draw(COMMENTS)
        if kind < 2:
            out.append(f"{lead}{key}: {draw(WORDS).replace('- ', '')}{comment}\n")
        elif kind == 2:
            out.append(f"{lead}{key}: [x, {{y: 1}}, 'z']{comment}\n")
        elif kind == 3:
            out.append(f"{lead}{key}: |\n{lead}  text\n\n{lead}  more\n")
        elif kind == 4:
            out.append(f"{lead}{key}:{comment}\n{draw(block(depth - 1, pad + 2))}")
        else:
            dash = pad + 2 * (kind - 5)
            items = [draw(block(depth - 1, dash + 2)).lstrip() for _ in range(draw(st.integers(1, 3)))]
            assume(not any(item.startswith("#") for item in items))
            out.append(f"{lead}{key}:\n" + "".join(" " * dash + "- " + item for item in items))
    return "".join(out)


@given(block(), st.data())
def test_format_is_kept_but_for_the_lines_of_the_change(text: str, data: st.DataObject) -> None:
    source = Source("base.yml", text)
    try:
        old = read_first(source)
    except PlaitError:
        assume(False)
    leaves = [
        path
        for path in places(old)
        if not isinstance(value := find(old, parse(path)), Map | Array) and "\n" not in str(value)
    ]
    assume(leaves)
    path = data.draw(st.sampled_from(leaves))
    new = patch(old, [Replace(parse(path), "changed")])
    result = keep_format(source, old, new)
    assert same(read_first(Source("new.yml", result)), new)
    lines = list(zip(text.split("\n"), result.split("\n"), strict=True))
    assert len([1 for before, after in lines if before != after]) == 1
    assert text.count("#") == result.count("#")


@given(block(), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99), trees(EXACT)), min_size=1, max_size=3))
def test_the_edited_text_reads_as_the_patched_tree(text: str, steps: list[tuple[int, int, object]]) -> None:
    source = Source("base.yml", text)
    try:
        old = read_first(source)
    except PlaitError:
        assume(False)
    assert keep_format(source, old, old) == text
    new = old
    for kind, which, value in steps:
        known = places(new) or [""]
        path = known[which % len(known)]
        node = from_plain(value)
        try:
            new = patch(
                new,
                [
                    [Replace(parse(path), node), Remove(parse(path)), Replace(parse(path + "/new?"), node)][kind]
                    if kind < 3
                    else Replace(parse(path + ":before"), node)
                ],
            )
        except OpsError:
            continue
    assert same(read_first(Source("new.yml", keep_format(source, old, new))), new)
    assert same(read_first(source), old)
