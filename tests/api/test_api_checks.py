"""`fmt`, data values, schemas and checks as functions do what the commands do."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

import plait

FILES = {
    "schema.yml": (
        "#@data/values-schema\n---\n#@schema/desc 'how many'\n#@schema/validation min=1\nreplicas: 1\nname: web\nports: [0]\n"
    ),
    "values.yml": "#@data/values\n---\nname: shop\n",
    "app.yml": '#@ load("@ytt:data", "data")\n#@ fail("never rendered")\n',
}


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def printed(*argv: str) -> str:
    return subprocess.run([sys.executable, "-m", "plait", *argv], capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("here")
def test_data_values_and_schema_are_what_the_command_prints() -> None:
    values = plait.data_values(".", values={"replicas": 3, "ports": [80]})
    assert values.to_yaml() == printed(
        "render",
        "-f",
        ".",
        "--data-values-inspect",
        "--data-value-yaml",
        "replicas=3",
        "--data-value-yaml",
        "ports=[80]",
    )
    assert values.to_dict() == {"replicas": 3, "name": "shop", "ports": [80]}
    schema = plait.data_values_schema(".")
    assert schema.to_yaml() == printed("render", "-f", ".", "--data-values-schema-inspect", "-o", "openapi-v3")
    assert json.loads(schema.to_json())[0]["openapi"] == "3.0.0"
    assert plait.data_values({"a.yml": "a: 1"}).to_list() == []
    assert (
        plait.data_values(".", values_files={"v.yml": "replicas: 9"}, values={"name": "x"}).to_dict()["replicas"] == 9
    )
    with pytest.raises(plait.SchemaError):
        plait.data_values(".", values={"replicas": 0})
    assert plait.data_values(".", values={"replicas": 0}, validate=False).to_dict()["replicas"] == 0


def test_all_that_is_wrong_with_values_comes_back() -> None:
    found = plait.check_data_values(FILES, values={"replcas": 3, "name": 5})
    assert [(one["found"], one["hint"]) for one in found.to_list()] == [
        ("replcas", 'did you mean "replicas"?'), ("integer", "put the value in quotes, then it is a string"),
    ]  # fmt: skip
    with pytest.raises(plait.SchemaError) as raised:
        plait.render(FILES, values={"replcas": 3, "name": 5})
    assert raised.value.report().endswith(found.report())
    [broken] = plait.check_data_values(FILES, values={"replicas": 0})
    assert "a value >= 1" in broken.message + str(broken.expected)
    assert len(plait.check_data_values(FILES)) == 0
    assert str(plait.check_data_values(FILES)) == ""
    with pytest.raises(plait.ReadError):
        plait.check_data_values({"a.yml": "["})


def test_a_schema_that_is_none_is_found() -> None:
    [found] = plait.check_data_values({"s.yml": "#@data/values-schema\n---\na: null\n"})
    assert found.at is not None
    assert found.at.line == 3


LAYERS = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [site]}
---
schema: deckhand/DataSchema/v1
metadata: {schema: metadata/Control/v1, name: demo/Port/v1}
data: {properties: {port: {type: integer}, name: {type: string}}}
---
schema: demo/Port/v1
metadata: {schema: metadata/Document/v1, name: http, layeringDefinition: {layer: site}, storagePolicy: cleartext}
data: {port: 80, name: http}
"""


def test_layers() -> None:
    assert len(plait.check_layers({"site.yml": LAYERS})) == 0
    found = plait.check_layers({"site.yml": LAYERS.replace("port: 80", "port: x").replace("name: http}", "name: 1}")})
    assert [(one["file"], one["line"]) for one in found.to_list()] == [("site.yml", 11), ("site.yml", 11)]
    [parent] = plait.check_layers({"site.yml": LAYERS.replace("{layer: site}", "{layer: nowhere}")})
    assert "nowhere" in parent.report()
    with pytest.raises(plait.ReadError):
        plait.check_layers({"site.yml": "["})


def test_fmt_is_what_the_command_prints(here: pathlib.Path) -> None:
    (here / "more").mkdir()
    (here / "more" / "a.yml").write_text("a:   [1]  #! one\n", "utf-8")
    (here / "more" / "notes.txt").write_text("a:   1\n", "utf-8")
    formatted = plait.fmt([".", {"plain.yml": "b:    1\n"}])
    assert {"more/a.yml", "plain.yml"} <= set(formatted.changed)
    assert set(formatted.files) == {"app.yml", "more/a.yml", "schema.yml", "values.yml", "plain.yml"}
    assert str(plait.fmt(".")) == printed("render", "fmt", "-f", ".")
    for name, text in formatted.files.items():
        assert plait.fmt({name: text}).changed == []
