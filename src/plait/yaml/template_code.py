"""Warns about code of templates in texts that are read as plain YAML, in which it is only a comment."""

from __future__ import annotations

from plait.base.errors import PlaitError, warning
from plait.base.source import Position
from plait.yaml.comments import Comments
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.base.source import Source


def warn_of_code(source: Source, warn: Warn, use: str) -> None:
    """Warns about the first comment with code. use: what to use instead."""
    comments = Comments()
    if "#@" in source.text:
        try:
            read(source, comments=comments, keep_mark=False)
        except PlaitError:
            return  # the reader of the documents reports it
    line = next((one.line for one in comments.all if one.text[:1] == "@"), 0)
    if line:
        message = f"the code after #@ is not evaluated; use {use}"
        warn(warning(message, code="code-as-comment", at=Position(source, line), word="#@"))
