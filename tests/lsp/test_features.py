"""What the server answers, for each kind of file, whole and broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workshop import ENDLESS, LAYERS, OPERATIONS, TEMPLATES, Workshop, edited, workshop

from plait.authoring.lsp import completion, diagnostics, hover, inlay_hints, navigation, renaming, symbols, tokens
from plait.authoring.lsp.features import EditorDiagnostic, FileRange


@pytest.fixture
def templates(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, TEMPLATES) as made:
        yield made


@pytest.fixture
def operations(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, OPERATIONS) as made:
        yield made


@pytest.fixture
def layers(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, LAYERS) as made:
        yield made


def told(found: list[EditorDiagnostic], severity: str = "error") -> list[tuple[int, str]]:
    return [(one.span.line, one.message.partition("\n")[0]) for one in found if one.severity == severity]


def labels(place: Workshop, name: str, around: str) -> list[str]:
    return [one.label for one in completion.complete(place.state, *place.at(name, around))]


def spans(found: list[FileRange], top: Path) -> list[tuple[str, int, int]]:
    return [(str(Path(span.path).relative_to(top)), span.line, span.column) for span in found]


# ---- diagnostics


def test_a_good_file_has_only_what_is_not_used(templates: Workshop) -> None:
    path = templates.open("config/app.yml")
    found = diagnostics.problems(templates.state, path)
    assert told(found) == []
    assert told(found, "unused") == [(2, "json is loaded but never used")]


def test_all_syntax_errors_are_told(templates: Workshop) -> None:
    text = TEMPLATES["config/app.yml"].replace("x + suffix", "x + ").replace('label("web")', 'label("web"')
    path = templates.open("config/app.yml", text)
    assert [line for line, _ in told(diagnostics.problems(templates.state, path))] == [6, 14]


def test_an_unknown_name_is_told_with_its_fix(templates: Workshop) -> None:
    path = templates.open("config/app.yml", TEMPLATES["config/app.yml"].replace("label(", "lable("))
    [problem] = [one for one in diagnostics.problems(templates.state, path) if one.severity == "error"]
    assert problem.message.startswith("undefined: lable")
    assert (problem.span.line, problem.span.column, problem.span.end) == (14, 14, 19)
    assert [(fix.title, fix.edits[0].text) for fix in problem.fixes] == [("Change to label", "label")]


def test_a_value_that_the_schema_refuses_is_told_where_it_stands(templates: Workshop) -> None:
    path = templates.open("prod.yml", "replicas: many\n")
    [(line, message)] = told(diagnostics.problems(templates.state, path))
    assert line == 1
    assert message


def test_an_unknown_data_value_is_told_in_its_file(templates: Workshop) -> None:
    path = templates.open("prod.yml", "replicas: 1\nreplica: 2\n")
    [problem] = [one for one in diagnostics.problems(templates.state, path) if one.severity == "error"]
    assert problem.span.line == 2
    assert "replica" in problem.message


def test_an_overlay_that_matches_nothing_is_told(templates: Workshop) -> None:
    path = templates.open("config/over.yml", TEMPLATES["config/over.yml"].replace("Deployment", "Deploymnt"))
    [(line, message)] = told(diagnostics.problems(templates.state, path))
    assert line in (2, 3)
    assert "Deploymnt" in message or "number of matched" in message


def test_a_path_that_leads_nowhere_is_told_with_its_fix(operations: Workshop) -> None:
    path = operations.open("ops.yml", OPERATIONS["ops.yml"].replace("name=web", "name=wbe"))
    [problem] = diagnostics.problems(operations.state, path)
    assert problem.span.line == 2
    assert [(fix.title, fix.edits[0].text) for fix in problem.fixes] == [("Change to web", "web")]


def test_an_unknown_type_of_operation_is_told(operations: Workshop) -> None:
    path = operations.open("ops.yml", OPERATIONS["ops.yml"].replace("replace", "replce"))
    [problem] = diagnostics.problems(operations.state, path)
    assert "replce" in problem.message


def test_an_unknown_layer_is_told(layers: Workshop) -> None:
    path = layers.open("documents.yml", LAYERS["documents.yml"].replace("layer: site", "layer: sit"))
    assert any("sit" in one.message for one in diagnostics.problems(layers.state, path))


def test_a_broken_project_file_is_told(templates: Workshop) -> None:
    path = templates.open("plait.yml", "runs:\n  a:\n    rendr: {}\n")
    [(line, message)] = told(diagnostics.problems(templates.state, path))
    assert (line, message) == (3, 'unknown key "rendr" in a run')


def test_what_is_wrong_is_mended_by_the_next_text(templates: Workshop) -> None:
    path = templates.open("prod.yml", "replicas: many\n")
    assert told(diagnostics.problems(templates.state, path))
    templates.open("prod.yml", "replicas: 4\n")
    assert told(diagnostics.problems(templates.state, path)) == []


# ---- completion


def test_data_values_while_the_line_is_broken(templates: Workshop) -> None:
    text = TEMPLATES["config/app.yml"].replace("data.values.replicas", "data.values.")
    templates.open("config/app.yml", text)
    assert labels(templates, "config/app.yml", "replicas: #@ data.values.|") == ["replicas", "app"]


def test_data_values_below_others(templates: Workshop) -> None:
    templates.open("config/app.yml")
    assert labels(templates, "config/app.yml", "data.values.app.|name") == ["name", "port"]


def test_members_of_modules(templates: Workshop) -> None:
    templates.open("config/app.yml", TEMPLATES["config/app.yml"].replace('label("web")', "json."))
    assert labels(templates, "config/app.yml", "labels: #@ json.|") == ["decode", "encode"]


def test_annotations(templates: Workshop) -> None:
    templates.open("config/over.yml", TEMPLATES["config/over.yml"] + "  #@over\n")
    assert "#@overlay/remove" in labels(templates, "config/over.yml", "  #@over|\n")


def test_arguments_of_annotations(templates: Workshop) -> None:
    templates.open("config/over.yml", TEMPLATES["config/over.yml"] + "  #@overlay/match mis\n  x: 1\n")
    assert labels(templates, "config/over.yml", "match mis|")[:4] == ["by=", "expects=", "missing_ok=", "when="]


def test_modules_and_files_to_load(templates: Workshop) -> None:
    templates.open("config/app.yml", TEMPLATES["config/app.yml"].replace('"helpers.star"', '"'))
    found = labels(templates, "config/app.yml", 'load("|, "label"')
    assert "@ytt:overlay" in found
    assert "helpers.star" in found


def test_names_that_a_file_exports(templates: Workshop) -> None:
    templates.open("config/app.yml")
    assert labels(templates, "config/app.yml", 'load("helpers.star", "|label')[:1] == ["label"]


def test_names_in_scope(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = labels(templates, "config/app.yml", "return |x + suffix")
    assert {"x", "suffix", "name", "label", "data", "len"} <= {*found}


def test_keys_of_the_document_that_an_overlay_lies_over(templates: Workshop) -> None:
    templates.open("config/over.yml", TEMPLATES["config/over.yml"] + "  \n")
    assert labels(templates, "config/over.yml", "replicas: 7\n  |\n") == ["labels"]


def test_keys_of_a_values_file(templates: Workshop) -> None:
    templates.open("prod.yml", "replicas: 3\napp:\n  name: prod\n  \n")
    assert labels(templates, "prod.yml", "name: prod\n  |") == ["port"]


def test_parts_of_paths(operations: Workshop) -> None:
    operations.open("ops.yml", OPERATIONS["ops.yml"] + "- type: remove\n  path: /instance_groups/\n")
    assert labels(operations, "ops.yml", "path: /instance_groups/|\n") == ["name=web", "name=db", "-"]


def test_types_of_operations(operations: Workshop) -> None:
    operations.open("ops.yml", "- type: re\n")
    assert labels(operations, "ops.yml", "type: re|") == ["replace", "remove", "test"]


def test_layers_and_schemas(layers: Workshop) -> None:
    layers.open("documents.yml")
    assert labels(layers, "documents.yml", "    layer: |site") == ["global", "site"]
    assert "demo/Server/v1" in labels(layers, "documents.yml", "---\nschema: |demo")


# ---- hover


def test_a_data_value_with_its_history(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = hover.hover(templates.state, *templates.at("config/app.yml", "data.values.repl|icas"))
    assert found is not None
    assert found.text.startswith("`data.values.replicas`: `3` *(run prod)*")
    assert "config/schema.yml:3" in found.text
    assert "prod.yml:1" in found.text
    assert str(templates.top) not in found.text


def test_a_function_with_what_is_said_above_it(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = hover.hover(templates.state, *templates.at("config/app.yml", "#@ na|me(data"))
    assert found is not None
    assert found.text == '```python\ndef name(x, suffix="a")\n```\n\nwhat it is called'


def test_a_function_of_another_file(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = hover.hover(templates.state, *templates.at("config/app.yml", 'la|bel("web")'))
    assert found is not None
    assert found.text == "```python\ndef label(x)\n```"


def test_the_value_that_an_overlay_leaves(templates: Workshop) -> None:
    templates.open("config/over.yml")
    found = hover.hover(templates.state, *templates.at("config/over.yml", "repl|icas: 7"))
    assert found is not None
    assert "`Deployment/proda:spec.replicas`: `7`" in found.text
    assert "(overridden)" in found.text


def test_the_value_before_and_after_an_operation(operations: Workshop) -> None:
    operations.open("ops.yml")
    found = hover.hover(operations.state, *operations.at("ops.yml", "pa|th:"))
    assert found is not None
    assert "base.yml:4" in found.text
    assert "`3`" in found.text


def test_a_value_of_a_layered_document(layers: Workshop) -> None:
    layers.open("documents.yml")
    found = hover.hover(layers.state, *layers.at("documents.yml", "po|rt: 80"))
    assert found is not None
    assert found.text.startswith("`demo/Server/v1/north:data.port`: `80`")


# ---- definition, references, rename


def test_definitions_of_names(templates: Workshop) -> None:
    templates.open("config/app.yml")
    state, top = templates.state, templates.top
    assert spans(navigation.definition(state, *templates.at("config/app.yml", "#@ na|me(data")), top) == [
        ("config/app.yml", 5, 8)
    ]
    assert spans(navigation.definition(state, *templates.at("config/app.yml", 'la|bel("web")')), top) == [
        ("config/helpers.star", 1, 5)
    ]
    assert spans(navigation.definition(state, *templates.at("config/app.yml", "return |x")), top) == [
        ("config/app.yml", 5, 13)
    ]


def test_a_data_value_leads_to_its_schema_then_to_values_files(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = navigation.definition(templates.state, *templates.at("config/app.yml", "data.values.repl|icas"))
    assert spans(found, templates.top) == [("config/schema.yml", 3, 1), ("prod.yml", 1, 1)]


def test_an_overlay_leads_to_what_it_changes(templates: Workshop) -> None:
    templates.open("config/over.yml")
    found = navigation.definition(templates.state, *templates.at("config/over.yml", "repl|icas: 7"))
    assert spans(found, templates.top) == [("config/app.yml", 13, 3)]


def test_an_operation_leads_to_the_line_of_the_base(operations: Workshop) -> None:
    operations.open("ops.yml")
    found = navigation.definition(operations.state, *operations.at("ops.yml", "pa|th:"))
    assert ("base.yml", 4, 3) in spans(found, operations.top)


def test_uses_of_a_data_value(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = navigation.references(templates.state, *templates.at("config/schema.yml", "repl|icas"))
    assert spans(found, templates.top) == [("config/schema.yml", 3, 1), ("prod.yml", 1, 1), ("config/app.yml", 13, 28)]


def test_uses_of_a_function_in_all_files(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = navigation.references(templates.state, *templates.at("config/helpers.star", "def la|bel"))
    assert spans(found, templates.top) == [
        ("config/helpers.star", 1, 5),
        ("config/app.yml", 3, 26),
        ("config/app.yml", 14, 14),
    ]


def test_a_data_value_is_renamed_wherever_it_stands(templates: Workshop) -> None:
    templates.open("config/app.yml")
    edits = renaming.rename(templates.state, *templates.at("config/app.yml", "data.values.app.na|me"), "title").edits
    changed = edited(TEMPLATES, templates.top, edits)
    assert "  title: web\n" in changed["config/schema.yml"]
    assert "  title: prod\n" in changed["prod.yml"]
    assert "name(data.values.app.title)" in changed["config/app.yml"]


# ---- hints, lenses, symbols


def test_the_value_beside_an_expression(templates: Workshop) -> None:
    path = templates.open("config/app.yml")
    found = [(one.line, one.text) for one in inlay_hints.hints(templates.state, path, 1, 100)]
    assert found == [(11, " = proda"), (13, " = 7"), (14, " = web")]


def test_no_value_is_shown_beside_what_cannot_be_read(templates: Workshop) -> None:
    path = templates.open("config/app.yml", TEMPLATES["config/app.yml"].replace("label(", "lable("))
    assert [one.line for one in inlay_hints.hints(templates.state, path, 1, 100)] == [11, 13]


def test_what_an_overlay_reaches(templates: Workshop) -> None:
    path = templates.open("config/over.yml")
    assert [(one.line, one.text) for one in inlay_hints.lenses(templates.state, path)] == [(3, "matches 1 document")]


def test_what_an_operation_reaches(operations: Workshop) -> None:
    path = operations.open("ops.yml")
    assert [(one.line, one.text) for one in inlay_hints.lenses(operations.state, path)] == [(1, "changes 1 place")]


def test_outlines(templates: Workshop, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = templates.open("config/app.yml")
    found = symbols.symbols(templates.state, path)
    assert [(one.name, one.kind, one.line, one.last) for one in found] == [
        ("name", "function", 5, 7),
        ("Deployment", "document", 8, 14),
    ]
    assert [one.name for one in found[1].inner] == ["kind", "metadata", "spec"]
    with workshop(tmp_path_factory.mktemp("ops"), OPERATIONS) as made:
        path = made.open("ops.yml")
        [one] = symbols.symbols(made.state, path)
        assert (one.name, one.detail) == ("/instance_groups/name=web/instances", "replace")


def test_outlines_of_values_and_layers(templates: Workshop, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = symbols.symbols(templates.state, templates.open("prod.yml"))
    assert [(one.name, one.line) for one in found[0].inner] == [("replicas", 1), ("app", 2)]
    assert [(one.name, one.line) for one in found[0].inner[1].inner] == [("name", 3)]
    with workshop(tmp_path_factory.mktemp("layers"), LAYERS) as made:
        found = symbols.symbols(made.state, made.open("documents.yml"))
        assert [(one.name, one.kind, one.line) for one in found] == [
            ("demo/Server/v1/base", "document", 1),
            ("demo/Server/v1/north", "document", 9),
        ]
        assert found[0].last < found[1].line < found[1].last


def test_words_of_code(templates: Workshop) -> None:
    path = templates.open("config/app.yml")
    file = templates.state.file(path)
    assert file is not None
    found = [
        (file.line(one.line)[one.column - 1 : one.end - 1], one.kind) for one in tokens.tokens(templates.state, path)
    ]
    assert found[:5] == [
        ("load", "keyword"),
        ("data", "namespace"),
        ("load", "keyword"),
        ("json", "namespace"),
        ("load", "keyword"),
    ]
    assert ("def", "keyword") in found
    assert ("name", "function") in found
    assert ("suffix", "parameter") in found
    assert found[-1] == ("label", "variable")
    path = templates.open("config/over.yml")
    assert [one.kind for one in tokens.tokens(templates.state, path)][:3] == ["keyword", "namespace", "decorator"]


# ---- what must not happen


def test_a_template_without_an_end_costs_one_diagnostic(templates: Workshop) -> None:
    path = templates.open("config/app.yml", ENDLESS)
    [problem] = [one for one in diagnostics.problems(templates.state, path) if one.severity == "error"]
    assert "exceeds the limit" in problem.message
    assert "--limit" not in problem.message


def test_secrets_of_a_store_are_shown_nowhere(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  d:\n    patch: {base: base.yml, vars-store: store.yml}\n",
        "base.yml": "password: ((pw))\n",
        "store.yml": "pw: canary\n",
    }
    with workshop(tmp_path, files) as made:
        path = made.open("base.yml")
        for line in (1,):
            found = hover.hover(made.state, path, line, 3)
            assert found is not None
            assert "canary" not in found.text
            assert "(secret)" in found.text
        path = made.open("store.yml")
        found = hover.hover(made.state, path, 1, 2)
        assert found is None or "canary" not in found.text


def test_no_variables_store_is_written(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  d:\n    patch: {base: base.yml, vars-store: store.yml}\n",
        "base.yml": "password: ((pw))\nvariables:\n- {name: pw, type: password}\n",
    }
    with workshop(tmp_path, files) as made:
        made.open("base.yml")
    assert not (tmp_path / "store.yml").exists()


def test_a_file_outside_of_any_run(tmp_path: Path) -> None:
    with workshop(tmp_path, {"notes.txt": "nothing\n", "x.star": "def f():\n  return y\nend\n"}) as made:
        path = made.open("x.star")
        assert told(diagnostics.problems(made.state, path)) == [(2, "undefined: y")]
        assert diagnostics.problems(made.state, made.open("notes.txt")) == []


def test_a_fault_of_the_server_is_logged_and_ends_nothing(
    templates: Workshop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr("plait.authoring.lsp.state.evaluate", broken)
        templates.open("config/app.yml")
    assert "an evaluation failed" in caplog.text
    path = templates.open("prod.yml", "replicas: many\n")
    assert told(diagnostics.problems(templates.state, path))


# ---- variables


VARIABLES = {
    "plait.yml": "runs:\n  d:\n    patch:\n      base: base.yml\n      ops: ops.yml\n      vars-files: vars.yml\n      vars: {size: 3}\n",
    "base.yml": "name: ((name))\nuser: ((admin.user))\npassword: ((made))\nvariables:\n- {name: made, type: password}\n",
    "ops.yml": "- type: replace\n  path: /size?\n  value: ((size))-((name))\n",
    "vars.yml": "name: web\nadmin: {user: root}\n",
}


def test_variables(tmp_path: Path) -> None:
    with workshop(tmp_path, VARIABLES) as made:
        made.open("base.yml")
        made.open("ops.yml")
        state = made.state
        assert spans(navigation.definition(state, *made.at("base.yml", "((na|me))")), tmp_path) == [("vars.yml", 1, 1)]
        assert spans(navigation.definition(state, *made.at("ops.yml", "((si|ze))")), tmp_path) == [("plait.yml", 7, 14)]
        assert spans(navigation.definition(state, *made.at("base.yml", "((ma|de))")), tmp_path) == [("base.yml", 5, 10)]
        assert spans(navigation.definition(state, *made.at("base.yml", "((admin|.user")), tmp_path) == [
            ("vars.yml", 2, 1)
        ]
        found = [("vars.yml", 1, 1), ("base.yml", 1, 9), ("ops.yml", 3, 21)]
        assert spans(navigation.references(state, *made.at("base.yml", "((na|me))")), tmp_path) == found
        assert spans(navigation.references(state, *made.at("vars.yml", "na|me: web")), tmp_path) == found
        edits = renaming.rename(state, *made.at("base.yml", "((na|me))"), "title").edits
        assert [edit.text for edit in edits] == ["title"] * 3
        made.open("base.yml", "a: ((\n")
        assert {"size", "name", "admin"} <= {*labels(made, "base.yml", "a: ((|")}


# ---- layered documents


FAMILY = {
    "policy.yml": LAYERS["policy.yml"],
    "documents.yml": """\
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels:
    role: web
  layeringDefinition: {layer: global, abstract: true}
data:
  port: 80
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: north
  layeringDefinition:
    layer: site
    parentSelector:
      role: web
    actions:
    - {method: merge, path: .}
  substitutions:
  - src:
      schema: demo/Secret/v1
      name: key
      path: .value
    dest:
      path: .secret
data:
  replicas: 3
---
schema: demo/Secret/v1
metadata:
  schema: metadata/Document/v1
  name: key
  layeringDefinition: {layer: site, abstract: false}
data:
  value: abc
""",
}


def test_layered_documents(tmp_path: Path) -> None:
    with workshop(tmp_path, FAMILY) as made:
        made.open("documents.yml")
        state = made.state
        parent = navigation.definition(state, *made.at("documents.yml", "parentSelector:\n      ro|le"))
        assert ("documents.yml", 6, 5) in spans(parent, tmp_path)
        source = navigation.definition(state, *made.at("documents.yml", "      na|me: key"))
        assert spans(source, tmp_path) == [("documents.yml", 37, 3)]
        children = navigation.references(state, *made.at("documents.yml", "    ro|le: web\n  layering"))
        assert ("documents.yml", 17, 5) in spans(children, tmp_path)
        destinations = navigation.references(state, *made.at("documents.yml", "  val|ue: abc"))
        assert ("documents.yml", 27, 7) in spans(destinations, tmp_path)


# ---- hover beside values


def test_what_a_data_value_is(templates: Workshop) -> None:
    templates.open("config/app.yml")
    found = hover.hover(templates.state, *templates.at("config/app.yml", "data.values.app.na|me"))
    assert found is not None
    assert "string, default `web`: how it is called" in found.text


def test_a_variable(tmp_path: Path) -> None:
    with workshop(tmp_path, VARIABLES) as made:
        made.open("base.yml")
        found = hover.hover(made.state, *made.at("base.yml", "((na|me))"))
        assert found is not None
        assert found.text.startswith("`((name))` gets its value in vars.yml:1")
        made.open("ops.yml", VARIABLES["ops.yml"].replace("((size))", "((none))"))
        found = hover.hover(made.state, *made.at("ops.yml", "((no|ne))"))
        assert found is not None
        assert "nothing sets `((none))`" in found.text


def test_a_setting_of_the_project_file(templates: Workshop) -> None:
    templates.open("plait.yml")
    found = hover.hover(templates.state, *templates.at("plait.yml", "data-values|-file"))
    assert found is not None
    assert found.text.startswith("`data-values-file`: ")


def test_an_outline_ends_where_its_items_do(templates: Workshop) -> None:
    text = (
        'a:\n  b: 1\n\n# of c\nc:\n- d: [1,\n    2]\n  # of e\n  e: |\n    text\n\n\nf: 1\n"\\x67": {h: 1}\n\n# end\n'
    )
    path = templates.open("config/ranges.yml", text)
    found = symbols.symbols(templates.state, path)[0]
    ends = {one.name: (one.line, one.last) for one in found.inner}
    assert ends == {"a": (1, 2), "c": (5, 10), "f": (13, 13), "g": (14, 14)}
    assert [(one.line, one.last) for one in found.inner[1].inner[0].inner] == [(6, 7), (9, 10)]


def test_selections_grow_by_values_and_items(templates: Workshop) -> None:
    text = "a:\n- b: x\n  c: y\n"
    path = templates.open("config/ranges.yml", text)
    assert symbols.selections(templates.state, path, 2, 6) == [
        ((2, 6), (2, 7)),
        ((2, 3), (2, 7)),
        ((2, 3), (3, 7)),
        ((2, 1), (3, 7)),
        ((1, 1), (3, 7)),
        ((1, 1), (4, 1)),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: 1\n\n#@ if True:\nc:\n  d: 1\n#@ end\n", [(1, 6), (5, 6)]),
        ("a:\n  #@ def f():\n  b: 1\n  #@ end\n  c: 1\nd: 1\n", [(1, 6), (2, 4)]),
        ("#@ def f():\na:\n  b: 1\n#@ end\n---\nc: |\n  d\n\n", [(1, 4), (2, 3), (5, 7), (6, 7)]),
    ],
)
def test_folds_are_nested_and_end_with_their_nodes(text: str, expected: list[tuple[int, int]], tmp_path: Path) -> None:
    with workshop(tmp_path, {"plait.yml": "runs: {}\n", "a.yml": text}) as made:
        path = made.open("a.yml")
        assert symbols.folds(made.state, path) == expected


@pytest.mark.parametrize(
    ("code", "around"),
    [
        ('getattr(data.values, "size")', '"si|ze"'),
        ('data.values["size"]', '"si|ze"'),
        ("x.size", "x.si|ze"),
        ("f(data.values)", "m.si|ze"),
    ],
)
def test_a_lookup_of_a_data_value_leads_to_its_declaration(code: str, around: str, tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  a:\n    render: {files: [config]}\n",
        "config/schema.yml": "#@data/values-schema\n---\nsize: 1\n",
        "config/app.yml": f'#@ load("@ytt:data", "data")\n#@ x = data.values\n#@ def f(m):\n#@   return m.size\n#@ end\n---\na: #@ {code}\n',
    }
    with workshop(tmp_path, files) as made:
        made.open("config/app.yml")
        found = navigation.definition(made.state, *made.at("config/app.yml", around))
        assert [(Path(one.path).name, one.line, one.column) for one in found] == [("schema.yml", 3, 1)]


@pytest.mark.parametrize("name", ["log.properties", "part.txt", "note.toml", "noext"])
def test_a_text_that_a_program_reads_is_not_read_as_yaml(name: str, tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  a:\n    render: {files: [config]}\n",
        "config/app.yml": f'#@ load("@ytt:data", "data")\n---\na: #@ data.read("{name}")\n',
        f"config/{name}": "a = b: c: d\n  - [\n",
    }
    with workshop(tmp_path, files) as made:
        path = made.open(f"config/{name}")
        assert diagnostics.problems(made.state, path) == []
