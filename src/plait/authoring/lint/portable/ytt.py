"""Differences from ytt: one rule for each entry of docs/compatibility/ytt.md."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.portable.rule import (
    AT_RUN_TIME,
    MESSAGE,
    REFUSED,
    PortabilityMatch,
    PortabilityRule,
    has_comment,
    in_code,
    in_items,
    in_settings,
    unseen,
    with_tags,
)
from plait.base.extensions import split_format
from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, Document, Map, MapItem, key_id
from plait.yaml.lossless.nodes import PLAIN
from plait.ytt.workspace.library_references import split_ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item

_VALUES = ("@data/values", "@data/values-schema")
_GIVEN = ("data-value", "data-value-yaml", "data-value-file")


def _values_twice(subject: LintProject) -> Iterator[PortabilityMatch]:
    """Duplicate keys in plain values files."""
    for ran in subject.runs:
        for setting in ran.run.settings:
            for path in ran.run.paths(setting) if setting.name == "data-values-file" else ():
                layout = subject.layout(path)
                for item in () if layout is None else (*layout.documents.items, *layout.items):
                    seen: set[object] = set()
                    for inner in item.value.items if type(item.value) is Map else ():
                        if key_id(inner.key) in seen:
                            yield PortabilityMatch(path, inner.line)
                        seen.add(key_id(inner.key))


def _strict_null(subject: LintProject) -> Iterator[PortabilityMatch]:
    for ran in subject.runs:
        if any(setting.name == "strict" for setting in ran.run.settings):
            for path in subject.paths:
                layout = subject.layout(path) if path in ran.view.files else None
                for item in () if layout is None else layout.items:
                    if layout is not None and item.value is None and _written(layout, item) in ("null", "~"):
                        yield PortabilityMatch(path, item.line)


def _written(layout: LintedFile, item: Item) -> str:
    span = layout.spans.value(item)
    return "" if span is None else layout.text[span.start : span.end]


def _referring(subject: LintProject) -> Iterator[PortabilityMatch]:
    """Lines of data values and schemas that use data values."""
    wanted = in_code(r"\bdata\.values\b")
    values = {
        path
        for path in subject.paths
        if (layout := subject.layout(path)) is not None
        and any(has_comment(layout, document, *_VALUES) for document in layout.documents.items)
    }
    return (spot for spot in wanted(subject) if spot.path in values)


def _in_overlay(layout: LintedFile, item: Item) -> bool:
    document = layout.document_of(item)
    return document is not None and has_comment(layout, document, "@overlay/match")


def _in_values(layout: LintedFile, item: Item) -> bool:
    document = layout.document_of(item)
    return document is not None and has_comment(layout, document, *_VALUES)


def _integer_key(layout: LintedFile, item: Item) -> bool:
    return type(item) is MapItem and type(item.key) is int and _in_overlay(layout, item)


def _odd_value_key(layout: LintedFile, item: Item) -> bool:
    return (
        type(item) is MapItem
        and type(item.key) is not str
        and type(item.key) not in COLLECTIONS
        and _in_values(layout, item)
    )


def _collection_key(_layout: LintedFile, item: Item) -> bool:
    return type(item) is MapItem and type(item.key) in (Map, Array)


def _question_mark(layout: LintedFile, item: Item) -> bool:
    """True if an unquoted word with a question mark is in brackets."""
    if type(item.value) is not str or "?" not in item.value:
        return False
    node, above = layout.spans.node(item), layout.parent(item)
    around = None if above is None else layout.spans.collection(above)
    return node is not None and node.style is PLAIN and around is not None and around.in_brackets


def _computed_schema(layout: LintedFile, item: Item) -> bool:
    document = layout.document_of(item)
    return (
        type(item) is MapItem
        and document is not None
        and has_comment(layout, document, "@data/values-schema")
        and any(
            comment.text.startswith(("@ {", "@ [")) and not comment.own_line for comment in layout.comments_of(item)
        )
    )


def _default_on_map(layout: LintedFile, item: Item) -> bool:
    return type(item) is MapItem and type(item.value) is Map and has_comment(layout, item, "@schema/default")


_INDEX = re.compile(r"\bby\s*=\s*(overlay\.index\(|lambda\s+(?P<first>\w+)\s*,[^:]*:.*\b(?P=first)\b)")


def _counts_documents(layout: LintedFile, item: Item) -> bool:
    """True for an overlay document that uses an index."""
    return type(item) is Document and any(
        comment.text.startswith("@overlay/match ") and _INDEX.search(comment.text) is not None
        for comment in layout.comments_of(item)
    )


def _overlays_array_item(layout: LintedFile, item: Item) -> bool:
    """True for an array item of data values that has a match annotation and contains collections."""
    document = layout.document_of(item)
    return (
        type(item) is ArrayItem
        and type(item.value) is Map
        and any(type(one.value) in (Map, Array) for one in item.value.items)
        and document is not None
        and has_comment(layout, document, "@data/values")
        and has_comment(layout, item, "@overlay/match")
    )


def _comment_on_anchor(layout: LintedFile, item: Item) -> bool:
    """True if a node with code or annotations is inside a node with an anchor that an alias uses."""
    if "*" not in layout.text or "&" not in layout.text:
        return False
    if not any(comment.text.startswith("@") for comment in layout.comments_of(item)):
        return False
    up: Item | None = item
    while up is not None:
        node = layout.spans.node(up)
        if node is not None and node.anchor and f"*{node.anchor}" in layout.text:
            return True
        up = layout.parent(up)
    return False


def _no_yaml_name(subject: LintProject) -> Iterator[PortabilityMatch]:
    """Settings that name directories of values which also contain other files."""
    for ran in subject.runs:
        for setting in ran.run.settings:
            if setting.name != "data-values-file":
                continue
            for path, (_, at) in zip(ran.run.paths(setting), setting.texts(), strict=True):
                there = path_of(at.source)
                if there is not None and os.path.isdir(path) and _has_others(path):
                    yield PortabilityMatch(there, at.line)


def _has_others(directory: str) -> bool:
    return any(not name.endswith((".yml", ".yaml")) for _, _, names in os.walk(directory) for name in names)


def _after_end_marker(subject: LintProject) -> Iterator[PortabilityMatch]:
    for path in subject.paths:
        layout = subject.layout(path)
        for comment in () if layout is None else layout.comments.ignored:
            if comment.text.startswith("@"):
                yield PortabilityMatch(path, comment.line, comment.column)


def _alone_cr(subject: LintProject) -> Iterator[PortabilityMatch]:
    for path in subject.paths:
        text = subject.text(path)
        if "\r" in text.replace("\r\n", ""):
            at = next(index for index, char in enumerate(text) if char == "\r" and text[index + 1 : index + 2] != "\n")
            yield PortabilityMatch(path, text.count("\n", 0, at) + 1)


_POS = in_settings("render", ("output",), lambda text: text == "pos")

ENTRIES = (
    # Additional features
    unseen("`-d` for `--data-values-file`", "a project file has the long names of flags"),
    unseen("`+:` before the path of a values file", "a project file names existing files"),
    PortabilityRule(
        "`key+=value`, `(key)+=value`",
        "reads the plus sign as part of the key",
        in_settings("render", _GIVEN, lambda text: text.partition("=")[0].endswith("+")),
        "omit the plus sign",
    ),
    PortabilityRule(
        "`toml:PATH`, `dotenv:PATH` and `dotenv-yaml:PATH` in `--data-values-file`",
        "reads a file whose name begins with the prefix",
        in_settings("render", ("data-values-file",), lambda text: bool(split_format(split_ref(text)[1])[0])),
        "write the values as YAML",
    ),
    PortabilityRule(
        "a duplicate key in a file of plain values: the last one is used",
        "crashes on a duplicate key in a values file",
        _values_twice,
        "remove one of them",
    ),
    unseen("`--data-value-file` and `--data-values-file` with swapped arguments: a hint", MESSAGE),
    PortabilityRule(
        "`lambda x: return ...`",
        "does not accept return in a lambda",
        in_code(r"\blambda\b[^:]{0,200}:\s{0,9}return\b"),
        "omit return",
    ),
    PortabilityRule(
        "`by` of `@overlay/match` without its name",
        "accepts the argument of @overlay/match only by name",
        in_code(r"#@overlay/match\s+(?!(by|expects|missing_ok|when)\s*=)[\w\"'(]"),
        "write by= before it",
    ),
    PortabilityRule(
        "`when=2+` without quotes",
        "requires quotes around a number with a plus sign",
        in_code(r"\bwhen\s*=\s*\d+\+"),
        'write when="2+"',
    ),
    PortabilityRule(
        "`overlay.all()` besides `overlay.all`",
        "does not accept a call of overlay.all",
        in_code(r"\boverlay\.all\(\s*\)"),
        "write overlay.all",
    ),
    unseen("`fragment.key`; `hasattr` says so too", AT_RUN_TIME),
    PortabilityRule("`null` in strict mode", "rejects null in strict mode", _strict_null, "write nothing in its place"),
    PortabilityRule(
        "integer keys of YAML are found by integers of Starlark, and matched by overlays",
        "does not match integer keys",
        in_items(_integer_key, (TEMPLATE,)),
        "put the key in quotes, on both sides",
    ),
    unseen(
        "in a template, a key next to `<<` overrides the merged keys",
        "applies merge keys while reading, so that explicit keys do not override them",
    ),
    PortabilityRule(
        "keys that are not strings in data values used by templates",
        "crashes on a data values key that is not a string",
        in_items(_odd_value_key, (TEMPLATE,)),
        "put the key in quotes",
    ),
    PortabilityRule(
        "a question mark in a word of a flow collection, `[x?, y]`",
        "rejects an unquoted question mark inside a flow collection",
        in_items(_question_mark),
        "put the word in quotes",
    ),
    PortabilityRule(
        'schema values computed as dicts or lists, `a: #@ {"b": 1}`',
        "rejects dicts and lists as values of a schema",
        in_items(_computed_schema, (TEMPLATE,)),
        "write them as YAML",
    ),
    PortabilityRule(
        "`--secrets`",
        "has no --secrets",
        in_settings("render", ("secrets",), bool),
        "pass the values with --data-values-file",
    ),
    PortabilityRule(
        "`--with embedded`: `@overlay/inside`",
        "has no @overlay/inside",
        in_items(lambda layout, item: has_comment(layout, item, "@overlay/inside"), (TEMPLATE,)),
        "write the whole string: @overlay/replace",
    ),
    PortabilityRule(
        '`--with f-strings`: `f"{x}"`',
        "has no f-strings",
        in_code(r"\bf[\"']"),
        'write "{}".format(x)',
    ),
    PortabilityRule(
        "`--with values-refer`: `data.values` in data values and schemas",
        "does not support data values computed from others",
        _referring,
        "compute the value in the templates",
    ),
    PortabilityRule(
        "`--with alternatives`: `@schema/one-of`",
        "has no @schema/one-of",
        in_items(lambda layout, item: has_comment(layout, item, "@schema/one-of"), (TEMPLATE,)),
        "write @schema/type any=True",
    ),
    PortabilityRule(
        "`--with keys`: `@schema/key`",
        "has no @schema/key",
        in_items(lambda layout, item: has_comment(layout, item, "@schema/key"), (TEMPLATE,)),
        "write @schema/type any=True above the map",
    ),
    PortabilityRule(
        "`--with output-file`: `@output/file`",
        "has no @output/file",
        in_items(lambda layout, item: has_comment(layout, item, "@output/file"), (TEMPLATE,)),
        "give the document a template of its own",
    ),
    PortabilityRule(
        "`--data-values-env-all`",
        "has no --data-values-env-all",
        in_settings("render", ("data-values-env-all",), lambda text: text == "true"),
        "name a prefix: --data-values-env PREFIX",
    ),
    PortabilityRule(
        "`--keep-format`",
        "has no --keep-format",
        in_settings("render", ("keep-format",), lambda text: text == "true"),
        "omit it",
    ),
    PortabilityRule(
        "`--schema`",
        "has no --schema",
        in_settings("render", ("schema",), bool),
        "write a schema of templates, with #@data/values-schema",
    ),
    PortabilityRule(
        "`--check-output`",
        "has no --check-output",
        in_settings("render", ("check-output",), bool),
        "check what it prints with another program",
    ),
    PortabilityRule(
        "`--output-by`",
        "has no --output-by",
        in_settings("render", ("output-by",), bool),
        "give each document a template of its own",
    ),
    PortabilityRule(
        "`--merge`",
        "has no --merge",
        in_settings("render", ("merge",), bool),
        "write an overlay: #@overlay/match by=overlay.subset(...)",
    ),
    PortabilityRule(
        "`--with required`: `@schema/required`",
        "has no @schema/required",
        in_items(lambda layout, item: has_comment(layout, item, "@schema/required"), (TEMPLATE,)),
        "write a rule: @schema/validation min_len=1",
    ),
    PortabilityRule(
        "`--with secrets`: `@schema/secret`",
        "has no @schema/secret",
        in_items(lambda layout, item: has_comment(layout, item, "@schema/secret"), (TEMPLATE,)),
        "remove it; the values stay the same",
    ),
    PortabilityRule(
        "`--with tags`: `!Ref name`",
        "drops tags",
        with_tags("render"),
        "omit them",
    ),
    PortabilityRule(
        "a URL with `=` in it is not a rename",
        "reads the equals sign in a URL as a rename",
        in_settings("render", ("files",), lambda text: "://" in text and "=" in text),
        "write NEW=URL",
    ),
    # Different results
    PortabilityRule(
        "comments on nodes that an alias copies",
        "applies code and annotations on an anchored node to its copy",
        in_items(_comment_on_anchor, (TEMPLATE,)),
        "write the node out where it is used",
    ),
    PortabilityRule(
        "files without a YAML name in a directory of data values",
        "reads all files in a directory of data values",
        _no_yaml_name,
        "keep other files elsewhere",
    ),
    unseen("the result of `overlay.apply` for a scalar", AT_RUN_TIME),
    unseen("a function that two files load, compared with `==`", AT_RUN_TIME),
    unseen("new documents of overlays over several files", "ytt inserts them at a random position"),
    PortabilityRule(
        "the index that a matcher receives for documents of several files",
        "numbers the documents of several files in random order",
        in_items(_counts_documents, (TEMPLATE,)),
        'match by their content: by=overlay.subset({"kind": "..."})',
    ),
    PortabilityRule(
        "defaults of a schema in array items of data values, and an overlay on one of the items",
        "also changes the defaults of other items in the array",
        in_items(_overlays_array_item, (TEMPLATE,)),
        "set the values of all items",
    ),
    unseen("the line of an array item in a flow collection over several lines", "lines are not part of an output"),
    PortabilityRule(
        "`-o pos` with keys that are not strings",
        "prints some keys differently with -o pos",
        _POS,
        "use it only for reading",
    ),
    unseen("`-o pos` of strings with a percent sign", "covered by the entry above"),
    unseen("`-o pos` in a text with NEL, U+2028 or U+2029", "covered by the entry above"),
    unseen("`fmt` of empty collections and of several files", "no run formats files"),
    unseen("`fmt` of keys that need quotes or are not strings", "no run formats files"),
    PortabilityRule(
        "arrays as keys, `? [1, 2]`",
        "prints keys that are maps or arrays differently",
        in_items(_collection_key),
        "use strings as keys",
    ),
    PortabilityRule(
        "code after the `...` that ends the last document",
        "silently ignores code here",
        _after_end_marker,
        "remove it",
    ),
    unseen(
        "nulls that one overlay item fills with a map or an array: documents (also those that an overlay emptied), "
        "map and array items",
        AT_RUN_TIME,
    ),
    PortabilityRule(
        '`data.list("/dir")`',
        "returns paths without the directory from data.list",
        in_code(r"\bdata\.list\(\s*[\"']/"),
        "list a path that is relative",
    ),
    PortabilityRule(
        "`@schema/default` on a map, in OpenAPI",
        "keeps the defaults of the properties in OpenAPI",
        in_items(_default_on_map, (TEMPLATE,)),
        "write a default for each key",
    ),
    unseen("an infinite float compared with an integer", AT_RUN_TIME),
    unseen("`return` before any node of a function with nodes", AT_RUN_TIME),
    # Errors that ytt does not report, or reports wrongly
    unseen("JSON of infinity and of NaN", REFUSED),
    unseen("paths of `--output-files` that lead out of the directory", REFUSED),
    unseen("emptying `..`, the home directory or a directory above the current one", REFUSED),
    unseen("dict methods with an invalid key, on an empty dict", REFUSED),
    unseen("limits: depth, sizes, aliases, recursion, steps (status 3)", REFUSED),
    # Crashes of ytt
    unseen("an empty entry in a flow collection", REFUSED),
    unseen("keys that are not strings in JSON, TOML and `struct.encode`", REFUSED),
    unseen("`-o pos` of computed maps and arrays", "the entry for -o pos reports each one"),
    unseen("a repeated key after an overlay", REFUSED),
    unseen("`(@)` in a text", REFUSED),
    unseen(
        '`assert.try_to` of a function that fails after its first node (rejected there: "expected all '
        'ctxs to end", if it does not crash)',
        AT_RUN_TIME,
    ),
    unseen(
        "`@overlay/append` where there is no document", "the entry for documents with @overlay/append alone reports it"
    ),
    unseen("files that load each other, recursion without end", REFUSED),
    unseen("`--data-value-file` with an empty directory", REFUSED),
    unseen("integers beyond 64 bits as values of nodes", REFUSED),
    unseen("functions, ranges and modules as values of nodes", REFUSED),
    PortabilityRule(
        "`when=` with a builtin function",
        "crashes on a built-in function in when=",
        in_code(r"\bwhen\s*=\s*(len|bool|all|any|str|int|type|hash|min|max|sorted|list|dict|tuple|set)\b(?!\s*\()"),
        "write a lambda",
    ),
    unseen("`yaml.decode` of a repeated key", AT_RUN_TIME),
    unseen("collections as keys in a template", "the entry for arrays as keys reports them"),
    PortabilityRule(
        "carriage returns alone as line breaks",
        "crashes on a carriage return without line feed",
        _alone_cr,
        "end lines with line feeds",
    ),
    unseen("fragments in `struct.encode` and `struct.decode`", AT_RUN_TIME),
    unseen("dates in `toml.decode`", REFUSED),
    unseen("slices of fragments", REFUSED),
)
