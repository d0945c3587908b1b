"""What a run may set: the long flags of its command, its arguments, and values that stand in the file itself.

Each setting becomes the words that one would type. The tables of the command line say what there is, so a new flag is
a new setting.
"""

from __future__ import annotations

import os

from plait.cli.tracing import NAMES, table
from plait.content import near
from plait.engine.options import CSV, NUMBER, READ_PATH, SWITCH, TEXT, TEXTS
from plait.errors import ReadError, UsageError
from plait.globbing import is_pattern
from plait.nodes import Array, Map, MapItem, kind_name
from plait.permissions import NETWORK, PROGRAMS, Need, origin_of
from plait.spell import did_you_mean
from plait.tools.pipeline import wrong
from plait.view import check_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.engine.options import Option
    from plait.nodes import Value
    from plait.permissions import Permissions
    from plait.source import Position

COMMANDS = NAMES

# A command's arguments, by the name of the setting; and flags by the names that steps of a pipeline give them.
ARGUMENTS = {"patch": "base", "layer": "files", "compose": "file"}
ALIASES = {"render": {"files": "file"}, "patch": {"ops": "ops-file", "vars-files": "vars-file"}}
# Values that stand in the file: data values, or variables.
VALUES = {"render": "set", "patch": "vars", "compose": "set"}


class Setting:
    """One setting of a run. name: as it is written. flag: None for an argument. items: where it is written, lowest first."""

    __slots__ = ("flag", "items", "name")

    def __init__(self, name: str, flag: Option | None, items: list[MapItem]) -> None:
        self.name = name
        self.flag = flag
        self.items = items

    def texts(self) -> Iterator[tuple[str, Position]]:
        """The texts of the setting, each with where it stands. Raises UsageError for a value of another kind."""
        kind = TEXTS if self.flag is None else self.flag.kind
        for item in self.items if kind in (TEXTS, CSV) else self.items[-1:]:
            yield from _texts_of(item, kind, is_map=self.flag is not None and "=" in self.flag.value)


def flags_of(command: str) -> dict[str, Option]:
    """The flags that are settings of a command's runs, by the name of the setting."""
    flags = {flag.name: flag for flag in table(command).flags if flag.setting}
    for alias, name in ALIASES.get(command, {}).items():
        flags[alias] = flags.pop(name)
    return flags


def settings_of(command: str, maps: Iterable[Map]) -> tuple[list[Setting], Map | None]:
    """The settings of a run, and the values that it sets. maps: those of the run and its bases, the lowest first.

    Raises UsageError for a setting that the command does not have.
    """
    flags = flags_of(command)
    argument, values = ARGUMENTS.get(command), VALUES.get(command)
    known = [name for name in (argument, *flags, values) if name is not None]
    found: dict[str, list[MapItem]] = {}
    own: Map | None = None
    for settings in maps:
        for item in settings.items:
            name = item.key
            if name not in known:
                raise UsageError(
                    f'{command} has no setting "{name}"',
                    at=item.position,
                    expected="the long name of a flag of "
                    f"plait {command}{'' if argument is None else f', or {argument}'}",
                    hint=did_you_mean(str(name), known),
                )
            if name == values:
                if type(item.value) is not Map:
                    raise wrong(item, "a map")
                for entry in item.value.items:
                    if type(entry.key) is not str:
                        # YAML takes n, y, on and the like for true or false.
                        raise UsageError("a name is a string", at=entry.position, hint="put the name in quotes")
                own = item.value if own is None else _merged(own, item.value)
            else:
                found.setdefault(str(name), []).append(item)
    return [Setting(name, flags.get(name), items) for name, items in found.items()], own


def words_of(settings: Iterable[Setting], directory: str) -> list[str]:
    """The command line that settings stand for. directory: what relative paths in them are relative to.

    Raises UsageError.
    """
    flags: list[str] = []
    arguments: list[str] = []
    for setting in settings:
        flag = setting.flag
        for text, _ in setting.texts():
            if flag is None:
                arguments.append(joined(directory, text))
            elif flag.kind == SWITCH:
                flags += [f"--{flag.name}"] if text == "true" else []
            else:
                flags.append(f"--{flag.name}={_placed(flag, text, directory)}")
    return [*arguments, *flags]


def needs_of(settings: Iterable[Setting], directory: str) -> Iterator[Need]:
    """The accesses that settings ask for, each with its line. directory: what relative paths are relative to.

    Raises UsageError for a value of another kind.
    """
    for setting in settings:
        for text, at in setting.texts():
            yield from needs_of_value(setting.flag, text, directory, at)


def needs_of_value(flag: Option | None, text: str, directory: str, at: Position | None = None) -> Iterator[Need]:
    """The accesses that one value of a flag asks for. flag: None for an argument."""
    names = READ_PATH if flag is None else flag.path
    if names is None:
        return
    if names.is_source:
        from plait.secrets.sources import Named

        source = Named(text)
        if source.program:
            yield Need(PROGRAMS, source.program, at)
    path = names.path(text)
    if "://" in path:
        yield Need(NETWORK, origin_of(path), at)
    elif path and path != "-":
        place = os.path.expanduser(path) if path.startswith("~") else joined(directory, path)
        wild = next((at for at, char in enumerate(place) if char in "*?["), None) if names.is_pattern else None
        if wild is not None:  # a pattern asks for the directory below which its files are
            place = os.path.dirname(place[:wild]) or os.curdir
        yield Need(names.access, place, at)


def check_permissions(settings: Iterable[Setting], directory: str, permissions: Permissions) -> None:
    """Raises PermissionDeniedError for a setting that asks for more than is permitted, with the line it stands in."""
    for need in needs_of(settings, directory):
        permissions.check(need)


def check_paths(settings: Iterable[Setting], directory: str) -> None:
    """Raises ReadError for a path that leads to nothing, with the line it stands in."""
    for setting in settings:
        names = READ_PATH if setting.flag is None else setting.flag.path
        if names is None or names.may_be_missing:
            continue
        for text, at in setting.texts():
            path = joined(directory, names.path(text))
            if not path or path == "-" or "://" in path:
                continue
            check_read(path, at)
            if os.path.lexists(path) or (names.is_pattern and is_pattern(path)):
                continue
            raise ReadError(f'there is nothing at "{text}"', at=at, expected="a file or a directory", hint=near(path))


def joined(directory: str, path: str) -> str:
    """A path as it is from here, for one that is relative to a directory."""
    if path == "-" or "://" in path or path.startswith("~"):
        return path
    return (directory or path) if path == os.curdir else os.path.join(directory, path)


def _placed(flag: Option, text: str, directory: str) -> str:
    if flag.path is None:
        return text
    before, path = flag.path.split(text)
    return before + joined(directory, path) if path else text


def path_in(flag: Option | None, text: str) -> str:
    """The path in the value of a setting, which may have a name before it; the value itself where it is no path."""
    return text if flag is None or flag.path is None else flag.path.path(text)


def _texts_of(item: MapItem, kind: str, *, is_map: bool) -> Iterator[tuple[str, Position]]:
    value = item.value
    if kind == SWITCH:
        if type(value) is not bool:
            raise wrong(item, "true or false")
        yield ("true" if value else "false"), item.position
    elif kind in (TEXT, NUMBER):
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
        from plait.yaml import write_value

        return write_value(value).strip()
    error = wrong(item, "a string or a list of strings")
    error.found = kind_name(value)
    raise error


def _merged(low: Map, high: Map) -> Map:
    """Two maps, the second over the first; maps in both deeply."""
    items = {item.key: item for item in low.items}
    for item in high.items:
        before = items.get(item.key)
        if before is not None and type(before.value) is Map and type(item.value) is Map:
            items[item.key] = item.with_value(_merged(before.value, item.value))
        else:
            items[item.key] = item
    return Map(list(items.values()), high.source, high.line)


def holds_paths(command: str, name: str) -> bool:
    """Whether a setting of a command's runs, or of a step, names files or directories."""
    if name == ARGUMENTS.get(command) or (command == "overlay" and name == "files"):
        return True
    flag = flags_of(command).get(name) if command in COMMANDS else None
    return flag is not None and flag.path is not None


def described(command: str) -> Sequence[tuple[str, Option | None]]:
    """Every setting of a command's runs with its flag; None for its arguments."""
    argument = ARGUMENTS.get(command)
    return [*([] if argument is None else [(argument, None)]), *flags_of(command).items()]


def typed_needs(command: str, words: Sequence[str]) -> list[Need]:
    """The accesses that typed flags and arguments of a command name. Raises UsageError."""
    found = table(command).read(words)
    needs = [Need(PROGRAMS, use.option.program) for use in found.uses if use.option.program and use.value is True]
    needs += [
        need
        for use in found.uses
        if isinstance(use.value, str) and use.option.path is not None
        for one in (_split_texts(use.option, use.value))
        for need in needs_of_value(use.option, one, "")
    ]
    return [*needs, *(need for text in found.arguments for need in needs_of_value(None, text, ""))]


def _split_texts(flag: Option, text: str) -> list[str]:
    return text.split(",") if flag.kind == CSV else [text]
