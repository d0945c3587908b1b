"""Comparisons of data values with a text or a constant of another type, which are never equal."""

from __future__ import annotations

import re

from plait.base.errors import warning
from plait.base.source import Position
from plait.tree.nodes import Map
from plait.ytt.workspace.library import PRIVATE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.context import Context
    from plait.tree.nodes import Document, MapItem, Value
    from plait.ytt.workspace.input_files import InputFile

# A data value, the operator, and a constant that is the whole operand.
_COMPARISON = (
    r"(?<![\w.\"'])data\.values((?:\.[A-Za-z_]\w{0,60}){1,9})[ ]?([=!]=)[ ]?"
    r"(\"[^\"\\\n]{1,20}\"|'[^'\\\n]{1,20}'|True|False)(?=[ ]?(?:[:)\],\n]|and\b|or\b|if\b|else\b|@\)|$))"
)
_KINDS: dict[type, str] = {bool: "a boolean", int: "an integer", float: "a float", str: "a string"}
_CONSTANTS = ("true", "false")
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


def warn_of_comparisons(files: Sequence[InputFile], values: Document, context: Context) -> None:
    """Warns about comparisons that are always false, or always true, because of their types. values: the data values.

    A template that compares a value with constants of both types, or uses it twice in a line, accepts both on purpose.
    """
    for file in files:
        if PRIVATE_NAME in file.path.split("/"):
            continue  # the data values of a library are its own
        text = file.text()
        found = [*re.finditer(_COMPARISON, text)]
        for one in found:
            path, operator, constant = one.groups()
            item = _item(values.value, path[1:].split("."))
            meant = None if item is None else _meant(item.value, constant)
            same = [other[3] for other in found if other[1] == path]
            if item is None or meant is None or any(_meant(item.value, other) is None for other in same):
                continue
            line = text.count("\n", 0, one.start()) + 1
            name = f"data.values{path}"
            row = file.source.line(line) or ""
            if "#!" in row.partition(name)[0] or len(re.findall(rf"{re.escape(name)}(?!\w)", row)) > 1:
                continue
            is_wanted = (meant == "True") == (operator == "==")
            code = f"{name} {operator} {meant}"
            if meant in ("True", "False"):
                code = name if is_wanted else f"not {name}"
            place = "" if item.source is None else f" ({item.position})"
            other = _KINDS[str if constant[0] in "\"'" else bool]
            context.warn(
                warning(
                    f"this is always {operator == '!='}, because {name}{place} is {_KINDS[type(item.value)]} and {constant} "
                    f"is {other}; write {code}",
                    code="compared-types",
                    at=Position(file.source, line),
                ),
                of=(item, values),
            )


def _item(value: Value, names: Sequence[str]) -> MapItem | None:
    item = None
    for name in names:
        item = value.find(name) if type(value) is Map else None
        if item is None:
            return None
        value = item.value
    return item


def _meant(value: object, constant: str) -> str | None:
    """The constant of the value's type that is meant by one of another type, as code; None if the types are the same,
    or if nothing certain is meant.
    """
    text = constant[1:-1]
    if constant in ("True", "False"):
        if type(value) is not str or value.lower() not in _CONSTANTS:
            return None
        return f'"{constant.lower() if value.islower() else constant}"'
    if type(value) is bool:
        lower = text.lower()
        return "True" if lower in _TRUE else "False" if lower in _FALSE else None
    if type(value) is int or type(value) is float:
        return text if re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", text) else None
    return None
