"""Finds the accesses beyond its repository in the runs, matrices, steps and tests of a project file.

`plait trust` shows them, and `--trust` grants them. Nothing outside the repository is read to find them.
"""

from __future__ import annotations

import os

from plait.authoring.project.settings import COMMANDS, settings_of
from plait.authoring.project.settings import needs_of as of_settings
from plait.base.errors import PlaitError
from plait.base.input_view import permitted
from plait.base.permissions import ENVIRONMENT, NETWORK, PROGRAMS, READ, Need, origin_of
from plait.base.permissions import PATHS as ACCESSES_OF_PATHS
from plait.engine.pipeline import KINDS, PATHS, file_source, runs_of, top_map
from plait.engine.secret_sources import Named
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.base.permissions import Permissions
    from plait.base.source import Position
    from plait.tree.nodes import MapItem, Value

# Maximum number of pipeline files, because they may include each other.
_MOST_FILES = 1000


def needs_of(path: str, permissions: Permissions) -> list[Need]:
    """The accesses that a project or pipeline file and its pipelines need and `permissions` do not include, without
    duplicates.

    Settings that cannot be read need nothing: their evaluation fails.
    """
    found: dict[tuple[str, str], Need] = {}
    with permitted(permissions):
        for need in _of_files(path, permissions):
            if not permissions.grants(need):
                found.setdefault(need.key, need)
    return sorted(found.values(), key=lambda need: need.key)


def _of_files(path: str, permissions: Permissions) -> Iterator[Need]:
    waiting, known = [path], {os.path.abspath(path)}
    while waiting and len(known) < _MOST_FILES:
        path = waiting.pop()
        try:
            top = top_map(file_source(path), "a project file")
        except PlaitError:
            continue
        for need, is_pipeline in _of_top(top, os.path.dirname(path)):
            yield _absolute(need)
            if is_pipeline and os.path.abspath(need.name) not in known and permissions.may_read(need.name):
                known.add(os.path.abspath(need.name))
                waiting.append(need.name)


def _absolute(need: Need) -> Need:
    # The real path, because a link in the repository may change later.
    return need if need.access not in ACCESSES_OF_PATHS else Need(need.access, os.path.realpath(need.name), need.at)


def _of_top(top: Map, directory: str) -> Iterator[tuple[Need, bool]]:
    """The accesses of a file. Each has True if it belongs to the file of another pipeline."""
    for item in top.items:
        if item.key in _IN_FILE:
            yield from _IN_FILE[item.key](item, directory)
    try:
        runs = runs_of(top)
    except PlaitError:
        return
    for item in () if runs is None else runs.items:
        for setting in item.value.items if type(item.value) is Map else ():
            yield from _IN_RUN.get(setting.key, _of_command)(setting, directory)


def _of_command(item: MapItem, directory: str) -> Iterator[tuple[Need, bool]]:
    if item.key not in COMMANDS or type(item.value) is not Map:
        return
    try:
        settings, _ = settings_of(str(item.key), [item.value])
        for setting in settings:
            for need in of_settings([setting], directory):
                yield _before_axes(need), item.key == "compose" and setting.option.is_argument
    except PlaitError:
        return


def _before_axes(need: Need) -> Need:
    """The common form of a need for all values of axes: for a path, the directory before the first name in braces; for
    a variable, all names that start with the text before it.
    """
    if "{" not in need.name:
        return need
    if need.access == ENVIRONMENT:
        return Need(need.access, f"{need.name.partition('{')[0]}*", need.at)
    if need.access not in ACCESSES_OF_PATHS:
        return need
    return Need(need.access, os.path.dirname(need.name.partition("{")[0]) or os.curdir, need.at)


def _of_tests(tests: MapItem, directory: str) -> Iterator[tuple[Need, bool]]:
    for case in tests.value.items if type(tests.value) is Map else ():
        if type(case.value) is not Map:
            continue
        for item in case.value.items:
            yield from _of_command(item, directory)
            file = item.value.find("file") if item.key == "same-as" and type(item.value) is Map else None
            if file is not None:
                yield from ((one, False) for one in _paths(file.value, directory, file.position))


def _of_schemas(schemas: MapItem, directory: str) -> Iterator[tuple[Need, bool]]:
    for one in schemas.value.items if type(schemas.value) is Array else ():
        entry = one.value.find("schema") if type(one.value) is Map else None
        for need in _paths(one.value if entry is None else entry.value, directory, schemas.position):
            yield need, False


def _of_matrix(matrix: MapItem, directory: str) -> Iterator[tuple[Need, bool]]:
    if type(matrix.value) is not Map:
        return
    listed = matrix.value.find("environments")
    if listed is not None and type(listed.value) is str:
        for need in _paths(listed.value, directory, listed.position):
            yield need, False
    axes = matrix.value.find("axes")
    for axis in axes.value.items if axes is not None and type(axes.value) is Map else ():
        for item in axis.value.items if type(axis.value) is Map else ():
            for need in _paths(item.value, directory, item.position):
                yield _before_wildcards(need), False


def _before_wildcards(need: Need) -> Need:
    at = next((at for at, char in enumerate(need.name) if char in "*?["), None)
    return need if at is None else Need(READ, os.path.dirname(need.name[:at]) or os.curdir, need.at)


def _of_steps(steps: MapItem, directory: str) -> Iterator[tuple[Need, bool]]:
    for step in steps.value.items if type(steps.value) is Array else ():
        for kind in step.value.items if type(step.value) is Map else ():
            if kind.key not in KINDS:
                continue
            settings: Value = kind.value
            if type(settings) is str:  # compose: FILE
                yield from ((one, kind.key == "compose") for one in _paths(settings, directory, kind.position))
            for item in settings.items if type(settings) is Map else ():
                if item.key in PATHS:
                    for need in _paths(item.value, directory, item.position):
                        yield need, kind.key == "compose"
                elif item.key == "repositories" and type(item.value) is Map:
                    for checkout in item.value.items:
                        yield from ((one, False) for one in _paths(checkout.value, directory, checkout.position))
                elif item.key == "secrets":
                    yield from ((one, False) for one in _of_secrets(item.value, directory, item.position))


# Readers for the entries of a file, and for those of a run, which may also be commands.
_IN_FILE: dict[object, Callable[[MapItem, str], Iterator[tuple[Need, bool]]]] = {
    "steps": _of_steps,
    "schemas": _of_schemas,
    "tests": _of_tests,
}
_IN_RUN: dict[object, Callable[[MapItem, str], Iterator[tuple[Need, bool]]]] = {
    "steps": _of_steps,
    "schemas": _of_schemas,
    "matrix": _of_matrix,
}


def _of_secrets(value: Value, directory: str, at: Position) -> Iterator[Need]:
    for text in _texts(value):
        try:
            source = Named(text)
        except PlaitError:
            continue
        if source.program:
            yield Need(PROGRAMS, source.program, at)
        if source.path:
            yield from _paths(source.path, directory, at)


def _paths(value: Value, directory: str, at: Position) -> Iterator[Need]:
    for text in _texts(value):
        if "://" in text:
            yield Need(NETWORK, origin_of(text), at)
        elif text:
            path = os.path.expanduser(text) if text.startswith("~") else os.path.join(directory, text)
            yield _before_axes(Need(READ, path, at))


def _texts(value: Value) -> Sequence[str]:
    if type(value) is str:
        return [value]
    return [one.value for one in value.items if type(one.value) is str] if type(value) is Array else []
