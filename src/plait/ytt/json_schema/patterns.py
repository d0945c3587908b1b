"""Regular expressions of schemas, matched by RE2 in linear time, because they are untrusted.

RE2 has no look-ahead. Its usual use in schemas, `^(?!those).*$`, is matched in parts: a pattern that must not match,
and the rest.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Compiled(Protocol):
        def search(self, text: str) -> object: ...


def is_pattern(pattern: str) -> bool:
    """True if RE2 can match the regular expression."""
    return bool(_compiled(pattern))


def matches(pattern: str, text: str) -> bool:
    """True if the regular expression matches anywhere in the text. pattern: one for which `is_pattern` is true."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return all((part.search(text) is not None) is wanted for part, wanted in _compiled(pattern))


@lru_cache(1024)
def _compiled(pattern: str) -> Sequence[tuple[Compiled, bool]]:
    """The compiled parts, each with True if it must match. Empty for a pattern that RE2 rejects."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return [(re2.compile(part, options), wanted) for part, wanted in parts_of(pattern)]
    except (re2.error, UnicodeError):
        return []


def parts_of(pattern: str) -> list[tuple[str, bool]]:
    """A pattern without its initial look-ahead, and the look-ahead as a separate pattern."""
    ahead = []
    rest = pattern
    while rest.startswith(("^(?!", "^(?=")):
        end = _end_of_group(rest)
        if end < 0:
            return [(pattern, True)]
        ahead.append((f"^(?:{rest[4:end]})", rest[3] == "="))
        rest = f"^{rest[end + 1 :]}"
    return [(rest, True), *ahead] if ahead and not _has_alternatives(rest) else [(pattern, True)]


def _end_of_group(pattern: str) -> int:
    """The index of the end of the first group, or -1."""
    return next((place for place, sign, depth in _signs(pattern) if sign == ")" and depth == 0), -1)


def _has_alternatives(pattern: str) -> bool:
    return any(sign == "|" and depth == 0 for _, sign, depth in _signs(pattern))


def _signs(pattern: str) -> list[tuple[int, str, int]]:
    """The special characters of a pattern outside of `[]`, each with its index and group depth."""
    found = []
    depth = place = 0
    in_class = False
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place += 2
            continue
        if in_class:
            in_class = sign != "]" or pattern[place - 1] == "[" or pattern[place - 2 : place] == "[^"
        elif sign == "[":
            in_class = True
        else:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            found.append((place, sign, depth))
        place += 1
    return found
