"""The dry run of a release: what .github/workflows/release.yml builds is complete, described, and the same each time."""

from __future__ import annotations

import email
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

pytest.importorskip("build", reason="nox -s build installs it")
pytest.importorskip("twine", reason="nox -s build installs it")
pytest.importorskip("hatchling", reason="nox -s build installs it")

ROOT = pathlib.Path(__file__).parent.parent


def run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The directory with the wheel, which is built from the sdist, and the sdist."""
    place = tmp_path_factory.mktemp("dist")
    run("-m", "build", "--no-isolation", "--outdir", str(place))
    return place


def wheel_of(built: pathlib.Path) -> pathlib.Path:
    [wheel] = built.glob("*.whl")
    return wheel


def test_the_metadata_are_accepted_by_twine(built: pathlib.Path) -> None:
    assert run("-m", "twine", "check", "--strict", *map(str, sorted(built.iterdir()))).count("PASSED") == 2
    with zipfile.ZipFile(wheel_of(built)) as archive:
        [name] = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    needed = [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert len(needed) <= 3
    assert {"lsp", "mcp", "service", "toml", "validate", "watch"} <= {*metadata.get_all("Provides-Extra", [])}


def test_the_wheel_has_every_file_of_the_package(built: pathlib.Path) -> None:
    """Modules, and the data files that they read at run time, for each extra."""
    listed = run_git("ls-files", "src/plait").split("\n")
    wanted = {name.removeprefix("src/") for name in listed if name}
    assert any(not name.endswith(".py") for name in wanted)
    with zipfile.ZipFile(wheel_of(built)) as archive:
        names = set(archive.namelist())
    assert wanted - names == set()
    assert {name for name in names if name.startswith("plait/")} - wanted == {
        name for name in names if name.startswith("plait/pages/")
    }
    assert {"plait/pages/explain.md", "plait/pages/reference/codes/E0101.md"} <= names
    [sdist] = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive_of_source:
        assert any(name.endswith("/.ci/lock.txt") for name in archive_of_source.getnames())


def run_git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a checkout")
    return done.stdout


def test_the_single_file_is_the_same_each_time(built: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name in ("one.pyz", "two.pyz"):
        run(".ci/zipapp.py", str(wheel_of(built)), str(tmp_path / name))
    assert (tmp_path / "one.pyz").read_bytes() == (tmp_path / "two.pyz").read_bytes()
    rendered = run("-I", str(tmp_path / "one.pyz"), "render", "-f", "examples/quickstart")
    assert rendered == (ROOT / "examples" / "quickstart.expected").read_text("utf-8")
