"""Workflow commands: lines of output that GitHub displays as annotations of a file."""

from __future__ import annotations

import re


def annotation(level: str, place: dict[str, str], text: str) -> str:
    """A workflow command, such as `::error file=a.yml,line=3::text`. level: "error", "warning" or "notice". place: its
    properties, in order.
    """
    words = ",".join(
        f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in place.items()
    )
    return f"::{level} {words}".rstrip() + f"::{_escaped(text)}\n"


def without_commands(text: str) -> str:
    """The text without lines that GitHub would execute as commands, such as lines printed by a template."""
    return _COMMAND.sub(r"\1\\::", text).replace("##[", "##\\[")


# A command is at the start of a line, after optional space. The old form is accepted anywhere.
_COMMAND = re.compile(r"((?:^|[\r\n])[^\S\r\n]*)::")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
