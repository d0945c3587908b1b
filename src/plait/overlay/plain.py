"""The merge of plain data values files: no annotations, maps deeply, everything else replaces (spec ytt 7.3)."""

from __future__ import annotations

from plait.errors import OverlayError
from plait.nodes import Document, Map, MapItem
from plait.overlay.actions import wrong_kind
from plait.overlay.edits import MapEdit
from plait.overlay.trail import step_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value


def merge_plain(left: Document, right: Document) -> Document:
    """The left document with a plain right one merged in.

    Maps merge, arrays, scalars and nulls replace with their position, keys that left lacks are added; a map takes the
    place of null. A right document that is a map over one that is neither map nor null is an error, as it is below; a
    null document changes nothing. Left is returned as it is if nothing changes. Raises OverlayError with the way through right as trail.
    """
    try:
        value = right.value
        if value is None:
            return left
        if type(value) is not Map:
            return right
        if left.value is None:
            return left.with_value(value)
        result = _merged(left, left.value, value)
    except OverlayError as error:
        if error.at is None:
            error.at = right.position
        raise error.within("Document", right.position) from None
    return left if result is left.value else left.with_value(result)


def _merged(owner: Document | MapItem, left: Value, right: Map) -> Map:
    if type(left) is not Map:
        raise wrong_kind(owner, left, right)
    edit = MapEdit(left)
    owned: dict[object, object] = {}
    for item in right.items:
        place = edit.place(item.key)
        if place < 0:
            edit.add(item, owned, looked_up=True)
            continue
        mine = edit.items[place]
        if type(item.value) is not Map:
            edit.put(place, item, owned)
        elif mine.value is None:
            edit.put(place, MapItem(mine.key, item.value, item.source, item.line, mine.annotations), owned)
        else:
            try:
                result = _merged(mine, mine.value, item.value)
            except OverlayError as error:
                if error.at is None:
                    error.at = item.position
                raise error.within(step_text(item), item.position) from None
            if result is not mine.value:
                edit.put(place, mine.with_value(result), owned)
    return edit.node
