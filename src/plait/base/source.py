"""Origins of text: a source is a named text, a position is a line in it, a frame is an action at a position. Wordings
are texts of messages, with the sources that they quote.

Nodes store the source and the line number (two slots). A `Position` is created on demand.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

    from plait.base.suggestions import Suggestion


class Source:
    """A named text.

    name: the path relative to the input root, such as `app.yml` or `stdin.yml`, used by programs and output. shown: the
    path from the working directory, such as `config/app.yml`, used in messages. text: the complete text. first_line:
    the number of its first line (1 unless the text is a part of a larger one). private: messages do not quote it unless
    the user requests it. extensions: the enabled extensions of its language (`plait.base.extensions`). is_unnamed: the
    reference program names its lines by number only, as in `.star` files. flag: the flag whose argument contains the
    text, without dashes; "" for a file. argument: the argument of the flag, if it differs from the text: a prefix of
    environment variables, a path with its key, a secret source.
    """

    __slots__ = (
        "_lines",
        "argument",
        "extensions",
        "first_line",
        "flag",
        "is_unnamed",
        "name",
        "private",
        "shown",
        "text",
    )

    def __init__(self, name: str, text: str = "", first_line: int = 1) -> None:
        self.name = name
        self.shown = name
        self.text = text
        self.first_line = first_line
        self.private = False
        self.flag = self.argument = ""
        self.is_unnamed = False
        self.extensions: frozenset[str] = frozenset()
        self._lines: list[str] | None = None

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    def hidden(self) -> Source:
        """A private copy of the source."""
        self.private = True
        return self

    def of_flag(self, flag: str, argument: str = "") -> Source:
        """A copy of the source with the flag that contains it."""
        self.flag, self.argument = flag, argument
        return self

    @property
    def is_data_flag(self) -> bool:
        """True for the flags of data values and secrets."""
        return self.flag.startswith("data-value") or self.flag == "secrets"

    def line(self, number: int) -> str | None:
        """The text of a line (numbers start at `first_line`), without its line break; None if there is no such line."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        index = number - self.first_line
        if 0 <= index < len(self._lines):
            return self._lines[index].rstrip("\r")
        return None


class Position:
    """A line in a source, with its column (from 1) if known. end: the column after the last one, if known."""

    __slots__ = ("column", "end", "line", "source")
    # the role of the position in a diagnostic about another one
    label = ""

    def __init__(self, source: Source | None, line: int, column: int | None = None, end: int | None = None) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.end = end

    def __str__(self) -> str:
        if self.source is None:
            return "?"
        return f"{self.source.shown}:{self.line}" if self.line > 0 else self.source.shown

    @property
    def named(self) -> str:
        """The position as output and programs show it: the source's name and the line."""
        if self.source is None:
            return "?"
        return f"{self.source.name}:{self.line}" if self.line > 0 else self.source.name

    def __repr__(self) -> str:
        return f"Position({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and (self.source, self.line, self.column) == (
            other.source,
            other.line,
            other.column,
        )

    def __hash__(self) -> int:
        return hash((id(self.source), self.line, self.column))

    def labelled(self, label: str) -> Related:
        """A copy of the position, with its role in another diagnostic."""
        return Related(self, label)

    @property
    def text(self) -> str | None:
        """The source line, or None if it is unknown."""
        return self.source.line(self.line) if self.source is not None else None


class Related(Position):
    """A position related to a diagnostic. label: its role, such as "the definition"."""

    __slots__ = ("label",)

    def __init__(self, at: Position, label: str) -> None:
        super().__init__(at.source, at.line, at.column, at.end)
        self.label = label


# The role of a stack frame in a reference program: a call of the template language, an instruction of a compiled
# template, the file whose evaluation ends here (`reference` is its number), a node of an overlay, a clause before the
# message, an argument of the command line; or a frame that only plait has.
CALL, INSTRUCTION, FILE, NODE, CLAUSE, FLAG, OURS = "call", "instruction", "file", "node", "clause", "flag", ""


class Frame:
    """One frame of a stack: a description ("in document", "in f") and a position.

    role: CALL, INSTRUCTION, FILE, NODE, CLAUSE, FLAG or OURS. reference: the reference program's text for the frame, by
    default `text`. A frame without text is shown only in the reference program's layout.
    """

    __slots__ = ("at", "reference", "role", "text")

    def __init__(
        self, text: str, at: Position | None = None, *, role: str = OURS, reference: str | None = None
    ) -> None:
        self.text = text
        self.at = at
        self.role = role
        self.reference = text if reference is None else reference


# The replacement of a secret.
HIDDEN = "(secret)"


class Quoted:
    """A part of a message that repeats text of an input.

    source: the source of the text; None for the source of the error. Private text is withheld.
    """

    __slots__ = ("source", "text")

    def __init__(self, text: str, source: Source | None = None) -> None:
        self.text = text
        self.source = source

    def shown(self, *, private: bool) -> str:
        """The text, or dots if it is withheld. private: the error is about a private source."""
        return WITHHELD if self.text and (private if self.source is None else self.source.private) else self.text


class Wording(str):
    """A text with known quotations: `Wording("unknown anchor '", Quoted(name), "' referenced")`.

    The string itself is the complete text. Plain strings among the parts are plait's own words.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Quoted, ...]

    def __new__(cls, *parts: str | Quoted) -> Self:
        flat: list[str | Quoted] = []
        for part in parts:
            flat += part.parts if isinstance(part, Wording) else (part,)
        made = super().__new__(cls, "".join(part.text if isinstance(part, Quoted) else part for part in flat))
        made.parts = tuple(flat)
        return made

    def __reduce__(self) -> tuple[type[Wording], tuple[str | Quoted, ...]]:
        return Wording, self.parts

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        return suggested(part.text if isinstance(part, Quoted) else part for part in self.parts)

    def shown(self, *, private: bool) -> str:
        """The text without withheld quotations. private: as in `Quoted`."""
        return "".join(part.shown(private=private) if isinstance(part, Quoted) else part for part in self.parts)


class Flag:
    """A reference to an option in a text. name: the flag. value: its value, "" for a switch."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: str = "") -> None:
        self.name = name
        self.value = value

    def __str__(self) -> str:
        return f"--{self.name} {self.value}".rstrip()


class Advice(str):
    """A text that names options: `Advice("wait longer: ", Flag("limit", "url=N"))`. As a string it is in command-line
    form.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Flag, ...]

    def __new__(cls, *parts: str | Flag) -> Self:
        made = super().__new__(cls, "".join(map(str, parts)))
        made.parts = parts
        return made

    def __reduce__(self) -> tuple[type[Advice], tuple[str | Flag, ...]]:
        return Advice, self.parts

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        return suggested(part for part in self.parts if isinstance(part, str))

    def names(self, flag: str) -> bool:
        return any(isinstance(part, Flag) and part.name == flag for part in self.parts)

    def told(self, name: Callable[[Flag], str]) -> str:
        """The text with other spellings of the options."""
        return "".join(part if isinstance(part, str) else name(part) for part in self.parts)


def suggested(texts: Iterable[str | None]) -> tuple[Suggestion, ...]:
    """The suggestions of all hints among the texts."""
    return tuple(one for text in texts for one in getattr(text, "suggestions", ()))


# The replacement of a withheld quotation.
WITHHELD = "..."


def quotation(text: str, source: Source | None = None) -> Wording:
    """A text that consists of one quotation, such as a found value."""
    return Wording(Quoted(text, source))


def public(text: object) -> Wording:
    """A text that is never withheld: a type, a count, or a name of a file, a key, or a variable."""
    return Wording(text if isinstance(text, str) else str(text))


def displayable_path(path: str) -> str:
    """A path for messages, with unpaired surrogates and null bytes escaped."""
    return path.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def reason(error: BaseException) -> str:
    """The system's message in lower case, as Unix programs print it."""
    if isinstance(error, UnicodeError):
        return "it contains an unpaired surrogate"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]
