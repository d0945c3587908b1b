"""What a fleet takes from the cache is what it would make: whatever a run reads, a change of it is a change of the run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from test_fleet import contents, put

from plait.fleet.api import fleet

TEMPLATE = '#@ load("@ytt:data", "data")\n---\nvalue: #@ data.values.value\n'
SCHEMA = "#@data/values-schema\n---\nvalue: ''\n"
SITE = (
    "schema: pegleg/SiteDefinition/v1\nmetadata: {schema: metadata/Document/v1, name: one}\ndata: {site_type: small}\n"
)
DOCUMENT = """\
schema: example/Thing/v1
metadata:
  schema: metadata/Document/v1
  name: NAME
  storagePolicy: cleartext
  layeringDefinition: {abstract: false, layer: site}
data: {a: 1}
"""
POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, type, site]}
"""
Change = Callable[[pytest.MonkeyPatch], object]


def write(path: str, text: str) -> Change:
    return lambda _: put(Path(), {path: text})


def directory(path: str) -> Change:
    def work(_: pytest.MonkeyPatch) -> None:
        os.unlink(path)
        os.mkdir(path)

    return work


def link(path: str, target: str) -> Change:
    def work(_: pytest.MonkeyPatch) -> None:
        if os.path.lexists(path):
            os.rename(path, f"{path}.before")
        os.symlink(target, path)

    return work


RENDER = {"config/app.yml": TEMPLATE, "config/schema.yml": SCHEMA, "values.yml": "value: a\n"}
OPS = {"base.yml": "a: 1\n", "ops/one/add.yml": "- {type: replace, path: /b?, value: 1}\n", "ops/two/none.txt": ""}
ADD = "- {type: replace, path: /c?, value: 1}\n"
SITES = {"site/one/site-definition.yaml": SITE, "global/policy.yaml": POLICY, "site/one/a.yaml": DOCUMENT}
STEPS = {"base.yml": "a: ((a))\n", "plait.yml": "", "steps.yml": "steps: [{render: {files: base.yml}}]\n"}

# What lies there, the run, and what then changes.
CHANGES: dict[str, tuple[dict[str, str], str, Change]] = {
    "an environment variable of data values": (
        RENDER,
        "render: {files: config, data-values-env: FLEET}",
        lambda patch: patch.setenv("FLEET_value", "b"),
    ),
    "an environment variable that is gone": (
        RENDER,
        "render: {files: config, data-values-env-yaml: FLEET}",
        lambda patch: patch.delenv("FLEET_value"),
    ),
    "an environment variable of the name of a data value": (
        {**RENDER, "config/schema.yml": "#@data/values-schema\n---\nvalue: ''\n"},
        "render: {files: config, data-values-env-all: true}",
        lambda patch: patch.setenv("VALUE", "b"),
    ),
    "an environment variable of variables": (
        {"base.yml": "a: ((a))((b))\n"},
        "patch: {base: base.yml, vars-env: VARS}",
        lambda patch: patch.setenv("VARS_b", "2"),
    ),
    "an environment variable of a library": (
        {
            **{
                f"config/_ytt_lib/app/{name}": text
                for name, text in {"app.yml": TEMPLATE, "schema.yml": SCHEMA}.items()
            },
            "config/all.yml": '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n'
            '--- #@ template.replace(library.get("app").eval())\n',
        },
        'render: {files: config, data-values-env: "@app:FLEET"}',
        lambda patch: patch.setenv("FLEET_value", "b"),
    ),
    "the home directory": (
        {"base.yml": "a: ((a))\n", "home/vars.yml": "a: 1\n", "away/vars.yml": "a: 2\n"},
        "patch: {base: base.yml, vars-store: ~/vars.yml}",
        lambda patch: patch.setenv("HOME", os.path.abspath("away")),
    ),
    "a variables store": (
        {"base.yml": "a: ((a))\n", "store.yml": "a: 1\n"},
        "patch: {base: base.yml, vars-store: store.yml}",
        write("store.yml", "a: 2\n"),
    ),
    "a values file": (
        RENDER,
        "render: {files: config, data-values-file: values.yml}",
        write("values.yml", "value: b\n"),
    ),
    "the content of a value": (
        RENDER,
        'render: {files: config, data-value-file: "value=values.yml"}',
        write("values.yml", "value: b\n"),
    ),
    "a text that is read by code": (
        {"config/a.yml": '#@ load("@ytt:data", "data")\n---\na: #@ data.read("a.txt")\n', "config/a.txt": "1"},
        "render: {files: config}",
        write("config/a.txt", "2"),
    ),
    "a module": (
        {
            "config/a.yml": '#@ load("a.star", "a")\n---\na: #@ a\n',
            "config/a.star": "a = 1\n",
        },
        "render: {files: config}",
        write("config/a.star", "a = 2\n"),
    ),
    "the names in a directory, for code": (
        {"config/a.yml": '#@ load("@ytt:data", "data")\n---\na: #@ data.list()\n', "config/b/a.txt": ""},
        "render: {files: config}",
        write("config/b/c.txt", ""),
    ),
    "a new directory of templates": (RENDER, "render: {files: config}", write("config/b/c.yml", "c: 1\n")),
    "a file that is gone": (
        {**RENDER, "config/more.yml": "a: 1\n"},
        "render: {files: config}",
        lambda _: os.unlink("config/more.yml"),
    ),
    "a file that cannot be read": (
        RENDER,
        "render: {files: config}",
        directory("config/app.yml"),
    ),
    "a file that becomes a link": (
        {**RENDER, "elsewhere.yml": TEMPLATE},
        "render: {files: config}",
        link("config/app.yml", "../elsewhere.yml"),
    ),
    "a values file that becomes a link": (
        {**RENDER, "elsewhere.yml": RENDER["values.yml"]},
        "render: {files: config, data-values-file: values.yml}",
        link("values.yml", "elsewhere.yml"),
    ),
    "a directory that becomes a link": (
        {**RENDER, "config/b/c.yml": "c: 1\n", "d/c.yml": "c: 1\n"},
        "render: {files: config}",
        link("config/b", "../d"),
    ),
    "a new ops file in a directory": (OPS, "patch: {base: base.yml, ops: ops/one}", write("ops/one/b.yml", ADD)),
    "a new ops file of a pattern": (OPS, "patch: {base: base.yml, ops: 'ops/*/*.yml'}", write("ops/two/b.yml", ADD)),
    "a new directory of a pattern": (OPS, "patch: {base: base.yml, ops: 'ops/**/*.yml'}", write("ops/b/c/d.yml", ADD)),
    "a new document of a site": (
        SITES,
        "layer: {site: site/one}",
        write("site/one/b.yaml", DOCUMENT.replace("NAME", "b")),
    ),
    "a new directory of a site's type": (
        SITES,
        "layer: {site: site/one}",
        write("type/small/b.yaml", DOCUMENT.replace("NAME", "b")),
    ),
    "a secret of the environment": (
        {
            "a.yaml": POLICY
            + "---\n"
            + DOCUMENT.replace("cleartext", "encrypted").replace(
                "{a: 1}", "http://secrets.example/v1/secrets/123e4567-e89b-12d3-a456-426614174000"
            )
        },
        "layer: {files: a.yaml, secrets-env: SECRET_, cleartext-secrets: true}",
        lambda patch: patch.setenv("SECRET_123E4567_E89B_12D3_A456_426614174000", "b"),
    ),
    "the steps of a pipeline": (
        STEPS,
        "compose: {file: steps.yml}",
        write("steps.yml", "steps: [{render: {files: base.yml}}, {patch: {vars: {a: 1}}}]\n"),
    ),
    "what a step reads": (STEPS, "compose: {file: steps.yml}", write("base.yml", "a: 2\n")),
}


@pytest.mark.skipif(os.name == "nt", reason="links")
@pytest.mark.parametrize("change", CHANGES)
def test_a_run_is_made_again_after_a_change_of(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, run, work = CHANGES[change]
    put(tmp_path, {**files, "plait.yml": f"runs:\n  one:\n    {run}\n"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLAIT_TRUST", str(tmp_path))
    monkeypatch.setenv("FLEET_value", "a")
    monkeypatch.setenv("VARS_a", "1")
    monkeypatch.setenv("SECRET_123E4567_E89B_12D3_A456_426614174000", "a")
    fleet(output="before", cache="kept", cache_secrets=True).check()
    assert fleet(output="as it was", cache="kept", cache_secrets=True).counts == {"cached": 1}
    work(monkeypatch)
    expected, found = fleet(output="afresh"), fleet(output="after", cache="kept", cache_secrets=True)
    again = fleet(output="before")
    assert expected.counts == found.counts == again.counts
    assert [one.error for one in expected.failed] == [one.error for one in found.failed]
    assert contents(tmp_path / "afresh") == contents(tmp_path / "after")
    if not expected.failed:
        assert contents(tmp_path / "before") == contents(tmp_path / "afresh") != contents(tmp_path / "as it was")


def test_a_run_that_has_written_a_variables_store_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = "password: ((password))\nvariables: [{name: password, type: password}]\n"
    run = "runs: {one: {patch: {base: base.yml, vars-store: store.yml}}}\n"
    put(tmp_path, {"base.yml": base, "plait.yml": run})
    monkeypatch.chdir(tmp_path)
    fleet(cache="kept", cache_secrets=True).check()
    password = (tmp_path / "store.yml").read_text()
    (tmp_path / "store.yml").unlink()
    # A password that nobody has any more must not come back without its store.
    assert fleet(output="other", cache="kept", cache_secrets=True).counts == {"rendered": 1}
    assert (tmp_path / "store.yml").read_text() != password
    assert fleet(output="third", cache="kept", cache_secrets=True).counts == {"rendered": 1}
    assert fleet(output="fourth", cache="kept", cache_secrets=True).counts == {"cached": 1}


def test_what_is_no_file_is_read_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.base import http

    served = iter(["a: 1\n", "a: 2\n"])
    monkeypatch.setattr(http, "_fetch", lambda *_, **__: next(served).encode())
    put(tmp_path, {"plait.yml": "runs: {one: {render: {files: 'https://example.com/a.yml'}}}\n"})
    monkeypatch.chdir(tmp_path)
    fleet(cache="kept", cache_secrets=True, trust=True).check()
    assert fleet(output="other", cache="kept", cache_secrets=True, trust=True).check().counts == {"rendered": 1}
    assert contents(tmp_path / "other") == {"one/a.yml": b"a: 2\n"}


@pytest.mark.untraced  # a recorded run reads for itself
def test_documents_that_sites_share_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.authoring.project import file as project_file
    from plait.layering import job
    from plait.yaml.reader import read

    base = (
        DOCUMENT.replace("NAME", "base")
        .replace("layer: site", "layer: global")
        .replace("abstract: false", "abstract: true")
    )
    base = base.replace("  name: base\n", "  name: base\n  labels: {of: base}\n")
    own = DOCUMENT.replace(
        "layer: site", "layer: site, parentSelector: {of: base}, actions: [{method: merge, path: .}]"
    )
    names = ["one", "two", "three"]
    sites = {f"site/{name}/site-definition.yaml": SITE.replace("one", name) for name in names}
    sites |= {f"site/{name}/own.yaml": own.replace("NAME", name).replace("{a: 1}", f"{{b: {name}}}") for name in names}
    text = 'runs:\n  site:\n    matrix: {axes: {site: {directories: site}}}\n    layer: {site: "site/{site}"}\n'
    put(tmp_path, {**sites, "global/policy.yaml": POLICY, "global/base.yaml": base, "plait.yml": text})
    monkeypatch.chdir(tmp_path)
    alone = {name: project_file.read(".").run(f"site/{name}").evaluate().to_yaml() for name in names}
    texts: list[str] = []

    def noted(source: object, **more: object) -> object:
        texts.append(source.name)  # type: ignore[attr-defined]
        return read(source, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "read", noted)
    fleet(output="out").check()
    found = {name: (tmp_path / f"out/site/{name}/documents.yml").read_text() for name in names}
    assert found == alone
    assert all("a: 1" in one for one in found.values())
    assert texts.count("global/base.yaml") == 1
