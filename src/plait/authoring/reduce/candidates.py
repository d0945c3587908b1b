"""Candidates: the files and flags of a run, copied to a directory in which parts of them can be left out."""

from __future__ import annotations

import os
from hashlib import sha256

from plait.base.content import NO_LINKS, file_content, files_below
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import InputView
from plait.engine import dialect
from plait.engine.incremental import Engine
from plait.engine.options import CSV, EVALUATION, MAP, Use
from plait.engine.world import World, evaluate
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from plait.base.errors import Warning
    from plait.base.permissions import Permissions
    from plait.base.writing.directory import Directory
    from plait.engine.options import Request
    from plait.engine.results import Documents
    from plait.tree.provenance import Trace

# The file with the values that a project file sets.
_GIVEN = "values-of-the-run.yml"
_NAMED = {"render": "data-values-file", "patch": "vars-file"}


class Candidate:
    """Files by path, and the uses of options. Paths are relative to one directory, with slashes."""

    __slots__ = ("files", "key", "uses")

    def __init__(self, files: Mapping[str, bytes], uses: Sequence[Use]) -> None:
        self.files = dict(files)
        self.uses = tuple(uses)
        digest = sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
            digest.update(data)
        digest.update(repr([(use.option.attribute, use.value) for use in self.uses]).encode("utf-8", "surrogateescape"))
        self.key = digest.digest()

    @property
    def size(self) -> int:
        """The number of lines of all files, and of uses."""
        return sum(data.count(b"\n") + (not data.endswith(b"\n")) for data in self.files.values()) + len(self.uses)

    def with_files(self, files: Mapping[str, bytes]) -> Candidate:
        """The candidate with other files. Uses that name a missing file are dropped."""
        uses = [use for use in self.uses if not (path := path_of_use(use)) or exists(path, files)]
        return Candidate(files, uses)

    def with_uses(self, uses: Sequence[Use]) -> Candidate:
        """The candidate with other uses."""
        return Candidate(self.files, uses)


def path_of_use(use: Use) -> str:
    """The path in the value of a use; "" if there is none."""
    form = use.option.path
    if form is None or type(use.value) is not str or use.option.kind == CSV:
        return ""
    path = form.path(use.value)
    return "" if "://" in path else path


def exists(path: str, files: Collection[str]) -> bool:
    """True if a path of a use names one of the files, or a directory or pattern with one."""
    from fnmatch import fnmatch

    top = "" if path in (".", "") else f"{path}/"
    return path in files or any(name.startswith(top) or fnmatch(name, path) for name in files)


def moved(use: Use, path: str) -> Use:
    """The use with another path."""
    form = use.option.path
    assert form is not None
    before, old = form.split(use.value)
    pointer = old[len(form.path(use.value)) :]
    return Use(use.option, f"{before}{path}{pointer}", use.origin)


class Workspace:
    """A temporary directory with the files of one candidate after another.

    directory: empty. command: the command of the dialect. permissions: the permissions of the run's project, or None.
    """

    def __init__(self, directory: Directory, command: str, permissions: Permissions | None) -> None:
        self.directory = directory
        self._command = command
        self._permissions = None if permissions is None else permissions.moved(directory.real, directory.real)
        self._there: dict[str, bytes] = {}
        self._engine = Engine()

    def fill(self, candidate: Candidate) -> None:
        """Writes the files that differ from those of the last candidate, and removes the others."""
        for name in self._there.keys() - candidate.files.keys():
            *folders, last = name.split("/")
            with self.directory.below(*folders) as folder:
                folder.discard(last)
            self._there.pop(name)
        for name, data in candidate.files.items():
            if self._there.get(name) != data:
                *folders, last = name.split("/")
                with self.directory.below(*folders, make=0o700) as folder:
                    folder.write(last, [data], new_mode=0o600, sync=False)
                self._there[name] = data

    def request(self, candidate: Candidate) -> Request:
        """The request of a candidate, with the paths of this directory."""
        uses = [
            moved(use, os.path.join(self.directory.real, path)) if (path := path_of_use(use)) and path != "-" else use
            for use in candidate.uses
        ]
        return dialect(self._command).of(uses)

    def evaluate(
        self, candidate: Candidate, seconds: float, *, trace: Trace | None = None, warned: list[Warning] | None = None
    ) -> tuple[Documents, InputView]:
        """The result of a candidate, whose files are in the directory. Raises PlaitError."""
        view = InputView()
        world = World(
            view=view,
            permissions=self._permissions,
            limits={"seconds": seconds},
            engine=self._engine,
            warned=warned,
        )
        return evaluate(self.request(candidate), world, trace), view

    def name(self, path: str) -> str:
        """The name of a file in the directory, with slashes; "" for a path outside of it."""
        inside = os.path.relpath(os.path.realpath(path), self.directory.real).replace(os.sep, "/")
        return "" if inside.startswith("../") or os.path.isabs(inside) else inside


def first_candidate(request: Request, permissions: Permissions | None) -> Candidate:
    """The candidate with all inputs of a request. Raises UsageError for inputs that cannot be copied, and PlaitError."""
    kept = [use for use in request.uses if use.option.part == EVALUATION and use.option.has_effect]
    kept = [use for use in kept if not (use.option.kind == CSV and use.option.path is not None)]
    view = InputView()
    try:
        evaluate(dialect(request.command).of(kept), World(view=view, permissions=permissions, limits={}))
    except PlaitError:
        # The behaviour may be the failure. The read set is complete up to it.
        pass
    if view.streams:
        raise UsageError(
            "inputs from standard input and URLs cannot be reduced",
            found=", ".join(sorted(view.streams)[:3]),
            hint="store them in files",
            code="standard-input",
        )
    found = {path: data for path, data in view.files.items() if data is not None}
    for path in map(path_of_use, kept):
        if path and os.path.isdir(path):
            for place, _ in files_below(path, NO_LINKS):
                if os.path.abspath(place) not in found:
                    found[os.path.abspath(place)] = file_content(place, place)
    named = [os.path.abspath(path) for path in map(path_of_use, kept) if path]
    here = os.path.join(os.getcwd(), "")
    inside = all(path.startswith(here) for path in (*found, *(one for one in named if one != os.getcwd())))
    base = os.getcwd() if inside else os.path.commonpath([*map(os.path.dirname, found), *map(os.path.dirname, named)])
    files = {os.path.relpath(path, base).replace(os.sep, "/"): data for path, data in found.items()}
    return Candidate(*_without_maps(request.command, files, [*_relative(kept, base)]))


def _relative(uses: Sequence[Use], base: str) -> Iterator[Use]:
    for use in uses:
        path = path_of_use(use)
        yield moved(use, os.path.relpath(os.path.abspath(path), base).replace(os.sep, "/")) if path else use


def _without_maps(command: str, files: dict[str, bytes], uses: list[Use]) -> tuple[dict[str, bytes], list[Use]]:
    """The files and uses with a file in place of values that a project file sets, which no flag can set."""
    options = {one.name: one for one in dialect(command).options}
    out: list[Use] = []
    for use in uses:
        if use.option.kind != MAP:
            out.append(use)
        elif command in _NAMED:
            files[_GIVEN] = write_value(use.value).encode("utf-8", "surrogateescape")
            out.append(Use(options[_NAMED[command]], _GIVEN))
    return files, out
