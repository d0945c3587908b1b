"""Changing a text so that it reads as another value, and leaving every line alone that need not change.

The old text is laid out in parts with spans; parts are compared with the new value from the root down, and only what
differs becomes a text edit: a scalar is exchanged, a key or item's lines are taken out or put in. Comments, blank lines,
quotes, anchors, aliases and the order of keys stay. A collection that cannot be changed in parts (a complex key, a
repeated key, a merge that brings what is changed) is written anew as a whole. What comes out is read again: if it were
not the wanted value, the document would be written anew.
"""

from __future__ import annotations

from plait.nodes import Array, ArrayItem, Map, MapItem, is_filled, key_id
from plait.source import Source
from plait.yaml import write_value
from plait.yaml.forms import FORMS, double_quoted
from plait.yaml.layout import ALIAS, MAP, SCALAR, layout
from plait.yaml.likeness import alike
from plait.yaml.style import Style, quoted, style_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.nodes import Value
    from plait.yaml.forms import Forms
    from plait.yaml.layout import Part

_SIMILAR_CELLS = 4000  # pairs of items that are compared to find which became which


def keep_format(
    source: Source, old: Value, new: Value, read_first: Callable[[Source], Value], forms: Forms = FORMS
) -> str:
    """The text of `source`, whose first document is `old`, changed so that it reads as `new`.

    Lines of what is the same in both stay byte for byte; so do all documents but the first. read_first: reads the first
    document of a text. forms: of strings that are new.
    """
    text = source.text
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(mark) :]
    root = layout(text)
    editor = Editor(text, style_of(root, text, forms))
    try:
        editor.edit(root, old, new, None)
        result = editor.result()
    except (ConflictError, RecursionError):
        result = None
    if result is None or not _reads_as(result, new, read_first):
        result = _written_anew(text, root, new, forms)
    return mark + result


def _reads_as(text: str, value: Value, read_first: Callable[[Source], Value]) -> bool:
    from plait.errors import PlaitError

    try:
        return alike(read_first(Source("", text)), value)
    except PlaitError:
        return False


def _written_anew(text: str, root: Part, value: Value, forms: Forms) -> str:
    """The document as the printer prints it; what stands before and behind it is kept."""
    line = text.rfind("\n", 0, root.start) + 1
    head = text[:line]
    if text[line : root.start].strip():  # `--- x`
        head = text[: root.start].rstrip(" ") + "\n"
    tail = text[_line_end(text, root.end) :]
    written = write_value(value, forms=forms).removesuffix("\n")
    if written.endswith("\n"):  # a literal block at the end would take blank lines for its own
        tail = "\n" + tail.lstrip("\r\n")
    return head + (written.replace("\n", "\r\n") if "\r\n" in text else written) + (tail or "\n")


class ConflictError(Exception):
    """Edits that cannot be made together."""


class Slot:
    """Where a part stands, for writing another in its place.

    after: where the `:` or `-` before it ends. pad: the column of the key or dash. flow: within brackets.
    """

    __slots__ = ("after", "flow", "mark", "pad")

    def __init__(self, mark: str, after: int, pad: int, flow: bool) -> None:
        self.mark = mark
        self.after = after
        self.pad = pad
        self.flow = flow


class Editor:
    """Collects edits of one text; `result` is the text with all of them."""

    __slots__ = ("anchors", "edits", "newline", "style", "text")

    def __init__(self, text: str, style: Style | None = None) -> None:
        self.text = text
        self.style = Style() if style is None else style
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.edits: list[tuple[int, int, int, str]] = []
        # The anchors that stand for something else than before: the new value, or nothing if they are gone.
        self.anchors: dict[str, Value | _Gone] = {}

    def result(self) -> str:
        out: list[str] = []
        at = 0
        for start, end, _, new in sorted(self.edits):
            if start < at:
                raise ConflictError
            out += (self.text[at:start], new if self.newline == "\n" else new.replace("\n", self.newline))
            at = end
        out.append(self.text[at:])
        return "".join(out)

    def put(self, start: int, end: int, new: str) -> None:
        self.edits.append((start, end, len(self.edits), new))

    # -- comparing ---------------------------------------------------------------------------------------------------

    def edit(self, part: Part, old: Value, new: Value, slot: Slot | None) -> None:
        """Change a part, which read as `old`, so that it reads as `new`."""
        if part.kind == ALIAS:
            stands_for = self.anchors.get(part.name, old)
            if isinstance(stands_for, _Gone) or not alike(stands_for, new):
                self.replace(part, new, slot)
            return
        if old is new and not (part.aliased and self.touched(part)):
            self.unchanged(part)
            return
        if part.kind == SCALAR:
            read = part.value if old is None else old
            if type(read) is type(new) and repr(read) == repr(new):
                self.unchanged(part)
            else:
                self.replace(part, new, slot)
            return
        fits = type(new) is (Map if part.kind == MAP else Array) and type(old) is type(new)
        if fits and not part.values and not is_filled(new):
            self.unchanged(part)
            return
        if not fits or not part.values or not is_filled(new) or part.whole:
            self.replace(part, new, slot)
            return
        before = len(self.edits)
        if part.anchor is not None:  # what is within may have an anchor of the same name, which then counts
            self.anchors[part.anchor] = new
        if isinstance(old, Map) and isinstance(new, Map):
            done = self.edit_map(part, old, new)
        else:
            done = isinstance(old, Array) and isinstance(new, Array) and self.edit_array(part, old, new)
        if not done:
            del self.edits[before:]
            self.replace(part, new, slot)

    def touched(self, part: Part) -> bool:
        """Whether an alias in a part stands for something else than before."""
        pending = [part]
        while pending:
            each = pending.pop()
            if each.kind == ALIAS and each.name in self.anchors:
                return True
            pending += [inner for inner in (*each.keys, *each.values) if inner.aliased]
        return False

    def unchanged(self, part: Part) -> None:
        for name in part.anchors:
            self.anchors.pop(name, None)

    # -- maps --------------------------------------------------------------------------------------------------------

    def edit_map(self, part: Part, old: Map, new: Map) -> bool:
        """Change a map item by item; False if it has to be written anew."""
        merges = [place for place, key in enumerate(part.keys) if key.value == "<<" and not _quoted(self.text, key)]
        if merges and (self.touched(part) or not self._beside_merges(part, old, new, merges[-1])):
            return False
        wanted = {key_id(item.key): item for item in new.items}
        kept: list[bool] = []
        for place, (key, value) in enumerate(zip(part.keys, part.values, strict=True)):
            item = wanted.pop(key_id(key.value), None)
            if place in merges or (merges and place < merges[-1]):
                kept.append(True)
                continue
            kept.append(item is not None)
            if item is not None:
                known = old.find(key.value)
                colon = self.text.index(":", key.end) + 1
                slot = Slot(":", colon, self.column(key.start), part.flow)
                self.edit(value, known.value if known is not None else None, item.value, slot)
            else:
                self.gone(value)
        added = [item for item in wanted.values() if not merges or old.find(item.key) is None]
        if not any(kept):
            return False
        spans = [
            (key.start, max(key.end, value.end, self.text.index(":", key.end) + 1))
            for key, value in zip(part.keys, part.values, strict=True)
        ]
        if part.flow:
            self.flow_deletions(spans, kept)
            for item in added:
                self.put(
                    spans[-1][1],
                    spans[-1][1],
                    f"{self.gap(part, spans)}{self.style.flow(item.key)}: {self.style.flow(item.value)}",
                )
            return True
        if not self.block_deletions(spans, kept):
            return False
        pad = self.column(part.keys[0].start)
        for item in added:
            self.insert_lines(spans[-1][1], _indented(self.style.block(Map([item])), pad))
        return True

    def _beside_merges(self, part: Part, old: Map, new: Map, last: int) -> bool:
        """Whether maps differ only in keys that are written behind the last `<<`, or new."""
        behind = {key_id(key.value) for key in part.keys[last + 1 :]}
        for item in old.items:
            other = new.find(item.key)
            if other is None or (key_id(item.key) not in behind and not alike(item.value, other.value)):
                return False
        return True

    # -- arrays ------------------------------------------------------------------------------------------------------

    def edit_array(self, part: Part, old: Array, new: Array) -> bool:
        """Change an array item by item; False if it has to be written anew."""
        if len(old.items) != len(part.values):
            return False
        pairs = aligned(old.items, new.items)
        became = dict(pairs)
        kept = [place in became for place in range(len(part.values))]
        if not any(kept):
            return False
        dashes = None if part.flow else self.dashes(part)
        if dashes is None and not part.flow:
            return False
        spans: list[tuple[int, int]] = []
        for place, value in enumerate(part.values):
            if dashes is None:
                spans.append((value.start, value.end))
                slot = Slot("-", value.start, 0, flow=True)
            else:
                spans.append((dashes[place], max(value.end, dashes[place] + 1)))
                slot = Slot("-", dashes[place] + 1, self.column(dashes[place]), flow=False)
            if kept[place]:
                self.edit(value, old.items[place].value, new.items[became[place]].value, slot)
            else:
                self.gone(value)
        if part.flow:
            self.flow_deletions(spans, kept)
        elif not self.block_deletions(spans, kept):
            return False
        from_old = {there: here for here, there in pairs}
        before = -1  # the last old item that is kept and stands before
        for there, item in enumerate(new.items):
            if there in from_old:
                before = from_old[there]
            elif not self.insert_item(part, spans, before, item.value):
                return False
        return True

    def insert_item(self, part: Part, spans: list[tuple[int, int]], before: int, value: Value) -> bool:
        """Put a new item behind an old one (behind none if `before` is -1)."""
        if part.flow:
            if before >= 0:
                self.put(spans[before][1], spans[before][1], f"{self.gap(part, spans)}{self.style.flow(value)}")
                return True
            self.put(spans[0][0], spans[0][0], f"{self.style.flow(value)}{self.gap(part, spans)}")
            return True
        pad = self.column(spans[0][0])
        lines = _indented(self.style.block(Array([ArrayItem(value)])), pad)
        if before >= 0:
            self.insert_lines(spans[before][1], lines)
            return True
        line = self.text.rfind("\n", 0, spans[0][0]) + 1
        if self.text[line : spans[0][0]].strip():
            return False
        self.put(line, line, lines)
        return True

    def dashes(self, part: Part) -> list[int] | None:
        """Where the dashes of a block array stand."""
        text = self.text
        start = part.start
        while part.anchor is not None and text[start] != "-":  # the lines between an anchor and the first dash
            line = _line_end(text, start) + 1
            if line >= len(text):
                return None
            start = line + len(text[line : _line_end(text, line)]) - len(text[line : _line_end(text, line)].lstrip(" "))
            if start >= part.values[0].start + 1:
                return None
        column = self.column(start)
        out = [start]
        for value in part.values[1:]:
            at = _line_end(text, part.values[len(out) - 1].end)
            found = -1
            while at < value.start:
                line = at + 1
                if text[line : line + column].strip(" ") == "" and text[line + column : line + column + 1] == "-":
                    found = line + column
                    break
                at = _line_end(text, line)
            if found < 0:
                return None
            out.append(found)
        return out

    # -- taking out and putting in -----------------------------------------------------------------------------------

    def gone(self, part: Part) -> None:
        for name in part.anchors:
            self.anchors[name] = _GONE

    def gap(self, part: Part, spans: list[tuple[int, int]]) -> str:
        """What stands between two items in brackets: a comma, and a line break where these have one."""
        if len(spans) > 1:
            between = self.text[spans[-2][1] : spans[-1][0]]
        else:
            between = (
                "," + self.text[part.start : spans[0][0]].lstrip("&").partition("{" if part.kind == MAP else "[")[2]
            )
        return between if between.strip() == "," and between != "," else ", "

    def flow_deletions(self, spans: list[tuple[int, int]], kept: list[bool]) -> None:
        """Take items out of brackets, each with a comma: the one before it, or behind it if none before it stays."""
        stays = False
        for place, keep in enumerate(kept):
            if keep:
                stays = True
            elif stays:
                self.put(spans[place - 1][1], spans[place][1], "")
            else:
                self.put(spans[place][0], spans[place + 1][0], "")

    def block_deletions(self, spans: list[tuple[int, int]], kept: list[bool]) -> bool:
        """Take the lines of items out; False if the first stands on the line of something else and cannot be."""
        text = self.text
        for place, keep in enumerate(kept):
            if keep:
                continue
            start, end = spans[place]
            line = text.rfind("\n", 0, start) + 1
            if text[line:start].strip(" "):
                if place + 1 < len(kept) and kept[place + 1]:
                    self.put(start, spans[place + 1][0], "")
                    continue
                return False
            self.put(line, min(_line_end(text, end) + 1, len(text)), "")
        return True

    def insert_lines(self, end: int, lines: str) -> None:
        """Put whole lines behind the line on which something ends."""
        at = _line_end(self.text, end)
        if at >= len(self.text):
            self.put(at, at, "\n" + lines.removesuffix("\n"))
        else:
            self.put(at + 1, at + 1, lines)

    def replace(self, part: Part, new: Value, slot: Slot | None) -> None:
        """Write a value in the place of a part; its anchor is kept."""
        self.gone(part)
        prefix = ""
        if part.anchor is not None:
            prefix = f"&{part.anchor} "
            self.anchors[part.anchor] = new
        if slot is None:
            raise ConflictError  # the root: the document is written anew
        text = self.text
        if slot.flow:
            lead = " " if part.start == part.end and text[part.start - 1 : part.start] == ":" else ""
            self.put(part.start, part.end, lead + prefix + self.style.flow(new))
            return
        written = _after_mark(new, slot.mark, slot.pad, self.style, text[part.start : part.start + 1])
        if prefix:
            written = " " + (prefix.rstrip() if written.startswith("\n") else prefix) + written.removeprefix(" ")
        if "\n" not in written and part.start < part.end and "\n" not in text[slot.after : part.start]:
            self.put(part.start, part.end, written.removeprefix(" "))
            return
        end = max(part.end, slot.after)
        stop = _line_end(text, end)
        if "\n" in written and "#" in text[end:stop]:  # a comment stays on the first line
            head, rest = written.split("\n", 1)
            self.put(slot.after, stop, f"{head}{text[end:stop].rstrip()}\n{rest}")
        else:
            self.put(slot.after, end, written)

    def column(self, at: int) -> int:
        return at - (self.text.rfind("\n", 0, at) + 1)


class _Gone:
    """An anchor that is not there any more."""

    __slots__ = ()


_GONE = _Gone()


def _line_end(text: str, at: int) -> int:
    """Where the line that `at` is on ends: its line feed, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _quoted(text: str, key: Part) -> bool:
    return text[key.start] in "\"'!"


def _indented(text: str, pad: int) -> str:
    if pad == 0:
        return text
    lead = " " * pad
    return "".join(lead + line if line.strip("\n") else line for line in text.splitlines(keepends=True))


def _after_mark(value: Value, mark: str, pad: int, style: Style, quote: str) -> str:
    """What stands behind `key:` or `-` for a value, without the last line break. quote: how a text was quoted before."""
    if type(value) is str and value.endswith("\n\n"):
        # A literal block would take blank lines that follow for its own.
        return " " + double_quoted(value)
    if type(value) is str and quote and quote in "\"'" and "\n" not in value:
        return " " + quoted(value, quote)
    if mark == ":":
        lines = style.block(Map([MapItem("k", value)])).removeprefix("k")
    else:
        lines = style.block(Array([ArrayItem(value)]))
    return _indented(lines, pad)[pad:].removeprefix(mark).removesuffix("\n")


def aligned(old: list[ArrayItem], new: list[ArrayItem]) -> list[tuple[int, int]]:
    """Which old item became which new one: the same objects first, then what lies between them by likeness."""
    places = {id(item): place for place, item in enumerate(old)}
    pairs: list[tuple[int, int]] = []
    here = there = 0
    for place, item in enumerate(new):
        at = places.get(id(item), -1)
        if at >= here:
            pairs += _between(old, new, here, at, there, place)
            pairs.append((at, place))
            here, there = at + 1, place + 1
    pairs += _between(old, new, here, len(old), there, len(new))
    return pairs


def _between(
    old: list[ArrayItem], new: list[ArrayItem], here: int, here_end: int, there: int, there_end: int
) -> list[tuple[int, int]]:
    rows, columns = here_end - here, there_end - there
    if rows == columns or not rows or not columns or rows * columns > _SIMILAR_CELLS:
        return [(here + n, there + n) for n in range(min(rows, columns))]
    # The pairs, in order, that have most in common.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    likeness = [
        [_likeness(old[here + row].value, new[there + column].value) for column in range(columns)]
        for row in range(rows)
    ]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            best[row][column] = max(
                best[row + 1][column], best[row][column + 1], best[row + 1][column + 1] + likeness[row][column]
            )
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        if likeness[row][column] and best[row][column] == best[row + 1][column + 1] + likeness[row][column]:
            pairs.append((here + row, there + column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _likeness(old: Value, new: Value) -> int:
    """How much two values have in common: 0 if nothing."""
    if type(old) is Map and type(new) is Map:
        return sum(
            1 + 2 * (type(item.value) is type(other.value) and item.value == other.value)
            for item in old.items
            if (other := new.find(item.key)) is not None
        )
    if type(old) is Array and type(new) is Array:
        return 1
    return 4 if type(old) is type(new) and old == new else 0
