"""Lists nodes with their origins (`-o pos`)."""

from __future__ import annotations

from plait.tree.nodes import Array, DocumentSet, Map
from plait.yaml.json import key_text
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.tree.nodes import Collection, Item

_MARGIN = 10


def write_positions(documents: DocumentSet, *, are_shown: bool = True) -> str:
    """Lists one node per line: its position to the right of a column, its key or index, its value if it is a scalar.

    The column is ten wider than the first position, and grows the same way for a longer one. are_shown: False prints
    every node without a position.
    """
    out: list[str] = []
    width = 0
    # A frame: the remaining items with their prefixes, and their indentation.
    stack: list[tuple[Iterator[tuple[str, Item]], str]] = [
        (iter([("[doc]", document) for document in documents.items]), "")
    ]
    while stack:
        items, pad = stack[-1]
        entry = next(items, None)
        if entry is None:
            stack.pop()
            continue
        name, item = entry
        lead = pad + name
        if item.source is not None and are_shown:
            place = item.position.named
            size = len(place.encode("utf-8", "surrogateescape"))
            if size > width:
                width = size + _MARGIN
            lead = f"{' ' * (width - size)}{place} | {lead}"
        value = item.value
        if isinstance(value, (Map, Array, DocumentSet)):
            out.append(lead)
            stack.append((_named(value), pad + "  "))
            continue
        text = write_value(value)[:-1]
        if name != "[doc]" and "\n" not in text:
            out.append(f"{lead} {text}")
        else:
            out.append(lead)
            out.append(f"{' ' * width} | {pad}  {text}")
    return "".join([line + "\n" for line in out])


def _named(value: Collection) -> Iterator[tuple[str, Item]]:
    if type(value) is Map:
        return iter([(key_text(item.key) + ":", item) for item in value.items])
    items: Iterable[Item] = value.items
    return iter([(f"[{index}]", item) for index, item in enumerate(items)])
