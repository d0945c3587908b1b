"""Data values in libraries: completion, hover and definition know those of the instance, never those of the root."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Workshop, workshop

from plait.authoring.lsp import completion, hover, navigation

FILES = {
    "plait.yml": "runs:\n  a:\n    render: {files: [config]}\n",
    "config/schema.yml": "#@data/values-schema\n---\nname: root\nonly_root: 1\n",
    "config/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("@ytt:library", "library")
#@ load("@ytt:template", "template")
#@ def values():
name: passed
#@ end
#@ lib = library.get("lib").with_data_values(values())
--- #@ template.replace(lib.eval())
---
root: #@ data.values.name
label: #@ lib.export("label")()
""",
    "config/_ytt_lib/lib/schema.yml": "#@data/values-schema\n---\n#@schema/desc 'of the library'\nname: library\nport: 80\n",
    "config/_ytt_lib/lib/values.yml": "#@data/values\n---\nport: 81\n",
    "config/_ytt_lib/lib/f.star": 'load("@ytt:data", "data")\ndef label():\n  return data.values.name\nend\n',
    "config/_ytt_lib/lib/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("f.star", "label")
---
name: #@ data.values.name
port: #@ data.values.port
label: #@ label()
#@yaml/text-templated-strings
text: "(@= data.values.name @)"
""",
}
LIBRARY = "config/_ytt_lib/lib/"


def shown(made: Workshop, name: str, around: str) -> str:
    found = hover.hover(made.state, *made.at(name, around))
    return "" if found is None else found.text


def places(made: Workshop, name: str, around: str) -> list[tuple[str, int]]:
    found = navigation.definition(made.state, *made.at(name, around))
    return [(str(Path(span.path).relative_to(made.top)), span.line) for span in found]


@pytest.fixture
def made(tmp_path: Path) -> Workshop:
    with workshop(tmp_path, FILES) as found:
        found.open("config/app.yml")
        return found


@pytest.mark.parametrize(
    ("name", "around"),
    [("app.yml", "#@ data.values.na|me"), ("f.star", "data.values.na|me"), ("app.yml", "(@= data.values.na|me")],
)
def test_a_value_of_a_library(made: Workshop, name: str, around: str) -> None:
    text = shown(made, LIBRARY + name, around)
    assert text.startswith("`data.values.name`: `passed` *(run a, library lib)*")
    assert "of the library" in text
    assert "root" not in text.split("\n")[0]
    assert places(made, LIBRARY + name, around) == [(f"{LIBRARY}schema.yml", 4), ("config/app.yml", 5)]
    offered = {
        one.label for one in completion.complete(made.state, *made.at(LIBRARY + name, around.replace("na|me", "|name")))
    }
    assert {"name", "port"} <= offered
    assert "only_root" not in offered


def test_a_value_of_the_root(made: Workshop) -> None:
    assert shown(made, "config/app.yml", "data.values.na|me").startswith("`data.values.name`: `root` *(run a)*")
    assert places(made, "config/app.yml", "data.values.na|me") == [("config/schema.yml", 3)]
    offered = {one.label for one in completion.complete(made.state, *made.at("config/app.yml", "data.values.|name"))}
    assert offered == {"name", "only_root"}


def test_keys_of_files_of_data_values(made: Workshop) -> None:
    text = shown(made, f"{LIBRARY}schema.yml", "na|me: library")
    assert "`passed`" in text
    assert "`root`" not in text
    # A declaration leads to the others, or to itself.
    assert places(made, f"{LIBRARY}values.yml", "po|rt: 81") == [(f"{LIBRARY}schema.yml", 5)]
    assert places(made, "config/schema.yml", "on|ly_root") == [("config/schema.yml", 4)]
    assert places(made, "config/app.yml", "na|me: passed") == [(f"{LIBRARY}schema.yml", 4)]


def test_a_key_of_a_template_is_not_a_data_value(made: Workshop) -> None:
    """It is called like one."""
    assert "data.values" not in shown(made, f"{LIBRARY}app.yml", "\nna|me: #@").split("\n")[0]
    assert places(made, f"{LIBRARY}app.yml", "\ntex|t:") != []


def test_what_a_library_exports(made: Workshop) -> None:
    assert places(made, "config/app.yml", 'export("la|bel")') == [(f"{LIBRARY}f.star", 2)]
