"""Helm, Kustomize, pre-commit and GitHub, each spoken to as the real program does."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from typing import Any

import jsonschema
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

# What charts render: a security context of each form that there is, other kinds, comments, hooks, documents of nothing.
CHARTS = {
    "none": CHART,
    "others": """\
---
# Source: shop/templates/statefulset.yaml
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
  annotations: {postrenderer.helm.sh/postrender-filename: shop/templates/statefulset.yaml}
spec:
  template:
    spec:
      securityContext:
        fsGroup: 1001
        sysctls: []
        supplementalGroups: [0x10, 010]
      containers:
        - name: db
          securityContext: {runAsNonRoot: false, runAsUser: 1001}
---
# Source: shop/templates/agent.yaml
kind: DaemonSet
metadata: {name: agent}
spec:
  template:
    spec:
      hostNetwork: yes
      securityContext:
        runAsNonRoot: false
""",
    "null and empty": """\
---
kind: Deployment
spec:
  template:
    spec:
      securityContext:
---
kind: Deployment
spec:
  template:
    spec:
      securityContext: {}
""",
    "no workload": """\
---
# Source: shop/templates/empty.yaml
---
# Source: shop/templates/config.yaml
kind: ConfigMap
data:
  script: |
    #!/bin/sh
    #@ this is no code
    echo "{{ not }} (@= this @) ((either))"
  empty: ""
  mode: 0755
  version: "1.10"
---
# Source: shop/templates/job.yaml
kind: CronJob
metadata: {annotations: {helm.sh/hook: pre-install}}
spec: {jobTemplate: {spec: {template: {spec: {}}}}}
""",
}


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


@pytest.mark.parametrize("chart", CHARTS)
def test_helm_post_renderer_changes_security_contexts_and_nothing_else(chart: str, environment: dict[str, str]) -> None:
    expected = [document for document in documents(CHARTS[chart]) if document is not None]
    for document in expected:
        if document["kind"] in ("Deployment", "StatefulSet", "DaemonSet"):
            pod = document["spec"]["template"]["spec"]
            pod["securityContext"] = {**(pod.get("securityContext") or {}), "runAsNonRoot": True}
    assert documents(run([str(EXAMPLES / "helm" / "post-renderer")], environment, CHARTS[chart])) == expected


def test_helm_passes_arguments_on_and_gets_a_status(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "more.yml").write_text(
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nb: 1\n'
    )
    renderer = str(EXAMPLES / "helm" / "post-renderer")
    said = run([renderer, "-f", str(tmp_path / "more.yml")], environment, "kind: Service\n", status=1)
    assert "more.yml:4: Expected number of matched nodes to be 1, but was 0" in said
    assert "did not find expected node content" in run([renderer], environment, "kind: [\n", status=1)


def test_helm_plugin_runs_the_post_renderer(environment: dict[str, str]) -> None:
    """As Helm 4 does: the command of plugin.yaml, with the plugin's directory in its environment."""
    plugin = yaml.safe_load((EXAMPLES / "helm" / "plugin.yaml").read_text())
    assert (plugin["apiVersion"], plugin["type"], plugin["runtime"]) == ("v1", "postrenderer/v1", "subprocess")
    [runs] = plugin["runtimeConfig"]["platformCommand"]
    command = runs["command"].replace("${HELM_PLUGIN_DIR}", str(EXAMPLES / "helm"))
    assert documents(run([command], environment, CHART))[1]["spec"]["template"]["spec"]["securityContext"]


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
        (resource_list({"a": 1}, templates=[]), "templates is not a map"),
        (resource_list({"a": 1}, templates={"items.yml": "b: 1"}), '"items.yml" is reserved'),
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


def test_a_match_of_nothing_is_a_warning(environment: dict[str, str]) -> None:
    given = resource_list(
        {"a": 1}, {"b": 2}, operations=[{"type": "remove", "path": "/a"}], match={"kind": "Depolyment"}
    )
    done = subprocess.run(
        ["plait", "krm"], input=yaml.safe_dump(given), env=environment, capture_output=True, text=True, check=False
    )
    said = "functionConfig.spec.match matches no item, so the operations change nothing"
    assert (done.returncode, done.stderr) == (0, f"plait: warning: {said}\n")
    answer = yaml.safe_load(done.stdout)
    assert answer["items"] == given["items"]
    tags = {"code": "U0158", "name": "no-matching-item"}
    reference = {"apiVersion": "plait/v1", "kind": "Plait", "name": "x"}
    assert answer["results"] == [{"message": said, "severity": "warning", "resourceRef": reference, "tags": tags}]
    given["items"] = []
    assert not run(["plait", "krm"], environment, yaml.safe_dump(given)).count("severity")


# The schema of the specification of KRM functions, v1, for what a function prints.
RESOURCE_LIST = {
    "type": "object",
    "required": ["apiVersion", "kind", "items"],
    "properties": {
        "apiVersion": {"enum": ["config.kubernetes.io/v1", "config.kubernetes.io/v1beta1"]},
        "kind": {"const": "ResourceList"},
        "items": {"type": "array", "items": {"type": "object"}},
        "functionConfig": {"type": "object"},
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "additionalProperties": False,
                "dependentRequired": {"field": ["resourceRef"]},
                "properties": {
                    "message": {"type": "string"},
                    "severity": {"enum": ["error", "warning", "info"]},
                    "resourceRef": {
                        "type": "object",
                        "required": ["apiVersion", "kind", "name"],
                        "additionalProperties": {"type": "string"},
                    },
                    "field": {"type": "object", "required": ["path"]},
                    "file": {
                        "type": "object",
                        "required": ["path"],
                        "additionalProperties": False,
                        "properties": {"path": {"type": "string"}, "index": {"type": "number"}},
                    },
                    "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
        },
    },
}
COMMENTED = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: plait/v1
  kind: Plait
  metadata: {name: scale}
  spec:
    operations:
    - {type: replace, path: /spec/replicas, value: 3}
    templates:
      more.yml: |
        kind: ConfigMap
        apiVersion: v1
items:
- apiVersion: apps/v1
  kind: Deployment   # the shop
  metadata:
    name: web
    annotations:
      internal.config.kubernetes.io/path: 'shop/web.yml'
      internal.config.kubernetes.io/index: '1'
  spec:
    # enough for now
    replicas: 1   # per zone
"""


def test_comments_of_a_resource_list_are_kept(environment: dict[str, str]) -> None:
    out = run(["plait", "krm"], environment, COMMENTED)
    changed = COMMENTED.replace("replicas: 1 ", "replicas: 3 ")
    # A result of templates is a document like any other: it has the place of its file among the items.
    assert sorted(out.splitlines()) == sorted([*changed.splitlines(), "- kind: ConfigMap", "  apiVersion: v1"])
    jsonschema.validate(yaml.safe_load(out), RESOURCE_LIST)
    given = json.dumps(yaml.safe_load(COMMENTED))
    assert yaml.safe_load(run(["plait", "krm"], environment, given)) == yaml.safe_load(out)


def test_a_result_names_the_item_that_an_operation_fails_on(environment: dict[str, str]) -> None:
    failing = COMMENTED.replace("/spec/replicas", "/spec/replcas")
    done = subprocess.run(["plait", "krm"], input=failing, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(failing)
    answer = yaml.safe_load(done.stdout)
    jsonschema.validate(answer, RESOURCE_LIST)
    [result] = answer["results"]
    assert result["resourceRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    assert result["file"] == {"path": "shop/web.yml", "index": 1}
    failing = COMMENTED.replace("kind: ConfigMap", "kind: #@ nme")
    done = subprocess.run(["plait", "krm"], input=failing, env=environment, capture_output=True, text=True, check=False)
    answer = yaml.safe_load(done.stdout)
    jsonschema.validate(answer, RESOURCE_LIST)
    [result] = answer["results"]
    assert result["resourceRef"] == {"apiVersion": "plait/v1", "kind": "Plait", "name": "scale"}
    assert (result["tags"]["file"], result["tags"]["line"]) == ("more.yml", "1")


def test_what_is_no_resource_list(environment: dict[str, str]) -> None:
    assert "standard input is not a ResourceList" in run(["plait", "krm"], environment, "kind: List\n", status=1)
    assert "did not find" in run(["plait", "krm"], environment, "kind: [\n", status=1)


def test_resource_list_without_anything_to_do(environment: dict[str, str]) -> None:
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"a": "1"}, {"b": "yes"}]}
    assert documents(run(["plait", "krm"], environment, yaml.safe_dump(given))) == [given]


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
    argv = [*shlex.split(found["entry"]), *args]
    run(argv, environment, where=work)
    (work / broken).write_text("a: [\n")
    run(argv, environment, where=work, status=1)


ACTION = yaml.safe_load((ROOT / "action.yml").read_text())

# A package that builds itself, so that nothing is asked of an index: its command prints what it was given.
STAND_IN = {
    "pyproject.toml": """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
""",
    "backend.py": """\
import zipfile

FILES = {
    "stand_in.py": "import json, sys\\ndef main():\\n    print(json.dumps(sys.argv[1:]))\\n",
    "plait-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: plait\\nVersion: 1\\nProvides-Extra: all\\n",
    "plait-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "plait-1.dist-info/entry_points.txt": "[console_scripts]\\nplait = stand_in:main\\n",
    "plait-1.dist-info/RECORD": "",
}

def build_wheel(directory, settings=None, metadata=None):
    with zipfile.ZipFile(f"{directory}/plait-1-py3-none-any.whl", "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr(name, text)
    return "plait-1-py3-none-any.whl"
""",
}

# What a repository may have that is checked out where the action runs.
PLANTED = ("venv", "ensurepip", "pip", "shlex", "os", "json", "stand_in", "sitecustomize", "site", "encodings")


def bash_step(step: dict[str, Any], given: dict[str, str], where: pathlib.Path) -> subprocess.CompletedProcess[str]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    argv = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(argv, env=given, cwd=where, capture_output=True, text=True, check=False)


def test_github_action_has_inputs_as_variables() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for part in ACTION["runs"]["steps"]:
        # An input reaches the script as a variable, never as part of its text.
        assert "${{" not in part["run"]
        used = [text for text in [*part["env"].values(), part.get("working-directory", "")] if text]
        assert all(text.removeprefix("${{ inputs.").removesuffix(" }}") in ACTION["inputs"] for text in used)


def test_github_action_names_the_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = set(re.findall(r"`([a-z]+)`", ACTION["inputs"]["extras"]["description"]))
    assert named == set(project["optional-dependencies"]) - {
        "test",
        "browser",
        "keystone",
        "telemetry",
        "fuzz",
        "dev",
        "lsp",
        "mcp",
        "watch",
        "dask",
        "fsspec",
        "service",
        "postgresql",
        "toml",
    }
    assert all(name in ACTION["runs"]["steps"][0]["run"] for name in named)


def test_github_action_runs_nothing_that_is_checked_out(tmp_path: pathlib.Path) -> None:
    action, checkout, temp = (tmp_path / name for name in ("action", "checkout", "temp"))
    for directory in (action, checkout, temp):
        directory.mkdir()
    for name, text in STAND_IN.items():
        (action / name).write_text(text)
    for name in PLANTED:
        (checkout / f"{name}.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w').write({name!r})\n")
    given = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))},
        "RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(action), "EXTRAS": "all",
        "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": str(checkout),
    }  # fmt: skip
    install, step = ACTION["runs"]["steps"]
    done = bash_step(install, given, checkout)
    assert done.returncode == 0, done.stderr
    args = """render -f 'a directory/' \\
  -v "text=one  two"
  --output-files out $(touch oops) `touch oops`; *
"""
    del given["PYTHONPATH"]  # of the interpreter of the stand-in's launcher, which is pip's
    done = bash_step(step, {**given, "ARGS": args}, checkout)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        "render", "-f", "a directory/", "-v", "text=one  two", "--output-files", "out",
        "$(touch", "oops)", "`touch", "oops`;", "*",
    ]  # fmt: skip
    assert not (tmp_path / "planted").exists()
    assert not (checkout / "oops").exists()
    done = bash_step(step, {**given, "ARGS": "render -f 'a"}, checkout)
    assert (done.returncode, done.stderr) == (1, "::error::args: No closing quotation\n")


@pytest.mark.parametrize("extras", ["regexp,toml", "all] @ file:///tmp/x", "validate all", "all\nall"])
def test_github_action_refuses_other_extras(extras: str, tmp_path: pathlib.Path) -> None:
    given = {**os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(tmp_path), "EXTRAS": extras}
    done = bash_step(ACTION["runs"]["steps"][0], given, tmp_path)
    assert done.returncode == 1
    assert 'extras is "validate", "all" or empty' in done.stdout
    assert not (tmp_path / "plait").exists()


def test_github_action_renders(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "plait" / "bin").mkdir(parents=True)
    (tmp_path / "plait" / "bin" / "plait").symlink_to(tmp_path / "bin" / "plait")
    (tmp_path / "plait" / "bin" / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    (tmp_path / "plait" / "bin" / "python").chmod(0o755)
    given = {**environment, "RUNNER_TEMP": str(tmp_path), "ARGS": "render\n-f examples/quickstart"}
    done = bash_step(ACTION["runs"]["steps"][1], given, ROOT)
    assert done.stdout == (EXAMPLES / "quickstart.expected").read_text(), done.stderr
    said = bash_step(ACTION["runs"]["steps"][1], {**given, "ARGS": "render $(touch oops)"}, ROOT)
    assert "does not accept extra arguments '$(touch, oops)'" in said.stderr
    assert not (ROOT / "oops").exists()
