"""User code for type checkers: every public name, used as its documentation says. It is checked, not run."""

from __future__ import annotations

import pathlib
from typing import assert_type

import plait


def rendering() -> None:
    rendered = plait.render(
        ["config", pathlib.Path("more"), {"app.yml": "a: 1", "b.txt": b"text"}],
        values={"replicas": 3, "nested": {"list": [1, 2.5, None, True]}},
        values_files="values.yml",
        environment={"NAME": "x"},
        secrets={"password": "x"},
        file_marks=["b.txt:type=text-plain"],
        merge=["production.yml", {"more.yml": "a: 1"}],
        merge_keys=["spec.hooks=name"],
        merge_schemas=["crds"],
        strict=True,
        ignore_unknown_comments=True,
        implicit_map_key_overrides=True,
        validate=False,
        schema=pathlib.Path("values.schema.json"),
        check_output=["schemas", "crds.yml"],
        output_by="{kind}/{name}.yml",
        allow_links=["/srv"],
        warnings="error",
        limits={"steps": 1000, "seconds": 1.5},
        trace=True,
        isolated=False,
    )
    assert_type(rendered, plait.Rendered)
    assert_type(rendered.files, dict[str, str])
    assert_type(rendered.warnings, list[str])
    assert_type(rendered.warned[0].diagnostic.code, str)
    assert_type(rendered.printed, list[str])
    assert_type(rendered.to_list(), list[plait.Plain])
    assert_type(rendered.to_dict(), dict[object, plait.Plain])
    assert_type(rendered[0], plait.Plain)
    assert_type(rendered[:2], list[plait.Plain])
    assert_type(len(rendered), int)
    for document in rendered:
        assert_type(document, plait.Plain)
    # What comes out goes in.
    plait.render({"app.yml": plait.documents(rendered.to_dict(), *rendered)}, values={"all": rendered.to_list()})


def tools() -> None:
    findings = plait.lint(
        pathlib.Path("plait.yml"), ["staging"], select=["dead"], ignore=("dead-load",), portable=["ytt"]
    )
    assert_type(findings[0].code, str)
    project = plait.project("plait.yml")
    assert_type(project, plait.Project)
    assert_type((project.path, project.runs), tuple[str, list[str]])
    assert_type(project.run("production", trace=True), plait.Documents)
    documents = plait.run(".", "production", trace=True)
    assert_type(documents, plait.Documents)
    assert_type(documents.value("Deployment/web:spec.replicas"), plait.Plain)
    assert_type(documents.values("**.name"), list[plait.Plain])
    inspection = plait.inspect(".", "production")
    assert_type(inspection, plait.Inspection)
    assert_type(list(inspection.search("port")), list[plait.FoundValue])
    assert_type(inspection.impact("app.yml", 1), plait.Impact)
    assert_type(inspection.schema(), plait.Documents)
    results = plait.test(["tests", pathlib.Path("more.test.yml")], update=False)
    assert_type(results[0].passed, bool)
    edit = plait.set(".", "Deployment/web:spec.replicas", 3, run="production", add=True, write=False)
    edit.write()


def formatting(limits: plait.Limits, inputs: plait.Inputs) -> None:
    formatted = plait.fmt(inputs, strict=True, allow_links=["/srv"], limits=limits, isolated=True)
    assert_type(formatted, plait.Formatted)
    assert_type(formatted.files, dict[str, str])
    assert_type(formatted.changed, list[str])


def values(one: plait.Input) -> None:
    given = {"replicas": 3}
    found = plait.data_values(one, values=given, values_files=[one], file_marks=("a.yml:exclude=true",))
    assert_type(found, plait.Documents)
    plait.data_values("config", schema="a.json#/$defs/a", validate=False, strict=True, ignore_unknown_comments=True)
    plait.data_values("config", implicit_map_key_overrides=True, allow_links=[], limits={}, isolated=True)
    schema = plait.data_values_schema(
        "config", file_marks=[], form="json-schema", strict=True, ignore_unknown_comments=True
    )
    assert_type(schema, plait.Documents)
    plait.data_values_schema(
        "config", file_marks=[], implicit_map_key_overrides=True, allow_links=[], limits={}, isolated=True
    )
    imported = plait.import_schema("values.schema.json#/$defs/a", extensions=["required"], limits={})
    assert_type(imported, plait.SchemaText)
    assert_type(imported.warnings, list[str])
    assert_type(imported.warned[0].diagnostic.code, str)
    assert_type(plait.import_schema({"type": "object"}).text, str)
    assert_type(plait.export_schema(one, form="pydantic", extensions=(), limits={}), plait.SchemaText)


def checking() -> None:
    found = plait.check_data_values(
        ["config"],
        values={"replicas": 3},
        values_files="values.yml",
        file_marks=[],
        strict=True,
        ignore_unknown_comments=True,
        implicit_map_key_overrides=True,
        allow_links=[],
        limits={"seconds": 1},
        isolated=True,
    )
    assert_type(found, plait.Findings)
    assert_type(found[0], plait.Finding)
    assert_type(found[1:], list[plait.Finding])
    assert_type(found.report(), str)
    for one in found:
        assert_type(one.message, str)
    assert_type(
        plait.check_layers(
            "site",
            lenient=True,
            relaxed=False,
            strict=True,
            like_deckhand=True,
            secrets={"reference": "text"},
            allow_links=[],
            limits={},
            isolated=True,
        ),
        plait.Findings,
    )


async def awaiting() -> None:
    rendered = await plait.arender("config", values={"replicas": 3}, isolated=True)
    assert_type(rendered, plait.Rendered)
    assert_type(await plait.apatch(rendered, "ops.yml", limits={"seconds": 2}), plait.Documents)
    assert_type(await plait.alayer("site", order="name"), plait.Documents)
    assert_type(await plait.acompose("plait.yml", until="templates"), plait.Composed)


def sharing(events: list[plait.Event]) -> None:
    with plait.Engine(reuse=False, permissions={"read": ["/srv"]}, on_event=events.append) as engine:
        plait.render("config")
    assert_type(engine, plait.Engine)
    assert_type(engine.statistics(), dict[str, plait.Counts])
    assert_type(events[0].error, BaseException | None)
    assert_type(plait.Counts(1, 2).reused, int)


def patching() -> None:
    operations = plait.documents([{"type": "remove", "path": "/a"}])
    assert_type(operations, plait.Documents)
    patched = plait.patch(
        {"base.yml": "a: 1"},
        [operations, "ops.yml"],
        variables={"name": "web"},
        variables_files=["vars.yml"],
        store=pathlib.Path("store.yml"),
        path="/a",
        variables_first=True,
        require_variables=True,
        require_use=True,
        sort=False,
        keep_format=True,
        null_values=True,
        extensions=["operations"],
        trace=True,
        isolated=False,
    )
    assert_type(patched, plait.Documents)
    assert_type(patched.to_yaml(), str)
    assert_type(patched.to_json(), str)


def layering() -> None:
    layered = plait.layer(
        pathlib.Path("site"),
        validate=True,
        validate_data=True,
        lenient=True,
        relaxed=True,
        like_deckhand=False,
        strict=True,
        schemas=["demo/Server"],
        names=["alpha"],
        layers=["site"],
        labels={"role": "web"},
        short=True,
        order="name",
        cleartext_secrets=True,
        secrets={"reference": "text"},
        trace=True,
        isolated=False,
    )
    assert_type(layered, plait.Documents)
    site = plait.layer(site=pathlib.Path("site/north"), repositories={"global": "../global-manifests"})
    assert_type(site, plait.Documents)


def composing() -> None:
    composed = plait.compose(
        pathlib.Path("plait.yml"),
        values={"replicas": 3},
        values_files=["values.yml"],
        until="overlay 3",
        trace=True,
        trust=True,
        isolated=False,
    )
    assert_type(composed, plait.Composed)
    assert_type(composed.steps, list[plait.ComposeStep])
    assert_type(composed.steps[0].name, str)
    assert_type(composed.steps[0].documents, plait.Documents)
    assert_type(composed.steps[0].differences, list[plait.Difference])
    assert_type(plait.compose({"plait.yml": "steps: []"}).to_list(), list[plait.Plain])


def explaining(documents: plait.Documents) -> None:
    histories = plait.explain(documents, "Deployment/web:spec.replicas", cleartext_secrets=True)
    assert_type(histories, list[plait.History])
    for history in plait.explain(documents):
        assert_type(history.document, str | None)
        assert_type(history.path, str)
        assert_type(history.value, plait.Plain)
        assert_type(history.secret, bool)
        assert_type(history.presence, list[plait.Entry])
        assert_type(history.to_text(presence=True), str)
        assert_type(history.to_dict(), dict[str, object])
        for entry in history.entries:
            assert_type(entry.action, str)
            assert_type(entry.place, str)
            assert_type(entry.at, plait.Position | None)
            assert_type(entry.text, str | None)
            assert_type(entry.value, plait.Plain)
            assert_type(entry.state, str)
            assert_type(entry.origins, list[plait.Entry])


def comparing(documents: plait.Documents) -> None:
    found = plait.diff(documents, ["b.yml", {"c.yml": "a: 2"}], cleartext_secrets=True)
    assert_type(found, plait.Differences)
    assert_type(len(found), int)
    assert_type(found.to_text(), str)
    assert_type(found.to_operations(tests=False), plait.Documents)
    assert_type(found.to_merge(), str)
    assert_type(found.to_overlay(), str)
    for one in found:
        assert_type(one, plait.Difference)
        assert_type((one.kind, one.document, one.path), tuple[str, str, str])
        assert_type(one.before, plait.Plain)
        assert_type(one.after, plait.Plain)
    assert_type(found[0], plait.Difference)
    assert_type(found[:2], list[plait.Difference])


def errors() -> str:
    try:
        plait.read("a.yml", strict=True, isolated=True)
    except plait.UsageError as error:
        return error.message
    except (plait.ReadError, plait.StarlarkError, plait.TemplateError, plait.OverlayError, plait.SchemaError) as error:
        assert_type(error.at, plait.Position | None)
        assert_type(error.findings, list[plait.Finding])
    except plait.PermissionDeniedError as error:
        return f"{error.access} {error.name}"
    except (plait.OpsError, plait.LayeringError, plait.LimitError) as error:
        assert_type(error.hint, str | None)
    except plait.PlaitError as error:
        return error.report()
    return plait.__version__
