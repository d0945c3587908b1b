"""Processes that do not see the inputs are sent all that runs name, and make the same of it."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_fleet import contents, put
from test_fleet_reads import CHANGES, SITES, STEPS

from plait.authoring.project import file as project_file
from plait.engine.pipeline import file_source
from plait.fleet.api import fleet
from plait.fleet.bundle import packed, variables_of
from plait.fleet.fleet_worker import FleetWorker, WorkerSetup
from plait.fleet.plan import tasks_of

FILES = {
    **{name: (files, run) for name, (files, run, _) in CHANGES.items() if name != "the home directory"},
    "a pipeline in a pipeline": (
        {**STEPS, "outer/steps.yml": "steps: [{compose: {file: ../steps.yml}}, {values: {files: values.yml}}]\n", "outer/values.yml": "a: 1\n"},
        "compose: {file: outer/steps.yml}",
    ),
    "steps in the project file": (STEPS, "steps: [{render: {files: base.yml}}]"),
    "a site in a step": (SITES, "steps: [{layer: {site: site/one}}]"),
    "repositories of a site": (
        {
            "more/global/policy.yaml": SITES["global/policy.yaml"],
            "site/one/a.yaml": SITES["site/one/a.yaml"],
            "site/one/site-definition.yaml": SITES["site/one/site-definition.yaml"].replace(
                "small}", "small, repositories: {more: {revision: v1}}}"
            ),
        },
        "layer: {site: site/one, repository: {more: more}}",
    ),
}  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="paths without a drive")
@pytest.mark.parametrize("name", FILES)
def test_a_run_elsewhere_is_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, run = FILES[name]
    home = put(tmp_path / "home", {**files, "plait.yml": f"runs:\n  one:\n    {run}\n"})
    monkeypatch.chdir(home)
    monkeypatch.setenv("PLAIT_TRUST", str(tmp_path))
    monkeypatch.setenv("FLEET_value", "a")
    monkeypatch.setenv("VALUE", "c")
    monkeypatch.setenv("VARS_a", "1")
    monkeypatch.setenv("SECRET_123E4567_E89B_12D3_A456_426614174000", "a")
    fleet(output=tmp_path / "out").check()
    found = project_file.read(".")
    (task,) = tasks_of(found)
    source = file_source(found.path)
    environment = variables_of(found, [task])
    setup = WorkerSetup(
        (source.name, source.text), str(home), "", bundle=packed(found, [task]), environment=environment,
        permissions=found.permissions,
    )  # fmt: skip
    # Neither files nor variables are there where it is made.
    shutil.move(home, tmp_path / "gone")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for variable in environment:
        if variable != "HOME":
            monkeypatch.delenv(variable)
    outcome = FleetWorker(setup).perform(task)
    assert outcome.error == ""
    assert outcome.contents is not None
    made = {f"one/{path}": data for path, data in outcome.contents.items()}
    assert made == contents(tmp_path / "out")


def test_an_executor_is_given_the_variables_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, run, _ = CHANGES["an environment variable of data values"]
    put(tmp_path, {**files, "plait.yml": f"runs:\n  one:\n    {run}\n"})
    monkeypatch.setenv("PLAIT_TRUST", str(tmp_path))
    monkeypatch.setenv("FLEET_value", "before")
    monkeypatch.setenv("OTHER", "nobody asks for this")
    found = project_file.read(str(tmp_path))
    assert "OTHER" not in variables_of(found, tasks_of(found))
    with ThreadPoolExecutor(1) as threads:
        fleet(tmp_path, executor=threads).check()
        assert contents(tmp_path / "out")["one/app.yml"] == b"value: before\n"
        monkeypatch.setenv("FLEET_value", "after")
        fleet(tmp_path, executor=threads).check()
    assert contents(tmp_path / "out")["one/app.yml"] == b"value: after\n"
    # Processes are started by a server that may have begun with other variables.
    for value in ("one", "two"):
        monkeypatch.setenv("FLEET_value", value)
        fleet(tmp_path, processes=2).check()
        assert contents(tmp_path / "out")["one/app.yml"] == f"value: {value}\n".encode()
