"""The settings of runs: options of their command, and values in the project file.

A setting becomes uses of its option, each with its line as the origin. A new option is automatically a new setting.
"""

from __future__ import annotations

import os

from plait.authoring import project as package
from plait.base.errors import UsageError
from plait.base.globbing import is_pattern
from plait.base.input_view import check_read
from plait.base.limits import DURATIONS, TABLE, parse
from plait.base.permissions import ENVIRONMENT, LIMITS, NETWORK, PROGRAMS, READ, Need, origin_of
from plait.engine import DIALECTS, dialect
from plait.engine.common import LIMIT
from plait.engine.options import CSV, LISTS, MAP, NUMBER, SWITCH, TEXT, Use, merged
from plait.engine.pipeline import name_of, wrong
from plait.tree.nodes import Array, Map, MapItem, kind_name
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.base.permissions import Permissions
    from plait.base.source import Position
    from plait.engine.options import Option
    from plait.tree.nodes import Value

COMMANDS = DIALECTS


class Setting:
    """One setting of a run. items: its positions in the file, the lowest precedence first."""

    __slots__ = ("items", "name", "option")

    def __init__(self, name: str, option: Option, items: list[MapItem]) -> None:
        self.name = name
        self.option = option
        self.items = items

    def texts(self) -> Iterator[tuple[str, Position]]:
        """The strings of the setting, each with its position. Raises UsageError for a value of another type."""
        kind = self.option.kind
        for item in self.items if kind in LISTS or self.option.is_argument else self.items[-1:]:
            yield from _texts_of(item, kind, is_map="=" in self.option.value, is_argument=self.option.is_argument)

    def paths(self, directory: str) -> list[str]:
        """The absolute paths that the setting names. directory: base of relative paths.

        Raises UsageError for a value of another type.
        """
        return [os.path.abspath(joined(directory, path_in(self.option, text))) for text, _ in self.texts()]

    def uses(self, directory: str) -> Iterator[Use]:
        """The uses of the setting. directory: base of relative paths.

        Raises UsageError for a value of another type.
        """
        for text, at in self.texts():
            if self.option.kind == SWITCH:
                if text == "true":
                    yield Use(self.option, value=True, origin=at)
            else:
                try:
                    placed = _placed(self.option, text, directory)
                except UsageError as error:
                    error.at = error.at or at
                    raise
                yield Use(self.option, placed, at)


def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command that are settings of its runs, by setting name, including the option for values."""
    return {one.setting: one for one in dialect(command).options if one.setting}


def values_of(command: str) -> Option | None:
    """The option for data values or variables in the file; None if the command has none."""
    return next((one for one in dialect(command).options if one.kind == MAP), None)


def settings_of(command: str, maps: Iterable[Map]) -> tuple[list[Setting], Map | None]:
    """The settings of a run, and the values that it sets. maps: those of the run and its bases, the lowest first.

    Raises UsageError for a setting that the command does not have.
    """
    options = options_of(command)
    found: dict[str, list[MapItem]] = {}
    own: Map | None = None
    for settings in maps:
        for item in settings.items:
            option = options.get(name_of(item, f"a setting of {command}"))
            if option is None:
                argument = dialect(command).argument.setting
                raise UsageError(
                    f'{command} has no setting "{item.key}"',
                    at=item.position,
                    expected=f"{f'{argument}, or ' if argument else ''}a flag of plait {command} without its dashes",
                    hint=package.unknown_names.setting_hint(item, options, command, commands_with(str(item.key))),
                    code="unknown-setting",
                )
            if option.kind == MAP:
                if type(item.value) is not Map:
                    raise wrong(item, "a map")
                for entry in item.value.items:
                    name_of(entry, f'a name in "{item.key}"', numbers=False)
                own = item.value if own is None else merged(own, item.value)
            else:
                found.setdefault(option.setting, []).append(item)
    return [Setting(name, options[name], items) for name, items in found.items()], own


def commands_with(setting: str) -> list[str]:
    """The commands of runs that have a setting."""
    return [one for one in COMMANDS if setting in options_of(one)]


def uses_of(settings: Iterable[Setting], directory: str) -> list[Use]:
    """The uses of settings, arguments first, in the order of a command line. Raises UsageError."""
    found = [use for one in settings for use in one.uses(directory)]
    return sorted(found, key=lambda one: not one.option.is_argument)


def needs_of(settings: Iterable[Setting], directory: str) -> Iterator[Need]:
    """The accesses that settings request, each with its line. directory: base of relative paths.

    Raises UsageError for a value of another type.
    """
    for setting in settings:
        for text, at in setting.texts():
            yield from needs_of_value(setting.option, text, directory, at)


def needs_of_value(option: Option, text: str, directory: str, at: Position | None = None) -> Iterator[Need]:
    """The accesses that one value of an option requests."""
    if option.name == LIMIT.name and _exceeds_ceiling(text):
        yield Need(LIMITS, text, at)
    if option.environment and (option.kind != SWITCH or text == "true"):
        yield Need(ENVIRONMENT, option.variables(text), at)
    names = option.path
    if names is None:
        return
    if names.is_source:
        from plait.engine.secret_sources import Named

        try:
            source = Named(text)
        except UsageError as error:
            error.at = at
            raise
        if source.program:
            yield Need(PROGRAMS, source.program, at)
    path = names.path(text)
    if "://" in path:
        yield Need(NETWORK, origin_of(path), at)
    elif path and path != "-":
        place = os.path.expanduser(path) if path.startswith("~") else joined(directory, path)
        wild = next((at for at, char in enumerate(place) if char in "*?["), None) if names.is_pattern else None
        if wild is not None:  # a pattern requests the directory of its files
            place = os.path.dirname(place[:wild]) or os.curdir
        yield Need(names.access, place, at)


def check(settings: Iterable[Setting], directory: str, permissions: Permissions | None) -> None:
    """Raises PermissionDeniedError for a setting that requests more than is permitted, ReadError for a missing path,
    UsageError for a value of another type; each with the line.
    """
    asked = [(setting.option, text, at) for setting in settings for text, at in setting.texts()]
    if permissions is not None:
        for option, text, at in asked:
            for need in needs_of_value(option, text, directory, at):
                permissions.check(need)
    for option, text, at in asked:
        names = option.path
        if names is None:
            continue
        path = joined(directory, names.path(text))
        if path == "-" and names.access == READ:
            # Standard input comes from the user's pipe, or from an editor.
            raise UsageError(
                "standard input can only be named on the command line",
                at=at,
                hint="remove it, and add it after the name of the run",
                code="standard-input",
            )
        if names.may_be_missing or path in ("", "-") or "://" in path:
            continue
        if permissions is None:
            check_read(path, at)
        elif names.is_pattern:  # a link may lead out of the requested directory
            permissions.check_read(path, at)
        if os.path.lexists(path) or (names.is_pattern and is_pattern(path)):
            continue
        from plait.base.path_errors import read_failure

        hint = package.unknown_names.path_hint(text, option.setting, directory)
        raise read_failure(path, subject=f'"{text}"', at=at, expected="a file or a directory", hint=hint)


def joined(directory: str, path: str) -> str:
    """A path relative to a directory, as a path relative to the working directory."""
    if path == "-" or "://" in path or path.startswith("~"):
        return path
    if path == os.curdir:
        return directory or path
    whole = os.path.join(directory, path)
    if directory and path.startswith(os.curdir):
        short = os.path.normpath(whole)
        # `..` behind a link leads elsewhere.
        return short if os.path.realpath(short) == os.path.realpath(whole) else whole
    return whole


def _placed(option: Option, text: str, directory: str) -> str:
    if option.path is None:
        return text
    before, path = option.path.split(text)
    return before + joined(directory, path) if path else text


def rebased(option: Option, text: str, directory: str, top: str) -> str:
    """The value of an option, with its path relative to `top` instead of `directory`. Absolute paths, URLs, `-` and `~`
    are unchanged. directory: relative to the working directory.
    """
    if option.path is None:
        return text
    before, path = option.path.split(text)
    if not path or path == "-" or "://" in path or path.startswith("~") or os.path.isabs(path):
        return text
    return before + os.path.relpath(joined(directory, path), top)


def path_in(option: Option, text: str) -> str:
    """The path in the value of a setting, without a preceding name; the value itself if it is not a path."""
    return text if option.path is None else option.path.path(text)


def _texts_of(item: MapItem, kind: str, *, is_map: bool, is_argument: bool) -> Iterator[tuple[str, Position]]:
    value = item.value
    if kind == SWITCH:
        if type(value) is not bool:
            raise wrong(item, "true or false")
        yield ("true" if value else "false"), item.position
    elif kind in (TEXT, NUMBER) and not is_argument:
        yield _scalar(value, item), item.position
    elif type(value) is Array:
        for one in value.items:
            yield _scalar(one.value, item), one.position
    elif type(value) is Map and is_map:
        for entry in value.items:
            yield f"{entry.key}={_scalar(entry.value, entry)}", entry.position
    elif value is not None:
        yield _scalar(value, item), item.position


def _scalar(value: Value, item: MapItem) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if type(value) is float or type(value) is bool:
        return write_value(value).strip()
    error = wrong(item, "a string or a list of strings")
    error.found = kind_name(value)
    raise error


def is_path_setting(command: str, name: str) -> bool:
    """True if the value of this setting of a run or step is a path."""
    if command == "overlay" and name == "files":
        return True
    option = options_of(command).get(name) if command in COMMANDS else None
    return option is not None and option.path is not None


def needs_of_uses(uses: Iterable[Use]) -> list[Need]:
    """The accesses that flags and arguments on the command line request."""
    typed = [one for one in uses if isinstance(one.value, str) and (one.option.path or one.option.environment)]
    return [
        *(Need(PROGRAMS, one.option.program) for one in uses if one.option.program and one.value is True),
        *(Need(ENVIRONMENT, one.option.environment) for one in uses if one.option.environment and one.value is True),
        *(need for one in typed for text in _split_texts(one) for need in needs_of_value(one.option, text, "")),
    ]


def _split_texts(use: Use) -> list[str]:
    return use.value.split(",") if use.option.kind == CSV else [use.value]


# A project or test file may raise a limit to at most this multiple of its default; `seconds` not at all.
_CEILING = 8


def _exceeds_ceiling(text: str) -> bool:
    """True if a limit NAME=VALUE exceeds the maximum that a project or test file may set without a permission.

    False for an invalid limit, which is reported elsewhere.
    """
    try:
        given = parse([text]).given
    except UsageError:
        return False
    return any(value > TABLE[name][0] * (1 if name in DURATIONS else _CEILING) for name, value in given.items())
