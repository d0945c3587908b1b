"""What lint says of programs at random is true, and what it mends changes no output."""

from __future__ import annotations

import os
import pathlib
import random
from collections.abc import Callable, Iterator

import pytest
import yaml

from files import write_files
from layersets import layer_set
from operations import operations_program
from plait.authoring.analysis.verifying import output_of
from plait.authoring.lint.codes import CODES, DEAD
from plait.authoring.lint.fixing import fix
from plait.authoring.lint.linter import findings_of
from plait.authoring.lint.subject import LintProject
from plait.authoring.project.file import Project
from plait.authoring.project.run import Run
from plait.base.errors import PlaitError
from plait.base.text_edits import Edit, edited, outermost
from programs import Program, template_program
from typed import uses


def layers_program(seed: int) -> Program:
    documents = layer_set(random.Random(seed))
    return Program(["documents.yaml"], {"documents.yaml": yaml.safe_dump_all(documents, sort_keys=False)})


PROGRAMS: dict[str, tuple[Callable[[int], Program], int]] = {
    "render": (template_program, 40),
    "patch": (operations_program, 120),
    "layer": (layers_program, 40),
}


def subjects(command: str, count: int, place: pathlib.Path) -> Iterator[LintProject]:
    """The programs that render, each in a directory of its own, which is the working directory meanwhile."""
    before = pathlib.Path.cwd()
    for seed in range(count):
        program = PROGRAMS[command][0](seed)
        directory = place / str(seed)
        write_files(directory, program.files)
        run = Run(command, command, (), None, "", None, uses=uses(command, program.arguments))
        os.chdir(directory)
        try:
            yield LintProject(Project("", "", [run]), [run])
        except PlaitError:
            continue
        finally:
            os.chdir(before)


def made(subject: LintProject) -> object:
    """What the run makes from the files as they are."""
    run = subject.runs[0].run
    return output_of(run, run.evaluate())


def without(subject: LintProject, edits: list[Edit]) -> object:
    """What it makes with edits in the files, which are put back."""
    paths = {edit.path for edit in edits}
    kept = {path: pathlib.Path(path).read_bytes() for path in paths}
    for path, content in kept.items():
        text = edited(content.decode(), outermost(edit for edit in edits if edit.path == path))
        pathlib.Path(path).write_bytes(text.encode())
    try:
        return made(subject)
    finally:
        for path, content in kept.items():
            pathlib.Path(path).write_bytes(content)


@pytest.mark.untraced
@pytest.mark.parametrize("command", [*PROGRAMS])
def test_dead_is_dead_and_mended_is_the_same(
    command: str, tmp_path: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    count = PROGRAMS[command][1] * (50 if request.config.getoption("--long") else 1)
    rendered = dead = mended = 0
    for subject in subjects(command, count, tmp_path):
        rendered += 1
        before = made(subject)
        assert before == subject.runs[0].checked.output
        found = findings_of(subject)
        claims = [one for one in found if CODES[one.code].family == DEAD and one.removes]
        for finding in claims:
            assert without(subject, [*finding.removes]) == before, finding
        dead += len(claims)
        mended += len(fix(subject, found))
        assert made(subject) == before
    assert rendered > count / 3
    assert dead + mended > 0
