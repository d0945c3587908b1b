"""What schema documents declare, and what is wrong with those that declare nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import annotated
from plait.base.errors import Finding, LimitError, SchemaError
from plait.tree.nodes import Document, Map, MapItem, to_plain
from plait.ytt.schema import defaults as schema_defaults
from plait.ytt.schema.build import build
from plait.ytt.schema.types import ANY, Declaration

if TYPE_CHECKING:
    from plait.tree.nodes import Value


def built(text: str) -> Declaration:
    return build(annotated.document(text, "s.yml"))


def defaults(text: str) -> object:
    document = schema_defaults.defaults(built(text))
    assert document is not None
    return to_plain(document.value)


def refused(text: str) -> list[Finding]:
    with pytest.raises(SchemaError) as caught:
        built(text)
    return caught.value.findings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: x\ncount: 1\nratio: 0.5\non: true\n", {"name": "x", "count": 1, "ratio": 0.5, True: True}),
        ("ports:\n- 80\n", {"ports": []}),
        ("db:\n  host: h\n  port: 1\n", {"db": {"host": "h", "port": 1}}),
        ("#@schema/nullable\ndb:\n  host: h\n", {"db": None}),
        ("#@schema/type any=True\ndb:\n  host: h\n  port:\n", {"db": {"host": "h", "port": None}}),
        ("#@schema/type any=True\n#@schema/nullable\ndb: 1\n", {"db": None}),
        ("#@schema/type any=False\ndb: 1\n", {"db": 1}),
        ("#@schema/default 5\n#@schema/nullable\na: 1\n", {"a": 5}),
        ("#@schema/default [1, 2]\na:\n- 0\n", {"a": [1, 2]}),
        ("#@schema/default {'b': 2}\na:\n  b: 1\n  c: 1\n", {"a": {"b": 2, "c": 1}}),
        ("#@schema/default [{'b': 2}]\na:\n- b: 1\n  c: 1\n", {"a": [{"b": 2, "c": 1}]}),
        ("#@schema/default 3\nratio: 0.5\n", {"ratio": 3}),
        ("1: a\n'1': b\n", {1: "a", "1": "b"}),
        ("just text", "just text"),
        ("- 1", []),
    ],
)
def test_defaults(text: str, expected: object) -> None:
    assert defaults(text) == expected


def test_a_default_of_a_document_is_filled() -> None:
    assert defaults("#@schema/default {'a': 5}\n---\na: 1\nb: 2\n") == {"a": 5, "b": 2}


def test_any_schema_has_no_defaults() -> None:
    assert schema_defaults.defaults(ANY) is None


@pytest.mark.parametrize(
    ("text", "message", "expected", "found"),
    [
        ("a:\n", "null value not allowed here", "non-null value", "null value"),
        ("#@schema/nullable\na:\n", "null value not allowed here", "non-null value", "null value"),
        (
            "a: []\n",
            "wrong number of items in array definition",
            "exactly 1 array item, of the desired type",
            "0 array items",
        ),
        (
            "a: [1, 2]\n",
            "wrong number of items in array definition",
            "exactly 1 array item, of the desired type",
            "2 array items",
        ),
        (
            "#@schema/default 'x'\na: 1\n",
            "@schema/default is wrong type",
            "integer (by s.yml:2)",
            "string (by s.yml:1)",
        ),
        ("#@schema/default None\na: 1\n", "@schema/default is wrong type", "integer (by s.yml:2)", "null (by s.yml:1)"),
        (
            "#@schema/default {'c': 1}\na:\n  b: 1\n",
            "@schema/default is wrong type",
            'a map item with the key named "b" (from s.yml:2)',
            "c (by s.yml:1)",
        ),
        (
            "#@schema/default\na: 1\n",
            "syntax error in @schema/default annotation",
            "integer (by s.yml:2)",
            "missing value in @schema/default (by s.yml:1)",
        ),
        ("a:\n#@schema/default 1\n- 1\n", "@schema/default not supported on array item", None, None),
        (
            "#@schema/title 3\na: 1\n",
            "syntax error in @schema/title annotation",
            "string",
            "Non-string value in @schema/title (by s.yml:1)",
        ),
        (
            "#@schema/desc 'a', 'b'\na: 1\n",
            "syntax error in @schema/desc annotation",
            "string",
            "2 values in @schema/desc (by s.yml:1)",
        ),
        (
            "#@schema/deprecated why='a'\na: 1\n",
            "syntax error in @schema/deprecated annotation",
            "string",
            "keyword argument in @schema/deprecated (by s.yml:1)",
        ),
        ("#@schema/deprecated 'a'\n---\na: 1\n", "@schema/deprecated not supported on a document", None, None),
        (
            "#@schema/examples ('one', 'x')\na: 1\n",
            "@schema/examples has wrong type",
            "integer (by s.yml:2)",
            "string (by s.yml:1)",
        ),
        (
            "#@schema/examples ('one', 1, 2)\na: 1\n",
            "syntax error in @schema/examples annotation",
            "2-tuple containing description (string) and example value (of expected type)",
            "3-tuple argument in @schema/examples (by s.yml:1)",
        ),
        (
            "#@schema/type\na: 1\n",
            "expected @schema/type annotation to have keyword argument and value",
            "valid keyword argument and value",
            "missing keyword argument and value (by s.yml:1)",
        ),
        (
            "#@schema/type some=True\na: 1\n",
            "unknown @schema/type annotation keyword argument",
            "a valid keyword argument",
            "some (by s.yml:1)",
        ),
        (
            "#@schema/type any=1\na: 1\n",
            "unknown @schema/type annotation keyword argument",
            "a bool",
            "int (by s.yml:1)",
        ),
        (
            "#@schema/type any=True\na:\n  #@schema/nullable\n  b: 1\n",
            'Schema was specified within an "any type" fragment',
            "no '@schema/...' on nodes within a node annotated '@schema/type any=True'",
            "@schema/nullable annotation(s)",
        ),
        (
            "#@schema/nullable why=1\na: 1\n",
            "expected @schema/nullable annotation to not contain any keyword arguments",
            "no arguments",
            "keyword argument in @schema/nullable (by s.yml:1)",
        ),
    ],
)
def test_refused(text: str, message: str, expected: str | None, found: str | None) -> None:
    (finding,) = refused(text)
    assert (finding.message, finding.expected, finding.found) == (message, expected, found)


def test_positions_of_annotation_and_node_are_both_named() -> None:
    (finding,) = refused("b: 1\n#@schema/default {'c': 'x'}\n\na:\n  c: 1\n")
    assert (str(finding.at), [str(also) for also in finding.also]) == ("s.yml:2", ["s.yml:4", "s.yml:5"])


def test_all_that_is_wrong_is_found() -> None:
    findings = refused("a:\nb: []\nc:\n  d: [1, 2]\n#@schema/title 1\ne: 1\n")
    assert [str(finding.at) for finding in findings] == ["s.yml:1", "s.yml:2", "s.yml:4", "s.yml:5"]


def test_what_is_under_a_wrong_node_is_not_reported_twice() -> None:
    (finding,) = refused("#@schema/default {'b': 'x'}\na:\n  b:\n")
    assert (finding.message, str(finding.at)) == ("null value not allowed here", "s.yml:3")


def test_a_schema_nested_beyond_reason_is_refused() -> None:
    value: Value = 1
    for _ in range(20_000):
        value = Map([MapItem("a", value)])
    with pytest.raises(LimitError, match="nested too deeply"):
        build(Document(value))
