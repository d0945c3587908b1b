"""Parses the pieces of a program into a syntax tree with resolved names, and reports syntax errors."""

from __future__ import annotations

import sys

from plait.base.errors import Finding, LimitError, StarlarkError, own_suggestions
from plait.base.limits import DEEPEST
from plait.base.source import Position, Source
from plait.ytt.starlark.parse import Parser
from plait.ytt.starlark.resolve import resolve
from plait.ytt.starlark.scan import ScanFailure
from plait.ytt.starlark.syntax import Scope
from plait.ytt.starlark.teardown import unwind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.starlark.syntax import Statement


def parse_program(
    pieces: Sequence[Piece], source: Source, parser: type[Parser] | None = None
) -> tuple[list[Statement], Scope, list[Finding]]:
    """The statements of a program, its scopes with resolved names, and the findings that do not stop the parser, by
    line.

    parser: a subclass, for tools that store the tokens. Raises StarlarkError for a fault that stops it, LimitError.
    """
    if sys.getrecursionlimit() < DEEPEST:
        sys.setrecursionlimit(DEEPEST)
    problems: list[Finding] = []
    scope = Scope(None)
    try:
        chosen = Parser if parser is None else parser
        statements = chosen(chosen.tokens_of(pieces, source), source, scope, problems).program()
        resolve(scope, source, problems)
    except ScanFailure as error:
        raise failure([error.finding]) from None
    except (RecursionError, MemoryError) as error:
        raise too_deep(source, error) from None
    problems.sort(key=lambda finding: finding.at.line if finding.at is not None else 0)
    return statements, scope, problems


def too_deep(source: Source, error: BaseException) -> LimitError:
    """The error for a program that is too deeply nested for Python."""
    unwind(error)
    return LimitError("the program is nested too deeply", at=Position(source, 0))


def distinct(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those about an undefined name that another finding reports as a wrong argument."""
    told = {(one.word, str(one.at)) for one in findings if one.code == "argument-list"}
    return [one for one in findings if one.code != "undefined-name" or (one.word, str(one.at)) not in told]


def failure(findings: list[Finding]) -> StarlarkError:
    """The error for the findings of a program's text: the first one, with all as its findings."""
    first, *more = distinct(findings)
    error = StarlarkError(
        first.message,
        at=first.at,
        also=first.also,
        expected=first.expected,
        found=first.found,
        hint=first.hint,
        findings=more,
        code=first.code,
        word=first.word,
        suggestions=own_suggestions(first),
    )
    error.listed = sorted(findings, key=lambda one: one.rank)
    return error
