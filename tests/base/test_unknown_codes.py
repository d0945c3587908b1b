"""The hint for an unknown code of a diagnostic."""

from __future__ import annotations

import pytest

from plait.authoring.lint.codes import CODES as OF_LINT
from plait.base.codes import BY_CODE, CODES
from plait.base.unknown_codes import meant_code


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("unused-load", ["D107"]),
        ("unused_loads", ["D107"]),
        ("unused-variable", ["D105"]),
        ("unused-import", ["D107"]),
        ("dead-lod", ["D107"]),
        ("E9999", []),
        ("d117", ["D107", "D110", "D111"]),
        ("D0107", ["D107"]),
    ],
)
def test_a_code_of_another_linter_has_a_hint(text: str, meant: list[str]) -> None:
    found = meant_code(text, OF_LINT.values())
    codes = (
        [one.new if one.new in BY_CODE else CODES[one.new].code for one in found.suggestions]
        if found is not None
        else []
    )
    assert codes == meant


def test_a_misspelt_name_has_the_hint_with_the_name() -> None:
    assert meant_code("dead-lod", OF_LINT.values()) == 'did you mean "dead-load"?'
    assert meant_code("ded", OF_LINT.values(), ["dead", "order"]) == 'did you mean "dead"?'


@pytest.mark.parametrize("code", BY_CODE)
def test_every_code_without_a_zero_is_found(code: str) -> None:
    text = code[0] + code[1:].lstrip("0")
    if text not in BY_CODE:
        found = meant_code(text, BY_CODE.values())
        assert found is not None
        assert f'"{code}"' in found
