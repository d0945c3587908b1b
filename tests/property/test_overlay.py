"""Laws of overlays, and the indexed matching against a slow and obvious one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from annotated import fn
from plait.base.errors import OverlayError
from plait.tree.annotations import Annotation
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, equal, from_plain, to_plain
from plait.ytt.overlay.apply import apply, apply_documents
from plait.ytt.overlay.matchers import ALL, MapKey

if TYPE_CHECKING:
    from plait.tree.nodes import Value

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["a", "b", "1", ""]), st.just(1.5))
KEYS = st.sampled_from(["a", "b", "c", "d", "name", "1"])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
MAPS = st.dictionaries(KEYS, TREES, max_size=4)


def outline(value: Value) -> object:
    """Everything about a tree that an overlay might alter, identity of nodes included."""
    if isinstance(value, Map | Array | DocumentSet):
        return (id(value), [(id(item), outline(item.value), item.annotations) for item in value.items])
    return value


@given(TREES)
def test_an_empty_overlay_returns_the_same_object(data: object) -> None:
    left = from_plain(data)
    for right in (from_plain({}), from_plain([]), None, 5):
        if type(left) is type(right) or right is None or right == 5:
            assert apply(left, right) is left
    (result,) = apply_documents([DocumentSet([Document(left)])], [])
    assert result.items[0].value is left


@given(MAPS, MAPS)
def test_left_and_right_are_unchanged_and_untouched_children_shared(before: dict[str, object], over: object) -> None:
    left, right = from_plain(before), from_plain(over)
    assert isinstance(right, Map)
    annotated = _missing_ok(right)
    seen = outline(left), outline(annotated)
    try:
        result = apply(left, annotated)
    except OverlayError:
        result = None
    assert (outline(left), outline(annotated)) == seen
    if isinstance(result, Map):
        assert isinstance(left, Map)
        for item in left.items:
            if right.find(item.key) is None:
                assert result.find(item.key) is item


def _missing_ok(right: Map) -> Map:
    defaults = {"overlay/match": Annotation("overlay/match", (), {"missing_ok": True})}
    return Map([MapItem(item.key, item.value, annotations=defaults) for item in right.items])


@given(MAPS, MAPS, MAPS)
def test_one_run_of_two_overlays_equals_two_runs(base: dict[str, object], first: object, second: object) -> None:
    def overlay(data: object) -> Document:
        annotations = {
            "overlay/match": Annotation("overlay/match", (), {"by": ALL}),
            "overlay/match-child-defaults": Annotation("overlay/match-child-defaults", (), {"missing_ok": True}),
        }
        return Document(from_plain(data), annotations=annotations)

    # Never empty: a document that is, is dropped after each run.
    sets = [DocumentSet([Document(from_plain({**base, "keep": 1}))])]
    try:
        together = apply_documents(sets, [overlay(first), overlay(second)])
    except OverlayError:
        return
    apart = apply_documents(apply_documents(sets, [overlay(first)]), [overlay(second)])
    assert equal(together[0], apart[0])


NAMED = st.lists(
    st.one_of(
        st.fixed_dictionaries({"name": SCALARS}, optional={"v": SCALARS}),
        st.sampled_from([{"v": 1}, "text", {"name": {"x": 1}}]),
    ),
    max_size=6,
)
ORDINARY = st.lists(st.fixed_dictionaries({"name": SCALARS}, optional={"v": SCALARS}), max_size=6)
ACTIONS = st.sampled_from(["merge", "remove", "replace", "insert", "assert"])
STEPS = st.lists(st.tuples(ORDINARY.filter(bool).map(lambda some: some[0]), ACTIONS, st.booleans()), max_size=6)


def _slow_map_key(name: str) -> object:
    """`map_key` as a plain function of one left item: what the index must agree with."""
    one = MapKey(name)
    return fn(one.__call__)


def _overlay(steps: list[tuple[object, str, bool]], by: object) -> Array:
    items = []
    for data, action, many in steps:
        annotations = {
            "overlay/match": Annotation("overlay/match", (), {"by": by, **({"expects": "0+"} if many else {})}),
            "overlay/match-child-defaults": Annotation("overlay/match-child-defaults", (), {"missing_ok": True}),
        }
        if action != "merge":
            kwargs: dict[str, object] = {"after": True} if action == "insert" else {}
            annotations[f"overlay/{action}"] = Annotation(f"overlay/{action}", (), kwargs)
        items.append(ArrayItem(from_plain(data), annotations=annotations))
    return Array(items)


def _outcome(left: Value, right: Value) -> object:
    try:
        return to_plain(apply(left, right))
    except OverlayError as error:
        return (error.message, [step.text for step in error.stack])


@given(st.one_of(NAMED, ORDINARY), STEPS)
def test_indexed_matching_equals_the_slow_one(data: list[object], steps: list[tuple[object, str, bool]]) -> None:
    left = from_plain(data)
    quick = _outcome(left, _overlay(steps, "name"))
    slow = _outcome(left, _overlay(steps, _slow_map_key("name")))
    assert repr(quick) == repr(slow)


@given(st.dictionaries(st.integers(0, 30).map(str), SCALARS, max_size=25), st.data())
def test_long_maps_equal_plain_dicts(data: dict[str, object], more: st.DataObject) -> None:
    """Additions, changes and removals against a dict, over maps long enough to be indexed."""
    steps = more.draw(
        st.lists(
            st.tuples(st.integers(0, 35).map(str), SCALARS, st.sampled_from(["merge", "remove", "replace"])),
            max_size=30,
        )
    )
    expected = dict(data)
    documents = []
    for chunk in (steps[::2], steps[1::2]):
        items = []
        for key, value, action in chunk:
            annotations = {"overlay/match": Annotation("overlay/match", (), {"missing_ok": True})}
            if action == "remove":
                annotations["overlay/remove"] = Annotation("overlay/remove")
                expected.pop(key, None)
            else:
                if action == "replace":
                    annotations["overlay/replace"] = Annotation("overlay/replace", (), {"or_add": True})
                expected[key] = value
            items.append(MapItem(key, value, annotations=annotations))
        documents.append(Document(Map(items), annotations={"overlay/match": Annotation("overlay/match", (ALL,))}))
    (result,) = apply_documents([DocumentSet([Document(from_plain(data))])], documents)
    assert repr([to_plain(item.value) for item in result.items]) == repr([expected] if expected else [])
