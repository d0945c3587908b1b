"""Calls that change nothing, and whose result nothing uses."""

from __future__ import annotations

import pytest

import plait
from plait.ytt.starlark import syntax

LOADS = '#@ load("@ytt:struct", "struct")\n#@ load("@ytt:library", "library")\n#@ load("@ytt:overlay", "overlay")\n'
NAMES = '#@ s = "a-b"\n#@ xs = [3, 1]\n#@ app = library.get("app")\n'
CALLS = {
    "format": "s.format()",
    "join": "s.join(['a'])",
    "replace": "s.replace('-', '_')",
    "with_data_values": "app.with_data_values({})",
    "with_data_values_schema": "app.with_data_values_schema({'a': 1})",
    **{name: f"s.{name}()" for name in ("capitalize", "lower", "lstrip", "rstrip", "strip", "title", "upper")},
    **{name: f"{name}(xs)" for name in ("reversed", "sorted")},
}


def told(code: str) -> list[str]:
    files = {"a.yml": f"{LOADS}{NAMES}{code}\na: 1\n", "_ytt_lib/app/b.yml": "b: 1\n"}
    return [str(one) for one in plait.render(files).warnings]


def test_all_are_tried() -> None:
    assert set(CALLS) == syntax.NEW_VALUE | syntax.NEW_LIST


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_unused_result_is_reported(call: str) -> None:
    name, _, _ = call.partition("(")
    kept = f", and {name.partition('.')[0]} does not change" if "." in name else ""
    message = f"the result of {name}(...) is not used{kept}: assign it to a name, and use that name"
    assert told(f"#@ {call}") == [f"a.yml:7: {message}"]
    assert told(f"#@ def f():\n#@   {call}\n#@ end\n#@ f()") == [f"a.yml:8: {message}"]
    assert told(f"#@ used = {call}") == []
    assert told(f"#@ print({call})") == []


@pytest.mark.parametrize(
    "code",
    [
        "#@ xs.append(s.upper())",
        "#@ xs.clear() if s.upper() else None",
        "#@ own = struct.make(replace=lambda: None)\n#@ own.replace()",
        "#@ own = struct.make(join=lambda: 1)\n#@ own.join()",
        "#@ def f(x):\n#@   xs.append(x)\n#@   return x\n#@ end\n#@ f('a')",
    ],
)
def test_a_call_that_may_change_something_is_not_reported(code: str) -> None:
    assert told(code) == []
