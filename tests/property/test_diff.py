"""Laws of differences: what is written as operations or as an overlay, applied to the left side, gives the right side."""

from __future__ import annotations

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.base.source import Source
from plait.insight import diff
from plait.insight.overlays import to_overlay
from plait.ops.job import patch
from plait.ops.operation_files import read_operations
from plait.ops.reader import write_text
from plait.tree.equality import alike
from plait.tree.nodes import Document, DocumentSet, from_plain
from plait.yaml.writer import write
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

# The first template raises the recursion limit, which must not happen inside a test of hypothesis.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))

# Not what YAML itself cannot carry from a text into a tree: a whole float is an integer when it is read back, and the
# key `<<` merges.
TEXTS = st.sampled_from(
    ["", "a", "b", "web", "3", "true", "null", "a: b", "#@ x", "x\ny", "x\n\n", " x", "- a", "é", "(@ @)"]
)
KEYS = st.one_of(
    st.sampled_from(["name", "kind", "a", "b", "c", "0", "-", "a=b", "a?", "~1/x", ""]),
    st.integers(0, 2),
    st.booleans(),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.just(1.5), TEXTS)
NAMED = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["x", "y", "z"])}, optional={"v": SCALARS, "w": st.lists(SCALARS, max_size=2)}
    ),
    max_size=3,
    unique_by=lambda item: str(item["name"]),
)


def _values(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    # Keys that Python takes for equal, such as 0 and False, cannot stand in one dict.
    return st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4), NAMED)


VALUES = st.recursive(SCALARS, _values, max_leaves=12)
NAMES = st.fixed_dictionaries(
    {"kind": st.sampled_from(["A", "B"]), "metadata": st.fixed_dictionaries({"name": st.sampled_from("pq")})},
    optional={"spec": VALUES},
)
TOPS = st.one_of(NAMES, VALUES)
SETS = st.lists(TOPS, max_size=4)


def documents(values: list[object]) -> list[Document]:
    return diff.printed([Document(from_plain(value)) for value in values])


def rendered(text: str, overlay: str) -> list[Document]:
    files = [in_memory("base.yml", text, 1)]
    if overlay:
        files.append(in_memory("overlay.yml", overlay, 2))
    return run(RenderJob(files)).documents.items


def same(left: list[Document], right: list[Document]) -> bool:
    return len(left) == len(right) and all(alike(a.value, b.value) for a, b in zip(left, right, strict=True))


@given(SETS, SETS)
@settings(max_examples=150, deadline=None)
def test_the_overlay_makes_the_right_side(a: list[object], b: list[object]) -> None:
    left, right = documents(a), documents(b)
    text = write(DocumentSet(left))
    overlay = to_overlay(left, right)
    assert same(rendered(text, overlay), right), overlay


@given(VALUES, VALUES)
@settings(max_examples=150, deadline=None)
def test_the_operations_make_the_right_side(a: object, b: object) -> None:
    left, right = from_plain(a), from_plain(b)
    text = diff.to_operations([Document(left)], [Document(right)])
    operations = read_operations(Source("ops.yml", text), null_values=True)
    assert write_text(patch(left, operations)) == write_text(right)


@given(VALUES)
def test_nothing_differs_from_itself(a: object) -> None:
    value = from_plain(a)
    assert diff.diff([Document(value)], [Document(from_plain(a))]) == []
    assert to_overlay([Document(value)], [Document(from_plain(a))]) == ""


@given(SETS, SETS)
def test_nothing_is_said_only_where_nothing_differs(a: list[object], b: list[object]) -> None:
    left, right = documents(a), documents(b)
    if not diff.diff(left, right):
        # Only the order of keys and of named documents may differ then.
        assert sorted(map(_shape, left)) == sorted(map(_shape, right))


def _shape(document: Document) -> str:
    return write_text(document.value)
