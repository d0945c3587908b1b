"""Prints an error in ytt's layout.

ytt has two layouts. An error in a template's program is a list of messages, each with its calls and their source lines.
Every other error is one line of clauses, outermost first, which is broken at capitalised clauses when printed.
Libraries and overlays that call each other nest the layouts.
"""

from __future__ import annotations

import re

from plait.base.errors import SchemaError
from plait.base.reference.schema import SchemaFailure, schema_report
from plait.base.source import CALL, CLAUSE, FILE, INSTRUCTION, NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Finding, PlaitError
    from plait.base.source import Frame, Position

# The title of the report about invalid data values.
FINAL = "Validating final data values:"

# ytt's hints are part of the message and of its line.
_HINTS = {
    "undefined: true": "use 'True' instead of 'true' for boolean assignment",
    "undefined: false": "use 'False' instead of 'false' for boolean assignment",
    "got newline, want ':'": "missing colon at the end of 'if/for/def' statement?",
    "undefined: null": "use 'None' instead of 'null' to indicate no value",
    "undefined: nil": "use 'None' instead of 'nil' to indicate no value",
    "undefined: none": "use 'None' instead of 'none' to indicate no value",
    "unhandled index operation struct[string]": "use getattr(...) to access struct field programmatically",
}
_OPERATORS = (
    (re.compile(r"unknown binary op: .+ \| .+"), "use 'or' instead of '|' for logical-or"),
    (re.compile(r"unknown binary op: .+ & .+"), "use 'and' instead of '&' for logical-and"),
)
_DOUBLED = {
    "got '&', want primary expression": ("&&", "use 'and' instead of '&&' for logical-and"),
    "got '|', want primary expression": ("||", "use 'or' instead of '||' for logical-or"),
}
_CLAUSE = re.compile(r"(: )([A-Z])")


def report(error: PlaitError) -> tuple[str, ...]:
    """The text that ytt writes to standard error for an error."""
    return (f"ytt: Error: {_broken_up(sentence(error))}\n",)


def sentence(error: PlaitError) -> str:
    """The text of an error in ytt, without the name of the program and before its line is broken."""
    text = _body(error)
    calls: list[Frame] = []
    for place, step in enumerate(error.stack):
        if step.role == CALL:
            calls.append(step)
            continue
        if step.role == FILE:
            found = [(_text(one), _lines(one, step)) for one in error.listed if one.reference] if not place else []
            text = _listed(found or [(text, _calls(calls) if calls else _places(error.at))])
        elif step.role == CLAUSE:
            text = f"{step.reference}: {text}"
        elif step.role == INSTRUCTION:
            number = next((later.reference for later in error.stack[place:] if later.role == FILE), "")
            text = f"__ytt_tpl{number}_{step.reference}: {text}"
        elif step.role == NODE:
            where = "?" if step.reference == "Document" and _is_implied(step.at) else _named(step.at)
            text = f"{step.reference} on line {where}: {text}"
        if step.role in (FILE, CLAUSE, NODE):
            # If the program itself calls the failing function, ytt omits the calls.
            calls = []
    return _listed([(text, _calls(calls))]) if calls else text


def _body(error: PlaitError) -> str:
    failures = [finding.reference for finding in error.findings if isinstance(finding.reference, SchemaFailure)]
    if failures:
        return schema_report(error.reference, failures)
    if isinstance(error, SchemaError) and error.reference == FINAL:
        return f"{FINAL}\n{''.join(_text(finding) for finding in error.findings)}"
    return error.reference


def _text(finding: Finding) -> str:
    return finding.reference if isinstance(finding.reference, str) else finding.message


def _listed(messages: Sequence[tuple[str, list[str]]]) -> str:
    """A list of messages, each with its lines."""
    out = [""]
    for text, lines in messages:
        topic, *more = text.split("\n")
        out.append(f"- {topic}{_hint(text, lines)}")
        out += lines
        if more:
            out += ["", "    reason:", *(f"     {line}" for line in more)]
    return "\n".join(out)


def _hint(text: str, lines: list[str]) -> str:
    hint = _HINTS.get(text)
    if hint is None:
        hint = next((found for pattern, found in _OPERATORS if pattern.fullmatch(text)), None)
    if hint is None and text in _DOUBLED:
        operator, meant = _DOUBLED[text]
        hint = meant if any(operator in line for line in lines) else None
    return f" (hint: {hint})" if hint else ""


def _calls(steps: Sequence[Frame]) -> list[str]:
    lines = []
    for step in steps:
        if step.at is None:
            continue
        lines += [f"    {step.reference}", f"      {_named(step.at)} | {_code(step.at)}"]
    return lines


def _places(at: Position | None) -> list[str]:
    return [] if at is None or at.source is None else [f"    {_named(at)} | {_code(at)}"]


_TEMPLATED = re.compile(r"\(@(?P<code>.*?)@\)", re.DOTALL)
_BLOCK = re.compile(r"(^|[\s:-])[|>][0-9+-]*\s*(#.*)?$")


def _code(at: Position) -> str:
    """The source line as ytt quotes it; for a text template, only its code."""
    line = at.text or ""
    source = at.source
    if source is None or "(@" not in source.text or source.name.endswith(".star"):
        return line
    if "#@" in line.partition("(@")[0]:
        return line
    lines_before = source.text.split("\n")
    for found in _TEMPLATED.finditer(source.text):
        number = source.text.count("\n", 0, found.start())
        # ytt counts lines of a block scalar from the line of its node.
        first = source.first_line + number - _is_in_block(lines_before, number)
        lines = found["code"].split("\n")
        if first <= at.line < first + len(lines):
            if found["code"].startswith(("=", "-=")):
                return found["code"]
            lines = found["code"].removeprefix("-").removesuffix("-").split("\n")
            return lines[at.line - first]
    return line


def _is_in_block(lines: Sequence[str], number: int) -> bool:
    """True if a line of a YAML file is inside a block scalar: a less indented line above it ends with `|` or `>`."""
    inner = len(lines[number]) - len(lines[number].lstrip(" "))
    for line in reversed(lines[:number]):
        indentation = len(line) - len(line.lstrip(" "))
        if line.startswith("---"):
            break
        if line.strip() and indentation < inner:
            inner = indentation
            if _BLOCK.search(line):
                return True
    return False


def _lines(finding: Finding, file: Frame) -> list[str]:
    """The lines about a fault in the text of a program. file: the step of the file that cannot be compiled."""
    at = finding.told_at or finding.at
    lines = _places(at)
    if finding.is_last and at is not None and at.source is not None:
        lines.append(f"    {at.source.name}:? | __ytt_tpl{file.reference}_end_ctx(None) (generated)")
    return lines


def _named(at: Position | None) -> str:
    if at is None:
        return "?"
    return str(at.line) if at.source is not None and at.source.is_unnamed else at.named


def _is_implied(at: Position | None) -> bool:
    """True for a document without `---`, whose position ytt derives from the start of the file."""
    return at is not None and at.source is not None and not (at.text or "").startswith("---")


_CLOSERS = {"[": "]", "{": "}", "(": ")", "...|": ""}


def _broken_up(text: str) -> str:
    """The text with its first line broken at clauses that start with a capital, outside of brackets.

    Like ytt, any closing bracket closes the innermost one, and the line after an unmatched closing bracket is dropped.
    """
    first, line_break, rest = text.partition("\n")
    pieces: list[str] = []
    current = ""
    opened: list[str] = []

    def flush(piece: str, *, is_text: bool) -> None:
        pieces.append(_CLAUSE.sub(r":\n\2", piece) if is_text else piece)

    for place, character in enumerate(first):
        is_raw = bool(opened) and opened[-1] == "...|"
        if not is_raw and character in "[{(":
            if not opened:
                flush(current, is_text=True)
                current = ""
            opened.append(character)
            current += character
        elif not is_raw and character in "]})":
            if not opened:
                break
            current += _CLOSERS[opened.pop()]
            if not opened:
                flush(current, is_text=False)
                current = ""
        elif first.startswith("...|", place) and place + 4 < len(first):
            if not opened:
                flush(current, is_text=True)
                current = ""
            opened.append("...|")
            current += character
        elif first.endswith("|...", 0, place + 1):
            current += character
            if not opened:
                break
            opened.pop()
            if not opened:
                flush(current, is_text=False)
                current = ""
        else:
            current += character
    flush(current, is_text=not opened)
    lines = [f"{'  ' * depth}{chunk}" for depth, chunk in enumerate("".join(pieces).split("\n"))]
    return "\n".join(lines) + line_break + rest
