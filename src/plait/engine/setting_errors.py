"""Errors about settings of project and pipeline files. Loaded only for an error."""

from __future__ import annotations

from plait.base.errors import ReadError, UsageError
from plait.base.path_errors import read_failure
from plait.base.source import displayable_path
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import MapItem


def wrong_setting(item: MapItem, expected: str) -> UsageError:
    """The error for a setting of a wrong type."""
    hint = None
    if expected.startswith("a map"):
        hint = _map_form(item)
    elif expected.startswith("a list"):
        hint = _list_form(item)
    elif expected.startswith("true or false"):
        hint = f"{item.key}: true"
    return UsageError(
        f'"{item.key}" is wrong',
        at=item.position,
        expected=expected,
        found=kind_name(item.value),
        hint=hint,
        code="setting-type",
    )


def _map_form(item: MapItem) -> str | None:
    """A hint with the form of a map, for a list or for `KEY=VALUE`."""
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


def wrong_step(item: MapItem, has_files: bool) -> UsageError:
    """The error for a command of a step that is not a map. has_files: it has the setting `files`."""
    error = wrong_setting(item, "a map of settings")
    if has_files and type(item.value) is str:
        error.hint = f"{item.key}: {{files: [{item.value}]}}"
    return error


def not_a_run(item: MapItem) -> UsageError:
    """The error for a run that is not a map."""
    path = item.value if type(item.value) is str else "PATH"
    return UsageError(
        f'the run "{item.key}" is wrong',
        at=item.position,
        expected="a map with a command",
        found=kind_name(item.value),
        hint=f"{item.key}: {{render: {{files: [{path}]}}}}",
        code="pipeline-form",
    )


def unreadable(path: str, error: OSError | ValueError) -> ReadError:
    """The error for a project or pipeline file that cannot be read."""
    return read_failure(path, error, subject=f'"{displayable_path(path)}"', extensions=(".yaml", ".yml"))
