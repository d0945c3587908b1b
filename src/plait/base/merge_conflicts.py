"""Unresolved conflicts of a merge in a text. Loaded by parsers only."""

from __future__ import annotations

_MARKERS = ("<<<<<<< ", ">>>>>>> ")


def conflict_hint(line: str | None) -> str | None:
    """A hint for a line that `git merge` left; None for other lines."""
    if line is None or not (line.startswith(_MARKERS) or line.rstrip() == "======="):
        return None
    return "a merge left both versions here: keep one, and remove the lines with <<<<<<<, ======= and >>>>>>>"
