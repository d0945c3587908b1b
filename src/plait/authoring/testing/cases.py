"""Reads test files, and the tests of a project file, into cases.

    tests:
      NAME:
        run: staging            # or a command with its settings
        set: {replicas: 3}      # changes of the run
        has: Deployment/web     # expectations
        each: ...               # parameters

A case with parameters becomes one case per parameter set, which overrides the settings of the case.
"""

from __future__ import annotations

import os

from plait.authoring.project.settings import COMMANDS
from plait.authoring.testing.evaluation_target import KEYS, EvaluationTarget, subject_of
from plait.authoring.testing.expectations import KINDS, Where
from plait.authoring.testing.snapshots import Snapshot, snapshot_of
from plait.base.errors import PlaitError, UsageError
from plait.base.similar_names import near
from plait.engine.pipeline import check_keys, file_source, name_of, top_map, wrong
from plait.tree.nodes import Array, Map, MapItem, kind_name
from plait.yaml.document_names import scalar_text
from plait.yaml.inline import flow_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.testing.expectations import Expectation
    from plait.base.source import Position

# Names of expectations in other tools.
_EXPECTATIONS = frozenset(["assert", "asserts", "expect", "expected", "expects", "should", "want"])
CASE_KEYS = ("description", *KEYS, "each", "snapshot", *KINDS)
TOP_KEYS = ("defaults", "tests")
# Keys whose nested maps are merged too: values, and settings of commands.
_DEEP = ("set", "vars", *COMMANDS)
# Maximum length of a value in an id.
_LONGEST_VALUE = 40


class Case:
    """One test. id: as on the command line. file, line: its position. subject: its evaluation. expectations: about the
    outcome.
    """

    __slots__ = ("expectations", "file", "id", "line", "subject")

    def __init__(
        self, id: str, at: Position, file: str, subject: EvaluationTarget, expectations: Sequence[Expectation]
    ) -> None:
        self.id = id
        self.file = file
        self.line = at.line
        self.subject = subject
        self.expectations = expectations

    @property
    def expects_error(self) -> bool:
        """True if the run is expected to fail."""
        return any(one.expects_error for one in self.expectations)

    @property
    def snapshots(self) -> list[Snapshot]:
        """The expectations of this case that are snapshots."""
        return [one for one in self.expectations if isinstance(one, Snapshot)]

    def subjects(self) -> list[EvaluationTarget]:
        """All evaluations of this case."""
        others = [getattr(one, "subject", None) for one in self.expectations]
        return [self.subject, *(one for one in others if isinstance(one, EvaluationTarget))]


def cases_of(path: str, project: Project) -> list[Case]:
    """The cases of a test file. Raises ReadError, and UsageError with file, line and the most similar name."""
    top = top_map(file_source(path), "a test file", TOP_KEYS)
    defaults = top.find("defaults")
    if defaults is not None and type(defaults.value) is not Map:
        raise wrong(defaults, "a map of defaults")
    tests = top.find("tests")
    if tests is None:
        raise UsageError(
            'a test file needs "tests"', at=top.position, expected="a map from names to tests", code="test-form"
        )
    return _cases(tests, None if defaults is None else defaults, path, project)


def cases_of_project(project: Project) -> list[Case]:
    """The cases in a project file. Raises as `cases_of` does."""
    tests = top_map(file_source(project.path), "a project file").find("tests") if project.path else None
    return [] if tests is None else _cases(tests, None, project.path, project)


def _cases(tests: MapItem, defaults: MapItem | None, path: str, project: Project) -> list[Case]:
    if type(tests.value) is not Map:
        raise wrong(tests, "a map from names to tests")
    if defaults is not None and type(defaults.value) is Map:
        check_keys(defaults.value, [key for key in CASE_KEYS if key != "each"], '"defaults"')
    found = []
    for item in tests.value.items:
        name = name_of(item, "the name of a test")
        try:
            found += [*_of_item(item, name, defaults, path, project)]
        except PlaitError as error:
            raise error.within(f'in the test "{name}"', item.position) from None
    return found


def _unknown_key_hint(item: MapItem) -> str | None:
    """A hint for an unknown key of a test, or None."""
    if item.key in _EXPECTATIONS:
        return "equals: {PATH: VALUE} compares values; has, lacks, matches, types, count and fails check otherwise"
    if item.key == "name":
        return "the key of a test is its name"
    if type(item.key) is str and ("/" in item.key or ":" in item.key) and item.value is not None:
        return f"a PATH belongs below an expectation: equals: {{{flow_text(item.key)}: {flow_text(item.value)}}}"
    if item.key in ("values", "data-values"):
        return "set: {NAME: VALUE} changes data values for a test"
    return None


def _of_parameter(item: MapItem) -> str | None:
    """A hint for an unknown key of a parameter, which is probably a value; or None."""
    if near(str(item.key), CASE_KEYS):
        return None
    return _unknown_key_hint(item) or f"set: {{{flow_text(item.key)}: {flow_text(item.value)}}} changes a data value"


def _of_item(item: MapItem, name: str, defaults: MapItem | None, path: str, project: Project) -> Iterator[Case]:
    settings = item.value
    if type(settings) is not Map:
        raise UsageError(
            f'the test "{name}" is not a map',
            at=item.position,
            expected="a map",
            found=kind_name(settings),
            code="test-form",
        )
    check_keys(settings, CASE_KEYS, "a test", _unknown_key_hint)
    if defaults is not None and type(defaults.value) is Map:
        settings = _over(defaults.value, settings)
    each = settings.find("each")
    settings = settings.with_items([one for one in settings.items if one is not each])
    if each is None:
        yield _case(name, settings, item.position, path, project)
        return
    names: set[str] = set()
    for parameter, changes, at in _parameters(each, settings, project):
        if parameter in names:
            raise UsageError(f'two parameters have the name "{parameter}"', at=at, code="duplicate-name")
        names.add(parameter)
        yield _case(f"{name}[{parameter}]", _over(settings, changes), at, path, project)


def _case(name: str, settings: Map, at: Position, path: str, project: Project) -> Case:
    directory = os.path.dirname(path)

    def other(item: MapItem) -> EvaluationTarget:
        """The evaluation of a `same-as`. A run that is only named has the settings of the case, too."""
        if type(item.value) is Map:
            check_keys(item.value, KEYS, f'"{item.key}"')
            return subject_of(item.value, item.position, project, directory)
        named = MapItem("run", item.value, item.source, item.line)
        return subject_of(Map([named], item.source, item.line), item.position, project, directory)

    where = Where(directory, other)
    expectations: list[Expectation] = []
    for item in settings.items:
        if item.key == "snapshot":
            expectations += snapshot_of(item, path, name)
        elif item.key in KINDS:
            expectations += KINDS[str(item.key)][0](item, where)
    fails = settings.find("fails")
    if fails is not None and any(not one.expects_error for one in expectations):
        raise UsageError(
            "a run that fails has no output to check",
            at=fails.position,
            hint="split it into two tests",
            code="test-form",
        )
    subject = subject_of(settings, at, project, directory)
    return Case(f"{path.replace(os.sep, '/')}::{name}", at, path, subject, expectations)


def _parameters(each: MapItem, case: Map, project: Project) -> Iterator[tuple[str, Map, Position]]:
    """The parameters of a case: their names, and their changes."""
    if type(each.value) is Map:
        for item in each.value.items:
            if type(item.value) is not Map:
                error = wrong(item, "a map of different settings")
                error.hint = _list_of_values(each.value) or error.hint
                raise error
            check_keys(item.value, [key for key in CASE_KEYS if key != "each"], "a parameter", _of_parameter)
            yield name_of(item, "the name of a parameter"), item.value, item.position
    elif type(each.value) is Array:
        key = "vars" if _command(case, project) == "patch" else "set"
        for one in each.value.items:
            if type(one.value) is not Map:
                raise UsageError(
                    'an item of "each" is not a map',
                    at=one.position,
                    expected="maps of values",
                    found=kind_name(one.value),
                    hint=f"name the value: {{NAME: {flow_text(one.value)}}}",
                    code="test-form",
                )
            values = one.value
            name = ",".join(f"{scalar_text(item.key)}={_shown(item)}" for item in values.items)
            yield name, Map([MapItem(key, values, one.source, one.line)], one.source, one.line), one.position
    else:
        error = wrong(each, "a list of maps of values, or a map from names to different settings")
        error.hint = f"each: [{{NAME: {flow_text(each.value)}}}]" if each.value is not None else error.hint
        raise error


def _list_of_values(each: Map) -> str | None:
    """The hint for a map of values in place of a list: the first sets of them. None if other items are settings."""
    if any(type(one.value) is Map for one in each.items):
        return None
    columns = [
        [inner.value for inner in one.value.items[:_SETS_SHOWN]] if type(one.value) is Array else [one.value]
        for one in each.items
    ]
    sets = []
    for place in range(max(map(len, columns))):
        chosen = [(one, column[place]) for one, column in zip(each.items, columns, strict=True) if place < len(column)]
        sets.append(flow_text(each.with_items([one.with_value(value) for one, value in chosen])))
    return f"a list has a map for each test: each: [{', '.join(sets)}]"


_SETS_SHOWN = 3


def _shown(item: MapItem) -> str:
    text = item.value if type(item.value) is str else flow_text(item.value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def _command(case: Map, project: Project) -> str:
    """The command of a case, if it is valid; else ""."""
    named = next((str(item.key) for item in case.items if item.key in COMMANDS), "")
    run = case.find("run")
    if not named:
        try:
            found = next(iter(project.runs.values()), None) if run is None else project.run(str(run.value))
        except UsageError:
            found = None
        named = "" if found is None else found.command
    return named


def _over(low: Map, high: Map, *, deep: bool = False) -> Map:
    """The settings of a case over others: maps are merged, other values replaced.

    deep: merge nested maps as well.
    """
    items = {item.key: item for item in low.items}
    for item in high.items:
        before = items.get(item.key)
        inner = deep or item.key in _DEEP
        if before is not None and type(before.value) is Map and type(item.value) is Map:
            merged = _over(before.value, item.value, deep=True) if inner else _range(before.value, item.value)
            items[item.key] = item.with_value(merged)
        else:
            items[item.key] = item
    return Map(list(items.values()), high.source, high.line)


def _range(low: Map, high: Map) -> Map:
    return Map(list({item.key: item for item in (*low.items, *high.items)}.values()), high.source, high.line)
