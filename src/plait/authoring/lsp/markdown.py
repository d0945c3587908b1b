"""Escapes text of files in Markdown for an editor: no link, image, heading or HTML in it has an effect.

The author of a description, a key or a file name must not control requests or links of the editor. Every text that is
not plait's own passes one of these functions.
"""

from __future__ import annotations

import re

# The characters that begin markup within a paragraph.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#!|~&]")
_BACKTICKS = re.compile(r"`+")
# Addresses that editors turn into links without markup.
_ADDRESS = re.compile(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?<=mailto)(?=:)|(?<=xmpp)(?=:)|(?=@)")
# Splits an address, so that no editor creates a link; invisible.
_NOTHING = "\u2060"


def plain(text: str) -> str:
    """A text as a part of a paragraph; line breaks become spaces."""
    flat = _flat(text)
    return _MARKUP.sub(lambda found: f"\\{found[0]}", _ADDRESS.sub(_NOTHING, flat))


def code(text: str) -> str:
    """A text as a code span; "" for an empty one."""
    flat = _flat(text)
    if not flat.strip():
        return ""
    fence = "`" * (_longest(flat) + 1)
    pad = " " if flat[0] in "` " or flat[-1] in "` " else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def block(text: str, language: str = "text") -> str:
    """A text as a code block. language: chosen by plait."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _longest(text: str) -> int:
    return max((len(found) for found in _BACKTICKS.findall(text)), default=0)
