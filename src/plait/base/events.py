"""Events of a run for its listener: the points that can be reached, and those that were.

Engines ask `current_listener()` once for a piece of work, and say nothing where nobody listens. They do not know what is
made of it. (Where values come from is recorded in another way, see `plait.tree.provenance`.)

A *point* is something that can be done, or go one of several ways: a statement, a condition, an operation. It has a kind,
the lines that it stands on, a name for people where it has one, and its ways by name. What merely is done has one way.
"""

from __future__ import annotations

from _contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeAlias

    from plait.base.source import Source

    # Kind, lines (the first is where it stands), name, ways. Plain data, so that it can be kept with compiled code.
    Point: TypeAlias = tuple[str, tuple[int, ...], str, tuple[str, ...]]

    class CoverageListener(Protocol):
        """Listener of a run. It must not change what the run does."""

        def program(self, source: Source, points: Sequence[Point]) -> Callable[[int], object]:
            """A program begins. points: all that is in it. Gives what is called with the number of each way that is
            gone: ways are numbered through all points, in order. Said as well of programs that never begin. What is
            returned may have a method `independent`: it is called instead for a way that no secret of the run leads to.
            """

        def private(self, source: Source | None, first: int, after: int) -> None:
            """The lines from the first to the one before `after` are not for everybody's eyes."""

        def secrets(self) -> None:
            """Secrets enter the run: what happens from here on may depend on them."""

        def there(self, source: Source | None, point: Point) -> None:
            """There is something that can be done, or is now."""

        def went(self, source: Source | None, point: Point, branch: str) -> None:
            """It was done, or went this way."""


# The ways of what is done, and of which nothing else can be said.
DONE = ("done",)

_CURRENT: ContextVar[CoverageListener | None] = ContextVar("plait_listener", default=None)


def current_listener() -> CoverageListener | None:
    """The listener of the current run, or None."""
    return _CURRENT.get()


class listening:  # noqa: N801 - reads as what it does
    """`with heard(listener):` lets somebody listen to what runs meanwhile."""

    __slots__ = ("_listener", "_token")

    def __init__(self, listener: CoverageListener) -> None:
        self._listener = listener

    def __enter__(self) -> CoverageListener:
        self._token: Token[CoverageListener | None] = _CURRENT.set(self._listener)
        return self._listener

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


def begun(source: Source, points: Sequence[Point]) -> Callable[[int], object]:
    """The function that a program calls for each branch it takes. Reports the start of the program."""
    listener = _CURRENT.get()
    return _ignored if listener is None else listener.program(source, points)


def _ignored(_way: int) -> None:
    """Nobody listens to a program that was compiled for somebody who did."""
