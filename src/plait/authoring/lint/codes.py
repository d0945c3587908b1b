"""The codes of findings: all codes of the registry that are not errors."""

from __future__ import annotations

from plait.base.codes import BY_CODE, FAMILIES

DEAD, ORDER = "dead", "order"
CODES = {code: one for code, one in BY_CODE.items() if one.severity != "error"}
# The codes of warnings of evaluations.
WARNINGS = tuple(code for code, one in CODES.items() if one.severity == "warning")


def is_pattern(text: str) -> bool:
    """True if a text selects codes: a code, a prefix (`D`, `R4`), a name (`dead-load`) or a family (`dead`)."""
    return any(is_selected(code, text) for code in CODES)


def is_selected(code: str, pattern: str) -> bool:
    """True if a pattern selects a code."""
    row = CODES[code]
    return pattern in (row.name, row.family) or (pattern[:1].isupper() and code.startswith(pattern))


__all__ = ["CODES", "DEAD", "FAMILIES", "ORDER", "WARNINGS", "is_pattern", "is_selected"]
