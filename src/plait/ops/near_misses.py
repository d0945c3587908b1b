"""Warnings about optional parts of paths that are missing, although the document has a similar name there.

A misspelt `name=diego_cell?` adds an item, or removes none, without an error.
"""

from __future__ import annotations

from plait.base.errors import OpsError, warning
from plait.base.similar_names import distance, is_slip
from plait.base.source import Position, suggested
from plait.base.suggestions import REPLACE, Suggestion, replacing
from plait.ops.path_hints import exists, required
from plait.ops.pointer import KeyToken, MatchingIndexToken, Pointer, escape, parse, with_step
from plait.ops.walk import find, syntaxes, text_under
from plait.ops.working_copy import WorkingCopy
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Warn
    from plait.ops.operations import Operation
    from plait.ops.pointer import Token
    from plait.tree.nodes import Value

# Maximum numbers of names compared, and of items whose keys are compared.
_MOST = 50_000
_MOST_ITEMS = 100
# Shorter names are similar by accident: keys, and the names of items.
_LONG, _SHORT = 6, 3


class _NearMiss:
    """An optional part of an operation's path, and the similar name.

    depth: the depth of the part. near: the intended part. is_slip: as in `is_slip`. meant: the corrected path.
    """

    __slots__ = ("depth", "is_slip", "meant", "near", "operation")

    def __init__(self, operation: Operation, depth: int, near: KeyToken | MatchingIndexToken, is_slip: bool) -> None:
        self.operation = operation
        self.depth = depth
        self.near = near
        self.is_slip = is_slip
        self.meant = operation.pointer

    def applies(self, before: Value, base: Value, named: dict[str, int]) -> bool:
        """True if the part is missing in the document before its operation, and only this operation names it.

        base: the document before all operations. named: the number of operations that name a part.
        """
        tokens = self.operation.pointer.tokens
        above = tokens[: self.depth]
        near = (*above, self.near)
        if named[_text(tokens[: self.depth + 1])] > 1 or exists(before, (*above, required(tokens[self.depth]))):
            return False
        if not exists(base, near) and _text(near) in named:
            return False
        meant = [*map(required, near)]
        if not exists(before, meant):
            return False
        rest = tokens[self.depth + 1 :]
        while rest and exists(before, (*meant, required(rest[0]))):
            meant.append(required(rest[0]))
            rest = rest[1:]
        self.meant = Pointer((*meant, *rest))
        # Two names that differ in a letter, such as those of two groups, may both be correct. The rest of the path decides.
        return exists(before, self.meant.tokens) and (self.is_slip or (not rest and self.depth + 1 < len(tokens)))

    def tell(self, warn: Warn) -> None:
        operation = self.operation
        token = operation.pointer.tokens[self.depth]
        is_key = type(token) is KeyToken
        name, near = (_name(one) for one in (token, self.near))
        what = "key" if is_key else "item"
        done = f"no {what} is removed" if operation.kind == "remove" else f"the {what} is added"
        at = Position(operation.source, operation.line) if operation.source is not None else None
        warn(
            warning(
                f'there is no {what} "{name}" at {operation.pointer.until(self.depth) or "the root"}, so {done}, '
                f'although "{near}" exists: did you mean "{self.meant}"?',
                code="near-miss",
                at=at,
                word=escape(name),
                suggestions=[Suggestion(REPLACE, escape(near), old=escape(name))],
            )
        )


def warn_of_near_misses(operations: Sequence[Operation], base: Value, result: Value, warn: Warn) -> None:
    """Warns about optional parts that are missing, although a similar name exists. base: before the operations."""
    siblings = _Siblings()
    suspects: dict[Operation, _NearMiss] = {}
    named: dict[str, int] = {}
    for operation in operations:
        tokens = operation.pointer.tokens
        is_told = False
        for depth, token in enumerate(tokens):
            if token.optional:
                is_told |= _warn_of_misread(operation, depth, base, warn)
                text = _text(tokens[: depth + 1])
                named[text] = named.get(text, 0) + 1
        if is_told or operation.kind not in ("replace", "remove") or operation.is_wide:
            continue
        if tokens and tokens[-1].optional:
            found = siblings.suspect(operation, result)
            if found is not None:
                suspects[operation] = found
    if not suspects:
        return
    draft = WorkingCopy(base)
    for operation in operations:
        suspect = suspects.get(operation)
        if suspect is not None and suspect.applies(draft.result(), base, named):
            suspect.tell(warn)
        for one in operation.plain(draft.result()) if operation.is_wide else (operation,):
            one.apply(draft)


def _warn_of_misread(operation: Operation, depth: int, base: Value, warn: Warn) -> bool:
    """Warns about a missing optional part that would have a hint about its syntax if it were required, such as a key with
    dots between the keys of a path, or a match in quotes. base: as above. Returns True if there is such a warning.
    """
    tokens = operation.pointer.tokens
    token = tokens[depth]
    if exists(base, (*map(required, tokens[:depth]), required(token))):
        return False
    is_key = type(token) is KeyToken
    above = _above(operation, depth, base)
    hint = _of_key(operation, depth, above) if is_key else _of_match(operation, depth, above)
    new = next((one.new for one in suggested((hint,))), None)
    if hint is None or (new is not None and not _leads(base, new)):
        return False
    what = f'there is no key "{_name(token)}"' if is_key else f"no item is selected by {token.text(mark=False)}"
    done = "nothing is removed" if operation.kind == "remove" else "it is added" if is_key else "one is added"
    warn(
        warning(
            f"{what}, so {done}: {hint}",
            code="near-miss",
            at=Position(operation.source, operation.line) if operation.source is not None else None,
            word=str(operation.pointer),
            suggestions=[] if new is None else [Suggestion(REPLACE, new, old=str(operation.pointer))],
        )
    )
    return True


def _leads(base: Value, path: str) -> bool:
    """True if the value at a path exists, or is optional in one that exists."""
    tokens = [*parse(path).tokens]
    while tokens and tokens[-1].optional:
        tokens.pop()
    return exists(base, tokens)


def _of_key(operation: Operation, depth: int, above: Value) -> str | None:
    """A hint for a key with spaces or "?" at its ends, or with the syntax of another program; or None."""
    pointer = operation.pointer
    name = _name(pointer.tokens[depth])
    bare = name.strip("? ")
    if bare and bare != name:
        reason = "spaces are part of a key" if " " in (name[0], name[-1]) else 'one "?" after a key makes it optional'
        path = with_step(pointer, depth, f"{escape(bare)}?")
        return replacing(str(pointer), [path], f'{reason}: "{path}"')
    return syntaxes().in_steps(above, pointer, depth) if type(above) is Map else None


def _of_match(operation: Operation, depth: int, above: Value) -> str | None:
    """A hint for a match with quotes, spaces or a second "=", or by a key that no item has; or None."""
    token, pointer = operation.pointer.tokens[depth], operation.pointer
    if type(token) is not MatchingIndexToken or type(above) is not Array:
        return None
    values = [text for item in above.items[:_MOST_ITEMS] if (text := text_under(item, token.key)) is not None]
    if values:
        quoted: str | None = syntaxes().without_quotes(token, values, pointer, depth)
        return quoted
    hint: str | None = syntaxes().other_key(above, token, pointer, depth)
    near = next((one.new for one in suggested((hint,))), "/")
    if near.startswith("/"):
        return hint
    step = MatchingIndexToken(near, token.value, optional=True, modifiers=token.modifiers)
    path = with_step(pointer, depth, step.text(mark=True))
    return replacing(str(pointer), [path], f'no item has the key "{token.key}": "{path}"')


def _above(operation: Operation, depth: int, base: Value) -> Value:
    """The value that a part of a path is looked up in, or None."""
    try:
        return find(base, Pointer(tuple(map(required, operation.pointer.tokens[:depth]))), slash=False)
    except OpsError:
        return None


class _Siblings:
    """The names of items of arrays and keys of maps, each listed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str | None], dict[str, Value]] = {}
        self._rest = _MOST

    def _of(self, node: Map | Array, key: str | None) -> dict[str, Value]:
        """The values by key of a map, or by the text under a key of the items of an array."""
        found = self._known.get((id(node), key))
        if found is None:
            if type(node) is Map:
                found = {item.key: item.value for item in node.items if type(item.key) is str}
            else:
                pairs = ((text_under(item, key or ""), item.value) for item in node.items)  # type: ignore[arg-type]
                found = {name: value for name, value in pairs if name is not None}
            self._known[id(node), key] = found
        return found

    def suspect(self, operation: Operation, result: Value) -> _NearMiss | None:
        """The first optional part whose name is similar to that of another item in the result, or None."""
        node = result
        for depth, token in enumerate(operation.pointer.tokens):
            if type(token) is KeyToken and type(node) is Map:
                names = self._of(node, None)
            elif type(token) is MatchingIndexToken and type(node) is Array and not token.modifiers:
                names = self._of(node, token.key)
            else:
                return None
            name = _name(token)
            if token.optional:
                self._rest -= len(names)
                if self._rest < 0:
                    return None
                slip = next((one for one in names if is_slip(name, one)), None)
                if slip is None and operation.kind == "remove":
                    slip = next((one for one in names if _is_swapped(name, one)), None)
                if slip is None and depth == len(operation.pointer.tokens) - 1 and type(token) is KeyToken:
                    slip = _other_number(name, names, getattr(operation, "value", None))
                shortest = _SHORT if type(token) is MatchingIndexToken else _LONG
                near = slip or next((one for one in names if _is_near(name, one, shortest)), None)
                if near is not None:
                    meant = KeyToken(near) if type(token) is KeyToken else MatchingIndexToken(token.key, near)  # type: ignore[union-attr]
                    return _NearMiss(operation, depth, meant, slip is not None)
            if name not in names:
                return None
            node = names[name]
        return None


def _other_number(name: str, names: dict[str, Value], value: Value) -> str | None:
    """The plural or singular of a key, if both have an array; else both may be right."""
    for one in (f"{name}s", name.removesuffix("s")):
        if one != name and type(names.get(one)) is Array and type(value) is Array:
            return one
    return None


def _is_swapped(name: str, known: str) -> bool:
    """True if two names differ only in two neighbouring letters: a removal of nothing is rarely intended."""
    return (
        len(name) == len(known) > 2
        and name.isalpha()
        and name != known
        and distance(name, known, 1) == 1
        and (sorted(name) == sorted(known))
    )


def _is_near(name: str, known: str, shortest: int) -> bool:
    """True if two names differ in one letter, and the first has a minimum length."""
    if len(name) < shortest or name == known or _digits(name) != _digits(known):
        return False
    return distance(name, known, 1) == 1


def _digits(name: str) -> list[str]:
    return [char for char in name if char.isdigit()]


def _name(token: Token) -> str:
    return token.name if type(token) is KeyToken else token.value if type(token) is MatchingIndexToken else ""


def _text(tokens: Sequence[Token]) -> str:
    return str(Pointer(tuple(map(required, tokens))))
