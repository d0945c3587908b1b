"""Both sides of a review, in one private directory. To change the side, only the differing files are replaced.

All evaluations read the same paths, so that they share equal files. Inputs are found, listed and ordered by the same
code as in any other directory. Nothing is checked out, and no program of the repository is run: see
`plait.base.git_repository.Repository`.
"""

from __future__ import annotations

import os
import stat

from plait.authoring.project.file import of_source
from plait.authoring.project.trusting.needs import needs_of
from plait.base.content import regular_content
from plait.base.errors import PermissionDeniedError, render
from plait.base.input_view import InputView, permitted, use_view
from plait.base.limits import current_budget
from plait.base.message_text import brief
from plait.base.permissions import FILE_NAMES, PATHS, Need, Permissions, absolute, is_within
from plait.base.trust import permissions_of
from plait.base.writing.directory import opened, temporary
from plait.base.writing.real_paths import WriteRefused
from plait.engine.pipeline import file_source
from plait.insight.diagnostic_formats import messages_of
from plait.review.result import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.authoring.project.file import Project
    from plait.base.errors import PlaitError
    from plait.base.git_repository import Repository
    from plait.base.source import Flag
    from plait.base.writing.directory import Directory
    from plait.insight.diagnostic_formats import Message

FILE, PROGRAM, LINK = "file", "executable file", "link"


class Entry:
    """A file of one side. kind: FILE, PROGRAM or LINK. data: its content, or the target of a link."""

    __slots__ = ("data", "kind")

    def __init__(self, kind: str, data: bytes) -> None:
        self.kind = kind
        self.data = data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and (self.kind, self.data) == (other.kind, other.data)

    def __hash__(self) -> int:
        return hash((self.kind, self.data))


def entry_at(path: str) -> Entry | None:
    """The entry at a path; None if there is no file. Raises OSError, also for a file that exceeds the limit `input`."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return Entry(LINK, os.fsencode(os.readlink(path)))
    if not stat.S_ISREG(mode):
        return None
    return Entry(PROGRAM if mode & 0o100 else FILE, regular_content(path))


class Sides:
    """The files of BASE and HEAD, below a private directory.

    top: the directory. home: the directory of the project file in it. base, head: the differing files of each side, by
    path from the top with slashes; None for a file that a side lacks. granted: the permissions of both sides.
    requested: the accesses that only HEAD's project file asks for, which are not granted. project_from: the owner of
    the project file of both sides, if BASE has none.
    """

    def __init__(
        self, repository: Repository, project: str, directory: Directory, base: str, head: str, *, trust: bool
    ) -> None:
        """project: the project file in the working directory. head: a commit, or "" for the working directory."""
        self.repository = repository
        # The directory has the path of the repository below a private one, so that relative paths out of it end there.
        self._root = directory.real
        self.top = os.path.join(self._root, os.path.splitdrive(repository.top)[1].lstrip(os.sep))
        self._directory = directory.below(*os.path.relpath(self.top, self._root).split(os.sep), make=0o700)
        real = os.path.realpath(os.path.dirname(os.path.abspath(project)))
        self.home = os.path.normpath(os.path.join(self.top, os.path.relpath(real, repository.top)))
        self.file = os.path.join(self.home, os.path.basename(project))
        self.name = os.path.relpath(self.file, self.top).replace(os.sep, "/")
        self.base: dict[str, Entry | None] = {}
        self.head: dict[str, Entry | None] = {}
        self._shown: dict[str, Entry | None] = {}
        self._names: dict[str, str] = {}
        repository.lay_out(base, self.top)
        self._remove(".git-index")
        self._read(base, head)
        self._shown = dict(self.base)
        if not head:
            self._add_local_files()
        self.granted, self.requested = self._permissions(real, trust=trust)
        self.project_from = self._share_new_project(os.path.join(real, os.path.basename(project)))

    # ---- files

    def show(self, files: Mapping[str, Entry | None]) -> None:
        """Makes the directory contain these versions of the differing files. Raises WriteRefused, OSError."""
        other = {path: entry for path, entry in files.items() if self._shown.get(path) != entry}
        for path in other:
            if self._shown.get(path) is not None:
                self._remove(path)
        for path, entry in other.items():
            if entry is not None:
                self._add(path, entry)
            self._shown[path] = entry

    def narrow(self, names: Iterable[str]) -> None:
        """From now on, replaces only these of the differing files: no evaluation reads the others."""
        wanted = set(names)
        self.base = {name: entry for name, entry in self.base.items() if name in wanted}
        self.head = {name: entry for name, entry in self.head.items() if name in wanted}

    def is_link(self, name: str) -> bool:
        """True if a differing file is a link on one of the sides."""
        return any(entry is not None and entry.kind == LINK for entry in (self.base.get(name), self.head.get(name)))

    def changes_after(self, view: InputView) -> dict[str, Entry | None]:
        """HEAD's version of the differing files that may matter to a project. view: its reads on BASE's side. They
        are all files if it read one that differs, and otherwise links, which may be on the way to one that it names.
        """
        paths = {os.path.join(self.top, *name.split("/")): name for name in self.head}
        changed = Changed(paths)
        if self.name in self.head or changed.was_read(view):
            return self.head
        found = changed.at(path for path, name in paths.items() if self.is_link(name))
        return {paths[path]: self.head[paths[path]] for path in found}

    def path_of(self, shown: str) -> str:
        """The path from the top of a file in a message or a history, with slashes; "" for a file elsewhere."""
        known = self._names.get(shown)
        if known is None:
            path = os.path.normpath(os.path.join(self.home, shown))
            above = os.path.join(self.top, "")
            known = path[len(above) :].replace(os.sep, "/") if path.startswith(above) else ""
            self._names[shown] = known
        return known

    def text(self, text: str) -> str:
        """A text with paths of the private directory as paths of the repository."""
        return text.replace(os.path.join(self.top, ""), "").replace(self.top, ".").replace(self._root, "")

    def failure(self, side: str, error: PlaitError, *, caused: bool | None) -> Failure:
        """An error as a failure. side, caused: as in `Failure`."""
        at = error.at
        file = "" if at is None or at.source is None else self.path_of(at.source.shown)
        for one in (error, *error.findings):
            one.keyword = _as_setting
        if isinstance(error, PermissionDeniedError) and any(
            (error.access, error.name) == (need.access, absolute(need)) for need in self.requested
        ):
            error.hint = (
                "only HEAD's project file requests it, so a review does not grant it: check the request, and add it to "
                "BASE's project file first"
            )
        return Failure(
            side,
            self.text(brief(error)),
            render(error, rename=self.text),
            file,
            0 if at is None or at.source is None else max(at.line, 0),
            caused=caused,
            diagnostics=[self._moved(one) for one in messages_of(error)],
        )

    def _moved(self, found: Message) -> Message:
        """The message with paths from the top of the repository."""
        made = found.renamed(self.text)
        made.file = self.path_of(found.file) if found.file else ""
        for old, new in zip(found.also, made.also, strict=True):
            new.file = self.path_of(old.file) if old.file else ""
        return made

    def project(self) -> Project:
        """The project of the side that is shown. Raises PlaitError."""
        with permitted(self.granted):  # the file may be a link
            source = file_source(self.file)
        return of_source(source, self.home, self.granted)

    def has_project(self) -> bool:
        """True if the side that is shown has the project file."""
        return os.path.lexists(self.file)

    def _read(self, base: str, head: str) -> None:
        if head:
            names = self.repository.changed_between(base, head)
            with temporary("plait-review-") as place:
                self.repository.lay_out(head, place.real, names)
                for name in names:
                    self.head[name] = _entry(place.real, name)
        else:
            start = os.path.join(self.repository.top, "")
            names = {path[len(start) :].replace(os.sep, "/") for path in self.repository.changed(base)}
            for name in names:
                self.head[name] = _entry(self.repository.top, name)
        for name in names:
            self.base[name] = _entry(self.top, name)
        for name in [name for name in names if self.base[name] == self.head[name]]:
            del self.base[name], self.head[name]

    def _share_new_project(self, local: str) -> str:
        """Adds a project file to BASE if that has none, so that the output of older commits can be compared: HEAD's, or
        the one in the working directory, which is not committed yet. This grants it no permission. Returns its owner,
        or "". local: the path of the project file in the working directory.
        """
        entry, owner = self.head.get(self.name), "HEAD"
        if entry is None and not os.path.islink(local):
            entry, owner = entry_at(local), "the working directory"
        known = any(os.path.lexists(os.path.join(self.home, name)) for name in FILE_NAMES)
        if known or entry is None or entry.kind == LINK:
            return ""
        self._add(self.name, entry)
        for files in (self.base, self.head, self._shown):
            files.pop(self.name, None)
        return owner

    def _add_local_files(self) -> None:
        """Adds the files that git ignores to both sides: they belong to the user's environment."""
        for name in self.repository.local_files():
            if os.path.lexists(os.path.join(self.top, name)):
                continue
            entry = _entry(self.repository.top, name)
            if entry is not None and entry.kind != LINK:
                try:
                    self._add(name, entry)
                except (WriteRefused, OSError):
                    continue

    def _add(self, path: str, entry: Entry) -> None:
        *folders, last = path.split("/")
        with self._directory.below(*folders, make=0o700) as folder:
            if entry.kind == LINK:
                folder.link(last, os.fsdecode(entry.data))
            else:
                folder.create(last, [entry.data], new_mode=0o700 if entry.kind == PROGRAM else 0o600)

    def _remove(self, path: str) -> None:
        *folders, last = path.split("/")
        while True:
            with self._directory.below(*folders) as folder:
                if folder.status(last) is not None:
                    folder.remove_tree(last)
                is_empty = bool(folders) and not folder.names()
            if not is_empty:
                return
            last = folders.pop()

    # ---- permissions

    def _permissions(self, real: str, *, trust: bool) -> tuple[Permissions, list[Need]]:
        """The permissions of both sides: the accesses that BASE's project file requests and the user grants; and the
        requests of HEAD's project file that BASE's lacks.
        """
        own = Permissions(self.home, self.top, file=self.file)
        with use_view(InputView()) as view:
            asked = needs_of(self.file, own)
        changes = self.changes_after(view)
        self.show(changes)
        known = {need.key for need in asked}
        requested = [need for need in needs_of(self.file, own) if need.key not in known]
        self.show({name: self.base[name] for name in changes})
        user = permissions_of("", real)
        allowed = []
        for need in asked:
            wanted = Need(need.access, self._real(need.name)) if need.access in PATHS else need
            if not (trust or user.grants(wanted)):
                continue
            allowed.append(need)
            if wanted.name != need.name:
                self._copy(wanted.name)
        return own.granting(allowed), requested

    def _real(self, path: str) -> str:
        """The path outside of the repository that a path in the private directory represents."""
        inside = is_within(path, self._root) and not is_within(path, self.top)
        return os.path.join(os.sep, os.path.relpath(path, self._root)) if inside else path

    def _copy(self, path: str) -> None:
        """Copies the files of a path outside of the repository, which both sides read, into the private directory."""
        found = [path] if os.path.isfile(path) else []
        found += [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
        budget = current_budget()
        with opened(self._root, self._root) as root:
            for one in found:
                budget.visit(path)
                entry = entry_at(one)
                *folders, last = os.path.relpath(one, os.sep).split(os.sep)
                if entry is not None and entry.kind != LINK:
                    with root.below(*folders, make=0o700) as folder:
                        folder.create(last, [entry.data], new_mode=0o600)


def _entry(top: str, name: str) -> Entry | None:
    try:
        path = os.path.join(top, *name.split("/"))
        if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
            return None  # Git does not follow a link on the way, which may lead out of the repository
        return entry_at(path)
    except OSError:  # too large for an input, or unreadable: no run can read it
        return None


def roots_of(paths: Iterable[str], links: Iterable[str]) -> set[str]:
    """The directories and files that paths name, with the targets of links at or below them. All are absolute."""
    found = {os.path.normpath(path) for path in paths}
    found |= {os.path.realpath(path) for path in found}
    more = {os.path.realpath(link) for link in links if any(_is_at(link, root) for root in found)}
    return found | more


class Changed:
    """The changed files, absolute, for lookups by many runs."""

    __slots__ = ("_above", "_files")

    def __init__(self, files: Iterable[str]) -> None:
        self._files = set(files)
        self._above: set[str] = set()
        for path in self._files:
            while (path := os.path.dirname(path)) not in self._above:
                self._above.add(path)

    def at(self, roots: Iterable[str]) -> set[str]:
        """The changed files that are one of the roots, inside one, or in place of a directory above one."""
        known = set(roots)
        found = known & self._files
        if not known.isdisjoint(self._above):
            found |= {path for path in self._files if _is_below(path, known)}
        return found.union(*(_above(root, self._files) for root in known))

    def was_read(self, view: InputView) -> bool:
        """True if an evaluation read a changed file, or listed a directory above one."""
        files = {*view.files, *map(os.path.realpath, view.files)}
        folders = {*view.directories, *map(os.path.realpath, view.directories)}
        return not (files.isdisjoint(self._files) and folders.isdisjoint(self._above))


def _is_below(path: str, tops: set[str]) -> bool:
    while (parent := os.path.dirname(path)) != path:
        if parent in tops:
            return True
        path = parent
    return False


def _above(path: str, files: set[str]) -> Iterator[str]:
    """The files in place of a directory above a path."""
    while (parent := os.path.dirname(path)) != path:
        if parent in files:
            yield parent
        path = parent


def _is_at(path: str, root: str) -> bool:
    return path == root or path.startswith(os.path.join(root, ""))


def links_below(top: str) -> list[str]:
    """The links in a directory, absolute."""
    found: list[str] = []
    for directory, folders, files in os.walk(top):
        found += [path for name in (*folders, *files) if os.path.islink(path := os.path.join(directory, name))]
    return found


def _as_setting(flag: Flag) -> str:
    """A limit as a setting of a run, because a review has no flags of the runs; another option as a flag."""
    name, _, value = flag.value.partition("=")
    return f"limit: {{{name}: {value}}} in the run" if flag.name == "limit" else str(flag)
