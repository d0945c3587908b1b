"""The request of `plait render`. Its evaluation is in `plait.engine.rendering`. See docs/guide-render.md."""

from __future__ import annotations

import os

from plait.engine import common
from plait.engine.common import Linked, extensions_of, links_of
from plait.engine.options import (
    DELIVERY,
    PROCESS,
    READ_PATH,
    SHARED,
    TEXTS,
    VALUES_PATH,
    WRITTEN_PATH,
    Heading,
    PathForm,
    csv,
    keyword,
    located,
    positional,
    switch,
    text,
    texts,
    value_map,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.engine.types import Inputs, Texts
    from plait.tree.plain_data import Plain
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.inputs import Inputs as Reader

EMPTIED = "dangerous-emptied-output-directory"


class Render(Linked):
    """Templates, overlays, data values, schemas and libraries, with the flags of ytt."""

    __slots__ = ()
    command = "render"
    summary = "Render YAML and text templates with data values, schemas, overlays and libraries."
    takes_words = True

    _1 = Heading("Inputs")
    inputs: Inputs = positional(
        "file",
        TEXTS,
        "input: a file, a directory, an HTTP URL, or - for standard input",
        short="f",
        value="PATH",
        path=PathForm("read", "=", may_be_url=True),
        setting="files",
        kw_only=False,
    )
    values: Mapping[str, Plain] | None = value_map("inline data values, which override those of flags", setting="set")
    file_marks: Texts = texts("file-mark", "change how an input is treated", value="PATH:KEY=VALUE")
    strict: bool = switch("strict", "accept only a strict subset of YAML", short="s", is_in_steps=True)
    ignore_unknown_comments: bool = switch(
        "ignore-unknown-comments", "allow plain comments in templates", is_in_steps=True
    )
    implicit_map_key_overrides: bool = switch(
        "implicit-map-key-overrides", "let a duplicate map key in a template override the earlier one", is_in_steps=True
    )
    bulk_in = text("bulk-in", "read inputs as JSON; -f is ignored", value="JSON")
    extensions: Texts = extensions_of("render")
    _2 = Heading("Data values")
    schema: str | os.PathLike[str] = text(
        "schema",
        "schema of data values: JSON Schema, OpenAPI or CRD",
        value="FILE[#POINTER]",
        path=PathForm("read", has_pointer=True),
    )
    data_value = texts(
        "data-value", "set one data value to a string, [@library:]key.key=value", short="v", value="KEY=VALUE"
    )
    data_value_yaml = texts("data-value-yaml", "set one data value, read as YAML", value="KEY=YAML")
    data_value_file = texts(
        "data-value-file",
        "set one data value to the content of a file",
        value="KEY=PATH",
        path=PathForm("read", "="),
    )
    values_files: Inputs = texts(
        "data-values-file",
        "set data values from plain YAML, or toml:PATH, dotenv:PATH, dotenv-yaml:PATH",
        short="d",
        value="[@LIBRARY:]PATH",
        path=VALUES_PATH,
    )
    data_values_env = texts(
        "data-values-env",
        "set data values from environment variables PREFIX_key__key",
        value="PREFIX",
        environment="{}_*",
    )
    data_values_env_yaml = texts(
        "data-values-env-yaml", "like --data-values-env, with values read as YAML", value="PREFIX", environment="{}_*"
    )
    data_values_env_all = switch(
        "data-values-env-all",
        "set the data values of the schema from environment variables of the same name: app.port from APP_PORT",
        environment="*",
    )
    secret_sources = common.SECRETS
    allow_exec = common.ALLOW_EXEC
    data_values_inspect = switch("data-values-inspect", "print the final data values and stop")
    schema_inspect = switch(
        "data-values-schema-inspect",
        "print the schema of data values and stop; needs -o openapi-v3 or -o json-schema",
    )
    validate: bool = switch(
        "dangerous-data-values-disable-validation", "skip the validations of data values", is_negated=True
    )
    _3 = Heading("Merges")
    merge: Inputs = texts(
        "merge", "merge plain documents into the output, by kind and name", value="PATH", path=READ_PATH
    )
    merge_keys: Texts = texts(
        "merge-key",
        "item keys of an array in merges, [KIND:]PATH=KEY,KEY=DEFAULT; PATH=. for a set, PATH= for neither",
        value="PATH=KEY",
        requires=("merge",),
    )
    merge_schemas: Texts = texts(
        "merge-schemas",
        "file or directory of CRDs, OpenAPI documents and JSON Schemas that declare item keys",
        value="PATH",
        path=READ_PATH,
        requires=("merge",),
    )
    _4 = Heading("Output")
    output = csv(
        "output",
        "output format: yaml, json or pos; openapi-v3 or json-schema with --data-values-schema-inspect",
        short="o",
        value="FORMAT",
        default=("yaml",),
        choices=("yaml", "json", "pos", "openapi-v3", "json-schema"),
    )
    output_files = common.OUTPUT_FILES
    emptied = text(
        EMPTIED,
        "replace a directory with the results, written as files",
        value="DIRECTORY",
        path=WRITTEN_PATH,
        part=DELIVERY,
    )
    check_output: Texts = common.CHECK_OUTPUT
    output_by: str = common.OUTPUT_BY
    files_inspect = switch("files-inspect", "print the paths of the inputs and stop")
    bulk_out = switch("bulk-out", "print output and errors as JSON", part=DELIVERY)
    keep_format: bool = common.KEEP_FORMAT
    source_map = common.SOURCE_MAP
    watch = common.WATCH
    _5 = Heading(common.SAFETY)
    offline = switch("offline", "reject HTTP URLs")
    environment: Mapping[str, str] | None = keyword()
    _rows = Linked.rows
    quote_values = common.QUOTE_VALUES
    no_code_cache = switch("no-code-cache", "compile templates without using the cache directory", part=PROCESS)
    _6 = Heading(common.GENERAL)
    debug = SHARED.debug.replaced(setting="debug")


def inputs_of(request: Render) -> Reader:
    """The reader of the inputs of a request."""
    from plait.ytt.workspace.inputs import Inputs as Reader

    return Reader(links=links_of(request), offline=request.offline, named=request.program == "ytt")


def read_inputs(request: Render, inputs: Reader) -> list[InputFile]:
    """The inputs of a request, in order. Raises ReadError, UsageError."""
    if request.bulk_in:
        from plait.ytt.workspace.inputs import bulk_files

        return bulk_files(request.bulk_in)
    with located(request, Render.inputs) as paths:
        return inputs.files(paths)
