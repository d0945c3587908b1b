"""Laws of plain merges: merging twice is merging once, and what a document says of itself changes nothing in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import OverlayError

KEYS = ("rows", "tags", "all", "map", "x")
# `rows` are told apart by name and zone, `tags` are a set, all other arrays are replaced; at any depth there is here.
PATHS = [".".join(("*",) * depth) + "." * bool(depth) for depth in range(4)]
DECLARED = [f"{path}{rule}" for path in PATHS for rule in ("rows=name,zone=eu", "tags=.")]
SCALARS = st.sampled_from(["a", "b", "", 1, 2.5, True])


def _maps(inner: st.SearchStrategy[object], extra: dict[str, st.SearchStrategy[object]]) -> st.SearchStrategy[object]:
    """Maps whose arrays are as the rules want them. extra: optional entries of each map."""
    rows = st.lists(
        st.tuples(
            st.fixed_dictionaries({"name": st.sampled_from("abc")}, optional={"zone": st.sampled_from(["eu", "us"])}),
            st.fixed_dictionaries({}, optional={"x": inner, "map": inner, **extra}),
        ).map(lambda both: {**both[0], **both[1]}),
        max_size=3,
        unique_by=lambda row: (row["name"], row.get("zone", "eu")),
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "rows": rows,
            "tags": st.lists(st.sampled_from("abc"), unique=True, max_size=3),
            "all": st.lists(SCALARS | st.dictionaries(st.sampled_from("pq"), SCALARS, max_size=2), max_size=2),
            "map": inner,
            "x": SCALARS,
            **extra,
        },
    )


def _trees(extra: dict[str, st.SearchStrategy[object]]) -> st.SearchStrategy[object]:
    inner: st.SearchStrategy[object] = _maps(st.nothing(), {})
    for _ in range(2):
        inner = _maps(inner, extra)
    return inner


PLAIN = _trees({})
MERGED = _trees(
    {
        "gone": st.none(),
        "$patch": st.sampled_from(["delete", "replace", "merge"]),
        "$retainKeys": st.lists(st.sampled_from([*KEYS, "name", "zone"]), max_size=4),
        "$deleteFromPrimitiveList/tags": st.lists(st.sampled_from("abc"), max_size=2),
    }
)
DIRECTIVES = ("$patch", "$retainKeys", "$deleteFromPrimitiveList")


def merged(left: object, *merges: object, trace: bool = False) -> str | None:
    """What comes of merges, one after the other; None if one is refused."""
    inputs = {"left.yml": plait.documents(left).to_yaml()}  # type: ignore[arg-type]
    given = [{f"{number}.yml": plait.documents(one).to_yaml()} for number, one in enumerate(merges)]  # type: ignore[arg-type]
    try:
        return plait.render(inputs, merge=given, merge_keys=DECLARED, trace=trace).to_yaml()
    except OverlayError:
        return None


def document(value: object) -> object:
    return {"top": 1, **value} if isinstance(value, dict) else value


@given(PLAIN)
def test_a_document_merged_into_itself_is_itself(value: object) -> None:
    assert merged(document(value), document(value)) == merged(document(value))


@given(PLAIN, MERGED)
def test_merging_twice_is_merging_once(left: object, right: object) -> None:
    once = merged(document(left), right)
    if once is not None:
        again = merged(document(left), right, right)
        # What takes the whole document out finds none the second time.
        assert again == once or (again is None and isinstance(right, dict) and right.get("$patch") == "delete")
        assert not any(name in once for name in DIRECTIVES)


@given(PLAIN, MERGED)
def test_who_records_origins_gets_the_same(left: object, right: object) -> None:
    assert merged(document(left), right, trace=True) == merged(document(left), right)


@given(PLAIN, PLAIN)
def test_keys_that_are_not_merged_stay_as_they_are(left: object, right: object) -> None:
    """What is in neither is in no result, and what only one side has comes out as it is."""
    found = merged(document(left), right)
    if found is None or not isinstance(left, dict) or not isinstance(right, dict):
        return
    result = plait.read({"found.yml": found}).to_dict()
    assert set(result) == {"top", *left, *right}
    for side, other in ((left, right), (right, left)):
        for key in side.keys() - other.keys():
            assert result[key] == side[key]
    for key in left.keys() & right.keys() & {"all", "x"}:
        assert result[key] == right[key]
    if "tags" in left and "tags" in right:
        assert result["tags"] == [*left["tags"], *(one for one in right["tags"] if one not in left["tags"])]
