"""`isolated=True`: a call of the API in a worker process, which is ended when the call takes longer than it may.

Within a process nothing ends a single call into C before it comes back, and all threads share one memory. A worker has
a memory of its own and can be ended from outside (see `plait.api.workers`, which is loaded by the first such call).
"""

from __future__ import annotations

import functools
import threading

from plait.errors import UsageError
from plait.stack import with_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    from plait.api.results import Documents

    P = ParamSpec("P")
    D = TypeVar("D", bound=Documents)


def can_be_isolated(result: type[D]) -> Callable[[Callable[P, D]], Callable[P, D]]:
    """Of a function of the API that takes `isolated=True`. result: what it gives.

    Without `isolated` it has room on the stack, and leaves the host as it was.
    """

    def decorate(function: Callable[P, D]) -> Callable[P, D]:
        @functools.wraps(function)
        def call(*arguments: P.args, **options: P.kwargs) -> D:
            if not options.get("isolated"):
                first = threading.current_thread() is threading.main_thread()
                return with_room(lambda: function(*arguments, **options), first=first)
            import inspect

            from plait.api.workers import call_in_worker

            given = inspect.signature(function).bind(*arguments, **options).arguments
            del given["isolated"]
            if given.get("trace"):
                raise UsageError("an isolated call keeps no histories", hint="leave out trace=True, or isolated=True")
            return result.of_state(call_in_worker(function.__name__, given))

        return call

    return decorate
