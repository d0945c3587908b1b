"""`isolated=True`: a call of the API in a worker process, which is stopped at its time limit.

Inside a process nothing can interrupt a single call into C, and all threads share memory. A worker has its own memory
and can be killed (see `plait.api.workers`, imported by the first such call).
"""

from __future__ import annotations

import functools
import inspect
import threading

from plait.api.argument_errors import add_facts
from plait.api.arguments import checked, checker, refuse
from plait.api.current_engine import observed
from plait.api.workers import call_in_worker
from plait.base.errors import PlaitError, UsageError
from plait.base.process import with_stack_headroom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    from plait.engine.results import Result

    P = ParamSpec("P")
    R = TypeVar("R", bound=Result)
    T = TypeVar("T")


def with_error_facts(function: Callable[P, T]) -> Callable[P, T]:
    """Makes uncaught errors of an API function show all their facts in Python's traceback. Reports each call to its
    engine.
    """

    @functools.wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return observed(function.__name__, lambda: function(*arguments, **options))
        except PlaitError as error:
            add_facts(error)
            raise

    return call


def can_be_isolated(
    result: type[R], bind: Callable[..., object] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Adds `isolated=True` to an API function. result: the class of its result. bind: as in `checked`.

    Calls without `isolated` run with enough stack, and restore the state of the host. See `with_error_facts`.
    """

    def decorate(plain: Callable[P, R]) -> Callable[P, R]:
        function, check = checked(plain, bind), checker(plain)

        @with_error_facts
        @functools.wraps(function)
        def call(*arguments: P.args, **options: P.kwargs) -> R:
            if not options.get("isolated"):
                first = threading.current_thread() is threading.main_thread()
                return with_stack_headroom(lambda: function(*arguments, **options), first=first)
            check(options)

            try:
                given = inspect.signature(function).bind(*arguments, **options).arguments
            except TypeError as error:
                refuse(function, arguments, options, error)
            del given["isolated"]
            if given.get("trace"):
                raise UsageError(
                    "isolated=True cannot be combined with trace=True",
                    hint="omit trace=True or isolated=True",
                    code="api-use",
                )
            return result.of_state(call_in_worker(function.__name__, given))

        return call

    return decorate
