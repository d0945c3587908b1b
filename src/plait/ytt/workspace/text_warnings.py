"""Warnings about the text of an input that is valid, but was probably not intended."""

from __future__ import annotations

import re

from plait.base.errors import warning
from plait.base.source import Position
from plait.yaml.merge_conflicts import conflict_warnings
from plait.ytt.workspace.input_files import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.errors import Warning
    from plait.ytt.templates.file import YamlFile
    from plait.ytt.workspace.input_files import InputFile


def text_warnings(file: InputFile, read: YamlFile | None) -> Iterator[Warning]:
    """Warnings about conflicts of a merge, values that a text template does not insert, code for YAML in a text template,
    and code for text templates in YAML.

    read: the file as YAML, or None for another file.
    """
    text = file.source.text
    line = None if read is None or file.marked_template is False else read.untemplated_text()
    if line is not None and read is not None:
        # Statements between pieces of text, and no code for YAML.
        is_text = "(@ " in text and not read.is_template
        advice = (
            f"--file-mark {file.original_path}:type=text-template makes the file a text template"
            if is_text
            else "#@yaml/text-templated-strings on the line above has it evaluated"
        )
        message = f"(@= @) stays as it is in this text; {advice}"
        yield warning(message, code="text-not-templated", at=Position(file.source, line))
    if "<<<<<<<" in text:
        yield from conflict_warnings(file.source)
    if file.type != TEXT or file.is_plain:
        return
    for found in _INSERTS_NOTHING.finditer(text):
        code = found[1]
        if code.partition(".")[0] not in _STATEMENTS:
            at = Position(file.source, text.count("\n", 0, found.start()) + 1)
            message = f"(@ {code} @) inserts nothing; (@= {code} @) inserts the value"
            yield warning(message, code="code-without-effect", at=at)
    line = _code_in_comments(text)
    if line is not None:
        at = Position(file.source, line)
        yield warning("#@ begins no code in a text template; (@ and @) enclose it", code="code-in-text", at=at)


# A value as a statement, and the names that are statements.
_INSERTS_NOTHING = re.compile(r"\(@-?\s*([A-Za-z_]\w*(?:\.\w+|\[(?:\w+|'[^'\n]*'|\"[^\"\n]*\")\])*)\s*-?@\)")
_STATEMENTS = frozenset(("break", "continue", "else", "end", "pass", "return"))
# Starts of lines that are certainly intended as code.
_CODE = ("#@ load(", "#@ if ", "#@ for ", "#@ def ", "#@ end")


def _code_in_comments(text: str) -> int | None:
    """The first line with a comment of YAML templates in a text template, or None. None also if the template has code
    in `(@ @)`.
    """
    if "#@ " not in text or "(@" in text:
        return None
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if line.lstrip().startswith(_CODE)), None)
