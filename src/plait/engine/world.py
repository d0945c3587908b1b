"""The world of an evaluation: files, environment, permissions, limits and shared state; and `evaluate`."""

from __future__ import annotations

from contextlib import nullcontext

from plait.base.input_view import permitted, use_view
from plait.base.limits import budget_scope_from
from plait.engine import patch, rendering
from plait.engine.options import Request
from plait.engine.render import Render
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.base.code_cache import CodeCache
    from plait.base.errors import Warning
    from plait.base.input_view import InputView
    from plait.base.permissions import Permissions
    from plait.engine.incremental import Engine
    from plait.engine.results import Documents
    from plait.tree.lookups import Lookups
    from plait.tree.provenance import Trace


class World:
    """The environment of an evaluation, entered once by `evaluate`.

    view: texts that replace files, the environment, and a record of reads; None for the disk. permissions: from the request's project; None for a command line. limits: by the names of --limit; None for the current
    ones. cache: compiled code of earlier runs. engine: the state that evaluations of this process share. lookups,
    warned: filled with looked-up names and with warnings, even if the evaluation fails.
    """

    __slots__ = ("cache", "engine", "limits", "lookups", "permissions", "view", "warned")

    def __init__(
        self,
        *,
        view: InputView | None = None,
        permissions: Permissions | None = None,
        limits: Mapping[str, float] | None = None,
        cache: CodeCache | None = None,
        engine: Engine | None = None,
        lookups: Lookups | None = None,
        warned: list[Warning] | None = None,
    ) -> None:
        self.view = view
        self.permissions = permissions
        self.limits = limits
        self.cache = cache
        self.engine = engine
        self.lookups = lookups
        self.warned = warned


def evaluate(request: Request, world: World, trace: Trace | None = None) -> Documents:
    """Evaluates a request without printing or writing anything, except a variables store.

    trace: records provenance, even if the evaluation fails. Raises PlaitError.
    """
    printed: list[str] = []
    view = nullcontext() if world.view is None else use_view(world.view)
    with budget_scope_from(world.limits), view, permitted(world.permissions):
        context = Context(print_line=printed.append, cache=world.cache)
        context.lookups = world.lookups
        context.trace = trace
        try:
            documents = evaluate_in(context, request, world.engine)
        finally:
            if world.lookups is not None:
                world.lookups.end()
            if world.warned is not None:
                world.warned += context.warnings
            context.end()
            if world.engine is not None:
                world.engine.end()
    documents.printed = printed
    return documents


def evaluate_in(context: Context, request: Request, engine: Engine | None = None) -> Documents:
    """As `evaluate`, for a caller that has a context and has entered the world. Raises PlaitError."""
    if engine is not None:
        context.cache = engine.part().cache
    if request.command == "render":
        assert isinstance(request, Render)
        return rendering.evaluate(request, context, None if engine is None else engine.rendered)
    if request.command == "patch":
        assert isinstance(request, patch.Patch)
        return patch.evaluate(request, context, None if engine is None else engine.operations)
    if request.command == "layer":
        from plait.engine import layer

        assert isinstance(request, layer.Layer)
        return layer.evaluate(request, context, engine)
    from plait.engine import compose

    assert isinstance(request, compose.Compose)
    return compose.evaluate(request, context)
