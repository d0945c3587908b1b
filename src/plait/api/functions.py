"""Derives functions of the API from requests: an annotated attribute of the class is a keyword."""

from __future__ import annotations

import functools
from types import FunctionType

from plait.api.isolation import can_be_isolated
from plait.engine import keywords_of
from plait.engine.options import LISTS, SWITCH, VALUE, Option, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ParamSpec, TypeVar

    from plait.engine.results import Result

    P = ParamSpec("P")
    R = TypeVar("R", bound=Result)


def function_of(request: Callable[P, Request], result: type[R]) -> Callable[[Callable[[Any], R]], Callable[P, R]]:
    """Decorates a function from a request to a result. Callers pass the keywords of the request.

    request: the class. result: the type of the results.
    """
    assert isinstance(request, type)
    dialect: type[Request] = request

    def decorate(evaluate: Callable[[Any], R]) -> Callable[P, R]:
        bind, defaults = _parameters(dialect, evaluate, result)

        @functools.wraps(bind)
        def call(*arguments: P.args, **options: P.kwargs) -> R:
            given = bind(*arguments, **options)
            return evaluate(
                dialect(**{name: one for name, one in given.items() if one is not defaults.get(name, _UNSET)})
            )

        return can_be_isolated(result, bind)(call)

    return decorate


_UNSET = object()


class _Unquoted(str):
    """An annotation that `help` shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _arguments() -> Mapping[str, object]:
    """Returns its arguments by name. `_parameters` copies its code with the parameters of a request."""
    return locals()


def _parameters(
    dialect: type[Request], evaluate: Callable[..., object], result: type
) -> tuple[Callable[..., Mapping[str, object]], Mapping[str, object]]:
    """A function with the parameters of a request, which returns them by name; and their defaults."""
    types = keywords_of(dialect)
    options = [one for one in dialect.options if one.attribute in types]
    by_place = [one for one in options if one.is_positional]
    names = [one.attribute for one in (*by_place, *(one for one in options if one not in by_place))]
    code = _arguments.__code__.replace(
        co_name=evaluate.__name__,
        co_qualname=evaluate.__name__,
        co_argcount=len(by_place),
        co_kwonlyargcount=len(names) - len(by_place),
        co_varnames=tuple(names),
        co_nlocals=len(names),
    )
    # The first one is required, except for `layer`, whose documents may come from a site.
    defaults = tuple(() for one in by_place[0 if dialect.command == "layer" else 1 :])
    bind = FunctionType(code, _arguments.__globals__, evaluate.__name__, defaults)
    bind.__kwdefaults__ = {one.attribute: _default(one, types[one.attribute]) for one in options if one not in by_place}
    bind.__annotations__ = {
        **{name: _Unquoted(types[name]) for name in names},
        "return": _Unquoted(result.__name__),
    }
    bind.__doc__, bind.__module__ = evaluate.__doc__, evaluate.__module__
    placed = names[len(by_place) - len(defaults) : len(by_place)]
    return bind, {**dict.fromkeys(placed, ()), **bind.__kwdefaults__}


def _default(option: Option, annotation: str) -> object:
    if option.kind == SWITCH:
        return option.is_negated
    if option.kind in LISTS:
        return ()
    if "None" in annotation:
        return None
    return option.default[-1] if option.default else None if option.kind == VALUE else ""
