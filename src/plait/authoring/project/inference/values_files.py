"""Finds the files of data values and variables that belong to inferred runs: by their keys, verified by evaluation."""

from __future__ import annotations

import os
import re

from plait.authoring.project.run import Run, relative_to_cwd
from plait.authoring.project.settings import Setting, options_of
from plait.base.content import open_regular
from plait.base.errors import PlaitError
from plait.base.input_view import InputView
from plait.base.trust import permissions_of
from plait.tree.nodes import Array, ArrayItem, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.tree.nodes import Value

# Maximum number of runs for files of one kind, and of bytes of a file that are read to find its keys.
_MOST, _MOST_BYTES = 12, 1 << 16
_FILES = "files"
_KEY = re.compile(rb"(?m)^['\"]?([A-Za-z_][\w./-]*)['\"]?:(?=\s)")
_PLACEHOLDER = re.compile(rb"\(\(!?([-/\w]++)[-/\w.]*+\)\)")
# Names of files that say nothing about the environment; the name of the directory does.
_GENERAL = frozenset({"values", "data-values", "vars", "variables", "config", "settings", "defaults"})


class PlainFile:
    """A YAML file without annotations. keys: at its top. placeholders: the variables that it names."""

    __slots__ = ("keys", "path", "placeholders")

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.keys = {key.decode() for key in _KEY.findall(text)}
        self.placeholders = {name.decode() for name in _PLACEHOLDER.findall(text)}


def plain_files(paths: Iterable[str]) -> list[PlainFile]:
    """The files that can be read, without links."""
    found = []
    for path in paths:
        if os.path.islink(path):
            continue
        try:
            with open_regular(path) as file:
                found.append(PlainFile(path, file.read(_MOST_BYTES)))
        except (OSError, PlaitError):
            continue
    return found


def with_data_values(run: Run, files: Sequence[PlainFile]) -> Iterator[tuple[Run, PlainFile]]:
    """A run for each file outside a render whose keys are all data values of the render."""
    inside = os.path.join(os.path.abspath(run.directory or os.curdir), "")
    outside = [one for one in files if one.keys and not one.placeholders and not one.path.startswith(inside)]
    known = _data_values(run) if outside else set()
    for one in [one for one in outside if one.keys <= known][:_MOST]:
        yield _extended(run, "data-values-file", one, "has data values of this run"), one


def _data_values(run: Run) -> set[object]:
    setting = _setting(run.command, "data-values-inspect", True)
    inspected = Run("", run.command, [*run.settings, setting], None, run.directory, None)
    inspected.permissions = run.permissions
    try:
        documents = inspected.evaluate(view=InputView(is_read_only=True)).nodes.items
    except PlaitError:
        return set()
    top = documents[0].value if documents else None
    return {item.key for item in top.items} if type(top) is Map else set()


def patches(directory: str, files: Sequence[PlainFile]) -> Iterator[tuple[Run, PlainFile]]:
    """A run for each file of variables that a file with placeholders names."""
    count = 0
    for base in (one for one in files if one.placeholders):
        for one in files:
            if one is base or not one.keys or one.placeholders or not one.keys <= base.placeholders:
                continue
            count += 1
            if count > _MOST:
                return
            settings = [_setting("patch", "base", os.path.relpath(base.path, directory))]
            run = Run(
                os.path.splitext(os.path.basename(base.path))[0],
                "patch",
                settings,
                None,
                relative_to_cwd(directory),
                None,
            )
            run.permissions = permissions_of("", directory)
            yield _extended(run, "vars-files", one, f"has variables of {os.path.basename(base.path)}"), one


def name_of(file: PlainFile) -> str:
    """The name of the environment of a file of values."""
    folder, name = os.path.split(file.path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in _GENERAL else stem


def _extended(run: Run, flag: str, file: PlainFile, role: str) -> Run:
    """A run with one more file. Its paths are relative to the directory that has all its files."""
    old = os.path.abspath(run.directory or os.curdir)
    top = os.path.commonpath([old, os.path.dirname(file.path)])
    settings = [*run.settings]
    if top != old:  # a render of a whole directory
        settings = [one for one in settings if one.name != _FILES]
        settings.insert(0, _setting(run.command, _FILES, Array([ArrayItem(os.path.relpath(old, top))])))
    settings.append(_setting(run.command, flag, Array([ArrayItem(os.path.relpath(file.path, top))])))
    why = f"{os.path.relpath(file.path)} {role}"
    made = Run(run.name, run.command, settings, None, relative_to_cwd(top), None, why=why)
    made.permissions = permissions_of("", top)
    return made


def _setting(command: str, name: str, value: Value) -> Setting:
    return Setting(name, options_of(command)[name], [MapItem(name, value)])
