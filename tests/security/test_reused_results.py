"""Results that a fleet rendered with permissions are not found without them, in whichever way results are found again."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Callable

import pytest

from files import write_files
from plait.fleet.api import fleet

OUTSIDE = "outside: canary-value\n"


def run(settings: str) -> dict[str, str]:
    return {"plait.yml": f"runs:\n  app:\n    {settings}\n"}


# The reads of a run that need a permission: the files of the project.
READS: dict[str, dict[str, str]] = {
    "a file": run("render: {files: [app.yml, ../elsewhere/outside.yml]}"),
    "a directory": run("render: {files: [app.yml, ../elsewhere]}"),
    "a pattern": run("patch: {base: app.yml, ops: ['../elsewhere/*.ops']}"),
    "data values": run("render: {files: [values.yml], data-values-file: [../elsewhere/outside.yml]}")
    | {"values.yml": '#@ load("@ytt:data", "data")\n---\nfound: #@ data.values.outside\n'},
    "a template": run("patch: {base: ../elsewhere/outside.yml}"),
    "variables": run("patch: {base: patched.yml, vars-files: [../elsewhere/outside.yml]}")
    | {"patched.yml": "found: ((outside))\n"},
    "secrets": run("render: {files: [values.yml], secrets: ['file:../elsewhere/outside.yml']}")
    | {"values.yml": '#@ load("@ytt:data", "data")\n---\nfound: #@ data.values.outside\n'},
    "a directory of git": run("render: {files: [app.yml, .git/outside.yml]}") | {".git/outside.yml": OUTSIDE},
    "an environment variable": run("render: {files: [values.yml], data-values-env: [PLAIT_TEST]}")
    | {"values.yml": '#@ load("@ytt:data", "data")\n---\nfound: #@ data.values.outside\n'},
}
# A run with a program: in its settings, in its steps, in the pipeline that it names, and in one that a step names.
STEPS = "steps:\n- render: {files: [schema.yml, values.yml], secrets: ['exec:echo \"outside: canary-value\"']}\n"
TEMPLATE = {"values.yml": '#@ load("@ytt:data", "data")\n---\nfound: #@ data.values.outside\n'}
READS |= {
    "a program": run("render: {files: [values.yml], secrets: ['exec:echo \"outside: canary-value\"']}") | TEMPLATE,
    "a program of a step": run(STEPS.replace("\n", "\n    ")) | TEMPLATE,
    "a program of a pipeline": run("compose: {file: steps.yml}") | {"steps.yml": STEPS} | TEMPLATE,
    "a program of a pipeline in a step": run("steps: [{compose: steps.yml}]") | {"steps.yml": STEPS} | TEMPLATE,
}
SCHEMA = "#@data/values-schema\n---\noutside: ''\n"


def again() -> None:
    shutil.rmtree("out")


def in_another_project() -> None:
    top = pathlib.Path.cwd()
    shutil.copytree(top, top.parent / "other")
    os.chdir(top.parent / "other")
    shutil.rmtree("out")


def nothing() -> None:
    """The results stay, and are up to date."""


WAYS: dict[str, Callable[[], None]] = {
    "cache": again,
    "cache of another project": in_another_project,
    "manifest": nothing,
}


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("read", READS)
def test_results_are_not_found_with_fewer_permissions(
    read: str, way: str, is_shared: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLAIT_TEST_outside", "canary-value")
    files = {"app.yml": "a: 1\n"} | READS[read]
    if "values.yml" in files:
        files["plait.yml"] = files["plait.yml"].replace("values.yml", "schema.yml, values.yml", 1)
        files["schema.yml"] = SCHEMA
    write_files(tmp_path / "project", files)
    operation = "- {type: replace, path: /a, value: canary-value}\n"
    write_files(tmp_path / "elsewhere", {"outside.yml": OUTSIDE, "outside.ops": operation})
    monkeypatch.chdir(tmp_path / "project")

    def counts(*, trust: bool) -> dict[str, int]:
        return fleet(
            trust=trust, cache=str(tmp_path / "kept"), cache_shared=is_shared, cache_secrets=True, resume=True
        ).counts

    assert counts(trust=True) == {"rendered": 1}
    assert "canary-value" in "".join(path.read_text() for path in pathlib.Path("out/app").iterdir())
    assert counts(trust=True) == {"up to date": 1}
    WAYS[way]()
    assert counts(trust=False) == {"failed": 1}
    if way != "manifest":
        assert not pathlib.Path("out/app").exists()
