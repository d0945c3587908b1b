"""A plugin for pytest that collects `*.test.yml`, `*_test.star` and `tests:` of project files in addition to Python
tests.

`pytest --plait-update` rewrites snapshots; `-p no:plait` disables the plugin. If there are no such files, plait is not
imported. A YAML file counts as a test file only if it has a root key `tests:`, because other tools use such names, too.
"""

from __future__ import annotations

import os

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plait.authoring.testing.cases import Case
    from plait.authoring.testing.evaluating import Evaluator
    from plait.authoring.testing.functions import FunctionCase

_PROJECTS = ("plait.yml", "plait.yaml")
_YAML = (".test.yml", ".test.yaml")
_STARLARK = "_test.star"


# The evaluator of a session, which caches compiled code.
_KEPT: pytest.StashKey[Evaluator] = pytest.StashKey()


class ExpectationFailed(Exception):
    """A failed expectation of a case, with the text of `plait test`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that rewrites snapshots."""
    group = parser.getgroup("plait")
    group.addoption("--plait-update", action="store_true", help="rewrite changed snapshots of plait's tests")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a file if it contains tests."""
    name = file_path.name
    if name.endswith(_STARLARK) or ((name.endswith(_YAML) or name in _PROJECTS) and _has_tests(file_path)):
        return TestFile.from_parent(parent, path=file_path)
    return None


def _has_tests(path: Path) -> bool:
    from plait.base.content import regular_content

    try:
        return any(line.startswith(b"tests:") for line in regular_content(str(path)).split(b"\n"))
    except OSError:
        return False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    """Removes the frames inside plait from the traceback of an error of plait, as for an uncaught one."""
    error = None if call.excinfo is None else call.excinfo.value
    if error is not None and "is_without_frames" in error.__dict__:
        from plait.base.uncaught_errors import without_frames

        trace = without_frames(error.__traceback__)
        if trace is not None:
            call.excinfo = pytest.ExceptionInfo.from_exc_info((type(error), error, trace))


class TestFile(pytest.File):
    """A file of tests."""

    __test__ = False

    def collect(self) -> Iterator[pytest.Item]:
        """The cases of the file. A mistake in the file is a collection error, with the message of `plait test`."""
        from plait.authoring.testing.collecting import Collector
        from plait.base.errors import PlaitError

        try:
            cases = Collector().file(os.path.relpath(self.path))
        except PlaitError as error:
            raise self.CollectError(error.report()) from None
        for case in cases:
            yield TestCase.from_parent(self, name=case.id.partition("::")[2], case=case)


class TestCase(pytest.Item):
    """One case."""

    __test__ = False

    def __init__(self, *, case: Case | FunctionCase, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type] # what pytest gives its own
        self._case = case

    def runtest(self) -> None:
        """Runs the case. Raises ExpectationFailed."""
        from plait.authoring.testing import evaluating, running

        stash = self.config.stash
        evaluator = stash.get(_KEPT, None) or evaluating.Evaluator()
        stash[_KEPT] = evaluator
        found = running.run_case(self._case, evaluator, update=self.config.getoption("--plait-update"))
        for line in (*found.printed, *found.notes):
            self.add_report_section("call", "plait", f"{line}\n")
        if found.failures:
            raise ExpectationFailed("\n".join(one.text for one in found.failures))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> str:  # type: ignore[override]
        """The failure, without a Python traceback."""
        if isinstance(excinfo.value, ExpectationFailed):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """The position of the case."""
        return self.path, max(self._case.line - 1, 0), self.name
