"""The step budget: steps, time, memory, and the size of one value (see `plait.base.limits`).

A step is an iteration of a loop or a comprehension, or a call of a function that may call other functions of the
program. A call that uses only operators and builtins belongs to the step of its caller. Builtins count in proportion to
the data they process. The count depends only on the program and its data, and an endless program always reaches the
limit.

Counting is cheap because a loop is charged for all its iterations at the start, and refunded if it is left early (see
`loops`). Steps are granted in slices; the time and the memory are checked between slices.

The module does not depend on values, so every value and builtin can use it: they call `charge`, `charge_for` and the
checks below.
"""

from __future__ import annotations

import sys
from _contextvars import ContextVar

from plait.base.limits import current_budget as run_budget
from plait.base.limits import limit_error
from plait.base.process import has_other_threads
from plait.base.source import Position
from plait.ytt.starlark.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import TypeVar

    T = TypeVar("T")

    from plait.base.limits import RunBudget
    from plait.base.source import Source
    from plait.tree.context import Context

# Steps between two checks of clock and memory.
_SLICE = 1 << 14
# Strings and integers below this size are never rejected, and cost only the step that creates them. The same holds for
# collections with fewer items.
SMALL = 1 << 10
SOME = 1 << 6
# Strings shorter than this cost nothing to compare or to use as a key, beyond the step itself.
LONG = 1 << 16
FEW = 8  # maximum number of strings joined without a check of their size
A_CALL = 8  # steps for a call of a function that may call others
_TURN = 2  # and for an iteration of `while`
_BYTES_A_STEP = 64
_ITEMS_A_STEP = 8
_BYTES_BETWEEN_LOOKS = 1 << 24


class StepBudget:
    """The remaining budget of one run.

    names: the counters that compiled code calls. shared: state of all programs of the run. spaces: tables of their
    names. long_loop: the loop over `range(stop)` that is not counted here (see `program`).
    """

    __slots__ = (
        "_bytes",
        "_memory",
        "_run_budget",
        "_spent",
        "charge",
        "limits",
        "long_loop",
        "names",
        "shared",
        "spaces",
    )

    def __init__(self, run_budget: RunBudget) -> None:
        self.limits = run_budget.limits
        self._run_budget = run_budget
        self._memory = _Memory()
        self._bytes = 0
        self.long_loop: Callable[[object], Iterable[object]] | None = None
        self.shared: dict[int, tuple[Mapping[str, object], dict[str, object]]] = {}
        self.spaces: list[dict[str, object]] = []
        self.charge, self._spent, self.names = _counters(run_budget, self.look, self._long_loop)

    def end(self) -> None:
        """Drops references to the programs' names, some of which refer back to their functions. These functions must
        not be called afterwards.
        """
        for space in self.spaces:
            space.clear()
        self.spaces.clear()
        self.shared.clear()
        self.long_loop, self.names = None, {}
        del self.charge, self._spent

    def _long_loop(self, stop: object) -> Iterable[object]:
        assert self.long_loop is not None  # set by the caller that runs a program
        return self.long_loop(stop)

    @property
    def spent(self) -> int:
        """The number of spent steps. It is the same for the same program and data on every machine."""
        return self._spent()

    def look(self) -> None:
        """Checks the clock and the memory. Raises LimitError."""
        self._run_budget.check_time()
        if self._memory.grown() > self._run_budget.most("memory"):
            raise limit_error("the memory of values", "memory", self._run_budget.most("memory"))
        self._look_at_variables()

    def _look_at_variables(self) -> None:
        """Checks the size of collections that grow item by item and are in variables of running functions."""
        most = self.limits.items
        frame: FrameType | None = sys._getframe()
        for _ in range(_FRAMES):
            if frame is None:
                return
            if "$source" in frame.f_globals:
                check_growth(frame.f_locals.values(), most)
            frame = frame.f_back

    def check_headroom(self, size: int) -> None:
        """Raises LimitError if `size` more bytes exceed the limit."""
        if self._memory.grown() + size > self._run_budget.most("memory"):
            raise limit_error("the memory of values", "memory", self._run_budget.most("memory"))

    def made(self, size: int) -> None:
        """Counts a large value of `size` bytes."""
        self.charge(size // _BYTES_A_STEP)
        self._bytes += size
        if self._bytes > _BYTES_BETWEEN_LOOKS:
            self._bytes = 0
            self.look()


def _counters(
    run_budget: RunBudget, look: Callable[[], None], long_loop: Callable[[object], Iterable[object]]
) -> tuple[Callable[[int], None], Callable[[], int], Mapping[str, Callable[..., object]]]:
    """The step counters: `charge`, the number of spent steps, and the functions that compiled code calls by name.

    They are closures over the remaining number, which Python updates fastest. Therefore the most common loop, over a
    short `range(stop)`, is among them. All others are in `loops`; long_loop: the loop over a `range(stop)` of any size.
    """
    left = given = min(_SLICE, run_budget.limits.steps)

    def more() -> None:
        nonlocal left, given
        most = run_budget.most("steps")
        rest = most - given
        if -left > rest:
            raise limit_error("this evaluation", "steps", most)
        grant = max(-left, min(_SLICE, rest))
        given += grant
        left += grant
        look()

    def charge(count: int) -> None:
        nonlocal left
        left -= count
        if left < 0:
            more()

    def turn() -> None:
        nonlocal left
        left -= _TURN
        if left < 0:
            more()

    def begun() -> None:
        nonlocal left
        left -= A_CALL
        if left < 0:
            more()

    def to(stop: object) -> Iterable[object]:
        nonlocal left
        if type(stop) is int and -1 < stop <= _SLICE:
            left -= stop
            if left < 0:
                more()
            return range(stop)
        return long_loop(stop)

    def spent() -> int:
        return given - left

    return charge, spent, {"$turn": turn, "$begun": begun, "$spend": charge, "$to": to}


CURRENT: ContextVar[StepBudget] = ContextVar("plait_budget")


def budget_of(context: Context | None) -> StepBudget:
    """The budget of a run. Evaluation without a context has its own."""
    if context is None:
        return StepBudget(run_budget())
    if not isinstance(context.budget, StepBudget):
        context.budget = StepBudget(context.run_budget)
    return context.budget


def check_growth(values: Iterable[object], maximum: int, source: Source | None = None) -> None:
    """Raises LimitError if one of these values, or a value inside one, has more than `maximum` items."""
    for value in values:
        # Lists, dicts and sets of the language are Python's.
        if isinstance(value, (list, dict)) and len(value) > maximum:
            at = None if source is None else Position(source, 0)
            raise limit_error(f"a {type_of(value)} of more than {maximum} items", "items", maximum, at=at)


# Maximum number of Python frames examined, enough for a few functions of the program.
_FRAMES = 12


class _Memory:
    """The growth of the process since the first measurement, in bytes; 0 if it cannot be measured.

    With other threads running, their memory cannot be distinguished from that of the run, so nothing is counted.
    """

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: int | None = None

    def grown(self) -> int:
        if has_other_threads():
            return 0
        before = self._before
        if before is None:
            self._before = _memory_now()
            return 0
        try:
            from resource import RUSAGE_SELF, getrusage
        except ImportError:  # Windows
            return max(_memory_now() - before, 0)
        # The peak memory is fast to query, and usually sufficient.
        peak = getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return peak - before if peak - before < _LITTLE else _memory_now() - before


_LITTLE = 1 << 22


def _memory_now() -> int:
    """The resident memory of the process in bytes. On systems without /proc, the peak."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(100).split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):  # not Linux
        try:
            from resource import RUSAGE_SELF, getrusage
        except ImportError:
            return 0
        return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


_PAGE = 4096


# ---- checks that builtins and operators call for large values


def charge_for(count: int) -> None:
    """Charges for a builtin that processes `count` items."""
    budget = CURRENT.get(None)
    if budget is not None:
        budget.charge(count // _ITEMS_A_STEP)


def charge(steps: int) -> None:
    """Charges `steps`, for work that takes as long as that many steps."""
    budget = CURRENT.get(None)
    if budget is not None:
        budget.charge(steps)


def compared(text: str) -> None:
    """Charges for comparing a string with one of the same length: they may differ only at the end."""
    charge(len(text) >> 10)


def paced(items: Sequence[T]) -> Iterable[T]:
    """The items; if there are many, the time and the memory are checked during iteration."""
    budget = CURRENT.get(None)
    return items if len(items) <= _SLICE or budget is None else _looking(items, budget)


def _looking(items: Sequence[T], budget: StepBudget) -> Iterator[T]:
    for start in range(0, len(items), _SLICE):
        budget.look()
        yield from items[start : start + _SLICE]


def check_string(size: int) -> None:
    """Checks the size of a string before it is created. Raises LimitError."""
    budget = CURRENT.get(None)
    limits = run_budget().limits if budget is None else budget.limits
    if size > limits.string:
        raise limit_error(f"a string of {size} characters", "string", limits.string)
    if budget is not None:
        budget.made(size)


def check_items(size: int, kind: str = "list", made: int | None = None) -> None:
    """Checks a collection of `size` items that a builtin creates or iterates over. Raises LimitError.

    made: the number of new items; None for all.
    """
    budget = CURRENT.get(None)
    limits = run_budget().limits if budget is None else budget.limits
    if size > limits.items:
        raise limit_error(f"a {kind} of {size} items", "items", limits.items)
    if budget is not None:
        budget.made((size if made is None else made) * 8)


def look() -> None:
    """Checks the clock and, if a program is running, the memory. Raises LimitError."""
    budget = CURRENT.get(None)
    if budget is None:
        run_budget().check_time()
    else:
        budget.look()


def check_headroom(size: int) -> None:
    """Rejects an allocation of `size` bytes in advance if it exceeds the limit. Raises LimitError."""
    budget = CURRENT.get(None)
    if size > _BYTES_BETWEEN_LOOKS and budget is not None:
        budget.check_headroom(size)


def foresee(items: object, each: int) -> None:
    """Rejects in advance a collection that is too large. items: their number. each: bytes per item. Raises LimitError."""
    from _operator import length_hint

    check_headroom(length_hint(items) * each)


def check_bits(size: int) -> None:
    """Checks the size of an int in bits before it is created. Raises LimitError."""
    budget = CURRENT.get(None)
    limits = run_budget().limits if budget is None else budget.limits
    if size > limits.bits:
        raise limit_error(f"an int of {size} bits", "bits", limits.bits)
    if budget is not None:
        budget.made(size // 8)
