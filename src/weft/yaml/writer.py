"""Nodes to the bytes that the reference programs print (spec ytt 2.4, spec ops 14).

Block style throughout, two spaces a level, sequences not indented under their key; what stands behind `- `, `? ` or
`: ` begins on that line. The writer keeps its own stack, so depth is no limit, and joins its pieces once.
"""

from __future__ import annotations

from weft.limits import allowance, exceeded
from weft.nodes import Array, ArrayItem, DocumentSet, Map
from weft.yaml.forms import FORMS, folded, leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from weft.nodes import MapItem, Value
    from weft.yaml.forms import Forms


# What is printed can be far more than what is in memory, for nodes and strings are shared. Counting each string would
# cost time: an item counts as ITEM characters, a string longer than forms are kept of as what it has.
ITEM = 64


class _Room:
    """How much may still be written."""

    __slots__ = ("characters", "most")

    def __init__(self) -> None:
        run = allowance()
        run.check_time()
        self.characters = self.most = run.most("output")

    def collection(self, value: Map | Array | DocumentSet) -> None:
        self.characters -= ITEM * len(value.items)
        if self.characters < 0:
            raise exceeded("the output", "output", self.most, at=value.position if value.source is not None else None)

    def text(self, text: str) -> str:
        self.characters -= len(text)
        if self.characters < 0:
            raise exceeded("the output", "output", self.most)
        return text


def write(documents: DocumentSet, *, sort: bool = False, fold: int | None = None, forms: Forms = FORMS) -> str:
    """All documents as one text: `---` between them, a line break after each. Options as in `write_value`.

    forms: of strings, where they are for readers that go-yaml's are not safe with.
    """
    written: list[str] = []
    out: list[str] = []
    room = _Room()
    for document in documents.items:
        if written:
            out.append("---\n")
        _write(document.value, out, sort, fold, room, forms)
        # Pieces live as long as their document, so that all documents together take no more memory than one.
        written.append("".join(out))
        out.clear()
    return "".join(written)


def write_value(value: Value, *, sort: bool = False, fold: int | None = None) -> str:
    """One value as a document, ending in a line break.

    sort: keys in BOSH's order (spec ops 14.1) instead of their own.
    fold: break strings at a space once they are beyond this column; BOSH folds at 80, ytt never.
    """
    out: list[str] = []
    _write(value, out, sort, fold, _Room(), FORMS)
    return "".join(out)


def _write(value: Any, out: list[str], sort: bool, fold: int | None, room: _Room, table: Forms) -> None:
    # Exact type tests say what a value is; a checker would want each of them written as `isinstance`.
    forms, keys = table.strings, table.keys
    append = out.append
    pad = lead = mark = ""
    # A frame: the items still to come, their indentation, and the mark before each; a map's items have none.
    items: Iterator[Any]
    stack: list[tuple[Iterator[Any], str, str]] = []
    enter = room.collection
    if type(value) is Map and value.items:
        enter(value)
        items = iter(_sorted(value.items) if sort else value.items)
    elif (type(value) is Array or type(value) is DocumentSet) and value.items:
        enter(value)
        items = iter(value.items)
        mark = "- "
    else:
        append(_root_leaf(value, fold, table))
        return
    while True:
        if mark == "":
            for item in items:
                key = item.key
                value = item.value
                kind = type(value)
                head = keys[key] if type(key) is str else _simple_key(key)
                if head is None:
                    # `? key` and `: value`, each a frame of one item.
                    stack.append((items, pad, ""))
                    stack.append((iter([ArrayItem(value)]), pad, ": "))
                    items = iter([ArrayItem(key)])
                    mark = "? "
                    break
                if kind is str:
                    form = forms[value]
                    if form is None:
                        column = len(lead) + len(head) + 1
                        append(f"{lead}{head} {room.text(forms.long_form(value, pad + '  ', column, fold))}")
                    elif fold is not None and len(lead) + len(head) + len(form) >= fold:
                        append(f"{lead}{head} {folded(form, len(lead) + len(head) + 1, fold, pad + '  ')}\n")
                    else:
                        append(f"{lead}{head} {form}\n")
                elif kind is Map and value.items:
                    enter(value)
                    append(f"{lead}{head}\n")
                    stack.append((items, pad, ""))
                    pad += "  "
                    lead = pad
                    items = iter(_sorted(value.items) if sort else value.items)
                    break
                elif (kind is Array or kind is DocumentSet) and value.items:
                    enter(value)
                    append(f"{lead}{head}\n")
                    stack.append((items, pad, ""))
                    lead = pad
                    items = iter(value.items)
                    mark = "- "
                    break
                else:
                    append(f"{lead}{head} {_leaf(value)}\n")
                lead = pad
            else:
                if not stack:
                    return
                items, pad, mark = stack.pop()
                lead = pad
        else:
            for item in items:
                value = item.value
                kind = type(value)
                head = lead + mark
                if kind is str:
                    form = forms[value]
                    if form is None:
                        append(f"{head}{room.text(forms.long_form(value, pad + '  ', len(head), fold))}")
                    elif fold is not None and len(head) + len(form) > fold:
                        append(f"{head}{folded(form, len(head), fold, pad + '  ')}\n")
                    else:
                        append(f"{head}{form}\n")
                elif kind is Map and value.items:
                    enter(value)
                    stack.append((items, pad, mark))
                    pad += "  "
                    lead = head
                    items = iter(_sorted(value.items) if sort else value.items)
                    mark = ""
                    break
                elif (kind is Array or kind is DocumentSet) and value.items:
                    enter(value)
                    stack.append((items, pad, mark))
                    pad += "  "
                    lead = head
                    items = iter(value.items)
                    mark = "- "
                    break
                else:
                    append(f"{head}{_leaf(value)}\n")
                lead = pad
            else:
                if not stack:
                    return
                items, pad, mark = stack.pop()
                lead = pad


def _root_leaf(value: Value, fold: int | None, table: Forms) -> str:
    if type(value) is not str:
        return _leaf(value) + "\n"
    form = table.strings[value]
    if form is None:
        return table.strings.long_form(value, "  ", 0, fold)
    return (folded(form, 0, fold, "  ") if fold is not None and len(form) > fold else form) + "\n"


def _leaf(value: Value) -> str:
    """The form of an empty collection, or of a scalar that is no string."""
    if type(value) is Map:
        return "{}"
    if type(value) is Array or type(value) is DocumentSet:
        return "[]"
    return leaf(value)  # type: ignore[arg-type]


def _simple_key(key: Value) -> str | None:
    """A key that is no string, with its colon; None if it is a collection with something in it."""
    if type(key) in _COLLECTIONS and key.items:  # type: ignore[union-attr]
        return None
    return _leaf(key) + ":"


_COLLECTIONS = frozenset({Map, Array, DocumentSet})


def _sorted(items: Iterable[MapItem]) -> list[MapItem]:
    from weft.yaml.order import sort_items

    return sort_items(items)
