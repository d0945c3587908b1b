"""What a run records, seen through `explain` and source maps; that recording changes nothing and costs nothing unasked."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from casefiles import files_of
from plait.base.errors import PlaitError, ReadError, render
from plait.base.source import Source
from plait.insight.explain import OVERRIDDEN, Explainer, explain, lines
from plait.insight.history_text import to_data
from plait.insight.impact import impact
from plait.insight.node_paths import NodePath, all_places, parse, text_lines
from plait.insight.path_resolution import find
from plait.insight.source_map import source_map, write_map
from plait.tree.context import Context
from plait.tree.nodes import Array, Document, DocumentSet, Map, equal, from_plain
from plait.tree.provenance import Contributor, Trace
from plait.yaml.reader import read
from plait.yaml.writer import write
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

CASES = sorted((pathlib.Path(__file__).parent.parent / "cases").glob("*/*.tpltest"))
SCHEMA = pathlib.Path(__file__).parent.parent.parent / "docs" / "source-map.schema.json"


def traced(files: dict[str, str]) -> tuple[DocumentSet, Trace]:
    context = Context()
    context.trace = Trace()
    job = RenderJob([in_memory(name, text, number) for number, (name, text) in enumerate(files.items())])
    return run(job, context).documents, context.trace


def named(files: dict[str, str], path: str) -> set[tuple[str, int]]:
    documents, trace = traced(files)
    found: set[tuple[str, int]] = set()
    for place in find(parse(path), documents.items):
        found |= lines(explain(trace, place))
    return found


VALUES = "#@data/values\n---\na: 1\nb: 2\nlist:\n- 3\n- 4\nitems:\n- {num: 5}\n- {num: 6}\n"
HEAD = '#@ load("@ytt:data", "data")\n#@ v = data.values\n'


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("x: #@ v.a\n", "x", {3}),
        ("x: #@ v.a + v.b\n", "x", {3, 4}),
        ("#@ y = v.a\nx: #@ y\n", "x", {3}),
        ("#@ y = v.a\n#@ y += v.b\nx: #@ y\n", "x", {3, 4}),
        ("#@ y, z = v.a, v.b\nx: #@ y\n", "x", {3}),
        ("#@ def f(p, q):\n#@   return p\n#@ end\nx: #@ f(v.a, q=v.b)\n", "x", {3}),
        ("#@ def f():\n#@   return v.b\n#@ end\nx: #@ f()\n", "x", {4}),
        ("#@ def f(p):\n#@   if v.b:\n#@     return 1\n#@   end\n#@   return p\n#@ end\nx: #@ f(v.a)\n", "x", {4}),
        ("#@ f = lambda p: p + v.b\nx: #@ f(1)\n", "x", {4}),
        ("x:\n#@ for i in v.list:\n- #@ i\n#@ end\n", "x[1]", {7}),
        ("x:\n#@ for i in v.items:\n- #@ i.num\n#@ end\n", "x[0]", {9}),
        ("x:\n#@ for i in range(2):\n- #@ v.list[i]\n#@ end\n", "x[0]", {6}),
        ("#@ n = 0\n#@ while n < v.b:\n#@   n += 1\n#@ end\nx: #@ n\n", "x", {4}),
        ("#@ if v.a == 1:\nx: 1\n#@ end\n", "x", {3}),
        ("x: #@ v.list\n", "x[0]", {6}),
        ("x: #@ v.items[0]\n", "x.num", {9}),
        ("x: #@ {'p': v.a, 'q': v.b}\n", "x.q", {4}),
        ("x: #@ [i + v.a for i in v.list]\n", "x[0]", {3, 6}),
        ("x: #@ {str(i): v.b for i in [1, 2]}\n", 'x."1"', {4}),
        ("#@ d = {}\n#@ d['k'] = v.a\nx: #@ d['k']\n", "x", {3}),
        ("#@ d = {'k': v.a, 'j': v.b}\nx: #@ d['k']\n", "x", {3}),
        ("#@ l = [v.a, v.b]\nx: #@ l[-1]\n", "x", {4}),
        ("#@ l = []\n#@ l.append(v.b)\nx: #@ l[0]\n", "x", {4}),
        ("x: #@ len(v.list)\n", "x", {6, 7}),
        ("#@yaml/text-templated-strings\nx: a(@= str(v.a) @)\n", "x", {3}),
        ("#@yaml/text-templated-strings\n(@= 'k' + str(v.a) @): 1\n", "k1", {3}),
        ("#@ def g():\np: #@ v.a\nq: #@ v.b\n#@ end\nx: #@ g()\n", "x.q", {4}),
        ('#@ load("@ytt:template", "template")\n_: #@ template.replace({"p": v.a})\nx: 1\n', "p", {3}),
        ('#@ load("@ytt:struct", "struct")\nx: #@ struct.make(p=v.a).p\n', "x", {3}),
        ("x: constant\n", "x", set()),
    ],
)
def test_the_data_lines_of_an_expression(text: str, path: str, expected: set[int]) -> None:
    found = named({"values.yml": VALUES, "app.yml": HEAD + text}, path)
    written = {number for name, number in found if name == "values.yml"}
    # Lines that hold a key of a collection say where it is, not what it is.
    assert written - {1, 2, 5, 8} == expected


def test_what_is_loaded_keeps_its_history() -> None:
    files = {
        "values.yml": VALUES,
        "lib.star": 'load("@ytt:data", "data")\nbase = data.values.a * 2\ndef double(x):\n  return x * base\nend\n',
        "app.yml": '#@ load("lib.star", "base", "double")\nx: #@ base\nz: #@ double(3)\n',
    }
    assert {("values.yml", 3), ("lib.star", 2)} <= named(files, "x")
    assert {("values.yml", 3), ("lib.star", 2), ("lib.star", 4)} <= named(files, "z")


def test_an_overlay_and_what_lost() -> None:
    files = {
        "app.yml": "kind: A\nx: 1\ngone: 2\nlist:\n- name: p\n  v: 1\n",
        "over.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nx: 3\n'
        '#@overlay/remove\ngone:\nlist:\n#@overlay/match by="name"\n- name: p\n  v: 4\n#@overlay/append\n- name: q\n  v: 5\n',
    }
    documents, trace = traced(files)
    [place] = find(parse("x"), documents.items)
    history = explain(trace, place)
    assert [(entry.action, entry.line, entry.value, entry.state) for entry in history.entries] == [
        ("written", 2, 1, OVERRIDDEN),
        ("overlay/merge", 4, 3, "current"),
    ]
    [place] = find(parse("list[name=p].v"), documents.items)
    assert [(entry.line, entry.value) for entry in explain(trace, place).entries] == [(6, 1), (10, 4)]
    assert [change.action for change in trace.removals.values()] == ["overlay/remove"]
    data = to_data(history)
    assert data["value"] == 3
    assert json.loads(json.dumps(data)) == data


def test_overlay_apply_keeps_histories() -> None:
    text = (
        HEAD
        + '#@ load("@ytt:overlay", "overlay")\n#@ def base():\nx: 1\ny: #@ v.b\n#@ end\n#@ def over():\nx: #@ v.a + 1\n#@ end\n'
        "---\nmade: #@ overlay.apply(base(), over())\n"
    )
    documents, trace = traced({"values.yml": VALUES, "app.yml": text})
    [place] = find(parse("made.x"), documents.items)
    assert [entry.value for entry in explain(trace, place).entries] == [1, 2]
    assert ("values.yml", 3) in lines(explain(trace, place))
    assert ("values.yml", 4) not in lines(explain(trace, place))


def test_the_same_item_in_several_places_has_several_histories() -> None:
    files = {
        "app.yml": "name: a\nx: 1\n---\nname: b\nx: 2\n",
        "over.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all, expects=2\n---\n#@overlay/replace\nx: 9\n',
    }
    documents, trace = traced(files)
    first = [explain(trace, place).entries[0].value for place in find(parse("x"), documents.items)]
    assert first == [1, 2]


def outcome(given: str, context: Context) -> tuple[DocumentSet, str]:
    try:
        return run(RenderJob(files_of(given)), context).documents, ""
    except PlaitError as error:
        return DocumentSet([]), render(error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_tracing_changes_nothing_and_knows_every_scalar(case: pathlib.Path) -> None:

    given = case.read_text("utf-8").partition("\n+++\n")[0] + "\n"
    context = Context()
    context.trace = Trace()
    documents, message = outcome(given, Context())
    again, said = outcome(given, context)
    assert said == message
    assert write(again) == write(documents)
    for place in all_places(again.items, {}):
        history = explain(context.trace, place)
        assert history.entries, str(place)
        last = history.entries[-1]
        assert last.source is not None or last.origins, str(place)


def test_a_source_map_follows_its_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    files = {
        "values.yml": VALUES,
        "app.yml": HEAD + "kind: K\nname: n\nx: #@ v.a\nlist: #@ v.list\nempty: {}\ntext: |\n  a\n  b\n",
    }
    documents, trace = traced(files)
    data = source_map(trace, documents)
    jsonschema.validate(data, json.loads(SCHEMA.read_text("utf-8")))
    mappings = data["mappings"]
    assert isinstance(mappings, list)
    assert len(mappings) == len([*all_places(documents.items, {})]) == 7
    printed = write(documents).split("\n")
    by_path = {entry["path"]: entry for entry in mappings}
    x = by_path["x"]
    assert printed[x["line"] - 1][x["column"] - 1 :] == "1"
    assert x["source"] == {"file": "app.yml", "line": 5, "column": 4}
    assert {"file": "values.yml", "line": 3} in x["from"]
    assert by_path["list[1]"]["line"] == x["line"] + 3
    assert by_path["kind"]["action"] == "written"


def test_a_source_map_is_written_a_value_a_line(tmp_path: pathlib.Path) -> None:
    documents, trace = traced(
        {
            "a.yml": "#@ for n in range(3):\n---\nname: #@ 'n%d' % n\ntext: |\n  one\n  two\nl: [1, {k: []}]\n#@ end\n--- x\n"
        }
    )
    path = tmp_path / "map.json"
    write_map(str(path), trace, documents)
    text = path.read_text("utf-8")
    data = source_map(trace, documents)
    assert json.loads(text) == data
    mappings: Any = data["mappings"]
    assert len(text.splitlines()) == 2 + len(mappings) == 2 + 3 * 4 + 1
    printed = write(documents).splitlines()
    for entry in mappings:
        # Each document is looked at by itself; lines are counted through all of them.
        assert printed[entry["line"] - 1][entry["column"] - 1 :].startswith(("n", "|", "1", "[]", "x"))
    assert data == source_map(trace, documents, write(documents))
    with pytest.raises(ReadError, match="cannot write the source map"):
        write_map(f"{tmp_path}/\0", trace, documents)


def test_histories_of_values_asked_for_in_any_order_are_those_of_each_alone() -> None:
    documents, trace = traced(
        {
            "v.yml": "#@data/values\n---\ncount: 2\nx: {on1: 1}\n",
            "a.yml": "#@ load('@ytt:data', 'data')\n#@ for n in range(data.values.count):\n---\n"
            "#@ if data.values.x.on1:\na:\n  b: #@ n\n  c:\n    d: 1\n    e: #@ data.values.x\n#@ end\nf: 1\n#@ end\n",
        }
    )
    places = [*all_places(documents.items, {})]
    explainer = Explainer(trace)
    for place in (*places, *reversed(places), *places[::2], *places[1::2]):
        history, alone = explainer.history(place), explain(trace, place)
        assert to_data(history) == to_data(alone)
        for structure in (False, True):
            assert explainer.lines(history, structure=structure) == lines(alone, structure=structure)


def test_relate_pairs_what_belongs_together() -> None:
    source = Source("a.yml", "")
    before = from_plain({"a": 1, "b": {"c": 2}, "l": [{"name": "x", "v": 1}, {"name": "y", "v": 2}]}, source, 1)
    other = Source("b.yml", "")
    assert isinstance(before, Map)
    items = {str(item.key): item for item in before.items}
    old = items["l"].value
    assert isinstance(old, Array)
    changed = from_plain({"name": "y", "v": 3}, other, 7)
    after = before.with_items(
        [items["b"], items["l"].with_value(old.with_items([old.items[1].with_value(changed)])), *()]
    )
    trace = Trace()
    by = Contributor("test", other, 7)
    trace.relate(before, after, "changed", (by,))
    assert {getattr(item, "key", None) for item in trace.removals} == {"a", None}
    place = find(parse("l[0].v"), [Document(after)])[0]
    assert [entry.value for entry in explain(trace, place).entries] == [2, 3]
    assert equal(trace.original(items["b"]).value, items["b"].value)


def test_a_place_says_its_way() -> None:
    documents = read(Source("a.yml", 'kind: K\nmetadata: {name: nn}\n"a.b": [{"c d": 1}]\n')).items
    places = [*all_places(documents, {})]
    assert [str(place) for place in places] == ["K/nn:kind", "K/nn:metadata.name", 'K/nn:"a.b"[0].c d']
    for place in places:
        [again] = find(parse(str(place)), documents)
        assert again.item is place.item
    assert isinstance(places[0], NodePath)


def test_lines_of_text_files_and_their_places_in_the_source_map() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    template = (
        '(@ load("@ytt:data", "data") -@)\n\n'
        "a: (@= str(data.values.a) @)\n"
        "(@- if data.values.b == 2: @) and\nb(@ end -@)\n\n\n"
        "two\nliteral (@= str(data.values.b) @) lines\n"
    )
    documents, trace = traced({"values.yml": VALUES, "out.txt": template, "plain.txt": "x\n\ny"})
    found = {str(place): explain(trace, place) for place in text_lines(trace.texts)}
    assert {name: history.place.value for name, history in found.items()} == {
        "out.txt:1": "a: 1 and",
        "out.txt:2": "btwo",
        "out.txt:3": "literal 2 lines",
        "plain.txt:1": "x",
        "plain.txt:2": "",
        "plain.txt:3": "y",
    }
    assert {name: history.entries[-1].line for name, history in found.items()} == {
        "out.txt:1": 3,
        "out.txt:2": 5,
        "out.txt:3": 9,
        "plain.txt:1": 1,
        "plain.txt:2": 2,
        "plain.txt:3": 3,
    }
    assert {("values.yml", 3), ("values.yml", 4), ("out.txt", 4)} <= lines(found["out.txt:1"])
    assert {("values.yml", 4), ("out.txt", 8)} <= lines(found["out.txt:2"])
    assert ("values.yml", 3) not in lines(found["out.txt:3"])
    data = source_map(trace, documents)
    jsonschema.validate(data, json.loads(SCHEMA.read_text("utf-8")))
    mappings = data["mappings"]
    assert isinstance(mappings, list)
    assert [(entry["file"], entry["line"], entry["source"]["line"]) for entry in mappings if "file" in entry][:3] == [
        ("out.txt", 1, 3),
        ("out.txt", 2, 5),
        ("out.txt", 3, 9),
    ]


def test_a_file_that_is_read_has_a_part_with_all_its_lines() -> None:
    documents, trace = traced({"app.yml": HEAD + "x: #@ data.read('part.txt')\n", "part.txt": "one\ntwo\n"})
    [place] = find(parse("x"), documents.items)
    assert ("part.txt", 0) in lines(explain(trace, place))
    assert [str(one) for one in impact(trace, documents, "part.txt", 2).places] == ["x", "part.txt:2"]


def test_what_only_has_something_changed_below_it_is_not_asked_about() -> None:
    """On a large document all would be gone through for each operation."""
    before = read(Source("a.yml", "a: {b: {c: 1, d: 2}, e: [1, 2]}\n")).items[0].value
    after = read(Source("a.yml", "a: {b: {c: 1, d: 3}, e: [1, 2]}\n")).items[0].value
    asked: list[Any] = []

    def told(new: Any, _old: object) -> tuple[()]:
        asked.append(new.value)
        return ()

    Trace().relate(before, after, "replace", explain=told)
    assert sorted(asked) == [1, 1, 2, 3]
