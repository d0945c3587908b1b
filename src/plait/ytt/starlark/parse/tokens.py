"""The tokens of a program, one at a time, and the errors about unexpected ones."""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.similar_names import counted
from plait.base.source import Advice, Flag, Position, Source
from plait.base.suggestions import LINE_END, Hint, Suggestion, replacing
from plait.ytt.starlark.scan import FAILURE, KEYWORDS, ScanFailure, next_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from plait.ytt.starlark.scan import Token
    from plait.ytt.starlark.syntax import Scope

_PLAIN = frozenset(("newline", "identifier", "int literal", "float literal", "string literal", "end of file"))
_HINTS = {
    "got newline, want ':'": Hint("missing colon at the end of 'if/for/def' statement?", Suggestion(LINE_END, ":")),
}
# Operators and keywords of other languages, and their equivalents in Starlark.
_FOREIGN = {"&&": "and", "||": "or", "else if": "elif"}
# What is missing, by the end of a message.
_MISSING = {
    "use of reserved keyword 'pass' is not allowed": "a block may be empty; a function without return returns None",
    "conditional expression without else clause": "VALUE if CONDITION else OTHER",
    "got '=', want ':'": "== compares two values",
    "first operand of load statement must be a string literal": 'load("file.star", "name")',
    "load statement must import at least 1 symbol": 'load("file.star", "name")',
    "not an identifier": "a name has letters, digits and _, and does not begin with a digit",
}
# What follows an operator of another language: ===, <>, ->, .Values
_OPERATORS = ("'='", "'>'", "'.'")
# What ends a block in other languages.
_FOREIGN_ENDS = ("endif", "endfor", "endwhile", "endmacro", "enddef", "endfunction", "fi", "done", "esac")
_CLOSERS = {"']'": "bracket", "')'": "parenthesis", "'}'": "brace"}


class Tokens:
    """The current token (`kind`, `value`, `line`, `column`), and the state of the parser."""

    __slots__ = (
        "closed",
        "closed_by",
        "column",
        "elses",
        "index",
        "is_slot",
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
        self.problems = problems  # faults that do not stop the parser
        self.index = 0
        self.is_slot = False
        self.elses = 0  # nested conditional expressions
        self.loops = 0
        self.loose = False
        self.closed_by = ""  # the keyword that closed the last block: "end", "else", "elif", or "" for a one-line body
        self.open: list[tuple[int, int]] = []  # positions of the blocks without an `end` so far
        self.closed: list[tuple[int, int]] = []  # lines of the blocks with an `end`, each with that of its `end`
        self.kind, self.value, self.line, self.column = tokens[0]

    def advance(self) -> None:
        self.index += 1
        self.kind, self.value, self.line, self.column = self.tokens[self.index]

    def fail(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        related: Sequence[Position] = (),
        word: str = "",
    ) -> NoReturn:
        if self.kind == FAILURE:
            assert isinstance(self.value, Finding)  # the value of a token of this kind
            raise ScanFailure(self.value)
        at = Position(self.source, self.line, self.column) if line is None else Position(self.source, line, column)
        # If a colon is missing, the following tokens, which would be in the block, are analysed as well.
        after = self.tokens[min(self.index + 1, len(self.tokens) - 1)][2] if message in _HINTS else 0
        also = [Position(self.source, after).labelled("what follows")] if after else []
        finding = Finding(
            message,
            at=at,
            also=[*also, *related],
            expected=expected,
            found=found,
            hint=hint or _HINTS.get(message) or _MISSING.get(message),
            code="foreign-operator" if word else "syntax-error",
            word=word,
        )
        if line is None and (self.kind == "newline" or self.value == "end"):
            # ytt has already read the line break.
            later = [token[2] for token in self.tokens[self.index : self.index + 3] if token[2] > self.line]
            following = self.line + 1 if self.source.is_unnamed else later[0] if later else self.line
            finding.told_at = Position(self.source, following)
        if self.kind == "end of file" and self.is_slot:
            # The parentheses of a slot close an open bracket, and ytt reads on.
            finding.reference = f"got identifier, want {','!r}" if message == "got end of file, want ')'" else message
            following = next_line(self.source, self.line)
            finding.told_at = Position(self.source, following or self.line)
            finding.is_last = not following
        lexical = next((token[1] for token in self.tokens[-3:] if token[0] == FAILURE), None)
        if isinstance(lexical, Finding):
            # The fault is a character that cannot be scanned; ytt reports the unexpected token before it.
            if (self.kind, self.value) == ("identifier", ""):
                lexical.reference = message
                raise ScanFailure(lexical)
            lexical.reference, lexical.is_last = finding.reference, finding.is_last
            lexical.told_at = finding.told_at or finding.at
            finding = lexical
        raise ScanFailure(finding)

    def problem(self, message: str, line: int, code: str) -> None:
        self.problems.append(Finding(message, at=Position(self.source, line), code=code))

    def described(self) -> str:
        """The token as messages show it."""
        kind = self.kind
        if kind == "host":
            return "identifier"
        if kind == "identifier" and self.value == "end":
            return "outdent"
        return kind if kind in _PLAIN or kind in KEYWORDS or kind == "illegal token" else f"'{kind}'"

    def unexpected(self, expected: str, hint: str | None = None) -> NoReturn:
        if self.kind == "pass":
            self.fail("use of reserved keyword 'pass' is not allowed")
        if self.kind == "identifier" and self.value == "end" and not self.open:
            self.fail("unexpected end")
        if self.kind == "end of file" and self.open and expected not in ("']'", "')'", "'}'"):
            self.mismatched()
        got = self.described()
        word = self._foreign(got, expected)
        hint = hint or self._meant(got, expected)
        if word:
            new = _FOREIGN[word]
            told = f"'{word}' is spelt {new}" if got == "else" else f"use '{new}' instead of '{word}' for logical-{new}"
            hint = replacing(word, [new], told)
        self.fail(f"got {got}, want {expected}", hint=hint, word=word)

    def _foreign(self, got: str, expected: str) -> str:
        """The operator or the keyword of another language at the current token, or ""."""
        before, after = self.tokens[self.index - 1][0], self.tokens[min(self.index + 1, len(self.tokens) - 1)][0]
        if expected == "primary expression" and self.kind in ("|", "&") and before == self.kind:
            return self.kind * 2
        return "else if" if got == "else" and after == "if" else ""

    def _meant(self, got: str, expected: str) -> str | None:
        """The likely intention behind the current token, or None."""
        kind, value, line, column = self.tokens[self.index - 1]
        if self.kind == "illegal token":
            return None  # `syntax_hints` has the reserved words
        is_cut = self._is_last() and (self.source.line(self.line + 1) or "").lstrip().startswith("#@")
        ends = "; an expression in YAML ends with its line: join the lines" if is_cut else ""
        if (
            got == "string literal"
            and kind == "identifier"
            and value in ("f", "F")
            and (line, column + 1) == (self.line, self.column)
        ):
            return Advice(
                "there are no f-strings without ",
                Flag("with", "f-strings"),
                ': "%s and %s" % (a, b), or "{} and {}".format(a, b)',
            )
        if (
            expected == "primary expression"
            and kind not in _PLAIN
            and kind not in KEYWORDS
            and kind != "host"
            and got not in _OPERATORS
            and not (kind in ("+", "-") and self.tokens[self.index - 2][0] == kind)
        ):
            return f"a value is missing after '{kind}'{ends}"
        if expected == "','" and self.loose:
            return self._argument(got)
        is_dict = expected == "':'" and got in ("','", "'}'") and self._within() == "{"
        if is_dict and "{{" not in (self.source.line(self.line) or ""):
            return "{...} is a dict, with a value for each key: {key: value}; a list is [a, b]"
        if got == "for" and expected == "')'":
            return "a comprehension is in brackets: [x for x in y]"
        closer = _CLOSERS.get(expected.removesuffix(", for, or if"))
        if closer is None:
            return None
        if got in ("end of file", "newline") or (got == "')'" and self._is_last()):
            return f"a {closer} is not closed{ends}"
        # The parenthesis at the end of a slot is not written.
        return (
            "a comma is missing before it"
            if (self._within() or not self.is_slot)
            and got in ("string literal", "int literal", "identifier", "float literal")
            else None
        )

    def _is_last(self) -> bool:
        """True at the end of the expression of a template."""
        return self.is_slot and self.tokens[min(self.index + 1, len(self.tokens) - 1)][0] == "end of file"

    def _within(self) -> str:
        """The innermost bracket that is open before the current token, or ""."""
        depth = 0
        for kind, _, _, _ in reversed(self.tokens[: self.index]):
            depth += (kind in (")", "]", "}")) - (kind in ("(", "[", "{"))
            if depth < 0:
                return kind
        return ""

    def _argument(self, got: str) -> str | None:
        """A hint for an argument of an annotation without a comma before it, or None."""
        text = self.source.line(self.line) or ""
        name, _, given = text[text.rfind("#@") + 2 :].partition(" ")
        if name in ("if", "elif", "else", "for", "def", "while", "return", "load"):
            return f'code has a space after "#@": #@ {name} ...'
        words = ("identifier", "int literal", "float literal", "string literal")
        if got not in (*words, *KEYWORDS):
            return None
        if self.tokens[self.index - 1][0] == "string literal":
            if got != "identifier" or not any(f"{quote}{self.value}" in text for quote in "\"'"):
                return "a comma is missing before it"
            return """a quote within a string ends it: put a string with " in single quotes, '...', or write \\\""""
        if name in ("schema/title", "schema/desc", "schema/deprecated"):
            return f"put the text in quotes: #@{name} {given.strip()!r}".replace("'", '"') if '"' not in given else None
        return "a string is written in quotes, and arguments are separated by commas"

    def mismatched(self) -> NoReturn:
        line, column = self.open[-1]
        outermost = self.open[0][0]
        # The ends that are there have closed blocks within those that are open.
        within = [pair for pair in self.closed if pair[0] >= outermost]
        count = len(within) + len(self.open)
        expected = (
            f"{count} ends, one for each of the {count} blocks from line {outermost} on"
            if count > 1
            else "an end of this block"
        )
        foreign = next((token[2] for token in self.tokens if token[2] > line and token[1] in _FOREIGN_ENDS), 0)
        related: list[Position] = []
        if within:
            opened, ended = within[-1]
            related = [
                Position(self.source, opened).labelled("the block that the last end closes"),
                Position(self.source, ended).labelled("the last end"),
            ]
        # An end further left than the block that it closes is probably that of a block around it.
        unclosed = next((pair for pair in within if self._margin(pair[0]) > self._margin(pair[1])), None)
        if unclosed is not None:
            related.insert(0, Position(self.source, unclosed[0]).labelled("the block without an end"))
        self.fail(
            "mismatched set of block openings (if/else/elif/for/def) and closing (end)",
            line,
            column,
            hint=f'line {foreign} ends no block: a block ends with "end"'
            if foreign
            else f"the block of line {unclosed[0]} has no end in its column: add one above line {unclosed[1]}"
            if unclosed
            else "each of them needs an end of its own: an end closes the innermost block that is open"
            if within
            else 'add a line after its last one: "end"'
            if self.source.is_unnamed
            else "add an end after its last line: #@ end in YAML, (@ end @) in a text",
            expected=expected,
            found=f"{counted(len(within), 'end')}; the last one closes the block of line {within[-1][0]}"
            if within
            else "no end",
            related=related,
        )

    def _margin(self, line: int) -> int:
        """The number of spaces before the code of a line."""
        code = (self.source.line(line) or "").partition("#@")
        text = code[2] or code[0]
        return len(text) - len(text.lstrip(" "))

    def expect(self, kind: str) -> None:
        if self.kind != kind:
            self.unexpected(f"'{kind}'" if kind not in KEYWORDS and kind not in _PLAIN else kind)
        self.advance()

    def _matcher_operator(self) -> Hint | None:
        """The hint for `overlay.and(...)`, or None: other reserved words have a hint of their own."""
        operator = f"overlay.{self.value}"
        if self.value not in ("and", "or", "not") or self.tokens[self.index - 2][1] != "overlay":
            return None
        return replacing(operator, [f"{operator}_op"], f"did you mean {operator}_op?")

    def identifier(self) -> str:
        if self.kind != "identifier":
            if self.kind in KEYWORDS or self.kind == "illegal token":
                told = f"use of reserved keyword '{self.value}' is not allowed (expected identifier)"
                self.fail(told, hint=self._matcher_operator())
            self.fail("not an identifier")
        name = self.value
        assert isinstance(name, str)  # the value of a token of this kind
        if name == "end":
            self.fail("not an identifier" if self.open else "unexpected end")
        self.advance()
        return name
