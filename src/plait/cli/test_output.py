"""Prints a test run: dots, a line per test, or a bar on a terminal; then the failures and the counts."""

from __future__ import annotations

import sys

from plait.base.similar_names import counted
from plait.base.styles import harmless
from plait.cli.streams import write_folded, write_out
from plait.insight.workflow import without_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.testing.results import CaseResult
    from plait.base.equal_errors import Key

_DOTS = 72
_BAR = 30


class TerminalReporter:
    """Prints results to standard output as they arrive.

    total: number of tests. verbose: print one line each. quiet: print failures only. colour: on a terminal.
    in_workflow: print GitHub annotations.
    """

    def __init__(
        self, total: int, *, verbose: bool, quiet: bool = False, colour: bool, in_workflow: bool = False
    ) -> None:
        self._in_workflow = in_workflow
        self._total = total
        self._verbose = verbose
        self._quiet = quiet
        self._on_terminal = sys.stdout.isatty()
        self._colour = colour
        self._count = self._failed = 0

    def result(self, case_result: CaseResult) -> None:
        self._count += 1
        self._failed += not case_result.passed
        if self._verbose:
            word = self._paint("passed", "32") if case_result.passed else self._paint("FAILED", "31;1")
            write_out(f"{word}  {self._clean(case_result.id)}{self._time(case_result.seconds)}\n", is_harmless=True)
        elif self._quiet:
            pass
        elif self._on_terminal:
            done = _BAR * self._count // max(self._total, 1)
            failed = f", {self._paint(f'{self._failed} failed', '31')}" if self._failed else ""
            bar = f"[{'#' * done}{' ' * (_BAR - done)}] {self._count}/{self._total}{failed}"
            write_out(f"\r{bar}\x1b[K", is_harmless=True)
        else:
            end = "\n" if self._count % _DOTS == 0 else ""
            write_out(("." if case_result.passed else "F") + end)

    def _time(self, seconds: float) -> str:
        return f"  {seconds * 1000:.0f} ms" if self._on_terminal else ""

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def _clean(self, text: str) -> str:
        if self._in_workflow:
            text = without_commands(text)
        return harmless(text) if self._on_terminal else text

    def end(self, results: Sequence[CaseResult], notes: Sequence[str], seconds: float) -> None:
        """Prints the failures, the notes, and the counts. notes: the notes of the whole run."""
        if not self._verbose and not self._quiet:
            write_out("\r\x1b[K" if self._on_terminal else "\n" if self._count % _DOTS else "", is_harmless=True)
        told: dict[Key, str] = {}
        for one in results:
            if one.failures:
                self._failure(one, told)
        for note in [note for one in results for note in one.notes] + list(notes):
            write_folded(f"{self._clean(note)}\n", is_harmless=True)
        if self._quiet:
            return
        passed = len(results) - self._failed
        parts = [self._paint(f"{passed} passed", "32")] if passed or not self._failed else []
        parts += [self._paint(f"{self._failed} failed", "31;1")] if self._failed else []
        if len(results) < self._total:
            parts.append(f"{self._total - len(results)} not run")
        took = f" in {seconds:.2f} s" if self._on_terminal else ""
        write_out(f"{', '.join(parts)}{took}\n", is_harmless=True)

    def _failure(self, case_result: CaseResult, reported: dict[Key, str]) -> None:
        """Prints the failures of a test. reported: the errors already printed, with their tests."""
        head = f"{self._paint('FAILED', '31;1')} {self._clean(case_result.id)}  ({self._clean(case_result.file)}:{case_result.line})"
        lines = []
        for failure in case_result.failures:
            known = reported.setdefault(failure.same, case_result.id) if failure.same else case_result.id
            place = f"{failure.file}:{failure.line}"
            if known == case_result.id:
                first, *rest = failure.lines
                # On a terminal, as for errors.
                first += f" [{failure.code}]" if failure.code and self._on_terminal else ""
            else:
                first, rest = f"the same error as in {known}", []
            # The text of an error has its position.
            if failure.line and not failure.same and place != f"{case_result.file}:{case_result.line}":
                first = f"{first}  ({place})"
            lines += [each for line in (first, *rest) for each in self._clean(line).split("\n")]
        if case_result.printed:
            lines += ["printed:", *(f"  {self._clean(line)}" for line in case_result.printed)]
        body = "".join(f"  {line}".rstrip() + "\n" for line in lines)
        write_folded(f"{head}\n{body}\n", is_harmless=True)


def obsolete_note(paths: Sequence[str], *, removed: bool) -> list[str]:
    """Messages about snapshots that no test uses."""
    if not paths:
        return []
    if removed:
        return [f"removed {path}, which no test uses" for path in paths]
    return [f"{counted(len(paths), 'obsolete snapshot')}, which --update removes: {', '.join(paths)}"]
