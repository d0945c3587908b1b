"""Laws of operations that stand for several: what they do is what their plain operations do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.source import Source
from plait.ops.job import patch
from plait.ops.operation_files import operations_of
from plait.ops.operations import Operation, to_nodes
from plait.tree.nodes import Document, equal, from_plain

NAMES = st.sampled_from(["a", "b", "c"])
ITEMS = st.fixed_dictionaries({"name": NAMES}, optional={"k": st.integers(0, 3), "l": st.just([1])})
BASES = st.fixed_dictionaries(
    {"list": st.lists(ITEMS, max_size=4), "map": st.dictionaries(NAMES, ITEMS, max_size=3), "k": st.integers(0, 9)}
)
PATHS = st.sampled_from(
    [
        "/list/*/k",
        "/map/*/k",
        "/*/*/k",
        "/list/*",
        "/map/*/name",
        "/*/name=a/k?",
        "/list/*/l/0",
        "/list/name=a/k?",
        "/list/*/x?",
    ]
)
CHANGES = st.one_of(
    st.fixed_dictionaries({"type": st.just("replace"), "path": PATHS, "value": st.integers(10, 12)}),
    st.fixed_dictionaries({"type": st.just("remove"), "path": PATHS}),
    st.fixed_dictionaries({"type": st.sampled_from(["copy", "move"]), "from": st.just("/k"), "path": PATHS}),
    st.fixed_dictionaries(
        {"type": st.just("append"), "path": st.sampled_from(["/list", "/*/*/l", "/list/*/l"]), "value": st.just([7, 8])}
    ),
)


@given(BASES, st.lists(CHANGES, min_size=1, max_size=3))
def test_plain_operations_do_the_same(base: plait.Plain, changes: list[plait.Plain]) -> None:
    before = Document(from_plain(base)).value
    wide = operations_of(from_plain(changes), Source("ops.yml"), extensions=frozenset({"operations"}))
    done: list[Operation] = []
    try:
        after = patch(before, wide, done=done)
    except plait.OpsError:
        return
    again = operations_of(to_nodes(done), Source("plain.yml"))
    assert equal(patch(before, again), after)
