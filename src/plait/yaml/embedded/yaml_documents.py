"""Embedded YAML."""

from __future__ import annotations

from plait.base.source import Source
from plait.yaml.embedded import only_document
from plait.yaml.format_preserving import keep_format
from plait.yaml.reader import read as read_yaml
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value


def read(source: Source) -> Value:
    """Parses YAML text. Raises ReadError, also if there are several documents."""
    return only_document(deduplicate(read_yaml(source)), source)


def write(text: str, old: Value, new: Value) -> str:
    """The text with as few changed lines as possible."""
    return keep_format(Source("", text), old, new, read)
