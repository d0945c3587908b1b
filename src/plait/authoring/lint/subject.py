"""The subject of lint: the runs of a project, evaluated with provenance, and the files they read."""

from __future__ import annotations

import os
from contextlib import suppress

from plait.authoring.analysis.file_facts import OPS, File
from plait.authoring.analysis.file_settings import reading_in
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.verifying import Checked, changes
from plait.authoring.lint.layout import LintedFile
from plait.authoring.lint.used_lines import lines_of_secrets, lines_used
from plait.authoring.project.run import relative_to_cwd
from plait.base.content import file_content
from plait.base.errors import PlaitError
from plait.base.input_view import InputView, may_read
from plait.base.text_edits import edited, outermost
from plait.engine.incremental import Engine
from plait.tree.lookups import Lookups
from plait.tree.nodes import walk
from plait.tree.secrets import uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.base.text_edits import Edit
    from plait.engine.results import Documents
    from plait.tree.provenance import Trace

    Line = tuple[str, int]

# Vendored files belong to other projects.
VENDORED = f"{os.sep}vendor{os.sep}"
# Settings of a run that name files of values, which messages do not quote.
_OF_VALUES = frozenset({"data-values-file", "vars-files", "vars-store", "secrets-file"})
_LIBRARIES = f"{os.sep}_ytt_lib{os.sep}"


_MOST_FILES, _LONGEST = 5000, 1 << 20
_CODE = (".yml", ".yaml", ".star", ".lib.txt")


def _code_files(directory: str) -> Iterator[str]:
    """The files with code below a directory, at most `_MOST_FILES`; not those behind links."""
    count = 0
    for top, names, files in os.walk(directory):
        names[:] = sorted(name for name in names if name[:1] != ".")
        for name in sorted(files):
            path = os.path.join(top, name)
            if name.endswith(_CODE) and not os.path.islink(path):
                count += 1
                if count > _MOST_FILES:
                    return
                yield path


_UNEVALUATED = frozenset({"quoted-code", "unevaluated-code", "double-braces"})


class EvaluatedRun:
    """An evaluated run. used: the lines that contribute to its output."""

    __slots__ = ("_secret_lines", "checked", "documents", "run", "trace", "used", "view")

    def __init__(self, run: Run, view: InputView, documents: Documents) -> None:
        self.run = run
        self.view = view
        self.documents = documents
        assert documents.trace is not None
        self.trace: Trace = documents.trace
        self.used: set[Line] = lines_used(self.trace, documents.nodes)
        self.checked = Checked(run, view, documents, None, Lookups())
        self._secret_lines: set[Line] | None = None

    @property
    def is_decided(self) -> bool:
        """True if a secret decides the evaluated code, so that the record must not be reported."""
        marks = self.trace.marks
        return marks.decides_places if marks is not None else uses_secrets(self.view)

    def hides(self, lines: Iterable[Line]) -> bool:
        """True if a change of lines may change a value that is not compared."""
        if self.is_decided:
            return True
        if self._secret_lines is None:
            has_secrets = uses_secrets(self.view) or uses_secrets(self.trace)
            self._secret_lines = lines_of_secrets(self.trace, self.documents.nodes) if has_secrets else set()
        return not self._secret_lines.isdisjoint(lines)


class LintProject:
    """The runs of a project and their files.

    runs: the evaluated runs. read: the files that they read; paths: text files among them, in order. project: the
    project of the runs.
    """

    def __init__(self, project: Project, runs: Iterable[Run], seen_by: InputView | None = None) -> None:
        """seen_by: receives the reads of the runs, also of failing ones. Raises PlaitError if one fails."""
        self.project = project
        self._seen_by = seen_by
        self._engine = Engine()
        self.runs = [self._evaluated(run) for run in runs]
        read = {path: content for ran in self.runs for path, content in ran.view.files.items() if content is not None}
        self._contents = read
        self._texts: dict[str, str] = {}
        self.read = frozenset(read)
        self.paths = sorted(path for path in read if _is_text(path))
        self._extensions = frozenset[str]().union(*(ran.run.extensions for ran in self.runs))
        self._private = set(_private(self.runs))
        given = [one.run.given for one in self.runs if one.run.given is not None]
        self._given = {(path_of(item.source), item.line) for values in given for item in walk(values)}
        self._warned = {
            path_of(at.source)
            for ran in self.runs
            for one in ran.documents.warned
            if one.diagnostic.code in _UNEVALUATED and (at := one.diagnostic.at) is not None
        }
        self._files: dict[str, File | None] = {}
        self._layouts: dict[str, LintedFile | None] = {}

    def _evaluated(self, run: Run) -> EvaluatedRun:
        view = InputView()
        try:
            documents = run.evaluate(view=view, trace=True, engine=self._engine)
        except PlaitError as error:
            step = f'in the run "{run.name}"'
            raise error if any(one.text == step for one in error.stack) else error.within(step, run.at) from None
        finally:
            if self._seen_by is not None:
                self._seen_by.files.update(view.files)
                self._seen_by.directories.update(view.directories)
        return EvaluatedRun(run, view, documents)

    # ---- files

    def text(self, path: str) -> str:
        """The text of a file that a run has read or listed; "" for one that cannot be read."""
        found = self._texts.get(path)
        if found is None:
            try:
                content = self._contents[path] if path in self._contents else file_content(path, f"file '{path}'")
            except (OSError, ValueError, PlaitError):  # the run continued without it
                content = b""
            found = self._texts[path] = content.decode("utf-8", "surrogateescape")
        return found

    def unread_texts(self) -> Iterator[str]:
        """The texts of YAML and Starlark files of the project that no run reads. Runs outside of the project file may
        read them. Hidden directories are omitted, and so are files beyond a maximum number.
        """
        for path in _code_files(os.path.realpath(self.project.directory or os.curdir)):
            if path not in self.read and may_read(path):
                with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                    yield file.read(_LONGEST)

    def file(self, path: str) -> File | None:
        """A file, parsed as far as possible; None if it exceeds the limits."""
        if path not in self._files:
            try:
                self._files[path] = File(path, self.text(path), reading_in(self._readers(path), path), self._extensions)
            except PlaitError:  # the file exceeds a limit, so nothing is reported for it
                self._files[path] = None
        return self._files[path]

    def _readers(self, path: str) -> list[Run]:
        return [ran.run for ran in self.runs if path in ran.view.files]

    def files(self) -> Iterable[File]:
        """The files that the runs read, in order."""
        return [file for path in self.paths if (file := self.file(path)) is not None]

    def layout(self, path: str) -> LintedFile | None:
        """The layout of a YAML file, or None for another file."""
        if path not in self._layouts:
            is_yaml = path.endswith((".yml", ".yaml")) and path in self.read
            self._layouts[path] = LintedFile.of(path, self.text(path)) if is_yaml else None
        return self._layouts[path]

    def has_unevaluated_code(self, path: str) -> bool:
        """True if a run warns about code that is text in a file. Names that only such code uses are not reported: the
        code is wrong.
        """
        return path in self._warned

    def is_private(self, path: str, line: int) -> bool:
        """True if a line must not be shown, because it contains values, a variables store, or encrypted data."""
        if path in self._private or os.path.dirname(path) in self._private or (path, line) in self._given:
            return True
        return any(
            first <= line < last and path_of(source) == path
            for ran in self.runs
            for source, first, last in ran.trace.secrets
        )

    def is_operations(self, path: str) -> bool:
        """True if a file contains operations."""
        file = self.file(path)
        return file is not None and file.kind == OPS

    def is_own(self, path: str) -> bool:
        """True if a file belongs to the project rather than to a vendored library."""
        return _LIBRARIES not in path and VENDORED not in path

    def shown(self, path: str) -> str:
        """A path as printed: relative to the working directory."""
        here = relative_to_cwd(path)
        return path if here.startswith(os.pardir) else here

    # ---- verification

    def same_with(self, edits: Sequence[Edit]) -> bool:
        """True if the edits change no output. Also False if they might change a secret in an output."""
        texts = self.edited(edits)
        lines = [*self._lines(edits)]
        if any(ran.checked.reads(texts) and ran.hides(lines) for ran in self.runs):
            return False
        return next(self.differing(texts), None) is None

    def _lines(self, edits: Iterable[Edit]) -> Iterator[Line]:
        for edit in edits:
            text = self.text(edit.path)
            first = text.count("\n", 0, edit.start) + 1
            last = first + text.count("\n", edit.start, max(edit.end - 1, edit.start))
            yield from ((edit.path, line) for line in range(first, last + 1))

    def edited(self, edits: Iterable[Edit]) -> dict[str, bytes]:
        """The edited contents of files."""
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        return {
            path: edited(self.text(path), outermost(those)).encode("utf-8", "surrogateescape")
            for path, those in by_path.items()
        }

    def differing(
        self, texts: dict[str, bytes], *, only: EvaluatedRun | None = None, again: Iterable[str] = ()
    ) -> Iterator[tuple[EvaluatedRun, Documents | PlaitError]]:
        """The runs whose output changes with replaced texts, each with its output.

        only: the run to try; by default all that read one of these files, or one of `again`.
        """
        runs = {id(ran.checked): ran for ran in (self.runs if only is None else [only])}
        edited = {*texts, *again}
        for change in changes([ran.checked for ran in runs.values()], texts, edited=edited, engine=self._engine):
            yield runs[id(change.before)], change.after


def _private(runs: Iterable[EvaluatedRun]) -> Iterator[str]:
    """The files and directories of values in runs, and the files whose lines messages do not quote."""
    for ran in runs:
        for setting in ran.run.settings:
            if setting.name in _OF_VALUES:
                yield from ran.run.paths(setting)
        for source in {change.source for change in ran.trace.changes.values()}:
            path = path_of(source)
            if source is not None and source.private and path is not None:
                yield path


def _is_text(path: str) -> bool:
    return path.endswith((".yml", ".yaml", ".star", ".txt", ".text"))
