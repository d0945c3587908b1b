"""Mistakes in operations and variables that BOSH accepts silently are warned of; what only looks like one is not."""

from __future__ import annotations

import pathlib

import pytest

import plait
from plait.base.errors import PlaitError

BASE = """name: cf
groups: {count: 2, flag: true, name: web, azs: [z1], lists: [[1]]}
instance_groups:
- {name: web, instances: 1, jobs: [{name: nginx, release: a}]}
empty: []
"""


def warned(base: str = BASE, ops: str = "[]", variables: str = "{}", **given: str) -> list[tuple[str, str]]:
    """The codes of the warnings, with their positions."""
    found = plait.patch(
        {"base.yml": base}, {"ops.yml": ops}, variables_files=[{"vars.yml": variables}], variables=given
    )
    codes = [one.diagnostic.code for one in found.warned]
    return list(zip(codes, [str(one.diagnostic.at) for one in found.warned], strict=True))


@pytest.mark.parametrize("text", ["p(( x ))", "((x ))p", "p((  x  ))", "p(( !x))", "(( x))((x))"])
def test_a_placeholder_with_spaces_in_a_longer_text(text: str) -> None:
    assert warned(f'a: "{text}"\n', x="1") == [("open-placeholder", "base.yml:1")]


@pytest.mark.parametrize(
    "text", ["(( x ))", "for (( i=0; i<3; i++ ))", "p(( other ))", "p(( x ", "((x))p", "(( merge ))"]
)
def test_texts_that_are_filled_or_of_other_programs(text: str) -> None:
    assert warned(f'a: "{text}"\n', x="1") == []


@pytest.mark.parametrize("text", ["{{x}}", "p {{ x }} p", "{{ x.y }}", "${x}", "p$(x)", "${x.y}"])
def test_placeholders_of_other_tools(text: str) -> None:
    assert warned(f'a: "{text}"\n', x="1") == [("open-placeholder", "base.yml:1")]


@pytest.mark.parametrize("text", ["{{ $labels.x }}", "{{y}}", "${y}", "$(hostname)", "{{ x | upper }}"])
def test_texts_that_are_no_placeholders_of_a_given_variable(text: str) -> None:
    assert warned(f'a: "{text}"\n', x="1") == []


def test_a_shell_variable_with_the_name_of_a_filled_one() -> None:
    assert warned('a: "x=((x)); echo ${x}"\n', x="1") == []


OPERATION = "- type: replace\n  path: {}\n  value: {}\n"
VALUES = [
    ("/groups/count", '"6"', "unlikely-value"),
    ("/groups/count", "6", ""),
    ("/groups/count", "six", ""),
    ("/groups/count", "((count))", ""),
    ("/groups/flag", '"false"', "unlikely-value"),
    ("/groups/flag", "false", ""),
    ("/groups/name", '"6"', ""),
    ("/groups/new?", '"6"', ""),
    ("/groups/azs/-", "[z2]", "unlikely-value"),
    ("/groups/azs/0:before", "[z2, z3]", "unlikely-value"),
    ("/groups/azs/-", "z2", ""),
    ("/groups/lists/-", "[2]", ""),
    ("/empty/-", "[2]", ""),
    ("/groups/az?", "[z2]", "near-miss"),
    ("/groups/az?", "z2", ""),
    ("/instance_groups/-", "{name: web}", "same-name"),
    ("/instance_groups/-", "{name: worker}", ""),
    ("/instance_groups/name=web/jobs/-", "{name: nginx, release: a}", "same-name"),
    ("/instance_groups/name=web/jobs/-", "{name: nginx, release: b}", ""),
    ("/groups/version?", "1.410", "unlikely-value"),
    ("/groups/cpu?", "0.50", ""),
    ("/groups/mode?", "0755", "unlikely-value"),
    ("/groups/commit?", "12e4", "unlikely-value"),
    ("/groups/version?", '"1.410"', ""),
    ("/groups/version?", "1.41", ""),
]


@pytest.mark.parametrize(("path", "value", "code"), VALUES)
def test_values_of_operations(path: str, value: str, code: str) -> None:
    found = warned(ops=OPERATION.format(path, value))
    assert [one for one, _ in found] == ([code] if code else [])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("version: 1.410", "unlikely-value"),
        ("stemcell_version: 1.10 # latest", "unlikely-value"),
        ("commit: 12345e7", "unlikely-value"),
        ("version: '1.410'", ""),
        ("ratio: 0.50", ""),
        ("((host)): a", "misspelt-variable"),
        ("' host': a", "misspelt-variable"),
        ("host: a", ""),
    ],
)
def test_names_and_values_of_variables(line: str, code: str) -> None:
    assert warned(variables=f"{line}\n") == ([(code, "vars.yml:1")] if code else [])


def test_a_name_with_spaces_in_a_flag() -> None:
    assert warned(**{"host ": "a"}) == [("misspelt-variable", "None")]


def refused(ops: list[dict[str, str]], variables: str = "{}", *, base: str = BASE) -> PlaitError:
    with pytest.raises(PlaitError) as failed:
        plait.patch({"base.yml": base}, ops, variables_files=[{"vars.yml": variables}], require_variables=True)
    return failed.value


LATE = [
    ("/new/a", "/new?", "{}"),
    ("/instance_groups/name=worker/instances", "/instance_groups/-", "{name: worker, instances: 0}"),
    ("/new/list/0", "/new?/list?", "[1]"),
]


@pytest.mark.parametrize(("path", "later", "value"), LATE)
def test_operations_in_the_wrong_order_are_put_in_the_right_one(path: str, later: str, value: str) -> None:
    first = OPERATION.format(f"{path}{'?' if path == '/new/a' else ''}", "1").replace("/new/a?", "/new/a/b")
    second = OPERATION.format(later, value if path != "/new/a" else "{a: {b: 0}}")
    error = refused([{"first.yml": first}, {"second.yml": second}])
    assert "put second.yml before first.yml" in str(error.hint)
    plait.patch({"base.yml": BASE}, [{"second.yml": second}, {"first.yml": first}])
    error = refused([{"both.yml": first + second}])
    assert "put this operation after the one that adds it (both.yml:5)" in str(error.hint)
    plait.patch({"base.yml": BASE}, {"both.yml": second + first})


def test_no_order_is_proposed_that_fails() -> None:
    first, second = OPERATION.format("/new/a", "1"), OPERATION.format("/new?", "{a: 0}")
    third = "- type: test\n  path: /new/a\n  value: 0\n"
    error = refused([{"first.yml": first}, {"second.yml": second + third + OPERATION.format("/no/way", "1")}])
    assert "before first.yml" not in str(error.hint)


def test_variables_below_another_key() -> None:
    error = refused([], "vars:\n  a: 1\n  b: 2\n", base="x: ((a))\ny: ((b))\n")
    assert 'vars.yml:1: "vars" has a and 1 more' in str(error.hint)


def test_several_names_in_a_match() -> None:
    base = "groups: [{name: a}, {name: b}]\n"
    error = refused([{"ops.yml": OPERATION.format("/groups/name=a,b/x?", "1")}], base=base)
    assert "an operation for each" in str(error.hint)


def test_a_pattern_that_the_shell_expands(tmp_path: pathlib.Path) -> None:
    for name in ("a.yml", "b.yml"):
        (tmp_path / name).write_text("[]", "utf-8")
    from plait.cli import main

    def message(*files: str) -> str:
        import contextlib
        import io

        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            assert main(["patch", "base.yml", "-o", *(str(tmp_path / file) for file in files)]) == 1
        return error.getvalue()

    assert f"-o '{tmp_path / '*.yml'}'" in message("a.yml", "b.yml")
    (tmp_path / "c.yml").write_text("[]", "utf-8")
    assert "*.yml" not in message("a.yml", "b.yml")
