"""Extensions of the dialects, each enabled by name (`--with NAME`). Without extensions, the output is that of the
reference program, byte for byte.
"""

from __future__ import annotations

from plait.base.errors import UsageError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OPERATIONS = "operations"
SECRETS = "secrets"
REQUIRED = "required"
F_STRINGS = "f-strings"
EMBEDDED = "embedded"
KEYS = "keys"
ALTERNATIVES = "alternatives"
VALUES_REFER = "values-refer"
OUTPUT_FILE = "output-file"
TAGS = "tags"

# The help text of each extension.
EXTENSIONS = {
    ALTERNATIVES: "@schema/one-of says of data values of which types they may be",
    OPERATIONS: "* in the paths of operations, and the types append, copy and move",
    EMBEDDED: "@overlay/inside, and !FORM in the paths of operations: documents within texts",
    F_STRINGS: 'f"...{expression}..." in the code of templates',
    KEYS: "@schema/key says of maps which keys they take besides those that the schema names",
    OUTPUT_FILE: "@output/file says of documents which file they are written to",
    REQUIRED: "@schema/required says of data values that they have to be given",
    SECRETS: "@schema/secret marks data values that nobody else is to see",
    TAGS: "tags of YAML such as !Ref are kept",
    VALUES_REFER: "data.values in data values and schemas: values that are made of others",
}
# The extensions of each command.
BY_COMMAND = {
    "render": (ALTERNATIVES, EMBEDDED, F_STRINGS, KEYS, OUTPUT_FILE, REQUIRED, SECRETS, TAGS, VALUES_REFER),
    "patch": (EMBEDDED, OPERATIONS, TAGS),
}


def parse_extensions(names: Iterable[str], command: str) -> frozenset[str]:
    """Parses names of extensions for a command. Raises UsageError for an unknown name."""
    found = frozenset(names)
    known = BY_COMMAND[command]
    for name in sorted(found.difference(known)):
        hint: str | None = did_you_mean(name, known)
        if hint is None and name in EXTENSIONS:
            hint = f"it is one of plait {next(other for other, has in BY_COMMAND.items() if name in has)}"
        raise UsageError(
            f'unknown extension "{name}"', expected=", ".join(known), hint=hint, code="unknown-extension", word=name
        )
    return found
