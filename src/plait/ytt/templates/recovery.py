"""Finds all faults of a file's text, and the contents of the rest, for editors and fixes.

The readers stop at the first fault. A line of YAML is repaired as the scanner of the lossless tree proposes; a line of
code is removed so that the enclosing blocks stay. Then the file is read again, until there is no fault, or one without
a line.
"""

from __future__ import annotations

import contextlib
import re
from collections import deque

from plait.base.errors import PlaitError, ReadError, as_finding
from plait.base.source import Position, Source
from plait.ytt.starlark.parsing import distinct, parse_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.templates import text
from plait.ytt.templates.compiler import plan
from plait.ytt.templates.template_files import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Finding
    from plait.yaml.lossless.recovery import Repair
    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.starlark.syntax import Scope, Statement
    from plait.ytt.templates.file import YamlFile

YAML, TEXT, STARLARK = "yaml", "text", "starlark"

_MOST = 30

# Keywords that open a block, including invalid ones.
_OPENERS = re.compile(
    r"(?P<word>if|elif|else|for|while|def|class|try|with|except|finally)(?P<end>/end)?\b[ \t]*(?P<name>\w*)"
)
_NEUTRAL = {
    "if": "if{} None:",
    "elif": "elif{} None:",
    "else": "else{}:",
    "for": "for{} _ in []:",
    "while": "while{} None:",
    # Keywords of other languages.
    "class": "if{} None:",
    "try": "if{} None:",
    "with": "if{} None:",
    "except": "elif{} None:",
    "finally": "else{}:",
}
_NO_CODE = re.compile(r"\"(\\.|[^\"\\])*\"|'(\\.|[^'\\])*'|#.*")
# Text that cannot continue an open bracket.
_BEGINS = re.compile(r"\s*(end|def|elif|while|return|load)\b")
_NAMES = re.compile(r"[A-Za-z_]\w*")


class Recovered:
    """A file, read as far as possible.

    faults: all faults of its text, by line.
    file: its nodes and comments, for a YAML file.
    pieces, statements, scope: its program.
    cut: the removed lines.
    text: the file without them, which likely compiles; its line numbers are those of the file.
    """

    __slots__ = ("cut", "faults", "file", "pieces", "scope", "statements", "text")

    def __init__(self) -> None:
        self.faults: list[Finding] = []
        self.cut: set[int] = set()
        self.file: YamlFile | None = None
        self.pieces: Sequence[Piece] = ()
        self.statements: Sequence[Statement] = ()
        self.scope: Scope | None = None
        self.text = ""


def unread(text: str) -> Recovered:
    """The result for a text that is not a template: no faults and no facts."""
    found = Recovered()
    found.text = text
    return found


def recover(source: Source, kind: str, *, ignore_unknown_comments: bool = False, strict: bool = False) -> Recovered:
    """Reads a file as far as possible. kind: YAML, TEXT or STARLARK; nothing is evaluated. Raises LimitError."""
    found = Recovered()
    lines = source.text.split("\n")
    gone: set[str] = set()  # names on removed lines, which may have been definitions
    planned: list[Repair] | None = None  # remaining repairs of YAML
    for _ in range(_MOST):
        found.text = "\n".join(lines)
        text = _source_of(source, found.text)
        try:
            problems = _read(found, text, kind, ignore_unknown_comments=ignore_unknown_comments, strict=strict)
        except PlaitError as raised:
            error = of_conflict(raised, text)
            finding, *more = findings_of(error, source)
            line = 0 if finding.at is None else finding.at.line
            if error.code == "merge-conflict":
                # The rest is read with the first version.
                middle, end = (one.line for one in finding.also)
                found.faults += [finding, *more]
                for number in (line, *range(middle, end + 1)):
                    found.cut.add(number)
                    lines[number - 1] = ""
                planned = None
                continue
            if kind == YAML and isinstance(error, ReadError):
                if planned is None:
                    from plait.yaml.lossless.recovery import repairs

                    planned = repairs(found.text)
                repair = planned.pop(0) if planned else None
                if repair is not None:
                    if repair.is_open and repair.number < line:
                        finding.hint = "a quote or a bracket that opens here is not closed"
                    if repair.number < line:
                        finding.at, finding.also = Position(source, repair.number), []
                    if repair.number not in found.cut:
                        found.faults += [finding, *more]
                    found.cut.add(repair.number)
                    lines[repair.number - 1] = repair.new
                    continue
                planned = None
            # The removed line may belong to another statement; then this line is at fault.
            is_known = any(one.at is not None and one.at.line == line for one in found.faults)
            if not is_known:
                found.faults.append(finding)
            if not 0 < line <= len(lines) or not lines[line - 1].strip() or kind == TEXT:
                break
            for number in (line,) if is_known else _statement(lines, line, kind):
                found.cut.add(number)
                gone.update(_NAMES.findall(lines[number - 1]))
                lines[number - 1] = _without(lines[number - 1], kind)
            found.faults += more
            continue
        for finding in distinct(problems):
            if finding.code == "undefined-name" and finding.word in gone:
                continue
            found.faults.append(_in(finding, source))
            line = 0 if finding.at is None else finding.at.line
            if 0 < line <= len(lines) and kind != TEXT:
                # The reader still gets the complete text; only the program is compiled without the line.
                found.cut.add(line)
                lines[line - 1] = _without(lines[line - 1], kind)
        found.text = "\n".join(lines)
        break
    else:
        if kind == YAML:
            _read_above(found, source, ignore_unknown_comments=ignore_unknown_comments, strict=strict)
    found.faults.sort(key=lambda finding: 0 if finding.at is None else finding.at.line)
    return found


def add_others(error: PlaitError, source: Source, kind: str, *, ignore_unknown_comments: bool) -> PlaitError:
    """The error that stopped the reading of a file, with all other faults of the file as findings.

    Of a text template, only a conflict of a merge is recognised.
    """
    error = of_conflict(error, source)
    if kind == TEXT:
        return error
    others = recover(source, kind, ignore_unknown_comments=ignore_unknown_comments).faults
    by_message: dict[str, deque[Finding]] = {}
    for one in others:  # faults are in the order of their lines
        by_message.setdefault(one.message, deque()).append(one)
    told: set[int] = set()
    for known in findings_of(error):
        # A fault in YAML is reported at the line to repair, which may be above the line at which the reader stops.
        line = known.at.line if known.at else 0
        same = by_message.get(known.message)
        if same and (same[0].at.line if same[0].at else 0) <= line:
            told.add(id(same.popleft()))
    others = [one for one in others if id(one) not in told and not _is_within(one, error)]
    for one in others:
        one.reference = ""  # ytt stops at the first fault
        error.findings.append(one)
    return error


def _is_within(fault: Finding, error: PlaitError) -> bool:
    """True if a fault is a line of the conflict that an error is about."""
    if error.code != "merge-conflict" or error.at is None or fault.at is None:
        return False
    return error.at.line <= fault.at.line <= max(place.line for place in error.also)


def of_conflict(error: PlaitError, source: Source) -> PlaitError:
    """The error for the conflict of a merge that contains the line of a fault; without one, the error itself."""
    if "<<<<<<<" not in source.text:
        return error
    from plait.yaml.merge_conflicts import as_conflict

    return as_conflict(error, source)


def findings_of(error: PlaitError, source: Source | None = None) -> list[Finding]:
    """The findings of an error. source: the original text if a changed one was read."""
    return [one if source is None else _in(one, source) for one in (as_finding(error), *error.findings)]


def _in(finding: Finding, source: Source) -> Finding:
    """The finding with positions in the original text."""
    finding.at = _moved(finding.at, source)
    finding.also = [at for one in finding.also if (at := _moved(one, source)) is not None]
    return finding


def _moved(at: Position | None, source: Source) -> Position | None:
    if at is None or at.source is None or at.source.name != source.name:
        return at
    moved = Position(source, at.line, at.column, at.end)
    return moved.labelled(at.label) if at.label else moved


def _read(
    found: Recovered, source: Source, kind: str, *, ignore_unknown_comments: bool, strict: bool
) -> Sequence[Finding]:
    """Reads a text into `found`. Returns its findings that do not stop reading. Raises PlaitError."""
    if kind == YAML:
        found.file = file = read_yaml(source, strict=strict)
        if not file.is_template or file.comments is None:
            return ()
        found.pieces, _ = plan(
            file.documents,
            file.comments,
            source,
            ignore_unknown=ignore_unknown_comments,
            repeated_keys=file.repeats_keys,
        )
    elif kind == TEXT:
        found.pieces = text.pieces(text.parse(source.text, source))
    else:
        found.pieces = [CodePart(source.text, 1)]
    found.statements, found.scope, problems = parse_program(found.pieces, source)
    return problems


def _source_of(source: Source, text: str) -> Source:
    """The source with another text. Faults in it are those of the file."""
    made = Source(source.name, text)
    made.shown, made.extensions = source.shown, source.extensions
    return made


def _read_above(found: Recovered, source: Source, *, ignore_unknown_comments: bool, strict: bool) -> None:
    """Reads the text above the first fault, if there are too many faults. Ignores text that cannot be read."""
    lines = source.text.split("\n")
    first = min(found.cut, default=1)
    found.cut.update(range(first, len(lines) + 1))
    found.text = "\n".join([*lines[: first - 1], *[""] * (len(lines) - first + 1)])
    text = _source_of(source, found.text)
    with contextlib.suppress(PlaitError):
        _read(found, text, YAML, ignore_unknown_comments=ignore_unknown_comments, strict=strict)


def _statement(lines: Sequence[str], line: int, kind: str) -> range:
    """The lines of the statement that contains a line: from the line that opens its bracket to the one that closes it."""
    depth = 0
    for first in range(line - 1, max(line - _MOST, 0), -1):
        code = _code(lines[first - 1], kind)
        if code is None:
            break
        depth += _opened(code)
        if depth > 0:
            break
    else:
        first = line
    if depth <= 0:
        return range(line, line + 1)
    last, depth = first, 0
    for last in range(first, min(first + _MOST, len(lines)) + 1):
        code = _code(lines[last - 1], kind)
        if code is None or (last > first and _BEGINS.match(code)):
            return range(first, last)
        depth += _opened(code)
        if depth <= 0:
            break
    return range(first, last + 1)


def _code(line: str, kind: str) -> str | None:
    """The code on a line that contains only code, or None."""
    if kind == STARLARK:
        return line
    before, _, code = line.partition("#@")
    return code if code.startswith(" ") and not before.strip() else None


def _opened(code: str) -> int:
    """The number of brackets that a line opens and does not close."""
    code = _NO_CODE.sub("", code)
    return sum(code.count(bracket) for bracket in "([{") - sum(code.count(bracket) for bracket in ")]}")


def _without(line: str, kind: str) -> str:
    """A replacement line without effect, which still opens the block that the line opens."""
    if kind == STARLARK:
        code = line.lstrip()
        return line[: len(line) - len(code)] + _neutral(code)
    before, mark, code = line.partition("#@")
    if not mark and before.lstrip().startswith("# @ "):
        # The comment was reported, and its block is open.
        before, code = before[: before.index("#")], before.partition("@")[2]
    elif not mark:
        # Plain YAML: nothing can be recovered.
        return line[: len(line) - len(line.lstrip())] if "#" not in line else ""
    if before.strip() or not (code.startswith(" ") or _OPENERS.match(code)):
        return before.rstrip()
    neutral = _neutral(code.lstrip())
    return f"{before}#@ {neutral}" if neutral else ""


def _neutral(code: str) -> str:
    opener = _OPENERS.match(code)
    if opener is None:
        return ""
    end = opener["end"] or ""
    if (opener["word"], opener["name"]) == ("else", "if"):
        return _NEUTRAL["elif"].format(end)
    if opener["word"] == "def":
        return f"def{end} {opener['name'] or '_'}(*_args, **_kwargs):"
    return _NEUTRAL[opener["word"]].format(end)
