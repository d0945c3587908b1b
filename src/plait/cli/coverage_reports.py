"""Coverage reports of the command line: reads, writes and checks them."""

from __future__ import annotations

import os
from json import dumps, loads
from time import time

from plait.authoring.coverage.cobertura import to_cobertura
from plait.authoring.coverage.data import Coverage
from plait.authoring.coverage.html import to_html
from plait.authoring.coverage.lcov import to_lcov
from plait.authoring.coverage.text import to_text
from plait.base.content import file_content
from plait.base.errors import PlaitError, UsageError, warning
from plait.base.path_errors import read_failure
from plait.base.version import __version__
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import followed, write_file
from plait.cli.messages import complain_of, complain_of_warning
from plait.cli.streams import write_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.authoring.coverage.summary import Summary


class Reports:
    """The requested coverage reports.

    asked: FORMAT:PATH of each report in addition to the table. least: the required percentage, "" for none. directory:
    the base of paths, "" for the working directory. Raises UsageError before anything runs.
    """

    def __init__(self, asked: Sequence[str], least: str, directory: str) -> None:
        self.directory = os.path.abspath(directory or os.curdir)
        self.asked = [_split(text) for text in asked]
        self.least = _percent(least)

    def read(self, paths: Sequence[str]) -> Coverage:
        """The counts of earlier JSON reports, for files that have not changed since. Raises ReadError, UsageError."""
        coverage = Coverage()
        for path in paths:
            try:
                data = loads(file_content(path, path))
            except OSError as error:
                raise read_failure(path, error) from None
            except (ValueError, RecursionError):
                data = None
            coverage.merge(Coverage.from_json(data, path, self.directory))
        coverage.forget_changed()
        return coverage

    def make(self, coverage: Coverage, *, table: bool = True) -> int:
        """Prints the table and writes the reports. Returns 1 if the coverage is too low, else 0. Raises ReadError."""
        summary = coverage.summary(self.directory)
        for form, path in self.asked:
            _FORMS[form](path, coverage, summary, self.directory)
        if table:
            write_answer(to_text(summary))
        for name in summary.changed:
            message = f"{name} has changed since it was counted: its earlier counts are dropped"
            complain_of_warning(warning(message, code="dropped-counts"))
        used, lines, gone, branches = summary.counts
        total, done = lines + branches, used + gone
        if self.least and not total:
            told = f"no lines or branches are counted, so there are no {self.least:g} % of them"
            hint = "count runs with templates, operations or layering actions: plain documents have nothing to cover"
            complain_of(PlaitError(told, hint=hint, code="low-coverage"))
            return 1
        if self.least is None or summary.percent >= self.least:
            return 0
        wanted = next(count for count in range(done, total + 1) if 100 * count >= self.least * total)
        told = f"{done} of {total} lines and branches are covered, {wanted - done} less than {self.least:g} %"
        hint = "the column Missing names the lines and branches to cover"
        complain_of(PlaitError(told, hint=hint, code="low-coverage"))
        return 1


# For the endings of file names. The report in HTML is a directory.
_EXAMPLES = {".html": "html:coverage", ".xml": "cobertura:coverage.xml", ".json": "json:coverage.json"}


def _split(asked: str) -> tuple[str, str]:
    form, colon, path = asked.partition(":")
    if form not in _FORMS or not colon or not path:
        raise UsageError(
            f'"{asked}" is not a report',
            expected=", ".join(f"{form}:PATH" for form in _FORMS),
            hint=_EXAMPLES.get(os.path.splitext(asked)[1], "lcov:coverage.info"),
            code="unknown-choice",
        )
    return form, path


def _percent(text: str) -> float | None:
    if not text:
        return None
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:
        raise UsageError(f'--fail-under takes a percentage, not "{text}"', expected="0 to 100", code="invalid-value")
    if 0 < percent < 1 and text[-1] != "%":
        raise UsageError(
            f"--fail-under {text} is less than 1 percent",
            expected="0 to 100",
            hint=f"--fail-under {percent * 100:g}, or {text}% if that is the value",
            code="invalid-value",
        )
    return percent


# ---- formats


def _json(path: str, coverage: Coverage, _summary: Summary, directory: str) -> None:
    _write(path, dumps(coverage.to_json(directory)) + "\n")


def _lcov(path: str, _coverage: Coverage, summary: Summary, _directory: str) -> None:
    _write(path, to_lcov(summary))


def _cobertura(path: str, _coverage: Coverage, summary: Summary, directory: str) -> None:
    _write(path, to_cobertura(summary, directory=directory, version=__version__, timestamp=int(time() * 1000)))


def _html(path: str, _coverage: Coverage, summary: Summary, _directory: str) -> None:
    try:
        with followed(path, make=0o777) as directory:
            for name, text in to_html(summary):
                directory.write(name, [_bytes(text)], new_mode=0o666)
    except OSError as error:
        raise failure(f'to "{error.filename or path}"', error) from None


_FORMS: dict[str, Callable[[str, Coverage, Summary, str], None]] = {
    "html": _html,
    "lcov": _lcov,
    "cobertura": _cobertura,
    "json": _json,
}


def _write(path: str, text: str) -> None:
    try:
        write_file(path, [_bytes(text)], new_mode=0o666)
    except OSError as error:
        raise failure(f'to "{path}"', error) from None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
