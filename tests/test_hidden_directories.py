"""Messages about files in a temporary directory do not contain its path, no matter where a long line is shortened."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from plait.authoring.project.file import read
from plait.base.errors import PlaitError, render
from plait.base.permissions import READ, Need
from plait.base.source import Position, Source
from plait.base.warning_data import warning_data
from plait.fleet.bundle import packed
from plait.fleet.fleet_worker import FleetWorker, WorkerSetup
from plait.fleet.plan import tasks_of
from plait.service.project_evaluation import evaluate

PROJECT = "runs: {app: {patch: {base: ../x.yml}}}\n"
# A line of the error names the directory up to three times, and is shortened after 400 characters.
LENGTHS = range(20, 400, 7)
NAME = "canary"


def of_error(place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The error itself, as the reviews of changes show it."""
    (place / "plait.yml").write_text(PROJECT)
    permissions = read(str(place / "plait.yml")).permissions
    assert permissions is not None
    error: PlaitError = permissions.denied(
        Need(READ, str(place / "../x.yml"), Position(Source("plait.yml", PROJECT), 1))
    )
    return render(error, rename=lambda text: text.replace(str(place.parent), ".."))


def of_service(place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The error of a request that has sent the project."""
    (place / "plait.yml").write_text(PROJECT)
    monkeypatch.chdir(place)
    (made,) = evaluate({"files": {}, "only": None, "limits": {}})["runs"]
    return made["error"]


def of_fleet(place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The error of a worker that has been sent the files."""
    own = place.parents[2] / "own"
    own.mkdir(exist_ok=True)
    (own / "plait.yml").write_text(PROJECT)
    project = read(str(own / "plait.yml"))
    tasks = tasks_of(project)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    source = ("plait.yml", PROJECT)
    bundle = {str(own / "plait.yml"): PROJECT.encode(), f"{own}/": b""}
    setup = WorkerSetup(source, str(own), "", bundle=bundle, permissions=project.permissions)
    return FleetWorker(setup).perform(tasks[0]).error


def of_fleet_warning(place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A warning of a worker that has been sent the files, in all of its forms."""
    own = place.parents[2] / "own"
    own.mkdir(exist_ok=True)
    (own / "plait.yml").write_text("runs: {app: {render: {files: [x.yml]}}}\n")
    (own / "x.yml").write_text('a: "#@ 1"\n')
    project = read(str(own / "plait.yml"))
    tasks = tasks_of(project)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    source = ("plait.yml", (own / "plait.yml").read_text())
    setup = WorkerSetup(source, str(own), "", bundle=packed(project, tasks), permissions=project.permissions)
    made = FleetWorker(setup).perform(tasks[0])
    (warning,) = made.warnings
    return f"{warning} {warning_data(warning)} {[one.data() for one in made.diagnostics]}"


@pytest.mark.parametrize("told", [of_fleet_warning, of_error, of_service, of_fleet])
def test_no_part_of_the_path_is_left(
    told: Callable[[pathlib.Path, pytest.MonkeyPatch], str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for length in LENGTHS:
        place = tmp_path / NAME / ("x" * (length // 2)) / ("y" * (length - length // 2))
        place.mkdir(parents=True)
        message = told(place, monkeypatch)
        assert "x.yml" in message, message
        assert NAME not in message, message
        monkeypatch.undo()
