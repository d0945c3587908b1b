"""Colours of printed text, and removal of control sequences."""

from __future__ import annotations

import os
import sys

from plait.base.errors import UsageError
from plait.cli.terminal import harmless
from plait.engine.options import TEXT, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_WHEN = ("auto", "always", "never")
COLOR = Option(
    "color",
    TEXT,
    "when to colour the differences: auto, always or never",
    value="auto|always|never",
    default=("auto",),
    choices=_WHEN,
)


def cleaning() -> Callable[[str], str]:
    """The function that cleans text from inputs before it is coloured. Output to a pipe or file is not cleaned."""
    return harmless if sys.stdout.isatty() else str


def in_colour(when: str) -> bool:
    """True if colours are written: `always`, `never`, or `auto`, which is decided by NO_COLOR, FORCE_COLOR, and whether
    standard output is a terminal that is not dumb, in this order. Raises UsageError for another word.
    """
    if when not in _WHEN:
        from plait.base.similar_names import did_you_mean

        raise UsageError(
            f"unknown value for --color: {when}",
            expected=", ".join(_WHEN),
            hint=did_you_mean(when, _WHEN),
            code="unknown-choice",
        )
    if when == "auto":
        if os.environ.get("NO_COLOR"):
            return False
        is_forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
        return is_forced or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    return when == "always"
