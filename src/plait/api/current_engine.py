"""The engine whose `with` block a call is in. See `plait.api.engine`."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from plait.base.permissions import Need
    from plait.engine.incremental import Engine as Reuse

    T = TypeVar("T")

    class CallObserver(Protocol):
        """An engine as calls see it. reuse: the state that evaluations share. granted: accesses of projects; None for
        the decisions of the user.
        """

        reuse: Reuse
        granted: Sequence[Need] | None

        def observed(self, function: str, call: Callable[[], T]) -> T:
            """The result of a call. function: its name."""


# The entered engines, the innermost first.
ENTERED: ContextVar[tuple[CallObserver, ...]] = ContextVar("plait_engines", default=())


def current_reuse() -> Reuse | None:
    """The shared state of evaluations in the current block; None outside of one."""
    entered = ENTERED.get()
    return entered[0].reuse if entered else None


def observed(function: str, call: Callable[[], T]) -> T:
    """The result of a call, which the current engine observes. function: its name."""
    entered = ENTERED.get()
    return entered[0].observed(function, call) if entered else call()
