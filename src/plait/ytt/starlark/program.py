"""Programs: compiled from pieces of text, and run any number of times (docs/reference/language.md)."""

from __future__ import annotations

from plait.base.errors import Finding, StarlarkError
from plait.base.events import begun
from plait.base.fast_paths import FAST
from plait.base.source import Position, Source
from plait.tree.nodes import SCALARS
from plait.ytt.starlark.calls import enter, leave, leaving
from plait.ytt.starlark.step_budget import budget_of, check_growth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import stmt
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import CodeType
    from typing import TypeAlias

    from plait.tree.context import Context
    from plait.ytt.starlark.instrument.coverage import LinesOf
    from plait.ytt.starlark.loops import Loops
    from plait.ytt.starlark.lower.statements import Hooks
    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.starlark.step_budget import StepBudget

    # Returns the exported names of the module that a `load` statement names.
    Load: TypeAlias = Callable[[str, Position], Mapping[str, object]]


_NOTHING: Mapping[str, object] = {}


class Program:
    """A compiled program. `code` can be marshalled: `Program(code, source)` is the same program again."""

    __slots__ = ("_asked", "code", "source")

    def __init__(self, code: CodeType, source: Source) -> None:
        self._asked: set[str] | None = None
        self.code = code
        self.source = source

    def run(
        self,
        context: Context | None = None,
        load: Load | None = None,
        names: Mapping[str, object] | None = None,
        common: Mapping[str, object] = _NOTHING,
    ) -> dict[str, object]:
        """Runs the program. Returns its global variables, private ones included, with frozen values.

        load: returns the exports of a path in `load` statements. names: further names, starting with "$", for lowered
        template statements. common: names that many programs share, in a table that is not changed. Raises
        StarlarkError with the stack of calls.
        """
        source = self.source
        if context is not None and context.silence is not None and self.prints():
            context.silence.speaks()
        budget = budget_of(context)

        def load_(path: str, line: int) -> Mapping[str, object]:
            if load is None:
                raise StarlarkError("load not implemented by this application", code="load-path")
            return load(path, Position(source, line))

        space = {
            "__builtins__": self._shared(budget, context, names or _NOTHING, common),
            "$source": source,
            "$budget": budget,
            "$load": load_,
            "$listen": begun,
            **(names or {}),
        }
        budget.spaces.append(space)
        former = enter(budget)
        try:
            exec(self.code, space)  # noqa: S102
            variables = space.pop("<toplevel>")()  # type: ignore[operator]
            check_growth(variables.values(), budget.limits.items, source)
        except Exception as error:  # noqa: BLE001
            fault = error
        else:
            result = {name: value for name, value in variables.items() if name[0] != "$"}
            if result:
                _freeze(result.values())
            return result
        finally:
            leave(former)
        try:
            raise leaving(fault) from None
        finally:
            del fault  # its traceback refers to this frame

    def prints(self) -> bool:
        """True if the program mentions `print`."""
        return "$print" in names_of(self.code)

    def _shared(
        self, budget: StepBudget, context: Context | None, names: Mapping[str, object], common: Mapping[str, object]
    ) -> dict[str, object]:
        """The names that programs with the same budget, context and common names share."""
        found = budget.shared.get(id(common))
        if found is None:
            budget.long_loop = lambda stop: _loops(budget).to(stop)
            found = budget.shared[id(common)] = common, {**PYTHON, **budget.names, **common}
        table = found[1]
        # Names that only some programs use are loaded on demand. Loading them takes a tenth of the time of a small
        # render.
        if _LIBRARY not in table and self._asks_more(table, names):
            if _COMMON not in table:
                from plait.ytt.starlark.runtime_core import COMMON

                table.update({**COMMON, **table})
            if _LOOPS not in table and self._asks_more(table, names):
                table.update(_loops(budget).names())
            if self._asks_more(table, names):
                from plait.ytt.starlark.builtins import printing
                from plait.ytt.starlark.runtime import GLOBALS

                print_ = printing(_drop if context is None else context.print_line)
                table.update({**GLOBALS, "$print": print_, **table})
        return table

    def _asks_more(self, table: Mapping[str, object], names: Mapping[str, object]) -> bool:
        """True if the program may need host names that are in neither table."""
        if self._asked is None:
            self._asked = {name for name in names_of(self.code) if name[0] == "$"} - _OWN
        return not all(name in table or name in names for name in self._asked)


def _loops(budget: StepBudget) -> Loops:
    from plait.ytt.starlark.loops import Loops

    return Loops(budget.charge)


# Python's own functions that compiled code calls.
PYTHON: dict[str, object] = {
    "$T.int": int,
    "$T.str": str,
    "$T.tuple": tuple,
    "$T": type,
    "$L": len,
    "$R": range,
    "$plain": frozenset((str, int, float, bool, type(None))),
    "$scalars": frozenset((int, float, bool, type(None))),
    "$locals": locals,
}
# Each loads all names of its group.
_COMMON = "$attribute"
_LOOPS = "$begin"
_LIBRARY = "$index"
# The names that each program has separately.
_OWN = frozenset({"$source", "$budget", "$load", "$sites", "$globals", "$listen", "$ran"})


def _freeze(values: Iterable[object]) -> None:
    """Makes values and everything reachable from them immutable."""
    changing = [value for value in values if type(value) not in SCALARS]
    if changing:
        from plait.ytt.starlark.containers import freeze

        for value in changing:
            freeze(value)


def names_of(code: CodeType) -> set[str]:
    """The names that the code uses, including attributes and nested code."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= names_of(constant)
    return found


def _drop(_line: str) -> None:
    """Discards a printed line. Used if there is no listener."""


def compile_program(
    pieces: Sequence[Piece],
    source: Source,
    *,
    hooks: Hooks | None = None,
    traced: bool = False,
    lines_of: LinesOf | None = None,
    optimize: bool = FAST,
) -> Program:
    """Compiles a program from its pieces.

    hooks: adds statements to the body of the program and to functions that contain template statements. traced: the
    program reports its reads (see `plait.ytt.starlark.instrument.dataflow`). lines_of: the program reports executed
    branches (see `plait.ytt.starlark.instrument.coverage`); returns the lines that a template statement uses. optimize:
    inline common cases (see `optimize`), with the same results.

    Raises StarlarkError for the first fault; its findings are all others, in source order.
    """
    from plait.ytt.starlark.instrument.metering import count_steps
    from plait.ytt.starlark.lower.statements import Lowering
    from plait.ytt.starlark.parsing import failure, parse_program, too_deep
    from plait.ytt.starlark.teardown import dismantle

    statements, scope, problems = parse_program(pieces, source)
    tree = None
    try:
        if problems:
            raise failure(problems)
        count_steps(statements)
        marks: list[stmt] = []
        if lines_of is not None:
            from plait.ytt.starlark.instrument.coverage import mark

            marks = mark(statements, scope, lines_of)

        def lowering() -> Lowering:
            if not optimize:
                return Lowering(hooks)
            from plait.ytt.starlark.optimize import optimizer

            return optimizer(hooks, statements, scope)

        if traced:
            from plait.ytt.starlark.instrument.dataflow.statements import probed

            watched, tables = probed(statements, scope, lowering)
            tree = Lowering(hooks).module(watched, scope, [*marks, *tables])
        else:
            tree = lowering().module(statements, scope, marks)
        code = compile(tree, "<template>", "exec", dont_inherit=True, optimize=0)
    except (RecursionError, MemoryError) as error:
        raise too_deep(source, error) from None
    except SyntaxError as error:
        # Python reports only blocks that are nested too deeply.
        raise failure([Finding(str(error.msg), at=Position(source, error.lineno or 0), code="syntax-error")]) from None
    finally:
        dismantle(statements, tree)
    return Program(code, source)
