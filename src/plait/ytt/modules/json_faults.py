"""Go's messages about invalid JSON, which templates can compare (`assert.try_to`).

Used only after Python's parser has rejected a text.
"""

from __future__ import annotations

from plait.ytt.starlark.value_text import repr_of


def fault(text: str) -> tuple[str, int] | None:
    """Go's message about an invalid JSON text, and the number of the line; None if it is valid."""
    scan = _Scan(text)
    try:
        scan.value()
        scan.expect("", "after top-level value")
    except _Fault as found:
        return str(found), text.count("\n", 0, scan.at) + 1
    return None


class _Fault(Exception):
    pass


class _Scan:
    """A JSON scanner that finds the first invalid character."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1
        return self.text[self.at : self.at + 1]

    def wrong(self, where: str) -> _Fault:
        """The fault at the next character."""
        found = self.text[self.at : self.at + 1]
        if not found:
            return _Fault("unexpected end of JSON input")
        shown = "\\'" if found == "'" else '"' if found == '"' else repr_of(found)[1:-1]
        return _Fault(f"invalid character '{shown}' {where}")

    def expect(self, allowed: str, where: str) -> str:
        """Reads one of the allowed characters, after white space. The empty string represents the end of the text."""
        found = self.peek()
        if found not in allowed or bool(found) != bool(allowed):
            raise self.wrong(where)
        self.at += 1
        return found

    def take(self, allowed: str, where: str) -> None:
        """Reads one of the allowed characters, without skipping white space."""
        if self.at >= len(self.text):
            raise _Fault(f"invalid character ' ' {where}")  # as the reference program reports the end
        if self.text[self.at] not in allowed:
            raise self.wrong(where)
        self.at += 1

    def value(self) -> None:
        # Open brackets are in a list, so that the depth is not limited.
        closing: list[str] = []
        while True:
            first = self.peek()
            if first and first in "[{":
                self.at += 1
                end = "]" if first == "[" else "}"
                if self.peek() != end:
                    closing.append(end)
                    if end == "}":
                        self.key()
                    continue
                self.at += 1
            else:
                self.scalar(first)
            while closing:
                where = "after array element" if closing[-1] == "]" else "after object key:value pair"
                if self.expect("," + closing[-1], where) == ",":
                    if closing[-1] == "}":
                        self.key()
                    break
                closing.pop()
            else:
                return

    def key(self) -> None:
        self.expect('"', "looking for beginning of object key string")
        self.string()
        self.expect(":", "after object key")

    def scalar(self, first: str) -> None:
        where = "looking for beginning of value"
        if first == '"':
            self.at += 1
            self.string()
        elif first in _WORDS and first:
            word = _WORDS[first]
            for expected in word:
                self.take(expected, f"in literal {word} (expecting '{expected}')")
        elif first and first in "-0123456789":
            self.number()
        else:
            raise self.wrong(where)

    def string(self) -> None:
        while True:
            found = self.text[self.at : self.at + 1]
            if not found or found < " ":
                raise self.wrong("in string literal")
            self.at += 1
            if found == '"':
                return
            if found == "\\":
                escaped = self.text[self.at : self.at + 1]
                self.take('"\\/bfnrtu', "in string escape code")
                if escaped == "u":
                    for _ in range(4):
                        self.take("0123456789abcdefABCDEF", "in \\u hexadecimal character escape")

    def number(self) -> None:
        if self.text[self.at] == "-":
            self.at += 1
        leading_zero = self.text[self.at : self.at + 1] == "0"
        self.take("0123456789", "in numeric literal")
        if not leading_zero:
            self.digits()
        if self.text[self.at : self.at + 1] == ".":
            self.at += 1
            self.take("0123456789", "after decimal point in numeric literal")
            self.digits()
        if self.text[self.at : self.at + 1] in ("e", "E"):
            self.at += 1
            if self.text[self.at : self.at + 1] in ("+", "-"):
                self.at += 1
            self.take("0123456789", "in exponent of numeric literal")
            self.digits()

    def digits(self) -> None:
        while self.text[self.at : self.at + 1].isdigit():
            self.at += 1


_WORDS = {"t": "true", "f": "false", "n": "null"}
