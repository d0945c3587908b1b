"""YAML: text to nodes, nodes to text (spec ytt 2, spec ops 3 and 14)."""

from __future__ import annotations

from weft.yaml.comments import Comment, Comments
from weft.yaml.reader import deduplicate, read
from weft.yaml.scalars import needs_quotes, resolve_plain
from weft.yaml.writer import write, write_value

__all__ = [
    "Comment",
    "Comments",
    "deduplicate",
    "needs_quotes",
    "read",
    "resolve_plain",
    "write",
    "write_value",
]
