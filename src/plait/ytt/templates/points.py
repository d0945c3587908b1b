"""Finds the statements of a file that can run, without running it (see `plait.base.events`)."""

from __future__ import annotations

from plait.ytt.starlark.instrument.coverage import points_in
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.templates import text
from plait.ytt.templates.compiler import plan
from plait.ytt.templates.statement_lines import of_nodes, of_text
from plait.ytt.templates.template_files import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.events import Point
    from plait.base.source import Source


def points_of(source: Source, kind: str) -> Sequence[Point]:
    """The points of a YAML template, a text template, or a Starlark file. kind: one of `workspace.files`. Raises
    PlaitError.
    """
    if kind == "text":
        return points_in(text.pieces(text.parse(source.text, source)), source, of_text)
    if kind == "starlark":
        return points_in([CodePart(source.text, 1)], source, lambda _: ())
    file = read_yaml(source)
    if not file.is_template or file.comments is None:
        return ()
    pieces, made = plan(file.documents, file.comments, source, ignore_unknown=True, repeated_keys=file.repeats_keys)
    return points_in(pieces, source, lambda host: of_nodes(host, made, source))
