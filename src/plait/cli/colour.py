"""Colours printed text, and removes control sequences."""

from __future__ import annotations

import os
import sys

from plait.base.errors import UsageError
from plait.base.styles import Styles, harmless, is_dumb
from plait.cli.streams import TYPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from plait.base.errors import PlaitError
    from plait.engine.options import Request


def cleaning(stream: TextIO | None = None) -> Callable[[str], str]:
    """The function that sanitizes text from inputs before it is coloured. Output to a pipe or file is not sanitized.

    stream: standard output by default.
    """
    return harmless if (stream or sys.stdout).isatty() else str


def in_colour(stream: TextIO | None = None, error: PlaitError | None = None) -> bool:
    """True if text on a stream gets colours. Every command asks this function.

    The last `--color` of the command line decides, then NO_COLOR, then FORCE_COLOR; otherwise only a terminal that is
    not dumb gets colours. bosh's `--no-color` means `--color never`. stream: standard output by default. error: the
    error of a command line that was parsed only up to a mistake.
    """
    requests = typed(error)
    if any(getattr(one, "no_color", False) for one in requests):
        return False
    when = next((one.color for one in reversed(requests) if one.has(type(one).color)), "auto")
    if when in ("always", "never"):
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    is_forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return is_forced or ((stream or sys.stdout).isatty() and not is_dumb())


def styles_of(stream: TextIO | None = None, error: PlaitError | None = None) -> Styles:
    """The styles for text on a stream. Text for a terminal is sanitized. stream, error: as in `in_colour`."""
    return Styles(cleaning(stream), colour=in_colour(stream, error))


def typed(error: PlaitError | None = None) -> list[Request]:
    """The requests of the command line. error: that of an invalid command line, parsed in part."""
    parsed: Request | None = getattr(error, "parsed", None) if isinstance(error, UsageError) else None
    return [*TYPED.get([]), *([] if parsed is None else [parsed])]
