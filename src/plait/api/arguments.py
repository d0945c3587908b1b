"""Checks the arguments of an API call, so that a mistake is reported with its fix."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping

from plait.base.similar_names import near
from plait.base.uncaught_errors import hide_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

# Names used by other programs, which are not similar to plait's.
_ELSEWHERE = {"ops": "operations", "vars": "variables", "data_values": "values", "timeout": "limits", "set": "values"}


def checked(function: Callable[P, R], bind: Callable[..., object] | None = None) -> Callable[P, R]:
    """Wraps a function to reject unknown arguments and options, and wrong types.

    bind: a function with the same parameters and no effect, if the function itself accepts any.
    """
    check = checker(function)

    @functools.wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        check(options)
        if bind is not None:
            try:
                bind(*arguments, **options)
            except TypeError as error:
                refuse(bind, arguments, options, error)
        try:
            return function(*arguments, **options)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                refuse(function, arguments, options, error)  # the function has not run yet
            raise

    return call


def checker(function: Callable[..., object]) -> Callable[[Mapping[str, object]], None]:
    """Returns a function that checks options by their annotations: a list of strings is not a single string, a mapping
    has names, a switch is a bool.
    """
    kinds = {
        name: check
        for name, annotation in function.__annotations__.items()
        if (check := _CHECKS.get(_kind_of(str(annotation)))) is not None
    }

    def check_all(options: Mapping[str, object]) -> None:
        for name, value in options.items():
            check = kinds.get(name)
            if check is not None and value is not None:
                check(function.__name__, name, value)

    return check_all


def _kind_of(annotation: str) -> str:
    return annotation if annotation == _STRINGS else annotation.partition("[")[0].partition(" |")[0]


def _texts(function: str, name: str, value: object) -> None:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        shown = f"[{value!r}]" if isinstance(value, str) else "[...]"
        raise wrong_call(f"{function}: {name} must be a list of strings, such as {name}={shown}, not {_kind(value)}")


def _mapping(function: str, name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise wrong_call(
            f"{function}: {name} must be a mapping, such as {name}={_EXAMPLES.get(name, '{...}')}, not {_kind(value)}"
            + (f"; pass files as {name}_files" if name in ("values", "variables") else "")
        )


def _switch(function: str, name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise wrong_call(f"{function}: {name} must be True or False, not {_kind(value)}")


_STRINGS = "Sequence[str]"
_CHECKS: Mapping[str, Callable[[str, str, object], None]] = {
    "Texts": _texts, _STRINGS: _texts, "Mapping": _mapping, "Limits": _mapping, "bool": _switch
}  # fmt: skip
_EXAMPLES = {
    "values": '{"replicas": 3}',
    "variables": '{"password": "..."}',
    "secrets": '{"reference": "..."}',
    "labels": '{"role": "web"}',
    "limits": '{"seconds": 5}',
}


def _kind(value: object) -> str:
    return "a text" if isinstance(value, str) else type(value).__name__


def wrong_call(text: str) -> TypeError:
    """A TypeError about the arguments of a call. An uncaught one shows no frames inside plait."""
    error = TypeError(text)
    hide_frames(error)
    return error


def refuse(
    function: Callable[..., object], arguments: tuple[object, ...], options: Mapping[str, object], error: TypeError
) -> NoReturn:
    """Raises TypeError with the valid arguments."""
    parameters = inspect.signature(function).parameters.values()
    names = [one.name for one in parameters if one.kind is not one.VAR_POSITIONAL]
    by_place = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    unknown = next((name for name in options if name not in names), None)
    if unknown is not None:
        meant = [name for name in (_ELSEWHERE.get(unknown),) if name in names] or near(unknown, names)
        hint = f'did you mean "{meant[0]}"?' if meant else f"it takes {', '.join(names) or 'no options'}"
        raise wrong_call(f'{function.__name__} has no option "{unknown}"; {hint}') from None
    if len(arguments) > len(by_place):
        first = next((name for name in names if name not in by_place), None)
        hint = f", and the others as keywords, such as {first}=..." if first else ""
        raise wrong_call(
            f"{function.__name__} accepts only {' and '.join(by_place)} as positional arguments{hint}"
        ) from None
    raise error
