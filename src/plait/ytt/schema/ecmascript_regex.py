"""Translates regular expressions of RE2 to ECMAScript, as JSON Schema requires, using only widely supported syntax."""

from __future__ import annotations

import re

# One piece of an expression that RE2 accepts, outside of brackets.
_PIECE = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\\x\{(?P<wide>[0-9A-Fa-f]+)\}|\\x(?P<byte>[0-9A-Fa-f]{2})|\\(?P<escape>.)"
    r"|(?P<group>\(\?P?<\w+>)|(?P<flags>\(\?(?!:))|(?P<open>\()(?:\?:)?|(?P<times>\{\d+(?:,\d*)?\})"
    r"|(?P<bracket>\[)|(?P<other>.)",
    re.DOTALL,
)
# The same within brackets.
_WITHIN = re.compile(
    r"\[:(?P<negated>\^?)(?P<posix>\w+):\]|\\x\{(?P<wide>[0-9A-Fa-f]+)\}|\\x(?P<byte>[0-9A-Fa-f]{2})|\\(?P<escape>.)"
    r"|(?P<close>\])|(?P<other>.)",
    re.DOTALL,
)
# RE2 interprets these as ASCII classes.
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_ANCHORS = {"A": "^", "z": "$", "a": r"\x07"}
_SAME = "bBfnrtv"
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


class _Unknown(Exception):
    """Raised for a feature that ECMAScript lacks, or that is not widely supported."""


def in_ecma(pattern: str) -> str | None:
    """An equivalent expression, or None. Flags and Unicode classes are not supported everywhere."""
    out: list[str] = []
    at = 0
    try:
        while at < len(pattern):
            piece = _PIECE.match(pattern, at)
            assert piece is not None
            at = piece.end()
            if piece["bracket"]:
                inside, at = _brackets(pattern, at)
                out.append(inside)
            else:
                out.append(_translated(piece))
    except _Unknown:
        return None
    return "".join(out)


def literal(text: str) -> str:
    """An expression that matches exactly this text."""
    return "".join(map(_literal, text))


def _translated(piece: re.Match[str]) -> str:
    kind, text = piece.lastgroup or "", piece[0]
    if kind == "flags":
        raise _Unknown
    if kind == "group":
        return "("
    if kind == "quoted":
        return literal(piece["quoted"])
    if kind in ("wide", "byte"):
        return _literal(chr(int(piece[kind], 16)))
    if kind == "escape":
        return _escaped(piece["escape"])
    if kind == "other":
        return "[^\\n]" if text == "." else _literal(text) if text in "{}]" else text
    return text


def _escaped(char: str) -> str:
    if char in _CLASSES or char.lower() in _CLASSES:
        return f"[{'' if char in _CLASSES else '^'}{_CLASSES[char.lower()]}]"
    if char in _ANCHORS:
        return _ANCHORS[char]
    if char in _SAME:
        return f"\\{char}"
    if char.isalnum():
        raise _Unknown
    return _literal(char)


def _literal(char: str) -> str:
    """A literal character."""
    if char < " ":
        return f"\\x{ord(char):02x}"
    return f"\\{char}" if char in _SYNTAX else char


def _brackets(pattern: str, at: int) -> tuple[str, int]:
    """The translated character class that starts at `at`, and the index after it."""
    out = ["["]
    if pattern.startswith("^", at):
        out.append("^")
        at += 1
    first = True
    while True:
        piece = _WITHIN.match(pattern, at)
        if piece is None or piece["negated"]:
            raise _Unknown
        at = piece.end()
        if piece["close"] and not first:
            return "".join([*out, "]"]), at
        first = False
        out.append(_inside(piece))


def _inside(piece: re.Match[str]) -> str:
    kind, text = piece.lastgroup or "", piece[0]
    if kind == "posix":
        return _POSIX[piece["posix"]]
    if kind in ("wide", "byte"):
        return _member(chr(int(piece[kind], 16)))
    if kind == "escape":
        char = piece["escape"]
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "fnrtv":
            return f"\\{char}"
        if char == "a":
            return "\\x07"
        if char.isalnum():
            raise _Unknown
        return _member(char)
    return text if text == "-" else _member(text)


def _member(char: str) -> str:
    """A literal character of a class."""
    return f"\\{char}" if char == "-" else _literal(char)
