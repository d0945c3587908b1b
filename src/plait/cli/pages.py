"""The pages of codes, for `plait help E0101`."""

from __future__ import annotations

import re
from textwrap import fill

from plait.base.codes import BY_CODE, CODES, DiagnosticCode
from plait.base.errors import UsageError
from plait.base.lines import lines_of
from plait.base.packaged_pages import pages
from plait.base.unknown_codes import meant_code


def code_of(text: str) -> DiagnosticCode:
    """The code for a text: E0101, e101 or undefined-name. Raises UsageError."""
    letter, number = text[:1].upper(), text[1:]
    found = CODES.get(text)
    if found is None and number.isdecimal():
        found = next(
            (
                one
                for one in BY_CODE.values()
                if one.code[0] == letter and one.code[1:] == number.zfill(len(one.code) - 1)
            ),
            None,
        )
    if found is None:
        hint = meant_code(text, CODES.values()) or "a message on a terminal ends with its code, such as E0101"
        raise UsageError(f'unknown code "{text}"', hint=hint, code="unknown-code")
    return found


def is_code(text: str) -> bool:
    """True if the text is the name of a code, or has the format of one."""
    return text in CODES or (text[:1].isalpha() and text[1:].isdecimal())


# Maximum width of paragraphs, because longer lines are hard to read.
_WIDEST = 100


def plain(page: str, width: int) -> str:
    """A page of Markdown as plain text: paragraphs wrapped to a width, blocks indented below their file names, links
    without targets.
    """
    out: list[str] = []
    for number, part in enumerate(page.split("```")):
        if number % 2:
            info, _, block = part.partition("\n")
            title = _TITLE.search(info)
            out += [f"{title[1]}:"] if title is not None else []
            out.append("".join(f"    {line}".rstrip() + "\n" for line in lines_of(block)).rstrip())
        else:
            paragraphs = [one.strip() for one in part.split("\n\n") if one.strip()]
            out += [fill(_LINK.sub(r"\1", one.removeprefix("# ")), min(width, _WIDEST)) for one in paragraphs]
    return "\n\n".join(out) + "\n"


_TITLE = re.compile(r'title="([^"]+)"')
_LINK = re.compile(r"\[([^\[\]]+)\]\([^)]+\)")


def page_of(text: str, width: int = 80) -> str:
    """The page of a code, as plain text wrapped to a width. Raises UsageError for an unknown code."""
    code = code_of(text)
    page = pages() / "reference" / "codes" / f"{code.code}.md"
    if page.is_file():
        return plain(page.read_text("utf-8"), width)
    return f"{code.code} {code.name}\n\n{code.summary[:1].upper()}{code.summary[1:]}.\n"
