"""The attacks on the editor and on `plait mcp`, against each integration: a repository, a chart or a list of resources gets
no trust.

The integrations are the sections of docs/integrations.md: a new one without an entry here fails.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml
from test_attacks import OUTSIDE, SETTINGS

from files import write_files
from test_gitops import EXAMPLES, argo, container, run, workflow_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "integrations.md"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the examples are for Linux containers")


class Site:
    """A hostile repository `source`, with a directory `outside` beside it, on a machine."""

    def __init__(self, top: pathlib.Path) -> None:
        self.top = top
        self.source = top / "machine" / "source"
        self.outside = self.source.parent / "outside"
        self.environment = {**container(top), "SECRET_OF_name": OUTSIDE, "PLAIT_CACHE_DIR": ""}
        write_files(self.outside, {"values.yml": f"name: {OUTSIDE}\n", "lib.star": f'name = "{OUTSIDE}"\n'})
        write_files(self.source, {"a.yml": '#@ load("@ytt:data", "data")\na: #@ data.values\n'})
        write_files(self.source, {".git/config": f"[user]\nname = {OUTSIDE}\n"})
        (self.source / "link.yml").symlink_to(self.outside / "values.yml")

    def ran(self, argv: list[str], given: str | None = None, **more: str) -> str:
        """All that a program prints in the repository."""
        return run(argv, {**self.environment, **more}, self.source, given, status=None)

    def step(self, script: str, **more: str) -> str:
        """All that a step of a workflow prints, and the files that it writes."""
        found = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            env={**self.environment, **more}, cwd=self.source.parent, capture_output=True, text=True, check=False,
        )  # fmt: skip
        written = [path.read_text("utf-8") for path in self.source.parent.glob("output/**/*") if path.is_file()]
        return "\n".join([found.stdout, found.stderr, *written])


# ---- integrations that read plait.yml of a repository; each is asked for the run r


def argo_cd(site: Site) -> Iterator[str]:
    for command in ("generate", "parameters"):
        for given in ([], [{"name": "plait-run", "string": "r"}], [{"name": "name", "string": "x"}]):
            yield argo(command, site.source, site.environment, *given, status=None)


def flux(site: Site) -> Iterator[str]:
    for name in ("render.yml", "artifact.yml"):
        _, steps = workflow_steps(name)
        yield site.step(steps["render"], RUN="r")


def github_actions(site: Site) -> Iterator[str]:
    """The step of action.yml: with a run, and with the command line of its page."""
    [step] = [one for one in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if one["name"] == "run"]
    programs = site.top / "runner" / "plait" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    if not (programs / "python").exists():
        (programs / "python").symlink_to(sys.executable)
        shutil.copy(site.top / "bin" / "plait", programs / "plait")
    for arguments in ("run --project source r", "lint --project source", "fleet --project source --output-files out"):
        yield site.step(step["run"], ARGS=arguments, RUNNER_TEMP=str(site.top / "runner"))


PROJECTS: Mapping[str, Callable[[Site], Iterator[str]]] = {
    "Argo CD": argo_cd, "Flux": flux, "GitHub Actions": github_actions,
}  # fmt: skip


# ---- integrations that are given files or documents; a plait.yml among them asks for everything

# Templates that read something else, by name. OUTSIDE is the directory.
TEMPLATES = {
    "read": '#@ load("@ytt:data", "data")\na: #@ data.read("../outside/values.yml")\n',
    "read-absolute": '#@ load("@ytt:data", "data")\na: #@ data.read("OUTSIDE/values.yml")\n',
    "read-git": '#@ load("@ytt:data", "data")\na: #@ data.read(".git/config")\n',
    "load": '#@ load("../outside/lib.star", "name")\na: #@ name\n',
    "load-absolute": '#@ load("OUTSIDE/lib.star", "name")\na: #@ name\n',
    "load-root": '#@ load("/../outside/lib.star", "name")\na: #@ name\n',
    "library": '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
    'a: #@ template.replace(library.get("../../outside").eval())\n',
    "environment": '#@ load("@ytt:data", "data")\na: #@ data.values.SECRET_OF_name\n',
}  # fmt: skip


def templates(site: Site) -> dict[str, str]:
    return {name: text.replace("OUTSIDE", str(site.outside)) for name, text in TEMPLATES.items()}


def kapp_controller(site: Site) -> Iterator[str]:
    site.ran(["plait", "shims", str(site.top / "shims")])
    path = f"{site.top / 'shims'}:{site.environment['PATH']}"
    for name, text in templates(site).items():
        write_files(site.source, {f"{name}/app.yml": text})
        yield site.ran(["ytt", "-f", name], PATH=path)
        yield site.ran(["ytt", "-f", "-"], text, PATH=path)
    write_files(site.source, {"linked/a.yml": "a: 1\n"})
    (site.source / "linked" / "b.yml").symlink_to(site.outside / "values.yml")
    (site.source / "directory").symlink_to(site.outside)
    for given in ("linked", "directory", "."):
        yield site.ran(["ytt", "-f", given], PATH=path)


def helm(site: Site) -> Iterator[str]:
    """What charts render is data: code in it is not evaluated, and is in the output as it was."""
    renderer = str(EXAMPLES / "helm" / "post-renderer")
    for text in (*templates(site).values(), "a: ((SECRET_OF_name))\nb: (@= data.read('../outside/values.yml') @)\n"):
        found = site.ran([renderer], text)
        assert list(yaml.safe_load_all(found)) == list(yaml.safe_load_all(text))
        yield found


def kustomize(site: Site) -> Iterator[str]:
    specs: list[dict[str, object]] = [{"templates": {"t.yml": text}} for text in templates(site).values()]
    for name in ("../outside/values.yml", f"{site.outside}/values.yml", "link.yml"):
        specs.append({"templates": {name: "a: 1\n"}})
        specs.append({"values": name})
        specs.append({"operations": [{"type": "replace", "path": "/a", "value": f"(({name}))"}]})
    specs.append({"operations": [{"type": "replace", "path": "/a", "value": "((SECRET_OF_name))"}]})
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "a": 1}
    for spec in specs:
        function = {"apiVersion": "plait/v1", "kind": "Plait", "metadata": {"name": "x"}, "spec": spec}
        given = {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "items": [item],
            "functionConfig": function,
        }
        yield site.ran([str(EXAMPLES / "kustomize" / "plait-krm")], json.dumps(given))


def pre_commit(site: Site) -> Iterator[str]:
    """The hooks name their inputs; no hook reads the project file."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        for name in ("a.yml", "plait.yml"):
            yield site.ran([*hook["entry"].split(), *(["-f"] if hook["id"] == "plait-render" else []), name])


FILES: Mapping[str, Callable[[Site], Iterator[str]]] = {
    "kapp-controller": kapp_controller, "Helm": helm, "Kustomize and kpt": kustomize, "pre-commit": pre_commit,
}  # fmt: skip

# Sections without an attack of their own, with the reason.
OTHERS = {
    "Installers, one file, a container": "they start the command line: tests/security/test_trust.py",
    "kubectl": "it reads what a command prints",
    "Shells": "tests/security/test_reach.py",
}


def test_every_integration_has_an_entry() -> None:
    sections = re.findall(r"^## (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {*sections} == PROJECTS.keys() | FILES.keys() | OTHERS.keys(), "a new integration: attack it here"
    # Each directory of an example is on the page, or is none of an integration.
    others = {
        "layer",
        "patch",
        "quickstart",
        "quickstart.expected",
        "serve",
        "three-dialects",
        "three-dialects.expected",
    }
    named = {*re.findall(r"examples/(\w+)", PAGE.read_text("utf-8"))}
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} <= named | others


def unharmed(site: Site, attacked: Callable[[Site], Iterator[str]]) -> list[str]:
    """What an integration prints for a hostile repository, after nothing outside was shown, written or started."""
    state = {path: path.read_bytes() for path in site.outside.rglob("*")}
    found = [*attacked(site)]
    assert found
    for said in found:
        assert OUTSIDE not in said
        assert "Traceback" not in said
    assert state == {path: path.read_bytes() for path in site.outside.rglob("*")}
    assert not [*site.top.rglob("started")]
    # Such as a decision to trust the project.
    assert not (site.top / "home").exists()
    return found


def hostile(setting: str, site: Site) -> str:
    return f"runs: {{r: {setting.replace('OUTSIDE', str(site.outside))}}}\n"


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("integration", PROJECTS)
def test_a_project_gets_no_trust(integration: str, kind: str, tmp_path: pathlib.Path) -> None:
    site = Site(tmp_path)
    write_files(site.source, {"plait.yml": hostile(SETTINGS[kind], site)})
    said = unharmed(site, PROJECTS[integration])
    # A run of plait patch has no files to write: the command line of the workflow does not get as far as the store.
    expected = "unknown flag" if (integration, kind) == ("Flux", "store") else "no permission"
    assert any(expected in one for one in said), said


@pytest.mark.parametrize("integration", FILES)
def test_files_and_documents_get_no_trust(integration: str, tmp_path: pathlib.Path) -> None:
    site = Site(tmp_path)
    runs = "".join(f"  {name}: {setting.replace('OUTSIDE', str(site.outside))}\n" for name, setting in SETTINGS.items())
    write_files(site.source, {"plait.yml": f"runs:\n{runs}"})
    unharmed(site, FILES[integration])


def test_the_attacks_can_succeed(tmp_path: pathlib.Path) -> None:
    """With trust, a project reads what is outside: the tests above can fail."""
    site = Site(tmp_path)
    write_files(site.source, {"plait.yml": hostile(SETTINGS["absolute"], site)})
    assert OUTSIDE in site.ran(["plait", "run", "r", "--trust"])
