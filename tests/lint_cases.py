"""Cases of `plait lint`: files of a project, and what is found in them.

A case has `files` by path, `found` with a line for each finding, and perhaps `select`, `portable`, and `fixed`: what files
are after `--fix`. Without a `plait.yml` the runs are guessed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypedDict

from plait.authoring.lint.fixing import fix
from plait.authoring.lint.linter import findings_of
from plait.authoring.lint.subject import LintProject
from plait.authoring.project.discovery import project_of


class Case(TypedDict, total=False):
    title: str
    files: dict[str, str]
    found: list[str]
    fixed: dict[str, str]
    select: list[str]
    portable: list[str]


def written(case: Case, place: Path) -> Path:
    """The files of a case, in a directory."""
    for name, text in case["files"].items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (place / ".git").mkdir(exist_ok=True)  # nothing above it is looked at
    return place


def subject_of(place: Path) -> LintProject:
    """The runs of the project in a directory, which is the working directory."""
    project = project_of("", os.curdir)
    return LintProject(project, [*project.runs.values()])


def found(case: Case, place: Path) -> list[str]:
    """What is found in a case, a line each."""
    before = Path.cwd()
    os.chdir(written(case, place))
    try:
        subject = subject_of(place)
        findings = findings_of(subject, case.get("select", ()), (), case.get("portable", ()))
        return [f"{one.code} {subject.shown(one.path)}:{one.line}:{one.column} {one.message}" for one in findings]
    finally:
        os.chdir(before)


def mended(case: Case, place: Path) -> dict[str, str]:
    """The files of a case after what can be mended is."""
    before = Path.cwd()
    os.chdir(written(case, place))
    try:
        subject = subject_of(place)
        fix(subject, findings_of(subject))
        return {name: (place / name).read_bytes().decode() for name in case["files"]}
    finally:
        os.chdir(before)
