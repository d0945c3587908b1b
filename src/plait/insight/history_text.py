"""Formats a history as plain data and as text."""

from __future__ import annotations

from textwrap import wrap

from plait.base.styles import PLAIN, short_place
from plait.insight.explain import CURRENT, distinct, flat
from plait.tree.nodes import Array, Map, to_plain
from plait.tree.secrets import HIDDEN
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from plait.base.styles import StyledLine, Styles
    from plait.insight.explain import History, HistoryEntry
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Value

    # Position, action, value, source line, and state.
    Row: TypeAlias = "tuple[str, str, str, str, str]"

# Maximum depth of origins in text output, for readability.
_SHOWN_DEPTH = 6
_SHOWN_VALUE = 40
# Maximum number of items from other files that are listed below a map or an array.
_MOST_ADDED = 20


def to_data(history: History) -> dict[str, object]:
    """The history as plain data, for JSON."""
    data: dict[str, object] = {
        **place_data(history.place),
        "value": to_plain(history.value),
        "history": [_entry_data(entry, history.secret) for entry in history.entries],
        "presence": [_entry_data(entry, history.secret) for entry in history.presence],
    }
    if history.added:
        data["parts"] = [{"path": path, **_entry_data(entry, history.secret)} for path, entry in history.added]
    return data


def value_data(history: History) -> dict[str, object]:
    """A value of the output as plain data, for JSON: its path, the value, and the position of its last change."""
    last = history.entries[-1] if history.entries else None
    source = None if last is None else last.source
    return {
        **place_data(history.place),
        "value": to_plain(history.value),
        "place": None if last is None else last.place,
        "file": None if source is None else source.shown,
        "line": None if source is None or last is None else last.line,
    }


def place_data(place: NodePath) -> dict[str, object]:
    """A path of the output as plain data, for JSON: its document by name and index, and the path in the document."""
    return {"document": place.document_name, "index": place.number, "path": place.path}


def _entry_data(entry: HistoryEntry, secret: bool) -> dict[str, object]:
    secret = secret or entry.secret
    data: dict[str, object] = {"action": entry.action, "place": entry.place}
    if entry.source is not None:
        data["file"] = entry.source.shown
        data["line"] = entry.line
    if entry.key is not None and not isinstance(entry.key, Map | Array):
        data["key"] = entry.key
    if entry.has_value:
        data["value"] = HIDDEN if secret else to_plain(entry.value)
    data["state"] = entry.state
    if entry.text is not None and not secret:
        data["text"] = entry.text.strip()
    if entry.origins:
        data["from"] = [_entry_data(inner, secret) for inner in entry.origins]
    return data


def to_text(history: History, *, presence: bool = False, width: int | None = None, styles: Styles | None = None) -> str:
    """The history as a table: the value, then one entry per line, oldest first, with its origins indented below.

    width: the width of the terminal. Text that does not fit continues on the next line; a source line continues in its
    column if that is wide enough. Long positions are shortened in the middle, and values of entries at the end; without
    a width nothing is.
    """
    secret = history.secret
    rows: list[Row] = []
    for entry in history.entries:
        _rows(entry, 0, rows, secret=secret, nested=len(history.entries) == 1, whole=width is None)
    # The evaluation of a library is always shown.
    libraries = [entry for entry in flat(history.presence) if entry.action.startswith("library ")]
    for entry in history.presence if presence else distinct(libraries):
        _rows(entry, 0, rows, secret=secret, nested=True, whole=width is None)
    for path, entry in history.added[:_MOST_ADDED]:
        rows.append((f"  {entry.place}", entry.action, path, "", CURRENT))
    if len(history.added) > _MOST_ADDED:
        rows.append((f"  and {len(history.added) - _MOST_ADDED} more items from other files", "", "", "", CURRENT))
    value = HIDDEN if secret else shown(history.value, whole=True)
    out: list[StyledLine] = [[("place", f"{history.place}:"), ("value", f" {value}" if value else "")]]
    if width is not None:
        rows = [(_narrow_place(row[0], width), *row[1:]) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    room = None if width is None else width - sum(widths) - 8
    if width is not None and room is not None and room < min(_NARROW_TEXT, max(len(row[3]) for row in rows)):
        out += _narrow(rows, width)
    else:
        for row in rows:
            lines = [row[3]] if room is None or len(row[3]) <= room else _in_column(row[3], room)
            left = [text.ljust(wide) for text, wide in zip(row[:3], widths, strict=True)]
            if not lines[0]:
                left[-1] = row[2]
            out.append(_styled(left, lines[0], row[4]))
            out += [[("dim", " " * (sum(widths) + 8) + line)] for line in lines[1:]]
    show = (styles or PLAIN).line
    return "".join([show(line).rstrip() + "\n" for line in out])


# Minimum width of the column for source lines. If the column would be narrower, they are written on separate lines.
_NARROW_TEXT = 28


def _styled(left: Sequence[str], text: str, state: str) -> StyledLine:
    """A row of the table. left: position, action and value."""
    place, action, value = left
    is_lost = state != CURRENT
    begin: StyledLine = [("dim" if is_lost else "place", f"  {place}"), ("label", f"  {action}")]
    return [
        *begin,
        ("dim" if is_lost else "value", f"  {value}"),
        ("dim" if is_lost else "", f"  {text}" if text else ""),
    ]


def _narrow_place(place: str, width: int) -> str:
    """A position shortened to at most half the width, without counting its indentation."""
    path, _, line = place.rpartition(":")
    if "/" not in path or not line.isdecimal():
        return place
    start = len(path) - len(path.lstrip(" "))
    return place[:start] + short_place(place[start:], width // 2 - start)


def _narrow(rows: Sequence[Row], width: int) -> list[StyledLine]:
    """Rows that are too wide for a table: without columns, and with source lines on separate lines if they do not fit."""
    fits = max(len(f"  {'  '.join(filter(None, row[:4]))}") for row in rows) <= width
    out: list[StyledLine] = []
    for place, action, value, text, state in rows:
        style = "dim" if state != CURRENT else ""
        out.append([(style or "place", f"  {place}")])
        out[-1] += [("label", f"  {action}")] if action else []
        out[-1] += [(style or "value", f"  {value}")] if value else []
        if text and fits:
            out[-1].append((style, f"  {text}"))
        elif text:
            out.append([(style, " " * (len(place) - len(place.lstrip(" ")) + 6) + text)])
    return out


def _in_column(text: str, room: int) -> list[str]:
    """A source line, wrapped in a column that is too narrow for it. Continuation lines start with a bar, too."""
    return wrap(text, room, subsequent_indent="|   ", break_on_hyphens=False)


def _rows(entry: HistoryEntry, depth: int, rows: list[Row], *, secret: bool, nested: bool, whole: bool) -> None:
    secret = secret or entry.secret
    value = ""
    if entry.has_value:
        value = HIDDEN if secret else shown(entry.value, whole=whole)
    if entry.state != CURRENT:
        value = f"{value} ({entry.state})".strip()
    text = "" if entry.text is None or secret else f"| {entry.text.strip()}"
    rows.append(("  " * depth + entry.place, entry.action, value, text, entry.state))
    if depth < _SHOWN_DEPTH:
        for inner in entry.origins:
            if inner.action not in ("overlay", "overlay match") or nested:
                _rows(inner, depth + 1, rows, secret=secret, nested=False, whole=whole)


def shown(value: Value, *, whole: bool = False) -> str:
    """A value on one short line. whole: a scalar without line breaks is not shortened."""
    if type(value) is Map:
        return "{}" if not value.items else f"(map of {len(value.items)})"
    if type(value) is Array:
        return "[]" if not value.items else f"(array of {len(value.items)})"

    text = write_value(value).rstrip("\n")
    if "\n" in text:
        text, whole = repr(value), False
    return text if whole or len(text) <= _SHOWN_VALUE else text[: _SHOWN_VALUE - 3] + "..."
