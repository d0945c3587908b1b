"""The matrix of a run: one run for each combination of axis values (docs/fleet.md).

    matrix:
      axes: {region: [eu, us], site: {directories: sites}}
      exclude: [{region: us, site: paris}]
      output: "{region}/{site}/"

Settings of the run contain axis names in braces, which each environment replaces by its value.
"""

from __future__ import annotations

import csv
import os
import re

from plait.authoring import project as package
from plait.base.errors import UsageError
from plait.base.globbing import matches
from plait.base.input_view import check_read, may_read, permitted
from plait.base.path_errors import read_failure
from plait.base.similar_names import counted, did_you_mean
from plait.base.source import Position
from plait.engine.pipeline import check_keys, file_source, name_of, wrong
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, kind_name, walk
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.authoring.project.run import Run
    from plait.base.permissions import Permissions
    from plait.base.source import Source
    from plait.tree.nodes import Value

    Scalar: TypeAlias = "str | int | float | bool"

KEYS = ("axes", "environments", "exclude", "include", "name", "output")
SOURCES = ("directories", "files")
# Maximum number of environments. More are probably a mistake in an axis.
MOST = 1_000_000
# Maximum number of axes. Each is a part of every environment's name.
MOST_AXES = 1_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_HOLE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_-]*(?:\.path)?)\}")
# Placeholders of Helm, Jinja, workflows and operations files.
_FOREIGN_HOLE = re.compile(
    r"(?<![{$])\$?\{\{ *(?:[A-Za-z_]*\.)*(?P<name>[A-Za-z_][A-Za-z0-9_-]*) *\}\}(?!\})|\(\((?P<variable>[A-Za-z_][A-Za-z0-9_-]*)\)\)"
)
_WILD = re.compile(r"[*?\[]")


def _axis_form(item: MapItem) -> str | None:
    """A hint for an axis that is written next to `axes`, or None."""
    value = item.value
    if type(value) is Map:
        inner = ", ".join(f"{one.key}: {one.value}" for one in value.items if type(one.value) is str)
        is_listing = bool(inner) and all(one.key in SOURCES for one in value.items)
        return f"axes: {{{item.key}: {{{inner}}}}}" if is_listing else None
    if type(value) is Array:
        return f"axes: {{{item.key}: [...]}}"
    return f"axes: {{{item.key}: [{scalar_text(value)}]}}" if isinstance(value, (str, int, float)) else None


class AxisValue:
    """A value of an axis. path: its file or directory, relative to the project file, or ""."""

    __slots__ = ("at", "path", "text", "value")

    def __init__(self, value: Scalar, path: str = "", at: Position | None = None) -> None:
        self.at = at
        self.value = value
        self.path = path
        self.text = scalar_text(value)


def scalar_text(value: Scalar) -> str:
    """A value as part of a name or a path."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


class Environment:
    """One environment. name: its run. choices: its value on each axis. output: the destination of its
    results.
    """

    __slots__ = ("choices", "name", "output")

    def __init__(self, name: str, choices: Mapping[str, AxisValue], output: str) -> None:
        self.name = name
        self.choices = choices
        self.output = output

    @property
    def description(self) -> str:
        """The values on its axes as a text."""
        return ", ".join(f"{axis}: {choice.text}" for axis, choice in self.choices.items())

    @property
    def values(self) -> dict[str, Scalar]:
        """The value on each axis."""
        return {axis: choice.value for axis, choice in self.choices.items()}


class Matrix:
    """A run with one environment per combination of values. name: the name of the run. at: its position.
    settings: as in the file.

    command, description: for its runs. maps: their settings, those of bases first. make:
    creates a run from a name and settings. permissions, project_stores: from the project.
    """

    __slots__ = (
        "_make", "at", "command", "description", "directory", "maps", "name", "permissions", "project_stores", "settings",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        settings: Map,
        at: Position,
        directory: str,
        command: str,
        maps: Sequence[Map],
        make: Callable[[str, Sequence[Map]], Run],
        permissions: Permissions | None = None,
    ) -> None:
        check_keys(settings, KEYS, "a matrix", _axis_form)
        self.name = name
        self.settings = settings
        self.at = at
        self.directory = directory
        self.command = command
        self.maps = maps
        self._make = make
        self.permissions = permissions
        self.project_stores: Container[str] = ()
        self.description = ""

    def cells(self) -> list[Environment]:
        """The environments, in the order of the axes. Raises UsageError, ReadError."""
        with permitted(self.permissions):
            rows = self._rows()
        axes = list(rows[0]) if rows else []
        self._check_placeholders(axes)
        rows = self._without(rows, axes)
        rows += self._included(axes)
        if not rows:
            raise UsageError("the matrix has no environment", at=self.at, code="matrix")
        name = self._pattern("name") or "/".join([self.name.replace("{", "{{"), *(f"{{{axis}}}" for axis in axes)])
        output = self._pattern("output")
        found = []
        for row in rows:
            called = self._filled("name", name, row)
            found.append(
                Environment(called, row, f"{called}/" if output is None else self._filled("output", output, row))
            )
        return found

    def _check_placeholders(self, axes: Sequence[str]) -> None:
        """Raises UsageError for a placeholder of another program with the name of an axis: nothing fills it. One that may
        be meant literally, in double parentheses or braces without spaces, is accepted if a setting uses the axis.
        """
        items = [item for settings in self.maps for item in walk(settings)]
        texts = [(item.value, item.position) for item in items if type(item.value) is str]
        used = {hole[1].partition(".")[0] for text, _ in texts for hole in _HOLE.finditer(text) if hole[1] is not None}
        for text, at in texts:
            for hole in _FOREIGN_HOLE.finditer(text):
                axis = hole["name"] or hole["variable"]
                is_literal = hole[0] in (f"{{{{{axis}}}}}", f"(({axis}))")
                if axis in axes and not (is_literal and axis in used):
                    raise UsageError(
                        f'"{hole[0]}" is not the value of the axis "{axis}"',
                        at=at,
                        expected=f"{{{axis}}}",
                        hint=f"an axis is written in braces: {text.replace(hole[0], f'{{{axis}}}')}",
                        code="matrix",
                    )

    def run(self, cell: Environment) -> Run:
        """The run of an environment. Raises UsageError for a name in braces that is not an axis."""
        maps = [_substituted(settings, cell.choices) for settings in self.maps]
        run = self._make(cell.name, maps)
        run.permissions, run.project_stores = self.permissions, self.project_stores
        run.choices = [(f"{axis}: {one.text}", one.at) for axis, one in cell.choices.items() if one.at is not None]
        return run

    @staticmethod
    def literals(text: str) -> list[str]:
        """The parts of a text before, between and after the names of axes in braces."""
        out, end = [""], 0
        for hole in _HOLE.finditer(text):
            out[-1] += text[end : hole.start()]
            if hole[1] is None:
                out[-1] += hole[0][0]
            else:
                out.append("")
            end = hole.end()
        out[-1] += text[end:]
        return out

    def _pattern(self, key: str) -> str | None:
        item = self.settings.find(key)
        if item is None:
            return None
        if type(item.value) is not str or not item.value:
            raise wrong(item, "a string with the names of axes in braces")
        return item.value

    def _filled(self, key: str, pattern: str, row: Mapping[str, AxisValue]) -> str:
        item = self.settings.find(key)
        return str(filled(pattern, row, self.at if item is None else item.position))

    def _rows(self) -> list[dict[str, AxisValue]]:
        """Every environment of the axes and of the list of environments."""
        rows: list[dict[str, AxisValue]] = [{}]
        listed = self.settings.find("environments")
        axes = self.settings.find("axes")
        if listed is not None:
            rows = _environments(listed, self.directory)
        if axes is not None:
            if type(axes.value) is not Map:
                raise wrong(axes, "a map from axes to their values")
            if len(axes.value.items) > MOST_AXES:
                raise UsageError(f"the matrix has more than {MOST_AXES} axes", at=axes.position, code="matrix")
            for item in axes.value.items:
                name = _axis_name(item)
                if rows and name in rows[0]:
                    raise UsageError(f'two axes have the name "{name}"', at=item.position, code="duplicate-name")
                choices = _choices(item, self.directory)
                if len(rows) * len(choices) > MOST:
                    raise UsageError(f"the matrix has more than {MOST} environments", at=self.at, code="matrix")
                rows = [{**row, name: choice} for row in rows for choice in choices]
        return [] if rows == [{}] else rows

    def _without(self, rows: list[dict[str, AxisValue]], axes: Sequence[str]) -> list[dict[str, AxisValue]]:
        for entry in _entries(self.settings.find("exclude")):
            wanted = {name: choice.text for name, choice in _row(entry, axes).items()}
            kept = [row for row in rows if any(row[name].text != text for name, text in wanted.items())]
            if len(kept) == len(rows):
                raise _excludes_none(entry.position, wanted, rows)
            rows = kept
        return rows

    def _included(self, axes: list[str]) -> list[dict[str, AxisValue]]:
        found = []
        for entry in _entries(self.settings.find("include")):
            row = _row(entry, axes)
            if not axes:
                axes += row
            missing = [name for name in axes if name not in row]
            if missing:
                raise UsageError("an included environment needs a value on each axis", at=entry.position,
                                 expected=", ".join(axes), found=", ".join(row), code="matrix")  # fmt: skip
            found.append({name: row[name] for name in axes})
        return found


def _excludes_none(at: Position, wanted: Mapping[str, str], rows: Sequence[Mapping[str, AxisValue]]) -> UsageError:
    for name, text in wanted.items():
        values = list(dict.fromkeys(row[name].text for row in rows))
        if text not in values:
            return UsageError(
                f'this excludes no environment: none has "{text}" on the axis "{name}"',
                at=at,
                expected=", ".join(values[:_MOST_VALUES]),
                found=text,
                hint=did_you_mean(text, values) or "correct the value, or remove the entry",
                code="matrix",
            )
    return UsageError(
        "this excludes no environment: each value exists, but no environment has all of them",
        at=at,
        found=", ".join(f"{name}={text}" for name, text in wanted.items()),
        hint="correct one of the values, or remove the entry",
        code="matrix",
    )


# Maximum number of values of an axis in a message.
_MOST_VALUES = 12


def filled(pattern: str, row: Mapping[str, AxisValue], at: Position | None) -> Scalar:
    """A string with axis names replaced by their values; the value itself if the string is one name in braces.

    `{{` and `}}` are literal braces. Raises UsageError for a name that is not an axis.
    """
    whole = _HOLE.fullmatch(pattern)
    if whole is not None and whole[1] is not None and "." not in whole[1]:
        return _chosen(whole[1], row, at).value

    def put(hole: re.Match[str]) -> str:
        if hole[1] is None:
            return hole[0][0]
        name, _, part = hole[1].partition(".")
        choice = _chosen(name, row, at)
        if part and not choice.path:
            raise UsageError(f'the axis "{name}" has no paths', at=at, hint=f"{{{name}}} is its value", code="matrix")
        return choice.path if part else choice.text

    return _HOLE.sub(put, pattern)


def _chosen(name: str, row: Mapping[str, AxisValue], at: Position | None) -> AxisValue:
    found = row.get(name)
    if found is None:
        raise UsageError(
            f'"{{{name}}}" is not an axis',
            at=at,
            expected=", ".join(row),
            hint=package.unknown_names.axis_hint(name, row),
            code="matrix",
        )
    return found


def _substituted(settings: Map, row: Mapping[str, AxisValue]) -> Map:
    values: list[Value] = [_value(item.value, row, item.position) for item in settings.items]
    return settings.with_values(values)


def _value(value: Value, row: Mapping[str, AxisValue], at: Position) -> Value:
    if type(value) is str:
        return filled(value, row, at) if "{" in value or "}}" in value else value
    if type(value) is Map:
        return _substituted(value, row)
    if type(value) is Array:
        values = [_value(item.value, row, item.position) for item in value.items]
        return Array(
            [item.with_value(one) for item, one in zip(value.items, values, strict=True)], value.source, value.line
        )
    return value


def _axis_name(item: MapItem) -> str:
    name = name_of(item, "the name of an axis")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f'"{name}" is not a valid axis name',
            at=item.position,
            expected="letters, digits, - and _, not a digit first",
            hint=package.unknown_names.axis_name_hint(name, name),
            code="matrix",
        )
    return name


def _entries(item: MapItem | None) -> Iterator[ArrayItem]:
    """The maps of a list, as array items with positions."""
    if item is None or item.value is None:
        return
    if type(item.value) is not Array:
        raise wrong(item, "a list of maps from axes to values")
    yield from item.value.items


def _row(entry: ArrayItem, axes: Sequence[str]) -> dict[str, AxisValue]:
    """The axis values in a map. axes: the declared axes, empty if they are not known yet."""
    if type(entry.value) is not Map or not entry.value.items:
        raise UsageError(
            "an environment must be a map from axes to values",
            at=entry.position,
            found=kind_name(entry.value),
            code="matrix",
        )
    row: dict[str, AxisValue] = {}
    for item in entry.value.items:
        name = _axis_name(item)
        if axes and name not in axes:
            raise UsageError(
                f'unknown axis "{name}"',
                at=item.position,
                expected=", ".join(axes),
                hint=did_you_mean(name, axes) or "use one of the axes; to add an axis, add it to `axes`",
                code="matrix",
            )
        row[name] = AxisValue(_scalar(item.value, item.position), at=item.position)
    return row


def _scalar(value: Value, at: Position) -> Scalar:
    if isinstance(value, str | int | float):
        return value
    raise UsageError(
        "an axis value must be a string, a number, true or false", at=at, found=kind_name(value), code="matrix"
    )


def _choices(item: MapItem, directory: str) -> list[AxisValue]:
    """The values of an axis. Raises UsageError, ReadError."""
    value = item.value
    if type(value) is Array:
        found = [AxisValue(_scalar(one.value, one.position), at=one.position) for one in value.items]
    elif type(value) is Map and len(value.items) == 1 and value.items[0].key in SOURCES:
        source = value.items[0]
        if type(source.value) is not str:
            raise wrong(source, "a path")
        list_them = _directories if source.key == "directories" else _files
        found = list_them(source.value, directory, source.position)
    else:
        error = wrong(item, "a list of values, {directories: PATH} or {files: PATTERN}")
        if type(value) in (str, int, float, bool):
            error.hint = f"a list with one value: {item.key}: [{value}]"
        raise error
    if not found:
        raise UsageError(f'the axis "{item.key}" has no value', at=item.position, code="matrix")
    return found


def _directories(path: str, directory: str, at: Position) -> list[AxisValue]:
    """A value for each subdirectory of a directory."""
    check_read(os.path.join(directory, path), at)
    try:
        with os.scandir(os.path.join(directory, path)) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    except OSError as error:
        raise read_failure(os.path.join(directory, path), error, subject=f'"{path}"', doing="list", at=at) from None
    return [AxisValue(name, f"{path.rstrip('/')}/{name}") for name in names]


def _files(pattern: str, directory: str, at: Position) -> list[AxisValue]:
    """A value for each file that matches a pattern: the text that its wildcards match."""
    first = _WILD.search(pattern)
    if first is None:
        raise UsageError(
            "the pattern has no wildcard", at=at, found=pattern, hint="such as environments/*.yml", code="matrix"
        )
    head = pattern.rfind("/", 0, first.start()) + 1
    tail = re.split(r"[*?\]]", pattern)[-1]
    check_read(os.path.join(directory, os.path.dirname(pattern[: first.start()])), at)
    paths = [path.replace(os.sep, "/") for path in matches(pattern, directory)]
    found = [
        path for path in paths for place in [os.path.join(directory, path)] if may_read(place) and os.path.isfile(place)
    ]
    return [AxisValue(path[head : len(path) - len(tail)], path) for path in found]


def _environments(item: MapItem, directory: str) -> list[dict[str, AxisValue]]:
    """The environments in a list, or in a file: YAML, or CSV with the axes in its first line. Raises UsageError,
    ReadError.
    """
    if type(item.value) is not str:
        return _same_axes([(_row(entry, ()), entry.position) for entry in _entries(item)])
    check_read(os.path.join(directory, item.value), item.position)
    source = file_source(os.path.join(directory, item.value))
    if item.value.lower().endswith(".csv"):
        return _same_axes(list(_csv_rows(source)))

    documents = read(source).items
    value = documents[0].value if documents else None
    if len(documents) != 1 or type(value) is not Array:
        at = Position(source, documents[0].line if documents else 1)
        raise UsageError(
            "the file of environments must be a list",
            at=at,
            also=[item.position],
            found=kind_name(value),
            code="matrix",
        )
    return _same_axes([(_row(entry, ()), entry.position) for entry in value.items])


def _csv_rows(source: Source) -> Iterator[tuple[dict[str, AxisValue], Position]]:
    lines = csv.reader(source.text.removeprefix("\ufeff").split("\n"), strict=True)
    try:
        axes = [_axis_name(MapItem(name.strip(), None, source, 1)) for name in next(lines, [])]
        for cells in lines:
            if not cells:
                continue
            at = Position(source, lines.line_num)
            if len(cells) != len(axes):
                lacking = axes[len(cells) :]
                raise UsageError(
                    f"this line has no value for {', '.join(lacking)}" if lacking else "this line has too many values",
                    at=at,
                    expected=f"{counted(len(axes), 'value')}: {', '.join(axes)}",
                    found=counted(len(cells), "value"),
                    code="matrix",
                )
            yield {name: AxisValue(text.strip(), at=at) for name, text in zip(axes, cells, strict=True)}, at
    except csv.Error as error:
        raise UsageError(
            "the file of environments is not valid CSV",
            at=Position(source, lines.line_num),
            found=str(error),
            code="matrix",
        ) from None


def _same_axes(rows: Sequence[tuple[dict[str, AxisValue], Position]]) -> list[dict[str, AxisValue]]:
    """The rows, which must all have the axes of the first. Raises UsageError."""
    first = rows[0][0] if rows else {}
    for row, at in rows:
        if row.keys() != first.keys():
            raise UsageError(
                "all environments must have the same axes",
                at=at,
                expected=", ".join(first),
                found=", ".join(row),
                code="matrix",
            )
    return [row if list(row) == list(first) else {name: row[name] for name in first} for row, _ in rows]
