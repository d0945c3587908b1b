"""Infers runs without a project file, with the evidence.

Nothing is executed. Files are recognized by their contents: annotations of data values and schemas, a LayeringPolicy, a
list of operations.
"""

from __future__ import annotations

import os
import re
import stat

from plait.authoring.project.file import Project
from plait.authoring.project.run import Run, from_here
from plait.authoring.project.settings import Setting, options_of
from plait.base.content import open_regular
from plait.base.errors import PermissionDeniedError
from plait.base.limits import current_budget
from plait.base.trust import permissions_of
from plait.engine.flags import words_of
from plait.tree.nodes import Array, ArrayItem, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE, VALUES, POLICY, LAYERED, OPERATIONS = "template", "values", "policy", "layered", "operations"

# How much is looked at. Whoever has more writes a project file.
_MOST_FILES = 5000
_MOST_BYTES = 1 << 16

_EXTENSIONS = (".yml", ".yaml")
_VALUES = re.compile(rb"(?m)^[ \t]*#@data/values(-schema)?[ \t\r]*$")
_CODE = re.compile(rb"(?m)^[ \t]*#@|^[^#'\"\n]*[ \t]#@ ")
_POLICY = re.compile(rb"(?m)^schema:[ \t]*['\"]?deckhand/LayeringPolicy/")
_LAYERED = re.compile(rb"(?m)^ +schema:[ \t]*['\"]?metadata/(Document|Control)/v")
_OPERATION = re.compile(rb"(?m)^- (\{ ?)?(type|path): ?['\"]?(replace|remove|test|move|copy|/)")
# What ends a project upwards.
_TOPS = (".git", ".hg", ".jj", ".svn")


def guess(start: str, *, verify: bool = True) -> Project:
    """Returns the project that a file or directory without a project file seems to belong to; it may have no runs.

    The build files of the repository are searched for command lines first (see `plait.authoring.project.inference`). If none
    concerns `start`, the files decide: a directory with annotated YAML is rendered from the highest directory above it
    that has a schema or data values; one with layered documents and a LayeringPolicy, in it or above, is layered. A
    file of operations has no run, because its base is unknown. verify: evaluate each run in memory, and turn failures
    into notes.
    """
    place = os.path.abspath(start)
    directory = place if os.path.isdir(place) else os.path.dirname(place)
    found = _of_build_files(directory, verify=verify)
    if found is not None:
        return found
    notes: list[str] = []
    kinds = dict(_kinds_below(directory, notes))
    runs = [run for run in (_rendered(kinds), _layered(kinds)) if run is not None]
    for run in runs:  # which may be of a directory above
        run.permissions = permissions_of("", os.path.abspath(run.directory or os.curdir))
    if verify:
        from plait.authoring.project.inference import failure_of

        for run in [*runs]:
            if reason := failure_of(run):
                runs.remove(run)
                notes.append(f"not offered: plait {' '.join([run.command, *words_of(run.request())])}: {reason}")
    operations = sorted(path for path, kind in kinds.items() if kind == OPERATIONS)
    if operations:
        shown = os.path.relpath(operations[0], directory)
        more = f" and {len(operations) - 1} more" if len(operations) > 1 else ""
        notes.append(f"{shown}{more}: operations, checked by themselves, since nothing says what their base is")
    permissions = runs[0].permissions if runs else permissions_of("", directory)
    return Project("", from_here(directory), runs, permissions=permissions, notes=notes)


def _of_build_files(directory: str, *, verify: bool) -> Project | None:
    """The runs of the repository's build files that read files in a directory, or None."""
    *_, top = _above(directory)
    if not any(os.path.lexists(os.path.join(top, name)) for name in _TOPS):
        return None
    from plait.authoring.project.inference import infer

    inference = infer(top, verify=verify)
    runs = [run for run in inference.runs if _concerns(run, directory)]
    if not runs:
        return None
    notes = [f"not offered: {one.at}: {one.shown}: {one.reason}" for one in inference.rejected]
    notes += [f"not searched: {path}" for path in inference.skipped]
    notes += [f"searched only {inference.bound}"] if inference.bound else []
    return Project("", from_here(top), runs, permissions=permissions_of("", top), notes=notes)


def _concerns(run: Run, directory: str) -> bool:
    """True if an input of a run is in a directory, or the directory is in it."""
    from plait.authoring.project.run_selection import paths_of

    inside = os.path.join(directory, "")
    return any(
        os.path.join(path, "").startswith(inside) or inside.startswith(os.path.join(path, "")) for path in paths_of(run)
    )


def kind_of(path: str) -> str | None:
    """The likely role of a file: TEMPLATE, VALUES, POLICY, LAYERED, OPERATIONS, or None."""
    try:
        if os.path.islink(path):
            permissions_of("", os.path.dirname(path)).check_read(path)
        with open_regular(path) as file:
            return kind_of_text(file.read(_MOST_BYTES))
    except (OSError, PermissionDeniedError):
        return None


def kind_of_text(text: bytes) -> str | None:
    """The likely role of a file with this text, as in `kind_of`."""
    if _VALUES.search(text):
        return VALUES
    if _POLICY.search(text):
        return POLICY
    if _CODE.search(text):
        return TEMPLATE
    if _LAYERED.search(text):
        return LAYERED
    return OPERATIONS if _OPERATION.search(text) else None


def _kinds_below(directory: str, notes: list[str]) -> Iterator[tuple[str, str]]:
    seen = 0
    visit = current_budget().visit
    for top, folders, names in os.walk(directory):
        for _ in names:
            visit(directory)
        foreign = [name for name in folders if _is_foreign(os.path.join(top, name))]
        notes += [f"not searched: {os.path.relpath(os.path.join(top, name), directory)}" for name in sorted(foreign)]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in foreign)
        for name in sorted(names):
            if name.endswith(_EXTENSIONS):
                seen += 1
                if seen > _MOST_FILES:
                    notes.append(f"only the first {_MOST_FILES} YAML files were looked at")
                    return
                path = os.path.join(top, name)
                kind = kind_of(path)
                if kind is not None:
                    yield path, kind


def _is_foreign(directory: str) -> bool:
    """True if no file of a directory can belong to an inferred run: vendored files, and Helm charts."""
    from plait.authoring.project.inference.runs import SKIPPED_DIRECTORIES
    from plait.ytt.workspace.input_files import CHART

    return os.path.basename(directory) in SKIPPED_DIRECTORIES or os.path.lexists(os.path.join(directory, CHART))


def _inputs(top: str) -> list[str]:
    """The inputs of a run in a directory: the directory itself, or its entries if foreign ones must be left out."""
    inputs, is_whole = [], True
    visit = current_budget().visit
    for name in sorted(os.listdir(top)):
        visit(top)
        path = os.path.join(top, name)
        if name.startswith("."):
            continue
        if not os.path.isdir(path) or os.path.islink(path):
            inputs.append(name)
        elif _is_foreign(path):
            is_whole = False
        else:
            below = _inputs(path)
            is_whole = is_whole and below == [os.curdir]
            inputs += [name] if below == [os.curdir] else [os.path.join(name, one) for one in below]
    return [os.curdir] if is_whole else inputs


def _above(directory: str) -> Iterator[str]:
    """A directory and its parents, up to the top of its repository. Excludes the home directory, which holds unrelated
    files, and directories that others may write to.
    """
    home = os.path.expanduser("~")
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above in (directory, home) or any(os.path.lexists(os.path.join(directory, top)) for top in _TOPS):
            return
        try:
            if os.stat(above).st_mode & stat.S_IWOTH:
                return
        except OSError:
            return
        directory = above


def _layered(kinds: dict[str, str]) -> Run | None:
    files = [path for path, kind in kinds.items() if kind in (POLICY, LAYERED)]
    if not files:
        return None
    top = os.path.commonpath([os.path.dirname(path) for path in files])
    policy = next((path for path in sorted(files) if kinds[path] == POLICY), None)
    if policy is None:
        for above in _above(top):
            policy = next((path for path in _yaml_files(above) if kind_of(path) == POLICY), None)
            if policy is not None:
                top = above
                break
        else:
            return None
    why = f"{os.path.relpath(policy, top)} has a LayeringPolicy"
    return Run("layer", "layer", [_setting("layer", top)], None, from_here(top), None, why=why)


def _rendered(kinds: dict[str, str]) -> Run | None:
    files = [path for path, kind in kinds.items() if kind in (TEMPLATE, VALUES)]
    if not files:
        return None
    top, why = os.path.commonpath([os.path.dirname(path) for path in files]), "there is annotated YAML"
    for above in _above(top):
        found = next((path for path in _yaml_files(above) if kind_of(path) == VALUES), None)
        if found is not None:
            top, why = above, f"{os.path.basename(found)} holds data values or their schema"
    return Run("render", "render", [_setting("render", top)], None, from_here(top), None, why=why)


def _yaml_files(directory: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return
    for name in names[:_MOST_FILES]:
        if name.endswith(_EXTENSIONS):
            yield os.path.join(directory, name)


def _setting(command: str, top: str) -> Setting:
    inputs = Array([ArrayItem(name) for name in _inputs(top)])
    return Setting("files", options_of(command)["files"], [MapItem("files", inputs)])
