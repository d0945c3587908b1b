"""Text templates: `(@ code @)` and `(@= expr @)` between pieces of text (docs/reference/templates.md).

`parse` cuts a text into segments; `pieces` turns segments into pieces of a Starlark program that appends to a list of
strings, `$parts`. Both `.txt` files and strings use this under `#@yaml/text-templated-strings`
(docs/reference/templates.md).
"""

from __future__ import annotations

from plait.base.errors import TemplateError
from plait.base.source import Position, Source
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart, ExprSlot
from plait.ytt.templates.lower import Insert, TextHooks
from plait.ytt.templates.statement_lines import of_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.instrument.coverage import LinesOf
    from plait.ytt.starlark.program import Program
    from plait.ytt.starlark.program_parts import Piece

# The characters of Go's unicode.IsSpace; Python's str.strip() also removes U+001C to U+001F.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


class Segment:
    """A piece of text or code, or an expression to insert. `line` is its first line."""

    __slots__ = ("kind", "line", "text")

    def __init__(self, kind: str, text: str, line: int) -> None:
        self.kind = kind  # "text", "code" or "expr"
        self.text = text
        self.line = line


def has_code(text: str) -> bool:
    """True if a text contains template code."""
    return "(@" in text or "@)" in text


def program_of(source: Source, mapper: Callable[[LinesOf], LinesOf | None], *, traced: bool) -> Program:
    """The program of a text template. mapper: wraps the function that maps statements to lines."""
    found = pieces(parse(source.text, source))
    return compile_program(found, source, hooks=TextHooks(), traced=traced, lines_of=mapper(of_text))


def parse(text: str, source: Source, first_line: int = 1) -> list[Segment]:
    """Parses a text template into segments, trimmed by `(@-` and `-@)`.

    Raises TemplateError for an opening inside code, a closing outside of it, and unterminated code.
    """
    out: list[Segment] = []
    start = 0
    line = first_line
    trim_left = False
    while True:
        opening = text.find("(@", start)
        closing = text.find("@)", start)
        if closing != -1 and (opening == -1 or closing < opening):
            raise _misplaced("Unexpected code closing '@)'", text, closing + 1, source, first_line)
        if opening == -1:
            tail = text[start:]
            if trim_left:
                trimmed = tail.lstrip(SPACE)
                line += tail.count("\n") - trimmed.count("\n")
                tail = trimmed
            out.append(Segment("text", tail, line))
            return out
        before = text[start:opening]
        begin = opening + 2
        # "(@)" opens code and does not close it. ytt crashes; here the code is unterminated.
        end = text.find("@)", begin)
        nested = text.find("(@", begin)
        error = None
        if nested != -1 and (end == -1 or nested < end):
            error = _misplaced("Unexpected code opening '(@'", text, nested + 1, source, first_line)
            error.also = [Position(source, first_line + text.count("\n", 0, nested))]
        elif end == -1:
            error = _misplaced("Missing code closing '@)'", text, len(text), source, first_line)
        if error is not None:
            error.at = Position(source, line + before.count("\n"))
            raise error
        code_line = line + before.count("\n")
        code = text[begin:end]
        at = line
        if trim_left:
            trimmed = before.lstrip(SPACE)
            at += before.count("\n") - trimmed.count("\n")
            before = trimmed
        trim_left = code.endswith("-")
        if code.startswith("-"):
            before = before.rstrip(SPACE)
        out.append(Segment("text", before, at))
        inserts = code.startswith(("=", "-="))
        body = code.removeprefix("-=") if code.startswith("-=") else code
        body = body.removeprefix("=").removeprefix("-").removesuffix("-")
        out.append(Segment("expr" if inserts else "code", body, code_line))
        line = code_line + code.count("\n")
        start = end + 2


def _misplaced(what: str, text: str, offset: int, source: Source, first_line: int) -> TemplateError:
    line = first_line + text.count("\n", 0, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return TemplateError(
        f"{what} at line {line} col {column}", at=Position(source, line, column), code="text-directive"
    )


# Maximum number of expressions inserted by one statement.
_INSERTIONS = 100


def pieces(segments: Sequence[Segment]) -> list[Piece]:
    """The program pieces for segments; they append to the list `$parts`. A sequence without code becomes one statement."""
    out: list[Piece] = []
    literals, starts = [""], [0]
    inserted: list[Segment] = []
    for segment in segments:
        if segment.kind == "text":
            if not literals[-1]:
                starts[-1] = segment.line
            literals[-1] += segment.text
        elif segment.kind == "expr":
            inserted.append(segment)
            literals.append("")
            starts.append(segment.line)
            if len(inserted) == _INSERTIONS:
                out.append(_statement(literals, inserted, starts))
                literals, inserted, starts = [""], [], [0]
        else:
            if inserted or literals[0]:
                out.append(_statement(literals, inserted, starts))
                literals, inserted, starts = [""], [], [0]
            out.append(CodePart(segment.text, segment.line))
    if inserted or literals[0]:
        out.append(_statement(literals, inserted, starts))
    return out


def _statement(literals: list[str], inserted: list[Segment], starts: list[int]) -> Insert:
    return Insert(literals, [ExprSlot(segment.text or "()", segment.line) for segment in inserted], starts)
