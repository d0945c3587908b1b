"""Projects in revisions: what their runs make, is what the command line makes of the same files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serving
import yaml

from files import write_files
from plait.base.errors import PlaitError
from plait.base.sandbox import ask
from plait.cli import main
from plait.service.app import application
from plait.service.project_files import documents_in
from plait.service.yaml_bodies import text_of

PROJECT = {
    "plait.yml": """\
runs:
  app:
    matrix:
      axes: {region: [eu, us], size: [1, 2]}
    render:
      files: [config]
      set: {region: "{region}", size: "{size}"}
  manifest:
    patch: {base: manifest.yml, ops: [scale.yml], vars: {instances: 3}}
""",
    "config/app.yml": """\
#@ load("@ytt:data", "data")
---
region: #@ data.values.region
size: #@ data.values.size
""",
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\nsize: 0\n",
    "manifest.yml": "name: größe\ninstances: 1\n",
    "scale.yml": "- type: replace\n  path: /instances\n  value: ((instances))\n",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[serving.Client]:
    found = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", keys=serving.keys("one")))
    yield found
    found.close()


def written(directory: Path, files: dict[str, str]) -> Path:
    write_files(directory, files)
    return directory


def put(client: serving.Client, files: dict[str, str], bucket: str = "project") -> serving.Reply:
    documents = [
        {"schema": "plait/File/v1", "metadata": {"schema": "metadata/Control/v1", "name": name}, "data": text}
        for name, text in files.items()
    ]
    return client.ask("PUT", f"/buckets/{bucket}/documents", yaml.safe_dump_all(documents, allow_unicode=True))


def fleet(client: serving.Client, path: str) -> Any:
    reply = client.ask("GET", path)
    assert reply.status == 200, reply.text
    return reply.document


def test_runs_make_what_the_command_line_makes(client: serving.Client, tmp_path: Path) -> None:
    directory = written(tmp_path / "files", PROJECT)
    stream = text_of(list(documents_in(str(directory))))
    assert client.ask("PUT", "/buckets/project/documents", stream).status == 200
    names = [one["name"] for one in fleet(client, "/revisions/1/fleet")]
    assert sorted(names) == ["app/eu/1", "app/eu/2", "app/us/1", "app/us/2", "manifest"]
    for name in names:
        command = [sys.executable, "-m", "plait", "run", name]
        expected = subprocess.run(command, cwd=directory, capture_output=True, check=True).stdout.decode()
        assert client.ask("GET", f"/revisions/1/runs/{name}").text == expected


def test_two_revisions_differ_in_some_runs(client: serving.Client) -> None:
    put(client, PROJECT)
    before = {one["name"]: one["digest"] for one in fleet(client, "/revisions/1/fleet")}
    changed = PROJECT | {"plait.yml": PROJECT["plait.yml"].replace("[eu, us]", "[eu, asia]").replace("3}", "4}")}
    put(client, changed)
    found = {one["name"]: one for one in fleet(client, "/revisions/1/fleet/2?diff=true")}
    assert {name: one["status"] for name, one in found.items()} == {
        "app/eu/1": "unmodified",
        "app/eu/2": "unmodified",
        "app/us/1": "deleted",
        "app/us/2": "deleted",
        "app/asia/1": "created",
        "app/asia/2": "created",
        "manifest": "modified",
    }
    assert found["manifest"]["diff"] == "@@ -1,2 +1,2 @@\n-instances: 3\n+instances: 4\n name: größe\n"
    client.ask("POST", "/rollback/1")
    assert {one["name"]: one["digest"] for one in fleet(client, "/revisions/3/fleet")} == before
    assert {one["status"] for one in fleet(client, "/revisions/1/fleet/3")} == {"unmodified"}
    assert {one["status"] for one in fleet(client, "/revisions/0/fleet/1")} == {"created"}


def test_an_error_has_its_file_and_line_and_is_of_one_run(client: serving.Client) -> None:
    put(client, PROJECT | {"config/app.yml": "a: 1\nb: #@ missing\n"})
    found = {one["name"]: one for one in fleet(client, "/revisions/1/fleet")}
    assert found["manifest"]["status"] == "rendered"
    assert "config/app.yml:2" in found["app/eu/1"]["error"]
    reply = client.ask("GET", "/revisions/1/runs/app/eu/1")
    assert reply.status == 400
    assert "config/app.yml:2" in reply.text
    assert client.ask("GET", "/revisions/1/runs/other").status == 404


# Runs that fail, by what they ask for.
FAULTS = {
    "a path above": "{patch: {base: ../x.yml}}",
    "an absolute path": "{patch: {base: /x/y.yml}}",
    "a missing file": "{patch: {base: missing.yml}}",
    "a missing directory": "{render: {files: [missing/]}}",
    "a file that cannot be read": "{render: {files: [broken.yml]}}",
    "a template that fails": "{render: {files: [failing.yml]}}",
    "a missing schema": "{render: {files: [manifest.yml], schema: missing.json}}",
    "a missing pipeline": "{compose: {file: missing.yml}}",
    "a pipeline with a fault": "{compose: {file: steps.yml}}",
    "a missing site": "{layer: {site: missing}}",
    "secrets of a directory": "{render: {files: [manifest.yml], secrets: ['dir:../x']}}",
    "a program": "{render: {files: [manifest.yml], secrets: ['exec:x']}}",
    "a server": "{render: {files: ['http://localhost:9/x.yml']}}",
    "a store": "{patch: {base: manifest.yml, vars-store: /x/store.yml}}",
}
FAULTY = {
    "plait.yml": "runs:\n" + "".join(f"  {name}: {run}\n" for name, run in FAULTS.items()),
    "manifest.yml": "a: 1\n",
    "broken.yml": "a: [1\n",
    "failing.yml": "#@ fail('x')\n",
    "steps.yml": "steps: [{render: {files: [../x.yml]}}]\n",
}


def test_errors_name_no_temporary_path(client: serving.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a project are written to a directory that nobody knows."""
    (tmp_path / "canary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "canary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "canary"))
    put(client, FAULTY)
    found = fleet(client, "/revisions/1/fleet")
    assert {one["name"] for one in found if one["error"]} == {*FAULTS}
    for one in found:
        assert "plait-" not in one["error"], one
        assert "canary" not in one["error"], one
    put(client, {"plait.yml": "runs: {app: {base: ../x}}\n"}, "project")
    assert "plait-" not in client.ask("GET", "/revisions/2/fleet").text


def test_a_site_replaces_a_file_and_values_of_documents_stand_in_it(client: serving.Client) -> None:
    def layered(layer: str, text: str, **more: object) -> dict[str, object]:
        metadata = {"schema": "metadata/Document/v1", "name": "app.yml", "storagePolicy": "cleartext"}
        definition: dict[str, object] = {"layer": layer}
        if layer == "site":
            definition |= {"parentSelector": {"file": "app"}, "actions": [{"method": "replace", "path": "."}]}
        return {
            "schema": "plait/File/v1",
            "metadata": metadata | {"labels": {"file": "app"}, "layeringDefinition": definition} | more,
            "data": text,
        }

    source = {"src": {"schema": "example/Kind/v1", "name": "host", "path": ".name"}}
    documents = [
        serving.document("policy"),
        serving.document({"name": "host", "data": {"name": "db.example.com"}}),
        layered("global", "host: none\n"),
        layered(
            "site",
            "host: HOST\n",
            replacement=True,
            substitutions=[source | {"dest": {"path": ".", "pattern": "HOST"}}],
        ),
        {
            "schema": "plait/File/v1",
            "metadata": {"schema": "metadata/Control/v1", "name": "plait.yml"},
            "data": "runs: {app: {render: {files: [app.yml]}}}",
        },
    ]
    assert client.ask("PUT", "/buckets/a/documents", yaml.safe_dump_all(documents)).status == 200
    reply = client.ask("GET", "/revisions/1/runs/app")
    assert (reply.status, reply.text) == (200, "host: db.example.com\n")


def test_encrypted_files_need_the_role_for_them(tmp_path: Path) -> None:
    from plait.service.identity import digest_of

    tokens = [{"name": name, "digest": digest_of(name), "roles": [name]} for name in ("admin", "reader")]
    (tmp_path / "tokens.yml").write_text(yaml.safe_dump(tokens), "utf-8")
    app = application(
        f"sqlite:///{tmp_path}/plait.db",
        tokens=str(tmp_path / "tokens.yml"),
        keys=serving.keys("one"),
        policy={"deckhand:list_cleartext_documents": ["admin", "reader"]},
    )
    client = serving.Client(app)
    metadata = {"schema": "metadata/Document/v1", "storagePolicy": "encrypted", "layeringDefinition": {"layer": "site"}}
    secret = {"schema": "plait/File/v1", "metadata": metadata | {"name": "values.yml"}, "data": "password: hidden\n"}
    project = {
        "schema": "plait/File/v1",
        "metadata": {"schema": "metadata/Control/v1", "name": "plait.yml"},
        "data": "runs: {app: {render: {files: [values.yml]}}}",
    }
    body = yaml.safe_dump_all([serving.document("policy"), secret, project])
    assert client.ask("PUT", "/buckets/a/documents", body, authorization="Bearer admin").status == 200
    for path in ("/revisions/1/runs/app", "/revisions/1/fleet", "/revisions/0/fleet/1"):
        refused = client.ask("GET", path, authorization="Bearer reader")
        assert refused.status == 403
        assert "hidden" not in refused.text
    assert client.ask("GET", "/revisions/1/runs/app", authorization="Bearer admin").text == "password: hidden\n"
    client.close()


@pytest.mark.parametrize("name", ["../app.yml", "/etc/passwd", "a//b", "a\\b", "C:/a", "a/../../b", "."])
def test_names_that_are_no_paths_are_refused(client: serving.Client, name: str) -> None:
    reply = put(client, {name: "a: 1\n"})
    assert reply.status == 400
    assert "a path within a project" in reply.text


def test_a_file_is_a_text(client: serving.Client) -> None:
    document = {"schema": "plait/File/v1", "metadata": {"schema": "metadata/Control/v1", "name": "a"}, "data": {"a": 1}}
    reply = client.ask("PUT", "/buckets/a/documents", yaml.safe_dump(document))
    assert reply.status == 400
    assert "must be the text of a file" in reply.text


def test_a_run_reaches_nothing_of_the_machine(client: serving.Client, tmp_path: Path) -> None:
    (tmp_path / "secret.yml").write_text("password: hidden\n", "utf-8")
    runs = {
        "file": {"render": {"files": [str(tmp_path / "secret.yml")]}},
        "above": {"render": {"files": ["../"]}},
        "url": {"render": {"files": ["http://127.0.0.1:9/a.yml"]}},
        "environment": {"render": {"files": ["a.yml"], "data-values-env": "HO"}},
        "store": {"patch": {"base": "a.yml", "vars-store": "store.yml"}},
    }
    put(
        client,
        {"plait.yml": yaml.safe_dump({"runs": runs}), "a.yml": "a: ((b))\nvariables: [{name: b, type: password}]\n"},
    )
    for one in fleet(client, "/revisions/1/fleet"):
        assert "hidden" not in str(one)
        if one["name"] in ("file", "above", "url"):
            assert one["status"] == "failed"
    assert next(one for one in fleet(client, "/revisions/1/fleet") if one["name"] == "store")["status"] == "failed"


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", limits={"seconds": 2}))
    text = "#@ def f():\n#@   return [0 for _ in range(1000000000)]\n#@ end\na: #@ f()\n"
    put(client, {"plait.yml": "runs: {a: {render: {files: [a.yml]}}}", "a.yml": text})
    assert client.ask("GET", "/revisions/1/runs/a").status == 400
    client.close()


def test_a_mistake_of_ours_is_logged_without_values(
    client: serving.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(client, {"plait.yml": "runs: {a: {render: {files: [a.yml]}}}", "a.yml": "a: canary\n"})

    def asked(module: str, request: bytes, *, seconds: float) -> bytes:
        broken = json.loads(request) | {"only": None}
        del broken["limits"]
        return ask(module, json.dumps(broken).encode(), seconds=seconds)

    monkeypatch.setattr("plait.service.projects.ask", asked)
    reply = client.ask("GET", "/revisions/1/fleet")
    assert (reply.status, "canary" in caplog.text) == (500, False)
    assert re.search(r"KeyError at .*project_evaluation\.py:\d+", caplog.text)


def test_a_revision_without_a_project(client: serving.Client) -> None:
    client.ask("PUT", "/buckets/a/documents", serving.body_of([{"name": "one"}]))
    assert client.ask("GET", "/revisions/1/fleet").status == 404
    put(client, {"a.yml": "a: 1\n"})
    reply = client.ask("GET", "/revisions/2/fleet")
    assert reply.status == 400
    assert "plait.yml" in reply.text
    put(client, {"plait.yml": "runs: [\n"})
    reply = client.ask("GET", "/revisions/3/fleet")
    assert reply.status == 400
    assert "plait.yml:" in reply.text


def test_a_directory_becomes_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = written(tmp_path / "files", PROJECT | {".git/config": "x", "a/.hidden": "x"})
    assert main(["serve", "documents", str(directory)]) == 0
    found = list(yaml.safe_load_all(capsys.readouterr().out))
    assert {one["metadata"]["name"]: one["data"] for one in found} == PROJECT
    (directory / "binary").write_bytes(b"\xff")
    with pytest.raises(PlaitError, match="not UTF-8 text"):
        list(documents_in(str(directory)))
    assert main(["serve", "documents", str(tmp_path / "none")]) != 0
    assert "No such file or directory" in capsys.readouterr().err
