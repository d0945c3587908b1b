"""Applies the edits of findings that change no output, to whole files at once."""

from __future__ import annotations

from plait.authoring.lint.verify import kept
from plait.base.content import open_regular
from plait.base.errors import ReadError
from plait.base.path_errors import read_failure
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lint.finding import LintFinding
    from plait.authoring.lint.subject import LintProject


def fix(subject: LintProject, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Applies the edits of findings if they change no output. Returns the fixed findings.

    A file is written completely or not at all, and keeps all other bytes. Afterwards the runs are rendered from the
    written files, and if an output differs, the files are restored. Raises ReadError for a file that cannot be written,
    or that has changed.
    """
    mended = kept(subject, [finding for finding in findings if finding.edits])
    texts = subject.edited([edit for finding in mended for edit in finding.edits])
    before = {path: subject.text(path).encode("utf-8", "surrogateescape") for path in texts}
    for path, content in before.items():
        if _content(subject, path) != content:
            raise ReadError(
                f'"{subject.shown(path)}" has changed since it was read',
                hint="run plait lint again",
                code="changed-meanwhile",
            )
    written: list[str] = []
    try:
        for path, content in texts.items():
            _write(subject, path, content)
            written.append(path)
        if next(subject.differing({}, again=texts), None) is not None:
            raise ReadError(
                "a fix changes the output of a run; all files were restored",
                code="fix-changes-output",
            )
    except BaseException:
        for path in written:
            _write(subject, path, before[path])
        raise
    return mended


def _content(subject: LintProject, path: str) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read()
    except OSError as error:
        raise read_failure(path, error, subject=f'"{subject.shown(path)}"') from None


def _top(subject: LintProject) -> str | None:
    """The directory of the project file that names the files; None if the user named them."""
    return subject.project.directory if subject.project.path else None


def _write(subject: LintProject, path: str, content: bytes) -> None:
    try:
        write_file(path, [content], new_mode=0o666, top=_top(subject))
    except OSError as error:
        raise failure(f'"{subject.shown(path)}"', error) from None
