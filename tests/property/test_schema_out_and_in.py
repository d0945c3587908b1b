"""A schema of data values that goes out as a JSON Schema and comes in again is the same schema."""

from __future__ import annotations

import json
import pathlib
import tempfile
from collections.abc import Callable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

import plait

HEAD = "#@data/values-schema\n---\n"
ANY = "#@schema/type any=True"
KEY = '#@schema/key "[a-z]+"'
NAMES = ("a", "b", "cc", "d-e")


def _scalar() -> st.SearchStrategy[list[str]]:
    return st.sampled_from(["x", '""', "1", "0", "2.5", "true", "{}"]).map(lambda text: [f" {text}"])


def _map(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    notes = st.sampled_from(["", "#@schema/nullable", "#@schema/required", '#@schema/desc "D"', ANY, KEY])
    keys = st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=3)

    def lines(entries: list[tuple[str, tuple[str, list[str]]]]) -> list[str]:
        out = [""]
        for key, (note, value) in entries:
            out += [f"  {note}"] if note and (note != ANY or len(value) == 1) else []
            out += [f"  {key}:{value[0]}", *(f"  {line}" for line in value[1:])]
        return out

    return keys.flatmap(
        lambda names: st.tuples(*(st.tuples(st.just(name), st.tuples(notes, inner)) for name in names)).map(
            lambda entries: lines([*entries])
        )
    )


def _array(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return inner.map(lambda value: ["", f"  -{value[0]}", *(f"  {line}" for line in value[1:])])


TREES = st.recursive(_scalar(), lambda inner: _map(inner) | _array(inner), max_leaves=6)
SCHEMAS = _map(TREES).map(lambda lines: HEAD + "".join(f"{line[2:]}\n" for line in lines[1:]))
VALUES = st.recursive(
    st.sampled_from(["x", "", 1, 0, 2.5, True, None]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*NAMES, "zz"]), inner, max_size=3),
    max_leaves=5,
)
GIVEN = st.dictionaries(st.sampled_from([*NAMES, "zz"]), VALUES, max_size=3)


@given(SCHEMAS, GIVEN)
def test_out_and_in(text: str, values: dict[str, plait.Plain]) -> None:
    files, extensions = {"schema.yml": text}, ["keys", "required"]
    out = plait.data_values_schema(files, form="json-schema", extensions=extensions)
    expected = _told(lambda: plait.data_values(files, values=values, extensions=extensions))
    with tempfile.TemporaryDirectory() as directory:
        for name, written in (("j.yml", out.to_yaml()), ("j.json", json.dumps(out.to_dict()))):
            path = pathlib.Path(directory) / name
            path.write_text(written, "utf-8")
            again = plait.data_values_schema({"a.yml": ""}, form="json-schema", schema=path)
            assert again.to_yaml() == out.to_yaml()
            found = _told(partial(plait.data_values, {"a.yml": ""}, values=values, schema=path))
            assert found == expected


@given(SCHEMAS, GIVEN)
def test_out_as_openapi_and_in(text: str, values: dict[str, plait.Plain]) -> None:
    files = {"schema.yml": text}
    out = plait.data_values_schema(files)
    expected = _told(lambda: plait.data_values(files, values=values))
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "openapi.yml"
        path.write_text(out.to_yaml(), "utf-8")
        assert plait.data_values_schema({"a.yml": ""}, schema=path).to_yaml() == out.to_yaml()
        assert _told(lambda: plait.data_values({"a.yml": ""}, values=values, schema=path)) == expected
        # Once more, by way of a JSON Schema.
        again = pathlib.Path(directory) / "j.yml"
        again.write_text(plait.data_values_schema({"a.yml": ""}, form="json-schema", schema=path).to_yaml(), "utf-8")
        assert _told(lambda: plait.data_values({"a.yml": ""}, values=values, schema=again)) == expected
        back = plait.data_values_schema({"a.yml": ""}, schema=again)
        path.write_text(back.to_yaml(), "utf-8")
        assert _told(lambda: plait.data_values({"a.yml": ""}, values=values, schema=path)) == expected


def _told(run: Callable[[], plait.Documents]) -> str | None:
    try:
        return run().to_yaml()
    except plait.PlaitError:
        return None
