"""Code that calls plait, as a type checker sees it: what is right passes, what would fail when it runs does not."""

from __future__ import annotations

import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import plait
from generated import AWAITED
from plait.base.limits import TABLE

TYPING = pathlib.Path(__file__).parents[1] / "typing"
ROOT = TYPING.parent.parent


# The type checkers, each with its command line and the form of an error: the file, and the line. Pyright brings Node.js,
# so only `nox -s pyright` installs it.
CHECKERS = {
    "mypy": (["--no-error-summary"], r"^(.+?):(\d+): error"),
    "basedpyright": (["--level", "error", "--pythonpath", sys.executable], r"^\s*(.+?):(\d+):\d+ - error"),
}


@pytest.fixture(scope="module", params=CHECKERS)
def refused(request: pytest.FixtureRequest) -> set[tuple[str, int]]:
    """File and line of all that a type checker refuses in tests/typing."""
    pytest.importorskip(request.param)
    options, error = CHECKERS[request.param]
    argv = [sys.executable, "-m", request.param, *options, *map(str, sorted(TYPING.glob("*.py")))]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return {(pathlib.Path(name).name, int(line)) for name, line in re.findall(error, done.stdout, re.MULTILINE)}


def test_what_is_right_passes(refused: set[tuple[str, int]]) -> None:
    assert [place for place in sorted(refused) if place[0] == "api.py"] == []


def test_what_would_fail_is_refused(refused: set[tuple[str, int]]) -> None:
    lines = (TYPING / "refused.py").read_text("utf-8").splitlines()
    marked = {("refused.py", number) for number, line in enumerate(lines, 1) if line.endswith("# refused")}
    assert len(marked) > 30
    assert {place for place in refused if place[0] == "refused.py"} == marked


def test_limits_are_those_of_the_table() -> None:
    assert set(plait.Limits.__annotations__) == set(TABLE)


@pytest.mark.parametrize("name", AWAITED)
def test_what_is_awaited_has_the_same_signature(name: str) -> None:
    assert inspect.signature(getattr(plait, f"a{name}")) == inspect.signature(getattr(plait, name))
    assert inspect.iscoroutinefunction(getattr(plait, f"a{name}"))
