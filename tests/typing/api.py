"""User code for type checkers: every public name, used as its documentation says. It is checked, not run."""

from __future__ import annotations

import pathlib
from typing import assert_type

import weft


def rendering() -> None:
    rendered = weft.render(
        ["config", pathlib.Path("more"), {"app.yml": "a: 1", "b.txt": b"text"}],
        values={"replicas": 3, "nested": {"list": [1, 2.5, None, True]}},
        values_files="values.yml",
        file_marks=["b.txt:type=text-plain"],
        strict=True,
        ignore_unknown_comments=True,
        implicit_map_key_overrides=True,
        validate=False,
        allow_links=["/srv"],
        limits={"steps": 1000, "seconds": 1.5},
    )
    assert_type(rendered, weft.Rendered)
    assert_type(rendered.files, dict[str, str])
    assert_type(rendered.warnings, list[str])
    assert_type(rendered.printed, list[str])
    assert_type(rendered.to_list(), list[object])
    assert_type(rendered.to_dict(), dict[object, object])
    assert_type(rendered[0], object)
    assert_type(len(rendered), int)
    for document in rendered:
        assert_type(document, object)


def patching() -> None:
    operations = weft.documents([{"type": "remove", "path": "/a"}])
    assert_type(operations, weft.Documents)
    patched = weft.patch(
        {"base.yml": "a: 1"},
        [operations, "ops.yml"],
        variables={"name": "web"},
        variables_files=["vars.yml"],
        store=pathlib.Path("store.yml"),
        path="/a",
        require_variables=True,
        require_use=True,
        sort=False,
        null_values=True,
    )
    assert_type(patched, weft.Documents)
    assert_type(weft.diff(patched, {"b.yml": "a: 2"}, tests=False), weft.Documents)
    assert_type(patched.to_yaml(), str)
    assert_type(patched.to_json(), str)


def layering() -> None:
    layered = weft.layer(
        pathlib.Path("site"),
        validate=True,
        validate_data=True,
        lenient=True,
        relaxed=True,
        strict=True,
        schemas=["demo/Server"],
        names=["alpha"],
        layers=["site"],
        labels={"role": "web"},
        short=True,
        order="name",
        cleartext_secrets=True,
        secrets={"reference": "text"},
    )
    assert_type(layered, weft.Documents)


def errors() -> str:
    try:
        weft.read("a.yml", strict=True)
    except weft.UsageError as error:
        return error.message
    except (weft.ReadError, weft.StarlarkError, weft.TemplateError, weft.OverlayError, weft.SchemaError) as error:
        assert_type(error.at, weft.Position | None)
        assert_type(error.findings, list[weft.Finding])
    except (weft.OpsError, weft.LayeringError, weft.LimitError) as error:
        assert_type(error.hint, str | None)
    except weft.WeftError as error:
        return error.report()
    return weft.__version__
