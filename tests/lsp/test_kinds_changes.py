"""Schemas as files of a project: faults in them, changes of them, schemas of one run, and where a fault comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workshop import LAYERS, OF_SCHEMAS, Workshop, workshop

from plait.authoring.lsp import completion, diagnostics, hover

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from plait.authoring.lsp.features import EditorDiagnostic


def schema(**properties: object) -> str:
    spec = {"properties": properties}
    return json.dumps({"properties": {"apiVersion": {}, "kind": {}, "spec": spec}}, indent=1)


THING = "apiVersion: example.org/v1\nkind: Thing\nspec: {size: x}\n"
FILES = {
    "plait.yml": "schemas: [schemas]\nruns:\n  one: {render: {files: config}}\n",
    "schemas/thing-example-v1.json": schema(size={"type": "string"}),
    "config/thing.yml": THING,
}


def of_kinds(made: Workshop, name: str) -> list[EditorDiagnostic]:
    return [one for one in diagnostics.problems(made.state, made.path(name)) if one.code in OF_SCHEMAS]


def told(made: Workshop, name: str) -> list[str]:
    return [f"{one.span.line}: {one.message}" for one in of_kinds(made, name)]


def test_a_broken_schema_is_told_in_its_file_and_at_the_project(tmp_path: Path) -> None:
    with workshop(tmp_path, {**FILES, "schemas/thing-example-v1.json": '{\n "a": 1\n "b"\n}\n'}) as made:
        made.open("config/thing.yml")
        words = (
            "is not JSON: Expecting ',' delimiter\n"
            "hint: a comma is missing before this, or a quote within a text is not escaped"
        )
        path = made.path("schemas/thing-example-v1.json")
        assert told(made, "schemas/thing-example-v1.json") == [f'3: the schema "{path}" {words}']
        assert told(made, "plait.yml") == [
            f'1: schemas/thing-example-v1.json:3: the schema "schemas/thing-example-v1.json" {words}'
        ]
        assert path in made.state.concerned()


def test_a_part_that_cannot_be_used_is_told_and_the_rest_holds(tmp_path: Path) -> None:
    text = schema(size={"type": "integer"}, more={"$ref": "https://example.org/a.json"}, name={"pattern": "(?=a)"})
    with workshop(tmp_path, {**FILES, "schemas/thing-example-v1.json": text}) as made:
        made.open("config/thing.yml")
        lines = text.split("\n")
        reference = next(number for number, line in enumerate(lines, 1) if "$ref" in line)
        pattern = next(number for number, line in enumerate(lines, 1) if "(?=a)" in line)
        found = of_kinds(made, "schemas/thing-example-v1.json")
        assert [(one.span.line, one.severity) for one in found] == [(reference, "error"), (pattern, "warning")]
        assert "nothing is fetched" in found[0].message
        [short] = of_kinds(made, "plait.yml")
        assert short.severity == "error"
        assert short.message.startswith(f"schemas/thing-example-v1.json:{reference}: $ref")
        assert short.message.endswith("\nand 1 more")
        assert told(made, "config/thing.yml") == ["3: string where integer is expected\nin the run one"]


def test_a_directory_that_is_not_there_is_told_at_the_project(tmp_path: Path) -> None:
    with workshop(tmp_path, {**FILES, "plait.yml": FILES["plait.yml"].replace("[schemas]", "[shemas]")}) as made:
        made.open("config/thing.yml")
        [message] = told(made, "plait.yml")
        assert message.startswith('1: cannot read the schema "shemas": No such file or directory')
        assert 'did you mean "schemas"?' in message


def test_without_the_library_the_project_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jsonschema_specifications", None)
    with workshop(tmp_path, FILES) as made:
        made.open("config/thing.yml")
        [message] = told(made, "plait.yml")
        assert "needs the library jsonschema" in message
        assert "pip install" in message
        assert told(made, "config/thing.yml") == []


def test_schemas_in_the_editor_count_while_they_are_typed(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("config/thing.yml")
        assert told(made, "config/thing.yml") == []
        made.open("schemas/thing-example-v1.json", schema(size={"type": "integer"}))
        assert told(made, "config/thing.yml") == ["3: string where integer is expected\nin the run one"]
        made.open("schemas/thing-example-v1.json", "{")
        assert told(made, "schemas/thing-example-v1.json") != []
        assert told(made, "config/thing.yml") == []


def test_changes_on_the_disk_are_noticed(tmp_path: Path) -> None:
    """As the editor tells of them, and by looking where it does not; also in a directory outside of the project's."""
    files = {
        "plait.yml": "runs: {}\n",
        "schemas/thing-example-v1.json": FILES["schemas/thing-example-v1.json"],
        "inner/plait.yml": FILES["plait.yml"].replace("[schemas]", "[../schemas]"),
        "inner/config/thing.yml": THING,
    }
    (tmp_path / ".git").mkdir()  # a project may read all of its repository
    with workshop(tmp_path, files) as made:
        path = made.open("inner/config/thing.yml")
        assert told(made, "inner/config/thing.yml") == []
        made.state.look()
        name = "schemas/thing-example-v1.json"
        (tmp_path / name).write_text(schema(size={"type": "integer", "description": "other"}), "utf-8")
        assert made.state.look() == {made.path(name): False}
        made.state.touch(made.path(name))
        made.wait()
        assert told(made, "inner/config/thing.yml") == ["3: string where integer is expected\nin the run one"]
        (tmp_path / name).unlink()
        changed = made.state.look()
        assert {made.path(name), made.path("schemas")} <= changed.keys()
        for one, has_gone in changed.items():
            made.state.touch(one, has_come_or_gone=has_gone)
        made.wait()
        assert told(made, "inner/config/thing.yml") == []
        (tmp_path / name).write_text(schema(size={"type": "integer"}), "utf-8")
        made.state.touch(made.path(name), has_come_or_gone=True)  # as watched files are told of
        made.wait()
        assert told(made, "inner/config/thing.yml") != []
        assert path == made.path("inner/config/thing.yml")


def test_a_keystroke_reads_no_schema_again(tmp_path: Path) -> None:
    with workshop(
        tmp_path, {**FILES, "plait.yml": FILES["plait.yml"].replace("[schemas]", "[schemas, config]")}
    ) as made:
        made.open("config/thing.yml")
        path = made.path("config/thing.yml")
        [first] = [one.kinds.catalogue for one in made.state.evaluations(path)]
        made.open("config/thing.yml", THING.replace("size: x", "size: z") + "other: 1\n")
        [second] = [one.kinds.catalogue for one in made.state.evaluations(path)]
        assert first is second
        assert told(made, "config/thing.yml") == ['4: there is no key "other" here\nin the run one']


def test_a_run_has_schemas_in_the_place_of_the_project_s(tmp_path: Path) -> None:
    project = """\
schemas: [schemas]
runs:
  one: {render: {files: config}}
  two: {schemas: [others], render: {files: config}}
  three: {base: two, render: {}}
"""
    others = {"others/thing-example-v1.json": schema(size={"type": "integer"})}
    with workshop(tmp_path, {**FILES, **others, "plait.yml": project}) as made:
        made.open("config/thing.yml")
        assert told(made, "config/thing.yml") == ["3: string where integer is expected\nin the run two"]
        made.open("plait.yml", project.replace("[others]", "[schemas]"))
        assert told(made, "config/thing.yml") == []


def test_a_fault_is_told_at_each_line_that_makes_it(tmp_path: Path) -> None:
    template = """\
#@ load("@ytt:data", "data")
#@ for name in ["a", "b"]:
---
apiVersion: example.org/v1
kind: Thing
spec:
  size: #@ name
#@ end
---
apiVersion: example.org/v1
kind: Thing
spec:
  size: x
"""
    files = {"config/thing.yml": template, "schemas/thing-example-v1.json": schema(size={"type": "integer"})}
    with workshop(tmp_path, {**FILES, **files}) as made:
        made.open("config/thing.yml")
        words = "string where integer is expected\nin the run one"
        assert told(made, "config/thing.yml") == [f"7: {words}", f"13: {words}"]


def test_what_code_makes_is_told_at_the_nearest_line(tmp_path: Path) -> None:
    template = "apiVersion: example.org/v1\nkind: Thing\nspec: #@ {'size': {'deep': [1]}}\n"
    files = {"config/thing.yml": template, "schemas/thing-example-v1.json": schema(size={"type": "integer"})}
    with workshop(tmp_path, {**FILES, **files}) as made:
        made.open("config/thing.yml")
        assert told(made, "config/thing.yml") == ["3: object where integer is expected\nin the run one"]


def test_a_data_schema_of_the_site_checks_and_describes(tmp_path: Path) -> None:
    port = {"type": "integer", "description": "where it listens"}
    text = "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: demo/Server/v1}\ndata: "
    own = f"{text}{json.dumps({'properties': {'port': port}, 'required': ['mode']})}\n"
    with workshop(tmp_path, {**LAYERS, "schemas.yml": own}) as made:
        path = made.open("documents.yml", LAYERS["documents.yml"].replace("port: 80", "port: many"))
        assert [one.partition("\n")[0] for one in told(made, "documents.yml")] == [
            '19: the key "mode" is missing',
            "8: string where integer is expected",
        ]
        shown = hover.hover(made.state, path, 8, 4)
        assert shown is not None
        assert "integer: where it listens" in shown.text
        made.open("schemas.yml", own.replace("metadata: {", "metadata: {storagePolicy: encrypted, "))
        assert told(made, "documents.yml") == []
        made.open("schemas.yml", f"{text}{{}}\n")
        assert told(made, "documents.yml") == []


def test_values_that_are_no_texts_are_completed_as_they_are_written(tmp_path: Path) -> None:
    files = {
        "config/thing.yml": THING.replace("{size: x}", "\n  size: "),
        "schemas/thing-example-v1.json": schema(size={"enum": [True, None, 3, "x", "3", ["a"]]}),
    }
    with workshop(tmp_path, {**FILES, **files}) as made:
        made.open("config/thing.yml")
        found = completion.complete(made.state, *made.at("config/thing.yml", "  size: |"))
        assert [one.label for one in found] == ["true", "null", "3", "x", '"3"']


def test_a_catalogue_of_thousands_of_schemas_does_not_keep_the_editor(tmp_path: Path) -> None:
    names = {f"schemas/k{number}-example-v1.json": schema(size={}) for number in range(2_000)}
    with workshop(tmp_path, {**FILES, **names}) as made:
        made.open("config/thing.yml")
        [catalogue] = [one.kinds.catalogue for one in made.state.evaluations(made.path("config/thing.yml"))]
        assert catalogue is not None
        assert len([*catalogue.paths()]) < 5  # the directory, and what was asked for


def test_what_is_nested_deeply_is_checked_or_told(tmp_path: Path) -> None:
    """As deep as anybody writes it is checked; beyond that the schema's line says that it is not."""
    recursive = json.dumps({"properties": {"apiVersion": {}, "kind": {}, "a": {"$ref": "#"}, "b": {"type": "integer"}}})

    def text(depth: int) -> str:
        return "apiVersion: example.org/v1\nkind: Thing\na: " + "{a: " * depth + "{b: x}" + "}" * depth + "\n"

    files = {"schemas/thing-example-v1.json": recursive, "config/thing.yml": text(80)}
    with workshop(tmp_path, {**FILES, **files}) as made:
        made.open("config/thing.yml")
        assert told(made, "config/thing.yml") == ["3: string where integer is expected\nin the run one"]
        made.open("config/thing.yml", text(900))
        assert told(made, "config/thing.yml") == []
        [message] = told(made, "schemas/thing-example-v1.json")
        assert "nested too deeply" in message
