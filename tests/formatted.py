"""YAML as people write it, for hypothesis: any indentation, comments anywhere, scalars and flow collections of all styles."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = ["a", "b c", "0x1F", "y", "~", "'it''s'", '"\\x41"', "!!str 1", "[1, {a: b}]", "{}", "x#y", "&anchor z"]
_BLOCKS = ["|", "|-", "|+", ">", ">-", "|  # why"]
_COMMENTS = ["# why", "#! said", "#@ x = 1", "#@overlay/match missing_ok=True", "# - taken out", "#"]


class _Writer:
    """Lines of a document, made from draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.lines: list[str] = []

    def pick(self, *choices: object) -> object:
        return self._draw(st.sampled_from(choices))

    def chance(self, parts: int) -> bool:
        return self._draw(st.integers(0, parts)) == 0

    def noise(self, column: int) -> None:
        """Comments and empty lines before an item."""
        while self.chance(4):
            blank = " " * self._draw(st.integers(0, 3))
            moved = max(column + self._draw(st.integers(-3, 3)), 0)
            at = column if self.chance(1) else moved
            self.lines.append(blank if self.chance(2) else f"{' ' * at}{self.pick(*_COMMENTS)}{blank}")

    def block(self, column: int, depth: int) -> None:
        """A block collection at a column, from its first line to its last."""
        is_map = self.chance(1)
        for number in range(self._draw(st.integers(1, 3))):
            self.noise(column)
            self.item(" " * column, column, f"k{number}:" if is_map else "-", depth)

    def item(self, lead: str, column: int, head: str, depth: int) -> None:
        """A map item or an array item. lead: what stands before it on its line."""
        tail = " " * self._draw(st.integers(0, 2))
        deeper = " " * (column + self._draw(st.integers(1, 5)))
        kind = self.pick("word", "word", "block", "lines", "quoted", "flow", "deeper", "compact") if depth else "word"
        if kind == "deeper":
            self.lines.append(f"{lead}{head}{self.pick('', ' # why', ' &x')}{tail}")
            step = self.pick(0, 2, 2, 4, 1, 3) if head != "-" else self.pick(2, 4, 1, 3)
            assert isinstance(step, int)
            if step:
                self.block(column + step, depth - 1)
            else:
                for _ in range(self._draw(st.integers(1, 3))):
                    self.noise(column)
                    self.item(" " * column, column, "-", depth - 1)
        elif kind == "compact" and head == "-":
            width = self._draw(st.integers(1, 4))
            inner = column + 1 + width
            key = self.pick("-", "k0:")
            self.item(f"{lead}-{' ' * width}", inner, str(key), depth - 1)
            if self.chance(1):
                self.noise(inner)
                self.item(" " * inner, inner, "-" if key == "-" else "k1:", depth - 1)
        elif kind == "block":
            self.lines.append(f"{lead}{head} {self.pick(*_BLOCKS)}{tail}")
            self.lines += [f"{deeper}text", *([tail] if self.chance(1) else []), f"{deeper}{tail}# more{tail}"]
        elif kind == "lines":
            self.lines += [f"{lead}{head} plain{tail}", f"{deeper}and{tail}", tail, f"{deeper} more{tail}"]
        elif kind == "quoted":
            quote = self.pick("'", '"')
            self.lines += [f"{lead}{head} {quote}one{tail}", tail, f"{deeper}two # {tail}", f"{deeper}{quote}{tail}"]
        elif kind == "flow":
            self.lines += [
                f"{lead}{head} [a,{tail} # why{tail}",
                f"{deeper}{{b: 'c",
                f"{deeper}d'}}{tail}",
                f"{deeper}]{tail}",
            ]
        else:
            gap = " " * self._draw(st.integers(1, 3))
            value = self.pick(*_WORDS, "#@ x", "")
            self.lines.append(f"{lead}{head}{gap}{value}{tail}{self.pick('', '', ' # beside', '   #@ y')}")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One text of one to three documents."""
    writer = _Writer(draw)
    for number in range(draw(st.integers(1, 3))):
        if number or writer.chance(1):
            writer.lines.append(str(writer.pick("---", "--- # why", "---  ")))
        writer.noise(0)
        writer.block(draw(st.sampled_from([0, 0, 0, 2, 4])), 3)
        if writer.chance(4):
            writer.lines.append("...")
    ending = draw(st.sampled_from(["\n", "\n", "", "\n\n\n", "\r\n"]))
    line_break = "\r\n" if ending == "\r\n" else "\n"
    return line_break.join(writer.lines) + ending
