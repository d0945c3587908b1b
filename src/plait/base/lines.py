"""Splits texts into lines.

A line ends at a line feed, as in editors, git and `Position`. `str.splitlines` splits at nine more characters, which a
line of a file may contain.
"""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines of a text without their line breaks, LF or CRLF."""
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def lines_with_breaks(text: str) -> list[str]:
    """The lines of a text with their line breaks, which the last one may lack."""
    *lines, last = text.split("\n")
    found = [f"{line}\n" for line in lines]
    return [*found, last] if last else found
