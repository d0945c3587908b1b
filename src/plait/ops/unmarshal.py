"""go-yaml's messages about values of a wrong type, for callers that replace bosh by plait."""

from __future__ import annotations

import json

from plait.base.errors import ReadError
from plait.ops.scalar_text import scalar_text
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.lossless.binding import scanned
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.source import Source
    from plait.tree.nodes import Value

_TAGS: dict[type, str] = {Map: "!!map", Array: "!!seq", str: "!!str", bool: "!!bool", int: "!!int", float: "!!float"}
# Longer scalars are cut.
_LONGEST = 10


def wrong_type(value: Value, line: int, expected: str) -> str:
    """go-yaml's error for a value. expected: the required Go type."""
    tag = _TAGS.get(type(value), "!!null")
    shown = ""
    if type(value) is not Map and type(value) is not Array:
        text = scalar_text(value)
        shown = f" `{text if len(text) <= _LONGEST else f'{text[: _LONGEST - 3]}...'}`"
    return f"yaml: unmarshal errors:\n  line {line}: cannot unmarshal {tag}{shown} into {expected}"


def root_line(source: Source) -> int:
    """The line where the value of the first document starts, as written, including duplicate keys."""
    tree = scanned(source.text)
    line, _ = tree.place(tree.documents[0].root.start) if tree.documents else (1, 1)
    return source.first_line - 1 + line


def go_value(value: Value) -> str:
    """A value as Go prints it with `%v`."""
    if type(value) is Map:
        pairs = sorted(f"{go_value(item.key)}:{go_value(item.value)}" for item in value.items)
        return f"map[{' '.join(pairs)}]"
    if type(value) is Array:
        return f"[{' '.join(go_value(item.value) for item in value.items)}]"
    return "<nil>" if value is None else scalar_text(value)


def refused_key(source: Source) -> str:
    """go-yaml's message about the first collection used as a key, unless the text has a syntax error."""
    try:
        tree = read(source, keep_mark=False, first=True)
    except ReadError as error:
        return error.reference
    key = next(_collections(tree.items[0].value), None)
    return f"yaml: invalid map key: {_go_syntax(key)}"


def _collections(value: Value) -> Iterator[Value]:
    """The collections used as keys in a value."""
    if type(value) is Map or type(value) is Array:
        for item in value.items:
            key = item.key if type(item) is MapItem else None
            if type(key) is Map or type(key) is Array:
                yield from _collections(key)
                yield key
            yield from _collections(item.value)


def _go_syntax(value: Value) -> str:
    """A value as Go prints it with `%#v`."""
    if type(value) is Map:
        pairs = sorted(f"{_go_syntax(item.key)}:{_go_syntax(item.value)}" for item in value.items)
        return f"map[interface {{}}]interface {{}}{{{', '.join(pairs)}}}"
    if type(value) is Array:
        return f"[]interface {{}}{{{', '.join(_go_syntax(item.value) for item in value.items)}}}"
    if type(value) is str:
        return json.dumps(value, ensure_ascii=False)
    return "interface {}(nil)" if value is None else scalar_text(value)
