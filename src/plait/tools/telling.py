"""A history as plain data and as text."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.tools.explain import STANDS, distinct, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value
    from plait.tools.explain import Entry, History

# What is nested deeper than that is cut off in text; there is a limit to what a person reads.
_SHOWN_DEPTH = 6
_SHOWN_VALUE = 40


def to_data(history: History) -> dict[str, object]:
    """The history as plain data, for JSON."""
    place = history.place
    from plait.nodes import to_plain
    from plait.tools.paths import Line, document_name

    return {
        "document": place.file if type(place) is Line else document_name(place.document),
        "index": place.number,
        "path": place.path,
        "value": "(secret)" if history.secret else to_plain(place.value),
        "history": [_entry_data(entry, history.secret) for entry in history.entries],
        "around": [_entry_data(entry, history.secret) for entry in history.around],
    }


def _entry_data(entry: Entry, secret: bool) -> dict[str, object]:
    from plait.nodes import to_plain

    data: dict[str, object] = {"action": entry.action, "place": entry.place}
    if entry.source is not None:
        data["file"] = entry.source.shown
        data["line"] = entry.line
    if entry.key is not None and not isinstance(entry.key, Map | Array):
        data["key"] = entry.key
    if entry.has_value:
        data["value"] = "(secret)" if secret else to_plain(entry.value)
    data["state"] = entry.state
    if entry.text is not None and not secret:
        data["text"] = entry.text.strip()
    if entry.origins:
        data["from"] = [_entry_data(inner, secret) for inner in entry.origins]
    return data


def to_text(history: History, *, around: bool = False) -> str:
    """The history as a table: the value, then an entry a line, oldest first, what it was made of indented below it."""
    secret = history.secret
    rows: list[tuple[str, str, str, str]] = []
    for entry in history.entries:
        _rows(entry, 0, rows, secret=secret, nested=len(history.entries) == 1)
    # That a library was evaluated is always told.
    libraries = [entry for entry in flat(history.around) if entry.action.startswith("library ")]
    for entry in history.around if around else distinct(libraries):
        _rows(entry, 0, rows, secret=secret, nested=True)
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    shown = "(secret)" if secret else _shown(history.place.value)
    out = [f"{history.place}: {shown}" if shown else f"{history.place}:"]
    for row in rows:
        left = "  ".join(text.ljust(width) for text, width in zip(row[:3], widths, strict=True))
        out.append(f"  {left}  {row[3]}".rstrip())
    return "\n".join(out) + "\n"


def _rows(entry: Entry, depth: int, rows: list[tuple[str, str, str, str]], *, secret: bool, nested: bool) -> None:
    value = ""
    if entry.has_value:
        value = "(secret)" if secret else _shown(entry.value)
    if entry.state != STANDS:
        value = f"{value} ({entry.state})".strip()
    text = "" if entry.text is None or secret else f"| {entry.text.strip()}"
    rows.append(("  " * depth + entry.place, entry.action, value, text))
    if depth < _SHOWN_DEPTH:
        for inner in entry.origins:
            if inner.action not in ("overlay", "overlay match") or nested:
                _rows(inner, depth + 1, rows, secret=secret, nested=False)


def _shown(value: Value) -> str:
    if type(value) is Map:
        return "{}" if not value.items else f"(map of {len(value.items)})"
    if type(value) is Array:
        return "[]" if not value.items else f"(array of {len(value.items)})"
    from plait.yaml import write_value

    text = write_value(value).rstrip("\n")
    if "\n" in text:
        text = repr(value)
    return text if len(text) <= _SHOWN_VALUE else text[: _SHOWN_VALUE - 3] + "..."
