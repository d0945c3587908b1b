"""Embedded JSON. New values are written on one line, or on separate lines if their neighbours are."""

from __future__ import annotations

import json

from plait.base.errors import ReadError
from plait.base.source import Position, Source
from plait.base.text_edits import ConflictError
from plait.tree.equality import alike
from plait.tree.nodes import from_plain, to_plain
from plait.yaml.format_preserving import Editor
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.scanner import scan
from plait.yaml.style import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value


class _Json(Style):
    """JSON instead of YAML's flow style."""

    __slots__ = ()

    def flow(self, value: Value) -> str:
        return _text(value)


def read(source: Source) -> Value:
    """Parses JSON text. Raises ReadError."""

    def refuse(name: str) -> float:
        raise ReadError(f"JSON has no {name}", at=Position(source, 1), code="invalid-json-file")

    try:
        return from_plain(json.loads(source.text, parse_constant=refuse), source, 1)
    except json.JSONDecodeError as error:
        raise ReadError(error.msg, at=Position(source, error.lineno), code="invalid-json-file") from None


def write(text: str, old: Value, new: Value) -> str:
    """The text with as few changes as possible. Raises ReadError if JSON cannot represent the value."""
    _text(new)
    try:
        tree = scan(text)
        editor = Editor(tree, style=_Json())
        editor.edit(tree.documents[0].root, old, new, None)
        changed = editor.result()
        if alike(read(Source("", changed)), new):
            return changed
    except (ConflictError, ReadError, TreeError):
        pass  # the root value changed, or is not valid JSON: it is written as a whole
    end = text[len(text.rstrip()) :]
    return json.dumps(to_plain(new), indent=2, ensure_ascii=False) + end


def _text(value: Value) -> str:
    try:
        return json.dumps(to_plain(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ReadError(f"JSON cannot represent the value: {error}", code="text-not-writable") from None
