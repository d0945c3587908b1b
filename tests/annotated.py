"""Trees with overlay annotations for tests, read from YAML without the template engine.

`#@overlay/...` comments become annotations whose arguments are read as Python, with the matchers as names. A Python
function stands in for one of the language: `fn(lambda ...)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.base.source import Source
from plait.tree.annotations import Annotation
from plait.yaml.comments import Comments
from plait.yaml.reader import read
from plait.ytt.overlay.matchers import ALL, And, IndexMatcher, MapKey, Not, Or, Subset
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.values import Builtin

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.nodes import Document, DocumentSet, Item, Value


def fn(function: Callable[..., object]) -> Builtin:
    return Builtin("fn", function)


def _starlark(value: object) -> object:
    if isinstance(value, dict):
        return Dict([(key, _starlark(inner)) for key, inner in value.items()])
    if isinstance(value, list):
        return List([_starlark(inner) for inner in value])
    return value


def _arguments(*args: object, **kwargs: object) -> tuple[tuple[object, ...], dict[str, object]]:
    return tuple(map(_starlark, args)), {name: _starlark(value) for name, value in kwargs.items()}


_NAMES: dict[str, object] = {
    "arguments": _arguments,
    "fn": fn,
    "all_items": ALL,
    "index": IndexMatcher,
    "map_key": MapKey,
    "subset": lambda value: Subset(_starlark(value)),
    "and_op": lambda *parts: And(parts),
    "or_op": lambda *parts: Or(parts),
    "not_op": lambda part: Not((part,)),
}


def _annotate(item: Item, comments: Comments, source: Source) -> None:
    for comment in comments.at(item):
        name, _, text = comment.text.removeprefix("@").partition(" ")
        args, kwargs = eval(f"arguments({text})", _NAMES)
        item.annotations = {**(item.annotations or {}), name: Annotation(name, args, kwargs, source, comment.line)}


def documents(text: str, name: str = "o.yml") -> DocumentSet:
    """The documents of a text, annotated."""
    source = Source(name, text)
    comments = Comments()
    tree = read(source, comments=comments)
    for owner in comments.of:
        if owner is not tree:
            _annotate(owner, comments, source)  # type: ignore[arg-type]
    return tree


def document(text: str, name: str = "o.yml") -> Document:
    (only,) = documents(text, name).items
    return only


def value(text: str, name: str = "o.yml") -> Value:
    return document(text, name).value
