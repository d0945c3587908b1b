"""Writes nodes as YAML, byte for byte as the reference programs do (docs/reference/templates.md,
docs/reference/operations.md).

Block style, two spaces per level, sequences not indented under their key; a collection after `- `, `? ` or `: ` begins
on the same line. The writer uses its own stack, so that depth is not limited.
"""

from __future__ import annotations

from plait.base.limits import current_budget, limit_error
from plait.tree.nodes import Array, ArrayItem, DocumentSet, Map, is_filled
from plait.yaml.scalar_styles import FORMS, StyledScalar, folded, leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from plait.base.errors import LimitError
    from plait.tree.nodes import Collection, MapItem, Value
    from plait.yaml.scalar_styles import ScalarStyles


# The output can be much larger than the tree, because nodes and strings are shared. Counting each string would cost
# time: an item counts as ITEM characters, a string too long to be cached as its length.
ITEM = 64
SEPARATOR = "---\n"


def output_room() -> int:
    """The maximum number of characters in the output."""
    run = current_budget()
    run.check_time()
    return run.most("output")


def _too_long(at: Collection | None = None) -> LimitError:
    """The error for an output beyond the limit, at the position of the current collection."""
    place = None if at is None or at.source is None else at.position
    return limit_error("the output", "output", current_budget().most("output"), at=place)


def write(documents: DocumentSet, *, sort: bool = False, fold: int | None = None, forms: ScalarStyles = FORMS) -> str:
    """Writes all documents, with `---` between them and a line break after each. Options as in `write_value`.

    forms: the scalar styles of strings; by default those of go-yaml.
    """
    written: list[str] = []
    out: list[str] = []
    room = output_room()
    for document in documents.items:
        room = write_pieces(document.value, out, sort, fold, room, forms)
        # Pieces are joined per document, so that several documents need no more memory than one.
        written.append("".join(out))
        out.clear()
    return SEPARATOR.join(written)


def write_value(value: Value, *, sort: bool = False, fold: int | None = None, forms: ScalarStyles = FORMS) -> str:
    """Writes one value as a document, ending in a line break.

    sort: write keys in BOSH's order instead of document order. fold: break strings at a space once they are beyond this
    column; BOSH folds at 80, ytt never. forms: as in `write`.
    """
    out: list[str] = []
    write_pieces(value, out, sort, fold, output_room(), forms)
    return "".join(out)


def write_pieces(value: Any, out: list[str], sort: bool, fold: int | None, room: int, table: ScalarStyles) -> int:
    """Appends the lines of a value to `out`. Returns the remaining number of characters."""
    # Exact type tests narrow the type; mypy would require `isinstance`.
    forms, keys = table.strings, table.keys
    append = out.append
    lead = pad = mark = ""
    # A frame: the remaining items, their indentation, and the mark before each; map items have no mark.
    items: Iterator[Any] = iter(())
    stack: list[tuple[Any, str, str]] = []
    if not is_filled(value):
        append(_root_leaf(value, fold, table))
        return room
    while True:
        # The next step: a non-empty collection, the current frame (None), or the last frame (False).
        if value is False:
            if not stack:
                if room < 0:
                    raise _too_long()
                return room
            items, pad, mark = stack.pop()
            lead = pad
        elif value is not None:
            entries = value.items
            room -= ITEM * len(entries)
            if type(value) is Map:
                items, mark = iter(_sorted(entries) if sort else entries), ""
            else:
                items, mark = iter(entries), "- "
            if room < 0:
                raise _too_long(value)
        if mark == "":
            for item in items:
                key = item.key
                value = item.value
                kind = type(value)
                head = keys[key] if type(key) is str else _simple_key(key)
                if head is None:
                    # `? key` and `: value`, each a frame of one item.
                    stack += [(items, pad, ""), (iter([ArrayItem(value)]), pad, ": ")]
                    items, mark, value = iter([ArrayItem(key)]), "? ", None
                    break
                if kind is str:
                    form = forms[value]
                    if form is None or (fold is not None and len(lead) + len(head) + len(form) >= fold):
                        room -= _add_long(out, f"{lead}{head} ", form, value, pad, fold, table)
                    else:
                        append(f"{lead}{head} {form}\n")
                elif kind in _COLLECTIONS and value.items:
                    append(f"{lead}{head}\n")
                    stack.append((items, pad, ""))
                    if kind is Map:
                        pad += "  "
                    lead = pad
                    break
                else:
                    append(f"{lead}{head} {_leaf(value)}\n")
                lead = pad
            else:
                value = False
        else:
            for item in items:
                value = item.value
                kind = type(value)
                head = lead + mark
                if kind is str:
                    form = forms[value]
                    if form is None or (fold is not None and len(head) + len(form) > fold):
                        room -= _add_long(out, head, form, value, pad, fold, table)
                    else:
                        append(f"{head}{form}\n")
                elif kind in _COLLECTIONS and value.items:
                    stack.append((items, pad, mark))
                    pad += "  "
                    lead = head
                    break
                else:
                    append(f"{head}{_leaf(value)}\n")
                lead = pad
            else:
                value = False


def _root_leaf(value: Value, fold: int | None, table: ScalarStyles) -> str:
    if type(value) is not str:
        return _leaf(value) + "\n"
    out: list[str] = []
    form = table.strings[value]
    if form is not None and (fold is None or len(form) <= fold):
        return form + "\n"
    _add_long(out, "", form, value, "", fold, table)
    return out[0]


def _add_long(
    out: list[str], head: str, form: str | None, text: str, pad: str, fold: int | None, table: ScalarStyles
) -> int:
    """Appends a multi-line string, or a folded one. Returns the number of characters."""
    if form is not None and fold is not None:
        out.append(f"{head}{folded(form, len(head), fold, pad + '  ')}\n")
        return 0
    form = table.strings.long_form(text, pad + "  ", len(head), fold)
    out.append(head + form)
    return len(form)


def head_of(key: Value) -> str | None:
    """A key with its colon; None if it takes separate lines."""
    return FORMS.keys[key] if type(key) is str else _simple_key(key)


def _leaf(value: Value) -> str:
    """The form of an empty collection, or of a scalar that is not a string."""
    if isinstance(value, Map):
        return "{}"
    if isinstance(value, (Array, DocumentSet)):
        return "[]"
    return leaf(value)


def _simple_key(key: Value) -> str | None:
    """A key that is not a string, with its colon; None if it is a non-empty collection."""
    if is_filled(key):
        return None
    if isinstance(key, StyledScalar):
        return key.text
    return _leaf(key) + ":"


_COLLECTIONS = frozenset({Map, Array, DocumentSet})


def _sorted(items: Iterable[MapItem]) -> list[MapItem]:
    from plait.yaml.key_order import sort_items

    return sort_items(items)
