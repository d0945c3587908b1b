"""Warnings about the text of an input that is valid, but was probably not intended."""

from __future__ import annotations

import re

from plait.base.errors import warning
from plait.base.source import Position
from plait.yaml.merge_conflicts import conflict_warnings
from plait.ytt.workspace.input_files import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.errors import Warning
    from plait.base.source import Source
    from plait.ytt.templates.file import YamlFile
    from plait.ytt.workspace.input_files import InputFile


def text_warnings(file: InputFile, read: YamlFile | None) -> Iterator[Warning]:
    """Warnings about conflicts of a merge, values that a text template does not insert, code for YAML in a text
    template, code for text templates in YAML, and several names given as one attribute.

    read: the file as YAML, or None for another file.
    """
    text = file.source.text
    if file.type != TEXT:
        yield from _dotted_attributes(file.source)
    line = None if read is None or file.marked_template is False else read.untemplated_text()
    if line is not None and read is not None:
        # Statements between pieces of text, and no code for YAML.
        is_text = "(@ " in text and not read.is_template
        advice = (
            f"--file-mark {file.original_path}:type=text-template makes the file a text template"
            if is_text
            else "#@yaml/text-templated-strings on the line above evaluates it"
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
# Methods that change a list or dictionary in place, and return nothing.
_NAME, _IN_PLACE = r"[A-Za-z_]\w{0,60}", "(?:append|extend|insert|clear)"
_DEF = re.compile(r"[ ]*#@[ ]*def (\w+)\(")
_END = re.compile(r"#@[ ]*end\b")
_ELSE = re.compile(r"#@[ ]*(?:else|elif)\b")
# What gives a function a result, or ends the evaluation.
_RESULT = re.compile(r"\breturn\b|\bfail\(|\bassert\.|\bdef ")
_DOTTED = re.compile(r"\b(hasattr|getattr)\(data\.values,[ ]*['\"]([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)['\"]")
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


def empty_results(file: InputFile) -> Iterator[Warning]:
    """Warnings about calls that return nothing and are used as values, and about such functions of overlays."""
    if file.type == TEXT:
        return
    source = file.source
    text = source.text
    functions = "|".join(_functions_without_result(text.split("\n")))
    calls = rf"(?P<method>{_NAME}\.{_IN_PLACE})" + (rf"|(?P<function>{functions})" if functions else "")
    used = re.compile(
        rf"(?:[:-][ ]+#@[ ]+|\breturn[ ]+|^[ #@]*(?P<assigned>{_NAME})[ ]*=[ ]*)(?:{calls})\((?![^\n]*\bor\b)",
        re.MULTILINE,
    )
    for found in re.finditer(rf"@overlay/replace[^\n]*\bvia=(?P<via>{functions})\b(?!\()", text) if functions else ():
        advice = f"{found['via']}(...) returns None, because the function has no return, so the value becomes null"
        yield warning(advice, code="empty-result", at=Position(source, text.count("\n", 0, found.start()) + 1))
    for found in used.finditer(text):
        method, line = found["method"], text.count("\n", 0, found.start(found.lastgroup or 0)) + 1
        if found["assigned"] == "_" or "#!" in (source.line(line) or ""):
            continue
        if method is not None:
            name = method.partition(".")[0]
            advice = f"{method}(...) changes {name} and returns None; call it on a line of its own, and then use {name}"
        else:
            advice = f"{found['function']}(...) returns None, because the function has no return"
        yield warning(advice, code="empty-result", at=Position(source, line))


def _dotted_attributes(source: Source) -> Iterator[Warning]:
    """Warnings about several names given as one attribute."""
    text = source.text
    for found in _DOTTED.finditer(text):
        function, name = found[1], found[2]
        first, _, rest = name.partition(".")
        inner = f'{function}(data.values.{first}, "{rest}"'
        advice = f'hasattr(data.values, "{first}") and {inner})' if function == "hasattr" else f"{inner}, ...)"
        yield warning(
            f'"{name}" is looked up as one name with a dot in it; for nested names, write {advice}',
            code="dotted-attribute",
            at=Position(source, text.count("\n", 0, found.start()) + 1),
        )


def _functions_without_result(lines: Sequence[str]) -> list[str]:
    """The names of functions of code alone that have no `return`, and do not end the evaluation."""
    names = []
    for number, line in enumerate(lines):
        found = _DEF.match(line)
        if found is None:
            continue
        depth = 1
        for body in lines[number + 1 :]:
            code = body.lstrip()
            if not code.startswith("#@") or _RESULT.search(code) is not None:
                break
            depth += -1 if _END.match(code) else 1 if code.endswith(":") and not _ELSE.match(code) else 0
            if depth == 0:
                names.append(found[1])
                break
    return names
