"""Replaces inputs that each user writes, such as an ignored `values.yml`, by the repository's example of them."""

from __future__ import annotations

import os

from plait.authoring.project.settings import Setting, is_path_setting
from plait.tree.nodes import Array, ArrayItem, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS = ("example", "sample", "template", "dist")
_SEPARATORS = ("-", ".", "_")


def with_examples(command: str, settings: Sequence[Setting], directory: str) -> tuple[list[Setting], dict[str, str]]:
    """The settings with the examples of missing files, and the example of each missing file."""
    found: dict[str, str] = {}
    made = []
    for one in settings:
        if is_path_setting(command, one.name):
            for path, _ in one.texts():
                if not os.path.lexists(os.path.join(directory, path)) and (example := _example(directory, path)):
                    found[path] = example
            one = Setting(one.name, one.option, [_replaced(item, found) for item in one.items])
        made.append(one)
    return made, found


def _example(directory: str, path: str) -> str:
    """The path of an example next to a missing file, "" if there is none."""
    stem, extension = os.path.splitext(path)
    above, name = os.path.split(stem)
    names = [
        one
        for mark in _MARKS
        for between in _SEPARATORS
        for one in (f"{name}{between}{mark}", f"{mark}{between}{name}")
    ]
    paths = [os.path.join(above, f"{one}{extension}") for one in names]
    return next((one for one in paths if os.path.isfile(os.path.join(directory, one))), "")


def _replaced(item: MapItem, examples: dict[str, str]) -> MapItem:
    value = item.value
    if type(value) is Array:
        items = [
            ArrayItem(examples.get(one.value, one.value) if type(one.value) is str else one.value, one.source, one.line)
            for one in value.items
        ]
        return MapItem(item.key, Array(items, value.source, value.line), item.source, item.line)
    if type(value) is str and value in examples:
        return MapItem(item.key, examples[value], item.source, item.line)
    return item
