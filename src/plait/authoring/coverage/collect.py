"""Counts the coverage of a project's runs, in one process or in several."""

from __future__ import annotations

import os
from typing import NamedTuple

from plait.authoring.coverage.data import Coverage
from plait.authoring.project.discovery import project_of
from plait.base.children.pool import in_several
from plait.base.code_cache import user_cache
from plait.base.equal_errors import key_of
from plait.base.errors import PlaitError, text_of
from plait.base.input_view import InputView
from plait.base.limits import Limits, RunBudget, budget_scope, current_budget
from plait.base.process import stop_timer, within_memory
from plait.base.trust import assenting, is_assenting
from plait.insight.diagnostic_formats import messages_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.base.code_cache import CodeCache
    from plait.base.equal_errors import Key
    from plait.insight.diagnostic_formats import Message


class Failed(NamedTuple):
    """A failed run. same: equal for equal errors. text: the whole message. messages: the error as data."""

    name: str
    same: Key
    text: str
    messages: Sequence[Message] = ()


def counted(project: Project, runs: Iterable[Run], coverage: Coverage) -> Iterator[Failed]:
    """Counts runs. Yields each failed one."""
    cache = _cache(project)
    for run in runs:
        yield from _counted(run, coverage, cache)
    if cache is not None:
        cache.save()


def counted_by_several(runs: Sequence[Run], coverage: Coverage, processes: int, named: str) -> Iterator[Failed]:
    """As `counted`, in several processes. named: the project file that the user named, or ""."""
    names = [run.name for run in runs]
    for name, found in zip(names, in_several(processes, _run_one, names, _begin, (named, is_assenting())), strict=True):
        if found is None:
            text = f'the process of the run "{name}" ended; it may have exceeded its memory or stack'
            yield Failed(name, (name,), text)
        else:
            messages, one = found
            coverage.merge(one)
            yield from messages


def _counted(run: Run, coverage: Coverage, cache: CodeCache | None) -> Iterator[Failed]:
    """Counts one run within its limits. Yields it if it fails."""
    keeper = current_budget().keeper
    with coverage.run(run.name), budget_scope(RunBudget(Limits(), keeper)):
        try:
            within_memory(lambda: run.evaluate(view=InputView(), cache=cache))
        except PlaitError as error:
            key = key_of(error)
            error.within(f'in the run "{run.name}"', run.at)
            yield Failed(run.name, key, text_of(error), messages_of(error))
        finally:
            if keeper is not None:
                stop_timer()


def _cache(project: Project) -> CodeCache | None:
    return user_cache(os.environ, [os.path.abspath(project.directory)])


# ---- worker process

_PROJECTS: list[Project] = []


def _begin(named: str, assents: bool) -> None:
    assenting(assents=assents).__enter__()

    _PROJECTS.append(project_of(named, os.curdir))


def _run_one(name: str) -> tuple[list[Failed], Coverage]:
    """Counts one run. Returns its failure, if any, and its coverage."""
    [project] = _PROJECTS
    coverage = Coverage()
    return [*counted(project, [project.run(name)], coverage)], coverage
