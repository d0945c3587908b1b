"""Each kind of suggestion: the editor offers exactly what the diagnostic suggests, and the change mends the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import edited, workshop

import plait
from plait.authoring.analysis.file_facts import File
from plait.authoring.lint.mending import _MAKING, mendings
from plait.authoring.lsp import code_actions
from plait.base.errors import Diagnostic, PlaitError
from plait.base.suggestions import (
    ARGUMENT,
    COMMENT,
    CONTENT,
    LINE_END,
    LOAD,
    OPTIONAL,
    QUOTE_VALUE,
    QUOTE_WORD,
    REMOVE,
    REPLACE,
    SIDE,
    VALUE,
)
from plait.insight.diagnostic_formats import parts_of

_OVERLAY = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"kind": "B"})\n---\na: 1\n'
# The file with the mistake comes last.
_MISTAKES: dict[str, dict[str, str]] = {
    REPLACE: {"a.yml": "#@ replicas = 1\na: #@ replica\n"},
    QUOTE_WORD: {"a.yml": "a: #@ production\n"},
    QUOTE_VALUE: {"a.yml": "a: @x\n"},
    LOAD: {"a.yml": "a: #@ json.encode({})\n"},
    ARGUMENT: {"a.yml": "kind: A\n", "o.yml": _OVERLAY},
    LINE_END: {"a.yml": "#@ if True\na: 1\n#@ end\n"},
    COMMENT: {"a.yml": "#@ x = 1\n# why\na: #@ x\n"},
    OPTIONAL: {"b.yml": "a: 1\n", "ops.yml": "- {type: replace, path: /b/c, value: 1}\n"},
    REMOVE: {"b.yml": "a: 1\n", "ops.yml": "- type: remove\n  path: /a\n  value: 1\n"},
    SIDE: {"a.yml": "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> feature\nc: 1\n"},
}


def _failed(files: dict[str, str]) -> list[Diagnostic]:
    try:
        if "ops.yml" in files:
            plait.patch({"b.yml": files["b.yml"]}, operations={"ops.yml": files["ops.yml"]})
        else:
            plait.render(files)
    except PlaitError as error:
        return [*parts_of(error)]
    return []


def test_each_kind_has_an_example() -> None:
    """Those of failed tests are in tests/authoring/test_expectations.py."""
    assert set(_MISTAKES) == set(_MAKING) - {VALUE, CONTENT}


@pytest.mark.parametrize("kind", _MISTAKES)
def test_the_editor_offers_what_the_diagnostic_suggests(kind: str, tmp_path: Path) -> None:
    files = _MISTAKES[kind]
    name = [*files][-1]
    [found] = _failed(files)
    suggested = [*mendings(File(name, files[name]), found)]
    assert kind in [one.kind for one in found.suggestions]
    assert len(suggested) == len(found.suggestions)
    run = "patch: {base: b.yml, ops: [ops.yml]}" if "ops.yml" in files else f"render: {{files: [{', '.join(files)}]}}"
    project = {**files, "plait.yml": f"runs: {{a: {{{run}}}}}\n"}
    with workshop(tmp_path, project) as made:
        path = made.open(name)
        lines = range(1, files[name].count("\n") + 1)
        fixes = {one.title: one for line in lines for _, one in code_actions.fixes(made.state, path, line, line)}
        assert {one.title for one in suggested} <= set(fixes)
        for one in suggested:
            mended = edited(project, tmp_path, fixes[one.title].edits)
            assert _failed({each: mended[each] for each in files}) == []


@pytest.mark.parametrize(
    ("word", "meant"), [("true", "True"), ("false", "False"), ("null", "None"), ("nil", "None"), ("none", "None")]
)
def test_a_word_of_yaml_is_changed_to_that_of_starlark_first(word: str, meant: str) -> None:
    [found] = _failed({"a.yml": f"a: #@ {word}\n"})
    assert f"use '{meant}' instead of '{word}'" in str(found.hint)
    assert [(one.kind, one.new) for one in found.suggestions] == [(REPLACE, meant), (QUOTE_WORD, "")]
