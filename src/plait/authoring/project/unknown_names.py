"""Errors about unknown runs, and hints for unknown keys of runs. Loaded only for an error."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from itertools import islice

from plait.authoring.project.inference.walk import SKIPPED_DIRECTORIES, walk
from plait.authoring.project.other_tools import other_tool
from plait.base.errors import PlaitError, UsageError
from plait.base.globbing import is_pattern, matches
from plait.base.input_view import may_read
from plait.base.path_errors import read_failure
from plait.base.similar_names import did_you_mean, listed, near
from plait.base.source import displayable_path
from plait.base.suggestions import replacing
from plait.engine.options import MAP
from plait.engine.setting_errors import COMMANDS
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.matrix import Matrix
    from plait.authoring.project.run import Run
    from plait.base.errors import ReadError
    from plait.engine.options import Option, Request
    from plait.tree.nodes import MapItem

# Names of `base` in other programs.
_BASES = frozenset({"extend", "extends", "from", "inherit", "inherits", "parent"})
# Names of a map of values elsewhere.
_OF_VALUES = frozenset({"data", "data-values", "values", "variables", "vars"})


def names_of(project: Project) -> Iterator[str]:
    """The names of runs and matrices, then those of environments. Raises the errors of reading the environments."""
    yield from project.runs
    yield from project.matrices
    for matrix in project.matrices.values():
        yield from (cell.name for cell in matrix.cells())


def none_found() -> str:
    """The hint for a project without a run."""
    advice = other_tool(os.curdir) or (
        "write one, such as runs: {web: {render: {files: [config]}}}; plait init lists what it found and rejected"
    )
    return f"there is no plait.yml here or above, and no run could be inferred: {advice}"


def missing_project(path: str) -> ReadError:
    """The error for a project file or directory that does not exist."""
    return read_failure(path, subject=f'"{displayable_path(path)}"')


def unknown_run(name: str, project: Project) -> UsageError:
    """The error for the name of a run that a project does not have. name: "" if none is given."""
    names = [*project.runs, *project.matrices]
    environments = [one for one in names_of(project) if one not in names] if name else []
    # The value of an axis is a part of the names of environments.
    parts = [one for one in environments if name in one.split("/")]
    is_environment = any(name.startswith(f"{one}/") for one in project.matrices) or bool(near(name, environments))
    is_directory = os.path.isdir(name) and not near(name, names)
    is_path = is_directory or os.sep in name or name.endswith((".yaml", ".yml"))
    thing = "directory" if os.path.isdir(name) else "file"
    if is_path and not is_environment and not os.path.lexists(name):
        return read_failure(name, subject=f'"{name}"', kind=UsageError)
    readers = _readers(name, project.runs.values()) if is_path else []
    if readers:
        more = f" and {len(readers) - _MOST_READERS} more" if len(readers) > _MOST_READERS else ""
        return UsageError(
            f'unknown run "{name}": it is a {thing}',
            expected=", ".join(names),
            hint=f"runs with this {thing}: {', '.join(readers[:_MOST_READERS])}{more}",
            code="run-not-found",
        )
    shown = [*project.runs, *environments] if is_environment or parts else names
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return UsageError(
        f'unknown run "{name}"' if name else "no run is selected",
        expected=", ".join(shown[:_MOST_NAMES]) + more or "a project file, plait.yml",
        hint=did_you_mean(name, [*names, *environments])
        or (replacing(name, parts, f"did you mean {listed(parts, quote=chr(34))}?") if len(parts) == 1 else None)
        or (None if names else none_found())
        or (
            f"it is a {thing}: render -f {name} takes the place of a run"
            if is_directory or os.path.lexists(name)
            else None
        ),
        code="run-not-found",
    )


def abstract_run(name: str, project: Project) -> UsageError:
    """The error for the name of an abstract run."""
    return UsageError(
        f'the run "{name}" is abstract and only serves as a base',
        at=project.abstract[name],
        expected=", ".join([*project.runs, *project.matrices]) or None,
        code="abstract-run",
    )


def run_of_a_matrix(matrix: Matrix) -> UsageError:
    """The error for the name of a matrix in place of a run."""
    cells = matrix.cells()
    return UsageError(
        f'the run "{matrix.name}" is a matrix of {len(cells)}',
        at=matrix.at,
        expected=", ".join(one.name for one in cells[:3]) + (", ..." if len(cells) > 3 else ""),
        hint="use plait fleet to render all of them",
        code="matrix",
    )


# Names that a message lists.
_MOST_NAMES = 24
# Runs that a hint names.
_MOST_READERS = 3


def _readers(path: str, runs: Iterable[Run]) -> list[str]:
    """The names of the runs that have this file, or a directory that contains it, as an input."""
    wanted = os.path.abspath(path)
    found = []
    for run in runs:
        given = [os.path.abspath(str(use.value)) for use in run.request().uses if use.option.path is not None]
        if any(wanted == one or wanted.startswith(one + os.sep) for one in given):
            found.append(run.name)
    return found


def out_of_order(asked: str, command: str, words: Sequence[str]) -> UsageError:
    """The error for a command line whose first word is what is asked, which belongs at the end."""
    return UsageError(
        f"the {asked} is the last argument",
        found=shlex.join(words),
        hint=shlex.join(["plait", command, *words[1:], words[0]]),
        code="unexpected-argument",
    )


def several_runs(error: PlaitError, *names: str) -> None:
    """Adds the command for several runs to an error about a word after the name of a run."""
    if error.code == "unexpected-argument":
        chosen = " ".join(f"--only {name}" for name in names)
        error.hint = f"plait run evaluates one run; plait fleet {chosen} evaluates several"


def no_runs(purpose: str = "check") -> UsageError:
    """The error for a command about all runs of a project that has none. purpose: the verb."""
    return UsageError(
        f"there is no run to {purpose}",
        expected="a project file, plait.yml",
        hint=none_found(),
        code="nothing-to-do",
    )


def run_key_hint(name: str, commands: Sequence[str]) -> str | None:
    """A hint for an unknown key of a run, or None. commands: those with a setting of this name."""
    if name in _BASES:
        return 'the key for the run that this one inherits from is "base"'
    if commands:
        return f"{name} is a setting of {' and '.join(commands)}: {commands[0]}: {{{name}: ...}}"
    return f'the command of such a run is "{COMMANDS[name]}"' if name in COMMANDS else None


def inputs_hint(item: MapItem, inputs: str) -> str | None:
    """A hint for a command with a path or a list of paths as its settings, or None. inputs: the setting for them."""
    value = item.value
    if type(value) is str and value.startswith("-"):
        words = value.split()
        files = words[1::2] if {*words[::2]} <= {"-f", "--file"} else []
        more = f"{inputs}: [{', '.join(files)}]" if files else f"{inputs}: [...], data-values-file: [...]"
        return f"a flag is a setting with its long name: {item.key}: {{{more}}}"
    if type(value) is str:
        return f"{item.key}: {{{inputs}: {value}}}"
    if type(value) is Array and all(type(one.value) is str for one in value.items):
        return f"{item.key}: {{{inputs}: [{', '.join(str(one.value) for one in value.items)}]}}"
    return None


def steps_hint(commands: Sequence[MapItem]) -> str:
    """A hint for a run with several commands."""
    if any(one.key == "steps" for one in commands):
        return "make the command one of the steps"
    return f"steps run one after the other: steps: [{', '.join(f'{{{one.key}: ...}}' for one in commands)}]"


def setting_hint(item: MapItem, options: Mapping[str, Option], command: str, others: Sequence[str]) -> str | None:
    """A hint for an unknown setting of a command, or None. others: the commands with this setting."""
    name = str(item.key)
    if name in _OF_VALUES and type(item.value) is not Map:
        files = next((one for one in ("data-values-file", "vars-file") if one in options), None)
        if files is not None:
            return f'the setting for files of values is "{files}"'
    found = _setting_of(name, options)
    if found is not None:
        return found
    if others:
        return f"{name} is a setting of {' and '.join(others)}; a run with steps can have {command} and {others[0]}"
    if (maps := [setting for setting, one in options.items() if one.kind == MAP]) and name in _OF_VALUES:
        return f'"{maps[0]}" is a map of values: {maps[0]}: {{name: value}}'
    flags = near(name, [one.name for one in options.values()])
    return did_you_mean(name, options) or (_setting_of(flags[0], options) if flags else None)


def _setting_of(flag: str, options: Mapping[str, Option]) -> str | None:
    """A hint for the name of a flag whose setting has another name, or None."""
    meant = next((one.setting for one in options.values() if one.name == flag), None)
    return None if meant is None else f'the setting of --{flag} is "{meant}"'


def relate_settings(error: PlaitError, request: Request) -> None:
    """Relates an error about the argument of a flag, and its findings, to the line of the project file with it."""
    for one in (error, *error.findings):
        source = one.at.source if one.at is not None else None
        if source is None or source.private or not source.flag:
            continue
        for use in request.uses:
            if (
                use.origin is not None
                and use.option.name == source.flag
                and use.value in (source.text, source.argument)
            ):
                one.also.insert(0, use.origin.labelled("the setting"))


def path_hint(text: str, setting: str, directory: str) -> str | None:
    """A hint for a missing path that names a variable of the environment, contains several paths, or was moved to another
    directory of the project; or None.
    """
    if "$" in text:
        return "environment variables are not filled in: a matrix creates a run for each value, {NAME} in its settings"
    slashed = text.replace("\\", "/")
    if slashed != text and _exists(directory, slashed):
        return replacing(text, [slashed], f'the parts of a path are separated by "/": {slashed}')
    if is_pattern(text):
        return _pattern_hint(text, setting, directory)
    paths = [one for one in re.split(r"[\s,]+", text) if one]
    if len(paths) > 1 and all(_exists(directory, one) for one in paths):
        return f"{len(paths)} paths are {len(paths)} items: {setting}: [{', '.join(paths)}]"
    folder = os.path.join(directory, os.path.dirname(text))
    if os.path.dirname(text.rstrip("/")):
        # The same file of another environment is not the one that was meant.
        is_empty = may_read(folder) and os.path.isdir(folder) and not os.listdir(folder)
        return f'"{os.path.dirname(text)}" is empty' if is_empty else None
    if not may_read(directory or os.curdir):
        return None
    name = os.path.basename(text.rstrip("/"))
    with suppress(PlaitError):
        places = [*islice(walk(directory or os.curdir), _MOST_DIRECTORIES)]
        found = [os.path.join(here, name) for here, folders, names in places if name in (*folders, *names)]
        shown = [os.path.relpath(one, directory or os.curdir).replace(os.sep, "/") for one in found]
        moved = [
            one for one in shown if not any(part[0] == "." or part in SKIPPED_DIRECTORIES for part in one.split("/"))
        ]
        if 0 < len(moved) <= _MOST_READERS:
            return replacing(text, moved, f"did you mean {listed(moved, quote=chr(34))}?")
    return None


def _pattern_hint(text: str, setting: str, directory: str) -> str:
    """A hint for a pattern as a path: the files that it matches, or the directory that has them."""
    with suppress(PlaitError):
        found = matches(text, directory)
        if 0 < len(found) <= _MOST_READERS:
            return f"patterns are not expanded here: {setting}: [{', '.join(found)}]"
    folder = os.path.dirname(text)
    if setting == "files" and not is_pattern(folder) and _exists(directory, folder):
        return f"patterns are not expanded here: {setting}: [{folder or '.'}/] reads all files of the directory"
    return f"patterns are not expanded here: write the path of each file in {setting}"


# Directories in which a file is searched that was moved.
_MOST_DIRECTORIES = 1000


def _exists(directory: str, path: str) -> bool:
    joined = os.path.join(directory, path)
    return may_read(joined) and os.path.exists(joined)


def axis_name_hint(name: str, names: str) -> str | None:
    """A hint for a table whose columns are not separated by commas, or None. names: its first line."""
    sign = next((one for one in ";\t|" if one in name), "")
    return f"the columns are separated by commas: {names.replace(sign, ',')}" if sign else None


def axis_hint(name: str, axes: Iterable[str]) -> str:
    """A hint for a name in braces that is not an axis."""
    names = [*axes]
    shown = " or ".join(f"{{{one}}}" for one in names)
    return did_you_mean(name, names) or f"{shown} is a placeholder; double literal braces: {{{{{name}}}}}"
