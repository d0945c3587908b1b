"""Limits of an evaluation: the table of limits, and the budget of an evaluation.

    with budget_scope(Limits(steps=1000)):
        ...

The name of a limit is the same in `--limit NAME=VALUE`, in `limits={NAME: VALUE}` and in messages. Code in the `with`
block, in the same thread, is subject to these limits; code that reads, evaluates or prints calls `current_budget()`.
Default limits grow with the size of the inputs, as listed in GROWS.
"""

from __future__ import annotations

import sys
from _contextvars import ContextVar
from time import monotonic

from plait.base.errors import UsageError, did_you_mean, limit_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import Token
    from collections.abc import Callable, Iterable, Mapping

    from plait.base.errors import LimitError
    from plait.base.source import Position

# Maximum depth of nested calls. The stack of the process suffices.
DEEPEST = 12_000

_K, _M = 1 << 10, 1 << 20
# The stack of a browser holds fewer nested collections.
_LEVELS = 200 if sys.platform == "emscripten" else 1_000

# Maps a name to (default, bounded quantity, unit).
TABLE: dict[str, tuple[float, str, str]] = {
    "aliases": (300_000, "nodes that aliases and merge keys create in one file", "nodes"),
    "bits": (8 * _K, "one integer", "bits"),
    "depth": (DEEPEST, "nested calls", "calls"),
    "entries": (1 * _M, "directory entries searched for patterns and input files", "entries"),
    "input": (64 * _M, "one input: a file, a pipe, standard input, a URL", "bytes"),
    "items": (4 * _M, "one list, dict, set or tuple", "items"),
    "memory": (192 * _M, "the memory that the run adds to the process", "bytes"),
    "nesting": (_LEVELS, "nested collections of an input", "levels"),
    "nodes": (1 * _M, "nodes that one value of a template creates", "nodes"),
    "output": (64 * _M, "the printed output", "characters"),
    "pattern": (1, "one match of a pattern of a layered document", "seconds"),
    "pointer": (1_000, "a path of an operation or a substitution", "steps"),
    "seconds": (600, "the whole run", "seconds"),
    "steps": (18_000_000, "evaluation: iterations, calls, and the proportional work of builtins", "steps"),
    "string": (32 * _M, "one string", "characters"),
    "url": (30, "one URL, redirects included", "seconds"),
    "variables": (32 * _M, "text that variables add to one document", "characters"),
}
# Maps a name to the increase of its default per byte of input beyond _FREE. Each input counts as _EACH more bytes.
GROWS: dict[str, int] = {"memory": 64, "output": 16, "steps": 64}
_FREE = 64 * _K
_EACH = 1 * _K
DURATIONS = ("pattern", "seconds", "url")
_UNITS = {"K": _K, "M": _M, "G": 1 << 30}


class Limits:
    """The limits of an evaluation, by the names of TABLE. Missing limits have their default.

    Raises UsageError for an unknown name or an invalid value.
    """

    __slots__ = (*TABLE, "given")

    aliases: int
    bits: int
    depth: int
    entries: int
    input: int
    items: int
    memory: int
    nesting: int
    nodes: int
    output: int
    pattern: float
    pointer: int
    seconds: float
    steps: int
    string: int
    url: float
    variables: int

    def __init__(self, **given: object) -> None:
        checked: dict[str, float] = {}
        for name, value in given.items():
            if name not in TABLE:
                raise _invalid("", ", ".join(TABLE), unknown=name)
            whole = name not in DURATIONS
            if (type(value) is not int and (whole or type(value) is not float)) or not 0 < value < _FAR:
                raise _invalid(
                    f"{name}={value!r}", f"a {'whole ' if whole else ''}number of {TABLE[name][2]}, more than 0"
                )
            checked[name] = value
        if checked.get("depth", 0) > DEEPEST:
            # Each call through a builtin uses stack space of the process.
            raise _invalid(f"depth={given['depth']}", f"at most {DEEPEST}")
        self.given = checked
        for name, (default, _, _) in TABLE.items():
            setattr(self, name, checked.get(name, default))

    def __repr__(self) -> str:
        return f"Limits({', '.join(f'{name}={value}' for name, value in self.given.items())})"


_FAR = 1 << 60


def parse(texts: Iterable[str]) -> Limits:
    """Parses limits such as `steps=1000`, `memory=512M` and `seconds=0.5`. Raises UsageError."""
    values: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in TABLE:
            raise _invalid(text, ", ".join(TABLE), unknown=name)
        unit = _UNITS.get(number[-1:], 1)
        whole, point, part = (number if unit == 1 else number[:-1]).partition(".")
        digits = whole + part
        if not digits.isascii() or not digits.isdigit() or len(digits) > 15 or (point and name not in DURATIONS):
            raise _invalid(f'"{text}"', "NAME=NUMBER, such as seconds=10 or memory=512M")
        values[name] = float(f"{whole}.{part}") * unit if point else int(whole) * unit
    return Limits(**values)


def _invalid(found: str, expected: str, *, unknown: str | None = None) -> UsageError:
    """unknown: the name, if there is no such limit."""
    error = UsageError(f"invalid limit {found}", expected=expected, code="invalid-limit")
    if unknown is not None:
        error.message, error.found = f'unknown limit "{unknown}"', found or None
        error.hint = did_you_mean(unknown, TABLE) or "a limit is NAME=NUMBER, such as seconds=10 or memory=512M"
    return error


# The time is checked once per this number of directory entries; a bit mask.
_VISITS = 0xFF


class RunBudget:
    """The limits of an evaluation and their use.

    taken: bytes of inputs, plus an amount for each input. visited: number of directory entries examined. keeper: called
    at the start, and when inputs raise a limit, so that the process itself enforces the limits.
    """

    __slots__ = ("deadline", "keeper", "limits", "taken", "visited")

    def __init__(self, limits: Limits, keeper: Callable[[RunBudget], None] | None = None) -> None:
        self.limits = limits
        self.deadline = monotonic() + limits.seconds
        self.taken = 0
        self.visited = 0
        self.keeper = keeper
        if keeper is not None:
            keeper(self)

    def most(self, name: str) -> int:
        """The value of a limit, increased for large inputs."""
        value: int = getattr(self.limits, name)
        if name in self.limits.given or self.taken <= _FREE:
            return value
        return value + GROWS.get(name, 0) * (self.taken - _FREE)

    def node_limit(self) -> int:
        """The maximum number of nodes in a tree: the limit `nodes`, or, if it is not set, the number that can be
        printed.
        """
        most = self.limits.nodes
        return most if "nodes" in self.limits.given else max(most, self.most("output") >> 6)

    def take(self, size: int) -> None:
        """Counts an input of this many bytes."""
        self.taken += size + _EACH
        if self.keeper is not None:
            self.keeper(self)

    def visit(self, directory: str) -> None:
        """Counts an entry of a directory that is searched or walked. Raises LimitError, also if the time is up."""
        self.visited += 1
        if self.visited > self.limits.entries:
            raise limit_error(f"the search below {directory}", "entries", self.limits.entries)
        if not self.visited & _VISITS:
            self.check_time()

    def again(self) -> RunBudget:
        """A new budget with the same limits and inputs, and the full time."""
        other = RunBudget(self.limits)
        other.taken = self.taken
        return other

    def end(self) -> None:
        """Ends the run at its next check of the time. May be called from another thread."""
        self.deadline = float("-inf")

    def check_time(self) -> None:
        """Raises LimitError if the evaluation takes too long."""
        if monotonic() > self.deadline:
            raise limit_error("this run", "seconds", self.limits.seconds)


_CURRENT: ContextVar[RunBudget] = ContextVar("plait_run_budget")
_DEFAULT = Limits()


def current_budget() -> RunBudget:
    """The budget of the current evaluation; outside of one, a new budget with default limits."""
    found = _CURRENT.get(None)
    return RunBudget(_DEFAULT) if found is None else found


class budget_scope:  # noqa: N801 - reads as what it does
    """`with budget_scope(limits) as budget:` starts a budget, or continues an existing one."""

    __slots__ = ("_run_budget", "_token")

    def __init__(self, limits: Limits | RunBudget) -> None:
        self._run_budget = RunBudget(limits) if isinstance(limits, Limits) else limits

    def __enter__(self) -> RunBudget:
        self._token: Token[RunBudget] = _CURRENT.set(self._run_budget)
        return self._run_budget

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


def budget_scope_from(options: Mapping[str, object] | None) -> budget_scope:
    """A scope with limits by name; with None, the current budget, or one with default limits."""
    return budget_scope(current_budget() if options is None else Limits(**options))


def _format_value(name: str, value: float) -> str:
    if name in DURATIONS:
        return f"{value:g}"
    return f"{int(value) >> 20}M" if value >= _M and value % _M == 0 else str(value)


def limit_error(
    what: str,
    name: str,
    value: float,
    *,
    at: Position | None = None,
    expected: str | None = None,
    hint: str | None = None,
) -> LimitError:
    """The error for an exceeded limit. what: the subject of the message. name, value: its name and value."""
    text = f"{what} exceeds the limit {name}={_format_value(name, value)}"
    return limit_reached(text, name, at=at, expected=expected, hint=hint)
