"""Docstrings as Markdown, for docs/api.md and for the site: examples become blocks, descriptions of parameters a list."""

from __future__ import annotations

import re
import textwrap

# What a parameter, or several, are for: "trace: keep histories".
_PARAMETERS = re.compile(r"([a-z_]+(?:, [a-z_]+)*): (.+)", re.DOTALL)


def markdown(text: str) -> str:
    """A docstring with one sentence a line."""
    return "\n\n".join(_paragraph(part) for part in textwrap.dedent(text).strip().split("\n\n"))


def _paragraph(part: str) -> str:
    if part.startswith((">>>", "    ")):
        return f"```python\n{textwrap.dedent(part)}\n```"
    out: list[str] = []
    in_list = False
    for sentence in " ".join(part.split()).replace(". ", ".\n").replace("e.g.\n", "e.g. ").split("\n"):
        found = _PARAMETERS.fullmatch(sentence)
        if found is not None:
            if out and not in_list:
                out.append("")
            names = ", ".join(f"`{name}`" for name in found[1].split(", "))
            out.append(f"- {names}: {found[2]}")
        else:
            if in_list:
                out.append("")
            out.append(sentence)
        in_list = found is not None
    return "\n".join(out)
