"""Why a right item matched too few or too many left items: the places concerned, what was there, the nearest miss."""

from __future__ import annotations

from plait.errors import OverlayError
from plait.nodes import Array, Map, MapItem, kind_name
from plait.overlay.comparison import differences
from plait.overlay.edits import MISSING, MapEdit, key_value
from plait.overlay.matchers import MapKey, Subset, items_word
from plait.spell import nearest
from plait.starlark import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.nodes import Item, Value
    from plait.overlay.edits import Edit
    from plait.overlay.plan import Step
    from plait.source import Position

# How many names, and how many candidates, a message shows.
_NAMES, _CANDIDATES = 12, 3
_MISSING_OK = "if it may be absent, add missing_ok=True to #@overlay/match"


def explain(message: str, edit: Edit, step: Step, places: Sequence[int]) -> OverlayError:
    """The error for a number of matches that is not the expected one."""
    edit_items = [edit.items[place] for place in places]
    at, also = step.item.position, [item.position for item in edit_items]
    if places:
        hint = 'if all of them are meant, add expects="1+" to #@overlay/match' if len(places) > 1 else None
        return OverlayError(message, at=at, also=also, expected=_wanted(step), hint=hint)
    edit.settle()
    found, hint, also = _nearest(edit, step)
    return OverlayError(message, at=at, also=also, expected=_wanted(step), found=found, hint=hint)


def _wanted(step: Step) -> str | None:
    word = items_word(step.item)
    article = "an" if word[0] == "a" else "a"
    matcher = step.matcher
    if matcher is None:
        return f"{article} {word} with the key {shown(step.item.key)}" if type(step.item) is MapItem else None
    if isinstance(matcher, MapKey):
        value = key_value(step.item.value, matcher.key)
        return f'{article} {word} whose "{matcher.key}" is {shown(value)}' if value is not MISSING else None  # type: ignore[arg-type]
    if isinstance(matcher, Subset):
        return f"{article} {word} that contains {_outline(matcher.nodes)}"
    return None


def _nearest(edit: Edit, step: Step) -> tuple[str | None, str, list[Position]]:
    """What was there instead, a hint, and the lines worth showing."""
    items: Sequence[Item] = edit.items
    if not items:
        return "nothing", _MISSING_OK, []
    matcher = step.matcher
    if isinstance(matcher, Subset):
        return _near_subset(items, matcher)
    if matcher is None and type(edit) is MapEdit:
        values: list[Value] = [item.key for item in edit.items]
        wanted: Value = step.item.key  # type: ignore[union-attr]
    elif isinstance(matcher, MapKey):
        values = [key_value(item.value, matcher.key) for item in items]  # type: ignore[misc]
        wanted = key_value(step.item.value, matcher.key)  # type: ignore[assignment]
    else:
        return None, _MISSING_OK, []
    names = [shown(value) for value in values]
    more = ", ..." if len(names) > _NAMES else ""
    found = ", ".join(names[:_NAMES]) + more
    texts = [value for value in values if type(value) is str]
    near = nearest(wanted, texts) if type(wanted) is str else None
    if near is None:
        alike = [value for value in values if str(value) == str(wanted)]
        if alike and type(wanted) not in (Map, Array):
            kind = kind_name(alike[0])
            article = "an" if kind[0] in "aeiou" else "a"
            return found, f"{shown(alike[0])} is {article} {kind}, {shown(wanted)} is not", []
        return found, _MISSING_OK, []
    item = items[values.index(near)]
    return found, f'did you mean "{near}"? {_MISSING_OK}', [item.position]


def _near_subset(items: Sequence[Item], matcher: Subset) -> tuple[str | None, str, list[Position]]:
    rated = sorted(
        ((len(found := differences(item.value, matcher.nodes)), place, found) for place, item in enumerate(items)),
        key=lambda row: row[:2],
    )
    lines = []
    for _, place, found in rated[:_CANDIDATES]:
        parts = [_difference(one.path, one.missing, one.left, one.right) for one in found[:_NAMES]]
        lines.append(f"{items[place].position}: {', '.join(parts)}")
    hint = _MISSING_OK
    for one in rated[0][2]:
        alike = nearest(one.right, [one.left]) if type(one.right) is str and type(one.left) is str else None
        if alike is not None:
            hint = f'did you mean "{alike}"? {_MISSING_OK}'
            break
    return "\n".join(lines), hint, [items[rated[0][1]].position]


def _difference(path: list[str], missing: bool, left: Value, right: Value) -> str:
    where = ".".join(path) or "it"
    if missing:
        return f"no {where}"
    return f"{where} is {shown(left)}, not {shown(right)}"


def _outline(value: Value, path: str = "") -> str:
    if type(value) is Map and value.items:
        inner = [_outline(item.value, f"{path}.{item.key}" if path else str(item.key)) for item in value.items]
        return ", ".join(inner)
    return f"{path}: {shown(value)}" if path else shown(value)


def shown(value: Value) -> str:
    """A value in a message: scalars as they would be written in code, collections by their kind."""
    if value is MISSING:
        return "(no such key)"
    if type(value) is Map or type(value) is Array:
        return f"{'an' if type(value) is Array else 'a'} {kind_name(value)} of {len(value.items)}"
    if type(value) is bool or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return repr_of(value)
