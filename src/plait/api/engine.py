"""`plait.Engine`: calls that share files, compiled templates and results."""

from __future__ import annotations

import os
from itertools import count
from time import perf_counter
from typing import NamedTuple

from plait.api.current_engine import ENTERED
from plait.base.errors import PermissionDeniedError
from plait.base.permissions import ACCESSES, PATHS, Need
from plait.base.trust import GRANTED
from plait.engine.incremental import Engine as Reuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Literal, Self, TypeAlias, TypeVar

    Access: TypeAlias = Literal["read", "write", "network", "programs", "limits", "environment"]
    T = TypeVar("T")


class Event(NamedTuple):
    """The start or the end of a call inside of an engine.

    kind: "started" or "finished". function: its name, such as "render". call: the number of the call, from 1. seconds:
    how long it took; 0.0 at its start. error: the error that it raised, or None.
    """

    kind: Literal["started", "finished"]
    function: str
    call: int
    seconds: float = 0.0
    error: BaseException | None = None


class Counts(NamedTuple):
    """Numbers of objects of one kind: reused from earlier calls, and new."""

    reused: int
    new: int


class Engine:
    r"""Calls in its `with` block share files, compiled templates and results that are the same (docs/reuse.md).

    `plait.render`, `patch`, `layer`, `run` and their asynchronous variants have the same results as without an engine.
    Every call notices changed files. Several threads and tasks may use one engine; each enters it. Calls with
    `isolated=True` or `trace=True` share nothing.

    reuse: False to share nothing.
    permissions: what files of projects may refer to beyond their repository, by access ("read", "write", "network",
        "programs", "limits", "environment"), as in `plait trust`; {} for nothing. None for the decisions of the user.
    on_event: called at the start and the end of each call, in its thread; what it raises ends the call.

    Raises ValueError for an unknown access.

    >>> import plait
    >>> with plait.Engine() as engine:
    ...     sizes = [plait.render({"app.yml": "size: #@ 1 + 1\n"}).value("size") for _ in range(3)]
    >>> sizes
    [2, 2, 2]
    """

    __slots__ = ("_calls", "_on_event", "granted", "reuse")

    def __init__(
        self,
        *,
        reuse: bool = True,
        permissions: Mapping[Access, Sequence[str]] | None = None,
        on_event: Callable[[Event], object] | None = None,
    ) -> None:
        self.reuse = Reuse(reuses=reuse)
        self.granted: Sequence[Need] | None = None if permissions is None else [*_needs(permissions)]
        self._on_event = on_event
        self._calls = count(1)

    if not TYPE_CHECKING:  # so that type checkers report it, too

        def __getattr__(self, name: str) -> object:
            raise AttributeError(
                f"Engine has no attribute {name!r}; in its block, call the functions of plait, such as plait.render(...)"
            )

    def __enter__(self) -> Self:
        ENTERED.set((self, *ENTERED.get()))
        GRANTED.set(self.granted)
        return self

    def __exit__(self, *_: object) -> None:
        outer = ENTERED.get()[1:]
        ENTERED.set(outer)
        GRANTED.set(outer[0].granted if outer else None)

    def statistics(self) -> dict[str, Counts]:
        """The numbers of reused and new objects since the last call of this method, by kind: inputs, libraries,
        templates, operations, documents. Kinds without any are left out.
        """
        return {kind: Counts(*counts) for kind, counts in self.reuse.statistics().items()}

    def observed(self, function: str, call: Callable[[], T]) -> T:
        """The result of a call, between its two events. Used by the functions of the API."""
        tell = self._on_event
        if tell is None:
            return self._hinted(call)
        number = next(self._calls)
        tell(Event("started", function, number))
        start = perf_counter()
        try:
            result = self._hinted(call)
        except BaseException as error:
            tell(Event("finished", function, number, perf_counter() - start, error))
            raise
        tell(Event("finished", function, number, perf_counter() - start))
        return result

    def _hinted(self, call: Callable[[], T]) -> T:
        """The result of a call. An error about a permission gets a hint about how to grant it."""
        try:
            return call()
        except PermissionDeniedError as error:
            if self.granted is not None and error.access:
                error.hint = f"grant it: plait.Engine(permissions={{{error.access!r}: [{error.name!r}]}})"
            raise


def _needs(permissions: Mapping[Access, Sequence[str]]) -> Iterator[Need]:
    for access, names in permissions.items():
        if access not in ACCESSES:
            raise ValueError(f"unknown access {access!r}, expected one of {', '.join(ACCESSES)}")
        if isinstance(names, str):
            raise TypeError(f"permissions must map {access!r} to a list of names, not to a string")
        yield from (Need(access, os.path.abspath(name) if access in PATHS else name) for name in names)
