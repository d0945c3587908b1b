"""Describes a set of runs by the axes of their matrix."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.fleet.plan import Task

_NAMED = 3


def described(names: Sequence[str], tasks: Sequence[Task]) -> str:
    """The runs as text: "312 of 10000 runs: all of region=eu", or their names; "" for all."""
    some = set(names)
    if len(some) == len(tasks):
        return ""
    count = f"{len(some)} of {len(tasks)} runs"
    axes = sorted({axis for task in tasks for axis in task.choices})
    for axis in axes:
        inside = {task.choices[axis].text for task in tasks if task.name in some and axis in task.choices}
        whole = {task.name for task in tasks if axis in task.choices and task.choices[axis].text in inside}
        values = {task.choices[axis].text for task in tasks if axis in task.choices}
        if whole == some and len(inside) <= _NAMED and (len(some) > 1 or len(inside) == 1) and inside != values:
            return f"{count}: all of {axis}={','.join(sorted(inside))}"
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
    return f"{count}: {', '.join(shown[:_NAMED])}{more}"
