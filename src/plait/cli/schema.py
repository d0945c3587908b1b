"""`plait schema`: converts schemas from and to the formats of other programs."""

from __future__ import annotations

import os

from plait.api.schemas import FORMS, PYDANTIC, export_schema, imported, schema_of_text
from plait.base.content import standard_input
from plait.base.errors import PlaitError, UsageError, did_you_mean
from plait.cli.messages import complain_of_warning
from plait.cli.streams import write_out
from plait.engine.common import extensions_of
from plait.engine.flags import Command
from plait.engine.options import Request, text
from plait.ytt.json_schema.values_schema import values_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.api.schemas import SchemaText
    from plait.ytt.json_schema.values_schema import ValuesSchema

_OUTPUT = text(
    "output",
    "form of an exported schema",
    short="o",
    value="FORM",
    default=(PYDANTIC,),
    choices=FORMS,
)


class SchemaRequest(Request):
    """The command line of `plait schema`."""

    __slots__ = ()
    command = "schema"
    summary = "Convert a JSON Schema, an OpenAPI document or a custom resource definition to a schema of templates, or one of templates to Pydantic models."
    usage = "import FILE[#POINTER] | export FILE..."
    commands = (
        ("import", "print the schema of templates for the schema in FILE or stdin (-)"),
        ("export", "print the schema of data values in FILE... for other programs"),
    )
    extensions = extensions_of("render")
    output = _OUTPUT


SCHEMA = Command(SchemaRequest)


def main(flags: SchemaRequest) -> int:
    """Runs `plait schema`. Returns the exit status. Raises PlaitError."""
    flags.require_choice(_OUTPUT)
    words: Sequence[str] = flags.arguments
    names = [name for name, _ in SchemaRequest.commands]
    if not words or words[0] not in names:
        raise UsageError(
            f'unknown command "schema {words[0]}"' if words else "plait schema needs a command",
            expected=" or ".join(names),
            hint=(
                did_you_mean(words[0], names)
                or (f"plait schema import {words[0]}" if os.path.isfile(words[0]) else None)
            )
            if words
            else "plait schema import values.schema.json",
            code="unknown-command",
        )
    found = _imported(flags, words[1:]) if words[0] == "import" else _exported(flags, words[1:])
    write_out(found.text)
    for one in found.warned:
        complain_of_warning(one)
    return 0


def _imported(flags: SchemaRequest, words: Sequence[str]) -> SchemaText:
    if len(words) != 1:
        raise UsageError(
            "plait schema import needs exactly one file",
            expected="plait schema import FILE[#POINTER]",
            found=" ".join(words) or None,
            code="missing-argument",
        )
    return imported(_schema(words[0]), flags.extensions)


def _schema(name: str) -> ValuesSchema:
    """The schema in a file, or in standard input: `-`, and `-#/pointer` for a part of it."""
    path, mark, pointer = name.partition("#")
    return schema_of_text(standard_input(), f"stdin.yml{mark}{pointer}") if path == "-" else values_schema(name)


def _exported(flags: SchemaRequest, words: Sequence[str]) -> SchemaText:
    if not words:
        raise UsageError(
            "plait schema export needs a file",
            expected="plait schema export FILE...",
            hint="plait schema export schema.yml > values.py",
            code="missing-argument",
        )
    inputs = [{"stdin.yml": standard_input()} if one == "-" else one for one in words]
    found = export_schema(inputs, form=flags.output, extensions=flags.extensions)
    if any(one.diagnostic.code == "no-values-schema" for one in found.warned):
        for word in words:
            _check_foreign(word, flags)
    return found


def _check_foreign(name: str, flags: SchemaRequest) -> None:
    """Raises UsageError for a file that has no schema of templates, but one of another program."""
    try:
        imported(_schema(name), flags.extensions)
    except PlaitError:
        return
    raise UsageError(
        f'"{name}" is a schema of another program',
        expected="a schema of templates, with #@data/values-schema above ---",
        found="a JSON Schema, an OpenAPI document or a custom resource definition",
        hint=f"plait schema import {name} converts it",
        code="no-values-schema",
    )
