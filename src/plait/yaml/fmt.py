"""Formats hand-written YAML and keeps comments (`plait fmt`, docs/guide-render.md).

Two spaces per level, sequences indented under their key, flow collections expanded. A comment on its own line gets an
empty line before it (unless it is first) and one after its node; a comment on a node's line follows after one space.
Comments at the end stay there; ytt before carvel-dev/ytt#911 put a `---` after them.
"""

from __future__ import annotations

from plait.tree.nodes import Array, DocumentSet, Map, MapItem
from plait.yaml.comments import Comments
from plait.yaml.document_start import is_second
from plait.yaml.json import key_text
from plait.yaml.reader import read
from plait.yaml.scalar_styles import double_quoted, key_forms, one_line
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.base.source import Source
    from plait.tree.nodes import Collection, Item, Value

_STEP = "  "


def format_text(source: Source, *, strict: bool = False, marks_end: bool = False) -> str:
    """Formats a text.

    marks_end: print a `---` after comments at the end and before an empty last document, as ytt did before
    carvel-dev/ytt#911 and #962. Raises as `read` does.
    """
    comments = Comments()
    tree = read(source, strict=strict, comments=comments, merge_lists=False)
    page = _Page(comments)
    # A `---` after other content ends an empty document; only the very start of a text counts as "first".
    starts_late = is_second(source, tree)
    trailing = comments.of.get(tree)
    last = len(tree.items) - 1
    for index, document in enumerate(tree.items):
        ends = index == last and document.value is None and not trailing and not marks_end
        page.add_document(document, first=index == 0 and not starts_late, marked=not ends)
    if trailing:
        page.due = True
        for comment in trailing:
            page.line("#" + comment.text, "")
        if marks_end:
            page.line("---", "")
    return "".join(page.out)


def joined(texts: Iterable[str]) -> str:
    """Joins formatted texts, with a marker between the documents of two files."""
    out = ""
    for text in texts:
        out += "---\n" + text if out and text and not text.startswith("---") else text
    return out


class _Page:
    """The output.

    due: an empty line precedes the next line. waiting: the last line ends in a `-` or `key:`, which the next piece
    follows.
    """

    __slots__ = ("comments", "due", "out", "waiting")

    def __init__(self, comments: Comments) -> None:
        self.comments = comments
        self.out: list[str] = []
        self.due = False
        self.waiting = False

    def line(self, text: str, pad: str, *, inline: bool = False, wait: bool = False) -> None:
        out = self.out
        if self.due:
            out.append("\n")
        if self.waiting:
            out.append(" " if inline else "\n" + pad)
        else:
            out.append(pad)
        out.append(text if wait else text + "\n")
        self.due = False
        self.waiting = wait

    def add_comments(self, item: Item, pad: str, first: bool) -> tuple[str, bool]:
        """Writes the comments above an item. Returns the comment on its line, and True if there were comments above."""
        beside = ""
        above = False
        for comment in self.comments.at(item):
            if not comment.own_line:
                beside = f" #{comment.text}"
                continue
            if not first and not above:
                self.due = True
            above = True
            self.line("#" + comment.text, pad)
        return beside, above

    def add_document(self, document: Item, *, first: bool, marked: bool) -> None:
        beside, above = self.add_comments(document, "", first)
        if (marked and not first) or beside:
            self.line("---" + beside, "")
        value = document.value
        if value is not None:
            if isinstance(value, (Map, Array, DocumentSet)) and value.items:
                self.add_items(value)
            else:
                self.line(write_value(value)[:-1], "")
        if above:
            self.due = True

    def add_items(self, root: Collection) -> None:
        # A frame: the remaining items, their indentation, a flag that an item was written, and a flag that an empty
        # line follows the last one.
        stack: list[tuple[Iterator[Item], str, bool]] = [(iter(root.items), "", False)]
        first = True
        while stack:
            items, pad, space = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
                if space:
                    self.due = True
                first = False
                continue
            beside, above = self.add_comments(item, pad, first)
            first = False
            value = item.value
            in_map = type(item) is MapItem
            head = _key(item.key) + ":" if type(item) is MapItem else "-"
            if isinstance(value, (Map, Array, DocumentSet)) and value.items:
                self.line(head + beside, pad, inline=True, wait=not in_map and not beside)
                stack.append((iter(value.items), pad + _STEP, above))
                first = True
                continue
            text = write_value(value)[:-1]
            if "\n" in text:
                lines = text.split("\n")
                self.line(head + beside, pad, inline=True, wait=not beside)
                self.line(("\n" + pad).join(lines), pad + _STEP, inline=True)
            elif beside and value is None:
                self.line(head + beside, pad, inline=True)
            else:
                self.line(f"{head} {text}{beside}", pad, inline=True)
            if above:
                self.due = True


def _key(key: Value) -> str:
    if type(key) is not str:
        return key_text(key)
    form = key_forms[key]
    # Long keys stay on one line, for readability.
    return one_line(key) or double_quoted(key) if form is None else form[:-1]
