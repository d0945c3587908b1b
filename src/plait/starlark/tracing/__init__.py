"""Programs that keep track of what their values were made of (design 8). Imported only when a run is traced.

`TracedCompiler` compiles like `Compiler`, and puts calls of `Windows` around what it compiles. A window is open while a
statement, a condition or an argument is evaluated, and collects what is read meanwhile: data values, variables,
conditions. When it closes, what it holds becomes the *shadow* of the variable that is assigned, `$o.x` for `x`, or goes
with the value of a hole to whoever makes the node. Shadows are variables of the program, so scopes and closures need no
thought; a container that is changed has its shadow aside, by identity.

    x = data.values.a + 1      ->    $d1 = $from.open()
                                     x = $+($attribute(...), 1)
                                     $o.x = $from.close($d1, line)

Conditions and loops count for all that happens under them, and, if they can leave, for what comes after. Statements that
make nodes share a window, one a function. Functions that only compute need not say what they read (see `quiet`).
"""

from __future__ import annotations

from plait.starlark.tracing.shadows import Hole, without
from plait.starlark.tracing.windows import Windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast as py
    from collections.abc import Mapping

    from plait.starlark.compile.emit import Hooks
    from plait.starlark.compile.shapes import Function
    from plait.starlark.syntax import Scope, Statement


def traced_module(hooks: Hooks | None, statements: list[Statement], scope: Scope) -> py.Module:
    """The module of a program that says what it reads."""
    from plait.starlark.compile.flow import follow, follow_apart
    from plait.starlark.tracing.quiet import Closed
    from plait.starlark.tracing.statements import TracedCompiler

    closed = Closed(scope, statements)
    twice: Mapping[str, Function] = {}
    if closed.functions:
        twice = follow(scope, statements)
    else:
        follow_apart(scope, statements)
    return TracedCompiler(hooks, closed, twice).module(statements, scope)


__all__ = ["Hole", "Windows", "traced_module", "without"]
