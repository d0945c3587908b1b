"""What has changed in a fleet since a revision, and lines that nobody reads."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from test_fleet import FILES, put

from plait.base.errors import LimitError, UsageError
from plait.base.git_repository import Repository
from plait.base.limits import Limits, budget_scope
from plait.cli import main

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")
MATRIX = FILES["plait.yml"].replace("{site.path}", "sites/{site}")


def git(place: Path, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a directory of a repository."""
    project = put(tmp_path / "deploy", {**FILES, "plait.yml": MATRIX})
    put(tmp_path, {".gitignore": "out\n*.local\n", "elsewhere.txt": "a"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    monkeypatch.chdir(project)
    return project


def asked(capfd: pytest.CaptureFixture[bytes], *words: str, status: int = 0) -> str:
    assert main(["fleet", "impact", *words]) == status
    return capfd.readouterr().out.decode()


def test_nothing_has_changed(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(place.parent, {"elsewhere.txt": "b", "out/more.yml": "a: 1\n"})
    put(place, {"config/app.yml": "#! a comment\n" + FILES["config/app.yml"]})
    assert asked(capfdbinary, "--since", "HEAD", status=1) == ""


def test_what_changed_since_a_revision(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(place, {"sites/paris/values.yml": "size: 3\n"})
    told = "app/eu/paris, app/us/paris, app/ap/paris\n"
    assert asked(capfdbinary, "--since", "HEAD") == "app/eu/paris, app/us/paris, app/ap/paris:\n  size\n"
    git(place, "commit", "-q", "-a", "-m", "two")
    assert asked(capfdbinary, "--since", "HEAD", status=1) == ""
    put(place, {"config/note.txt": "a", "sites/oslo/values.yml": "size: large\n"})
    text = MATRIX.replace("[{region: ap, site: paris}]", "[]").replace("[eu, us]", "[eu, ap]")
    put(place, {"plait.yml": text.replace("region: us", "region: ap")})
    found = asked(capfdbinary, "--since", "HEAD~1", "-o", "json")
    rows = [(row["change"], row["values"], row["files"], row["runs"]) for row in json.loads(found)]
    assert ("differs", [{"document": None, "path": "size"}], ["note.txt"], ["app/eu/paris", "app/ap/paris"]) in rows
    assert ("differs", [], ["note.txt"], ["app/eu/lyon"]) in rows
    assert ("is new", [], [], ["app/eu/oslo", "app/ap/oslo"]) in rows
    assert ("is gone", [], [], ["app/us/paris"]) in rows
    assert len(rows) == 4
    assert told.startswith("app")


def test_a_run_that_fails_now(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(place, {"sites/lyon/values.yml": "size: large\n"})
    assert asked(capfdbinary, "--since", "HEAD").startswith("app/eu/lyon: fails now:\n  ")
    git(place, "commit", "-q", "-a", "-m", "two")
    put(place, {"sites/lyon/values.yml": "size: 4\n"})
    assert asked(capfdbinary, "--since", "HEAD") == "app/eu/lyon: failed before\n"


def test_a_file_that_is_gone_is_there_before(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(place, {"config/more.yml": "kind: Thing\nmetadata: {name: more}\n"})
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "two")
    (place / "config/more.yml").unlink()
    assert asked(capfdbinary, "--since", "HEAD", "--only", "app/eu/lyon") == "app/eu/lyon:\n  Thing/more\n"


def test_what_git_ignores_is_the_same_before(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = MATRIX.replace(
        'data-values-file: "sites/{site}/values.yml"', 'data-values-file: ["sites/{site}/values.yml", own.local]'
    )
    put(place, {"plait.yml": text, "own.local": "size: 5\n"})
    git(place, "commit", "-q", "-a", "-m", "two")
    put(place, {"config/app.yml": FILES["config/app.yml"] + "more: 1\n"})
    told = asked(capfdbinary, "--since", "HEAD", "--only", "app/eu/lyon")
    assert told == "app/eu/lyon:\n  more\n"


@pytest.mark.parametrize("revision", ["nowhere", "--all", ""])
def test_a_revision_that_is_none(revision: str, place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["fleet", "impact", f"--since={revision}"]) == 2
    assert f'has no revision "{revision}"' in capfdbinary.readouterr().err.decode()


def test_the_files_of_a_revision_have_the_limits_of_inputs(place: Path, tmp_path: Path) -> None:
    put(place, {f"notes/{number}.txt": "a" * 300 for number in range(40)})
    put(place, {"video.bin": "a" * 5000, "config/app.yml": FILES["config/app.yml"] + "more: 1\n"})
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "two")
    laid = tmp_path / "laid"
    laid.mkdir()
    repository = Repository(str(place))
    with budget_scope(Limits(input=4000)):
        repository.lay_out("HEAD", str(laid))
    assert (laid / "deploy/config/app.yml").is_file()
    assert not (laid / "deploy/video.bin").exists()
    # Nothing is written if the files together, or their number, exceed a limit.
    for name, limits in {"input": Limits(input=1000), "entries": Limits(entries=3)}.items():
        empty = tmp_path / name
        empty.mkdir()
        with budget_scope(limits), pytest.raises(LimitError) as error:
            repository.lay_out("HEAD", str(empty))
        assert error.value.limit == name
        assert not [*empty.iterdir()]


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        Repository(str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="git cannot be run"):
        Repository(str(tmp_path))


LINES = {
    "nowhere.yml:1": "file nowhere.yml not found",
    "sites/pariss/values.yml:1": 'did you mean "sites/paris/values.yml"',
    "sites/paris/values.yml:9": "sites/paris/values.yml has no line 9",
    "../elsewhere.txt:1": "is not an input of any environment",
    "plait.yml:99": "plait.yml has no line 99",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_none_is_told(line: str, place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["fleet", "impact", line]) == 2
    assert LINES[line] in capfdbinary.readouterr().err.decode().replace("\\", "/")
