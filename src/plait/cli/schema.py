"""`plait schema`: converts schemas of other programs."""

from __future__ import annotations

from plait.api.data_values import data_values_schema
from plait.base.errors import UsageError, did_you_mean
from plait.base.extensions import parse_extensions
from plait.cli.messages import complain_of_warning
from plait.cli.streams import write_out
from plait.engine.common import extensions_of
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.ytt.json_schema.values_schema import values_schema
from plait.ytt.json_schema.ytt_schema import ytt_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SchemaRequest(Request):
    """The command line of `plait schema`."""

    __slots__ = ()
    command = "schema"
    summary = "Convert a JSON Schema, an OpenAPI document or a custom resource definition to a schema of templates."
    usage = "import FILE[#POINTER]"
    commands = (("import", "print the schema of templates for the schema in FILE"),)
    extensions = extensions_of("render")


SCHEMA = Command(SchemaRequest)


def main(flags: SchemaRequest) -> int:
    """Runs `plait schema`. Returns the exit status. Raises PlaitError."""
    words: Sequence[str] = flags.arguments
    if not words or words[0] != "import":
        raise UsageError(
            f'unknown command "schema {words[0]}"' if words else "plait schema needs a command",
            expected="import",
            hint=did_you_mean(words[0], ["import"]) if words else "plait schema import values.schema.json",
            code="unknown-command",
        )
    if len(words) != 2:
        raise UsageError(
            "plait schema import needs exactly one file",
            expected="plait schema import FILE[#POINTER]",
            found=" ".join(words[1:]) or None,
            code="missing-argument",
        )
    extensions = parse_extensions(flags.extensions, "render")
    text, warnings = ytt_schema(values_schema(words[1]), extensions)
    # The engine reads the result before it is printed.
    data_values_schema({"schema.yml": text}, extensions=sorted(extensions))
    write_out(text)
    for one in warnings:
        complain_of_warning(one)
    return 0
