"""The start of a text, as ytt reads it: ytt inserts `---` before a text that does not start with one.

Therefore a `...` may come first, and a `---` after a comment or a directive starts the second document, after an empty
one. The empty one has no effect and is not in the tree. Code that counts documents, or needs their start, calls
`is_second`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet


def ends_first(text: str) -> bool:
    """True if only comments precede the first `...` of a text."""
    if "..." not in text:
        return False
    for line in text.split("\n"):
        if line.strip(" \t\r") and line.lstrip(" ")[:1] != "#":
            return line[:3] == "..." and line[3:4] in {"", " ", "\t", "\r"}
    return False


def is_second(source: Source, documents: DocumentSet) -> bool:
    """True if the first document of the tree is the second one for ytt."""
    head = source.text.lstrip("\t\n\f\r ")
    if head.startswith("---") and head[3:4] in {"\t", "\n", "\f", "\r", " "}:
        return False
    written = source.line(documents.items[0].line) or ""
    return written[:1] == "%" or (written[:3] == "---" and written[3:4] in {"", " ", "\t", "\r"})
