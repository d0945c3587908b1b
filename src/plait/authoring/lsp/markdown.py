"""Escapes text from files for Markdown in an editor, so that links, images, headings and HTML in it have no effect.

The author of a description, a key or a file name must not control requests or links of the editor. All text except
plait's own passes through one of these functions.
"""

from __future__ import annotations

import re

# The characters that start markup inside a paragraph.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#!|~&]")
_BACKTICKS = re.compile(r"`+")
# Addresses that editors turn into links without markup.
_ADDRESS = re.compile(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?<=mailto)(?=:)|(?<=xmpp)(?=:)|(?=@)")
# An invisible character that splits an address, so that editors create no link.
_NOTHING = "\u2060"


def plain(text: str) -> str:
    """The text for a paragraph. Line breaks become spaces."""
    flat = _flat(text)
    return _MARKUP.sub(lambda found: f"\\{found[0]}", _ADDRESS.sub(_NOTHING, flat))


def code(text: str) -> str:
    """The text as a code span; "" if it is empty."""
    flat = _flat(text)
    if not flat.strip():
        return ""
    fence = "`" * (_longest(flat) + 1)
    pad = " " if flat[0] in "` " or flat[-1] in "` " else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def block(text: str, language: str = "text") -> str:
    """The text as a code block. language: chosen by plait."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _longest(text: str) -> int:
    return max((len(found) for found in _BACKTICKS.findall(text)), default=0)
