"""The commits in which a value of a run's output changed, and the commits behind the lines of an output.

Commits are evaluated in one private directory. From one to the next, only the differing files are replaced. Nothing is
checked out, and no program of the repository is run: see `plait.base.git_repository.Repository`.
"""

from __future__ import annotations

import os

from plait.authoring.origin.output_positions import PrintedText
from plait.authoring.project.file import of_source
from plait.base.errors import PlaitError, UsageError, heading
from plait.base.git_repository import Repository
from plait.base.input_view import InputView, permitted
from plait.base.source import Source
from plait.base.writing.directory import temporary
from plait.engine.incremental import Engine
from plait.engine.pipeline import file_source
from plait.engine.results import text_like
from plait.insight.explain import Explainer
from plait.insight.history_text import shown
from plait.insight.node_paths import parse
from plait.insight.path_resolution import find
from plait.insight.redaction import masked
from plait.insight.value_source import value_source
from plait.tree.nodes import Document, DocumentSet, is_filled
from plait.tree.secrets import HIDDEN, uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.base.git_repository import Commit
    from plait.base.writing.directory import Directory
    from plait.insight.explain import History
    from plait.insight.node_paths import NodePath

# The states of a value at a commit without a value.
MISSING, FAILS = "not there", "the run fails"


class CommitValue:
    """The value of a PATH at a commit.

    text: the value as text; its state without one. state: MISSING, FAILS, or "" for a value. error: says why there is no
    value. place: FILE:LINE of its source, or "". lines: the lines that contribute to it, by path from the top. view: the read set of the evaluation.
    """

    __slots__ = ("error", "lines", "place", "state", "text", "view")

    def __init__(
        self,
        text: str,
        view: InputView,
        *,
        place: str = "",
        lines: Iterable[tuple[str, int]] = (),
        state: str = "",
        error: PlaitError | None = None,
    ) -> None:
        self.text = text or state
        self.error = error
        self.state = state
        self.view = view
        self.place = place
        self.lines: dict[str, set[int]] = {}
        for file, line in lines:
            self.lines.setdefault(file, set()).add(line)

    @property
    def has_value(self) -> bool:
        return not self.state

    def same(self, other: CommitValue) -> bool:
        """True if both values are the same, or missing for the same reason."""
        return (self.text, self.state) == (other.text, other.state)


class LogEntry:
    """A commit that changed the value. before: None for the first commit."""

    __slots__ = ("after", "before", "commit")

    def __init__(self, commit: Commit, before: CommitValue | None, after: CommitValue) -> None:
        self.commit = commit
        self.before = before
        self.after = after


class ValueLog:
    """Follows a value through the history. evaluations: the number so far.

    project: with a file in the repository. run: the name of its run. exact: evaluate every commit that changes an input
    of the run; by default only those that change a file with a line that contributes to the value, and the end of each
    stretch between them.
    """

    def __init__(
        self, project: Project, run: str, path: str, directory: Directory, *, exact: bool = False, first_parent: bool = False,
        since: str = "",
    ) -> None:  # fmt: skip
        self.evaluations = 0
        self._project = project
        self._run = run
        self._path = parse(path)
        self._exact = exact
        self._first_parent = first_parent
        home = os.path.realpath(project.directory or os.curdir)
        self._repository = Repository(home)
        if since:
            self._repository.check_date(since)
        self._since = since
        self._home = os.path.relpath(home, self._repository.top)
        self._file = os.path.basename(project.path)
        self._commits = {one.name: one for one in self._repository.commits("HEAD", since, first_parent=first_parent)}
        self._directory = directory
        self._there = ""
        self._values: dict[str, CommitValue] = {}
        self._changed: dict[tuple[str, str], frozenset[str]] = {}
        self._engine = Engine()

    def failure(self) -> str:
        """The error of the run at HEAD, or "". Its paths are relative to the top of the repository."""
        error = self._error(FAILS)
        return "" if error is None else heading(error).replace(os.path.join(self._directory.real, ""), "")

    def nothing(self) -> UsageError:
        """The error if no commit has a value."""
        if self._commits:
            reason = self._error(MISSING)
            error = UsageError(
                "no commit has a value at this path" + (f"; at HEAD: {heading(reason)}" if reason is not None else ""),
                found=None if reason is None else reason.found,
                hint=None if reason is None else reason.hint,
                code="no-such-place",
            )
        else:
            newest = self._repository.commits("HEAD", first_parent=self._first_parent)[0]
            error = UsageError(
                f"there is no commit since {self._since}",
                found=f"the newest commit is of {newest.date}",
                hint=f"--since={newest.date} includes it" if self._repository.commits("HEAD", newest.date) else None,
                code="nothing-to-do",
            )
        error.exit_status = PlaitError.exit_status
        return error

    def _error(self, state: str) -> PlaitError | None:
        """Says why there is no value at HEAD, if that is its state; or None."""
        head = next(iter(self._commits), None)
        value = None if head is None else self._value(head)
        return value.error if value is not None and value.state == state else None

    def entries(self) -> Iterator[LogEntry]:
        """The commits that changed the value, newest first on each line of history."""
        pending = [next(iter(self._commits))] if self._commits else []
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            name, found = self._stretch(name)
            if found is not None:
                yield found
            seen.add(name)
            commit, value = self._commits[name], self._value(name)
            parents = [one for one in self._parents(commit) if one in self._commits]
            if not self._parents(commit):
                if value.has_value:
                    yield LogEntry(commit, None, value)
                continue
            same = next((one for one in parents if self._value(one).same(value)), None)
            if same is not None:
                pending.append(same)
                continue
            if parents:
                yield LogEntry(commit, self._value(parents[0]), value)
            pending += reversed(parents)

    def _parents(self, commit: Commit) -> Sequence[str]:
        return commit.parents[:1] if self._first_parent else commit.parents

    def _stretch(self, name: str) -> tuple[str, LogEntry | None]:
        """The next commit to compare with its parents, and a log entry or None. Skips commits that change no
        contributing file; the entry is for a value that differs nevertheless.
        """
        value = self._value(name)
        chain = [name]
        lines = value.lines
        while not self._exact and value.has_value:
            commit = self._commits[chain[-1]]
            parents = self._parents(commit)
            if len(parents) != 1 or parents[0] not in self._commits:
                break
            before = self._mapped(lines, parents[0], commit.name)
            if before is None:
                break
            lines = before
            chain.append(parents[0])
        if self._value(chain[-1]).same(value):
            return chain[-1], None
        low, high = 0, len(chain) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._value(chain[middle]).same(value):
                low = middle
            else:
                high = middle
        return chain[high], LogEntry(self._commits[chain[low]], self._value(chain[high]), self._value(chain[low]))

    def _mapped(self, lines: Mapping[str, set[int]], before: str, after: str) -> dict[str, set[int]] | None:
        """The lines of a commit as lines of its parent; None if the commit changes one of them, or the project file."""
        changed = self._names(before, after)
        if os.path.normpath(os.path.join(self._home, self._file)).replace(os.sep, "/") in changed:
            return None
        found = dict(lines)
        for file in changed & lines.keys():
            hunks = self._repository.hunks(before, after, file)
            if not hunks:  # binary, or only the mode
                return None
            found[file] = set()
            for line in lines[file]:
                if line <= 0 or any(start <= line < start + count for _, _, start, count in hunks):
                    return None
                above = [(old, new) for _, old, start, new in hunks if (start + new <= line if new else start < line)]
                found[file].add(line + sum(old - new for old, new in above))
        return found

    # ---- evaluating

    def _names(self, before: str, after: str) -> frozenset[str]:
        key = (before, after)
        if key not in self._changed:
            self._changed[key] = frozenset(self._repository.changed_between(before, after))
        return self._changed[key]

    def _value(self, name: str) -> CommitValue:
        found = self._values.get(name)
        if found is None:
            found = self._unchanged(name)
            if found is None:
                found = self._evaluated(name)
            self._values[name] = found
        return found

    def _unchanged(self, name: str) -> CommitValue | None:
        """The value at a neighbouring commit that differs in no input of the run, or None."""
        if not self._there:
            return None
        known = self._values[self._there]
        changed = self._names(name, self._there)
        top = self._directory.real
        read = {os.path.relpath(path, top).replace(os.sep, "/") for path in known.view.files}
        folders = {os.path.relpath(path, top).replace(os.sep, "/") for path in known.view.directories}
        project = os.path.normpath(os.path.join(self._home, self._file)).replace(os.sep, "/")
        if changed & read or project in changed or known.state == FAILS:
            return None
        above = {os.path.dirname(path) or "." for path in changed}
        return None if "." in folders or any(_is_below(one, folders) for one in above) else known

    def _evaluated(self, name: str) -> CommitValue:
        self._move(name)
        self.evaluations += 1
        top = self._directory.real
        there = os.path.normpath(os.path.join(top, self._home))
        own = self._project.permissions
        permissions = None if own is None else own.moved(top, there)
        view = InputView()
        try:
            path = os.path.join(there, self._file)
            if os.path.lexists(path):
                with permitted(permissions):  # the file may be a link in the revision
                    source = file_source(path)
            else:
                source = Source(path, file_source(self._project.path).text)
            run = of_source(source, there, permissions).run(self._run)
            made = run.evaluate(view=view, limits={}, engine=self._engine, trace=True)
        except PlaitError as error:
            is_missing = error.code == "run-not-found"
            return CommitValue("", view, state=MISSING if is_missing else FAILS, error=error)
        trace = made.trace
        assert trace is not None
        explainer = Explainer(trace)
        try:
            found = find(self._path, explainer.visible(made.nodes.items), explainer.names)
        except UsageError as error:
            return CommitValue("", view, state=MISSING, error=error)
        text, place, lines = "", "", set[tuple[str, int]]()
        for one in found:
            history = explainer.history(one)
            is_secret = history.secret or (uses_secrets(view) and trace.marks is None)
            text += ("; " if text else "") + (HIDDEN if is_secret else shown(history.value))
            lines |= {(self._path_of(file), line) for file, line in explainer.lines(history, structure=True)}
            if not place:
                file, line = _line_of(history)
                place = f"{self._path_of(file)}:{line}" if file else ""
        return CommitValue(text, view, place=place, lines=lines)

    def _path_of(self, shown_path: str) -> str:
        """The path from the top of the repository, with slashes."""
        path = os.path.relpath(os.path.join(os.getcwd(), shown_path), self._directory.real)
        return path.replace(os.sep, "/")

    def _move(self, name: str) -> None:
        """Makes the directory contain the files of a commit."""
        if self._there:
            names = self._names(name, self._there)
            for one in names:
                *folders, last = one.split("/")
                if os.path.lexists(os.path.join(self._directory.real, *folders, last)):
                    with self._directory.below(*folders) as folder:
                        folder.discard(last)
            self._repository.lay_out(name, self._directory.real, names)
        else:
            self._repository.lay_out(name, self._directory.real)
        self._directory.discard(".git-index")
        self._there = name


def _is_below(path: str, folders: set[str]) -> bool:
    """True if a directory is one of the folders, or inside one."""
    while path:
        if path in folders:
            return True
        path = os.path.dirname(path)
    return False


def _line_of(history: History) -> tuple[str, int]:
    """The file and line that sets a value; ("", 0) if no file does."""
    entry = value_source(history)
    return ("", 0) if entry is None or entry.source is None else (entry.source.shown, entry.line)


# ---- blame


class BlamedLine:
    """A line of the output. place: FILE:LINE of its source, or "". commit: that last touched that line, or None."""

    __slots__ = ("commit", "path", "place", "text")

    def __init__(self, text: str, path: NodePath | None, place: str, commit: Commit | None) -> None:
        self.text = text
        self.path = path
        self.place = place
        self.commit = commit


def blamed_lines(project: Project, run_name: str, path: str | None, *, verify: bool = False) -> list[BlamedLine]:
    """The lines of the output of a run, or of the values at a PATH, each with the commit that last touched its source.

    verify: name the commit that set the value instead, where the value is in the output of HEAD. Raises PlaitError.
    """
    home = os.path.realpath(project.directory or os.curdir)
    repository = Repository(home)
    view = InputView()
    made = project.run(run_name).evaluate(view=view, limits={}, trace=True)
    trace = made.trace
    assert trace is not None
    explainer = Explainer(trace)
    wanted: Sequence[NodePath] | None = None
    if path is not None:
        wanted = find(parse(path), explainer.visible(made.nodes.items), explainer.names)
    if trace.marks is not None and trace.marks.decides_places:
        raise UsageError("a secret decides which lines the output has", code="edit-secret")
    documents = explainer.visible(made.nodes.items)
    redacted = masked(made.nodes.items, trace, view=view)
    output = text_like(made, DocumentSet([*redacted]))
    positions = PrintedText(output, [*enumerate(documents)], explainer.names, redacted)
    lines: list[tuple[str, NodePath | None, str, int]] = []
    for number, text in enumerate(output.split("\n")[:-1], 1):
        place = positions.at(number, 0)
        if wanted is not None and (place is None or not any(_contains(one, place) for one in wanted)):
            continue
        file, line = "", 0
        if place is not None:
            if not place.way:
                file, line = place.document.source.shown if place.document.source else "", place.document.line
            else:
                file, line = _line_of(explainer.history(place))
        lines.append((text, place, file, line))
    found = _commits_of(repository, {(file, line) for _, _, file, line in lines if file})
    out = [
        BlamedLine(text, place, f"{file}:{line}" if file else "", found.get((file, line)))
        for text, place, file, line in lines
    ]
    if verify:
        with temporary("plait-blame-") as directory:
            _verify(out, project, run_name, directory)
    return out


def _verify(lines: Sequence[BlamedLine], project: Project, run_name: str, directory: Directory) -> None:
    """Replaces the commits of scalars by those that set the values."""
    known: dict[str, Commit | None] = {}
    for line in lines:
        place = line.path
        if place is None or line.commit is None or is_filled(place.value):
            continue
        path = str(place)
        if path not in known:
            with directory.below(f"value-{len(known)}", make=0o700) as own:
                log = ValueLog(project, run_name, path, own)
                entry = next(log.entries(), None)
            known[path] = None if entry is None or entry.after.text != shown(place.value) else entry.commit
        line.commit = known[path] or line.commit


def _contains(outer: NodePath, inner: NodePath) -> bool:
    own: tuple[Document | object, ...] = outer.way
    return outer.number == inner.number and inner.way[: len(own)] == own


def _commits_of(repository: Repository, places: set[tuple[str, int]]) -> Mapping[tuple[str, int], Commit]:
    by_file: dict[str, list[int]] = {}
    for file, line in sorted(places):
        by_file.setdefault(file, []).append(line)
    found: dict[tuple[str, int], Commit] = {}
    for file, numbers in by_file.items():
        path = os.path.relpath(os.path.realpath(file), repository.top)
        if not path.startswith(os.pardir):
            found |= {(file, line): one for line, one in repository.blame(path, numbers).items()}
    return found
