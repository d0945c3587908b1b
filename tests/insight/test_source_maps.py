"""Source maps of every case there is, in all three dialects: each scalar says where it is and where it is from.

The conformance cases of the reference programs are looked at as well where they are at hand; they are no part of this
repository.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_layering_cases import cases as layering_cases
from test_layering_cases import expanded
from test_ops_cases import CASES as OPS_CASES

from casefiles import files_of
from files import write_files
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.cli import main
from plait.insight.node_paths import all_places
from plait.insight.source_map import source_map
from plait.layering.job import LayerJob as LayerJob
from plait.layering.rendering import LayeringOptions as LayerOptions
from plait.tree.context import Context
from plait.tree.nodes import DocumentSet, from_plain, to_plain
from plait.tree.provenance import Trace
from plait.yaml.reader import read
from plait.yaml.writer import write, write_value
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob
from typed import evaluate

if TYPE_CHECKING:
    from plait.tree.nodes import Value

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / "cases").glob("*/*.tpltest"))
CONFORMANCE = ROOT.parent.parent / "shared" / "conformance"
# Reports about inputs, not documents made of them.
REPORTS = {"--files-inspect", "--data-values-schema-inspect", "--data-values-inspect"}


def faults(trace: Trace, documents: DocumentSet) -> list[str]:
    """What the source map of documents leaves open: scalars without a place there, or without an origin."""
    places = [*all_places(documents.items, {})]
    data: Any = source_map(trace, documents)
    mappings = [entry for entry in data["mappings"] if "document" in entry]
    assert [entry["path"] for entry in mappings] == [place.path for place in places]
    printed = write(documents).split("\n")
    sources = {item.source.name: item.source for item in _sources(trace, documents)}
    found = [f"from nowhere: {entry}" for entry in data["mappings"] if "file" in entry and "source" not in entry]
    for place, entry in zip(places, mappings, strict=True):
        shown = f"{place} = {to_plain(place.value)!r}: {entry}"
        if "source" not in entry and "flag" not in entry:
            found.append(f"from nowhere: {shown}")
        if "<<" in place.path:
            continue  # a key that is a merge where it is read again
        if "line" not in entry or not _starts(printed[entry["line"] - 1][entry["column"] - 1 :], place.value):
            found.append(f"not there: {shown}")
        origin = entry.get("source")
        if origin is not None and entry["action"] == "written" and origin["file"] in sources:
            line = sources[origin["file"]].line(origin["line"]) or ""
            if not _starts(line[origin["column"] - 1 :], place.value):
                found.append(f"not from there: {shown} {line!r}")
    return found


def _sources(trace: Trace, documents: DocumentSet) -> list[Any]:
    held = [item for stage in trace.stages for item in stage.documents] + documents.items
    return [item for item in held if item.source is not None]


def _starts(text: str, value: Value) -> bool:
    """Whether a text can be the beginning of a scalar: it is, or it is written in another way."""
    if text[:1] in ("'", '"', "|", ">", "&", "!", "*", "?", "") or not isinstance(value, str | int):
        return True
    if type(value) is str:
        return text.startswith((value.split("\n")[0].split(" ")[0], "/", "((", "#@"))
    return text.startswith(write_value(value).rstrip("\n")) or text[0].isalnum() or text[0] in "+-.~"


@pytest.mark.parametrize("case", TEMPLATES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_templates(case: Path) -> None:
    context = Context()
    context.trace = Trace()
    try:
        documents = run(RenderJob(files_of(case.read_text("utf-8").partition("\n+++\n")[0] + "\n")), context).documents
    except PlaitError:
        return
    assert faults(context.trace, documents) == []


@pytest.mark.parametrize("case", OPS_CASES)
def test_operations(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "argv" in case or "error" in case or case.get("status") or case.get("stdin") or "base" not in case:
        return
    files = {**case.get("files", {}), "base.yml": case["base"], **({"ops.yml": case["ops"]} if "ops" in case else {})}
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    context = Context()
    context.trace = Trace()
    argv = ["base.yml", *(["-o", "ops.yml"] if "ops" in case else []), *case.get("flags", [])]
    documents = evaluate("patch", argv, context).nodes
    assert faults(context.trace, documents) == []


@pytest.mark.parametrize("case", [case for _, case in layering_cases()], ids=[name for name, _ in layering_cases()])
def test_layers(case: dict[str, Any]) -> None:
    texts = [write_value(from_plain(one)) for one in expanded(case)[0]]
    context = Context()
    context.trace = Trace()
    try:
        options = LayerOptions(lenient=True)
        documents = LayerJob([Source(f"{place}.yml", text) for place, text in enumerate(texts)], options).run(context)
    except PlaitError:
        return
    assert faults(context.trace, documents) == []


def test_a_value_from_nowhere_is_found_out() -> None:
    documents = read(Source("a.yml", "a: 1\nb: [x, y]\n"))
    assert faults(Trace(), documents) == []
    made = from_plain({"a": 1})
    documents.items[0] = documents.items[0].with_value(made)
    assert [fault.partition(":")[0] for fault in faults(Trace(), documents)] == ["from nowhere"]


@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the conformance cases are not at hand")
def test_conformance_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = {"ytt": "render", "int": "patch", "layer": "layer"}
    count = 0
    wrong: list[str] = []
    for file in sorted(CONFORMANCE.rglob("case.json")):
        case = json.loads(file.read_text("utf-8"))
        verb, *argv = case["argv"]
        if case["expect"]["exit"] or case.get("stdin") or argv[:1] in (["fmt"], ["version"]) or REPORTS & {*argv}:
            continue
        if any(word.startswith("--") and "output" in word for word in argv) or not (file.parent / "in").is_dir():
            continue
        context = Context()
        context.trace = Trace()
        with monkeypatch.context() as patched:
            patched.chdir(file.parent / "in")
            for name, value in (case.get("env") or {}).items():
                patched.setenv(name, value)
            patched.setattr(sys, "stdin", io.StringIO())
            documents = evaluate(commands[verb], argv, context).nodes
        count += len([*all_places(documents.items, {})])
        wrong += [f"{file.parent.name}: {fault}" for fault in faults(context.trace, documents)]
    assert count > 10_000
    assert wrong == []


SCHEMA_TEXT = """\
#@data/values-schema
---
#@schema/desc "d"
#@schema/validation min=1, max=3
count: 1
#@schema/nullable
name: ""
#@schema/examples ("an example", ["a"])
list: [""]
#@schema/type any=True
any: {a: [1]}
table:
- key: a
"""


def test_each_value_of_an_inspected_schema_has_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schema.yml").write_text(SCHEMA_TEXT, "utf-8")
    words = [
        "render",
        "-f",
        "schema.yml",
        "--data-values-schema-inspect",
        "-o",
        "openapi-v3",
        "--source-map",
        "map.json",
    ]
    assert main(words) == 0
    mappings = json.loads(Path("map.json").read_text("utf-8"))["mappings"]
    assert len(mappings) > 20
    assert [one["path"] for one in mappings if one.get("source", {}).get("file") != "schema.yml"] == []
    lines = {one["path"].rpartition(".properties.")[2]: one["source"]["line"] for one in mappings}
    assert (lines["count.default"], lines["name.type"], lines["list.items.type"]) == (5, 7, 9)
