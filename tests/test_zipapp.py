"""plait as one file."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tomllib
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The file, made of a wheel that has the package alone."""
    place = tmp_path_factory.mktemp("zipapp")
    wheel = place / "plait.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in (ROOT / "src" / "plait").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(ROOT / "src").as_posix())
        included = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"][
            "wheel"
        ]
        for source, target in included["force-include"].items():
            top = ROOT / source
            for path in top.rglob("*.md") if top.is_dir() else [top]:
                archive.write(path, f"{target}/{path.relative_to(top).as_posix()}" if top.is_dir() else target)
        archive.writestr("plait-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: plait\nVersion: 0.1.0\n")
        archive.writestr("plait-0.1.0.data/scripts/plait", "not in the file")
    for name in ("plait.pyz", "again.pyz"):
        subprocess.run([sys.executable, ".ci/zipapp.py", str(wheel), str(place / name)], cwd=ROOT, check=True)
    return place


def run(built: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the file by a Python that has no other packages, in a directory with modules of the same names."""
    (built / "plait").mkdir(exist_ok=True)
    for name in ("plait/__init__.py", "yaml.py", "json.py"):
        (built / name).write_text("raise SystemExit('planted')\n")
    argv = [sys.executable, "-S", str(built / "plait.pyz"), *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(argv, cwd=built, env=environment, capture_output=True, text=True, check=False)


def test_the_file_is_reproducible(built: pathlib.Path) -> None:
    assert (built / "plait.pyz").read_bytes() == (built / "again.pyz").read_bytes()
    assert os.access(built / "plait.pyz", os.X_OK)


def test_the_file_renders_without_other_packages(built: pathlib.Path) -> None:
    done = run(built, "render", "-f", str(ROOT / "examples" / "quickstart"))
    assert done.stdout == (ROOT / "examples" / "quickstart.expected").read_text("utf-8"), done.stderr
    done = run(built, "render", "-f", str(ROOT / "examples" / "quickstart"), "--isolate")
    assert done.stdout == (ROOT / "examples" / "quickstart.expected").read_text("utf-8"), done.stderr
    patched = [str(ROOT / "examples" / "patch" / name) for name in ("base.yml", "ops.yml")]
    done = run(built, "patch", patched[0], "-o", patched[1])
    assert done.returncode == 0, done.stderr


def test_the_file_has_the_pages(built: pathlib.Path) -> None:
    assert "undefined" in run(built, "help", "E0101").stdout
    program = "from plait.integrations.agents.pages import page_of, topics; print(*topics()); print(page_of('explain'))"
    argv = [sys.executable, "-S", "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(built / "plait.pyz"), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(argv, cwd=built, env=environment, capture_output=True, text=True, check=True)
    topics, _, page = done.stdout.partition("\n")
    assert {"explain", "mcp", "reference/limits"} <= {*topics.split()}
    assert "codes" not in topics
    assert page.startswith("# Where a value comes from")


def test_what_needs_a_c_extension_says_so(built: pathlib.Path) -> None:
    (built / "pattern.yml").write_text('#@ load("@ytt:regexp", "regexp")\na: #@ regexp.match("a", "a")\n')
    done = run(built, "render", "-f", "pattern.yml")
    assert done.returncode == 1
    assert "google-re2" in done.stderr
