"""Where values stand in the text of a file, and the text with one of them exchanged, taken out or added.

A file may be YAML of any dialect: code and annotations are comments to the parser, so a template has the same sites as a
plain file. What is computed by code on its line (`replicas: #@ count`) is no literal, and is told apart.
"""

from __future__ import annotations

import re

from plait.nodes import Array, Map, MapItem, is_filled, key_id
from plait.source import Source
from plait.yaml import read, write_value
from plait.yaml.forms import double_quoted
from plait.yaml.inline import flow_text
from plait.yaml.keeping import ConflictError, Editor, Slot
from plait.yaml.layout import ALIAS, ARRAY, MAP, SCALAR, layouts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.nodes import Item, Value
    from plait.yaml.layout import Part

# Anchors and tags in front of a value.
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]+)*")
# A number or a word as a person spells it, such as 0x1F or 1.50.
_SPELLED = re.compile(r"[A-Za-z0-9_.+~-]+")
_ANNOTATION = re.compile(r"[ \t]*#@[A-Za-z]")


class Site:
    """A map item or an array item in a text.

    part: its value. key: of a map item (`is_item` says whether it is one). mark: where its key or dash begins. line: of
    that, from 1; last_line: where its value begins. around: the collection it is in; place: which of its items it is.
    """

    __slots__ = ("around", "key", "last_line", "line", "mark", "part", "place", "slot")

    def __init__(
        self, part: Part, around: Part, place: int, *, key: Value, mark: int, line: int, last_line: int, slot: Slot
    ) -> None:
        self.part = part
        self.around = around
        self.place = place
        self.key = key
        self.mark = mark
        self.line = line
        self.last_line = last_line
        self.slot = slot

    @property
    def is_item(self) -> bool:
        """Whether it is a map item."""
        return self.around.kind == MAP


class Text:
    """The text of a file with all its sites. text: without a byte order mark."""

    def __init__(self, text: str) -> None:
        """Raises ReadError for what is not YAML."""
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        self.text = text[len(self._mark) :]
        read(Source("", self.text))
        self._lines = _line_starts(self.text)
        self.roots = _laid_out(self.text)
        self.sites: list[Site] = []
        for root in self.roots:
            self._add(root)
        self._by_line: dict[int, list[Site]] = {}
        self._inside: dict[Part, list[Site]] = {}
        for site in self.sites:
            self._inside.setdefault(site.around, []).append(site)
            for line in {site.line, site.last_line}:
                self._by_line.setdefault(line, []).append(site)

    def line_of(self, at: int) -> int:
        """The number of the line of an index, from 1."""
        from bisect import bisect_right

        return bisect_right(self._lines, at)

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """A line, without its line break."""
        start = self._lines[number - 1]
        return self.text[start : self._lines[number] if number < len(self._lines) else None].rstrip("\r\n")

    def _add(self, root: Part) -> None:
        editor = Editor(self.text)
        pending = [root]
        while pending:
            part = pending.pop()
            pending += part.values
            if part.kind == MAP:
                self._add_map(part, editor)
            elif part.kind == ARRAY and part.values:
                self._add_array(part, editor)

    def _add_map(self, part: Part, editor: Editor) -> None:
        for place, (key, value) in enumerate(zip(part.keys, part.values, strict=True)):
            behind = key.end + len(self.text[key.end : value.start]) - len(self.text[key.end : value.start].lstrip())
            if key.kind != SCALAR or self.text[behind : behind + 1] != ":":
                continue  # a complex key
            slot = Slot(":", behind + 1, editor.column(key.start), part.flow)
            self._put(value, part, place, key.value, key.start, slot)

    def _add_array(self, part: Part, editor: Editor) -> None:
        dashes = [value.start for value in part.values] if part.flow else editor.dashes(part)
        for place, (dash, value) in enumerate(zip(dashes or (), part.values, strict=False)):
            slot = Slot("-", dash, 0, True) if part.flow else Slot("-", dash + 1, editor.column(dash), False)
            self._put(value, part, place, None, dash, slot)

    def _put(self, part: Part, around: Part, place: int, key: Value, mark: int, slot: Slot) -> None:
        line = self.line_of(mark)
        last = line if part.start == part.end else self.line_of(part.start)
        self.sites.append(Site(part, around, place, key=key, mark=mark, line=line, last_line=last, slot=slot))

    # -- finding -----------------------------------------------------------------------------------------------------

    def on_line(self, line: int) -> list[Site]:
        """All sites whose key, dash or value begins on a line."""
        return self._by_line.get(line, [])

    def along(self, root: Part, steps: Sequence[Value | Item]) -> Site | None:
        """The site that some steps lead to from the top of a document.

        steps: of each map item the item, of each array item its number.
        """
        around, found = root, None
        for step in steps:
            inside = self._inside.get(around, [])
            if type(step) is MapItem:
                found = next((site for site in inside if is_same_key(site, step)), None)
            else:
                found = next((site for site in inside if not site.is_item and site.place == step), None)
            if found is None:
                return None
            around = found.part
        return found

    def holds(self, site: Site, value: Value) -> bool:
        """Whether a site is written as a value; of a collection counts only its kind, of an alias nothing is known."""
        part = site.part
        if part.kind == SCALAR:
            return type(part.value) is type(value) and repr(part.value) == repr(value)
        return part.kind == ALIAS or part.kind == {Map: MAP, Array: ARRAY}.get(type(value))

    def is_computed(self, site: Site) -> bool:
        """Whether code makes the value: an expression behind the key, code within the text, a placeholder."""
        part = site.part
        if part.start == part.end:
            end = self.text.find("\n", site.slot.after)
            rest = self.text[site.slot.after : end if end >= 0 else None]
            return rest.lstrip().startswith("#@")
        return part.kind == SCALAR and any(mark in self.text[part.start : part.end] for mark in ("(@", "(("))

    # -- editing -----------------------------------------------------------------------------------------------------

    def replaced(self, site: Site, value: Value, typed: str | None = None) -> Iterator[str]:
        """The text with another value at a site, spelled in each way that may do, the best first.

        Those that do not read as the value come only where all of them do not. typed: how a person has spelled the value.
        """
        part = site.part
        token = self.text[part.start : part.end]
        written = _one_line(value)
        if part.kind == SCALAR and "\n" not in token and written is not None:
            found = [self._with(site, form) for form in self._forms(token, value, written, typed, site.slot)]
        else:
            found = self._exchanged(site, value)
        is_good = False
        for text in found:
            if _reads(text, site, value):
                is_good = True
                yield self._mark + text
        for text in () if is_good else found:
            yield self._mark + text

    def _forms(self, token: str, value: Value, written: str, typed: str | None, slot: Slot) -> Iterator[str]:
        """What a scalar on one line can be replaced by: its anchor, tag and quotes stay where they can."""
        match = _PROPERTIES.match(token + " ")
        properties = "" if match is None else match[0][: len(token)]
        body = token[len(properties) :]
        if properties and not properties.endswith((" ", "\t")):
            properties += " "
        anchor = "".join(f"{one} " for one in properties.split() if one.startswith("&"))
        forms = [written]
        if type(value) is str:
            if body.startswith('"'):
                forms.insert(0, double_quoted(value))
            elif body.startswith("'") and value.isprintable():
                forms.insert(0, "'" + value.replace("'", "''") + "'")
            forms.append(double_quoted(value))
        else:
            if type(value) is float:
                forms.append(written.replace("e", ".0e"))  # which other readers of YAML 1.1 take for a number as well
            if typed is not None and _SPELLED.fullmatch(typed):
                forms.insert(0, typed)
        if slot.flow:
            forms.append(flow_text(value))
        for before in dict.fromkeys((properties, anchor)):
            for form in dict.fromkeys(forms):
                yield before + form

    def _exchanged(self, site: Site, value: Value) -> list[str]:
        """The text with a value of several lines, or in the place of one."""
        found = []
        editor = Editor(self.text)
        try:
            editor.replace(site.part, value, site.slot)
            found.append(editor.result())
        except ConflictError:
            return []
        if type(value) is str and site.part.kind == SCALAR:
            # Where blank lines that follow would belong to a literal block.
            found.append(self._with(site, double_quoted(value)))
        return found

    def _with(self, site: Site, form: str) -> str:
        part, text = site.part, self.text
        if part.start < part.end:
            return text[: part.start] + form + text[part.end :]
        return text[: site.slot.after] + " " + form + text[site.slot.after :]

    def with_literal(self, site: Site, value: Value) -> str | None:
        """The text with a value in the place of the expression behind a key or dash; None where there is none."""
        cut = self._cut(site) if site.part.start == site.part.end and self.is_computed(site) else None
        if cut is None:
            return None
        after, bare = site.slot.after, Text(cut)
        there = next((one for one in bare.sites if one.mark == site.mark and one.slot.after == after), None)
        found = None if there is None else next(bare.replaced(there, value), None)
        return None if found is None else self._mark + found

    def with_code(self, site: Site, code: str) -> str | None:
        """The text with an expression in the place of a value; None where there is no room for one."""
        cut = None if site.slot.flow else self._cut(site)
        return None if cut is None else f"{self._mark}{cut[: site.slot.after]} #@ {code}{cut[site.slot.after :]}"

    def _cut(self, site: Site) -> str | None:
        """The text without what stands behind a key or dash: the value, or an expression; None where that cannot be told."""
        text, after = self.text, site.slot.after
        end = text.find("\n", max(site.part.end, after))
        end = len(text) if end < 0 else end
        behind = text[max(site.part.end, after) : end].strip()
        if site.part.start < site.part.end and behind:
            return None  # a comment
        return text[:after] + text[end - text[:end].endswith("\r") :]

    def without(self, site: Site) -> str | None:
        """The text without an item and its annotations; None where it cannot be taken out by itself."""
        part, editor = site.around, Editor(self.text)
        spans = self._spans(part)
        if spans is None:
            return None
        if len(spans) == 1:
            above = next((one for one in self.sites if one.part is part), None)
            empty = Map([]) if part.kind == MAP else Array([])
            return None if above is None else next(self.replaced(above, empty), None)
        kept = [place != site.place for place in range(len(spans))]
        if part.flow:
            editor.flow_deletions(spans, kept)
        elif not editor.block_deletions(spans, kept):
            return None
        first = line = site.line
        while first > 1 and _ANNOTATION.match(self.line(first - 1)):
            first -= 1
        if first < line and not part.flow:
            editor.put(self._lines[first - 1], self._lines[line - 1], "")
        return self._result(editor)

    def with_item(self, around: Part, behind: int, item: Item) -> str | None:
        """The text with a new item in a collection, behind the item with that number; None where it has no room."""
        spans, editor = self._spans(around), Editor(self.text)
        if spans is None or not spans:
            return None
        value = item.value
        if type(item) is not MapItem:
            if not editor.insert_item(around, spans, behind, value):
                return None
        elif around.flow:
            editor.put(spans[behind][1], spans[behind][1], f", {flow_text(item.key)}: {flow_text(value)}")
        else:
            pad = " " * editor.column(spans[behind][0])
            lines = write_value(Map([MapItem(item.key, value)])).splitlines(keepends=True)
            editor.insert_lines(spans[behind][1], "".join(pad + line if line.strip() else line for line in lines))
        return self._result(editor)

    def _spans(self, part: Part) -> list[tuple[int, int]] | None:
        """Where the items of a collection begin and end, None unless all of them are simple."""
        sites = self._inside.get(part, [])
        if len(sites) != len(part.values):
            return None
        return [(site.mark, max(site.part.end, site.slot.after)) for site in sites]

    def _result(self, editor: Editor) -> str | None:
        try:
            return self._mark + editor.result()
        except ConflictError:
            return None


def _laid_out(text: str) -> list[Part]:
    """The documents of a text. Raises ReadError for what readers of YAML take and its parser does not."""
    from plait.yaml.problems import syntax_error

    try:
        return layouts(text)
    except Exception as error:  # noqa: BLE001 - told as what it is
        raise syntax_error(error, Source("", text), text, 1, prepends=False) from None


def is_same_key(site: Site, item: Item | None) -> bool:
    """Whether a site is an item as another one: of the same kind, with the same key. item: None for any."""
    if item is None:
        return True
    return site.is_item is (type(item) is MapItem) and (
        type(item) is not MapItem or key_id(site.key) == key_id(item.key)
    )


def has_computed_key(site: Site) -> bool:
    """Whether code or variables make the key of a site."""
    return type(site.key) is str and ("(@" in site.key or "((" in site.key)


def _one_line(value: Value) -> str | None:
    """A scalar or an empty collection on one line; None for anything else."""
    if is_filled(value):
        return None
    text = write_value(value).removesuffix("\n")
    return None if "\n" in text else text


def _reads(text: str, site: Site, value: Value) -> bool:
    """Whether a text has a scalar value where a site was."""
    from plait.errors import PlaitError

    if is_filled(value):
        return True
    try:
        found = Text(text)
    except PlaitError:
        return False
    there = next((one for one in found.sites if one.mark == site.mark and one.is_item == site.is_item), None)
    return there is not None and found.holds(there, value)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def changed_lines(before: str, after: str) -> list[tuple[int, Sequence[str], Sequence[str]]]:
    """What differs between two texts by lines: the number of the first one, the old ones, the new ones."""
    from plait.textdiff import differing

    left, right = before.splitlines(), after.splitlines()
    return [(start + 1, left[start:end], right[there:last]) for start, end, there, last in differing(left, right)]
