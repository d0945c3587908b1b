"""Events of an evaluation for its listener: the coverage points that exist, and those that were hit.

Engines call `current_listener()` once per unit of work, and report nothing if it is None. They are independent of the
listener's purpose. (Origins of values are recorded separately, see `plait.tree.provenance`.)

A *point* is something that can execute: a statement, a condition, an operation. It has a type, its lines, a displayed
name or "", and its branches by name. A point without alternatives has one branch.
"""

from __future__ import annotations

from _contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeAlias

    from plait.base.source import Source

    # Type, lines (the first is the position), name, branches. Plain data, stored with compiled code.
    Point: TypeAlias = tuple[str, tuple[int, ...], str, tuple[str, ...]]

    class CoverageListener(Protocol):
        """A listener of an evaluation. It must not change the evaluation."""

        def program(self, source: Source, points: Sequence[Point]) -> Callable[[int], object]:
            """Called for each program, also one that never runs. points: its coverage points. Returns a function that
            is called with the index of each executed branch; branches are numbered over all points, in order. If the
            function has a method `independent`, it is called instead for branches that no secret decides.
            """

        def private(self, source: Source | None, first: int, after: int) -> None:
            """Marks lines first to after - 1 as secret; reports must not quote them."""

        def secrets(self) -> None:
            """Called when secrets enter the evaluation. Later events may depend on them."""

        def there(self, source: Source | None, point: Point) -> None:
            """Reports that a point exists."""

        def went(self, source: Source | None, point: Point, branch: str) -> None:
            """Reports that a branch of a point was executed."""


# The branches of a point without alternatives.
DONE = ("done",)

_CURRENT: ContextVar[CoverageListener | None] = ContextVar("plait_listener", default=None)


def current_listener() -> CoverageListener | None:
    """The listener of the current run, or None."""
    return _CURRENT.get()


class listening:  # noqa: N801 - reads as what it does
    """`with listening(listener):` sets the listener of evaluations in the block."""

    __slots__ = ("_listener", "_token")

    def __init__(self, listener: CoverageListener | None) -> None:
        self._listener = listener

    def __enter__(self) -> CoverageListener | None:
        self._token: Token[CoverageListener | None] = _CURRENT.set(self._listener)
        return self._listener

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


def begun(source: Source, points: Sequence[Point]) -> Callable[[int], object]:
    """The function that a program calls for each executed branch. Reports the start of the program."""
    listener = _CURRENT.get()
    return _ignored if listener is None else listener.program(source, points)


def _ignored(_way: int) -> None:
    """Does nothing. Used by programs compiled with points if there is no listener."""
