"""All that is wrong with the text of a file, and what the rest of it says: for editors, and for whoever mends a file.

The readers stop at the first thing that is wrong. Here the line it stands on is taken out, in a way that leaves the blocks
around it whole, and the file is read again, until nothing is wrong or a fault cannot be put down to a line.
"""

from __future__ import annotations

import re

from plait.errors import PlaitError, as_finding
from plait.source import Position, Source
from plait.starlark import Code
from plait.templates.reading import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.errors import Finding
    from plait.starlark import Piece
    from plait.starlark.syntax import Scope, Statement
    from plait.templates.file import YamlFile

YAML, TEXT, STARLARK = "yaml", "text", "starlark"

_MOST = 30

# What a block is opened with, and what opens one that means nothing.
_OPENERS = re.compile(
    r"(?P<word>if|elif|else|for|while|def|class|try|with|except|finally)(?P<end>/end)?\b[ \t]*(?P<name>\w*)"
)
_NEUTRAL = {
    "if": "if{} None:",
    "elif": "elif{} None:",
    "else": "else{}:",
    "for": "for{} _ in []:",
    "while": "while{} None:",
    # Of other languages.
    "class": "if{} None:",
    "try": "if{} None:",
    "with": "if{} None:",
    "except": "elif{} None:",
    "finally": "else{}:",
}
_NO_CODE = re.compile(r"\"(\\.|[^\"\\])*\"|'(\\.|[^'\\])*'|#.*")
# What is said of a key without a colon: of the second one of a map, and of the first.
_NO_COLON = "could not find expected ':'"
_BEFORE = (
    "did not find expected <document start>",
    "did not find expected key",
    "mapping values are not allowed in this context",
)
_KEY = re.compile(r"[ -]*[\w.-]+ *(?: #(?!@).*)?$")
# Texts in quotes and comments in YAML, after what may stand before them; and a quote that is left when these are gone.
_NO_TEXT = re.compile(r"(^|[\s:,\[{(-])(?:\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*'|#.*)")
_OPENS_QUOTE = re.compile(r"(?:^|[:,\[{-])\s*[\"']")
# A quote or bracket that may be there by mistake: one behind a colon and a space begins a value.
_STRAY = re.compile(r"(?<!: )[][{}\"']")
_ITEM = re.compile(r" *(?:- .|(?:- )*[^\s:'\"\[\]{}#,-][^:'\"\[\]{}#,]*:(?: |$))")
# What no bracket goes on with.
_BEGINS = re.compile(r"\s*(end|def|elif|while|return|load)\b")
_NAMES = re.compile(r"[A-Za-z_]\w*")


class Recovered:
    """A file read as far as it can be.

    faults: all that is wrong with its text, by line. file: its nodes and comments, of a YAML file.
    pieces, statements, scope: its program. cut: the lines that were left out. text: the file without them, which
    can be compiled as far as is known; its lines are those of the file.
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
    """The result for a text that has no syntax of ours: nothing is wrong with it, and nothing is known of it."""
    found = Recovered()
    found.text = text
    return found


def recover(source: Source, kind: str, *, ignore_unknown_comments: bool = False, strict: bool = False) -> Recovered:
    """Read a file as far as it can be. kind: YAML, TEXT or STARLARK; nothing is evaluated. Raises LimitError."""
    found = Recovered()
    lines = source.text.split("\n")
    gone: set[str] = set()  # names on lines that were left out: they may have been made there
    again: set[int] = set()  # lines that were mended, and may have to be left out yet
    for _ in range(_MOST):
        found.text = "\n".join(lines)
        text = Source(source.name, found.text)
        text.additions = source.additions
        try:
            problems = _read(found, text, kind, ignore_unknown_comments=ignore_unknown_comments, strict=strict)
        except PlaitError as error:
            finding, *more = findings_of(error, source)
            line = _culprit(finding, lines)
            opened = _left_open(lines, line, source.name, strict=strict) if kind == YAML else 0
            if opened:
                line, finding.hint = opened, "a quote or a bracket that opens here is not closed"
            if finding.at is not None and line != finding.at.line:
                finding.at, finding.also = Position(source, line), []
            # What was cut may have been another statement's; then it is this line.
            is_known = any(one.at is not None and one.at.line == line for one in found.faults)
            if not is_known:
                found.faults.append(finding)
            if not 0 < line <= len(lines) or (line in found.cut and line not in again) or kind == TEXT:
                break
            mended = _mended(lines, line, source.name, strict=strict) if kind == YAML and line not in again else None
            if mended is not None:
                found.cut.add(mended[0])
                again.add(mended[0])
                lines[mended[0] - 1] = mended[1]
                found.faults += more
                continue
            again.discard(line)
            for number in (line,) if is_known else _statement(lines, line, kind):
                found.cut.add(number)
                gone.update(_NAMES.findall(lines[number - 1]))
                lines[number - 1] = _without(lines[number - 1], kind)
            found.faults += more
            continue
        for finding in problems:
            if finding.message.removeprefix("undefined: ") in gone:
                continue
            found.faults.append(_in(finding, source))
            line = 0 if finding.at is None else finding.at.line
            if 0 < line <= len(lines) and kind != TEXT:
                # What is read is whole; what is run goes without the line.
                found.cut.add(line)
                lines[line - 1] = _without(lines[line - 1], kind)
        found.text = "\n".join(lines)
        break
    found.faults.sort(key=lambda finding: 0 if finding.at is None else finding.at.line)
    return found


def add_others(error: PlaitError, source: Source, kind: str, *, ignore_unknown_comments: bool) -> PlaitError:
    """An error that stopped the reading of a file, with what else is wrong with the file's text among its findings."""
    lines = source.text.split("\n")
    seen: set[tuple[str, int]] = set()
    for one in findings_of(error):
        culprit = _culprit(one, lines)
        opened = _left_open(lines, culprit, source.name, strict=False) if kind == YAML else 0
        seen.update((one.message, line) for line in (one.at.line if one.at else 0, culprit, opened))
    for one in recover(source, kind, ignore_unknown_comments=ignore_unknown_comments).faults:
        if (one.message, one.at.line if one.at else 0) not in seen:
            one.reference = ""  # the reference program ends at the first
            error.findings.append(one)
    return error


def _culprit(finding: Finding, lines: Sequence[str]) -> int:
    """The line to leave out for a fault; 0 for none. A key without a colon is only told of where the next one comes."""
    line = 0 if finding.at is None else finding.at.line
    if finding.message == _NO_COLON and finding.also:
        return finding.also[0].line
    if finding.message in _BEFORE and 0 < line <= len(lines):
        before = next((one for one in range(line - 1, 0, -1) if lines[one - 1].lstrip()[:1] not in ("", "#")), 0)
        if before and ":" not in lines[before - 1] and _KEY.match(lines[before - 1]):
            return before
    return line


def _left_open(lines: Sequence[str], line: int, name: str, *, strict: bool) -> int:
    """The line with a quote or bracket that is not closed, by which the parser fails at another one below; 0 for none."""
    found = next((number for number in range(min(line, len(lines)), 0, -1) if _is_open(lines[number - 1])), 0)
    if found in (0, line):
        return 0
    without = [*lines]
    without[found - 1] = _without(lines[found - 1], YAML)
    try:
        read_yaml(Source(name, "\n".join(without)), strict=strict)
    except PlaitError as error:
        # It may be one that is closed on a line below.
        return found if error.at is not None and error.at.line > line else 0
    return found


def _mended(lines: Sequence[str], line: int, name: str, *, strict: bool) -> tuple[int, str] | None:
    """The number of a line and a text for it with which more of the file can be read; None if the line is best left out.

    One stray quote or bracket is taken out, or the line is indented as its neighbours are, or the line above goes.
    """
    text = lines[line - 1]
    if "#@" in text:
        return None

    def reach(number: int, new: str) -> int:
        """The line of the next error."""
        changed = [*lines]
        changed[number - 1] = new
        try:
            read_yaml(Source(name, "\n".join(changed)), strict=strict)
        except PlaitError as error:
            return 0 if error.at is None else error.at.line
        return len(lines) + 1

    best, found = max(reach(line, _without(text, YAML)), line), None
    for number, new in _candidates(lines, line):
        reached = reach(number, new)
        # As good as leaving out is not good enough for leaving out another line.
        if reached > best or (reached == best and number == line and found is None):
            best, found = reached, (number, new)
    return found


def _candidates(lines: Sequence[str], line: int) -> Iterator[tuple[int, str]]:
    text = lines[line - 1]
    above = next((number for number in range(line - 1, 0, -1) if _says(lines[number - 1])), 0)
    below = next((number for number in range(line + 1, len(lines) + 1) if _says(lines[number - 1])), 0)
    over = lines[above - 1] if above else ""
    under = lines[below - 1] if below else ""
    shapes = [text[: one.start()] + text[one.end() :] for one in [*_STRAY.finditer(text)][:6]]
    indents = dict.fromkeys(_indent(one) for one in (under, over, text) if one)
    shapes += [" " * indent + text.lstrip() for indent in indents if indent != _indent(text)]
    for new in dict.fromkeys(shapes):
        # What is deeper below belongs to the line above if that waits for a value.
        takes = new.rstrip().endswith(":") and _indent(under) > _indent(new) and over.rstrip().endswith(":")
        if _ITEM.match(new) and not takes:
            yield line, new
    if above and not _ITEM.match(over):
        yield above, ""


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_open(line: str) -> bool:
    """Whether a line of YAML opens a quote or a bracket, and does not close it."""
    rest = _NO_TEXT.sub(r"\1", line)
    return _OPENS_QUOTE.search(rest) is not None or _opened(rest) > 0


def findings_of(error: PlaitError, source: Source | None = None) -> list[Finding]:
    """What an error says is wrong, each by itself. source: the text that is meant, where a changed one was read."""
    return [one if source is None else _in(one, source) for one in (as_finding(error), *error.findings)]


def _in(finding: Finding, source: Source) -> Finding:
    """The same, said of the text as it is."""
    finding.at = _moved(finding.at, source)
    finding.also = [at for one in finding.also if (at := _moved(one, source)) is not None]
    return finding


def _moved(at: Position | None, source: Source) -> Position | None:
    if at is None or at.source is None or at.source.name != source.name:
        return at
    return Position(source, at.line, at.column)


def _read(
    found: Recovered, source: Source, kind: str, *, ignore_unknown_comments: bool, strict: bool
) -> Iterable[Finding]:
    """Fill in what a text says; what is wrong with it without stopping anybody. Raises PlaitError."""
    from plait.starlark.parsing import parse_program

    if kind == YAML:
        found.file = file = read_yaml(source, strict=strict)
        if not file.is_template or file.comments is None:
            return ()
        from plait.templates.planner import plan

        found.pieces, _ = plan(
            file.documents,
            file.comments,
            source,
            ignore_unknown=ignore_unknown_comments,
            repeated_keys=file.repeats_keys,
        )
    elif kind == TEXT:
        from plait.templates import text

        found.pieces = text.pieces(text.parse(source.text, source))
    else:
        found.pieces = [Code(source.text, 1)]
    found.statements, found.scope, problems = parse_program(found.pieces, source)
    return problems


def _statement(lines: Sequence[str], line: int, kind: str) -> range:
    """The lines of the statement that a line is part of: from one with a bracket that stays open to where it is closed."""
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
    """The code on a line that is nothing but code."""
    if kind == STARLARK:
        return line
    before, _, code = line.partition("#@")
    return code if code.startswith(" ") and not before.strip() else None


def _opened(code: str) -> int:
    """How many brackets a line opens that it does not close."""
    code = _NO_CODE.sub("", code)
    return sum(code.count(bracket) for bracket in "([{") - sum(code.count(bracket) for bracket in ")]}")


def _without(line: str, kind: str) -> str:
    """A line that says nothing, but for the block that it opens."""
    if kind == STARLARK:
        code = line.lstrip()
        return line[: len(line) - len(code)] + _neutral(code)
    before, mark, code = line.partition("#@")
    if not mark:
        # Plain YAML: nothing of it can be told.
        return line[: len(line) - len(line.lstrip())] if "#" not in line else ""
    if before.strip() or not code.startswith(" "):
        return before.rstrip()
    neutral = _neutral(code.lstrip())
    return f"{before}#@ {neutral}" if neutral else ""


def _neutral(code: str) -> str:
    opener = _OPENERS.match(code)
    if opener is None:
        return ""
    end = opener["end"] or ""
    if opener["word"] == "def":
        return f"def{end} {opener['name'] or '_'}(*_args, **_kwargs):"
    return _NEUTRAL[opener["word"]].format(end)
