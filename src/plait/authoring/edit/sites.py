"""Positions of values in the text of a file, and edits that replace, remove or add one.

A file may be YAML of any dialect. Code and annotations are comments for the parser, so a template has the same
positions as a plain file. A value computed by code on its line (`replicas: #@ count`) is not a literal and is marked.
"""

from __future__ import annotations

import re

from plait.base.errors import PlaitError, ReadError
from plait.base.source import Position, Source
from plait.base.text_edits import ConflictError, edited
from plait.tree.nodes import Array, Map, MapItem, is_filled, key_id
from plait.yaml.format_preserving import Editor, indented
from plait.yaml.inline import flow_text
from plait.yaml.lossless.edits import removal
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.nodes import ALIAS, PAIR, Collection
from plait.yaml.lossless.scalar_values import body_start, scalar_value
from plait.yaml.lossless.scanner import scan
from plait.yaml.reader import read
from plait.yaml.scalar_styles import FORMS, ScalarStyles, double_quoted
from plait.yaml.style import Style
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.text_edits import Edit
    from plait.tree.nodes import Item, Value
    from plait.yaml.lossless.nodes import Item as TreeItem
    from plait.yaml.lossless.nodes import Node

# If following lines would become part of a literal block, multi-line strings are quoted.
_QUOTED = ScalarStyles(FORMS.strings.misread, blocks=False)
# A number or a word as a user writes it, such as 0x1F or 1.50.
_SPELLED = re.compile(r"[A-Za-z0-9_.+~-]+")


class ItemSpan:
    """An item of a map or a sequence in a text.

    item: in the tree. around: its collection; place: its index there. key: the key of a map item, as read. line: the
    line of its key or dash, from 1. last_line: the last line of the start of its value.
    """

    __slots__ = ("around", "item", "key", "last_line", "line", "place")

    def __init__(
        self, item: TreeItem, parent: Collection, index: int, *, key: Value, line: int, last_line: int
    ) -> None:
        self.item = item
        self.around = parent
        self.place = index
        self.key = key
        self.line = line
        self.last_line = last_line

    @property
    def is_item(self) -> bool:
        """True if it is a map item."""
        return self.around.is_map

    @property
    def value(self) -> Node:
        """The node of the value."""
        return self.item.value

    @property
    def after(self) -> int:
        """The offset after the colon or the dash, or of an item in brackets."""
        return self.item.sign + 1 if self.item.sign >= 0 else self.item.start


class Text:
    """The text of a file with all its item spans. text: without a byte order mark."""

    def __init__(self, text: str) -> None:
        """Raises ReadError for invalid YAML."""
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        self.text = text[len(self._mark) :]
        read(Source("", self.text))
        try:
            self.tree = scan(self.text)
        except TreeError as error:
            line = self.text.count("\n", 0, int(error.args[0])) + 1
            raise ReadError(
                "not YAML 1.1 as libyaml reads it", at=Position(Source("", self.text), line), code="edit-target"
            ) from None
        self.roots = [document.root for document in self.tree.documents]
        self.sites: list[ItemSpan] = []
        self._inside: dict[Collection, list[ItemSpan]] = {}
        self._by_line: dict[int, list[ItemSpan]] = {}
        for around, item in self.tree.walk():
            self._add(around, item)

    def _add(self, parent: Collection, item: TreeItem) -> None:
        key = self.key(item)
        if parent.is_map and (
            item.key is None or item.sign < 0 or item.is_explicit or isinstance(item.key, Collection)
        ):
            return  # a complex key
        inside = self._inside.setdefault(parent, [])
        line = last = self.line_of(item.start)
        if item.value.start < item.value.end:
            last = self.line_of(item.value.start)
        site = ItemSpan(item, parent, len(inside), key=key, line=line, last_line=last)
        inside.append(site)
        self.sites.append(site)
        for number in {line, last}:
            self._by_line.setdefault(number, []).append(site)

    def key(self, item: TreeItem) -> Value:
        """The key of a map item; None for complex ones."""
        if item.key is None or isinstance(item.key, Collection) or item.key.style is ALIAS:
            return None
        return scalar_value(self.text, item.key)

    def line_of(self, at: int) -> int:
        """The number of the line of an index, from 1."""
        return self.tree.line_of(at)

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.tree.lines)

    def line(self, number: int) -> str:
        """A line, without its line break."""
        starts = self.tree.lines
        return self.text[starts[number - 1] : starts[number] if number < len(starts) else None].rstrip("\r\n")

    # -- finding -----------------------------------------------------------------------------------------------------

    def on_line(self, line: int) -> list[ItemSpan]:
        """All items whose key, dash or value starts on a line."""
        return self._by_line.get(line, [])

    def along(self, root: Node, steps: Sequence[Value | Item]) -> ItemSpan | None:
        """The item span at a path from the root of a document, or None.

        steps: a map item for each key, an index for each array item.
        """
        around, found = root, None
        for step in steps:
            inside = self._inside.get(around, []) if isinstance(around, Collection) else []
            if type(step) is MapItem:
                found = next((site for site in inside if is_same_key(site, step)), None)
            else:
                found = next((site for site in inside if not site.is_item and site.place == step), None)
            if found is None:
                return None
            around = found.value
        return found

    def holds(self, site: ItemSpan, value: Value) -> bool:
        """True if the text at a site is the value. For collections, compares only the type. False for aliases."""
        node = site.value
        if isinstance(node, Collection):
            return type(value) is (Map if node.is_map else Array)
        if node.style is ALIAS:
            return True
        try:
            found = scalar_value(self.text, node, -1 if site.around.in_brackets else site.around.column)
        except ValueError:
            return False
        return type(found) is type(value) and repr(found) == repr(value)

    def is_computed(self, site: ItemSpan) -> bool:
        """True if code computes the value: an expression after the key, code in the text, a placeholder."""
        node = site.value
        if node.start == node.end:
            end = self.text.find("\n", site.after)
            rest = self.text[site.after : end if end >= 0 else None]
            return rest.lstrip().startswith("#@")
        return _is_scalar(node) and any(mark in self.text[node.start : node.end] for mark in ("(@", "(("))

    # -- editing -----------------------------------------------------------------------------------------------------

    def replaced(self, site: ItemSpan, value: Value, typed: str | None = None) -> Iterator[str]:
        """Yields the text with another value at a site, in each possible spelling, best first.

        Candidates that are not read as the value are included only if all others fail. typed: the user's spelling of
        the value.
        """
        node = site.value
        token = self.text[node.start : node.end]
        written = _one_line(value)
        if _is_scalar(node) and "\n" not in token and written is not None:
            found = [
                self._with(site, form)
                for form in self._forms(node, value, written, typed, in_brackets=site.around.in_brackets)
            ]
        else:
            found = self._exchanged(site, value)
        is_good = False
        for text in found:
            if _reads(text, site, value):
                is_good = True
                yield self._mark + text
        for text in () if is_good else found:
            yield self._mark + text

    def _forms(self, node: Node, value: Value, written: str, typed: str | None, *, in_brackets: bool) -> Iterator[str]:
        """Replacements for a scalar on one line. Anchor, tag and quotes are preserved where possible."""
        properties = self.text[node.start : body_start(self.text, node)]
        if properties and not properties.endswith((" ", "\t")):
            properties += " "
        anchor = f"&{node.anchor} " if node.anchor else ""
        forms = [written]
        if type(value) is str:
            if node.style == '"':
                forms.insert(0, double_quoted(value))
            elif node.style == "'" and value.isprintable():
                forms.insert(0, "'" + value.replace("'", "''") + "'")
            forms.append(double_quoted(value))
        else:
            if type(value) is float:
                forms.append(written.replace("e", ".0e"))  # other YAML 1.1 readers also read this as a number
            if typed is not None and _SPELLED.fullmatch(typed):
                forms.insert(0, typed)
        if in_brackets:
            forms.append(flow_text(value))
        for before in dict.fromkeys((properties, anchor)):
            for form in dict.fromkeys(forms):
                yield before + form

    def _exchanged(self, site: ItemSpan, value: Value) -> list[str]:
        """The text with a multi-line value, or with a value that replaces one."""
        found: list[str] = []
        for forms in (FORMS, _QUOTED):
            editor = Editor(self.tree, Style(forms))
            try:
                editor.replace(site.value, value, (site.around, site.item))
                found.append(editor.result())
            except ConflictError:
                break
        return [*dict.fromkeys(found)]

    def _with(self, site: ItemSpan, form: str) -> str:
        node, text = site.value, self.text
        if node.start < node.end:
            return text[: node.start] + form + text[node.end :]
        return text[: site.after] + " " + form + text[site.after :]

    def with_literal(self, site: ItemSpan, value: Value) -> str | None:
        """The text with a value in place of the expression after a key or dash; None if there is no expression."""
        is_code = site.value.start == site.value.end and self.is_computed(site)
        cut = self._cut(site) if is_code else None
        if cut is None:
            return None
        bare = Text(cut)
        there = next((one for one in bare.sites if one.item.start == site.item.start and one.after == site.after), None)
        found = None if there is None else next(bare.replaced(there, value), None)
        return None if found is None else self._mark + found

    def with_code(self, site: ItemSpan, code: str) -> str | None:
        """The text with an expression in place of a value; None if the position does not allow an expression."""
        cut = None if site.around.in_brackets else self._cut(site)
        return None if cut is None else f"{self._mark}{cut[: site.after]} #@ {code}{cut[site.after :]}"

    def _cut(self, site: ItemSpan) -> str | None:
        """The text without the value or expression after a key or dash; None if its extent is unknown."""
        text, after, node = self.text, site.after, site.value
        end = text.find("\n", max(node.end, after))
        end = len(text) if end < 0 else end
        behind = text[max(node.end, after) : end].strip()
        if node.start < node.end and behind:
            return None  # a comment
        return text[:after] + text[end - text[:end].endswith("\r") :]

    def without(self, site: ItemSpan) -> str | None:
        """The text without an item, its comments and annotations; None if it cannot be removed alone."""
        around = site.around
        if len(self._inside[around]) != len(around.items):
            return None
        if len(around.items) == 1:
            above = next((one for one in self.sites if one.value is around), None)
            if above is None or around.style is PAIR:
                return None if above is None else self.without(above)
            empty = Map([]) if around.is_map else Array([])
            return next(self.replaced(above, empty), None)
        return self._edited(removal(self.tree, around, site.item))

    def with_item(self, parent: Node, behind: int, item: Item) -> str | None:
        """The text with a new item after another item of a collection; None if it cannot be inserted."""
        if not isinstance(parent, Collection) or len(self._inside.get(parent, ())) != len(parent.items):
            return None
        if not parent.items:
            return None
        editor = Editor(self.tree)
        if type(item) is not MapItem:
            if not editor.insert_item(parent, behind, item.value):
                return None
        elif parent.in_brackets:
            end = parent.items[behind].end
            editor.put(end, end, f", {flow_text(item.key)}: {flow_text(item.value)}")
        else:
            lines = write_value(Map([MapItem(item.key, item.value)]))
            editor.insert_lines(parent.items[behind].end, indented(lines, parent.column))
        return self._edited(editor.edits)

    def _edited(self, edits: Sequence[Edit] | None) -> str | None:
        try:
            return None if edits is None else self._mark + edited(self.text, edits)
        except ConflictError:
            return None


def _is_scalar(node: Node) -> bool:
    return not isinstance(node, Collection) and node.style is not ALIAS


def is_same_key(site: ItemSpan, item: Item | None) -> bool:
    """True if a site has the same type and key as an item. item: None matches any site."""
    if item is None:
        return True
    return site.is_item is (type(item) is MapItem) and (
        type(item) is not MapItem or key_id(site.key) == key_id(item.key)
    )


def has_computed_key(site: ItemSpan) -> bool:
    """True if code or variables compute the key of a site."""
    return type(site.key) is str and ("(@" in site.key or "((" in site.key)


def _one_line(value: Value) -> str | None:
    """A scalar or an empty collection on one line; None for anything else."""
    if is_filled(value):
        return None
    text = write_value(value).removesuffix("\n")
    return None if "\n" in text else text


def _reads(text: str, site: ItemSpan, value: Value) -> bool:
    """True if a text has the scalar value at a site."""
    if is_filled(value):
        return True
    try:
        found = Text(text)
    except PlaitError:
        return False
    start = site.item.start
    there = next((one for one in found.sites if one.item.start == start and one.is_item == site.is_item), None)
    return there is not None and found.holds(there, value)
