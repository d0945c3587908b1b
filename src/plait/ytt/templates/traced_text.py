"""Text templates that record the origins of their lines. Imported only if the evaluation is traced.

Inserted pieces are recorded with their lines in the template; when a text is complete, its lines get their origins.
Lines are items of an array, so that they have histories like all items.
"""

from __future__ import annotations

from plait.tree.nodes import Array, ArrayItem
from plait.tree.provenance import Change, Contributor
from plait.ytt.starlark.instrument.dataflow.shadows import TracedValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from plait.base.source import Source
    from plait.tree.provenance import Origin, Trace
    from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker

    Shadow = tuple[Origin, ...]
    # A piece of text, its line if the template contains it literally, and its origins.
    Piece = tuple[str, int, Shadow]


def note_text(trace: Trace, text: str, source: Source) -> None:
    """Records the lines of a text file: those of the template that just ran, or those of a plain file."""
    made = trace.texts.pop("", None)
    if made is None or len(made.items) != len(text.split("\n")) - text.endswith("\n"):
        rows = text.removesuffix("\n").split("\n")
        made = Array([ArrayItem(row, source, number) for number, row in enumerate(rows, 1)], source, 1)
    trace.lines[id(text)] = (text, made)


def lines_of(trace: Trace, text: str) -> Array:
    """The lines of a text file of the output, as recorded by `note_text`."""
    return trace.lines[id(text)][1]


class Texts:
    """Text with expressions: inserted pieces are recorded by the identity of the list of parts."""

    def __init__(self, windows: DependencyTracker, source: Source) -> None:
        self.windows = windows
        self.source = source
        self.shadows: dict[int, tuple[list[str], dict[Origin, None], list[Piece]]] = {}
        # Keys are joined before their item is built.
        self.joined: dict[int, tuple[str, Shadow]] = {}
        self.last: list[Piece] = []  # the pieces joined last

    def names(self, plain: Mapping[str, Any], trace: Trace) -> dict[str, Callable[..., object]]:
        """The functions that traced programs call instead of the plain ones, which they wrap."""
        windows, source, shadows, joined = self.windows, self.source, self.shadows, self.joined
        plain_insert, plain_join = plain["$text.insert"], plain["$text.join"]
        stack = windows.stack

        def insert(parts: list[str], literals: tuple[str, ...], lines: tuple[int, ...], *values: object) -> None:
            _, known, pieces = shadows.setdefault(id(parts), (parts, {}, []))
            plain_insert(
                parts, literals, lines, *[value.value if type(value) is TracedValue else value for value in values]
            )
            # The conditions of inserting the text count as well.
            # If a secret decided the preceding text, it decides the position of this one.
            shape = next((window.shape for window in reversed(stack) if window.host), ())
            control = tuple(dict.fromkeys((*windows.take(), *shape)))
            for origin in control:
                known[origin] = None
            starts = lines[len(values) :]
            pieces.append((literals[0], starts[0], control))
            for place, value in enumerate(values):
                if type(value) is TracedValue:
                    cause = Contributor("text", source, lines[place], value.origins)
                    known[cause] = None
                    pieces.append((str(value.value), 0, (cause, *control)))
                pieces.append((literals[place + 1], starts[place + 1], control))

        def join(parts: list[str]) -> str:
            found = shadows.get(id(parts))
            made: str = plain_join(parts)
            if found is not None and found[0] is parts:
                if not stack[-1].host:
                    # The text is the result of a function.
                    stack[-1].update(found[1])
                joined[id(made)] = (made, tuple(found[1]))
                self.last = found[2]
            return made

        def finish(text: str) -> None:
            plain["$text.finish"](text)
            trace.texts[""] = self.lines(trace)

        return {"$text.insert": insert, "$text.join": join, "$text.finish": finish}

    def lines(self, trace: Trace) -> Array:
        """The lines of the text joined last, with their origins."""
        found: list[ArrayItem] = []
        row: list[str] = []
        because: dict[Origin, None] = {}
        at = 0
        marks = trace.marks
        # What secrets made since the last line break of the template: the number of its first row, and the decision.
        tail: tuple[int, Origin] | None = None

        def decided(start: int, origins: Shadow) -> Origin | None:
            """The origins of a secret that decides the number of lines of a piece, or None."""
            if start or marks is None or not marks.is_secret(*origins):
                return None
            return marks.control("text", self.source, origins[0].line, origins)

        def end() -> None:
            nonlocal at
            item = ArrayItem("".join(row), self.source, at)
            action = "text" if because else "written"
            trace.changes[item] = Change(action, self.source, at, because=tuple(because))
            found.append(item)
            row.clear()
            because.clear()
            at = 0

        for content, start, origins in self.last:
            control = decided(start, origins)
            if control is not None and tail is None:
                tail = len(found), control
            for number, piece in enumerate(content.split("\n")):
                if number:
                    end()
                    tail = None if start else tail
                if control is not None:
                    at = at or origins[0].line
                    because.update(dict.fromkeys((*origins, control) if number else origins))
                if piece or (start and not at):
                    row.append(piece)
                    because.update(dict.fromkeys(origins))
                    line = start + number if start else origins[0].line
                    if not at:
                        at = line
                    elif line != at and start and piece:
                        because[Contributor("text", self.source, line)] = None
        if row and any(row):
            end()
        if tail is not None:
            # Without a line break after it, a secret decides whether there is such a line.
            for item in found[tail[0] :]:
                known = trace.changes[item]
                trace.changes[item] = Change("text", known.source, known.line, because=(*known.because, tail[1]))
        return Array(found, self.source, 1)
