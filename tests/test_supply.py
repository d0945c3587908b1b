"""What a release is made of: the lock, the SBOM, and workflows that take no code from what they are given."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml

ROOT = pathlib.Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def locked() -> dict[str, str]:
    lines = (ROOT / ".ci" / "lock.txt").read_text().splitlines()
    return dict(line.lower().split("==") for line in lines if not line.startswith("#"))


def test_the_lock_has_all_that_development_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["all"], *extras["test"], *extras["dev"], *extras["browser"]]
    names = {re.split(r"[\[<>=]", text)[0].lower() for text in wanted} - {"plait"}
    assert names <= set(locked())
    tools = (ROOT / ".ci" / "constraints.txt").read_text().splitlines()
    assert {line.lower() for line in tools if "==" in line} <= {
        f"{name}=={version}" for name, version in locked().items()
    }


def test_the_sbom_names_what_is_installed() -> None:
    done = subprocess.run([sys.executable, ".ci/sbom.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert (told["bomFormat"], told["metadata"]["component"]["name"]) == ("CycloneDX", "plait")
    names = {part["name"] for part in told["components"]}
    assert {"pyyaml", "google-re2", "cryptography", "cffi", "jsonschema", "referencing"} <= names
    assert not names & {"pytest", "mypy", "ruff"}
    assert all(part["version"] for part in told["components"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_gives_little_away(path: pathlib.Path) -> None:
    text = path.read_text()
    workflow: dict[Any, Any] = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    assert "pull_request_target" not in text
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            run = step.get("run", "")
            assert not re.search(r"\$\{\{(?! matrix\.)", run), "an input reaches a script as a variable"


def test_a_release_is_off_until_it_is_switched_on() -> None:
    workflow: dict[Any, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert workflow[True] == {"workflow_dispatch": None}
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert "vars.RELEASES == 'on'" in build["if"]
    assert publish["needs"] == ["build", "elsewhere"]
    assert workflow["jobs"]["elsewhere"]["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write", "attestations": "write"}
    assert "permissions" not in build


CONTAINERS = sorted((ROOT / "examples").glob("*/Containerfile"))


@pytest.mark.parametrize("path", CONTAINERS, ids=lambda path: path.parent.name)
def test_an_image_is_pinned_and_has_no_root(path: pathlib.Path) -> None:
    text = path.read_text("utf-8")
    images = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert images
    assert all(re.fullmatch(r"docker\.io/library/python:\d+\.\d+-slim", image) for image in images)
    users = re.findall(r"^USER (\d+):\d+$", text, re.MULTILINE)
    assert users
    assert users[-1] != "0"
    assert "pip install --no-cache-dir -c /source/.ci/lock.txt " in text
    linter = shutil.which("hadolint", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if linter is None:
        pytest.skip("nox -s build installs hadolint")
    done = subprocess.run([linter, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_page_installs_plait_from_an_index() -> None:
    """The package is on no index: a command there would install another one."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"), ROOT / "editors"]
    texts = {one: one.read_text("utf-8") for one in pages if one.is_file()}
    found = [(one.name, line) for one, text in texts.items() for line in text.split("\n") if _FROM_INDEX.search(line)]
    assert found == []


_FROM_INDEX = re.compile(r"(?:pip|pipx|uv tool|uv pip) install (?:-\S+ )*['\"]?plait(?:[\[<>=~' \"]|$)")
