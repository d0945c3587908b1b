"""The tokens of a program, one at a time, and what is said when one does not fit."""

from __future__ import annotations

from weft.errors import Finding
from weft.source import Position, Source
from weft.starlark.scan import KEYWORDS, ScanFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from weft.starlark.scan import Token
    from weft.starlark.syntax import Scope

_PLAIN = frozenset(("newline", "identifier", "int literal", "float literal", "string literal", "end of file"))
_HINTS = {
    "got newline, want ':'": "missing colon at the end of 'if/for/def' statement?",
}


class Tokens:
    """The token at hand (`kind`, `value`, `line`, `column`), and where the parser is."""

    __slots__ = (
        "closed_by",
        "column",
        "index",
        "kind",
        "line",
        "loops",
        "loose",
        "open",
        "problems",
        "scope",
        "source",
        "tokens",
        "value",
    )

    def __init__(self, tokens: Sequence[Token], source: Source, scope: Scope, problems: list[Finding]) -> None:
        self.tokens = tokens
        self.source = source
        self.scope = scope
        self.problems = problems  # what is wrong but does not stop the parser
        self.index = 0
        self.loops = 0
        self.loose = False
        self.closed_by = ""  # the word that closed the last block: "end", "else", "elif", or "" for a one-line body
        self.open: list[tuple[int, int]] = []  # where the blocks that wait for their `end` were opened
        self.kind, self.value, self.line, self.column = tokens[0]

    def advance(self) -> None:
        self.index += 1
        self.kind, self.value, self.line, self.column = self.tokens[self.index]

    def fail(
        self, message: str, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> NoReturn:
        at = Position(self.source, self.line, self.column) if line is None else Position(self.source, line, column)
        # Where a colon is missing, what follows is meant too: it would have been in the block.
        after = self.tokens[min(self.index + 1, len(self.tokens) - 1)][2] if message in _HINTS else 0
        also = [Position(self.source, after)] if after else []
        raise ScanFailure(Finding(message, at=at, also=also, hint=hint or _HINTS.get(message)))

    def problem(self, message: str, line: int) -> None:
        self.problems.append(Finding(message, at=Position(self.source, line)))

    def described(self) -> str:
        """The token as messages show it."""
        kind = self.kind
        if kind == "host":
            return "identifier"
        if kind == "identifier" and self.value == "end":
            return "outdent"
        return kind if kind in _PLAIN or kind in KEYWORDS or kind == "illegal token" else f"'{kind}'"

    def unexpected(self, wanted: str) -> NoReturn:
        if self.kind == "pass":
            self.fail("use of reserved keyword 'pass' is not allowed")
        if self.kind == "identifier" and self.value == "end" and not self.open:
            self.fail("unexpected end")
        if self.kind == "end of file" and self.open and wanted not in ("']'", "')'", "'}'"):
            self.mismatched()
        got = self.described()
        hint = None
        if wanted == "primary expression" and got in ("'|'", "'&'"):
            before = self.tokens[self.index - 1]
            if before[0] == self.kind:
                word = "or" if self.kind == "|" else "and"
                hint = f"use '{word}' instead of '{self.kind * 2}' for logical-{word}"
        self.fail(f"got {got}, want {wanted}", hint=hint)

    def mismatched(self) -> NoReturn:
        line, column = self.open[-1]
        self.fail(
            "mismatched set of block openings (if/else/elif/for/def) and closing (end)",
            line,
            column,
        )

    def expect(self, kind: str) -> None:
        if self.kind != kind:
            self.unexpected(f"'{kind}'" if kind not in KEYWORDS and kind not in _PLAIN else kind)
        self.advance()

    def identifier(self) -> str:
        if self.kind != "identifier":
            if self.kind in KEYWORDS or self.kind == "illegal token":
                self.fail(f"use of reserved keyword '{self.value}' is not allowed (expected identifier)")
            self.fail("not an identifier")
        name = self.value
        if name == "end":
            self.fail("not an identifier" if self.open else "unexpected end")
        self.advance()
        return name  # type: ignore[return-value]
