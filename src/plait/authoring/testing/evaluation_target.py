"""The subject of a case: a run of the project with the case's changes, or a command with its own settings."""

from __future__ import annotations

from plait.authoring.project.run import Run
from plait.authoring.project.settings import COMMANDS, Setting, check, options_of, settings_of, uses_of, values_of
from plait.base.errors import PlaitError, UsageError
from plait.base.limits import parse
from plait.base.similar_names import listed
from plait.base.suggestions import replacing
from plait.tree.nodes import Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.base.source import Position
    from plait.engine.options import Request, Use

# Arguments of a run that a case can replace, in addition to flags.
REPLACED = {"files": ("render", "layer"), "ops": ("patch",)}
# The names of data values and variables that a case may set.
VALUES = ("set", "vars")
# Keys that select the evaluation, in a case and below `same-as`.
KEYS = ("run", *COMMANDS, *REPLACED, *VALUES, "limit")
# Default time limit of a case; --limit overrides it.
SECONDS = 60


class EvaluationTarget:
    """The evaluation of a case. run: with the values that the case sets. settings: flags of the case; directory: base
    of their paths. limits: by name. at: the case. key: equal for equal evaluations.
    """

    __slots__ = ("at", "directory", "key", "limits", "run", "settings", "uses")

    def __init__(
        self, run: Run, settings: Sequence[Setting], directory: str, limits: Mapping[str, float], at: Position
    ) -> None:
        """Raises UsageError for a setting of the wrong type."""
        self.run = run
        self.settings = settings
        self.directory = directory
        self.limits = {"seconds": SECONDS, **limits}
        self.at = at
        self.uses = uses_of(settings, directory)
        self.key: Hashable = (run.command, *self.request().key)

    def request(self, *more: Use) -> Request:
        """The request of the evaluation. more: uses after those of the case."""
        return self.run.request(typed=[*self.uses, *more])

    def check(self) -> None:
        """Raises PermissionDeniedError for a path that is not permitted, ReadError for a missing one."""
        self.run.check()
        check(self.settings, self.directory, self.run.permissions)


def subject_of(case: Map, at: Position, project: Project, directory: str) -> EvaluationTarget:
    """The subject of a case's settings. directory: the directory of its file. Raises UsageError with the position."""
    commands = [item for item in case.items if item.key in COMMANDS]
    if len(commands) > 1:
        raise UsageError(
            "a test must evaluate exactly one command",
            at=commands[1].position,
            expected=f"one of {', '.join(COMMANDS)}",
            found=listed([str(one.key) for one in commands]),
            hint="write a test for each",
            code="test-form",
        )
    named = case.find("run")
    if named is not None and named.value is None:  # a null value removes it, whatever the default
        named = None
    if named is not None or not commands:
        base = _run(project, named, at)
    else:
        base = Run("", str(commands[0].key), (), None, directory, None)
        base.permissions, base.project_stores = project.permissions, project.stores
    if commands and commands[0].key != base.command:
        raise UsageError(
            f'the command of the run "{base.name}" is not {commands[0].key}',
            at=commands[0].position,
            expected=f'"{base.command}"',
            code="test-form",
        )

    maps = []
    for item in commands:
        if item.value is not None and type(item.value) is not Map:
            raise UsageError(
                f'the value of "{item.key}" is not a map',
                at=item.position,
                expected="a map of settings",
                code="test-form",
            )
        maps += [] if item.value is None else [item.value]
    option = values_of(base.command)
    values = None if option is None else option.setting
    for name in VALUES:
        found = case.find(name)
        if found is not None and name != values:
            raise UsageError(
                f'unknown key "{name}" in a test of {base.command}',
                at=found.position,
                hint=None if values is None else replacing(name, [values], f'did you mean "{values}"?'),
                code="test-form",
            )
        if found is not None:
            maps.append(_only(found, name))
    if base.given is not None and values is not None:
        maps.insert(0, _only(MapItem(values, base.given, base.given.source, base.given.line), values))
    settings, given = settings_of(base.command, maps)
    kept = list(base.settings)
    for name, of in REPLACED.items():
        found = case.find(name)
        if found is None:
            continue
        if base.command not in of:
            raise UsageError(f'unknown key "{name}" in a test of {base.command}', at=found.position, code="test-form")
        kept = [one for one in kept if one.name != name]
        settings = [Setting(name, options_of(base.command)[name], [found]), *settings]
    limit = case.find("limit")
    limits: Mapping[str, float] = {}
    if limit is not None:
        flag = Setting("limit", options_of(base.command)["limit"], [limit])
        settings.append(flag)
        limits = _limits(flag, limit.position)
    run = Run(base.name, base.command, kept, given, base.directory, base.at, uses=base.uses, why=base.why)
    run.permissions, run.project_stores = base.permissions, base.project_stores
    return EvaluationTarget(run, settings, directory, limits, at)


def _only(item: MapItem, name: str) -> Map:
    return Map([MapItem(name, item.value, item.source, item.line)], item.source, item.line)


def _run(project: Project, named: MapItem | None, at: Position) -> Run:
    if named is not None and type(named.value) is not str:
        raise UsageError(
            'the value of "run" is not a name', at=named.position, expected="the name of a run", code="test-form"
        )
    name = "" if named is None else str(named.value)
    try:
        return project.run(name)
    except UsageError as error:
        if error.at is None:
            error.at = at if named is None else named.position
        if not name and not project.runs:
            error.hint = "name the command of the test: render, patch, layer or compose, with its settings"
        elif not name:
            error.hint = "add run: NAME to the test, or to the file's defaults"
        raise


def _limits(flag: Setting, at: Position) -> Mapping[str, float]:
    try:
        return parse([text for text, _ in flag.texts()]).given
    except PlaitError as error:
        error.at = at
        raise
