"""The context at the end of an unfinished text: the enclosing keys, and the key whose value comes next."""

from __future__ import annotations

from plait.yaml.lossless.flow_collections import ITEM, VALUE, TreeError, UnclosedError
from plait.yaml.lossless.nodes import ALIAS, LEVEL, Collection, Tree
from plait.yaml.lossless.scalar_values import scalar_text, skipped
from plait.yaml.lossless.scanner import Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.yaml.lossless.nodes import Item


class Opened:
    """The context at a position where a key or a value can be typed.

    keys: the keys of the enclosing items, outermost first; sequences add none. key: the key whose value comes next; ""
    if a key or an item of a sequence comes next. column: the column of the first text on its line after dashes, from 0.
    is_item: an item of a sequence comes next.
    """

    __slots__ = ("column", "is_item", "key", "keys")

    def __init__(self, keys: list[str], key: str, column: int, *, is_item: bool) -> None:
        self.keys = keys
        self.key = key
        self.column = column
        self.is_item = is_item


def opened(text: str) -> Opened | None:
    """The context at the end of a text; None inside scalars, and if the text before is not valid YAML."""
    scanner = Scanner(Tree(text))
    try:
        scanner.run(finishes=False)
        return _in_blocks(scanner)
    except UnclosedError as error:
        return _in_brackets(scanner, error)
    except TreeError:
        return None


def _in_brackets(scanner: Scanner, error: UnclosedError) -> Opened:
    keys = _open_keys(scanner)
    *outer, (node, waits) = error.open
    for around, waiting in outer:
        if around.is_map and waiting == VALUE:
            keys.append(_key(scanner, around.items[-1]))
    line = scanner.text.rfind("\n") + 1
    if line > scanner.line:
        column = skipped(scanner.text, line) - line
    else:
        top = scanner.frames[-1] if scanner.frames else None
        is_below_key = top is not None and top.item is not None and top.item.key is not None and top.item.start >= line
        column = top.column if is_below_key and top is not None else (outer[0][0] if outer else node).start - line
    if node.is_map and waits == VALUE:
        return Opened(keys, _key(scanner, node.items[-1]), column, is_item=False)
    return Opened(keys, "", column, is_item=not node.is_map)


def _in_blocks(scanner: Scanner) -> Opened | None:
    text, frames = scanner.text, scanner.frames
    if scanner.ends_in_text or not frames:
        return None if scanner.ends_in_text else Opened([], "", 0, is_item=False)
    column = scanner.size - scanner.line
    if text[scanner.line :].strip(" "):
        # After a colon or a dash.
        top = frames[-1]
        if top.waits != VALUE or top.item is None:
            return None
        keys = _open_keys(scanner)
        if top.item.key is None:
            return Opened(keys, "", column, is_item=True)
        return Opened(keys[:-1], keys[-1], top.column, is_item=False)
    while frames[-1].column > column or (
        frames[-1].column == column and frames[-1].node is not None and frames[-1].node.style is LEVEL
    ):
        scanner.close()
    top = frames[-1]
    if top.node is not None and top.node.is_map and top.item is not None and top.waits in (ITEM, VALUE):
        if column > top.column:
            top.waits = VALUE  # a map below the last key
        else:
            top.waits = ITEM
    return Opened(_open_keys(scanner), "", column, is_item=False)


def _open_keys(scanner: Scanner) -> list[str]:
    """The keys of the open items. The innermost collection's key is included if its value comes next."""
    top = scanner.frames[-1] if scanner.frames else None
    return [
        _key(scanner, frame.item)
        for frame in scanner.frames
        if frame.item is not None and frame.item.key is not None and (frame is not top or frame.waits == VALUE)
    ]


def _key(scanner: Scanner, item: Item) -> str:
    key = item.key
    return "" if key is None or isinstance(key, Collection) or key.style is ALIAS else scalar_text(scanner.text, key)
