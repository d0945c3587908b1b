"""Fuzz targets: each takes bytes and returns, or raises what is a find.

The property everywhere: a result or a `PlaitError`, no other exception, and no more time and memory than an input of its
size is worth (see `costs`); some targets check a law of the result as well.
Where a target needs several inputs, a line `=====` stands between them. Hypothesis (`test_fuzz.py`) and atheris
(`atheris_run.py`) drive the same functions, and `finds/TARGET/*` keeps every input that was once a find.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from costs import bounded

import treecheck
from plait.base.errors import PlaitError, render
from plait.base.limits import Limits, budget_scope
from plait.base.source import Source
from plait.tree.context import Context
from plait.tree.nodes import from_plain

if TYPE_CHECKING:
    from collections.abc import Callable


SEPARATOR = "\n=====\n"


def text_of(data: bytes) -> str:
    """As input files are decoded."""
    return data.decode("utf-8", "surrogateescape")


def parts(data: bytes, count: int) -> list[str]:
    found = text_of(data).split(SEPARATOR)
    return (found + [""] * count)[:count]


def modest(text: str) -> str:
    """Without numbers that ask for long loops and large values: budgets have their own tests."""
    return re.sub(r"[0-9]{3,}", lambda found: found[0][:2], text).replace("range(", "range(9, 0, -")


def context() -> Context:
    """The state of a run, with little to spend."""
    return Context(limits=Limits(steps=20_000, seconds=5, depth=50))


def yaml_read(data: bytes) -> None:
    """Read in every way there is."""
    from plait.yaml.comments import Comments
    from plait.yaml.lossless.binding import Spans
    from plait.yaml.reader import read
    from plait.yaml.repeats import deduplicate

    source = Source("a.yml", text_of(data))
    for options in (
        {"strict": True},
        {"comments": Comments()},
        {"keep_mark": False, "first": True, "scalar_keys": True, "text_keys": True},
        {"explicit_keys_win": True, "depth": 20},
    ):
        try:
            with budget_scope(Limits(aliases=100)):
                tree = read(source, **options)
                Spans(tree)
                deduplicate(tree)
        except PlaitError as error:
            render(error)


def yaml_round_trip(data: bytes) -> None:
    """What is printed reads back the same; positions, JSON and sorted keys print too."""
    from plait.yaml.json import write_json
    from plait.yaml.position_listing import write_positions
    from plait.yaml.reader import read
    from plait.yaml.repeats import deduplicate
    from plait.yaml.writer import write

    try:
        tree = deduplicate(read(Source("a.yml", text_of(data))))
    except PlaitError:
        return
    treecheck.check_round_trip(tree)
    write_positions(tree)
    write(tree, sort=True, fold=80)
    for document in tree.items:
        try:
            write_json(document.value, indent=2)
        except PlaitError as error:
            render(error)


def fmt(data: bytes) -> None:
    from plait.authoring.formatting.formatter import format_text as format_file
    from plait.yaml.fmt import format_text

    # What the reference makes of odd keys and line breaks cannot be read again, so that is no law.
    try:
        format_text(Source("a.yml", text_of(data)))
    except PlaitError as error:
        render(error)
    try:
        formatted = format_file(text_of(data))
        assert "bug" not in formatted.left_alone
        assert not format_file(formatted.text).is_changed
    except PlaitError as error:
        render(error)


def json(data: bytes) -> None:
    from plait.yaml.json import read_json, write_json
    from plait.ytt.workspace.inputs import bulk_files

    text = text_of(data)
    try:
        value = read_json(Source("a.json", text))
        assert read_json(Source("b.json", write_json(value))) is not None or value is None
    except PlaitError as error:
        render(error)
    try:
        bulk_files(text)
    except PlaitError as error:
        render(error)


def annotation(data: bytes) -> None:
    """Comments of a YAML file to annotations and code."""
    from plait.ytt.templates.template import compile_yaml
    from plait.ytt.templates.template_files import read_yaml

    try:
        file = read_yaml(Source("a.yml", text_of(data)), strict=False, plain=False)
        if file.comments is not None:
            compile_yaml(file, ignore_unknown_comments=False, implicit_map_key_overrides=False)
    except PlaitError as error:
        render(error)


def starlark_parse(data: bytes) -> None:
    from plait.ytt.starlark.program import compile_program
    from plait.ytt.starlark.program_parts import CodePart

    text = text_of(data)
    try:
        compile_program([CodePart(text)], Source("a.star", text))
    except PlaitError as error:
        render(error)


def starlark_run(data: bytes) -> None:
    from plait.ytt.starlark.program import compile_program
    from plait.ytt.starlark.program_parts import CodePart
    from plait.ytt.starlark.value_text import repr_of

    text = modest(text_of(data))
    try:
        for value in compile_program([CodePart(text)], Source("a.star", text)).run(context()).values():
            repr_of(value)
    except PlaitError as error:
        render(error)


def _rendered(files: dict[str, str], **options: object) -> str | None:
    from plait.yaml.writer import write
    from plait.ytt.workspace.input_files import in_memory
    from plait.ytt.workspace.phases import run
    from plait.ytt.workspace.render_job import RenderJob
    from plait.ytt.workspace.render_job import RenderOptions as Options

    inputs = [in_memory(path, text, order) for order, (path, text) in enumerate(files.items(), 1)]
    try:
        result = run(RenderJob(inputs, Options(**options)), context())  # type: ignore[arg-type]
        return write(result.documents) + "".join(file.text for file in result.texts)
    except PlaitError as error:
        render(error)
        return None


def template(data: bytes) -> None:
    """A YAML template, run, beside a library file."""
    first, second = parts(data, 2)
    _rendered({"a.yml": modest(first), "b.lib.yml": modest(second)})


def text_template(data: bytes) -> None:
    _rendered({"a.txt": modest(text_of(data))})


def overlay(data: bytes) -> None:
    """A document and an overlay onto it."""
    first, second = parts(data, 2)
    head = '#@ load("@ytt:overlay", "overlay")\n'
    _rendered({"a.yml": first, "o.yml": head + modest(second)})


def schema(data: bytes) -> None:
    """A schema, data values, plain values."""
    first, second, third = (modest(part) for part in parts(data, 3))
    files = {"s.yml": "#@data/values-schema\n---\n" + first, "v.yml": "#@data/values\n---\n" + second}
    files["t.yml"] = '#@ load("@ytt:data", "data")\na: #@ data.values\n' + third
    _rendered(files)
    _rendered({"s.yml": files["s.yml"]}, inspect="schema")


def modules(data: bytes) -> None:
    """A text given to every decoder and checker that templates can load."""
    from plait.ytt.modules import load_module
    from plait.ytt.starlark.calls import call

    text = text_of(data)
    for name, members in MEMBERS.items():
        module = load_module(name, context())
        for member in members:
            try:
                call(module.attr(member), (text,))
            except PlaitError as error:
                render(error)
    regexp = load_module("regexp", context())
    pattern, _, subject = text.partition("\n")
    for arguments in ((pattern, subject), (pattern, subject, subject)):
        try:
            call(regexp.attr("match" if len(arguments) == 2 else "replace"), arguments)
        except PlaitError as error:
            render(error)


MEMBERS = {
    "yaml": ["decode", "encode"],
    "json": ["decode", "encode"],
    "toml": ["decode"],
    "base64": ["decode", "encode"],
    "url": ["parse", "query_params_decode", "path_segment_decode", "query_param_value_decode"],
    "ip": ["parse_addr", "parse_cidr"],
}


def pointer(data: bytes) -> None:
    """A pointer is what it prints; and is followed."""
    from plait.ops.job import patch
    from plait.ops.operations import Remove, Replace
    from plait.ops.pointer import parse
    from plait.ops.walk import find

    text = text_of(data)
    base = from_plain({"a": {"b": [{"name": "x", "v": 1}, {"name": "y"}], "": 0}, "c": [1, [2, 3]], "~/": None})
    try:
        read = parse(text)
        # The canonical form, which is the reference's, has one "?" only: behind it a key can read as something else.
        assert text.count("?") > 1 or str(parse(str(read))) == str(read)
        find(base, read)
    except PlaitError as error:
        render(error)
    try:
        patch(base, [Replace(parse(text), 1)])
    except PlaitError as error:
        render(error)
    try:
        patch(base, [Remove(parse(text))])
    except PlaitError as error:
        render(error)


def ops(data: bytes) -> None:
    """A document and an ops file; the change as operations, and in the document's own format."""
    from plait.ops.difference import diff
    from plait.ops.job import patch
    from plait.ops.operation_files import read_operations
    from plait.ops.reader import keep_format, read_first, write_text
    from plait.tree.equality import alike

    first, second = parts(data, 2)
    source = Source("a.yml", first)
    try:
        base = read_first(source)
        changed = patch(base, read_operations(Source("o.yml", second)))
        write_text(changed)
    except PlaitError as error:
        render(error)
        return
    try:
        assert alike(patch(base, diff(base, changed)), changed), "a diff gives what was compared"
        keep_format(source, base, changed)
    except PlaitError as error:
        render(error)


def variables(data: bytes) -> None:
    """A document with placeholders, a file of values, and one value as a flag gives it."""
    from plait.ops.definitions import interpolate
    from plait.ops.reader import read_first, texts_to_values, write_text
    from plait.ops.variables import Sources, from_argument

    first, second, third = parts(data, 3)
    sources = Sources()
    # A value that holds placeholders itself grows up to the limit, as in the reference.
    with budget_scope(Limits(variables=1 << 16)):
        try:
            sources.give("var", from_argument(third))
        except PlaitError as error:
            render(error)
        try:
            sources.give("vars-file", texts_to_values(Source("v.yml", second), "variables file"))
            write_text(interpolate(read_first(Source("a.yml", first)), sources, expect_values=True, expect_use=True))
        except PlaitError as error:
            render(error)


def jsonpath(data: bytes) -> None:
    from plait.layering.data_paths import DataPath, PathError, action_path, compile_path, destination_path
    from plait.layering.path_edits import find_all, without, write

    base = from_plain({"a": {"b": [{"c": 1}, 2, [3]]}, "d e": "text", "1": None})
    text = text_of(data)

    def use(compile: Callable[[str], DataPath]) -> None:
        try:
            path = compile(text)
            list(find_all(base, path))
            write(base, path, 1)
            if path.steps:
                without(base, path)
        except (PathError, PlaitError):
            pass

    for compile in (compile_path, action_path, destination_path):
        use(compile)


def layering(data: bytes) -> None:
    """Documents, checked, rendered and drawn."""
    from plait.layering.dataschema import check_data
    from plait.layering.document import read_documents
    from plait.layering.inheritance_tree import dot, tree
    from plait.layering.plain_scalars import plain_values
    from plait.layering.rendering import LayeringOptions as Options
    from plait.layering.rendering import plan, render_plan, written
    from plait.layering.validation import check_documents
    from plait.yaml.reader import read
    from plait.yaml.repeats import deduplicate
    from plait.yaml.writer import write

    policy = (
        "---\nschema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\n"
        "data: {layerOrder: [a, b]}\n---\n"
    )
    try:
        sets = [
            deduplicate(read(Source("a.yml", policy + text_of(data)), keep_mark=False, plain=plain_values, depth=300))
        ]
    except PlaitError as error:
        render(error)
        return
    try:
        check_documents(sets)
    except PlaitError as error:
        render(error)
    for options in (Options(), Options(lenient=True, relaxed=True, cleartext_secrets=True)):
        try:
            made = plan(read_documents(sets), options, Context())
            tree(made, made.documents)
            dot(made, made.documents)
            rendered = render_plan(made, options, Context())
            write(written(rendered, cleartext_secrets=options.cleartext_secrets))
            check_data(rendered, made.documents)
        except PlaitError as error:
            render(error)


def flags(data: bytes) -> None:
    """Command line arguments that are small languages: marks, data values, library references."""
    from plait.ytt.workspace.file_marks import apply_marks
    from plait.ytt.workspace.input_files import in_memory
    from plait.ytt.workspace.inputs import Inputs
    from plait.ytt.workspace.values_flags import ValuesFlags, read_values

    text = text_of(data)
    try:
        apply_marks([in_memory("a/b.yml", "")], [text])
    except PlaitError as error:
        render(error)
    try:
        read_values(ValuesFlags(values=[text], values_yaml=[text]), Inputs(), lambda _: {})
    except PlaitError as error:
        render(error)


_EVERY: dict[str, Callable[[bytes], None]] = {
    "yaml_read": yaml_read,
    "yaml_round_trip": yaml_round_trip,
    "fmt": fmt,
    "json": json,
    "annotations": annotation,
    "starlark_parse": starlark_parse,
    "starlark_run": starlark_run,
    "template": template,
    "text_template": text_template,
    "overlay": overlay,
    "schema": schema,
    "modules": modules,
    "pointer": pointer,
    "ops": ops,
    "variables": variables,
    "jsonpath": jsonpath,
    "layering": layering,
    "flags": flags,
}
TARGETS = {name: bounded(target) for name, target in _EVERY.items()}

_YAML = [
    "a: 1\nb: [1, x, {c: ~}]\n",
    "- a\n-\n  - b: |\n      t\n",
    "a: &x {k: v}\nb: {<<: *x}\n",
    "? [a]\n: !!binary eA==\n",
]
_STARLARK = [
    "def f(x, y=1, *a, **k):\n  return [i for i in range(x) if i]\nend\nz = f(3)\n",
    'd = {"a": 1}\nd.update(b=2)\ns = "%s {}".format(d) % 1\nfor k in d.keys():\n  d[k]\nend\n',
    "x = [1, 2][::-1] + sorted([3, 1], key=lambda v: -v)\ny = 1 if x else 2.5\n",
]

# Where each target starts from.
SEEDS: dict[str, list[str]] = {
    "yaml_read": _YAML,
    "yaml_round_trip": _YAML,
    "fmt": [*_YAML, "#! c\na: 1 # d\n---\n- x\n"],
    "json": ['{"a":[1,2.5e3,"\\u00e9",null,true]}', '{"files":[{"name":"a","data":"b"}]}'],
    "annotations": [
        "#@ def f():\n#@yaml/map-key-overrides\na: #@ 1\n#@ end\n",
        "#@overlay/match by='a', missing_ok=True\nb: 1\n",
    ],
    "starlark_parse": _STARLARK,
    "starlark_run": _STARLARK,
    "template": [
        "#@ for i in range(2):\n- #@ i\n#@ end\n",
        "#@ if True:\na: #@ 'b'\n#@ else:\nc: (@= 'd' @)\n#@ end\n" + SEPARATOR + "#@ def g():\nh: 1\n#@ end\n",
        "#@yaml/text-templated-strings\na: 'x (@= str(1) @)'\n",
    ],
    "text_template": ["a (@= 'b' @) (@ if 1: -@)\nc\n(@- end @)\n"],
    "overlay": [
        "a: {b: [{name: x}]}\n"
        + SEPARATOR
        + "#@overlay/match by=overlay.all\n---\na:\n  b:\n  #@overlay/match by='name'\n  - name: x\n    #@overlay/match missing_ok=True\n    c: 1\n",
        "a: [1]\n"
        + SEPARATOR
        + "#@overlay/match by=overlay.all, expects='0+'\n---\n#@overlay/replace via=lambda a, b: b\na:\n#@overlay/append\n- 2\n",
    ],
    "schema": [
        "#@schema/nullable\na: ''\n#@schema/validation min_len=1\nb: x\nc:\n- d: 1\n"
        + SEPARATOR
        + "a: x\nc:\n- d: 2\n"
        + SEPARATOR
        + "e: #@ data.values.b\n",
        "#@schema/type any=True\na: {}\n#@schema/default [1]\nb: [0]\n" + SEPARATOR,
    ],
    "modules": ["a: [1]", '{"a": 1}', "[a]\nb = 1\n", "https://u:p@h:1/p?q=1&r=%20#f", "10.0.0.0/8", "(a|b)+\naab"],
    "pointer": ["/a/b/name=x/v?", "/c/0:before", "/c/-", "/a/b/1:prev", "/~1~0", "/a/:x"],
    "ops": [
        "a: [1]\nb: {c: d} # e\n"
        + SEPARATOR
        + "- {type: replace, path: /a/-, value: 1}\n- {type: remove, path: /b/c}\n- {type: test, path: /x, absent: true}\n"
    ],
    "variables": [
        "a: ((b))\nc: x-((d.e))-y\nvariables:\n- {name: b, type: password}\n"
        + SEPARATOR
        + "b: 1\nd: {e: f}\n"
        + SEPARATOR
        + "g.h=[1]"
    ],
    "jsonpath": [".a.b[0].c", "$..c", ".a.*", ".'d e'", ".a.b[0:2]", ".a.b[0,1]", "$.data.a"],
    "layering": [
        (
            "schema: x/Y/v1\nmetadata: {schema: metadata/Document/v1, name: n, storagePolicy: cleartext, labels: {l: m},\n"
            "  layeringDefinition: {abstract: true, layer: a}}\ndata: {k: [1]}\n---\nschema: x/Y/v1\nmetadata:\n"
            "  schema: metadata/Document/v1\n  name: o\n  storagePolicy: encrypted\n  layeringDefinition:\n    layer: b\n"
            "    parentSelector: {l: m}\n    actions:\n    - {method: merge, path: .k}\n    - {method: delete, path: .z}\n"
            "  substitutions:\n  - src: {schema: x/Y/v1, name: n, path: '.k[0]', pattern: '(.)'}\n"
            "    dest: {path: .r, pattern: P, recurse: {depth: 1}}\ndata: {k: [2], z: 1, r: aP}\n"
        )
    ],
    "flags": ["a/**/*:type=yaml-plain", "@l~a:b.c=d", "a=[1, 2]", "a/b.yml:path=c"],
}

# Words that mean something to one of the languages; both drivers put them together.
WORDS = [
    *(
        "a",
        "b",
        ":",
        ": ",
        "- ",
        "\n",
        "\n  ",
        " ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "#",
        "#@ ",
        "#@",
        "#!",
        "'",
        '"',
        "|",
        ">",
    ),
    *(
        "---\n",
        "...\n",
        "&x ",
        "*x",
        "<<: ",
        "? ",
        "!!binary ",
        "!!str ",
        "!t ",
        "%YAML 1.1\n",
        "~",
        "null",
        "true",
        "yes",
    ),
    *(
        "1",
        "-0",
        "0x1f",
        "1e3",
        ".nan",
        ".inf",
        "2001-01-01",
        "\t",
        "\r\n",
        "\0",
        "\ufeff",
        "\u2028",
        "\x85",
        "é",
        "\U0001f600",
    ),
    *("\udcff", "\\", "\\u", "(@", "@)", "(@= ", "-@)", "((", "))", "((a))", "/", "?", "=", "~1", ":before", ":next"),
    *(
        "def f(x):",
        "end",
        "for x in y:",
        "if x:",
        "else:",
        "lambda: ",
        "return ",
        "load(",
        "not ",
        " in ",
        "and ",
        "**",
        "//",
    ),
    *(
        "<<",
        ">>",
        "%",
        "%s",
        "{!r}",
        ".format(",
        "*args",
        "**kw",
        "range(",
        "len(",
        "sorted(",
        "dict(",
        "getattr(",
        "__class__",
    ),
    *(
        "overlay.all",
        "overlay.index(0)",
        "overlay.subset(",
        "@overlay/match ",
        "@overlay/remove",
        "@overlay/insert ",
        "by=",
    ),
    *(
        "expects=",
        "missing_ok=True",
        "@overlay/assert ",
        "@schema/type ",
        "any=True",
        "@schema/nullable",
        "@schema/default ",
    ),
    *(
        "@schema/validation ",
        "min=",
        "one_of=[",
        "@data/values",
        "@yaml/text-templated-strings",
        "@library/ref ",
        "@ytt:data",
    ),
    *(
        "type: replace",
        "path: /",
        "value: ",
        "absent: true",
        "variables:",
        "name: ",
        "$.",
        "..",
        ".*",
        "[0]",
        "[?(@.a)]",
    ),
    *(
        "schema: ",
        "metadata: ",
        "data: ",
        "layer: a",
        "parentSelector: ",
        "actions:",
        "method: ",
        "substitutions:",
        SEPARATOR,
    ),
]
