"""The proof of `explain` by mutation: without a line that it names a value is another, without any other it is the same.

Programs of all three dialects are generated, each with a set of data lines. Every data line is changed in turn and the
program is run again; of each scalar of the output `explain` must have named exactly the lines that change it. Then every
line is taken out in turn.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus import is_alone
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.insight.explain import explain, lines
from plait.insight.node_paths import all_places
from plait.layering.document import read_documents
from plait.layering.plain_scalars import plain_values
from plait.layering.rendering import LayeringOptions, plan, render_plan, written
from plait.layering.tracing import inherited
from plait.ops.definitions import interpolate
from plait.ops.job import patch
from plait.ops.operation_files import read_operations
from plait.ops.reader import read_first, texts_to_values
from plait.ops.tracing import Variables
from plait.ops.variables import Sources
from plait.tree.context import Context
from plait.tree.nodes import Document
from plait.tree.provenance import Trace
from plait.yaml.document_names import document_name
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.insight.node_paths import NodePath

    Files = Mapping[str, str]
    Program = Callable[[Files, Trace | None], list[Document]]

# The first template raises the recursion limit, which must not happen inside a test of hypothesis.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))

MARK = "# data"  # ends every data line; templates take it for no comment of theirs, see `files_of`


def render(files: Files, trace: Trace | None) -> list[Document]:
    context = Context()
    context.trace = trace
    job = RenderJob([in_memory(name, text, number) for number, (name, text) in enumerate(files.items())])
    return run(job, context).documents.items


def patched(files: Files, trace: Trace | None) -> list[Document]:
    sources = Sources()
    source = Source("vars.yml", files["vars.yml"])
    sources.give("vars-file", texts_to_values(source, "variables file"))
    if trace is not None:
        sources.traced = Variables(trace)
        tree = read_first(source)
        for item in tree.items:  # type: ignore[union-attr]
            sources.traced.give("vars-file", str(item.key), item)  # type: ignore[union-attr]
    base = read_first(Source("base.yml", files["base.yml"]))
    operations = read_operations(Source("ops.yml", files["ops.yml"]))
    return [Document(interpolate(patch(base, operations, trace=trace), sources))]


def layered(files: Files, trace: Trace | None) -> list[Document]:
    context = Context()
    context.trace = trace
    sets = [deduplicate(read(Source(name, text), plain=plain_values)) for name, text in files.items()]
    planned = plan(read_documents(sets), LayeringOptions(), context)
    rendered = render_plan(planned, LayeringOptions(), context)
    result = written(rendered)
    if trace is not None:
        inherited(trace, rendered, result, secret=planned.documents)
    return [document for document in result.items if "Layering" not in str(document.value.items[0].value)]  # type: ignore[union-attr]


def values_of(documents: list[Document]) -> dict[str, object]:
    return {key_of(place): place.value for place in all_places(documents, {})}


def key_of(place: NodePath) -> str:
    """The path with the document's name or, if it has none, its number."""
    # By numbers: what array items are called changes with their values.
    return f"{document_name(place.document) or place.number}:{place.path}"


def changed(line: str) -> str:
    """A data line with another scalar at its end: longer text, a larger number, the other truth."""
    head, _, value = line.rpartition(" ")
    if value in ("true", "false"):
        return f"{head} {'false' if value == 'true' else 'true'}"
    return f"{head} {value}7"


def check(program: Program, files: Files, data: list[tuple[str, int]]) -> tuple[int, list[str]]:
    """How many (value, line) pairs were looked at, and what was wrong of them."""
    trace = Trace()
    documents = program(files, trace)
    plain = values_of(program(files, None))
    assert plain == values_of(documents), "tracing changes nothing"
    named = {key_of(place): lines(explain(trace, place)) for place in all_places(documents, {})}
    wrong: list[str] = []
    count = 0
    for name, number in data:
        texts = files[name].split("\n")
        texts[number - 1] = changed(texts[number - 1])
        try:
            after = values_of(program({**files, name: "\n".join(texts)}, None))
        except PlaitError:
            continue
        for path, value in plain.items():
            count += 1
            differs = after.get(path, _GONE) != value
            says = (name, number) in named[path]
            if differs != says:
                verb = "names" if says else "does not name"
                wrong.append(f"{path} = {value!r}: explain {verb} {name}:{number} {texts[number - 1]!r}")
    return count, wrong + deleted(program, files, data, plain, named)


def deleted(
    program: Program,
    files: Files,
    data: list[tuple[str, int]],
    plain: Mapping[str, object],
    named: Mapping[str, set[tuple[str, int]]],
) -> list[str]:
    """What is wrong when lines are taken out: those that are named must count, data lines that are not must not."""
    wrong: list[str] = []
    for name, number in sorted({line for one in named.values() for line in one if line[1]} | {*data}):
        texts = files[name].split("\n")
        line = texts[number - 1]
        alone = is_alone(texts, number)
        del texts[number - 1]
        try:
            after: Mapping[str, object] | None = values_of(program({**files, name: "\n".join(texts)}, None))
        except PlaitError:
            after = None
        for path, value in plain.items():
            same = after is not None and after.get(path, _GONE) == value
            if (name, number) in named[path]:
                # The next item of an array may be an equal one.
                if same and not ("[" in path and line.lstrip().startswith("-")):
                    wrong.append(f"{path} = {value!r}: the same without {name}:{number} {line!r}")
            elif after is not None and (name, number) in data and not alone and "[" not in path and not same:
                wrong.append(f"{path} = {value!r}: another without {name}:{number} {line!r}")
    return wrong


_GONE = object()


# ---- programs

KEYS = ["alpha", "beta", "gamma", "delta"]
key = st.sampled_from(KEYS)


@st.composite
def templates(draw: st.DrawFn) -> tuple[Files, list[tuple[str, int]]]:
    numbers = draw(st.lists(st.integers(10, 9999), min_size=4, max_size=4, unique=True))
    values = ["#@data/values", "---", *(f"{name}: {number}" for name, number in zip(KEYS, numbers, strict=True))]
    values += ["on_: true", "hosts:", "- name: one", "  port: 81", "- name: two", "  port: 82", "list:", "- 11", "- 12"]
    values += ["db:", "  host: here", "  user: me"]
    data = [("values.yml", number) for number, line in enumerate(values, 1) if number > 2 and not line.endswith(":")]
    out = [
        '#@ load("@ytt:data", "data")',
        "#@ v = data.values",
        "#@ def pair(p, q):",
        "#@   return str(p) + '/' + str(q)",
    ]
    out += ["#@ end", "#@ def first(p, q):", "#@   r = [p]", "#@   return r[0]", "#@ end", "#@ def piece(p, q):"]
    out += ["left: #@ p", "right: #@ str(q)", "#@ end", "---"]
    paths: list[str] = []
    for number, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=7))):
        a, b = draw(key), draw(key)
        name = f"o{number}"
        paths.append(name)
        out += [line.format(n=name, a=a, b=b, c=number + 100) for line in kind]
        if kind is CONSTANT:
            data.append(("app.yml", len(out)))
    over = [
        '#@ load("@ytt:overlay", "overlay")',
        '#@ load("@ytt:data", "data")',
        "#@overlay/match by=overlay.all",
        "---",
    ]
    for name in draw(st.lists(st.sampled_from(paths), max_size=2, unique=True)):
        over.append("#@overlay/replace")
        if draw(st.booleans()):
            over.append(f"{name}: 4711")
            data.append(("over.yml", len(over)))
        else:
            over.append(f"{name}: #@ data.values.{draw(key)} + 1")
    over += ["#@overlay/match missing_ok=True", "extra:", "  inner: 17"]
    data.append(("over.yml", len(over)))
    return {"values.yml": "\n".join(values), "app.yml": "\n".join(out), "over.yml": "\n".join(over)}, data


CONSTANT = ["{n}: {c}"]
KINDS = [
    CONSTANT,
    ["{n}: #@ data.values.{a}"],
    ["{n}: #@ v.{a} + v.{b}"],
    ["#@ {n} = str(v.{a}) + '-'", "{n}: #@ {n} + str(v.{b})"],
    ["{n}: #@ pair(v.{a}, v.{b})"],
    ["{n}: #@ first(v.{a}, v.{b})"],
    ["{n}: #@ piece(v.{a}, v.{b})"],
    ["#@ if v.on_:", "{n}: #@ v.{a}", "#@ else:", "{n}: none", "#@ end"],
    ["{n}:", "#@ for h in v.hosts:", "- at: #@ h.name", "  port: #@ h.port + v.{a}", "#@ end"],
    ["{n}:", "#@ for x in v.list:", "- #@ x", "#@ end"],
    ["{n}: #@ v.list"],
    ["{n}: #@ v.db"],
    ["{n}: #@ [v.{a}, 3]"],
    ["{n}: #@ [str(h.port) + str(v.{a}) for h in v.hosts]"],
    ["#@yaml/text-templated-strings", "{n}: x-(@= str(v.{a}) @)-y"],
    ["#@ {n} = [v.{a}]", "#@ {n}.append(7)", "{n}: #@ len({n}) + {n}[0]"],
    ["#@ {n} = v.{a} if v.on_ else 0", "{n}: #@ {n}"],
    ["#@ {n} = {{'p': v.{a}, 'q': v.{b}}}", "{n}: #@ {n}['q']"],
    ["{n}: #@ v.list[1]"],
    ["{n}: #@ v.hosts[0]"],
    ["{n}: #@ {{'p': v.{a}, 'q': [v.{b}, v.db.host]}}"],
    ["#@ for {n} in [v.{a}, v.{b}]:", "{n}: #@ {n}", "#@ break", "#@ end"],
]


@st.composite
def operations(draw: st.DrawFn) -> tuple[Files, list[tuple[str, int]]]:
    base = [
        "alpha: 1",
        "beta: two",
        "gamma:",
        "  inner: 3",
        "  other: ((one))",
        "delta:",
        "- name: x",
        "  size: 4",
        "- name: y",
    ]
    base += ["  size: 5", "text: a-((two))-b"]
    variables = ["one: 21", "two: twice"]
    ops: list[str] = []
    data = [("base.yml", number) for number in (1, 2, 4, 8, 10)]
    data += [("vars.yml", 1), ("vars.yml", 2)]
    for number, path in enumerate(draw(st.lists(st.sampled_from(PATHS), max_size=4))):
        ops += ["- type: replace", f"  path: {path}", f"  value: {number + 60}"]
        data.append(("ops.yml", len(ops)))
    if draw(st.booleans()):
        ops += ["- type: replace", "  path: /whole?", "  value:", "    a: 31", "    b: ((one))"]
        data.append(("ops.yml", len(ops) - 1))
    if draw(st.booleans()):
        ops += ["- type: remove", "  path: /text"]
    files = {"base.yml": "\n".join(base), "vars.yml": "\n".join(variables), "ops.yml": "\n".join(ops)}
    return files, data


PATHS = [
    "/alpha",
    "/gamma/inner",
    "/gamma/new?",
    "/delta/name=x/size",
    "/delta/0/size",
    "/delta/name=z?/size",
    "/list?/-",
]


@st.composite
def layers(draw: st.DrawFn) -> tuple[Files, list[tuple[str, int]]]:
    out = ["schema: deckhand/LayeringPolicy/v1", "metadata: {schema: metadata/Control/v1, name: order}"]
    out += ["data: {layerOrder: [site, host]}", "---"]
    out += _head("demo/A/v1", "parent", "labels: {a: b}", "layeringDefinition: {layer: site, abstract: true}")
    data: list[tuple[str, int]] = []

    def add(*texts: str) -> None:
        for text in texts:
            out.append(text)
            if not text.endswith(":"):
                data.append(("site.yml", len(out)))

    add("data:", "  a: 1", "  b:", "    c: 2", "    d: 3", "  list:", "  - 4", "  - 5")
    out.append("---")
    out += _head("demo/Key/v1", "key", "layeringDefinition: {layer: site, abstract: true}")
    add("data:", "  secret:", "    word: tell", "    other: 9")
    out.append("---")
    actions = draw(st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=3, unique=True))
    out += _head("demo/A/v1", "child", "layeringDefinition:", "  layer: host", "  parentSelector: {a: b}", "  actions:")
    out += [f"    - {{method: {method}, path: {path}}}" for method, path in actions]
    chosen = draw(st.lists(st.sampled_from(DESTINATIONS), max_size=2, unique=True))
    if chosen:
        out.append("  substitutions:")
        for path, dest in chosen:
            out.append(f"  - src: {{schema: demo/Key/v1, name: key, path: {path}}}")
            out.append(f"    dest: {{path: {dest}}}")
    add("data:", "  a: 61", "  b:", "    c: 62", "    e: 63", "  list:", "  - 64", "  own: 65")
    return {"site.yml": "\n".join(out)}, data


def _head(schema: str, name: str, *more: str) -> list[str]:
    head = [f"schema: {schema}", "metadata:", "  schema: metadata/Document/v1", f"  name: {name}"]
    return [*head, "  storagePolicy: cleartext", *(f"  {line}" for line in more)]


ACTIONS = [
    ("merge", "."),
    ("merge", ".b"),
    ("replace", ".a"),
    ("replace", ".b"),
    ("replace", ".list"),
    ("delete", ".b.d"),
]
DESTINATIONS = [(".secret.word", ".a"), (".secret.word", ".new"), (".secret", ".b.s"), (".secret.other", ".deep.er")]


def wrong_of(program: Program, case: tuple[Files, list[tuple[str, int]]]) -> list[str]:
    try:
        program(case[0], None)
    except PlaitError:
        return []  # operations may be in each other's way
    return check(program, *case)[1]


@given(templates())
@settings(max_examples=25, deadline=None)
def test_templates_and_overlays(case: tuple[Files, list[tuple[str, int]]]) -> None:
    assert wrong_of(render, case) == []


@given(operations())
@settings(max_examples=25, deadline=None)
def test_operations_and_variables(case: tuple[Files, list[tuple[str, int]]]) -> None:
    assert wrong_of(patched, case) == []


@given(layers())
@settings(max_examples=25, deadline=None)
def test_layers_and_substitutions(case: tuple[Files, list[tuple[str, int]]]) -> None:
    assert wrong_of(layered, case) == []
