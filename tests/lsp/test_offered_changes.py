"""Fixes and refactorings are offered if they do what they say, also in runs that fail; warnings of such runs are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import TEMPLATES, Workshop, edited, workshop

from plait.authoring.lsp import claims, code_actions, diagnostics
from plait.authoring.lsp.features import FileEdit, FileRange, Fix
from plait.ytt.templates.directives import KNOWN

MATCH = '#@overlay/match by=overlay.subset({"kind": "Deployment"})'
# A value that no template has makes the run fail.
BROKEN = f"{TEMPLATES['config/app.yml']}other: #@ data.values.none\n"


def titles(made: Workshop, path: str, line: int) -> list[str]:
    return [fix.title for _, fix in code_actions.fixes(made.state, path, line, line)]


@pytest.mark.parametrize("is_broken", [False, True], ids=["sound", "failing"])
@pytest.mark.parametrize("name", sorted(name for name in KNOWN if name.startswith("@overlay/match")))
def test_a_misspelt_annotation_has_a_fix(tmp_path: Path, name: str, is_broken: bool) -> None:
    misspelt = name[:-2] + name[-1] + name[-2]
    text = TEMPLATES["config/over.yml"].replace("---\n", f"---\n#{misspelt} missing_ok=True\n")
    files = {**TEMPLATES, "config/over.yml": text, **({"config/app.yml": BROKEN} if is_broken else {})}
    with workshop(tmp_path, files) as made:
        path = made.open("config/over.yml")
        line = text[: text.index(misspelt)].count("\n") + 1
        problems = [one for one in diagnostics.problems(made.state, path) if one.span.line == line]
        assert any("unknown annotation" in one.message for one in problems)
        [fix] = [one for _, one in code_actions.fixes(made.state, path, line, line) if one.title == f"Change to {name}"]
        assert f"#{name} missing_ok=True\n" in edited(files, tmp_path, fix.edits)["config/over.yml"]


def test_a_misspelt_annotation_that_makes_the_run_fail_is_mended(tmp_path: Path) -> None:
    text = TEMPLATES["config/over.yml"].replace(
        "spec:\n  replicas", "#@overlay/mtch missing_ok=True\nother:\n  replicas"
    )
    with workshop(tmp_path, {**TEMPLATES, "config/over.yml": text}) as made:
        path = made.open("config/over.yml")
        assert "Change to @overlay/match" in titles(made, path, 4)


def test_a_change_is_checked_in_each_run_that_reads_the_file(tmp_path: Path) -> None:
    """What would change an output, or make a run fail, is not offered."""
    project = "runs:\n  a:\n    render: {files: [a.yml]}\n  b:\n    render: {files: [a.yml, b.yml]}\n"
    files = {
        "plait.yml": project,
        "a.yml": "a: 1\n",
        "b.yml": f'#@ load("@ytt:overlay", "overlay")\n{MATCH.replace("kind", "a").replace(chr(34) + "Deployment" + chr(34), "1")}\n---\n#@overlay/match missing_ok=True\nb: 1\n',
    }
    with workshop(tmp_path, files) as made:
        path = made.open("a.yml")
        place = FileRange(path, 1, 4, 5)

        def offered(text: str, *, keeps: bool) -> list[str]:
            fix = Fix("x", [FileEdit(place, text)])
            return [one.title for one in claims.verified(made.state, path, [fix], claims.budget(), keeps=keeps)]

        assert offered("2", keeps=True) == []
        assert offered("2", keeps=False) == []
        assert offered("1 ", keeps=True) == ["x"]
        fix = Fix("x", [FileEdit(place, "1 ")])
        late = claims.verified(made.state, path, [fix], claims.budget(0), keeps=True)
        assert [one.title for one in late] == ["x (not verified)"]


def test_a_data_value_in_a_block_scalar_is_mended(tmp_path: Path) -> None:
    text = '#@ load("@ytt:data", "data")\n#@yaml/text-templated-strings\na: |\n  one\n  (@= data.values.app.nmae @)\n'
    with workshop(tmp_path, {**TEMPLATES, "config/text.yml": text}) as made:
        path = made.open("config/text.yml")
        [problem] = [one for one in diagnostics.problems(made.state, path) if one.severity == "error"]
        assert problem.span == FileRange(path, 5, 23, 27)
        assert "Change to name" in titles(made, path, 5)
