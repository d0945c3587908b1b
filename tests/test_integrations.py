"""Helm, Kustomize, Argo CD, pre-commit and GitHub, each spoken to as the real program does."""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest
import yaml

ROOT = pathlib.Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the examples are shell scripts")

CHART = """\
---
# Source: shop/templates/service.yaml
kind: Service
metadata:
  name: shop
---
# Source: shop/templates/deployment.yaml
#@ this is no code
kind: Deployment
metadata:
  name: shop
spec:
  template:
    spec:
      containers: []
"""


@pytest.fixture
def environment(tmp_path: pathlib.Path) -> dict[str, str]:
    """An environment with `plait` on the path."""
    place = tmp_path / "bin" / "plait"
    place.parent.mkdir()
    place.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m plait "$@"\n')
    place.chmod(0o755)
    return {**os.environ, "PATH": f"{place.parent}{os.pathsep}{os.environ['PATH']}"}


def run(
    argv: list[str], environment: dict[str, str], given: str = "", where: pathlib.Path = ROOT, status: int = 0
) -> str:
    done = subprocess.run(argv, input=given, env=environment, cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def documents(text: str) -> list[Any]:
    return list(yaml.safe_load_all(text))


def test_helm_post_renderer(environment: dict[str, str]) -> None:
    service, deployment = documents(run([str(EXAMPLES / "helm" / "post-renderer")], environment, CHART))
    assert service == {"kind": "Service", "metadata": {"name": "shop"}}
    assert deployment["spec"]["template"]["spec"] == {"containers": [], "securityContext": {"runAsNonRoot": True}}


def test_helm_gets_a_status_when_nothing_is_matched(environment: dict[str, str]) -> None:
    said = run([str(EXAMPLES / "helm" / "post-renderer")], environment, "kind: Service\n", status=1)
    assert "overlay.yml:4: Expected number of matched nodes to be >= 1, but was 0" in said


def resource_list(*items: object, **spec: object) -> dict[str, Any]:
    function = {"apiVersion": "plait/v1", "kind": "Plait", "metadata": {"name": "x"}, "spec": spec}
    return {
        "apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items), "functionConfig": function
    }  # fmt: skip


def test_kustomize_function(environment: dict[str, str]) -> None:
    directory = EXAMPLES / "kustomize"
    kustomization = yaml.safe_load((directory / "kustomization.yaml").read_text())
    [item] = [yaml.safe_load((directory / name).read_text()) for name in kustomization["resources"]]
    [function] = [yaml.safe_load((directory / name).read_text()) for name in kustomization["transformers"]]
    runs = yaml.safe_load(function["metadata"]["annotations"]["config.kubernetes.io/function"])
    origin = {
        "config.kubernetes.io/index": "0",
        "internal.config.kubernetes.io/path": "deployment.yml",
        "internal.config.kubernetes.io/annotations-migration-resource-id": "0",
    }
    item["metadata"]["annotations"] = origin
    given = {**resource_list(item), "functionConfig": function}
    out = run([runs["exec"]["path"]], environment, yaml.safe_dump(given), directory)
    [answer] = documents(out)
    assert answer["kind"] == "ResourceList"
    assert answer["apiVersion"] == "config.kubernetes.io/v1"
    assert answer["functionConfig"] == function
    [changed] = answer["items"]
    assert changed["metadata"]["annotations"] == origin
    assert changed["metadata"]["labels"] == {"team": "shop"}
    assert changed["spec"]["replicas"] == 3
    assert changed["spec"]["template"] == item["spec"]["template"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (resource_list({"a": 1}, operations=[{"type": "remove", "path": "/b"}]), 'no key "b" at /b'),
        (resource_list({"a": 1}, templates={"t.yml": "x: #@ nmae"}), "t.yml:1: undefined: nmae"),
        (resource_list({"a": 1}, tempaltes={}), 'did you mean "templates"?'),
        (resource_list({"a": 1}, templates=[]), "templates is no map"),
    ],
)
def test_mistakes_are_results(environment: dict[str, str], given: dict[str, Any], said: str) -> None:
    done = subprocess.run(
        ["plait", "krm"], input=yaml.safe_dump(given), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    [result] = yaml.safe_load(done.stdout)["results"]
    assert result["severity"] == "error"
    assert said in result["message"]
    assert said in done.stderr


def test_what_is_no_resource_list(environment: dict[str, str]) -> None:
    assert "standard input is no ResourceList" in run(["plait", "krm"], environment, "kind: List\n", status=1)
    assert "did not find" in run(["plait", "krm"], environment, "kind: [\n", status=1)


def test_resource_list_without_anything_to_do(environment: dict[str, str]) -> None:
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"a": "1"}, {"b": "yes"}]}
    assert documents(run(["plait", "krm"], environment, yaml.safe_dump(given))) == [given]


def test_argo_cd_plugin(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    [plugin] = documents((EXAMPLES / "argocd" / "plugin.yml").read_text())
    assert (plugin["apiVersion"], plugin["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    repository = tmp_path / "repository"
    shutil.copytree(EXAMPLES / "argocd" / "plait", repository / "plait")
    assert list(repository.glob(plugin["spec"]["discover"]["find"]["glob"])) == [repository / "plait"]
    given = {**environment, "ARGOCD_APP_NAME": "shop", "PARAM_REPLICAS": "5"}
    [document] = documents(run(plugin["spec"]["generate"]["command"], given, where=repository))
    assert document["data"] == {"replicas": "5"}


def hooks() -> dict[str, Any]:
    return {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


@pytest.mark.parametrize(
    ("hook", "args", "broken"),
    [
        ("plait-render", ["-f", "quickstart"], "quickstart/app.yml"),
        ("plait-patch", ["patch/base.yml", "-o", "patch/ops.yml"], "patch/ops.yml"),
        ("plait-layer", ["layer"], "layer/documents.yml"),
    ],
)
def test_pre_commit_hooks(
    environment: dict[str, str], tmp_path: pathlib.Path, hook: str, args: list[str], broken: str
) -> None:
    found = hooks()[hook]
    assert found["language"] == "python"
    assert found["pass_filenames"] is False
    work = tmp_path / "work"
    shutil.copytree(EXAMPLES, work)
    if hook == "plait-layer":
        text = (
            (work / broken)
            .read_text()
            .replace("  layeringDefinition", "  storagePolicy: cleartext\n  layeringDefinition")
        )
        (work / broken).write_text(text)
    argv = [*shlex.split(found["entry"]), *args]
    run(argv, environment, where=work)
    (work / broken).write_text("a: [\n")
    run(argv, environment, where=work, status=1)


def test_github_action(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    install, step = action["runs"]["steps"]
    for part in (install, step):
        # An input reaches the script as a variable, never as part of its text.
        assert "${{" not in part["run"]
        used = [text for text in [*part["env"].values(), part.get("working-directory", "")] if text]
        assert all(text.removeprefix("${{ inputs.").removesuffix(" }}") in action["inputs"] for text in used)
    (tmp_path / "plait").mkdir()
    (tmp_path / "plait" / "bin").symlink_to(tmp_path / "bin")
    given = {**environment, "RUNNER_TEMP": str(tmp_path), "ARGS": "render -f examples/quickstart $(touch oops)"}
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    said = run([bash, "-eo", "pipefail", "-c", step["run"]], given, status=1)
    assert "does not accept extra arguments '$(touch, oops)'" in said
    assert not (ROOT / "oops").exists()
    out = run([bash, "-eo", "pipefail", "-c", step["run"]], {**given, "ARGS": "render -f examples/quickstart"})
    assert out == (EXAMPLES / "quickstart.expected").read_text()
