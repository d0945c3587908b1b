"""Where documents go: patterns, the paths that they make, and that no two files have one."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import UsageError
from plait.tree.nodes import Document, from_plain
from plait.yaml.output_paths import OutputPattern, PathReservations, file_name

# Whatever somebody may have written into a document.
NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["..", "../..", "/etc", "a/b", ".", "CON", "~", "A", "a", "%2E"]
)


def path(pattern: str, value: object, template: str = "d/app.yml") -> str:
    return OutputPattern(pattern).path(Document(from_plain(value)), template)


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
    [
        ("{kind}/{name}.yml", {"kind": "Pod", "metadata": {"name": "web"}}, "Pod/web.yml"),
        ("{name}", {"name": "top"}, "top"),
        ("{name}", {"name": "top", "metadata": {"name": "inner"}}, "inner"),
        ("{name}", {"name": "top", "metadata": {"name": {"a": 1}}}, "top"),
        ('{"name"}', {"name": "top", "metadata": {"name": "inner"}}, "top"),
        ('{a."b.c"[0]}', {"a": {"b.c": [7]}}, "7"),
        ("{[1].a}", [1, {"a": True}], "true"),
        ("{a|lower}-{{x}}", {"a": "ÄB"}, "%C3%A4b-{x}"),
        ("{template}.{a}", {"a": 1.5}, "d/app.1.5"),
        ("{apiVersion}", {"apiVersion": "apps/v1"}, "apps/v1"),
        ("{a}", {"a": "//"}, "_/_/_"),
        ("{a}", {"a": ".."}, "%2E."),
    ],
)
def test_path(pattern: str, value: object, expected: str) -> None:
    assert path(pattern, value) == expected


@pytest.mark.parametrize(("template", "expected"), [("a.b/c", "a.b/c"), ("a.b/c.d.yml", "a.b/c.d"), ("c.yaml", "c")])
def test_path_of_a_template(template: str, expected: str) -> None:
    assert path("{template}", {}, template) == expected


def test_a_long_path_is_refused() -> None:
    with pytest.raises(UsageError, match="too long"):
        path("{a}", {"a": "/" * 5000})


@given(st.text(max_size=12))
def test_a_quoted_name_is_one_name(text: str) -> None:
    name = file_name(text)
    assert name not in ("", ".", "..")
    assert not name.startswith(".")
    assert "/" not in name
    assert name.isascii()


@given(
    st.lists(st.tuples(NAMES, NAMES, st.booleans()), max_size=6),
    st.sampled_from(["{kind}/{name}", "{template}-{kind}.yml"]),
)
def test_each_document_is_in_one_file_inside(given: list[tuple[str, str, bool]], pattern: str) -> None:
    """All documents are in files, each in one; no path leads out, and no two are alike."""
    plain: list[plait.Plain] = [{"kind": kind, "metadata": {"name": name}} for kind, name, _ in given]
    inputs = {f"in/{number}.yml": plait.documents(document).to_yaml() for number, document in enumerate(plain)}
    try:
        made = plait.render(inputs, output_by=pattern)
    except UsageError as refused:
        assert_is_about_two(refused.message)
        return
    assert made.to_list() == plain
    assert Counter(map(repr, plait.read(made.files).to_list())) == Counter(map(repr, plain))
    assert len({name.casefold() for name in made.files}) == len(made.files)
    for name in made.files:
        assert os.path.normpath(os.path.join("/out", name)) == f"/out/{name}"


def assert_is_about_two(message: str) -> None:
    assert "two documents" in message or "would be a file and a directory" in message


@given(st.lists(st.text("aAbB/", min_size=1, max_size=5), max_size=8))
def test_claims_are_those_that_fit_in_one_directory(names: list[str]) -> None:
    """What is refused is what a file system of alike letters could not hold beside the rest."""
    claims, held, directories = PathReservations(), set[str](), set[str]()
    for name in names:
        folded = name.casefold()
        around = {folded[:place] for place, char in enumerate(folded) if char == "/"}
        fits = folded not in held and folded not in directories and not around & held
        if fits:
            claims.take(name, name, None)
            held.add(folded)
            directories |= around
        else:
            with pytest.raises(UsageError):
                claims.take(name, name, None)
