"""Regular expressions of schemas, matched by RE2: in a time that is linear in the text, whoever wrote the pattern."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Compiled(Protocol):
        def search(self, text: str) -> object: ...


@lru_cache(1024)
def _compiled(pattern: str) -> Compiled | None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        made: Compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeError):
        return None
    return made


def is_pattern(pattern: str) -> bool:
    """Whether a text is a regular expression that can be matched so."""
    return _compiled(pattern) is not None


def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression matches somewhere in a text. pattern: one for which `is_pattern` holds."""
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(text.encode("utf-8", "replace").decode()) is not None
