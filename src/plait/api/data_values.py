"""`plait.data_values` and `plait.data_values_schema`: the data values of templates, and their schema."""

from __future__ import annotations

from plait.api.isolation import can_be_isolated
from plait.api.rendering import RenderInputs
from plait.api.rendering import data_values as values_given
from plait.base.errors import UsageError
from plait.base.limits import budget_scope_from
from plait.engine.render import Render
from plait.engine.rendering import options_of
from plait.engine.results import Documents
from plait.yaml.output_formats import JSON_SCHEMA, OPENAPI
from plait.ytt.workspace.render_job import INSPECT_JSON_SCHEMA, INSPECT_SCHEMA, INSPECT_VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from plait.engine.types import Inputs, Limits, Texts
    from plait.tree.plain_data import Plain


@can_be_isolated(Documents)
def data_values(
    inputs: Inputs,
    *,
    values: Mapping[str, Plain] | None = None,
    values_files: Inputs = (),
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, Plain] | None = None,
    file_marks: Texts = (),
    strict: bool = False,
    ignore_unknown_comments: bool = False,
    implicit_map_key_overrides: bool = False,
    validate: bool = True,
    extensions: Texts = (),
    schema: str | os.PathLike[str] = "",
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Documents:
    r"""The data values for templates, as `plait render --data-values-inspect` prints them.

    They are checked against the schema and validated, without rendering templates. There is one document, or none if
    there are no data values. The options are those of `render`. Raises PlaitError.

    >>> schema = "#@data/values-schema\n---\nname: web\nreplicas: 1\n"
    >>> plait.data_values({"schema.yml": schema}, values={"replicas": 3}).to_dict()
    {'name': 'web', 'replicas': 3}
    """
    with budget_scope_from(limits):
        request = Render(
            inputs=inputs,
            file_marks=file_marks,
            strict=strict,
            ignore_unknown_comments=ignore_unknown_comments,
            implicit_map_key_overrides=implicit_map_key_overrides,
            validate=validate,
            extensions=extensions,
            schema=schema,
            allow_links=allow_links,
        )
        given = RenderInputs(request, options_of(request, inspect=INSPECT_VALUES))
        given.set_values(values_given(values, values_files, strict=strict, warn=given.context.warn))
        if environment is not None:
            given.set_environment(environment, below=1 if values else 0)
        if secrets:
            given.add_secrets(secrets)
        return _inspected(given)


@can_be_isolated(Documents)
def data_values_schema(
    inputs: Inputs,
    *,
    form: str = "openapi-v3",
    file_marks: Texts = (),
    strict: bool = False,
    ignore_unknown_comments: bool = False,
    implicit_map_key_overrides: bool = False,
    extensions: Texts = (),
    schema: str | os.PathLike[str] = "",
    allow_links: Texts = (),
    limits: Limits | None = None,
    isolated: bool = False,  # noqa: ARG001 - can_be_isolated has seen to it
) -> Documents:
    r"""The schema of data values for other programs, as `plait render --data-values-schema-inspect -o FORM` prints it.

    form: "openapi-v3" for an OpenAPI document, with the schema of the values at components.schemas.dataValues;
    "json-schema" for a JSON Schema of values files. The other options are those of `render`. Raises PlaitError.

    >>> schema = "#@data/values-schema\n---\nname: web\n"
    >>> plait.data_values_schema({"schema.yml": schema}).to_dict()["components"]["schemas"]["dataValues"]["properties"]
    {'name': {'type': 'string', 'default': 'web'}}
    """
    if form not in _SCHEMA_FORMS:
        raise UsageError(f"unknown schema format {form!r}", expected=" or ".join(_SCHEMA_FORMS), code="unknown-choice")
    with budget_scope_from(limits):
        request = Render(
            inputs=inputs,
            file_marks=file_marks,
            strict=strict,
            ignore_unknown_comments=ignore_unknown_comments,
            implicit_map_key_overrides=implicit_map_key_overrides,
            extensions=extensions,
            schema=schema,
            allow_links=allow_links,
        )
        return _inspected(RenderInputs(request, options_of(request, inspect=_SCHEMA_FORMS[form])))


_SCHEMA_FORMS = {OPENAPI: INSPECT_SCHEMA, JSON_SCHEMA: INSPECT_JSON_SCHEMA}


def _inspected(given: RenderInputs) -> Documents:
    return Documents(given.run().documents, warnings=given.context.warnings, printed=given.printed)
