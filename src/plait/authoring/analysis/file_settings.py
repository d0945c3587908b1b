"""The settings of a project's runs that decide how a file is read: its kind, file marks, and leniency."""

from __future__ import annotations

import os
from fnmatch import fnmatch

from plait.authoring.analysis.file_facts import LAYER, OPS, PLAIN, TEMPLATE, FileSettings
from plait.base.errors import PlaitError
from plait.ytt.templates.recovery import STARLARK, TEXT
from plait.ytt.workspace.file_marks import matches, parse_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.run import Run
    from plait.authoring.project.settings import Setting

_KINDS = {"patch": {"ops": OPS}, "layer": {"files": LAYER}}
# Maps the value of a `type` mark to the kind of the file.
_MARKED = {
    "data": PLAIN,
    "starlark": STARLARK,
    "text-plain": PLAIN,
    "text-template": TEXT,
    "yaml-plain": PLAIN,
    "yaml-template": TEMPLATE,
}


def reading_in(runs: Sequence[Run], path: str) -> FileSettings:
    """The settings with which runs read a file. path: absolute. The first run that names the file decides its kind.

    A lenient setting applies only if every run that reads the file as a template has it, so that each run's errors are
    shown.
    """
    named = ""
    marked = ""
    lenient: list[bool] = []
    strict: list[bool] = []
    for run in runs:
        try:
            names = [one for one in run.settings if _names(run, one, path)]
        except PlaitError:  # a setting of the wrong type, reported at its own line
            continue
        kinds = _KINDS.get(run.command, {})
        named = named or next((kinds[one.name] for one in names if one.name in kinds), "")
        if run.command == "render" and any(one.name == "files" for one in names):
            marked = marked or _marked(run, path)
            lenient.append(_is_on(run, "ignore-unknown-comments"))
            strict.append(_is_on(run, "strict"))
    return FileSettings(
        marked or named,
        is_marked=bool(marked),
        ignore_unknown_comments=bool(lenient) and all(lenient),
        strict=bool(strict) and all(strict),
    )


def _marked(run: Run, path: str) -> str:
    """The kind that the last matching file mark of a run declares, or ""."""
    kind = ""
    for text in _texts(run, "file-mark"):
        try:
            mark = parse_mark(text)
        except PlaitError:  # reported by the run
            continue
        if mark.key == "exclude" and any(matches(mark.pattern, name) for name in _input_names(run, path)):
            kind = PLAIN
        if mark.key == "type" and any(matches(mark.pattern, name) for name in _input_names(run, path)):
            kind = _MARKED[mark.value]
    return kind


def _input_names(run: Run, path: str) -> Iterator[str]:
    """The names under which a run knows a file: from each input directory that contains it, or its base name."""
    for setting in run.settings:
        if setting.name == "files":
            for top in run.paths(setting):
                if path == top:
                    yield os.path.basename(path)
                elif path.startswith(os.path.join(top, "")):
                    yield os.path.relpath(path, top).replace(os.sep, "/")


def _texts(run: Run, name: str) -> Iterator[str]:
    for setting in run.settings:
        if setting.name == name:
            try:
                yield from (text for text, _ in setting.texts())
            except PlaitError:  # reported by the run
                continue


def _is_on(run: Run, name: str) -> bool:
    return "true" in _texts(run, name)


def _names(run: Run, setting: Setting, path: str) -> bool:
    """True if a setting names a file directly, through a directory, or by a pattern."""
    return any(
        path == one or path.startswith(os.path.join(one, "")) or fnmatch(path, one) for one in run.paths(setting)
    )
