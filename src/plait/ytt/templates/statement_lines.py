"""The lines that a statement of a template covers. Imported only if there is a listener."""

from __future__ import annotations

from plait.tree.nodes import COLLECTION_TYPES, walk
from plait.ytt.templates.lower import Fill, Insert, SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.base.source import Source
    from plait.ytt.starlark.program_parts import TemplateStatement
    from plait.ytt.templates.node_table import Entry, NodeTable


def of_nodes(host: TemplateStatement, plan: NodeTable, source: Source) -> Iterable[int]:
    """The lines of the nodes that a statement of a YAML template adds, including lines of inserted text."""
    if isinstance(host, Fill):
        # Generated nodes, such as the document for comments at the end, have the line of a comment.
        lines = set(_of_entries(plan.chunks[host.index]))
        return {line for line in lines if not (source.line(line) or "").lstrip().startswith("#")}
    return (host.line,) if isinstance(host, SetValue) else of_text(host)


def of_text(host: TemplateStatement) -> Iterable[int]:
    """The lines of the text that a statement adds."""
    if not isinstance(host, Insert):
        return ()
    count = len(host.slots)
    found = set(host.lines[:count])
    for text, start in zip(host.literals, host.lines[count:], strict=False):
        found.update(line for line, piece in enumerate(text.split("\n"), start) if piece.strip())
    return found


def _of_entries(entries: Iterable[Entry]) -> Iterator[int]:
    for entry in entries:
        if isinstance(entry, list):
            for item in entry:
                yield item.line
                if isinstance(item.value, COLLECTION_TYPES):
                    yield from (inner.line for inner in walk(item.value))
        else:
            yield entry.line
            if isinstance(entry.value, COLLECTION_TYPES):
                yield from (inner.line for inner in walk(entry.value))
            yield from _of_entries(entry.children or ())
