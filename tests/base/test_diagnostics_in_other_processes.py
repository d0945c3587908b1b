"""Errors and warnings keep their code, positions and texts in other processes and in files."""

from __future__ import annotations

import json
import pathlib
import pickle
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import plait
from plait.base.errors import Diagnostic, Finding, PlaitError, render, warning
from plait.base.source import Advice, Flag, Frame, Position, Quoted, Related, Source, Wording
from plait.base.suggestions import QUOTE_VALUE, Hint, Suggestion, replacing
from plait.base.warning_data import warning_data, warning_from
from plait.insight.diagnostic_formats import message_of

TEXT = "first: 1\nkind: Servce  # a comment\nlast: 2\n"


def all_kinds() -> list[type[Diagnostic]]:
    """The classes of diagnostics, found in the sources, so that only their modules are imported."""
    root = pathlib.Path(plait.__file__).parent
    bases: dict[tuple[str, str], list[str]] = {}
    for file in root.rglob("*.py"):
        for name, found in re.findall(r"^class (\w+)\((.*)\):", file.read_text("utf-8"), re.MULTILINE):
            bases[".".join(file.relative_to(root.parent).with_suffix("").parts), name] = re.findall(r"\w+", found)
    names = {"Diagnostic"}
    while more := {name for (_, name), above in bases.items() if names.intersection(above)} - names:
        names |= more
    return [getattr(import_module(module), name) for module, name in bases if name in names]


def place(*, private: bool = False) -> Position:
    source = Source("config/a.yml", TEXT)
    source.private = private
    return Position(source, 2, 7, 13)


def filled(kind: type[Diagnostic], *, private: bool = False) -> Diagnostic:
    at = place(private=private)
    made = kind.__new__(kind)
    facts = {
        "at": at,
        "also": [Position(at.source, 1).labelled("the definition")],
        "expected": Wording("a kind, not ", Quoted("Servce")),
        "found": "Servce",
        "hint": replacing("Servce", ["Service"], 'did you mean "Service"?'),
        "stack": [Frame("in main", Position(at.source, 3))],
        "code": "undefined-name",
        "word": "Servce",
        "suggestions": [Suggestion(QUOTE_VALUE)],
    }
    init = PlaitError.__init__ if issubclass(kind, PlaitError) else Finding.__init__
    init(made, Wording("unknown kind ", Quoted("Servce")), **facts)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize("is_private", [False, True])
def test_every_type_of_diagnostic_is_the_same_in_another_process(*, is_private: bool) -> None:
    kinds = all_kinds()
    assert {"OpsError", "LimitError", "Finding", "UsageError"} <= {kind.__name__ for kind in kinds}
    for kind in kinds:
        made = filled(kind, private=is_private)
        there = pickle.loads(pickle.dumps(made))
        assert type(there) is kind
        assert message_of(there).data() == message_of(made).data(), kind
        assert there.suggestions == made.suggestions
        if isinstance(made, PlaitError) and isinstance(there, PlaitError):
            assert render(there) == render(made)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        yield from (one for inner in (value.values() if isinstance(value, dict) else value) for one in strings(inner))


def test_the_data_of_a_diagnostic_are_plain_strings() -> None:
    """Subclasses of str are no data of YAML."""
    for kind in all_kinds():
        found = [*strings(message_of(filled(kind)).data())]
        assert found
        assert {type(one) for one in found} == {str}


TEXTS: list[str] = [
    Wording("a ", Quoted("b", Source("a.yml"))),
    Advice("add ", Flag("limit", "url=N")),
    Hint("quote it", Suggestion(QUOTE_VALUE)),
]


@pytest.mark.parametrize("text", TEXTS, ids=[type(text).__name__ for text in TEXTS])
def test_every_type_of_text_is_the_same_in_another_process(text: str) -> None:
    there = pickle.loads(pickle.dumps(text))
    assert (type(there), there) == (type(text), text)
    assert getattr(there, "suggestions", ()) == getattr(text, "suggestions", ())
    # A new type of text needs a row here.
    of_plait = {
        one for one in str.__subclasses__() if one.__module__ in ("plait.base.source", "plait.base.suggestions")
    }
    assert of_plait == {type(one) for one in TEXTS}


WARNINGS = {
    "position": warning("unknown kind", code="unused-load", at=place(), word="Servce"),
    "columns": warning("unknown kind", code="unused-load", at=place()),
    "related": warning(
        "unknown kind", code="unused-load", at=place(), also=[Related(place(), "the definition"), place()]
    ),
    "line": warning("unknown kind", code="unused-load", at=Position(place().source, 2)),
    "private": warning("unknown kind", code="unused-load", at=place(private=True)),
    "no position": warning("unknown kind", code="unused-load"),
    "no source": warning("unknown kind", code="unused-load", at=Position(None, 0)),
    "suggestion": warning(
        "unknown kind", code="unused-load", at=place(), suggestions=replacing("Servce", ["Service"], "").suggestions
    ),
}


@pytest.mark.parametrize("way", ["pickle", "json"])
@pytest.mark.parametrize("case", WARNINGS)
def test_a_warning_is_the_same_in_another_process_and_in_a_file(case: str, way: str) -> None:
    made = WARNINGS[case]
    there = (
        pickle.loads(pickle.dumps(made))
        if way == "pickle"
        else warning_from(json.loads(json.dumps(warning_data(made))))
    )
    assert (type(there), there) == (type(made), made)
    assert message_of(there.diagnostic).data() == message_of(made.diagnostic).data()


def test_the_data_of_a_warning_has_one_line_of_the_file_and_none_of_a_private_one() -> None:
    assert "kind: Servce" in json.dumps(warning_data(WARNINGS["position"]))
    assert "first" not in json.dumps(warning_data(WARNINGS["position"]))
    assert "Servce" not in json.dumps(warning_data(WARNINGS["private"]))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data | {"text": 1},
        lambda data: data | {"at": ["a.yml"]},
        lambda data: data | {"at": 1},
        lambda data: data | {"also": [["a.yml", "1", 0, 0, "", "", False]]},
        lambda data: data | {"also": None},
        lambda data: {name: value for name, value in data.items() if name != "code"},
        lambda _: None,
        lambda _: [],
    ],
)
def test_data_that_no_warning_has_is_rejected(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(ValueError, match="not a warning"):
        warning_from(damage(warning_data(WARNINGS["related"])))
