"""Expressions that no program has: they mark for the traced compiler what another expression is there for."""

from __future__ import annotations

from plait.starlark import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression


class Passed:
    """An expression that is an argument. name: its name, "*" or "**"; None by position."""

    __slots__ = ("line", "name", "x")

    def __init__(self, x: Expression, name: str | None) -> None:
        self.x = x
        self.line = x.line
        self.name = name


class Part:
    """An expression that is an item of a display or a comprehension."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class Key:
    """An expression that is a key of a display or a comprehension."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class Clause:
    """An expression that a comprehension goes through."""

    __slots__ = ("line", "number", "x")

    def __init__(self, x: Expression, number: int) -> None:
        self.x = x
        self.line = x.line
        self.number = number


class Tested:
    """An expression that is a condition."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class Iterated:
    """An expression that a loop goes through. depth: the variable with its window; loop: the one for its shadows."""

    __slots__ = ("depth", "line", "loop", "x")

    def __init__(self, x: Expression, depth: str, loop: str) -> None:
        self.x = x
        self.line = x.line
        self.depth = depth
        self.loop = loop


class Ready:
    """An expression that was evaluated before, and is in a variable."""

    __slots__ = ("line", "name")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line


class Unwatched(list[syntax.Argument]):
    """The arguments of a call that needs no window: what they read is what the result was made of."""
