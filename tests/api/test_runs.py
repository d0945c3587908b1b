"""Runs of a project, and values by PATH, from Python."""

from __future__ import annotations

import pathlib

import pytest

import plait

FILES = {
    "plait.yml": """\
runs:
  web: {render: {files: [app.yml, values.yml], data-value-yaml: [replicas=3]}}
  other: {patch: {base: base.yml}}
""",
    "app.yml": """\
#@ load("@ytt:data", "data")
kind: Deployment
metadata: {name: web}
spec:
  replicas: #@ data.values.replicas
""",
    "values.yml": "#@data/values\n---\nreplicas: 1\n",
    "base.yml": "ports: [80, 443]\n",
}


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_run_is_what_the_command_prints(project: pathlib.Path) -> None:
    found = plait.run(project, "web", trace=True)
    assert found.value("Deployment/web:spec.replicas") == 3
    assert plait.explain(found, "Deployment/web:spec.replicas")[0].entries[-1].place.endswith("app.yml:5")
    assert plait.run(project / "plait.yml", "other").to_dict() == {"ports": [80, 443]}


def test_a_project_lists_its_runs(project: pathlib.Path) -> None:
    found = plait.project(project)
    assert (found.runs, repr(found)) == (["web", "other"], "<Project of 2: web, other>")
    assert found.run("other") == plait.run(project, "other")


def test_an_unknown_run_is_named_with_the_nearest(project: pathlib.Path) -> None:
    with pytest.raises(plait.UsageError) as error:
        plait.run(project, "wbe")
    assert error.value.hint == 'did you mean "web"?'


def test_values_by_path(project: pathlib.Path) -> None:
    found = plait.run(project, "other")
    assert found.values("ports[*]") == [80, 443]
    assert found.value("/ports/0") == 80
    with pytest.raises(plait.UsageError, match=r'"ports\[\*\]" means 2 values'):
        found.value("ports[*]")
    with pytest.raises(plait.UsageError, match='no key "port"'):
        found.value("port")
    with pytest.raises(TypeError, match=r"value\('ports'\)"):
        found["ports"]  # type: ignore[call-overload]
