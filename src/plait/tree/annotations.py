"""Annotations: parsed `#@name/part args` with their position, unlike unparsed comments (docs/reference/templates.md)."""

from __future__ import annotations

from plait.base.source import Position, Source


class Annotation:
    """An evaluated annotation of a node.

    args and kwargs are Starlark values, in source order.
    """

    __slots__ = ("args", "kwargs", "line", "name", "source")

    def __init__(
        self,
        name: str,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
        source: Source | None = None,
        line: int = 0,
    ) -> None:
        self.name = name
        self.args = args
        self.kwargs = {} if kwargs is None else kwargs
        self.source = source
        self.line = line

    @property
    def position(self) -> Position:
        return Position(self.source, self.line)

    def __repr__(self) -> str:
        return f"Annotation({self.name!r}, {self.args!r}, {self.kwargs!r})"


# A node's annotations by name. If a name is repeated, the last annotation is used.
Annotations = dict[str, Annotation]

FILE = "output/file"


def placing(annotations: Annotations | None) -> Annotation | None:
    """The annotation that names the output file of a document, or None."""
    return None if annotations is None else annotations.get(FILE)
