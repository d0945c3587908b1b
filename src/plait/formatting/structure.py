"""What each line of a YAML text begins with, and where that ought to stand.

The scanner's tokens say it: block collections begin and end, with the column of what is in them. Nothing here changes a
text; a `Plan` has the new column of each line.
"""

from __future__ import annotations

import re

import yaml

# How far what is in a collection stands to the right of it.
STEP = 2

MAP, SEQUENCE, LEVEL_SEQUENCE = "map", "sequence", "level sequence"


class Block:
    """A block collection that is open. old, new: its column as written, and as it ought to be.

    kind: a level sequence is one whose dashes stand below the key that it belongs to, not to the right of it.
    That something of a map begins with a `?` or a `:`, as keys that are no single line do, makes no difference.
    """

    __slots__ = ("kind", "new", "old")

    def __init__(self, kind: str, old: int, new: int) -> None:
        self.kind = kind
        self.old = old
        self.new = new


class Plan:
    """Where the lines of a text go; lines and columns count from 0.

    columns: the new column of a line that begins with something of a block collection. moved: of a line that continues a
    scalar or a flow collection, how far it goes to the right, and the block collection that it is in. scalars: lines within
    block scalars, with the column where their text begins and the one where it ought to begin. kept: lines that end within a
    quoted scalar, where spaces may mean something. tight: by line, places (column of a dash, column of what follows it) that
    need one space between. around: for each line of `columns`, the columns of the collections that it stands in.
    ends_open: the text ends in a scalar that the end of the text belongs to.
    """

    __slots__ = ("around", "columns", "ends_open", "kept", "moved", "scalars", "tight")

    def __init__(self) -> None:
        self.columns: dict[int, int] = {}
        self.moved: dict[int, tuple[int, Block | None]] = {}
        self.scalars: dict[int, tuple[int, int]] = {}
        self.kept: set[int] = set()
        self.tight: dict[int, list[tuple[int, int]]] = {}
        self.around: dict[int, dict[int, int]] = {}
        self.ends_open = False


class OddError(Exception):
    """The text has something whose lines are better left where they are."""


def tokens_of(text: str) -> list[yaml.Token]:
    """What the scanner finds in a text. Raises yaml.YAMLError where it does not read what our reader does."""
    return list(yaml.scan(text, Loader=getattr(yaml, "CLoader", yaml.Loader)))


def words(tokens: list[yaml.Token]) -> list[tuple[object, ...]]:
    """What is written, without its columns: each token on its line, scalars, anchors and tags with their text and style.

    A sequence at the level of its key has no token for its beginning and end, so these are left out.
    """
    return [
        (type(token), token.start_mark.line, getattr(token, "value", None), getattr(token, "style", None))
        for token in tokens
        if not isinstance(token, (yaml.BlockSequenceStartToken, yaml.BlockEndToken, yaml.StreamEndToken))
    ]


def plan_of(tokens: list[yaml.Token], lines: list[str]) -> Plan:
    """The plan of a text. Raises OddError."""
    first = _Planner(lines, indented=False)
    first.read(tokens)
    if first.indented <= first.level:
        return first.plan
    second = _Planner(lines, indented=True)
    second.read(tokens)
    return second.plan


_BEGINS = (yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken)
_ENDS = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)
_HEADER = re.compile(r"[|>]([+-]?)([0-9]?)([+-]?)")


class _Planner:
    """Goes through the tokens of a text. level, indented: how many sequences below keys stand at their level, or to the
    right of it. flow: how many flow collections are open; owner: the line and the way to the right of the outermost.
    seen: the last line that a token was on. dash: where the last token was a dash, or the `?` or `:` of a key or value.
    """

    def __init__(self, lines: list[str], *, indented: bool) -> None:
        self.lines = lines
        self.plan = Plan()
        self.is_indented = indented
        self.level = self.indented = 0
        self.blocks: list[Block] = []
        self.flow = 0
        self.owner: tuple[int, tuple[int, Block | None]] = (0, (0, None))
        self.seen = -1
        self.dash: tuple[int, int] | None = None

    def read(self, tokens: list[yaml.Token]) -> None:
        """Fill the plan."""
        for token in tokens:
            if isinstance(token, yaml.BlockMappingStartToken):
                self._push(MAP, token)
            elif isinstance(token, yaml.BlockSequenceStartToken):
                self._push(SEQUENCE, token)
            elif isinstance(token, yaml.BlockEndToken):
                if self.blocks[-1].kind == LEVEL_SEQUENCE:
                    self.blocks.pop()
                self.blocks.pop()
            elif not isinstance(token, (yaml.StreamStartToken, yaml.StreamEndToken)):
                self._token(token)

    def _push(self, kind: str, token: yaml.Token) -> None:
        column = token.start_mark.column
        around = self.blocks[-1] if self.blocks else None
        new = 0
        if around is not None:
            new = around.new + STEP
            if kind == SEQUENCE and around.kind == MAP and token.start_mark.line > self.seen:
                self.indented += 1
                new = around.new + (STEP if self.is_indented else 0)
        self.blocks.append(Block(kind, column, new))

    def _token(self, token: yaml.Token) -> None:
        line, column = token.start_mark.line, token.start_mark.column
        if isinstance(token, (yaml.DocumentStartToken, yaml.DocumentEndToken, yaml.DirectiveToken)):
            self.seen = line
            self.dash = None
            return
        if not self.flow:
            self._structure(token, line, column)
        if line > self.seen and self.flow:
            self.plan.moved[line] = self.owner[1]
        if isinstance(token, _BEGINS):
            if not self.flow:
                self.owner = line, self._way(line, column)
            self.flow += 1
        elif isinstance(token, _ENDS):
            self.flow -= 1
            if not self.flow:
                for inner in range(self.owner[0] + 1, token.end_mark.line + 1):
                    self.plan.moved[inner] = self.owner[1]
        end = token.end_mark.line
        if isinstance(token, yaml.ScalarToken) and end > line:
            end = self._scalar(token)
        self.seen = max(self.seen, end)

    def _structure(self, token: yaml.Token, line: int, column: int) -> None:
        """Note where a token of block collections goes, if it is the first of its line."""
        top = self.blocks[-1] if self.blocks else None
        is_dash = isinstance(token, yaml.BlockEntryToken)
        if is_dash and top is not None and top.kind == MAP:
            self.level += 1
            top = Block(LEVEL_SEQUENCE, column, top.new + (STEP if self.is_indented else 0))
            self.blocks.append(top)
        # A `:` that begins a line, or stands behind nothing but dashes and the like, is that of a key with a `?`.
        is_value = isinstance(token, yaml.ValueToken) and line > self.seen
        is_key = is_value or isinstance(token, yaml.KeyToken)
        if is_key and top is not None and top.kind == LEVEL_SEQUENCE:
            self.blocks.pop()
            top = self.blocks[-1]
        if line > self.seen:
            if top is None:
                new = column
            else:
                new = top.new if is_dash or is_key else top.new + STEP
            self.plan.columns[line] = new
            self.plan.around[line] = {block.old: block.new for block in self.blocks}
        if self.dash is not None and self.dash[0] == line and column > self.dash[1] + 2:
            self.plan.tight.setdefault(line, []).append((self.dash[1], column))
        has_sign = is_dash or is_value or (is_key and self.lines[line][column : column + 1] == "?")
        self.dash = (line, column) if has_sign else None

    def _way(self, line: int, column: int) -> tuple[int, Block | None]:
        """How far the lines go that continue what stands at a place, and the collection that they stay to the right of."""
        return self._shift(line, column), self.blocks[-1] if self.blocks else None

    def _shift(self, line: int, column: int) -> int:
        """How far what stands at a place goes to the right."""
        text = self.lines[line]
        begin = len(text) - len(text.lstrip(" "))
        moved = self.plan.columns.get(line, begin) - begin
        return moved - sum(end - dash - 2 for dash, end in self.plan.tight.get(line, ()) if end <= column)

    def _scalar(self, token: yaml.ScalarToken) -> int:
        """Note where the lines of a scalar go; gives the last of them."""
        line, column = token.start_mark.line, token.start_mark.column
        end: int = token.end_mark.line
        last: int = end - 1 if token.end_mark.column == 0 else end
        text = self.lines[line]
        if token.style not in ("|", ">"):
            way = self.owner[1] if self.flow else self._way(line, column)
            for inner in range(line + 1, end + 1):
                self.plan.moved[inner] = way
            if token.style in ("'", '"'):
                self.plan.kept.update(range(line, end))
            return end
        # The token begins at its anchor or tag, or at the sign itself.
        header = _HEADER.search(text, column)
        if header is None or self.flow:
            raise OddError
        top = self.blocks[-1] if self.blocks else None
        begins = [
            len(content) - len(content.lstrip(" "))
            for content in self.lines[line + 1 : last + 1]
            if content.strip(" \r")
        ]
        old = new = begins[0] if begins else 0
        if header[2]:
            old = new = min(begins, default=0)
            new += 0 if top is None else top.new - top.old
        elif top is not None:
            new = top.new + STEP
        for inner in range(line + 1, last + 1):
            self.plan.scalars[inner] = old, new
        if last >= len(self.lines) - 2:
            # Line breaks at the end of the text are part of the scalar, or there is none and that is part of it.
            self.plan.ends_open = "+" in (header[1], header[3]) or self.lines[-1] != ""
        return last
