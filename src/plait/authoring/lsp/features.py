"""Results of the language features, in plait's units: lines and columns count from 1, columns in characters.

`server` converts them to those of the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class FileRange:
    """A part of a file. end: the column after it. last: the line of the end; 0 for the same line."""

    path: str
    line: int
    column: int
    end: int
    last: int = 0


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A text edit of one file: the range and the new text."""

    span: FileRange
    text: str


@dataclass(slots=True)
class Fix:
    """A quick fix. keeps: it must keep the output of each run that succeeds. accepts: the edit allows the reported
    construct.
    """

    title: str
    edits: list[FileEdit]
    keeps: bool = False
    accepts: bool = False


@dataclass(slots=True)
class EditorDiagnostic:
    """A problem, or an unused part of the text. severity: "error", "warning", "note" or "unused". code: one from the
    registry. found: its diagnostic, or None.
    """

    span: FileRange
    severity: str
    message: str
    code: str
    also: list[tuple[FileRange, str]] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    found: Diagnostic | None = None


@dataclass(slots=True)
class CompletionItem:
    """A completion item. start: the column from which it replaces the text up to the cursor."""

    label: str
    kind: str
    start: int
    detail: str = ""
    documentation: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line that sets a value. directory: the directory of the run. content: the content of its file as evaluated, or
    None; it may contain secrets, and is not for the editor.
    """

    path: str
    line: int
    directory: str
    content: bytes | None = field(repr=False)


@dataclass(slots=True)
class Hover:
    """A hover text in Markdown. sources: the lines that set the values in it."""

    text: str
    sources: Sequence[SourceLine] = ()


@dataclass(slots=True)
class InlayHint:
    """An inlay hint."""

    line: int
    column: int
    text: str
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """A token of code. kind: one of `tokens.KINDS`."""

    line: int
    column: int
    end: int
    kind: str


@dataclass(slots=True)
class CodeLens:
    """A text displayed above a line."""

    line: int
    text: str


@dataclass(slots=True)
class Symbol:
    """A symbol of a file, with nested ones."""

    name: str
    kind: str
    line: int
    last: int
    detail: str = ""
    inner: list[Symbol] = field(default_factory=list)
