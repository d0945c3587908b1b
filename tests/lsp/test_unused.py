"""What nothing uses, and variables without a value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from workshop import TEMPLATES, workshop

from plait.authoring.lsp import diagnostics

Told = list[tuple[int, str, str]]

SCHEMA = """\
#@data/values-schema
---
name: web
port: 80
limits:
  cpu: 1
  memory: 2
whole:
  a: 1
  b: 2
never:
  a: 1
"""
READERS = {
    "plait.yml": "runs:\n  a:\n    render: {files: [config/]}\n",
    "config/schema.yml": SCHEMA,
    "config/app.yml": """\
#@ load("@ytt:data", "data")
---
name: #@ data.values.name.upper()
cpu: #@ data.values.limits.cpu
keys:
#@ for/end key in data.values.whole:
- #@ data.values.whole[key]
""",
    "config/notes.txt": '(@ load("@ytt:data", "data") @)\n',
}
OPERATIONS = {
    "plait.yml": "runs:\n  d:\n    patch:\n      base: base.yml\n      ops: ops.yml\n      vars-files: vars.yml\n"
    "      vars: {size: 3, spare: 1}\n",
    "base.yml": "name: ((name))\n",
    "ops.yml": "- type: replace\n  path: /size?\n  value: ((size))-((nmae))-((elsewhere))\n",
    "vars.yml": "name: web\nold: 1\n",
}


def told(top: Path, files: Mapping[str, str], name: str, *others: str) -> Told:
    """What is said of a file, errors left out, once all of them are open."""
    with workshop(top, files) as made:
        for other in (*others, name):
            path = made.open(other)
        return [
            (one.span.line, one.severity, one.message.partition("\n")[0])
            for one in diagnostics.problems(made.state, path)
        ]


def test_data_values_that_no_template_reads(tmp_path: Path) -> None:
    assert told(tmp_path, READERS, "config/schema.yml") == [
        (4, "unused", "no template of a run reads port"),
        (7, "unused", "no template of a run reads limits.memory"),
        (11, "unused", "no template of a run reads never"),
    ]


@pytest.mark.parametrize(
    "code",
    ["data.values", "getattr(data, 'values')", "[one for one in dir(data.values)]", "(lambda d: d.values.port)(data)"],
)
def test_data_values_that_are_passed_on_as_a_whole_are_read(tmp_path: Path, code: str) -> None:
    files = {**READERS, "config/app.yml": f'#@ load("@ytt:data", "data")\n---\na: #@ str({code})\n'}
    assert told(tmp_path, files, "config/schema.yml") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config/notes.txt", '(@ load("@ytt:data", "data") @)(@= str([data.values.port, data.values.limits, data.values.never]) @)\n'),
        (
            "config/more.yml",
            """\
#@ load("@ytt:data", "data")
#@yaml/text-templated-strings
---
a: "(@= str(data.values.port) @)(@= str(data.values.limits) @)(@= str(data.values.never) @)"
""",
        ),
    ],
)  # fmt: skip
def test_data_values_that_texts_read_are_read(tmp_path: Path, name: str, text: str) -> None:
    assert told(tmp_path, {**READERS, name: text}, "config/schema.yml") == []


def test_nothing_is_said_of_data_values_while_a_file_is_broken(tmp_path: Path) -> None:
    files = {**READERS, "config/more.yml": "#@ if\n---\na: 1\n"}
    assert [one for one in told(tmp_path, files, "config/schema.yml") if one[1] == "unused"] == []


def test_functions_that_nobody_calls(tmp_path: Path) -> None:
    files = {**TEMPLATES, "config/helpers.star": TEMPLATES["config/helpers.star"] + "def old(x):\n  return x\nend\n"}
    assert told(tmp_path, files, "config/helpers.star") == [(5, "unused", "nothing calls old")]
    mentioned = {**files, "config/other.star": '# as in old("x")\n'}
    assert told(tmp_path / "mentioned", mentioned, "config/helpers.star") == []


OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  #@overlay/match missing_ok=True
  #@overlay/remove
  replica: 0
  #@overlay/match missing_ok=True
  #@overlay/remove
  labels: 0
  #@overlay/match missing_ok=True
  added: 1
"""


def test_overlays_that_match_nothing_and_may(tmp_path: Path) -> None:
    with workshop(tmp_path, {**TEMPLATES, "config/over.yml": OVERLAY}) as made:
        path = made.open("config/over.yml")
        [problem] = diagnostics.problems(made.state, path)
        assert (problem.span.line, problem.severity) == (7, "unused")
        assert problem.message == f'matches nothing\nnearest: {made.path("config/app.yml")}:13 has the key "replicas"'


def test_overlays_that_match_too_much_are_told_with_what_they_match(tmp_path: Path) -> None:
    files = {**TEMPLATES, "config/more.yml": "kind: Deployment\nspec: {replicas: 1}\n"}
    with workshop(tmp_path, files) as made:
        path = made.open("config/over.yml")
        [problem] = diagnostics.problems(made.state, path)
        assert "2" in problem.message
        assert 'expects="1+"' in problem.message
        assert [Path(span.path).name for span, _ in problem.also] == ["app.yml", "more.yml"]


def test_variables(tmp_path: Path) -> None:
    assert told(tmp_path, OPERATIONS, "ops.yml") == [
        (3, "warning", "((nmae)) has no value"),
        (3, "note", "((elsewhere)) has no value"),
    ]
    assert told(tmp_path, OPERATIONS, "vars.yml") == [(2, "unused", "((old)) is not used")]
    assert told(tmp_path, OPERATIONS, "plait.yml", "ops.yml") == [(7, "unused", "((spare)) is not used")]


def test_a_misspelt_variable_has_a_fix(tmp_path: Path) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        path = made.open("ops.yml")
        [fix] = [fix for one in diagnostics.problems(made.state, path) for fix in one.fixes]
        assert (fix.title, fix.edits[0].text) == ("Change to name", "name")


def test_nothing_is_said_of_variables_where_a_run_gives_none(tmp_path: Path) -> None:
    files = {**OPERATIONS, "plait.yml": "runs:\n  d:\n    patch: {base: base.yml, ops: ops.yml}\n"}
    assert told(tmp_path, files, "ops.yml") == []


LAYERS = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [global, site]}
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {role: web}
  layeringDefinition: {layer: global, abstract: true}
data: {port: 80}
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: north
  layeringDefinition:
    layer: site
    parentSelector: {role: web}
    actions:
    - {method: merge, path: .}
  substitutions:
  - src: {schema: demo/Key/v1, name: key, path: .value}
    dest: {path: .secret}
data: {replicas: 3}
---
schema: demo/Key/v1
metadata:
  schema: metadata/Document/v1
  name: key
  layeringDefinition: {layer: site}
data: {value: abc}
"""
SECOND_PARENT = """\
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: other
  labels: {role: web}
  layeringDefinition: {layer: global, abstract: true}
data: {port: 81}
"""


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("parentSelector: {role: web}", "parentSelector: {role: wbe}", 19, "no document has the labels"),
        ("layer: site\n", "layer: siet\n", 18, "siet"),
        ("name: key, path", "name: kye, path", 23, "kye"),
        ("path: .value", "path: .valu", 23, ".valu"),
        ("path: .}", "path: .spec}", 21, ".spec"),
        ("data: {value: abc}\n", f"data: {{value: abc}}\n{SECOND_PARENT}", 19, "too many documents"),
    ],
    ids=["missing parent", "unknown layer", "missing source", "missing path", "path of an action", "ambiguous parent"],
)
def test_layers(tmp_path: Path, before: str, after: str, line: int, said: str) -> None:
    assert before in LAYERS
    files = {"plait.yml": "runs:\n  a:\n    layer: {files: all.yml}\n", "all.yml": LAYERS.replace(before, after)}
    found = told(tmp_path, files, "all.yml")
    assert [one[0] for one in found if said in one[2]] == [line], found
