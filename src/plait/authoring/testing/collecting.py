"""Collects tests in the given paths: files `*.test.yml` and `*_test.star`, and `tests:` of project files."""

from __future__ import annotations

import os
import re

from plait.authoring.project import file as project_files
from plait.authoring.project.file import check_found
from plait.authoring.project.run import relative_to_cwd
from plait.authoring.project.run_inference import guess
from plait.authoring.testing.cases import cases_of, cases_of_project
from plait.authoring.testing.functions import functions_of, misnamed_function
from plait.base.errors import PlaitError, UsageError
from plait.base.input_view import current_view, permitted
from plait.base.limits import current_budget
from plait.base.own_files import TEST_ENDINGS
from plait.base.path_errors import read_failure
from plait.base.permissions import FILE_NAMES, READ, Need
from plait.base.similar_names import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.testing.cases import Case
    from plait.authoring.testing.functions import FunctionCase

STARLARK_ENDING = "_test.star"
# Directories that do not contain a project's own files.
_SKIPPED = frozenset({"node_modules", "__pycache__"})


def is_test_file(name: str) -> bool:
    """True if the name is that of a test file."""
    return name.endswith((*TEST_ENDINGS, STARLARK_ENDING))


class Collected:
    """The tests of some files. files: the test files in order. whole: those with all cases selected. inferred: projects
    without a project file.
    """

    __slots__ = ("cases", "files", "inferred", "whole")

    def __init__(self) -> None:
        self.cases: list[Case | FunctionCase] = []
        self.files: list[str] = []
        self.inferred: list[Project] = []
        self.whole: set[str] = set()


class Collector:
    """Reads test files. Each project is read once."""

    def __init__(self, project: str = "") -> None:
        """project: the project file of all tests; "" for the nearest one of each test."""
        self._given = project
        self._typed: list[Need] = []
        self._projects: dict[str, Project] = {}

    def collect(self, arguments: Sequence[str]) -> Collected:
        """The tests for arguments: files, directories with all their tests, and ids. Raises PlaitError."""
        found = Collected()
        # Only projects named on the command line get permissions beyond their repository.
        names = [argument.partition("::")[0] for argument in arguments]
        self._typed = [Need(READ, name) for name in names if self._given or os.path.isfile(name)]
        for argument in arguments or (os.curdir,):
            path, colons, name = argument.partition("::")
            path = os.path.normpath(path)
            if colons:
                self._add_one(found, path, name)
            elif os.path.isdir(path):
                for file in files_below(path):
                    self._add(found, file, self.file(file))
            elif os.path.isfile(path):
                if not is_test_file(path) and os.path.basename(path) not in FILE_NAMES:
                    raise UsageError(
                        f'"{argument}" is not a test file',
                        expected="a name that ends in .test.yml or _test.star",
                        code="test-not-found",
                    )
                self._add(found, path, self.file(path))
            else:
                error = read_failure(
                    path, subject=f'"{argument}"', kind=UsageError, expected="a test file, or a directory with some"
                )
                file, colon, test = path.partition(":")
                if colon and os.path.isfile(file):
                    error.hint = f'did you mean "{file}::{test}"?'
                raise error
        found.inferred = [one for one in self._projects.values() if not one.path]
        return found

    def file(self, path: str) -> list[Case | FunctionCase]:
        """The tests of one file. Raises PlaitError for an unreadable file."""
        try:
            return [*self._read(path)]
        except PlaitError as error:
            error.exit_status = UsageError.exit_status
            raise

    def _read(self, path: str) -> Sequence[Case | FunctionCase]:
        is_project = os.path.basename(path) in FILE_NAMES
        project = self._read_project(path) if is_project else self._project(path)
        with permitted(project.permissions):
            if path.endswith(STARLARK_ENDING):
                return functions_of(path, project)

            return cases_of_project(project) if is_project else cases_of(path, project)

    def _add(self, found: Collected, path: str, cases: Sequence[Case | FunctionCase]) -> None:
        if path in found.files:
            known = {case.id for case in found.cases}
            cases = [case for case in cases if case.id not in known]
        else:
            found.files.append(path)
        found.cases += cases
        found.whole.add(path)

    def _add_one(self, found: Collected, path: str, name: str) -> None:
        """Adds the case with an id. A name without brackets selects all its parameter sets."""
        if not os.path.isfile(path):
            raise read_failure(path, subject=f'"{path}"', kind=UsageError)
        cases = self.file(path)
        names = [case.id.partition("::")[2] for case in cases]
        chosen = [case for case, one in zip(cases, names, strict=True) if one == name or one.startswith(f"{name}[")]
        if not chosen:
            raise UsageError(
                f'no test "{name}" in {path}',
                expected=_few(names),
                hint=did_you_mean(name, names),
                code="test-not-found",
            )
        if path not in found.files:
            found.files.append(path)
        known = {case.id for case in found.cases}
        found.cases += [case for case in chosen if case.id not in known]

    def _project(self, path: str) -> Project:
        if self._given:
            return self._read_project(self._given)
        found = project_files.find(path)
        if found is not None:
            return self._read_project(os.path.join(relative_to_cwd(os.path.dirname(found)), os.path.basename(found)))
        directory = os.path.dirname(os.path.abspath(path))
        if directory not in self._projects:
            self._projects[directory] = guess(directory)
            self._projects[directory].grant(self._typed)
        return self._projects[directory]

    def _read_project(self, path: str) -> Project:
        if path not in self._projects:
            if path != self._given:
                check_found(path)
            self._projects[path] = project_files.read(path)
            self._projects[path].grant(self._typed)
        return self._projects[path]


def files_below(top: str) -> Iterator[str]:
    """The test files and project files in a directory, ordered by path. Links are not followed."""
    view = current_view()
    visit = current_budget().visit
    for directory, folders, names in os.walk(top):
        for _ in names:
            visit(top)
        if view is not None:
            view.record_listing(directory)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(names):
            path = os.path.normpath(os.path.join(directory, name))
            if (is_test_file(name) or name in FILE_NAMES) and os.path.isfile(path):
                yield path


def nothing_found(found: Collected, arguments: Sequence[str]) -> str:
    """The hint for arguments without a test."""
    for path in found.files:
        if path.endswith(STARLARK_ENDING) and (hint := misnamed_function(path)) is not None:
            return hint
    return (
        misnamed(arguments)
        or "write tests in files named *.test.yml, such as tests: {a value: {run: NAME, equals: {PATH: VALUE}}}"
    )


_MOST_READ = 1 << 16
# A map: in the tests of Prometheus, `tests` is a list.
_TESTS = re.compile(rb"^tests:(?: *\{| *\n+ +[^-\s#])", re.MULTILINE)


def misnamed(arguments: Sequence[str]) -> str | None:
    """A sentence about the first YAML file in the directories that has tests, but not the name of a test file; or None."""
    tops = [one for one in arguments or (os.curdir,) if os.path.isdir(one)]
    path = next((path for top in tops for path in _misnamed(top)), None)
    return None if path is None else f"{path} has tests, but its name does not end in .test.yml"


def _misnamed(top: str) -> Iterator[str]:
    for directory, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(names):
            current_budget().visit(top)
            path = os.path.normpath(os.path.join(directory, name))
            if "test" not in path or not name.endswith((".yml", ".yaml")) or is_test_file(name) or name in FILE_NAMES:
                continue
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    if _TESTS.search(file.read(_MOST_READ)):
                        yield path


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown
