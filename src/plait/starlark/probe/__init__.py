"""Programs that keep track of what their values were made of (design 8). Imported only when a run is traced.

`probed` is a pass from syntax to syntax: it puts calls of `Recorder` around what a program does, and the plain lowering
takes it from there. A window is open while a statement, a condition or an argument is evaluated, and collects
what is read meanwhile: data values, variables, conditions. When it closes, what it holds becomes the *shadow* of the
variable that is assigned, `$o.x` for `x`, or goes with the value of a hole to whoever makes the node. Shadows are
variables of the program, so scopes and closures need no thought; a container that is changed has its shadow aside, by
identity.

    x = data.values.a + 1      ->    $d.1 = $from.open()
                                     x = $from.use(data, $o.data).values.a + 1
                                     $o.x = $from.close($d.1, line)

Conditions and loops count for all that happens under them, and, if they can leave, for what comes after. Statements that
make nodes share a window, one a function. Functions that only compute need not say what they read (see `closed`).
"""

from __future__ import annotations

from plait.starlark.probe.shadows import Hole, without
from plait.starlark.probe.windows import Windows

__all__ = ["Hole", "Windows", "without"]
