"""Hooks for the conditions of programs. Only the runtime for secrets implements them: see `flows`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.ytt.starlark.instrument.dataflow.shadows import Shadow


class Hooks:
    """Receives conditions, and discards them."""

    __slots__ = ()

    def began(self, ran: Callable[[int], object], way: int, _reached_by: Shadow) -> None:
        """Called when a program begins a statement (see `plait.base.events`)."""
        ran(way)

    def ran(self, ran: Callable[[int], object], way: int, _reached_by: Shadow) -> None:
        """Called when a program evaluates a part of a statement."""
        ran(way)

    def reached(self) -> Shadow:
        return ()

    def raise_(self, reached_by: Shadow) -> Shadow:
        return reached_by

    def raised(self, _reached_by: Shadow, _before: Shadow) -> bool:
        return False

    def also(self, shadow: Shadow, _reached_by: Shadow) -> Shadow:
        return shadow

    def shaped(self, _reached_by: Shadow) -> None:
        return

    def ended(self, _reached_by: Shadow) -> None:
        return

    def grown(self, _x: object, _shadow: Shadow) -> None:
        return

    def held(self, x: object) -> object:
        return x

    def changing(self, x: object) -> object:
        return x

    def calling(self, function: object) -> object:
        return function

    def found(self, value: object) -> object:
        return value

    def storing(self, *_values: object) -> None:
        return
