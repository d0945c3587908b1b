"""Positions of a program's statements in the text of its file."""

from __future__ import annotations

import re

_OPENS = re.compile(r"(def|if|for|while)(?!/end)\b.*:\s*(#.*)?$")
_ENDS = re.compile(r"end\s*(#.*)?$")


def code_on(line: str, *, is_program: bool) -> str | None:
    """The code on a line that contains only code; None for any other line. is_program: true for a line of a Starlark
    file.
    """
    if is_program:
        return line.strip()
    before, mark, code = line.partition("#@")
    return code.strip() if mark and not before.strip() and (code[:1] in (" ", "")) else None


def block_end(lines: list[str], line: int, *, is_program: bool) -> int | None:
    """The line of the `end` of the block that a line opens; None if it cannot be found."""
    depth = 0
    for number in range(line, len(lines) + 1):
        code = code_on(lines[number - 1], is_program=is_program)
        if code is None:
            continue
        if _OPENS.match(code):
            depth += 1
        elif _ENDS.match(code):
            depth -= 1
        if depth == 0:
            return number
    return None
