"""Suppression of findings: comments in files, and the section `lint` of the project file.

#! plait: ignore[D101] the other team's runs use it

The comment is on the line of the finding, or above it.
"""

from __future__ import annotations

import os
import re
from fnmatch import fnmatch

from plait.authoring.lint.codes import CODES, FAMILIES, is_pattern, is_selected
from plait.authoring.lint.finding import LintFinding
from plait.authoring.project.inference.walk import walk
from plait.base.errors import UsageError
from plait.base.similar_names import did_you_mean
from plait.base.unknown_codes import meant_code
from plait.engine.pipeline import check_keys, wrong
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.lint.subject import LintProject
    from plait.base.source import Position
    from plait.tree.nodes import MapItem

_COMMENT = re.compile(r"#!?[ \t]*plait:[ \t]*ignore(?P<codes>\[[^\]\n]*\])?(?P<rest>[^\n]*)")
_ALONE = re.compile(r"[ \t]*#")

SETTINGS = ("ignore", "paths", "select")


class Ignore:
    """A comment that suppresses findings. line: the line of the comment. covers: the line that it applies to. text: the
    words after its codes.
    """

    __slots__ = ("column", "covers", "end", "is_used", "line", "path", "patterns", "text")

    def __init__(
        self, path: str, line: int, covers: int, column: int, end: int, patterns: Sequence[str], text: str
    ) -> None:
        self.path = path
        self.line = line
        self.covers = covers
        self.column = column
        self.end = end
        self.patterns = patterns
        self.text = text
        self.is_used = False

    def silences(self, finding: LintFinding) -> bool:
        """True if the comment applies to a finding."""
        return (
            finding.path == self.path
            and finding.line in (self.line, self.covers)
            and any(is_selected(finding.code, pattern) for pattern in self.patterns)
        )


def comments(subject: LintProject) -> Iterator[Ignore]:
    """The suppression comments in the files that runs read."""
    for path in subject.paths:
        yield from comments_of(path, subject.text(path))


def comments_of(path: str, text: str) -> Iterator[Ignore]:
    """The suppression comments of one file."""
    if "plait:" not in text:
        return
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = _COMMENT.search(line) if "plait:" in line else None
        if found is None:
            continue
        covers = number
        if _ALONE.match(line):
            covers += 1
            # Other comments may follow. The covered line is below them.
            while covers <= len(lines) and _ALONE.match(lines[covers - 1]) and "#@" not in lines[covers - 1]:
                covers += 1
        codes = [code.strip() for code in (found["codes"] or "[]")[1:-1].split(",")]
        column, end = found.start() + 1, found.end() + 1
        yield Ignore(path, number, covers, column, end, [code for code in codes if code], found["rest"])


class LintSettings:
    """The section `lint` of a project file. select, ignore: patterns of codes. paths: (pattern of paths, patterns of
    codes, its position).
    """

    __slots__ = ("ignore", "paths", "select")

    def __init__(self) -> None:
        self.select: list[tuple[str, Position | None]] = []
        self.ignore: list[tuple[str, Position | None]] = []
        self.paths: list[tuple[str, list[tuple[str, Position | None]], Position]] = []

    @classmethod
    def of(cls, item: MapItem | None) -> LintSettings:
        """The settings in an item of a project file. Raises UsageError."""
        found = cls()
        if item is None or item.value is None:
            return found
        if type(item.value) is not Map:
            raise wrong(item, "a map of settings")
        check_keys(item.value, SETTINGS, "lint")
        for entry in item.value.items:
            if entry.key == "paths":
                if type(entry.value) is not Map:
                    raise wrong(entry, "a map from patterns of paths to codes")
                found.paths += [(str(one.key), _patterns(one), one.position) for one in entry.value.items]
            else:
                (found.select if entry.key == "select" else found.ignore).extend(_patterns(entry))
        return found


def _patterns(item: MapItem) -> list[tuple[str, Position | None]]:
    values = [(one.value, one.position) for one in item.value.items] if type(item.value) is Array else None
    if values is None:
        values = [(item.value, item.position)]
    out: list[tuple[str, Position | None]] = []
    for value, at in values:
        if type(value) is not str:
            raise UsageError(
                f'"{item.key}" must be a list of codes',
                at=at,
                expected="codes",
                found=kind_name(value),
                code="setting-type",
            )
        check_pattern(value, at)
        out.append((value, at))
    return out


def check_pattern(text: str, at: Position | None = None) -> None:
    """Raises UsageError for an unknown code, prefix, name or family."""
    if not text or not is_pattern(text):
        raise UsageError(
            f'unknown code "{text}"',
            at=at,
            expected="a code such as D101, its name, a prefix of codes such as D, or a family",
            hint=meant_code(text, CODES.values(), FAMILIES) or f"the families are {', '.join(FAMILIES)}",
            code="unknown-code",
        )


def by_paths(findings: Iterable[LintFinding], settings: LintSettings, directory: str) -> Iterator[LintFinding]:
    """The findings without those that the project file ignores."""
    for finding in findings:
        path = os.path.relpath(finding.path, directory or os.curdir).replace(os.sep, "/")
        if not any(
            fnmatch(path, pattern) and any(is_selected(finding.code, one) for one, _ in patterns)
            for pattern, patterns, _ in settings.paths
        ):
            yield finding


def unmatched_paths(settings: LintSettings, directory: str) -> Iterator[LintFinding]:
    """Patterns of paths in the project file that match no file of the project. Raises LimitError."""
    if not settings.paths:
        return
    top = directory or os.curdir
    files = [
        os.path.relpath(os.path.join(here, name), top).replace(os.sep, "/")
        for here, _, names in walk(top)
        for name in names
    ]
    for pattern, _, at in settings.paths:
        if at.source is not None and not any(fnmatch(path, pattern) for path in files):
            message = f'the pattern "{pattern}" of lint.paths matches no file'
            folders = sorted({f"{os.path.dirname(path)}/*" for path in files if "/" in path})
            yield LintFinding(
                "I901", os.path.abspath(at.source.shown), at.line, message, hint=did_you_mean(pattern, folders) or ""
            )


def silenced(findings: Iterable[LintFinding], ignores: Sequence[Ignore]) -> Iterator[LintFinding]:
    """The findings that no comment suppresses. Marks the comments that suppress one as used."""
    for finding in findings:
        hits = [ignore for ignore in ignores if ignore.silences(finding)]
        for ignore in hits:
            ignore.is_used = True
        if not hits:
            yield finding


def unused(ignores: Iterable[Ignore], looked_for: Iterable[str], left: Sequence[LintFinding]) -> Iterator[LintFinding]:
    """Comments for checked codes that suppress nothing, and invalid comments. left: the findings that none suppresses."""
    known = set(looked_for)
    for ignore in ignores:
        found = _wrong(ignore, known, left)
        if found is not None:
            message, hint = found
            yield LintFinding(
                "I901", ignore.path, ignore.line, message, column=ignore.column, end=ignore.end, hint=hint or ""
            )


def _wrong(ignore: Ignore, known: set[str], left: Sequence[LintFinding]) -> tuple[str, str | None] | None:
    """The fault of a comment and a hint, or None."""
    if not ignore.patterns:
        return "an ignore comment names no code", _written(ignore, left)
    for pattern in ignore.patterns:
        if not is_pattern(pattern):
            return f'unknown code "{pattern}"', meant_code(pattern, CODES.values())
    if not ignore.is_used and any(is_selected(code, one) for code in known for one in ignore.patterns):
        return f"this comment ignores {', '.join(ignore.patterns)}, but there is no such finding", "remove the comment"
    return None


def _written(ignore: Ignore, left: Sequence[LintFinding]) -> str:
    """A hint with the whole comment: it has the codes among the words of the invalid one, or those of the findings that
    it is written for.
    """
    words = [word for word in re.split(r"[\s,:()]+", ignore.text) if word]
    named = [word for word in words if is_pattern(word)]
    here = [one.code for one in left if one.path == ignore.path and one.line in (ignore.line, ignore.covers)]
    codes = ", ".join(dict.fromkeys(named or here)) or "D101"
    return f"write it with its codes in brackets: #! plait: ignore[{codes}] reason"
