"""Laws of differences: what is written as operations or as an overlay, applied to the left side, gives the right side."""

from __future__ import annotations

import contextlib
import sys
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.base.errors import UsageError
from plait.base.source import Source
from plait.insight import diff
from plait.insight.merge_patches import to_merge
from plait.insight.overlays import to_overlay
from plait.ops.job import patch
from plait.ops.operation_files import read_operations
from plait.ops.reader import write_text
from plait.tree.equality import alike
from plait.tree.nodes import Document, DocumentSet, from_plain
from plait.yaml.writer import write
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.merges import Merges, documents_of
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
Pod: TypeAlias = "dict[str, dict[str, object]]"
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


# Arrays of a Pod: containers and env have merge keys, ports have one with a default, finalizers are a set.
PORTS = st.lists(
    st.fixed_dictionaries(
        {"containerPort": st.integers(1, 3)},
        optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": SCALARS},
    ),
    max_size=3,
)
CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["x", "y", "z"])},
        optional={"image": SCALARS, "args": st.lists(SCALARS, max_size=2), "ports": PORTS | SCALARS, "env": NAMED},
    ),
    max_size=3,
)
PODS = st.builds(
    lambda metadata, spec, others: {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, **others},
    st.fixed_dictionaries(
        {"name": st.sampled_from("pq")},
        optional={"finalizers": st.lists(st.sampled_from("abc"), max_size=3) | SCALARS, "labels": VALUES},
    ),
    st.fixed_dictionaries({}, optional={"containers": CONTAINERS, "hostNetwork": SCALARS, "volumes": NAMED}) | VALUES,
    st.dictionaries(st.sampled_from(["data", "status", "$patch", "$retainKeys", 1, True]), VALUES, max_size=2),
)


@given(st.lists(PODS | NAMES, max_size=3), st.lists(PODS | NAMES, max_size=3))
@settings(max_examples=150, deadline=None)
def test_the_merge_makes_the_right_side(a: list[object], b: list[object]) -> None:
    left, right = documents(a), documents(b)
    with contextlib.suppress(UsageError):
        text = to_merge(left, right)
        applies(left, right, text)


def applies(left: list[Document], right: list[Document], text: str) -> None:
    """Asserts that a merge file makes the right documents of the left ones."""
    base = [in_memory("base.yml", write(DocumentSet(left)), 1)]
    job = RenderJob(base)
    job.merged = Merges(documents_of([in_memory("merge.yml", text, 2)]), (), ()).merged
    # Named documents keep the left order.
    assert sorted(map(_shape, run(job).documents.items)) == sorted(map(_shape, right)), text


@given(PODS, PODS)
@settings(max_examples=100, deadline=None)
def test_a_merge_expresses_each_difference_of_a_document_with_the_same_identity(a: Pod, b: Pod) -> None:
    for one in (a, b):
        one["metadata"] = {**one["metadata"], "name": "p"}
        for key in ("$patch", "$retainKeys"):
            one.pop(key, None)
    left, right = documents([a]), documents([b])
    assert bool(to_merge(left, right)) != same(left, right)


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
