"""Pointers: parsed paths of operations. Parsing is independent of documents (docs/reference/operations.md).

A path is split at "/", a part at ":" into a body and modifiers; then `~0 ~1 ~7` in the body become `~ / :`. The body
decides the type of the part: `-` at the end, an index, `key=value`, else a key. `?` at the end of a key or match makes
it, and every key and match to its right, optional. There is no escape for `=`, digits or a final `-`: such keys can be
written only in the optional form.

    >>> str(parse("/groups/name=db:next/01"))
    '/groups/name=db:next/1'
"""

from __future__ import annotations

from plait.base.errors import OpsError, did_you_mean, replacing
from plait.base.limits import current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Token: TypeAlias = "KeyToken | IndexToken | MatchingIndexToken | AfterLastIndexToken"  # noqa: S105 - no password

MODIFIERS = ("prev", "next", "before", "after")
_STEPS = {"prev": -1, "next": 1}


class KeyToken:
    """A map key."""

    __slots__ = ("name", "optional")

    def __init__(self, name: str, optional: bool = False) -> None:
        self.name = name
        self.optional = optional

    def text(self, mark: bool) -> str:
        return escape(self.name) + ("?" if mark else "")


class _Selected:
    """Base class of indexes and matches: their modifiers.

    shift: the sum of `prev` and `next`. insert: "before", "after" or None.
    misplaced: a modifier that follows `before` or `after`, or None. edge: the first `before` or `after`, or None.
    """

    __slots__ = ("edge", "insert", "misplaced", "modifiers", "shift")

    def __init__(self, modifiers: tuple[str, ...]) -> None:
        self.modifiers = modifiers
        self.shift = 0
        self.insert: str | None = None
        self.edge: str | None = None
        self.misplaced: str | None = None
        for modifier in modifiers:
            if self.insert is not None:
                self.misplaced = modifier
                break
            step = _STEPS.get(modifier)
            if step is None:
                self.insert = self.edge = modifier
            else:
                self.shift += step

    def suffix(self) -> str:
        return "".join(f":{modifier}" for modifier in self.modifiers)


class IndexToken(_Selected):
    """An array index; negative numbers count from the end."""

    __slots__ = ("number",)
    optional = False

    def __init__(self, number: int, modifiers: tuple[str, ...] = ()) -> None:
        super().__init__(modifiers)
        self.number = number

    def text(self, mark: bool) -> str:  # noqa: ARG002 - an index is never optional
        return f"{self.number}{self.suffix()}"


class MatchingIndexToken(_Selected):
    """Selects the array item that is a map with this text under this key."""

    __slots__ = ("key", "optional", "value")

    def __init__(self, key: str, value: str, optional: bool = False, modifiers: tuple[str, ...] = ()) -> None:
        super().__init__(modifiers)
        self.key = key
        self.value = value
        self.optional = optional

    def text(self, mark: bool) -> str:
        return f"{escape(self.key)}={escape(self.value)}{'?' if mark else ''}{self.suffix()}"


class AfterLastIndexToken:
    """The position after the last item of an array. Valid only as the last part of a path."""

    __slots__ = ()
    optional = False

    def text(self, mark: bool) -> str:  # noqa: ARG002 - never optional
        return "-"


class Pointer:
    """A parsed path: its tokens. The root has none. `str` returns the canonical form."""

    __slots__ = ("tokens",)

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens

    @property
    def adds_item(self) -> bool:
        """True if the path is a position between the items of an array, or after them."""
        last = self.tokens[-1] if self.tokens else None
        return type(last) is AfterLastIndexToken or getattr(last, "insert", None) is not None

    def __str__(self) -> str:
        return self.until(len(self.tokens))

    def __repr__(self) -> str:
        return f"Pointer({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def until(self, count: int) -> str:
        """The canonical text of the first `count` tokens. Only the first optional one has a `?`."""
        out = [""]
        marked = False
        for token in self.tokens[:count]:
            mark = token.optional and not marked
            marked = marked or mark
            out.append(token.text(mark))
        return "/".join(out)

    @property
    def is_slash(self) -> bool:
        """True if the path is "/": the root, unless the root is a map with an empty key. See
        docs/reference/operations.md.
        """
        tokens = self.tokens
        return len(tokens) == 1 and type(tokens[0]) is KeyToken and tokens[0].name == "" and not tokens[0].optional


ROOT = Pointer(())


def escape(text: str) -> str:
    """A key or value, escaped for a path."""
    return text.replace("~", "~0").replace("/", "~1").replace(":", "~7")


def with_step(pointer: Pointer, depth: int, step: str) -> str:
    """The text of a path with another step, or several, at a depth."""
    return pointer.until(depth) + "/" + step + str(pointer)[len(pointer.until(depth + 1)) :]


_ESCAPES = {"0": "~", "1": "/", "7": ":"}


def unescape(text: str) -> str:
    """The inverse of `escape`, in one pass. Any other `~` stays."""
    if "~" not in text:
        return text
    head, *pieces = text.split("~")
    out = [head]
    for piece in pieces:
        decoded = _ESCAPES.get(piece[:1])
        out.append("~" + piece if decoded is None else decoded + piece[1:])
    return "".join(out)


def index_number(text: str) -> int | None:
    """The number of an index part: decimal digits with an optional sign, within 64 bits; else None."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isdecimal() and digits.isascii()):
        return None
    if len(digits.lstrip("0")) > 19:
        return None
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 63 else None


def parse(text: str) -> Pointer:
    """Parses a path. Raises OpsError (without a position) if it is invalid."""
    if text == "":
        return ROOT
    if text[0] != "/":
        # `properties.router.port`, the syntax of other tools.
        meant = text if "/" in text else text.strip("$.").replace("]", "").replace("[", ".").replace(".", "/")
        raise OpsError(
            f'a path starts with "/": "{text}"',
            hint=replacing(text, [f"/{meant}"], f'did you mean "/{meant}"?'),
            reference="Expected to start with '/'",
            code="pointer-syntax",
        )
    parts = text.split("/")
    last = len(parts) - 1
    if last > current_budget().limits.pointer:
        raise limit_error(f"a path of {last} steps", "pointer", current_budget().limits.pointer)
    tokens: list[Token] = []
    optional = False
    for number, part in enumerate(parts):
        if number == 0:
            continue
        modifiers: tuple[str, ...] = ()
        if ":" in part:
            part, *pieces = part.split(":")
            for piece in pieces:
                if piece not in MODIFIERS:
                    raise _unknown_modifier(text, piece, pieces[0])
            modifiers = tuple(pieces)
        body = unescape(part)
        if body == "-" and number == last:
            if modifiers:
                raise OpsError(
                    f'no modifier can follow "-": "{text}"',
                    found=_quoted(modifiers),
                    reference="Expected not to find any modifiers with after last index token",
                    code="pointer-syntax",
                )
            tokens.append(AfterLastIndexToken())
            continue
        index = index_number(body) if body[-1:].isdecimal() else None
        if index is not None:
            tokens.append(IndexToken(index, modifiers))
            continue
        if body[-1:] == "?":
            optional = True
        key, equals, value = body.partition("=")
        if equals:
            tokens.append(MatchingIndexToken(key, value.removesuffix("?"), optional, modifiers))
            continue
        if modifiers:
            raise OpsError(
                f'no modifier can follow a key: "{text}"',
                found=_quoted(modifiers),
                hint='a colon that belongs to the key is written "~7"',
                reference="Expected not to find any modifiers with key token",
                code="pointer-syntax",
            )
        tokens.append(KeyToken(body.removesuffix("?"), optional))
    return Pointer(tuple(tokens))


def _quoted(modifiers: tuple[str, ...]) -> str:
    return ", ".join(f'":{modifier}"' for modifier in modifiers)


def _unknown_modifier(text: str, piece: str, first: str) -> OpsError:
    hint: str | None = did_you_mean(piece, MODIFIERS) if piece else None
    if piece.endswith("?"):
        hint = '"?" goes before the modifiers: "/name=x?:before"'
    elif hint is None and text.partition(f":{piece}")[0].rpartition("/")[2].isidentifier():
        meant = text.replace(f":{piece}", f"={piece}", 1)
        hint = replacing(text, [meant], f'a match is written with "=": "{meant}"; a colon within a key is "~7"')
    return OpsError(
        f'unknown modifier ":{piece}": "{text}"',
        expected=_quoted(MODIFIERS),
        hint=hint or 'a colon that belongs to a key is written "~7"',
        reference="Expected to find one of the following modifiers: 'prev', 'next', 'before', or 'after' "
        f"but found '{first}'",
        code="pointer-syntax",
    )
