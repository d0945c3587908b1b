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

# The extensions of each command.
BY_COMMAND = {
    "render": (ALTERNATIVES, EMBEDDED, F_STRINGS, KEYS, OUTPUT_FILE, REQUIRED, SECRETS, TAGS, VALUES_REFER),
    "patch": (EMBEDDED, OPERATIONS, TAGS),
}

# Formats of files.
VALUES_FORMATS = ("toml", "dotenv", "dotenv-yaml")


def split_format(path: str) -> tuple[str, str]:
    """The format, "" for YAML, and the path."""
    form, _, rest = path.removeprefix("+:").partition(":")
    return (form, rest) if rest and form in VALUES_FORMATS else ("", path)


def parse_extensions(names: Iterable[str], command: str) -> frozenset[str]:
    """Parses names of extensions for a command. Raises UsageError for an unknown name."""
    found = frozenset(names)
    known = BY_COMMAND[command]
    for name in sorted(found.difference(known)):
        hint: str | None = did_you_mean(name, known)
        if hint is None and (used := [other for other, has in BY_COMMAND.items() if name in has]):
            hint = f"plait {used[0]} has it"
        raise UsageError(
            f'unknown extension "{name}"', expected=", ".join(known), hint=hint, code="unknown-extension", word=name
        )
    return found
