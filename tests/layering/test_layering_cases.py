"""Layering cases: tests/cases/layering/*.yml, several in a file, each a document.

    case: what is true                   lines: the checklist lines of the specification it shows
    given: a list of NAME@LAYER: parts   expect: a list of NAME@LAYER: data; or error: KIND
    says, lacks: phrases of the message or, with `full: true`, of the printed documents

Parts of a document: data, schema, labels, selector, actions ("METHOD PATH"), abstract, replacement, encrypted, control,
subs; `meta`, `definition` and `top` add raw keys to the metadata, its layeringDefinition and the document; `drop` takes
keys of the metadata out. A document expected to come back without data is `NAME@LAYER: absent`. Short forms: `parent`, `child`, `actions`, `result` for two documents and the child's data;
`source`, `into`, `subs`, `result` for a document and one that substitutes from it. A policy named `order` is always
there, unless `policy` is given.

Every case runs in three orders of its documents: the result, and the kind of error, must be the same.
"""

from __future__ import annotations

import functools
import pathlib
from typing import Any

import pytest
import yaml as pyyaml

from plait.base.errors import LayeringError
from plait.base.errors import render as render_error
from plait.base.source import Source
from plait.layering.dataschema import check_data
from plait.layering.document import read_documents
from plait.layering.plain_scalars import plain_values
from plait.layering.rendering import LayeringOptions, plan, render_plan, written
from plait.layering.secrets import FileSecrets
from plait.layering.validation import check_documents
from plait.tree.context import Context
from plait.tree.nodes import Map, from_plain, to_plain
from plait.yaml.reader import read
from plait.yaml.writer import write

AREA = pathlib.Path(__file__).parents[1] / "cases" / "layering"
LAYERS = ["fleet", "zone", "host"]


@functools.cache
def cases() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for file in sorted(AREA.glob("*.yml")):
        for case in pyyaml.safe_load_all(file.read_text("utf-8")):
            found.append((f"{file.stem}: {case['case']}", case))
    return found


def substitution(sub: dict[str, Any]) -> dict[str, Any]:
    name, _, path = sub["from"].rpartition(" ")
    src: dict[str, Any] = {
        "schema": sub.get("kind", "demo/Thing/v1"),
        "name": sub.get("of", name or "src"),
        "path": path,
    }
    for key, raw in (("pick", "pattern"), ("group", "match_group"), ("deepcopy", "deepcopy")):
        if key in sub:
            src[raw] = sub[key]
    dest = []
    for to in sub["to"] if isinstance(sub["to"], list) else [sub["to"]]:
        one: dict[str, Any] = {"path": to}
        if "pattern" in sub:
            one["pattern"] = sub["pattern"]
        if "depth" in sub:
            one["recurse"] = {"depth": sub["depth"]}
        dest.append(one)
    return {"src": src, "dest": dest if len(dest) > 1 else dest[0]}


def document(head: str, parts: dict[str, Any]) -> dict[str, Any]:
    name, at, layer = head.partition("@")
    control = parts.get("control", False)
    metadata: dict[str, Any] = {"schema": f"metadata/{'Control' if control else 'Document'}/v1", "name": name}
    if not control:
        metadata["storagePolicy"] = "encrypted" if parts.get("encrypted") else "cleartext"
    definition: dict[str, Any] = {"layer": layer} if at else {}
    if parts.get("abstract"):
        definition["abstract"] = True
    if "selector" in parts:
        definition["parentSelector"] = parts["selector"]
    if "actions" in parts:
        definition["actions"] = [
            {"method": text.partition(" ")[0], "path": text.partition(" ")[2]} for text in parts["actions"]
        ]
    definition |= parts.get("definition", {})
    if definition:
        metadata["layeringDefinition"] = definition
    for key in ("labels", "replacement"):
        if key in parts:
            metadata[key] = parts[key]
    if "subs" in parts:
        metadata["substitutions"] = [substitution(sub) for sub in parts["subs"]]
    metadata |= parts.get("meta", {})
    for key in parts.get("drop", []):
        metadata.pop(key, None)
    whole = {"schema": parts.get("schema", "demo/Thing/v1"), "metadata": metadata}
    if "data" in parts:
        whole["data"] = parts["data"]
    whole |= parts.get("top", {})
    return whole


def expanded(case: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Any] | None]:
    """The documents of a case, the policy last, and what is expected of them."""
    if "parent" in case:
        pairs = [
            ("base@fleet", {"abstract": True, "labels": {"is": "base"}, "data": case["parent"]}),
            ("top@host", {"selector": {"is": "base"}, "actions": case["actions"], "data": case["child"]}),
        ]
        expect = [{"top@host": case["result"]}] if "result" in case else None
    elif "source" in case:
        pairs = [("src@zone", {"data": case["source"]}), ("dst@host", {"data": case["into"], "subs": case["subs"]})]
        expect = [{"src@zone": case["source"]}, {"dst@host": case["result"]}] if "result" in case else None
    else:
        pairs = [(head, parts) for one in case["given"] for head, parts in one.items()]
        expect = case.get("expect")
    found = [document(head, parts) for head, parts in pairs]
    if "policy" not in case:
        order = {
            "control": True,
            "schema": "deckhand/LayeringPolicy/v1",
            "data": {"layerOrder": case.get("order", LAYERS)},
        }
        found.append(document("order", order))
    return found, expect


def identity(plain: dict[str, Any]) -> str:
    metadata = plain["metadata"]
    if not isinstance(metadata, dict):
        return str(metadata)
    definition = metadata.get("layeringDefinition", {})
    layer = definition.get("layer") if isinstance(definition, dict) else None
    return f"{metadata.get('name')}@{layer}" if layer else str(metadata.get("name"))


def outcome(given: list[dict[str, Any]], options: dict[str, Any], context: Context) -> tuple[list[Any], str]:
    """The rendered documents as plain data, and as text."""
    text = pyyaml.safe_dump_all(given, sort_keys=False)
    sets = [read(Source("given.yml", text), plain=plain_values)]
    known = from_plain(options.get("secrets", {}))
    assert type(known) is Map
    chosen = LayeringOptions(
        lenient=options.get("lenient", False),
        relaxed=options.get("relaxed", False),
        strict=options.get("strict", False),
        like_deckhand=options.get("like", False),
        cleartext_secrets=options.get("cleartext", False),
        secret_sources=[FileSecrets("known", known)] if known.items else [],
    )
    if options.get("validate"):
        check_documents(sets)
    made = plan(read_documents(sets), chosen, context)
    rendered = render_plan(made, chosen, context)
    if options.get("data"):
        check_data(rendered, made.documents)
    nodes = written(rendered, cleartext_secrets=chosen.cleartext_secrets)
    return [to_plain(one.value) for one in nodes.items], write(nodes)


def orders(given: list[Any]) -> list[list[Any]]:
    return [given, given[::-1], given[1::2] + given[::2]]


@pytest.mark.parametrize(("name", "case"), cases(), ids=lambda value: value if isinstance(value, str) else "")
def test_layering_case(name: str, case: dict[str, Any]) -> None:
    given, expect = expanded(case)
    # Which of two policies or equal identities counts does depend on the order.
    fixed = case.get("ordered") or "policy" in case or len({*map(identity, given)}) < len(given)
    for turned in [given] if fixed else orders(given):
        try:
            found, text = outcome(turned, case.get("options", {}), Context())
        except LayeringError as error:
            assert error.kind == case.get("error"), render_error(error)  # noqa: PT017 - not every case raises
            message = render_error(error)
            assert message.startswith("plait: ")
            for phrase in case.get("says", []):
                assert phrase in message
            for phrase in case.get("lacks", []):
                assert phrase not in message
            continue
        assert "error" not in case, text
        if case.get("full"):
            for phrase in case.get("says", []):
                assert phrase in text
            for phrase in case.get("lacks", []):
                assert phrase not in text
        if expect is None:
            continue
        wanted = [(head, data) for one in expect for head, data in one.items()]
        got = [(identity(plain), plain.get("data", "absent")) for plain in found]
        if not any(head == "order" for head, _ in wanted):
            got = [(head, data) for head, data in got if head != "order"]
        if case.get("ordered"):
            assert got == wanted
        else:
            assert sorted(got, key=lambda pair: pair[0]) == sorted(wanted, key=lambda pair: pair[0])


def test_the_results_differ_in_type() -> None:
    """Plain comparison takes 1 for true; the cases rely on the printed text for that."""
    given, _ = expanded({"source": {"t": True, "n": 1}, "into": {}, "subs": [{"from": ".t", "to": ".t"}]})
    assert "t: true\n" in outcome(given, {}, Context())[1]
