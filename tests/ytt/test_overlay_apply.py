"""Matching and actions on trees read from text; what a user sees is in cases/overlay."""

from __future__ import annotations

import pytest

from annotated import document, documents, fn, value
from plait.base.errors import OverlayError, PlaitError
from plait.base.source import Source
from plait.tree.annotations import Annotation
from plait.tree.nodes import Map, equal, from_plain, to_plain
from plait.tree.provenance import Trace
from plait.yaml.position_listing import write_positions
from plait.yaml.reader import read
from plait.yaml.writer import write
from plait.ytt.overlay.annotation_removal import erased
from plait.ytt.overlay.apply import apply, apply_document, apply_documents, is_overlay, merge_plain
from plait.ytt.overlay.error_stack import sentence
from plait.ytt.yaml_fragments import to_nodes


def changed(left: str, right: str) -> object:
    return to_plain(apply(value(left), value(right)))


def failure(left: str, right: str) -> PlaitError:
    with pytest.raises(PlaitError) as caught:
        apply(value(left, "l.yml"), value(right))
    return caught.value


ITEMS = "[{name: a, v: 1}, {name: b, v: 2}, {name: c, v: 3}]"


# ---- merge


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("1", "2", 2),
        ("{x: 1}", "null", None),
        ("[1]", "text", "text"),
        ("null", "{x: 1}", {"x": 1}),
        ("null", "[1]", [1]),
        ("{x: 1, z: 2}", "{z: 3}", {"x": 1, "z": 3}),
        ("[1]", "[2]", [1, 2]),
        ("{x: 1}", "{}", {"x": 1}),
        ("[1]", "[]", [1]),
    ],
)
def test_merge_table(left: str, right: str, expected: object) -> None:
    assert changed(f"a: {left}", f"a: {right}") == {"a": expected}


@pytest.mark.parametrize(
    ("left", "right", "sentence_end"),
    [
        ("1", "{x: 1}", "Expected map, but was integer"),
        ("[1]", "{x: 1}", "Expected map, but was array"),
        ("text", "[1]", "Expected array, but was string"),
        ("{x: 1}", "[1]", "Expected array, but was map"),
    ],
)
def test_merge_refuses_another_kind(left: str, right: str, sentence_end: str) -> None:
    error = failure(f"a: {left}", f"a: {right}")
    assert sentence(error) == f"Map item (key 'a') on line o.yml:1: {sentence_end}"
    assert [str(at) for at in error.also] == ["l.yml:1"]


def test_roots_of_different_kinds_are_refused() -> None:
    with pytest.raises(OverlayError, match=r"^Expected array, but was map$"):
        apply(from_plain({}), from_plain([1]))
    with pytest.raises(OverlayError, match=r"^Expected document set, but was map$"):
        apply(from_plain({}), documents("---\na: 1\n"))


def test_a_scalar_on_the_right_changes_nothing() -> None:
    left = from_plain({"a": 1})
    assert apply(left, 5) is left
    assert apply(left, None) is left


def test_keys_compare_by_type_and_value() -> None:
    tree = apply(value('{true: 1, 1: 2, "1": 3}'), value('"1": 5\ntrue: 4\n'))
    assert write(documents("").with_items([document("x").with_value(tree)])) == 'true: 4\n1: 2\n"1": 5\n'


# ---- matching


def test_array_items_are_matched_by_name() -> None:
    assert changed(f"l: {ITEMS}", 'l:\n#@overlay/match by="name"\n- name: b\n  v: 9\n') == {
        "l": [{"name": "a", "v": 1}, {"name": "b", "v": 9}, {"name": "c", "v": 3}]
    }


@pytest.mark.parametrize(
    ("matcher", "names"),
    [
        ("by=all_items, expects=3", "abc"),
        ("all_items, expects=3", "abc"),
        ("by=index(1)", "b"),
        ("by=index(-1), missing_ok=True", ""),
        ("by=index(3), missing_ok=True", ""),
        ('by=subset({"v": 3})', "c"),
        ('by=subset({"v": 3.0}), missing_ok=True', ""),
        ('by=or_op(subset({"v": 1}), index(2)), expects=2', "ac"),
        ('by=and_op(subset({"v": 1}), index(2)), missing_ok=True', ""),
        ("by=not_op(index(0)), expects=2", "bc"),
        ('by=fn(lambda i, l, r: l.index("v") > 1), expects=2', "bc"),
        ('by=fn(lambda i, l, r: i == 2 or l.index("name") == r.index("name")), expects="1+"', "c"),
    ],
)
def test_matchers(matcher: str, names: str) -> None:
    left = value(ITEMS)
    right = value(f"#@overlay/match {matcher}\n#@overlay/remove\n- name: '-'\n")
    kept = [item["name"] for item in to_plain(apply(left, right))]  # type: ignore[attr-defined]
    assert "".join(sorted({*"abc"} - {*kept})) == names


def test_map_key_finds_scalars_of_the_same_type_only() -> None:
    left = value('[{id: 1}, {id: "1"}, {id: true}, {id: 1.0}, {id: null}, {id: [1]}]')
    for text, place in (("1", 0), ('"1"', 1), ("true", 2), ("1.0", 3), ("null", 4)):
        right = value(f'#@overlay/match by="id"\n#@overlay/replace\n- id: {text}\n  hit: true\n')
        result = apply(left, right)
        assert [place for place, item in enumerate(result.items) if len(item.value.items) == 2] == [place]  # type: ignore[union-attr]
    right = value('#@overlay/match by="id", missing_ok=True\n- id: [1]\n')
    assert len(apply(left, right).items) == 7  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["[{name: a}, {nome: b}]", "[{nome: b}, {name: a}]"])
def test_map_key_refuses_items_without_the_key(text: str) -> None:
    error = failure(text, '#@overlay/match by="name"\n- name: a\n')
    assert error.message.endswith("Expected to find map item with key 'name', but did not")
    assert [str(at) for at in error.also] == ["l.yml:1"]


def test_map_key_refuses_items_that_are_no_maps_and_right_items_without_the_key() -> None:
    assert failure("[1]", '#@overlay/match by="name"\n- name: a\n').message.endswith(
        "Expected value to be map, but was integer"
    )
    assert failure("[{name: a}]", '#@overlay/match by="name"\n- {}\n').message.endswith("key 'name', but did not")
    assert changed("[]", '#@overlay/match by="name", missing_ok=True\n- {}\n') == [{}]


def test_matching_by_name_sees_what_earlier_items_did() -> None:
    right = (
        '#@overlay/match by="name"\n#@overlay/replace\n- name: z\n'
        '#@overlay/match by="name", missing_ok=True\n- name: new\n'
        '#@overlay/match by="name"\n- name: new\n  #@overlay/match missing_ok=True\n  v: 7\n'
        '#@overlay/match by="name"\n#@overlay/remove\n- name: b\n'
        '#@overlay/match by="name"\n- name: c\n  v: 8\n'
        "#@overlay/match by=index(1)\n#@overlay/insert before=True\n- name: between\n"
        '#@overlay/match by="name"\n- name: between\n  #@overlay/match missing_ok=True\n  v: 5\n'
    )
    assert changed("[{name: z, v: 0}, {name: b}, {name: c, v: 1}]", right) == [
        {"name": "z"},
        {"name": "between", "v": 5},
        {"name": "c", "v": 8},
        {"name": "new", "v": 7},
    ]


def test_matching_by_name_sees_a_changed_name() -> None:
    right = (
        '#@overlay/match by="name"\n- name: b\n'
        '#@overlay/match by="v"\n- v: 2\n  name: renamed\n'
        '#@overlay/match by="name"\n- name: renamed\n  v: 5\n'
        '#@overlay/match by="name", missing_ok=True\n- name: b\n'
    )
    assert changed(ITEMS, right) == [
        {"name": "a", "v": 1},
        {"name": "renamed", "v": 5},
        {"name": "c", "v": 3},
        {"name": "b"},
    ]


def test_items_are_found_under_another_key_after_some_were_taken_out() -> None:
    right = (
        '#@overlay/match by="name"\n#@overlay/remove\n- name: a\n'
        '#@overlay/match by="id"\n- id: i\n  #@overlay/match missing_ok=True\n  hit: true\n'
    )
    assert changed("[{name: a, id: h}, {name: b, id: i}]", right) == [{"name": "b", "id": "i", "hit": True}]


def test_an_item_that_was_added_by_name_is_found_by_name() -> None:
    right = (
        '#@overlay/match by="name", missing_ok=True\n- name: b\n'
        '#@overlay/match by="name"\n- name: b\n  #@overlay/match missing_ok=True\n  hit: true\n'
    )
    assert changed("[{name: a}]", right) == [{"name": "a"}, {"name": "b", "hit": True}]


# ---- ways: levels with one step each


WAY = "a:\n  b:\n    c:\n      d:\n        #@overlay/match missing_ok=True\n        new: 1\n"


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ("a: {b: {c: {d: {e: 5}}, f: 6}}", {"a": {"b": {"c": {"d": {"e": 5, "new": 1}}, "f": 6}}}),
        ("a: {b: {c: {d: {}}}}", {"a": {"b": {"c": {"d": {"new": 1}}}}}),
        ("a: {b: {c: null}}", {"a": {"b": {"c": {"d": {"new": 1}}}}}),
        ("a: null", {"a": {"b": {"c": {"d": {"new": 1}}}}}),
    ],
)
def test_what_stands_at_the_end_of_a_way(left: str, expected: object) -> None:
    tree = value(left)
    before = to_plain(tree)
    assert to_plain(apply(tree, value(WAY))) == expected
    assert to_plain(tree) == before


@pytest.mark.parametrize(
    ("left", "way", "end"),
    [
        ("a: {x: 1}", "ab", "Expected number of matched nodes to be 1, but was 0"),
        ("a: {b: {c: {x: 1}}}", "abcd", "Expected number of matched nodes to be 1, but was 0"),
        ("a: {b: [1]}", "ab", "Expected map, but was array"),
        ("a: {b: {c: {d: text}}}", "abcd", "Expected map, but was string"),
    ],
)
def test_an_error_names_the_way_as_far_as_it_goes(left: str, way: str, end: str) -> None:
    error = failure(left, WAY)
    steps = [f"Map item (key '{key}') on line o.yml:{line}: " for line, key in enumerate(way, 1)]
    assert sentence(error) == "".join(steps) + end


def test_documents_are_compared_with_a_subset_text_by_text() -> None:
    left = documents(
        "--- {kind: A, meta: {name: x}}\n--- {kind: A, meta: {name: 1}}\n--- {kind: B, meta: {name: x}}\n"
        "--- {kind: A, meta: [x]}\n--- {kind: A}\n--- {meta: {name: x}, kind: A, more: 1}\n--- text\n"
    )
    (overlay,) = documents(
        "#@overlay/match by=subset({'kind': 'A', 'meta': {'name': 'x'}}), expects=2\n---\n"
        "#@overlay/match missing_ok=True\nhit: 1\n"
    ).items
    (result,) = apply_documents([left], [overlay])
    hit = [place for place, item in enumerate(result.items) if type(item.value) is Map and item.value.find("hit")]
    assert hit == [0, 5]


# ---- how many


@pytest.mark.parametrize(
    ("setting", "counts"),
    [
        ("expects=2", {2}),
        ('expects="2+"', {2, 3}),
        ('expects=[0, "3+"]', {0, 3}),
        ("expects=[[1], 0]", {0, 1}),
        ("expects=[]", {0, 1, 2, 3}),
        ("expects=fn(lambda n: n % 2 == 1)", {1, 3}),
        ("missing_ok=True", {0, 1}),
        ("missing_ok=False", {1}),
    ],
)
def test_counts(setting: str, counts: set[int]) -> None:
    passed = set()
    messages = []
    for count in range(4):
        left = value(f"[{', '.join(['x'] * count)}]")
        right = value(f'#@overlay/match by=subset("x"), {setting}\n#@overlay/remove\n- y\n')
        try:
            assert to_plain(apply(left, right)) == []
            passed.add(count)
        except OverlayError as error:
            messages.append(error.message)
    assert passed == counts
    assert all("number of matched nodes" in message for message in messages)


def test_when_skips_the_item_quietly() -> None:
    for setting in ("when=2", 'when="2+"', "when=[2, 3]", "when=fn(lambda n: n == 2)"):
        right = f'#@overlay/match by=subset("x"), {setting}\n#@overlay/replace\n- z\n'
        assert changed("[x]", right) == ["x"]
        assert changed("[x, x]", right) == ["z", "z"]


def test_a_wrong_count_lists_the_matches() -> None:
    error = failure("- x\n- y\n- x\n", '#@overlay/match by=subset("x")\n- y\n')
    assert error.message == "Expected number of matched nodes to be 1, but was 2 (lines: l.yml:1, l.yml:3)"
    assert [str(at) for at in error.also] == ["l.yml:1", "l.yml:3"]
    plus = failure("- x\n", '#@overlay/match by=subset("x"), expects="2+"\n- y\n')
    assert plus.message == "Expected number of matched nodes to be >= 2, but was 1 (lines: l.yml:1)"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("expects=1, missing_ok=True", "Expected only one of keyword arguments ('missing_ok', 'expects') specified"),
        ("when=1, missing_ok=True", "Expected only one of keyword arguments ('missing_ok', 'when') specified"),
        ("when=1, expects=1", "Expected only one of keyword arguments ('when', 'expects') specified"),
        ("missing_ok=1", "Expected keyword argument 'missing_ok' to be a boolean"),
        ('expects="2"', "Expected '2' to be in format 'i+' where i is an integer"),
        ('expects="two+"', "Expected 'two+' to be in format 'i+' where i is an integer"),
        ("expect=1", "Unknown 'overlay/match' annotation keyword argument 'expect'"),
        ("expects=1.5", "to be either int, string or function, but was float"),
        ("expects=(1, 2)", "to be either int, string or function, but was tuple"),
        ("expects=True", "to be either int, string or function, but was bool"),
        ("expects=fn(lambda n: 1)", "Expected keyword argument 'expects' to have a function that returns a boolean"),
    ],
)
def test_settings_that_make_no_sense(settings: str, message: str) -> None:
    assert message in failure("a: 1", f"#@overlay/match {settings}\na: 2\n").message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#@overlay/match\n- 1\n", "to have at least one keyword argument (by=..., expects=...)"),
        ("#@overlay/match missing_ok=True\n- 1\n", "keyword argument 'by' to be specified"),
        ("#@overlay/match by=5\n- 1\n", "either string (for map key) or function, but was int"),
        ("#@overlay/match by=fn(lambda i, l, r: 1)\n- 1\n", "expected bool, but was int"),
        ("#@overlay/remove\n#@overlay/replace\n- 1\n", "Expected to find only one overlay operation"),
        ("#@overlay/match by=index(0)\n#@overlay/insert\n- 1\n", "(before=..., after=...)"),
        ("#@overlay/match by=index(0)\n#@overlay/insert on=True\n- 1\n", "Unknown 'overlay/insert' annotation"),
        ("#@overlay/match by=index(0)\n#@overlay/replace via=1\n- 1\n", "'via' to be function, but was int"),
        ("#@overlay/match by=index(0)\n#@overlay/replace or_add=1\n- 1\n", "'or_add' to be a boolean, but was int"),
    ],
)
def test_array_items_with_wrong_annotations(text: str, message: str) -> None:
    error = failure("[x]", text)
    assert message in error.message
    assert [step.text for step in error.stack] == ["Array item"]


# ---- child defaults


def test_child_defaults_reach_all_below_but_not_the_item_itself() -> None:
    right = "#@overlay/match-child-defaults missing_ok=True\na:\n  b:\n    new: 1\n  other: 2\n"
    assert changed("a: {b: {}}", right) == {"a": {"b": {"new": 1}, "other": 2}}
    assert "but was 0" in failure("z: 1", right).message


def test_child_defaults_are_inherited_one_by_one() -> None:
    top = "#@overlay/match-child-defaults missing_ok=True\na:\n"
    assert "('missing_ok', 'expects')" in failure("a: {b: 1}", f"{top}  #@overlay/match expects=1\n  b: 2\n").message
    assert "but was 0" in failure("a: {}", f"{top}  #@overlay/match missing_ok=False\n  b: 2\n").message
    assert "keyword argument 'by'" in failure("a: 1", "#@overlay/match-child-defaults by=1\na: 2\n").message


# ---- actions


def test_replace_takes_the_right_key_and_keeps_the_place() -> None:
    right = '#@overlay/match by=fn(lambda k, l, r: k == "old")\n#@overlay/replace via=fn(lambda l, r: l)\nnew: null\n'
    assert list(changed("{a: 1, old: 2, b: 3}", right).items()) == [("a", 1), ("new", 2), ("b", 3)]  # type: ignore[attr-defined]


def test_replace_that_repeats_a_key_is_an_error() -> None:
    error = failure("{a: 1, b: 2}", '#@overlay/match by=fn(lambda k, l, r: k == "b")\n#@overlay/replace\na: 5\n')
    assert error.message == "Expected key 'a' to occur only once after the overlay"
    two = failure("{a: 1, b: 2}", "#@overlay/match by=all_items, expects=2\n#@overlay/replace\nc: 5\n")
    assert "'c'" in two.message


def test_replace_or_add_adds_only_where_no_match_is_allowed() -> None:
    add = "#@overlay/match missing_ok=True\n#@overlay/replace or_add=True, via=fn(lambda l, r: [l, r])\nb: 2\n"
    assert changed("{a: 1}", add.replace("[l, r]", "(l, r)")) == {"a": 1, "b": [None, 2]}
    assert "but was 0" in failure("{a: 1}", "#@overlay/replace or_add=True\nb: 2\n").message
    assert changed("{a: 1}", "#@overlay/match missing_ok=True\n#@overlay/replace\nb: 2\n") == {"a": 1}
    assert changed("[1]", "#@overlay/replace or_add=True\n- 2\n") == [1, 2]


def test_unannotated_array_actions_do_nothing() -> None:
    for action in ("remove", "replace", "insert before=True", "assert"):
        assert changed("[1]", f"#@overlay/{action}\n- 1\n") == [1]
    assert changed("[1]", "#@overlay/append\n- 1\n") == [1, 1]


def test_insert_goes_around_every_match() -> None:
    right = "#@overlay/match by=all_items, expects=2\n#@overlay/insert before=True, after=True\n- x\n"
    assert changed("[a, b]", right) == ["x", "a", "x", "x", "b", "x"]
    nowhere = "#@overlay/match by=all_items, expects=2\n#@overlay/insert before=False\n- x\n"
    assert changed("[a, b]", nowhere) == ["a", "b"]
    via = "#@overlay/match by=index(0)\n#@overlay/insert after=True, via=fn(lambda l, r: l + r)\n- x\n"
    assert changed("[a, b]", via) == ["a", "ax", "b"]


def test_an_item_that_was_inserted_twice_is_still_two_items() -> None:
    right = (
        "#@overlay/match by=index(0)\n#@overlay/insert before=True, after=True\n- {name: x}\n"
        "#@overlay/match by=index(0)\n#@overlay/insert after=True\n- {name: first}\n"
        "#@overlay/match by=index(3)\n-\n  #@overlay/match missing_ok=True\n  v: 1\n"
    )
    assert changed("[{name: a}]", right) == [{"name": "x"}, {"name": "first"}, {"name": "a"}, {"name": "x", "v": 1}]


@pytest.mark.parametrize("action", ["insert after=True", "append"])
def test_map_items_are_not_inserted_or_appended(action: str) -> None:
    name = action.split()[0]
    assert failure("a: 1", f"#@overlay/{action}\na: 2\n").message == (
        f"Found @overlay/{name} on map item (o.yml:2); only array items can be annotated with @overlay/{name}"
    )


def test_assert_passes_when_left_contains_right_and_then_merges_children() -> None:
    assert changed("a: {b: 1, c: 2}", "#@overlay/assert\na: {b: 1}\n") == {"a": {"b": 1, "c": 2}}
    assert changed("a: {b: 1}", "#@overlay/assert via=fn(lambda l, r: True)\na: {b: 5}\n") == {"a": {"b": 5}}
    assert changed("a: 1", "#@overlay/assert via=fn(lambda l, r: None)\na: 5\n") == {"a": 1}
    assert changed("a: [1, 2]", "#@overlay/assert\na: [1]\n") == {"a": [1, 2, 1]}


@pytest.mark.parametrize(
    ("left", "right", "end"),
    [
        ("1", "a: '1'", "Expected leaf values to match integer string"),
        ("1", "a: 1.0", "Expected leaf values to match integer float"),
        ("{x: 1}", "a: {y: 1}", "Expected at least one map item to match by key"),
        ("[1]", "a: [1, 2]", "Expected to have matching number of array items"),
        ("1", "a: {}", "Expected map, but was integer"),
    ],
)
def test_assert_failures(left: str, right: str, end: str) -> None:
    error = failure(f"a: {left}", f"#@overlay/assert\n{right}\n")
    assert error.message == f"Expected objects to equal, but did not: {end}"


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ("False", "Expected via invocation to return true, but was false"),
        ('(False, "too big")', "Expected via invocation to return true, but was false with message: too big"),
        ("5", "but returned neither of those"),
    ],
)
def test_assert_via_failures(answer: str, end: str) -> None:
    assert failure("a: 1", f"#@overlay/assert via=fn(lambda l, r: {answer})\na: 1\n").message.endswith(end)


def test_annotations_inside_what_is_added_do_nothing() -> None:
    right = "#@overlay/match missing_ok=True\nnew:\n  #@overlay/remove\n  #@overlay/replace nonsense=1\n  x: 1\n"
    result = apply(value("a: 1"), value(right))
    assert to_plain(result) == {"a": 1, "new": {"x": 1}}
    assert erased(result) is result


# ---- annotations of the result


def test_results_keep_other_annotations_by_rule() -> None:
    left = value("#@schema/nullable\na: 1\n#@schema/title 'l'\nb: 2\nc: 3\n")
    right = value(
        "#@schema/type any=True\na: 5\n#@schema/title 'r'\n#@overlay/replace\nb: 6\n"
        "#@schema/title 'n'\n#@overlay/match missing_ok=True\nd:\n  #@overlay/remove\n  #@schema/title 'in'\n  e: 7\n"
    )
    result = apply(left, right)
    assert isinstance(result, Map)
    shown = {item.key: {name: one.args for name, one in (item.annotations or {}).items()} for item in result.items}
    assert shown == {
        "a": {"schema/nullable": ()},
        "b": {"schema/title": ("r",)},
        "c": {},
        "d": {"schema/title": ("n",)},
    }
    inner = result.items[3].value.items[0].annotations  # type: ignore[union-attr]
    assert [*inner] == ["schema/title"]  # type: ignore[misc]


def test_erased_shares_what_has_nothing_to_erase() -> None:
    tree = value("a:\n  #@overlay/remove\n  b: 1\nc: {d: 1}\n")
    clean = erased(tree)
    assert clean is not tree
    assert clean.items[1] is tree.items[1]  # type: ignore[union-attr]
    assert erased(clean) is clean


# ---- documents


BASE = "kind: A\nname: x\n---\nkind: B\nname: w\n"


def overlaid(base: str, text: str) -> str:
    (result,) = apply_documents([documents(base, "b.yml")], documents(text).items)
    return write(result)


def test_documents_are_matched_one_overlay_after_the_other() -> None:
    text = '#@overlay/match by=subset({"kind": "A"})\n---\nname: z\n#@overlay/match by=subset({"name": "z"})\n---\nkind: C\n'
    assert to_plain(apply_documents([documents(BASE)], documents(text).items)[0]) == [
        {"kind": "C", "name": "z"},
        {"kind": "B", "name": "w"},
    ]


def test_document_actions() -> None:
    match = "#@overlay/match by=subset({'kind': 'A'})\n"
    assert to_plain(documents(overlaid(BASE, f"{match}#@overlay/remove\n---\n"))) == [{"kind": "B", "name": "w"}]
    assert to_plain(documents(overlaid(BASE, f"{match}#@overlay/replace\n---\nx\n"))) == [
        "x",
        {"kind": "B", "name": "w"},
    ]
    around = overlaid(BASE, f"{match}#@overlay/insert before=True, after=True\n---\nx\n")
    assert to_plain(documents(around)) == ["x", {"kind": "A", "name": "x"}, "x", {"kind": "B", "name": "w"}]


def test_documents_need_a_matcher() -> None:
    for text, message in (
        ("#@overlay/match\n---\na: 1\n", "at least one keyword argument"),
        ("#@overlay/match missing_ok=True\n---\na: 1\n", "keyword argument 'by' to be specified"),
        ("#@overlay/match by='name'\n---\na: 1\n", "to be function, but was string"),
    ):
        with pytest.raises(OverlayError) as caught:
            overlaid(BASE, text)
        assert message in caught.value.message
        assert [step.text for step in caught.value.stack] == ["Document"]


def test_new_documents_go_to_the_file_of_their_neighbour_the_last_or_the_first() -> None:
    files = [documents("a: 1\n"), documents("b: 1\n---\nb: 2\n"), documents("c: 1\n")]
    text = (
        "#@overlay/match by=subset({'b': 1})\n#@overlay/insert after=True\n---\nnew: 1\n"
        "#@overlay/append\n---\nnew: 2\n"
        "#@overlay/match by=subset('none'), missing_ok=True\n#@overlay/replace or_add=True\n---\nnew: 3\n"
    )
    result = apply_documents(files, documents(text).items)
    assert [to_plain(one) for one in result] == [
        [{"a": 1}, {"new": 3}],
        [{"b": 1}, {"new": 1}, {"b": 2}],
        [{"c": 1}, {"new": 2}],
    ]


def test_an_appended_document_without_any_other_stands_in_a_set_of_its_own() -> None:
    for action in ("append", "replace or_add=True"):
        text = f"#@overlay/match by=all_items, missing_ok=True\n#@overlay/{action}\n---\nnew: 1\n"
        assert [to_plain(one) for one in apply_documents([], documents(text).items)] == [[{"new": 1}]]
    assert apply_documents([], []) == []


def test_documents_that_nothing_matches_are_the_same_objects() -> None:
    files = [documents("a: 1\n"), documents("b: {c: 1}\n---\nb: 2\n")]
    result = apply_documents(files, documents("#@overlay/match by=subset({'b': 2})\n---\nb: 3\n").items)
    assert result[0] is files[0]
    assert result[1].items[0] is files[1].items[0]
    assert to_plain(files[1]) == [{"b": {"c": 1}}, {"b": 2}]


def test_a_function_that_keeps_a_part_of_left_never_sees_it_change() -> None:
    kept: list[object] = []
    names = "#@overlay/match by=all_items\n---\n"
    first = f"{names}a:\n  x: 2\n"
    holder = documents(f"{names}#@overlay/replace\na: 1\n")
    action = holder.items[0].value.items[0].annotations["overlay/replace"]  # type: ignore[union-attr, index]

    def keep(left: object, _: object) -> object:
        kept.append(left)
        return left

    action.kwargs["via"] = fn(keep)
    last = documents(f"{names}a:\n  x: 3\n")
    overlays = [*documents(first).items, *holder.items, *last.items]
    (result,) = apply_documents([documents("a: {x: 1}\n")], overlays)
    assert to_plain(result) == [{"a": {"x": 3}}]
    assert to_plain(to_nodes(kept[0])) == {"x": 2}


def test_documents_that_are_empty_in_the_end_are_dropped() -> None:
    text = (
        "#@overlay/match by=index(0)\n---\n"
        "#@overlay/match by=index(0)\n#@overlay/insert after=True\n---\n"
        "#@overlay/match by=index(2)\n---\n#@overlay/remove\nb:\n"
    )
    assert to_plain(apply_documents([documents("a: 1\n---\nb: 1\n---\nc: 1\n")], documents(text).items)[0]) == [
        {"c": 1}
    ]


def test_is_overlay() -> None:
    assert is_overlay(document("#@overlay/match by=1\n---\na: 1\n"))
    assert not is_overlay(document("#@overlay/append\n---\na: 1\n"))
    assert not is_overlay(document("#@overlay/remove\n---\na: 1\n"))
    assert not is_overlay(document("---\n#@overlay/match by=1\na: 1\n"))


def test_the_sentence_names_the_whole_way() -> None:
    text = "#@overlay/match by=all_items\n---\nmetadata:\n  labels:\n  - a\n  #@overlay/match by=index(5)\n  - b\n"
    with pytest.raises(OverlayError) as caught:
        apply_documents([documents("metadata: {labels: [c]}\n")], documents(text).items)
    assert sentence(caught.value) == (
        "Document on line o.yml:2: Map item (key 'metadata') on line o.yml:3: Map item (key 'labels') on line o.yml:4: "
        "Array item on line o.yml:7: Expected number of matched nodes to be 1, but was 0"
    )
    assert str(caught.value.at) == "o.yml:7"


# ---- data values


def test_one_document_onto_another() -> None:
    left, right = document("a: 1\nl: [1]\n"), document("---\na: 2\nl: [2]\n#@overlay/match missing_ok=True\nb: 3\n")
    assert to_plain(apply_document(left, right).value) == {"a": 2, "l": [1, 2], "b": 3}
    assert apply_document(left, document("--- {}\n")).value is left.value
    with pytest.raises(OverlayError) as caught:
        apply_document(left, document("---\nc: 1\n"))
    assert sentence(caught.value) == (
        "Document on line o.yml:1: Map item (key 'c') on line o.yml:2: Expected number of matched nodes to be 1, but was 0"
    )


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("{a: 1, l: [1], m: {x: 1}}", "{l: [2], m: {z: 2}, k: 3}", {"a": 1, "l": [2], "m": {"x": 1, "z": 2}, "k": 3}),
        ("{a: {b: 1}}", "{a: [1]}", {"a": [1]}),
        ("{a: {b: 1}}", "{a: null}", {"a": None}),
        ("{a: null}", "{a: {b: 1}}", {"a": {"b": 1}}),
        ("{a: 1}", "42", 42),
        ("{a: 1}", "null", {"a": 1}),
        ("null", "{a: 1}", {"a": 1}),
    ],
)
def test_plain_merge(left: str, right: str, expected: object) -> None:
    assert to_plain(merge_plain(document(left), document(right)).value) == expected


def test_plain_merge_refuses_a_map_over_a_scalar() -> None:
    with pytest.raises(OverlayError) as caught:
        apply_document(document("a: {b: 1}"), document("---\na:\n  b: {c: 1}\n"), plain=True)
    assert sentence(caught.value) == (
        "Document on line o.yml:1: Map item (key 'a') on line o.yml:2: Map item (key 'b') on line o.yml:3: "
        "Expected map, but was integer"
    )


# ---- hints


def test_a_missing_key_shows_the_keys_and_the_nearest() -> None:
    error = failure("spec:\n  replicas: 1\n  paused: false\n", "spec:\n  replica: 2\n")
    assert error.expected == 'a map item with the key "replica"'
    assert error.found == '"replicas", "paused"'
    assert error.hint is not None
    assert error.hint.startswith('did you mean "replicas"?')
    assert [str(at) for at in error.also] == ["l.yml:2"]


def test_a_missing_name_shows_the_names() -> None:
    error = failure("- name: front-end\n- name: sidecar\n", '#@overlay/match by="name"\n- name: frontend\n')
    assert error.expected == 'an array item whose "name" is "frontend"'
    assert error.found == '"front-end", "sidecar"'
    assert error.hint is not None
    assert error.hint.startswith('did you mean "front-end"?')


def test_a_missing_subset_shows_what_differs_in_the_nearest() -> None:
    text = '#@overlay/match by=subset({"kind": "Deployment", "metadata": {"name": "web"}})\n---\na: 1\n'
    with pytest.raises(OverlayError) as caught:
        apply_documents(
            [documents("kind: Service\nmetadata: {name: db}\n---\nkind: Deployment\nmetadata: {name: wep}\n", "b.yml")],
            documents(text).items,
        )
    error = caught.value
    assert error.expected == 'a document that contains kind: "Deployment", metadata.name: "web"'
    assert error.found is not None
    assert error.found.split("\n")[0] == 'Deployment/wep, b.yml:3: metadata.name is "wep", not "web"'


def test_a_key_of_another_type_is_pointed_out() -> None:
    assert failure('"1": x\n', "1: y\n").hint == '"1" is a string, 1 is not'


# ---- positions


def test_positions_after_merging() -> None:
    left = read(Source("l.yml", "a: 1\nb:\n  c: 1\n  d: 2\n"))
    right = documents("---\na: 5\nb:\n  c: 6\n  #@overlay/match missing_ok=True\n  e: 7\n", "r.yml")
    result = apply(left, right, exact_documents=True)
    assert write_positions(result) == (  # type: ignore[arg-type]
        "          l.yml:1 | [doc]\n"
        "          r.yml:2 |   a: 5\n"
        "          l.yml:2 |   b:\n"
        "          r.yml:4 |     c: 6\n"
        "          l.yml:4 |     d: 2\n"
        "          r.yml:6 |     e: 7\n"
    )


def test_annotation_objects_of_the_right_side_are_not_altered() -> None:
    right = value("#@overlay/match missing_ok=True\n#@schema/title 'x'\na: 1\n")
    item = right.items[0]  # type: ignore[union-attr]
    apply(from_plain({}), right)
    assert [*item.annotations] == ["overlay/match", "schema/title"]  # type: ignore[misc]
    assert isinstance(item.annotations["overlay/match"], Annotation)  # type: ignore[index]


def test_a_trace_is_told_what_each_step_did() -> None:
    left = value("a: 1\nb:\n  c: 1\n  d: 2\nl: [x, z]\n", "l.yml")
    right = value(
        "a: 5\nb:\n  c: 6\n  #@overlay/remove\n  d:\n#@overlay/match missing_ok=True\nnew: {}\n"
        "l:\n#@overlay/match by=index(0)\n#@overlay/insert after=True\n- w\n"
    )
    trace = Trace()
    result = apply(left, right, trace=trace)
    changes = sorted(
        (change.line, change.action, None if change.was is None else to_plain(change.was.value), to_plain(item.value))
        for item, change in trace.changes.items()
    )
    assert changes == [
        (1, "overlay/merge", 1, 5),
        (3, "overlay/merge", 1, 6),
        (7, "overlay/merge", None, {}),
        (11, "overlay/insert", None, "w"),
    ]
    assert [(to_plain(item.value), change.action, change.line) for item, change in trace.removals.items()] == [
        (2, "overlay/remove", 5)
    ]
    assert equal(result, apply(left, right))
