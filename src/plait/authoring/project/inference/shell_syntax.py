"""Parses the syntax of shell scripts: words, simple commands, lists, subshells, loops and functions.

It implements the shell command language of POSIX and the parts of bash that build scripts use. An unsupported construct
becomes a word of unknown value, never an error, because the scripts belong to other projects.
"""

from __future__ import annotations

import re
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Part: TypeAlias = "ShellLiteral | Variable | Substitution | Unknown"
    Lexeme: TypeAlias = "Word | Operator"

_OPERATORS = (";;", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(\[[0@*]\])?(?:(:?[-=])([^${}`]*)|(%/\*))?\}")
_REDIRECTION = re.compile(r"\d*(?:<<<|<<-?|>>|>\||>&|<&|<>|&>>|&>|>|<)")
# A placeholder of a Taskfile or a justfile, which is filled in before the shell reads the text.
_PLACEHOLDER = re.compile(r"\{\{[^{}]*+\}\}")
# Characters without a meaning of their own, outside of quotes and between double quotes.
_PLAIN = re.compile(rf"""(?:(?!{_PLACEHOLDER.pattern})[^ \t\r\n;&|()<>'"\\$`])+""")
_PLAIN_QUOTED = re.compile(rf"""(?:(?!{_PLACEHOLDER.pattern})[^"\\$`])+""")
# A backslash that ends the text continues nothing: the line after it was left out.
_CONTINUATION = re.compile(r"\\(?:\r?\n|\Z)")
_DEEPEST = 40


class ShellLiteral:
    """Literal characters. is_quoted: patterns in them are not expanded."""

    __slots__ = ("is_quoted", "text")

    def __init__(self, text: str, *, is_quoted: bool) -> None:
        self.text = text
        self.is_quoted = is_quoted


class Variable:
    """`$name`, `${name}`, `${name:-default}`.

    is_array: `${name[@]}`, all elements of an array. is_directory: `${name%/*}`, the directory of a path. is_quoted:
    between double quotes, so that the value is one word.
    """

    __slots__ = ("default", "is_array", "is_directory", "is_quoted", "name")

    def __init__(
        self, name: str, default: str | None = None, *, is_array: bool = False, is_directory: bool = False
    ) -> None:
        self.name = name
        self.default = default
        self.is_array = is_array
        self.is_directory = is_directory
        self.is_quoted = False


class Substitution:
    """`$(commands)`, or `<(commands)`, which expands to the path of a pipe (is_pipe)."""

    __slots__ = ("is_pipe", "is_quoted", "tokens")

    def __init__(self, tokens: Sequence[Lexeme], *, is_pipe: bool) -> None:
        self.tokens = tokens
        self.is_pipe = is_pipe
        self.is_quoted = False


class Unknown:
    """A part whose value is known only at run time. text: as written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Word:
    """A word, with its line in the file. is_redirected: it is the target of a redirection, not an argument."""

    __slots__ = ("is_redirected", "line", "parts", "text")

    def __init__(self, parts: Sequence[Part], text: str, line: int, *, is_redirected: bool = False) -> None:
        self.parts = parts
        self.text = text
        self.line = line
        self.is_redirected = is_redirected

    def __repr__(self) -> str:
        return f"Word({self.text!r})"


class Operator:
    """A separator of commands."""

    __slots__ = ("line", "text")

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.line = line


def tokens_of(text: str, line: int = 1) -> list[Lexeme]:
    """The words and operators of a script. line: number of its first line."""
    return _Lexer(text, line, 0).tokens(None)


class _Lexer:
    def __init__(self, text: str, line: int, depth: int) -> None:
        self.text = text
        self.line = line
        self.place = 0
        self.depth = depth
        self.heredocs: list[tuple[str, bool]] = []  # delimiter, and True if the text is expanded

    def tokens(self, end: str | None) -> list[Lexeme]:
        """Tokens up to the operator `end`, or to the end of the text."""
        found: list[Lexeme] = []
        text = self.text
        is_redirected = False
        opened = 0
        while self.place < len(text):
            char = text[self.place]
            if char in " \t\r":
                self.place += 1
            elif (continued := _CONTINUATION.match(text, self.place)) is not None:
                self._advance(continued.end())
            elif char == "#":
                self.place = _or_end(text.find("\n", self.place), text)
            elif (match := _REDIRECTION.match(text, self.place)) is not None and text[
                match.end() : match.end() + 1
            ] != "(":
                self.place = match.end()
                is_redirected = True
                if match[0].endswith(("<<", "<<-")):
                    self._note_heredoc()
                    is_redirected = False
            elif (operator := next((one for one in _OPERATORS if text.startswith(one, self.place)), None)) is not None:
                self.place += len(operator)
                if operator == ")" and opened == 0 and end == ")":
                    return found
                opened += {"(": 1, ")": -1}.get(operator, 0)
                found.append(Operator(operator, self.line))
                is_redirected = False
                if operator == "\n":
                    self.line += 1
                    words = self._heredoc_words()
                    found += [*words, Operator("\n", self.line)] if words else []
            else:
                found.append(self._word(is_redirected=is_redirected))
                is_redirected = False
        return found

    def _note_heredoc(self) -> None:
        match = re.compile(r"[ \t]*+(['\"]?)([^\s'\";|&()<>]+)\1").match(self.text, self.place)
        if match is not None:
            self.place = match.end()
            is_quoted = bool(match[1]) or match[2].startswith("\\")
            self.heredocs.append((match[2].lstrip("\\"), not is_quoted))

    def _heredoc_words(self) -> list[Word]:
        """Skips here-documents; returns the expansions in them, which the shell evaluates before it runs the command."""
        words: list[Word] = []
        for delimiter, is_expanded in self.heredocs:
            start = self.place
            last = start
            while last < len(self.text):
                end = _or_end(self.text.find("\n", last), self.text)
                if self.text[last:end].strip("\t\r ") == delimiter:
                    break
                last = min(end + 1, len(self.text))
            while is_expanded and self.place < last:
                line = self.line
                if self.text[self.place] in "$`":
                    begin = self.place
                    part = self._expansion()
                    words.append(Word([part], self.text[begin : self.place], line, is_redirected=True))
                else:
                    self._advance(self.place + (2 if self.text[self.place] == "\\" else 1))
            if self.place < last:
                self._advance(last)
            if self.place < len(self.text):
                self._advance(min(_or_end(self.text.find("\n", self.place), self.text) + 1, len(self.text)))
        self.heredocs.clear()
        return words

    def _word(self, *, is_redirected: bool) -> Word:
        start, line = self.place, self.line
        parts: list[Part] = []
        text = self.text
        while self.place < len(text):
            char = text[self.place]
            if char in " \t\r\n;&|()" or (char in "<>" and text[self.place + 1 : self.place + 2] != "("):
                break
            if char == "'":
                end = _or_end(text.find("'", self.place + 1), text)
                self._add(parts, text[self.place + 1 : end], is_quoted=True)
                self._advance(end + 1)
            elif char == '"':
                self.place += 1
                self._quoted(parts)
            elif char == "\\":
                if text.startswith("\\\n", self.place):
                    self._advance(self.place + 2)
                    continue
                self._add(parts, text[self.place + 1 : self.place + 2], is_quoted=True)
                self.place += 2
            elif char in "$`<>":
                parts.append(self._expansion())
            elif (placeholder := _PLACEHOLDER.match(text, self.place)) is not None:
                parts.append(Unknown(placeholder[0]))
                self._advance(placeholder.end())
            elif (plain := _PLAIN.match(text, self.place)) is not None:
                self._add(parts, plain[0], is_quoted=False)
                self.place = plain.end()
        if self.place == start:  # an operator that no rule accepts
            self._add(parts, text[start], is_quoted=False)
            self.place += 1
        return Word(_merged(parts), text[start : self.place], line, is_redirected=is_redirected)

    def _quoted(self, parts: list[Part]) -> None:
        """Reads the text between double quotes."""
        text = self.text
        self._add(parts, "", is_quoted=True)
        while self.place < len(text) and text[self.place] != '"':
            char = text[self.place]
            if char == "\\" and text[self.place + 1 : self.place + 2] in ("$", "`", '"', "\\", "\n"):
                self._add(parts, text[self.place + 1].replace("\n", ""), is_quoted=True)
                self._advance(self.place + 2)
            elif char in "$`":
                part = self._expansion()
                if isinstance(part, Variable | Substitution):
                    part.is_quoted = True
                parts.append(part)
            elif (placeholder := _PLACEHOLDER.match(text, self.place)) is not None:
                parts.append(Unknown(placeholder[0]))
                self._advance(placeholder.end())
            elif (plain := _PLAIN_QUOTED.match(text, self.place)) is not None:
                self._add(parts, plain[0], is_quoted=True)
                self._advance(plain.end())
            else:  # a backslash before any other character
                self._add(parts, char, is_quoted=True)
                self.place += 1
        self.place += 1

    def _expansion(self) -> Part:
        text, start = self.text, self.place
        if text.startswith(("$(", "<(", ">("), start) and not text.startswith("$((", start):
            if self.depth >= _DEEPEST:
                return self._rest()
            self.place += 2
            inner = _Lexer(text, self.line, self.depth + 1)
            inner.place = self.place
            tokens = inner.tokens(")")
            self.place, self.line = inner.place, inner.line
            return Substitution(tokens, is_pipe=text[start] != "$")
        if text[start] == "`":
            end = _or_end(text.find("`", start + 1), text)
            body = text[start + 1 : end].replace("\\`", "`").replace("\\$", "$")
            line = self.line
            self._advance(end + 1)
            if self.depth >= _DEEPEST:
                return Unknown(text[start : self.place])
            return Substitution(_Lexer(body, line, self.depth + 1).tokens(None), is_pipe=False)
        if (braced := _BRACED.match(text, start)) is not None:
            self.place = braced.end()
            is_array = braced[2] in ("[@]", "[*]")
            return Variable(braced[1], braced[4], is_array=is_array, is_directory=braced[5] is not None)
        if (name := _NAME.match(text, start + 1)) is not None and text[start] == "$":
            self.place = name.end()
            return Variable(name[0])
        if text[start] == "$" and text[start + 1 : start + 2] == "0":
            self.place = start + 2
            return Variable("0")
        return self._other(start)

    def _other(self, start: int) -> Part:
        """`$1`, `$((…))`, `${…}` with operators, `${{ … }}` of GitHub, or a literal `$`."""
        text = self.text
        after = text[start + 1 : start + 2]
        if text[start] != "$" or not after or after in " \t\n\"'":
            self.place = start + 1
            return ShellLiteral(text[start], is_quoted=True)
        if after in "{(":
            closing = {"{": "}", "(": ")"}
            depth, place = 0, start + 1
            while place < len(text):
                depth += 1 if text[place] == after else -1 if text[place] == closing[after] else 0
                place += 1
                if depth == 0:
                    break
            self._advance(place)
        else:
            self.place = start + 2
        return Unknown(text[start : self.place])

    def _rest(self) -> Unknown:
        start = self.place
        self._advance(len(self.text))
        return Unknown(self.text[start:])

    def _add(self, parts: list[Part], text: str, *, is_quoted: bool) -> None:
        parts.append(ShellLiteral(text, is_quoted=is_quoted))

    def _advance(self, index: int) -> None:
        self.line += self.text.count("\n", self.place, index)
        self.place = index


def _merged(parts: Sequence[Part]) -> list[Part]:
    """The parts, with adjacent literals of the same kind joined."""
    found: list[Part] = []
    for is_quoted, group in groupby(parts, lambda part: part.is_quoted if isinstance(part, ShellLiteral) else None):
        if is_quoted is None:
            found += group
        else:
            text = "".join(part.text for part in group if isinstance(part, ShellLiteral))
            found.append(ShellLiteral(text, is_quoted=is_quoted))
    return found


def _or_end(index: int, text: str) -> int:
    return len(text) if index < 0 else index
