"""Additions to the dialects in the editor: a file is read in the language that the runs of its project take."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import workshop

from plait.authoring.lsp import completion, diagnostics, hover

FILES = {
    "plait.yml": "runs:\n  app:\n    render: {files: config, with: [f-strings, required, secrets], data-value: [name=web]}\n",
    "config/schema.yml": "#@data/values-schema\n---\n#@schema/required\nname: ''\n#@schema/secret\npw: ''\n",
    "config/app.yml": '#@ load("@ytt:data", "data")\nhost: #@ f"{data.values.name}.internal"\n',
}


def test_f_strings_are_code(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("config/app.yml")
        assert not [*diagnostics.problems(made.state, made.path("config/app.yml"))]
        found = completion.complete(made.state, *made.at("config/app.yml", 'f"{data.values.|'))
        assert "name" in [one.label for one in found]


def test_without_the_addition_they_are_told(tmp_path: Path) -> None:
    files = {**FILES, "plait.yml": "runs:\n  app:\n    render: {files: config}\n"}
    with workshop(tmp_path, files) as made:
        made.open("config/app.yml")
        [found] = diagnostics.problems(made.state, made.path("config/app.yml"))
        assert "--with f-strings" in found.message


def test_annotations_are_completed_and_described(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("config/schema.yml", FILES["config/schema.yml"].replace("#@schema/secret", "#@schema/s"))
        found = completion.complete(made.state, *made.at("config/schema.yml", "#@schema/s|"))
        assert "#@schema/secret" in [one.label for one in found]
        made.open("config/schema.yml")
        told = hover.hover(made.state, *made.at("config/schema.yml", "#@schema/requ|ired"))
        assert told is not None
        assert "must set" in repr(told)


def test_data_values_are_known_among_data_values(tmp_path: Path) -> None:
    schema = '#@ load("@ytt:data", "data")\n#@data/values-schema\n---\nhost: a\nurl: #@ data.values.host + "/"\n'
    files = {
        "plait.yml": "runs:\n  app:\n    render: {files: config, with: [values-refer]}\n",
        "config/schema.yml": schema,
        "config/app.yml": '#@ load("@ytt:data", "data")\nurl: #@ data.values.url\n',
    }
    with workshop(tmp_path, files) as made:
        made.open("config/schema.yml")
        assert not [*diagnostics.problems(made.state, made.path("config/schema.yml"))]
        found = completion.complete(made.state, *made.at("config/schema.yml", "#@ data.values.|"))
        assert {"host", "url"} <= {one.label for one in found}
        told = hover.hover(made.state, *made.at("config/schema.yml", "data.values.ho|st"))
        assert told is not None
        assert "a" in repr(told)
        made.open("config/schema.yml", schema.replace("data.values.host", "data.values.hots"))
        [problem] = diagnostics.problems(made.state, made.path("config/schema.yml"))
        assert "hots" in problem.message


def test_files_of_documents(tmp_path: Path) -> None:
    """`@output/file` is completed and described; what is wrong with where documents go stands at one of them."""
    text = '#@output/file "a.yml"\n---\nkind: A\n'
    files = {
        "plait.yml": 'runs:\n  app:\n    render: {files: config, with: [output-file], output-by: "{kind}.yml"}\n',
        "config/a.yml": text,
        "config/b.yml": "kind: B\n",
    }
    with workshop(tmp_path, files) as made:
        made.open("config/a.yml")
        assert not [*diagnostics.problems(made.state, made.path("config/a.yml"))]
        found = completion.complete(made.state, *made.at("config/a.yml", "#@out|"))
        assert "#@output/file" in [one.label for one in found]
        assert "output directory" in repr(hover.hover(made.state, *made.at("config/a.yml", "#@output/fi|le")))
        made.open("config/a.yml", text.replace("a.yml", "../a.yml"))
        [problem] = diagnostics.problems(made.state, made.path("config/a.yml"))
        assert "is not a path inside the output directory" in problem.message
        made.open("config/a.yml", text.replace("a.yml", "b.yml"))
        problems = [
            one for name in ("a", "b") for one in diagnostics.problems(made.state, made.path(f"config/{name}.yml"))
        ]
        assert "two documents would be written to B.yml" in problems[0].message


def test_what_is_within_a_text_is_no_fault(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  app:\n    render: {files: config, with: [embedded]}\n",
        "config/app.yml": "data:\n  app.yml: |\n    server: {port: 80}\n",
        "config/overlay.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\ndata:\n'
        '  #@overlay/inside "yaml"\n  app.yml:\n    server: {port: 81}\n',
    }
    with workshop(tmp_path, files) as made:
        made.open("config/overlay.yml")
        assert not [*diagnostics.problems(made.state, made.path("config/overlay.yml"))]
        told = hover.hover(made.state, *made.at("config/overlay.yml", "#@overlay/ins|ide"))
        assert told is not None
        assert "inside it" in repr(told)
        made.open("config/overlay.yml", files["config/overlay.yml"].replace("server:", "servr:"))
        [problem] = diagnostics.problems(made.state, made.path("config/overlay.yml"))
        assert 'did you mean "server"' in problem.message


def test_tags(tmp_path: Path) -> None:
    """An expression behind a tag, and the function that makes tags, are no faults where a run takes tags."""
    text = '#@ load("@ytt:yaml", "yaml")\na: !Ref #@ "b"\nc: #@ yaml.tag("d", "!Sub")\n'
    files = {"plait.yml": "runs:\n  app:\n    render: {files: config, with: tags}\n", "config/a.yml": text}
    with workshop(tmp_path, files) as made:
        made.open("config/a.yml")
        assert not [*diagnostics.problems(made.state, made.path("config/a.yml"))]
        found = completion.complete(made.state, *made.at("config/a.yml", "yaml.t|"))
        assert "tag" in [one.label for one in found]
        assert "written as the tag" in repr(hover.hover(made.state, *made.at("config/a.yml", "yaml.ta|g")))
    files["plait.yml"] = "runs:\n  app:\n    render: {files: config}\n"
    with workshop(tmp_path / "without", files) as made:
        made.open("config/a.yml")
        assert [*diagnostics.problems(made.state, made.path("config/a.yml"))]


def test_alternatives(tmp_path: Path) -> None:
    """`@schema/one-of` is completed with its argument and described; a value of an alternative is no mistake."""
    schema = (
        "#@ def a():\nkind: a\nport: 1\n#@ end\n#@ def b():\nkind: b\nname: x\n#@ end\n"
        '#@data/values-schema\n---\n#@schema/one-of a(), b(), by="kind"\nused: {kind: a}\n'
    )
    files = {
        "plait.yml": (
            "runs:\n  app:\n    render: {files: config, with: [alternatives], data-values-file: values.yml}\n"
        ),
        "config/schema.yml": schema,
        "config/app.yml": '#@ load("@ytt:data", "data")\nused: #@ data.values.used\n',
        "values.yml": "used: {kind: b, name: z}\n",
    }
    with workshop(tmp_path, files) as made:
        for name in ("config/schema.yml", "config/app.yml", "values.yml"):
            made.open(name)
            assert not [*diagnostics.problems(made.state, made.path(name))]
        told = hover.hover(made.state, *made.at("config/schema.yml", "#@schema/one|-of"))
        assert "one of several types" in repr(told)
        made.open("config/schema.yml", schema.replace(', by="kind"', ", "))
        found = completion.complete(made.state, *made.at("config/schema.yml", "#@schema/one-of a(), b(), |"))
        assert "by" in [one.label.rstrip("=") for one in found]
        made.open("config/schema.yml", schema)
        made.open("values.yml", "used: {kind: b, port: 1}\n")
        [problem] = diagnostics.problems(made.state, made.path("values.yml"))
        assert '"b" of a, b' in problem.message


READ_BY_SETTINGS = {
    "ignore-unknown-comments": ("{files: config, ignore-unknown-comments: true}", "a.yml", "# plain\na: #@ 1\n"),
    "type=yaml-plain": ('{files: config, file-mark: ["a.yml:type=yaml-plain"]}', "a.yml", "a: 1 #@ nothing\n"),
    "type=data": ('{files: config, file-mark: ["**/*.tpl.yml:type=data"]}', "x.tpl.yml", "a: {{ b }}: [\n"),
    "type=text-plain": ('{files: config, file-mark: ["a.txt:type=text-plain"]}', "a.txt", "(@ if: @)\n"),
    "exclude": ('{files: config, file-mark: ["a.yml:exclude=true"]}', "a.yml", "a: #@ nothing\n"),
    "type=yaml-template": ('{files: config, file-mark: ["a.yml.in:type=yaml-template"]}', "a.yml.in", "a: #@ 1\n"),
}


@pytest.mark.parametrize("name", READ_BY_SETTINGS)
def test_a_file_is_read_by_the_settings_of_its_run(name: str, tmp_path: Path) -> None:
    """What renders has no mistakes in the editor; without the setting it has."""
    settings, file, text = READ_BY_SETTINGS[name]
    files = {"plait.yml": f"runs:\n  app:\n    render: {settings}\n", f"config/{file}": text, "config/b.yml": "b: 1\n"}
    with workshop(tmp_path, files) as made:
        made.open(f"config/{file}")
        assert [one.message for one in diagnostics.problems(made.state, made.path(f"config/{file}"))] == []
    if name != "type=yaml-template":
        files["plait.yml"] = "runs:\n  app:\n    render: {files: config}\n"
        with workshop(tmp_path, files) as made:
            made.open(f"config/{file}")
            assert diagnostics.problems(made.state, made.path(f"config/{file}"))
