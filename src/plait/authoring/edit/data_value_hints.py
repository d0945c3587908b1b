"""Hints for a PATH that does not exist in an output but may be the path of a data value."""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError
from plait.base.similar_names import listed, near
from plait.engine.options import Use
from plait.engine.render import Render
from plait.insight.node_paths import all_places, parse
from plait.insight.path_resolution import IN_CODE, find
from plait.yaml.document_names import path_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.edit.setting import EditSession


def data_value_hint(state: EditSession, path: str) -> str | None:
    """A hint with the data value that a PATH names, or with similar names; None if there is none."""
    if state.target.run.command != "render":
        return None

    try:
        made = state.target.evaluate(state.texts, trace=True, uses=[Use(Render.data_values_inspect, value=True)])
    except PlaitError:  # this is only a hint; the original error is reported
        return None
    path, documents = path.removeprefix(IN_CODE), made.seen(made.documents)
    try:
        place = find(parse(path), documents, made.names)[0]
    except UsageError:
        names = (
            path_text(place.document, place.way, made.names.of, made.names.key) for place in all_places(documents, {})
        )
        found = near(path, names)
        return f"did you mean the data value {listed(found, quote=chr(34))}? {_SETS}" if found else None
    return f'"{path_text(place.document, place.way, made.names.of, made.names.key)}" is a data value: {_SETS}'


_SETS = "to set data values, add --data-values-inspect"
