"""Warnings about changes of data values that ytt makes by chance or because of a defect, or that change a type."""

from __future__ import annotations

from plait.base.errors import warning
from plait.tree.nodes import Array, ArrayItem, Map, kind_name
from plait.yaml.scalars import resolve_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.tree.nodes import Document, MapItem, Value

# The flags that set strings only.
OF_STRINGS = ("data-value", "data-values-env")


def warn_of_siblings(document: Document, warn: Warn) -> None:
    """Warns about an overlay on one array item of data values that have a schema: see carvel-dev/ytt#912."""
    stack: list[Document | MapItem | ArrayItem] = [document]
    while stack:
        item = stack.pop()
        value = item.value
        if not isinstance(value, (Map, Array)):
            continue
        if (
            type(item) is ArrayItem
            and item.annotations is not None
            and "overlay/match" in item.annotations
            and any(isinstance(one.value, (Map, Array)) for one in value.items)
        ):
            warn(
                warning(
                    "in ytt this also changes other items of the array where they have the defaults of the schema",
                    code="shared-defaults",
                    at=item.position,
                )
            )
            return
        stack.extend(value.items)


def warn_of_string(document: Document, defaults: Document, warn: Warn) -> None:
    """Warns about a string from a flag that replaces a data value of another type, which the same text has in YAML.

    document: the value of the flag, within the keys to it. defaults: the data values without it.
    """
    value: Value = document.value
    default: Value = defaults.value
    while type(value) is Map and type(default) is Map:
        item = value.items[0]
        there = default.find(item.key)
        if there is None:
            return
        value, default = item.value, there.value
        if type(value) is str and item.source is not None and _is_meant(value, default):
            source, flag = item.source, item.source.flag
            given = source.line(1) if flag == "data-value" else source.argument
            kind = kind_name(default)
            message = f"--{flag} sets strings, and replaces the {kind} at {there.position}: --{flag}-yaml {given} sets {kind}s"
            warn(warning(message, code="unlikely-value", at=item.position, also=[there.position]))


def _is_meant(text: str, default: Value) -> bool:
    """True if a text in YAML has the type of a default, which is not a string."""
    if type(default) is Map or type(default) is Array:
        return text[:1] == ("{" if type(default) is Map else "[")
    meant = resolve_plain(text)
    return type(default) in (bool, int, float) and (
        type(meant) is type(default) or (type(default) is float and type(meant) is int)
    )
