"""What operations, variables and messages ask of a value: whether it equals another, and its text."""

from __future__ import annotations

from plait.nodes import Array, Map, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value


def same(left: Value, right: Value) -> bool:
    """Equality as `test` sees it: types and values, the order of arrays, but not the order of maps (spec ops 6.3)."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, Map) and isinstance(b, Map):
            if a is b:
                continue
            if len(a.items) != len(b.items):
                return False
            others = {key_id(item.key): item.value for item in b.items}
            for item in a.items:
                key = key_id(item.key)
                if key not in others:
                    return False
                stack.append((item.value, others[key]))
        elif isinstance(a, Array) and isinstance(b, Array):
            if a is b:
                continue
            if len(a.items) != len(b.items):
                return False
            stack.extend((x.value, y.value) for x, y in zip(a.items, b.items, strict=True))
        elif a != b:
            return False
    return True


def scalar_text(value: Value) -> str:
    """A scalar as text: true, 5, 1.5."""
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if type(value) is float:
        from plait.yaml import write_value

        return write_value(value).rstrip("\n")
    return str(value)
