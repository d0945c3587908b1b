"""The parser's complaints in the words of go-yaml, with the line a person would point at."""

from __future__ import annotations

from weft.errors import LimitError, ReadError
from weft.source import Position, Source


def syntax_error(error: Exception, source: Source, text: str, base: int) -> Exception:
    """What to raise for an exception of the parser; anything that is not about the text comes back as it is."""
    position = getattr(error, "position", None)
    if position is not None:
        reason = str(getattr(error, "reason", "control characters are not allowed"))
        index = len(text.encode("utf-8", "surrogatepass")[:position].decode("utf-8", "ignore"))
        character = getattr(error, "character", 0)
        found = f"U+{character:04X}" if isinstance(character, int) else None
        return ReadError(reason, at=Position(source, base + text.count("\n", 0, index)), found=found)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None)
    if problem is None:
        return LimitError("collections are nested too deep") if isinstance(error, RecursionError) else error
    end = len(text.rstrip())
    index = min(mark.index, end) if mark is not None else 0
    return ReadError(str(problem), at=Position(source, base + text.count("\n", 0, index)))
