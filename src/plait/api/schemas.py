"""`plait.import_schema` and `plait.export_schema`: schemas of templates from, and for, other programs."""

from __future__ import annotations

import json
import os

from plait.api.data_values import data_values_schema
from plait.base.errors import UsageError
from plait.base.extensions import parse_extensions
from plait.base.limits import budget_scope_from
from plait.engine.equality import Comparable
from plait.yaml.output_formats import JSON_SCHEMA, OPENAPI
from plait.ytt.json_schema.pydantic_models import pydantic_models
from plait.ytt.json_schema.values_schema import ValuesSchema, values_schema
from plait.ytt.json_schema.ytt_schema import ytt_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.errors import Warning
    from plait.engine.types import Inputs, Limits, Texts
    from plait.tree.plain_data import Plain

PYDANTIC = "pydantic"
FORMS = (PYDANTIC, JSON_SCHEMA, OPENAPI)


class SchemaText(Comparable):
    """A converted schema. text: the text of the file. warned: a warning for each rule that the new form does not
    express; each is a string, and its `diagnostic` has the code and the position. warnings: the same as plain strings.
    """

    __slots__ = ("text", "warned")

    def __init__(self, text: str, warned: Sequence[Warning]) -> None:
        self.text = text
        self.warned = list(warned)

    @property
    def warnings(self) -> list[str]:
        """The warnings as plain strings, which any serializer accepts."""
        return [str(one) for one in self.warned]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<SchemaText {len(self.text)} characters, {len(self.warned)} warnings>"

    def _held(self) -> tuple[object, ...]:
        return self.text, self.warnings


def import_schema(
    schema: str | os.PathLike[str] | Mapping[str, Plain], *, extensions: Texts = (), limits: Limits | None = None
) -> SchemaText:
    """The schema of templates for a JSON Schema, an OpenAPI document or a custom resource definition.

    schema: the path of a file, with `#/pointer` for a part of it, or the schema as plain data, such as
    `Model.model_json_schema()` of Pydantic. extensions: names of extensions that the result may use, as --with. Raises
    PlaitError.

    >>> print(plait.import_schema({"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}))
    #@data/values-schema
    ---
    port: 80
    <BLANKLINE>
    """
    with budget_scope_from(limits):
        if isinstance(schema, (str, os.PathLike)):
            return imported(values_schema(os.fspath(schema)), extensions)
        try:
            text = json.dumps(schema, indent=2)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"the schema is not plain data: {error}", code="invalid-value") from None
        return imported(schema_of_text(text.encode(), "schema.json"), extensions)


def schema_of_text(text: bytes, name: str) -> ValuesSchema:
    """A schema without a file. name: a path for messages, with `#/pointer` for a part of the schema."""
    return ValuesSchema(name, {os.path.abspath(name.partition("#")[0]): text})


def imported(schema: ValuesSchema, extensions: Texts) -> SchemaText:
    """The schema of templates for an external schema, once the engine has accepted it. Raises PlaitError."""
    chosen = parse_extensions(extensions, "render")
    text, warnings = ytt_schema(schema, chosen)
    data_values_schema({"schema.yml": text}, extensions=sorted(chosen))
    return SchemaText(text, warnings)


def export_schema(
    inputs: Inputs, *, form: str = PYDANTIC, extensions: Texts = (), limits: Limits | None = None
) -> SchemaText:
    r"""The schema of data values for other programs, as `plait schema export` prints it.

    form: "pydantic" for a Python module, whose last class is the model of all data values; "json-schema" or
    "openapi-v3". extensions: names of extensions of the dialect, as --with. Raises PlaitError.

    >>> schema = "#@data/values-schema\n---\n#@schema/validation min=1\nport: 80\n"
    >>> print(plait.export_schema({"schema.yml": schema}).text.partition("class DataValues")[2])
    (Values):
        port: int = Field(default=80, ge=1)
    <BLANKLINE>
    """
    if form not in FORMS:
        raise UsageError(f"unknown schema format {form!r}", expected=" or ".join(FORMS), code="unknown-choice")
    wanted = JSON_SCHEMA if form == PYDANTIC else form
    found = data_values_schema(inputs, form=wanted, extensions=extensions, limits=limits)
    plain = found.to_dict()
    text, warned = pydantic_models(plain) if form == PYDANTIC else (json.dumps(plain, indent=2) + "\n", [])
    return SchemaText(text, [*found.warned, *warned])
