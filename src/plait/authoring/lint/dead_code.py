"""Finds unused functions, loads and names, and files and libraries that are not loaded."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.data_value_uses import LIBRARY_FILES
from plait.authoring.analysis.file_facts import TEMPLATE
from plait.authoring.analysis.unused_names import LOAD, NAME, unused_names
from plait.authoring.lint.dead_values import TESTS, modules
from plait.authoring.lint.finding import LintFinding
from plait.base.text_edits import Edit
from plait.insight.blocks import block_end, code_on
from plait.ytt.starlark.syntax import Assign, Call, Evaluate, Load, Name
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.code import Occurrence
    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lint.subject import LintProject

_MODULES = "@ytt:"


def code(subject: LintProject) -> Iterator[LintFinding]:
    """Unused loads, names and functions."""
    loaded = _loaded_names(subject)
    lonely = {finding.path for finding in modules(subject)}
    for file in subject.files():
        if file.path in lonely or file.path.endswith(TESTS):
            continue  # the whole file is unused, or called from elsewhere
        if not subject.is_own(file.path) or file.kind not in (TEMPLATE, STARLARK) or file.recovered.cut:
            continue
        if subject.has_unevaluated_code(file.path):
            continue
        yield from _loads(subject, file)
        yield from _names(file)
        yield from _functions(file, loaded)


def _starts(file: File) -> list[int]:
    starts = [0]
    for line in file.lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _remove_lines(file: File, first: int, last: int) -> Edit:
    starts = _starts(file)
    end = min(starts[last], len(file.source.text))
    return Edit(starts[first - 1], end, "", file.path)


# ---- loads

_LOAD = re.compile(r"""\s*load\(\s*(?P<path>"[^"]*"|'[^']*')\s*(?P<names>(,[^()]*)?)\)\s*$""")


def _loads(subject: LintProject, file: File) -> Iterator[LintFinding]:
    unused = {(one.name, one.line): one for one, code in unused_names(file) if code == LOAD}
    for load in file.names.loads:
        gone = [(here, line) for here, _, line in load.names if (here, line) in unused]
        if len(gone) == len(load.names) and _does_more(subject, file, load.path):
            continue  # a load has a name, even if the file is loaded for its checks
        for here, line in gone:
            one = unused[here, line]
            edits = _without_names(file, load, {name for name, _ in gone})
            yield LintFinding(
                "D107",
                file.path,
                one.line,
                f"{here} is loaded but never used",
                column=one.column,
                end=one.end,
                edits=edits,
                hint="remove it from the load" if len(gone) < len(load.names) else "remove the load",
            )


def _without_names(file: File, load: Load, gone: set[str]) -> list[Edit]:
    """The load statement without some names; empty if it spans several lines."""
    lines = {line for _, _, line in load.names} | {load.line}
    text = file.line(load.line)
    before, mark, rest = ("", "", text) if file.kind == STARLARK else text.partition("#@")
    found = _LOAD.match(rest)
    if len(lines) > 1 or found is None or before.strip():
        return []
    if len(gone) == len(load.names):
        return [_remove_lines(file, load.line, load.line)]
    kept = []
    for word in found["names"].split(","):
        name = word.partition("=")[0].strip().strip("\"'")
        if name and name not in gone:
            kept.append(word.strip())
    start = _starts(file)[load.line - 1] + len(before) + len(mark)
    new = f"{', '.join([found['path'], *kept])}"
    return [Edit(start + found.start("path"), start + found.end("names"), new, file.path)]


def _does_more(subject: LintProject, file: File, path: str) -> bool:
    """True if loading a file, or a file that it loads, has an effect, such as rejecting values."""
    seen: set[str] = set()
    todo = [(file, path)]
    while todo:
        around, wanted = todo.pop()
        if wanted.startswith(_MODULES):
            continue
        beside = os.path.normpath(os.path.join(os.path.dirname(around.path), wanted))
        found = [one for one in subject.paths if one == beside or (wanted[:1] == "/" and one.endswith(wanted))]
        if not found:
            return True  # a file of a library, or of an unknown location
        for one in found:
            loaded = subject.file(one)
            if loaded is None or any(isinstance(statement, Evaluate) for statement in loaded.recovered.statements):
                return True
            if one not in seen:
                seen.add(one)
                todo += [(loaded, load.path) for load in loaded.names.loads]
    return False


# ---- names and functions


def _names(file: File) -> Iterator[LintFinding]:
    """Names that are assigned but never read, except loop variables."""
    assigned = {
        (statement.target.name, statement.line): statement
        for statement in file.names.statements
        if isinstance(statement, Assign) and isinstance(statement.target, Name) and not statement.operator
    }
    unused = [one for one, code in unused_names(file) if code == NAME]
    for one in (*unused, *_unused_at_top(file)):
        statement = assigned.get((one.name, one.line))
        if statement is not None:
            calls = isinstance(statement.value, Call)
            yield LintFinding(
                "D108",
                file.path,
                one.line,
                f"{one.name} is never used",
                column=one.column,
                end=one.end,
                removes=[_remove_lines(file, one.line, one.line)] if _is_simple_assignment(file, one) else (),
                hint="remove it; if the call is a check, omit only the name" if calls else "remove it",
            )


def _is_simple_assignment(file: File, occurrence: Occurrence) -> bool:
    """True if a line is only the assignment of a name."""
    text = code_on(file.line(occurrence.line), is_program=file.kind == STARLARK) or ""
    is_closed = all(text.count(opened) == text.count(closed) for opened, closed in ("()", "[]", "{}"))
    begins = re.match(rf"{re.escape(occurrence.name)}\s*=(?!=)", text) is not None
    return is_closed and begins and ";" not in text and not text.endswith(("\\", ","))


def _unused_at_top(file: File) -> Iterator[Occurrence]:
    """Unread names at the top level of a file that other files cannot load."""
    if file.path.endswith(LIBRARY_FILES):
        return
    names = file.names
    for one in names.occurrences:
        if one.is_binding and one.scope is names.program and len(names.same(one)) == 1 and not one.name.startswith("_"):
            yield one


def _loaded_names(subject: LintProject) -> dict[str, set[str]]:
    """The names that files load, by the last part of the path; exports called as functions of libraries are listed
    under "".
    """
    found: dict[str, set[str]] = {"": set()}
    for file in subject.files():
        if file.kind not in (TEMPLATE, STARLARK) and "load(" not in file.source.text:
            continue
        for load in file.names.loads:
            found.setdefault(load.path.rpartition("/")[2], set()).update(there for _, there, _ in load.names)
        found[""].update(re.findall(r"""\.(?:export|eval)\(\s*["'](\w+)["']""", file.source.text))
    return found


def _functions(file: File, loaded: dict[str, set[str]]) -> Iterator[LintFinding]:
    names = file.names
    wanted = loaded.get(os.path.basename(file.path), set()) | loaded[""]
    for function in names.functions:
        places = [one for one in names.occurrences if one.name == function.name and one.line == function.line]
        one = places[0] if places else None
        if one is None or len(names.same(one)) > 1:
            continue
        is_top = one.scope is names.program
        if is_top and (function.name in wanted and file.path.endswith(LIBRARY_FILES)):
            continue
        last = block_end(file.lines, function.line, is_program=file.kind == STARLARK)
        if last is None:
            continue
        yield LintFinding(
            "D106",
            file.path,
            function.line,
            f"the function {function.name} is never called",
            column=one.column,
            end=one.end,
            removes=[_remove_lines(file, function.line, last)],
            hint="remove it",
        )
