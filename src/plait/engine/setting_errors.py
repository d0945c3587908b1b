"""Errors about settings of project and pipeline files. Loaded only for an error."""

from __future__ import annotations

import os

from plait.base.errors import ReadError, UsageError
from plait.base.path_errors import read_failure
from plait.base.permissions import FILE_NAMES
from plait.base.similar_names import did_you_mean, near
from plait.base.source import displayable_path
from plait.base.suggestions import replacing
from plait.tree.nodes import Array, Map, kind_name
from plait.ytt.workspace.input_files import CHART, KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.source import Position
    from plait.tree.nodes import ArrayItem, Document, MapItem


# The commands of runs and steps, by the names of other programs and their commands.
COMMANDS = {
    **dict.fromkeys(("helm", "kustomize", "template", "templates", "ytt"), "render"),
    **dict.fromkeys(("bosh", "int", "interpolate", "operations", "ops"), "patch"),
    **dict.fromkeys(("deckhand", "layering", "layers", "pegleg"), "layer"),
    **dict.fromkeys(("chain", "pipeline"), "compose"),
}
# Settings of a run for its input; a step has that of the step before.
_INPUTS = frozenset({"base", "file", "files", "input", "manifest", "template"})
_RUNS = "{NAME: {render: {files: [PATH]}}}"


def wrong_setting(item: MapItem, expected: str) -> UsageError:
    """The error for a setting of a wrong type."""
    hint = None
    if expected.startswith("a map"):
        hint = _map_form(item)
    elif expected.startswith("a list"):
        hint = _list_form(item)
    elif expected.startswith("true or false"):
        hint = f"{item.key}: true"
    elif expected == "a number":
        hint = f"{item.key}: 1"
    else:
        hint = _scalar_form(item)
    return UsageError(
        f'the value of "{item.key}" has the wrong type',
        at=item.position,
        expected=expected,
        found=kind_name(item.value),
        hint=hint,
        code="setting-type",
    )


def _map_form(item: MapItem) -> str | None:
    """A hint with the form of a map, for a list or for `KEY=VALUE`."""
    if item.value is None:
        return f"{item.key}: {_RUNS if item.key == 'runs' else '{NAME: VALUE}'}"
    if type(item.value) is Array:
        return f"without dashes: {item.key}: {{NAME: VALUE}}"
    if type(item.value) is not str:
        return None
    key, mark, value = item.value.partition("=")
    return f"a map: {item.key}: {{{key}: {value}}}" if mark and key and value else None


def _list_form(item: MapItem) -> str | None:
    """A hint with the form of a list, for a map or a scalar."""
    value = item.value
    if type(value) is Map and value.items:
        shown = ", ".join(f"{{{one.key}: ...}}" for one in value.items[:2])
        return f"begin each item with a dash: {item.key}: [{shown}]"
    if value is None or type(value) is Map or type(value) is Array:
        return None
    return f"a list with one item: {item.key}: [{value}]"


def _scalar_form(item: MapItem) -> str | None:
    """A hint with the first value of a list of strings."""
    first = item.value.items[0].value if type(item.value) is Array and item.value.items else None
    return f"one value, without a list: {item.key}: {first}" if type(first) is str else None


def not_one_map(at: Position, what: str, known: Sequence[str], documents: Sequence[Document]) -> UsageError:
    """The error for a file that is not one map. what: the file, such as "a pipeline". known: the keys of such a map."""
    is_test = "steps" not in known
    is_list = len(documents) == 1 and type(documents[0].value) is Array
    form = "tests: {NAME: {run: NAME, equals: {PATH: VALUE}}}" if is_test else f"runs: {_RUNS}"
    first = documents[0].value if what == "a pipeline" and len(documents) > 1 else None
    foreign = pipeline_hint(first, at.source.shown, known) if type(first) is Map and at.source is not None else None
    keys = f"of {', '.join(known)}" if is_test else 'with "steps" or "runs"'
    return UsageError(
        f"not {what}",
        at=at,
        expected=f"one document, a map {keys}",
        found=kind_name(documents[0].value) if len(documents) == 1 else f"{len(documents)} documents",
        hint=foreign or ('write "steps:" above the list' if is_list and not is_test else form),
        code="setting-type",
    )


def several_commands(item: ArrayItem, commands: Sequence[MapItem], known: str) -> UsageError:
    """The error for a step without a command, or with several."""
    return UsageError(
        "a step must have exactly one command",
        at=commands[1].position if commands else item.position,
        also=[one.position.labelled("the first one") for one in commands[:1]],
        expected=f"one of {known}",
        found=", ".join(f'"{one.key}"' for one in commands) or "none of them",
        hint=f'begin a step of its own: "- {commands[1].key}:"' if commands else "- render: {files: [PATH]}",
        code="pipeline-form",
    )


# Keys that files of other programs have at their top, with the command for such a file.
_FOREIGN = (
    (("apiVersion", "kind"), "these are documents: plait render -f {path} renders them"),
    (("instance_groups", "jobs", "releases", "stemcells"), "this is a manifest: plait patch {path} applies operations"),
    (("services",), "this is a Docker Compose file: plait render -f {path} --merge patch.yml changes it"),
)
_RESOURCES = ("bases", "components", "namePrefix", "patches", "patchesStrategicMerge", "resources")


def top_hint(top: Map, path: str, what: str, known: Sequence[str]) -> str | None:
    """A hint for an unknown key at the top of a file, or None. what: as in `not_one_map`."""
    is_named = what == "a pipeline" or (what == "a project file" and os.path.basename(path) not in FILE_NAMES)
    is_foreign = is_named and not any(item.key in known for item in top.items)
    return pipeline_hint(top, path, known) if is_foreign else None


def pipeline_hint(top: Map, path: str, known: Sequence[str]) -> str | None:
    """A hint for a file of another program in place of a pipeline. path: its name in messages. known: the keys of
    pipelines; None if a key of the file resembles one.
    """
    keys = {str(item.key) for item in top.items}
    command = next((key for key in keys if key in COMMANDS.values()), None)
    if command is not None:
        return f"a command belongs in a step or in a run: steps: [{{{command}: ...}}], or runs: {{NAME: {{{command}: ...}}}}"
    if {"schema", "metadata"} <= keys:
        return f"these are layered documents: plait layer {path} renders them"
    if any(near(key, known) for key in keys):
        return None
    if os.path.basename(path) == CHART:
        build = os.path.dirname(path) or "."
        return f"this is a Helm chart: helm template {build} | plait render -f - -f overlay.yml changes its output"
    if os.path.basename(path) in KUSTOMIZATIONS or (keys & {*_RESOURCES} and "apiVersion" in keys):
        build = os.path.dirname(path) or "."
        return f"this is a kustomization: kustomize build {build} | plait render -f - -f overlay.yml changes its output"
    command = next(
        (text for known, text in _FOREIGN if keys & {*known}), "plait render -f {path} renders a file of YAML"
    )
    return f"{command.format(path=path)}; a pipeline is written steps: [{{render: {{files: [PATH]}}}}]"


def step_hint(item: MapItem) -> str | None:
    """A hint for an unknown key of a step, or None."""
    if item.key == "select":
        return "select is a setting of patch: - patch: {select: {kind: KIND}, ops: [PATH]}"
    command = COMMANDS.get(str(item.key))
    return None if command is None else f'the command of such a step is "{command}"'


def input_hint(item: MapItem) -> str | None:
    """A hint for an unknown setting of a step, or None."""
    if item.key not in _INPUTS:
        return None
    return "a step changes the documents of the step before it: let the first one be - render: {files: [PATH]}"


def wrong_step(item: MapItem, has_files: bool) -> UsageError:
    """The error for a command of a step that is not a map. has_files: it has the setting `files`."""
    error = wrong_setting(item, "a map of settings")
    if has_files and type(item.value) is str:
        error.hint = f"{item.key}: {{files: [{item.value}]}}"
    return error


def unknown_base(base: MapItem, runs: Sequence[MapItem]) -> UsageError:
    """The error for the name of a base that a project does not have. runs: those that may be the base."""
    name, names = str(base.value), [str(one.key) for one in runs]
    abstract = [
        str(one.key)
        for one in runs
        if type(one.value) is Map and (item := one.value.find("abstract")) is not None and item.value is True
    ]
    return UsageError(
        f'unknown run "{name}"',
        at=base.position,
        expected=", ".join(names) or None,
        hint=did_you_mean(name, names)
        or (
            replacing(name, abstract, f'did you mean "{abstract[0]}", which is abstract?')
            if len(abstract) == 1
            else None
        )
        or ("name one of these runs" if names else "remove the base, or add the run"),
        code="run-not-found",
    )


def cycle_of_bases(runs: Sequence[MapItem]) -> UsageError:
    """The error for runs of which each has the next one as its base, and the last one the first. The place is the base to
    remove, if only one of the runs has inputs of its own.
    """
    bases = [item for run in runs for item in (_setting(run, "base"),) if item is not None]
    whole = [run for run in runs if _has_inputs(run)]
    meant = _setting(whole[0], "base") if len(whole) == 1 else None
    at = meant or bases[-1]
    return UsageError(
        "the bases of the runs form a cycle",
        at=at.position,
        also=[item.position.labelled("a part of the cycle") for item in bases if item is not at],
        expected="one run without a base",
        found=" -> ".join(str(run.key) for run in (*runs, runs[0])),
        hint=f"remove base: {meant.value} here, because {whole[0].key} has inputs of its own" if meant else "",
        code="run-cycle",
    )


def _has_inputs(run: MapItem) -> bool:
    commands = [item for item in run.value.items if item.key != "base"] if type(run.value) is Map else []
    return any(item.key == "steps" or any(_setting(item, key) for key in ("files", "base")) for item in commands)


def _setting(item: MapItem, key: str) -> MapItem | None:
    return item.value.find(key) if type(item.value) is Map else None


def not_a_run(item: MapItem) -> UsageError:
    """The error for a run that is not a map."""
    path = item.value if type(item.value) is str else "PATH"
    return UsageError(
        f'the run "{item.key}" is not a map',
        at=item.position,
        expected="a map with a command",
        found=kind_name(item.value),
        hint=f"{item.key}: {{render: {{files: [{path}]}}}}",
        code="pipeline-form",
    )


def unreadable(path: str, error: OSError | ValueError) -> ReadError:
    """The error for a project or pipeline file that cannot be read."""
    return read_failure(path, error, subject=f'"{displayable_path(path)}"', extensions=(".yaml", ".yml"))
