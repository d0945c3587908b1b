"""The expressions in `f"...{expression}..."`, an extension, equivalent to `"...{}...".format(expression)`.

As in `format`, doubled braces are literal, and `!r` after an expression formats it like `repr`. There are no widths or
precisions; use `%` for these.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_OPENING = {"(": ")", "[": "]", "{": "}"}


def fields(
    inner: str, unescaped: Callable[[str], str], fail: Callable[[str, int], NoReturn]
) -> tuple[str, list[tuple[int, str]]]:
    """The template for `format` equivalent to the text in quotes, and its expressions, each with its position.

    unescaped: resolves escape sequences. fail: raises an error at a position.
    """
    out: list[str] = []
    found: list[tuple[int, str]] = []
    i = begin = 0

    def literal(end: int) -> None:
        part = inner[begin:end].replace("{{", "{").replace("}}", "}")
        out.append((unescaped(part) if "\\" in part else part).replace("{", "{{").replace("}", "}}"))

    while i < len(inner):
        c = inner[i]
        if c == "\\" or inner[i : i + 2] in ("{{", "}}"):
            i += 2
        elif c == "}":
            fail("single '}' in an f-string: write }} for a brace", i)
        elif c == "{":
            literal(i)
            end, conversion = _expression_end(inner, i + 1, fail)
            expression = inner[i + 1 : end]
            if not expression.strip():
                fail("no expression between the braces of an f-string: write {{}} for braces", i)
            found.append((i + 1, expression))
            out.append(f"{{{conversion}}}")
            i = begin = end + len(conversion) + 1
        else:
            i += 1
    literal(len(inner))
    return "".join(out), found


def _expression_end(inner: str, start: int, fail: Callable[[str, int], NoReturn]) -> tuple[int, str]:
    """The end of an expression, and its conversion: "", "!r" or "!s"."""
    closing: list[str] = []
    quote = ""
    i = start
    while i < len(inner):
        c = inner[i]
        if quote:
            if c == "\\":
                i += 1
            elif c == quote:
                quote = ""
        elif c == "\\":
            fail("an expression of an f-string cannot contain a backslash", i)
        elif c in "\"'":
            quote = c
        elif c in _OPENING:
            closing.append(_OPENING[c])
        elif closing and c == closing[-1]:
            closing.pop()
        elif not closing and (c == "}" or (c == "!" and inner[i + 1 : i + 2] != "=")):
            if c == "}":
                return i, ""
            conversion = inner[i : i + 2]
            if conversion not in ("!r", "!s") or inner[i + 2 : i + 3] != "}":
                fail("only r or s can follow !, then the closing brace", i)
            return i, conversion
        elif c in ")]}":
            fail(f"unexpected '{c}' in an expression of an f-string", i)
        elif c == ":" and not closing:
            fail("only !r can follow an expression of an f-string: use % for digits and widths", i)
        i += 1
    return fail("a brace of an f-string is not closed: write {{ for a brace", start - 1)
