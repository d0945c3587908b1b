"""Reads pipeline files and their steps (docs/compose.md).

A project file can define several runs, including pipelines (docs/project.md). A pipeline in it is read by its name.
"""

from __future__ import annotations

import os

from plait.base.content import file_content
from plait.base.errors import ReadError, UsageError, did_you_mean
from plait.base.source import Position, Source
from plait.engine import dialect
from plait.engine.options import READ_PATH, SWITCH, VALUES_PATH
from plait.tree.nodes import Array, Map, MapItem, kind_name
from plait.yaml.reader import read as read_yaml
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import TypeVar

    from plait.engine.options import Option, Request
    from plait.tree.nodes import ArrayItem, DocumentSet

    R = TypeVar("R", bound=Request)

# Root keys of a pipeline file or a project file. `plait lint` and `plait test` read `lint` and `tests`.
TOP = ("steps", "runs", "lint", "tests", "schemas")

# The kinds of steps: the dialect that provides their options, and their own settings.
KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "render": ("render", ("files", "set", "secrets")),
    "layer": ("layer", ("files", "site", "repositories", "data-only")),
    "patch": ("patch", ("select", "ops", "vars", "vars-files")),
    "overlay": ("render", ("files", "set", "secrets")),
    "merge": ("", ("files", "keys", "schemas")),
    "values": ("", ("files", "set", "secrets")),
    "compose": ("", ("file",)),
}
# Keys whose values are paths. `repositories` maps names to paths.
PATHS = ("files", "site", "ops", "vars-files", "file", "schemas")


def options_of(kind: str) -> Mapping[str, Option]:
    """The options that a step takes from a dialect, by name. kind: one of KINDS."""
    command, _ = KINDS[kind]
    return {one.step: one for one in dialect(command).options if one.step} if command else {}


def settings_of(kind: str) -> tuple[str, ...]:
    """The names of all settings of a step. kind: one of KINDS."""
    return (*KINDS[kind][1], *options_of(kind))


class Step:
    """One step. kind: one of KINDS. settings: its map. name: explicit, or kind and number."""

    __slots__ = ("item", "kind", "name", "settings")

    def __init__(self, kind: str, name: str, settings: Map, item: ArrayItem) -> None:
        self.kind = kind
        self.name = name
        self.settings = settings
        self.item = item

    def item_of(self, key: str) -> MapItem | None:
        return self.settings.find(key)

    def texts(self, key: str) -> list[str]:
        """A list of strings, or one string. Raises UsageError."""
        item = self.item_of(key)
        if item is None or item.value is None:
            return []
        if type(item.value) is str:
            return [item.value]
        if type(item.value) is Array:
            texts = [one.value for one in item.value.items if type(one.value) is str]
            if len(texts) == len(item.value.items):
                return texts
        raise wrong(item, "a string or a list of strings")

    def request(self, dialect: type[R]) -> R:
        """The request with the step's options. The origin of each is its line. Raises UsageError."""
        found = dialect()
        for name, option in options_of(self.kind).items():
            item = self.item_of(name)
            if item is not None:
                for value in [self.on(name)] if option.kind == SWITCH else self.texts(name):
                    found.use(option, value, item.position)
        return found

    def secrets(self) -> list[tuple[str, str]]:
        """The secret sources of the step: the prefix of each path, and the path, "" for a command.

        Raises UsageError.
        """
        texts = self.texts("secrets")
        if not texts:
            return []
        from plait.engine.secret_sources import Named

        return [(text.removesuffix(path), path) for text in texts for path in [Named(text).path]]

    def map(self, key: str) -> Map | None:
        item = self.item_of(key)
        if item is None or item.value is None:
            return None
        if type(item.value) is Map:
            return item.value
        raise wrong(item, "a map")

    def on(self, key: str) -> bool:
        item = self.item_of(key)
        if item is None:
            return False
        if type(item.value) is bool:
            return item.value
        raise wrong(item, "true or false")


class Pipeline:
    """A parsed pipeline file. directory: the base of its paths."""

    __slots__ = ("directory", "source", "steps")

    def __init__(self, source: Source, directory: str, steps: list[Step]) -> None:
        self.source = source
        self.directory = directory
        self.steps = steps


def read(path: str, run: str = "") -> Pipeline:
    """Reads a pipeline file. run: the name of the run, if the file has several.

    Raises ReadError, and UsageError with file and line.
    """
    return parse(file_source(path), os.path.dirname(path), run)


def inputs(path: str, run: str = "") -> Iterator[tuple[str, str]]:
    """The paths in the steps of a pipeline file, and of nested pipelines, each with its key.

    Raises UsageError, ReadError.
    """
    waiting, seen = [(path, run)], {(path, run)}
    while waiting:
        path, run = waiting.pop()
        pipeline = read(path, run)
        for step in pipeline.steps:
            form = VALUES_PATH if step.kind == "values" else READ_PATH
            named = [
                (key, form.path(text)) for key in PATHS if step.item_of(key) is not None for text in step.texts(key)
            ]
            named += [("secrets", path) for _, path in step.secrets() if path]
            checkouts = step.map("repositories") if step.kind == "layer" else None
            named += [("repositories", str(one.value)) for one in checkouts.items] if checkouts is not None else []
            for key, text in named:
                place = os.path.join(pipeline.directory, text)
                yield key, place
                if key == "file" and (place, "") not in seen:
                    seen.add((place, ""))
                    waiting.append((place, ""))


def file_source(path: str) -> Source:
    """The text of a pipeline or project file. Raises ReadError."""
    return Source(path, _content(path).decode("utf-8", "surrogateescape"))


def parse(source: Source, directory: str = "", run: str = "") -> Pipeline:
    """Parses a pipeline from its text. directory: the base of its paths. Raises UsageError, ReadError."""
    top = top_map(source)
    runs = runs_of(top)
    if runs is None:
        if run:
            raise UsageError(
                "a pipeline file with steps has only one run, without a name",
                at=top.position,
                found=run,
                code="run-not-found",
            )
        at, chain = top.position, [top]
    else:
        entry = find_run(runs, run)
        at, chain = entry.position, [one.value for one in inherited(entry, runs) if type(one.value) is Map]
    lists = [steps for settings in chain if (steps := settings.find("steps")) is not None]
    if not lists:
        raise UsageError('a pipeline needs "steps"', at=at, expected="a list of steps", code="pipeline-form")
    items = [one for steps in lists for one in _items(steps)]
    found = [_step(item, number) for number, item in enumerate(items, 1)]
    names: dict[str, Step] = {}
    for step in found:
        other = names.setdefault(step.name, step)
        if other is not step:
            raise UsageError(
                f'two steps have the name "{step.name}"',
                at=step.item.position,
                also=[other.item.position.labelled("the first one")],
                code="duplicate-name",
            )
    return Pipeline(source, directory, found)


def top_map(source: Source, what: str = "a pipeline", known: Sequence[str] = TOP) -> Map:
    """The root map of a pipeline file, a project file, or another file. what: its name in messages. known: its valid
    keys.

    Raises UsageError, ReadError.
    """
    try:
        read = read_yaml(source, keep_mark=False)
    except ReadError as error:
        error.exit_status = UsageError.exit_status
        raise
    distinct = deduplicate(read)
    if distinct is not read:
        _reject_repeated_keys(source, read)
    documents = [one for one in distinct.items if one.value is not None]
    if len(documents) != 1 or type(documents[0].value) is not Map:
        at = Position(source, documents[0].line if documents else 1)
        raise _errors().not_one_map(at, what, known, documents)
    top = documents[0].value
    check_keys(top, known, what, lambda _: _errors().top_hint(top, source.shown, what, known))
    return top


def _reject_repeated_keys(source: Source, tree: DocumentSet) -> None:
    """Raises UsageError for a repeated key, because one of the two settings would have no effect."""
    from plait.yaml.reading_warnings import duplicate_key_warnings

    for warned in duplicate_key_warnings(source, tree):
        found = warned.diagnostic
        raise UsageError(
            f'the key "{found.word}" is repeated',
            at=found.at,
            also=[one.labelled("the key again") for one in found.also],
            hint="rename or remove one of them",
            code="setting-type",
        )


def runs_of(top: Map) -> Map | None:
    """The runs of a project file, by name; None for a file that is one pipeline. Raises UsageError."""
    item = top.find("runs")
    if item is None:
        return None
    steps = top.find("steps")
    if steps is not None:
        raise UsageError(
            'a file must have either "steps" or "runs"', at=steps.position, also=[item.position], code="pipeline-form"
        )
    if type(item.value) is not Map or not item.value.items:
        raise wrong(item, "a map from names to runs")
    return item.value


def find_run(runs: Map, name: str) -> MapItem:
    """The run with a name; without a name, the only one. Raises UsageError."""
    names = [str(item.key) for item in runs.items]
    if not name and len(names) == 1:
        return runs.items[0]
    found = runs.find(name) if name else None
    if found is None:
        raise UsageError(
            f'unknown run "{name}"' if name else "no run is selected",
            at=runs.position,
            expected=", ".join(names),
            hint=did_you_mean(name, names),
            code="run-not-found",
        )
    return found


# Maximum length of a chain of base runs.
_MOST_BASES = 32


def inherited(run: MapItem, runs: Map) -> list[MapItem]:
    """A run and its bases, the lowest first. Raises UsageError."""
    chain = [run]  # the lowest base last
    while True:
        settings = chain[-1].value
        if type(settings) is not Map:
            raise _errors().not_a_run(chain[-1])
        base = settings.find("base")
        if base is None:
            return chain[::-1]
        if type(base.value) is not str:
            error = wrong(base, "the name of a run")
            if type(base.value) is Array:
                error.hint = "a run has one base, which can have a base itself"
            raise error
        below = runs.find(base.value)
        if below is None:
            raise _errors().unknown_base(base, [run for run in runs.items if run not in chain])
        if below in chain:
            raise _errors().cycle_of_bases(chain[chain.index(below) :])
        if len(chain) == _MOST_BASES:
            raise UsageError(
                f'the run "{run.key}" has too many bases',
                at=run.position,
                expected=f"at most {_MOST_BASES}",
                code="run-cycle",
            )
        chain.append(below)


def _items(steps: MapItem) -> list[ArrayItem]:
    if type(steps.value) is not Array:
        raise wrong(steps, "a list of steps")
    return steps.value.items


def _step(item: ArrayItem, number: int) -> Step:
    value = item.value
    if type(value) is not Map:
        raise UsageError(
            "a step must be a map", at=item.position, expected=_kinds(), found=kind_name(value), code="pipeline-form"
        )
    check_keys(value, (*KINDS, "name"), "a step", lambda item: _errors().step_hint(item))
    kinds = [entry for entry in value.items if entry.key in KINDS]
    if len(kinds) != 1:
        raise _errors().several_commands(item, kinds, _kinds())
    kind = kinds[0]
    name = value.find("name")
    if name is not None and type(name.value) is not str:
        raise wrong(name, "a string")
    settings = kind.value
    if kind.key == "compose" and type(settings) is str:
        settings = Map([MapItem("file", settings, kind.source, kind.line)], kind.source, kind.line)
    if settings is None:
        settings = Map([], kind.source, kind.line)
    if type(settings) is not Map:
        raise _errors().wrong_step(kind, "files" in settings_of(str(kind.key)))
    text = str(kind.key)
    known = settings_of(text)
    hint_of = None if "files" in known else lambda item: _errors().input_hint(item)
    check_keys(settings, known, f'the step "{text}"', hint_of)
    return Step(text, f"{text} {number}" if name is None else str(name.value), settings, item)


def _kinds() -> str:
    return ", ".join(KINDS)


def check_keys(
    settings: Map, known: Sequence[str], what: str, hint_of: Callable[[MapItem], str | None] | None = None
) -> None:
    """Rejects unknown settings. hint_of: a hint for an unknown one, or None. Raises UsageError."""
    for item in settings.items:
        name = name_of(item, f"a key of {what}")
        if name not in known:
            raise UsageError(
                f'unknown key "{name}" in {what}',
                at=item.position,
                expected=", ".join(known),
                hint=(hint_of(item) if hint_of is not None else None) or did_you_mean(name, known),
                code="unknown-setting",
            )


def name_of(item: MapItem, what: str, *, numbers: bool = True) -> str:
    """A key as a name. what: the subject of the error. numbers: a whole number is a name, too.

    Raises UsageError for another key: YAML reads it as a different value.
    """
    if type(item.key) is str or (numbers and type(item.key) is int):
        return str(item.key)
    is_word = type(item.key) is bool
    raise UsageError(
        f"{what} is {kind_name(item.key)}, not text",
        at=item.position,
        expected="a name",
        hint=f"{'YAML reads y, n, yes, no, on and off as true or false: ' if is_word else ''}put the name in quotes",
        code="setting-type",
    )


def wrong(item: MapItem, expected: str) -> UsageError:
    """The error for a wrong type."""
    error: UsageError = _errors().wrong_setting(item, expected)
    return error


def _errors() -> ModuleType:
    """A module for errors only."""
    from plait.engine import setting_errors

    return setting_errors


def _content(path: str) -> bytes:
    try:
        return file_content(path, f'"{path}"')
    except (OSError, ValueError) as error:
        raise _errors().unreadable(path, error) from None
