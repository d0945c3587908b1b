"""Repairs invalid YAML: finds the smallest changes of lines that make the rest readable.

The scanner stops at an unexpected token. It returns to the state at the start of a line, tries each repair of the lines
near the fault, and continues with the repair that reads farthest. Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections import deque

from plait.yaml.lossless.flow_collections import VALUE, TreeError, UnclosedError
from plait.yaml.lossless.nodes import Collection, Tree
from plait.yaml.lossless.scanner import Frame, Scanner, collector_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.yaml.lossless.flow_collections import Pending
    from plait.yaml.lossless.nodes import Item, Node

# Maximum number of repairs. A text with more faults is unlikely to be YAML.
MOST = 30
# Number of lines after a fault that are read to judge a repair.
_AHEAD = 200
# Maximum total characters in windows: a multiple of the text's size, plus a constant. Brackets can span a whole text.
_WORK, _FREE = 40, 20_000
# Number of stored states, each at the start of a line.
_STATES = 12
# Maximum nesting of brackets in which states are stored.
_DEEPEST = 50

# A quote or bracket that may be a mistake; after a colon and a space it begins a value.
_STRAY = re.compile(r"(?<!: )[][{}\"']")
_OPENER = re.compile("[\"'\\[{]")
_COLON = re.compile(r":(?: |$)")
_NAMED = re.compile(r"[&*][0-9A-Za-z_-]")
_BLANK_REST = re.compile(r"[ \t]*(?:#.*)?(?:\n|\Z)")
_ITEM = re.compile(r" *(?:- .|(?:- )*[^\s:'\"\[\]{}#,-][^:'\"\[\]{}#,]*:(?: |$))")


class Repair:
    """A line to change. number: from 1. new: its text. is_open: a quote or a bracket on it extends to the fault below."""

    __slots__ = ("is_open", "new", "number")

    def __init__(self, number: int, new: str, *, is_open: bool) -> None:
        self.number = number
        self.new = new
        self.is_open = is_open


def repairs(text: str, most: int = MOST) -> list[Repair]:
    """The repairs that make a whole text readable, in the order of its faults. Empty for a valid text. most: their
    maximum number.
    """
    recovery = _Recovery(text)
    with collector_paused():
        recovery.run(most)
    return [*recovery.repairs.values()]


class _Strict(Scanner):
    """A scanner that also stops at tokens that occur only in invalid text.

    keyed: the line of the last key.
    brackets: a state in brackets to continue from.
    inner: the states in brackets, each at the start of a line; None for a scanner that stores none.
    """

    __slots__ = ("brackets", "hears", "inner", "keyed")

    def __init__(self, tree: Tree, brackets: _Brackets | None = None, inner: deque[_State] | None = None) -> None:
        super().__init__(tree)
        self.keyed = -1
        self.brackets = brackets
        self.inner = inner
        self.hears = inner is not None

    def advance(self, until: int) -> None:
        brackets, self.brackets = self.brackets, None
        if brackets is not None:
            node = self.inside(max(self.line, 0), *brackets.restored())
            if self.pending:
                node.properties = self.properties()
            self.put(node)
            self.line = _start(self.text, node.end)
            self.skip(node.end)
        super().advance(until)

    def flow(self, at: int) -> Collection:
        if self.inner is not None:
            self.inner.clear()
        return super().flow(at)

    def line_inside(
        self, at: int, outer: list[tuple[Collection, int]], node: Collection, waits: int, pending: Pending
    ) -> None:
        if self.inner is not None and len(outer) < _DEEPEST:
            self.inner.append(_State(self, _start(self.text, at), _Brackets(outer, node, waits, pending)))

    def inline(self, at: int, first: str) -> None:
        if first in "]},@`%" or (first == "*" and not _NAMED.match(self.text, at)):
            raise TreeError(at)
        super().inline(at, first)

    def key(self, node: Node, colon: int) -> None:
        frame = self.frames[-1]
        if self.line == self.keyed and frame.waits == VALUE and frame.node is not None and frame.node.is_map:
            raise TreeError(colon)
        self.keyed = self.line
        super().key(node, colon)

    def put(self, node: Node) -> None:
        frame = self.frames[-1]
        if frame.waits == VALUE and frame.column >= 0 and type(node) is not Collection:
            column = node.start - _start(self.text, node.start)
            if column <= frame.column:
                raise TreeError(node.start)
        super().put(node)

    def property(self, at: int) -> bool:
        if self.text[at] == "&" and not _NAMED.match(self.text, at):
            raise TreeError(at)
        frame = self.frames[-1]
        super().property(at)
        # A key in the column of keys must be complete on the same line.
        is_key = frame.column == at - self.line and frame.node is not None and frame.node.is_map
        if is_key and _BLANK_REST.match(self.text, self.at):
            raise TreeError(at)
        return True


class _State:
    """The state of a scanner at the start of a line."""

    __slots__ = ("brackets", "document", "documents", "frames", "line", "pending")

    def __init__(self, scanner: Scanner, line: int, brackets: _Brackets | None = None) -> None:
        self.line = line
        self.brackets = brackets
        self.document = scanner.document
        self.documents = len(scanner.tree.documents)
        self.pending = [*scanner.pending]
        self.frames = [(frame.column, frame.waits, _Open(frame.node, frame.item)) for frame in scanner.frames]

    def restored(self, text: str, base: int, tree: Tree, inner: deque[_State] | None = None) -> _Strict:
        """A scanner in this state, for a text that starts at the offset `base` of the whole text."""
        scanner = _Strict(Tree(text), self.brackets, inner)
        scanner.tree = tree
        del tree.documents[self.documents :]
        scanner.at = scanner.line = self.line - base
        scanner.document = self.document
        scanner.pending = _moved(self.pending, base)
        for column, waits, open in self.frames:
            frame = Frame(open.node, column, waits)
            frame.item = open.restored()
            scanner.frames.append(frame)
        if self.brackets is None:
            scanner.skip(scanner.line)
        return scanner


class _Open:
    """The state of an open collection and of its last item."""

    __slots__ = ("count", "item", "key", "node", "sign", "value")

    def __init__(self, node: Collection | None, item: Item | None) -> None:
        self.node = node
        self.count = 0 if node is None else len(node.items)
        self.item = item
        self.key = None if item is None else item.key
        self.sign = -1 if item is None else item.sign
        self.value = getattr(item, "value", None)

    def restored(self) -> Item | None:
        item = self.item
        if self.node is not None:
            del self.node.items[self.count :]
        if item is not None:
            item.key, item.sign = self.key, self.sign
            if self.value is not None:
                item.value = self.value
        return item


class _Brackets:
    """The state inside brackets: the arguments of `FlowScanner.inside`."""

    __slots__ = ("open", "pending", "waits")

    def __init__(self, outer: list[tuple[Collection, int]], node: Collection, waits: int, pending: Pending) -> None:
        self.open = [_Open(one, one.items[-1] if one.items else None) for one in (*(one for one, _ in outer), node)]
        self.waits = [*(waiting for _, waiting in outer), waits]
        self.pending = [*pending]

    def restored(self) -> tuple[list[tuple[Collection, int]], Collection, int, Pending]:
        nodes: list[Collection] = []
        for one in self.open:
            one.restored()
            if one.node is not None:
                nodes.append(one.node)
        *outer, node = nodes
        return [*zip(outer, self.waits, strict=False)], node, self.waits[-1], [*self.pending]


def _moved(pending: Pending, base: int) -> Pending:
    return [(at - base, end - base, anchor, tag, line - base) for at, end, anchor, tag, line in pending]


class _Recovery:
    """The repairs of a text, by line. text: with the repairs applied."""

    __slots__ = ("inner", "repairs", "scanner", "states", "text", "work")

    def __init__(self, text: str) -> None:
        self.text = text
        # States inside the current brackets, separate from the earlier ones.
        self.inner: deque[_State] = deque(maxlen=_STATES)
        self.states: deque[_State] = deque(maxlen=_STATES)
        self.scanner = _Strict(Tree(text), None, self.inner)
        self.repairs: dict[int, Repair] = {}
        self.work = _WORK * (len(text) + _FREE)

    def run(self, most: int) -> None:
        self.scanner.skip(self.scanner.at)
        for _ in range(most):
            fault = _fault(self.scanner, self.states)
            if fault < 0 or self.work < 0:
                return
            chosen = self.choose(fault)
            if chosen is None:
                return
            self.apply(fault, *chosen)

    def choose(self, fault: int) -> tuple[_State, int, str] | None:
        """The best repair of a fault: a state before it, the offset of a line, and the line's new text."""
        text = self.text
        line = _start(text, fault)
        usable = [state for state in self.states if state.line <= line] or [self.states[0]]
        first = usable[-1].line
        usable += [state for state in self.inner if first < state.line <= line]
        best: tuple[int, tuple[_State, int, str]] | None = None
        end = _ahead(text, _end(text, fault))
        for at, new in (*_closed(text, fault), *_candidates(text, line, first)):
            state = next((one for one in reversed(usable) if one.line < at), usable[0])
            if new == text[at : _end(text, at)]:
                continue
            reach = self.reach(state, at, new, end)
            if best is None or reach > best[0]:
                best = reach, (state, at, new)
        return None if best is None else best[1]

    def reach(self, state: _State, at: int, new: str, end: int) -> int:
        """The number of lines from the end of a window to the next fault, negated; 0 if there is none."""
        text = self.text
        window = text[state.line : at] + new + text[_end(text, at) : end]
        scanner = state.restored(window, state.line, self.scanner.tree)
        fault = _fault(scanner, None, is_whole=end == len(text))
        self.work -= len(window) if fault < 0 else fault + 1
        return 0 if fault < 0 else -window.count("\n", fault) - 1

    def apply(self, fault: int, state: _State, at: int, new: str) -> None:
        text = self.text
        end = _end(text, at)
        number = text.count("\n", 0, at) + 1
        is_open = end < fault and _OPENER.search(text, at, end) is not None
        known = self.repairs.get(number)
        self.repairs[number] = Repair(number, new, is_open=is_open or (known is not None and known.is_open))
        self.text = text[:at] + new + text[end:]
        if state.brackets is None:
            self.inner.clear()
        states = self.states if state.brackets is None else self.inner
        while states.pop() is not state:
            pass
        self.scanner = state.restored(self.text, 0, self.scanner.tree, self.inner)


def _fault(scanner: _Strict, states: deque[_State] | None, *, is_whole: bool = True) -> int:
    """Continues to the next fault. Returns its offset, or -1 at the end."""
    text, size = scanner.text, scanner.size
    before = () if scanner.brackets is None else [one.node for one in scanner.brackets.open]
    try:
        while scanner.at < size:
            if states is not None and not text[scanner.line : scanner.at].strip(" "):
                states.append(_State(scanner, scanner.line))
            scanner.advance(min(_end(text, scanner.at) + 1, size) if states is not None else size)
        if is_whole and scanner.document is not None:
            scanner.finish()
    except UnclosedError as error:
        if states is None and error.open[-1][0] in before:
            return 0 if is_whole else -1  # the quote opens before the text
        return int(error.args[0])
    except TreeError as error:
        return int(error.args[0])
    return -1


def _closed(text: str, fault: int) -> Iterator[tuple[int, str]]:
    """Yields the last line with the missing closing quote added. Yields nothing if a line below the fault looks like an
    item.
    """
    quote = text[fault : fault + 1]
    if quote not in ('"', "'") or text.find(quote, fault + 1) >= 0:
        return
    if not any(_ITEM.match(one) for one in text[fault:].split("\n")[1:]):
        end = len(text.rstrip())
        start = _start(text, end)
        yield start, text[start:end] + quote


def _candidates(text: str, line: int, first: int) -> Iterator[tuple[int, str]]:
    """Yields candidate repairs, best first: the offset of a line and its new text.

    line: the line of the fault. first: the line where its token starts.
    """
    for at in dict.fromkeys((first, line)):
        whole = text[at : _end(text, at)]
        yield from (
            (at, new) for new in _shapes(whole, _text_at(text, _above(text, at)), _text_at(text, _below(text, at)))
        )
        # If an item is complete and a line below seems to continue it, that line is more likely to be wrong.
        if at == line or not _ITEM.match(whole) or _COLON.search(whole) is None or _OPENER.search(whole):
            yield at, _blank(whole)
    above = _above(text, line)
    if above < 0:
        return
    whole = _text_at(text, above)
    if not _ITEM.match(whole):
        yield above, _blank(whole)
    else:
        yield from ((above, new) for new in _shapes(whole, _text_at(text, _above(text, above)), _text_at(text, line)))


def _shapes(line: str, over: str, under: str) -> Iterator[str]:
    shapes = [line[: one.start()] + line[one.end() :] for one in [*_STRAY.finditer(line)][:6]]
    indents = dict.fromkeys(_indent(one) for one in (under, over, line) if one)
    shapes += [" " * indent + line.lstrip() for indent in indents if indent != _indent(line)]
    for new in dict.fromkeys(shapes):
        takes = new.rstrip().endswith(":") and _indent(under) > _indent(new) and over.rstrip().endswith(":")
        if _ITEM.match(new) and not takes:
            yield new


def _blank(line: str) -> str:
    return line[: _indent(line)] if "#" not in line else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _text_at(text: str, line: int) -> str:
    return "" if line < 0 else text[line : _end(text, line)]


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _above(text: str, line: int) -> int:
    """The offset of the nearest line above that is not only a comment; -1 if there is none."""
    while line > 0:
        line = _start(text, line - 1)
        if _has_content(text[line : _end(text, line)]):
            return line
    return -1


def _below(text: str, line: int) -> int:
    end = _end(text, line)
    while end < len(text):
        line = end + 1
        end = _end(text, line)
        if _has_content(text[line:end]):
            return line
    return -1


def _ahead(text: str, end: int) -> int:
    for _ in range(_AHEAD):
        if end >= len(text):
            break
        end = _end(text, end + 1)
    return end


KEY_BELOW_DASH = "it begins in the column of the dash above: two more spaces make it a key of that item"


def key_below_dash(text: str, number: int) -> int:
    """The number of the first of the keys above an item that begin in the column of its dash, if an item in the same
    column is above them; 0 for other lines. number: the line of the item, from 1.
    """
    lines = text.split("\n")[:number]
    item = lines.pop() if lines else ""
    margin = item[: len(item) - len(item.lstrip(" "))]
    first = 0
    while lines and item.startswith(f"{margin}- "):
        line = lines.pop()
        if line.startswith(f"{margin}- "):
            return first
        if not line.startswith(margin):
            return 0
        inner = line.removeprefix(margin)
        if first and inner.startswith(" "):
            continue
        if not _COLON.search(inner) or inner.rstrip().endswith(":") or inner[:1] in ("", " ", "-", "#"):
            return 0
        first = len(lines) + 1
    return 0
