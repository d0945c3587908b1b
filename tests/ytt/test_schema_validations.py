"""Rules on data values: which run, in which order, and how what they find is reported."""

from __future__ import annotations

import pytest

import annotated
from plait.base.errors import SchemaError, render
from plait.ytt.schema.build import build
from plait.ytt.schema.defaults import defaults, fill
from plait.ytt.schema.rules import failure
from plait.ytt.schema.types import ANY
from plait.ytt.schema.validations import validate


def broken(schema_text: str, values_text: str | None = None) -> list[str]:
    """The first lines and the rules of each finding; empty if everything is valid."""
    declared = build(annotated.document(schema_text, "s.yml"))
    values = defaults(declared)
    if values_text is not None:
        values = fill(declared, annotated.document(values_text, "v.yml"))
    assert values is not None
    try:
        validate(declared, values)
    except SchemaError as error:
        return [f"{finding.at}: {finding.message}" for finding in error.findings] or [error.message]
    return []


def test_report() -> None:
    declared = build(annotated.document("#@schema/validation min_len=2, max=1\nb: ''\n", "s.yml"))
    values = defaults(declared)
    assert values is not None
    with pytest.raises(SchemaError) as caught:
        validate(declared, values)
    assert (
        render(caught.value)
        == """\
plait: Validating final data values:

s.yml:1: b
  - must be: length >= 2 (by: s.yml:1)
    found: length = 0
  - must be: a value <= 1 (by: s.yml:1)
    found: string <= int not implemented

    s.yml:1  | #@schema/validation min_len=2, max=1
    s.yml:2  | b: ''

  hint:     the value is a string, and the limit a number: declare a number, such as b: 0; min_len and max_len limit the length of a string
"""
    )


@pytest.mark.parametrize(
    ("rule", "value", "found"),
    [
        ("min=5", "4", "- must be: a value >= 5 (by: s.yml:1)\n  found: value < 5"),
        ("min=5", "5", None),
        ("min=4.5", "5", None),
        ("max=5", "6", "- must be: a value <= 5 (by: s.yml:1)\n  found: value > 5"),
        ("max='b'", "c", '- must be: a value <= "b" (by: s.yml:1)\n  found: value > b'),
        ("min_len=2.9", "ab", None),
        ("max_len=1", "[1, 2]", "- must be: length <= 1 (by: s.yml:1)\n  found: length = 2"),
        ("max_len=1", "{a: 1, b: 2}", "- must be: length <= 1 (by: s.yml:1)\n  found: length = 2"),
        ("one_of=['x', 1]", "x", None),
        ("one_of=['x', 1]", "1.0", None),
        ("one_of=['x', None]", "y", '- must be: one of ["x", None] (by: s.yml:1)\n  found: not one of allowed values'),
        ("one_not_null=True", "{a: 1, b: ~}", None),
        (
            "one_not_null=True",
            "{a: 1, b: 2}",
            '- must be: exactly one of all children to be not null (by: s.yml:1)\n  found: ["a", "b"] are not null',
        ),
        ("one_not_null=['a', 'c']", "{a: 1, b: 2}", None),
        (
            "one_not_null=['c']",
            "{a: 1}",
            '- must be: exactly one of ["c"] to be not null (by: s.yml:1)\n  found: all values are null',
        ),
        (
            "one_not_null=True",
            "[1]",
            (
                "- must be: exactly one of all children to be not null (by: s.yml:1)\n"
                "  found: value must be a map or dict, but was 'list'"
            ),
        ),
        ("('odd', fn(lambda v: v % 2 == 1))", "3", None),
        ("('odd', fn(lambda v: v % 2 == 1))", "2", "- must be: odd (by: s.yml:1)"),
        ("('one', fn(lambda v: 1))", "2", "- must be: one (by: s.yml:1)"),
        ("('nothing', fn(lambda v: None))", "2", "- must be: nothing (by: s.yml:1)"),
        ("min=9, when=fn(lambda v: v > 3)", "2", None),
        ("min=9, when=fn(lambda v: v > 3)", "4", "- must be: a value >= 9 (by: s.yml:1)\n  found: value < 9"),
    ],
)
def test_rules(rule: str, value: str, found: str | None) -> None:
    expected = [] if found is None else [f"v.yml:1: a\n{found}"]
    assert broken(f"#@schema/validation {rule}\n#@schema/type any=True\na:\n", f"a: {value}\n") == expected


def test_null_passes_unless_it_is_refused() -> None:
    assert broken("#@schema/validation min=1\n#@schema/nullable\na: 1\n") == []
    assert broken("#@schema/validation min=1, not_null=True, one_of=[1]\n#@schema/nullable\na: 1\n") == [
        "s.yml:3: a\n- must be: not null (by: s.yml:1)\n  found: value is null"
    ]
    assert broken("#@schema/validation not_null=False\n#@schema/nullable\na: 1\n") == []


def test_not_null_is_first_and_the_others_follow_in_their_order() -> None:
    text = "#@schema/validation ('p', fn(lambda v: False)), one_of=[9], max=0, min=2, not_null=True\na: 1\n"
    (finding,) = broken(text)
    assert [line.partition(" (by")[0] for line in finding.split("\n") if "must be" in line] == [
        "- must be: p",
        "- must be: a value >= 2",
        "- must be: a value <= 0",
        "- must be: one of [9]",
    ]


def test_paths() -> None:
    rule = "#@schema/validation ('never', fn(lambda v: False))\n"
    text = f"{rule}---\n{rule}a:\n  {rule}  b: 1\nl:\n{rule}- 1\n"
    assert [finding.partition("\n")[0] for finding in broken(text, "a: {b: 2}\nl: [3, 4]\n")] == [
        "v.yml:1: (document)",
        "v.yml:1: a",
        "v.yml:1: a.b",
        "v.yml:2: l[0]",
        "v.yml:2: l[1]",
    ]


def test_reasons_are_shown_without_the_word_fail() -> None:
    def fails(_value: object) -> object:
        raise failure("too bad")

    annotated_document = annotated.document("#@schema/validation ('good', 1)\na: 1\n", "s.yml")
    item = annotated_document.value.items[0]  # type: ignore[union-attr]
    item.annotations["schema/validation"].args = (("good", annotated.fn(fails)),)  # type: ignore[index]
    declared = build(annotated_document)
    values = defaults(declared)
    assert values is not None
    with pytest.raises(SchemaError) as caught:
        validate(declared, values)
    assert caught.value.findings[0].message == "a\n- must be: good (by: s.yml:1)\n  found: too bad"


def test_rules_on_the_values_themselves() -> None:
    assert broken("a: 1\nb: 1\n", "#@assert/validate min=5\na: 1\n") == [
        "v.yml:2: a\n- must be: a value >= 5 (by: v.yml:1)\n  found: value < 5"
    ]
    assert broken("#@schema/validation max=0\na: 1\n", "#@assert/validate min=5\na: 1\n") == [
        "v.yml:2: a\n- must be: a value <= 0 (by: s.yml:1)\n  found: value > 0",
        "v.yml:2: a\n- must be: a value >= 5 (by: v.yml:1)\n  found: value < 5",
    ]


def test_rules_on_values_without_schema() -> None:
    with pytest.raises(SchemaError) as caught:
        validate(ANY, annotated.document("a:\n- b:\n    #@assert/validate max_len=0\n    c: x\n", "v.yml"))
    assert caught.value.findings[0].message.startswith("a[0].b.c\n")


def test_a_condition_must_answer_yes_or_no() -> None:
    assert broken("#@schema/validation min=1, when=fn(lambda v: 1)\na: 1\n") == [
        "Validating a: want when= to be bool, got int"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "expected annotation to have 2-tuple as argument(s), but found no arguments (by s.yml:1)"),
        ("'x'", 'expected annotation to have 2-tuple as argument(s), but found: "x" (by s.yml:1)'),
        ("('x',)", "expected 2-tuple, but found tuple with length 1 (by s.yml:1)"),
        (
            "(1, fn(len))",
            "expected first item in the 2-tuple to be a string describing a valid value, but was int (at s.yml:1)",
        ),
        (
            "('x', 1)",
            "expected second item in the 2-tuple to be an assertion function, but was int (at s.yml:1)",
        ),
        ("least=1", 'unknown keyword argument "least" (at s.yml:1)'),
        ("min_len='a'", 'expected keyword argument "min_len" to be a number, but was string (at s.yml:1)'),
        ("max_len=True", 'expected keyword argument "max_len" to be a number, but was bool (at s.yml:1)'),
        ("not_null=1", 'expected keyword argument "not_null" to be a boolean, but was int (at s.yml:1)'),
        ("one_not_null=False", "one_not_null= cannot be False"),
        ("one_not_null=1", "expected True or a sequence of keys, but was a 'int'"),
        ("one_of=1", "expected keyword argument one_of to be a sequence, but was int"),
        ("when=1", 'expected keyword argument "when" to be a function, but was int (at s.yml:1)'),
    ],
)
def test_malformed(arguments: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        build(annotated.document(f"#@schema/validation {arguments}\na: 1\n", "s.yml"))
    (finding,) = caught.value.findings
    assert finding.message == f"Invalid @schema/validation annotation - {message}"


def test_malformed_on_values() -> None:
    assert broken("a: 1\n", "#@assert/validate\na: 1\n") == [
        (
            "Invalid @assert/validate annotation - "
            "expected annotation to have 2-tuple as argument(s), but found no arguments (by v.yml:1)"
        )
    ]
