"""`@ytt:overlay` called from the host: what happens to the left fragment, and wrong calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from plait.base.errors import OverlayError, PlaitError, StarlarkError
from plait.base.limits import Limits
from plait.tree.annotations import Annotation
from plait.tree.context import Context
from plait.tree.nodes import Map, MapItem, from_plain, to_plain
from plait.ytt.modules.overlay import module
from plait.ytt.overlay.error_stack import sentence
from plait.ytt.overlay.matchers import ALL
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.values import Builtin
from plait.ytt.yaml_fragments import YamlFragment, to_starlark

if TYPE_CHECKING:
    from collections.abc import Mapping

# Every call counts against the limits of this one context, which lasts as long as the suite.
OVERLAY = module(Context(limits=Limits(seconds=1e6)))


def run(name: str, *args: object, **kwargs: object) -> object:
    return call(OVERLAY.attr(name), args, kwargs)


def fragment(data: object) -> YamlFragment:
    return to_starlark(from_plain(data))  # type: ignore[return-value]


def made(data: Mapping[str, object]) -> Dict:
    return Dict([*data.items()])


def plain(value: object) -> object:
    assert isinstance(value, YamlFragment)
    return to_plain(value.value)


def test_the_left_fragment_is_changed_itself_and_its_old_tree_is_not() -> None:
    tree = from_plain({"a": 1, "b": {"c": 2}})
    left = to_starlark(tree)
    assert run("apply", left, made({"a": 5})) is left
    assert plain(left) == {"a": 5, "b": {"c": 2}}
    assert to_plain(tree) == {"a": 1, "b": {"c": 2}}


def test_values_of_the_language_are_taken_on_both_sides() -> None:
    assert plain(run("apply", List([1]), (2,), List([3]))) == [1, 2, 3]
    assert run("apply", 5) == 5
    assert run("apply", 5, 6) == 5


def test_what_was_read_from_a_fragment_stays_when_it_changes_again() -> None:
    left = fragment({"a": {"x": 1}, "b": 1})
    run("apply", left, made({"a": made({"x": 2})}))
    part = left.index("a")
    whole = left.value
    run("apply", left, made({"a": made({"x": 3})}))
    assert plain(part) == {"x": 2}
    assert to_plain(whole) == {"a": {"x": 2}, "b": 1}
    assert plain(left) == {"a": {"x": 3}, "b": 1}


def test_applying_again_and_again_copies_nothing_twice() -> None:
    left = fragment({str(number): {"v": 0} for number in range(40)})
    run("apply", left, made({"1": made({"v": 1})}))
    first = left.peek()
    for number in range(40):
        run("apply", left, made({str(number): made({"v": number})}))
        assert left.peek() is first
    assert plain(left) == {str(number): {"v": number} for number in range(40)}


def test_a_fragment_applied_to_itself() -> None:
    left = fragment({"a": {"x": 1}})
    run("apply", left, made({"a": made({"x": 2})}))
    run("apply", left, left)
    assert plain(left) == {"a": {"x": 2}}


def test_a_failed_apply_leaves_a_whole_tree() -> None:
    left = fragment({"a": 1, "b": 2, "c": 3})
    run("apply", left, made({"a": 1}))
    remove = {"overlay/remove": Annotation("overlay/remove")}
    overlay = Map([MapItem("b", None, annotations=remove), MapItem("nope", 1)])
    with pytest.raises(OverlayError):
        run("apply", left, YamlFragment(overlay))
    assert plain(left) in ({"a": 1, "c": 3}, {"a": 1, "b": 2, "c": 3})


def test_annotations_of_the_result_are_erased() -> None:
    remove = {"overlay/remove": Annotation("overlay/remove"), "my/own": Annotation("my/own")}
    left = YamlFragment(Map([MapItem("a", from_plain({"x": 1}), annotations=remove), MapItem("b", 1)]))
    untouched = run("apply", left)
    assert untouched.peek().items[0].annotations == remove  # type: ignore[attr-defined]
    run("apply", left, made({"b": 2}))
    assert [*left.peek().items[0].annotations] == ["my/own"]  # type: ignore[union-attr, misc]


def test_errors_name_the_call() -> None:
    with pytest.raises(PlaitError) as caught:
        run("apply", fragment({"a": {"b": 1}}), made({"a": made({"c": 1})}))
    assert sentence(caught.value) == (
        "overlay.apply: Map item (key 'a') on line ?: Map item (key 'c') on line ?: "
        "Expected number of matched nodes to be 1, but was 0"
    )
    with pytest.raises(PlaitError) as caught:
        run("apply", YamlFragment(None), made({"a": 1}))
    assert sentence(caught.value) == "overlay.apply: Expected map, but was null"


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("apply", (), "overlay.apply: expected at least one argument"),
        ("index", (), "overlay.index: expected exactly one argument"),
        ("index", ("1",), "overlay.index: expected starlark.Int, but was string"),
        ("index", (True,), "overlay.index: expected starlark.Int, but was bool"),
        ("map_key", (1,), "overlay.map_key: expected a string, but was int"),
        ("subset", (1, 2), "overlay.subset: expected exactly one argument"),
        ("and_op", (), "overlay.and_op: expected at least one argument"),
        ("or_op", (), "overlay.or_op: expected at least one argument"),
        ("not_op", (ALL, ALL), "overlay.not_op: expected exactly one argument"),
        ("and_op", ("x",), "overlay.and_op: expected matchers, but one argument is string"),
        ("all", (1,), "overlay.all: expected exactly 3 arguments"),
    ],
)
def test_wrong_calls(name: str, args: tuple[object, ...], message: str) -> None:
    with pytest.raises(StarlarkError) as caught:
        run(name, *args)
    assert caught.value.message.startswith(message)


def test_matchers_answer_when_called_with_index_left_and_right() -> None:
    item = fragment({"name": "x", "v": 1})
    other = fragment({"name": "z"})
    user = Builtin("f", lambda index, left, right: index == 3)
    questions = [
        (run("index", 3), True),
        (OVERLAY.attr("all"), True),
        (run("all"), True),
        (run("map_key", "name"), False),
        (run("subset", made({"v": 1})), True),
        (run("subset", fragment({"v": 2})), False),
        (run("and_op", user, ALL), True),
        (run("or_op", run("index", 0), user), True),
        (run("not_op", user), False),
    ]
    for matcher, answer in questions:
        assert call(matcher, (3, item, other)) is answer
    with pytest.raises(OverlayError, match=r"expected bool, but was int"):
        call(run("not_op", Builtin("f", lambda *_: 1)), (0, item, other))
