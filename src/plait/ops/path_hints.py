"""Hints for a path that exists in another item of an array on the path."""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.ops.pointer import KeyToken, MatchingIndexToken, Pointer
from plait.ops.walk import find
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ops.pointer import Token
    from plait.tree.nodes import Value

# Maximum number of items examined.
_MOST = 1000


def found_elsewhere(root: Value, pointer: Pointer) -> str | None:
    """The path with another item selected, if it exists; else None."""
    tokens = pointer.tokens
    for depth in range(len(tokens) - 2, -1, -1):
        token = tokens[depth]
        if (
            type(token) is not MatchingIndexToken
            or token.modifiers
            or type(tokens[-1]) not in (KeyToken, MatchingIndexToken)
        ):
            continue
        rest = tuple(_required(one) for one in tokens[depth + 1 :])
        try:
            array = find(root, Pointer(tokens[:depth]), slash=False)
        except OpsError:
            continue
        for item in array.items[:_MOST] if type(array) is Array else ():
            name = item.value.find(token.key) if type(item.value) is Map else None
            if name is None or type(name.value) is not str or name.value == token.value:
                continue
            try:
                find(item.value, Pointer(rest), slash=False)
            except OpsError:
                continue
            return str(Pointer((*tokens[:depth], MatchingIndexToken(token.key, name.value), *rest)))
    return None


def _required(token: Token) -> Token:
    if type(token) is KeyToken:
        return KeyToken(token.name)
    return (
        MatchingIndexToken(token.key, token.value)
        if type(token) is MatchingIndexToken and not token.modifiers
        else token
    )
