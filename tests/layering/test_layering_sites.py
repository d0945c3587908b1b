"""Airship sites: what no case of the command line can have, such as symbolic links."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

import plait
from plait.base.errors import PlaitError, ReadError
from plait.base.input_view import InputView, use_view

POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [global, type, site]}
"""
DEFINITION = """\
schema: pegleg/SiteDefinition/v1
metadata: {schema: metadata/Document/v1, name: north, layeringDefinition: {layer: site}}
data: {site_type: small}
"""
PORT = """\
schema: demo/Port/v1
metadata: {schema: metadata/Document/v1, name: http, layeringDefinition: {layer: type}}
data: 80
"""


@pytest.fixture
def tree(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name, text in {
        "manifests/global/policy.yaml": POLICY,
        "manifests/site/north/site-definition.yaml": DEFINITION,
        "elsewhere/type/small/port.yaml": PORT,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("link", ["type", "type/small", "type/small/port.yaml"])
def test_a_repository_does_not_lead_out_of_itself(tree: pathlib.Path, link: str) -> None:
    place = tree / "manifests" / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(tree / "elsewhere" / link)
    with pytest.raises(ReadError, match="to be allowed, but was not"):
        plait.layer(site="manifests/site/north")
    allowed = plait.layer(
        site="manifests/site/north", allow_links=[str(tree / "elsewhere")], names=["http"], short=True
    )
    assert allowed[0] == {"schema": "demo/Port/v1", "metadata": {"name": "http"}, "data": 80}


def test_nor_does_a_checkout(tree: pathlib.Path) -> None:
    definition = DEFINITION.replace("small}", "small, repositories: {global: {}}}")
    (tree / "manifests/site/north/site-definition.yaml").write_text(definition, "utf-8")
    (tree / "checkout").mkdir()
    (tree / "checkout/type").symlink_to(tree / "elsewhere/type")
    with pytest.raises(ReadError, match="checkout/type"):
        plait.layer(site="manifests/site/north", repositories={"global": "checkout"})
    # What the user names is followed.
    (tree / "named").symlink_to(tree / "elsewhere")
    assert len(plait.layer(site="manifests/site/north", repositories={"global": pathlib.Path("named")})) == 3


@pytest.mark.parametrize("name", ["..", ".", "a/b", "/etc", "", "a\\b", "a\0b"])
def test_a_definition_names_a_directory_beside_others(tree: pathlib.Path, name: str) -> None:
    text = DEFINITION.replace("small", json.dumps(name))
    (tree / "manifests/site/north/site-definition.yaml").write_text(text, "utf-8")
    with pytest.raises(PlaitError, match="does not declare the type of the site"):
        plait.layer(site="manifests/site/north")


def test_the_site_may_be_the_working_directory(tree: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "manifests/site/north")
    assert len(plait.layer(site=".")) == len(plait.layer(site=tree / "manifests/site/north")) == 2
    monkeypatch.chdir(tree / "manifests")
    found = plait.layer(site="site/north/", trace=True)
    [history] = plait.explain(found, "order:data.layerOrder[0]")
    assert history.entries[0].place == os.path.join("global", "policy.yaml:3")


def test_a_site_is_rendered_by_a_worker(tree: pathlib.Path) -> None:
    assert len(plait.layer(site=tree / "manifests/site/north", isolated=True)) == 2


def test_inputs_come_after_the_site(tree: pathlib.Path) -> None:
    both = plait.layer({"port.yaml": PORT}, site="manifests/site/north", order="input")
    assert [one["metadata"]["name"] for one in both.to_list()] == ["order", "north", "http"]  # type: ignore[index, call-overload]


def test_repositories_belong_to_a_site() -> None:
    with pytest.raises(PlaitError, match="repositories requires site"):
        plait.layer({"policy.yml": POLICY}, repositories={"global": "."})


def test_what_was_read_is_known(tree: pathlib.Path) -> None:
    with use_view(InputView()) as view:
        plait.layer(site="manifests/site/north")
    below = sorted(os.path.relpath(path, tree).replace(os.sep, "/") for path in view.files)
    assert below == ["manifests/global/policy.yaml", "manifests/site/north/site-definition.yaml"]
