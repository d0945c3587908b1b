"""What is renamed is renamed everywhere, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_unused import LAYERS
from workshop import OPERATIONS, TEMPLATES, edited, workshop

from plait.authoring.lsp import renaming
from plait.authoring.lsp.renaming import RenameError


def test_the_name_of_a_document_with_all_that_refers_to_it(tmp_path: Path) -> None:
    files = {"plait.yml": "runs:\n  a:\n    layer: {files: [all.yml]}\n", "all.yml": LAYERS}
    for around in ("name: k|ey, path", "\n  name: ke|y\n"):
        with workshop(tmp_path, files) as made:
            made.open("all.yml")
            place = made.at("all.yml", around)
            span = renaming.renamed_at(made.state, *place)
            assert span is not None
            assert span.end - span.column == 3
            text = edited(files, tmp_path, renaming.rename(made.state, *place, "token").edits)["all.yml"]
            assert text == LAYERS.replace("name: key", "name: token")
            assert "path: .value" in text
            with pytest.raises(RenameError):
                renaming.rename(made.state, *place, "a: b")
            assert renaming.rename(made.state, *made.at("all.yml", "ro|le: web"), "rolle").edits == []


DATA_SCHEMA = """\
---
schema: deckhand/DataSchema/v1
metadata: {schema: metadata/Control/v1, name: demo/Key/v1}
data: {$schema: "http://json-schema.org/schema#"}
---
schema: demo/Keyring/v1
metadata:
  schema: metadata/Document/v1
  name: demo/Key/v1
  layeringDefinition: {layer: site}
data: {}
"""


def test_the_name_of_a_schema_with_the_documents_that_have_it(tmp_path: Path) -> None:
    """What a DataSchema is called is the schema of documents, and what substitutions say of them."""
    files = {
        "plait.yml": "runs:\n  a:\n    layer: {files: [all.yml, types.yml]}\n",
        "all.yml": LAYERS,
        "types.yml": DATA_SCHEMA,
    }
    for name, around in [
        ("types.yml", "Control/v1, name: demo/K|ey/v1"),
        ("all.yml", "\nschema: demo/K|ey/v1"),
        ("all.yml", "src: {schema: demo/|Key/v1"),
    ]:
        with workshop(tmp_path, files) as made:
            made.open("all.yml")
            made.open("types.yml")
            place = made.at(name, around)
            changed = edited(files, tmp_path, renaming.rename(made.state, *place, "demo/Token/v2").edits)
            assert changed["all.yml"] == LAYERS.replace("demo/Key/v1", "demo/Token/v2")
            assert changed["types.yml"] == DATA_SCHEMA.replace("demo/Key/v1}", "demo/Token/v2}")
            for refused in ("Token", "demo/Token", "deckhand/Token/v1"):
                with pytest.raises(RenameError):
                    renaming.rename(made.state, *place, refused)
            of_policy = made.at("all.yml", "schema: deckhand/Layer|ingPolicy/v1")
            assert renaming.rename(made.state, *of_policy, "demo/Token/v2").edits == []


def test_a_function_that_another_file_calls_by_another_name(tmp_path: Path) -> None:
    app = TEMPLATES["config/app.yml"].replace('"label")', 'called="label")').replace('label("web")', 'called("web")')
    files = {**TEMPLATES, "config/app.yml": app}
    with workshop(tmp_path, files) as made:
        made.open("config/app.yml")
        edits = renaming.rename(made.state, *made.at("config/helpers.star", "def la|bel"), "mark").edits
        changed = edited(files, tmp_path, edits)
        assert changed["config/helpers.star"].startswith("def mark(x)")
        assert '#@ load("helpers.star", called="mark")' in changed["config/app.yml"]
        assert '#@ called("web")' in changed["config/app.yml"]


def test_a_data_value_in_flags_of_the_project_file(tmp_path: Path) -> None:
    project = (
        "runs:\n  prod:\n    render: {files: [config/], data-value: [app.name=x], data-value-yaml: [app.port=1]}\n"
    )
    files = {**TEMPLATES, "plait.yml": project}
    with workshop(tmp_path, files) as made:
        made.open("config/app.yml")
        changed = edited(
            files, tmp_path, renaming.rename(made.state, *made.at("config/schema.yml", "na|me: web"), "title").edits
        )
        assert "data-value: [app.title=x], data-value-yaml: [app.port=1]" in changed["plait.yml"]
        assert "  title: web" in changed["config/schema.yml"]
        assert "data.values.app.title" in changed["config/app.yml"]


@pytest.mark.parametrize("new", ["", "1x", "a b", "for", "a-b", "label"])
def test_names_that_cannot_be(tmp_path: Path, new: str) -> None:
    with workshop(tmp_path, TEMPLATES) as made:
        made.open("config/app.yml")
        with pytest.raises(RenameError):
            renaming.rename(made.state, *made.at("config/app.yml", "#@ na|me(data"), new)


def test_variables_have_other_names(tmp_path: Path) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        made.open("ops.yml")
        place = made.at("ops.yml", "((si|ze))")
        changed = edited(OPERATIONS, tmp_path, renaming.rename(made.state, *place, "web-size").edits)
        assert "value: ((web-size))" in changed["ops.yml"]
        assert "vars: {web-size: 3" in changed["plait.yml"]
        with pytest.raises(RenameError):
            renaming.rename(made.state, *place, "a b")


def test_a_variable_without_a_value_is_renamed_in_the_output(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  a:\n    patch: {base: base.yml, ops: [ops.yml]}\n",
        "base.yml": "one: x-((free))\ntwo: ((other.part))\nvariables:\n- name: free\n  type: password\n",
        "ops.yml": "- type: replace\n  path: /three?\n  value: [((!free)), ((free.part))]\n",
    }
    with workshop(tmp_path, files) as made:
        made.open("ops.yml")
        place = made.at("ops.yml", "((!fr|ee))")
        changed = edited(files, tmp_path, renaming.rename(made.state, *place, "name").edits)
        assert changed["base.yml"].startswith("one: x-((name))\ntwo: ((other.part))\nvariables:\n- name: name\n")
        assert "[((!name)), ((name.part))]" in changed["ops.yml"]
        with pytest.raises(RenameError):  # both would be one variable
            renaming.rename(made.state, *place, "other")


def test_a_module_that_is_renamed_back_is_loaded_as_before(tmp_path: Path) -> None:
    text = '#@ load("@ytt:json", "json")\na: #@ json.encode([])\n'
    files = {"plait.yml": "runs:\n  a:\n    render: {files: [a.yml]}\n", "a.yml": text}
    with workshop(tmp_path, files) as made:
        made.open("a.yml")
        place = made.at("a.yml", "#@ js|on.encode")
        changed = edited(files, tmp_path, renaming.rename(made.state, *place, "j").edits)
        made.open("a.yml", changed["a.yml"])
        back = edited(changed, tmp_path, renaming.rename(made.state, place[0], 2, 8, "json").edits)
        assert back["a.yml"] == text


@pytest.mark.parametrize(
    ("text", "around", "new", "held"),
    [
        ("#@ def f(x):\n#@   return x\n#@ end\n#@ y = 1\na: #@ f(y)\n", "#@ |y = 1", "x", True),
        ("#@ def f(x):\n#@   return x\n#@ end\n#@ y = 1\na: #@ f(y)\n", "f(|x)", "y", True),
        ("#@ y = 1\n#@ def f(x):\n#@   return x + y\n#@ end\na: #@ f(2)\n", "#@ |y = 1", "x", False),
        ("#@ y = 1\n#@ def f(x):\n#@   return x + y\n#@ end\na: #@ f(2)\n", "f(|x)", "y", False),
        ("#@ y = [1]\na: #@ [x for x in y]\n", "for |x", "y", True),
        ("#@ y = [1]\na: #@ [x + y[0] for x in [1]]\n", "for |x", "y", False),
    ],
)
def test_a_name_in_an_outer_or_inner_scope_is_free_unless_a_use_would_change(
    text: str, around: str, new: str, held: bool, tmp_path: Path
) -> None:
    files = {"plait.yml": "runs:\n  a:\n    render: {files: [a.yml]}\n", "a.yml": text}
    with workshop(tmp_path, files) as made:
        made.open("a.yml")
        place = made.at("a.yml", around)
        if held:
            assert renaming.rename(made.state, *place, new).edits
        else:
            with pytest.raises(RenameError):
                renaming.rename(made.state, *place, new)


def test_what_has_no_name_is_not_renamed(tmp_path: Path) -> None:
    with workshop(tmp_path, TEMPLATES) as made:
        made.open("config/app.yml")
        for around in ("ki|nd: Deployment", "le|n", "#! what it| is"):
            if around.replace("|", "") in TEMPLATES["config/app.yml"]:
                place = made.at("config/app.yml", around)
                assert renaming.renamed_at(made.state, *place) is None
                assert renaming.rename(made.state, *place, "new").edits == []
