"""Warnings about values of operations and variables that are valid, but probably not intended.

An item next to another one of the same name, an array as an item, text instead of a number, and numbers whose
digits change when they are printed.
"""

from __future__ import annotations

import re

from plait.base.errors import OpsError, warning
from plait.base.similar_names import with_article
from plait.base.source import Position
from plait.ops.pointer import MatchingIndexToken, Pointer
from plait.ops.scalar_text import scalar_text
from plait.ops.walk import find, text_under
from plait.tree.nodes import Array, Map, MapItem, kind_name, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.base.errors import Warn, Warning
    from plait.base.source import Source
    from plait.ops.operations import Operation
    from plait.ops.variables import Sources
    from plait.tree.nodes import Value

# Arrays of BOSH's manifests and cloud configs whose items have different names, or are of different releases.
_NAMED = frozenset(
    {"addons", "azs", "compilation", "disk_types", "instance_groups", "jobs", "networks", "vm_extensions", "vm_types"}
)
_NUMBER_OR_SWITCH = re.compile(r"-?[0-9]{1,18}|true|false")
# A number at the end of a line, after the key.
_WRITTEN = re.compile(r":[ \t]+([-+]?[0-9][0-9_.eExXoOa-fA-F+]*)[ \t]*(?:#.*)?$")
# A version whose last digit a number does not have.
_LOSSY = re.compile(r"[0-9]+\.[0-9]*[1-9][0-9]*0")
_IDENTIFIERS = ("version", "tag", "release", "commit", "sha", "id")


def warn_of_values(operations: Iterable[Operation], before: Value, result: Value, warn: Warn) -> None:
    """Warns about values of operations. before, result: the document before and after all operations."""
    for operation in operations:
        if operation.kind != "replace" or operation.is_wide or not operation.pointer.tokens:
            continue
        value: Value = getattr(operation, "value", None)
        if operation.pointer.adds_item:
            if type(value) is Map:
                _warn_of_same_name(operation, value, result, warn)
            elif type(value) is Array:
                _warn_of_array(operation, value, result, warn)
        elif type(value) is str:
            if _NUMBER_OR_SWITCH.fullmatch(value):
                _warn_of_text(operation, value, before, warn)
        elif type(value) in (int, float):
            item = getattr(operation, "item", None)
            key = getattr(operation.pointer.tokens[-1], "name", "")
            if item is not None and _is_lossy(item.value, _written(item.position), key):
                warn(_lossy(str(operation.pointer), item.position))


def warn_of_variables(sources: Sources, warn: Warn) -> None:
    """Warns about numbers in files of variables."""
    try:
        given = sources.named()
    except OpsError:
        return  # the error is raised again, with its position, when placeholders are filled
    for name, text in sources.numbers.items():
        value = given.get(name)
        if type(value) in (int, float) and _is_lossy(value, text, name):
            message = f"-v {name}=... is a number, and is printed with digits that differ: -v {name}='\"...\"' preserves its text"
            warn(warning(message, code="unlikely-value", word=name))
    for name, value in given.items():
        at = sources.place_of(name) if type(value) in (int, float) else None
        if at is not None and _is_lossy(value, _written(at), name):
            warn(_lossy(f"(({name}))", at))


def warn_of_versions(template: Source, result: Value, warn: Warn) -> None:
    """Warns about versions of a template that lose a digit: `version: 1.10`. As a number, `1.0` is the same as 1."""
    for item in walk(result):
        if type(item) is MapItem and type(item.value) is float and item.source is template:
            written = _written(item.position)
            if _LOSSY.fullmatch(written) and str(item.key).lower().endswith("version"):
                message = f"{item.key}: {written} is the number {scalar_text(item.value)}: quotes preserve its text"
                warn(warning(message, code="unlikely-value", at=item.position))


def _written(at: Position) -> str:
    """The number at the end of a line, or ""."""
    line = at.source.line(at.line) if at.source is not None else None
    found = None if line is None else _WRITTEN.search(line)
    return "" if found is None else found[1]


def _is_lossy(value: Value, written: str, key: str) -> bool:
    """True if a number is printed with digits that differ from the written ones. A float may end in zeros, unless its
    key says that it identifies something.
    """
    if not written or type(value) not in (int, float) or written == scalar_text(value):
        return False
    if "." in written and re.fullmatch(r"[-+]?[0-9]+\.[0-9]+", written):
        return any(word in key.lower() for word in _IDENTIFIERS)
    return True


def _lossy(what: str, at: Position) -> Warning:
    # The digits may be a secret.
    message = f"{what} is a number, and is printed with digits that differ from these: quotes preserve it"
    return warning(message, code="unlikely-value", at=at)


def _at(operation: Operation) -> Position | None:
    return Position(operation.source, operation.line) if operation.source is not None else None


def _warn_of_text(operation: Operation, value: str, before: Value, warn: Warn) -> None:
    try:
        old = find(before, operation.pointer, slash=False)
    except OpsError:
        return
    if type(old) is (bool if value in ("true", "false") else int):
        text = f'the string "{value}"' if type(old) is bool else "a string of digits"
        message = f"the value of {operation.pointer} is {text}, and replaces {with_article(kind_name(old))}: remove the quotes"
        item = getattr(operation, "item", None)
        warn(warning(message, code="unlikely-value", at=_at(operation) if item is None else item.position))


def _parent(operation: Operation, root: Value) -> Array | None:
    try:
        found = find(root, Pointer(operation.pointer.tokens[:-1]), slash=False)
    except OpsError:
        return None
    return found if type(found) is Array else None


def _warn_of_array(operation: Operation, value: Array, result: Value, warn: Warn) -> None:
    array = _parent(operation, result)
    others = [] if array is None else [one.value for one in array.items if one.value is not value]
    if not value.items or not others or any(type(one) is Array for one in others):
        return
    instead = (
        "write the item alone, without a dash or brackets"
        if len(value.items) == 1
        else "write an operation for each item"
    )
    message = f"{operation.pointer} adds one item, and its value is an array, which becomes an item: {instead}"
    warn(warning(message, code="unlikely-value", at=_at(operation)))


def _warn_of_same_name(operation: Operation, value: Map, result: Value, warn: Warn) -> None:
    name = _text(value, "name")
    above = operation.pointer.tokens[:-1]
    if name is None or not above or getattr(above[-1], "name", "") not in _NAMED:
        return
    array = _parent(operation, result)
    named = [] if array is None else [one for one in array.items if text_under(one, "name") == name]
    others = [one for one in named if one.value is not value]
    if len(named) != 2 or len(others) != 1:
        return
    if text_under(others[0], "release") != _text(value, "release"):
        return
    there = others[0].position
    message = (
        f'this item is added next to the one with the same name, "{name}": {there}; '
        f"the path {Pointer((*above, MatchingIndexToken('name', name)))} selects that one"
    )
    also = [there.labelled("the item of the same name")]
    warn(warning(message, code="same-name", at=_at(operation), also=also, word=name))


def _text(value: Map, key: str) -> str | None:
    """The string under a key of a map, or None."""
    item = value.find(key)
    return item.value if item is not None and type(item.value) is str else None
