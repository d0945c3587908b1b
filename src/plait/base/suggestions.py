"""Suggestions: proposed changes of an input, by intention. They become text edits if the text is available."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Self, TypeAlias

    Kind: TypeAlias = Literal[
        "replace",
        "quote-word",
        "quote-value",
        "load",
        "argument",
        "line-end",
        "comment",
        "optional",
        "remove",
        "value",
        "content",
        "side",
    ]

# Replace the word `old` by `new`.
REPLACE: Kind = "replace"
# Enclose the word `old`, or the value of the line, in quotes.
QUOTE_WORD: Kind = "quote-word"
QUOTE_VALUE: Kind = "quote-value"
# Add the statement `new` at the top of the file.
LOAD: Kind = "load"
# Add the argument `new` to the annotation `old` of the node.
ARGUMENT: Kind = "argument"
# Append `new` to the line.
LINE_END: Kind = "line-end"
# Start the comment of the line with `new`.
COMMENT: Kind = "comment"
# Append `new` to the token `old` of the path of an operation.
OPTIONAL: Kind = "optional"
# Remove the item that starts on the line.
REMOVE: Kind = "remove"
# Replace the scalar `old` of an item that starts on the line by `new`, both in flow style.
VALUE: Kind = "value"
# Replace the text of the file `old` by `new`. A related position has its source.
CONTENT: Kind = "content"
# Resolve the merge conflict that starts on the line with the version of the marker `old`, which is named `new`.
SIDE: Kind = "side"


class Suggestion:
    """A proposed change. kind: its intention. old, new: the texts that the kind requires; otherwise ""."""

    __slots__ = ("kind", "new", "old")

    def __init__(self, kind: Kind, new: str = "", *, old: str = "") -> None:
        self.kind = kind
        self.new = new
        self.old = old

    @property
    def is_of_word(self) -> bool:
        """True if `old` is a word on the line."""
        return self.kind in (REPLACE, QUOTE_WORD)

    def __repr__(self) -> str:
        return f"Suggestion({self.kind!r}, {self.new!r}, old={self.old!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Suggestion) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.kind, self.new, self.old


class Hint(str):
    """A hint with the suggestions that it states: `Hint("put it in quotes", Suggestion(QUOTE_VALUE))`."""

    __slots__ = ("suggestions",)
    suggestions: tuple[Suggestion, ...]

    def __new__(cls, text: str, *suggestions: Suggestion) -> Self:
        made = super().__new__(cls, text)
        made.suggestions = (*getattr(text, "suggestions", ()), *suggestions)
        return made

    def __reduce__(self) -> tuple[type[Hint], tuple[object, ...]]:
        return Hint, (str(self), *self.suggestions)


def replacing(old: str, names: list[str] | tuple[str, ...], text: str) -> Hint:
    """A hint that proposes to replace a word by one of several names. text: the sentence."""
    return Hint(text, *(Suggestion(REPLACE, name, old=old) for name in names))
