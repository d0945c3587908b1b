"""Style findings: working code that can be written more clearly."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypedDict

from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.lint.finding import LintFinding, RelatedSpan
from plait.base.text_edits import Edit
from plait.yaml.document_names import document_name
from plait.ytt.starlark.syntax import Assign, Branch, Call, Def, Evaluate, For, If, Literal, Name, Return, While
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.templates.directives import is_plain
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.ytt.starlark.syntax import Expression, Statement

_LONG = ("@template/code", "@template/value")


def style(subject: LintProject) -> Iterator[LintFinding]:
    """All style findings, file by file."""
    for file in subject.files():
        if subject.is_own(file.path):
            yield from of_file(file, subject.layout(file.path))
    yield from _overlay_all(subject)


def of_file(file: File, layout: LintedFile | None) -> Iterator[LintFinding]:
    """The style findings about one file."""
    if file.kind == TEMPLATE and layout is not None and layout.comments.template:
        yield from _comments(file, layout)
    if file.kind in (TEMPLATE, STARLARK) and not file.recovered.cut:
        yield from _hidden_loads(file)
        yield from _unreachable(file)


def _comments(file: File, layout: LintedFile) -> Iterator[LintFinding]:
    """Long forms of code and values, and plain comments."""
    for comment in layout.comments.all:
        start = layout.start(comment.line) + comment.column - 1
        long = next((name for name in _LONG if comment.text.startswith(f"{name} ")), None)
        if long is not None:
            yield LintFinding(
                "T601",
                file.path,
                comment.line,
                f"#{long} is the long form of #@",
                column=comment.column,
                end=comment.column + len(long) + 1,
                edits=[Edit(start, start + len(long) + 1, "#@", file.path)],
                hint="write #@",
            )
        elif is_plain(comment):
            yield LintFinding(
                "T605",
                file.path,
                comment.line,
                "a plain comment, which requires --ignore-unknown-comments",
                column=comment.column,
                edits=[Edit(start, start + 1, "#!", file.path)],
                hint="write #! for a comment",
            )


def _hidden_loads(file: File) -> Iterator[LintFinding]:
    """Loads of names that are bound twice, or that every program has."""
    names = file.names
    first: dict[str, int] = {}
    for load in names.loads:
        for here, _, line in load.names:
            one = next((one for one in names.occurrences if (one.name, one.line) == (here, line)), None)
            column, end = (1, 2) if one is None else (one.column, one.end)
            if here in first and first[here] != line:
                yield LintFinding(
                    "T602",
                    file.path,
                    line,
                    f"{here} is loaded again, which hides the earlier load",
                    column=column,
                    end=end,
                    also=[RelatedSpan(file.path, first[here], "is loaded here")],
                    hint=f'load it under another name: other="{here}"',
                )
            elif here in UNIVERSAL:
                yield LintFinding(
                    "T602",
                    file.path,
                    line,
                    f"the loaded {here} hides the built-in one",
                    column=column,
                    end=end,
                    hint=f'load it under another name: other="{here}"',
                )
            first.setdefault(here, line)
    for statement in names.statements:
        name = _bound_at_top(statement)
        if name is not None and name in first and names.program is not None and statement.line not in _inner(file):
            yield LintFinding(
                "T602",
                file.path,
                statement.line,
                f"{name} hides a loaded name",
                **_code_on(file, statement.line),
                also=[RelatedSpan(file.path, first[name], "is loaded here")],
                hint="rename one of them",
            )


def _bound_at_top(statement: Statement) -> str | None:
    if isinstance(statement, Def):
        return statement.name
    if isinstance(statement, Assign) and isinstance(statement.target, Name):
        return statement.target.name
    return None


def _inner(file: File) -> set[int]:
    """The lines of statements inside functions."""
    return {inner.line for function in file.names.functions for inner in function.body}


# ---- unreachable code

_FAILS = frozenset({"fail"})


def _unreachable(file: File) -> Iterator[LintFinding]:
    for block in _blocks(file.recovered.statements):
        for statement, after in pairwise(block):
            words = _ends(statement)
            if words is None or after.line <= statement.line:
                continue
            yield LintFinding(
                "T603",
                file.path,
                after.line,
                f"unreachable code after {words} on line {statement.line}",
                **_code_on(file, after.line),
                also=[RelatedSpan(file.path, statement.line, "ends the block")],
                hint="remove it, or move it up",
            )
            break
    for statement in file.names.statements:
        if isinstance(statement, If) and _is_false(statement.test):
            yield LintFinding(
                "T603",
                file.path,
                statement.line,
                "unreachable block: its condition is always false",
                **_code_on(file, statement.line),
                hint="remove it",
            )


class _Columns(TypedDict):
    column: int
    end: int


def _code_on(file: File, line: int) -> _Columns:
    """The columns of the code on a line."""
    text = file.line(line).rstrip()
    code = text.lstrip().removeprefix("#@").lstrip()
    return {"column": len(text) - len(code) + 1, "end": max(len(text), 1) + 1}


def _is_false(test: Expression) -> bool:
    if isinstance(test, Literal):
        return not test.value
    return isinstance(test, Name) and test.name in ("False", "None")


def _blocks(statements: Sequence[Statement]) -> Iterator[Sequence[Statement]]:
    yield statements
    for statement in statements:
        if isinstance(statement, Def | For | While):
            yield from _blocks(statement.body)
        elif isinstance(statement, If):
            yield from _blocks(statement.yes)
            yield from _blocks(statement.no)


def _ends(statement: Statement) -> str | None:
    """The name of a statement that ends a block, or None."""
    if isinstance(statement, Return):
        return "return"
    if isinstance(statement, Branch) and statement.word in ("break", "continue"):
        return statement.word
    if isinstance(statement, Evaluate) and isinstance(statement.value, Call):
        function = statement.value.function
        if isinstance(function, Name) and function.name in _FAILS:
            return "fail"
    return None


# ---- overlay.all

_ALL = re.compile(r"@overlay/match\s+by\s*=\s*overlay\.all\b")


def _overlay_all(subject: LintProject) -> Iterator[LintFinding]:
    """Overlays that match all documents, in runs with only one document."""
    runs = [ran for ran in subject.runs if ran.run.command == "render"]
    counts = [len(stage.documents) for ran in runs for stage in ran.trace.stages if stage.name == "templates"]
    if not counts or max(counts) != 1:
        return
    names = {document_name(ran.documents.nodes.items[0]) for ran in runs if len(ran.documents.nodes.items) == 1}
    name = next(iter(names)) if len(names) == 1 else None
    if name is None or "/" not in name:
        return
    kind, _, own = name.partition("/")
    for path in subject.paths:
        layout = subject.layout(path) if subject.is_own(path) else None
        for document in () if layout is None else layout.documents.items:
            for comment in layout.comments_of(document) if layout is not None else ():
                if _ALL.match(comment.text) and "expects" not in comment.text:
                    yield LintFinding(
                        "T604",
                        path,
                        comment.line,
                        f"overlay.all matches one document in every run, {name}",
                        column=comment.column,
                        end=comment.column + len(comment.text) + 1,
                        hint=f'by=overlay.subset({{"kind": "{kind}", "metadata": {{"name": "{own}"}}}}) selects it',
                    )
