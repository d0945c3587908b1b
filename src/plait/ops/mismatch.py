"""The reason for a failed `test` operation: the first difference between found and expected value.

Possible secrets are not shown: values under keys with a suspicious name, and private keys.
"""

from __future__ import annotations

from plait.base.similar_names import counted
from plait.ops.scalar_text import scalar_text
from plait.ops.walk import known, place
from plait.tree.equality import same
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Position
    from plait.tree.nodes import MapItem, Value

_LONGEST = 80
_HIDDEN = "not shown: it may be a secret"
_NAMED = 12
_SECRET = ("password", "passphrase", "secret", "token", "private", "credential", "key", "cert")


def mismatch(found: Value, expected: Value, way: str, at: Position | None) -> tuple[str, str, str, list[Position]]:
    """The first difference of two values: its path, the expected and the found value, its positions.

    way, at: the path of both values, and the position of the found one, or None if unknown.
    """
    seen = [] if at is None else known([at])
    while True:
        if type(found) is Map and type(expected) is Map:
            differing = _in_maps(found, expected)
            if differing is None:
                return way, _keys(expected), _keys(found), place(found) or seen
            item, wanted = differing
            way = f"{way}/{item.key}"
            seen = known([item.position]) or seen
            found, expected = item.value, wanted
        elif type(found) is Array and type(expected) is Array and len(found.items) == len(expected.items):
            number = next(
                number
                for number, (a, b) in enumerate(zip(found.items, expected.items, strict=True))
                if not same(a.value, b.value)
            )
            way = f"{way}/{number}"
            one = found.items[number]
            seen = known([one.position]) or seen
            found, expected = one.value, expected.items[number].value
        else:
            if any(word in way.lower() for word in _SECRET) or _is_key(found) or _is_key(expected):
                # The line is not quoted either.
                other = "another " if type(found) is type(expected) else ""
                return way, f"{kind_name(expected)} ({_HIDDEN})", f"{other}{kind_name(found)} (not shown)", []
            kinds = kind_name(found) != kind_name(expected)
            return way, _shown(expected, kinds), _shown(found, kinds), seen or place(found)


def _is_key(value: Value) -> bool:
    return type(value) is str and "PRIVATE KEY" in value


def _in_maps(found: Map, expected: Map) -> tuple[MapItem, Value] | None:
    """The first key whose values differ. None if the maps have different keys, or keys that a path cannot name."""
    theirs = {item.key: item for item in found.items if type(item.key) is str}
    if theirs.keys() != {item.key for item in expected.items}:
        return None
    for item in expected.items:
        if type(item.key) is str and not same(theirs[item.key].value, item.value):
            return theirs[item.key], item.value
    return None


def _keys(value: Map) -> str:
    names = [scalar_text(item.key) for item in value.items[:_NAMED]]
    more = f" and {len(value.items) - _NAMED} more" if len(value.items) > _NAMED else ""
    return f"a map with the keys {', '.join(names)}{more}" if names else "an empty map"


def _shown(value: Value, with_kind: bool) -> str:
    if type(value) is Map:
        return _keys(value)
    if type(value) is Array:
        return f"an array of {counted(len(value.items), 'item')}" if value.items else "an empty array"
    kind = kind_name(value)
    if type(value) is str:
        text = '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 4] + '..."'
    elif type(value) is bool or value is None:
        text = "null" if value is None else str(value).lower()
    else:
        text = str(value)
    return f"{text} ({kind})" if with_kind and value is not None else text
