"""Resolves pointers in a tree: the rules and errors for every type of path part (docs/reference/operations.md).

`find` resolves a path without changes. The working copy of operations (`draft`) uses the same rules through
`check_map`, `selected`, `place_of` and `missing_key`, so that errors are the same.
"""

from __future__ import annotations

from plait.base.errors import OpsError, did_you_mean
from plait.base.source import public, quotation, suggested
from plait.ops.pointer import (
    AfterLastIndexToken,
    IndexToken,
    KeyToken,
    MatchingIndexToken,
    escape,
    with_step,
)
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from types import ModuleType
    from typing import TypeAlias

    from plait.base.source import Position, Wording
    from plait.ops.pointer import Pointer
    from plait.tree.nodes import Value

    Matching: TypeAlias = Callable[[Array, MatchingIndexToken], list[int]]

SHOWN_SIBLINGS = 12


class PathNotFoundError(OpsError):
    """A missing key or an index out of range, which `test` with `absent` expects. depth: number of tokens including the
    missing one.
    """

    depth = 0
    # The path that the hint makes optional; "" for any other hint.
    optional = ""


def find(root: Value, pointer: Pointer, *, matching: Matching | None = None, slash: bool = True) -> Value:
    """The value at a pointer.

    A missing optional key is null, an optional match without a match is `{key: value}`. matching: finds the items that
    a match selects (default: `matches`). slash: True if "/" is the root when the root has no empty key. Raises
    OpsError; PathNotFoundError for a missing key or index.
    """
    tokens = pointer.tokens
    if slash and pointer.is_slash and not has_empty_key(root):
        return root
    last = len(tokens) - 1
    node = root
    for depth, token in enumerate(tokens):
        if isinstance(token, KeyToken):
            item = check_map(node, pointer, depth).find(token.name)
            if item is not None:
                node = item.value
            elif not token.optional:
                raise missing_key(node, pointer, depth)
            elif depth == last:
                return None
            else:
                node = _absent(pointer, depth)
        elif isinstance(token, AfterLastIndexToken):
            raise OpsError(
                f'"-" is the position after the last item, nothing can be looked up there: {pointer}',
                reference=f"Expected not to find after last index token in path '{pointer}' "
                "(not supported in find operations)",
                code="end-of-array",
            )
        else:
            array = check_array(node, pointer, depth)
            number = selected(array, token, pointer, depth, matching or matches)
            if number is not None:
                node = array.items[passed(array, number, token, pointer, depth)].value
            elif isinstance(token, MatchingIndexToken):
                node = Map([MapItem(token.key, token.value)])
    return node


def _absent(pointer: Pointer, depth: int) -> Value:
    """The placeholder for a missing optional key while the rest of the path is resolved."""
    following = type(pointer.tokens[depth + 1])
    if following is MatchingIndexToken:
        return Array([])
    if following is KeyToken:
        return Map([])
    raise OpsError(
        f"nothing to look up at {pointer.until(depth + 2)}",
        expected='a key or a "key=value" match after an optional key that is absent',
        reference=f"Expected to find key or matching index token at path '{pointer.until(depth + 2)}'",
        code="path-not-found",
    )


def has_empty_key(root: Value) -> bool:
    """True if the root is a map with the key ""."""
    return type(root) is Map and root.find("") is not None


def text_under(item: ArrayItem, key: str) -> str | None:
    """Returns the string under a key of an array item, for comparison by a match. Returns None if there is none."""
    found = item.value.peek(key) if isinstance(item.value, Map) else None
    return found.value if found is not None and isinstance(found.value, str) else None


def matches(array: Array, token: MatchingIndexToken) -> list[int]:
    """The indexes of the items that a match selects, in order."""
    key, wanted = token.key, token.value
    return [place for place, item in enumerate(array.items) if text_under(item, key) == wanted]


def selected(
    array: Array, token: IndexToken | MatchingIndexToken, pointer: Pointer, depth: int, matching: Matching
) -> int | None:
    """The index selected by a token, before its shift; None for an optional match without items."""
    if isinstance(token, IndexToken):
        return token.number
    found = matching(array, token)
    if not found and token.optional:
        return None
    check_one(array, found, token, pointer, depth)
    return found[0]


def passed(array: Array, number: int, token: IndexToken | MatchingIndexToken, pointer: Pointer, depth: int) -> int:
    """The index of the item that an inner part of a path selects. Raises OpsError."""
    if token.edge is not None:
        raise OpsError(
            f'":{token.edge}" is not allowed at {pointer.until(depth + 1)}',
            expected='":before" and ":after" only at the end of the path of a replace operation',
            reference="Expected to find one of the following modifiers: 'prev', 'next', but found modifier "
            f"'patch.{token.edge.title()}Modifier'",
            code="operation-position",
        )
    return place_of(array, number, token, pointer, depth)


# -- checks ----------------------------------------------------------------------------------------------------------


def check_map(node: Value, pointer: Pointer, depth: int) -> Map:
    """The node if it is a map. Raises OpsError otherwise."""
    if type(node) is Map:
        return node
    raise OpsError(
        public(f"not a map at {_upto(pointer, depth)}: {pointer.until(depth + 1)} asks for a key"),
        also=place(node),
        expected=public("a map"),
        found=public(kind_name(node)),
        hint=_public(syntaxes().key_hint(node, pointer, depth)),
        reference=f"Expected to find a map at path '{pointer.until(depth + 1)}' but found '{go_type(node)}'",
        code="path-through-scalar",
    )


def check_array(node: Value, pointer: Pointer, depth: int) -> Array:
    """The node if it is an array. Raises OpsError otherwise."""
    if type(node) is Array:
        return node
    raise OpsError(
        public(f"not an array at {_upto(pointer, depth)}: {pointer.until(depth + 1)} asks for an item"),
        also=place(node),
        expected=public("an array"),
        found=public(kind_name(node)),
        hint=_public(syntaxes().array_hint(node, pointer, depth)),
        reference=f"Expected to find an array at path '{pointer.until(depth + 1)}' but found '{go_type(node)}'",
        code="path-through-scalar",
    )


def check_one(array: Array, found: list[int], token: MatchingIndexToken, pointer: Pointer, depth: int) -> None:
    """Raises OpsError unless exactly one item was found."""
    if len(found) == 1:
        return
    where = pointer.until(depth + 1)
    told = f"Expected to find exactly one matching array item for path '{where}' but found {len(found)}"
    if found:
        also = [array.items[number].position.labelled("one that matches") for number in found[:3]]
        raise OpsError(
            public(f"{len(found)} items match {where}"),
            also=known(also),
            expected=public("exactly one"),
            found=public(f"{len(found)} items"),
            hint=public(f"an index selects one of them: {with_step(pointer, depth, str(found[0]))}"),
            reference=told,
            code="path-matches",
        )
    values = [text for text in (text_under(item, token.key) for item in array.items) if text is not None]
    if array.items and all(type(item.value) is not Map for item in array.items):
        raise syntaxes().not_maps(array, place(array), token, pointer, depth)
    if values:
        meant: str | None = syntaxes().without_quotes(token, values, pointer, depth)
        if meant is None:
            meant = did_you_mean(escape(token.value), [escape(value) for value in values[:1000]])
        hint = None if meant is None else quotation(meant)
        word = escape(token.value)
    else:
        hint = syntaxes().other_key(array, token, pointer, depth)
        word = escape(token.key)
    raise OpsError(
        public(f"no item matches {where}"),
        also=place(array),
        expected=public(f'exactly one item whose "{token.key}" is {_in_quotes(token.value)} (a string)'),
        found=quotation(listed(values)) if values else public(f'0 items with a string under "{token.key}"'),
        hint=hint or _public(syntaxes().match_hint(array, token, pointer, depth)),
        word=word,
        reference=told,
        code="path-matches",
    )


def check_insertion(token: IndexToken | MatchingIndexToken, pointer: Pointer, depth: int) -> None:
    """Raises OpsError if a modifier follows `before` or `after`."""
    if token.misplaced is not None:
        raise OpsError(
            f'a modifier follows ":{token.insert}" at {pointer.until(depth + 1)}',
            expected=f'":{token.insert}" last',
            found=f'":{token.misplaced}"',
            reference=f"Expected to not find any modifiers after '{token.insert}' modifier, but found modifier "
            f"'patch.{token.misplaced.title()}Modifier'",
            code="operation-position",
        )


def place_of(array: Array, number: int, token: IndexToken | MatchingIndexToken, pointer: Pointer, depth: int) -> int:
    """The index (from 0) that a token, shifted by `prev` and `next`, selects.

    The range is checked after the arithmetic. Raises PathNotFoundError.
    """
    moved = number + token.shift
    length = len(array.items)
    if -length <= moved < length:
        return moved + length if moved < 0 else moved
    error = PathNotFoundError(
        public(f"no item {moved} at {pointer.until(depth + 1)}"),
        also=place(array),
        expected=public(f"an index from {-length} to {length - 1}" if length else "an item"),
        found=public(f"an array of length {length}"),
        hint=public(f"{pointer.until(depth)}/- adds an item" + (", and /-1 is the last one" if length else "")),
        reference=f"Expected to find array index '{moved}' but found array of length '{length}' "
        f"for path '{pointer.until(depth + 1)}'",
        code="path-not-found",
    )
    error.depth = depth + 1
    raise error


def missing_key(node: Value, pointer: Pointer, depth: int) -> PathNotFoundError:
    """The error for a missing key, with the path to it and the existing keys."""
    assert type(node) is Map
    token = pointer.tokens[depth]
    assert isinstance(token, KeyToken)
    items = node.index().values()  # the list of items of a map that the draft owns is not up to date
    siblings = sorted(item.key for item in items if type(item.key) is str)

    if siblings:
        found = listed(siblings)
    else:
        found = "no string keys" if items else "an empty map"
    where, word = pointer.until(depth + 1), escape(token.name)
    meant = syntaxes().in_steps(node, pointer, depth) or did_you_mean(word, [escape(name) for name in siblings[:1000]])
    nearest = next((one.new for one in suggested((meant,))), "")
    near_by = [item.position.labelled("the nearest key") for item in items if escape(str(item.key)) == nearest]
    error = PathNotFoundError(
        public(f'no key "{token.name}" at {where}'),
        also=[*place(node), *known(near_by)],
        expected=public(f'the key "{token.name}"'),
        found=public(found),
        hint=public(meant or f"{where}? makes it optional"),
        word=word,
        suggestions=[syntaxes().optional(word)],
        reference=f"Expected to find a map key '{token.name}' for path '{where}' ({_go_siblings(items, siblings)})",
        code="path-not-found",
    )
    error.depth = depth + 1
    error.optional = "" if meant else where
    return error


def _go_siblings(items: Collection[MapItem], siblings: Sequence[str]) -> str:
    """The siblings of a missing key, as go-patch lists them."""
    return "found map keys: '" + "', '".join(siblings) + "'" if items else "found no other map keys"


_GO_TYPES = {
    Map: "map[interface {}]interface {}",
    Array: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int",
    float: "float64",
    type(None): "<nil>",
}


def go_type(value: Value) -> str:
    """The type of a value, as Go prints it."""
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        return "uint64"
    return _GO_TYPES.get(type(value), "string")


def listed(names: Iterable[str]) -> str:
    """Names in quotes for a message. A long list is shortened to the first few and the number of the others."""
    shown = [f'"{name}"' for name in names]
    if len(shown) > SHOWN_SIBLINGS:
        return f"{', '.join(shown[:SHOWN_SIBLINGS])} and {len(shown) - SHOWN_SIBLINGS} more"
    return ", ".join(shown)


def _public(hint: str | None) -> Wording | None:
    """A hint that names only keys and paths."""
    return None if hint is None else public(hint)


def place(node: Value) -> list[Position]:
    """The position of a collection, or an empty list if it is unknown."""
    if type(node) is Map or type(node) is Array:
        return known([node.position.labelled("the map" if type(node) is Map else "the array")])
    return []


def known(positions: Sequence[Position]) -> list[Position]:
    """The positions that a message can show."""
    return [at for at in positions if at.source is not None and at.line > 0]


def _upto(pointer: Pointer, depth: int) -> str:
    return pointer.until(depth) if depth else "the root"


def _in_quotes(text: str) -> str:
    return f"'{text}'" if '"' in text else f'"{text}"'


def syntaxes() -> ModuleType:
    """The module with hints for paths in the syntax of other programs, which only errors need."""
    from plait.ops import path_syntaxes

    return path_syntaxes
