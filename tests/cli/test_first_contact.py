"""Mistakes of people who try plait for the first time, each with the answer that helps."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from plait.cli import main

Told = Callable[..., tuple[int, str]]
IMAGE = "registry.example.com/a/team/with/a/long/name/web-server:1.27.3-alpine"
FILES = {
    "config/app.yml": f"""\
#@ load("@ytt:data", "data")
kind: Deployment
metadata: {{name: web}}
namespace: #@ data.values.namespace
spec: {{image: {IMAGE}}}
---
kind: Service
metadata: {{name: web}}
spec: {{port: 80}}
""",
    "config/values.yml": "#@data/values\n---\nnamespace: shop\n",
    "plait.yml": "runs: {prod: {render: {files: [config]}}}\n",
    "tests/prod.test.yml": """\
tests:
  compared: {run: prod, same-as: {file: gone.yml}}
  image: {run: prod, equals: {"Service/web:spec.port": 80}}
""",
}


@pytest.fixture
def told(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Told:
    """A function that runs a command line in a small project: the status, and all that it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for path, content in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content, "utf-8")

    def run(*words: str) -> tuple[int, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out + err

    return run


def test_a_pipe_gets_the_whole_value(told: Told) -> None:
    status, text = told("explain", "run", "prod", "Deployment/web:spec.image")
    assert status == 0
    assert text.splitlines()[0].endswith(IMAGE)
    assert text.count(IMAGE) >= 2


def test_a_key_that_no_document_has_at_its_top(told: Told) -> None:
    status, text = told("explain", "run", "prod", "port")
    assert status == 2
    assert 'no key "port" in any of 2 documents' in text
    assert 'did you mean "Service/web:spec.port"?' in text


def test_a_data_value_was_not_taken_out_of_the_output(told: Told) -> None:
    pathlib.Path("config/values.yml").write_text("#@data/values\n---\nnamespace: shop\nsize: 1\n", "utf-8")
    text = told("explain", "run", "prod", "size", "--not")[1]
    assert text.startswith('no key "size" in any of 2 documents')


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["explain", "prod", "spec.image"], "run prod"),
        (["explain", "production", "spec.image"], "run prod"),
        (["impact", "elsewhere/values.yml:3"], "run prod elsewhere/values.yml:3"),
    ],
)
def test_a_word_that_is_no_command_is_about_a_run(told: Told, words: list[str], hint: str) -> None:
    text = told(*words)[1]
    assert hint in text or "Deployment/web:spec.image" in text


@pytest.mark.parametrize("name", ["data-values", "values", "data"])
def test_values_in_a_project_file(told: Told, name: str) -> None:
    pathlib.Path("plait.yml").write_text(
        f"runs: {{prod: {{render: {{files: [config], {name}: {{size: 1}}}}}}}}\n", "utf-8"
    )
    assert "set: {name: value}" in told("run", "prod")[1]


def test_a_file_that_is_missing_fails_its_own_test_only(told: Told) -> None:
    status, text = told("test")
    assert status == 1
    assert '"tests/gone.yml"' in text or "tests/gone.yml" in text
    assert "1 passed, 1 failed" in text
    assert told("test", "-k", "image")[0] == 0


def test_what_comes_from_other_files_is_named_below_an_array(told: Told) -> None:
    pathlib.Path("base.yml").write_text("name: x\njobs: [{name: a}]\n", "utf-8")
    ops = "".join(f"- {{type: replace, path: /jobs/-, value: {{name: {name}}}}}\n" for name in "bc")
    pathlib.Path("ops.yml").write_text(ops, "utf-8")
    text = told("explain", "patch", "base.yml", "-o", "ops.yml", "/jobs")[1]
    assert "ops.yml:1" in text
    assert "ops.yml:2" in text
    assert "base.yml" in text


def test_runs_are_not_compared_as_files(told: Told) -> None:
    for words, wanted in ((["prod", "prod"], 1), (["run", "prod", "run", "prod"], 2)):
        status, text = told("diff", *words)
        assert status == wanted
        assert "plait fleet diff A B" in text


SITE = {
    "site/one/site-definition.yaml": """\
schema: pegleg/SiteDefinition/v1
metadata: {schema: metadata/Document/v1, layeringDefinition: {abstract: false, layer: site}, name: one, storagePolicy: cleartext}
data: {site_type: small}
""",
    "type/small/a.yaml": """\
schema: a/B/v1
metadata: {schema: metadata/Document/v1, name: b, storagePolicy: encrypted, layeringDefinition: {abstract: false, layer: type}}
data: {deep: {key: 1}}
""",
    "global/policy.yaml": """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, type, site]}
""",
}


def test_the_sites_of_a_repository_are_runs_and_encrypted_data_is_named(told: Told) -> None:
    pathlib.Path("plait.yml").unlink()
    for path, content in SITE.items():
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(content, "utf-8")
    status, text = told("init", "--dry-run")
    assert status == 0
    assert "site: site/one" in text
    for asked in ("b:data.deep.key", "**.key"):
        assert "--cleartext-secrets shows it" in told("explain", "layer", "--site", "site/one", asked)[1]
