"""The functions of the API for `await`, with the same arguments and results. They do not block the event loop.

    rendered = await plait.arender("config/", values={"replicas": 3})

A call runs in a thread of the loop's executor; with `isolated=True` that thread waits for a worker process. Cancelling
the task stops the process; a call in a thread stops at its next check of limits. Checks are frequent, except during a
single call into a library. A cancelled call has no result.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextvars import copy_context

from plait.api.cancellation import CURRENT, Canceller
from plait.base.limits import Limits, RunBudget, budget_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


def awaited(function: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Wraps a function for `await`. The result accepts `limits` and `isolated`, and has the results and the errors of
    the function.
    """

    @functools.wraps(function)
    async def call(*arguments: P.args, **options: P.kwargs) -> R:
        import asyncio

        stop = Canceller()

        def work() -> R:
            CURRENT.set(stop)
            limits = options.get("limits")
            if options.get("isolated") or not isinstance(limits, Mapping | None):
                return function(*arguments, **options)
            options.pop("limits", None)
            run = RunBudget(Limits(**(limits or {})))
            stop.ends_by(run.end)
            with budget_scope(run):
                return function(*arguments, **options)

        try:
            return await asyncio.get_running_loop().run_in_executor(None, copy_context().run, work)
        except asyncio.CancelledError:
            stop.set()
            raise

    call.__name__ = call.__qualname__ = f"a{function.__name__}"
    call.__doc__ = f"`plait.{function.__name__}` for `await`: the same options, results and errors."
    return call
