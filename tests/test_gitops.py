"""Argo CD, Flux, kapp-controller and Helm 4, each spoken to as its published contract says."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest
import yaml

from files import write_files

ROOT = pathlib.Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
APP = EXAMPLES / "argocd" / "app"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the examples are for Linux containers")


@pytest.fixture
def environment(tmp_path: pathlib.Path) -> dict[str, str]:
    return container(tmp_path)


def container(tmp_path: pathlib.Path) -> dict[str, str]:
    """The environment of a container with plait: nothing but a path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("plait", "-P -m plait"), ("python3", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}


def run(
    argv: list[str],
    environment: dict[str, str],
    where: pathlib.Path,
    given: str | None = None,
    status: int | None = 0,
) -> str:
    """What a program prints; on standard error if it is expected to fail."""
    done = subprocess.run(argv, input=given, env=environment, cwd=where, capture_output=True, text=True, check=False)
    assert status is None or done.returncode == status, done.stderr
    return done.stderr if done.returncode else done.stdout


# ---- Argo CD

PLUGIN: dict[str, Any] = yaml.safe_load((EXAMPLES / "argocd" / "plugin.yaml").read_text())
# The fields of ParameterAnnouncement in Argo CD's repository.proto, with their types.
ANNOUNCED = {
    "name": str, "title": str, "tooltip": str, "required": bool, "itemType": str, "collectionType": str,
    "string": str, "array": list, "map": dict,
}  # fmt: skip


def argo(
    command: str, app: pathlib.Path, environment: dict[str, str], *parameters: object, status: int | None = 0
) -> str:
    """Runs a command of the plugin in an application's directory, as argocd-cmp-server does."""
    spec = PLUGIN["spec"]
    wanted = {"generate": spec["generate"], "parameters": spec["parameters"]["dynamic"]}[command]
    argv = [one.replace("/home/argocd/cmp-server", str(EXAMPLES / "argocd")) for one in wanted["command"]]
    given = {
        **environment, "ARGOCD_APP_NAME": "shop", "ARGOCD_APP_NAMESPACE": "default",
        "ARGOCD_APP_REVISION": "0123456789abcdef", "ARGOCD_APP_SOURCE_PATH": ".", "KUBE_VERSION": "1.34.0",
        "ARGOCD_ENV_STAGE": "test", "ARGOCD_APP_PARAMETERS": json.dumps(parameters) if parameters else "",
    }  # fmt: skip
    return run([*argv, *wanted.get("args", [])], given, app, status=status)


def announced(app: pathlib.Path, environment: dict[str, str], *parameters: object) -> dict[str, Any]:
    """The announcements of an application, by name. Argo CD decodes the JSON strictly: each field has its type."""
    found = json.loads(argo("parameters", app, environment, *parameters))
    for one in found:
        assert all(isinstance(value, ANNOUNCED[key]) for key, value in one.items()), one
        assert one["collectionType"] in one or one["collectionType"] == "string"
    return {one["name"]: one for one in found}


def test_the_plugin_of_argo_cd_is_valid_and_discovers_project_files(tmp_path: pathlib.Path) -> None:
    assert (PLUGIN["apiVersion"], PLUGIN["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert PLUGIN["metadata"]["name"]
    assert set(PLUGIN["spec"]) <= {"version", "init", "generate", "discover", "parameters"}
    pattern = PLUGIN["spec"]["discover"]["fileName"]
    for name, is_found in (("plait.yml", True), ("plait.yaml", True), ("kustomization.yaml", False)):
        place = tmp_path / name.replace(".", "-")
        write_files(place, {name: "", "sub/plait.yml": ""})
        assert bool(list(place.glob(pattern))) is is_found


def test_argo_cd_renders_a_run_with_parameters(environment: dict[str, str]) -> None:
    production = {"name": "plait-run", "string": "production"}
    assert yaml.safe_load(argo("generate", APP, environment, production))["data"]["replicas"] == "3"
    given = [
        {"name": "app.name", "string": "5"}, {"name": "replicas", "string": "7"},
        {"name": "app.tls", "string": "true"}, {"name": "hosts", "array": ["a", "1"]},
    ]  # fmt: skip
    found = yaml.safe_load(argo("generate", APP, environment, production, *given))
    assert found["metadata"]["name"] == "5"
    assert found["data"] == {"replicas": "7", "hosts": "a 1", "tls": "True"}
    assert yaml.safe_load(argo("generate", APP, environment, production, {"name": "app", "map": {"name": "x"}}))


def test_argo_cd_shows_what_is_wrong(environment: dict[str, str]) -> None:
    test = {"name": "plait-run", "string": "test"}
    said = argo("generate", APP, environment, test, {"name": "replcas", "string": "7"}, status=1)
    assert 'did you mean "replicas"?' in said
    said = argo("generate", APP, environment, test, {"name": "replicas", "string": "0"}, status=1)
    assert "a value >= 1" in said
    assert "expected: test, production" in argo("generate", APP, environment, status=2)
    said = argo("generate", APP, environment, {"name": "plait-run", "string": "tset"}, status=2)
    assert 'unknown run "tset"' in said


def test_argo_cd_announces_the_data_values_of_a_run(environment: dict[str, str]) -> None:
    only_run = announced(APP, environment)
    assert set(only_run) == {"plait-run"}
    assert only_run["plait-run"]["required"]
    assert only_run["plait-run"]["tooltip"] == "one of: test, production"
    found = announced(APP, environment, {"name": "plait-run", "string": "production"})
    assert list(found) == ["plait-run", "replicas", "app.name", "app.tls", "hosts"]
    assert found["replicas"] == {
        "name": "replicas", "title": "Replicas", "tooltip": "number of pods", "required": False,
        "itemType": "number", "collectionType": "string", "string": "3",
    }  # fmt: skip
    assert found["app.tls"]["itemType"] == "boolean"
    assert found["hosts"]["array"] == []
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    [shown] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert json.loads(shown) == [*found.values()]
    # What is announced can be set: with each of the defaults, the output is the same.
    same = [{key: one[key] for key in ("name", "string", "array", "map") if key in one} for one in found.values()]
    before = argo("generate", APP, environment, {"name": "plait-run", "string": "production"})
    assert argo("generate", APP, environment, *same) == before


def test_the_only_run_needs_no_parameter(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    app = tmp_path / "app"
    write_files(app, {"plait.yaml": "runs: {a: {render: {files: [app.yml]}}}\n", "app.yml": "kind: ConfigMap\n"})
    assert argo("generate", app, environment) == "kind: ConfigMap\n"
    assert list(announced(app, environment)) == ["plait-run"]


# What a repository may ask for, and must not get: each prints or reads something outside of it, or starts a program.
ATTACKS = {
    "a file outside": {"plait.yml": "runs: {a: {render: {files: [../outside.yml]}}}\n"},
    "an absolute path": {"plait.yml": "runs: {a: {render: {files: [OUTSIDE]}}}\n"},
    "values outside": {"plait.yml": "runs: {a: {render: {files: [app.yml], data-values-file: [../outside.yml]}}}\n"},
    "a variable": {"plait.yml": "runs: {a: {render: {files: [app.yml], data-values-env: [SECRET]}}}\n"},
    "output elsewhere": {"plait.yml": "runs: {a: {render: {files: [app.yml], output-files: ../out}}}\n"},
    "a server": {"plait.yml": 'runs: {a: {render: {files: ["http://127.0.0.1:9/x.yml"]}}}\n'},
}
# Modules that Python would find in the directory of the application.
PLANTED = ("plait", "json", "os", "subprocess", "yaml", "sitecustomize", "usercustomize", "encodings")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_repository_gets_no_permissions_in_argo_cd(
    attack: str, environment: dict[str, str], tmp_path: pathlib.Path
) -> None:
    app, outside = tmp_path / "work" / "app", tmp_path / "work" / "outside.yml"
    write_files(app, {"app.yml": "kind: ConfigMap\n"})
    write_files(app, {name: text.replace("OUTSIDE", str(outside)) for name, text in ATTACKS[attack].items()})
    outside.write_text("secret: hunter2\n")
    before = sorted(tmp_path.rglob("*"))
    for command in ("generate", "parameters"):
        said = argo(command, app, {**environment, "SECRET_x": "hunter2"}, status=None)
        assert "hunter2" not in said
        assert "permission" in said or "trust" in said, said
    assert sorted(tmp_path.rglob("*")) == before


def test_a_repository_runs_no_code_in_argo_cd(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    app = tmp_path / "app"
    shutil.copytree(APP, app)
    for name in PLANTED:
        (app / f"{name}.py").write_text(f"open({str(tmp_path / 'planted')!r}, 'w').write({name!r})\n")
    (app / "plait").mkdir()
    (app / "plait" / "__init__.py").write_text((app / "plait.py").read_text())
    production = {"name": "plait-run", "string": "production"}
    assert "replicas" in argo("generate", app, environment, production)
    assert announced(app, environment, production)
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize("name", ["--trust", "-h", "--project=/", "production\n--trust"])
def test_a_parameter_is_no_flag(name: str, environment: dict[str, str]) -> None:
    said = argo("generate", APP, environment, {"name": "plait-run", "string": name}, status=None)
    assert "not the name of a run" in said or "unknown run" in said
    production = {"name": "plait-run", "string": "production"}
    said = argo("generate", APP, environment, production, {"name": name, "string": "--trust"}, status=1)
    assert "not declared in schema" in said


def test_the_sidecar_has_no_privileges() -> None:
    [container] = yaml.safe_load((EXAMPLES / "argocd" / "sidecar.yaml").read_text())["spec"]["template"]["spec"][
        "containers"
    ]
    # As Argo CD requires: its server as the command, its user, and a directory for temporary files of its own.
    assert container["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert container["securityContext"]["runAsUser"] == 999
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts["/var/run/argocd"] == "var-files"
    assert mounts["/home/argocd/cmp-server/plugins"] == "plugins"
    assert mounts["/tmp"] == "plait-tmp"
    security = container["securityContext"]
    assert (security["runAsNonRoot"], security["readOnlyRootFilesystem"]) == (True, True)
    assert (security["allowPrivilegeEscalation"], security["capabilities"]) == (False, {"drop": ["ALL"]})
    recipe = (EXAMPLES / "argocd" / "Containerfile").read_text()
    assert "\nUSER 999:999\n" in recipe
    for copied in re.findall(r"^COPY (examples/\S+) (\S+)$", recipe, re.MULTILINE):
        assert (ROOT / copied[0]).exists()
    assert {"/home/argocd/cmp-server/config/plugin.yaml", "/home/argocd/cmp-server/plait-argocd"} <= {
        copied[1] for copied in re.findall(r"^COPY (examples/\S+) (\S+)$", recipe, re.MULTILINE)
    }


# ---- Flux


def git(where: pathlib.Path, *arguments: str) -> str:
    argv = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments]
    return subprocess.run(argv, cwd=where, capture_output=True, text=True, check=True).stdout.strip()


def workflow_steps(name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The environment and the named scripts of a workflow's job."""
    [job] = yaml.safe_load((EXAMPLES / "flux" / name).read_text())["jobs"].values()
    return job["env"], {step["name"]: step["run"] for step in job["steps"] if "name" in step}


def do_step(script: str, environment: dict[str, str], where: pathlib.Path) -> str:
    return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], environment, where)


def test_a_rendered_branch_for_flux(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    names, steps = workflow_steps("render.yml")
    remote, author = tmp_path / "remote.git", tmp_path / "author"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    shutil.copytree(APP, author)
    git(author, "init", "-q", "-b", "main")
    git(author, "remote", "add", "origin", str(remote))

    def push(files: dict[str, str]) -> str:
        """Commits and pushes files, runs the workflow in a new machine, and returns the commit of the branch."""
        write_files(author, files)
        git(author, "add", "-A")
        git(author, "commit", "-qm", "change", "--allow-empty")
        git(author, "push", "-q", "origin", "main")
        machine = tmp_path / f"machine-{len(list(tmp_path.glob('machine-*')))}"
        machine.mkdir()
        # As actions/checkout does: one commit, no other branch.
        git(machine, "clone", "-q", "--depth=1", f"file://{remote}", "source")
        given = {**environment, "RUN": names["RUN"], "SOURCE": git(author, "rev-parse", "HEAD")}
        for script in steps.values():
            do_step(script, given, machine)
        return git(remote, "rev-parse", "rendered")

    def objects() -> list[Any]:
        names = git(remote, "ls-tree", "-r", "--name-only", "rendered").split("\n")
        assert all(name.endswith((".yml", ".yaml")) for name in names)
        return [one for name in names for one in yaml.safe_load_all(git(remote, "show", f"rendered:{name}"))]

    first = push({})
    # kustomize-controller makes a kustomization of all YAML files: each document is an object with a name.
    assert [one["data"]["replicas"] for one in objects()] == ["3"]
    assert all({"apiVersion", "kind", "metadata"} <= one.keys() and one["metadata"]["name"] for one in objects())
    assert push({"README.md": "nothing rendered changes\n"}) == first
    second = push({"production.yml": "replicas: 4\n"})
    assert git(remote, "rev-parse", f"{second}^") == first
    assert [one["data"]["replicas"] for one in objects()] == ["4"]


def test_an_artifact_for_flux(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    names, steps = workflow_steps("artifact.yml")
    assert list(steps) == ["render", "push"]
    shutil.copytree(APP, tmp_path / "source")
    flux = tmp_path / "bin" / "flux"
    flux.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$TMPDIR/flux.txt"\n')
    flux.chmod(0o755)
    given = {**environment, **dict.fromkeys(names, "given"), "RUN": names["RUN"]}
    for script in steps.values():
        do_step(script, given, tmp_path)
    command, noun, address, *flags = (tmp_path / "flux.txt").read_text().splitlines()
    assert (command, noun, address) == ("push", "artifact", "given")
    # Of `flux push artifact`; source and revision are required.
    known = {"--path", "--source", "--revision", "--creds", "--reproducible"}
    assert {flag.partition("=")[0] for flag in flags} == known
    [rendered] = (tmp_path / "output").rglob("*.yml")
    assert yaml.safe_load(rendered.read_text())["data"]["replicas"] == "3"


@pytest.mark.parametrize("name", ["sync.yaml", "artifact-sync.yaml"])
def test_flux_applies_what_is_rendered(name: str) -> None:
    source, sync = yaml.safe_load_all((EXAMPLES / "flux" / name).read_text())
    assert source["apiVersion"] == "source.toolkit.fluxcd.io/v1"
    assert {"interval", "url"} <= source["spec"].keys()
    assert sync["apiVersion"] == "kustomize.toolkit.fluxcd.io/v1"
    assert {"interval", "prune", "sourceRef"} <= sync["spec"].keys()
    assert sync["spec"]["sourceRef"] == {"kind": source["kind"], "name": source["metadata"]["name"]}


# ---- kapp-controller


@pytest.fixture
def ytt(environment: dict[str, str], tmp_path: pathlib.Path) -> dict[str, str]:
    """An environment in which `ytt` is plait."""
    run(["plait", "shims", str(tmp_path / "shims")], environment, tmp_path)
    return {**environment, "PATH": f"{tmp_path / 'shims'}:{environment['PATH']}"}


FETCHED = {
    "config/app.yml": '#@ load("@ytt:data", "data")\nkind: ConfigMap\nreplicas: #@ data.values.replicas\n',
    "config/values.yml": "#@data/values\n---\nreplicas: 1\n",
    "notes.txt": "not a template",
}
VALUES = {"values/one.yml": "replicas: 2\n", "values/two.yml": "replicas: 3\n"}
INLINE = {
    "inline/overlay.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nkind: Secret\n'
}


@pytest.mark.parametrize(
    ("argv", "given", "replicas"),
    [
        # The invocations of pkg/template/ytt.go: a directory, paths in it, standard input, inline files, marks, values.
        (["-f", "{top}/fetched/config"], None, 1),
        (["--ignore-unknown-comments", "-f", "{top}/fetched/config"], None, 1),
        (["-f", "{top}/fetched/config/app.yml", "-f", "{top}/fetched/config/values.yml"], None, 1),
        (["-f", "{top}/fetched/config", "-f", "{top}/inline"], None, 1),
        (["-f", "{top}/fetched", "--file-mark", "notes.txt:exclude=true"], None, 1),
        (
            [
                "-f", "{top}/fetched/config", "--data-values-file", "{top}/values/one.yml",
                "--data-values-file", "{top}/values/two.yml",
            ],
            None,
            3,
        ),
        (["-f", "-"], "kind: ConfigMap\nreplicas: 5\n", 5),
        (["-f", "-", "-f", "{top}/inline"], "kind: ConfigMap\nreplicas: 5\n", 5),
    ],
)  # fmt: skip
def test_kapp_controller_calls_ytt(
    argv: list[str], given: str | None, replicas: int, ytt: dict[str, str], tmp_path: pathlib.Path
) -> None:
    write_files(tmp_path, {**{f"fetched/{name}": text for name, text in FETCHED.items()}, **VALUES, **INLINE})
    out = run(["ytt", *(one.format(top=tmp_path) for one in argv)], ytt, tmp_path, given)
    kind = "Secret" if any("inline" in one for one in argv) else "ConfigMap"
    assert yaml.safe_load(out) == {"kind": kind, "replicas": replicas}


def test_kapp_controller_shows_errors_of_ytt(ytt: dict[str, str], tmp_path: pathlib.Path) -> None:
    write_files(tmp_path, {"config/app.yml": "a: #@ nope\n"})
    said = run(["ytt", "-f", str(tmp_path / "config")], ytt, tmp_path, status=1)
    assert said.startswith("ytt: Error: ")
    assert "undefined: nope" in said
    assert str(tmp_path) not in said


def test_the_schema_of_a_package_is_inspected(ytt: dict[str, str], tmp_path: pathlib.Path) -> None:
    """As `kctrl package release` does, which reads the document as OpenAPI."""
    write_files(tmp_path, {"config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\n"})
    argv = ["ytt", "-f", str(tmp_path / "config"), "--data-values-schema-inspect", "-o", "openapi-v3"]
    found = yaml.safe_load(run(argv, ytt, tmp_path))
    properties = found["components"]["schemas"]["dataValues"]["properties"]
    assert properties == {"replicas": {"type": "integer", "default": 1}}


# ---- Helm 4


def test_a_chart_that_helm_renders_is_changed(environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    """A new chart, rendered by the engine of Helm 4, through the command of the plugin."""
    helm = pytest.importorskip("helm_python")
    with helm.Chart.create("shop", tmp_path) as chart:
        manifests = chart.render(name="demo")
    # As Helm's annotateAndMerge: one stream, whose documents name the file that they are from.
    given = []
    for name, text in sorted(manifests.items()):
        for document in yaml.safe_load_all("" if name.endswith("NOTES.txt") else text):
            if document is not None:
                document.setdefault("metadata", {}).setdefault("annotations", {})[FILE] = name
                given.append(document)
    assert {"Deployment", "Service"} <= {one["kind"] for one in given}
    plugin = yaml.safe_load((EXAMPLES / "helm" / "plugin.yaml").read_text())
    [command] = plugin["runtimeConfig"]["platformCommand"]
    argv = [command["command"].replace("${HELM_PLUGIN_DIR}", str(EXAMPLES / "helm"))]
    text = run(argv, environment, tmp_path, yaml.safe_dump_all(given))
    found = list(yaml.safe_load_all(text))
    for one in given:
        if one["kind"] == "Deployment":
            pod = one["spec"]["template"]["spec"]
            pod["securityContext"] = {**(pod.get("securityContext") or {}), "runAsNonRoot": True}
    assert found == given


FILE = "postrenderer.helm.sh/postrender-filename"
