"""Infers runs without a project file, with the evidence.

Nothing is executed. Files are recognized by their contents: annotations of data values and schemas, a LayeringPolicy, a
list of operations.
"""

from __future__ import annotations

import os
import re
import stat

from plait.authoring.project.file import Project
from plait.authoring.project.inference.site_runs import site_runs
from plait.authoring.project.inference.values_files import name_of, patches, plain_files, with_data_values
from plait.authoring.project.inference.walk import SKIPPED_DIRECTORIES, walk
from plait.authoring.project.run import Run, relative_to_cwd
from plait.authoring.project.run_selection import paths_of
from plait.authoring.project.settings import Setting, options_of
from plait.base.content import open_regular
from plait.base.errors import PermissionDeniedError
from plait.base.limits import current_budget
from plait.base.trust import permissions_of
from plait.engine.flags import words_of
from plait.tree.nodes import Array, ArrayItem, MapItem
from plait.ytt.workspace.input_files import CHART, KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from plait.authoring.project.inference.runs import Inference, RejectedRun

TEMPLATE, VALUES, POLICY, LAYERED, OPERATIONS = "template", "values", "policy", "layered", "operations"

# Maximum number of files; a larger project needs a project file.
_MOST_FILES, _MOST_BYTES = 5000, 1 << 16

_EXTENSIONS = (".yml", ".yaml")
_VALUES = re.compile(rb"(?m)^[ \t]*#@data/values(-schema)?[ \t\r]*$")
_CODE = re.compile(rb"(?m)^[ \t]*#@|^[^#'\"\n]*[ \t]#@ ")
_POLICY = re.compile(rb"(?m)^schema:[ \t]*['\"]?deckhand/LayeringPolicy/")
_LAYERED = re.compile(rb"(?m)^ +schema:[ \t]*['\"]?metadata/(Document|Control)/v")
_OPERATION = re.compile(rb"(?m)^- (\{ ?)?(type|path): ?['\"]?(replace|remove|test|move|copy|/)")
_LIBRARIES = "_ytt_lib"  # directories with private libraries, which other files evaluate
# Maximum number of directories that are tried separately if all files together do not render.
_MOST_PARTS = 32
# Maximum number of displayed groups of rejected command lines, and of words and characters of one.
_MOST_TOLD, _SHOWN_WORDS, _SHOWN_CHARACTERS = 12, 6, 120
# Entries that mark the root of a repository.
_TOPS = (".git", ".hg", ".jj", ".svn")


def guess(start: str, *, verify: bool = True, is_top: bool = False) -> Project:
    """Infers the project of a file or directory without a project file. It may have no runs.

    The build files of the repository are searched for command lines first (see `plait.authoring.project.inference`). If
    none concerns `start`, the files decide: a directory with annotated YAML is rendered from the highest directory
    above it with a schema or data values, or, if that fails, from each subdirectory that renders alone. A directory
    with layered documents is layered if it, or a directory above, has a LayeringPolicy. An operations file has no run,
    because its base is unknown. verify: evaluate each run in memory, and turn failures into notes. is_top: `start` is
    the top of a repository even if it has no version control, such as an unpacked archive.
    """
    place = os.path.abspath(start)
    directory = place if os.path.isdir(place) else os.path.dirname(place)
    notes: list[str] = []
    rejected: list[RejectedRun] = []
    found = _of_build_files(directory, notes, rejected, verify=verify, is_top=is_top)
    if found is not None:
        return found
    kinds = dict(_kinds_below(directory, notes))
    sites = site_runs(directory)
    if sites:
        # Their documents are layered for one site at a time.
        tops = tuple(os.path.join(os.path.abspath(one.directory or os.curdir), "") for one in sites)
        kinds = {
            path: kind for path, kind in kinds.items() if kind not in (POLICY, LAYERED) or not path.startswith(tops)
        }
        sites = _rendering(sites, notes) if verify else sites
    runs = [*sites, *(_verified(kinds, notes, rejected) if verify else _candidates(kinds))]
    if verify:
        runs += _with_values(directory, runs, kinds)
    operations = sorted(path for path, kind in kinds.items() if kind == OPERATIONS)
    if operations:
        shown = os.path.relpath(operations[0], directory)
        more = f" and {len(operations) - 1} more" if len(operations) > 1 else ""
        notes.append(f"{shown}{more}: operations, checked alone, because their base is unknown")
    permissions = runs[0].permissions if runs else permissions_of("", directory)
    notes = [*dict.fromkeys(notes)]
    return Project("", relative_to_cwd(directory), runs, permissions=permissions, notes=notes)


def _with_values(directory: str, runs: Sequence[Run], kinds: dict[str, str]) -> list[Run]:
    """The runs with files of data values or variables, each verified."""
    plain = plain_files(path for path in _yaml_below(directory) if path not in kinds)
    renders = [run for run in runs if run.command == "render"]
    found = [pair for run in renders for pair in with_data_values(run, plain)]
    if not runs:
        found += patches(directory, plain)
    taken = {run.name for run in runs}
    names = [name_of(file) for _, file in found]
    made = []
    for run, file in found:
        if not _failure_of(run, prints=True):
            name = re.sub(r"[^A-Za-z0-9_.]+", "-", name_of(file)).strip("-.") or run.command
            is_shared = names.count(name_of(file)) > 1 or name in taken
            run.name = _unused(f"{run.name}-{name}", taken) if is_shared else name
            taken.add(run.name)
            made.append(run)
    return made


def _unused(name: str, taken: set[str]) -> str:
    return next(one for n in range(1, len(taken) + 2) if (one := name if n == 1 else f"{name}-{n}") not in taken)


def _yaml_below(directory: str) -> Iterator[str]:
    visit = current_budget().visit
    count = 0
    for top, folders, names in os.walk(directory):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not _is_foreign(os.path.join(top, name))
        )
        for name in sorted(names):
            visit(directory)
            if name.endswith(_EXTENSIONS):
                count += 1
                if count > _MOST_FILES:
                    return
                yield os.path.join(top, name)


def _candidates(kinds: dict[str, str]) -> list[Run]:
    runs = [run for run in (_rendered(kinds), _layered(kinds)) if run is not None]
    for run in runs:  # the error may be about a directory above
        run.permissions = permissions_of("", os.path.abspath(run.directory or os.curdir))
    return runs


def _failure_of(run: Run, *, prints: bool = False) -> str:
    from plait.authoring.project.inference.runs import failure_of

    return failure_of(run, prints=prints)


def _verified(kinds: dict[str, str], notes: list[str], rejected: Sequence[RejectedRun]) -> list[Run]:
    runs = []
    for run in _candidates(kinds):
        is_other = run.command == "render" and _is_rendered_otherwise(
            os.path.abspath(run.directory or os.curdir), rejected
        )
        reason = "its build files render it differently" if is_other else _failure_of(run)
        if not reason:
            runs.append(run)
            continue
        parts = _parts(kinds, rejected) if run.command == "render" else _layer_parts(kinds, notes)
        runs += parts
        if not parts:
            notes.append(f"not offered: plait {_shortened(run)}: {reason}")
    return runs


def _rendering(runs: Sequence[Run], notes: list[str]) -> list[Run]:
    """The runs that render. notes: receives the others."""
    found = []
    for run in runs:
        reason = _failure_of(run, prints=True)
        if reason and not _failure_of(lenient := _lenient(run), prints=True):
            found.append(lenient)
        elif reason:
            notes.append(f"not offered: plait {_shortened(run)}: {reason}")
        else:
            found.append(run)
    return found


def _shortened(run: Run) -> str:
    words = words_of(run.request())
    more = f" and {len(words) - _SHOWN_WORDS} more" if len(words) > _SHOWN_WORDS else ""
    return " ".join([run.command, *words[:_SHOWN_WORDS]]) + more


def _parts(kinds: dict[str, str], rejected: Sequence[RejectedRun]) -> list[Run]:
    """The largest directories with annotated YAML that render alone with some output. Excludes those with a build file
    that renders them differently, even if that run was rejected, and those built by kustomize.
    """
    found: list[Run] = []
    groups = _split({path: kind for path, kind in kinds.items() if kind in (TEMPLATE, VALUES)})
    for _ in range(_MOST_PARTS):
        if not groups:
            break
        group = groups.pop(0)
        if TEMPLATE not in group.values():
            continue
        top = _common(group)
        run = _run_in(top, "annotated YAML")
        run.permissions = permissions_of("", top)
        is_foreign = _is_rendered_otherwise(top, rejected) or _is_kustomized(top)
        if is_foreign or _failure_of(run, prints=True):
            groups = _split(group) + groups
        else:
            run.name = _name_of(top, run.command)
            found.append(run)
    return found


def _layer_parts(kinds: dict[str, str], notes: list[str]) -> list[Run]:
    """The directories with a LayeringPolicy that render alone. notes: receives the others."""
    found: list[Run] = []
    for path in [path for path, kind in sorted(kinds.items()) if kind == POLICY][:_MOST_PARTS]:
        top = os.path.dirname(path)
        why = f"{os.path.basename(path)} has a LayeringPolicy"
        run = Run(_name_of(top, "layer"), "layer", _settings("layer", top), None, relative_to_cwd(top), None, why=why)
        run.permissions = permissions_of("", top)
        reason = _failure_of(run, prints=True)
        if reason and not _failure_of(lenient := _lenient(run), prints=True):
            found.append(lenient)
        elif reason:
            notes.append(f"not offered: plait layer {os.path.normpath(relative_to_cwd(top))}: {reason}")
        else:
            found.append(run)
    return found


def _lenient(run: Run) -> Run:
    """A run that layers documents, without the values whose sources are missing."""
    setting = Setting("lenient", options_of("layer")["lenient"], [MapItem("lenient", True)])
    why = f"{run.why}; without --lenient, documents that it substitutes from are missing"
    made = Run(run.name, "layer", [*run.settings, setting], None, run.directory, None, why=why)
    made.permissions = run.permissions
    return made


def _name_of(directory: str, otherwise: str) -> str:
    """The name of a run in a directory."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", relative_to_cwd(directory)).strip("-.") or otherwise


def _split(files: dict[str, str]) -> list[dict[str, str]]:
    """The files grouped by subdirectory of their common directory. Files directly in the common directory are omitted."""
    if not files:
        return []
    top = _common(files)
    groups: dict[str, dict[str, str]] = {}
    for path, kind in files.items():
        name, below, _ = os.path.relpath(path, top).partition(os.sep)
        if below and name != _LIBRARIES:
            groups.setdefault(name, {})[path] = kind
    return [groups[name] for name in sorted(groups)]


def _common(files: Iterable[str]) -> str:
    return os.path.commonpath([os.path.dirname(path) for path in files])


def _of_build_files(
    directory: str, notes: list[str], rejected: list[RejectedRun], *, verify: bool, is_top: bool
) -> Project | None:
    """The runs of the repository's build files that read files in a directory, or None. notes, rejected: receive remarks
    and rejected runs, if there is no run.
    """
    *_, top = _above(directory)
    if not any(os.path.lexists(os.path.join(top, name)) for name in _TOPS):
        if not is_top:
            return None
        top = directory
    from plait.authoring.project.inference.runs import infer

    inference = infer(top, verify=verify)
    told = _omitted_text(inference)
    runs = [run for run in inference.runs if _concerns(run, directory)]
    if not runs:
        rejected += inference.rejected
        if directory == top:
            notes += told
        return None
    return Project("", relative_to_cwd(top), runs, permissions=permissions_of("", top), notes=told)


def _omitted_text(inference: Inference) -> list[str]:
    """The command lines that are not offered, grouped by file and reason, and the directories that were not searched."""
    groups: dict[tuple[str, str], list[RejectedRun]] = {}
    for one in inference.rejected:
        groups.setdefault((one.at.source.shown if one.at.source else "", one.reason), []).append(one)
    told = []
    for (_, reason), group in list(groups.items())[:_MOST_TOLD]:
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        told.append(f"not offered: {group[0].at}: {_beginning(group[0].shown)}{more}: {reason}")
    rest = sum(len(group) for group in list(groups.values())[_MOST_TOLD:])
    told += [f"not offered: {rest} more command lines"] if rest else []
    skipped = [path for path in inference.skipped if os.path.basename(path) != "__pycache__"]
    told += [f"not searched: {path}" for path in skipped[:_MOST_TOLD]]
    rest = len(skipped) - _MOST_TOLD
    told += [f"not searched: {rest} more directories"] if rest > 0 else []
    return told + ([f"searched only {inference.bound}"] if inference.bound else [])


def _beginning(shown: str) -> str:
    """A command line, shortened to whole words, so that the reason after it is seen."""
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[:_SHOWN_CHARACTERS].rpartition(' ')[0]} ..."


def top_of_templates(directory: str) -> str:
    """The directory with all annotated YAML below a directory, "" if there is none."""
    files = [path for path, kind in _kinds_below(os.path.abspath(directory), []) if kind in (TEMPLATE, VALUES)]
    return os.path.normpath(os.path.relpath(_common(files), directory)) if files else ""


def _concerns(run: Run, directory: str) -> bool:
    """True if an input of a run is in a directory, or the directory is in it."""
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
    for top, folders, names in walk(directory):
        foreign = [name for name in folders if _is_foreign(os.path.join(top, name))]
        notes += [f"not searched: {os.path.relpath(os.path.join(top, name), directory)}" for name in sorted(foreign)]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in foreign)
        for name in sorted(names):
            if name.endswith(_EXTENSIONS):
                seen += 1
                if seen > _MOST_FILES:
                    notes.append(f"only the first {_MOST_FILES} YAML files were searched")
                    return
                path = os.path.join(top, name)
                kind = kind_of(path)
                if kind is not None:
                    yield path, kind


def _is_foreign(directory: str) -> bool:
    """True if no file of a directory can belong to an inferred run: vendored files, and Helm charts."""
    return os.path.basename(directory) in SKIPPED_DIRECTORIES or os.path.lexists(os.path.join(directory, CHART))


def _is_rendered_otherwise(top: str, rejected: Sequence[RejectedRun]) -> bool:
    """True if a build file in a directory has a rejected command line that renders something."""
    inside = os.path.join(top, "")
    named = [one.at.source.shown for one in rejected if one.command == "render" and one.at.source is not None]
    return any(os.path.abspath(path).startswith(inside) for path in named)


def _is_kustomized(top: str) -> bool:
    return any(name in KUSTOMIZATIONS for _, _, names in walk(top) for name in names)


def _inputs(top: str, with_yaml: Container[str]) -> list[str]:
    """The inputs of a run in a directory: the directory itself, or its entries if it contains foreign ones.

    with_yaml: the directories with YAML files, at any depth.
    """
    inputs, is_whole = [], True
    visit = current_budget().visit
    for name in sorted(os.listdir(top)):
        visit(top)
        path = os.path.join(top, name)
        if name.startswith("."):
            continue
        if not os.path.isdir(path) or os.path.islink(path):
            inputs += [name] if name.endswith(_EXTENSIONS) else []
        elif _is_foreign(path):
            is_whole = False
        elif path in with_yaml:
            below = _inputs(path, with_yaml)
            is_whole = is_whole and below == [os.curdir]
            inputs += [name] if below == [os.curdir] else [os.path.join(name, one) for one in below]
    return [os.curdir] if is_whole else inputs


def _above(directory: str) -> Iterator[str]:
    """A directory and its parents, up to the root of its repository. Excludes the home directory, which contains
    unrelated files, and directories that others can write to.
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
    return Run("layer", "layer", _settings("layer", top), None, relative_to_cwd(top), None, why=why)


def _rendered(kinds: dict[str, str]) -> Run | None:
    files = [path for path, kind in kinds.items() if kind in (TEMPLATE, VALUES)]
    if not files:
        return None
    top, why = _common(files), "the directory contains annotated YAML"
    for above in _above(top):
        found = next((path for path in _yaml_files(above) if kind_of(path) == VALUES), None)
        if found is not None:
            top, why = above, f"{os.path.basename(found)} contains data values or their schema"
    return _run_in(top, why)


def _run_in(top: str, why: str) -> Run:
    return Run("render", "render", _settings("render", top), None, relative_to_cwd(top), None, why=why)


def _yaml_files(directory: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return
    for name in names[:_MOST_FILES]:
        if name.endswith(_EXTENSIONS):
            yield os.path.join(directory, name)


def _settings(command: str, top: str) -> list[Setting]:
    """The inputs of a run in a directory, without foreign files below it."""
    if command != "render":
        return [_setting(command, "files", _inputs(top, _with_yaml(top)))]
    marks = [f"{path.replace(os.sep, '/')}/**/*:exclude=true" for path in _excluded(top)]
    found = [_setting(command, "files", [os.curdir])]
    return [*found, _setting(command, "file-mark", marks)] if marks else found


def _setting(command: str, name: str, texts: Sequence[str]) -> Setting:
    return Setting(name, options_of(command)[name], [MapItem(name, Array([ArrayItem(text) for text in texts]))])


def _excluded(top: str) -> list[str]:
    """Subdirectories with YAML but without inputs of a run (foreign and hidden ones), as relative paths."""
    found = []
    for here, folders, _ in walk(top):
        for name in sorted(folders):
            path = os.path.join(here, name)
            if name.startswith(".") or _is_foreign(path):
                folders.remove(name)
                if _has_yaml(path):
                    found.append(os.path.relpath(path, top))
    return sorted(found)


def _has_yaml(directory: str) -> bool:
    return any(name.endswith(_EXTENSIONS) for _, _, names in walk(directory) for name in names)


def _with_yaml(top: str) -> set[str]:
    """The directories below a directory that contain YAML files, at any depth."""
    found: set[str] = set()
    for here, _, names in walk(top):
        if any(name.endswith(_EXTENSIONS) for name in names):
            while here not in found and len(here) > len(top):
                found.add(here)
                here = os.path.dirname(here)
    return found
