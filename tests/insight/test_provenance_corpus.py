"""The proof of `explain` by mutation over the programs of cases/provenance (see corpus.py), hand-written in all dialects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus import changed, is_alone, is_data, programs, prove

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = list(programs())


@pytest.mark.parametrize(
    ("dialect", "name", "files"), PROGRAMS, ids=[f"{dialect}-{name.replace(' ', '_')}" for dialect, name, _ in PROGRAMS]
)
def test_named_lines_are_those_that_count(dialect: str, name: str, files: dict[str, str], tmp_path: Path) -> None:
    proof = prove(dialect, name, files, tmp_path)
    assert proof.wrong == []
    assert proof.changes + proof.deletions > 0


def test_the_corpus_has_programs_of_all_dialects() -> None:
    counts = {dialect: sum(one == dialect for one, _, _ in PROGRAMS) for dialect, _, _ in PROGRAMS}
    assert set(counts) == {"templates", "operations", "layers", "pipelines"}
    assert sum(counts.values()) >= 75


def test_what_is_a_data_line() -> None:
    assert [
        line
        for line in (
            "a: 1",
            "- b",
            "- name: x",
            'k: "1.0"',
            "a:",
            "---",
            "x: #@ y",
            "#@ z = 1",
            "l: [1]",
            "m: {a: b}",
            "t: (@= x @)",
            "- type: replace",
        )
        if is_data(line)
    ] == ["a: 1", "- b", "- name: x", 'k: "1.0"']
    assert [changed(line) for line in ("a: 1", "b: true", 'k: "1.0"')] == ["a: 17", "b: false", 'k: "1.07"']
    rows = ["a:", "  b: 1", "c: 2", "d: 3", "- e: 1", "  f: 2"]
    assert [is_alone(rows, number) for number in (2, 3, 4, 5)] == [True, False, False, True]
