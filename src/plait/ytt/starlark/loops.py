"""Loops of compiled code: ranges, and the functions called at the beginning and the end of a loop.

A loop is charged for all its steps at the start (see `step_budget`), and refunded for the rest if it is left early. A
list, dict or set is locked while a loop iterates over it.
"""

from __future__ import annotations

from _operator import length_hint
from itertools import chain

from plait.base.errors import StarlarkError
from plait.ytt.starlark.arguments import int32
from plait.ytt.starlark.containers import FROZEN, Dict, List
from plait.ytt.starlark.values import LARGEST, Value, is_int32, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# A longer range is charged in parts.
_LONG = 1 << 14
_ABSENT = object()


# ---- ranges


def range_(start: object, stop: object = _ABSENT, step: object = 1, /) -> range:
    low = int32(start, "range: for parameter 1")
    high = None if stop is _ABSENT else int32(stop, "range: for parameter 2")
    by = int32(step, "range: for parameter 3")
    if by == 0:
        raise StarlarkError("range: step argument must not be zero", code="argument-range")
    return range(low) if high is None else range(low, high, by)


def range_to(stop: object, /) -> range:
    """`range` with one argument."""
    return range(stop) if is_int32(stop) else range_(stop)


def range_from_to(start: object, stop: object, /) -> range:
    """`range` with two arguments."""
    return range(start, stop) if is_int32(start) and is_int32(stop) else range_(start, stop)


# ---- loops


def finish(x: object) -> None:
    """Ends the loop over the result of `Loops.begin`."""
    if isinstance(x, (List, Dict)) and x.lock > 0:
        x.lock -= 1


class Loops:
    """The loops of one run. spend: charges steps."""

    __slots__ = ("charge",)

    def __init__(self, charge: Callable[[int], None]) -> None:
        self.charge = charge

    def names(self) -> Mapping[str, Callable[..., object]]:
        """The functions that compiled code calls, by name."""
        return {
            "$refund": self.refund,
            "$from_to": self.from_to,
            "$from_to_by": self.from_to_by,
            "$begin": self.begin,
            "$each": self.each,
            "$hold": self.hold,
            "$finish": finish,
            "$iter": iter,
        }

    def begin(self, x: object) -> Iterable[object]:
        """The iterable of a `for` loop. A list, dict or set is locked until `finish`."""
        if isinstance(x, (List, Dict)):
            self.charge(len(x))
            if x.lock != FROZEN:
                x.lock += 1
            return x
        return self.each(x)

    def each(self, x: object) -> Iterable[object]:
        """The iterable of a loop whose body cannot change x."""
        if isinstance(x, (List, tuple, Dict)):
            self.charge(len(x))
            return x
        if isinstance(x, range):
            return self._through(x)
        source = x.iterate() if isinstance(x, Value) else None
        if source is None or not isinstance(x, Value):
            raise StarlarkError(f"{type_of(x)} value is not iterable", code="not-iterable").about(type_of(x))
        length = x.length()
        if length is None:
            return self._paying(source)
        self.charge(length)
        return source

    def hold(self, x: object) -> Iterator[object]:
        """The iterable of a comprehension with calls. The value is locked during iteration."""
        source = self.begin(x)
        try:
            yield from source
        finally:
            finish(source)

    def refund(self, iterator: Iterator[object]) -> None:
        """Refunds the remaining iterations of a loop that was left."""
        self.charge(-length_hint(iterator))

    def to(self, stop: object) -> Iterable[object]:
        """`range(stop)` for a loop. `step_budget` inlines the common case."""
        return self._through(range_to(stop))

    def from_to(self, start: object, stop: object) -> Iterable[object]:
        """`range(start, stop)` for a loop."""
        if type(start) is int and type(stop) is int and 0 <= start <= stop <= _LONG:
            self.charge(stop - start)
            return range(start, stop)
        return self._through(range_from_to(start, stop))

    def from_to_by(self, start: object, stop: object, step: object) -> Iterable[object]:
        """`range(start, stop, step)` for a loop."""
        if (
            type(start) is type(stop) is type(step) is int
            and 0 <= start <= LARGEST
            and 0 <= stop <= LARGEST
            and 0 < step <= LARGEST
        ):
            whole = range(start, stop, step)
            if len(whole) > _LONG:
                return self._through(whole)
            self.charge(len(whole))
            return whole
        return self._through(range_(start, stop, step))

    def _through(self, whole: range) -> Iterable[object]:
        size = len(whole)
        if size <= _LONG:
            self.charge(size)
            return whole
        return chain.from_iterable(self._parts(whole))

    def _parts(self, whole: range) -> Iterator[range]:
        for start in range(0, len(whole), _LONG):
            part = whole[start : start + _LONG]
            self.charge(len(part))
            yield part

    def _paying(self, source: Iterable[object]) -> Iterator[object]:
        for item in source:
            self.charge(1)
            yield item
