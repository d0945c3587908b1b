"""Remembers failed tests, and selects tests by name or by last failure."""

from __future__ import annotations

import os

from plait.authoring.testing.selecting import selector
from plait.base.code_cache import user_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.testing.cases import Case
    from plait.authoring.testing.collecting import Collected
    from plait.authoring.testing.functions import FunctionCase
    from plait.authoring.testing.results import CaseResult
    from plait.base.code_cache import CodeCache


def selected(collected: Collected, keyword: str, *, failed: bool) -> list[Case | FunctionCase]:
    """The cases selected by an expression. failed: only tests that failed in the last run, if any did.

    Raises UsageError.
    """
    cases = collected.cases
    if keyword:
        test = selector(keyword)
        cases = [case for case in cases if test(case.id)]
    if failed:
        before = _last_failed()
        again = [case for case in cases if case.id in before]
        cases = again or cases
    return cases


def _memory() -> tuple[CodeCache, str] | None:
    """The cache for the ids of failed tests and the key for this directory, or None."""
    cache = user_cache(os.environ)
    return None if cache is None else (cache, cache.key("failed tests", os.path.realpath(os.curdir)))


def _last_failed() -> set[str]:
    memory = _memory()
    found = None if memory is None else memory[0].get(memory[1])
    return set(found) if isinstance(found, list) else set()


def remember(done: Sequence[CaseResult]) -> None:
    """Records the failed tests. Records of tests that did not run are kept."""
    memory = _memory()
    if memory is None:
        return
    before = _last_failed()
    failed = {one.id for one in done if not one.passed}
    now = sorted((before - {one.id for one in done}) | failed)
    if now != sorted(before):
        memory[0].put(memory[1], now)
        memory[0].save()
