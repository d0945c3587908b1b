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
    ALTERNATIVES: "@schema/one-of: data values of one of several types",
    OPERATIONS: "* in the paths of operations, and the types append, copy and move",
    EMBEDDED: "@overlay/inside, and !FORMAT in the paths of operations: documents embedded in strings",
    F_STRINGS: 'f"...{expression}..." in the code of templates',
    KEYS: "@schema/key: maps with keys that the schema does not name",
    OUTPUT_FILE: "@output/file: the output file of a document",
    REQUIRED: "@schema/required: data values that must be set",
    SECRETS: "@schema/secret: secret data values",
    TAGS: "preserves YAML tags such as !Ref",
    VALUES_REFER: "data.values in data values and schemas: values computed from other values",
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
